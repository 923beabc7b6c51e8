"""What a row's verdicts say: by rule and judge, by a person, and where the judge itself failed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from aliquot.readers.promptfoo_records import Assertion, Component, Log, Row, mapping, metric_name, number

HUMAN: Final = "human"
"""The type of the assertion that promptfoo's page adds when a person rates an answer."""

JUDGED: Final = frozenset(
    {"agent-rubric", "answer-relevance", "context-faithfulness", "context-recall", "context-relevance",
     "conversation-relevance", "factuality", "g-eval", "llm-rubric", "model-graded-closedqa",
     "model-graded-factuality", "pi", "search-rubric", "select-best", "trajectory:goal-success"}
)  # fmt: skip
"""Assertions a model decides (promptfoo's own list, with the later and the vendors' ones)."""

DEFAULT_JUDGE: Final = "promptfoo's default grader"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One row's verdicts.

    Attributes:
        success: whether the machine passed it; None when only a person or a judge that failed could tell.
        score: the machine's score.
        named: metric → score, a weighted mean of its assertions.
        faulty: metrics (and ``success``, ``score``) whose judge failed.
        person: whether a person passed it, when one rated it.
    """

    success: float | None
    score: float | None
    named: dict[str, float]
    faulty: frozenset[str] = frozenset()
    person: float | None = None


def read_verdict(row: Row) -> Verdict:
    """Return what a graded row's verdicts say.

    A person's rating overrides pass and score in the log; both are worked out anew from the other verdicts.
    Where a judge failed, promptfoo counts 0: such values are missing here, unless another assertion failed.
    """
    parts = list(own_parts(row))
    person = next((part for part in parts if type_of(part) == HUMAN), None)
    machine = [part for part in parts if type_of(part) != HUMAN]
    success, score = number(row.success), number(row.score)
    if person is not None:
        success, score = _without_person(row, machine)
    faulty = [part for part in machine if _judge_failed(part)]
    named = _named_scores(row)
    failed = {metric for part in faulty for metric in _metrics_of(part)}
    lost = {metric_name(metric) for metric in failed} | ({"score"} if faulty else set())
    if faulty and success != 1 and not _fails_anyway(row, machine):
        lost.add("success")
    return Verdict(
        success=None if "success" in lost else success,
        score=None if "score" in lost else score,
        named={
            metric_name(metric): value for metric, value in named.items() if metric and metric not in failed
        },
        faulty=frozenset(lost),
        person=None if person is None else number(person.passed),
    )


def judges_of(log: Log) -> dict[str, str]:
    """Return the name of the judge of each metric a model decides, ``success`` and ``score`` among them.

    Examples:
        >>> tests = [{"assert": [{"type": "llm-rubric", "metric": "tone", "provider": "openai:x"}]}]
        >>> from aliquot.readers.promptfoo_records import TestCase, convert
        >>> case = convert(tests[0], TestCase, file="a.json", where="test 1")
        >>> judges_of(Log("v3", [Row(test_case=case)]))
        {'success': 'openai:x', 'score': 'openai:x', 'tone': 'openai:x'}
    """
    default = mapping(mapping(log.config.get("defaultTest")).get("options")).get("provider")
    names: dict[str, dict[str, None]] = {}
    seen: set[int] = set()
    for row in log.rows:
        case = row.test_case
        if case is None or not case.asserts or id(case.asserts) in seen:
            continue
        seen.add(id(case.asserts))
        given = mapping(case.options).get("provider") or default
        for assertion in _leaves(case.asserts):
            if not _is_judged(assertion.get("type")):
                continue
            name = _provider_name(assertion.get("provider") or given)
            for metric in ("success", "score", metric_name(assertion.get("metric"))):
                if metric:
                    names.setdefault(metric, {})[name] = None
    return {metric: ", ".join(found) for metric, found in names.items()}


def own_parts(row: Row) -> Iterator[Component]:
    """Yield the verdicts of the row's own assertions; those inside a set stand after it and are left out."""
    grading = row.grading_result
    skip = 0
    for part in (grading.component_results if grading else None) or ():
        if skip:
            skip -= 1
        elif part is not None:
            skip = len(part.component_results or ())
            yield part


def _without_person(row: Row, machine: list[Component]) -> tuple[float | None, float | None]:
    """Return success and score as they were before a person rated the row."""
    case = row.test_case
    if not machine:
        return None, None
    weights = [_weight(part) for part in machine]
    total = sum(weights)
    score = (
        sum(weight * (part.score or 0.0) for weight, part in zip(weights, machine, strict=True)) / total
        if total > 0
        else 0.0
    )
    if case is not None and case.assert_scoring_function is not None:
        return None, None
    if case is not None and case.threshold is not None:
        return float(score >= case.threshold), number(score)
    return float(all(part.passed for part in machine)), number(score)


def _named_scores(row: Row) -> dict[str, float]:
    """Return each named score as a mean; versions that keep no weights wrote the sum of its assertions."""
    found = {
        name: value
        for name, given in mapping(row.named_scores).items()
        if (value := number(given)) is not None
    }
    grading = row.grading_result
    if grading is None or grading.named_score_weights is not None:
        return found
    parts = [part for part in grading.component_results or () if part is not None]
    for name in found:
        own = [part for part in parts if metric_of(part) == name]
        weights = [_weight(part) for part in own]
        if len(own) > 1 and sum(weights) > 0:
            scores = [part.score or 0.0 for part in own]
            found[name] = sum(w * s for w, s in zip(weights, scores, strict=True)) / sum(weights)
    return found


def _fails_anyway(row: Row, machine: list[Component]) -> bool:
    """Tell whether the row fails whatever the judge that failed would have said."""
    threshold = row.test_case.threshold if row.test_case is not None else None
    sound = [part for part in machine if not _judge_failed(part)]
    return threshold is None and any(part.passed is False for part in sound)


def _judge_failed(part: Component) -> bool:
    inner = (one for one in part.component_results or () if one is not None)
    return mapping(part.metadata).get("graderError") is True or any(_judge_failed(one) for one in inner)


def _metrics_of(part: Component) -> Iterator[str]:
    """Yield the metrics a verdict that failed, or a set holding one, went into."""
    if metric := metric_of(part):
        yield metric
    for inner in part.component_results or ():
        if inner is not None and _judge_failed(inner):
            yield from _metrics_of(inner)


def _leaves(asserts: list[Any]) -> Iterator[dict[str, Any]]:
    for assertion in asserts:
        if isinstance(assertion, dict):
            inner = assertion.get("assert")
            yield from _leaves(inner) if isinstance(inner, list) else (assertion,)


def _is_judged(kind: Any) -> bool:
    return isinstance(kind, str) and kind.removeprefix("not-") in JUDGED


def _provider_name(provider: Any) -> str:
    """Return a judge's name; a provider may be a text, an object, or objects by kind of use."""
    if isinstance(provider, str) and provider:
        return provider
    given = mapping(provider)
    name = given.get("label") or given.get("id")
    if isinstance(name, str) and name:
        return name
    return _provider_name(given["text"]) if given.get("text") else DEFAULT_JUDGE


def type_of(part: Component) -> str:
    """Return what kind of assertion a verdict is on."""
    return (part.assertion or Assertion()).type or ""


def metric_of(part: Component) -> str:
    """Return the name under which a verdict counts, its own or that of its set; empty when it has none."""
    return (part.assertion or Assertion()).metric or mapping(_set_of(part)).get("metric") or ""


def _weight(part: Component) -> float:
    given = part.assertion.weight if part.assertion is not None else _set_of(part).get("weight")
    weight = number(given)
    return 1.0 if weight is None else weight


def _set_of(part: Component) -> dict[str, Any]:
    return mapping(mapping(part.metadata).get("assertionSet"))
