"""A judge's verdicts where the right one is known become one finding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from aliquot.analysis.margins import check_level
from aliquot.analysis.probe_items import faults_of, probed_items, side_of
from aliquot.analysis.probe_kinds import RULED_OUT, TOLERATED
from aliquot.analysis.probe_lines import credit_share, probe_lines
from aliquot.analysis.probe_positions import position_lines
from aliquot.analysis.probe_remarks import find_probe_warnings
from aliquot.analysis.software import versions
from aliquot.evidence.tables import Note
from aliquot.files.probe_records import ProbeRecord, Winner, probes_of
from aliquot.findings.probe import JudgeAudit, ProbeAgreement, ProbeContrast, ProbeLine
from aliquot.findings.probe_words import write_audit
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.stats.multiplicity import holm
from aliquot.stats.paired_tests import mcnemar
from aliquot.stats.results import Estimate, Undefined
from aliquot.stats.shown_share import smallest_shown_gap


@dataclass(frozen=True, slots=True)
class AuditChoices:
    """What the caller may decide.

    Attributes:
        level: confidence level.
        seed: seed of everything random.
        against: another judge on the same probes.
        people: item → what people said of the pair of the order probe (of a judge of one answer at a time, of the
            weak one), each once.
        notes: what must be said of where the verdicts come from.
    """

    level: float = 0.95
    seed: int = DEFAULT_SEED
    against: ProbeRecord | None = None
    people: Mapping[str, Sequence[Winner]] | None = None
    notes: tuple[Note, ...] = ()


def audit_judge(record: ProbeRecord, *, choices: AuditChoices, command: str = "") -> JudgeAudit:
    """Return what a judge does where the right verdict is known.

    Args:
        record: its verdicts.
        choices: what the caller decided.
        command: the command line that makes the finding again.

    Raises:
        UsageError: a level that is none.
    """
    check_level(choices.level)
    lines = tuple(probe_lines(record, level=choices.level))
    positions = tuple(position_lines(record, level=choices.level, seed=choices.seed))
    clusters = {one.cluster for one in record.verdicts} - {None}
    order = next((one for one in lines if one.probe == "order"), None)
    against = choices.against
    return JudgeAudit(
        judge=record.judge,
        model=record.model,
        pairwise=record.pairwise,
        n_items=len({one.item for one in record.verdicts}),
        n_clusters=len(clusters) or None,
        asked=len(record.verdicts),
        unread=sum(one.verdict is None for one in record.verdicts),
        lines=lines,
        positions=positions,
        both_orders=order is not None and order.word == "fail",
        smallest_gap=_smallest_gap(order, level=choices.level),
        agreements=tuple(_agreements(record, choices.people or {}, level=choices.level)),
        against="" if against is None else _name(against),
        contrasts=() if against is None else tuple(_contrasts(record, against)),
        level=choices.level,
        warnings=(*choices.notes, *find_probe_warnings(record, lines, against)),
        why=_WHY,
        estimand=(
            "What this judge would do on pairs like these, with the item as unit: two orders of an item are one."
        ),
        verdict=write_audit(record.judge, lines, positions),
        seed=choices.seed,
        versions=versions(),
        command=command,
    )


_WHY = (
    f"Wilson intervals on items (on whole clusters where there are any); a probe fails when its interval lies above "
    f"{TOLERATED:.0%}, passes when it lies below {RULED_OUT:.0%}, and what must never happen passes only when it "
    "never did; an answer wins on an item when it wins in both orders; the whole answer must win more than half; "
    "position by the paired difference of both orders"
)


def _name(record: ProbeRecord) -> str:
    return f"{record.judge} with {record.model}" if record.model else record.judge


def _smallest_gap(order: ProbeLine | None, *, level: float) -> float | Undefined:
    """Return wins minus losses, as a share of the items with a winner, that as many of them would show."""
    if order is None or not order.items:
        return Undefined("no pair was judged in both orders")
    if not order.plain + order.changed:
        return Undefined("no pair has the same winner in both orders")
    return smallest_shown_gap(order.plain + order.changed, level=level)


def _contrasts(first: ProbeRecord, second: ProbeRecord) -> Iterator[ProbeContrast]:
    """Yield two judges on each probe both were asked, on the items that both answered."""
    one, two = probes_of(first.verdicts), probes_of(second.verdicts)
    found: list[ProbeContrast] = []
    for probe in one:
        if probe == "family" or probe not in two:
            continue
        ours, theirs = faults_of(probe, one[probe]), faults_of(probe, two[probe])
        both = [(ours[item], theirs[item]) for item in ours if item in theirs]
        if not both:
            continue
        only_first, only_second = both.count((True, False)), both.count((False, True))
        test = mcnemar(only_first, only_second)
        found.append(
            ProbeContrast(
                probe, len(both), both.count((True, True)), only_first, only_second, both.count((False, False)),
                test, test.p,
            )
        )  # fmt: skip
    adjusted = holm([contrast.test.p for contrast in found]) if found else ()
    for contrast, p in zip(found, adjusted, strict=True):
        yield ProbeContrast(
            contrast.probe, contrast.items, contrast.both, contrast.only_first, contrast.only_second,
            contrast.neither, contrast.test, float(p),
        )  # fmt: skip


def _agreements(
    record: ProbeRecord, people: Mapping[str, Sequence[Winner]], *, level: float
) -> Iterator[ProbeAgreement]:
    """Yield how often judge and people, and people among each other, name the same winner."""
    if not people:
        return
    pair = "order" if record.pairwise else "weak"
    by_item: dict[str, list[float]] = {}
    for one in record.verdicts:
        said = people.get(one.item, ())
        if one.probe == pair and one.verdict is not None and said:
            same = [side_of(one.verdict) == side_of(other) for other in said]
            by_item.setdefault(one.item, []).append(sum(same) / len(same))
    yield _agreement("judge with people", [sum(told) / len(told) for told in by_item.values()], level)
    pairs = [
        [side_of(a) == side_of(b) for a, b in combinations(said, 2)]
        for said in people.values()
        if len(said) > 1
    ]
    if pairs:
        yield _agreement("people with each other", [sum(told) / len(told) for told in pairs], level)
    if not record.pairwise:
        return
    complete, _ = probed_items((one for one in record.verdicts if one.probe == "order"), "same")
    kept = [one for one in complete if one.outcome in {"plain", "changed"} and people.get(one.item)]
    told = [
        sum(one.outcome == side_of(other) for other in people[one.item]) / len(people[one.item])
        for one in kept
    ]
    if told:
        yield _agreement("judge with people where both orders name one winner", told, level)


def _agreement(what: str, told: Sequence[float], level: float) -> ProbeAgreement:
    share: Estimate | Undefined = Undefined("nobody said anything of the same pair")
    if told:
        share = credit_share(np.array(told), None, level=level)
    return ProbeAgreement(what, len(told), share)
