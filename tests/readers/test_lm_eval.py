from __future__ import annotations

import json
import math
from pathlib import Path

import polars as pl
import pytest

from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import SCHEMAS, assemble
from aliquot.evidence.contents import metrics, systems, tasks
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.readers.lm_eval_records import hash_doc
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import read_one
from tests.readers.lm_eval_logs import line, write_results, write_samples

NO_ANSWER = "LMEVAL_MODEL_NONE_ANSWER_PLACEHOLDER"


def _codes(evidence: Evidence) -> list[str]:
    return [note.code for note in evidence.notes]


def _values(evidence: Evidence, metric: str) -> list[float | None]:
    return evidence.outcomes.filter(pl.col("metric") == metric)["value"].to_list()


def test_two_filters_are_two_metrics_of_the_same_items(tmp_path: Path) -> None:
    # public case 35: means 1/3 and 2/3 over 3 items, never 1/2 over 6
    strict, flexible = [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]
    records = [line(k, filter_name="strict-match", exact_match=v) for k, v in enumerate(strict)]
    records += [line(k, filter_name="flexible-extract", exact_match=v) for k, v in enumerate(flexible)]
    evidence = read_one(write_samples(tmp_path, records))
    assert (tasks(evidence), evidence.items.height, evidence.responses.height) == (("demo",), 3, 3)
    assert metrics(evidence, "demo") == ("exact_match,strict-match", "exact_match,flexible-extract")
    means = [
        units(evidence, tmp_path.name, task="demo", metric=m).frame["mean"].mean()
        for m in metrics(evidence, "demo")
    ]
    assert means == [pytest.approx(1 / 3), pytest.approx(2 / 3)]
    assert set(evidence.outcomes["scorer"]) == {"strict-match", "flexible-extract"}


def test_the_tables_are_what_assemble_would_make_of_them(tmp_path: Path) -> None:
    records = [line(k, acc=float(k % 2), f1=[k % 2, 1]) for k in range(4)]
    write_results(tmp_path, {"demo": {"acc,none": 0.5}})
    evidence = read_one(write_samples(tmp_path, records))
    tables = {name: getattr(evidence, name) for name in SCHEMAS}
    again = assemble(tables.pop("outcomes"), **tables)
    for name in SCHEMAS:
        assert getattr(again, name).equals(getattr(evidence, name)), name


def test_items_are_joined_by_their_document_and_never_by_doc_id(tmp_path: Path) -> None:
    # unsorted --samples [7, 3]: the harness writes document 3 with doc_id 7 and the reverse
    documents = {k: {"id": f"q{k}", "question": f"{k}?"} for k in (3, 7)}
    right = [line(k, doc=documents[k], acc=float(k == 3)) for k in (3, 7)]
    wrong = [line(k, doc=documents[10 - k], acc=float(k == 7)) for k in (7, 3)]
    one = read_one(write_samples(tmp_path / "one", right))
    two = read_one(write_samples(tmp_path / "two", wrong))
    assert dict(one.outcomes.select("item", "value").iter_rows()) == dict(
        two.outcomes.select("item", "value").iter_rows()
    )


def test_one_doc_id_on_two_documents_is_said(tmp_path: Path) -> None:
    evidence = read_one(write_samples(tmp_path, [line(0, acc=1.0), line(0, doc={"id": "other"}, acc=0.0)]))
    assert evidence.items.height == 2
    assert "doc_ids_unreliable" in _codes(evidence)


def test_a_document_held_twice_is_two_items_of_one_content(tmp_path: Path) -> None:
    doc = {"question": "2+2?"}
    records = [
        line(k, doc=doc, filter_name=name, exact_match=value)
        for name, values in {"a": (1.0, 0.0), "b": (1.0, 1.0)}.items()
        for k, value in enumerate(values)
    ]
    evidence = read_one(write_samples(tmp_path, records))
    known = hash_doc(doc)
    assert evidence.items.select("item", "content").rows() == [(known, known), (f"{known}#2", known)]
    assert _values(evidence, "exact_match,a") == [1.0, 0.0]
    assert "copies" in _codes(evidence)


def test_a_file_written_twice_is_refused_or_settled_as_the_user_says(tmp_path: Path) -> None:
    path = write_samples(tmp_path, [line(0, acc=1.0), line(1, acc=0.0), line(0, acc=1.0)])
    with pytest.raises(
        InputError, match=r"rows 1 and 3 hold the same document and filter \(1 documents.*--duplicates"
    ):
        read_one(path)
    assert _values(read_one(path, ReadOptions(duplicates="drop")), "acc") == [1.0, 0.0]
    again = read_one(path, ReadOptions(duplicates="attempts"))
    assert again.outcomes.select("attempt", "value").rows() == [(1, 1.0), (1, 0.0), (2, 1.0)]
    differing = write_samples(tmp_path / "b", [line(0, acc=1.0), line(0, acc=0.0)])
    with pytest.raises(InputError, match="rows 1 and 2"):
        read_one(differing, ReadOptions(duplicates="drop"))


def test_the_users_key_names_the_items(tmp_path: Path) -> None:
    path = write_samples(tmp_path, [line(k, acc=1.0) for k in range(3)])
    for key in ("doc.id", "id"):
        evidence = read_one(path, ReadOptions(item=key))
        assert evidence.items["item"].to_list() == ["q0", "q1", "q2"]
        assert evidence.items["content"].to_list() == [
            hash_doc({"id": f"q{k}", "question": f"{k}+1?"}) for k in range(3)
        ]
    assert read_one(path, ReadOptions(item="doc_id")).items["item"].to_list() == ["0", "1", "2"]
    assert read_one(path, ReadOptions(item="doc_hash")).items.equals(read_one(path).items)
    with pytest.raises(InputError, match=r"row 1: has no doc.nothing"):
        read_one(path, ReadOptions(item="doc.nothing"))


def test_a_key_that_names_two_documents_is_refused(tmp_path: Path) -> None:
    path = write_samples(tmp_path, [line(k, doc={"topic": "law", "n": k}, acc=1.0) for k in range(2)])
    with pytest.raises(InputError, match=r"1 ids name several documents, the first 'law'"):
        read_one(path, ReadOptions(item="doc.topic"))


def test_placeholder_answers_are_errors_and_empty_ones_the_systems_failure(tmp_path: Path) -> None:
    records = [
        line(0, exact_match=1.0),
        line(1, exact_match=0.0, resps=[[NO_ANSWER]], filtered_resps=["[invalid]"]),
        line(2, exact_match=0.0, resps=[[""]], filtered_resps=["[invalid]"]),
        line(3, exact_match=0.0, filtered_resps=["[invalid]"]),
        line(4, doc={"question": f"why {NO_ANSWER}?", "hint": ""}, exact_match=1.0),
    ]
    evidence = read_one(write_samples(tmp_path, records))
    assert evidence.responses.select("status", "reason").rows() == [
        ("ok", None), ("error", "the API gave no answer"), ("failed", "empty answer"), ("ok", None), ("ok", None),
    ]  # fmt: skip
    assert evidence.outcomes.select("value", "status").rows() == [
        (1.0, "ok"), (None, "error"), (0.0, "failed"), (0.0, "unparsed"), (1.0, "ok"),
    ]  # fmt: skip
    # (1 + 0 + 0 + 1)/4: the error is missing, while the harness's own mean would be 2/5
    frame = units(evidence, tmp_path.name, task="demo", metric="exact_match").frame
    assert (frame["mean"].mean(), frame["missing"].sum()) == (0.5, 1)
    assert {"no_answers", "empty_answers"} <= set(_codes(evidence))


def test_an_error_under_one_filter_is_an_error_of_the_response(tmp_path: Path) -> None:
    gone = {"resps": [[NO_ANSWER]], "filtered_resps": [NO_ANSWER]}
    records = [line(0, filter_name=name, exact_match=0.0, **gone) for name in ("a", "b")]
    records += [line(1, filter_name=name, exact_match=1.0) for name in ("a", "b")]
    evidence = read_one(write_samples(tmp_path, records))
    assert evidence.responses.select("status").rows() == [("error",), ("ok",)]
    assert _values(evidence, "exact_match,a") == [None, 1.0]


def test_scores_of_repeats_are_attempts(tmp_path: Path) -> None:
    scores = [{"exact_match": [1.0, 0.0]}, {"exact_match": [1.0, math.nan]}]
    answers = [[["a", "b"]], [["c", "d"]]]
    records = [line(k, exact_match=0.5, scores_per_repeat=scores[k], resps=answers[k]) for k in range(2)]
    evidence = read_one(write_samples(tmp_path, records))
    assert evidence.outcomes.select("attempt", "value", "status").rows() == [
        (1, 1.0, "ok"), (2, 0.0, "ok"), (1, 1.0, "ok"), (2, None, "missing"),
    ]  # fmt: skip
    assert evidence.responses["attempt"].to_list() == [1, 2, 1, 2]
    assert evidence.texts is not None
    first = evidence.items["item"][0]
    assert [evidence.texts.response(tmp_path.name, "demo", first, k) for k in (1, 2, 3)] == ["a", "b", None]


def test_repeats_scored_as_one_are_one_attempt_and_said(tmp_path: Path) -> None:
    write_results(tmp_path, {"demo": {"exact_match,none": 1.0}}, configs={"demo": {"repeats": 2}})
    evidence = read_one(write_samples(tmp_path, [line(0, exact_match=1.0, resps=[["a", "b"]])]))
    assert evidence.responses["attempt"].to_list() == [1]
    assert "repeats_scored_once" in _codes(evidence)


def test_parts_of_corpus_metrics_are_kept_and_not_taken_for_values(tmp_path: Path) -> None:
    records = [
        line(
            k,
            mcc=[k % 2, 1],
            word_perplexity=[-10.5, 7],
            bleu=["the reference", "the answer"],
            exact_match=0.0,
        )
        for k in range(2)
    ]
    evidence = read_one(write_samples(tmp_path, records))
    assert metrics(evidence, "demo") == ("exact_match", "mcc", "word_perplexity", "bleu")
    parts = {
        name: evidence.outcomes.filter(pl.col("metric") == name)["parts"].to_list()
        for name in metrics(evidence, "demo")
    }
    assert parts == {
        "exact_match": [None] * 2,
        "mcc": [[0.0, 1.0], [1.0, 1.0]],
        "word_perplexity": [[-10.5, 7.0]] * 2,
        "bleu": [None] * 2,
    }
    assert _values(evidence, "bleu") == [None, None]
    described = {row["metric"]: row for row in evidence.metrics.iter_rows(named=True)}
    assert (described["mcc"]["kind"], described["mcc"]["on_failure"]) == ("real", None)
    assert described["word_perplexity"]["better"] == "lower"
    assert _codes(evidence).count("corpus_metric") == 3


def test_brier_scores_are_made_of_their_parts(tmp_path: Path) -> None:
    cells = [[1, "[0.25 0.75]"], [0, [0.5, 0.5]], [5, "[0.5 0.5]"], [0, "[0.5 ... 0.1]"]]
    evidence = read_one(write_samples(tmp_path, [line(k, brier_score=cell) for k, cell in enumerate(cells)]))
    # .25² + (.75 − 1)² = .125; (.5 − 1)² + .5² = .5; a gold choice that does not exist; an array cut short
    assert _values(evidence, "brier_score") == [0.125, 0.5, None, None]
    assert evidence.metrics.select("low", "high", "better").row(0) == (0.0, 2.0, "lower")


def test_values_that_are_none_are_missing_and_counted(tmp_path: Path) -> None:
    path = write_samples(
        tmp_path, [line(0, acc=1.0), line(1, acc=math.nan), line(2, acc=math.inf), line(3, acc=None)]
    )
    path.write_text(
        path.read_text() + json.dumps(line(4, acc=0.0)).replace('"acc": 0.0', '"acc": 1e999') + "\n"
    )
    evidence = read_one(path)
    assert _values(evidence, "acc") == [1.0, None, None, None, None]
    assert "demo: 3 values are NaN or infinite; they count as missing, not as 0" in [
        n.text for n in evidence.notes
    ]
    assert set(evidence.outcomes["status"]) == {"ok", "missing"}


def test_a_metric_that_some_lines_leave_out_is_missing_there(tmp_path: Path) -> None:
    # the harness drops such documents from its mean without a word
    evidence = read_one(
        write_samples(tmp_path, [line(0, acc=1.0, other=1), line(1, acc=0.0), line(2, acc=1.0)])
    )
    assert _values(evidence, "other") == [1.0, None, None]


def test_a_bypassed_metric_is_left_out_and_said(tmp_path: Path) -> None:
    evidence = read_one(write_samples(tmp_path, [line(0, bypass=None, acc=1.0)]))
    assert metrics(evidence, "demo") == ("acc",)
    assert "metric_without_values" in _codes(evidence)


def test_logs_without_filter_names_and_lists_of_metrics(tmp_path: Path) -> None:
    # before 0.4.7: a document's line again for each filter, and no word on which
    records = [line(k, filter_name=None, acc=float(v), word=k) for v in (1, 0) for k in range(2)]
    old = [{name: value for name, value in record.items() if name != "metrics"} for record in records]
    unnamed = read_one(write_samples(tmp_path / "a", old))
    assert metrics(unnamed, "demo") == ("acc,filter 1", "word,filter 1", "acc,filter 2", "word,filter 2")
    config = {"demo": {"filter_list": [{"name": "strict"}, {"name": "loose"}]}}
    write_results(tmp_path / "b", {"demo": {"acc,strict": 1.0}}, configs=config)
    named = read_one(write_samples(tmp_path / "b", old))
    assert (_values(named, "acc,strict"), _values(named, "acc,loose")) == ([1.0, 1.0], [0.0, 0.0])
    single = read_one(write_samples(tmp_path / "c", old[:2]))
    assert metrics(single, "demo") == ("acc", "word")


def test_the_indented_array_of_0_4_1_joins_a_new_log(tmp_path: Path) -> None:
    documents = [{"question": f"é {k}", "n": 1.5} for k in range(3)]
    new = read_one(
        write_samples(tmp_path / "new", [line(k, doc=doc, acc=1.0) for k, doc in enumerate(documents)])
    )
    array = [
        {"doc_id": k, "doc": doc, "target": "1", "arguments": [["Q", " 34"], ["Q", " 33"]],
         "resps": [[["-20.5", "False"]], [["-3.5", "True"]]],
         "filtered_resps": [["-20.5", "False"], ["-3.5", "True"]], "acc": 1.0}
        for k, doc in enumerate(documents)
    ]  # fmt: skip
    folder = tmp_path / "old"
    results = write_results(folder, {"my_task": {"acc,none": 1.0}})
    results.rename(folder / "results.json")
    (folder / "pretrained__org__m_my_task.jsonl").write_text(json.dumps(array, indent=2, ensure_ascii=False))
    old = read_one(folder)
    assert (systems(old), tasks(old)) == (("org/m",), ("my_task",))
    assert old.items["item"].to_list() == new.items["item"].to_list()
    assert old.texts is not None
    assert old.texts.response("org/m", "my_task", old.items["item"][2], 1) == "-20.5 34\n-3.5 33"
    assert old.texts.inputs("my_task", old.items["item"][0]) == "Q"
    alone = read_one(folder / "pretrained__org__m_my_task.jsonl", ReadOptions(name="me"))
    assert systems(alone) == ("me",)


def test_an_array_with_nan_is_read(tmp_path: Path) -> None:
    path = tmp_path / "m_demo.jsonl"
    path.write_text(json.dumps([line(0, acc=1.0), line(1, acc=math.nan)], indent=2))
    evidence = read_one(path)
    assert _values(evidence, "acc") == [1.0, None]
    assert evidence.texts is not None
    assert evidence.texts.reference("m_demo", evidence.items["item"][1]) == "2"


def test_clusters_and_segments_come_from_the_documents(tmp_path: Path) -> None:
    documents = [{"id": f"q{k}", "meta": {"page": k // 2}, "passage_id": f"p{k // 2}"} for k in range(4)]
    path = write_samples(tmp_path, [line(k, doc=doc, acc=1.0) for k, doc in enumerate(documents)])
    plain = read_one(path)
    assert plain.items["cluster"].null_count() == 4
    assert plain.items["segment.doc.passage_id"].to_list() == ["p0", "p0", "p1", "p1"]
    for field, expected in {"doc.passage_id": "p1", "passage_id": "p1", "doc.meta.page": "1"}.items():
        assert read_one(path, ReadOptions(cluster=field)).items["cluster"].to_list()[2:] == [expected] * 2
    with pytest.raises(
        UsageError, match=r"no document has a field 'doc.passage'. Did you mean 'doc.passage_id'"
    ):
        read_one(path, ReadOptions(cluster="doc.passage"))
    weighted = [line(k, doc={"id": k, "w": k + 1}, acc=1.0) for k in range(2)]
    assert read_one(write_samples(tmp_path / "w", weighted), ReadOptions(weight="doc.w")).items[
        "weight"
    ].to_list() == [1.0, 2.0]
