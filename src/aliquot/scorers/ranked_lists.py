"""How well a ranked list brings up what is relevant: the measures of information retrieval, per query."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal, TypeAlias

from aliquot.errors import UsageError

Gain: TypeAlias = Literal["linear", "exponential"]
"""What a grade is worth in nDCG: itself (Järvelin and Kekäläinen 2002), or 2^grade - 1 (Burges et al. 2005)."""

GAINS: Final[Mapping[Gain, Callable[[float], float]]] = {
    "linear": lambda grade: grade,
    "exponential": lambda grade: 2.0**grade - 1,
}


def ranked(scores: Mapping[str, float]) -> list[str]:
    """Return the ids by score, the highest first; equal scores by id from the last letter down, as trec_eval does.

    Examples:
        >>> ranked({"a": 0.5, "b": 0.9, "c": 0.5})
        ['b', 'c', 'a']
    """
    return sorted(scores, key=lambda one: (scores[one], one), reverse=True)


def hit_at(ranking: Sequence[str], grades: Mapping[str, float], *, k: int) -> float:
    """Return 1 when any of the first k is relevant, else 0 (success@k, hit rate).

    Args:
        ranking: ids, the best first.
        grades: relevance of each judged id; above 0 is relevant, and what is not judged is not.
        k: how many are looked at.

    Examples:
        >>> hit_at(["d3", "d1"], {"d1": 3, "d2": 2}, k=1), hit_at(["d3", "d1"], {"d1": 3, "d2": 2}, k=2)
        (0.0, 1.0)
    """
    return float(_relevant(ranking, grades, k) > 0)


def precision_at(ranking: Sequence[str], grades: Mapping[str, float], *, k: int) -> float:
    """Return the relevant share of the first k; a list shorter than k is filled up with what is not relevant."""
    return _relevant(ranking, grades, k) / k


def recall_at(ranking: Sequence[str], grades: Mapping[str, float], *, k: int) -> float | None:
    """Return the share of all that is relevant which stands in the first k; None when nothing is relevant.

    With golden sets that hold all sufficient evidence, recall at the size of the context bounds the share of questions
    whose answer can be grounded in it; where only one nominated passage is golden, it bounds nothing.
    """
    wanted = sum(grade > 0 for grade in grades.values())
    return _relevant(ranking, grades, k) / wanted if wanted else None


def reciprocal_rank(ranking: Sequence[str], grades: Mapping[str, float], *, k: int | None = None) -> float:
    """Return 1 over the rank of the first relevant id; 0 when there is none (Voorhees 1999).

    Examples:
        >>> reciprocal_rank(["d3", "d1"], {"d1": 3})
        0.5
    """
    _require_unique(ranking)
    for place, one in enumerate(ranking[:k], start=1):
        if grades.get(one, 0) > 0:
            return 1 / place
    return 0.0


def average_precision(
    ranking: Sequence[str], grades: Mapping[str, float], *, k: int | None = None
) -> float | None:
    """Return the mean over all relevant ids of the precision at their rank, 0 for those not found.

    None when nothing is relevant (Buckley and Voorhees 2000).
    """
    _require_unique(ranking)
    wanted = sum(grade > 0 for grade in grades.values())
    if not wanted:
        return None
    seen, total = 0, 0.0
    for place, one in enumerate(ranking[:k], start=1):
        if grades.get(one, 0) > 0:
            seen += 1
            total += seen / place
    return total / wanted


def discounted_gain(
    ranking: Sequence[str], grades: Mapping[str, float], *, k: int | None = None, gain: Gain = "linear"
) -> float:
    """Return DCG: the sum of gain(grade) / log2(1 + rank)."""
    _require_unique(ranking)
    worth = GAINS[gain]
    return sum(
        worth(max(0.0, grades.get(one, 0.0))) / math.log2(1 + place)
        for place, one in enumerate(ranking[:k], start=1)
    )


def normalised_gain(
    ranking: Sequence[str], grades: Mapping[str, float], *, k: int | None = None, gain: Gain = "linear"
) -> float | None:
    """Return nDCG: DCG over that of the best possible list of the judged ids; None when nothing is relevant.

    Examples:
        >>> grades = {"a": 3, "b": 2, "c": 3, "d": 0, "e": 1, "f": 2}
        >>> round(normalised_gain(list("abcdef"), grades), 3)
        0.961
    """
    ideal = discounted_gain(sorted(grades, key=lambda one: -grades[one]), grades, k=k, gain=gain)
    return discounted_gain(ranking, grades, k=k, gain=gain) / ideal if ideal > 0 else None


def _relevant(ranking: Sequence[str], grades: Mapping[str, float], k: int) -> int:
    if k < 1:
        raise UsageError(f"k is {k}; it must be 1 or more")
    _require_unique(ranking)
    return sum(grades.get(one, 0) > 0 for one in ranking[:k])


def _require_unique(ranking: Sequence[str]) -> None:
    """Refuse a list that names an id twice: it would be found twice and recall pass 1."""
    if len(set(ranking)) < len(ranking):
        twice = next(one for place, one in enumerate(ranking) if one in ranking[:place])
        raise UsageError(f"a ranking names {twice!r} twice; list each id once")
