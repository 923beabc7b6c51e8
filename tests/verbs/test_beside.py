"""What stands beside a comparison: remembered noise, other runs on the same items, a plan."""

from __future__ import annotations

import json

import numpy as np
import pytest

from aliquot import compare, noise
from aliquot.errors import InputError, UsageError
from aliquot.files.looks import count_tried
from aliquot.files.manifest import Manifest, write_manifest
from aliquot.files.noise_memory import recall
from aliquot.files.plan_file import PlanFile, read_plan, write_plan
from aliquot.reports.render import render
from aliquot.stats import expected_maximum


def write_log(path, passed, *, system="main"):
    rows = [f"q{place},{system},{value}" for place, value in enumerate(passed)]
    path.write_text("\n".join(["item,system,passed", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def logs(tmp_path):
    first = [1] * 180 + [0] * 60
    second = [1 - v if 173 <= place < 187 else v for place, v in enumerate(first)]  # 7 flip each way
    changed = [1] * 195 + [0] * 45
    return tuple(
        write_log(tmp_path / name, values, system=system)
        for name, values, system in (
            ("main-1.csv", first, "main"),
            ("main-2.csv", second, "main"),
            ("pr.csv", changed, "pr"),
        )
    )


def test_noise_is_remembered_and_shown_beside_a_later_difference(logs, tmp_path):
    memory = tmp_path / "kept" / "noise.json"
    measured = noise(*logs[:2], memory=memory)
    assert "14 of 240 items flipped" in measured.verdict.text
    found = compare(logs[0], logs[2], noise=memory)
    assert found.noise is not None
    assert found.noise.wobble == pytest.approx(1.96 * 14**0.5 / 240, abs=1e-4)
    assert "This suite moves by up to 3.1 points" in render(found)
    assert compare(logs[0], logs[2], noise=None).noise is None


def test_the_same_runs_are_remembered_once_and_other_suites_not_at_all(logs, tmp_path):
    memory = tmp_path / "noise.json"
    noise(*logs[:2], memory=memory)
    noise(*reversed(logs[:2]), memory=memory)
    stored = json.loads(memory.read_text())["measurements"]
    assert len(stored) == 1
    assert recall(memory, suite="another") == []
    assert recall(tmp_path / "none.json", suite="x") == []


@pytest.mark.parametrize("damage", ["{", "[]", '{"measurements": 3}'])
def test_a_damaged_memory_costs_a_warning_and_not_the_comparison(logs, tmp_path, damage):
    memory = tmp_path / "noise.json"
    memory.write_text(damage, encoding="utf-8")
    found = compare(logs[0], logs[2], noise=memory)
    assert found.noise is None
    assert "noise_unreadable" in {note.code for note in found.warnings}
    measured = noise(*logs[:2], memory=tmp_path / "file" / "noise.json")
    assert "not_remembered" not in {note.code for note in measured.warnings}
    (tmp_path / "flat").write_text("", encoding="utf-8")
    kept = noise(*logs[:2], memory=tmp_path / "flat" / "noise.json")
    assert "not_remembered" in {note.code for note in kept.warnings}
    assert "14 of 240" in kept.verdict.text


def test_remembered_noise_of_single_runs_is_that_of_as_many_attempts_as_were_made(tmp_path):
    rows = ["item,system,attempt,passed"]
    for place in range(60):
        for attempt in range(1, 6):
            rows += [
                f"q{place},{name},{attempt},{(place * 7 + attempt * shift) % 5 < 3:d}"
                for name, shift in (("main", 1), ("pr", 2))
            ]
    path = tmp_path / "k5.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    memory = tmp_path / "noise.json"
    alone = noise(path, system="main", memory=memory)
    found = compare(path, noise=memory)
    assert found.noise is not None
    assert found.noise.wobble == pytest.approx(alone.wobble.point / 5**0.5)


def test_the_lead_by_chance_of_equals_is_that_of_a_simulation():
    # ten variants and a baseline, all of one rate: the best leads by √½ se E max, as they share the baseline's error
    rng = np.random.default_rng(2)
    draws = rng.normal(size=(40_000, 11)) / 200**0.5
    leads = draws[:, 1:].max(axis=1) - draws[:, 0]
    se = 2**0.5 / 200**0.5
    assert se * 0.5**0.5 * expected_maximum(10) == pytest.approx(leads.mean(), rel=0.02)


def test_a_plan_that_was_kept_to_says_so_and_a_departure_warns(logs, tmp_path):
    path = tmp_path / "plan.json"
    plan = PlanFile(written="2026-11-01", metric="passed", items=240, margin=0.02, comparisons=1)
    write_plan(plan, path)
    kept = compare(logs[0], logs[2], margin="2pt", plan=path)
    assert kept.plan is not None
    assert kept.plan.departures == ()
    off = compare(logs[0], logs[2], margin="5pt", plan=path)
    assert off.plan is not None
    assert off.plan.departures == ("margin",)
    assert off.warnings[0].code == "off_plan"
    assert "departs" in render(off, verbose=True)


def test_fewer_items_than_planned_is_a_departure(logs, tmp_path):
    path = tmp_path / "plan.json"
    write_plan(PlanFile(items=600), path)
    found = compare(logs[0], logs[2], plan=path)
    assert found.plan is not None
    assert found.plan.departures == ("items",)


def test_a_plan_changed_after_it_was_written_is_refused(tmp_path):
    path = tmp_path / "plan.json"
    write_plan(PlanFile(items=600), path)
    assert read_plan(path).items == 600
    path.write_text(path.read_text().replace("600", "200"), encoding="utf-8")
    with pytest.raises(InputError, match="changed after it was written"):
        read_plan(path)


def run_at(folder, name, *, prompt, items="h"):
    path = folder / name
    path.mkdir(parents=True)
    manifest = Manifest(name=name, task="t", item_set={"hash": items}, systems={name: {"prompt": prompt}})
    write_manifest(path / "run.json", manifest)
    return path


def test_variants_on_the_same_items_are_counted_over_the_runs_beside(tmp_path):
    runs = [run_at(tmp_path, f"r{place}", prompt=f"variant {place}") for place in range(5)]
    run_at(tmp_path, "again", prompt="variant 0")
    run_at(tmp_path, "elsewhere", prompt="variant 9", items="other")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "run.json").write_text("{", encoding="utf-8")
    tried = count_tried(runs[0])
    assert tried is not None
    assert (tried.runs, tried.variants) == (6, 5)
    assert count_tried(tmp_path / "nowhere") is None


@pytest.fixture
def by_language(tmp_path):
    path = tmp_path / "languages.csv"
    rows = ["item,system,value,segment.lang"]
    for lang, gain, loss in (("de", 10, 10), ("en", 30, 4), ("fr", 4, 22)):
        for place in range(80):
            a = int(place < loss or 40 <= place < 70)
            b = int(40 <= place < 70 or 70 - gain - 1 < place - 10 < 70 or place >= 80 - gain)
            b = int(40 <= place < 70) if place < loss else b
            rows += [f"{lang}{place},main,{a},{lang}", f"{lang}{place},pr,{b},{lang}"]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_a_difference_that_varies_between_segments_is_said(by_language):
    found = compare(by_language, noise=None)
    assert "varies_by_segment" in {note.code for note in found.warnings}
    assert found.segments is not None
    assert found.segments.scanned == 3


def test_shares_move_the_difference_towards_their_segment(by_language):
    as_it_is = compare(by_language, noise=None).difference.point
    english = compare(by_language, noise=None, shares="lang=de:0,en:1,fr:0")
    assert english.reweighted is not None
    only = next(part for part in english.segments.fields[0].levels if part.level == "en")
    assert english.reweighted.difference.point == pytest.approx(only.difference.point)
    assert english.difference.point == as_it_is
    assert "At lang de 0%, en 100%, fr 0%" in render(english)
    assert "--shares" in english.command


@pytest.mark.parametrize(
    "shares", ["lang", "lang=de:1", "nolang=de:1", "lang=de:x,en:1,fr:1", "lang=de:1,de:1", ""]
)
def test_shares_that_cannot_be_are_refused(by_language, shares):
    with pytest.raises(UsageError):
        compare(by_language, noise=None, shares=shares)
