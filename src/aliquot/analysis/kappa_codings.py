"""Slips in the coding of labels that make another kappa of the same rows, each in plain words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from aliquot.stats.agreement import cohen_kappa
from aliquot.stats.results import Undefined

MOST_LABELS = 20
"""With more labels than this no single one is looked at."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What one rater said.

    Attributes:
        name: the column.
        texts: a label a row; None where there is none.
    """

    name: str
    texts: Sequence[str | None]

    @property
    def kinds(self) -> list[str]:
        """The labels that occur."""
        return sorted({text for text in self.texts if text is not None})

    def recoded(self, code: Callable[[str | None], str | None]) -> Labels:
        """Return the same column under another coding."""
        return Labels(self.name, [code(text) for text in self.texts])


@dataclass(frozen=True, slots=True)
class Coding:
    """One way to code the labels.

    Attributes:
        cause: what was done, in plain words.
        a: the first column as coded.
        b: the second column as coded.
        defensible: whether it may be meant.
        raw: whether the share of equal labels is meant and not kappa.
    """

    cause: str
    a: Labels
    b: Labels
    defensible: bool = False
    raw: bool = False

    def value(self) -> float | None:
        """Return what it gives, None when that is undefined."""
        found = cohen_kappa(self.a.texts, self.b.texts, method="normal")
        if isinstance(found, Undefined):
            return None
        return found.observed if self.raw else found.point


def codings(a: Labels, b: Labels) -> Iterator[Coding]:
    """Return the codings that are known to happen, the likeliest first.

    Args:
        a: labels of the first rater.
        b: labels of the second rater, of the same rows.
    """
    yield Coding("the share of equal labels, not corrected for chance", a, b, raw=True)
    yield from _without_label(a, b)
    for first, second, turned in ((a, b, False), (b, a, True)):
        for cause, coded in _slips(first, second):
            yield Coding(cause, *((second, coded) if turned else (coded, second)))
    if _beyond_flags(a) or _beyond_flags(b):
        cause = f"as if labels other than 0 and 1 were read as 0 in both {a.name} and {b.name}"
        yield Coding(cause, a.recoded(_flag), b.recoded(_flag))


def _without_label(a: Labels, b: Labels) -> Iterator[Coding]:
    """Return what becomes of rows that one rater left without a label."""
    empty = sum(None in pair for pair in zip(a.texts, b.texts, strict=True))
    if not empty:
        return
    rows = f"{empty} row{'' if empty == 1 else 's'} without a label"
    own = _unused(a, b)
    kept = [side.recoded(lambda text: own if text is None else text) for side in (a, b)]
    yield Coding(f"{rows} kept as a label of their own", kept[0], kept[1], defensible=True)
    for label in _kinds(a, b):
        taken = [side.recoded(lambda text, label=label: label if text is None else text) for side in (a, b)]
        yield Coding(f"as if {rows} had been given {_quoted([label])}", taken[0], taken[1])


def _slips(side: Labels, other: Labels) -> Iterator[tuple[str, Labels]]:
    """Return slips in one column while the other keeps its labels."""
    lost = _beyond_flags(side)
    if lost:
        text = (
            f"as if labels other than 0 and 1 were read as 0 in {side.name} ({_quoted(lost)} became 0), "
            f"while {other.name} kept its own"
        )
        yield text, side.recoded(_flag)
    kinds = side.kinds
    if all(kind.isdecimal() and len(kind) < 10 for kind in kinds):
        for step, where in ((-1, "too low"), (1, "too high")):
            coded = side.recoded(lambda text, step=step: text if text is None else str(int(text) + step))
            yield f"as if {side.name} were coded one {where}: counted from 0 here, from 1 there", coded
    if len(kinds) == 2:
        turned = dict(zip(kinds, reversed(kinds), strict=True))
        coded = side.recoded(lambda text: None if text is None else turned[text])
        yield f"as if {_quoted(kinds)} were exchanged in {side.name}", coded
    if 2 < len(kinds) <= MOST_LABELS:
        code = _unused(side, other)
        for kind in kinds:
            coded = side.recoded(lambda text, kind=kind: code if text == kind else text)
            yield (
                f"as if {_quoted([kind])} were coded in {side.name} as nothing that {other.name} holds",
                coded,
            )


def _flag(text: str | None) -> str:
    """``int(x) if x in ("0", "1") else 0``, met in the published code of LLMBar."""
    return text if text in {"0", "1"} else "0"


def _beyond_flags(side: Labels) -> list[str]:
    """Labels that a reader of flags would lose."""
    return [kind for kind in side.kinds if kind not in {"0", "1"}]


def _kinds(a: Labels, b: Labels) -> list[str]:
    """Labels of both, the commonest first, none when there are too many to look at each."""
    counted = Counter(text for side in (a, b) for text in side.texts if text is not None)
    return [label for label, _ in counted.most_common()] if len(counted) <= MOST_LABELS else []


def _unused(a: Labels, b: Labels) -> str:
    """Return a label that neither holds."""
    longest = max((len(kind) for kind in (*a.kinds, *b.kinds)), default=0)
    return "?" * (longest + 1)


def _quoted(labels: Sequence[str]) -> str:
    shown = ", ".join(repr(label if len(label) <= 40 else f"{label[:39]}…") for label in labels[:3])
    return shown if len(labels) <= 3 else f"{shown} and {len(labels) - 3} more"
