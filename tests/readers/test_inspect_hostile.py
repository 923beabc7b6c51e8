"""Logs that are damaged or made to harm: a result or one clear error.

``FUZZ_EXAMPLES=100000`` searches for long.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aliquot.errors import AliquotError, InputError
from aliquot.evidence.tables import Evidence
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import read_one
from tests.readers.inspect_logs import (
    DEFLATE,
    STORED,
    ZSTD,
    encode,
    eval_log,
    header,
    json_log,
    sample,
    summary,
    zip_bytes,
)
from tests.shared import FOLDER

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "60"))
fuzz = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.too_slow])

WHOLE = sample(
    1,
    metadata={"passage": "p", "n": 1},
    model_usage={"stub/a": {"input_tokens": 3}},
    scores={"s": {"value": {"a": "C"}}},
)
MEMBERS = [
    ("_journal/start.json", encode(header())),
    ("samples/1_epoch_1.json", encode(WHOLE)),
    ("summaries.json", encode([WHOLE, summary("b", float("nan"), error="no")])),
    ("reductions.json", encode([{"scorer": "s", "samples": [{"sample_id": 1, "value": 1}]}])),
    ("header.json", encode(header(results={"scores": [{"name": "s", "scorer": "s", "metrics": {}}]}))),
]
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=8),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


def _read(path: Path) -> Evidence | None:
    """Read a log whole, its texts included, or take the one error it may raise."""
    try:
        evidence = read_one(path, ReadOptions(reader="inspect"))
        texts = evidence.texts
        assert texts is not None
        for system, task, item, attempt in evidence.responses.select(
            "system", "task", "item", "attempt"
        ).iter_rows():
            texts.inputs(task, item)
            texts.reference(task, item)
            texts.response(system, task, item, attempt)
    except AliquotError as error:
        if "\n" in str(error):
            raise
        return None
    return evidence


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, part in parts for place in _places(part, (*path, key)))]


def _changed(document: Any, data: st.DataObject) -> Any:
    """The document with one part replaced by something else, or taken away."""
    path = data.draw(st.sampled_from(_places(document)))
    if not path:
        return data.draw(ODD)
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    if data.draw(st.booleans()):
        holder[path[-1]] = data.draw(ODD)
    else:
        del holder[path[-1]]
    return document


@fuzz
@given(data=st.data())
def test_a_part_that_is_something_else(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(MEMBERS) - 1))
    members = list(MEMBERS)
    changed = json.loads(members[place][1])
    for _ in range(data.draw(st.integers(1, 3))):
        changed = _changed(changed, data)
    members[place] = (members[place][0], encode(changed))
    for hidden in data.draw(st.sets(st.integers(0, len(MEMBERS) - 1), max_size=2)):
        members[hidden] = ("other", b"")
    path = tmp_path_factory.mktemp("f") / "a.eval"
    path.write_bytes(zip_bytes(members, method=data.draw(st.sampled_from([STORED, DEFLATE, ZSTD]))))
    _read(path)


@fuzz
@given(data=st.data())
def test_a_document_of_which_a_part_is_something_else(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    document = json.loads(encode({**header(), "samples": [WHOLE, sample(2, 0.5)]}))
    for _ in range(data.draw(st.integers(1, 3))):
        document = _changed(document, data)
    path = tmp_path_factory.mktemp("f") / "a.json"
    path.write_bytes(encode(document))
    _read(path)


def _real_logs() -> list[Path]:
    folder = FOLDER / "logs" / "inspect"
    return sorted(
        path
        for path in folder.rglob("*")
        if path.suffix in {".eval", ".json"} and path.stat().st_size < 50_000
    )


@pytest.mark.skipif(not _real_logs(), reason="../shared/logs/inspect is not on this machine")
@fuzz
@given(data=st.data())
def test_a_real_log_with_other_bytes(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(_real_logs()))
    raw = bytearray(source.read_bytes())
    kind = data.draw(st.sampled_from(["flip", "cut", "insert", "remove"]))
    at = data.draw(st.integers(0, len(raw) - 1))
    if kind == "cut":
        del raw[at:]
    elif kind == "remove":
        del raw[at : at + data.draw(st.integers(1, 200))]
    elif kind == "insert":
        raw[at:at] = data.draw(st.binary(min_size=1, max_size=20))
    else:
        for place, byte in data.draw(
            st.lists(st.tuples(st.integers(0, len(raw) - 1), st.integers(0, 255)), min_size=1, max_size=8)
        ):
            raw[place] = byte
    path = tmp_path_factory.mktemp("f") / source.name
    path.write_bytes(raw)
    _read(path)


def test_nothing_nests_without_end(tmp_path: Path) -> None:
    deep = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    for body in (
        b'{"eval":' + deep + b"}",
        b'{"eval":{"task":"t","model":"m","task_args":' + deep + b'},"samples":[]}',
    ):
        (tmp_path / "a.json").write_bytes(body)
        with pytest.raises(InputError, match="nested too deeply"):
            read_one(tmp_path / "a.json", ReadOptions(reader="inspect"))
    nested = b'[{"id":1,"metadata":{"k":' + deep + b"}}]"
    (tmp_path / "a.eval").write_bytes(
        zip_bytes([("header.json", encode(header())), ("summaries.json", nested)])
    )
    with pytest.raises(InputError, match="nested too deeply"):
        read_one(tmp_path / "a.eval")


def test_a_member_in_very_many_frames(tmp_path: Path) -> None:
    """A walk that copied the rest for every frame would not come to an end here."""
    log = eval_log(tmp_path / "a.eval", [summary(1, input="x" * 200_000)], frames=100_000)
    assert read_one(log).items.height == 1


def test_names_of_members_are_never_paths(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    names = ["../../escape.json", "/etc/passwd", "samples/../../x_epoch_1.json"]
    evil = sample("../../x")
    extra = [*((name, b"{}") for name in names[:2]), (names[2], encode(evil))]
    evidence = read_one(eval_log(folder / "a.eval", [summary("../../x")], extra=extra))
    assert evidence.texts is not None
    assert evidence.texts.response("stub/a", "sums", "../../x", 1) == "answer to ../../x"
    assert [path.name for path in tmp_path.rglob("*")] == ["in", "a.eval"]


def test_a_member_that_holds_another_sample_gives_no_text(tmp_path: Path) -> None:
    extra = [("samples/1_epoch_1.json", encode(sample(2)))]
    evidence = read_one(eval_log(tmp_path / "a.eval", [summary(1)], extra=extra))
    assert evidence.texts is not None
    assert evidence.texts.response("stub/a", "sums", "1", 1) is None


def test_too_many_metrics_are_refused(tmp_path: Path) -> None:
    scores = {"s": {"value": {str(number): 1 for number in range(1_001)}}}
    with pytest.raises(InputError, match="scores more than 1,000 metrics"):
        read_one(eval_log(tmp_path / "a.eval", [summary(1, scores=scores)]))


def test_a_scorer_named_like_anothers_part_is_refused(tmp_path: Path) -> None:
    scores = {"s": {"value": {"a": 1}}, "s.a": {"value": 1}}
    with pytest.raises(InputError, match=r"two scorers share the metric 's\.a'"):
        read_one(eval_log(tmp_path / "a.eval", [summary(1, scores=scores)]))


def test_errors_name_the_member_and_the_field(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"a.eval, member 'summaries.json': holds something else.*\$\[0\].epoch"
    ):
        read_one(eval_log(tmp_path / "a.eval", [summary(1, epoch="x")]))  # type: ignore[arg-type]
    (tmp_path / "b.eval").write_bytes(zip_bytes([("summaries.json", b"[]")]))
    with pytest.raises(InputError, match=r"without header\.json"):
        read_one(tmp_path / "b.eval")
    (tmp_path / "c.eval").write_bytes(b"hello")
    with pytest.raises(InputError, match=r"c\.eval: is not JSON"):
        read_one(tmp_path / "c.eval")
    json_log(tmp_path / "d.json", [sample(1)]).write_bytes(encode({**header(), "samples": [sample(1)]})[:-20])
    with pytest.raises(InputError, match=r"d\.json: is not JSON.*It may be cut off"):
        read_one(tmp_path / "d.json")
