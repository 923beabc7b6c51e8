"""Files that grow by what several processes add: each holds them alone for a while, and nothing is lost."""

from __future__ import annotations

from multiprocessing.pool import ThreadPool
from pathlib import Path

import pytest

from aliquot.errors import MachineError
from aliquot.files import locks
from aliquot.files.failure_codes import Coded, keep_codes, kept_codes
from aliquot.files.locks import held_alone
from aliquot.files.noise_memory import Measurement, recall, remember
from aliquot.files.taxonomy import grow, read_taxonomy

TIMES = 24


def at_once(work) -> None:
    with ThreadPool(6) as pool:
        pool.map(work, range(TIMES))


def test_codes_of_several_readers_are_all_kept(tmp_path: Path):
    at_once(lambda place: keep_codes(tmp_path, [Coded(item=f"q{place}", codes=("wrong sum",))]))
    assert {one.item for one in kept_codes(tmp_path)} == {f"q{place}" for place in range(TIMES)}


def test_a_taxonomy_that_several_grow_has_each_name_once(tmp_path: Path):
    path = tmp_path / "kinds.yaml"
    at_once(lambda place: grow(path, [f"kind {place // 2}"]))
    assert set(read_taxonomy(path).says) == {f"kind {place}" for place in range(TIMES // 2)}


def test_measurements_of_noise_are_all_remembered(tmp_path: Path):
    path = tmp_path / "kept" / "noise.json"
    at_once(lambda place: remember(path, Measurement("suite", "2026-01-01", [f"run {place}"], 0.1, 9, [])))
    assert len(recall(path, suite="suite")) == TIMES


def test_who_waits_too_long_is_told_for_what(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(locks, "PATIENCE", 2)
    what = tmp_path / "gates.jsonl"
    with (
        held_alone(tmp_path, what=what),
        pytest.raises(MachineError, match=r"gates\.jsonl: another process is at work on it"),
        held_alone(tmp_path, what=what),
    ):
        pass
    with held_alone(tmp_path, what=what):  # free again
        assert not what.exists()
