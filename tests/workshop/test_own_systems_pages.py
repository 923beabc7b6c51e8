"""What the pages say of a user's own systems and tests runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from aliquot.runner.evaluation_file import parse_evaluation
from aliquot.runner.evaluation_python import load_evaluation
from aliquot.runner.models import COMMAND_KEYS, FUNCTION_KEYS, STORED_KEYS
from aliquot.runner.stored import StoredRun
from aliquot.systems.fake import FakeSystem
from aliquot.systems.own import Command, PythonFunction
from aliquot.verbs.run import run
from tests.workshop.sources import ROOT
from tests.workshop.test_docs import block

PAGE = "\n".join(
    (ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("systems.md", "evaluation.md")
)
SECTION = re.compile(r"^## (?P<title>.*)\n(?P<body>(?:.*\n)*?)(?=^## |\Z)", re.MULTILINE)
BODIES = {found["title"]: found["body"] for found in SECTION.finditer(PAGE)}
HEAD = "name: x\nitems: capitals.jsonl\nscorer: words\n"


def block_of(title: str, mark: str) -> str:
    """Return the block of a section that begins with a comment."""
    found = re.search(rf"^```python\n({re.escape(mark)}\n.*?)^```", BODIES[title], re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def cells(title: str) -> list[str]:
    keys, _, _ = BODIES[title].partition("\n### ")
    return re.findall(r"^\| `(\w+)` \|", keys, re.MULTILINE)


def test_every_key_of_own_systems_and_stored_runs_is_on_the_page() -> None:
    assert set(cells("A function or a command of your own")) == {*FUNCTION_KEYS, *COMMAND_KEYS}
    assert tuple(cells("A stored run")) == STORED_KEYS
    assert f"`{PythonFunction(python='a.py:b').concurrency}` of a function" in PAGE
    assert f"`{Command(command=('a',)).concurrency}` of a command" in PAGE


def test_the_systems_of_the_page_are_read_and_the_function_answers(tmp_path: Path) -> None:
    for title, kinds in (
        ("A function or a command of your own", [PythonFunction, Command]),
        ("A stored run", [StoredRun, str]),
    ):
        (found,) = re.findall(r"<!-- a system of an evaluation file -->\n((?: {4}.*\n)+)", BODIES[title])
        text = HEAD + re.sub(r"^ {4}", "", found, flags=re.MULTILINE)
        systems = parse_evaluation(text, file=str(tmp_path / "x.yaml")).systems
        assert [type(spec.model) for spec in systems.values()] == kinds
    (tmp_path / "app.py").write_text(
        block_of("A function or a command of your own", "# app.py"), encoding="utf-8"
    )
    (tmp_path / "capitals.jsonl").write_text(block("evaluation.md", "json"), encoding="utf-8")
    text = HEAD + 'systems: {a: {model: {python: "app.py:answer"}, prompt: "{{ question }}"}}\n'
    (tmp_path / "x.yaml").write_text(text, encoding="utf-8")
    found = run(tmp_path / "x.yaml", directory=tmp_path).evidence
    assert set(found.responses["tool_calls"]) == {1}


def test_the_evaluation_in_python_runs(tmp_path: Path) -> None:
    (tmp_path / "capitals.jsonl").write_text(block("evaluation.md", "json"), encoding="utf-8")
    file = tmp_path / "evaluation.py"
    file.write_text(block_of("Written in Python", "# evaluation.py"), encoding="utf-8")
    found = run(file, directory=tmp_path / "runs")
    assert found.evidence.outcomes["value"].to_list() == [1.0] * 4
    assert list(load_evaluation(file).evaluation.systems) == ["shot-0", "shot-2"]


def test_the_test_of_the_page_passes_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "test_evaluation.py").write_text(block("testing.md", "python"), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_evaluation.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, "3 passed" in done.stdout) == (0, True), done.stdout + done.stderr


def test_every_option_of_the_double_is_on_the_page() -> None:
    page = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    options = [name for name in FakeSystem.__init__.__annotations__ if name not in {"script", "return"}]
    assert [name for name in options if f"{name}=" not in page and f"`{name}`" not in page] == []
