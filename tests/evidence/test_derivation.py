from __future__ import annotations

import math
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import AliquotError, UsageError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.derivation import derive, with_metric
from aliquot.evidence.expressions import Call, Expression, Metric, Number, parse_expression
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence

Row = tuple[float | None, float | None]


def _graders(rows: list[Row], *, statuses: list[str] | None = None, kind: str = "binary") -> Evidence:
    outcomes = [
        {"system": "a", "item": f"i{i:02d}", "metric": metric, "value": value}
        for i, row in enumerate(rows)
        for metric, value in zip(("g1", "g2"), row, strict=True)
    ]
    responses = None
    if statuses:
        responses = pl.DataFrame(
            [{"system": "a", "item": f"i{i:02d}", "status": status} for i, status in enumerate(statuses)]
        )
    described = [
        {"metric": name, "kind": kind, "low": 0.0, "high": 1.0, "better": "higher",
         "on_failure": 0.0 if kind == "binary" else None}
        for name in ("g1", "g2")
    ]  # fmt: skip
    return assemble(
        pl.DataFrame(outcomes, schema_overrides={"value": pl.Float64}),
        responses=responses,
        metrics=pl.DataFrame(described, schema_overrides={"on_failure": pl.Float64}),
    )


def _values(evidence: Evidence, metric: str) -> list[float | None]:
    return evidence.outcomes.filter(pl.col("metric") == metric).sort("item")["value"].to_list()


T, F, N = 1.0, 0.0, None
NINE: list[Row] = [(x, y) for x in (T, F, N) for y in (T, F, N)]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("all(g1, g2)", [T, F, N, F, F, F, N, F, N]),
        ("any(g1, g2)", [T, T, T, T, F, N, T, N, N]),
        ("not(g1)", [F, F, F, T, T, T, N, N, N]),
        ("min(g1, g2)", [T, F, N, F, F, N, N, N, N]),
        ("mean(g1, g2)", [T, 0.5, N, 0.5, F, N, N, N, N]),
        ("g1 - g2", [F, T, N, -1.0, F, N, N, N, N]),
        ("g1 / g2", [T, N, N, F, N, N, N, N, N]),  # 1/0 and 0/0 are no numbers
        ("(g1 + g2) / 2 >= 0.5", [T, T, N, T, F, N, N, N, N]),
        ("all(g1, g2 != 1)", [F, T, N, F, F, F, F, N, N]),
    ],
)
def test_the_truth_table_of_each_function(expression: str, expected: list[float | None]) -> None:
    found = derive(_graders(NINE), expression, name="new")
    assert _values(found, "new") == expected
    missing = sum(value is None for value in expected)
    assert [note.text.split(":")[1].split(";")[0] for note in found.notes] == [
        f" {missing} of 9 attempts have no value"
    ]


def test_missing_parts_are_named() -> None:
    found = derive(_graders([(T, N), (F, N), (N, N)]), "all(g1, g2)", name="both")
    assert [note.text for note in found.notes] == [
        "both: 2 of 3 attempts have no value; parts without one: g1 (1), g2 (2)"
    ]
    # i00 and i02 are missing (a part is), i01 is 0 whatever g2 would have said
    assert units(found, "a", task="task", metric="both").frame["missing"].to_list() == [1, 0, 1]


def test_a_refused_answer_fails_every_grader_that_counts_failures() -> None:
    evidence = _graders([(T, T), (T, N), (N, N)], statuses=["ok", "refused", "error"])
    found = derive(evidence, "all(g1, g2)")
    assert _values(found, "all(g1, g2)") == [T, F, N]
    row = found.metrics.filter(pl.col("metric") == "all(g1, g2)").row(0, named=True)
    assert (row["kind"], row["low"], row["high"], row["better"], row["on_failure"]) == (
        "binary",
        0,
        1,
        "higher",
        0,
    )


@pytest.mark.parametrize(
    ("expression", "kind", "low", "high", "better"),
    [
        ("(g1 + g2) / 2", "bounded", 0.0, 1.0, "higher"),
        ("g1 - g2", "bounded", -1.0, 1.0, "none"),
        ("1 - g1", "bounded", 0.0, 1.0, "lower"),
        ("-g1 * 2", "bounded", -2.0, 0.0, "lower"),
        ("g1 / g2", "real", None, None, "none"),
        ("max(g1, g2, 3)", "bounded", 3.0, 3.0, "higher"),
        ("g1 > 0.5", "binary", 0.0, 1.0, "higher"),
    ],
)
def test_the_scale_follows_from_the_parts(
    expression: str, kind: str, low: float | None, high: float | None, better: str
) -> None:
    found = derive(_graders([(0.25, 0.75), (1.0, 0.5)], kind="bounded"), expression, name="x")
    row = found.metrics.filter(pl.col("metric") == "x").row(0, named=True)
    assert (row["kind"], row["low"], row["high"], row["better"]) == (kind, low, high, better)


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("all(g1, g3)", "no metric 'g3'. Known: g1, g2"),
        ("all(g1, g2", "it ends too early"),
        ("all()", r"'\)' is not expected \(character 5\)"),
        ("g1 + ", "it ends too early"),
        ("g1 g2", r"'g2' is not expected \(character 4\)"),
        ("g1 < 1 < 2", "'<' is not expected"),
        ("1 + 1", "names at least one metric"),
        ("not(g1, g2)", "takes one part"),
        ("__import__('os')", "cannot be read"),
        ("g1; g2", "cannot be read"),
        ("all(g1 + g2, g1)", r"all\(\) takes what is passed or failed; a part is a number"),
        ("(" * 50 + "g1" + ")" * 50, "nested at most 20"),
        ("-" * 50 + "g1", "nested at most 20"),
        ("g1 + " * 400 + "g1", "at most 1000 characters"),
    ],
)
def test_what_is_no_expression_is_refused_in_one_line(expression: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        derive(_graders(NINE), expression, name="x")


def test_scores_must_be_compared_and_names_be_free() -> None:
    scores = _graders([(0.5, 1.0)], kind="bounded")
    with pytest.raises(UsageError, match=r"metric 'g1' is a number. Compare it, for example g1 >= 0.5"):
        derive(scores, "all(g1, g2)")
    with pytest.raises(UsageError, match="a metric 'g1' already"):
        derive(scores, "g1 + g2", name="g1")


def test_several_scorers_are_refused_and_repeats_averaged() -> None:
    rows = {
        "system": ["a"] * 2,
        "item": ["1"] * 2,
        "value": [1.0, 0.0],
        "by": ["judge"] * 2,
        "metric": ["m"] * 2,
    }
    with pytest.raises(UsageError, match="several scorers"):
        derive(assemble(pl.DataFrame(rows | {"scorer": ["x", "y"]})), "not(m)")
    found = derive(assemble(pl.DataFrame(rows | {"repeat": [1, 2]})), "not(m)", name="n")
    assert found.outcomes.filter(pl.col("metric") == "n").select("value", "by").rows() == [(0.5, "judge")]
    assert found.metrics.filter(pl.col("metric") == "n")["kind"].to_list() == ["bounded"]


def test_a_metric_that_is_there_or_a_plain_name_is_left_alone() -> None:
    evidence = _graders(NINE)
    for metric in (None, "g1", "nobody", "exact match"):
        assert with_metric(evidence, metric) is evidence
    assert "any(g1,g2)" in with_metric(evidence, "any(g1,g2)").metrics["metric"]
    with pytest.raises(UsageError, match="ends too early"):
        with_metric(evidence, "any(g1")


TREES = st.recursive(
    st.sampled_from([Metric("g1"), Metric("g2"), Number(0.5), Number(2.0)]),
    lambda part: st.one_of(
        st.builds(lambda f, a, b: Call(f, (a, b)), st.sampled_from(["+", "-", "*", "<", ">=", "=="]), part, part),
        st.builds(
            lambda f, a: Call(f, tuple(a)),
            st.sampled_from(["min", "max", "mean"]),
            st.lists(part, min_size=1, max_size=3),
        ),
        st.builds(lambda a: Call("-", (a,)), part),
    ),
    max_leaves=6,
)  # fmt: skip


def _written(tree: Expression) -> str:
    if isinstance(tree, Number):
        return str(tree.value)
    if isinstance(tree, Metric):
        return f'"{tree.name}"'
    parts = [_written(part) for part in tree.parts]
    if tree.function.isalpha():
        return f"{tree.function}({', '.join(parts)})"
    return f"(-{parts[0]})" if len(parts) == 1 else f"({parts[0]} {tree.function} {parts[1]})"


def _plain(tree: Expression, row: dict[str, float | None]) -> float | None:
    """Return an expression's value: a second implementation, on one row."""
    if isinstance(tree, Number):
        return tree.value
    if isinstance(tree, Metric):
        return row[tree.name]
    parts = [_plain(part, row) for part in tree.parts]
    given = [part for part in parts if part is not None]
    if len(given) < len(parts):
        return None
    if len(given) == 1:
        return -given[0] if tree.function == "-" else given[0]
    many: dict[str, Any] = {"min": min, "max": max, "mean": lambda of: sum(of) / len(of)}
    if tree.function in many:
        return float(many[tree.function](given))
    a, b = given
    return float({"+": a + b, "-": a - b, "*": a * b, "<": a < b, ">=": a >= b, "==": a == b}[tree.function])


@settings(max_examples=60)
@given(TREES, st.tuples(*[st.sampled_from([0.0, 0.25, 1.0, None])] * 2))
def test_any_expression_agrees_with_a_plain_evaluation(tree: Expression, row: Row) -> None:
    assert parse_expression(_written(tree)) == tree
    if not any(name in _written(tree) for name in ("g1", "g2")) or not isinstance(tree, Call):
        return
    found = derive(_graders([row, (0.25, 0.75)], kind="bounded"), _written(tree), name="x")
    expected = _plain(tree, dict(zip(("g1", "g2"), row, strict=True)))
    value = found.outcomes.filter(pl.col("metric") == "x", pl.col("item") == "i00")["value"].to_list()
    if expected is None:
        assert value in ([None], [])
    else:
        assert value == [pytest.approx(expected, abs=1e-12)]
        assert math.isfinite(expected)


@given(st.text("g12()+-*/<>=!,. \"alny'", max_size=30))
def test_any_text_is_an_expression_or_one_clear_error(text: str) -> None:
    said = ""
    try:
        parse_expression(text)
    except AliquotError as error:
        said = str(error)
    assert "\n" not in said
