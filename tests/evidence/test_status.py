from __future__ import annotations

from itertools import product

import polars as pl
import pytest

from aliquot.evidence.assembly import assemble
from aliquot.evidence.status import FALLIBLE, STATUSES, resolve, resolve_value

BY = ("rule", *FALLIBLE)


def test_the_expression_and_the_plain_rule_agree_on_every_combination() -> None:
    combinations = list(product((1.0, 0.0, None), STATUSES, BY, STATUSES, (0.0, None)))
    rows = [
        {"system": "s", "item": str(i), "metric": f"m{failure}", "value": value, "status": status, "by": by}
        for i, (value, status, by, _, failure) in enumerate(combinations)
    ]
    responses = [{"system": "s", "item": str(i), "status": row[3]} for i, row in enumerate(combinations)]
    metrics = pl.DataFrame(
        {"metric": ["m0.0", "mNone"], "kind": ["binary", "binary"], "on_failure": [0.0, None]}
    )
    evidence = assemble(pl.DataFrame(rows), responses=pl.DataFrame(responses), metrics=metrics)
    found = resolve(evidence.outcomes, evidence.responses, evidence.metrics)["value"].to_list()
    expected = [
        resolve_value(value, status=status, by=by, response_status=response, on_failure=failure)
        for value, status, by, response, failure in combinations
    ]
    assert found == expected


@pytest.mark.parametrize("response", ["refused", "truncated", "timeout", "failed", "error", "missing"])
def test_a_value_wins_over_every_status(response: str) -> None:
    assert resolve_value(1.0, status="ok", by="judge", response_status=response, on_failure=0.0) == 1.0


@pytest.mark.parametrize("status", [status for status in STATUSES if status not in {"ok", "missing"}])
def test_what_stops_a_judge_is_never_a_failure_of_the_system(status: str) -> None:
    assert resolve_value(None, status=status, by="judge", response_status="refused", on_failure=0.0) is None


def test_a_judge_that_was_not_asked_leaves_the_word_to_the_response() -> None:
    assert resolve_value(None, status="missing", by="judge", response_status="timeout", on_failure=0.0) == 0.0


def test_a_response_the_measurement_lost_is_missing_though_the_rule_could_not_parse_it() -> None:
    assert resolve_value(None, status="unparsed", by="rule", response_status="error", on_failure=0.0) is None


def test_resolve_keeps_the_order_and_the_columns_of_the_rows() -> None:
    rows = {"system": "s", "item": [str(i) for i in range(500)], "value": [float(i) for i in range(500)]}
    evidence = assemble(pl.DataFrame(rows))
    resolved = resolve(evidence.outcomes, evidence.responses, evidence.metrics)
    assert resolved.equals(evidence.outcomes)
