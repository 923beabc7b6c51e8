"""``expect_rate`` and ``expect_not_worse``: claims about rates as assertions of a test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn, cast

from aliquot.errors import UsageError
from aliquot.evidence.tables import Evidence
from aliquot.findings.gate import Gate
from aliquot.verbs.attempting import Row, attempt_all, value_of
from aliquot.verbs.looks import CURRENT, Kept, Looks

CONCURRENCY: Final = 8
ATTEMPTS: Final = 36
"""Attempts when none are said: as many as let a floor of .9 be met when all pass."""

ERROR: Final = 0.05


class Expectation:
    """What an assertion comes to: true when it is shown, false when it is not.

    An undecided one is false, unless the test session was told otherwise (``--aliquot-undecided``).

    Attributes:
        finding: the decision with its interval, test and everything else.
    """

    def __init__(self, finding: Gate, looks: Looks | None) -> None:
        self.finding = finding
        self._looks = looks

    def __bool__(self) -> bool:
        if self._looks is not None:
            self._looks.say(self.finding.verdict.text)
            if self.finding.decision == "undecided":
                return self._looks.when_undecided(self.finding.verdict.text)
        return self.finding.decision == "pass"

    def __repr__(self) -> str:
        return self.finding.verdict.text


class ExpectedRate:
    """A rate of passes, to be held against a floor: ``assert expect_rate(check) >= 0.9``."""

    def __init__(self, kept: Kept, looks: Looks | None, name: str) -> None:
        self._kept, self._looks, self._name = kept, looks, name

    def __bool__(self) -> bool:
        """Refuse: a rate alone asserts nothing.

        Raises:
            UsageError: always.
        """
        raise UsageError(
            f"{self!r} claims nothing by itself: hold it against a floor, as in expect_rate(...) >= 0.9"
        )

    def __ge__(self, floor: object) -> Expectation:
        """Hold the rate against a floor: met when the lower Clopper-Pearson limit reaches it.

        Raises:
            UsageError: the floor is no share between 0 and 1.
        """
        if isinstance(floor, bool) or not isinstance(floor, int | float) or not 0 < floor < 1:
            raise UsageError(f"a floor lies between 0 and 1, such as 0.9; got {floor!r}")
        found = self._kept.findings.get(float(floor))
        if found is None:
            planned = 1 if self._looks is None else self._looks.planned
            found = _decide(self._kept, floor=float(floor), planned=planned, name=self._name)
            self._kept.findings[float(floor)] = found
        return Expectation(found, self._looks)

    def __gt__(self, floor: object) -> NoReturn:
        """Refuse: what an interval shows of a rate is that it reaches a floor.

        Raises:
            UsageError: always.
        """
        raise UsageError(f"{self!r} is held against a floor by >=, as in expect_rate(...) >= {floor!r}")

    __lt__ = __le__ = __gt__

    def decided(self, floor: object) -> Gate | None:
        """Return what a floor came to; None before it was asked for."""
        return self._kept.findings.get(floor) if isinstance(floor, float) else None

    def __repr__(self) -> str:
        passed = sum(value == 1 for _, value, _ in self._kept.rows)
        return f"<rate of {self._name}: {passed} of {len(self._kept.rows)} passed>"


def expect_rate(
    check: Callable[..., Any] | Iterable[object] | Mapping[str, object],
    *,
    attempts: int | None = None,
    items: Iterable[object] | None = None,
    concurrency: int = CONCURRENCY,
    name: str | None = None,
) -> ExpectedRate:
    """Return the rate at which something passes, to be compared with a floor by ``>=``.

    In a test session a rerun of the test adds attempts to those that are there, and all runs that there may be share
    the error; a floor that was missed stays missed.

    Args:
        check: a function, sync or async, that returns True or False; an assertion that fails in it is a failure; or
            outcomes that are there already:
            true and false ones (None is lost), or item → outcome, or item → outcomes of several attempts.
        attempts: calls for each item, or in all without items; by default 36, and 1 for each item.
        items: called with each of these; attempts at one item belong together.
        concurrency: calls at once.
        name: what the rate is of; by default the function's name.

    Raises:
        UsageError: neither a function nor outcomes, none of them, or numbers that are no counts.

    Examples:
        >>> bool(expect_rate([True] * 36) >= 0.9), bool(expect_rate([True] * 4 + [False]) >= 0.9)
        (True, False)
    """
    for what, count in (("attempts", attempts), ("concurrency", concurrency)):
        if count is not None and count < 1:
            raise UsageError(f"{what} must be 1 or more; got {count}")
    looks = CURRENT.get()
    kept = Kept() if looks is None else looks.next_kept()
    planned = 1 if looks is None else looks.planned
    label = name or getattr(check, "__name__", "") or "the check"
    label = "the check" if label == "<lambda>" else label
    if not kept.settled(planned):
        rows = _rows(check, attempts, items, concurrency=concurrency, after=len(kept.rows))
        if not rows:
            raise UsageError(
                "there is no outcome to hold against a floor: neither an attempt nor an item was given"
            )
        kept.add(rows)
    return ExpectedRate(kept, looks, label)


def expect_not_worse(
    baseline: str | Path | Evidence | Mapping[str, object],
    candidate: str | Path | Evidence | Mapping[str, object],
    *,
    margin: float | str,
    **choices: Any,
) -> Expectation:
    """Return whether a candidate is shown to lose less than a margin, as ``gate`` decides it.

    Args:
        baseline: a path, evidence, the name of a blessed baseline, or item → outcome (or outcomes of its attempts).
        candidate: the same, but no name.
        margin: largest loss that passes: ``2pt``, or 0.02.
        **choices: as in ``gate``.

    Raises:
        UsageError: as in ``gate``.
        InputError: as in ``gate``.

    Examples:
        >>> answers = {f"q{i}": i % 5 > 0 for i in range(200)}
        >>> bool(expect_not_worse(answers, answers, margin="5pt"))
        True
    """
    from aliquot.verbs.gate import gate

    sides = [
        _evidence(_of_mapping(side), name) if isinstance(side, Mapping) else side
        for side, name in ((baseline, "baseline"), (candidate, "candidate"))
        if _is_side(side)
    ]
    return Expectation(gate(*sides, no_worse_than=margin, **choices), CURRENT.get())


def _is_side(side: object) -> bool:
    """Check what a caller passes.

    Raises:
        UsageError: it is nothing that names its items.
    """
    if isinstance(side, Mapping) and side:
        return True
    if isinstance(side, str | Path | Evidence):
        return True
    what = "an empty mapping" if isinstance(side, Mapping) else type(side).__name__
    raise UsageError(f"items are matched by name: give a path, evidence, or item -> outcome; got {what}")


def rate_of_cases(cases: Mapping[str, object], *, floor: float, name: str) -> Gate:
    """Return what the outcomes of a test's cases come to: case → outcome, or outcomes of several runs.

    Args:
        cases: the outcomes.
        floor: the rate they have to reach.
        name: of the test.
    """
    return _decide(Kept(rows=_of_mapping(cases)), floor=floor, planned=1, name=name)


def _rows(
    check: Callable[..., Any] | Iterable[object] | Mapping[str, object],
    attempts: int | None,
    items: Iterable[object] | None,
    *,
    concurrency: int,
    after: int,
) -> list[Row]:
    """Return the outcomes of one run; without items each attempt is one, counted on from earlier runs."""
    if callable(check):
        if items is None:
            calls: list[tuple[str, tuple[object, ...]]]
            calls = [(f"attempt {after + k}", ()) for k in range(1, 1 + (attempts or ATTEMPTS))]
        else:
            calls = [(str(item), (item,)) for item in items for _ in range(attempts or 1)]
        return attempt_all(check, calls, concurrency=concurrency)
    if attempts is not None or items is not None:
        raise UsageError("attempts and items go with a function; outcomes that are there already have both")
    if isinstance(check, Mapping):
        return _of_mapping(cast("Mapping[str, object]", check))
    if isinstance(check, str) or not isinstance(check, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] - what a caller passes is not checked
        raise UsageError(f"expect_rate takes a function or outcomes, not {type(check).__name__}")
    return [_outcome(f"attempt {place}", one) for place, one in enumerate(check, start=after + 1)]


def _outcome(item: str, said: object) -> Row:
    return item, value_of(said), "missing" if said is None else ""


def _of_mapping(outcomes: Mapping[str, object]) -> list[Row]:
    rows: list[Row] = []
    for item, said in outcomes.items():
        several = said if isinstance(said, list | tuple) else [said]
        rows += [_outcome(str(item), one) for one in several]
    return rows


def _evidence(rows: list[Row], system: str) -> Evidence:
    """Return outcomes as evidence; a repeated item is another attempt at it."""
    import polars as pl

    from aliquot.evidence.assembly import assemble

    counts: dict[str, int] = {}
    told: list[dict[str, object]] = []
    for item, value, reason in rows:
        counts[item] = counts.get(item, 0) + 1
        told.append(
            {"system": system, "item": item, "attempt": counts[item], "metric": "passed", "value": value,
             "status": "ok" if value is not None else "missing" if reason == "missing" else "error"}
        )  # fmt: skip
    metrics = pl.DataFrame(
        {"metric": ["passed"], "kind": ["binary"], "low": [0.0], "high": [1.0], "better": ["higher"]}
    )
    return assemble(pl.DataFrame(told, schema_overrides={"value": pl.Float64}), metrics=metrics)


def _decide(kept: Kept, *, floor: float, planned: int, name: str) -> Gate:
    from aliquot.gates.policy import MetricRule, Policy
    from aliquot.verbs.gate import gate

    policy = Policy(metrics=(MetricRule("", None, floor),), level=1 - ERROR / planned)
    return gate(_evidence(kept.rows, name), policy=policy)
