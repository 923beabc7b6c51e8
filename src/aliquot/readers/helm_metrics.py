"""Which of HELM's many statistics are metrics, which one is the headline, and who gave it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from aliquot.evidence.tables import Better
from aliquot.readers.helm_files import SCHEMA_FILE, load_if_there
from aliquot.readers.helm_records import SCHEMA, RunSpec

BOOKKEEPING: Final = frozenset(
    {"num_references", "num_train_trials", "num_prompt_tokens", "num_prompt_characters", "num_completion_tokens",
     "num_output_tokens", "max_num_output_tokens", "estimated_num_tokens_cost", "num_requests", "num_instances",
     "num_completions", "num_train_instances", "prompt_truncated", "training_co2_cost", "training_energy_cost",
     "inference_runtime", "inference_idealized_runtime", "inference_denoised_runtime", "batch_size", "max_prob",
     "logprob", "num_perplexity_tokens", "num_bytes", "predicted_index", "finish_reason_length",
     "finish_reason_stop", "finish_reason_endoftext", "finish_reason_unknown"}
)  # fmt: skip
"""Statistics of the request and not of its quality."""

USUAL: Final = (
    "exact_match", "quasi_exact_match", "f1_score", "rouge_2", "exact_match_indicator", "math_equiv_chain_of_thought",
    "math_equiv", "final_number_exact_match", "pass", "bleu_4", "RR@10", "NDCG@10", "f1_set_match",
)  # fmt: skip
"""Main metrics of HELM's own groups, the most frequent first: the headline where no schema names one."""

BY_RULE: Final = frozenset(
    {*USUAL, "prefix_exact_match", "quasi_prefix_exact_match", "exact_set_match", "iou_set_match", "test_avg",
     "strict_acc", "code_eval_acc", "absolute_value_difference", "edit_distance", "edit_similarity", "rouge_1",
     "rouge_l", "bleu_1"}
)  # fmt: skip
"""Metrics that no model judges, also in a run that has annotators."""

_PROGRAMS: Final = ("SQL", "Sql", "Spider", "CodeBench", "CzechBankQA", "Compiler", "Dummy")
"""Parts of the names of annotators that run a program and ask no model."""

_LOWER: Final = frozenset(
    {"bits_per_byte", "perplexity", "absolute_value_difference", "distance", "edit_distance", "toxic_frac",
     "expected_max_toxicity", "max_toxicity_probability"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Describing:
    """What the suite's schema says; empty where ``helm-summarize`` never ran.

    Attributes:
        main: group → its main metric.
        split: group → the split its tables are of.
        lower: metric → whether a lower value is better.
    """

    main: dict[str, str] = field(default_factory=dict[str, str])
    split: dict[str, str] = field(default_factory=dict[str, str])
    lower: dict[str, bool] = field(default_factory=dict[str, bool])

    def headline(self, spec: RunSpec, metrics: Sequence[str]) -> str | None:
        """Return a run's main metric: the schema's, else the first usual one, else the first of its metrics."""
        named = [self.main[group] for group in spec.groups if group in self.main]
        found = (name for name in (*named, *USUAL, *metrics) if name in metrics)
        return next(found, None)

    def main_split(self, spec: RunSpec, splits: Collection[str]) -> str:
        """Return the split a run's number is of: the schema's, else test, else the first of the splits."""
        named = [self.split[group] for group in spec.groups if group in self.split]
        return next((name for name in (*named, "test") if name in splits), min(splits, default=""))

    def better(self, metric: str) -> Better:
        """Return which direction is good."""
        return "lower" if self.lower.get(metric, metric in _LOWER) else "higher"


def describe_suite(run: Path) -> Describing:
    """Return what the schema beside a run says.

    Raises:
        InputError: it is damaged or too large.
        MachineError: the machine refuses to read it.
    """
    schema = load_if_there(run.absolute().parent / SCHEMA_FILE, SCHEMA)
    if schema is None:
        return Describing()
    groups = [(group.name, group.environment) for group in schema.run_groups if group.environment is not None]
    return Describing(
        main={name: known.main_name for name, known in groups if known.main_name},
        split={name: known.main_split for name, known in groups if known.main_split},
        lower={one.name: one.lower_is_better for one in schema.metrics if one.lower_is_better is not None},
    )


def judge_of(spec: RunSpec, metric: str) -> str | None:
    """Return the annotators that a metric is made of, when the run has any and it is no metric by rule."""
    names = [one.short_name for one in spec.annotators or () if one.class_name]
    judges = [name for name in names if not any(part in name for part in _PROGRAMS)]
    return ", ".join(judges) if judges and metric not in BY_RULE else None
