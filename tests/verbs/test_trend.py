"""A metric over many stored runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from aliquot import trend
from aliquot.errors import UsageError
from aliquot.reports.render import render
from tests.cli.called import call

RATES = (81, 80, 82, 81, 80, 82, 81, 74, 75, 73, 74, 75)


def nights(folder: Path, *rates: int, system: str = "main") -> list[Path]:
    paths: list[Path] = []
    for number, passed in enumerate(rates, start=1):
        path = folder / f"night{number:02d}.csv"
        lines = [f"q{i},{system},{int(i < passed)}" for i in range(100)]
        path.write_text("item,system,value\n" + "\n".join(lines) + "\n", encoding="utf-8")
        paths.append(path)
    return paths


def test_a_step_is_named_by_its_first_run(tmp_path: Path):
    found = trend(*nights(tmp_path, *RATES))
    (change,) = found.changes
    assert (change.run, change.last) == ("night08.csv", "night07.csv")
    assert (change.runs_before, change.runs_after) == (7, 5)
    # means 567/7 = 81.0 and 371/5 = 74.2
    assert (change.before, change.after) == pytest.approx((0.81, 0.742))
    assert [point.level for point in found.points] == [1] * 7 + [2] * 5
    assert (found.verdict.word, found.exit_code) == ("worse", 3)
    assert found.verdict.text.startswith(
        "WORSE since night08.csv: 74.2 in 5 runs, 81.0 in the 7 before (-6.8 points)"
    )
    assert "Kendall's tau" in render(found)
    assert "night01.csv" in render(found, verbose=True)


def test_a_rise_is_no_alarm_and_a_quiet_row_no_change(tmp_path: Path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    rise = trend(*nights(tmp_path / "a", *RATES[::-1]))
    assert (rise.verdict.word, rise.exit_code) == ("better", 0)
    quiet = trend(*nights(tmp_path / "b", 80, 81, 79, 80, 82, 80, 79, 81, 80, 80))
    assert quiet.changes == ()
    assert (quiet.verdict.word, quiet.exit_code) == ("met", 0)
    assert quiet.verdict.text == "NO CHANGE OF LEVEL is shown over 10 runs: 79.0 to 82.0."


def test_few_runs_and_other_items(tmp_path: Path):
    paths = nights(tmp_path, 80, 81, 79)
    few = trend(*paths)
    assert few.verdict.text.startswith("UNDECIDED: 3 runs")
    assert (few.verdict.word, few.exit_code) == ("undecided", 4)
    assert call("monitor", "--trend", *paths).code == 4
    paths[1].write_text("item,system,value\nq1,main,1\n", encoding="utf-8")
    assert "other_items" in [note.code for note in trend(*paths).warnings]
    with pytest.raises(UsageError, match="needs two runs at least"):
        trend(paths[0])


def test_several_systems_are_named(tmp_path: Path):
    paths = nights(tmp_path, 80, 81)
    for path in paths:
        path.write_text(path.read_text() + "q1,other,0\n", encoding="utf-8")
    with pytest.raises(
        UsageError, match=r"night01.csv holds 2 systems \(main, other\); say which: --system NAME"
    ):
        trend(*paths)
    assert trend(*paths, system="other").points[0].n_items == 1


def test_the_command(tmp_path: Path):
    done = call("monitor", "--trend", *nights(tmp_path, *RATES))
    assert done.code == 3
    assert done.out.startswith("WORSE since night08.csv")
    assert call("monitor", "--trend", *nights(tmp_path, *RATES), "--by", "x").code == 2
