"""The comment of a pull request: one, folded, silent when nothing is new; nothing of a log is markup or a command."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from aliquot import gate
from aliquot.errors import MachineError, UsageError
from aliquot.reports.gate_comment import MARKER, annotation_lines, render_comment
from aliquot.reports.markdown_limit import GITHUB_LIMIT
from aliquot.reports.render import render
from aliquot.verbs.gate_files import add_summary, write_comment
from tests.cli.called import call
from tests.evidence_of import evidence_of, pass_fail
from tests.reports.every_kind import HOSTILE
from tests.reports.test_markdown_limit import swollen

WORSE = {"main": [1.0] * 80, "pr": [1.0] * 50 + [0.0] * 30}


def test_the_comment_says_it_once_and_folds_the_rest() -> None:
    text = render_comment(gate(evidence_of(WORSE), no_worse_than="2pt", noise=None))
    assert text.startswith(f"{MARKER}\n> [!CAUTION]\n> **FAIL: worse than main by ")
    assert text.count(MARKER) == 1
    assert "<details><summary>30 broke</summary>\n\n- q-050 ✓ → ✗\n" in text
    assert text.index("broke</summary>") < text.index("<sub>")


def test_attempts_are_strips_and_regressions_come_first() -> None:
    values = {"main": [[1.0, 1.0, 0.0], [0.0, 0.0, 0.0]] * 20, "pr": [[1.0, 0.0, 0.0], [1.0, 1.0, 1.0]] * 20}
    text = render_comment(gate(evidence_of(values), no_worse_than="2pt", noise=None))
    assert "- q-000 ✓✓✗ → ✓✗✗\n" in text
    assert "- q-001 ✗✗✗ → ✓✓✓\n" in text
    assert text.index("20 broke") < text.index("20 fixed")


def test_an_unchanged_green_run_is_silent(tmp_path: Path) -> None:
    same = gate(evidence_of({"main": [1.0] * 60, "pr": [1.0] * 60}), no_worse_than="10pt", noise=None)
    path = tmp_path / "pr.md"
    assert "Nothing is new" in write_comment(same, path)
    assert not path.exists()
    moved = gate(evidence_of(pass_fail(90, 3, 7, 20)), no_worse_than="10pt", noise=None)
    assert moved.decision == "pass"
    assert "10 names folded" in write_comment(moved, path)
    assert path.read_text(encoding="utf-8").startswith(f"{MARKER}\n> [!TIP]\n")
    write_comment(same, path)
    assert not path.exists()  # what an earlier gate said is not posted again


def test_a_file_that_no_gate_wrote_is_left_alone(tmp_path: Path) -> None:
    found = gate(evidence_of(WORSE), no_worse_than="2pt", noise=None)
    (tmp_path / "README.md").write_text("# Mine\n", encoding="utf-8")
    with pytest.raises(UsageError, match="no comment of a gate"):
        write_comment(found, tmp_path / "README.md")
    with pytest.raises(MachineError):
        add_summary(tmp_path / "no" / "folder", "text")


def hostile_gate() -> object:
    system = f"pr {HOSTILE}"
    evidence = evidence_of({"main": [1.0] * 80, system: [1.0] * 50 + [0.0] * 30})
    names = {f"q-{i:03d}": f"q-{i:03d} {HOSTILE}" for i in range(80)}
    frames = {
        name: getattr(evidence, name).with_columns(item=getattr(evidence, name)["item"].replace(names))
        for name in ("items", "responses", "outcomes")
    }
    return gate(evidence.revise(**frames), no_worse_than="2pt", noise=None)


def test_hostile_names_are_inert_everywhere() -> None:
    found = hostile_gate()
    text = render_comment(found)  # type: ignore[arg-type]
    body = re.sub(r"</?(details|summary|sub)>|<!-- aliquot gate -->", "", text)
    assert "<" not in body
    assert "@team" not in body
    assert "\x1b" not in body
    for line in annotation_lines(found):  # type: ignore[arg-type]
        assert re.fullmatch(r"::(error|warning|notice) title=[^:]*::[^\r\n]*", line)
        assert "\x1b" not in line
    suite = ET.fromstring(render(found, form="junit"))  # type: ignore[arg-type]
    assert suite.get("failures") != "0"


def test_a_comment_fits_into_what_github_takes() -> None:
    many = gate(evidence_of({"main": [1.0] * 3000, "pr": [0.0] * 3000}), no_worse_than="2pt", noise=None)
    assert len(render_comment(many)) < GITHUB_LIMIT
    assert "2800 more" in render_comment(many)


def test_junit_has_a_case_for_each_condition_and_item(tmp_path: Path) -> None:
    found = gate(evidence_of(WORSE), no_worse_than="2pt", at_least="90%", noise=None)
    suite = ET.fromstring(render(found, form="junit"))
    names = [case.get("name") for case in suite.iter("testcase")]
    assert names[:3] == ["verdict", "value", "value floor"]
    assert "broke: q-050" in names
    failed = [case.get("name") for case in suite.iter("testcase") if case.find("failure") is not None]
    assert failed[:3] == ["verdict", "value", "value floor"]
    told = next(case for case in suite.iter("testcase") if case.get("name") == "broke: q-050")
    assert told[0].get("message") == "+ before, - after"


def test_junit_of_nothing_to_judge_is_red() -> None:
    found = gate(evidence_of({"main": [1.0] * 9, "pr": [None] * 9}), no_worse_than="2pt", noise=None)
    suite = ET.fromstring(render(found, form="junit"))
    assert found.decision == "nothing_to_judge"
    assert (suite.get("failures"), suite.get("skipped")) == ("2", "0")  # the verdict, and its condition


def test_a_step_shows_the_summary_and_annotations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, values in WORSE.items():
        rows = "\n".join(f"q{i:02d},{value}" for i, value in enumerate(values))
        (tmp_path / f"{name}.csv").write_text(f"item,value\n{rows}\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    words = ("gate", tmp_path / "main.csv", tmp_path / "pr.csv", "--no-worse-than", "2pt")
    done = call(*words)
    assert done.code == 3
    assert "::error title=aliquot gate::FAIL%3A" not in done.out
    assert "\n::error title=aliquot gate::FAIL: worse than main" in done.out
    assert "::error title=30 broke::q50, q51" in done.out
    assert (tmp_path / "summary.md").read_text(encoding="utf-8").startswith("> [!CAUTION]\n")
    assert "::error" not in call(*words, "--json").out
    told = call(*words, "--report-only")
    assert (told.code, "::notice title=aliquot gate::FAIL" in told.out) == (0, True)


def test_a_swollen_gate_fits_too() -> None:
    text = render_comment(swollen("gate"))
    assert len(text) < GITHUB_LIMIT
    assert text.startswith(MARKER)
