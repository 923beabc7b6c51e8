"""Judging that is killed goes on where it was: in a run and in a probe, no question on record is asked again."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aliquot.files.journal import read_journal
from aliquot.files.probe_records import read_probes
from tests.cli.called import call

OWN = """\
import hashlib, json, time
from pathlib import Path

ASKED = Path(__file__).with_name("asked.txt")

def answer(asked):
    return "an answer to " + asked

def reply(asked):
    said = hashlib.sha256(asked.encode()).hexdigest()
    with ASKED.open("a", encoding="utf-8") as file:
        file.write(said + "\\n")
    time.sleep(0.05)
    return json.dumps({"reasoning": said, "verdict": "tie" if "<first" in asked else "good"})
"""

RUN = """\
name: judged
items: items.jsonl
guards: off
scorers: [{judge: good.yaml, model: {python: "own.py:reply"}}]
systems: {one: {model: {python: "own.py:answer"}, prompt: "{{ question }}"}}
"""


def asked(folder: Path) -> list[str]:
    path = folder / "asked.txt"
    return path.read_text(encoding="utf-8").split() if path.exists() else []


def killed(folder: Path, *words: str) -> None:
    """Start a command, and kill it while it judges."""
    source = Path(__file__).parents[2] / "src"
    environment = {**os.environ, "PYTHONPATH": str(source)}
    with subprocess.Popen(
        [sys.executable, "-m", "aliquot", *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        while process.poll() is None and len(asked(folder)) < 20:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL


def on_record(journal: Path) -> set[str]:
    return {json.loads(one.text or "")["reasoning"] for one in read_journal(journal).judgements}


@pytest.mark.heavy
@pytest.mark.parametrize("what", ["run", "probe"])
def test_what_was_judged_before_a_kill_is_not_asked_again(
    tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    (tmp_path / "judged.yaml").write_text(RUN, encoding="utf-8")
    good = "name: good\nasks: '{{ question }} {{ answer }}'\nlabels: [good, bad]\npasses: [good]\n"
    (tmp_path / "good.yaml").write_text(good, encoding="utf-8")
    items = [{"id": f"{n}", "question": f"question {n}"} for n in range(60)]
    (tmp_path / "items.jsonl").write_text("\n".join(map(json.dumps, items)), encoding="utf-8")
    model = json.dumps({"python": f"{tmp_path / 'own.py'}:reply"})
    words = (
        ["run", "judged.yaml"]
        if what == "run"
        else ["probe", "judge", "preference", "--model", model, "--only", "identical", "--only", "order"]
    )
    killed(tmp_path, *words)
    (journal,) = tmp_path.glob("runs/judged/journal.jsonl" if what == "run" else ".aliquot/probes/*.jsonl")
    before, first = on_record(journal), asked(tmp_path)
    assert 0 < len(before) <= len(first) < 60
    done = call(*words)
    assert done.code == 0, done.err
    later = asked(tmp_path)[len(first) :]
    assert not before & set(later)
    assert len(later) == len(set(later))
    if what == "run":
        assert before | set(later) == on_record(journal)
        assert len(on_record(journal)) == 60
        return
    assert not journal.exists()
    (kept,) = tmp_path.glob(".aliquot/probes/*.json")
    assert len(before | set(later)) == len(read_probes(kept).verdicts) == 90
    assert re.search(rf"{len(before)} verdicts of an earlier probe", " ".join(done.out.split()))
