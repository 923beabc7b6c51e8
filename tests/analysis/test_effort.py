"""What a summary says of the effort of a system: steps, calls of tools, and what a step costs."""

from __future__ import annotations

import polars as pl
import pytest

from aliquot.analysis.summarize import SummaryChoices, summarize_systems
from aliquot.evidence.assembly import assemble


def test_steps_calls_and_the_cost_of_a_step_are_those_of_the_answers() -> None:
    rows = {"system": ["a"] * 3, "item": list("xyz"), "value": [1.0, 0.0, 1.0]}
    responses = {"system": ["a"] * 3, "item": list("xyz"), "steps": [4, 8, None], "tool_calls": [3, 5, None],
                 "tool_errors": [1, 1, None], "cost": [0.02, 0.04, 9.0], "currency": ["USD"] * 3}  # fmt: skip
    evidence = assemble(pl.DataFrame(rows), responses=pl.DataFrame(responses))
    steps = summarize_systems(evidence, choices=SummaryChoices()).lines[0].steps
    assert steps is not None
    assert (steps.mean, steps.tool_calls, steps.tool_errors, steps.answers) == (6.0, 4.0, 0.25, 2)
    assert steps.cost == pytest.approx(0.06 / 12)
    assert steps.currency == "USD"
    without = assemble(pl.DataFrame(rows))
    assert summarize_systems(without, choices=SummaryChoices()).lines[0].steps is None
