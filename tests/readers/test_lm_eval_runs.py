from __future__ import annotations

import json
from pathlib import Path

import pytest

from aliquot.errors import InputError, UsageError
from aliquot.evidence.contents import headline_metric, systems, tasks
from aliquot.evidence.tables import Evidence
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import find_reader, read_evidence, read_one
from tests.readers.lm_eval_logs import STAMP, line, write_results, write_samples


def _codes(evidence: Evidence) -> list[str]:
    return [note.code for note in evidence.notes]


def test_each_task_has_its_own_first_metric_as_headline(tmp_path: Path) -> None:
    write_results(tmp_path, {"b": {"acc,none": 1.0}, "a": {"acc_norm,none": 1.0}})
    write_samples(tmp_path, [line(0, acc=1.0, acc_norm=0.0)], task="b")
    write_samples(tmp_path, [line(0, bleu=["r", "p"], acc_norm=0.0, acc=1.0)], task="a")
    evidence = read_one(tmp_path)
    assert tasks(evidence) == ("b", "a")
    assert (headline_metric(evidence, "b"), headline_metric(evidence, "a")) == ("acc", "acc_norm")


def test_results_bring_what_was_printed_and_what_made_the_system(tmp_path: Path) -> None:
    results = {
        "demo": {
            "alias": "demo",
            " ": " ",
            "acc,none": 0.5,
            "acc_stderr,none": "N/A",
            "a,b@2,strict": 0.25,
            "a,b@2_stderr,strict": 0.1,
        },
        "group": {"acc,none": 0.5, "acc_stderr,none": 0.25},
    }
    config = {"demo": {"num_fewshot": 3, "doc_to_text": "{{q}}", "generation_kwargs": {"temperature": 0.7}}}
    write_results(
        tmp_path,
        results,
        configs=config,
        **{"n-shot": {"demo": 3}, "higher_is_better": {"demo": {"acc": False}}},
    )
    evidence = read_one(write_samples(tmp_path, [line(0, acc=1.0)]).parent)
    assert evidence.reported.drop("system").rows() == [
        ("demo", "acc", "value", 0.5), ("demo", "a,b@2,strict", "value", 0.25), ("demo", "a,b@2,strict", "stderr", 0.1),
        ("group", "acc", "value", 0.5), ("group", "acc", "stderr", 0.25),
    ]  # fmt: skip
    settings = dict(evidence.settings.select("name", "value").iter_rows())
    assert settings["model"] == "org/m"
    assert settings["model.dtype"] == "float16"
    assert "model.pretrained" not in settings
    assert (settings["shots"], settings["decoding.temperature"], settings["harness"]) == (
        "3",
        "0.7",
        "lm-evaluation-harness 0.4.13",
    )
    assert settings["prompt"].startswith("sha256:")
    assert evidence.metrics["better"].to_list() == ["lower"]


def test_results_alone_say_that_there_is_nothing_per_item(tmp_path: Path) -> None:
    evidence = read_one(write_results(tmp_path, {"demo": {"acc,none": 0.5}}))
    assert (evidence.outcomes.height, evidence.reported.height) == (0, 1)
    assert [n.text for n in evidence.notes if n.code == "totals_only"] == [
        "demo: totals only, nothing per item, so nothing can be compared or recomputed (--log_samples writes the rows)"
    ]
    old = tmp_path / "old.json"
    old.write_text('{"results": {"arc": {"acc": 0.25, "acc_stderr": 0.01}}, "versions": {"arc": 0}}')
    before = read_one(old)
    assert before.reported.select("metric", "statistic", "value").rows() == [
        ("acc", "value", 0.25),
        ("acc", "stderr", 0.01),
    ]
    assert before.sources[0].version == "before 0.4"
    assert "before 0.4 never hold rows" in before.notes[0].text


def test_a_group_of_tasks_that_share_items_is_named(tmp_path: Path) -> None:
    results = {
        "a": {"acc,none": 1.0},
        "b": {"acc,none": 1.0},
        "both": {"acc,none": 1.0, "acc_stderr,none": 0.0},
    }
    configs = {name: {"task": name} for name in "ab"}
    write_results(tmp_path, results, configs=configs, group_subtasks={"both": ["a", "b"], "a": []})
    for task in "ab":
        write_samples(tmp_path, [line(k, acc=1.0) for k in range(3)], task=task)
    notes = {note.code: note.text for note in read_one(tmp_path).notes}
    assert "3 of their items are the same" in notes["group"]
    assert "totals_only" not in notes


def test_perplexities_say_what_their_items_hold(tmp_path: Path) -> None:
    config = {"demo": {"metric_list": [{"metric": "perplexity", "aggregation": "perplexity"}]}}
    write_results(
        tmp_path,
        {"demo": {"perplexity,none": 2.7}},
        configs=config,
        higher_is_better={"demo": {"perplexity": False}},
    )
    evidence = read_one(write_samples(tmp_path, [line(0, perplexity=-1.0), line(1, perplexity=-2.5)]))
    assert evidence.metrics.select("kind", "better").row(0) == ("real", "higher")
    assert "not_a_mean" in _codes(evidence)


def test_the_newest_run_counts_and_other_settings_are_another_system(tmp_path: Path) -> None:
    folder = tmp_path / "org__m"
    stamps = ["2026-01-01T00-00-00", "2026-01-02T00-00-00", "2026-01-03T00-00-00", "2026-01-04T00-00-00"]
    config = {"model": "hf", "model_args": {"pretrained": "org/m"}, "limit": None}
    changes: list[dict[str, object]] = [{}, {}, {"config": config | {"limit": 1}}, {"n-shot": {"demo": 5}}]
    for stamp, change, value in zip(stamps, changes, (0.0, 1.0, 0.0, 0.0), strict=True):
        write_results(folder, {"demo": {"acc,none": value}}, stamp=stamp, **({"config": config} | change))
        write_samples(folder, [line(0, acc=value)], stamp=stamp)
    evidence = read_one(tmp_path)
    assert systems(evidence) == tuple(f"org/m {stamps[k]}" for k in (0, 2, 3))
    assert evidence.outcomes["value"].to_list() == [1.0, 0.0, 0.0]
    assert "earlier_run" in _codes(evidence)
    with pytest.raises(UsageError, match="holds 3 systems"):
        read_one(tmp_path, ReadOptions(name="x"))
    assert systems(read_one(folder / f"results_{stamps[1]}.json")) == ("org/m",)


def test_two_models_that_share_a_folder_are_two_systems(tmp_path: Path) -> None:
    # the harness gives every model it cannot name the same "random" name
    for day, args in {"1": "temperature=0", "2": "temperature=1"}.items():
        stamp = f"2026-01-0{day}T00-00-00"
        config = {"model": "local-completions", "model_args": args}
        write_results(
            tmp_path, {"demo": {"acc,none": 1.0}}, stamp=stamp, model_name="qdpv68r5", config=config
        )
        write_samples(tmp_path, [line(0, acc=1.0)], stamp=stamp)
    assert systems(read_one(tmp_path)) == ("qdpv68r5 2026-01-01T00-00-00", "qdpv68r5 2026-01-02T00-00-00")


def test_several_old_results_in_one_folder_are_all_read(tmp_path: Path) -> None:
    for task in ("arc", "gsm"):
        (tmp_path / f"{task}.json").write_text(
            json.dumps({"results": {task: {"acc": 0.5}}, "versions": {task: 0}})
        )
    assert read_one(tmp_path).reported["task"].to_list() == ["arc", "gsm"]


def test_a_samples_file_alone_speaks_of_its_task_only(tmp_path: Path) -> None:
    write_results(tmp_path, {"a": {"acc,none": 1.0}, "b": {"acc,none": 1.0}})
    write_samples(tmp_path, [line(0, acc=1.0)], task="b")
    evidence = read_one(write_samples(tmp_path, [line(0, acc=1.0)], task="a"))
    assert (tasks(evidence), systems(evidence)) == (("a",), ("org/m",))
    assert evidence.reported["task"].to_list() == ["a"]
    assert "totals_only" not in _codes(evidence)


def test_texts_are_read_on_demand_from_the_right_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aliquot.readers.lm_eval_blocks.BLOCK_BYTES", 700)
    records = [line(k, acc=1.0) for k in range(9)]
    path = write_samples(tmp_path, records)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n\r\n"))
    evidence = read_one(path)
    assert evidence.texts is not None
    for k, item in enumerate(evidence.items["item"]):
        assert evidence.texts.inputs("demo", item) == f"Question: {k}+1?\nAnswer:"
        assert evidence.texts.reference("demo", item) == str(k + 1)
        assert evidence.texts.response(tmp_path.name, "demo", item, 1) == f"It is {k + 1}"
    assert evidence.texts.response("other", "demo", evidence.items["item"][0], 1) is None
    assert evidence.texts.inputs("demo", "nothing") is None
    assert evidence.texts.inputs("other", "nothing") is None


def test_folders_of_two_systems_are_compared_by_their_paths_alone(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_results(tmp_path / name, {"demo": {"acc,none": 1.0}}, model_name=f"org/{name}")
        write_samples(tmp_path / name, [line(0, acc=float(name == "a"))])
    assert systems(read_evidence([tmp_path / "a", tmp_path / "b"])) == ("org/a", "org/b")
    assert systems(read_one(tmp_path)) == ("org/a", "org/b")


def test_what_is_not_the_harnesss_is_left_to_other_readers(tmp_path: Path) -> None:
    table = tmp_path / "a.jsonl"
    table.write_text('{"doc_id": 1, "score": 1}\n')
    assert find_reader(table).name == "table"
    other = tmp_path / "results.json"
    other.write_text('{"results": {"version": 3, "results": []}, "config": {}}')
    assert find_reader(other).name == "table"
    assert find_reader(write_samples(tmp_path / "x", [line(0, acc=1.0)]).parent).name == "lm-eval"
    with pytest.raises(InputError, match="holds no results_"):
        read_one(tmp_path / "a.jsonl", ReadOptions(reader="lm-eval"))


def test_two_files_of_one_task_and_no_time_are_refused(tmp_path: Path) -> None:
    write_results(tmp_path, {"demo": {"acc,none": 1.0}}).rename(tmp_path / "results.json")
    for model in "mn":
        (tmp_path / f"pretrained__{model}_demo.jsonl").write_text(json.dumps([line(0, acc=1.0)]))
    with pytest.raises(
        InputError, match=r"pretrained__m_demo.jsonl and pretrained__n_demo.jsonl both hold samples"
    ):
        read_one(tmp_path)


def test_the_stamp_and_task_of_a_name() -> None:
    from aliquot.readers.lm_eval_files import stamp_of, task_of

    path = Path(f"samples_mmlu_pro_5_{STAMP}.jsonl")
    assert (task_of(path), stamp_of(path)) == ("mmlu_pro_5", STAMP)
