"""Log-probabilities of written answers from the evaluation file to the journal, the table and what ``show`` writes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from aliquot.errors import InputError, UsageError
from aliquot.evidence.merging import merge
from aliquot.files.records import ToldResponse
from aliquot.files.run_directory import RunDirectory
from aliquot.reports.rows import render_rows, rows_document
from aliquot.runner.evaluation import SystemSpec
from aliquot.runner.evaluation_file import parse_evaluation
from aliquot.systems.callables import function_system
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.requests import Decoding
from aliquot.verbs.read import read
from aliquot.verbs.run import run, run_async
from aliquot.verbs.show import show
from tests.runner.evaluations import evaluation, right, write_items
from tests.runner.test_run import Notes
from tests.systems.server import chat, ok, serve

FILE = """\
name: trial
items: made.jsonl
scorer: words
systems:
  first: {{model: embedded, prompt: "{{{{ question }}}}", decoding: {{logprobs: {said}}}}}
"""


def tokens(text: str) -> list[dict[str, Any]]:
    """Return an answer's tokens: a first one that is sure, and the rest that is not."""
    tops = [{"token": text[1:], "logprob": -1.5}, {"token": "7", "logprob": -1.75}]
    rest = {"token": text[1:], "logprob": -1.5, "top_logprobs": tops}
    return [{"token": text[:1], "logprob": -0.25}, rest, {"token": "<|end|>", "logprob": -3.0}]


def answer(prompt: str) -> dict[str, Any]:
    """Answer rightly and tell the tokens, but not those of the second question."""
    text = right(prompt)
    return {"text": text} if text == "a1" else {"text": text, "logprobs": tokens(text)}


def spec(model: Any = "sure", **drawn: Any) -> SystemSpec:
    return SystemSpec(model=model, prompt="{{ question }}", decoding=Decoding(**drawn))


MODELS = {"sure": function_system(answer, version="1")}


def trial(folder: Path, observer: Any = None, **drawn: Any) -> Path:
    """Run four items in a folder and return the run's directory."""
    folder.mkdir(exist_ok=True)
    given = evaluation(write_items(folder, 4), systems={"first": spec(**drawn)})
    return run(given, directory=folder / "runs", models=MODELS, observer=observer).path


@pytest.mark.parametrize(
    ("said", "meant"), [("true", 1), ("false", None), ("null", None), ("1", 1), ("20", 20)]
)
def test_the_file_says_true_or_how_many_alternatives(said: str, meant: int | None) -> None:
    found = parse_evaluation(FILE.format(said=said), file="trial.yaml")
    assert found.systems["first"].decoding.logprobs == meant


@pytest.mark.parametrize(
    ("said", "problem"), [("21", "21 alternatives are too many"), ("0", "1"), ("many", "many")]
)
def test_anything_else_is_refused_with_its_row(said: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        parse_evaluation(FILE.format(said=said), file="trial.yaml")
    assert "row 5, field 'logprobs'" in str(caught.value)


def test_sums_are_in_the_table_and_tokens_in_the_journal_alone(tmp_path: Path) -> None:
    path = trial(tmp_path, logprobs=2)
    evidence = read(path)
    told = evidence.responses.select("item", "log_probability", "log_probability_tokens").rows()
    assert sorted(told) == [("i0", -1.75, 2), ("i1", None, None), ("i2", -1.75, 2), ("i3", -1.75, 2)]
    assert evidence.settings.filter(pl.col("name") == "decoding.logprobs")["value"].to_list() == ["2"]
    light = RunDirectory(path).read_journal().records
    assert {record.log_probability for record in light} == {-1.75, None}
    assert not any(isinstance(record, ToldResponse) for record in light)
    lines = [json.loads(line) for line in (path / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
    assert next(line for line in lines if line["item"] == "i2")["token_logprobs"] == [
        ["a", -0.25, []], ["2", -1.5, [["2", -1.5], ["7", -1.75]]]
    ]  # fmt: skip


def test_show_writes_the_tokens_out_and_json_the_numbers(tmp_path: Path) -> None:
    rows = show(trial(tmp_path, logprobs=2), changes=("same",), items=("i2",))
    text = render_rows(rows)
    assert "log-probabilities: -1.75, a mean of -0.875 over 2 tokens" in text
    assert 'least sure: "2" -1.5 (or "7" -1.75), "a" -0.25' in text
    facts = rows_document(rows)["rows"][0]["candidate"]["facts"]
    assert (facts["log-probability"], facts["tokens it is of"]) == ("-1.75", "2")


def test_answers_that_came_without_are_counted_at_the_end(tmp_path: Path) -> None:
    notes = Notes()
    trial(tmp_path, notes, logprobs=2)
    (said,) = [text for text in notes.texts if "Log-probabilities" in text]
    assert said.startswith("Log-probabilities were asked of 'first', and 1 answer of 4 came without")
    notes = Notes()
    trial(tmp_path / "unasked", notes)
    assert not any("Log-probabilities" in text for text in notes.texts)


def test_they_are_part_of_the_system_and_older_runs_go_on_without(tmp_path: Path) -> None:
    path = trial(tmp_path)
    with pytest.raises(UsageError, match="decoding of 'first'"):
        trial(tmp_path, logprobs=1)
    manifest = json.loads((path / "run.json").read_text(encoding="utf-8"))
    del manifest["systems"]["first"]["decoding"]["logprobs"]  # as versions wrote it that did not know the key
    (path / "run.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert trial(tmp_path) == path


def test_tables_of_older_runs_get_the_columns_they_lack(tmp_path: Path) -> None:
    old, new = trial(tmp_path / "old"), trial(tmp_path / "new", logprobs=1)
    table = old / "evidence" / "responses.parquet"
    kept = pl.read_parquet(table).drop("log_probability", "log_probability_tokens")
    kept.with_columns(system=pl.lit("other")).write_parquet(table)
    outcomes = old / "evidence" / "outcomes.parquet"
    pl.read_parquet(outcomes).with_columns(system=pl.lit("other")).write_parquet(outcomes)
    both = merge(RunDirectory(old).read_evidence(), RunDirectory(new).read_evidence())
    assert both.responses["log_probability"].null_count() == 5


def test_the_cache_keeps_them_and_an_answer_without_them_is_another(tmp_path: Path) -> None:
    items, asked = write_items(tmp_path, 4), list[str]()

    def noted(prompt: str) -> dict[str, Any]:
        asked.append(prompt)
        return answer(prompt)

    models = {"sure": function_system(noted, version="1")}
    for name, drawn in (("a", {"logprobs": 2}), ("b", {"logprobs": 2}), ("c", {})):
        given = evaluation(items, name=name, systems={"first": spec(**drawn)})
        found = run(given, directory=tmp_path, models=models, cache=tmp_path / "cache")
        assert found.evidence.responses["log_probability"].null_count() == 1
    assert len(asked) == 8


def test_a_server_is_asked_for_them_and_one_that_ignores_it_is_told_of(tmp_path: Path) -> None:
    def whole(body: dict[str, Any]) -> Any:
        text = right(body["messages"][-1]["content"])
        found = chat(text)
        if body["messages"][-1]["content"].startswith("told"):
            found["choices"][0]["logprobs"] = {"content": tokens(text)}
        return ok(found)

    async def work() -> Any:
        async with serve(lambda _, body: whole(body)) as server:
            endpoint = Endpoint(base_url=server.base_url, model="m")
            deaf, tells = (
                SystemSpec(model=endpoint, prompt=f"{name} {{{{ question }}}}", decoding=Decoding(logprobs=2))
                for name in ("deaf", "told")
            )
            given = evaluation(write_items(tmp_path, 3), systems={"deaf": deaf, "told": tells})
            notes = Notes()
            found = await run_async(given, directory=tmp_path, observer=notes)
            return found, server.bodies, notes.texts

    found, bodies, said = asyncio.run(work())
    assert {(body["logprobs"], body["top_logprobs"]) for body in bodies} == {(True, 2)}
    sums = dict(found.evidence.responses.group_by("system").agg(pl.col("log_probability").sum()).rows())
    assert sums == {"deaf": 0.0, "told": 3 * -1.75}
    assert [text.partition(":")[0] for text in said if "Log-prob" in text] == [
        "Log-probabilities were asked of 'deaf', and 3 answers of 3 came without"
    ]
    manifest = RunDirectory(found.path).manifest
    assert manifest is not None
    assert any("'deaf'" in text for text in manifest.warnings)
