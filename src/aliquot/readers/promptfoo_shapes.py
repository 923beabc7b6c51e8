"""promptfoo's documents brought to one shape: exports of version 3 and 2, JSON lines, and the library's dump."""

from __future__ import annotations

import re
from typing import Any, Final

from aliquot.errors import InputError
from aliquot.evidence.tables import Note
from aliquot.readers.promptfoo_records import Column, Log, Row, convert, count, mapping
from aliquot.readers.promptfoo_table import rows_of_table

_EVAL_ID: Final = re.compile(r"[\w:.\-]{1,100}")


def log_of(document: Any, *, file: str) -> Log:
    """Return the evaluation in a promptfoo document.

    Raises:
        InputError: the document holds no results, or is not as promptfoo writes it.
    """
    top = mapping(document)
    results = top.get("results")
    if isinstance(results, list):
        return _dump(top, results, file=file)
    summary = mapping(results)
    version = summary.get("version")
    if not isinstance(summary.get("results"), list):
        raise InputError(
            "holds no promptfoo results", file=file, remedy="Name what promptfoo eval -o results.json wrote"
        )
    if version == 2 or (version is None and "table" in summary):
        return _version_2(top, summary, file=file)
    if version not in (3, None):
        raise InputError(
            f"is version {str(version)[:20]} of promptfoo's results; 2 and 3 are known", file=file
        )
    return log_of_rows(
        summary["results"],
        file=file,
        shape="v3",
        columns=summary.get("prompts"),
        config=top.get("config"),
        version=mapping(top.get("metadata")).get("promptfooVersion"),
        options=top.get("runtimeOptions"),
    )


def log_of_rows(
    rows: list[Any],
    *,
    file: str,
    shape: str,
    columns: Any = None,
    config: Any = None,
    version: Any = None,
    options: Any = None,
) -> Log:
    """Return the evaluation of rows in the shape of version 3.

    Args:
        rows: the rows.
        file: for messages.
        shape: what they were stored as.
        columns: its ``prompts``.
        config: its ``config``.
        version: of promptfoo.
        options: its ``runtimeOptions``.

    Raises:
        InputError: one of them is not as promptfoo writes it.
    """
    records = [convert(row, Row, file=file, where=f"result {n}") for n, row in enumerate(rows, start=1)]
    settings = mapping(config)
    return Log(
        shape=shape,
        rows=records,
        columns=convert(columns or [], list[Column], file=file, where="the list of prompts"),
        config=settings,
        version=version if isinstance(version, str) else "",
        repeat=_repeat(mapping(options), settings),
    )


def log_of_lines(rows: list[Any], *, file: str) -> Log:
    """Return the evaluation of JSON lines, which have no header.

    Raises:
        InputError: a line is not as promptfoo writes it.
    """
    log = log_of_rows(rows, file=file, shape="jsonl")
    text = (
        "JSON lines hold no version, configuration, repeat count or printed numbers; export JSON to keep them"
    )
    log.notes.append(Note("not_in_this_format", text))
    return log


def empty_dump(evaluation: str) -> str:
    """Return what to do about an evaluation whose results are not in the file."""
    name = evaluation if _EVAL_ID.fullmatch(evaluation) else "ID"
    return f"They are in promptfoo's database: promptfoo export eval {name} -o results.json"


def _dump(top: dict[str, Any], results: list[Any], *, file: str) -> Log:
    """Return what a program printed of the library's own object, which is usually empty of results."""
    if not results:
        raise InputError(
            "is what promptfoo's library prints of an evaluation, without its results",
            file=file,
            remedy=empty_dump(str(top.get("id") or top.get("evalId") or "")),
        )
    return log_of_rows(
        results,
        file=file,
        shape="library dump",
        columns=top.get("prompts"),
        config=top.get("config"),
        options=top.get("runtimeOptions"),
    )


def _version_2(top: dict[str, Any], summary: dict[str, Any], *, file: str) -> Log:
    table = mapping(summary.get("table"))
    config = mapping(top.get("config"))
    columns = convert(
        mapping(table.get("head")).get("prompts") or [], list[Column], file=file, where="the table's head"
    )
    body = table.get("body")
    notes: list[Note] = []
    if isinstance(body, list) and body:
        rows = rows_of_table(table, summary["results"], columns=columns, file=file)
        repeat = _repeat({}, config) or _repeat_by_tests(config, len(body))
    else:
        rows = [convert(row, Row, file=file, where="a result") for row in summary["results"]]
        repeat = _repeat({}, config)
        text = "this export has no table, so items are known by their variables alone"
        notes.append(Note("not_in_this_format", text))
    return Log(
        shape="v2",
        rows=rows,
        columns=columns,
        config=config,
        repeat=repeat,
        notes=notes,
        has_asserts=not notes,
    )


def _repeat(options: dict[str, Any], config: dict[str, Any]) -> int | None:
    """Return how often each test was run, where the log says it."""
    places = (options, mapping(config.get("evaluateOptions")), mapping(config.get("commandLineOptions")))
    return next((found for place in places if (found := count(place.get("repeat")))), None)


def _repeat_by_tests(config: dict[str, Any], tests_run: int) -> int | None:
    """Return how often each test was run, when the configuration lists the tests and the numbers agree."""
    tests = config.get("tests")
    if not isinstance(tests, list) or not tests or config.get("scenarios") or tests_run % len(tests):
        return None
    return tests_run // len(tests) if all(isinstance(test, dict) for test in tests) else None
