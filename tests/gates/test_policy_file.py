"""Policy files: what is read, and that every complaint names its line and what would be right."""

from __future__ import annotations

import json

import jsonschema
import pytest
import yaml

from aliquot.errors import InputError
from aliquot.gates.policy import CostRule, MetricRule, SegmentRule
from aliquot.gates.policy_file import parse_policy
from aliquot.gates.policy_schema import policy_schema

WHOLE = """
metrics:
  headline:
    no_worse_than: 2pt
    at_least: 70%
    segments:
      lang: {no_worse_than: 5pt, effect: blocks}
  helpful: {no_worse_than: 0.1, effect: investigates}
costs:
  latency p95: {no_worse_than: 20%}
  cost: {no_worse_than: 0.001, effect: investigates}
critical: [refund-014]
quarantine: {tone-003: flaky since May}
baseline: {name: main, oldest_days: 14}
merges: {a_year: 200, false_fails_a_year: 1}
undecided: pass
level: 0.9
"""


def test_a_whole_policy() -> None:
    policy = parse_policy(WHOLE, file="gate.yaml")
    assert policy.metrics == (
        MetricRule("", "2pt", 0.7, "blocks", {"lang": SegmentRule("5pt", "blocks")}),
        MetricRule("helpful", 0.1, None, "investigates"),
    )
    assert policy.costs == {"latency p95": CostRule("20%"), "cost": CostRule(0.001, "investigates")}
    assert (policy.critical, dict(policy.quarantine)) == (("refund-014",), {"tone-003": "flaky since May"})
    assert (policy.baseline.name, policy.baseline.oldest_days) == ("main", 14)
    assert (policy.undecided, policy.level, policy.alpha) == ("pass", 0.9, 1 / 200)
    jsonschema.validate(yaml.safe_load(WHOLE), policy_schema())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the file is empty. Write at least: metrics"),
        ("metrics: {}", "row 1, field 'metrics': no metric is listed"),
        ("undecided: pass", "the policy asks for nothing"),
        ("metric: {a: {no_worse_than: 2pt}}", "there is no key 'metric'. Did you mean 'metrics'?"),
        ("metrics:\n  a: {no_worse: 2pt}", "row 2: there is no key 'no_worse'. Did you mean 'no_worse_than'?"),
        ("metrics: {a: {effect: blocks}}", "it says neither no_worse_than, at_least nor segments"),
        ("metrics: {a: {no_worse_than: lots}}", "'lots' is no margin. Write 2pt, 20% or a number above 0"),
        ("metrics: {a: {no_worse_than: 0}}", "0 is no margin"),
        ("metrics: {a: {no_worse_than: true}}", "a margin is written 2pt"),
        ("metrics: {a: {no_worse_than: .nan}}", "nan is no margin"),
        ("metrics: {a: {at_least: 120%}}", "a floor lies between 0 and 1"),
        ("metrics: {a: {no_worse_than: 2pt, effect: block}}", "'block' is not known here. Did you mean 'blocks'?"),
        ("costs: {latency: {no_worse_than: 20%}}", "there is no key 'latency'"),
        ("costs: {cost: {effect: blocks}}", "the key 'no_worse_than' is missing"),
        ("critical: [a, a]", "an item stands twice"),
        ("critical: a", "'a' is not a list"),
        ("critical: [a]\nquarantine: [a]", "'a' is critical and quarantined"),
        ("critical: [a]\nmerges: {false_fails_a_year: 1}", "the key 'a_year' is missing"),
        ("critical: [a]\nmerges: {a_year: 10, false_fails_a_year: 11}", "false fails a year lie above 0 and up to"),
        ("critical: [a]\nlevel: 95", "95 is out of range"),
        ("critical: [a]\nundecided: maybe", "'maybe' is not known here"),
        ("- a", "a list stands where key: value lines are needed"),
        ("metrics: &a {b: *a}", "anchors and aliases are not read here"),
    ],
)  # fmt: skip
def test_a_complaint_names_the_place_and_the_remedy(text: str, says: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_policy(text, file="gate.yaml")
    assert says in str(raised.value)
    assert str(raised.value).startswith("gate.yaml")


def test_the_schema_is_one_of_json() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(json.dumps(policy_schema())))
    for wrong in ({}, {"metrics": {"a": {"no_worse": 1}}}, {"critical": ["a"], "undecided": "maybe"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, policy_schema())
