"""MT-bench judgments of FastChat: scores of one model, and games between two in both orders."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import polars as pl
from msgspec import Struct

from aliquot.errors import InputError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, Evidence, Note, Source
from aliquot.readers.json_records import JsonRecords, holds_records, read_json_records
from aliquot.readers.options import ReadOptions
from aliquot.readers.verdict_words import GAMES, time_of, verdict_of
from aliquot.readers.votes_evidence import VoteRows

TASK: Final = "mt-bench"
LOW, HIGH = 1.0, 10.0
NOT_READ: Final = -1.0
"""What FastChat writes when it could not read the judge's rating."""


class _Single(Struct):
    question_id: int | str
    model: str
    judge: list[str] | str
    turn: int
    score: float | None = None


class _Pair(Struct):
    question_id: int | str
    model_1: str
    model_2: str
    judge: list[str] | str
    turn: int
    g1_winner: Any = None
    g2_winner: Any = None
    tstamp: Any = None


class MtBenchReader:
    """Reads ``<judge>_single.jsonl`` and ``<judge>_pair.jsonl``."""

    name = "mt-bench"
    reads = "MT-bench judgments, single and pair"

    def sniff(self, path: Path) -> bool | str:
        """Tell judgments by the keys of the first record."""
        if holds_records(path, "question_id", "model_1", "model_2", "g1_winner", "judge"):
            return "pair"
        single = holds_records(path, "question_id", "model", "judge", "score", "turn", without=("games",))
        return "single" if single else False

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read scores as outcomes by the judge, or games as votes by it, in the order in which they were played.

        Raises:
            InputError: a record is neither, or a winner is a word in no table.
            MachineError: the machine refuses to read it.
        """
        found = read_json_records(path, encoding=options.encoding)
        if any("g1_winner" in record for record in found.records):
            return _games(found)
        return _scores(found, options)


def _judge(judge: list[str] | str, *, place: str, file: str) -> str:
    name = judge if isinstance(judge, str) else next(iter(judge), "")
    if not name:
        raise InputError(f"the judge has no name ({place})", file=file, field="judge")
    return name


def _item(record: _Single | _Pair) -> str:
    return f"{record.question_id} turn {record.turn}"


def _scores(found: JsonRecords, options: ReadOptions) -> Evidence:
    records = found.typed(_Single)
    models = {one.model for one in records}
    seen: dict[tuple[str, ...], int] = defaultdict(int)
    rows: list[dict[str, Any]] = []
    for index, one in enumerate(records):
        judge = _judge(one.judge, place=found.place(index), file=found.file)
        system = options.name if options.name and len(models) == 1 else one.model
        key = (system, _item(one), judge)
        seen[key] += 1
        read = one.score is not None and LOW <= one.score <= HIGH
        rows.append(
            {
                "system": system, "task": TASK, "item": key[1], "metric": "score", "scorer": judge, "attempt": 1,
                "repeat": seen[key], "value": one.score if read else None, "by": "judge",
                "status": "ok" if read else "unparsed", "label": None if read else str(one.score),
                "cluster": str(one.question_id), "segment.turn": str(one.turn),
            }
        )  # fmt: skip
    frame = pl.DataFrame(rows, schema_overrides={"value": pl.Float64, "label": pl.String})
    metric = metric_row("score", frame["value"], kind="bounded", low=LOW, high=HIGH, headline=True)
    metric["judge"] = ", ".join(frame["scorer"].unique().sort())
    return assemble(
        frame,
        items=frame.select("task", "item", "cluster", "segment.turn").unique(
            "item", keep="first", maintain_order=True
        ),
        responses=frame.select("system", "task", "item", "attempt")
        .unique(maintain_order=True)
        .with_columns(status=pl.lit("ok")),
        metrics=pl.DataFrame([metric], schema=dict(METRICS)),
        settings=_settings(frame["system"].unique(maintain_order=True), metric["judge"]),
        sources=(Source(found.file, "MT-bench", "single", found.sha256),),
        notes=(Note("item_key", "question and turn"), *found.notes, *_score_notes(records, frame)),
    )


def _settings(systems: pl.Series, judge: str) -> pl.DataFrame:
    told = {"harness": "FastChat llm_judge", "judge": judge}
    return pl.DataFrame(
        [
            {"system": system, "name": name, "value": value}
            for system in systems
            for name, value in told.items()
        ]
    )


def _score_notes(records: list[_Single], frame: pl.DataFrame) -> list[Note]:
    notes: list[Note] = []
    unread = sum(one.score is None or one.score == NOT_READ for one in records)
    if unread:
        notes.append(
            Note("unparsed_scores", f"{unread} ratings could not be read (-1 or nothing): missing, not low")
        )
    if off := frame["value"].null_count() - unread:
        notes.append(Note("off_scale", f"{off} ratings lie off the scale of 1 to 10: missing"))
    if repeated := frame.filter(pl.col("repeat") > 1).height:
        notes.append(Note("judged_again", f"{repeated} ratings repeat one: repeats of the judge, averaged"))
    return notes


def _games(found: JsonRecords) -> Evidence:
    rows = VoteRows(TASK)
    for index, one in enumerate(found.typed(_Pair)):
        place = found.place(index)
        judge = _judge(one.judge, place=place, file=found.file)
        for name, first in (("g1_winner", "a"), ("g2_winner", "b")):
            word = getattr(one, name)
            verdict, status = verdict_of(word, GAMES, place=place, file=found.file, field=name)
            vote = {
                "item": _item(one), "system_a": one.model_1, "system_b": one.model_2, "rater": judge, "by": "judge",
                "verdict": verdict, "label": word or None, "status": status, "shown_first": first,
                "at": time_of(one.tstamp),
            }  # fmt: skip
            rows.add(vote, cluster=str(one.question_id), **{"segment.turn": str(one.turn)})
    return rows.evidence(
        source=Source(found.file, "MT-bench", "pair", found.sha256),
        notes=(
            Note("item_key", "question and turn"),
            Note(
                "two_orders", "each pair was judged in both orders: two votes, not one tie when they disagree"
            ),
            *found.notes,
        ),
    )
