"""What stands behind ``-v`` of a comparison, as grids and sentences: for terminal, Markdown and page alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from aliquot.findings.comparison import Comparison
from aliquot.findings.majority import write_majority
from aliquot.findings.numbers import (
    difference_unit,
    write_difference,
    write_percent,
    write_value,
)
from aliquot.findings.scale import Scale
from aliquot.reports.cells import difference_cells, p_cell, value_cells
from aliquot.reports.sheet import Block, Grid
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

if TYPE_CHECKING:
    from aliquot.findings.composite import Composite
    from aliquot.findings.contrast import MethodContrast
    from aliquot.findings.item_tests import ItemTest, ItemTests
    from aliquot.findings.plan_check import PlanCheck
    from aliquot.findings.power_seen import PowerSeen, RepeatsWorth
    from aliquot.findings.scoring_rule import ScoringRules
    from aliquot.findings.segments import SegmentField, SegmentScan
    from aliquot.findings.sequence import SequenceSeen
    from aliquot.findings.shares import Reweighted
from aliquot.findings.side_metrics import SideMetric, SideMetrics

_CONTRAST = {
    "unpaired": "as if on different items",
    "clusters_ignored": "clusters ignored",
    "attempts_as_items": "attempts taken for items",
}

_TRADE = {
    "dominates": "better, and not dearer",
    "costs_more_for_more": "better, and dearer",
    "better_cost_undecided": "better; its cost is not settled",
    "costs_less_for_less": "worse, and cheaper",
    "dominated": "worse, and not cheaper",
    "worse_cost_undecided": "worse; its cost is not settled",
    "cheaper_quality_undecided": "cheaper; its quality is not settled",
    "dearer_quality_undecided": "dearer; its quality is not settled",
    "undecided": "neither quality nor cost is settled",
}


_PER_PASS = {
    "costs_more_for_more": "One more pass costs",
    "costs_less_for_less": "Each pass given up saves",
}
"""Where quality and cost move the same way; a ratio of a gain to a saving would read as its opposite."""


def comparison_blocks(comparison: Comparison) -> tuple[Block, ...]:
    """Return everything that was found beside the difference, in reading order."""
    scale = comparison.scale
    return (
        *_plan(comparison.plan),
        *_sequence(comparison.sequence, scale),
        *_items(comparison.item_tests),
        *_scoring(comparison.scoring, scale),
        *_segments(comparison.segments, scale),
        *_reweighted(comparison.reweighted, scale),
        *_side(comparison.side_metrics, comparison),
        *_composite(comparison.composite),
        *_contrast(comparison.contrast, comparison),
        *_power(comparison.power_seen, scale),
        *_repeats(comparison.repeats_worth, scale),
        *([write_majority(comparison.majority)] if comparison.majority else []),
        *([f"Assumed: {'; '.join(comparison.assumptions)}."] if comparison.assumptions else []),
    )


_STEPS = 10
"""Steps of a sequence that are shown; JSON holds more."""


def _sequence(seen: SequenceSeen | None, scale: Scale) -> Iterator[Block]:
    if seen is None:
        return
    stride = max(1, -(-len(seen.steps) // _STEPS))
    steps = seen.steps[::-1][::stride][::-1]  # the last one is always shown
    rows = tuple(
        (
            f"{step.units:,}",
            *(
                write_difference(value, scale, width=step.high - step.low)
                for value in (step.point, step.low, step.high)
            ),
        )
        for step in steps
    )
    yield Grid(
        f"As {seen.unit}s came in, the interval that held at every look ({100 * seen.level:g}%)",
        (f"{seen.unit}s", "diff.", "low", "high"),
        rows,
    )
    when = f"It left out 0 for the first time after {seen.settled:,} {seen.unit}s." if seen.settled else ""
    rule = f"The run was to stop when: {seen.rule}." if seen.rule else ""
    if rule or when:
        yield " ".join(filter(None, (rule, when)))


def _items(tests: ItemTests | None) -> Iterator[Block]:
    if tests is None:
        return
    named = [("broke", one) for one in tests.broke] + [("fixed", one) for one in tests.fixed]
    if named:
        rows = tuple(
            (one.item, word, _strip(one, "a"), _strip(one, "b"), p_cell(one.test)) for word, one in named[:30]
        )
        yield Grid("Items told apart one by one", ("item", "", "baseline", "candidate", "p"), rows, names=2)
    yield (
        f"Item by item ({tests.method}): {len(tests.broke)} broke for sure, {len(tests.fixed)} fixed for sure, "
        f"{len(tests.moved)} more moved; {tests.testable} of {tests.items} items could show it. Flaky: "
        f"{len(tests.flaky_a)} in the baseline, {len(tests.flaky_b)} in the candidate."
    )


def _strip(one: ItemTest, side: str) -> str:
    passed, attempts = (one.passed_a, one.attempts_a) if side == "a" else (one.passed_b, one.attempts_b)
    return f"{passed}/{attempts}"


def _scoring(scoring: ScoringRules | None, scale: Scale) -> Iterator[Block]:
    if scoring is None:
        return
    if scoring.others:
        rows = tuple(
            (
                one.metric,
                str(one.fixed),
                str(one.broke),
                *difference_cells(one.difference, scale),
                p_cell(one.test),
                _word(one.word),
            )
            for one in (scoring.chosen, *scoring.others)
        )
        head = ("scoring rule", "fixed", "broke", "diff.", "interval", "p", "")
        yield Grid("The same answers under other rules", head, rows)
    if scoring.split is not None:
        split = scoring.split
        form, content = (" ".join(_bracketed(part, scale)) for part in (split.format, split.content))
        yield (
            f"Of the difference, {form} is format (answers that became unreadable {split.lost}, readable {split.won}) "
            f"and {content} content."
        )


def _bracketed(estimate: Estimate | Undefined, scale: Scale) -> tuple[str, str]:
    point, interval = difference_cells(estimate, scale)
    return point, f"[{interval}]"


def _word(word: str) -> str:
    return word.replace("_", " ")


def _segments(scan: SegmentScan | None, scale: Scale) -> Iterator[Block]:
    if scan is None or not scan.fields:
        return
    for field in scan.fields:
        yield _segment_grid(field, scale)
    for one in scan.unscanned:
        yield f"Not taken apart: {one.field}, {one.reason}."
    yield (
        f"Exploratory: {scan.scanned} segments were looked at, and every interval and p above allows for that "
        f"(max-T, c* = {scan.critical:.2f}); what stands out is a question for new items."
    )


def _segment_grid(field: SegmentField, scale: Scale) -> Grid:
    rows = tuple(
        (
            part.level or "(none)",
            str(part.n),
            value_cells(part.baseline, scale)[0],
            value_cells(part.candidate, scale)[0],
            *difference_cells(part.difference, scale),
            p_cell(part.test),
            difference_cells(part.shrunken, scale)[0],
        )
        for part in field.levels
    )
    varies = (
        f", varies between levels: p {p_cell(field.interaction)}"
        if isinstance(field.interaction, HypothesisTest)
        else ""
    )
    head = (field.field, "items", "baseline", "candidate", "diff.", "interval", "p", "shrunken")
    return Grid(f"By {field.field}{varies}", head, rows)


def _reweighted(found: Reweighted | None, scale: Scale) -> Iterator[Block]:
    if found is None:
        return
    mixture = ", ".join(
        f"{level} {100 * share:.0f}% (here {100 * found.observed[level]:.0f}%)"
        for level, share in found.given.items()
    )
    point, interval = _bracketed(found.difference, scale)
    yield f"At other shares of {found.field} ({mixture}) the difference is {point} {interval}{difference_unit(scale)}."
    for one in found.break_even:
        if isinstance(one.share, Estimate):
            yield f"Its sign turns where {one.level} makes up {100 * one.share.point:.0f}%."


def _side(side: SideMetrics | None, comparison: Comparison) -> Iterator[Block]:
    if side is None:
        return
    found = [*side.metrics, *side.costs]
    if found:
        yield Grid(
            "Beside it",
            ("", "baseline", "candidate", "diff.", "interval", "p"),
            tuple(map(_side_row, found)),
        )
    if side.cost_source is not None:
        yield f"Cost in {side.currency} is what the systems' own answers cost: {side.cost_source}."
    if side.other_costs:
        yield f"Beside the systems: {', '.join(side.other_costs)}."
    if isinstance(side.per_pass, Estimate) and side.trade in _PER_PASS:
        low, point, high = (
            f"{value:.4g}" for value in (side.per_pass.low, side.per_pass.point, side.per_pass.high)
        )
        text = f"{_PER_PASS[side.trade]} {point} {side.currency or ''} ({low} to {high})."
        yield text.replace("  ", " ")
    elif side.per_pass is not None and not isinstance(side.per_pass, Estimate):
        yield f"What one more pass costs is unbounded: {side.per_pass.reason}."
    if side.trade is not None:
        yield f"Quality and cost of {comparison.candidate.system} together: {_TRADE[side.trade]}."
    for one in side.failures[:10]:
        cause = ": ".join(part for part in (one.stage, one.reason) if part)
        yield f"No answer, {one.system}: {one.rows} {one.status}{f' ({cause})' if cause else ''}."


def _side_row(one: SideMetric) -> tuple[str, ...]:
    plain = one.statistic in {"mean", "corpus"} and not one.label
    statistic = "" if plain else f" {one.label or one.statistic}"
    unit = f" ({one.unit})" if one.unit else ""
    width = _width(one)
    return (
        f"{one.name}{statistic}{unit}",
        *(_point(value, one.scale, width) for value in one.points),
        *difference_cells(one.difference, one.scale, width=width),
        p_cell(one.test),
    )


def _width(one: SideMetric) -> float | None:
    """Return the width that rounds the numbers: of the interval, and of a hundredth of them where it is narrower."""
    if isinstance(one.difference, Undefined):
        return None
    largest = max((abs(value) for value in one.points if value is not None), default=0.0)
    return max(one.difference.width, 0.01 * largest)


def _point(value: float | None, scale: Scale, width: float | None) -> str:
    if value is None:
        return "-"
    return (
        f"{value:.4g}"
        if width is None and not scale.in_points
        else write_value(value, scale, width=width or 0.1)
    )


def _plan(check: PlanCheck | None) -> Iterator[Block]:
    if check is None:
        return
    rows = tuple(
        (line.name, line.planned, line.done, "" if line.holds else "departs") for line in check.lines
    )
    yield Grid(f"Planned {check.written[:10]} ({check.path})", ("", "planned", "done", ""), rows, names=3)
    for one in check.criteria:
        hangs = ", which hangs on missing rows" if one.hangs_on_missing else ""
        yield f"Success criterion, {one.text}: {_word(one.word)}{hangs}."


def _composite(composite: Composite | None) -> Iterator[Block]:
    if composite is None:
        return
    names = ", ".join(composite.metrics)
    ahead, better, worse = (
        write_percent(share, decimals=0)
        for share in (composite.wins, composite.clearly_better, composite.clearly_worse)
    )
    text = (
        f"Weighing {names} in every way, the candidate is ahead under {ahead}% of the weightings, clearly under "
        f"{better}%, and clearly behind under {worse}%"
    )
    if isinstance(composite.break_even, Estimate):
        text += f"; the lead changes where {composite.metrics[0]} weighs {composite.break_even.point:.2f}"
    yield f"{text}."


def _contrast(contrast: MethodContrast | None, comparison: Comparison) -> Iterator[Block]:
    if contrast is None:
        return
    rows = (
        (
            "this finding",
            *difference_cells(comparison.difference, comparison.scale),
            _word(comparison.verdict.word),
        ),
        *(
            (_CONTRAST[one.name], *difference_cells(one.difference, comparison.scale), _word(one.word))
            for one in contrast.others
        ),
    )
    yield Grid("What other analyses would have said", ("analysis", "diff.", "interval", ""), rows)
    if isinstance(contrast.correlation, float) and isinstance(contrast.variance_ratio, float):
        why = "; that is why it is not used" if contrast.variance_ratio > 1 else ""
        link = ", so" if comparison.n_clusters is None else " over items; by whole clusters"
        yield (
            f"The two systems' scores correlate by {contrast.correlation:.2f}{link} an unpaired design would need "
            f"{contrast.variance_ratio:.2g} times the items{why}."
        )
    if contrast.own_intervals_overlap is not None:
        verb = "overlap" if contrast.own_intervals_overlap else "do not overlap"
        yield f"The systems' own intervals {verb}; overlap of intervals is not a test."


def _power(power: PowerSeen | None, scale: Scale) -> Iterator[Block]:
    if power is None:
        return
    shown = write_difference(power.difference, scale, width=abs(power.difference))
    share = write_percent(power.power, decimals=0)
    text = f"Were {shown}{difference_unit(scale)} the truth, this design would show it in {share}% of runs"
    if isinstance(power.type_m, float) and isinstance(power.type_s, float):
        text += (
            f"; what it then showed would be {power.type_m:.1f} times too large on average, and of the wrong sign in "
            f"{write_percent(power.type_s, decimals=2)}%"
        )
    yield f"{text} ({power.method})."


def _repeats(worth: RepeatsWorth | None, scale: Scale) -> Iterator[Block]:
    if worth is None:
        return
    factor = 100 if scale.in_points else 1
    errors = ", ".join(f"{row.attempts}: {factor * row.se:.2f}" for row in worth.precision)
    settle = (
        f"{worth.to_settle} attempts of each would settle it"
        if isinstance(worth.to_settle, int)
        else str(worth.to_settle.reason)
    )
    yield f"Standard error of the difference by attempts at these items ({errors}{difference_unit(scale)}); {settle}."
