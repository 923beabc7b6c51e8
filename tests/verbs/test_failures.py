"""What goes wrong, how often, and what moved: codes of people, and layers that failures are put down to."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import aliquot
from aliquot import failures, from_frame
from aliquot.analysis.failures import FailureChoices, Side, count_failures
from aliquot.errors import InputError, UsageError
from aliquot.evidence.tables import Evidence
from aliquot.files.failure_codes import CODES, read_codes
from aliquot.files.taxonomy import Taxonomy, read_taxonomy
from aliquot.findings.document import finding_document
from aliquot.findings.failures import Failures
from aliquot.reports.render import render
from aliquot.stats.results import Estimate
from tests.runner.evaluations import evaluation, write_items


def table(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def counts(found: Failures) -> dict[str, tuple[int, ...]]:
    return {kind.code: kind.counts for kind in found.kinds}


def share(found: Failures, code: str, side: int = 0) -> Estimate:
    estimate = next(kind for kind in found.kinds if kind.code == code).shares[side]
    assert isinstance(estimate, Estimate)
    return estimate


def answers(values: dict[str, list[int]]) -> Evidence:
    rows = [
        {"system": system, "item": f"q{place}", "value": value}
        for system, given in values.items()
        for place, value in enumerate(given)
    ]
    return from_frame(pl.DataFrame(rows))


def test_a_table_of_codes_alone_is_counted_over_what_was_read(tmp_path: Path) -> None:
    found = failures(table(tmp_path / "week.csv", 'item,codes\n1,"tone; stale doc"\n2,\n3,tone\n4,\n'))
    assert counts(found) == {"tone": (2,), "stale doc": (1,)}
    assert (found.base, found.sides[0].name, found.sides[0].read, found.sides[0].coded) == (
        "read",
        "week",
        4,
        2,
    )
    assert found.verdict.text.startswith("MOST FREQUENT: tone, 2 of 4 answers read (50.0%")


def test_the_share_of_a_kind_has_the_interval_of_a_rate(tmp_path: Path) -> None:
    lines = "".join(f"q{i},{'tone' if i < 10 else ''}\n" for i in range(40))
    estimate = share(failures(table(tmp_path / "w.csv", f"item,codes\n{lines}")), "tone")
    # R: prop.test(10, 40, correct = FALSE)$conf.int
    assert (estimate.low, estimate.high) == pytest.approx((0.1418710, 0.4019396), abs=1e-6)


def test_codes_of_every_failing_answer_make_shares_of_all_answers(tmp_path: Path) -> None:
    evidence = answers({"bot": [1, 0, 0, 1, 1]})
    whole = failures(evidence, codes=[table(tmp_path / "c.csv", "item,code\nq1,tone\nq2,tone\nq2,length\n")])
    assert (whole.base, share(whole, "tone").point, share(whole, "length").point) == ("answers", 0.4, 0.2)
    part = failures(evidence, codes=[table(tmp_path / "p.csv", "item,code\nq1,tone\n")])
    assert (part.base, share(part, "tone").point) == ("failures", 1.0)
    assert any("nobody has read (1 of bot)" in note.text for note in part.warnings)


def test_a_code_of_an_answer_that_passed_is_said(tmp_path: Path) -> None:
    found = failures(
        answers({"bot": [1, 0]}), codes=[table(tmp_path / "c.csv", "item,code\nq0,tone\nq1,tone\n")]
    )
    assert [note.code for note in found.warnings] == ["coded_but_passed"]


def test_two_sides_are_compared_item_by_item_when_they_share_items_and_each_alone_otherwise(
    tmp_path: Path,
) -> None:
    before = "".join(f"q{i},{'tone' if i < 4 else ''}\n" for i in range(60))
    after = "".join(f"q{i},{'tone' if i < 20 else 'length' if i == 20 else ''}\n" for i in range(60))
    first, second = (
        table(tmp_path / f"{name}.csv", f"item,codes\n{text}")
        for name, text in (("old", before), ("new", after))
    )
    found = failures(first, second)
    other = failures(first, table(tmp_path / "others.csv", f"item,codes\n{after}".replace("q", "z")))
    assert (found.paired, found.n_items, other.paired, other.n_items) == (True, 60, False, 120)
    assert {kind.code: kind.moved for kind in found.kinds} == {"tone": "more", "length": "undecided"}
    assert found.verdict.text.startswith(
        "MORE tone: 33.3% of the answers read in new, 6.7% in old (+26.7 points"
    )
    assert found.verdict.word == "worse"


def test_a_difference_is_that_of_compare_at_the_level_at_which_all_kinds_hold() -> None:
    rng = np.random.default_rng(5)
    has = {
        side: {code: rng.random(80) < p for code, p in (("tone", 0.2), ("length", 0.1))}
        for side in ("a", "b")
    }
    sides = [
        Side(side, {(f"q{i}", 1): tuple(c for c in codes if codes[c][i]) for i in range(80)})
        for side, codes in has.items()
    ]
    found = count_failures(sides, choices=FailureChoices())
    values = {side: codes["tone"].astype(int).tolist() for side, codes in has.items()}
    alone = aliquot.compare(answers(values), systems=("a", "b"), level=1 - (1 - 0.95) / 2)
    tone = next(kind for kind in found.kinds if kind.code == "tone")
    assert isinstance(tone.difference, Estimate)
    assert isinstance(alone.difference, Estimate)
    assert (tone.difference.low, tone.difference.high) == (alone.difference.low, alone.difference.high)
    deciding = next(named.test for named in alone.tests if named.decides)
    assert tone.test is not None
    assert tone.test.p == pytest.approx(min(1.0, 2 * deciding.p))


@pytest.mark.heavy
def test_kinds_that_did_not_move_are_seldom_said_to_have_moved() -> None:
    rng = np.random.default_rng(11)

    def side(name: str) -> Side:
        drawn = rng.random((60, 4)) < 0.25
        return Side(name, {(f"q{i}", 1): tuple(f"k{k}" for k in range(4) if drawn[i, k]) for i in range(60)})

    runs = 300
    claimed = sum(
        any(
            kind.moved != "undecided"
            for kind in count_failures([side("a"), side("b")], choices=FailureChoices()).kinds
        )
        for _ in range(runs)
    )
    assert claimed <= runs * 0.05 + 3 * np.sqrt(runs * 0.05 * 0.95)


def test_one_kind_under_several_spellings_is_one_and_old_names_are_led_to_new_ones(tmp_path: Path) -> None:
    codes = table(tmp_path / "w.csv", "item,codes\n1,Wrong-Tool\n2,wrong_tool\n3,bad tool\n4,tone\n")
    assert counts(failures(codes)) == {"Wrong-Tool": (2,), "bad tool": (1,), "tone": (1,)}
    kinds = table(
        tmp_path / "kinds.yaml", "wrong tool: {says: another than the task needs, was: [bad tool]}\n"
    )
    found = failures(codes, taxonomy=kinds)
    assert counts(found) == {"wrong tool": (3,), "tone": (1,)}
    assert [(kind.says, kind.listed) for kind in found.kinds] == [
        ("another than the task needs", True),
        ("", False),
    ]
    assert [note.text for note in found.warnings] == ["not in the taxonomy yet: tone; --grow adds them"]


def test_a_taxonomy_grows_and_keeps_what_is_written_in_it(tmp_path: Path) -> None:
    codes = table(tmp_path / "w.csv", "item,codes\n1,tone\n2,größe: klein\n")
    kinds = tmp_path / "kinds.yaml"
    failures(codes, taxonomy=kinds, grow_taxonomy=True)
    assert set(read_taxonomy(kinds).says) == {"tone", "größe: klein"}
    table(kinds, "# ours\ntone: rude")
    failures(codes, taxonomy=kinds, grow_taxonomy=True)
    assert kinds.read_text(encoding="utf-8").startswith("# ours\ntone: rude\n")
    assert read_taxonomy(kinds).says == {"tone": "rude", "größe: klein": ""}
    assert not failures(codes, taxonomy=kinds).warnings


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- tone\n", "stands where key: value lines are needed"),
        ("tone: {means: x}\n", "there is no key 'means'"),
        ("a: {was: [b]}\nB: ''\n", "stands for"),
        ("tone: [x]\n", "is not text"),
        ("tone: &x 1\n", "anchors"),
    ],
)
def test_what_is_no_taxonomy_is_refused_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_taxonomy(table(tmp_path / "k.yaml", text))


def test_an_empty_taxonomy_is_one_without_names(tmp_path: Path) -> None:
    assert read_taxonomy(table(tmp_path / "k.yaml", "# none yet\n")) == Taxonomy()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,codes\n1,tone\n", "no column 'item'"),
        ("item,remark\n1,tone\n", "no column 'note'"),
        ("item,codes\n,tone\n", "names no item"),
        ("item,codes,attempt\n1,tone,first\n", "is no attempt"),
        (f"item,codes\n1,{'x' * 61}\n", "longer than a code may be"),
        ('item,codes\n1,"' + ",".join(map(str, range(21))) + '"\n', "21 codes of one answer"),
    ],
)
def test_what_is_no_table_of_codes_is_refused_with_its_row(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_codes(table(tmp_path / "c.csv", text))


def test_notes_of_a_report_are_codes_behind_their_signs(tmp_path: Path) -> None:
    notes = table(
        tmp_path / "n.csv", 'item,change,note\n1,broke,"#stale-doc, page 3 (#tone) a#b"\n2,broke,see later\n'
    )
    assert [one.codes for one in read_codes(notes)] == [("stale-doc", "tone"), ()]


def test_json_lines_hold_codes_as_lists(tmp_path: Path) -> None:
    lines = "".join(
        json.dumps({"item": i, "codes": given}) + "\n" for i, given in ((1, ["a, b", "c"]), (2, []))
    )
    assert [one.codes for one in read_codes(table(tmp_path / "c.jsonl", lines))] == [("a, b", "c"), ()]


def rag(prompt: str) -> dict[str, object]:
    place = int("".join(letter for letter in prompt if letter.isdigit())[:1] or 0)
    return {
        "text": "nothing",
        "stages": [
            {"name": "vector_search", "values": {"documents": [f"d{place}@2"] if place % 2 else ["d9"]}},
            {"name": "context", "values": {"documents": [f"d{place}"] if place != 3 else []}},
            {"name": "generation"},
        ],
    }


def test_failures_of_a_pipeline_are_put_down_to_the_first_stage_that_lacks_what_answers_the_item(
    tmp_path: Path,
) -> None:
    items = tmp_path / "items.jsonl"
    rows = [{"id": f"q{i}", "question": f"{i} is", "reference": "x", "golden": [f"d{i}@1"]} for i in range(6)]
    rows[5]["golden"] = {"d5": 2, "d6": 0}
    items.write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = evaluation(items, guards=aliquot.Guards(parse_rate=0))
    path = aliquot.run(given, directory=tmp_path, models={"fake": aliquot.function_system(rag)}).path
    found = failures(path)
    assert counts(found) == {"retrieval": (3,), "generation": (2,), "context": (1,)}
    assert (found.sides[0].by, found.base) == ("rule", "answers")
    notes = table(tmp_path / "n.csv", "item,note\n" + "".join(f"q{i},#stale\n" for i in range(6)))
    assert counts(failures(path, add=notes)) == {"stale": (6,)}
    assert (path / CODES).exists()
    assert counts(failures(path)) == {"stale": (6,)}


def test_codes_are_kept_with_one_run_only_and_of_its_items(tmp_path: Path) -> None:
    given = evaluation(write_items(tmp_path, 3))
    path = aliquot.run(given, directory=tmp_path, models={"fake": aliquot.FakeSystem("no")}).path
    with pytest.raises(InputError, match="there is no item 'zz'"):
        failures(path, add=table(tmp_path / "n.csv", "item,code\nzz,tone\n"))
    assert not (path / CODES).exists()
    with pytest.raises(UsageError, match="name one run directory"):
        failures(tmp_path / "n.csv", add=tmp_path / "n.csv")


def test_what_cannot_be_counted_says_why(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to count"):
        failures()
    with pytest.raises(UsageError, match="--grow needs a file"):
        failures(answers({"a": [0]}), grow_taxonomy=True)
    with pytest.raises(InputError, match="no answer has a code"):
        failures(answers({"a": [1, 1]}))
    with pytest.raises(InputError, match="no answer has a code"):
        failures(table(tmp_path / "c.csv", "item,codes\n1,\n"))
    graded = from_frame(
        pl.DataFrame({"system": ["a"] * 3, "item": ["1", "2", "3"], "value": [0.2, 0.7, 0.9]})
    )
    with pytest.raises(UsageError, match="tells no right from wrong"):
        failures(graded)


def test_hostile_codes_are_inert_in_every_form(tmp_path: Path) -> None:
    codes = table(tmp_path / "c.csv", 'item,codes\n1,"<script>alert(1)</script>"\n2,"\x1b[31mred"\n3,=1+1\n')
    found = failures(codes)
    assert "\x1b" not in render(found)
    assert "<script>" not in render(found, form="markdown")
    assert finding_document(found)["schema"] == "aliquot.failures/1"


def test_answers_that_the_measurement_lost_are_said_and_in_no_share() -> None:
    rows = [("q1", 1, "ok"), ("q2", 0, "ok"), ("q3", None, "timeout"), ("q4", None, "error")]
    frame = pl.DataFrame(rows, schema=["item", "value", "status"], orient="row")
    found = failures(from_frame(frame.with_columns(system=pl.lit("bot"))))
    assert (found.sides[0].answers, found.sides[0].failed) == (3, 2)
    assert [note.text for note in found.warnings] == [
        "answers that the measurement lost are in no share (1 of bot)"
    ]


def test_items_of_one_cluster_carry_the_error_together() -> None:
    values = [0] * 10 + [1] * 30
    rows = {"system": ["bot"] * 40, "item": [f"q{i}" for i in range(40)], "value": values,
            "cluster": [f"c{i // 10}" for i in range(40)]}  # fmt: skip
    clustered, alone = (share(failures(from_frame(pl.DataFrame(one))), "generation")
                        for one in (rows, {name: rows[name] for name in ("system", "item", "value")}))  # fmt: skip
    assert clustered.width > alone.width


def test_what_says_nothing_of_a_table_of_codes_is_refused_and_tasks_are_not_mixed(tmp_path: Path) -> None:
    codes = table(tmp_path / "c.csv", "item,task,codes\n1,a,tone\n1,b,\n2,b,length\n")
    for option in ({"cluster": "item"}, {"metric": "value"}, {"codes": [codes]}):
        with pytest.raises(UsageError, match="codes alone"):
            failures(codes, **option)
    with pytest.raises(UsageError, match=r"2 tasks \(a, b\)"):
        failures(codes)
    assert counts(failures(codes, task="b")) == {"length": (1,)}
