"""Broken and hostile lm-evaluation-harness logs: a result, or one clear line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import AliquotError, InputError
from aliquot.readers.describe import describe
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import read_one
from tests.readers.lm_eval_logs import STAMP, line, write_results, write_samples

OPTIONS = ReadOptions(reader="lm-eval")
KEY = ("system", "task", "item", "attempt")


def _write(folder: Path, data: bytes, *, name: str = f"samples_demo_{STAMP}.jsonl") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def _records(count: int = 3) -> bytes:
    return b"".join(
        json.dumps(line(k, acc=float(k % 2), f1=[k % 2, 1])).encode() + b"\n" for k in range(count)
    )


def test_a_last_line_cut_off_is_left_out_and_said(tmp_path: Path) -> None:
    evidence = read_one(_write(tmp_path, _records()[:-40]))
    assert evidence.items.height == 2
    assert "torn_line" in [note.code for note in evidence.notes]


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (b'{"doc_id": 1,', "line 2 is not JSON"),
        (b"[1]", "line 2 is no JSON object"),
        (b'{"doc_id": "\xff", "resps": 1}', "line 2 is not UTF-8"),
        (b'{"doc_id": 1, "resps": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "line 2 is nested too deeply"),
        (b'{"doc_id": 1, "doc_hash": 7, "metrics": ["acc"], "acc": 1}', "'doc_hash': is no text"),
        (
            b'{"doc_id": 1, "doc_hash": "h", "filter": 7, "metrics": ["acc"], "acc": 1}',
            "'filter': is no text",
        ),
        (b'{"doc_id": 1, "doc_hash": "h", "metrics": {"acc": 1}}', "'metrics': is no list of names"),
        (b'{"doc_id": 1, "doc_hash": "h", "metrics": [7]}', "'metrics': is no list of names"),
        (b'{"doc_id": 1, "doc_hash": "h", "metrics": ["acc"], "scores_per_repeat": 3}', "is no object"),
        (b'{"doc_id": 1, "metrics": ["acc"], "acc": 1}', "row 2: has neither doc_hash nor doc"),
        (
            b'{"doc_id": 1, "doc_hash": "", "metrics": ["acc"], "acc": 1}',
            "row 2: has neither doc_hash nor doc",
        ),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, broken: bytes, said: str) -> None:
    first, last = _records(2).splitlines()
    with pytest.raises(InputError) as raised:
        read_one(_write(tmp_path, b"\n".join([first, broken, last]) + b"\n"))
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_line_number_counts_the_blocks_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aliquot.readers.lm_eval_blocks.BLOCK_BYTES", 600)
    with pytest.raises(InputError, match="line 8 is not JSON"):
        read_one(_write(tmp_path, _records(7) + b"{torn\n" + _records(1)))


def test_lines_arrays_and_folders_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aliquot.readers.lm_eval_blocks.BLOCK_BYTES", 100)
    monkeypatch.setattr("aliquot.readers.lm_eval_blocks.MAX_LINE_BYTES", 2000)
    wide = json.dumps(line(9, acc=1.0, resps=[["x" * 3000]])).encode() + b"\n"
    with pytest.raises(InputError, match="has a line of more than 2,000 bytes"):
        read_one(_write(tmp_path, _records() + wide))
    monkeypatch.undo()
    monkeypatch.setattr("aliquot.readers.lm_eval_records.MAX_METRICS", 2)
    with pytest.raises(InputError, match="has more than 2 metrics"):
        read_one(write_samples(tmp_path, [line(0, a=1, b=2, c=3)]))
    monkeypatch.setattr("aliquot.readers.lm_eval_rows.MAX_ROWS", 2)
    with pytest.raises(InputError, match="has more than 2 rows"):
        read_one(_write(tmp_path, _records()))
    monkeypatch.setattr("aliquot.readers.lm_eval_files.MAX_ENTRIES", 1)
    write_results(tmp_path, {"demo": {"acc,none": 1.0}})
    with pytest.raises(InputError, match="holds more than 1 entries"):
        read_one(tmp_path, OPTIONS)


def test_a_file_without_samples_is_refused(tmp_path: Path) -> None:
    for data in (b"", b"\n\n", b"[]"):
        with pytest.raises(InputError):
            read_one(_write(tmp_path, data), OPTIONS)


def test_results_that_are_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    for text in ("{", '{"results": {"a": {"b": 1}, "versions": 3', '["results"]'):
        path.write_text(text)
        with pytest.raises(InputError) as raised:
            read_one(path, OPTIONS)
        assert "\n" not in str(raised.value)


def test_results_of_odd_shapes_are_read(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    odd = {"configs": [], "config": {"model_args": 7, "gen_kwargs": "a=b"}, "n-shot": None, "group_subtasks": {"a": 3},
           "higher_is_better": {"a": 1}, "model_name": None, "task_hashes": "x"}  # fmt: skip
    path.write_text(
        json.dumps(
            {"results": {"a": {"acc,none": 1, "x": [1], "y": True, "z": 1e308}, "b": 3}, "versions": []} | odd
        )
    )
    evidence = read_one(path)
    assert evidence.reported.select("task", "metric", "value").rows() == [
        ("a", "acc", 1.0),
        ("a", "z", 1e308),
    ]


def test_a_large_answer_stays_out_of_the_frames(tmp_path: Path) -> None:
    answer = "x" * 5_000_000
    evidence = read_one(
        write_samples(tmp_path, [line(0, acc=1.0, resps=[[answer]], filtered_resps=[answer])])
    )
    frames = (evidence.items, evidence.responses, evidence.outcomes)
    assert sum(frame.estimated_size() for frame in frames) < 10_000
    assert evidence.texts is not None
    assert evidence.texts.response(tmp_path.name, "demo", evidence.items["item"][0], 1) == answer


def test_halves_of_characters_do_not_stop_the_reading(tmp_path: Path) -> None:
    record = json.dumps(line(0, acc=1.0)).replace("q0", "\\ud800")
    evidence = read_one(_write(tmp_path, record.encode() + b"\n"))
    assert evidence.outcomes["value"].to_list() == [1.0]


def _read_all(path: Path) -> None:
    """Read everything there is; any error but ours, or one of several lines, fails the test."""
    said = ""
    try:
        evidence = read_one(path, OPTIONS)
        describe(evidence)
        for system, task, item, attempt in evidence.responses.select(KEY).head(3).iter_rows():
            assert evidence.texts is not None
            evidence.texts.inputs(task, item)
            evidence.texts.reference(task, item)
            evidence.texts.response(system, task, item, attempt)
    except AliquotError as error:
        said = str(error)
    assert "\n" not in said


SAMPLES = b"".join(
    json.dumps(record).encode() + b"\n"
    for record in (
        line(0, filter_name="a", acc=1.0, brier_score=[0, "[0.5 0.5]"]),
        line(1, filter_name="a", acc=0.0, brier_score=[1, "[0.5 0.5]"]),
        line(0, filter_name="b", acc=1.0, scores_per_repeat={"acc": [1.0, 0.0]}),
        line(1, filter_name="b", acc=0.0, scores_per_repeat={"acc": [1.0, 0.0]}),
    )
)
SPLICES = [b"", b"NaN", b"null", b"{}", b"[[]]", b"1e999", b'"\\ud800"', b"-1", b"\n", b'"', b"\xff", b"\x00", b"true",
           b"9" * 400, b"[" * 2000, b'{"acc": []}', b'"#"']  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    edits=st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 40), st.sampled_from(SPLICES)), min_size=1, max_size=4
    )
)
def test_mutated_samples_give_evidence_or_one_clear_line(
    tmp_path_factory, edits: list[tuple[float, int, bytes]]
) -> None:
    data = SAMPLES
    for place, cut, splice in edits:
        start = int(place * len(data))
        data = data[:start] + splice + data[start + cut :]
    _read_all(_write(tmp_path_factory.mktemp("any"), data))


MEMBERS = [
    None,
    True,
    0,
    2,
    -1.5,
    "",
    "x",
    [],
    ["a"],
    [["b"]],
    {},
    {"a": 1},
    [1, "[0.5 0.5]"],
    [1, 2],
    "[invalid]",
    10**400,
]


@settings(max_examples=150, deadline=None)
@given(
    changes=st.lists(
        st.tuples(
            st.integers(0, 3),
            st.sampled_from([*line(0, acc=1.0, f1=[1, 0]), "scores_per_repeat", "segment.x"]),
            st.sampled_from(MEMBERS),
        ),
        max_size=5,
    ),
    array=st.booleans(),
)
def test_members_of_any_kind_give_evidence_or_one_clear_line(tmp_path_factory, changes, array: bool) -> None:
    records = [line(k % 2, filter_name="ab"[k // 2], acc=1.0, f1=[1, 0]) for k in range(4)]
    for place, name, value in changes:
        records[place][name] = value
    text = json.dumps(records) if array else "".join(json.dumps(record) + "\n" for record in records)
    _read_all(_write(tmp_path_factory.mktemp("any"), text.encode()))


@settings(max_examples=80, deadline=None)
@given(
    name=st.sampled_from(
        [
            "results",
            "configs",
            "config",
            "versions",
            "n-shot",
            "group_subtasks",
            "higher_is_better",
            "model_name",
            "lm_eval_version",
            "task_hashes",
            "chat_template_sha",
        ]
    ),
    value=st.sampled_from(
        [
            *MEMBERS,
            {"demo": {"metric_list": [3, {"metric": "acc"}], "filter_list": 1, "repeats": "x"}},
            {"demo": {"acc,none": 10**400}},
            {"demo": ["demo", "demo"]},
        ]
    ),
)
def test_results_of_any_shape_give_evidence_or_one_clear_line(
    tmp_path_factory, name: str, value: object
) -> None:
    folder = tmp_path_factory.mktemp("any")
    write_samples(folder, [line(0, acc=1.0)])
    _read_all(
        write_results(
            folder, {"demo": {"acc,none": 1.0}}, **{name: value} if name not in {"results", "configs"} else {}
        )
    )
    if name in {"results", "configs"}:
        path = folder / f"results_{STAMP}.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {name: value}))
        _read_all(path)
        _read_all(folder)
