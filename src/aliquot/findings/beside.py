"""What stands beside a difference: all that else was found in the same rows, or is known of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aliquot.findings.answered import Answered
    from aliquot.findings.cluster_search import ClusterSearch
    from aliquot.findings.composite import Composite
    from aliquot.findings.contrast import MethodContrast
    from aliquot.findings.corrected import Corrected
    from aliquot.findings.item_tests import ItemTests
    from aliquot.findings.looks import Looks
    from aliquot.findings.majority import Majority
    from aliquot.findings.noise import RememberedNoise
    from aliquot.findings.plan_check import PlanCheck
    from aliquot.findings.power_seen import PowerAt, PowerSeen, RepeatsWorth
    from aliquot.findings.scoring_rule import ScoringRules
    from aliquot.findings.segments import SegmentScan
    from aliquot.findings.sequence import SequenceSeen
    from aliquot.findings.shares import Reweighted
    from aliquot.findings.side_metrics import SideMetrics


# without slots: a comparison inherits from two records, and Python lays out the slots of one only
@dataclass(frozen=True, kw_only=True)
class Beside:
    """What was found beside a difference; None where there was nothing to look at.

    Attributes:
        answered: how much each system answered, and its rate over that.
        item_tests: items told apart one by one, with repeats.
        clusters_tried: fields tried as clusters that nobody had named.
        scoring: the difference under the other rules that scored the same responses.
        segments: the difference on every segment.
        reweighted: the difference at given shares of a field.
        contrast: what the analyses that do not fit the design would have said.
        power_seen: how likely this design was to show a difference of the size seen.
        power_curve: the power of this design over differences, rising from none.
        repeats_worth: what more attempts would bring.
        side_metrics: other metrics, time, tokens, money and failures.
        composite: how the winner depends on the weights of several metrics.
        noise: what the suite was seen to move by itself.
        looks: how often these items were looked at.
        plan: what was planned beside what was done.
        majority: what always giving the most frequent right answer would reach on the shared items.
        sequence: how the interval narrowed in a run that could stop at any time.
        corrected: what people's labels make of a judge's difference, which the finding's difference then is.
    """

    answered: Answered | None = None
    item_tests: ItemTests | None = None
    clusters_tried: ClusterSearch | None = None
    scoring: ScoringRules | None = None
    segments: SegmentScan | None = None
    reweighted: Reweighted | None = None
    contrast: MethodContrast | None = None
    power_seen: PowerSeen | None = None
    power_curve: tuple[PowerAt, ...] | None = None
    repeats_worth: RepeatsWorth | None = None
    side_metrics: SideMetrics | None = None
    composite: Composite | None = None
    noise: RememberedNoise | None = None
    looks: Looks | None = None
    plan: PlanCheck | None = None
    majority: Majority | None = None
    sequence: SequenceSeen | None = None
    corrected: Corrected | None = None

    def parts(self) -> dict[str, Any]:
        """Return these parts by name, as the finding takes them."""
        return {part.name: getattr(self, part.name) for part in fields(Beside)}
