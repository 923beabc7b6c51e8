"""Which two systems are compared, with only the sources given."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import rename
from aliquot.verbs.pairing import pair_sources
from tests.evidence_of import evidence_of

A, B, C = [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 1.0]


def test_one_source_of_two_systems_is_baseline_then_candidate():
    found = pair_sources([evidence_of({"main": A, "pr": B})])
    assert (found.baseline, found.candidate, found.task) == ("main", "pr", "task")


def test_two_sources_of_one_system_each_are_compared_whatever_their_names():
    found = pair_sources([evidence_of({"zeta": A}), evidence_of({"alpha": B})])
    assert (found.baseline, found.candidate) == ("zeta", "alpha")


def test_the_same_system_twice_is_told_apart():
    found = pair_sources([evidence_of({"gpt": A}), evidence_of({"gpt": B})])
    assert (found.baseline, found.candidate) == ("baseline", "candidate")


def test_of_several_systems_the_one_that_changed_is_compared_and_the_same_one_named():
    found = pair_sources([evidence_of({"x": A, "y": B}), evidence_of({"x": C, "y": B})])
    assert (found.baseline, found.candidate) == ("baseline", "candidate")
    assert "y is the same in both sources and left out" in {note.text for note in found.evidence.notes}


def test_several_changed_systems_need_a_name():
    with pytest.raises(UsageError, match=r"2 systems differ between the two sources \(x, y\); name a pair"):
        pair_sources([evidence_of({"x": A, "y": B}), evidence_of({"x": C, "y": A})])


def test_nothing_changed_is_nothing_to_compare():
    with pytest.raises(UsageError, match="there is nothing to compare"):
        pair_sources([evidence_of({"x": A, "y": B}), evidence_of({"x": A, "y": B})])


def test_three_systems_in_one_source_need_two_names():
    source = evidence_of({"x": A, "y": B, "z": C})
    with pytest.raises(UsageError, match=r"3 systems found \(x, y, z\); name two with --systems"):
        pair_sources([source])
    assert pair_sources([source], systems=("z", "x")).baseline == "z"
    with pytest.raises(UsageError, match="Did you mean 'y'"):
        pair_sources([source], systems=("x", "yy"))
    with pytest.raises(UsageError, match="two different systems"):
        pair_sources([source], systems=("x", "x"))


def test_no_shared_task_is_refused_with_both_lists():
    other = evidence_of({"pr": B})

    tables = {
        name: getattr(other, name).with_columns(task=pl.lit("maths"))
        for name in ("items", "responses", "outcomes")
    }
    with pytest.raises(InputError, match="main has task; pr has maths"):
        pair_sources([evidence_of({"main": A}), replace(other, **tables)])


def test_more_than_two_sources_are_refused():
    source = evidence_of({"main": A})
    with pytest.raises(UsageError, match="one or two sources"):
        pair_sources([source, rename(source, {"main": "b"}), rename(source, {"main": "c"})])
