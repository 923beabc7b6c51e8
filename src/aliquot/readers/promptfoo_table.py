"""The table of promptfoo's version 2, whose results alone tell neither test nor assertions."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec
from msgspec import Struct

from aliquot.readers.promptfoo_records import (
    ERROR,
    Column,
    Grading,
    Named,
    Prompt,
    Row,
    TestCase,
    convert,
    mapping,
)


class _Cell(Struct, rename="camel"):
    """What one column answered to one test."""

    passed: bool | None = msgspec.field(default=None, name="pass")
    score: float | None = None
    named_scores: dict[str, Any] | None = None
    text: Any = None
    prompt: str | None = None
    provider: str | None = None
    latency_ms: float | None = None
    grading_result: Grading | None = None
    cost: float | None = None
    token_usage: dict[str, Any] | None = None


class _Line(Struct, rename="camel"):
    """One test with a cell for each column."""

    outputs: list[_Cell | None]
    test: TestCase | None = None
    vars: list[Any] | None = None


def rows_of_table(
    table: dict[str, Any], results: list[Any], *, columns: list[Column], file: str
) -> list[Row]:
    """Return version 2's table as rows; its list of results adds what only they say (cache, raw error).

    Args:
        table: the table; a line of its body is one run of a test.
        results: the list of results, in the order they came.
        columns: the table's head.
        file: for messages.

    Raises:
        InputError: a line is not as promptfoo writes it.
    """
    extra = _by_question(results, file=file)
    names = mapping(table.get("head")).get("vars")
    rows: list[Row] = []
    for test_idx, line in enumerate(table["body"]):
        known = convert(line, _Line, file=file, where=f"line {test_idx + 1} of the table")
        values = _variables(mapping(mapping(line).get("test")).get("vars"), names, known.vars)
        for prompt_idx, cell in enumerate(known.outputs):
            if cell is None:
                continue
            column = columns[prompt_idx] if prompt_idx < len(columns) else Column()
            row = _row(cell, known.test, values, column=column)
            row.test_idx, row.prompt_idx = test_idx, prompt_idx
            _complete(row, extra[_question(row)])
            rows.append(row)
    return rows


def _variables(given: Any, names: Any, shown: list[Any] | None) -> dict[str, Any]:
    """Return a test's variables: as given, or as the table shows them where a list was run value by value."""
    values = mapping(given)
    if any(isinstance(value, list | dict) for value in values.values()) and isinstance(names, list):
        return {str(name): value for name, value in zip(names, shown or (), strict=False)}
    return values


def _row(cell: _Cell, test: TestCase | None, values: dict[str, Any], *, column: Column) -> Row:
    """Return a cell as a row; a cell that was never graded is an error, with its text as the reason."""
    graded = cell.grading_result is not None
    return Row(
        provider=Named(id=cell.provider),
        prompt=Prompt(raw=cell.prompt, display=column.display or column.label),
        prompt_id=column.id,
        vars=values,
        test_case=test,
        response={"output": cell.text, "tokenUsage": cell.token_usage} if graded else None,
        error=None if graded else cell.text,
        success=cell.passed,
        score=cell.score,
        named_scores=cell.named_scores,
        grading_result=cell.grading_result,
        latency_ms=cell.latency_ms,
        cost=cell.cost,
        failure_reason=None if graded else ERROR,
    )


def _by_question(results: list[Any], *, file: str) -> dict[tuple[str, str], list[Row]]:
    """Return the results by who was asked what; repeats stand in the order they came."""
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for place, result in enumerate(results, start=1):
        row = convert(result, Row, file=file, where=f"result {place}")
        found[_question(row)].append(row)
    return found


def _question(row: Row) -> tuple[str, str]:
    provider = row.provider.id if isinstance(row.provider, Named) else row.provider
    prompt = row.prompt.raw if isinstance(row.prompt, Prompt) else row.prompt
    return provider or "", prompt or ""


def _complete(row: Row, candidates: list[Row]) -> None:
    """Take the result that is this cell's: the first left with the same verdict, latency and answer."""
    for place, result in enumerate(candidates):
        output = (result.response or {}).get("output")
        same = (result.success, result.score, result.latency_ms) == (row.success, row.score, row.latency_ms)
        if same and (row.response is None or output == row.response["output"] or not isinstance(output, str)):
            del candidates[place]
            if row.response is not None:
                row.response = result.response or row.response
            row.error = result.error if row.error is not None else None
            return
