"""A disk that takes no more, for real: the kernel's limit on the size of a file stands in for a small disk."""

from __future__ import annotations

import json
import resource
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from aliquot.errors import MachineError
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.run import run
from tests.runner.evaluations import evaluation, right, write_items

ITEMS = 30


@contextmanager
def files_up_to(size: int) -> Generator[None]:
    """Let no file of this process grow beyond a size; what would is written in part, then refused."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def at_length(prompt: str) -> str:
    return f"{right(prompt)} {'x' * 4000}"


def on_record(directory: Path) -> Counter[str]:
    """Return how often each item stands in the journal, every line of which has to be whole."""
    lines = (directory / "trial" / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    return Counter(json.loads(line)["item"] for line in lines)


def test_a_journal_that_may_not_grow_keeps_every_answer_and_the_run_goes_on(tmp_path: Path) -> None:
    asked, fake = evaluation(write_items(tmp_path, ITEMS)), FakeSystem(at_length)
    with (
        files_up_to(50_000),
        pytest.raises(MachineError, match=r"journal.jsonl: the file is as large .* What was written before"),
    ):
        run(asked, directory=tmp_path, models={"fake": fake})
    kept = on_record(tmp_path)
    assert 8 <= len(kept) <= 12  # 50,000 bytes hold so many answers of 4,000
    assert set(kept.values()) == {1}
    again = FakeSystem(at_length)
    found = run(asked, directory=tmp_path, models={"fake": again})
    assert len(again.asked) == ITEMS - len(kept)
    assert on_record(tmp_path) == Counter(f"i{k}" for k in range(ITEMS))
    assert found.evidence.outcomes["value"].to_list() == [1.0] * ITEMS


def test_a_cache_that_may_not_grow_costs_no_answer(tmp_path: Path) -> None:
    asked, fake = evaluation(write_items(tmp_path, ITEMS)), FakeSystem(at_length)
    with (
        files_up_to(100_000),
        pytest.raises(MachineError, match=r"the cache .* cannot be (written|used)"),
    ):
        run(asked, directory=tmp_path, models={"fake": fake}, cache=tmp_path / "cache", concurrency=1)
    kept = on_record(tmp_path)
    assert 0 < len(kept) == len(fake.asked) < ITEMS
    again = FakeSystem(at_length)
    run(asked, directory=tmp_path, models={"fake": again}, cache=tmp_path / "cache")
    assert len(again.asked) == ITEMS - len(kept)
    assert on_record(tmp_path) == Counter(f"i{k}" for k in range(ITEMS))
