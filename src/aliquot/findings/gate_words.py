"""The sentences of a gate: the decision first, in words a manager can act on, and one for each condition."""

from __future__ import annotations

from collections.abc import Sequence

from aliquot.findings.comparison import Settlement
from aliquot.findings.gate import Condition, Decision
from aliquot.findings.numbers import (
    difference_unit,
    write_count,
    write_difference,
    write_money,
    write_p,
    write_percent,
)
from aliquot.findings.verdict import Verdict
from aliquot.findings.words import read_against
from aliquot.stats.results import Estimate, Undefined

HEADS = {"pass": "PASS", "fail": "FAIL", "undecided": "UNDECIDED", "nothing_to_judge": "NOTHING TO JUDGE"}
_NAMED = 3
"""Conditions named in the first sentence."""


def write_condition(condition: Condition, baseline: str, candidate: str) -> str:  # noqa: PLR0911 - a sentence for each
    """Return what one condition comes to, in a sentence without its full stop.

    Args:
        condition: with everything but its text.
        baseline: name of the baseline.
        candidate: name of the candidate.
    """
    found = condition.estimate
    if condition.of == "items":
        return condition.text
    if isinstance(found, Undefined):
        said = "worse on no item" if condition.decision == "pass" else found.reason
        return f"{condition.name}: {said}"
    items = _units(condition)
    if condition.asked is not None:
        low, high = (write_percent(limit, apart_from=condition.asked) for limit in (found.low, found.high))
        asked = f"{round(100 * condition.asked, 9):g}%"
        said = {"pass": "reaches", "fail": "does not reach"}.get(condition.decision, "may or may not reach")
        return f"{condition.name}: {candidate} {said} {asked}: {low} to {high}% ({items})"
    beside = f"{items}, margin {write_margin(condition)}{_p(condition)}"
    sides = f"{candidate} minus {baseline} lies between {_between(condition, found)}"
    if condition.decision == "fail":
        return f"{condition.name}: worse than {baseline} by {_loss(condition, found)} ({beside})"
    if condition.decision != "pass":
        return f"{condition.name}: {sides} ({beside})"
    if condition.within_margin:
        return f"{condition.name}: worse within the margin, by {_loss(condition, found)} ({beside})"
    said = f"not worse than {baseline} by {write_margin(condition)}"
    return f"{condition.name}: {said}: {sides} ({items}{_p(condition)})"


def write_gate(
    decision: Decision,
    conditions: Sequence[Condition],
    *,
    candidate: str,
    to_settle: Settlement | Undefined | None,
    nothing: str = "",
    errors: str = "",
) -> Verdict:
    """Return the verdict of a gate.

    Args:
        decision: by the rule.
        conditions: what it was held to.
        candidate: name of the candidate.
        to_settle: what would settle what is open.
        nothing: why nothing can be judged, where something is known of it.
        errors: how the decision hangs on rows without a value; empty when it does not.
    """
    blocking = [one for one in conditions if one.blocks]
    head = HEADS[decision]
    if decision == "nothing_to_judge":
        reasons = [one.text for one in blocking if one.decision == decision] or ["no condition blocks"]
        return Verdict("nothing_to_judge", text=f"{head}: {nothing or '; '.join(reasons[:_NAMED])}.")
    if errors:
        return Verdict(decision, text=f"{head}: {errors}.")
    if decision == "fail":
        lost = [one for one in blocking if one.decision == "fail"]
        return Verdict("fail", text=f"{head}: {_listed(lost)}.")
    if decision == "undecided":
        left = [one for one in blocking if one.decision == "undecided"]
        text = f"{head}: {_listed(left)}.{write_settlement(to_settle)}"
        return Verdict("undecided", text=text)
    return Verdict("pass", text=f"{head}: {_passed(blocking, candidate)}.")


def _passed(blocking: Sequence[Condition], candidate: str) -> str:
    within = [one for one in blocking if one.within_margin]
    if len(blocking) == 1:
        return _listed(blocking)
    losses = sum(one.of == "difference" for one in blocking)
    said = [f"{candidate} loses less than its margin on {losses} of {losses} conditions"] if losses else []
    others = len(blocking) - losses
    said += [f"{write_count(others, 'other condition')} held"] if others else []
    named = f"; {_listed(within)}" if within else ""
    return f"{' and '.join(said)}{named}"


def _listed(conditions: Sequence[Condition]) -> str:
    """Return the sentences of some conditions; a single one is told without the metric's name in front."""
    texts = [one.text for one in conditions]
    if len(conditions) == 1 and conditions[0].of != "items":
        one = conditions[0]
        what, _, said = one.text.partition(": ")
        return said.replace(" (", f" ({what}, ", 1) if said else one.text
    more = f"; {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return "; ".join(texts[:_NAMED]) + more


def write_settlement(found: Settlement | Undefined | None) -> str:
    """Return what would settle it with its price, as a sentence with a blank before it; empty when nothing is open."""
    if found is None:
        return ""
    if isinstance(found, Undefined):
        return f" What would settle it: {found.reason}."
    price = (
        [f"{found.seconds / 60:.0f} minutes" if found.seconds >= 90 else f"{found.seconds:.0f} s"]
        if found.seconds
        else []
    )
    price += [write_money(found.cost, found.currency)] if found.cost else []
    more = f" ({', '.join(price)} for those that are lacking)" if price else ""
    return f" It needs about {found.items:,} items{more}."


def write_margin(condition: Condition) -> str:
    """Return the margin in its unit.

    A share of the baseline's own number is a percentage, a rate's margin is in points.
    """
    margin = condition.margin or 0.0
    if condition.unit == "%":
        return f"{100 * margin:g}%"
    shown = f"{round(100 * margin, 9):g}" if condition.scale.in_points else f"{margin:.4g}"
    return f"{shown} point" if shown == "1" and condition.scale.in_points else f"{shown}{_unit(condition)}"


def _units(condition: Condition) -> str:
    items = write_count(condition.n, "item")
    return (
        items
        if condition.n_clusters is None
        else f"{items} in {write_count(condition.n_clusters, 'cluster')}"
    )


def _unit(condition: Condition) -> str:
    return difference_unit(condition.scale) or (f" {condition.unit}" if condition.unit else "")


def _sized(condition: Condition, value: float, width: float) -> str:
    if condition.unit == "%":
        return f"{100 * value:+.1f}"
    return write_difference(value, condition.scale, width=width, apart_from=read_against(condition.margin))


def _between(condition: Condition, found: Estimate) -> str:
    low, high = (_sized(condition, limit, found.width) for limit in (found.low, found.high))
    return f"{low} and {high}{'%' if condition.unit == '%' else _unit(condition)}"


def _loss(condition: Condition, found: Estimate) -> str:
    """Return "2.2 to 10.9 points" of a loss, whichever direction is better."""
    ends = sorted(abs(limit) for limit in (found.low, found.high))
    low, high = (_sized(condition, limit, found.width).lstrip("+") for limit in ends)
    return f"{low} to {high}{'%' if condition.unit == '%' else _unit(condition)}"


def _p(condition: Condition) -> str:
    return "" if condition.test is None else f", {write_p(condition.test)}"
