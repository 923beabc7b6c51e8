"""The listing of methods holds every estimator and test of the face, and nothing else."""

from __future__ import annotations

import inspect
import re

import pytest

import aliquot.stats as st
from aliquot.errors import UsageError

NOT_METHODS = {
    "coverage": "simulates a method",
    "coverage_warning": "speaks of an estimate",
    "decided_interval": "applies the rule of verdicts to an estimate and a test",
    "methods": "is the listing",
    "paired_table": "counts outcomes",
    "rating_table": "codes ratings",
    "ratings_by_item": "codes ratings",
    "rejects": "reads a test",
}


def test_every_function_of_the_face_is_listed_once():
    functions = {name for name in st.__all__ if inspect.isfunction(getattr(st, name))}
    listed = [method.name for method in st.methods()]
    assert sorted(listed) == sorted(set(listed))
    assert set(listed) == functions - set(NOT_METHODS)


def test_a_topic_starts_with_its_default():
    first = {topic: next(iter(st.methods(topic))).name for topic in ("rate", "mean", "paired", "unpaired")}
    assert first == {
        "rate": "rate",
        "mean": "mean",
        "paired": "paired_difference",
        "unpaired": "unpaired_binary",
    }


def test_every_method_says_what_it_rests_on():
    for method in st.methods():
        assert min(map(len, (method.answers, method.assumes, method.source))) >= 4, method
        assert re.search(r"\d{4}|arithmetic|enumerat|as the method|approximation|tail", method.source), method


def test_a_topic_is_a_subset_in_the_order_of_all():
    every = list(st.methods())
    paired = list(st.methods("paired"))
    assert paired == [method for method in every if "paired" in method.topics]
    assert 10 < len(st.methods("paired")) < len(every)


def test_an_unknown_topic_lists_the_known():
    with pytest.raises(UsageError, match=r"unknown topic 'pared'\. Did you mean 'paired'.*unpaired"):
        st.methods("pared")


def test_it_prints():
    ratios = st.methods("ratios")
    assert str(ratios).splitlines()[0] == "3 methods for ratios"
    assert str(st.methods()).splitlines()[0] == f"{len(st.methods())} methods"
    assert str(ratios).splitlines()[1].split() == ["name", "answers", "assumes", "source"]
    assert ratios._repr_html_().count("<tr>") == 4
    assert ratios.to_frame().columns == ["name", "answers", "assumes", "source"]
    assert ratios.to_frame().height == 3
