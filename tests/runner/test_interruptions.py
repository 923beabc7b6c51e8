"""kill -9, Ctrl-C and a full disk in the middle of a run: nothing lost, nothing asked twice, nothing counted twice."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from aliquot.errors import MachineError, RunStoppedError
from aliquot.files import journal as journal_module
from aliquot.files.run_directory import RunDirectory
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.run import run
from tests.runner.evaluations import evaluation, right, write_evaluation, write_items

ROOT = Path(__file__).parents[2]

SLOW_RUN = """\
import sys
from aliquot.errors import AliquotError
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.run import run
from tests.runner.evaluations import right
try:
    run(sys.argv[1], directory=sys.argv[2], models={"fake": FakeSystem(right, delay_s=0.05)})
except AliquotError as error:
    print(f"{type(error).__name__}: {error}")
    sys.exit(error.exit_code)
"""


def start(file: Path, directory: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SLOW_RUN, str(file), str(directory)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_answers(process: subprocess.Popen[str], journal: Path, n: int) -> None:
    """Wait until n lines are on disk; there is no limit but the test runner's, because machines differ."""
    while not journal.exists() or journal.read_bytes().count(b"\n") < n:
        if process.poll() is not None:
            pytest.fail(f"the run ended by itself: {process.communicate()}")
        time.sleep(0.005)


def finish(file: Path, directory: Path) -> tuple[Counter[str], FakeSystem]:
    """Run to the end and return how often each answer was journaled in total."""
    fake = FakeSystem(right)
    found = run(file, directory=directory, models={"fake": fake})
    records = RunDirectory(found.path).read_journal().records
    assert found.evidence.responses.height == 80
    assert set(found.evidence.responses["status"]) == {"ok"}
    assert found.evidence.outcomes["value"].sum() == 80
    return Counter(f"{record.system} {record.item}" for record in records), fake


@pytest.mark.parametrize("answers", [1, 17, 50])
def test_kill_nine_loses_and_repeats_nothing(tmp_path: Path, answers: int) -> None:
    file, journal = write_evaluation(tmp_path, 40), tmp_path / "runs" / "trial" / "journal.jsonl"
    process = start(file, tmp_path / "runs")
    wait_for_answers(process, journal, answers)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    on_disk = journal.read_bytes().count(b"\n")
    counts, fake = finish(file, tmp_path / "runs")
    assert len(fake.asked) == 80 - on_disk
    assert len(counts) == 80
    assert set(counts.values()) == {1}


def test_an_interrupt_says_how_to_go_on(tmp_path: Path) -> None:
    file, journal = write_evaluation(tmp_path, 40), tmp_path / "runs" / "trial" / "journal.jsonl"
    process = start(file, tmp_path / "runs")
    wait_for_answers(process, journal, 9)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    on_disk = journal.read_bytes().count(b"\n")
    assert process.returncode == 6
    assert f"interrupted with {on_disk} of 80 answers, all kept. Run the same command again" in out
    assert not err
    counts, fake = finish(file, tmp_path / "runs")
    assert len(fake.asked) == 80 - on_disk
    assert set(counts.values()) == {1}


def test_an_interrupt_before_the_first_answer_says_that_none_is_kept(tmp_path: Path) -> None:
    def interrupt(_: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(
        RunStoppedError, match=r"interrupted before the first of 3 answers: none is kept\. Run the same"
    ):
        run(evaluation(write_items(tmp_path, 3)), directory=tmp_path, models={"fake": FakeSystem(interrupt)})


def test_a_full_disk_is_one_line_and_leaves_a_run_that_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = evaluation(write_items(tmp_path, 30))
    real_write, written = os.write, Counter[str]()

    def write(handle: int, data: bytes) -> int:
        written["lines"] += 1
        if written["lines"] > 11:
            real_write(handle, bytes(data)[:20])  # a part still fits
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real_write(handle, data)

    monkeypatch.setattr(journal_module.os, "write", write)
    with pytest.raises(MachineError, match="the disk is full") as caught:
        run(given, directory=tmp_path, models={"fake": FakeSystem(right)})
    assert "\n" not in str(caught.value)
    monkeypatch.undo()
    fake = FakeSystem(right)
    found = run(given, directory=tmp_path, models={"fake": fake})
    assert len(fake.asked) == 30 - 11
    assert found.evidence.outcomes["value"].to_list() == [1.0] * 30
