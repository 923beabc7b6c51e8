"""Arena-Hard judgments: two games of each model against the baseline, in both orders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import polars as pl
from msgspec import Struct

from aliquot.errors import InputError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, Evidence, Note, Source
from aliquot.evidence.texts import HeldTexts
from aliquot.readers.json_records import JsonRecords, holds_records, read_json_records
from aliquot.readers.options import ReadOptions
from aliquot.readers.verdict_words import LETTERS, STRONG, verdict_of
from aliquot.readers.votes_evidence import vote_notes

TASK: Final = "arena-hard"
WORTH: Final = {"a": 0.0, "tie": 0.5, "b": 1.0, None: None}
"""What a verdict is worth to the model, which is system b."""

SWAPPED: Final = {"a": "b", "b": "a", "tie": "tie", None: None}


class _Game(Struct):
    score: Any = None
    judgment: Any = None

    @property
    def words(self) -> str | None:
        """What the judge wrote; newer files wrap it."""
        said = self.judgment.get("answer") if isinstance(self.judgment, dict) else self.judgment
        return said if isinstance(said, str) and said else None


class _Judgment(Struct):
    judge: str
    model: str
    baseline: str
    games: list[_Game | None]
    uid: str | int | None = None
    question_id: str | int | None = None
    category: str | None = None


class ArenaHardReader:
    """Reads ``model_judgment/<judge>/<model>.jsonl``."""

    name = "arena-hard"
    reads = "Arena-Hard judgments"

    def sniff(self, path: Path) -> bool | str:
        """Tell judgments by the keys of the first record."""
        return "judgments" if holds_records(path, "games", "judge", "model", "baseline") else False

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read games as votes by the judge, and as the model's outcomes: 1 won, 1/2 tied, 0 lost, averaged by item.

        Raises:
            InputError: a record is no judgment, or a verdict is a word in no table.
            MachineError: the machine refuses to read it.
        """
        found = read_json_records(path, encoding=options.encoding)
        judgments = found.typed(_Judgment)
        models = {one.model for one in judgments}
        renamed = {next(iter(models)): options.name} if options.name and len(models) == 1 else {}
        rows = pl.DataFrame(
            list(_rows(judgments, renamed, found)),
            schema_overrides={
                "value": pl.Float64,
                "verdict": pl.String,
                "label": pl.String,
                "segment.category": pl.String,
            },
            infer_schema_length=None,
        )
        if rows.is_empty():
            raise InputError("holds no game", file=found.file, field="games")
        metrics = [
            metric_row(str(name[0]), own["value"], kind="bounded", headline=True)
            | {"judge": ", ".join(own["scorer"].unique().sort())}
            for name, own in rows.group_by("metric", maintain_order=True)
        ]
        votes = rows.rename({"scorer": "rater", "system": "system_b"})
        return assemble(
            rows,
            items=rows.select("task", "item", "segment.category").unique(
                "item", keep="first", maintain_order=True
            ),
            responses=rows.select("system", "task", "item", attempt=1)
            .unique(maintain_order=True)
            .with_columns(status=pl.lit("ok")),
            metrics=pl.DataFrame(metrics, schema=dict(METRICS)),
            settings=_settings(rows),
            votes=votes,
            sources=(Source(found.file, "Arena-Hard", "judgments", found.sha256),),
            notes=(Note("item_key", "uid"), *found.notes, *vote_notes(votes), *_strong(rows)),
            texts=HeldTexts(notes=_words(judgments, renamed)),
        )


def _rows(
    judgments: list[_Judgment], renamed: dict[str, str], found: JsonRecords
) -> Iterator[dict[str, Any]]:
    """Yield a row for each game; the model is shown second in the first one, and first in the second."""
    seen: dict[tuple[str, ...], int] = defaultdict(int)
    for index, one in enumerate(judgments):
        place = found.place(index)
        item = one.uid if one.uid not in (None, "") else one.question_id
        if item in (None, ""):
            raise InputError(f"has no id ({place})", file=found.file, field="uid")
        model = renamed.get(one.model, one.model)
        for number, game in enumerate(one.games):
            key = (model, str(item), one.judge, one.baseline)
            seen[key] += 1
            word = game.score if game is not None else None
            verdict, status = verdict_of(word, LETTERS, place=place, file=found.file, field="games.score")
            swapped = number % 2 == 1
            verdict = SWAPPED[verdict] if swapped else verdict
            yield {
                "system": model, "system_a": one.baseline, "task": TASK, "item": str(item), "scorer": one.judge,
                "metric": f"win over {one.baseline}", "repeat": seen[key], "by": "judge", "value": WORTH[verdict],
                "verdict": verdict, "label": word or None, "status": status, "shown_first": "b" if swapped else "a",
                "segment.category": one.category,
            }  # fmt: skip


def _words(judgments: list[_Judgment], renamed: dict[str, str]) -> dict[tuple[str, str, str, int, str], str]:
    """Return what the judge wrote of each item's games, one after another."""
    found: dict[tuple[str, str, str, int, str], str] = {}
    for one in judgments:
        item = one.uid if one.uid not in (None, "") else one.question_id
        said = [game.words for game in one.games if game is not None and game.words]
        if said:
            key = (renamed.get(one.model, one.model), TASK, str(item), 1, f"win over {one.baseline}")
            found[key] = "\n\n".join([*([found[key]] if key in found else []), *said])
    return found


def _settings(rows: pl.DataFrame) -> pl.DataFrame:
    told = rows.select("system", judge="scorer", baseline="system_a").unique(maintain_order=True)
    return pl.concat(
        [
            told.group_by("system", maintain_order=True).agg(
                name=pl.lit(name).first(), value=pl.col(name).unique().sort().str.join(", ")
            )
            for name in ("judge", "baseline")
        ]
    )


def _strong(rows: pl.DataFrame) -> list[Note]:
    strong = rows.filter(
        pl.any_horizontal(pl.col("label").str.contains(mark, literal=True) for mark in STRONG)
    ).height
    text = (
        f"{strong} of {rows.height} verdicts are strong (>>); Arena-Hard counts each three times and prints 90% "
        "intervals over the copies; here a game counts once and an item's games are averaged"
    )
    return [Note("strong_verdicts", text)] if strong else []
