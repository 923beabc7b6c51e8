"""An aggregate of Every Eval Ever: whose, under which metrics, and the scores as they were printed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import polars as pl
from msgspec import Struct, field

from aliquot.evidence.identity import text_of

ARGUMENTS: Final = ("temperature", "top_p", "top_k", "max_tokens", "prompt_template", "reasoning")


class Model(Struct):
    """A model."""

    id: str
    name: str = ""


class Judge(Struct):
    """A judge."""

    model_info: Model


class Scoring(Struct):
    """How a model scores."""

    judges: list[Judge] = field(default_factory=list[Judge])


class Config(Struct):
    """A metric."""

    lower_is_better: bool = False
    score_type: str | None = None
    min_score: float | None = None
    max_score: float | None = None
    has_unknown_level: bool | None = None
    metric_name: str | None = None
    evaluation_description: str | None = None
    llm_scoring: Scoring | None = None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The smallest and the largest possible score of a metric that is not binary."""
        low, high = self.min_score, self.max_score
        told = low is not None and high is not None and low < high and self.score_type == "continuous"
        return (low, high) if told and low is not None and high is not None else None

    @property
    def judge(self) -> str | None:
        """The judge's name."""
        judges = self.llm_scoring.judges if self.llm_scoring else []
        return ", ".join(one.model_info.name or one.model_info.id for one in judges) or None


class Details(Struct):
    """A score."""

    score: float | None = None
    uncertainty: Any = None


class Result(Struct):
    """One aggregate result."""

    evaluation_name: str
    metric_config: Config = field(default_factory=Config)
    score_details: Details = field(default_factory=Details)
    evaluation_result_id: str | None = None
    generation_config: Any = None


class Aggregate(Struct):
    """The aggregate of one model."""

    evaluation_id: str
    model_info: Model
    evaluation_results: list[Result]
    schema_version: str = ""
    eval_library: Any = None


def metric_names(results: Sequence[Result]) -> list[str]:
    """Return the metric of each result: ``score`` where an evaluation has one, else what tells them apart."""
    several = Counter(one.evaluation_name for one in results)
    names: list[str] = []
    for one in results:
        told = (
            one.metric_config.metric_name
            or one.metric_config.evaluation_description
            or one.evaluation_result_id
        )
        names.append(
            "score"
            if several[one.evaluation_name] == 1 and not one.metric_config.metric_name
            else told or "score"
        )
    return names


def reported_rows(
    aggregate: Aggregate, system: str, names: Sequence[str]
) -> list[tuple[str, str, str, str, float]]:
    """Return the printed scores and their standard errors."""
    rows: dict[tuple[str, str, str, str], float] = {}
    for one, name in zip(aggregate.evaluation_results, names, strict=True):
        if one.score_details.score is not None:
            rows.setdefault((system, one.evaluation_name, name, "mean"), one.score_details.score)
        held = one.score_details.uncertainty
        error = held.get("standard_error") if isinstance(held, dict) else None
        value = error.get("value") if isinstance(error, dict) else None
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300:
            rows.setdefault((system, one.evaluation_name, name, "stderr"), float(value))
    return [(*key, value) for key, value in rows.items()]


def settings_rows(aggregate: Aggregate, system: str) -> pl.DataFrame:
    """Return the library, the model and how it was asked."""
    library = aggregate.eval_library if isinstance(aggregate.eval_library, dict) else {}
    version = text_of(library.get("version"))
    harness = " ".join(
        filter(None, (text_of(library.get("name")), version if version != "unknown" else None))
    )
    told = {"harness": harness, "model": aggregate.model_info.id}
    for one in aggregate.evaluation_results:
        config = one.generation_config if isinstance(one.generation_config, dict) else {}
        arguments = config.get("generation_args")
        for name in ARGUMENTS:
            text = text_of(arguments.get(name)) if isinstance(arguments, dict) else None
            if text:
                told.setdefault(name, text)
    return pl.DataFrame(
        [{"system": system, "name": name, "value": value} for name, value in told.items() if value]
    )
