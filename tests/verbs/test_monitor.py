"""A log that grows, watched: what alarms, what does not, and what survives between two reads."""

from __future__ import annotations

import csv
import json
import multiprocessing
import random
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

import pytest

from aliquot import monitor
from aliquot.errors import InputError, UsageError
from aliquot.reports.render import render
from tests.cli.called import call


def rows(n: int, *, seed: int, rate: float = 0.9, german: float = 0.3, gap: float = 0.05, letters: int = 60):
    """Rows of a log: two languages of which German goes worse by ``gap``, and one user in ten who says something."""
    drawn = random.Random(seed)
    for place in range(n):
        lang = "de" if drawn.random() < german else "en"
        passed = int(drawn.random() < rate - gap * (lang == "de"))
        row: dict[str, Any] = {
            "id": f"{seed}-{place}",
            "question": "why " * 10 + "x" * drawn.randint(0, letters),
            "lang": lang,
            "passed": passed,
        }
        if drawn.random() < 0.1:
            row["thumbs"] = "up" if drawn.random() < 0.5 + 0.4 * passed else "down"
        yield row


def add(path: Path, *parts: Any) -> Path:
    with path.open("a", encoding="utf-8") as log:
        for part in parts:
            log.writelines(json.dumps(row) + "\n" for row in part)
    return path


WATCHED: dict[str, Any] = {"by": ["lang"], "drift": ["question"], "feedback": "thumbs"}


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "log.jsonl"


def test_it_learns_then_watches_and_keeps_silent(log: Path):
    first = monitor(add(log, rows(200, seed=1)), **WATCHED)
    assert first.verdict.word == "estimated"
    assert first.verdict.text.startswith("LEARNING: 200 of 500 rows")
    second = monitor(add(log, rows(1300, seed=2)), **WATCHED)
    assert (second.rows, second.new_rows, second.baseline_rows) == (1500, 1300, 500)
    assert second.verdict.text.startswith("NO ALARM in 1,000 rows since the baseline")
    assert (second.verdict.word, second.exit_code, second.alarms) == ("met", 0, ())
    names = [one.name for one in second.channels]
    assert names == ["quality", "quality, lang=en", "quality, lang=de", "feedback", "answered",
                     "inputs, lang=en", "inputs, question"]  # fmt: skip
    # six channels: quality of all, of lang, feedback, answered, lang and question
    assert second.channels[0].limit == 6 * 10_000


def test_a_fall_alarms_and_stays_an_alarm(log: Path):
    monitor(add(log, rows(1200, seed=1)), **WATCHED)
    found = monitor(add(log, rows(500, seed=2, rate=0.7)), **WATCHED)
    assert found.exit_code == 3
    quality = next(one for one in found.alarms if one.name == "quality")
    assert 1200 < quality.alarm < 1450
    assert abs(quality.alarm - quality.since - 1200) < 60
    assert not any(one.what == "inputs" for one in found.alarms)
    later = monitor(add(log, rows(600, seed=3)), **WATCHED)
    assert next(one for one in later.alarms if one.name == "quality").alarm == quality.alarm
    begun = monitor(log, restart=True, **WATCHED)
    assert (begun.rows, begun.exit_code) == (0, 5)


def test_inputs_that_change_are_told_from_quality_that_falls(log: Path):
    monitor(add(log, rows(1000, seed=1, gap=0.3)), **WATCHED)
    found = monitor(add(log, rows(500, seed=2, gap=0.3, german=0.8, letters=400)), **WATCHED)
    assert {one.name for one in found.alarms} >= {"inputs, lang=en", "inputs, question", "quality"}
    (mix,) = found.mix
    # the mix went from 30% to 80% German, which goes worse by 30 points: 15 points; nothing changed within
    assert mix.by_mix == pytest.approx(-0.15, abs=0.05)
    assert mix.change == pytest.approx(mix.by_mix + mix.within)
    assert abs(mix.within) < abs(mix.by_mix) / 2
    assert mix.at_old_mix.high > found.before.low
    assert not [one for one in found.alarms if one.name.startswith("quality, ")]
    text = render(found)
    assert "At the baseline's mix of lang the last rows would stand at" in " ".join(text.split())


def test_kinds_that_are_rated_unequally_do_not_make_a_change(log: Path):
    """German is half of the rows and goes worse by 40 points, and one in ten of its answers has a value."""

    def unequal(n: int, seed: int):
        for place, row in enumerate(rows(n, seed=seed, german=0.5, gap=0.4)):
            yield {**row, "passed": row["passed"] if row["lang"] == "en" or place % 10 == 0 else None}

    found = monitor(add(log, unequal(500, 1), unequal(500, 2)), by=["lang"], baseline=500)
    (mix,) = found.mix
    # the rated rows have one mix in both halves: 10 in 11 are English, so reweighting moves next to nothing
    assert abs(mix.by_mix) < 0.02
    assert mix.within == pytest.approx(mix.change, abs=0.02)


def test_the_cuts_of_reading_change_nothing(log: Path, tmp_path: Path):
    every = [*rows(900, seed=5), *rows(300, seed=6, rate=0.8)]
    whole = monitor(add(log, every), state=tmp_path / "whole.json", **WATCHED)
    other = tmp_path / "parts.jsonl"
    for start in range(0, 1200, 123):
        parts = monitor(add(other, every[start : start + 123]), state=tmp_path / "parts.json", **WATCHED)
    assert parts.channels == whole.channels
    assert parts.now == whole.now
    assert parts.segments[0].now == whole.segments[0].now


def _read(path: str, folder: str) -> int:
    return monitor(path, state=Path(folder) / "both.json", by=["lang"]).rows


@pytest.mark.parametrize("kind", ["threads", pytest.param("processes", marks=pytest.mark.heavy)])
def test_two_at_once_count_each_row_once(kind: str, log: Path, tmp_path: Path):
    add(log, rows(800, seed=1))
    pools = {"threads": ThreadPool, "processes": multiprocessing.get_context("spawn").Pool}
    with pools[kind](2) as pool:
        counted = pool.starmap(_read, [(str(log), str(tmp_path))] * 2)
    assert counted == [800, 800]
    again = monitor(log, state=tmp_path / "both.json", by=["lang"])
    assert (again.rows, again.new_rows) == (800, 0)


def test_a_state_is_as_it_was_when_reading_fails(log: Path):
    monitor(add(log, rows(600, seed=1)), by=["lang"])
    add(log, [{"lang": "en", "passed": 7}])
    with pytest.raises(InputError, match=r"row 601, field 'passed': the value 7 lies outside 0 to 1"):
        monitor(log, by=["lang"])
    kept = json.loads(next((log.parent / ".aliquot" / "monitors").glob("*.json")).read_text())
    assert (kept["rows"], kept["mark"]["rows"]) == (600, 600)


def test_a_floor_and_a_baseline_of_a_good_time(log: Path, tmp_path: Path):
    good = add(tmp_path / "good.jsonl", rows(400, seed=9))
    add(log, rows(500, seed=2, rate=0.8))
    against = monitor(log, baseline=str(good), by=["lang"], state=tmp_path / "a.json")
    assert (against.baseline_rows, against.exit_code) == (400, 3)
    held = monitor(log, baseline=100, at_least="70%", state=tmp_path / "b.json")
    assert (held.channels[0].held, held.exit_code) == (0.7, 0)


def test_scores_and_errors_on_their_own_scale(log: Path):
    drawn = random.Random(3)
    add(log, ({"score": min(5, max(1, drawn.gauss(4, 0.5)))} for _ in range(700)))
    add(log, ({"score": min(5, max(1, drawn.gauss(3, 0.5)))} for _ in range(100)))
    found = monitor(log, low=1, high=5, baseline=200)
    assert found.exit_code == 3
    assert 700 < found.alarms[0].alarm < 760
    assert found.before.point == pytest.approx(0.75, abs=0.02)  # 4 on 1 to 5
    wrong = log.with_name("wrong.jsonl")
    add(wrong, ({"score": int(drawn.random() < 0.1)} for _ in range(600)))
    assert monitor(wrong, lower_is_better=True, baseline=300).before.point == pytest.approx(0.9, abs=0.05)


def test_rows_of_a_conversation_are_one_unit(log: Path):
    talk = [{"passed": 1, "talk": f"t{k // 4}"} for k in range(400)]
    found = monitor(add(log, talk), cluster="talk", baseline=100)
    assert found.channels[0].units == 75
    assert found.before.clusters == 25


def test_rows_are_drawn_for_people_with_their_chances(log: Path, tmp_path: Path):
    monitor(add(log, rows(500, seed=1)), feedback="thumbs")
    found = monitor(
        add(log, rows(1000, seed=2)), feedback="thumbs", review=60, review_to=tmp_path / "read.csv"
    )
    assert found.review == 60
    with (tmp_path / "read.csv").open(encoding="utf-8") as file:
        read = list(csv.DictReader(file))
    flagged = [row for row in read if row["drawn"] == "flagged"]
    assert (len(read), len(flagged)) == (60, 30)
    assert all(int(row["row"]) > 500 for row in read)
    # each kind is weighted back to all of it: the weights of all sum to the 1,000 new rows
    assert sum(float(row["weight"]) for row in read) == pytest.approx(1000)
    assert all(float(row["chance"]) * float(row["weight"]) == pytest.approx(1) for row in read)
    assert all(row["passed"] == "0" or row["thumbs"] == "down" for row in flagged)


def test_does_the_set_still_look_like_what_comes_in(log: Path, tmp_path: Path):
    items = tmp_path / "items.jsonl"
    items.write_text(
        "".join(
            json.dumps({"id": f"i{k}", "question": "why " * 12, "lang": "en" if k % 10 else "fr"}) + "\n"
            for k in range(100)
        )
    )
    found = monitor(add(log, rows(900, seed=1)), items=items, **WATCHED)
    lang = next(one for one in found.resemblance if one.field == "lang")
    # 30% of the rows are German, which the set lacks; its tenth in French is not among the rows
    assert lang.distance == pytest.approx(0.3, abs=0.05)
    assert lang.lacking == ("de",)
    assert lang.covered == pytest.approx(0.7, abs=0.05)
    assert lang.test.p < 0.001
    assert any(one.field == "question" for one in found.resemblance)
    other = add(tmp_path / "t.jsonl", [{"topic": "a", "passed": 1}] * 30)
    with pytest.raises(UsageError, match="has none of the fields topic"):
        monitor(other, drift=["topic"], items=items)


def test_feedback_speaks_for_those_who_spoke(log: Path):
    found = monitor(add(log, rows(600, seed=4)), **WATCHED)
    told = found.feedback
    assert told.rows == 500
    assert told.answered.point == told.said / 500
    good = told.liked.point * told.said
    assert told.if_silent == pytest.approx((good / 500, (good + 500 - told.said) / 500))
    assert "With the silent it could be" in render(found)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"by": ["langue"]}, "has no column 'langue'. Did you mean 'lang'"),
        ({"baseline": 3}, "a baseline has 20 to 5,000 rows"),
        ({"run_length": 1}, "--false-alarm-every is 1; it must be 2 or more"),
        ({"review": 5}, "give both"),
        ({"at_least": "120%"}, "a floor lies strictly between"),
        ({"low": 2}, "--low must lie below --high"),
        ({"feedback": "lang"}, "'en' is neither good nor bad|'de' is neither good nor bad"),
    ],
)
def test_what_cannot_be_watched(log: Path, options: dict[str, Any], says: str):
    add(log, rows(50, seed=1))
    with pytest.raises((UsageError, InputError), match=says):
        monitor(log, **options)


def test_another_telling_is_another_monitor(log: Path):
    monitor(add(log, rows(30, seed=1)), by=["lang"])
    with pytest.raises(UsageError, match="this monitor watches otherwise; changed: by"):
        monitor(log)
    assert monitor(log, restart=True).rows == 0


@pytest.mark.parametrize(
    ("cells", "options", "says"),
    [
        (
            {"text": "x", "grade": 1},
            {},
            "no column is called value, .* or success; the columns are text, grade. .*--value",
        ),
        (
            {"text": "x", "score": None},
            {},
            "field 'score': none of 30 rows has a value; the columns are text, score",
        ),
        (
            {"text": "x", "score": ""},
            {"value": "score", "by": ["text"]},
            "none of 30 rows has a value.*--by or --drift",
        ),
    ],
)
def test_a_log_without_values_is_said_at_the_first_read(
    log: Path, cells: dict[str, Any], options: dict[str, Any], says: str
):
    add(log, (cells for _ in range(30)))
    with pytest.raises(InputError, match=says):
        monitor(log, **options)
    add(log, [{**cells, options.get("value", "score"): 1}])
    assert monitor(log, **options).rows == 31  # nothing was kept of the read that failed


def test_a_baseline_without_values_is_said_as_well(log: Path, tmp_path: Path):
    good = add(tmp_path / "good.jsonl", ({"passed": None} for _ in range(50)))
    with pytest.raises(InputError, match=r"good.jsonl, field 'passed': none of 50 rows has a value"):
        monitor(add(log, [{"passed": 1}]), baseline=good)


def test_inputs_alone_can_be_watched_and_it_is_said_that_quality_is_not(log: Path):
    add(log, ({"lang": "en" if k % 3 else "de", "score": None} for k in range(200)))
    found = monitor(log, by=["lang"], baseline=100)
    assert [one.what for one in found.channels] == ["inputs"]
    assert "none of the last 200 rows has a value: quality is not known" in render(found)


@pytest.mark.parametrize(
    ("passed", "why"),
    [((None,) * 60 + (1,) * 60, "no row has a value"), ((0,) * 120, "every value is at the worst end")],
)
def test_nothing_to_watch_is_never_green(log: Path, passed: tuple[int | None, ...], why: str):
    found = monitor(add(log, ({"passed": one} for one in passed)), baseline=50)
    assert (found.verdict.word, found.exit_code) == ("nothing_to_judge", 5)
    assert why in found.verdict.text


def test_the_command_exits_with_three_and_prints_json(log: Path):
    add(log, rows(600, seed=1), rows(300, seed=2, rate=0.5))
    done = call("monitor", log, "--by", "lang", "--json")
    assert done.code == 3
    assert json.loads(done.out)["schema"] == "aliquot.monitor/1"
    assert call("monitor", log, "--by", "lang").out.startswith("FALLEN: ")
    assert call("monitor", log, "--by", "lang", "--system", "x").code == 2
    assert call("monitor", log, log).code == 2


def test_words_of_a_log_stay_inert(log: Path):
    hostile = '<script>\x1b[31m"=cmd|'
    add(log, ({"lang": hostile, "passed": 1} for _ in range(600)))
    assert "\x1b" not in render(monitor(log, by=["lang"], baseline=100), verbose=True)


@pytest.mark.heavy
def test_quiet_logs_alarm_as_seldom_as_stated(tmp_path: Path):
    """40 logs of 1,500 rows each, watched on 6 channels with a false alarm in 5,000 rows: 12 expected at most."""
    alarmed = 0
    for number in range(40):
        path = add(tmp_path / f"{number}.jsonl", rows(1500, seed=1000 + number))
        found = monitor(path, state=tmp_path / f"{number}.json", run_length=5_000, **WATCHED)
        alarmed += bool(found.alarms)
    # 1,000 watched rows of 5,000: at most one in five on average, which is 8 of 40; three standard errors of 2.5
    assert alarmed <= 15


def test_a_log_whose_values_stop_is_not_green(log: Path):
    passing = ({"passed": int(i % 10 > 0)} for i in range(600))
    found = monitor(add(log, passing, ({"passed": None} for _ in range(600))))
    assert (found.verdict.word, found.exit_code) == ("nothing_to_judge", 5)
    assert "none of the last 500 rows has a value" in found.verdict.text


def test_a_value_that_is_none_is_refused_with_a_remedy_that_there_is(log: Path):
    with pytest.raises(InputError) as told:
        monitor(add(log, [{"passed": "banana"}]))
    assert "--missing" not in str(told.value)
    assert "an empty cell, or null, is no value" in str(told.value)
