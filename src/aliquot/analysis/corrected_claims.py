"""The claim about two systems that a fallible judge scored, corrected by labels: the corrected interval decides."""

from __future__ import annotations

from dataclasses import replace

from aliquot.analysis.claims import Claim, verdict_of
from aliquot.analysis.corrected import PeoplesLabels, corrected_difference_of
from aliquot.analysis.method import Analysed
from aliquot.evidence.tables import Evidence
from aliquot.findings.comparison import NamedTest
from aliquot.findings.corrected import Corrected
from aliquot.findings.scale import Scale
from aliquot.stats.results import Undefined


def correct_claim(
    evidence: Evidence,
    claim: Claim,
    scale: Scale,
    *,
    told: PeoplesLabels,
    margin: float | None,
    cluster: str | None,
    level: float,
) -> tuple[Claim, Corrected]:
    """Return the claim with its difference corrected, and the difference three ways.

    No test decides any more: those that were made are of the judge's own difference. What missing rows could hide and
    what would settle it speak of the judge's difference too, so they are left out.

    Args:
        evidence: the tables.
        claim: the difference as the judge counts.
        scale: the metric's scale.
        told: people's labels.
        margin: margin of the verdict, in the metric's units.
        cluster: field that names the cluster; None for the evidence's own.
        level: confidence level.

    Raises:
        InputError: no answer of these two systems is labelled.
    """
    sides = (claim.pairs.baseline, claim.pairs.candidate)
    corrected = corrected_difference_of(evidence, sides, told, cluster=cluster, level=level)
    tests = tuple(NamedTest(named.test, decides=False) for named in claim.analysed.tests)
    why = f"a judge's difference corrected by people's labels: {corrected.why}; its interval decides"
    analysed = Analysed(corrected.corrected, tests, why)
    nothing = Undefined(
        "the difference is corrected by labels; plan --labels says how many more would settle it"
    )
    return (
        replace(
            claim,
            analysed=analysed,
            verdict=verdict_of(claim.pairs, analysed, scale, margin=margin, n_items=claim.n_items),
            if_missing=None,
            detectable=nothing,
            to_settle=nothing,
        ),
        corrected,
    )
