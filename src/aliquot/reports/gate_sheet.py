"""A gate as a sheet: the decision, what it was held to, what broke, what would settle it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from aliquot.findings.gate import Condition, Flip, Gate
from aliquot.findings.gate_words import write_margin
from aliquot.findings.item_tests import Strip
from aliquot.findings.numbers import write_count, write_difference, write_percent, write_value
from aliquot.findings.scale import Scale
from aliquot.findings.words import read_against
from aliquot.reports.beside_lines import write_remembered
from aliquot.reports.plain import name_some
from aliquot.reports.sheet import Block, Grid, Sheet, lay_out
from aliquot.stats.results import Estimate, Undefined

SHARE: Final = Scale(kind="bounded", low=0.0, high=1.0, better="lower")
"""A share of the baseline's own number, written in percent."""

_CAME: Final = {
    "stable": "",
    "flaky": "are flaky",
    "gone": "did not break again",
    "unanswered": "gave no answer",
}
_MARKS: Final = {1.0: "+", 0.0: "-"}
_SHORT: Final = {"pass": "pass", "fail": "fail", "undecided": "undecided", "nothing_to_judge": "nothing"}
_SHORT_STRIP: Final = 10


def sheet_of(gate: Gate) -> Sheet:
    """Return the text of a gate."""
    return lay_out(gate, _blocks(gate), _details(gate))


def _blocks(gate: Gate) -> Iterator[Block]:
    if gate.acted:
        yield f"{gate.acted[0].upper()}{gate.acted[1:]}."
    if len(gate.conditions) > 1:
        yield conditions_grid(gate)
        if not all(one.blocks for one in gate.conditions):
            yield "In brackets: shown for whoever investigates; it does not block."
    moved = flips_sentence(gate)
    if moved:
        yield moved
    if gate.broke:
        yield f"Broke: {name_some([flip.item for flip in gate.broke], limit=68)}"
    if gate.fixed:
        yield f"Fixed: {name_some([flip.item for flip in gate.fixed], limit=68)}"
    if gate.same or gate.differs:
        yield f"Same: {', '.join(gate.same) or 'nothing'}.  Differs: {', '.join(gate.differs) or 'nothing recorded'}."
    yield from _what_it_does(gate)


def _what_it_does(gate: Gate) -> Iterator[Block]:
    """Yield how often the gate stops what did not change, and what the suite moves by itself."""
    critical = gate.critical
    if critical is not None and not critical.failed and not isinstance(critical.false_block, Undefined):
        point, most = (write_percent(share) for share in critical.false_block)
        yield f"The critical items would block {point}% of merges that change nothing, {most}% at most."
    if gate.year is not None:
        yield year_sentence(gate)
    if gate.noise is not None and gate.conditions:
        yield write_remembered(gate.noise, gate.conditions[0].scale)


def _details(gate: Gate) -> Iterator[Block]:
    yield f"Rule: {gate.why}."
    if len(gate.conditions) == 1:
        yield conditions_grid(gate)
    if gate.flips:
        yield flips_grid(gate.flips, f"Items that moved: {gate.baseline}, then {gate.candidate}")
    if gate.against is not None:
        yield baseline_sentence(gate)
    if gate.policy:
        yield f"Policy: {gate.policy}."
    if gate.place is not None:
        yield f"Merge {gate.place} of its history: its tests have {gate.alpha:.2g} together, and its p is {gate.p:.2g}."


def conditions_grid(gate: Gate) -> Grid:
    """Return the conditions with both sides' numbers, the difference, its limits and what they come to."""
    head = (
        "condition",
        gate.baseline or "baseline",
        gate.candidate or "candidate",
        "estimate",
        "limit",
        "decision",
    )
    return Grid("", head, tuple(_condition(one) for one in gate.conditions))


def _condition(one: Condition) -> tuple[str, ...]:
    name = one.name if one.of != "floor" else f"{one.name} floor"
    sides = (_side(one, one.baseline), _side(one, one.candidate))
    decision = "pass, worse" if one.within_margin else _SHORT[one.decision]
    decision = decision if one.blocks else f"({decision})"
    return (name, *sides, estimate_text(one), limit_text(one), decision)


def _side(one: Condition, found: Estimate | Undefined | None) -> str:
    if not isinstance(found, Estimate):
        return "-"
    unit = "%" if one.scale.in_points else ""
    return write_value(found.point, one.scale, width=found.width) + unit


def estimate_text(one: Condition) -> str:
    """Return the interval that is read, with its point."""
    found = one.estimate
    if isinstance(found, Undefined):
        return "-"
    if one.asked is not None:
        low, high = (write_percent(limit, apart_from=one.asked) for limit in (found.low, found.high))
        return f"{low} to {high}%"
    scale = SHARE if one.unit == "%" else one.scale
    point, low, high = (
        write_difference(value, scale, width=found.width, apart_from=read_against(one.margin))
        for value in (found.point, found.low, found.high)
    )
    return f"{point} [{low}, {high}]{'%' if one.unit == '%' else ''}"


def limit_text(one: Condition) -> str:
    """Return the margin or the floor."""
    if one.of == "items":
        return "all pass"
    return f">= {100 * one.asked:g}%" if one.asked is not None else write_margin(one)


def flips_sentence(gate: Gate) -> str:
    """Return how many items moved, and what asking again said; empty when none did."""
    if not gate.flips:
        return ""
    said = f"{len(gate.broke)} broke, {len(gate.fixed)} fixed."
    asked = [flip for flip in gate.broke if flip.came]
    if asked:
        said += f" {_again(asked)}"
    flaky = sum(flip.often_flaky for flip in gate.broke)
    return said + (
        f" {flaky} of those that broke flip in most measurements of the suite's own noise." if flaky else ""
    )


def _again(asked: Sequence[Flip]) -> str:
    """Return how the items that broke came out when both sides were asked again."""
    again = max(len(flip.again_after) for flip in asked)
    counts = {came: sum(flip.came == came for flip in asked) for came in _CAME}
    said = [f"{counts['stable']} of the {len(asked)} broke again on {again} of {again} reruns"]
    said += [f"{counts[came]} {words}" for came, words in _CAME.items() if words and counts[came]]
    return f"{'; '.join(said)}."


def flips_grid(flips: Sequence[Flip], title: str) -> Grid:
    """Return the items that moved, with every attempt: + passed, - failed."""
    asked = any(flip.came for flip in flips)
    head = ("item", "change", "before", "after", *(("again", "came") if asked else ()))
    rows = tuple(
        (
            flip.item,
            flip.change,
            strip_text(flip.before),
            strip_text(flip.after),
            *(
                (f"{strip_text(flip.again_before)} / {strip_text(flip.again_after)}", flip.came)
                if asked
                else ()
            ),
        )
        for flip in flips
    )
    return Grid(title, head, rows, names=2)


def strip_text(strip: Strip) -> str:
    """Return the attempts in order: + passed, - failed, other values as they are.

    Examples:
        >>> strip_text((1.0, 0.0, 1.0)), strip_text((0.25,)), strip_text(())
        ('+-+', '0.25', 'none')
    """
    if not strip:
        return "none"
    cut = "…" if len(strip) > _SHORT_STRIP else ""
    shown = strip[:_SHORT_STRIP]
    if all(value in _MARKS for value in shown if value is not None):
        return "".join("?" if value is None else _MARKS[value] for value in shown) + cut
    return " ".join("?" if value is None else f"{value:.3g}" for value in shown) + cut


def baseline_sentence(gate: Gate) -> str:
    """Return what the candidate was held against."""
    against = gate.against
    if against is None:
        return ""
    said = f"Baseline {against.name}: {write_count(against.attempts, 'attempt')} an item"
    if against.age_days is not None:
        said += f", blessed {against.blessed[:10]}, {age_text(against.age_days)} old"
    return said + (f", at {against.commit[:12]}" if against.commit else "") + "."


def age_text(days: float) -> str:
    """Return an age in days, or hours when it is short.

    Examples:
        >>> age_text(2.2), age_text(0.2)
        ('2 days', '5 hours')
    """
    if days < 1:
        return write_count(round(24 * days), "hour")
    return write_count(round(days), "day")


def year_sentence(gate: Gate) -> str:
    """Return what the policy does in a year."""
    year = gate.year
    if year is None:
        return ""
    passed, left, failed = (write_percent(share) for share in year.unchanged)
    missed, caught = write_percent(year.beyond[0]), write_percent(year.beyond[2])
    left_out = f" Not part of it: {', '.join(year.left_out)}." if year.left_out else ""
    quiet = f"{passed}% pass, {left}% stay undecided, {failed}% fail"
    yearly = f"{year.false_fails:.2g} a year, chance of any {write_percent(year.any_false)}%"
    lost = f"of those that lose twice the margin everywhere {missed}% pass and {caught}% fail"
    head = f"A year of {year.merges:,} merges like this: of those that change nothing {quiet} ({yearly})"
    return f"{head}; {lost}.{left_out}"
