"""promptfoo's CSV: a line a test, a block of columns for each provider and prompt; what it loses is said."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from aliquot.errors import InputError
from aliquot.evidence.tables import Note
from aliquot.files.json_documents import JsonReading
from aliquot.files.text import MAX_LINE_BYTES
from aliquot.readers.promptfoo_records import ERROR, Column, Grading, Log, Named, Prompt, Row, mapping

_HEAD: Final = re.compile(r"\[(?P<provider>.+?)\] ?(?P<label>.*)", re.DOTALL)
_OLD_CELL: Final = re.compile(
    r"\[(?P<status>PASS|FAIL|ERROR)\] \((?P<score>-?[\d.]+)(?:, [^\n]*)?\)\s*(?P<text>.*)", re.DOTALL
)
_OLD_REASON: Final = "\n\nReason: "
_LOST: Final = (
    "CSV keeps no assertions, metadata (so no clusters), tokens, latency, cost, error texts or repeat counts, and "
    "scores to two decimals; items are known by their variables alone. Export JSON to keep them"
)
_LOST_OLD: Final = "the named scores of this old CSV are sums over assertions and are left out"


@dataclass(frozen=True, slots=True)
class _Block:
    """The columns of one provider and prompt: where they begin, and the place of each by name."""

    column: Column
    start: int
    places: dict[str, int]
    old: bool


def is_promptfoo_csv(text: str) -> bool:
    """Tell promptfoo's CSV by its header.

    Examples:
        >>> is_promptfoo_csv('q,"[openai:x] {{q}}",Status,Score,Named Scores,Grader Reason,Comment')
        True
    """
    try:
        header = next(csv.reader(io.StringIO(text, newline="")), [])
    except csv.Error:
        return False
    return bool(_blocks(header))


def log_of_csv(text: str, *, file: str) -> Log:
    """Return the evaluation in promptfoo's CSV.

    Raises:
        InputError: the header is not promptfoo's, or a line has another number of cells.
    """
    lines = _lines(text, file=file)
    _, header = next(lines, (0, []))
    blocks = _blocks(header)
    if not blocks:
        raise InputError("has no column such as '[provider] prompt' followed by 'Status'", file=file)
    names = header[: blocks[0].start]
    rows: list[Row] = []
    for test_idx, (line, cells) in enumerate(lines):
        if len(cells) != len(header):
            problem = f"line {line} has {len(cells)} cells where the header has {len(header)}"
            raise InputError(problem, file=file, remedy="Check its quotation marks")
        values = {name: cell for name, cell in zip(names, cells, strict=False) if name != "Description"}
        for prompt_idx, block in enumerate(blocks):
            row = _old_row(cells, block, file=file) if block.old else _row(cells, block, file=file)
            row.test_idx, row.prompt_idx, row.vars = test_idx, prompt_idx, values
            rows.append(row)
    notes = [Note("not_in_this_format", _LOST)]
    if blocks[0].old:
        notes.append(Note("not_in_this_format", _LOST_OLD))
    columns = [block.column for block in blocks]
    shape = "csv (old)" if blocks[0].old else "csv"
    return Log(shape=shape, rows=rows, columns=columns, notes=notes, has_asserts=False)


def _lines(text: str, *, file: str) -> Iterator[tuple[int, list[str]]]:
    before = csv.field_size_limit(MAX_LINE_BYTES)
    start = 1
    try:
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        for cells in reader:
            if cells:
                yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"the text from line {start} on is not CSV: {error}", file=file) from error
    finally:
        csv.field_size_limit(before)


def _blocks(header: list[str]) -> list[_Block]:
    """Return the blocks of a header: each begins before ``Status`` and ``Score``, or is a prompt as JSON."""
    pairs = itertools.pairwise(header)
    starts = [place - 1 for place, pair in enumerate(pairs) if pair == ("Status", "Score") and place > 0]
    blocks: list[_Block] = []
    for place, end in zip(starts, [*starts, len(header)][1:], strict=True):
        head = _HEAD.fullmatch(header[place])
        if head is None:
            return []
        column = Column(provider=head["provider"], label=head["label"])
        places = {name: place + 1 + k for k, name in enumerate(header[place + 1 : end])}
        blocks.append(_Block(column, place, places, old=False))
    return blocks or _old_blocks(header)


def _old_blocks(header: list[str]) -> list[_Block]:
    blocks: list[_Block] = []
    for place, name in enumerate(header):
        if not name.startswith('{"raw":'):
            continue
        try:
            prompt = mapping(JsonReading().parse(name, file=""))
        except InputError:
            return []
        texts = {key: value for key in ("id", "raw", "provider") if isinstance(value := prompt.get(key), str)}
        label = prompt.get("display") or prompt.get("label")
        metrics = mapping(prompt.get("metrics"))
        column = Column(**texts, label=label if isinstance(label, str) else None, metrics=metrics)
        blocks.append(_Block(column, place, {}, old=True))
    return blocks


def _row(cells: list[str], block: _Block, *, file: str) -> Row:
    """Return a block's cells as a row; an error leaves its output empty and its score 0.00, which is no score."""
    found = {name: cells[place] for name, place in block.places.items()}
    status = found.get("Status", "")
    if status not in {"PASS", "FAIL", "ERROR", ""}:
        raise InputError(f"{status[:40]!r} is no status of promptfoo", file=file, field="Status")
    graded = status in {"PASS", "FAIL"}
    return _graded_row(
        block,
        text=cells[block.start],
        status=status,
        score=_score(found.get("Score", ""), file=file) if graded else None,
        named=_named(found.get("Named Scores", ""), file=file),
        reason=found.get("Grader Reason", ""),
    )


def _old_row(cells: list[str], block: _Block, *, file: str) -> Row:
    """Return an old cell as a row; one without a reason was never graded, whatever it begins with."""
    cell = _OLD_CELL.fullmatch(cells[block.start])
    if cell is None:
        raise InputError(f"{cells[block.start][:40]!r} does not begin with [PASS] or [FAIL]", file=file)
    text, marked, reason = cell["text"].rpartition(_OLD_REASON)
    if not marked:
        row = _graded_row(block, text="", status="ERROR", score=None, named={}, reason="")
        row.error = cell["text"]
        return row
    output = text.rpartition("\n---\n")[2] if cell["status"] == "FAIL" else text
    return _graded_row(
        block,
        text=output,
        status=cell["status"],
        score=_score(cell["score"], file=file),
        named={},
        reason=reason,
    )


def _graded_row(
    block: _Block, *, text: str, status: str, score: float | None, named: dict[str, Any], reason: str
) -> Row:
    graded = status in {"PASS", "FAIL"}
    provider = block.column.provider
    return Row(
        provider=Named(id=provider) if isinstance(provider, str) else provider,
        prompt=Prompt(label=block.column.label),
        response={"output": text} if graded else None,
        error=None if graded else "CSV does not say why",
        success=status == "PASS",
        score=score,
        named_scores=named,
        grading_result=Grading(reason=reason) if graded and reason else None,
        failure_reason=None if graded else ERROR,
    )


def _score(text: str, *, file: str) -> float | None:
    try:
        return float(text) if text else None
    except ValueError as error:
        raise InputError(f"{text[:40]!r} is no score", file=file, field="Score") from error


def _named(text: str, *, file: str) -> dict[str, Any]:
    return mapping(JsonReading().parse(text, file=file)) if text.strip() else {}
