"""Labels that are words or grades mean in every verb what the user says: the numbers are those of pass and fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from aliquot import agree, calibrate, compare, from_frame, labels_from, plan, summarize
from aliquot.errors import InputError, UsageError
from aliquot.evidence.labels import Labels
from aliquot.evidence.tables import Evidence
from aliquot.reports.render import render
from tests.cli.called import call

N, LABELLED = 200, 80


def _told() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Verdicts of a judge on two systems, and what two people said of the first 80 items, as 1 and 0."""
    drawn = np.random.default_rng(3)
    verdicts, labels = [], []
    for system, rate in (("a", 0.6), ("b", 0.75)):
        for i in range(N):
            good = drawn.random() < rate
            verdicts.append(
                {"system": system, "item": f"q{i:03d}", "value": int(drawn.random() < (0.9 if good else 0.3))}
            )
            for rater in ("ana", "ben") if i < LABELLED else ():
                said = int(good == (drawn.random() < 0.95))
                labels.append({"system": system, "item": f"q{i:03d}", "rater": rater, "label": said})
    return pl.DataFrame(verdicts), pl.DataFrame(labels)  # fmt: skip


def _sides(*, judge: str, people: str) -> tuple[Evidence, Labels]:
    """The same told otherwise: by a judge, and by people, who pass and fail, who grade, or who use words."""
    verdicts, labels = _told()
    place = pl.int_range(pl.len()) % 2
    grades = {
        name: pl.when(pl.col(name) == 1).then(4 + place).otherwise(1 + 2 * place)
        for name in ("value", "label")
    }
    word = (
        pl.when(pl.col("label") == 1)
        .then(pl.lit("Good"))
        .when(place == 1)
        .then(pl.lit("bad"))
        .otherwise(pl.lit("awful"))
    )
    if judge == "grades":
        verdicts = verdicts.with_columns(grades["value"].alias("value"))
    if people != "verdicts":
        labels = labels.with_columns(label=word if people == "words" else grades["label"])
    return from_frame(verdicts), labels_from(labels)  # fmt: skip


TOLD: list[tuple[str, str, dict[str, Any]]] = [
    ("verdicts", "words", {"passes": ["good"]}),
    ("verdicts", "grades", {"pass_from": 4}),
    ("grades", "verdicts", {"pass_from": 4}),
    ("grades", "grades", {"pass_from": 4}),
    ("grades", "words", {"pass_from": 4, "passes": "Good"}),
]


def _numbers(verb: Callable[..., Any], judge: str, people: str, **said: Any) -> object:
    evidence, labels = _sides(judge=judge, people=people)
    if verb is agree:
        found = agree(evidence, labels=[labels], judge=["value"], **said)
        return [
            found.confusion,
            found.observed,
            [one.chance_corrected for one in found.pairs],
            found.n_disagreements,
        ]
    if verb is plan:
        found = plan(evidence, labels=[labels], half_width="4pt", **said)
        return [(one.system, one.labels, one.alone) for one in found.corrected]
    if verb is summarize:
        found = summarize(evidence, labels=[labels], at_least=0.5, **said)
        return [(one.estimate, one.corrected, one.floor) for one in found.lines]
    if verb is compare:
        found = compare(evidence, labels=[labels], noise=None, **said)
        return [found.difference, found.corrected, found.baseline.estimate, found.verdict.word]
    found = calibrate(evidence, labels=[labels], **said)
    lines = [(one.true_pass, one.false_pass, one.true_fail, one.false_fail) for one in found.lines]
    return [lines, None if judge == "grades" else found.corrected, found.second and found.second.people]  # fmt: skip


@pytest.mark.parametrize("verb", [agree, calibrate, compare, plan, summarize])
@pytest.mark.parametrize(("judge", "people", "said"), TOLD)
def test_what_passes_is_said_once_and_means_the_same_everywhere(
    verb: Callable[..., Any], judge: str, people: str, said: dict[str, Any]
) -> None:
    """A calibration corrects by each grade of the judge, which tells more than its passes, so that is left out."""
    wanted = _numbers(verb, "verdicts", "verdicts")
    found = _numbers(verb, judge, people, **said)
    if verb is calibrate and judge == "grades":
        assert isinstance(wanted, list)
        wanted[1] = None
    assert found == wanted


@pytest.mark.parametrize("verb", [calibrate, compare, plan, summarize])
def test_words_that_nobody_explained_are_said_with_the_way_to_do_it(verb: Callable[..., Any]) -> None:
    evidence, labels = _sides(judge="verdicts", people="words")
    with pytest.raises(InputError, match=r"the labels are names \(Good, awful, bad\).*--passes WORD"):
        verb(evidence, labels=[labels])
    with pytest.raises(UsageError, match=r"nobody's label is 'goood'. Did you mean 'Good'\?"):
        verb(evidence, labels=[labels], passes=["goood"])


@pytest.mark.parametrize("verb", [compare, plan, summarize])
def test_without_labels_there_is_nothing_to_say_it_of(verb: Callable[..., Any]) -> None:
    evidence, _ = _sides(judge="grades", people="verdicts")
    with pytest.raises(UsageError, match="go with --labels FILE"):
        verb(evidence, pass_from=4)


@pytest.mark.parametrize("verb", [agree, calibrate, compare, plan, summarize])
@pytest.mark.parametrize("people", ["verdicts", "words"])
def test_a_score_that_nothing_is_held_to_is_not_passed_over(verb: Callable[..., Any], people: str) -> None:
    evidence, labels = _sides(judge="verdicts", people=people)
    with pytest.raises(UsageError, match="--pass-from 3: neither the labels nor the judge are graded"):
        verb(evidence, labels=[labels], pass_from=3, passes=["good"] if people == "words" else ())


def test_a_score_that_no_label_reaches_is_refused() -> None:
    evidence, labels = _sides(judge="verdicts", people="grades")
    for score in (9, float("nan")):
        with pytest.raises(UsageError, match=r"no (label|answer) passes"):
            summarize(evidence, labels=[labels], pass_from=score)


def test_the_words_are_shown_where_there_are_two_and_pass_and_fail_where_there_are_more() -> None:
    evidence, labels = _sides(judge="verdicts", people="words")
    assert calibrate(evidence, labels=[labels], passes=["good"]).passes == ("pass", "fail")
    two = labels.frame.with_columns(pl.col("label").replace("awful", "bad"))
    said = labels_from(two.select("system", "item", "rater", "label"))
    assert calibrate(evidence, labels=[said], passes=["good"]).passes == ("Good", "bad")


def test_the_commands_take_the_options_and_say_them_again(tmp_path: Path) -> None:
    verdicts, labels = _told()
    verdicts.write_csv(tmp_path / "judged.csv")
    labels.with_columns(label=pl.col("label").replace_strict({1: "good", 0: "bad"})).write_csv(
        tmp_path / "said.csv"
    )
    files = ("judged.csv", "--labels", "said.csv", "--passes", "good")
    for verb, more in (
        ("calibrate", ()),
        ("summarize", ()),
        ("compare", ()),
        ("agree", ()),
        ("plan", ("--half-width", "4pt")),
    ):
        done = call(verb, *files, *more, "--json", folder=tmp_path)
        assert done.code == 0, done.err
        assert "--passes good" in json.loads(done.out)["command"]
    assert "'good'" in call("calibrate", *files, folder=tmp_path).text  # fmt: skip


def test_a_calibration_of_a_graded_judge_corrects_what_it_scores_later(tmp_path: Path) -> None:
    """The rate from a score on is a metric by its expression, for the calibration and for what is corrected by it."""
    evidence, labels = _sides(judge="grades", people="verdicts")
    saved = tmp_path / "calibration.json"
    found = calibrate(evidence, labels=[labels], judge="value >= 4")
    saved.write_text(render(found, form="json"), encoding="utf-8")
    later = summarize(evidence, labels=[saved], metric="value >= 4")
    plain, told = _sides(judge="verdicts", people="verdicts")
    wanted = calibrate(plain, labels=[told])
    assert (found.lines[0].false_pass, found.lines[0].true_fail) == (
        wanted.lines[0].false_pass,
        wanted.lines[0].true_fail,
    )
    assert later.lines[0].corrected is not None
    assert later.lines[0].corrected.labelled == 2 * LABELLED


def test_a_comparison_of_a_graded_judge_names_the_rate_it_is_of() -> None:
    evidence, labels = _sides(judge="grades", people="verdicts")
    found = compare(evidence, labels=[labels], pass_from=4, noise=None)
    assert found.metric == '"value" >= 4'
