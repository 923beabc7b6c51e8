"""Coded answers become counts with intervals, and, of two sides, differences that hold together over all kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import polars as pl

from aliquot.analysis.arrays import paired_sample, system_sample
from aliquot.analysis.margins import check_level
from aliquot.analysis.method import Analysed, analyse_pairs, analyse_system
from aliquot.analysis.software import versions
from aliquot.analysis.unpaired import analyse_unpaired
from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.matching import pair
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import METRICS, Evidence, Note
from aliquot.evidence.units import Pairs, Units
from aliquot.findings.failures import Base, FailureKind, Failures, FailureSide, Moved
from aliquot.findings.failures_words import write_failures
from aliquot.findings.numbers import write_count
from aliquot.findings.scale import Scale
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

TASK: Final = "failures"
SHARED: Final = 0.5
"""Share of the smaller side's items found on the other from which the two are compared item by item."""
MOST_KINDS: Final = 200
"""Kinds a finding holds at most."""
NAMED: Final = 10
"""Ids of answers that are named for each kind."""

_SCALE: Final = Scale("binary", 0.0, 1.0, "none")

Attempt = tuple[str, int]
"""Item and attempt."""


@dataclass(frozen=True, slots=True)
class Side:
    """One system or run, its answers and what went wrong with them.

    Attributes:
        name: what it is called.
        codes: of each answer that was read, what went wrong; empty for nothing that has a name.
        by: who gave the codes.
        failed: of each answer whether it failed; None where only what was read is known.
        clusters: cluster of each item that has one.
        lost: answers that the measurement lost, of which nothing is known.
    """

    name: str
    codes: Mapping[Attempt, tuple[str, ...]]
    by: Literal["person", "rule"] = "person"
    failed: Mapping[Attempt, bool] | None = None
    clusters: Mapping[str, str] = field(default_factory=dict[str, str])
    lost: int = 0

    @property
    def unread(self) -> int:
        """Failing answers that nobody has coded."""
        return sum(wrong and key not in self.codes for key, wrong in (self.failed or {}).items())


@dataclass(frozen=True, slots=True)
class FailureChoices:
    """What the caller may decide.

    Attributes:
        says: what each kind means, in the order in which a taxonomy lists them; None without a taxonomy.
        level: confidence level.
        seed: seed of everything random.
    """

    says: Mapping[str, str] | None = None
    level: float = 0.95
    seed: int = DEFAULT_SEED


def count_failures(sides: Sequence[Side], *, choices: FailureChoices, command: str = "") -> Failures:
    """Return how many answers of each side went wrong in which way, and which kinds moved between two sides.

    Shares are of all answers where every failing one is coded, as those that passed then count as having none of the
    kinds. Where some are not coded, shares are of the failing answers that were read, and where it is not known what
    failed, of all that were read: what share of the answers they are would be a guess.

    Args:
        sides: systems or runs; of two, the second is compared with the first.
        choices: what the caller decided.
        command: the command line that reproduces the finding.

    Raises:
        UsageError: two sides of one name, or more kinds than a finding holds.
        InputError: no answer was coded.
    """
    check_level(choices.level)
    names = [side.name for side in sides]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two sides are called {twice!r}; give the files other names, or name one system")
    kinds = _kinds(sides, choices.says)
    if not kinds:
        raise InputError(
            "no answer has a code",
            remedy="Code what went wrong (a table with item and codes): --codes FILE, or --add FILE of a run",
        )
    base, read = _base(sides)
    evidence = _evidence(sides, kinds, read, base=base)
    rows = {code: _rows(evidence, names, code) for code in kinds}
    paired = _paired(rows[kinds[0]]) if len(sides) == 2 else None
    lines = [
        _kind(rows[code], sides, code, paired=paired, compared=len(kinds), choices=choices, read=read)
        for code in kinds
    ]
    found = tuple(sorted(lines, key=lambda line: -sum(line.counts)))
    told = tuple(_side(side, keys) for side, keys in zip(sides, read, strict=True))
    return Failures(
        sides=told,
        kinds=found,
        base=base,
        paired=paired,
        n_items=_items(rows[kinds[0]], paired=paired),
        level=choices.level,
        warnings=tuple(_warnings(sides, found, base=base)),
        why=_why(base, paired=paired, compared=len(kinds)),
        estimand=f"Of {_LIKE[base]}, the share that goes wrong in each way; an answer may go wrong in several.",
        verdict=write_failures(told, found, base=base, level=choices.level),
        seed=choices.seed,
        versions=versions(),
        command=command,
    )


_OF: Final[Mapping[Base, str]] = {
    "answers": "all answers to items",
    "failures": "the failing answers that were read",
    "read": "the answers that were read",
}


_LIKE: Final[Mapping[Base, str]] = {
    "answers": "answers to items like these",
    "failures": "failing answers like those that were read",
    "read": "answers like those that were read",
}


def _kinds(sides: Sequence[Side], says: Mapping[str, str] | None) -> list[str]:
    """Return the kinds that occur, those of a taxonomy first; a listed one that never occurs is no kind here."""
    seen = dict.fromkeys(code for side in sides for codes in side.codes.values() for code in codes)
    kinds = [name for name in says or () if name in seen] + [
        name for name in seen if name not in (says or ())
    ]
    if len(kinds) > MOST_KINDS:
        raise UsageError(
            f"{len(kinds)} kinds of failure; {MOST_KINDS} are counted at most. Merge some: "
            "--taxonomy FILE with was: [...]"
        )
    return kinds


def _base(sides: Sequence[Side]) -> tuple[Base, list[frozenset[Attempt]]]:
    """Return what the shares are of, and the answers of each side that count."""
    if any(side.failed is None for side in sides):
        return "read", [frozenset(side.codes) for side in sides]
    failed = [frozenset(key for key, wrong in (side.failed or {}).items() if wrong) for side in sides]
    if any(side.unread for side in sides):
        return "failures", [wrong & frozenset(side.codes) for side, wrong in zip(sides, failed, strict=True)]
    return "answers", [frozenset(side.failed or {}) for side in sides]


def _evidence(
    sides: Sequence[Side], kinds: Sequence[str], read: Sequence[frozenset[Attempt]], *, base: Base
) -> Evidence:
    """Return a metric for each kind: 1 where an answer has it, 0 where it was read, or passed, and has not."""
    if base != "answers" and not all(read):
        lacking = next(side.name for side, keys in zip(sides, read, strict=True) if not keys)
        raise InputError(f"no answer of {lacking!r} was read", remedy="Code some of its failures")
    outcomes = [
        {"system": side.name, "task": TASK, "item": item, "attempt": attempt, "metric": code,
         "value": float(code in side.codes.get((item, attempt), ())), "scorer": "codes"}
        for side, keys in zip(sides, read, strict=True)
        for item, attempt in sorted(keys)
        for code in kinds
    ]  # fmt: skip
    clusters = {item: name for side in sides for item, name in side.clusters.items()}
    ids = dict.fromkeys(str(row["item"]) for row in outcomes)
    items = pl.DataFrame(
        {"task": [TASK] * len(ids), "item": list(ids), "cluster": [clusters.get(item) for item in ids]},
        schema={"task": pl.String, "item": pl.String, "cluster": pl.String},
    )
    metrics = pl.DataFrame(
        [{"metric": code, "kind": "binary", "low": 0.0, "high": 1.0, "better": "none"} for code in kinds],
        schema=dict(METRICS),
    )
    return assemble(pl.DataFrame(outcomes), items=items, metrics=metrics)


def _rows(evidence: Evidence, names: Sequence[str], code: str) -> Pairs | tuple[Units, ...]:
    """Return the items of each side under one kind; of two sides as they match."""
    if len(names) == 2:
        return pair(evidence, *names, task=TASK, metric=code)
    return tuple(units(evidence, name, task=TASK, metric=code) for name in names)


def _of_sides(rows: Pairs | tuple[Units, ...]) -> tuple[Units, ...]:
    return (rows.baseline, rows.candidate) if isinstance(rows, Pairs) else rows


def _paired(rows: Pairs | tuple[Units, ...]) -> bool:
    """Tell whether two sides are compared item by item."""
    smaller = min(one.frame.height for one in _of_sides(rows))
    return isinstance(rows, Pairs) and 0 < SHARED * smaller <= rows.attrition.shared


def _items(rows: Pairs | tuple[Units, ...], *, paired: bool | None) -> int:
    if paired and isinstance(rows, Pairs):
        return rows.attrition.shared
    return sum(one.frame.height for one in _of_sides(rows))


def _kind(
    rows: Pairs | tuple[Units, ...], sides: Sequence[Side], code: str, *, paired: bool | None, compared: int,
    choices: FailureChoices, read: Sequence[frozenset[Attempt]],
) -> FailureKind:  # fmt: skip
    samples = [system_sample(one) for one in _of_sides(rows)]
    having = [
        sorted(key for key in keys if code in side.codes.get(key, ()))
        for side, keys in zip(sides, read, strict=True)
    ]
    named = next((found for found in reversed(having) if found), [])
    analysed: Analysed | None = None
    if isinstance(rows, Pairs):
        level = 1 - (1 - choices.level) / compared  # at which the intervals of all kinds hold together
        analysed = (
            analyse_pairs(paired_sample(rows), _SCALE, level=level, seed=choices.seed)
            if paired
            else analyse_unpaired(
                samples[0], samples[1], _SCALE, level=level, seed=choices.seed, why="not paired"
            )
        )
    return FailureKind(
        code=code,
        says=(choices.says or {}).get(code, ""),
        listed=choices.says is None or code in choices.says,
        counts=tuple(map(len, having)),
        shares=tuple(analyse_system(one, _SCALE, level=choices.level) for one in samples),
        difference=None if analysed is None else analysed.difference,
        test=None if analysed is None else _deciding(analysed, compared=compared),
        moved=None if analysed is None else _moved(analysed.difference),
        items=tuple(dict.fromkeys(item for item, _ in named))[:NAMED],
    )


def _deciding(analysed: Analysed, *, compared: int) -> HypothesisTest | None:
    test = next((named.test for named in analysed.tests if named.decides), None)
    return None if test is None else replace(test, p=min(1.0, test.p * compared))


def _moved(difference: Estimate | Undefined) -> Moved:
    if isinstance(difference, Undefined):
        return "nothing_to_judge"
    return "more" if difference.low > 0 else "fewer" if difference.high < 0 else "undecided"


def _side(side: Side, read: frozenset[Attempt]) -> FailureSide:
    failed = None if side.failed is None else sum(side.failed.values())
    wrong = frozenset(key for key, bad in (side.failed or {}).items() if bad)
    answers = read if side.failed is None else read & wrong
    return FailureSide(
        name=side.name,
        answers=None if side.failed is None else len(side.failed),
        failed=failed,
        read=len(read),
        coded=sum(bool(side.codes.get(key)) for key in answers),
        unnamed=sum(not side.codes.get(key) for key in answers),
        by=side.by,
    )


def _warnings(sides: Sequence[Side], kinds: Sequence[FailureKind], *, base: Base) -> list[Note]:
    said: list[Note] = []
    if base == "failures":
        left = ", ".join(f"{side.unread} of {side.name}" for side in sides if side.unread)
        text = (
            f"failing answers that nobody has read ({left}): shares are of those that were, which stand for the others "
            "only if they were drawn at random"
        )
        said.append(Note("unread_failures", text))
    lost = ", ".join(f"{side.lost} of {side.name}" for side in sides if side.lost)
    if lost:
        text = f"answers that the measurement lost are in no share ({lost})"
        said.append(Note("lost_answers", text))
    for side in sides:
        passing = [
            key
            for key, codes in side.codes.items()
            if codes and side.failed is not None and not side.failed.get(key, True)
        ]
        if passing:
            text = (
                f"{side.name}: {write_count(len(passing), 'answer')} with a code passed (such as {passing[0][0]!r}): "
                "the scorer and the reader disagree"
            )
            said.append(Note("coded_but_passed", text))
    if len({side.by for side in sides}) > 1:
        said.append(Note("other_coder", "one side was coded by people and the other by stages and statuses"))
    new = [kind.code for kind in kinds if not kind.listed]
    if new:
        text = (
            f"not in the taxonomy yet: {', '.join(new[:10])}{' …' if len(new) > 10 else ''}; --grow adds them"
        )
        said.append(Note("new_kinds", text))
    return said


def _why(base: Base, *, paired: bool | None, compared: int) -> str:
    what = f"each kind is a rate of {_OF[base]}"
    if paired is None:
        return what
    how = "on the items both sides share" if paired else "each side on its own items"
    together = (
        ""
        if compared == 1
        else f"; intervals of differences, and p, hold for all {compared} kinds together (Bonferroni)"
    )
    return f"{what}, compared {how}{together}"
