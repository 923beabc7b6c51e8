"""``variants``: figures against hand counts and other verbs; what is grouped, left out and refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from aliquot import compare, summarize, variants
from aliquot.errors import UsageError
from aliquot.evidence.tables import Evidence
from aliquot.findings.document import finding_document
from aliquot.findings.variants import Variants, Winner
from aliquot.reports.render import render
from aliquot.stats import crossed_spread
from aliquot.stats.results import Estimate, Undefined
from tests.cli.called import call
from tests.evidence_of import evidence_of


def told(of: str, **levels: str) -> dict[str, str]:
    return {"variant.of": of, **{f"variant.{factor}": level for factor, level in levels.items()}}


def draws(rates: Sequence[float], n: int = 120, seed: int = 1) -> list[list[float]]:
    """Return a list of scores for each rate, on the same items of differing difficulty."""
    rng = np.random.default_rng(seed)
    hard = rng.uniform(-0.2, 0.2, n)
    return [(rng.random(n) < rate + hard).astype(float).tolist() for rate in rates]


def crossed(n: int = 120, *, turned: bool = False, **options: object) -> Evidence:
    """Return two systems with two factors each."""
    rates = {"a": (0.5, 0.55, 0.6, 0.7), "b": (0.8, 0.8, 0.3, 0.3) if turned else (0.6, 0.65, 0.7, 0.8)}
    values, settings = dict[str, list[float]](), dict[str, dict[str, str]]()
    for place, (system, own) in enumerate(rates.items()):
        for k, scores in enumerate(draws(own, n, seed=place)):
            name = f"{system}/{'xy'[k // 2]}/{'pq'[k % 2]}"
            values[name] = scores
            settings[name] = told(system, wording="xy"[k // 2], order="pq"[k % 2])
    return evidence_of(values, settings=settings, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def one() -> Variants:
    names = ("s/plain", "s/polite", "s/terse", "s/long")
    scores = dict(zip(names, draws((0.6, 0.75, 0.45, 0.6)), strict=True))
    return variants(evidence_of(scores, settings={name: told("s", wording=name[2:]) for name in names}))


def test_rates_are_those_of_summarize_and_a_pair_is_that_of_compare(one: Variants):
    group = one.groups[0]
    names = ("s/plain", "s/polite", "s/terse", "s/long")
    scores = dict(zip(names, draws((0.6, 0.75, 0.45, 0.6)), strict=True))
    lines = summarize(evidence_of(scores)).lines
    assert [line.rate for line in group.variants] == [line.estimate for line in lines]
    for pair in group.pairs:
        alone = compare(evidence_of(scores), systems=(pair.baseline, pair.candidate), noise=None).difference
        assert isinstance(alone, Estimate)
        assert isinstance(pair.difference, Estimate)
        assert pair.difference.point == pytest.approx(alone.point)
        assert pair.difference.width > alone.width  # it holds together with five others


def test_the_worst_pair_the_range_and_their_words(one: Variants):
    group = one.groups[0]
    rates = [line.rate.point for line in group.variants if isinstance(line.rate, Estimate)]
    assert isinstance(group.range, Estimate)
    assert group.range.point == pytest.approx(max(rates) - min(rates))
    assert group.worst is not None
    assert {group.worst.baseline, group.worst.candidate} == {"s/polite", "s/terse"}
    assert group.worst.word == "worse"  # terse minus polite
    ends = [
        (abs(p.difference.low), abs(p.difference.high))
        for p in group.pairs
        if isinstance(p.difference, Estimate)
    ]
    assert group.range.high == max(max(pair) for pair in ends)
    assert 0 < group.range.low <= group.range.point <= group.range.high
    assert group.by_chance < group.range.point
    assert one.verdict.text.startswith("THE PROMPT MATTERS: the 4 variants of s pass ")
    assert "s/polite lies above s/terse by" in one.verdict.text


def test_the_spread_is_that_of_the_crossed_design(one: Variants):
    group = one.groups[0]
    table = np.array(draws((0.6, 0.75, 0.45, 0.6))).T
    items, columns = np.indices(table.shape)
    known = crossed_spread(table.ravel(), items=items.ravel(), columns=columns.ravel(), low=0, high=1)
    assert not isinstance(known, Undefined)
    assert (group.spread, group.share, group.by_chance) == (known.sd, known.share, known.by_chance)
    assert list(group.shares) == ["variant", "item", "item:variant"]


def test_the_winner_is_marked_as_picked_and_set_right(one: Variants):
    winner = one.groups[0].winner
    assert isinstance(winner, Winner)
    assert winner.system == "s/polite"
    assert isinstance(winner.rate, Estimate)
    assert isinstance(winner.honest, Estimate)
    assert winner.honest.point <= winner.rate.point + 1e-12
    assert winner.honest.width > winner.rate.width
    assert sum(line.picked or 0 for line in one.groups[0].variants) == pytest.approx(1)
    assert "PICKED as best of 4 by these items: polite" in " ".join(render(one).split())


def test_it_keeps_to_the_line_budget(one: Variants):
    assert len(render(one).rstrip().splitlines()) <= 15
    assert len(render(variants(crossed())).rstrip().splitlines()) <= 15


def test_equal_prompts_are_not_said_to_matter():
    names = [f"s/{k}" for k in "abcd"]
    scores = dict(zip(names, draws((0.6, 0.6, 0.6, 0.6), seed=7), strict=True))
    found = variants(evidence_of(scores, settings={name: told("s", w=name[2:]) for name in names}))
    assert found.verdict.text.startswith("NOT SHOWN TO MATTER")
    assert isinstance(found.groups[0].range, Estimate)
    assert found.groups[0].range.low == 0


def test_crossed_factors_have_their_levels_averaged_over_the_others():
    evidence = crossed()
    group = variants(evidence).groups[0]
    assert [(one.factor, one.level) for one in group.levels] == [
        ("wording", "x"), ("wording", "y"), ("order", "p"), ("order", "q"),
    ]  # fmt: skip
    rates = {line.system: line.rate.point for line in group.variants if isinstance(line.rate, Estimate)}
    x = next(one for one in group.levels if one.level == "x").rate
    assert isinstance(x, Estimate)
    assert x.point == pytest.approx((rates["a/x/p"] + rates["a/x/q"]) / 2)
    part = variants(evidence, systems=["a/x/p", "a/x/q", "a/y/p"])
    assert part.groups[0].levels == ()  # not crossed in full any more


def test_systems_are_compared_over_their_variants():
    found = variants(crossed())
    (contrast,) = found.contrasts
    per_variant = [p.difference.point for p in contrast.by_variant if isinstance(p.difference, Estimate)]
    assert isinstance(contrast.difference, Estimate)
    assert contrast.difference.point == pytest.approx(np.mean(per_variant))
    assert (contrast.word, contrast.turns) == ("better", False)
    assert found.verdict.word == "better"
    assert found.verdict.text.startswith("BETTER: b beats a by ")
    assert "the sign is the same in each" in found.verdict.text


def test_a_difference_that_turns_with_the_prompt_is_said_to():
    found = variants(crossed(turned=True))
    assert found.contrasts[0].turns
    assert "the sign TURNS with the prompt, and both ways are shown" in found.verdict.text


def test_clusters_widen_and_attempts_belong_to_their_item():
    clusters = [f"d{i // 4}" for i in range(120)]
    clustered, plain = (variants(crossed(clusters=one)).groups[0] for one in (clusters, None))
    assert (clustered.n_clusters, plain.n_clusters) == (30, None)
    twice = {
        name: [[value, value] for value in scores]
        for name, scores in zip("abc", draws((0.4, 0.6, 0.8)), strict=True)
    }
    once = {name: [pair[0] for pair in pairs] for name, pairs in twice.items()}
    a, b = (variants(evidence_of(values), systems=list("abc")).groups[0] for values in (twice, once))
    assert isinstance(a.spread, Estimate)
    assert isinstance(b.spread, Estimate)
    assert a.spread.low == pytest.approx(b.spread.low)  # copies of an attempt add nothing
    assert a.shares["attempt"] == 0
    assert a.n_items == b.n_items == 120


def test_items_without_a_value_somewhere_are_left_out_of_everything_and_counted():
    scores = draws((0.4, 0.6, 0.8))
    values = {
        name: [None if k == i % 7 else v for i, v in enumerate(own)]
        for k, (name, own) in enumerate(zip("abc", scores, strict=True))
    }
    found = variants(evidence_of(values), systems=list("abc"))
    group = found.groups[0]
    kept = [i for i in range(120) if i % 7 > 2]
    assert (group.n_items, group.left_out) == (len(kept), 120 - len(kept))
    assert isinstance(group.variants[0].rate, Estimate)
    assert group.variants[0].rate.point == pytest.approx(np.mean([scores[0][i] for i in kept]))
    assert any(note.code == "left_out" for note in found.warnings)


def test_nothing_in_common_is_nothing_to_judge():
    values = {"a": [1.0, None], "b": [None, 1.0]}
    found = variants(evidence_of(values))
    assert found.verdict.word == "nothing_to_judge"
    assert "NOTHING TO JUDGE" in render(found, verbose=True)
    for form in ("markdown", "html", "json", "csv", "latex", "junit"):
        assert render(found, form=form)


@pytest.mark.parametrize(
    "values", [[[1.0] * 9, [1.0] * 9], [[1.0] * 9, [0.0] * 9], [[1.0], [0.0]], [[0.5, 0.2], [0.1, 0.9]]]
)
def test_no_data_however_poor_break_it(values: list[list[float]]):
    found = variants(evidence_of(dict(zip("ab", values, strict=True))))
    assert render(found, verbose=True)
    assert finding_document(found)["schema"] == "aliquot.variants/1"


def test_what_are_no_variants_is_left_out_and_said():
    scores = dict(zip(("s/a", "s/b", "other", "t/a"), draws((0.5, 0.6, 0.7, 0.6)), strict=True))
    settings = {"s/a": told("s", w="a"), "s/b": told("s", w="b"), "t/a": told("t", w="a")}
    found = variants(evidence_of(scores, settings=settings))
    assert [line.system for line in found.groups[0].variants] == ["s/a", "s/b"]
    assert {note.code for note in found.warnings} >= {"no_variants", "single_variant"}
    unsaid = variants(evidence_of(scores))
    assert len(unsaid.groups[0].variants) == 4
    assert [note.code for note in unsaid.warnings] == ["taken_as_variants"]


def test_what_cannot_be_is_refused():
    with pytest.raises(UsageError, match="variants are two systems or more; found a"):
        variants(evidence_of({"a": [1.0, 0.0]}))
    with pytest.raises(UsageError, match=r"Did you mean 's/a'|Known"):
        variants(evidence_of({"s/a": [1.0], "s/b": [0.0]}), systems=["s/c"])
    with pytest.raises(UsageError, match="41 variants are too many"):
        variants(evidence_of({f"s{k}": [1.0, 0.0] for k in range(41)}))
    with pytest.raises(UsageError, match="there are no variants"):
        variants()


def test_a_seed_makes_it_again_and_compare_and_summarize_point_to_it():
    evidence = crossed()
    assert variants(evidence, seed=5) == variants(evidence, seed=5)
    assert any(note.text.startswith("of these systems 4 are variants of a, 4 are variants of b; aliquot variants")
               for note in summarize(evidence).warnings)  # fmt: skip
    with pytest.raises(
        UsageError, match="Of these 4 are variants of a, 4 are variants of b; aliquot variants"
    ):
        compare(evidence)


def test_the_command(tmp_path: Path):
    rows = [
        f"{name},q{i},{int(value)}"
        for name, own in zip("abc", draws((0.4, 0.6, 0.8)), strict=True)
        for i, value in enumerate(own)
    ]
    path = tmp_path / "prompts.csv"
    path.write_text("\n".join(["system,item,value", *rows]), encoding="utf-8")
    done = call("variants", path, "--system", "a", "--system", "c")
    assert done.code == 0
    assert done.out.startswith("THE PROMPT MATTERS: the 2 variants pass")
    assert call("variants", path, "--system", "a").code == 2
