"""Every record of a finding becomes JSON that holds no NaN."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.findings.comparison import NamedTest
from aliquot.findings.plain_values import UNBOUNDED, plain_value
from aliquot.stats.results import Estimate, HypothesisTest, Undefined


@dataclass(frozen=True, slots=True)
class Record:
    name: str
    value: object


def test_undefined_carries_its_reason():
    assert plain_value(Record("rate", Undefined("one cluster"))) == {
        "name": "rate",
        "value": {"undefined": "one cluster"},
    }


def test_an_estimate_keeps_its_method_and_drops_its_settings():
    found = plain_value(Estimate(0.5, 0.4, 0.6, 0.95, "wilson", 100, settings={"a": object()}))
    assert (found["point"], found["low"], found["high"], found["method"]) == (0.5, 0.4, 0.6, "wilson")
    assert "settings" not in found


def test_an_unbounded_limit_is_said_and_not_infinite():
    assert plain_value(Estimate(1.0, 0.2, math.inf, 0.95, "fieller", 9))["high"] == {"undefined": UNBOUNDED}
    assert plain_value(-math.inf) == {"undefined": UNBOUNDED}


@pytest.mark.parametrize(
    "value", [math.nan, np.float64("nan"), {"a": [math.nan]}, Record("x", (1.0, math.nan))]
)
def test_nan_is_refused_wherever_it_hides(value: object):
    with pytest.raises(ArithmeticError, match="NaN"):
        plain_value(value)


def test_the_deciding_test_is_marked():
    test = HypothesisTest("mcnemar_exact", 0.07)
    assert plain_value(NamedTest(test, decides=True))["decides"] is True
    assert "decides" not in plain_value(test)


def test_numpy_is_plain():
    found = plain_value({"n": np.int64(3), "x": np.array([0.5, 1.0]), "b": np.bool_(True)})
    assert found == {"n": 3, "x": [0.5, 1.0], "b": True}
    assert [type(found["n"]), type(found["b"])] == [int, bool]


def test_what_is_no_part_of_a_finding_is_refused():
    with pytest.raises(TypeError, match="set is no part of a finding"):
        plain_value({1, 2})


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.builds(Record, st.text(), inner),
    max_leaves=12,
)


@given(values)
def test_whatever_it_returns_is_strict_json(value: object):
    text = json.dumps(plain_value(value), allow_nan=False)
    json.loads(text)
