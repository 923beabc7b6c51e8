"""The command line as a user meets it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.called import call as aliquot

ROWS = [(f"q{i}", int(i % 3 != 0), int(i % 5 != 0), f"doc-{i // 4}") for i in range(40)]


def process(*words: str | Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Return what a process of its own does, where that is what is tested."""
    return subprocess.run(
        [sys.executable, "-m", "aliquot", *map(str, words)],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
        timeout=120,
    )


@pytest.fixture
def logs(tmp_path):
    """Two CSV files of 40 items, with the document of each item."""
    for name, column in (("main", 1), ("pr", 2)):
        lines = ["item,passed,document", *(f"{row[0]},{row[column]},{row[3]}" for row in ROWS)]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def test_two_paths_are_a_comparison_with_the_answer_first(logs):
    done = process("main.csv", "pr.csv", folder=logs)
    assert done.returncode == 0, done.stderr
    assert done.stdout == process("compare", "main.csv", "pr.csv", folder=logs).stdout
    fixed = sum(b > a for _, a, b, _ in ROWS)
    broke = sum(b < a for _, a, b, _ in ROWS)
    assert f"{fixed} fixed, {broke} broke" in done.stdout
    assert done.stdout.split(":")[0] == "UNDECIDED"


def test_clusters_by_a_named_column_decide_by_cluster(logs):
    done = aliquot("compare", "main.csv", "pr.csv", "--cluster", "document", "--json", folder=logs)
    found = json.loads(done.out)
    assert found["n_clusters"] == 10
    assert [test["name"] for test in found["tests"] if test["decides"]] == ["cluster_sign_flip"]
    assert "--cluster" in found["command"]


def test_the_command_in_the_finding_reproduces_it(logs):
    first = json.loads(aliquot("compare", "main.csv", "pr.csv", "--margin", "2pt", "--json", folder=logs).out)
    words = first["command"].split()[1:]
    assert json.loads(aliquot(*words, "--json", folder=logs).out) == first


@pytest.mark.parametrize(("margin", "value"), [("2pt", 0.02), ("2%", 0.02), ("0.02", 0.02), ("1.5pt", 0.015)])
def test_margins_are_points_or_own_units(logs, margin, value):
    done = aliquot("compare", "main.csv", "pr.csv", "--margin", margin, "--json", folder=logs)
    assert json.loads(done.out)["margin"] == pytest.approx(value)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["compare", "main.csv", "nowhere.csv"], "nowhere.csv: there is no such file or folder"),
        (["compare", "main.csv"], "1 system found (main); give a second file"),
        (["compare", "main.csv", "main.csv"], "nothing to compare"),
        (["compare", "main.csv", "pr.csv", "--cluster", "documnt"], "Did you mean 'document'?"),
        (["compare", "main.csv", "pr.csv", "--metric", "pased"], "Did you mean 'passed'?"),
        (["compare", "main.csv", "pr.csv", "--systems", "main", "prr"], "Did you mean 'pr'?"),
        (["compare", "main.csv", "pr.csv", "--margin", "two"], "not a margin"),
        (["compare", "main.csv", "pr.csv", "--margin", "-1pt"], "a margin is positive"),
        (["compare", "main.csv", "pr.csv", "--level", "95"], "0.95, not 95"),
        (["compare", "main.csv", "pr.csv", "--margin", "2"], "for points write 2pt"),
        (["compare", "main.csv", "pr.csv", "--delimiter", "ab"], "a delimiter is one character"),
        (["compare", "main.csv", "pr.csv", "--low", "0", "--high", "inf"], "finite with low not above high"),
        (["compare", "main.csv", "pr.csv", "--json", "--markdown"], "exclude each other"),
        (["read", "main.csv", "-o", "main.csv"], "is what was read"),
        (["show", "main.csv", "pr.csv", "--item", "q99"], "q99"),
        (["report", "main.csv", "pr.csv", "-o", "out.htm"], "Did you mean '.html'?"),
        (["cmpare", "main.csv", "pr.csv"], "Did you mean 'compare'?"),
        (["demo", "--items", "3"], "--items goes with --live"),
        (["run", "nowhere.yaml"], "nowhere.yaml"),
    ],
)
def test_a_mistake_is_one_line_that_names_the_remedy(logs, words, said):
    done = aliquot(*words, folder=logs)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


def test_nothing_valid_to_judge_exits_with_5(tmp_path):
    for name in ("main", "pr"):
        (tmp_path / f"{name}.csv").write_text("item,value,status\nq1,,error\nq2,,error\n", encoding="utf-8")
    done = aliquot("compare", "main.csv", "pr.csv", folder=tmp_path)
    assert done.code == 5, done.err
    assert done.out.startswith("NOTHING TO JUDGE")


@pytest.mark.parametrize(
    ("name", "starts"), [("r.html", "<!doctype html>"), ("r.md", "**"), ("r.json", "{"), ("r.txt", "UND")]
)
def test_a_report_is_written_in_the_form_of_its_ending(logs, name, starts):
    done = aliquot("report", "main.csv", "pr.csv", "-o", name, folder=logs)
    assert done.code == 0, done.err
    assert (logs / name).read_text(encoding="utf-8").startswith(starts)
    assert name in done.out


def test_a_console_that_knows_no_unicode_survives(logs):
    evil = "item,passed\n\u2713 caf\u00e9 \U0001f600,1\nq2,0\n"
    (logs / "main.csv").write_text(evil, encoding="utf-8")
    (logs / "pr.csv").write_text(evil.replace(",1", ",0").replace("q2,0", "q2,1"), encoding="utf-8")
    done = process("compare", "main.csv", "pr.csv", folder=logs, PYTHONIOENCODING="cp1252")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_output_is_the_machines_fault_and_one_line(logs):
    done = subprocess.run(
        f"{sys.executable} -m aliquot compare main.csv pr.csv > /dev/full",
        shell=True,
        cwd=logs,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_closed_pipe_is_no_error(logs):
    done = subprocess.run(
        f"{sys.executable} -m aliquot compare main.csv pr.csv -v | head -1",
        shell=True,
        cwd=logs,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stderr == ""


def test_read_says_what_is_there(logs):
    done = aliquot("read", "main.csv", folder=logs)
    assert done.code == 0, done.err
    for part in ("40 items", "binary", "column 'item'", "not read: 'document'"):
        assert part in done.out
    document = json.loads(aliquot("read", "main.csv", "--json", folder=logs).out)
    assert document["schema"] == "aliquot.description/1"


def test_the_bundled_demo_ends_with_a_verdict_and_a_report(tmp_path):
    done = process("demo", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split(":")[0].split()[0] in {"BETTER", "WORSE", "UNDECIDED"}
    assert "few-shot" in done.stdout
    assert (tmp_path / "aliquot-demo.html").exists()
    assert "aliquot-demo.html" in done.stdout.splitlines()[-1]


def test_help_shows_the_deciding_verbs_first_and_an_example_of_each():
    done = aliquot("--help", folder=Path.cwd())
    assert done.out.index("compare") < done.out.index("demo ")
    for verb in ("compare", "report", "demo", "model", "read", "run", "show"):
        shown = aliquot(verb, "--help", folder=Path.cwd()).out
        assert f"aliquot {verb}" in shown.split("Options:")[0].split("Usage:")[1].split("\n", 1)[1], verb
