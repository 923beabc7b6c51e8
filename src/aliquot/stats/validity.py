"""How often an interval holds the truth and a test rejects, on the caller's own design, by seeded simulation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal, TypeAlias

from aliquot.stats.designs import Design
from aliquot.stats.inputs import RandomSource, as_choice, as_count, as_generator, as_level
from aliquot.stats.printing import as_html, as_text
from aliquot.stats.procedures import Procedures, procedures_for
from aliquot.stats.proportions import wilson
from aliquot.stats.results import Estimate, Undefined

if TYPE_CHECKING:
    import polars as pl

    from aliquot.stats.designs import Sample

Role: TypeAlias = Literal["asked", "default", "decides", "naive"]
_TRUE_NULL = 1e-12
_COLUMNS = ("method", "role", "what", "share", "low", "high", "mean width", "undefined")


@dataclass(frozen=True, slots=True)
class Operation:
    """What one method did over the data sets of a simulation.

    Attributes:
        name: the method.
        role: ``asked``, the ``default`` interval, the test that ``decides``, or the ``naive`` one that does
            not look at the design.
        kind: ``interval`` or ``test``.
        share: share of data sets whose interval holds the truth, or that the test rejects, with the
            Monte-Carlo error of that share; Undefined when no data set had a result.
        width: mean width of the intervals; None for a test.
        undefined: data sets without a result; they are not in ``share``.
    """

    name: str
    role: Role
    kind: Literal["interval", "test"]
    share: Estimate | Undefined
    width: float | None
    undefined: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """A simulation of one design: the method asked for, the default, the deciding test, the naive ones.

    Attributes:
        design: what was drawn.
        reps: data sets drawn.
        level: level of the intervals; tests reject at 1 − level.
        rows: one for each method.
    """

    design: Design
    reps: int
    level: float
    rows: tuple[Operation, ...]

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.rows)

    def __getitem__(self, name: str) -> Operation:
        known = {row.name: row for row in self.rows}
        return known[as_choice(name, list(known), name="method")]

    def __str__(self) -> str:
        return as_text(self._title, _COLUMNS, self._cells())

    def _repr_html_(self) -> str:
        return as_html(self._title, _COLUMNS, self._cells())

    def to_frame(self) -> pl.DataFrame:
        """Return one row a method: name, role, kind, share with its limits, width, undefined."""
        import polars as pl  # noqa: PLC0415 - an output format; importing stats loads numpy and scipy.special only

        rows = [
            (row.name, row.role, row.kind, *_limits(row.share), row.width, row.undefined, self.reps)
            for row in self.rows
        ]
        text, number = pl.String, pl.Float64
        schema = {"name": text, "role": text, "kind": text, "share": number, "low": number, "high": number}
        schema |= {"width": number, "undefined": pl.Int64, "reps": pl.Int64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    @property
    def _title(self) -> str:
        settings = ", ".join(
            f"{field.name}={_short(getattr(self.design, field.name))}" for field in fields(self.design)
        )
        return f"{type(self.design).__name__}({settings}), truth {self.design.truth:g}, {self.reps} data sets"

    def _cells(self) -> list[tuple[str, ...]]:
        null = abs(self.design.truth) < _TRUE_NULL
        words = {"interval": "coverage", "test": "size" if null else "power"}
        return [
            (
                row.name,
                row.role,
                words[row.kind],
                *(f"{x:.3f}" if x is not None else "-" for x in (*_limits(row.share), row.width)),
                str(row.undefined),
            )
            for row in self.rows
        ]


def coverage(
    method: str, design: Design, reps: int = 1000, *, level: float = 0.95, rng: RandomSource = None
) -> Coverage:
    """Simulate a design: does the interval hold the truth as often as it says, does the test reject too often?

    The default interval and the deciding test of the design, and the naive ones that ignore clusters,
    attempts and limits, are run on the same data sets beside the method asked for.

    Args:
        method: an interval or test by name, as :func:`methods` lists them, or ``default``.
        design: what to draw: ``RateDesign``, ``PairedDesign``, ``AttemptsDesign``, ``UnpairedDesign`` or
            ``ScoresDesign``.
        reps: data sets; the Monte-Carlo error of a coverage near .95 is √(.0475/reps).
        level: confidence level; tests reject at 1 − level.
        rng: seed or generator; None for the fixed default seed.

    Returns:
        One row a method: coverage or rejection rate with its Monte-Carlo interval, mean width. A test's rate is
        its size when the design's difference is 0, else its power.

    Raises:
        UsageError: a method that does not fit the design (the error lists those that do), reps below 1.

    Examples:
        >>> from aliquot.stats.designs import RateDesign
        >>> found = coverage("default", RateDesign(n=100, p=0.8, clusters=20, icc=0.5), reps=200)
        >>> found["rate"].share.point > 0.9 > found["wilson"].share.point
        True
    """
    known = procedures_for(design)
    level = as_level(level)
    draws = int(as_count(reps, name="reps", at_least=1))
    chosen = _chosen(method, known)
    counts = {name: _Count() for name in chosen}
    generator, truth = as_generator(rng), design.truth
    for _ in range(draws):
        sample = design.draw(generator)
        for name, count in counts.items():
            _tally(name, known, sample, count, truth=truth, level=level)
    rows = tuple(
        Operation(
            name=name,
            role=role,
            kind="test" if name in known.tests else "interval",
            share=wilson(counts[name].hits, counts[name].made, level=0.95)
            if counts[name].made
            else Undefined("no data set had a result"),
            width=counts[name].width / counts[name].made
            if name in known.intervals and counts[name].made
            else None,
            undefined=draws - counts[name].made,
        )
        for name, role in chosen.items()
    )
    return Coverage(design, draws, level, rows)


@dataclass(slots=True)
class _Count:
    hits: int = 0
    made: int = 0
    width: float = 0.0


def _chosen(method: str, known: Procedures) -> dict[str, Role]:
    """Methods to run with their roles, the one asked for first."""
    names = ["default", *known.intervals, *known.tests]
    chosen: dict[str, Role] = {}
    if as_choice(method, names, name="method") not in {"default", known.interval, known.test}:
        chosen[method] = "asked"
    chosen[known.interval] = "default"
    if known.test is not None:
        chosen[known.test] = "decides"
    for naive in (known.naive_interval, known.naive_test):
        if naive is not None:
            chosen.setdefault(naive, "naive")
    return chosen


def _tally(
    name: str, known: Procedures, sample: Sample, count: _Count, *, truth: float, level: float
) -> None:
    if name in known.tests:
        test = known.tests[name](sample)
        if not isinstance(test, Undefined):
            count.made += 1
            count.hits += test.p <= round(1 - level, 12)
        return
    found = known.intervals[name](sample, level)
    if not isinstance(found, Undefined):
        count.made += 1
        count.hits += found.low - _TRUE_NULL <= truth <= found.high + _TRUE_NULL
        count.width += found.width


def _limits(share: Estimate | Undefined) -> tuple[float | None, float | None, float | None]:
    return (None, None, None) if isinstance(share, Undefined) else (share.point, share.low, share.high)


def _short(value: object) -> str:
    if isinstance(value, tuple) and len(value) > 6:
        return f"({len(value)} values)"
    return f"{value:g}" if isinstance(value, float) else str(value)
