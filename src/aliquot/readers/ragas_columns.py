"""Which column of a RAGAS table is what: the data set's, the system's answers, and the metrics."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from aliquot.evidence.identity import text_of
from aliquot.files.literals import parse_literal
from aliquot.files.rows import Cell
from aliquot.readers.cells import holds_values

ASKED: Final = ("user_input", "question")
"""The question, as RAGAS calls it and as it did before 0.2."""

ANSWERED: Final = ("response", "answer")
EXPECTED: Final = ("reference", "ground_truth", "ground_truths")
ID: Final = "id"

DATASET: Final = frozenset(
    {*ASKED, *ANSWERED, *EXPECTED, "retrieved_contexts", "reference_contexts", "retrieved_context_ids",
     "reference_context_ids", "multi_responses", "rubrics", "rubric", "persona_name", "query_style", "query_length",
     "reference_tool_calls", "reference_topics", "contexts", "synthesizer_name", ID}
)  # fmt: skip
"""Columns that RAGAS carries along; none of them is a metric."""

_BESIDE: Final = frozenset({"retrieved_contexts", "reference_contexts", "response", "reference"})
_BESIDE_BEFORE_0_2: Final = frozenset({"contexts", "ground_truth", "ground_truths"})

_JUDGED: Final = frozenset(
    {"faithfulness", "answer_relevancy", "response_relevancy", "context_precision", "context_recall",
     "context_relevancy", "context_utilization", "context_entity_recall", "llm_context_precision_with_reference",
     "llm_context_precision_without_reference", "noise_sensitivity", "noise_sensitivity_relevant",
     "noise_sensitivity_irrelevant", "factual_correctness", "answer_correctness", "topic_adherence",
     "agent_goal_accuracy", "nv_accuracy", "nv_context_relevance", "nv_response_groundedness", "answer_accuracy",
     "context_relevance", "response_groundedness", "summary_score", "domain_specific_rubrics", "instance_rubrics",
     "rubrics_score", "labelled_rubrics_score", "simple_criteria", "llm_sql_equivalence_with_reference", "harmfulness",
     "maliciousness", "coherence", "correctness", "conciseness", "helpfulness", "aspect_critic",
     "multimodal_faithfulness", "multimodal_relevance"}
)  # fmt: skip
_BY_RULE: Final = frozenset(
    {"exact_match", "string_present", "non_llm_string_similarity", "bleu_score", "rouge_score", "chrf_score",
     "non_llm_context_precision_with_reference", "non_llm_context_recall", "id_based_context_precision",
     "id_based_context_recall", "tool_call_accuracy", "tool_call_f1", "data_compare_score", "semantic_similarity",
     "answer_similarity", "quoted_spans"}
)  # fmt: skip
KNOWN_METRICS: Final = _JUDGED | _BY_RULE

JUDGE: Final = "a model, not named in the log"
_MODE: Final = re.compile(r"\(.*\)$")
_SIDES: Final = {"human", "user", "ai", "assistant", "tool", "system"}


@dataclass(frozen=True, slots=True)
class Columns:
    """What the columns of a table are.

    Attributes:
        asked: those that say what was asked.
        expected: the right answer's.
        answered: the system's answer's.
        metrics: those that hold values.
        others: whatever is left.
    """

    asked: tuple[str, ...]
    expected: str | None
    answered: str | None
    metrics: tuple[str, ...]
    others: tuple[str, ...]


def is_table(columns: Collection[str]) -> bool:
    """Tell a table of RAGAS by its columns: its word for a question, what belongs to it, and at least one column more.

    The words of before 0.2 are anybody's, so one of RAGAS's metrics must stand beside them.
    """
    known = set(columns)
    if {"system", "item", "value"} <= known or not known - DATASET:
        return False
    if "user_input" in known:
        return bool(known & _BESIDE)
    return (
        "question" in known
        and bool(known & _BESIDE_BEFORE_0_2)
        and any(base_of(name) in KNOWN_METRICS for name in known)
    )


def find_columns(table: Mapping[str, Sequence[Cell]], *, dataset: Collection[str] = ()) -> Columns:
    """Return what the columns of a table are.

    Args:
        table: column → cells.
        dataset: the columns of the data set an experiment was made from.
    """
    first = {kind: next((name for name in names if name in table), None) for kind, names in
             (("asked", ASKED), ("expected", EXPECTED), ("answered", ANSWERED))}  # fmt: skip
    known = DATASET | set(dataset)
    metrics = tuple(
        name for name, cells in table.items()
        if name not in known and (holds_values(cells) or (base_of(name) in KNOWN_METRICS and not any(cells)))
    )  # fmt: skip
    asked = first["asked"]
    own = (asked,) if asked else tuple(name for name in table if name in dataset and name != ID)
    used = {*own, *metrics, first["expected"], first["answered"], ID}
    others = tuple(name for name in table if name not in used | DATASET)
    return Columns(own, first["expected"], first["answered"], metrics, others)


def base_of(metric: str) -> str:
    """Return a metric's name without its mode.

    Examples:
        >>> base_of("factual_correctness(mode=f1)")
        'factual_correctness'
    """
    return _MODE.sub("", metric).strip()


def judge_of(metric: str) -> str | None:
    """Return who judged, for a metric that a model makes; a metric of the user's own counts when its name says so."""
    base = base_of(metric).lower()
    return JUDGE if base in _JUDGED or ("judge" in base and base not in _BY_RULE) else None


def value_of(cell: Cell) -> Any:
    """Return what a cell shows: a list that JSON or Python wrote as its values, an empty text as None.

    Examples:
        >>> value_of("['a', 'b']"), value_of('["a"]'), value_of("[sic]"), value_of("")
        (['a', 'b'], ['a'], '[sic]', None)
    """
    if not isinstance(cell, str):
        return cell
    if cell[:1] not in "[{":
        return cell or None
    for parse in (json.loads, parse_literal):
        try:
            return parse(cell)
        except (ValueError, RecursionError):
            continue
    return cell or None


def messages_of(value: Any) -> list[tuple[str, str]] | None:
    """Return a conversation as (side, text) pairs, or None when it is none."""
    if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
        return None
    sides = [text_of(one.get("type") or one.get("role")) or "" for one in value]
    if not set(sides) <= _SIDES:
        return None
    return [(side, text_of(one.get("content")) or "") for side, one in zip(sides, value, strict=True)]
