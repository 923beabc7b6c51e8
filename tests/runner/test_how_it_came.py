"""Rules that read how an answer came about, in runs: live, resumed, made again from the journal, and scored anew."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from aliquot.errors import InputError, RunStoppedError
from aliquot.evidence.tables import Evidence
from aliquot.files.run_directory import RunDirectory
from aliquot.runner.evaluation import Evaluation, Guards, ScorerSpec, StoredRun, SystemSpec
from aliquot.runner.results import build_evidence
from aliquot.systems.callables import function_system
from aliquot.verbs.read import read
from aliquot.verbs.rescore import rescore
from aliquot.verbs.run import run
from tests.runner.evaluations import evaluation, right

N = 6
RECALLS = {"i0": 1.0, "i1": 0.5, "i2": 0.0, "i3": 1.0, "i4": 0.0, "i5": None}
"""What ``pipeline`` keeps of each item's two golden ids."""


def write_golden(folder: Path, **more: Any) -> Path:
    path = folder / "golden.jsonl"
    rows = [
        {"id": f"i{k}", "question": f"q{k}.", "reference": f"a{k}", "golden": [f"d{k}@1", f"e{k}@1"]} | more
        for k in range(N)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def pipeline(prompt: str) -> dict[str, Any]:
    """Answer rightly whatever was found; the last item tells of no stage, and the fourth fails after its search."""
    k = right(prompt)[1:]
    found = {"0": ["d0@2", "x", "e0"], "1": ["x", "d1", "y", "e1"], "2": ["x"], "3": ["e3", "d3"], "4": []}
    kept = {"0": ["d0", "e0"], "1": ["d1"], "2": ["x"], "3": ["d3", "e3"], "4": []}
    if k == "5":
        return {"text": "a5", "transcript": [{"role": "assistant", "content": "a5"}]}
    stages = [
        {"name": "search", "values": {"documents": found[k]}},
        {"name": "context", "values": {"documents": kept[k]}},
    ]
    calls = [{"name": "search", "arguments": {"q": f"q{k}"}}]
    failed = {"text": "", "status": "failed", "reason": "no words"}
    return {"text": f"a{k}", "stages": stages, "tool_calls": calls} | (failed if k == "3" else {})


def values(found: Evidence, metric: str, system: str = "first") -> dict[str, float | None]:
    rows = found.outcomes.filter(pl.col("metric") == metric, pl.col("system") == system)
    return dict(rows.select("item", "value").sort("item").iter_rows())


def own(folder: Path, scorer: str, *others: str, items: Path | None = None, **changes: Any) -> Evaluation:
    ways = {"scorer": ScorerSpec(rule=scorer), "alternatives": tuple(ScorerSpec(rule=one) for one in others)}
    return evaluation(items or write_golden(folder), **ways | {"guards": Guards(parse_rate=0)} | changes)


def test_stages_are_scored_live_and_again_from_the_journal(tmp_path: Path) -> None:
    kept, fifth = 'recall(stage="context")', "reciprocal_rank(k=5)"
    given = own(tmp_path, kept, fifth, "words")
    made = run(given, directory=tmp_path, models={"fake": function_system(pipeline)})
    assert values(made.evidence, kept) == RECALLS
    assert values(made.evidence, fifth) == {"i0": 1, "i1": 1 / 2, "i2": 0, "i3": 1, "i4": 0, "i5": None}
    statuses = dict(made.evidence.responses.select("item", "status").iter_rows())
    assert statuses == dict.fromkeys(RECALLS, "ok") | {"i3": "failed", "i5": "missing"}
    assert "unfinished" not in {note.code for note in made.evidence.notes}
    again = build_evidence(RunDirectory(made.path))
    key = ["metric", "item"]
    assert again.outcomes.sort(key).equals(made.evidence.outcomes.sort(key))
    shutil.rmtree(made.path / "evidence")
    assert values(read(made.path), kept) == RECALLS


def test_a_run_that_is_gone_on_with_scores_what_was_answered_before(tmp_path: Path) -> None:
    given, asked = own(tmp_path, "hit(k=1)"), list[str]()

    def counted(prompt: str) -> dict[str, Any]:
        asked.append(prompt)
        return pipeline(prompt)

    path = run(given, directory=tmp_path, models={"fake": function_system(counted)}).path
    journal = path / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:3]) + lines[3][:40])  # as a process that died half-way leaves it
    made = run(given, directory=tmp_path, models={"fake": function_system(counted)})
    assert len(asked) == N + 3
    assert values(made.evidence, "hit(k=1)") == {"i0": 1, "i1": 0, "i2": 0, "i3": 1, "i4": 0, "i5": None}


def test_a_run_is_scored_anew_by_its_stages_and_calls_with_other_golden_ids_too(tmp_path: Path) -> None:
    bare = write_golden(tmp_path)
    path = run(own(tmp_path, "words"), directory=tmp_path, models={"fake": function_system(pipeline)}).path
    journal = (path / "journal.jsonl").read_bytes()
    rescore(path, scorer='recall(stage="context")')
    assert values(read(path), 'recall(stage="context")') == RECALLS
    with pytest.raises(InputError, match="which calls it wants"):
        rescore(path, scorer="tool_calls")
    call = {"name": "search", "arguments": {"q": "q2"}}
    rows = [
        json.loads(line) | {"golden": {"x": 2}, "tools": [call]} for line in bare.read_text().splitlines()
    ]
    bare.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for scorer in ("tool_calls", "hit"):
        rescore(path, evaluation=own(tmp_path, scorer, items=bare))
    found = read(path)
    named = {metric.partition("@")[0]: metric for metric in found.metrics["metric"]}
    assert values(found, named["tool_calls"]) == dict.fromkeys(RECALLS, 0) | {"i2": 1}
    assert values(found, named["hit"]) == {"i0": 1, "i1": 1, "i2": 1, "i3": 0, "i4": 0, "i5": None}
    assert (path / "journal.jsonl").read_bytes() == journal


def test_stored_answers_are_scored_by_the_stages_they_came_with(tmp_path: Path) -> None:
    first = own(tmp_path, "words")
    path = run(first, directory=tmp_path, models={"fake": function_system(pipeline)}).path
    stored = SystemSpec(model=StoredRun(run=str(path)))
    second = own(tmp_path, 'recall(stage="context")', name="second", systems={"first": stored})
    assert values(run(second, directory=tmp_path).evidence, 'recall(stage="context")') == RECALLS


def test_items_without_golden_ids_are_refused_before_anything_is_asked(tmp_path: Path) -> None:
    items, asked = write_golden(tmp_path, golden=[]), list[str]()
    model = function_system(lambda prompt: asked.append(prompt) or "x")
    with pytest.raises(InputError, match="no golden id with a grade above 0") as refused:
        run(own(tmp_path, "words", "recall", items=items), directory=tmp_path, models={"fake": model})
    assert refused.value.field == "golden"
    assert not asked


def test_a_system_that_tells_of_no_stages_stops_a_run_that_is_about_them_and_is_left_out_beside_others(
    tmp_path: Path,
) -> None:
    silent = {"fake": function_system(right)}
    strict = own(tmp_path, "recall", guards=Guards(first=4))
    with pytest.raises(RunStoppedError, match=r"could be read \(4 untold\).*how they came about"):
        run(strict, directory=tmp_path, models=silent)
    beside = own(tmp_path, "words", "recall", name="beside")
    made = run(beside, directory=tmp_path, models=silent)
    assert set(made.evidence.metrics["metric"]) == {"success"}
    manifest = RunDirectory(made.path).manifest
    assert manifest is not None
    assert any("'first' is not scored by 'recall'" in text for text in manifest.warnings)


def test_evidence_that_keeps_stages_and_transcripts_is_scored_anew_like_a_run(tmp_path: Path) -> None:
    path = run(own(tmp_path, "words"), directory=tmp_path, models={"fake": function_system(pipeline)}).path
    golden = write_golden(tmp_path, tools=["search"])
    for scorer, wanted in (
        ('recall(stage="context")', RECALLS),
        ("tool_calls", dict.fromkeys(RECALLS, 1) | {"i5": 0}),
    ):
        table = tmp_path / "anew.parquet"
        rescore(read(path), evaluation=own(tmp_path, scorer, items=golden), output=table)
        found = read(table)
        metric = next(name for name in found.metrics["metric"] if name.startswith(scorer.partition("(")[0]))
        assert values(found, metric) == wanted


@pytest.mark.parametrize("told", ["sufficient", "nominated", None])
def test_right_without_the_evidence_is_said_where_golden_ids_are_sufficient(
    tmp_path: Path, told: str | None
) -> None:
    items = write_golden(tmp_path, **({"golden_is": told} if told else {}))
    given = own(tmp_path, "words", "recall", 'recall(stage="context")', items=items)
    path = run(given, directory=tmp_path, models={"fake": function_system(pipeline)}).path
    manifest = RunDirectory(path).manifest
    assert manifest is not None
    said = [text for text in manifest.warnings if "evidence" in text]
    # right: all but i3, so 4 of the 5 that tell a context; kept: (1 + 1/2 + 0 + 1 + 0) / 5; above it: i1, i2, i4
    words = (
        "'first' is right on 80.0% of 5 items whose golden ids are sufficient, and its context held 50.0% of their "
        "evidence: 3 items are answered right without the evidence, from memory or by luck."
    )
    assert said == ([words] if told == "sufficient" else [])


def test_nothing_is_said_of_a_system_whose_context_holds_what_it_answers(tmp_path: Path) -> None:
    def grounded(prompt: str) -> dict[str, Any]:
        k = right(prompt)[1:]
        stages = [{"name": "retrieval", "values": {"documents": [f"e{k}", f"d{k}"]}}]
        return {"text": f"a{k}" if k != "1" else "unknown", "stages": stages}

    given = own(tmp_path, "words", "recall", items=write_golden(tmp_path, golden_is="sufficient"))
    path = run(given, directory=tmp_path, models={"fake": function_system(grounded)}).path
    manifest = RunDirectory(path).manifest
    assert manifest is not None
    assert not [text for text in manifest.warnings if "evidence" in text]


def test_calls_of_earlier_turns_are_not_those_of_a_later_one(tmp_path: Path) -> None:
    turns = [
        {"question": "Look it up.", "reference": "done", "tools": ["search"]},
        {"question": "Book it.", "reference": "done", "tools": ["book"]},
        {"question": "Thanks.", "reference": "done", "tools": []},
    ]
    (tmp_path / "said.jsonl").write_text(json.dumps({"id": "trip", "turns": turns}) + "\n", encoding="utf-8")
    file = tmp_path / "said.yaml"
    file.write_text(
        "name: said\nitems: said.jsonl\nscorers: [words, tool_calls]\n"
        "systems: {agent: {model: agent, prompt: '{{ question }}'}}\n",
        encoding="utf-8",
    )

    def agent(question: str) -> dict[str, Any]:
        calls = {"Look it up.": ["search"], "Book it.": ["book"]}.get(question.splitlines()[-1], [])
        return {"text": "done", "tool_calls": [{"name": name, "arguments": {}} for name in calls]}

    path = run(file, directory=tmp_path / "runs", models={"agent": function_system(agent, version="1")}).path
    live = dict(
        read(path).outcomes.filter(pl.col("metric") == "tool_calls").select("item", "value").iter_rows()
    )
    assert live == {"trip#1": 1.0, "trip#2": 1.0, "trip#3": 1.0}
    found = tmp_path / "again.parquet"
    rescore(read(path), scorer="tool_calls", evaluation=file, output=found)
    again = read(found).outcomes.filter(pl.col("metric").str.starts_with("tool_calls"))
    assert again.height == 6  # the run's own, and the same read out of its evidence
    assert again["value"].to_list() == [1.0] * 6
