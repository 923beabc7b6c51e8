"""Two kappas of the same items compared, judges against people, the table of confusion."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np
import pytest

from aliquot.errors import UsageError
from aliquot.stats.agreement import cohen_kappa
from aliquot.stats.agreement_many import brennan_prediger, krippendorff_alpha
from aliquot.stats.agreement_pairs import agreement_difference, second_labeller
from aliquot.stats.cautions import coverage_warning
from aliquot.stats.confusion_tables import confusion
from aliquot.stats.rater_tables import ratings_by_item
from aliquot.stats.results import Undefined
from tests.shared import shared


def raters(n: int, right: list[float], *, k: int = 2, seed: int = 0) -> np.ndarray:
    """Items × raters: each is right as often as it says, else says another label; errors independent."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, size=(n, 1))
    wrong = (truth + rng.integers(1, k, size=(n, len(right)))) % k
    return np.where(rng.random((n, len(right))) < right, truth, wrong)


def test_both_sides_are_means_of_cohens_kappa() -> None:
    table = raters(120, [0.9, 0.8, 0.7, 0.6], k=3)
    found = agreement_difference(table, [(0, 1), (1, 2)], [(0, 3)], n_resamples=199)
    first = [cohen_kappa(table[:, g], table[:, h], method="normal").point for g, h in ((0, 1), (1, 2))]
    second = cohen_kappa(table[:, 0], table[:, 3], method="normal").point
    assert found.first == pytest.approx(np.mean(first))
    assert found.second == pytest.approx(second)
    assert found.difference.point == pytest.approx(second - np.mean(first))
    assert found.difference.low < found.difference.point < found.difference.high
    back = agreement_difference(table, [(0, 3)], [(0, 1), (1, 2)], n_resamples=199)
    assert back.difference.point == pytest.approx(-found.difference.point)
    assert back.difference.se == pytest.approx(found.difference.se)
    again = agreement_difference(table, [(0, 1), (1, 2)], [(0, 3)], n_resamples=199)
    assert again == found


def test_the_error_is_that_of_a_jackknife() -> None:
    table = raters(150, [0.9, 0.85, 0.7], k=3, seed=2)
    found = agreement_difference(table, [(0, 1)], [(0, 2)], n_resamples=99)

    def plain(rows: np.ndarray) -> float:
        kappas = [cohen_kappa(rows[:, 0], rows[:, j], method="normal").point for j in (1, 2)]
        return kappas[1] - kappas[0]

    left = np.array([plain(np.delete(table, i, axis=0)) for i in range(150)])
    jackknife = np.sqrt(149 / 150 * ((left - left.mean()) ** 2).sum())
    assert found.difference.se == pytest.approx(jackknife, rel=0.03)


def test_gaps_names_and_clusters() -> None:
    items = [f"q{i}" for i in range(90) for _ in range(3)]
    names = ["ana", "ben", "judge"] * 90
    said: list[Any] = raters(90, [0.9, 0.8, 0.7], seed=3).ravel().tolist()
    said[1] = None
    table = ratings_by_item(items, names, said)
    found = agreement_difference(
        table, [("ana", "ben")], [("ana", "judge"), ("ben", "judge")], n_resamples=199
    )
    assert found.first_pairs == (("ana", "ben"),)
    assert found.n == 90
    clustered = agreement_difference(
        table, [("ana", "ben")], [("ana", "judge")], clusters=np.repeat(np.arange(30), 3), n_resamples=199
    )
    assert clustered.difference.clusters == 30
    assert "30 clusters" in coverage_warning(clustered.difference)
    with pytest.raises(UsageError, match="no rater 'bob'; known: 'ana', 'ben', 'judge'"):
        agreement_difference(table, [("ana", "bob")], [("ana", "judge")])
    with pytest.raises(UsageError, match="two different"):
        agreement_difference(table, [("ana", "ana")], [("ana", "judge")])
    with pytest.raises(UsageError, match="at least one pair"):
        agreement_difference(table, [], [("ana", "judge")])
    apart = agreement_difference([[1, None, 2], [None, 1, 2]], [(0, 1)], [(0, 2)])
    assert apart.reason.startswith("no first pair has a value")


@pytest.mark.heavy
def test_how_often_it_holds_and_rejects() -> None:
    """Judge and people alike: 0 is held, and the test rejects, as often as they say."""
    held, rejected, reps = 0, 0, 300
    for seed in range(reps):
        found = agreement_difference(
            raters(100, [0.85, 0.85, 0.85], k=3, seed=seed),
            [(0, 1)],
            [(0, 2), (1, 2)],
            n_resamples=299,
            rng=seed,
        )
        held += found.difference.low <= 0 <= found.difference.high
        rejected += found.test.p <= 0.05
    assert 0.92 <= held / reps <= 0.98
    assert rejected / reps <= 0.08


@pytest.mark.parametrize(
    ("right", "margin", "word"),
    [
        ([0.9, 0.9, 0.9, 0.6], 0.05, "below"),
        ([0.85, 0.85, 0.85, 0.97], 0.0, "as good"),
        ([0.9, 0.9, 0.9, 0.9], 0.15, "as good"),
        ([0.9, 0.9, 0.9, 0.9], 0.0, "undecided"),
    ],
)
def test_as_good_as_a_second_labeller(right: list[float], margin: float, word: str) -> None:
    found = second_labeller(raters(400, right, seed=5), 3, margin=margin, n_resamples=499)
    assert found.word == word
    assert len(found.individual.first_pairs) == len(found.individual.second_pairs) == 3
    assert set(found.by_rater) == {0, 1, 2, 3}
    assert found.individual.second == pytest.approx(found.by_rater[3])
    assert (found.consensus.difference.point > 0) == (
        found.individual.difference.point > 0
    ) or word == "undecided"


def test_the_consensus_is_of_the_others() -> None:
    # people agree on all but the last item, where each says another label: there the others have none
    table = [[1, 1, 1, 1], [2, 2, 2, 1], [3, 3, 3, 3], [1, 2, 3, 1]] * 30
    found = second_labeller(table, 3, n_resamples=199)
    assert found.consensus.n == 90
    assert found.consensus.first == pytest.approx(1.0)
    # on an ordered scale two others who differ have no middle label either
    ordered = second_labeller(table, 3, scale="ordinal", n_resamples=199)
    assert ordered.consensus.n == 90
    two = second_labeller([[1, 1, 1], [2, 2, 1], [1, 2, 1], [2, 2, 2]] * 20, 2, n_resamples=199)
    assert "three" in two.consensus.reason
    assert "one person only" in second_labeller([[1, 1], [2, 1]], 1).reason
    with pytest.raises(UsageError, match="margin"):
        second_labeller(table, 3, margin=-0.1)


def test_two_judges_of_pandalm_against_three_people() -> None:
    with shared("data", "pandalm_human", "pandalm_human.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = ("annotator1", "annotator2", "annotator3", "pandalm7b", "gpt35")
    table = [[row[column] for column in columns] for row in rows]
    for judge in (3, 4):
        others = [[*row[:3], row[judge]] for row in table]
        found = second_labeller(others, 3, margin=0.1, n_resamples=199)
        assert found.word == "below"
        assert round(found.individual.first, 2) == 0.86  # mean of .85, .88, .86
    people = [0, 1, 2]
    judges = agreement_difference(table, [(p, 3) for p in people], [(p, 4) for p in people], n_resamples=199)
    assert isinstance(judges.difference.low, float)


def test_confusion_counted_by_hand() -> None:
    # people: a 6, b 3, c 1; judge right on 4 a, 2 b
    people = list("aaaaaabbbc")
    judge = list("aaaabcabba")
    found = confusion(people, judge, labels=["a", "b", "c", "d"])
    assert found.counts[0].tolist() == [4, 1, 1, 0]
    a, d = found.classes["a"], found.classes["d"]
    assert (a.present, a.predicted, a.hits) == (6, 6, 4)
    assert (a.precision, a.recall, a.f1) == (4 / 6, 4 / 6, 8 / 12)
    assert "never predicted" in d.precision.reason
    assert found.macro["recall"] == pytest.approx((4 / 6 + 2 / 3 + 0) / 3)
    assert (found.constant_label, found.constant, found.accuracy.point) == ("a", 0.6, 0.6)
    assert isinstance(found.prevalence_index, Undefined)
    assert found.pabak == pytest.approx((4 * 0.6 - 1) / 3)


def test_indices_of_two_labels() -> None:
    # 40 both, 9 first only, 6 second only, 45 neither (Byrt et al.'s a, b, c, d)
    people, judge = [1] * 49 + [0] * 51, [1] * 40 + [0] * 9 + [1] * 6 + [0] * 45
    found = confusion(people, judge, labels=[1, 0])
    assert found.prevalence_index == pytest.approx((40 - 45) / 100)
    assert found.bias_index == pytest.approx((6 - 9) / 100)
    assert found.pabak == pytest.approx(2 * 0.85 - 1)
    both = np.stack([people, judge], axis=1)
    assert found.pabak == pytest.approx(brennan_prediger(both).point)
    # kappa from its parts: (PABAK − PI² + BI²)/(1 − PI² + BI²), Byrt, Bishop & Carlin (1993)
    pi, bi = found.prevalence_index**2, found.bias_index**2
    assert cohen_kappa(people, judge).point == pytest.approx((found.pabak - pi + bi) / (1 - pi + bi))
    assert confusion([None], [1]).reason == "no row was labelled by both raters"


def llmbar() -> list[dict[str, str]]:
    with shared("data", "llmbar", "excerpt_natural_vanilla.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_llmbar_accuracies_come_out_and_its_kappa_does_not() -> None:
    """The authors' script turns label 2 into 0 before it counts; accuracies are right, kappas are of other labels."""
    with shared("data", "llmbar", "published_statistics.csv").open(encoding="utf-8") as file:
        printed = {
            row["llm"]: row
            for row in csv.DictReader(file)
            if (row["group"], row["subset"], row["strategy"]) == ("LLMBar", "Natural", "Vanilla")
        }
    rows = llmbar()
    judges = sorted({row["judge"] for row in rows})
    assert judges
    for judge in judges:
        own = [row for row in rows if row["judge"] == judge]
        gold = [row["gold"] for row in own]
        for column, key in (("verdict_order1", "False"), ("verdict_order2", "True")):
            said = [row[column] or None for row in own]
            right = sum(g == v for g, v in zip(gold, said, strict=True))
            assert 100 * right / len(own) == pytest.approx(float(printed[judge][f"correct_{key}_pct"]))
            assert confusion(gold, said).accuracy.point == pytest.approx(right / len([v for v in said if v]))
            wrong = float(printed[judge][f"kappa_{key}"])
            assert abs(cohen_kappa(gold, said).point - wrong) > 0.05
            # as the script has it: "2" becomes 0 in the verdicts and not in the labels
            coded = [1 if v == "1" else 0 for v in said]
            assert cohen_kappa([int(g) for g in gold], coded).point == pytest.approx(wrong, abs=1e-9)


def test_ragchecker_annotators_on_an_ordered_scale() -> None:
    with shared("data", "ragchecker_meta", "human.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = ratings_by_item(
        [row["item"] for row in rows],
        [row["annotator"] for row in rows],
        [int(row["overall"]) for row in rows],
    )
    found = krippendorff_alpha(table, scale="interval", clusters=None, n_resamples=199)
    codes = [[table.labels[code] for code in row] for row in table.codes]
    quadratic = cohen_kappa(
        *zip(*codes, strict=True), labels=[-2, -1, 0, 1, 2], scale="quadratic", method="normal"
    )
    assert (found.n, found.raters) == (280, 2)
    assert found.point == pytest.approx(quadratic.point, abs=0.01)


def test_records_become_a_row_of_a_frame() -> None:
    table = raters(60, [0.9, 0.9, 0.8, 0.7], seed=1)
    good = second_labeller(table, 3, n_resamples=99).to_frame()
    assert {"word", "individual.difference.low", "consensus.first", "by_rater.3"} <= set(good.columns)
    counted = confusion(["a", "b"] * 5, ["a", "a"] * 5).to_frame()
    assert counted["classes.b.precision"].to_list() == [None]
    assert "never predicted" in counted["classes.b.precision.undefined"][0]
    assert counted["counts"].to_list() == [[[5, 0], [5, 0]]]
    assert cohen_kappa([1, 2] * 5, [1, 2] * 5).interval.se is None  # full agreement shows no error of its own
