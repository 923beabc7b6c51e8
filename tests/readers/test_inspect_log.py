from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from aliquot.errors import InputError, UsageError
from aliquot.evidence.contents import headline_metric, systems, tasks
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.readers.labels import read_labels
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import find_reader, read_one
from tests.readers.inspect_logs import (
    DEFLATE,
    encode,
    eval_log,
    header,
    json_log,
    member,
    sample,
    summary,
    zip_bytes,
)


def _codes(evidence: Evidence) -> list[str]:
    return [note.code for note in evidence.notes]


def _values(evidence: Evidence, metric: str = "match") -> dict[tuple[str, int], float | None]:
    rows = evidence.outcomes.filter(pl.col("metric") == metric)
    return {
        (item, attempt): value for item, attempt, value in rows.select("item", "attempt", "value").iter_rows()
    }


def test_a_log_is_told_by_its_bytes(tmp_path: Path) -> None:
    log = eval_log(tmp_path / "renamed.zip", [summary(1)])
    assert find_reader(log).name == "inspect"
    assert find_reader(json_log(tmp_path / "log.json", [sample(1)])).name == "inspect"
    (tmp_path / "rows.json").write_text('[{"item": "1", "score": 1}]')
    assert find_reader(tmp_path / "rows.json").name == "table"
    (tmp_path / "other.zip").write_bytes(zip_bytes([("data.csv", b"1")]))
    with pytest.raises(InputError, match=r"no reader knows it.*inspect \(logs of Inspect"):
        find_reader(tmp_path / "other.zip")


def test_archive_and_document_of_one_run_hold_the_same(tmp_path: Path) -> None:
    samples = [
        sample(
            1, "C", metadata={"passage": "p"}, model_usage={"stub/a": {"input_tokens": 7, "output_tokens": 2}}
        ),
        sample(
            "x y/ü", "I", metadata={"passage": "p"}, working_time=0.5, started_at="2026-01-01T00:00:00+00:00"
        ),
    ]
    archive = read_one(eval_log(tmp_path / "a.eval", samples, samples=samples))
    document = read_one(json_log(tmp_path / "a.json", samples))
    for table in ("items", "responses", "outcomes", "metrics", "settings"):
        assert getattr(archive, table).equals(getattr(document, table)), table
    assert (systems(archive), tasks(archive)) == (("stub/a",), ("sums",))
    row = archive.responses.row(0, named=True)
    assert (row["item"], row["tokens_in"], row["tokens_out"], row["latency_s"]) == ("1", 7, 2, 1.0)
    assert archive.responses["latency_s"][1] == 0.5
    assert archive.items["segment.passage"].to_list() == ["p", "p"]
    for evidence in (archive, document):
        assert evidence.texts is not None
        assert evidence.texts.inputs("sums", "x y/ü") == "q x y/ü"
        assert evidence.texts.reference("sums", "1") == "1"
        assert evidence.texts.response("stub/a", "sums", "1", 1) == "answer to 1"
        assert evidence.texts.response("stub/b", "sums", "1", 1) is None
        assert evidence.texts.inputs("sums", "none") is None


def test_summaries_do_and_samples_stay_closed(tmp_path: Path) -> None:
    log = eval_log(
        tmp_path / "a.eval", [summary(1), summary(2)], extra=[("samples/2_epoch_1.json", b"not even JSON")]
    )
    evidence = read_one(log)
    assert _values(evidence) == {("1", 1): 1.0, ("2", 1): 1.0}
    assert "read_summaries" in _codes(evidence)


def test_summaries_of_old_versions_are_completed_from_the_samples(tmp_path: Path) -> None:
    old = {"id": 1, "epoch": 1, "input": "q", "target": "1", "scores": {"match": {"value": "C"}}}
    whole = {**old, "choices": ["a", "b"], "model_usage": {"stub/a": {"input_tokens": 5}}, "total_time": 2.0}
    whole |= {"metadata": {"topic": "law"}, "output": {"choices": [{"stop_reason": "max_tokens"}]}}
    evidence = read_one(eval_log(tmp_path / "a.eval", [old], samples=[whole], method=DEFLATE))
    row = evidence.responses.row(0, named=True)
    assert (row["tokens_in"], row["latency_s"], row["status"], row["reason"]) == (
        5,
        2.0,
        "truncated",
        "max_tokens",
    )
    assert evidence.items["content"].equals(read_one(json_log(tmp_path / "a.json", [whole])).items["content"])
    assert evidence.texts is not None
    assert evidence.texts.inputs("sums", "1") == "q\nA) a\nB) b"


@pytest.mark.parametrize(
    ("given", "value", "label"),
    [
        ("C", 1.0, "C"),
        ("I", 0.0, "I"),
        ("P", 0.5, "P"),
        ("N", 0.0, "N"),
        (True, 1.0, None),
        (False, 0.0, None),
        (3, 3.0, None),
        (0.25, 0.25, None),
        ("0.25", 0.25, "0.25"),
        ("Yes", 1.0, "Yes"),
        ("no", 0.0, "no"),
        (float("nan"), None, None),
        (float("-inf"), None, None),
        (None, None, None),
        ("1_0", None, "1_0"),
    ],
)
def test_a_score_is_its_number_or_missing_and_never_0_for_want_of_one(
    tmp_path: Path, given: Any, value: float | None, label: str | None
) -> None:
    rows = [summary(1, given), *(summary(n, "C") for n in range(2, 5))]
    first = read_one(eval_log(tmp_path / "a.eval", rows)).outcomes.row(0, named=True)
    assert (first["value"], first["label"], first["status"]) == (
        value,
        label,
        "missing" if value is None else "ok",
    )


def test_nan_within_texts_stays_text(tmp_path: Path) -> None:
    tricky = 'say "x: NaN, y" \\" [NaN, NaN]'
    log = eval_log(tmp_path / "a.eval", [summary(1, float("nan"), input=tricky, metadata={"k": "\\"})])
    evidence = read_one(log)
    clean = read_one(eval_log(tmp_path / "b.eval", [summary(1, "C", input=tricky, metadata={"k": "\\"})]))
    assert evidence.items.equals(clean.items)
    assert _values(evidence) == {("1", 1): None}


def test_labels_are_no_numbers(tmp_path: Path) -> None:
    rows = [summary(place, letter) for place, letter in enumerate("ABCD")]
    evidence = read_one(eval_log(tmp_path / "a.eval", rows))
    assert evidence.metrics.select("metric", "kind").row(0) == ("match", "category")
    assert evidence.outcomes["value"].to_list() == [None] * 4
    assert evidence.outcomes["label"].to_list() == list("ABCD")
    assert set(evidence.outcomes["status"]) == {"ok"}
    odd = read_one(
        eval_log(tmp_path / "b.eval", [summary(0, "unclear"), *(summary(n, "C") for n in range(1, 4))])
    )
    assert odd.metrics["kind"].to_list() == ["binary"]
    assert _values(odd)["0", 1] is None
    assert "1 of 4 scores of 'match' are texts" in next(
        n.text for n in odd.notes if n.code == "unknown_scores"
    )


def test_objects_and_lists_are_a_metric_a_part(tmp_path: Path) -> None:
    scores = {"rubric": {"value": {"tone": 3, "facts": "C", "none": None}}, "steps": {"value": [1, 0]}}
    evidence = read_one(eval_log(tmp_path / "a.eval", [summary(1, scores=scores)]))
    found = dict(evidence.outcomes.select("metric", "value").iter_rows())
    assert found == {
        "rubric.tone": 3.0,
        "rubric.facts": 1.0,
        "rubric.none": None,
        "steps.0": 1.0,
        "steps.1": 0.0,
    }
    assert set(evidence.outcomes["scorer"]) == {"rubric", "steps"}


def test_the_headline_is_the_logs_own(tmp_path: Path) -> None:
    scores = {"length": {"value": 3}, "rubric": {"value": {"facts": "C"}}}
    results = {"scores": [], "headline": {"scorer": "rubric", "score": "facts", "metric": "accuracy"}}
    named = read_one(eval_log(tmp_path / "a.eval", [summary(1, scores=scores)], head=header(results=results)))
    assert headline_metric(named, "sums") == "rubric.facts"
    printed = {"scores": [{"name": "facts", "scorer": "rubric", "metrics": {}}]}
    first = read_one(eval_log(tmp_path / "b.eval", [summary(1, scores=scores)], head=header(results=printed)))
    assert headline_metric(first, "sums") == "rubric.facts"


def test_epochs_are_attempts(tmp_path: Path) -> None:
    rows = [summary(1, value, epoch=epoch) for epoch, value in enumerate("CICI", start=1)]
    evidence = read_one(eval_log(tmp_path / "a.eval", rows))
    frame = units(evidence, "stub/a", task="sums", metric="match").frame
    assert frame.select("item", "mean", "k").rows() == [("1", 0.5, 4)]  # (1 + 0 + 1 + 0) / 4


def test_an_error_is_missing_and_a_limit_is_the_systems_doing(tmp_path: Path) -> None:
    rows = [
        summary(1, ..., error="Connection\nreset"),
        summary(2, ..., limit="time"),
        summary(3, ..., limit="token"),
        summary(4, "C", limit="message"),
        summary(5, "C", error="scored all the same"),
        summary(6, ..., limit="operator"),
        summary(7, "C", retries=2),
    ]
    evidence = read_one(eval_log(tmp_path / "a.eval", rows))
    assert evidence.responses["status"].to_list() == [
        "error", "timeout", "truncated", "truncated", "error", "error", "ok",
    ]  # fmt: skip
    assert evidence.responses["reason"].to_list()[:2] == ["Connection reset", "time limit"]
    frame = units(evidence, "stub/a", task="sums", metric="match").frame
    assert frame["mean"].to_list() == [None, 0.0, 0.0, 1.0, 1.0, None, 1.0]
    assert "1 of 7 samples were tried again" in next(
        note.text for note in evidence.notes if note.code == "retried"
    )


def test_samples_of_the_plan_that_were_never_asked_are_missing(tmp_path: Path) -> None:
    head = header(
        status="error",
        error={"message": "too many\nerrors"},
        dataset={"sample_ids": [1, 2]},
        config={"epochs": 2},
    )
    evidence = read_one(eval_log(tmp_path / "a.eval", [summary(1, "C", epoch=2)], head=head))
    assert evidence.responses.select("item", "attempt", "status").rows() == [
        ("1", 2, "ok"),
        ("1", 1, "missing"),
        ("2", 1, "missing"),
        ("2", 2, "missing"),
    ]
    assert next(note.text for note in evidence.notes if note.code == "run_not_finished").endswith(
        "ended with an error (too many errors)"
    )


@pytest.mark.parametrize("directory", [True, False])
def test_a_killed_run_is_read_from_its_journal(tmp_path: Path, directory: bool) -> None:
    members = [
        ("_journal/start.json", encode({"version": 2, "eval": header()["eval"], "plan": {}})),
        member(sample(1, "C")),
        ("_journal/summaries/2.json", encode([summary(2, "C"), summary(1, "C")])),
        ("_journal/summaries/1.json", encode([summary(1, "I")])),
        member(sample(3, "I")),
    ]
    (tmp_path / "a.eval").write_bytes(zip_bytes(members, directory=directory))
    evidence = read_one(tmp_path / "a.eval")
    assert _values(evidence) == {("1", 1): 1.0, ("2", 1): 1.0, ("3", 1): 0.0}
    assert "run_not_finished" in _codes(evidence)
    assert ("torn_archive" in _codes(evidence)) is not directory


def test_the_last_header_and_the_last_summary_count(tmp_path: Path) -> None:
    extra = [("header.json", encode(header(model="stub/old")))]
    log = eval_log(tmp_path / "a.eval", [summary(1, "I"), summary(1, "C")], extra=extra)
    evidence = read_one(log)
    assert (systems(evidence), _values(evidence)) == (("stub/a",), {("1", 1): 1.0})


def test_a_sample_in_pieces(tmp_path: Path) -> None:
    shell = sample(1, input="see attachment://1", output={"completion": "attachment://0 and attachment://9"})
    del shell["metadata"]
    folder = "samples/1_epoch_1/"
    extra = [
        (f"{folder}sample.json", encode(shell)),
        (f"{folder}metadata.json", encode({"passage": "p" * 2_000})),
        (f"{folder}messages/0.json", b"[]"),
        (f"{folder}attachments/0.json", encode(["zero"])),
        (f"{folder}attachments/1.json", encode(["one"])),
    ]
    short = summary(1, metadata={"passage": "Key removed from summary (> 1k)"})
    evidence = read_one(
        eval_log(tmp_path / "a.eval", [short], extra=extra), ReadOptions(cluster="metadata.passage")
    )
    assert evidence.items["cluster"].to_list() == ["p" * 2_000]
    assert evidence.texts is not None
    assert evidence.texts.inputs("sums", "1") == "see one"
    assert evidence.texts.response("stub/a", "sums", "1", 1) == "zero and attachment://9"
    only = read_one(eval_log(tmp_path / "b.eval", None, extra=extra))
    assert _values(only) == {("1", 1): 1.0}


def test_a_cluster_is_found_by_path_in_the_summary_or_in_the_sample(tmp_path: Path) -> None:
    shortened = "w " * 511 + "..."
    summaries = [
        summary(1, metadata={"doc": {"id": 7}}),
        summary(2, metadata={"doc": "Key removed from summary (> 1k)"}),
        summary(3, metadata={"doc": {"id": None}}),
        summary(4, metadata={"doc.id": shortened}),
    ]
    samples = [sample(2, metadata={"doc": {"id": 7}}), sample(4, metadata={"doc.id": "w " * 511 + "whole"})]
    log = eval_log(tmp_path / "a.eval", summaries, samples=samples)
    evidence = read_one(log, ReadOptions(cluster="metadata.doc.id"))
    assert evidence.items["cluster"].to_list() == ["7", "7", None, "w " * 511 + "whole"]
    with pytest.raises(
        UsageError, match=r"no sample has 'metadata.dox' to cluster by. Did you mean 'metadata.doc'"
    ):
        read_one(log, ReadOptions(cluster="metadata.dox"))


def test_the_cluster_of_the_logs_own_standard_error_is_taken(tmp_path: Path) -> None:
    metrics = [{"name": "inspect_ai/stderr", "options": {"cluster": "passage"}}]
    head = header(scorers=[{"name": "match", "options": {}, "metrics": metrics}])
    rows = [summary(1, metadata={"passage": "p"}), summary(2, metadata={"passage": "q"})]
    evidence = read_one(eval_log(tmp_path / "a.eval", rows, head=head))
    assert evidence.items["cluster"].to_list() == ["p", "q"]
    assert "log_cluster" in _codes(evidence)


def test_a_cut_text_and_an_image_are_compared_whole(tmp_path: Path) -> None:
    cut = "x" * 5120 + "...\n(content truncated)"
    picture = [{"role": "user", "content": [{"type": "text", "text": "(Image)"}]}]
    summaries = [
        summary(1, input=cut),
        summary(2, input=cut),
        summary(3, input=picture),
        summary(4, input=picture),
    ]

    def seen(image: str) -> list[dict[str, Any]]:
        return [{"role": "user", "id": image, "content": [{"type": "image", "image": image}]}]

    samples = [
        sample(1, input="x" * 5120 + "one"),
        sample(2, input="x" * 5120 + "two"),
        sample(3, input=seen("attachment://1a")),
        sample(4, input=seen("attachment://2b")),
    ]
    archive = read_one(eval_log(tmp_path / "a.eval", summaries, samples=samples))
    assert archive.items["content"].n_unique() == 4
    assert archive.items["content"].equals(read_one(json_log(tmp_path / "a.json", samples)).items["content"])


def test_message_ids_are_no_part_of_what_is_asked(tmp_path: Path) -> None:
    def asked(name: str) -> list[dict[str, Any]]:
        return [summary(1, input=[{"id": name, "role": "user", "content": "q"}])]

    one, two = (read_one(eval_log(tmp_path / f"{name}.eval", asked(name))) for name in "ab")
    assert one.items.equals(two.items)


def test_a_number_and_a_text_of_one_id_are_refused(tmp_path: Path) -> None:
    for log in (
        eval_log(tmp_path / "a.eval", [summary(1), summary("1")]),
        json_log(tmp_path / "a.json", [sample(1), sample("1", epoch=2)]),
    ):
        with pytest.raises(InputError, match='two ids become one: the number 1 and the text "1"'):
            read_one(log)


def test_an_id_asks_one_thing(tmp_path: Path) -> None:
    log = eval_log(tmp_path / "a.eval", [summary(1), summary(1, epoch=2, input="other")])
    with pytest.raises(InputError, match="item '1' asks one thing in epoch 1 and another in epoch 2"):
        read_one(log)


def test_invalidated_samples_and_edited_scores(tmp_path: Path) -> None:
    edited = {"match": {"value": "C", "history": [{"value": "I"}, {"value": "C"}]}}
    samples = [sample(1, "C", invalidation={"author": "me"}), sample(2, scores=edited)]
    rows = [summary(1, "C"), summary(2, "C")]
    evidence = read_one(eval_log(tmp_path / "a.eval", rows, samples=samples, head=header(invalidated=True)))
    assert evidence.responses["status"].to_list() == ["missing", "ok"]
    assert _values(evidence) == {("2", 1): 1.0}
    assert {"invalidated", "edited_scores"} <= set(_codes(evidence))


def test_what_people_gave_in_edits_are_labels_beside_what_the_scorer_gave(tmp_path: Path) -> None:
    by_ana, by_ben = ({"author": name, "timestamp": "2026-11-01T10:00:00Z"} for name in ("ana", "ben"))
    scores = [
        {"match": {"value": "C"}},
        {"match": {"value": "I", "history": [{"value": "C"}, {"value": "I", "provenance": by_ana}]}},
        {
            "match": {
                "value": "C",
                "history": [
                    {"value": "I"},
                    {"value": "UNCHANGED", "explanation": "as it is", "provenance": by_ana},
                    {"value": "C", "provenance": by_ben},
                ],
            }
        },
        {"match": {"value": "C", "history": [{"value": "C", "provenance": by_ana}]}},
    ]
    log = json_log(tmp_path / "a.json", [sample(place, scores=one) for place, one in enumerate(scores, 1)])
    rows = read_one(log).outcomes.select("item", "metric", "scorer", "by", "value")
    assert sorted(rows.filter(pl.col("by") == "person").rows()) == [
        ("2", "human: match", "ana", "person", 0.0),
        ("3", "human: match", "ben", "person", 1.0),
        ("4", "human: match", "ana", "person", 1.0),
    ]
    assert sorted(rows.filter(metric="before edits: match").select("item", "value").rows()) == [
        ("1", 1.0), ("2", 1.0), ("3", 0.0),
    ]  # fmt: skip
    assert sorted(rows.filter(metric="match").select("item", "value").rows()) == [
        ("1", 1.0), ("2", 0.0), ("3", 1.0), ("4", 1.0),
    ]  # fmt: skip
    assert read_labels(log).raters == ["ana", "ben"]


def test_a_log_without_samples_keeps_the_scores_of_its_items(tmp_path: Path) -> None:
    reductions = [
        {
            "scorer": "match",
            "reducer": "mean",
            "samples": [{"sample_id": 1, "value": 0.75}, {"sample_id": "b", "value": 1.0}],
        },
        {"scorer": "match", "reducer": "max", "samples": [{"sample_id": 1, "value": 1.0}]},
    ]
    log = eval_log(tmp_path / "a.eval", None, extra=[("reductions.json", encode(reductions))])
    document = tmp_path / "a.json"
    document.write_bytes(encode({**header(), "samples": None, "reductions": reductions}))
    for path in (log, document):
        evidence = read_one(path)
        assert _values(evidence) == {("1", 1): 0.75, ("b", 1): 1.0}
        assert evidence.items["content"].to_list() == [None, None]
        assert "no_samples" in _codes(evidence)


@pytest.mark.parametrize(
    ("options", "roles", "judge"),
    [
        ({"model": "openai/big"}, {}, "openai/big"),
        ({"model": ["x/1", "x/2"]}, {}, "x/1, x/2"),
        ({"model_role": "critic"}, {"critic": {"model": "x/critic"}}, "x/critic"),
        ({}, {"grader": {"model": "x/grader"}}, "x/grader"),
        ({}, {}, "stub/a"),
    ],
)
def test_a_model_judge_is_named(tmp_path: Path, options: Any, roles: Any, judge: str) -> None:
    scorers = [
        {"name": "model_graded_qa", "options": options},
        {"name": "match", "options": {"numeric": True}},
    ]
    scores = {"model_graded_qa": {"value": "C"}, "match": {"value": "C"}}
    rows = [summary(1, scores=scores), summary(2, scores={**scores, "model_graded_qa": {"value": None}})]
    evidence = read_one(eval_log(tmp_path / "a.eval", rows, head=header(scorers=scorers, model_roles=roles)))
    assert dict(evidence.metrics.select("metric", "judge").iter_rows()) == {
        "model_graded_qa": judge,
        "match": None,
    }
    judged = evidence.outcomes.filter(pl.col("scorer") == "model_graded_qa")
    assert judged.select("by", "status").rows() == [("judge", "ok"), ("judge", "unparsed")]
    assert set(evidence.outcomes.filter(pl.col("scorer") == "match")["by"]) == {"rule"}


def test_a_judges_tokens_are_not_the_systems(tmp_path: Path) -> None:
    usage = {"stub/a": {"input_tokens": 3, "total_cost": 0.5}, "judge": {"input_tokens": 900}}
    evidence = read_one(eval_log(tmp_path / "a.eval", [summary(1, model_usage=usage)]))
    assert evidence.responses.select("tokens_in", "cost", "currency").row(0) == (3, 0.5, "USD")


def test_settings_name_what_made_the_system_and_no_key(tmp_path: Path) -> None:
    head = header(
        task_version=3,
        model_generate_config={"temperature": 0.5, "max_connections": 9},
        model_args={"api_key": "sk-secret", "auth_token": "t", "tokenizer": "fast"},
        config={"limit": 10, "epochs": 2},
        plan={
            "steps": [
                {"solver": "system_message", "params": {"template": "Be brief"}},
                {"solver": "generate"},
            ]
        },
        scorers=[{"name": "match", "options": {"numeric": True}}],
    )
    settings = dict(
        read_one(eval_log(tmp_path / "a.eval", [summary(1)], head=head))
        .settings.select("name", "value")
        .iter_rows()
    )
    known = {
        "harness": "inspect_ai",
        "harness_version": "0.3.285",
        "model": "stub/a",
        "decoding.temperature": "0.5",
        "task_version": "3",
        "limit": "10",
        "epochs": "2",
        "solver": "system_message > generate",
        "scorer.match": '{"numeric":true}',
        "model.tokenizer": "fast",
    }
    assert known.items() <= settings.items()
    assert "secret" not in json.dumps(settings)
    assert "decoding.max_connections" not in settings


def test_what_the_tool_printed_is_read_under_names_that_tell_it_apart(tmp_path: Path) -> None:
    metrics = {
        "accuracy": {"name": "accuracy", "value": 0.5},
        "stderr2": {"name": "stderr", "value": 0.1, "params": {"cluster": "passage"}},
        "easy": {"name": "easy", "group": "grouped", "value": 1},
        "nothing": {"name": "nothing", "value": None},
    }
    printed = {"name": "match", "scorer": "match", "scored_samples": 2, "metrics": metrics}
    results = {"scores": [printed, {**printed, "reducer": "pass_at_2", "scored_samples": None}]}
    reported = read_one(eval_log(tmp_path / "a.eval", [summary(1)], head=header(results=results))).reported
    assert dict(reported.select("statistic", "value").iter_rows()) == {
        "accuracy": 0.5,
        "stderr(cluster=passage)": 0.1,
        "grouped: easy": 1.0,
        "scored_samples": 2.0,
        "pass_at_2: accuracy": 0.5,
        "pass_at_2: stderr(cluster=passage)": 0.1,
        "pass_at_2: grouped: easy": 1.0,
    }


def test_a_log_may_be_given_a_name(tmp_path: Path) -> None:
    evidence = read_one(eval_log(tmp_path / "a.eval", [summary(1)]), ReadOptions(name="mine"))
    assert systems(evidence) == ("mine",)


def test_half_a_character_does_not_hide_the_rest_of_a_log(tmp_path: Path) -> None:
    rows = [sample(1, input="half \ud83d, whole \U0001f600", events=[{"text": "\udc00"}]), sample(2)]
    for log in (eval_log(tmp_path / "a.eval", rows, samples=rows), json_log(tmp_path / "a.json", rows)):
        evidence = read_one(log)
        assert evidence.items.height == 2
        assert evidence.texts is not None
        assert evidence.texts.inputs("sums", "1") == "half \ufffd, whole \U0001f600"
