"""The same responses under every scoring rule the evidence has, and the part of a difference that is format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import narwhals as nw
import numpy as np
import polars as pl

from aliquot.analysis.arrays import PairedSample, paired_sample
from aliquot.analysis.method import Analysed, analyse_pairs
from aliquot.analysis.scales import scale_of
from aliquot.evidence.matching import MatchOn, pair
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Pairs, Units
from aliquot.findings.scale import Scale
from aliquot.findings.scoring_rule import FormatSplit, Relation, RuleReading, ScoringRules
from aliquot.findings.verdict import read_verdict
from aliquot.stats.inputs import Floats
from aliquot.stats.results import HypothesisTest, Undefined

MOST_RULES: Final = 12
"""Rules compared beside the chosen one."""

FORMAT: Final = ("unparsed", "refused", "truncated")
"""Statuses of an answer that did not come in the form that was asked for."""

WARNED: Final = 0.2
"""The p-value of a change up to which an unrelated rule of the opposite sign is warned of: less than a claim needs."""

_BREAKS = ("_", "-", ".", " ", "/")
_ORDER: tuple[Relation, ...] = ("scorer", "filter", "variant", "rule")


@dataclass(frozen=True, slots=True)
class _Options:
    """What the caller decided."""

    level: float
    margin: float | None
    seed: int
    cluster: str | None
    match_on: MatchOn


def find_scoring_rules(
    evidence: Evidence,
    pairs: Pairs,
    *,
    level: float,
    margin: float | None = None,
    seed: int,
    cluster: str | None = None,
    match_on: MatchOn = "content",
) -> ScoringRules | None:
    """Return the difference under each rule that scored the same responses, and its format part.

    Rules are those of the same kind, bounds and direction as the chosen metric under which both systems have outcomes:
    other scorers and filters of it, metrics whose name extends its name, and for a pass-or-fail rule all other
    pass-or-fail rules (not judges or people).

    Args:
        evidence: the tables.
        pairs: the shared items under the chosen metric.
        level: confidence level.
        margin: margin of the verdict, in the metric's units.
        seed: seed of the tests.
        cluster: field that names the cluster, as in ``pair``.
        match_on: as in ``pair``.

    Returns:
        The readings; None when there is no other rule and no item's parse status differs.
    """
    options = _Options(level, margin, seed, cluster, match_on)
    mine = paired_sample(pairs)
    scale = scale_of(evidence, pairs.baseline.metric)
    chosen = _reading(pairs.baseline, "chosen", mine, scale, options)
    rules = sorted(_rules(evidence, pairs, scale), key=lambda rule: _ORDER.index(rule[2]))
    others = tuple(_other(evidence, pairs, rule, mine=mine, options=options) for rule in rules[:MOST_RULES])
    split = _split(evidence, pairs, mine, scale, options)
    if not others and split is None:
        return None
    signs = [_sign(chosen), *(_sign(one) for one in others if one.related or _p(one) <= WARNED)]
    settled = [one for one in others if one.related or _p(one) <= 1 - level]
    return ScoringRules(
        chosen=chosen,
        others=others,
        sign_changes=min(signs) < 0 < max(signs),
        verdict_changes=any(one.word != chosen.word for one in settled),
        split=split,
        left_out=max(0, len(rules) - MOST_RULES),
        comparisons=sum(test is not None for one in others for test in (one.test, one.change_test)),
    )


def _rules(evidence: Evidence, pairs: Pairs, scale: Scale) -> Iterator[tuple[str, str, Relation]]:
    """Yield metric, scorer and relation of every rule under which both systems have outcomes."""
    a, b = pairs.baseline, pairs.candidate
    known = [_scored(evidence, units) for units in (a, b)]
    mine = (a.metric, a.scorer)
    judged = known[0].get(mine) != "rule"
    alike = {
        row["metric"]
        for row in evidence.metrics.iter_rows(named=True)
        if (row["kind"], row["low"], row["high"], row["better"])
        == (scale.kind, scale.low, scale.high, scale.better)
    }
    for rule, by in known[0].items():
        if rule == mine or rule not in known[1] or rule[0] not in alike:
            continue
        relation = _relation(mine, rule)
        if relation != "rule" or (scale.kind == "binary" and by == "rule" and not judged):
            yield (*rule, relation)


def _scored(evidence: Evidence, units: Units) -> dict[tuple[str, str], str]:
    """Return by whom a system's responses were scored under each metric and scorer, in order of the names."""
    rows = evidence.scan("outcomes", system=units.system, task=units.task)
    valued = rows.filter(~nw.col("value").is_null()).select("metric", "scorer", "by").unique()
    frame: pl.DataFrame = valued.collect(backend="polars").to_native()
    return {(metric, scorer): by for metric, scorer, by in frame.sort("metric", "scorer").iter_rows()}


def _relation(chosen: tuple[str, str], rule: tuple[str, str]) -> Relation:
    """Return how a rule is related to the chosen one, by name.

    Examples:
        >>> _relation(("exact_match,strict", "strict"), ("exact_match,flexible", "flexible"))
        'filter'
        >>> _relation(("acc", "recorded"), ("acc_norm", "recorded")), _relation(("acc", ""), ("format", ""))
        ('variant', 'rule')
    """
    if chosen[0] == rule[0]:
        return "scorer"
    bases = [name.split(",")[0] for name in (chosen[0], rule[0])]
    if bases[0] == bases[1]:
        return "filter"
    short, long = sorted(bases, key=len)
    return "variant" if any(long.startswith(short + mark) for mark in _BREAKS) else "rule"


def _reading(
    units: Units, relation: Relation, sample: PairedSample, scale: Scale, options: _Options
) -> RuleReading:
    found = analyse_pairs(sample, scale, level=options.level, seed=options.seed)
    gain = -sample.d if scale.better == "lower" else sample.d
    return RuleReading(
        metric=units.metric,
        scorer=units.scorer,
        relation=relation,
        n=sample.n,
        fixed=int((gain > 0).sum()),
        broke=int((gain < 0).sum()),
        difference=found.difference,
        test=_deciding(found),
        word=read_verdict(found.difference, margin=options.margin, better=scale.better)[0],
        change=None,
        change_test=None,
    )


def _other(
    evidence: Evidence,
    pairs: Pairs,
    rule: tuple[str, str, Relation],
    *,
    mine: PairedSample,
    options: _Options,
) -> RuleReading:
    metric, scorer, relation = rule
    found = pair(
        evidence,
        pairs.baseline.system,
        pairs.candidate.system,
        task=pairs.baseline.task,
        metric=metric,
        scorer=scorer,
        cluster=options.cluster,
        match_on=options.match_on,
    )
    scale, sample = scale_of(evidence, metric), paired_sample(found)
    change = _change(mine, sample, scale, options)
    read = _reading(found.baseline, relation, sample, scale, options)
    return replace(read, change=change.difference, change_test=_deciding(change))


def _change(chosen: PairedSample, other: PairedSample, scale: Scale, options: _Options) -> Analysed:
    """Return by how much the difference changes from one rule to the other, on the items that both have."""
    first, second = (_among(one, of) for one, of in ((chosen, other), (other, chosen)))
    span = scale.span()
    width = None if span is None else span or 1.0
    changes = Scale(
        kind="bounded" if width is not None else "real",
        low=None if width is None else -width,
        high=width,
        better="none",
    )
    joined = replace(first, a=first.d, b=second.d)
    return analyse_pairs(joined, changes, level=options.level, seed=options.seed)


def _among(sample: PairedSample, other: PairedSample) -> PairedSample:
    """Return the items of a sample that another one has too."""
    known = set(other.items)
    kept = np.array([item in known for item in sample.items], dtype=bool)

    def part(values: np.ndarray | None) -> np.ndarray | None:
        return None if values is None else values[kept]

    return replace(
        sample,
        items=sample.ids_where(kept),
        a=sample.a[kept],
        b=sample.b[kept],
        k_a=sample.k_a[kept],
        k_b=sample.k_b[kept],
        clusters=part(sample.clusters),
        strata=part(sample.strata),
        weights=part(sample.weights),
    )


def _deciding(found: Analysed) -> HypothesisTest | None:
    return next((named.test for named in found.tests if named.decides), None)


def _p(reading: RuleReading) -> float:
    return 1.0 if reading.change_test is None else reading.change_test.p


def _sign(reading: RuleReading) -> float:
    return 0.0 if isinstance(reading.difference, Undefined) else float(np.sign(reading.difference.point))


def _split(
    evidence: Evidence, pairs: Pairs, sample: PairedSample, scale: Scale, options: _Options
) -> FormatSplit | None:
    """Return the part of the difference on items whose share of ill-formed answers changed, and the rest."""
    shares = [_ill_formed(evidence, units, sample) for units in (pairs.baseline, pairs.candidate)]
    change = shares[1] - shares[0]
    whole = analyse_pairs(sample, scale, level=options.level, seed=options.seed).difference
    if isinstance(whole, Undefined) or not change.any():
        return None
    a, b = sample.sides()
    parts = [
        analyse_pairs(replace(sample, b=np.where(own, b, a)), scale, level=options.level, seed=options.seed)
        for own in (change != 0, change == 0)
    ]
    format_part, content = (part.difference for part in parts)
    return FormatSplit(
        format=format_part,
        content=content,
        lost=int((change > 0).sum()),
        won=int((change < 0).sum()),
        statuses=FORMAT,
    )


def _ill_formed(evidence: Evidence, units: Units, sample: PairedSample) -> Floats:
    """Return, for each item of the sample, the share of attempts whose answer was not in the form asked for."""
    names = {"system": units.system, "task": units.task}
    said = evidence.scan("outcomes", **names, metric=units.metric, scorer=units.scorer).select(
        "item", "attempt", scored=nw.col("status").is_in(FORMAT)
    )
    asked = evidence.scan("responses", **names).select(
        "item", "attempt", answered=nw.col("status").is_in(FORMAT)
    )
    joined = asked.join(said, on=["item", "attempt"], how="left")
    ill = joined.select(
        "item", share=(nw.col("answered") | nw.col("scored").fill_null(value=False)).cast(nw.Float64)
    )
    frame: pl.DataFrame = (
        ill.group_by("item").agg(nw.col("share").mean()).collect(backend="polars").to_native()
    )
    found = dict(frame.iter_rows())
    return np.array([found.get(item, 0.0) for item in sample.items])
