"""Real logs: every file reads, what the tool printed comes out of the rows, every pair compares."""

from __future__ import annotations

import itertools
import math
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import polars as pl
import pytest

from aliquot.evidence.contents import tasks
from aliquot.evidence.merging import merge
from aliquot.evidence.tables import Evidence
from aliquot.readers.registry import find_reader, read_one
from aliquot.verbs.compare import compare
from tests.shared import shared

LOGS = sorted(path for path in shared("logs", "inspect").rglob("*") if path.suffix in {".eval", ".json"})

NOT_REPRODUCED = {
    "bootstrap_stderr": "drawn without a seed, so it differs from run to run",
}

WRONG = {
    ("stderr", "one item"): "0 where one item shows no variation at all: undefined",
    ("pass_at_2", "dict_scorer.length"): "a length of at least 1 counts as passed, so every item passes",
    ("pass_at_2", "partial_scorer"): "half credit counts as failed",
}
"""Printed numbers that come out of the rows by the tool's own rule, and still do not say what their name says."""


def test_there_are_logs() -> None:
    assert len(LOGS) == 20


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name[:60])
def test_every_log_reads_with_its_texts(path: Path) -> None:
    assert find_reader(path).name == "inspect"
    evidence = read_one(path)
    key = evidence.responses.select("system", "task", "item", "attempt").row(0)
    assert evidence.texts is not None
    if "no_samples" not in [note.code for note in evidence.notes]:
        assert evidence.texts.inputs(key[1], key[2])
        assert evidence.texts.response(*key)
        assert evidence.items["content"].null_count() == 0


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name[:60])
def test_printed_numbers_come_out_of_the_rows(path: Path) -> None:
    evidence = read_one(path)
    for metric, statistic, printed in evidence.reported.select("metric", "statistic", "value").iter_rows():
        reducer, _, name = statistic.rpartition(": ") if "grouped" not in statistic else _grouped(statistic)
        if name in NOT_REPRODUCED:
            continue
        assert _computed(evidence, metric, reducer, name) == pytest.approx(printed, abs=1e-9), (
            metric,
            statistic,
        )


def test_numbers_that_are_wrong_are_known() -> None:
    """The rule that makes each of them, beside what its name asks for."""
    evidence = read_one(next(path for path in LOGS if "AaWpkq" in path.name))
    assert _computed(evidence, "dict_scorer.length", "pass_at_2", "mean") == 1.0
    assert _computed(evidence, "partial_scorer", "pass_at_2", "accuracy") < _computed(
        evidence, "partial_scorer", "mean", "accuracy"
    )  # no pass@2 of a score can lie below its pass@1
    single = read_one(next(path for path in LOGS if path.name == "log_read_sample.eval"))
    assert dict(single.reported.select("statistic", "value").iter_rows())["stderr"] == 0.0
    assert len(WRONG) == 3


@pytest.mark.heavy
def test_every_pair_on_one_task_compares_with_only_the_paths() -> None:
    logs = {path: read_one(path) for path in LOGS}
    compared = 0
    for one, other in itertools.combinations(LOGS, 2):
        if set(tasks(logs[one])) & set(tasks(logs[other])) and not _same_run(logs[one], logs[other]):
            assert compare(one, other).verdict.text, (one.name, other.name)
            compared += 1
    assert compared == 39


def test_archive_and_document_of_the_same_system_pair() -> None:
    archive, document = (
        read_one(next(path for path in LOGS if name in path.name)) for name in ("5ePAd3", "Gjf34b")
    )
    both = archive.items.join(document.items, on="item")
    assert both.height == 10
    assert both["content"].equals(both["content_right"])


def _same_run(one: Evidence, other: Evidence) -> bool:
    """Tell whether two files hold the same rows of one system (log_formats is there in both formats)."""
    codes = [note.code for note in merge(one, other).notes] if one.responses.equals(other.responses) else []
    return "identical_system" in codes


def _grouped(statistic: str) -> tuple[str, str, str]:
    head, name = statistic.rsplit(": ", 1)
    return head.removesuffix("grouped").removesuffix(": "), "", f"grouped {name}"


def _computed(evidence: Evidence, metric: str, reducer: str, name: str) -> float:
    """The tool's number in plain arithmetic, from the rows of the evidence."""
    rows = evidence.outcomes.filter(pl.col("metric") == metric).sort("attempt")
    scored = [
        (row["item"], row["value"], row["label"] or row["value"])
        for row in rows.iter_rows(named=True)
        if row["value"] is not None
    ]
    by_item: dict[str, list[tuple[float, object]]] = {}
    for item, value, given in scored:
        by_item.setdefault(item, []).append((value, given))
    reduced = {item: _REDUCERS[reducer](values) for item, values in by_item.items()}
    known = (
        evidence.items.select("item", "segment.passage", "segment.difficulty")
        if _has_fields(evidence)
        else None
    )
    if name.startswith("grouped ") and known is not None:
        group = name.removeprefix("grouped ")
        fields = dict(known.select("item", "segment.difficulty").iter_rows())
        reduced = {item: value for item, value in reduced.items() if group in {"all", fields[item]}}
        name = "mean"
    if name == "stderr(cluster=passage)" and known is not None:
        return _clustered(reduced, dict(known.select("item", "segment.passage").iter_rows()))
    values = list(reduced.values())
    count = len(rows["item"].unique()) - len(values)
    numbers: dict[str, Callable[[], float]] = {
        "accuracy": lambda: statistics.fmean(values),
        "mean": lambda: statistics.fmean(values),
        "std": lambda: statistics.stdev(values),
        "stderr": lambda: statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0,
        "scored_samples": lambda: len(values),
        "unscored_samples": lambda: count,
    }
    return numbers[name]()


def _has_fields(evidence: Evidence) -> bool:
    return {"segment.passage", "segment.difficulty"} <= set(evidence.items.columns)


def _clustered(values: Mapping[str, float], clusters: Mapping[str, str]) -> float:
    """sqrt(Σ_c (Σ_i deviations)² · C/(C−1)) / n."""
    mean, sums = statistics.fmean(values.values()), Counter[str]()
    for item, value in values.items():
        sums[clusters[item]] += value - mean  # type: ignore[assignment]
    return math.sqrt(sum(total**2 for total in sums.values()) * len(sums) / (len(sums) - 1)) / len(values)


def _mean(values: Sequence[tuple[float, object]]) -> float:
    return statistics.fmean(value for value, _ in values)


def _pass_at_2(values: Sequence[tuple[float, object]]) -> float:
    """1 − C(n−c, 2) / C(n, 2), where a score of at least 1 passes (Chen et al., 2021)."""
    n, right = len(values), sum(value >= 1 for value, _ in values)
    return 1 - math.comb(n - right, 2) / math.comb(n, 2)


def _mode(values: Sequence[tuple[float, object]]) -> float:
    """The commonest score as it was given (I and N differ, though both are 0); of several the first seen."""
    commonest = Counter(given for _, given in values).most_common(1)[0][0]
    return next(value for value, given in values if given == commonest)


_REDUCERS: dict[str, Callable[[Sequence[tuple[float, object]]], float]] = {
    "": _mean,
    "mean": _mean,
    "pass_at_2": _pass_at_2,
    "mode": _mode,
}
