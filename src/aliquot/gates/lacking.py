"""Items of the baseline that the candidate does not have: a candidate does not pass by leaving out what it fails."""

from __future__ import annotations

from aliquot.findings.numbers import write_count
from aliquot.gates.held import Held
from aliquot.stats.results import Estimate


def items_lacking(held: Held) -> str:
    """Return why a condition that passes cannot be given for the items that the candidate lacks; empty when it can.

    Each lacking item is taken as a loss of the whole scale, as a failure where the baseline passed: with ``n`` shared
    items and ``k`` lacking the lower limit L becomes (nL − k·span)/(n + k).

    Args:
        held: the condition.
    """
    found = held.comparison
    if found is None or not held.shown.blocks or held.shown.margin is None:
        return ""
    if not found.paired:
        return "it would pass, but the two share no item, and easier items look like a better system. Run the same ones"
    lacking, estimate = found.matching.only_a, held.shown.estimate
    if not lacking or not isinstance(estimate, Estimate):
        return ""
    span = found.scale.span()
    low = -estimate.high if held.shown.better == "lower" else estimate.low
    if (
        span is not None
        and (found.n_items * low - lacking * span) / (found.n_items + lacking) > -held.shown.margin
    ):
        return ""
    items = write_count(lacking, "item")
    return (
        f"it would pass on the {found.n_items:,} items of both, but {items} of the baseline "
        f"{'is' if lacking == 1 else 'are'} not in the candidate, and as failures they would undo it. Run them"
    )
