"""Comparisons whose answer others published, or that must not mislead, from the files to the words on the screen."""

from __future__ import annotations

import csv
import itertools
import json
import re
from pathlib import Path

import polars as pl
import pytest

from aliquot.errors import AliquotError
from aliquot.evidence.contents import systems, tasks
from aliquot.readers.registry import find_reader, read_one
from tests.cli.called import call
from tests.shared import FOLDER, shared

LOGS = FOLDER / "logs"

SANE = {0, 2, 5}
"""Done, an input that cannot be compared as it stands, nothing to judge."""


def test_the_first_two_of_swe_bench_pro_are_not_told_apart() -> None:
    """Ranked first and second on different item sets: 59 to 47 on the 562 common ones, exact p .285."""
    path = shared("data", "swebench_pro", "results.parquet")
    ranks = ("claude-45sonnet-10132025", "claude-4sonnet-10132025")
    found = json.loads(call("compare", path, "--systems", *ranks, "--json").out)
    assert (found["table"]["broke"], found["table"]["fixed"], found["n_items"]) == (59, 47, 562)
    by_name = {test["name"]: test for test in found["tests"]}
    # 2 P(binomial(106, 1/2) >= 59)
    assert by_name["mcnemar_exact"]["p"] == pytest.approx(0.285, abs=5e-4)
    assert by_name["cluster_sign_flip"]["decides"]
    assert found["n_clusters"] == 11
    assert found["verdict"]["word"] == "undecided"
    assert (found["matching"]["only_a"], found["matching"]["only_b"]) == (168, 0)
    printed = call("compare", path, "--systems", *ranks)
    assert printed.code == 0
    assert "168 items only in the baseline, 0 only in the candidate: left out" in printed.text
    assert "168 items have no value on a side and could change this" in printed.text
    assert len(printed.out.splitlines()) <= 15


@pytest.mark.parametrize("system", ["NullModel", "claude-2.1", "gpt-3.5-turbo-1106", "gpt4_1106_preview"])
def test_published_rates_and_errors_of_alpaca_eval(system: str, tmp_path: Path) -> None:
    table = pl.read_parquet(shared("data", "alpaca_eval", "weighted_alpaca_eval_gpt4_turbo.parquet"))
    board = shared("data", "alpaca_eval", "published_weighted_gpt4_turbo.csv").read_text(encoding="utf-8")
    printed = next(row for row in csv.DictReader(board.splitlines()) if row[""] == system)
    own = table.filter(pl.col("system") == system).select(
        "system", "item", value=pl.col("preference") - 1
    )  # 1 the baseline's, 2 the system's
    own.write_parquet(tmp_path / "own.parquet")
    found = json.loads(call("summarize", tmp_path / "own.parquet", "--json").out)["lines"][0]["estimate"]
    # the preferences are stored to ten digits, the leaderboard is in percent
    assert 100 * found["point"] == pytest.approx(float(printed["win_rate"]), abs=1e-8)
    assert 100 * found["se"] == pytest.approx(float(printed["standard_error"]), abs=1e-8)
    assert found["low"] < found["point"] < found["high"]


def test_fourteen_items_turn_with_the_scoring_rule(tmp_path: Path) -> None:
    """6 : 1 under exact match (+.357, baseline minus candidate) and 1 : 5 after a normalisation (-.286)."""
    rules = {"exact_match": (6, 1), "exact_match,normalised": (1, 5)}
    lines = ["system,item,metric,value"]
    for rule, (broke, fixed) in rules.items():
        quoted = f'"{rule}"'
        for item in range(14):
            lines.append(f"main,q{item:02},{quoted},{int(not broke <= item < broke + fixed)}")
            lines.append(f"pr,q{item:02},{quoted},{int(item >= broke)}")
    path = tmp_path / "scored.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    first = call("compare", path, "--systems", "main", "pr")
    assert "1 fixed, 6 broke -35.7" in first.text
    assert "THE SIGN HANGS ON THE SCORING RULE: under exact_match,normalised it is +28.6" in first.text
    other = call("compare", path, "--systems", "main", "pr", "--metric", "exact_match,normalised")
    assert "5 fixed, 1 broke +28.6" in other.text
    assert "THE SIGN HANGS ON THE SCORING RULE: under exact_match it is -35.7" in other.text
    assert first.text.startswith("UNDECIDED")
    assert other.text.startswith("UNDECIDED")


def test_declining_a_fifth_does_not_make_a_system_better(tmp_path: Path) -> None:
    """347 of 400 (86.75%) against 296 of the 320 answered (92.50%): worse, and both rates are shown."""
    lines = ["system,item,status,value"]
    for item in range(400):
        declined = 296 <= item < 376
        lines.append(f"main,q{item:03},ok,{int(item < 347)}")
        lines.append(
            f"careful,q{item:03},refused," if declined else f"careful,q{item:03},ok,{int(item < 296)}"
        )
    path = tmp_path / "declined.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = call("compare", path, "--systems", "main", "careful", "-v")
    assert done.text.startswith("WORSE: careful trails main")
    assert "careful answered 80.0%, over these 92.5% and over all 74.0%" in done.text
    assert "no verdict is made over answered rows" in done.text
    found = json.loads(call("compare", path, "--systems", "main", "careful", "--json").out)["answered"]
    assert found["baseline"]["over_answered"]["point"] == 0.8675
    assert found["candidate"]["over_answered"]["point"] == 0.925


def sources(folder: Path) -> list[Path]:
    """Return the files and folders of shared logs that some reader takes, the smallest unit first."""
    found: list[Path] = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        inside = sources(path) if path.is_dir() else []
        if inside and not (path / "runs.json").exists():
            found += inside
            continue
        try:
            find_reader(path)
        except AliquotError:
            continue
        found.append(path)
    return found


def pairs() -> list[tuple[Path, Path]]:
    """Return every two logs of one folder when there are few, each with the next when there are many."""
    grouped = [list(group) for _, group in itertools.groupby(sources(LOGS), key=lambda path: path.parent)]
    return [
        pair
        for group in grouped
        for pair in (itertools.combinations(group, 2) if len(group) <= 4 else itertools.pairwise(group))
    ]


def named(value: object) -> str:
    return str(value.relative_to(LOGS)) if isinstance(value, Path) else str(value)


def checked(*words: str | Path) -> str:
    """Call a command that may refuse what it is given in one line, and may do nothing worse; return its output."""
    done = call(*words)
    assert done.code in SANE, done.err
    if done.code == 2:
        assert done.out == ""
        assert done.err.startswith("aliquot: ")
        assert len(done.err.splitlines()) == 1
    else:
        assert done.err == ""
        assert not re.search(r"(?<!are )\bnan\b", done.out.lower())
    return done.out


@pytest.mark.parametrize("path", sources(LOGS), ids=named)
def test_every_shared_log_is_summarized_or_refused_in_one_line(path: Path) -> None:
    checked("summarize", path)


@pytest.mark.parametrize(("a", "b"), pairs(), ids=named)
def test_every_pair_of_shared_logs_is_compared_or_refused_in_one_line(a: Path, b: Path) -> None:
    checked("compare", a, b)


@pytest.mark.heavy
def test_every_pair_of_systems_within_a_log_is_compared() -> None:
    shared("logs")
    compared = 0
    for path in sources(LOGS):
        try:
            evidence = read_one(path)
        except AliquotError:
            continue
        for a, b in itertools.islice(itertools.combinations(systems(evidence), 2), 3):
            printed = checked("compare", path, "--systems", a, b, "--task", tasks(evidence)[0])
            assert len(printed.splitlines()) <= 15
            compared += 1
    assert compared >= 10
