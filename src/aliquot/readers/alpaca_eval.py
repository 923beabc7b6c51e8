"""AlpacaEval: a judge's preference between a fixed baseline and each model, and the answers it was asked about."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import polars as pl

from aliquot.evidence.assembly import assemble
from aliquot.evidence.identity import content_hash
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, OUTCOMES, Evidence, Note, Source
from aliquot.evidence.texts import HeldTexts
from aliquot.readers.alpaca_eval_leaderboard import read_leaderboard
from aliquot.readers.alpaca_eval_rows import Annotation, Answer, outcome_rows, vote_rows
from aliquot.readers.json_records import JsonRecords, holds_records, read_json_records
from aliquot.readers.options import ReadOptions

TASK: Final = "alpaca-eval"
ANNOTATIONS: Final = "annotations.json"


class AlpacaEvalReader:
    """Reads ``annotations.json``, the folder it lies in, and ``model_outputs.json``."""

    name = "alpaca-eval"
    reads = "AlpacaEval annotations and model outputs, packed or not"

    def sniff(self, path: Path) -> bool | str:
        """Tell annotations and model outputs by the keys of the first record."""
        file = _file(path)
        if holds_records(file, "instruction", "generator_2", "preference"):
            return "annotations"
        outputs = holds_records(
            file, "instruction", "output", "generator", without=("preference", "output_1", "metrics")
        )
        return "model outputs" if outputs else False

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read annotations as outcomes (how far the model is preferred, 0 to 1) and as votes; outputs as responses.

        Raises:
            InputError: a record is neither, or a preference is no number from 1 to 2.
            MachineError: the machine refuses to read it.
        """
        found = read_json_records(_file(path), encoding=options.encoding)
        if not any("preference" in record for record in found.records):
            return _answers(found, options)
        return _annotations(found, options, folder=_file(path).parent)


def _file(path: Path) -> Path:
    return path / ANNOTATIONS if path.is_dir() else path


def _annotations(found: JsonRecords, options: ReadOptions, *, folder: Path) -> Evidence:
    annotations = found.typed(Annotation)
    names = {one.generator_2 for one in annotations}
    renamed = {next(iter(names)): options.name} if options.name and len(names) == 1 else {}
    outcomes = outcome_rows(annotations, renamed, task=TASK, place=found.place, file=found.file)
    votes = vote_rows(annotations, outcomes, renamed, task=TASK)
    frame = pl.DataFrame(outcomes, schema_overrides={"value": pl.Float64, "label": pl.String})
    metrics = [
        metric_row(str(name[0]), rows["value"], kind=_kind(rows["value"]), low=0.0, high=1.0, headline=True)
        | {"judge": rows["scorer"][0]}
        for name, rows in frame.group_by("metric", maintain_order=True)
    ]
    key = ("system", "task", "item", "attempt")
    return assemble(
        frame,
        items=_items([one.instruction for one in annotations], [one.dataset for one in annotations]),
        responses=frame.select(*key).unique(maintain_order=True).with_columns(status=pl.lit("ok")),
        metrics=pl.DataFrame(metrics, schema=dict(METRICS)),
        reported=read_leaderboard(folder, frame, renamed),
        settings=_settings(frame, votes),
        votes=votes,
        sources=(Source(found.file, "AlpacaEval", "annotations", found.sha256),),
        notes=(Note("item_key", "hash of the instruction"), *found.notes, *_notes(frame, votes)),
        texts=_texts(annotations, renamed),
    )


def _kind(values: pl.Series) -> Any:
    return "binary" if values.drop_nulls().is_in([0.0, 1.0]).all() else "bounded"


def _items(instructions: list[str], datasets: list[str | None]) -> pl.DataFrame:
    hashes = [content_hash(text, None) for text in instructions]
    rows = pl.DataFrame({"task": TASK, "item": hashes, "content": hashes, "segment.dataset": datasets})
    return rows.unique("item", keep="first", maintain_order=True)


def _settings(outcomes: pl.DataFrame, votes: pl.DataFrame) -> pl.DataFrame:
    by_system = outcomes.group_by("system", maintain_order=True).agg(pl.col("scorer").unique().sort())
    baselines = votes.group_by(system="system_b").agg(pl.col("system_a").unique().sort())
    joined = by_system.join(baselines, on="system", maintain_order="left")
    return pl.concat(
        [
            joined.select("system", name=pl.lit("harness"), value=pl.lit("alpaca_eval")),
            joined.select("system", name=pl.lit("judge"), value=pl.col("scorer").list.join(", ")),
            joined.select("system", name=pl.lit("baseline"), value=pl.col("system_a").list.join(", ")),
        ]
    )


def _notes(outcomes: pl.DataFrame, votes: pl.DataFrame) -> list[Note]:
    notes = [
        Note(
            "not_length_controlled",
            "values are the plain preference; the length-controlled rate is a model's fit and is not made here",
        )
    ]
    if lost := outcomes["value"].null_count():
        notes.append(
            Note("unparsed_votes", f"{lost} of {outcomes.height} judgments could not be read: missing")
        )
    if known := votes["shown_first"].count():
        text = f"which answer the judge saw first was recovered from log-probabilities for {known} of {votes.height}"
        notes.append(Note("order_recovered", text))
    if repeated := outcomes.filter(pl.col("repeat") > 1).height:
        notes.append(
            Note("judged_again", f"{repeated} judgments repeat an instruction: repeats of the judge")
        )
    return notes


def _texts(annotations: list[Annotation], renamed: dict[str, str]) -> HeldTexts:
    keys = [content_hash(one.instruction, None) for one in annotations]
    answers: dict[tuple[str, str, str, int], str] = {}
    for key, one in zip(keys, annotations, strict=True):
        for name, text in ((one.generator_1, one.output_1), (one.generator_2, one.output_2)):
            if text is not None:
                answers[renamed.get(name, name), TASK, key, 1] = text
    asked = {(TASK, key): (one.instruction, None) for key, one in zip(keys, annotations, strict=True)}
    notes = {
        (renamed.get(one.generator_2, one.generator_2), TASK, key, 1, f"win over {one.generator_1}"): words
        for key, one in zip(keys, annotations, strict=True)
        if (words := one.words) is not None
    }
    return HeldTexts(items=asked, responses=answers, notes=notes)


def _answers(found: JsonRecords, options: ReadOptions) -> Evidence:
    """Return answers that nobody judged yet."""
    answers = found.typed(Answer)
    keys = [content_hash(one.instruction, None) for one in answers]
    systems = [options.name or one.generator for one in answers]
    rows = pl.DataFrame({"system": systems, "task": TASK, "item": keys, "attempt": 1, "status": "ok"})
    rows = rows.with_columns(attempt=pl.int_range(1, pl.len() + 1).over("system", "item"))
    made = rows.select("system", "task", "item", "attempt").iter_rows()
    texts = {key: one.output for key, one in zip(made, answers, strict=True) if one.output is not None}
    return assemble(
        pl.DataFrame(schema=dict(OUTCOMES)),
        items=_items([one.instruction for one in answers], [one.dataset for one in answers]),
        responses=rows,
        sources=(Source(found.file, "AlpacaEval", "model outputs", found.sha256),),
        notes=(
            Note("item_key", "hash of the instruction"),
            Note("nothing_scored", "holds answers that nobody judged"),
            *found.notes,
        ),
        texts=HeldTexts(
            items={(TASK, key): (one.instruction, None) for key, one in zip(keys, answers, strict=True)},
            responses=texts,
        ),
    )
