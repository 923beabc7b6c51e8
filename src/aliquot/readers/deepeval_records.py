"""What DeepEval writes, typed: test runs (camelCase), evaluation results (snake_case) and the cache of verdicts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
from msgspec import Struct

from aliquot.errors import InputError
from aliquot.evidence.tables import Note
from aliquot.files.json_documents import JsonReading

SUCCESS: Final = "success"
"""The metric that says whether a case passed, the headline."""

_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NO_MODEL: Final = frozenset({"", "none", "n/a"})


class MetricData(Struct):
    """One metric's verdict on one case; absent is None."""

    name: str
    score: float | bool | None = None
    success: bool | None = None
    threshold: float | None = None
    strict_mode: bool | None = None
    flaky: bool | None = None
    evaluation_model: str | None = None
    error: str | None = None
    reason: Any = None

    @property
    def judge(self) -> str | None:
        """The model that judged, if one did."""
        name = self.evaluation_model or ""
        return None if name.strip().lower() in _NO_MODEL else name


class Case(Struct, kw_only=True):
    """One test case with its verdicts; a conversation has turns."""

    name: str | None = None
    success: bool | None = None
    input: Any = None
    actual_output: Any = None
    expected_output: Any = None
    context: Any = None
    retrieval_context: Any = None
    comments: Any = None
    turns: list[Any] | None = None
    scenario: str | None = None
    expected_outcome: str | None = None
    token_cost: float | None = None
    completion_time: float | None = None
    tools_called: list[Any] | None = None
    tags: list[Any] | None = None
    order: int | None = None
    index: int | None = None
    metadata: dict[str, Any] | None = None
    additional_metadata: Any = None
    metrics_data: list[MetricData] | None = None


class MetricScores(Struct):
    """What the run says of one metric."""

    metric: str
    scores: list[float | bool | None] = []
    passes: int | None = None
    fails: int | None = None
    errors: int | None = None


@dataclass(slots=True)
class Log:
    """One run.

    Attributes:
        shape: which of DeepEval's files it is.
        cases: the cases in the order in which they were given.
        scores: what the run says of its metrics.
        passed: cases that passed, as printed.
        failed: cases that did not.
        identifier: what the user called the run.
        hyperparameters: what the user said of the system.
        task: the test file or the data set, if the log names one.
        notes: what reading has to say.
    """

    shape: str
    cases: list[Case]
    scores: list[MetricScores] = field(default_factory=list[MetricScores])
    passed: int | None = None
    failed: int | None = None
    identifier: str = ""
    hyperparameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    task: str = ""
    notes: list[Note] = field(default_factory=list[Note])


def log_of(document: Any, *, file: str) -> Log:
    """Return the run in a document.

    Raises:
        InputError: it is none of DeepEval's, is only a link, or a member is not as DeepEval writes it.
    """
    known: Mapping[str, Any] = document if isinstance(document, Mapping) else {}
    if isinstance(known.get("testRunData"), Mapping):
        known = known["testRunData"]
    try:
        if "testCases" in known or "conversationalTestCases" in known:
            log = _log_of_run(known)
        elif isinstance(known.get("test_results"), list):
            log = Log("evaluation result", _cases(known["test_results"]))
        elif isinstance(known.get("test_cases_lookup_map"), Mapping):
            log = _log_of_cache(known["test_cases_lookup_map"], file=file)
        elif "testRunLink" in known:
            remedy = "The run itself is .deepeval/.latest_run_full.json, or in DEEPEVAL_RESULTS_FOLDER"
            raise InputError("holds only the address of a run", file=file, remedy=remedy)
        else:
            raise InputError("is no run of DeepEval", file=file, remedy="It has testCases or test_results")
    except msgspec.ValidationError as error:
        raise InputError(f"is not as DeepEval writes it: {error}", file=file) from error
    if not log.cases:
        raise InputError("holds no test case", file=file)
    log.cases.sort(key=_place)  # they come as they were finished
    return log


def _log_of_run(known: Mapping[str, Any]) -> Log:
    hyperparameters = known.get("hyperparameters")
    cases, conversations = (
        msgspec.convert(known.get(name) or [], list[Any]) for name in ("testCases", "conversationalTestCases")
    )
    return Log(
        "test run",
        _cases([*cases, *conversations]),
        msgspec.convert(known.get("metricsScores") or [], list[MetricScores]),
        msgspec.convert(known.get("testPassed"), int | None),
        msgspec.convert(known.get("testFailed"), int | None),
        msgspec.convert(known.get("identifier"), str | None) or "",
        hyperparameters if isinstance(hyperparameters, Mapping) else {},
        msgspec.convert(known.get("datasetAlias") or known.get("testFile"), str | None) or "",
    )


def _log_of_cache(lookup: Mapping[Any, Any], *, file: str) -> Log:
    """Return the cases a cache holds verdicts on; its keys say what each was."""
    cases: list[Any] = []
    for key, verdicts in lookup.items():
        case = JsonReading().parse(str(key), file=file)
        given = verdicts.get("cached_metrics_data") if isinstance(verdicts, Mapping) else None
        listed = given if isinstance(given, list) else []
        data = [one.get("metric_data") for one in listed if isinstance(one, Mapping)]
        if isinstance(case, Mapping):
            cases.append({**case, "metrics_data": data, "success": None})
    text = (
        "a cache of verdicts, perhaps of several runs: it does not say which system answered, nor what passed"
    )
    return Log("cache", _cases(cases), notes=[Note("cache_of_verdicts", text)])


def _cases(given: list[Any]) -> list[Case]:
    """Return cases whose keys are in either style."""
    return msgspec.convert([_snake(one, inner="metrics_data") for one in given], list[Case])


def _snake(value: Any, *, inner: str = "") -> Any:
    """Return an object with keys in snake_case, and those in the list that one of them names."""
    if not isinstance(value, Mapping):
        return value
    plain = {_HUMP.sub("_", str(key)).lower(): part for key, part in value.items()}
    if isinstance(plain.get(inner), list):
        plain[inner] = [_snake(one) for one in plain[inner]]
    return plain


def _place(case: Case) -> int:
    place = case.order if case.order is not None else case.index
    return 0 if place is None else place


def named(data: Sequence[MetricData]) -> Iterator[tuple[str, MetricData]]:
    """Yield metrics by name; a second of one name, or one called like the headline, is numbered."""
    seen = Counter[str]({SUCCESS: 1})
    for one in data:
        seen[one.name] += 1
        yield (one.name if seen[one.name] == 1 else f"{one.name}#{seen[one.name]}") or "metric", one
