"""``probe judge`` asks a judge through the runner, keeps what it said, and stops where it tells twins apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from aliquot import FakeSystem, probe_judge
from aliquot.errors import UsageError
from aliquot.files.probe_records import probe_path, read_probes
from aliquot.scorers.judge_files import read_judge

FIRST = '{"reasoning": "It stands first.", "verdict": "first"}'
TIE = '{"reasoning": "They are alike.", "verdict": "tie"}'


def test_one_that_always_takes_the_first_is_asked_no_further_and_kept(tmp_path: Path):
    fake = FakeSystem(lambda _: FIRST)
    found = probe_judge("preference", model="fake", models={"fake": fake}, folder=tmp_path, pairs=20)
    assert [line.probe for line in found.lines if line.items] == ["identical"]
    assert found.verdict.text.startswith(
        "DO NOT USE: preference tells identical texts apart on 20 of 20 items"
    )
    assert any(note.code == "stopped" for note in found.warnings)
    judge = read_judge("preference")
    kept = read_probes(probe_path(judge.hash, "fake", folder=tmp_path))
    assert (kept.judge, kept.model, len(kept.verdicts)) == ("preference", "fake", 20)


def test_asked_on_it_is_at_chance_with_its_slot_named_and_held_against_another(tmp_path: Path):
    fake, fair = FakeSystem(lambda _: FIRST), FakeSystem(lambda _: TIE)
    probe_judge("preference", model="fair", models={"fair": fair}, folder=tmp_path, pairs=20)
    other = probe_path(read_judge("preference").hash, "fair", folder=tmp_path)
    found = probe_judge(
        "preference",
        model="fake",
        models={"fake": fake},
        folder=tmp_path,
        pairs=20,
        keep_going=True,
        against=str(other),
    )
    assert "NOT SHOWN TO BE BETTER THAN CHANCE" in found.verdict.text
    assert "it prefers the first slot by 100.0 points" in found.verdict.text
    contrast = {one.probe: one for one in found.contrasts}
    assert (contrast["identical"].only_first, contrast["identical"].only_second) == (20, 0)


def test_a_judge_needs_a_model_and_a_log_takes_none(tmp_path: Path):
    with pytest.raises(UsageError, match="--model"):
        probe_judge("preference", folder=tmp_path)
    (tmp_path / "votes.csv").write_text("item,system_a,system_b,verdict\nq,x,y,a\n", encoding="utf-8")
    with pytest.raises(UsageError, match="no judge that can be asked"):
        probe_judge(tmp_path / "votes.csv", model="fake")
