"""``agree``: published coefficients come out of tables of labels, undefined ones say why, disagreements are listed."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from aliquot import agree, labels_from
from aliquot.errors import InputError, UsageError
from aliquot.findings.agreement import Measured, RaterAgreement
from aliquot.readers.options import ReadOptions
from aliquot.reports.render import render
from aliquot.stats.results import Undefined
from tests.shared import shared


def _of(name: str, found: RaterAgreement) -> float | None:
    return next(one.point for one in found.coefficients if one.name == name)


def _frame(**raters: list[object]) -> pl.DataFrame:
    n = len(next(iter(raters.values())))
    return pl.DataFrame({"item": [f"q{i}" for i in range(n)], **raters})


def test_two_raters_have_a_table_and_every_measure() -> None:
    a = ["yes"] * 27 + ["no"] * 53
    b = ["yes"] * 19 + ["no"] * 8 + ["yes"] * 8 + ["no"] * 45
    found = agree(labels_from(_frame(ana=a, ben=b)))
    assert found.confusion == ((45, 8), (8, 19))
    assert _of("cohen_kappa", found) == pytest.approx(0.5528, abs=5e-5)
    assert found.two_by_two is not None
    assert found.two_by_two.pabak == pytest.approx(2 * 64 / 80 - 1)
    assert found.two_by_two.prevalence == pytest.approx(26 / 80)
    assert found.two_by_two.bias == 0
    assert (found.constant, found.constant_share) == ("no", pytest.approx(106 / 160))
    assert found.n_disagreements == 16
    assert [one.recall for one in found.classes] == pytest.approx([45 / 53, 19 / 27])


A, B = [1, 1, 2, 2, 3, 3, 4, 5, 5, 5], [1, 2, 2, 3, 3, 3, 5, 5, 4, 5]


def _weighted_kappa(places: dict[int, float]) -> float:
    """1 - the squared distances of the two labels of an answer over those of any two of theirs."""
    seen = sum((places[a] - places[b]) ** 2 for a, b in zip(A, B, strict=True)) / len(A)
    by_chance = sum((places[a] - places[b]) ** 2 for a in A for b in B) / len(A) ** 2
    return 1 - seen / by_chance


def _middle_ranks() -> dict[int, float]:
    both = A + B
    return {x: sum(y < x for y in both) + both.count(x) / 2 for x in set(both)}


@pytest.mark.parametrize(
    ("measured", "title", "others", "point"),
    [
        ("nominal", "Cohen's κ", ("Scott's π", "Gwet's AC1"), (0.6 - 0.22) / (1 - 0.22)),
        ("ordinal", "weighted κ (quadratic, by ranks)", ("weighted π (quadratic, by ranks)",),
         _weighted_kappa(_middle_ranks())),
        ("interval", "weighted κ (quadratic)", ("Gwet's AC2 (quadratic)",), _weighted_kappa({x: x for x in range(6)})),
    ],
)  # fmt: skip
def test_a_measure_is_called_what_it_weighs(
    measured: Measured, title: str, others: tuple[str, ...], point: float
) -> None:
    """Same 6 of 10; by chance (2·1 + 2·2 + 2·3 + 1·1 + 3·3)/100 = .22, as two draw from their own labels."""
    found = agree(labels_from(_frame(ana=A, ben=B)), measured=measured)
    assert found.coefficients[0].title == title
    assert found.coefficients[0].point == pytest.approx(point)
    text = render(found, verbose=True)
    for name in (title, *others):
        assert name in text
    assert ("Cohen" in text) == (measured == "nominal")


@pytest.mark.parametrize(
    ("metric", "alpha"),
    [("Informativeness", 0.285), ("Relevance", 0.115), ("Fluency", -0.016), ("Coherence", 0.065)],
)
def test_the_ordinal_alphas_of_newsroom(metric: str, alpha: float) -> None:
    found = agree(
        shared("data", "judgebench_humans_dmg", "newsroom.csv"), question=metric, rater_column="rater_slot"
    )
    assert _of("krippendorff_alpha", found) == pytest.approx(alpha, abs=5e-4)


def test_the_kappas_of_pandalm() -> None:
    people = ["annotator1", "annotator2", "annotator3"]
    found = agree(shared("data", "pandalm_human", "pandalm_human.csv"), raters=people, measured="nominal")
    kappas = sorted(round(one.chance_corrected.point, 2) for one in found.pairs)  # pyright: ignore[reportAttributeAccessIssue] - estimates
    assert kappas == [0.85, 0.86, 0.88]
    assert found.n_clusters == 50


def test_the_widest_disagreements_come_first() -> None:
    found = agree(labels_from(_frame(a=[1, 2, 5, 3], b=[1, 3, 1, 3])))
    assert found.measured == "ordinal"
    assert [one.answer for one in found.disagreements] == ["q2", "q1"]
    assert found.disagreements[0].labels == ("5", "1")
    assert any(note.code == "read_as_ordinal" for note in found.warnings)


def test_levels_nobody_used_count_where_chance_counts_labels() -> None:
    frame = _frame(a=["lo", "lo", "hi", "hi"] * 5, b=["lo", "hi", "hi", "hi"] * 5)
    few = agree(labels_from(frame), levels=["lo", "hi"])
    many = agree(labels_from(frame), levels=["lo", "mid", "hi"])
    assert few.measured == many.measured == "ordinal"
    assert _of("brennan_prediger", few) != _of("brennan_prediger", many)
    with pytest.raises(UsageError, match="'hi' is none of the levels"):
        agree(labels_from(frame), levels=["lo", "mid"])


def test_names_have_no_distances() -> None:
    with pytest.raises(UsageError, match="--levels"):
        agree(labels_from(_frame(a=["x", "y"], b=["x", "y"])), measured="interval")


def test_raters_who_never_differ_are_remarked_on() -> None:
    found = agree(labels_from(_frame(a=[1, 0] * 15, b=[1, 0] * 15)))
    assert any(note.code == "picked_by_agreement" for note in found.warnings)


def test_several_rubrics_are_said() -> None:
    frame = pl.DataFrame(
        {"item": ["1", "1", "2", "2"], "rater": ["a", "b"] * 2, "label": [1, 0, 1, 1],
         "rubric": ["v1", "v1", "v2", "v2"]}
    )  # fmt: skip
    assert any(note.code == "rubric_changed" for note in agree(labels_from(frame)).warnings)


def test_repeats_show_whether_a_rater_agrees_with_himself() -> None:
    frame = pl.DataFrame(
        {"item": ["1", "1", "2", "2", "1", "2"], "rater": ["a"] * 4 + ["b"] * 2, "label": [1, 1, 0, 1, 1, 0]}
    )
    found = agree(labels_from(frame, options=ReadOptions(duplicates="attempts")))
    assert [(one.repeated, one.same) for one in found.raters] == [(2, 1), (0, 0)]
    assert found.n_shared == 2


def test_clusters_widen_the_interval() -> None:
    a = [1, 0] * 60
    b = [1, 0] * 40 + [0, 1] * 20
    clustered = _frame(a=a, b=b).with_columns(cluster=pl.Series([f"c{i // 12}" for i in range(120)]))
    wide, narrow = (
        agree(labels_from(frame)).coefficients[0].estimate for frame in (clustered, _frame(a=a, b=b))
    )
    assert wide.width > narrow.width  # pyright: ignore[reportAttributeAccessIssue] - estimates


def test_a_judge_is_one_more_rater(tmp_path: Path) -> None:
    judged = pl.DataFrame({"item": ["1", "2", "3", "4"], "judged": [1, 0, 1, 1]})
    judged.write_csv(tmp_path / "judged.csv")
    pl.DataFrame({"item": ["1", "2", "3", "4"], "label": ["pass", "fail", "fail", "pass"]}).write_csv(
        tmp_path / "labels.csv"
    )
    options = ReadOptions(value="judged")
    found = agree(
        tmp_path / "judged.csv", labels=[tmp_path / "labels.csv"], judge=["judged"], options=options
    )
    assert [one.name for one in found.raters] == ["people", "judged"]
    assert found.confusion == ((1, 1), (0, 2))
    assert "--judge judged" in found.command


def test_a_seed_makes_it_again_and_hostile_labels_stay_texts() -> None:
    frame = _frame(a=["<script>", "\x1b[31m", "=cmd", "x"] * 4, b=["<script>", "x", "=cmd", "x"] * 4)
    found, again = agree(labels_from(frame)), agree(labels_from(frame))
    assert found.coefficients == again.coefficients
    assert "\x1b" not in render(found)
    assert "<script>" not in render(found, form="markdown")


def test_nothing_to_read_is_said() -> None:
    with pytest.raises(UsageError, match="nothing to compare"):
        agree()
    with pytest.raises(InputError, match="no such file"):
        agree("nowhere.csv")


def test_labels_that_differ_in_capitals_alone_are_said() -> None:
    rows = {"item": list("abcdef"), "ana": ["Red", "red", "blue"] * 2, "ben": ["red", "red", "blue"] * 2}
    found = agree(labels_from(pl.DataFrame(rows)))
    assert any(note.code == "labels_alike" and "'Red' and 'red'" in note.text for note in found.warnings)


def test_a_rater_who_gives_one_label_is_the_reason_and_not_full_agreement() -> None:
    found = agree(labels_from(_frame(a=[3, 3, 3, 3], b=[3, 2, 3, 5])))
    main = found.coefficients[0]
    assert isinstance(main.estimate, Undefined)
    assert main.estimate.reason.startswith("one rater gave one label only")
    assert found.verdict.text.startswith("NOT SHOWN TO AGREE BEYOND CHANCE")


def test_a_kappa_without_an_interval_is_agreement_only_where_nobody_differs() -> None:
    differing = agree(labels_from(_frame(a=["x", "y"], b=["x", "z"])))
    assert differing.coefficients[0].point == pytest.approx(1 / 3)  # (1/2 - 1/4)/(1 - 1/4)
    assert differing.verdict.text.startswith("NOT SHOWN TO AGREE BEYOND CHANCE")
    same = agree(labels_from(_frame(a=["x", "y", "z"], b=["x", "y", "z"])))
    assert same.verdict.text.startswith("RATERS AGREE: ")


def test_each_rater_stands_once_and_so_do_repeats_of_two() -> None:
    three = agree(labels_from(_frame(a=[1, 0] * 5, b=[1, 0] * 5, c=[0, 0] * 5)))
    assert render(three, verbose=True).count("Each rater with the others") == 1
    frame = pl.DataFrame(
        {"item": ["1", "1", "1", "2", "2"], "rater": list("aabab"), "label": [1, 0, 1, 0, 0]}
    )
    repeated = agree(labels_from(frame, options=ReadOptions(duplicates="attempts")))
    assert "0 of 1" in render(repeated)
