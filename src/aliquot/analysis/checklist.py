"""The reporting checklist of the field: each point filled from the evidence, or "not recorded"."""

from __future__ import annotations

from aliquot.analysis.claims import Claim
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Pairs
from aliquot.findings.comparison import NOT_RECORDED, Point


def fill_checklist(
    evidence: Evidence, claim: Claim, *, a: dict[str, str], b: dict[str, str]
) -> tuple[Point, ...]:
    """Return the checklist of one comparison.

    Args:
        evidence: the tables, for their sources.
        claim: what is claimed, of which items.
        a: settings of the baseline.
        b: settings of the candidate.
    """
    return (
        Point(
            "Sources",
            "; ".join(f"{source.path} ({source.format})" for source in evidence.sources) or NOT_RECORDED,
        ),
        Point("Item set", _both(a, b, "items")),
        Point("How items were selected", _both(a, b, "selection")),
        Point("Items compared", _items(claim)),
        Point("Unit of analysis", _unit(claim)),
        Point("Model", _both(a, b, "model")),
        Point("Snapshot", _both(a, b, "snapshot")),
        Point("Prompt", _both(a, b, "prompt")),
        Point("Decoding", _decoding(a, b)),
        Point("Scoring rule and normalisation", _both(a, b, "scorer")),
        Point("Repeats", _repeats(claim)),
        Point("Missing", _missing(claim.pairs)),
        Point("Asked on", _both(a, b, "asked")),
    )


def _both(a: dict[str, str], b: dict[str, str], name: str) -> str:
    left, right = a.get(name, NOT_RECORDED), b.get(name, NOT_RECORDED)
    return left if left == right else f"baseline {left}; candidate {right}"


def _decoding(a: dict[str, str], b: dict[str, str]) -> str:
    names = sorted(name for name in a.keys() | b.keys() if name.startswith("decoding."))
    if not names:
        return NOT_RECORDED
    return ", ".join(f"{name.removeprefix('decoding.')} {_both(a, b, name)}" for name in names)


def _items(claim: Claim) -> str:
    if claim.paired is not None:
        return f"{claim.n_items} of {claim.pairs.attrition.shared} shared"
    return " and ".join(str(side.n) for side in claim.sides) + ", not paired"


def _unit(claim: Claim) -> str:
    clusters = claim.n_clusters
    return "item" if clusters is None else f"cluster ({clusters} of them), items within"


def _repeats(claim: Claim) -> str:
    if any(side.n == 0 for side in claim.sides):
        return NOT_RECORDED
    spans = [_span(side.attempts.min(), side.attempts.max()) for side in claim.sides]
    return f"{' and '.join(spans)} attempts an item"


def _span(low: int, high: int) -> str:
    return f"{low}" if low == high else f"{low} to {high}"


def _missing(pairs: Pairs) -> str:
    rows = [int(pairs.frame[name].sum()) for name in ("missing_a", "missing_b")]
    alone = pairs.attrition.only_a + pairs.attrition.only_b
    return f"{rows[0]} and {rows[1]} rows without a value; {alone} items in one source only"
