"""What pytest prints of an expectation that does not hold."""

from __future__ import annotations

from aliquot.verbs.expect import ExpectedRate


def explain(op: str, left: object, right: object) -> list[str] | None:
    """Return the decision with what would settle it, line by line; None for what is no rate."""
    if op != ">=" or not isinstance(left, ExpectedRate):
        return None
    from aliquot.reports.render import render  # noqa: PLC0415 - only where an assertion failed

    found = left.decided(right)
    if found is None:
        return None
    return [f"{left!r} >= {right}", *render(found).splitlines()]
