"""``init``: a commented evaluation file to start from, and a few items beside it when asked."""

from __future__ import annotations

import json
import re
from pathlib import Path

from aliquot.errors import InputError, UsageError, nearest
from aliquot.files.writing import write_whole
from aliquot.runner.evaluation_schema import evaluation_schema
from aliquot.runner.evaluation_template import SCHEMA_FILE, TINY_ITEMS, evaluation_text
from aliquot.scorers.judge_files import rubric_names, rubric_text

ENDINGS = (".yaml", ".yml")
"""Endings of an evaluation file."""


def init(
    path: str | Path = "evaluation.yaml", *, items: bool = False, judge: str | None = None
) -> tuple[Path, ...]:
    """Write a commented evaluation of two prompts of the embedded model; nothing is overwritten.

    The schema of evaluation files is put into ``.aliquot`` beside it, where editors look it up.

    Args:
        path: the file to write, ending in ``.yaml`` or ``.yml``; its name becomes the run's.
        items: also write six items, ``NAME-items.jsonl``, and ask those in place of a part of the bundled set.
        judge: also write the rubric of this name that comes with the package, ``JUDGE.yaml``, to be edited.

    Returns:
        What was written for the user to edit: the evaluation, then the items, then the rubric.

    Raises:
        UsageError: another ending, or no rubric of that name.
        InputError: a file of that name is there.
        MachineError: the machine refuses.
    """
    file = Path(path)
    if file.suffix not in ENDINGS:
        raise UsageError(f"{file} cannot be an evaluation file: let its name end in .yaml")
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", file.stem).strip("-._")[:100] or "evaluation"
    beside = file.with_name(f"{name}-items.jsonl")
    if judge is not None and judge not in rubric_names():
        raise UsageError(f"there is no rubric {judge!r}. {nearest(judge, rubric_names())}")
    text = evaluation_text(name, file=file.name, items=beside.name if items else None, judge=judge)
    written = {file: text}
    if items:
        written[beside] = TINY_ITEMS
    if judge is not None:
        written[file.with_name(f"{judge}.yaml")] = rubric_text(judge)
    for target in written:
        if target.exists() or target.is_symlink():
            raise InputError(
                "is there already", file=str(target), remedy="Choose another name, or take it away"
            )
    for target, text in written.items():
        write_whole(target, text.encode())
    write_whole(file.parent / SCHEMA_FILE, (json.dumps(evaluation_schema(), indent=1) + "\n").encode())
    return tuple(written)
