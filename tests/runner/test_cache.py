"""Answers kept between runs: what shares an entry, what is never kept, and what a run makes of them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import InputError, MachineError
from aliquot.files.run_directory import RunDirectory
from aliquot.runner.cache import AnswerCache, cache_key
from aliquot.runner.evaluation import Guards
from aliquot.systems.fake import FakeSystem
from aliquot.systems.replies import Reply
from aliquot.systems.requests import ChatRequest, CompletionRequest, Decoding, Message
from aliquot.verbs.run import run
from tests.runner.evaluations import cut, evaluation, right, write_items

SYSTEM = {"base_url": "http://one/v1", "model": "m"}


def chat(text: str = "hello", **decoding: object) -> ChatRequest:
    return ChatRequest((Message("user", text),), Decoding(**decoding))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "other",
    [
        cache_key(SYSTEM, chat("hello "), attempt=1),
        cache_key(SYSTEM, chat(temperature=0.7), attempt=1),
        cache_key(SYSTEM, chat(seed=0), attempt=1),
        cache_key(SYSTEM, chat(top_p=1.0), attempt=1),
        cache_key(SYSTEM, chat(stop=("\n",)), attempt=1),
        cache_key(SYSTEM, chat(max_tokens=255), attempt=1),
        cache_key(SYSTEM, CompletionRequest("hello"), attempt=1),
        cache_key(SYSTEM, chat(), attempt=2),
        cache_key({**SYSTEM, "model": "m2"}, chat(), attempt=1),
        cache_key({**SYSTEM, "base_url": "http://two/v1"}, chat(), attempt=1),
        cache_key({**SYSTEM, "snapshot": "3"}, chat(), attempt=1),
        cache_key(SYSTEM, ChatRequest((Message("system", "hello"),)), attempt=1),
    ],
)
def test_whatever_shapes_an_answer_is_part_of_the_key(other: str) -> None:
    assert other != cache_key(SYSTEM, chat(), attempt=1)


@given(st.text(), st.text())
def test_only_equal_questions_share_a_key(a: str, b: str) -> None:
    same = cache_key(SYSTEM, chat(a), attempt=1) == cache_key(SYSTEM, chat(b), attempt=1)
    assert same == (a == b)


def test_the_order_of_components_does_not_matter() -> None:
    turned = dict(reversed(SYSTEM.items()))
    assert cache_key(turned, chat(), attempt=1) == cache_key(SYSTEM, chat(), attempt=1)


@pytest.mark.parametrize("status", ["error", "timeout", "failed", "truncated", "refused"])
def test_a_failure_is_never_kept(tmp_path: Path, status: str) -> None:
    with AnswerCache(tmp_path / "c") as cache:
        cache.put("key", Reply(text="x", status=status))  # type: ignore[arg-type]
        assert cache.get("key") is None


def test_an_answer_comes_back_whole_also_after_closing_and_to_a_second_reader(tmp_path: Path) -> None:
    reply = Reply(text="grüß\u2028\x00", tokens_in=3, tokens_out=5, latency_s=0.25, finish="stop")
    with AnswerCache(tmp_path / "deep" / "c") as cache, AnswerCache(tmp_path / "deep" / "c") as second:
        cache.put("key", reply)
        assert second.get("key") == reply
    with AnswerCache(tmp_path / "deep" / "c") as again:
        assert again.get("key") == reply


def test_a_file_that_is_none_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes, " * 200)
    with pytest.raises(InputError, match="no cache"):
        AnswerCache(path)
    assert path.read_text() == "my notes, " * 200


def test_a_second_run_asks_nothing_and_says_so_in_every_row(tmp_path: Path) -> None:
    items = write_items(tmp_path, 12)
    first, second = FakeSystem(right, delay_s=0.001), FakeSystem(right)
    one = run(evaluation(items, name="one", attempts=2), directory=tmp_path, models={"fake": first},
              cache=tmp_path / "cache")  # fmt: skip
    two = run(evaluation(items, name="two", attempts=2), directory=tmp_path, models={"fake": second},
              cache=tmp_path / "cache")  # fmt: skip
    assert len(first.asked) == 24  # attempts are draws of their own
    assert second.asked == []
    assert one.evidence.responses["cached"].to_list() == [False] * 24
    assert two.evidence.responses["cached"].to_list() == [True] * 24
    assert two.evidence.outcomes["value"].to_list() == one.evidence.outcomes["value"].to_list()


def test_what_failed_is_asked_again_by_the_next_run(tmp_path: Path) -> None:
    items = write_items(tmp_path, 12)
    for name in ("one", "two"):
        fake = FakeSystem(cut)
        asked = evaluation(items, name=name, guards=Guards(parse_rate=0, truncated=1))
        run(asked, directory=tmp_path, models={"fake": fake}, cache=tmp_path / "cache")
        assert len(fake.asked) == 12
    assert RunDirectory(tmp_path / "two").manifest is not None


def test_a_cache_that_cannot_be_written_costs_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aliquot.runner.cache._PATIENCE_S", 0.01)
    asked = evaluation(write_items(tmp_path, 12))
    AnswerCache(tmp_path / "cache").close()
    fake = FakeSystem(right)
    with sqlite3.connect(tmp_path / "cache", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(MachineError, match="cannot be written: database is locked"):
            run(asked, directory=tmp_path, models={"fake": fake}, cache=tmp_path / "cache", concurrency=1)
        other.execute("ROLLBACK")
    assert len(fake.asked) == 1
    run(asked, directory=tmp_path, models={"fake": fake}, cache=tmp_path / "cache")
    assert sorted(fake.asked) == sorted(set(fake.asked))  # what was answered is on record
    assert len(fake.asked) == 12
