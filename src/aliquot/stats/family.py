"""A family call: every method for one question side by side, the one that decides marked."""

from __future__ import annotations

import html
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aliquot.stats.printing import as_html
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

if TYPE_CHECKING:
    import polars as pl

DIFFERENCE = "B - A"
_COLUMNS = 80


@dataclass(frozen=True, slots=True)
class Family:
    """All intervals and tests for one set of counts.

    Attributes:
        title: what was compared, on how many items.
        point: the estimate that the intervals are about.
        estimates: intervals by the name of their method; a method without a value on these data is Undefined.
        tests: tests by name.
        interval: name of the deciding interval.
        test: name of the deciding test; None when the interval decides alone.
        decided: the interval the verdict reads: the deciding one, held at 0 where the deciding test does not
            reject.
        notes: what a reader should know, one sentence each.
        quantity: what ``point`` is.
    """

    title: str
    point: float
    estimates: dict[str, Estimate | Undefined]
    tests: dict[str, HypothesisTest | Undefined]
    interval: str
    test: str | None
    decided: Estimate | Undefined
    notes: tuple[str, ...] = ()
    quantity: str = DIFFERENCE

    def __str__(self) -> str:
        width = max(len(name) for name in (*self.estimates, *self.tests, "interval"))
        lines = [f"{self.title}    {self._headline}"]
        lines += [f"  {'interval':<{width}}      low     high"]
        lines += [
            f"  {name:<{width}}  {low:>7}  {high:>7}{mark}" for name, low, high, mark in self._interval_rows()
        ]
        lines += [f"  {'test':<{width}}        p"] if self.tests else []
        lines += [f"  {name:<{width}}  {p:>7}{mark}" for name, p, mark in self._test_rows()]
        for note in self.notes:
            lines += textwrap.wrap(f"! {note}", width=_COLUMNS, subsequent_indent="  ")
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        intervals = [("interval", "low", "high", ""), *self._interval_rows()]
        tests = [("test", "p", "", ""), *((name, p, "", mark) for name, p, mark in self._test_rows())]
        tests = tests if self.tests else []
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        caption = f"{self.title}, {self._headline.replace(DIFFERENCE, 'B − A')}"
        return as_html(caption, (), [*intervals, *tests]) + notes

    def to_frame(self) -> pl.DataFrame:
        """Return one row a method: kind, name, point, low, high, p, decides, undefined (the reason)."""
        import polars as pl  # noqa: PLC0415 - an output format; importing stats loads numpy and scipy.special only

        rows: list[
            tuple[str, str, float | None, float | None, float | None, float | None, bool, str | None]
        ] = []
        for name, estimate in self.estimates.items():
            decides = name == self.interval
            if isinstance(estimate, Undefined):
                rows.append(("interval", name, None, None, None, None, decides, estimate.reason))
            else:
                limits = (estimate.point, estimate.low, estimate.high)
                rows.append(("interval", name, *limits, None, decides, None))
        for name, test in self.tests.items():
            decides = name == self.test
            if isinstance(test, Undefined):
                rows.append(("test", name, None, None, None, None, decides, test.reason))
            else:
                rows.append(("test", name, None, None, None, test.p, decides, None))
        columns = ("kind", "name", "point", "low", "high", "p", "decides", "undefined")
        types = (pl.String, pl.String, pl.Float64, pl.Float64, pl.Float64, pl.Float64, pl.Boolean, pl.String)
        return pl.DataFrame(rows, schema=dict(zip(columns, types, strict=True)), orient="row")

    @property
    def _headline(self) -> str:
        sign = "+" if self.quantity == DIFFERENCE else ""
        return f"{self.quantity} = {self.point:{sign}.4f}"

    def _interval_rows(self) -> list[tuple[str, str, str, str]]:
        rows: list[tuple[str, str, str, str]] = []
        for name, estimate in self.estimates.items():
            mark = "   decides the verdict" if name == self.interval else ""
            if isinstance(estimate, Undefined):
                rows.append((name, "-", "-", f"   {estimate}"))
            else:
                rows.append((name, f"{estimate.low:.4f}", f"{estimate.high:.4f}", mark))
        return rows

    def _test_rows(self) -> list[tuple[str, str, str]]:
        rows: list[tuple[str, str, str]] = []
        for name, test in self.tests.items():
            mark = "   decides the verdict" if name == self.test else ""
            if isinstance(test, Undefined):
                rows.append((name, "-", f"   {test}"))
            else:
                rows.append((name, f"{test.p:.4f}" if test.p >= 0.0001 else f"{test.p:.1e}", mark))
        return rows


def disagreement(
    estimates: dict[str, Estimate | Undefined], tests: dict[str, HypothesisTest | Undefined], *, level: float
) -> str | None:
    """Return the sentence that says the methods disagree on whether there is a difference, or None.

    Args:
        estimates: intervals for a difference.
        tests: tests of no difference.
        level: level of the intervals; a test rejects at 1 − level.

    Returns:
        The names on the smaller side of the disagreement, in a sentence, or None when all agree.
    """
    alpha = round(1 - level, 12)
    says = {name: e.low > 0 or e.high < 0 for name, e in estimates.items() if not isinstance(e, Undefined)}
    says |= {name: t.p <= alpha for name, t in tests.items() if not isinstance(t, Undefined)}
    found, none = _names(says, claimed=True), _names(says, claimed=False)
    if not found or not none:
        return None
    return (
        f"At level {level:g} the methods disagree. A difference: {', '.join(found)}; none: {', '.join(none)}."
    )


def _names(says: dict[str, bool], *, claimed: bool) -> list[str]:
    return [name for name, value in says.items() if value is claimed]
