"""Logs that lm-evaluation-harness 0.4.13 wrote, on toy tasks with two stub models, and totals from before 0.4."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import AliquotError
from aliquot.evidence.contents import headline_metric, systems, tasks
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.readers.describe import describe
from aliquot.readers.lm_eval_records import hash_doc
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import find_reader, read_one
from aliquot.verbs.compare import compare
from tests.shared import shared

LOGS = shared("logs", "lm-eval")
FOLDERS = [LOGS / f"org__stub-{name}" for name in "ab"]
TASKS = ("toy_mc", "toy_mc_b", "toy_gsm", "toy_gsm_sc", "toy_bleu")


@pytest.fixture(scope="module", params=FOLDERS, ids=["a", "b"])
def evidence(request: pytest.FixtureRequest) -> Evidence:
    return read_one(request.param)


def _leaf(evidence: Evidence, statistic: str) -> list[tuple[str, str, float]]:
    rows = evidence.reported.filter(pl.col("statistic") == statistic, pl.col("task").is_in(TASKS))
    return rows.filter(pl.col("metric") != "bleu").select("task", "metric", "value").rows()


def _means(evidence: Evidence, task: str, metric: str) -> pl.Series:
    return units(evidence, systems(evidence)[0], task=task, metric=metric).frame["mean"]


def test_every_file_reads(evidence: Evidence) -> None:
    assert tasks(evidence) == TASKS
    assert {task.items for task in describe(evidence).tasks} == {60}
    for path in (path for folder in FOLDERS for path in folder.iterdir()):
        assert find_reader(path).name == "lm-eval"
        assert read_one(path).outcomes.height >= 60


def test_the_harnesss_means_are_those_of_the_rows(evidence: Evidence) -> None:
    printed = _leaf(evidence, "value")
    assert len(printed) == 10
    for task, metric, value in printed:
        # probabilities are logged with eight digits, each off by 5e-9 at most
        tolerance = 1e-7 if metric == "brier_score" else 1e-12
        assert _means(evidence, task, metric).mean() == pytest.approx(value, abs=tolerance), (task, metric)


def test_the_harnesss_standard_errors_are_those_of_the_rows(evidence: Evidence) -> None:
    printed = _leaf(evidence, "stderr")
    assert len(printed) == 9
    for task, metric, value in printed:
        values = _means(evidence, task, metric)
        std = values.std()
        assert isinstance(std, float)
        assert std / len(values) ** 0.5 == pytest.approx(value, abs=1e-12), (task, metric)


def test_the_standard_error_of_the_group_is_too_small(evidence: Evidence) -> None:
    printed = {row[0]: row[1] for row in evidence.reported.filter(
        pl.col("task") == "toy_group", pl.col("metric") == "acc").select("statistic", "value").rows()}  # fmt: skip
    both = [_means(evidence, task, "acc") for task in ("toy_mc", "toy_mc_b")]
    assert both[0].equals(both[1])
    assert printed["value"] == pytest.approx(both[0].mean(), abs=1e-12)
    std = both[0].std()
    assert isinstance(std, float)
    # the two tasks hold the same 60 items with the same answers, so their average has the error of one of them
    right = std / 60**0.5
    assert printed["stderr"] == pytest.approx(right / 2**0.5, abs=1e-12)
    assert any(
        note.code == "group" and "60 of their items are the same" in note.text for note in evidence.notes
    )


def test_tasks_that_share_their_items_are_named(evidence: Evidence) -> None:
    shares = {task.task: task.shares_items_with for task in describe(evidence).tasks}
    assert shares["toy_mc"] == ("toy_mc_b",)
    assert shares["toy_bleu"] == ("toy_gsm", "toy_gsm_sc")


def test_documents_hash_as_the_harness_hashes_them(evidence: Evidence) -> None:
    by_id = read_one(Path(evidence.sources[0].path), ReadOptions(item="doc.id"))
    contents = by_id.items.filter(pl.col("task") == "toy_mc").select("item", "content")
    document = {"id": "q000", "passage_id": "p00", "question": "What is 22 plus 11?",
                "choices": ["34 small green apples", "33 apples", "32 small green apples", "43 apples"],
                "label": 1}  # fmt: skip
    assert contents.row(0) == ("q000", hash_doc(document))


def test_passages_can_be_clusters(evidence: Evidence) -> None:
    task = next(task for task in describe(evidence).tasks if task.task == "toy_gsm")
    assert task.clusters == {"doc.passage_id": 15}
    again = read_one(Path(evidence.sources[0].path), ReadOptions(cluster="doc.passage_id"))
    assert again.items.filter(pl.col("task") == "toy_gsm")["cluster"].n_unique() == 15


@pytest.mark.parametrize("task", TASKS)
def test_the_two_systems_compare_with_only_the_paths_given(task: str) -> None:
    names = ("org/stub-a", "org/stub-b")
    files = [next(folder.glob(f"samples_{task}_2*.jsonl")) for folder in FOLDERS]
    found = [
        compare(*FOLDERS, task=task),
        compare(LOGS, task=task),
        compare(*files),
        compare(*(next(folder.glob("results_*.json")) for folder in FOLDERS), task=task),
    ]
    for finding in found:
        assert (finding.baseline.system, finding.candidate.system, finding.n_items) == (*names, 60)
        assert finding.metric == headline_metric(read_one(FOLDERS[0]), task)
        assert finding.difference == found[0].difference


@pytest.mark.heavy
def test_every_pair_of_files_compares_or_says_why_not() -> None:
    files = [path for folder in FOLDERS for path in sorted(folder.iterdir())]
    said: list[str] = []
    for a, b in combinations(files, 2):
        try:
            compare(a, b)
        except AliquotError as error:
            said.append(str(error))
    assert not [text for text in said if "\n" in text]
    # each of 5 tasks with its like; whatever else was not compared names the tasks or the systems
    assert len(list(combinations(files, 2))) - len(said) >= 5
    assert all("task" in text or "systems" in text or "same rows" in text for text in said)


def test_totals_from_before_0_4_say_that_they_hold_nothing_per_item() -> None:
    for path in (LOGS / "pre04").iterdir():
        evidence = read_one(path)
        assert (evidence.outcomes.height, evidence.reported.height > 0) == (0, True)
        assert any("nothing per item" in note.text for note in evidence.notes)
        with pytest.raises(AliquotError, match=r"nothing to compare: .* totals only, nothing per item"):
            compare(path, path)


def test_public_case_35() -> None:
    evidence = read_one(shared("cases", "35-one-log-two-filters", "samples_demo_2024-01-01T00-00-00.jsonl"))
    assert evidence.items.height == 3
    assert _means(evidence, "demo", "exact_match,strict-match").mean() == pytest.approx(1 / 3)
    assert _means(evidence, "demo", "exact_match,flexible-extract").mean() == pytest.approx(2 / 3)


def test_an_answer_that_is_no_utf_8_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    (log,) = FOLDERS[0].glob("samples_toy_gsm_sc_*")
    first, second = log.read_bytes().splitlines(keepends=True)[:2]
    statuses = []
    for start in (b'[" We get', b'["\xff We get'):
        (tmp_path / log.name).write_bytes(first.replace(b'[" We get', start, 1) + second)
        statuses.append(read_one(tmp_path / log.name).outcomes.select("item", "status", "value").rows())
    assert statuses[0] == statuses[1]
    assert "unparsed" in {status for _, status, _ in statuses[0]}


STARTS = [
    b"".join(path.read_bytes().splitlines(keepends=True)[:4]) for path in sorted(FOLDERS[0].glob("samples_*"))
]
RESULTS = next(FOLDERS[0].glob("results_*")).read_bytes()


@settings(max_examples=60, deadline=None)
@given(
    data=st.sampled_from([*STARTS, RESULTS]),
    place=st.floats(0, 1),
    cut=st.integers(0, 60),
    splice=st.sampled_from(
        [b"", b"NaN", b"null", b"{}", b'"', b"[[", b"1e999", b"\xff", b"\n", b'"\\ud800"', b"\x00"]
    ),
)
def test_mutated_logs_give_evidence_or_one_clear_line(
    tmp_path_factory, data: bytes, place: float, cut: int, splice: bytes
) -> None:
    start = int(place * len(data))
    mutated = data[:start] + splice + data[start + cut :]
    folder = tmp_path_factory.mktemp("any")
    name = "results_2026-01-01T00-00-00.json" if data is RESULTS else "samples_t_2026-01-01T00-00-00.jsonl"
    (folder / name).write_bytes(mutated)
    said = ""
    try:
        describe(read_one(folder / name, ReadOptions(reader="lm-eval")))
    except AliquotError as error:
        said = str(error)
    assert "\n" not in said
