"""The split of labels: shares of every cell, whole clusters, the same seed the same split."""

from __future__ import annotations

import numpy as np
import pytest

from aliquot.errors import UsageError
from aliquot.stats import corrected_rate, development_rows, rows_to_label


def labelled(rng, n):
    labels = (rng.random(n) < 0.8).astype(float)
    verdicts = np.where(rng.random(n) < 0.85, labels, 1 - labels)
    return np.where(rng.random(n) < 0.6, labels, np.nan), verdicts


@pytest.mark.parametrize("share", [0.2, 0.5, 0.7])
def test_every_cell_keeps_its_share(share):
    rng = np.random.default_rng(1)
    labels, verdicts = labelled(rng, 500)
    tuning = development_rows(labels, verdicts, share=share, rng=2)
    for label in (0, 1):
        for verdict in (0, 1):
            cell = (labels == label) & (verdicts == verdict)
            assert abs(tuning[cell].sum() - share * cell.sum()) <= 1
    assert not tuning[np.isnan(labels)].any()


def test_clusters_stay_whole_and_cells_stay_near():
    rng = np.random.default_rng(3)
    labels, verdicts = labelled(rng, 600)
    groups = rng.integers(0, 80, 600)
    known = ~np.isnan(labels)
    tuning = development_rows(labels, verdicts, clusters=groups, rng=4)
    assert not set(groups[known & tuning]) & set(groups[known & ~tuning])
    cells = labels[known] * 2 + verdicts[known]
    assert [tuning[known][cells == cell].mean() for cell in range(4)] == pytest.approx([0.5] * 4, abs=0.1)


def test_a_seed_is_a_split_and_every_row_has_its_chance():
    labels, verdicts = labelled(np.random.default_rng(5), 60)
    one, again, other = (development_rows(labels, verdicts, rng=seed) for seed in (6, 6, 7))
    assert one.tolist() == again.tolist()
    assert one.tolist() != other.tolist()
    chosen = np.mean([development_rows(labels, verdicts, rng=seed) for seed in range(300)], axis=0)
    known = ~np.isnan(labels)
    assert chosen[known] == pytest.approx(np.full(known.sum(), 0.5), abs=0.15)


def test_grades_and_no_verdict_are_kinds():
    rng = np.random.default_rng(8)
    grades = rng.random(400)
    grades[:40] = np.nan
    tuning = development_rows((rng.random(400) < 0.5).astype(float), grades, rng=9)
    assert abs(tuning[:40].mean() - 0.5) < 0.06
    assert abs(tuning[grades > 0.9].mean() - 0.5) < 0.1


def test_neither_part_is_empty():
    for seed in range(10):
        tuning = development_rows([1, 0], ["good", "bad"], share=0.9, rng=seed)
        assert tuning.sum() == 1


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (([1, None], [1, 1]), "at least two labelled rows"),
        (([1, 0], [1]), "one for each of the 2"),
    ],
)
def test_bad_input_is_refused(arguments, text):
    with pytest.raises(UsageError, match=text):
        development_rows(*arguments)
    with pytest.raises(UsageError, match="share"):
        development_rows([1, 0], [1, 0], share=1)
    with pytest.raises(UsageError, match="two clusters"):
        development_rows([1, 0], [1, 0], clusters=[1, 1])


def test_rows_drawn_by_cell_are_what_a_corrected_rate_takes():
    rng = np.random.default_rng(10)
    truth = (rng.random(1000) < 0.9).astype(float)
    verdicts = np.where(rng.random(1000) < 0.85, truth, 1 - truth).astype(int)
    sample = rows_to_label(verdicts, {"0": 40, "1": 40}, rng=11)
    assert [int(sample.rows[verdicts == verdict].sum()) for verdict in (0, 1)] == [40, 40]
    labels = np.where(sample.rows, truth, np.nan)
    by_chance = corrected_rate(labels, verdicts, chances=sample.chances)
    by_name = corrected_rate(labels, verdicts, drawn="by verdict")
    assert by_chance.corrected == by_name.corrected
    assert by_chance.people.point == pytest.approx(by_name.people.point)
    again = rows_to_label(verdicts, {"0": 40, "1": 40}, rng=11)
    assert sample.rows.tolist() == again.rows.tolist()
    with pytest.raises(UsageError, match="unknown cell 'pass'"):
        rows_to_label(verdicts, {"pass": 4})
    with pytest.raises(UsageError, match=r"2000 rows of 1 are wanted"):
        rows_to_label(verdicts, {"1": 2000})
