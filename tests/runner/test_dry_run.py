"""``run --dry-run`` shows what would be asked, and asks, loads and writes nothing."""

from __future__ import annotations

from pathlib import Path

from tests.cli.called import call
from tests.runner.evaluations import write_evaluation

MORE = """\
  theirs: {model: {python: "nowhere.py:answer"}, instructions: Be brief., prompt: "third\\n{{ question }}\\u001b[31m"}
  before: {model: {run: old}}
"""


def test_the_first_question_of_each_system_is_shown_as_it_would_be_sent(tmp_path: Path) -> None:
    file = write_evaluation(tmp_path, 10)
    file.write_text(file.read_text(encoding="utf-8") + MORE, encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    done = call("run", file, "--dry-run", "--limit", "4", "--directory", tmp_path / "runs")
    assert (done.code, done.err) == (0, "")
    assert (
        "WOULD ASK for 16 answers in runs/trial: stratified sample, 4 of 10 by kind, seed 3. Nothing was asked"
        in (done.text)
    )
    lines = [line.strip() for line in done.out.splitlines()]
    item = next(line for line in lines if line.startswith("First item")).removeprefix("First item: i")
    place = lines.index("theirs (nowhere.py:answer)")
    assert lines[place + 1 : place + 5] == ["system:", "| Be brief.", "user:", "| third"]
    assert "\x1b" not in done.out
    assert f"| first q{item}." in lines
    assert lines[lines.index("before (stored in old)") + 1] == "is not asked"
    assert sorted(tmp_path.iterdir()) == before


def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    file = write_evaluation(tmp_path)
    file.write_text(file.read_text(encoding="utf-8").replace("question", "qestion"), encoding="utf-8")
    done = call("run", file, "--dry-run")
    assert done.code == 2
    assert "qestion" in done.err
