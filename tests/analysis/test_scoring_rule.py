"""One difference under several rules: a sign that turns, verdicts that change, and the part that is format."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot import read
from aliquot.analysis.arrays import paired_sample
from aliquot.analysis.method import analyse_pairs
from aliquot.analysis.scales import scale_of
from aliquot.analysis.scoring_rule import MOST_RULES, find_scoring_rules
from aliquot.evidence.assembly import assemble
from aliquot.evidence.matching import pair
from aliquot.evidence.merging import merge
from aliquot.stats.results import Estimate
from tests.oracles import case
from tests.shared import shared


def evidence_under(rules, *, statuses=None, by=None, clusters=None):
    """Return evidence of main and pr; rules: metric → (values of main, values of pr), metric may be (name, scorer)."""
    rows = [
        {
            "system": system,
            "item": f"q{i:02d}",
            "metric": name if isinstance(name, str) else name[0],
            "scorer": "rule" if isinstance(name, str) else name[1],
            "value": value,
            "status": statuses[name, system][i] if statuses and (name, system) in statuses else "ok",
            "by": (by or {}).get(name, "rule"),
        }
        for name, sides in rules.items()
        for system, values in zip(("main", "pr"), sides, strict=True)
        for i, value in enumerate(values)
    ]
    items = (
        pl.DataFrame({"item": [f"q{i:02d}" for i in range(len(clusters))], "cluster": clusters})
        if clusters
        else None
    )
    return assemble(pl.DataFrame(rows, schema_overrides={"value": pl.Float64}), items=items)


def rules_of(evidence, metric, *, scorer=None, **options):
    pairs = pair(evidence, "main", "pr", task="task", metric=metric, scorer=scorer)
    return find_scoring_rules(evidence, pairs, level=0.95, seed=1, **options)


def counts(main_only, pr_only, n):
    """Values of both systems on n items, the discordant ones first."""
    same = [1.0] * (n - main_only - pr_only)
    return [1.0] * main_only + [0.0] * pr_only + same, [0.0] * main_only + [1.0] * pr_only + same


def test_fourteen_items_turn_with_the_rule():
    # exact match 6 : 1, normalised 1 : 5 of fourteen (the seed says A minus B)
    exact = case("seeds_more", "s-scoring-reversal-exact")
    normal = case("seeds_more", "s-scoring-reversal-norm")
    evidence = evidence_under(
        {
            "exact_match": counts(exact["inputs"]["a_only"], exact["inputs"]["b_only"], exact["inputs"]["n"]),
            "normalised": counts(
                normal["inputs"]["a_only"], normal["inputs"]["b_only"], normal["inputs"]["n"]
            ),
        }
    )
    found = rules_of(evidence, "exact_match")
    assert found is not None
    assert found.sign_changes
    chosen, other = found.chosen, found.others[0]
    assert (chosen.broke, chosen.fixed, other.broke, other.fixed) == (6, 1, 1, 5)
    assert -chosen.difference.point == pytest.approx(exact["expected"]["delta"], abs=exact["tolerance"])
    assert -other.difference.point == pytest.approx(normal["expected"]["delta"], abs=normal["tolerance"])
    assert other.relation == "rule"
    # the change is (5 - 1 + 6 - 1)/14; five items gain 2 and one loses 1: p = 4/64, so unrelated names count
    assert other.change.point == pytest.approx(9 / 14)
    assert other.change_test.p == 4 / 64
    assert (chosen.word, other.word, found.verdict_changes) == ("undecided", "undecided", False)
    assert found.comparisons == 2


def test_another_filter_counts_by_its_name_and_an_unrelated_check_only_beyond_chance():
    # two items move, one each way, p = 1: only the related rule turns the sign
    values = {"em,strict": counts(1, 2, 20), "em,flexible": counts(2, 1, 20), "format": counts(2, 1, 20)}
    found = rules_of(evidence_under(values), "em,strict")
    assert found is not None
    assert [one.relation for one in found.others] == ["filter", "rule"]
    assert [one.change_test.p for one in found.others] == [1, 1]
    assert found.sign_changes
    alone = rules_of(evidence_under({name: values[name] for name in ("em,strict", "format")}), "em,strict")
    assert alone is not None
    assert not alone.sign_changes


def test_a_verdict_that_changes_with_the_rule():
    found = rules_of(evidence_under({"acc": counts(0, 5, 40), "acc_norm": counts(0, 6, 40)}), "acc")
    assert found is not None
    assert found.others[0].relation == "variant"
    assert (found.chosen.word, found.others[0].word) == ("undecided", "better")
    assert found.verdict_changes
    assert not found.sign_changes


def test_judges_are_no_rules_and_other_scorers_of_the_metric_are():
    values = {("match", "a"): counts(1, 3, 12), ("match", "b"): counts(2, 3, 12), "judged": counts(1, 2, 12)}
    evidence = evidence_under(values, by={"judged": "judge"})
    found = rules_of(evidence, "match", scorer="a")
    assert found is not None
    assert [(one.relation, one.scorer) for one in found.others] == [("scorer", "b")]


def test_no_other_rule_and_no_format_is_nothing_to_say():
    evidence = evidence_under({"acc": counts(1, 2, 12), "length": ([3.0] * 12, [4.0] * 12)})
    assert rules_of(evidence, "acc") is None


def test_many_rules_are_bounded_and_the_rest_is_counted():
    evidence = evidence_under({f"rule{i}": counts(1, 2, 9) for i in range(MOST_RULES + 4)})
    found = rules_of(evidence, "rule0")
    assert found is not None
    assert (len(found.others), found.left_out) == (MOST_RULES, 3)


def test_the_format_part_and_the_content_part():
    # of 20 items pr leaves 4 unparsed that main got right, and fixes 6 others
    main, pr = [1.0] * 4 + [0.0] * 6 + [1.0] * 10, [0.0] * 4 + [1.0] * 6 + [1.0] * 10
    statuses = {("acc", "pr"): ["unparsed"] * 4 + ["ok"] * 16}
    found = rules_of(evidence_under({"acc": (main, pr)}, statuses=statuses), "acc")
    assert found is not None
    split = found.split
    assert split is not None
    assert (split.lost, split.won) == (4, 0)
    assert split.format.point == pytest.approx(-4 / 20)
    assert split.content.point == pytest.approx(6 / 20)
    # four broke and none fixed is exact p 1/8: the limit that would exclude 0 is held there
    assert split.format.method == "tango, limit held at 0 by mcnemar_exact"
    assert split.format.point + split.content.point == pytest.approx(found.chosen.difference.point, abs=1e-15)


SIDES = st.lists(
    st.tuples(
        st.booleans(),
        st.booleans(),
        st.sampled_from(["ok", "unparsed", "refused"]),
        st.sampled_from(["ok", "truncated"]),
    ),
    min_size=2,
    max_size=25,
)


@settings(max_examples=40, deadline=None)
@given(rows=SIDES, clustered=st.booleans())
def test_the_two_parts_add_up_to_the_difference(rows, clustered):
    values = [float(row[0]) for row in rows], [float(row[1]) for row in rows]
    statuses = {("acc", "main"): [row[2] for row in rows], ("acc", "pr"): [row[3] for row in rows]}
    clusters = [f"c{i // 2}" for i in range(len(rows))] if clustered else None
    evidence = evidence_under({"acc": values}, statuses=statuses, clusters=clusters)
    found = rules_of(evidence, "acc")
    changed = [i for i, row in enumerate(rows) if (row[2] == "ok") != (row[3] == "ok")]
    if found is None or found.split is None:
        assert not changed or not found
        return
    split, whole = found.split, found.chosen.difference
    assert split.lost + split.won == len(changed)
    if isinstance(split.format, Estimate) and isinstance(split.content, Estimate):
        assert split.format.point + split.content.point == pytest.approx(whole.point, abs=1e-15)
        assert split.format.point == pytest.approx(
            sum(values[1][i] - values[0][i] for i in changed) / len(rows)
        )


def test_the_filters_of_a_shared_log():
    a, b = (read(shared("logs", "lm-eval", f"org__stub-{one}")) for one in "ab")
    evidence = merge(a, b)
    names = ("org/stub-a", "org/stub-b")
    pairs = pair(evidence, *names, task="toy_gsm", metric="exact_match,strict-match")
    found = find_scoring_rules(evidence, pairs, level=0.95, seed=1)
    assert found is not None
    other = found.others[0]
    assert (other.metric, other.relation, other.n) == ("exact_match,flexible-extract", "filter", 60)
    # 31 both, 1 broke, 7 fixed, 21 neither (users.md C1); each reading equals the plain analysis of its own metric
    assert (other.broke, other.fixed) == (1, 7)
    plain = paired_sample(pair(evidence, *names, task="toy_gsm", metric=other.metric))
    analysed = analyse_pairs(plain, scale_of(evidence, other.metric), level=0.95, seed=1)
    assert other.difference == analysed.difference
    assert found.split is not None
