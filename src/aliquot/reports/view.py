"""What every rendering of a comparison shows, as text: the digits are written here once, so they agree everywhere."""

from __future__ import annotations

import re
from dataclasses import dataclass

from aliquot.findings.comparison import NOT_RECORDED, Comparison, NamedTest, Quantiles, Reading, SystemSummary
from aliquot.findings.corrected import Corrected
from aliquot.findings.numbers import (
    decimals_for,
    difference_unit,
    write_count,
    write_difference,
    write_p,
    write_percent,
    write_value,
)
from aliquot.reports.beside_lines import write_also, write_remembered, write_reweighted
from aliquot.stats.results import Estimate, Undefined

_FLOOR_SHOWN = 1e-4
"""Below this the smallest possible p-value limits nothing and is not shown."""


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system's line in the table."""

    system: str
    count: str
    rate: str
    interval: str
    answered: str


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """The line of the difference."""

    moved: str
    point: str
    interval: str
    p: str


@dataclass(frozen=True, slots=True)
class View:
    """A comparison as text, part by part; nothing is neutralised yet, each renderer escapes for its own medium."""

    verdict: str
    missing: str
    count_title: str
    interval_title: str
    systems: tuple[SystemRow, SystemRow]
    difference: DifferenceRow
    moved: tuple[tuple[str, tuple[str, ...]], ...]
    recorded: bool
    same: str
    differs: str
    also: str
    noise: str
    reweighted: str
    settles: str
    methods: str
    matching: str
    statuses: tuple[tuple[str, str], ...]
    checklist: tuple[tuple[str, str], ...]
    tests: tuple[tuple[str, str, str, bool], ...]
    rows_command: str
    footer: str


def view_of(comparison: Comparison) -> View:
    """Return the text of a comparison."""
    return View(
        verdict=comparison.verdict.text,
        missing=_missing(comparison),
        count_title=_count_title(comparison),
        interval_title=f"{100 * comparison.level:g}% interval",
        systems=(_system(comparison.baseline, comparison), _system(comparison.candidate, comparison)),
        difference=_difference(comparison),
        moved=_moved(comparison),
        recorded=bool(comparison.same or comparison.differs),
        same=", ".join(comparison.same) or ("nothing" if comparison.differs else "settings not recorded"),
        differs=", ".join(comparison.differs) or ("nothing recorded" if comparison.same else "not recorded"),
        also=write_also(comparison) or _latency(comparison.baseline.latency, comparison.candidate.latency),
        noise=write_remembered(comparison.noise, comparison.scale),
        reweighted=write_reweighted(comparison.reweighted, comparison.scale),
        settles=_settles(comparison)
        if comparison.corrected is None
        else _corrected(comparison, comparison.corrected),
        methods=_methods(comparison),
        matching=_matching(comparison),
        statuses=tuple(
            (side.system, _statuses(side)) for side in (comparison.baseline, comparison.candidate)
        ),
        checklist=_checklist(comparison),
        tests=tuple(_test(named) for named in comparison.tests),
        rows_command=_rows_command(comparison.command),
        footer=_footer(comparison),
    )


def _count_title(comparison: Comparison) -> str:
    if comparison.scale.kind != "binary":
        return "mean"
    return "count" if comparison.scale.better == "lower" else "passed"


def _missing(comparison: Comparison) -> str:
    missing = comparison.if_missing
    if missing is None:
        return ""
    readings = (
        f"if all failed {_word(missing.all_failed)}, if all passed {_word(missing.all_passed)}, "
        f"at worst {_word(missing.least)}, at best {_word(missing.most)}"
    )
    items = write_count(missing.rows, "item has", plural="items have")
    return f"{items} no value on a side: {readings}."


def _word(reading: Reading) -> str:
    return reading.word.replace("_", " ")


def _system(side: SystemSummary, comparison: Comparison) -> SystemRow:
    estimate, scale = side.estimate, comparison.scale
    answered = write_percent(side.answered, decimals=0) + "%"
    if isinstance(estimate, Undefined):
        return SystemRow(side.system, "-", "", "not available", answered)
    low, point, high = (
        write_value(value, scale, width=estimate.width)
        for value in (estimate.low, estimate.point, estimate.high)
    )
    shown = point + ("%" if scale.in_points else "")
    if scale.kind != "binary":
        return SystemRow(side.system, shown, "", f"{low} to {high}", answered)
    even = side.total is not None and abs(side.total - estimate.point * estimate.n) < 1e-6 * estimate.n
    count = f"{side.total:.10g} of {estimate.n:g}" if even else f"{comparison.n_items} items"
    return SystemRow(side.system, count, shown, f"{low} to {high}", answered)


def _difference(comparison: Comparison) -> DifferenceRow:
    difference, table = comparison.difference, comparison.table
    if isinstance(difference, Undefined):
        return DifferenceRow("", "-", f"not available: {difference.reason}", "")
    point, low, high = (
        write_difference(value, comparison.scale, width=difference.width)
        for value in (difference.point, difference.low, difference.high)
    )
    deciding = comparison.deciding
    changed = f"{len(comparison.fixed)} better, {len(comparison.broke)} worse" if comparison.paired else ""
    return DifferenceRow(
        moved=changed if table is None else f"{table.fixed} fixed, {table.broke} broke",
        point=point,
        interval=f"{low} to {high}",
        p="" if deciding is None else write_p(deciding),
    )


def _moved(comparison: Comparison) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Name the items by what became of them: broke and fixed are words for right and wrong alone."""
    if not comparison.paired:
        return ()
    words = ("Broke", "Fixed") if comparison.table is not None else ("Worse on", "Better on")
    return tuple(zip(words, (comparison.broke, comparison.fixed), strict=True))


def _latency(a: Quantiles | None, b: Quantiles | None) -> str:
    if a is None or b is None:
        return ""
    places = decimals_for(min(a.median, b.median))
    median, p95 = (
        f"{x:.{places}f} -> {y:.{places}f} {a.unit}" for x, y in ((a.median, b.median), (a.p95, b.p95))
    )
    return f"latency median {median}, p95 {p95}."


def _settles(comparison: Comparison) -> str:
    return " ".join(part for part in (_detectable(comparison), _settlement(comparison)) if part)


def _corrected(comparison: Comparison, found: Corrected) -> str:
    """Say what the judge's own difference is, and what people's labels say alone."""

    def write(estimate: Estimate | Undefined) -> str:
        if isinstance(estimate, Undefined):
            return f"not available ({estimate.reason})"
        point, low, high = (
            write_difference(x, comparison.scale, width=estimate.width)
            for x in (estimate.point, estimate.low, estimate.high)
        )
        return f"{point} ({low} to {high})"

    return (
        f"Corrected by {found.labelled} labelled of {found.judged} judged items. The judge alone {write(found.raw)}, "
        f"people alone {write(found.people)}."
    )


def _detectable(comparison: Comparison) -> str:
    detectable, scale = comparison.detectable, comparison.scale
    if isinstance(detectable, Undefined):
        return f"What this set can show: {detectable.reason}."
    low, high = (
        write_difference(value, scale, width=detectable.high).lstrip("+")
        for value in (detectable.low, detectable.high)
    )
    size = low if low == high else f"{low} to {high}"
    return f"This set can show {size}{difference_unit(scale)} ({100 * detectable.power:g}% power)."


def _settlement(comparison: Comparison) -> str:
    settle, difference = comparison.to_settle, comparison.difference
    if isinstance(settle, Undefined) or isinstance(difference, Undefined):
        return ""
    shown = write_difference(difference.point, comparison.scale, width=difference.width)
    price = [] if settle.seconds is None else [write_duration(settle.seconds)]
    price += [] if settle.cost is None else [f"{settle.cost:.2f} {settle.currency or ''}".strip()]
    more = f", {' and '.join(price)} more" if price else ""
    each = "" if comparison.paired else " a system"
    return f"To settle {shown}: about {settle.items:,} items{each}{more}."


def write_duration(seconds: float) -> str:
    """Write a duration in the unit a person would use.

    Examples:
        >>> write_duration(42), write_duration(400), write_duration(9000)
        ('42 s', '7 minutes', '2.5 hours')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def _methods(comparison: Comparison) -> str:
    clusters = "" if comparison.n_clusters is None else f" in {write_count(comparison.n_clusters, 'cluster')}"
    attempts = max(comparison.attempts)
    repeats = "" if attempts <= 1 else f", up to {attempts} attempts each"
    paired = "Paired" if comparison.paired else "Not paired"
    deciding = comparison.deciding
    test = deciding.name if deciding is not None else "the interval" if comparison.corrected else "no test"
    method = comparison.difference.method if isinstance(comparison.difference, Estimate) else "none"
    return f"{paired}, {comparison.n_items} items{clusters}{repeats}; {method}; {test} decides."


def _matching(comparison: Comparison) -> str:
    matching = comparison.matching
    return (
        f"{matching.shared} shared, {matching.only_a} only in the baseline, {matching.only_b} only in the candidate, "
        f"{matching.duplicates} duplicated, {matching.content_differs} with other content, "
        f"{matching.missing_a} and {matching.missing_b} without a value."
    )


def _statuses(side: SystemSummary) -> str:
    return (
        ", ".join(f"{count} {status}" for status, count in sorted(side.statuses.items()) if count)
        or "not recorded"
    )


def _rows_command(command: str) -> str:
    """Return the command that shows the rows behind a comparison: the same sources, without how they were analysed."""
    sources = re.split(
        r" --(?:cluster|margin|level|match-on|seed|unpaired|allow|against|counts|plan|shares|labels|drawn) ",
        command,
    )[0]
    return sources.replace("aliquot compare", "aliquot show", 1)


def _checklist(comparison: Comparison) -> tuple[tuple[str, str], ...]:
    """Return the points that are filled, and one line that names those that are not."""
    filled = [(point.name, point.value) for point in comparison.checklist if point.value != NOT_RECORDED]
    open_points = [point.name for point in comparison.checklist if point.value == NOT_RECORDED]
    return (*filled, *([("Not recorded", ", ".join(open_points))] if open_points else []))


def _test(named: NamedTest) -> tuple[str, str, str, bool]:
    smallest = named.test.floor or 0.0
    floor = f"smallest possible p {smallest:.2g}" if smallest >= _FLOOR_SHOWN else ""
    return named.test.name, write_p(named.test), floor, named.decides


def _footer(comparison: Comparison) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in comparison.versions.items())
    made = comparison.comparisons
    return f"{made} comparison{'' if made == 1 else 's'} made. Seed {comparison.seed}. {versions}."
