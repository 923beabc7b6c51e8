"""The line of progress in a notebook, without a kernel: what it shows, and when."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

from aliquot.cli.run import command
from aliquot.errors import UsageError
from aliquot.runner.notebook_progress import NotebookLine, kernel_display, own_observer
from aliquot.runner.progress import Progress, Silent
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.run import run
from tests.runner.evaluations import RIGHT_MODULE, evaluation, right, write_items


class Page:
    """A page that keeps every state of its outputs."""

    def __init__(self) -> None:
        self.outputs: list[list[str]] = []

    def display(self, data: dict[str, str], *, raw: bool, display_id: bool) -> Any:
        assert raw
        assert display_id
        states = [data["text/plain"]]
        self.outputs.append(states)
        return SimpleNamespace(update=lambda data, **_: states.append(data["text/plain"]))


def at(done: int, total: int = 100) -> Progress:
    return Progress(system="a", done=done, total=total, kept=0, statuses={"ok": done}, elapsed_s=done / 10)


def test_one_output_is_written_anew_now_and_then_and_at_the_end() -> None:
    page, clock = Page(), [0.0]
    line = NotebookLine(page.display, clock=lambda: clock[0])
    line.started(at(0))
    for done in range(1, 101):
        clock[0] += 0.1
        line.answered(at(done))
    (states,) = page.outputs
    assert states[0] == "100 answers to get"
    assert 15 < len(states) < 30
    assert states[-1] == "100 of 100, 10.0 a second, 100% read"


def test_sentences_stand_above_the_line() -> None:
    page = Page()
    line = NotebookLine(page.display, clock=lambda: 0.0)
    line.noted("Look.")
    line.started(at(0))
    line.answered(at(1, total=1))
    line.noted("Done.")
    assert page.outputs[0][-1] == "Look.\nDone.\n1 of 1, 10.0 a second, 100% read"


def test_only_a_kernel_is_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    def shell(found: object) -> None:
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: found))
        monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=len))

    shell(None)  # a script
    assert kernel_display() is None
    shell(SimpleNamespace())  # IPython in a terminal
    assert kernel_display() is None
    assert isinstance(own_observer(), Silent)
    shell(SimpleNamespace(kernel=object()))
    assert kernel_display() is len
    assert isinstance(own_observer(), NotebookLine)
    monkeypatch.delitem(sys.modules, "IPython")
    assert kernel_display() is None


def test_quiet_and_an_observer_exclude_each_other(tmp_path: Path) -> None:
    given = evaluation(write_items(tmp_path, 1))
    with pytest.raises(UsageError, match="quiet and observer exclude each other"):
        run(given, directory=tmp_path, models={"fake": FakeSystem(right)}, observer=Silent(), quiet=True)


@pytest.mark.parametrize("quiet", [True, False])
def test_the_command_is_quiet_on_request(tmp_path: Path, quiet: bool) -> None:
    write_items(tmp_path, 2)
    (tmp_path / "app.py").write_text(RIGHT_MODULE, encoding="utf-8")
    file = tmp_path / "trial.yaml"
    file.write_text(
        "name: trial\nitems: made.jsonl\nscorer: words\nsystems:\n  own:\n"
        "    model: {python: 'app.py:answer'}\n    prompt: '{{ question }}'\n",
        encoding="utf-8",
    )
    said = CliRunner().invoke(command, [str(file), "--directory", str(tmp_path), *(["-q"] if quiet else [])])
    assert said.exit_code == 0
    assert (said.stderr == "") is quiet
    assert said.stdout.rstrip().endswith("trial/")
