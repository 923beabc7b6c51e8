"""A project from the draw to what is read of it: training, checks, pairs, codes, references, what is settled."""

from __future__ import annotations

import csv
from pathlib import Path

import polars as pl
import pytest

from aliquot import FakeSystem, LabelDraw, agree, calibrate, compare, failures, label, labels_from, read, run
from aliquot.errors import InputError, UsageError
from aliquot.labelling.form import form_of
from aliquot.labelling.pages import enough_line
from aliquot.labelling.patterns import Step, find_patterns
from aliquot.labelling.project import MAIN
from aliquot.scorers.judge_files import read_judge
from tests.labelling.projects import answers, event, project, served
from tests.runner.evaluations import write_evaluation
from tests.shared import shared

RIGHT = {f"item-{i:04d}": "pass" if i % 4 else "fail" for i in range(60)}


def say_all(made, clients, name: str, said=None, *, wrong: int = 0, **more) -> None:
    """Label a rater's whole list; ``wrong`` labels at its beginning are turned."""
    found = made.store.answers()
    rubric = made.form.rubric
    for at, place in enumerate(one for one in made.store.places(name) if one.place >= MAIN):
        answer = found[place.answer]
        right = RIGHT.get(answer.item, "pass")
        right = {"pass": "fail", "fail": "pass"}[right] if at < wrong else right
        told = said(answer, place) if said else right
        clients[name].tell(event(place.place, told, id=f"{name}-{place.place}", rubric=rubric, **more))


def test_labels_are_read_unchanged_where_the_claims_are_made(tmp_path):
    evidence = answers(200)
    made = project(tmp_path, evidence=evidence, n=80, overlap=20)
    with served(made) as (_, clients):
        say_all(made, clients, "ana")
        say_all(made, clients, "ben", wrong=4)
    written = made.export()
    path = made.folder / "labels.csv"
    found = agree(path)
    assert written == {"labels.csv": 100, "adjudicated.csv": 80 - found.n_disagreements, "history.csv": 100}
    assert (found.n_shared, found.n_answers) == (20, 80)
    assert found.coefficients == made.state().agreement["label"].coefficients
    assert {row["probability"] for row in rows(path)} == {"0.4"}
    judged = calibrate(evidence, labels=[path])
    assert judged.kind == "calibration"
    assert calibrate(evidence, labels=[made.labels()]).verdict == judged.verdict


def test_both_systems_of_an_item_are_drawn_together_and_correct_a_comparison(tmp_path):
    evidence = answers(60, systems=("a", "b"))
    made = project(tmp_path, evidence=evidence, n=40, overlap=10)
    assert (made.project.unit, made.project.n, made.project.of) == ("items", 40, 120)
    drawn = made.store.answers().values()
    assert {one.item for one in drawn if one.system == "a"} == {
        one.item for one in drawn if one.system == "b"
    }
    assert {one.probability for one in drawn} == {20 / 60}
    with served(made) as (_, clients):
        say_all(made, clients, "ana")
        say_all(made, clients, "ben")
    made.export()
    found = compare(evidence, labels=[made.folder / "labels.csv"])
    assert found.corrected is not None
    assert found.corrected.labelled == 20


def test_answers_drawn_by_verdict_carry_their_probability(tmp_path):
    made = project(tmp_path, evidence=answers(200, systems=("a", "b")), n=40, by="verdict")
    drawn = list(made.store.answers().values())
    assert made.project.drawn == "at random within each verdict"
    assert len(drawn) == 40
    for system in ("a", "b"):
        for verdict, rows_ in ((1.0, 150), (0.0, 50)):
            mine = [one for one in drawn if one.system == system and one.verdict == verdict]
            assert {one.probability for one in mine} == {len(mine) / rows_}


def test_a_plan_from_labels_at_hand_says_where_more_are_drawn(tmp_path):
    evidence = answers(200)
    pilot = labels_from(
        pl.DataFrame(
            {
                "item": [f"item-{i:04d}" for i in range(40)],
                "label": [RIGHT.get(f"item-{i:04d}") if i % 10 else "fail" for i in range(40)],
            }
        )
    )
    made = project(tmp_path, evidence=evidence, n=None, by="verdict", half_width="8pt", labels=[pilot])
    assert "plan" in made.project.drawn
    sizes = {
        verdict: [one for one in made.store.answers().values() if one.verdict == verdict]
        for verdict in (0.0, 1.0)
    }
    assert all(sizes.values())
    assert {one.probability for one in sizes[0.0]} != {one.probability for one in sizes[1.0]}
    with pytest.raises(UsageError, match="--half-width and --by verdict"):
        project(tmp_path / "other", evidence=evidence, labels=[pilot])


def test_a_plan_beside_a_judge_that_grades_goes_by_the_rate_that_is_named(tmp_path):
    graded = answers(200, value=[float(1 + (i % 4 > 0) * 3 + (i % 3 == 0)) for i in range(200)])
    pilot = labels_from(
        pl.DataFrame(
            {
                "item": [f"item-{i:04d}" for i in range(40)],
                "label": [RIGHT.get(f"item-{i:04d}") if i % 10 else "fail" for i in range(40)],
            }
        )
    )
    asked = {"evidence": graded, "n": None, "by": "verdict", "half_width": "8pt", "labels": [pilot]}
    with pytest.raises(UsageError, match=r"graded.* --metric '\"value\" >= SCORE'"):
        project(tmp_path / "grades", **asked)
    made = project(tmp_path / "rate", metric='"value" >= 4', **asked)
    assert {one.verdict for one in made.store.answers().values()} == {0.0, 1.0}


def test_the_training_round_comes_first_says_what_was_meant_and_is_done_again_below_the_mark(tmp_path):
    known = labels_from(
        pl.DataFrame(
            {
                "item": [f"item-{i:04d}" for i in range(10)],
                "label": [RIGHT[f"item-{i:04d}"] for i in range(10)],
            }
        )
    )
    made = project(tmp_path, n=20, known=known, train=4, pass_mark="75%")
    assert made.project.of == 50  # what is known is not drawn
    with served(made) as (_, clients):
        ana, rubric = clients["ana"], made.form.rubric
        for rounds, wrong in ((1, 2), (2, 1)):
            work = ana.work()
            assert (work["stage"], work["round"], work["done"], work["total"]) == ("training", rounds, 0, 4)
            for at, task in enumerate(work["tasks"]):
                answer = made.store.answers()[made.store.place("ana", task["place"]).answer]
                right = answer.known["label"]
                said = {"pass": "fail", "fail": "pass"}[right] if at < wrong else right
                told = ana.tell(event(task["place"], said, id=f"train-{rounds}-{at}", rubric=rubric))
                assert told["feedback"] == [
                    {"place": task["place"], "right": at >= wrong, "known": {"label": right}}
                ]
            assert told["training"] == {"right": 4 - wrong, "of": 4, "mark": 0.75, "passed": rounds == 2}
        work = ana.work()
        assert (work["stage"], work["total"]) == (
            "main",
            len([one for one in made.store.places("ana") if one.place >= MAIN]),
        )
        assert clients["ben"].work()["stage"] == "training"
        say_all(made, clients, "ana", wrong=0)
    state = made.state().raters[0]
    assert state.known == (6, 6)  # mixed in unmarked
    assert (
        made.labels().frame.height == state.total - 6
    )  # neither training nor checks are labels of the sample
    assert made.labels().frame["probability"].unique().to_list() == [20 / 50]


def test_answers_that_come_again_say_how_steady_a_rater_is(tmp_path):
    made = project(tmp_path, n=30, overlap=30, repeats=4)
    with served(made) as (_, clients):
        say_all(made, clients, "ana", said=lambda _, place: "pass" if place.repeat == 1 else "fail")
        say_all(made, clients, "ben")
    assert [one.repeated for one in made.state().raters] == [(0, 4), (4, 4), (0, 0)]
    made.export()
    told = {one.name: (one.repeated, one.same) for one in agree(made.folder / "labels.csv").raters}
    assert told == {"ana": (4, 0), "ben": (4, 4)}


def test_votes_on_pairs_name_what_stood_first(tmp_path):
    made = project(tmp_path, evidence=answers(40, systems=("old", "new")), n=30, overlap=10, pairwise=True)
    with served(made) as (_, clients):
        for name in ("ana", "ben"):  # both always prefer the newer, wherever it stands
            say_all(
                made,
                clients,
                name,
                said=lambda answer, place: (
                    {"preference": "second" if not place.swapped else "first"}
                    if answer.other == "new"
                    else {"preference": "first" if not place.swapped else "second"}
                ),
            )
    assert made.export()["votes.csv"] == 40
    votes = read(made.folder / "votes.csv").votes
    winners = votes.select(pl.when(pl.col("verdict") == "a").then("system_a").otherwise("system_b"))
    assert winners.to_series().to_list() == ["new"] * 40
    assert set(votes["by"]) == {"person"}
    assert votes["shown_first"].unique().to_list() == ["a"]
    first = votes.group_by("rater", "system_a").len().sort("rater", "system_a")["len"].to_list()
    assert max(first) - min(first) <= 2
    labels = made.labels().frame
    assert labels["label"].to_list() == ["new"] * 40
    assert labels["system"].null_count() == 40
    assert agree(made.folder / "labels.csv").n_shared == 10


def test_kinds_of_failure_grow_as_they_are_named_and_are_counted(tmp_path):
    taxonomy = tmp_path / "kinds.yaml"
    taxonomy.write_text("wrong sum: {says: the sum is off, was: [bad sum]}\n", encoding="utf-8")
    evidence = answers(20)
    made = project(tmp_path, evidence=evidence, n=12, overlap=0, codes=True, taxonomy=taxonomy)
    with served(made) as (_, clients):
        assert clients["ana"].work()["kinds"] == [["wrong sum", "the sum is off"]]
        place = clients["ana"].work()["tasks"][0]["place"]
        clients["ana"].tell(
            event(
                place,
                {"failures": ["off by one", "wrong sum"]},
                id="codes-of-ana",
                rubric=made.form.rubric,
                note="one too many",
            )
        )
        clients["ana"].tell(event(place + 1, {"failures": []}, id="nothing-wrong", rubric=made.form.rubric))
        assert [name for name, _ in clients["ben"].work()["kinds"]] == ["wrong sum", "off by one"]
    made.export()
    found = failures(evidence, codes=[made.folder / "codes.csv"])
    assert {one.code for one in found.kinds} >= {"off by one", "wrong sum"}


def test_a_reference_is_written_before_the_answer_is_seen(tmp_path):
    made = project(tmp_path, n=10, overlap=0, reference=True)
    with served(made) as (_, clients):
        ana, rubric = clients["ana"], made.form.rubric
        task = ana.work()["tasks"][0]
        assert task["held"]
        assert (task["answers"], task["expects"]) == ([], "")
        assert b"It is" not in ana.ask()[2]
        early = ana.tell(event(task["place"], id="too-early-1", rubric=rubric))
        assert "reference comes first" in early["refused"][0]["why"]
        ana.tell(
            event(
                task["place"], {"reference": "14, I think"}, id="written-123", rubric=rubric, kind="reference"
            )
            | {"said": {"reference": "14, I think"}}
        )
        shown = ana.work()["tasks"][0]
        assert (shown["held"], shown["written"]) == (False, "14, I think")
        assert "It is" in shown["answers"][0][0]["text"]
        assert ana.tell(event(task["place"], id="now-it-goes", rubric=rubric))["kept"] == ["now-it-goes"]
        assert ana.work()["done"] == 1
    assert made.export()["references.csv"] == 1
    assert rows(made.folder / "references.csv")[0]["reference"] == "14, I think"


def test_what_raters_differ_on_is_settled_without_their_names(tmp_path):
    made = project(tmp_path, n=20, overlap=20)
    with served(made) as (_, clients):
        say_all(made, clients, "ana")
        say_all(made, clients, "ben", wrong=3)
        work = clients["adjudicator"].work()
        assert (work["stage"], work["total"]) == ("settle", 3)
        shown = work["tasks"][0]
        assert sorted(one["said"]["label"] for one in shown["others"]) == ["fail", "pass"]
        assert {one["who"] for one in shown["others"]} == {"Rater A", "Rater B"}
        clients["adjudicator"].tell(event(shown["place"], "fail", id="settled-it", rubric=made.form.rubric))
    made.export()
    labels, settled = rows(made.folder / "labels.csv"), rows(made.folder / "adjudicated.csv")
    assert {row["rater"] for row in labels} == {"ana", "ben"}
    assert len(settled) == 18  # 17 on which they agree, one that was settled; two are open
    assert {row["rater"] for row in settled} == {"adjudicated"}
    state = made.state()
    assert [one.settled for one in state.differing] == [None, None, "fail"]
    assert agree(made.folder / "labels.csv").n_disagreements == 3


def test_a_rubric_may_be_made_clearer_and_every_label_keeps_its_version(tmp_path):
    rubric = tmp_path / "rubric.yaml"
    text = "name: label\nasks: Right?\nlabels: {pass: '', fail: ''}\npasses: [pass]\n"
    rubric.write_text(text, encoding="utf-8")
    made = project(tmp_path, n=10, overlap=0, rubric=[rubric])
    with served(made) as (_, clients):
        ana, first = clients["ana"], made.form.rubric
        ana.tell(event(MAIN, id="under-first", rubric=first))
        assert made.change_form(form_of([read_judge(str(rubric))])) is False
        rubric.write_text(text.replace("Right?", "Right, to the cent?"), encoding="utf-8")
        assert made.change_form(form_of([read_judge(rubric)])) is True
        second = ana.work()["rubric"]
        assert second.startswith("v2 ")
        ana.tell(
            event(MAIN + 1, id="on-old-page", rubric=first), event(MAIN + 2, id="under-second", rubric=second)
        )
    assert made.labels().frame.sort("item")["rubric"].value_counts().sort("count")["count"].to_list() == [
        1,
        2,
    ]
    with pytest.raises(UsageError, match="asks other questions"):
        made.change_form(form_of([read_judge("tone")]))


def test_who_comes_later_labels_what_everybody_labels(tmp_path):
    made = project(tmp_path, n=20, overlap=8)
    [cai] = made.add_raters(["cai", "ana"])
    assert cai.name == "cai"
    with served(made) as (_, clients):
        assert clients["cai"].work()["total"] == 8
    shared = {one.answer for one in made.store.places("ana")} & {
        one.answer for one in made.store.places("ben")
    }
    order = [one.answer for one in made.store.places("cai")]
    assert set(order) == shared
    assert order != [one.answer for one in made.store.places("ana") if one.answer in shared]


def test_who_comes_later_labels_everything_where_nothing_is_shared(tmp_path):
    made = project(tmp_path, n=20, overlap=0)
    made.add_raters(["cai"])
    assert {one.answer for one in made.store.places("cai")} == set(range(20))


def test_labels_say_whether_they_are_enough(tmp_path):
    made = project(tmp_path, evidence=answers(200), n=40, overlap=0, raters=("ana",), half_width="5pt")
    with served(made) as (_, clients):
        say_all(made, clients, "ana")
    [one] = made.state().enough
    assert (one.labelled, one.judged, one.wanted) == (40, True, 0.05)
    assert one.needed is not None
    assert enough_line(one).startswith("gpt-secret: 40 labels correct the judge to ±")


def test_patterns_that_attention_does_not_make_are_said():
    steady = [Step(("pass", "fail")[at % 3 == 0], 20.0, 100, at) for at in range(40)]
    assert [text for text in find_patterns({"ana": steady[:30]}) if "block" not in text] == []
    slow = [Step("pass", 30.0, 100, at) for at in range(40)]
    assert list(find_patterns({"ana": slow, "ben": slow})) == []  # most answers pass
    assert "40 times in a row" in next(iter(find_patterns({"ana": slow, "ben": steady})))
    assert "block of 3" in next(iter(find_patterns({"ana": steady})))
    fast = [Step(("pass", "fail")[(at * at) % 5 > 1], 2.0, 100, at) for at in range(12)]
    assert list(find_patterns({"ana": fast})) == [
        "ana took less time than the text can be read in for 10 of the last 10 answers."
    ]
    noted = [Step("pass", 30.0, 10, at, note=f"the sum of {at} is wrong here") for at in range(5)]
    assert list(find_patterns({"ana": noted, "ben": noted})) == [
        "ana and ben wrote the same note, to the letter, on 5 answers."
    ]


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"n": 61}, "ask for 1 to 60"),
        ({"n": "0%"}, "neither a number of items"),
        ({"overlap": 31}, "overlap of 31"),
        ({"raters": ("ana", "Ana")}, "two raters have one name"),
        ({"raters": ("a/b",)}, "no name for a rater"),
        ({"raters": ("adjudicator",)}, "choose another"),
        ({"by": "lang"}, "no field 'lang'"),
        ({"train": 3}, "as many answers with known labels; there are 0"),
        ({"pairwise": True}, "pairs are of two systems"),
        ({"systems": ("gpt",)}, "Known: gpt-secret"),
        ({"rubric": ["nothing.yaml"]}, "no judge file nothing.yaml"),
    ],
)
def test_what_cannot_be_drawn_is_said_and_leaves_no_project(tmp_path, choices, said):
    with pytest.raises((UsageError, InputError), match=said):
        project(tmp_path, **choices)
    assert not (tmp_path / "p" / "project.sqlite").exists()


def test_the_same_choices_open_a_project_again_and_others_do_not_draw_anew(tmp_path):
    known = tmp_path / "known.csv"
    known.write_text("item,label\nitem-0001,pass\nitem-0002,pass\nitem-0003,pass\n", encoding="utf-8")
    choices = {
        "n": 20,
        "overlap": 5,
        "by": "topic",
        "known": known,
        "train": 2,
        "repeats": 1,
        "half_width": "9pt",
    }
    made = project(tmp_path, **choices)
    made.close()
    for same in (choices, {"n": "20", "overlap": 5}, {"n": None}):
        again = project(tmp_path, **same)
        assert again.project.id == made.project.id
        again.close()
    for other in ({"n": 25}, {"overlap": 6}, {"seed": 5}, {"by": "verdict"}, {"train": 1}, {"unit": "items"}):
        with pytest.raises(UsageError, match="another folder"):
            project(tmp_path, **(choices | other))


def test_logs_of_every_kind_are_labelled_and_those_without_answers_are_one_error(tmp_path):
    logs = shared("logs")
    kept = {
        "promptfoo/two_prompts.json": ("items", "success"),
        "openai_evals/SYNTHETIC_evals_api_output_items.json": (
            "answers",
            None,
        ),  # two judges: the log's own headline
        "deepeval/test_run_model-a.json": ("answers", "success"),
    }
    for at, (name, (unit, metric)) in enumerate(kept.items()):
        made = label(logs / name, project=tmp_path / str(at), draw=LabelDraw(n=4))
        assert made.project.unit == unit
        assert made.project.metric == metric or metric is None
        made.close()
    for at, name in enumerate(
        ("ragas/ragas_model-a.scores.json", "lm-eval/pre04", "fastchat/SYNTHETIC_kaggle55k_schema.csv")
    ):
        with pytest.raises(InputError, match="nothing to label"):
            label(logs / name, project=tmp_path / f"none-{at}")


def test_a_run_is_labelled_as_it_stands(tmp_path):
    models = {"fake": FakeSystem(lambda prompt: f"an answer to {prompt}")}
    done = run(write_evaluation(tmp_path), directory=tmp_path / "runs", models=models)
    made = label(done.path, project=tmp_path / "p", draw=LabelDraw(n=6))
    assert (made.project.unit, made.project.n, made.project.of) == ("items", 6, 20)
    with served(made) as (_, clients):
        task = clients["me"].work()["tasks"][0]
        assert task["asks"][0]["text"]
        assert task["answers"][0][0]["text"].startswith("an answer to ")


def test_a_table_that_nobody_scored_can_be_labelled_and_one_without_answers_cannot(tmp_path):
    plain = tmp_path / "plain.csv"
    plain.write_text("item,input,output\na,1+1?,2\nb,2+2?,\nc,3+3?,6\n", encoding="utf-8")
    made = label(plain, project=tmp_path / "q")
    assert (made.project.n, made.project.metric) == (2, None)  # an empty cell is no answer that is there
    assert made.project.left_out == 1
    bare = tmp_path / "bare.csv"
    bare.write_text("item,value\na,1\nb,0\n", encoding="utf-8")
    with pytest.raises(InputError, match="keeps no answers"):
        label(bare, project=tmp_path / "r")
    with pytest.raises(UsageError, match="cannot be drawn by verdict"):
        label(plain, project=tmp_path / "s", draw=LabelDraw(by="verdict"))


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
