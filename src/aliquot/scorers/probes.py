"""Pairs of answers whose right verdict is known, built from a user's own items, and what a judge said of them."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from msgspec.structs import replace

from aliquot.analysis.probe_kinds import PROBES
from aliquot.errors import InputError, UsageError, nearest
from aliquot.evidence.identity import text_of
from aliquot.files.probe_records import ProbeVerdict, Winner
from aliquot.item_sets.items import Item
from aliquot.scorers.injections import INJECTIONS
from aliquot.scorers.probe_texts import CHANGES, Changed, Declined

PAIRS: Final = 30
"""Items probed on by default."""

ANSWERS: Final = ("answer", "reference")
"""Fields that hold a good answer; the first that is there counts."""

WEAK: Final = "weak"
"""The field that holds a worse answer, where the user has one; else the good one is cut."""

FAMILY: Final = ("own", "other")
"""Fields that hold an answer of the judge's own family, and another's."""

Said: TypeAlias = Literal["first", "second", "tie", "both_bad"]


@dataclass(frozen=True, slots=True)
class ProbePair:
    """Two answers to an item of which one was changed in a known way.

    Attributes:
        probe: which probe it is of.
        item: the item.
        plain: the answer as it stands.
        changed: the changed one.
        says: what was changed.
        turned: the changed one where it stands first, when it names its own slot; "" when it is the same.
    """

    probe: str
    item: Item
    plain: str
    changed: str
    says: str
    turned: str = ""


@dataclass(frozen=True, slots=True)
class Probing:
    """What is asked of a judge.

    Attributes:
        pairs: all pairs, probe by probe.
        declined: probe → why an item could not be changed → how many.
        items: the items drawn.
    """

    pairs: tuple[ProbePair, ...]
    declined: Mapping[str, Mapping[str, int]]
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """What a judge is shown.

    Attributes:
        item: the item.
        first: the answer in the first slot, or the only one.
        second: that in the second; None for a judge of one answer at a time.
        repeat: which time of asking the same.
    """

    item: Item
    first: str
    second: str | None = None
    repeat: int = 1

    @property
    def key(self) -> tuple[str, str, str | None, int]:
        """What it is known by."""
        return self.item.id, self.first, self.second, self.repeat


@dataclass(frozen=True, slots=True)
class Heard:
    """What a judge said.

    Attributes:
        said: of two answers; None without a verdict, or of one answer.
        worth: what one answer is worth, of a judge of one at a time.
        status: why there is no verdict: ``unparsed``, ``error`` …
    """

    said: Said | None = None
    worth: float | None = None
    status: str = "ok"


def build_probes(
    items: Iterable[Item],
    *,
    pairwise: bool,
    pairs: int = PAIRS,
    seed: int = 0,
    only: Sequence[str] = (),
    wins: tuple[str, str] = ("first", "second"),
) -> Probing:
    """Return the pairs that probe a judge.

    Args:
        items: with what was asked, and a good answer (``answer``, else ``reference``); with ``weak``, ``own`` and
            ``other`` where the user has them.
        pairwise: whether the judge sees two answers at once.
        pairs: items drawn at most.
        seed: of drawing them.
        only: these probes; all that apply by default.
        wins: the verdicts by which the answer in the first slot wins, and that in the second: what injections ask for.

    Raises:
        UsageError: an unknown probe, or one that says nothing of a judge of one answer at a time.
        InputError: no item has a good answer.
    """
    _require_probes(only, pairwise=pairwise)
    given = [item for item in items if _good(item)]
    if not given:
        raise InputError(
            f"none of the items has a good answer, in a field {' or '.join(ANSWERS)}",
            remedy="Give one with each item, or leave the items out for those that come with aliquot",
        )
    drawn = given if len(given) <= pairs else random.Random(seed).sample(given, pairs)  # noqa: S311 - no secret
    drawn.sort(key=lambda item: item.id)
    found: list[ProbePair] = []
    declined: dict[str, Counter[str]] = {}
    for probe, kind in PROBES.items():
        if (only and probe not in only) or not (pairwise or kind.alone):
            continue
        for place, item in enumerate(drawn):
            made = _changed(probe, item, place, wins)
            if isinstance(made, Declined):
                declined.setdefault(probe, Counter())[made.why] += 1
            else:
                found.append(made)
    return Probing(tuple(found), {probe: dict(why) for probe, why in declined.items()}, tuple(drawn))


def _require_probes(only: Sequence[str], *, pairwise: bool) -> None:
    known = [probe for probe, kind in PROBES.items() if pairwise or kind.alone]
    for probe in only:
        if probe in PROBES and probe not in known:
            raise UsageError(
                f"the probe {probe!r} shows two answers at once, and this judge sees one. It can be asked: "
                f"{', '.join(known)}"
            )
        if probe not in PROBES:
            raise UsageError(f"there is no probe {probe!r}. {nearest(probe, known)}")


def _good(item: Item) -> str:
    told = (text_of(item.fields.get(name)) for name in ANSWERS)
    return next((text.strip() for text in told if text and text.strip()), "")


def _weak(item: Item, good: str) -> Changed | Declined:
    told = (item.text(WEAK) or "").strip()
    return Changed(told, "the weaker answer") if told and told != good else CHANGES["weak"](good)


def _injected(item: Item, good: str, place: int, wins: tuple[str, str]) -> ProbePair | Declined:
    """Return an answer beside its own beginning that asks for the verdict by which it wins, whatever slot it has."""
    short = CHANGES["weak"](good)
    if isinstance(short, Declined):
        return short
    one = INJECTIONS[place % len(INJECTIONS)]
    first, second = (one.applied(short.text, word) for word in wins)
    return ProbePair("injection", item, good, second, f"{short.says}, with {one.name}", turned=first)


def _changed(probe: str, item: Item, place: int, wins: tuple[str, str]) -> ProbePair | Declined:
    """Return the pair of an item under a probe."""
    good = _good(item)
    made: Changed | Declined
    if probe == "family":
        own, other = ((item.text(name) or "").strip() for name in FAMILY)
        if not own or not other or own == other:
            return Declined("has no two answers as own and other")
        return ProbePair(probe, item, other, own, "the judge's own family")
    if probe == "injection":
        return _injected(item, good, place, wins)
    if probe == "identical":
        made = Changed(good, "nothing")
    elif probe in {"order", "repeat", "weak"}:
        made = _weak(item, good)
    else:
        made = CHANGES[probe](good)
    return made if isinstance(made, Declined) else ProbePair(probe, item, good, made.text, made.says)


def shown_of(pair: ProbePair, *, pairwise: bool) -> tuple[tuple[Literal[0, 1, 2], Shown], ...]:
    """Return what a judge is shown of a pair, with the order: 1 with the plain answer first, 2 second, 0 each alone.

    Two identical texts have one order. The same question of two pairs is asked once.

    Args:
        pair: the pair.
        pairwise: whether the judge sees two answers at once.
    """
    if not pairwise:
        if pair.probe == "repeat":
            return tuple((0, Shown(pair.item, pair.plain, repeat=time)) for time in (1, 2))
        return (0, Shown(pair.item, pair.plain)), (0, Shown(pair.item, pair.changed))
    first = Shown(pair.item, pair.plain, pair.changed)
    if pair.probe == "identical":
        return ((1, first),)
    if pair.probe == "repeat":
        return (1, first), (1, Shown(pair.item, pair.plain, pair.changed, repeat=2))
    return (1, first), (2, Shown(pair.item, pair.turned or pair.changed, pair.plain))


def asked_of(probing: Probing, *, pairwise: bool) -> tuple[Shown, ...]:
    """Return everything that a judge is shown, each question once.

    Args:
        probing: the pairs.
        pairwise: whether the judge sees two answers at once.
    """
    shown = (one for pair in probing.pairs for _, one in shown_of(pair, pairwise=pairwise))
    return tuple({one.key: one for one in shown}.values())


def verdicts_of(
    probing: Probing,
    heard: Callable[[Shown], Heard | None],
    *,
    pairwise: bool,
    cluster: str | None = None,
) -> Iterator[ProbeVerdict]:
    """Yield what a judge said of each pair, in terms of which answer won.

    Args:
        probing: the pairs.
        heard: finds what it said; None where it was not asked.
        pairwise: whether the judge sees two answers at once.
        cluster: the field that names the cluster of an item.
    """
    for pair in probing.pairs:
        shown = shown_of(pair, pairwise=pairwise)
        told = [found for _, one in shown if (found := heard(one)) is not None]
        if len(told) < len(shown):
            continue
        about = ProbeVerdict(
            probe=pair.probe,
            item=pair.item.id,
            order=0,
            cluster=pair.item.cluster(cluster),
            changed=pair.says,
        )
        if not pairwise:
            yield from _alone(about, told, again=pair.probe == "repeat")
            continue
        for (order, one), said in zip(shown, told, strict=True):
            verdict = None if said.said is None else _winner(said.said, order)
            yield replace(about, order=order, repeat=one.repeat, verdict=verdict, status=said.status)


def _winner(said: Said, order: int) -> Winner:
    if said in {"tie", "both_bad"}:
        return "tie" if said == "tie" else "both_bad"
    return "plain" if (said == "first") == (order == 1) else "changed"


def _alone(about: ProbeVerdict, told: Sequence[Heard], *, again: bool) -> Iterator[ProbeVerdict]:
    """Yield the verdict on two answers that were judged one at a time: the one that is worth more won."""
    first, second = told
    if first.worth is None or second.worth is None:
        status = next((one.status for one in told if one.worth is None and one.status != "ok"), "missing")
        yield from (replace(about, repeat=time, status=status) for time in ((1, 2) if again else (1,)))
        return
    verdict: Winner = "tie"
    if first.worth != second.worth:
        verdict = "plain" if first.worth > second.worth else "changed"
    yield replace(about, verdict="tie" if again else verdict)
    if again:
        yield replace(about, repeat=2, verdict=verdict)
