"""``summarize``, ``table``, ``noise`` and the printed figures of ``compare`` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.called import call as aliquot
from tests.workshop.page_logs import write_logs

COMMANDS = (
    ("summarize", "main.csv", "pr.csv"),
    ("summarize", "attempts.csv"),
    ("table", "main.csv", "pr.csv"),
    ("noise", "main.csv", "again.csv"),
    ("noise", "attempts.csv"),
    ("compare", "--counts", "12/20", "--counts", "17/20"),
    ("compare", "pr.csv", "--against", "0.82/500"),
    ("compare", "main.csv", "pr.csv", "--unpaired"),
)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Runs of 40 items: main, the same system again, a candidate, and one with three attempts an item."""
    for name, passed in (
        ("main", lambda i: i % 3 != 0),
        ("again", lambda i: (i % 3 != 0) != (i % 11 == 0)),
        ("pr", lambda i: i % 5 != 0),
    ):
        lines = ["item,passed,document", *(f"q{i},{int(passed(i))},doc-{i // 4}" for i in range(40))]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    lines = [
        "item,attempt,passed",
        *(f"q{i},{k},{int((i + k) % 4 > 0)}" for i in range(20) for k in (1, 2, 3)),
    ]
    (tmp_path / "attempts.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


def found(folder: Path, *words: str) -> dict[str, Any]:
    done = aliquot(*words, "--json", folder=folder)
    assert done.code == 0, done.err
    return json.loads(done.out, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_form_says_the_same_and_stays_within_the_width(logs: Path, words: tuple[str, ...]):
    text, full, markdown = (aliquot(*words, *more, folder=logs) for more in ((), ("-v",), ("--markdown",)))
    document = found(logs, *words)
    assert [done.code for done in (text, full, markdown)] == [0, 0, 0]
    start = document["verdict"]["text"].split(":")[0][:40]
    assert text.out.startswith(start)
    assert full.out.startswith(start)
    assert start in markdown.out.replace("\\", "").splitlines()[0]
    assert document["schema"].startswith("aliquot.")
    assert max(map(len, (text.out + full.out).splitlines())) <= 80
    assert "Seed" in full.out
    assert "Seed" not in text.out


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_command_in_the_finding_makes_it_again(logs: Path, words: tuple[str, ...]):
    first = found(logs, *words)
    again = first["command"].split()[1:]
    assert found(logs, *again) == first


def test_the_cluster_that_a_warning_names_may_be_passed(tmp_path: Path):
    write_logs(tmp_path)
    warned = found(tmp_path, "compare", "main.csv", "declines.csv")
    text = next(note["text"] for note in warned["warnings"] if note["code"] == "unnamed_clusters")
    assert "pass --cluster conversation" in text
    passed = found(tmp_path, "compare", "main.csv", "declines.csv", "--cluster", "conversation")
    assert passed["n_clusters"] == 80
    limits = [f"{100 * passed['difference'][limit]:+.1f}" for limit in ("low", "high")]
    assert f"[{limits[0]} to {limits[1]}]" in text  # both intervals stood in the warning


def test_one_path_alone_is_a_summary(logs: Path):
    assert aliquot("main.csv", folder=logs).out == aliquot("summarize", "main.csv", folder=logs).out
    assert "main passed 65.0%" in aliquot("main.csv", folder=logs).out  # 26 of 40
    assert found(logs, "main.csv")["schema"] == "aliquot.summary/1"
    assert found(logs, "main.csv", "pr.csv")["schema"] == "aliquot.comparison/1"


@pytest.mark.parametrize(("floor", "word"), [("40%", "met"), ("0.65", "undecided"), ("90%", "not_met")])
def test_a_floor_is_a_word_and_not_an_exit_code(logs: Path, floor: str, word: str):
    assert found(logs, "summarize", "main.csv", "--at-least", floor)["verdict"]["word"] == word


def test_noise_is_remembered_unless_it_is_to_be_forgotten(logs: Path):
    assert "Remembered" not in aliquot("noise", "main.csv", "again.csv", "--forget", folder=logs).out
    assert not (logs / ".aliquot").exists()
    said = aliquot("noise", "main.csv", "again.csv", folder=logs).out
    assert said.splitlines()[-1].startswith("Remembered in .aliquot")
    later = aliquot("compare", "main.csv", "pr.csv", folder=logs).out
    assert "This suite moves by up to" in later
    assert len(later.splitlines()) <= 15


def test_a_table_for_a_paper_is_written_beside_what_is_printed(logs: Path):
    done = aliquot("table", "main.csv", "pr.csv", "--latex", "table.tex", folder=logs)
    assert done.code == 0, done.err
    assert r"\toprule" in (logs / "table.tex").read_text(encoding="utf-8")
    assert "pr" in done.out


def test_clusters_and_columns_mean_what_they_mean_in_compare(logs: Path):
    for words in (("summarize", "main.csv"), ("table", "main.csv", "pr.csv")):
        lines = found(logs, *words, "--cluster", "document")
        rows = lines.get("lines") or lines["rows"]
        assert {row["n_clusters"] for row in rows} == {10}
    renamed = (logs / "main.csv").read_text(encoding="utf-8").replace("item,passed", "case,right")
    (logs / "other.csv").write_text(renamed, encoding="utf-8")
    reading = ("--item-column", "case", "--value-column", "right")
    first, second = found(logs, "summarize", "other.csv", *reading), found(logs, "summarize", "main.csv")
    assert first["lines"][0]["estimate"] == second["lines"][0]["estimate"]
    assert "--item-column case" in first["command"]


@pytest.mark.parametrize(
    "words", [("summarize", "void.csv"), ("void.csv",), ("noise", "void.csv")], ids=" ".join
)
def test_nothing_valid_to_judge_exits_with_5(tmp_path: Path, words: tuple[str, ...]):
    (tmp_path / "void.csv").write_text("item,value,status\nq1,,error\nq2,,error\n", encoding="utf-8")
    done = aliquot(*words, folder=tmp_path)
    assert done.code == 5, done.err
    assert done.out.startswith("NOTHING TO JUDGE")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("summarize",), "Missing argument"),
        (("summarize", "nowhere.csv"), "nowhere.csv: there is no such file or folder"),
        (("summarize", "main.csv", "--system", "mian"), "Did you mean 'main'?"),
        (("summarize", "main.csv", "--metric", "pased"), "Did you mean 'passed'?"),
        (("summarize", "main.csv", "--at-least", "90"), "a floor lies between 0 and 1 (0.9, or 90%)"),
        (("summarize", "main.csv", "--at-least", "high"), "is no floor; write 0.9 or 90%"),
        (("summarize", "main.csv", "--level", "95"), "0.95, not 95"),
        (("table", "main.csv"), "a table needs two systems; only main was found"),
        (("table", "main.csv", "pr.csv", "--baseline", "prr"), "Did you mean 'pr'?"),
        (("table", "main.csv", "pr.csv", "--metric", "task=acc"), "Known: passed"),
        (("table", "main.csv", "pr.csv", "--metric", "tusk=passed"), "Did you mean 'task'?"),
        (("table", "main.csv", "pr.csv", "--level", "95"), "0.95, not 95"),
        (("table", "main.csv", "pr.csv", "--json", "--markdown"), "exclude each other"),
        (("noise", "main.csv", "again.csv", "pr.csv"), "got 3"),
        (("noise", "main.csv", "main.csv"), "given twice"),
        (("noise", "main.csv", "again.csv", "--level", "95"), "0.95, not 95"),
        (("noise", "main.csv", "--system", "pr"), "Known: main"),
        (("compare", "--counts", "17/20"), "two figures need none"),
        (("compare", "--counts", "21/20", "--counts", "3/4"), "more passes than items"),
        (("compare", "pr.csv", "--against", "17"), "write passes of items (17/20)"),
        (("compare", "main.csv", "pr.csv", "--against", "17/20"), "aliquot compare run.csv --against"),
        (("mian.csv",), "No such command or file 'mian.csv'"),
        (("main.csv", "nowhere.csv"), "nowhere.csv: there is no such file or folder"),
    ],
)
def test_a_mistake_is_one_line_that_names_the_remedy(logs: Path, words: tuple[str, ...], said: str):
    done = aliquot(*words, folder=logs)
    assert done.code == 2, done.out
    assert said in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


def test_help_holds_an_example_of_each(tmp_path: Path):
    for verb in ("summarize", "table", "noise"):
        shown = aliquot(verb, "--help", folder=tmp_path).out
        assert f"aliquot {verb}" in shown.split("Options:")[0].split("Usage:")[1].split("\n", 1)[1], verb
