"""``calibrate`` and ``--labels``: a judge's errors, its standing beside people, and rates and differences corrected."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from aliquot import calibrate, compare, from_frame, labels_from, plan, summarize
from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.labels import Labels
from aliquot.evidence.tables import Evidence
from aliquot.evidence.texts import HeldTexts
from aliquot.findings.calibration import Calibration
from aliquot.findings.document import finding_document
from aliquot.readers.options import ReadOptions
from aliquot.reports.render import render
from aliquot.stats import corrected_difference, corrected_rate, judge_accuracy, lang_reiczigel
from aliquot.stats.results import Estimate
from tests.shared import shared


def _judged(
    n: int = 200, *, labelled: int = 80, seed: int = 1, raters: int = 1, rates: tuple[float, ...] = (0.7, 0.8)
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return verdicts of a lenient judge on systems a, b … and what people said of the first so many items."""
    drawn = np.random.default_rng(seed)
    hard = drawn.random(n)
    verdicts, labels = [], []
    for system, rate in zip("abcdef", rates, strict=False):
        good = hard < rate
        said = drawn.random(n) < np.where(good, 0.93, 0.3)
        for i in range(n):
            verdicts.append({"system": system, "item": f"q{i:03d}", "value": float(said[i])})
            for rater in range(raters if i < labelled else 0):
                right = drawn.random() < 0.95
                label = "pass" if good[i] == right else "fail"
                labels.append({"system": system, "item": f"q{i:03d}", "rater": f"r{rater}", "label": label})
    return pl.DataFrame(verdicts), pl.DataFrame(labels)


def _found(**options: object) -> Calibration:
    verdicts, labels = _judged()
    return calibrate(from_frame(verdicts), labels=[labels_from(labels)], **options)  # type: ignore[arg-type] - tests


def _arrays(system: str) -> tuple[list[float | None], list[float]]:
    verdicts, labels = _judged()
    said = {row["item"]: float(row["label"] == "pass") for row in labels.filter(system=system).to_dicts()}
    rows = verdicts.filter(system=system).sort("item").to_dicts()
    return [said.get(row["item"]) for row in rows], [row["value"] for row in rows]


def test_errors_rates_and_difference_are_those_of_the_estimators() -> None:
    found = _found()
    told_a, seen_a = _arrays("a")
    told_b, seen_b = _arrays("b")
    whole = judge_accuracy([*told_a, *told_b], [*seen_a, *seen_b], clusters=[*range(200)] * 2)
    line = found.lines[0]
    assert (line.sensitivity, line.specificity) == (whole.sensitivity, whole.specificity)
    assert found.factor == whole.youden
    assert line.true_pass + line.false_pass + line.false_fail + line.true_fail == 160
    assert [one.corrected for one in found.corrected] == [
        corrected_rate(told, seen, passes=[1.0]).corrected
        for told, seen in ((told_a, seen_a), (told_b, seen_b))
    ]
    assert found.difference is not None
    assert (
        found.difference.corrected
        == corrected_difference(told_a, told_b, seen_a, seen_b, low=0, high=1).corrected
    )


def test_the_names_of_labels_and_the_answers_let_through_are_shown() -> None:
    found = _found()
    assert found.passes == ("pass", "fail")
    assert found.lines[0].false_pass >= len(found.let_through) > 0
    assert " of a" in found.let_through[0]
    assert found.verdict.text.startswith("USE WITH CARE: value gives 'pass' to ")


def test_a_judge_at_chance_is_said_to_be_useless() -> None:
    rows = {"item": [f"q{i}" for i in range(200)], "value": [float(i % 2) for i in range(200)]}
    said = {"item": rows["item"], "label": [int(i % 4 < 2) for i in range(200)]}
    found = calibrate(from_frame(pl.DataFrame(rows)), labels=[labels_from(pl.DataFrame(said))])
    assert found.verdict.word == "not_met"
    assert found.verdict.text.startswith("DO NOT USE")


def test_picked_labels_correct_nothing() -> None:
    found = _found(drawn="unknown")
    assert isinstance(found.lines[0].sensitivity, Estimate)
    assert all(not one.corrected for one in found.corrected)
    assert any(note.code == "picked_labels" for note in found.warnings)


def test_known_probabilities_weigh_the_labels() -> None:
    verdicts, labels = _judged()
    seen = {(row["system"], row["item"]): row["value"] for row in verdicts.to_dicts()}
    chances = [0.2 if seen[row["system"], row["item"]] else 0.8 for row in labels.to_dicts()]
    weighted = calibrate(
        from_frame(verdicts), labels=[labels_from(labels.with_columns(probability=pl.Series(chances)))]
    )
    plain = _found()
    assert weighted.corrected[0].people != plain.corrected[0].people
    partly = labels.with_columns(probability=pl.Series([0.5, *[None] * (labels.height - 1)]))
    with pytest.raises(InputError, match="no probability"):
        calibrate(from_frame(verdicts), labels=[labels_from(partly)])


def test_labels_drawn_by_verdict_show_the_errors_over_all_answers() -> None:
    drawn = np.random.default_rng(8)
    good = drawn.random(40_000) < 0.8
    passes = drawn.random(40_000) < np.where(good, 0.9, 0.4)
    rows = pl.DataFrame({"item": [f"q{i}" for i in range(40_000)], "value": passes.astype(float)})
    chosen = np.concatenate([np.flatnonzero(passes)[:2000], np.flatnonzero(~passes)[:2000]])  # half and half
    labels = labels_from(
        pl.DataFrame({"item": rows["item"].gather(chosen), "label": good[chosen].astype(int)})
    )
    found, naive = (
        calibrate(from_frame(rows), labels=[labels], drawn=how) for how in ("by verdict", "at random")
    )
    line, plain = found.lines[0], naive.lines[0]
    assert isinstance(line.sensitivity, Estimate)
    assert isinstance(line.specificity, Estimate)
    assert isinstance(plain.sensitivity, Estimate)
    assert (line.sensitivity.point, line.specificity.point) == pytest.approx((0.9, 0.6), abs=0.03)
    assert plain.sensitivity.point < 0.8  # what the half and half sample shows by itself
    assert isinstance(found.factor, Estimate)
    assert found.factor.point == pytest.approx(0.5, abs=0.05)
    assert any(note.code == "measures_of_the_sample" for note in found.warnings)


def test_grades_of_the_judge_need_the_score_from_which_it_passes() -> None:
    rows = pl.DataFrame(
        {"item": [f"q{i}" for i in range(60)], "value": [float(1 + i % 5) for i in range(60)]}
    )
    labels = labels_from(
        pl.DataFrame({"item": rows["item"][:40], "label": [int(i % 5 > 2) for i in range(40)]})
    )
    with pytest.raises(UsageError, match="--pass-from 5"):
        calibrate(from_frame(rows), labels=[labels])
    found = calibrate(from_frame(rows), labels=[labels], pass_from=4)
    assert (found.lines[0].false_pass, found.lines[0].false_fail) == (0, 0)
    assert isinstance(found.corrected[0].corrected, Estimate)
    assert found.corrected[0].corrected.width > 0


def test_grades_beside_grades_are_means_and_need_many_labels() -> None:
    rows = pl.DataFrame(
        {"item": [f"q{i}" for i in range(400)], "value": [1.0 + (i * 7) % 5 for i in range(400)]}
    )
    for count, method in ((50, "labels alone"), (250, "PPI")):
        labels = pl.DataFrame(
            {"item": rows["item"][:count], "label": [1 + (i * 7 + i % 3) % 5 for i in range(count)]}
        )
        found = calibrate(from_frame(rows), labels=[labels_from(labels)])
        assert found.passes is None
        assert found.lines == ()
        assert isinstance(found.corrected[0].corrected, Estimate)
        assert ("labels alone" in found.corrected[0].why) is (method == "labels alone")
        assert found.agreement[0].title == "weighted κ (quadratic)"
        assert "Cohen" not in render(found, verbose=True)


def test_several_people_give_a_majority_and_a_standing() -> None:
    verdicts, labels = _judged(raters=3)
    found = calibrate(from_frame(verdicts), labels=[labels_from(labels)])
    assert found.second is not None
    assert found.second.n == 160
    assert [one.name for one in found.second.raters] == ["value", "r0", "r1", "r2"]
    assert found.second.people > found.second.judge
    assert found.second.word == "below"
    assert found.second.measure == "Cohen's κ"
    assert "BELOW A SECOND LABELLER" in found.verdict.text


def test_people_who_split_evenly_are_said_and_the_first_one_counts() -> None:
    verdicts = pl.DataFrame({"item": ["1", "2", "3"], "value": [1.0, 0.0, 1.0]})
    labels = pl.DataFrame({"item": ["1", "1", "2", "2"], "rater": ["a", "b"] * 2, "label": [1, 0, 0, 0]})
    found = calibrate(from_frame(verdicts), labels=[labels_from(labels)])
    assert found.tied == 1
    assert (found.lines[0].true_pass, found.lines[0].true_fail) == (1, 1)


def test_attempts_of_one_item_hang_together() -> None:
    rows = [
        {"item": f"q{i}", "attempt": k, "value": float((i + k) % 3 > 0)} for i in range(60) for k in (1, 2)
    ]
    said = [{"item": f"q{i}", "attempt": k, "label": int((i + k) % 4 > 0)} for i in range(40) for k in (1, 2)]
    found = calibrate(from_frame(pl.DataFrame(rows)), labels=[labels_from(pl.DataFrame(said))])
    estimate = found.corrected[0].corrected
    assert isinstance(estimate, Estimate)
    assert estimate.clusters == 40


def test_length_bias_is_found_where_it_is_planted_and_moves_the_difference() -> None:
    drawn = np.random.default_rng(3)
    rows, said, texts = [], [], {}
    for i in range(400):
        for system, words in (("short", 20), ("long", 60)):
            good, length = drawn.random() < 0.7, int(words * 2 ** drawn.normal(0, 0.7)) + 1
            passes = drawn.random() < min(
                1.0, max(0.0, (0.85 if good else 0.25) + 0.1 * np.log2(length / 35))
            )
            rows.append({"system": system, "item": f"q{i}", "value": float(passes)})
            texts[system, "task", f"q{i}", 1] = "word " * length
            if i < 200:
                said.append({"system": system, "item": f"q{i}", "label": int(good)})
    evidence = assemble(pl.DataFrame(rows), texts=HeldTexts(responses=texts))
    found = calibrate(evidence, labels=[labels_from(pl.DataFrame(said))])
    bias = next(one for one in found.biases if one.feature == "length")
    assert isinstance(bias.estimate, Estimate)
    assert bias.estimate.low > 0.03
    assert bias.estimate.low <= 0.1 <= bias.estimate.high + 0.02
    assert isinstance(bias.shift, Estimate)
    assert bias.shift.point == pytest.approx(bias.estimate.point * np.log2(3), rel=0.15)


def test_a_judge_that_errs_more_on_one_system_is_caught() -> None:
    drawn = np.random.default_rng(2)
    rows, said = [], []
    for i in range(300):
        for system, lenient in (("a", 0.1), ("b", 0.5)):
            good = drawn.random() < 0.6
            rows.append(
                {
                    "system": system,
                    "item": f"q{i}",
                    "value": float(drawn.random() < (0.9 if good else lenient)),
                }
            )
            said.append({"system": system, "item": f"q{i}", "label": int(good)})
    found = calibrate(from_frame(pl.DataFrame(rows)), labels=[labels_from(pl.DataFrame(said))])
    gap = next(one for one in found.equal_errors if (one.by, one.share) == ("system", "specificity"))
    assert gap.adjusted is not None
    assert gap.adjusted < 0.001
    assert isinstance(gap.difference, Estimate)
    assert gap.difference.high < 0


def test_dates_of_labels_show_drift() -> None:
    rows = pl.DataFrame({"item": [f"q{i}" for i in range(120)], "value": [1.0] * 60 + [0.0, 1.0] * 30})
    labels = rows.select("item", label=pl.lit(1)).with_columns(
        at=pl.Series([f"2026-{'10' if i < 60 else '11'}-0{1 + i % 9}T10:00" for i in range(120)]),
    )
    labels = pl.concat([labels[:-12], labels[-12:].with_columns(label=pl.lit(0))])
    found = calibrate(from_frame(rows), labels=[labels_from(labels)])
    drift = next(one for one in found.equal_errors if one.by == "date of the labels")
    assert drift.share == "sensitivity"
    assert drift.first.startswith("before 2026-1")
    assert drift.adjusted is not None
    assert drift.adjusted < 0.01


@pytest.mark.parametrize(("judge", "strategy", "subset"), [("GPT-4", "Vanilla_NoRules", "Adversarial/Manual"),
                                                           ("ChatGPT-0301", "CoT", "Base_10")])  # fmt: skip
def test_the_accuracies_of_llmbar_come_out(judge: str, strategy: str, subset: str) -> None:
    path = shared("data", "llmbar", "judgments.parquet")
    chosen = {"judge": judge, "strategy": strategy, "subset": subset}
    rows = pl.read_parquet(path).filter(**chosen)
    published = pl.read_csv(path.parent / "published_statistics.csv", infer_schema_length=None)
    wanted = published.filter(llm=judge, strategy=strategy, subset=subset)["correct_False_pct"][0]
    item = pl.col("item").cast(pl.String)
    judged = rows.select(item, value=(pl.col("verdict_order1") == "1").cast(pl.Float64))
    people = rows.select(item, label=(pl.col("gold") == 1).cast(pl.Int64))
    line = calibrate(from_frame(judged), labels=[labels_from(people)]).lines[0]
    assert 100 * (line.true_pass + line.true_fail) / line.labelled == pytest.approx(wanted, abs=1e-9)


def _evidence_and_labels() -> tuple[Evidence, Labels]:
    verdicts, labels = _judged()
    return from_frame(verdicts), labels_from(labels)


def test_a_summary_takes_the_corrected_rate_for_its_estimate_and_its_floor() -> None:
    evidence, labels = _evidence_and_labels()
    found = summarize(evidence, labels=[labels], at_least=0.5)
    told, seen = _arrays("a")
    assert found.lines[0].estimate == corrected_rate(told, seen, passes=[1.0]).corrected
    assert found.lines[0].corrected is not None
    assert found.lines[0].floor is not None
    assert found.lines[0].floor.estimate == found.lines[0].estimate
    assert "corrected interval" in found.verdict.text


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A calibration on one answer an item, saved."""
    evidence, labels = _evidence_and_labels()
    path = tmp_path / "calibration.json"
    path.write_text(
        json.dumps(finding_document(calibrate(evidence, labels=[labels], systems=["a"]))), encoding="utf-8"
    )
    return path


def _tonight(passes: int, metric: str) -> Evidence:
    rows = [{"item": f"n{i}", "metric": metric, "value": float(i < passes)} for i in range(200)]
    return from_frame(pl.DataFrame(rows))


def test_labels_of_other_answers_correct_a_rate_by_the_errors_they_show(saved: Path) -> None:
    known = json.loads(saved.read_text(encoding="utf-8"))
    whole = known["lines"][0]
    found = summarize(_tonight(130, known["judge"]), labels=[saved], at_least=0.3).lines[0]
    passes = whole["true_pass"] + whole["false_fail"]
    failures = whole["true_fail"] + whole["false_pass"]
    told = lang_reiczigel(
        130,
        200,
        true_passes=whole["true_pass"],
        passes=passes,
        true_failures=whole["true_fail"],
        failures=failures,
    )
    assert isinstance(found.estimate, Estimate)
    assert isinstance(told, Estimate)
    assert (found.estimate.point, found.estimate.low, found.estimate.high) == pytest.approx(
        (told.point, told.low, told.high), abs=1e-12
    )
    assert found.corrected is not None
    assert (found.corrected.labelled, found.corrected.judged) == (whole["labelled"], 200)
    assert found.floor is not None
    assert found.floor.estimate == found.estimate


def test_errors_known_elsewhere_meet_rows_that_hang_together(saved: Path) -> None:
    judge = json.loads(saved.read_text(encoding="utf-8"))["judge"]
    rows = [
        {"item": f"n{i}", "metric": judge, "value": float(i // 10 % 3 > 0), "cluster": f"doc{i // 10}"}
        for i in range(200)
    ]
    alone = from_frame(pl.DataFrame(rows).drop("cluster"))
    one, other = (
        summarize(found, labels=[saved]).lines[0].estimate
        for found in (from_frame(pl.DataFrame(rows)), alone)
    )
    assert isinstance(one, Estimate)
    assert isinstance(other, Estimate)
    assert (one.n, other.n, one.clusters) == (200, 200, 20)
    assert one.n_eff is not None
    assert one.n_eff < 60
    assert one.width > 1.2 * other.width


def test_errors_known_elsewhere_are_refused_where_they_do_not_speak(saved: Path) -> None:
    evidence, labels = _evidence_and_labels()
    judge = json.loads(saved.read_text(encoding="utf-8"))["judge"]
    with pytest.raises(
        InputError, match=f"what the judge '{judge}' gets wrong, and these are scores of 'tone'"
    ):
        summarize(_tonight(130, "tone"), labels=[saved])
    with pytest.raises(UsageError, match="a difference needs labels of these answers"):
        compare(evidence, labels=[saved], noise=None)
    with pytest.raises(UsageError, match="Give it alone"):
        summarize(evidence, labels=[saved, labels])
    saved.write_text(saved.read_text(encoding="utf-8").replace('"labelled"', '"lost"'), encoding="utf-8")
    with pytest.raises(InputError, match="labelled"):
        summarize(_tonight(130, judge), labels=[saved])


def test_a_comparison_is_decided_by_the_corrected_interval() -> None:
    evidence, labels = _evidence_and_labels()
    found, raw = compare(evidence, labels=[labels], noise=None), compare(evidence, noise=None)
    assert found.corrected is not None
    assert found.difference == found.corrected.corrected
    assert isinstance(found.corrected.raw, Estimate)
    assert isinstance(found.difference, Estimate)
    assert isinstance(raw.difference, Estimate)
    assert found.corrected.raw.point == raw.difference.point
    assert found.difference.width > raw.difference.width
    assert found.deciding is None
    assert raw.verdict.word == "better"
    assert found.verdict.word == "undecided"
    assert found.baseline.estimate == summarize(evidence, labels=[labels]).lines[0].estimate


def test_labels_of_unknown_answers_are_refused_by_name(tmp_path: Path) -> None:
    verdicts, labels = _judged()
    path = tmp_path / "labels.csv"
    pl.concat([labels, labels[:1].with_columns(item=pl.lit("q9999"))]).write_csv(path)
    with pytest.raises(InputError) as caught:
        compare(from_frame(verdicts), labels=[path], noise=None)
    assert "labels.csv" in str(caught.value)
    assert "'q9999'" in str(caught.value)
    assert "row 161 (line 162)" in str(caught.value)


def test_labels_that_are_names_are_for_agree() -> None:
    verdicts, labels = _judged()
    names = labels.with_columns(label=pl.lit("fluent"))
    with pytest.raises(InputError, match="aliquot agree"):
        calibrate(from_frame(verdicts), labels=[labels_from(names)])


def test_a_part_of_the_labels_is_named() -> None:
    verdicts, labels = _judged()
    parts = labels.with_columns(split=pl.Series(["dev" if i % 2 else "test" for i in range(labels.height)]))
    found = calibrate(from_frame(verdicts), labels=[labels_from(parts)], split="test")
    assert found.n_labelled == labels.height // 2
    with pytest.raises(UsageError, match="dev, test"):
        calibrate(from_frame(verdicts), labels=[labels_from(parts)], split="train")


def test_without_a_column_the_halves_are_drawn_once_and_are_alike() -> None:
    dev, test, again = (_found(split=part) for part in ("dev", "test", "dev"))
    assert dev.n_labelled + test.n_labelled == 160
    assert dev.lines == again.lines
    assert abs(dev.lines[0].false_pass - test.lines[0].false_pass) <= 2
    assert dev.n_judged == test.n_judged == 400
    with pytest.raises(UsageError, match="dev or test"):
        _found(split="train")


def test_without_labels_or_sources_it_says_so() -> None:
    verdicts, _ = _judged()
    with pytest.raises(InputError, match="--labels FILE"):
        calibrate(from_frame(verdicts))
    with pytest.raises(UsageError, match="no judge to calibrate"):
        calibrate()


def test_labels_are_planned_where_they_help_most() -> None:
    verdicts, labels = _judged(2000, labelled=100, rates=(0.7,))
    slices = verdicts.with_columns(topic=pl.Series([f"t{i % 2}" for i in range(2000)]))
    evidence = from_frame(slices, options=ReadOptions(segments=("topic",)))
    found = plan(
        evidence, labels=[labels_from(labels)], half_width="4pt", by="topic", cost_judge=0.01, cost_label=1
    )
    (design,) = found.corrected
    assert isinstance(design.labels, int)
    assert design.alone is not None
    assert design.labels < design.alone
    assert sum(cell.labels for cell in design.cells) == design.labels
    assert [(cell.segment, cell.verdict) for cell in design.cells] == [
        ("t0", "pass"), ("t0", "fail"), ("t1", "pass"), ("t1", "fail"),
    ]  # fmt: skip
    assert sum(cell.rows for cell in design.cells) == 2000
    assert design.judge_first is not None
    assert design.judge_first.cost < design.judge_first.cost_alone
    assert f"label a {design.labels} of 2000 answers" in found.verdict.text


def test_a_width_that_no_labels_give_is_said() -> None:
    evidence, labels = _evidence_and_labels()
    found = plan(evidence, labels=[labels], half_width="1pt")
    assert not found.corrected[0].labels
    assert "is out of reach (a label on each of the 200" in found.verdict.text
    with pytest.raises(UsageError, match="no field 'topic'"):
        plan(evidence, labels=[labels], by="topic")


def test_answers_drawn_by_themselves_are_paired_with_both_probabilities() -> None:
    drawn, n = np.random.default_rng(8), 400
    hard = drawn.random(n) < 0.5
    chance = np.where(hard, 0.9, 0.2)
    right = {"a": drawn.random(n) < np.where(hard, 0.3, 0.8), "b": drawn.random(n) < np.where(hard, 0.7, 0.8)}
    verdicts, labels = [], []
    for system, good in right.items():
        seen, picked = np.where(drawn.random(n) < 0.8, good, ~good), drawn.random(n) < chance
        for i in range(n):
            row = {"system": system, "item": f"q{i:03d}"}
            verdicts.append(row | {"value": float(seen[i])})
            if picked[i]:
                labels.append(row | {"label": int(good[i]), "probability": chance[i]})
    found = calibrate(from_frame(pl.DataFrame(verdicts)), labels=labels_from(pl.DataFrame(labels))).difference
    assert found is not None
    told = {(row["system"], row["item"]): row["label"] for row in labels}
    seen_as = {(row["system"], row["item"]): row["value"] for row in verdicts}
    items = [f"q{i:03d}" for i in range(n)]
    sides = [[one.get((system, item)) for item in items] for one in (told, seen_as) for system in "ab"]
    assert found.corrected == corrected_difference(*sides, chances=chance**2, low=0, high=1).corrected


def test_frames_are_told_apart_from_paths() -> None:
    verdicts, labels = _judged()
    evidence = from_frame(verdicts)
    with pytest.raises(UsageError, match=r"from_frame\(frame\)"):
        calibrate(verdicts, labels=labels_from(labels))  # type: ignore[arg-type] - tests
    for verb in (calibrate, compare, summarize, plan):
        with pytest.raises(UsageError, match=r"labels_from\(frame\)"):
            verb(evidence, labels=labels)  # type: ignore[operator] - tests
    one, several = (calibrate(evidence, labels=told) for told in (labels_from(labels), [labels_from(labels)]))
    assert one.corrected == several.corrected


@pytest.mark.parametrize("score", [3.0, float("nan"), float("inf")])
def test_a_score_that_no_answer_reaches_passes_none(score: float) -> None:
    with pytest.raises(UsageError, match="no answer passes"):
        _found(pass_from=score)


def test_few_labels_do_not_show_a_judge_to_be_useless() -> None:
    rows = {"item": [f"q{i}" for i in range(12)], "value": [1.0, 0.0] * 6}
    said = {"item": rows["item"][:8], "label": [1, 1, 0, 0, 0, 1, 1, 0]}
    found = calibrate(from_frame(pl.DataFrame(rows)), labels=labels_from(pl.DataFrame(said)))
    assert found.verdict.text.startswith("NOT SHOWN TO BE BETTER THAN CHANCE")


def test_labels_on_another_scale_and_labels_that_are_the_verdicts_are_said() -> None:
    rows = pl.DataFrame({"item": [f"q{i}" for i in range(40)], "value": [1.0, 0.0] * 20})
    graded = rows.select("item", label=pl.Series([4, 2, 5, 1] * 10))
    found = calibrate(from_frame(rows), labels=labels_from(graded))
    assert any(note.code == "scales_differ" for note in found.warnings)
    same = calibrate(from_frame(rows), labels=labels_from(rows.select("item", label="value")))
    assert any(note.code == "labels_are_the_verdicts" for note in same.warnings)
    with pytest.raises(UsageError, match="these labels are grades"):
        plan(from_frame(rows), labels=labels_from(graded), half_width=0.05)


def test_answers_let_through_are_told_by_their_attempt() -> None:
    rows = [
        {"item": f"q{i}", "attempt": k, "value": 1.0, "label": (i + k) % 2} for i in range(20) for k in (1, 2)
    ]
    frame = pl.DataFrame(rows)
    found = calibrate(from_frame(frame.drop("label")), labels=labels_from(frame.drop("value")))
    assert all(" attempt " in name for name in found.let_through)


def test_the_order_of_answers_is_resampled_by_cluster() -> None:
    verdicts, labels = _judged()
    alone, together = (
        calibrate(from_frame(frame), labels=[labels_from(labels)]).ranking
        for frame in (verdicts, verdicts.with_columns(cluster=pl.col("item").str.slice(0, 3)))
    )
    assert [one.point for one in alone] == [one.point for one in together]
    pairs = next(one.estimate for one in alone if one.name == "item_accuracy")
    clustered = next(one.estimate for one in together if one.name == "item_accuracy")
    assert isinstance(pairs, Estimate)
    assert isinstance(clustered, Estimate)
    assert (pairs.clusters, clustered.clusters) == (None, 8)  # q00x to q07x are labelled


def test_a_judge_that_passes_or_fails_has_its_own_ties() -> None:
    """A judge that is right on fewer pairs than always calling a tie is not made one."""
    n = 60
    people = pl.DataFrame(
        {"item": [f"q{i}" for i in range(n)] * 2, "system": ["a"] * n + ["b"] * n, "label": [0, 1] * n}
    )
    contrary = people.rename({"label": "value"}).with_columns(
        value=pl.when(pl.col("system") == "a").then(1 - pl.col("value")).otherwise(pl.col("value"))
    )
    found = calibrate(from_frame(contrary), labels=[labels_from(people)])
    accuracy = next(one for one in found.ranking if one.name == "item_accuracy")
    assert accuracy.point == 0  # people call every pair equal, the judge none


def test_a_judge_that_says_the_reverse_is_worse_than_chance_with_an_interval() -> None:
    verdicts, labels = _judged()
    found = calibrate(
        from_frame(verdicts.with_columns(value=1 - pl.col("value"))), labels=[labels_from(labels)]
    )
    assert found.verdict.text.startswith(
        "DO NOT USE: value is worse than chance: sensitivity + specificity - 1 is -0."
    )


def test_labels_of_one_system_alone_are_said_where_two_are_compared() -> None:
    verdicts, labels = _judged()
    with pytest.raises(
        InputError, match=r"no answer of b is labelled; the labels are of a\. Label answers of b too"
    ):
        compare(from_frame(verdicts), labels=[labels_from(labels.filter(system="a"))])
