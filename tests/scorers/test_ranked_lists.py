"""Retrieval measures: trec_eval's printed output, figures of others, and what must hold of any list."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.scorers.ranked_lists import (
    Gain,
    average_precision,
    discounted_gain,
    hit_at,
    normalised_gain,
    precision_at,
    ranked,
    recall_at,
    reciprocal_rank,
)
from tests.oracles import case
from tests.shared import shared


def measured(ranking: list[str], grades: dict[str, float]) -> dict[str, float | None]:
    """Return the measures under trec_eval's names."""
    found: dict[str, float | None] = {
        "map": average_precision(ranking, grades),
        "recip_rank": reciprocal_rank(ranking, grades),
        "ndcg": normalised_gain(ranking, grades),
    }
    for k in (1, 3, 5, 10, 15, 20, 30, 100, 200, 500, 1000):
        found |= {
            f"P_{k}": precision_at(ranking, grades, k=k),
            f"recall_{k}": recall_at(ranking, grades, k=k),
            f"ndcg_cut_{k}": normalised_gain(ranking, grades, k=k),
            f"map_cut_{k}": average_precision(ranking, grades, k=k),
            f"success_{k}": hit_at(ranking, grades, k=k),
        }
    return found


@pytest.mark.parametrize("query", ["15_text_metrics-trec-q1", "15_text_metrics-trec-q3"])
def test_measures_are_those_of_trec_eval_on_small_lists(query: str) -> None:
    known = case("15_text_metrics", query)
    found = measured(ranked(known["inputs"]["run"]), known["inputs"]["qrels"])
    for name, value in known["expected"].items():
        assert found[name] == pytest.approx(value, abs=known["tolerance"]), name


def test_both_gains_of_a_worked_example() -> None:
    gains: dict[str, Gain] = {
        "15_text_metrics-ndcg-wikipedia": "linear",
        "15_text_metrics-ndcg-exp": "exponential",
    }
    for name, gain in gains.items():
        known = case("15_text_metrics", name)
        grades = {str(at): grade for at, grade in enumerate(known["inputs"]["relevance_in_rank_order"])}
        expected, near = known["expected"], known["tolerance"]
        found = normalised_gain(list(grades), grades, gain=gain)
        assert found == pytest.approx(next(v for k, v in expected.items() if k.startswith("ndcg")), abs=near)
        if "dcg" in expected:
            assert discounted_gain(list(grades), grades) == pytest.approx(expected["dcg"], abs=near)


def test_the_mean_reciprocal_rank_of_a_worked_example() -> None:
    known = case("15_text_metrics", "15_text_metrics-mrr-wikipedia")
    ranks = known["inputs"]["first_relevant_ranks"]
    found = [reciprocal_rank([*(f"no{at}" for at in range(rank - 1)), "yes"], {"yes": 1}) for rank in ranks]
    assert sum(found) / len(found) == pytest.approx(known["expected"]["mrr"], abs=0.005)


def rows(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text(encoding="latin-1").splitlines() if line.strip()]


@pytest.mark.parametrize(("judged", "printed"), [("qrels.test", "out.test.aq"), ("qrels.test", "out.test.a")])
def test_trec_evals_own_test_prints_the_same(judged: str, printed: str) -> None:
    folder = shared("data", "trec_eval_test")
    grades: dict[str, dict[str, float]] = defaultdict(dict)
    for query, _, document, grade in rows(folder / judged):
        grades[query][document] = float(grade)
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for query, _, document, _, score, _ in rows(folder / "results.test"):
        scores[query][document] = float(score)
    found = {query: measured(ranked(scores[query]), grades[query]) for query in scores}
    names = next(iter(found.values()))
    found["all"] = {name: sum(one[name] or 0.0 for one in found.values()) / len(found) for name in names}
    compared = 0
    for name, query, value in rows(folder / printed):
        if name in names and query in found:
            assert found[query][name] == pytest.approx(float(value), abs=0.5e-4 + 1e-9), (name, query)
            compared += 1
    assert compared >= 40


lists = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)
judged = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from([0, 1, 2, 3]), max_size=8)


@given(ranking=lists, grades=judged, k=st.integers(1, 10))
def test_every_measure_lies_between_nothing_and_all(
    ranking: list[str], grades: dict[str, float], k: int
) -> None:
    for value in measured(ranking, grades).values():
        assert value is None or 0 <= value <= 1 + 1e-12
    best = sorted(grades, key=lambda one: -grades[one])
    if any(grades.values()):
        assert normalised_gain(best, grades, k=k) == pytest.approx(1)
        assert average_precision(best, grades) == pytest.approx(1)
        assert recall_at(best, grades, k=8) == 1
    else:
        assert normalised_gain(ranking, grades, k=k) is None
        assert average_precision(ranking, grades) is None
        assert recall_at(ranking, grades, k=k) is None
    assert hit_at(ranking, grades, k=k) == (precision_at(ranking, grades, k=k) > 0)


@given(ranking=lists, grades=judged, data=st.data())
def test_a_relevant_one_moved_up_never_lowers_a_measure(
    ranking: list[str], grades: dict[str, float], data: st.DataObject
) -> None:
    if len(ranking) < 2 or not any(grades.values()):
        return
    at = data.draw(st.integers(1, len(ranking) - 1))
    if grades.get(ranking[at], 0) <= grades.get(ranking[at - 1], 0):
        return
    better = [*ranking[: at - 1], ranking[at], ranking[at - 1], *ranking[at + 1 :]]
    before, after = measured(ranking, grades), measured(better, grades)
    for name, value in before.items():
        if value is not None:
            assert (after[name] or 0) >= value - 1e-12, name


def test_a_list_that_names_an_id_twice_is_refused() -> None:
    for measure in (average_precision, reciprocal_rank, normalised_gain):
        with pytest.raises(UsageError, match="names 'a' twice"):
            measure(["a", "b", "a"], {"a": 1})
    with pytest.raises(UsageError, match="k is 0"):
        precision_at(["a"], {"a": 1}, k=0)
