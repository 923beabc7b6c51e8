"""``docs/gate.md``: its policy, its Python and its keys are those of the program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aliquot.findings.gate import EXIT_CODES
from aliquot.gates.policy_file import KEYS
from tests.workshop.page_logs import POLICY, write_logs
from tests.workshop.sources import ROOT

PAGE = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_policy_of_the_page_is_the_one_that_is_run() -> None:
    assert blocks("yaml") == [POLICY]


def test_every_key_and_every_exit_code_is_on_the_page() -> None:
    assert [key for key in KEYS if f"\n| `{key}` |" not in PAGE] == []
    told = dict(re.findall(r"^\| (\d) \| (\w[\w ]+?) \|", PAGE, re.MULTILINE))
    assert told == {str(code): decision.replace("_", " ") for decision, code in EXIT_CODES.items()}


def test_its_python_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_logs(tmp_path)
    monkeypatch.chdir(tmp_path)
    asserts, decides = blocks("python")
    exec(asserts, {})
    exec(decides, {})
    assert capsys.readouterr().out.startswith("pass 0 ['json-059', ")
