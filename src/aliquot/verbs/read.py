"""``read``: what is in a log, a table or a run, and what would be lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from aliquot.errors import UsageError
from aliquot.evidence.merging import merge
from aliquot.evidence.tables import Evidence
from aliquot.files.run_directory import RunDirectory, is_run
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import read_evidence

if TYPE_CHECKING:
    from aliquot.readers.describe import Description


@dataclass(frozen=True, slots=True)
class Converted:
    """What was written: where, how many rows, and what of the evidence a table does not hold."""

    path: str
    rows: int
    left_out: tuple[str, ...]


def read(*paths: str | Path, options: ReadOptions | None = None) -> Evidence:
    """Read logs, tables and runs as one evidence.

    Args:
        *paths: files and run directories.
        options: what the columns of a table mean.

    Returns:
        The evidence; ``description_of`` says what is in it.

    Raises:
        UsageError: the options do not fit.
        InputError: a path that cannot be used as it stands.
    """
    for path in paths:
        _refresh(Path(path))
    return read_evidence(paths, options)


def load(sources: Sequence[str | Path | Evidence], *, options: ReadOptions | None = None) -> Evidence:
    """Return sources as one evidence, reading those that are paths.

    Raises:
        UsageError: a source is neither, such as a data frame.
    """
    for source in sources:
        if not isinstance(source, str | Path | Evidence):  # pyright: ignore[reportUnnecessaryIsInstance] - what a caller passes is not checked
            raise UsageError(
                f"{type(source).__name__} is no path and no evidence. A data frame becomes evidence by "
                "from_frame(frame); several files are given one by one"
            )
    paths = [source for source in sources if not isinstance(source, Evidence)]
    if len(paths) == len(sources):
        return read(*paths, options=options)
    return merge(
        *(source if isinstance(source, Evidence) else read(source, options=options) for source in sources)
    )


def description_of(evidence: Evidence) -> Description:
    """Return what is in evidence, for a person who wants to know before anything is claimed from it."""
    from aliquot.readers.describe import describe

    return describe(evidence)


def convert(evidence: Evidence, path: str | Path) -> Converted:
    """Write evidence as a long table (``.parquet``, ``.csv``, ``.jsonl``) that reads back to the same outcomes.

    A name that ends in ``_samples.jsonl`` is written as Every Eval Ever: the samples there, the aggregate beside them.

    Returns:
        How many rows were written, and what is not in the table.

    Raises:
        UsageError: another ending, or the file that was read.
        InputError: CSV cannot hold a cell.
        MachineError: the machine refuses.
    """
    from aliquot.evidence.long_table import to_polars
    from aliquot.files.table_writing import SAMPLES, write_table

    refuse_source(path, [source.path for source in evidence.sources])
    if Path(path).name.endswith(SAMPLES):
        return _shared(evidence, Path(path))
    table = to_polars(evidence)
    write_table(Path(path), table)
    left = {
        "questions and answers": evidence.texts is not None,
        "settings": not evidence.settings.is_empty(),
        "votes": not evidence.votes.is_empty(),
        "stages": not evidence.stages.is_empty(),
        "what the log's own tool printed": not evidence.reported.is_empty(),
    }
    return Converted(
        path=str(path), rows=table.height, left_out=tuple(name for name, there in left.items() if there)
    )


def refuse_source(path: str | Path, sources: Iterable[object]) -> None:
    """Refuse to write over a file that was read.

    Raises:
        UsageError: the path is one of the sources, under this or another name.
    """
    written = Path(path)
    read_from = [Path(source) for source in sources if isinstance(source, str | Path)]
    if written.exists() and any(source.exists() and source.samefile(written) for source in read_from):
        raise UsageError(f"{path} is what was read; write to another file")


def _shared(evidence: Evidence, path: Path) -> Converted:
    from aliquot.readers.every_eval_ever_writing import write_every_eval_ever

    rows, _ = write_every_eval_ever(path, evidence, now=datetime.now(UTC))
    left = tuple(name for name in ("votes", "stages") if not getattr(evidence, name).is_empty())
    return Converted(path=str(path), rows=rows, left_out=left)


def save_mapping(options: ReadOptions, path: str | Path) -> None:
    """Write reading options to a file that ``--mapping`` takes.

    Raises:
        MachineError: the machine refuses.
    """
    from aliquot.readers.mapping import write_mapping

    write_mapping(Path(path), options)


def _refresh(path: Path) -> None:
    """Rebuild the tables of a run that was stopped before it wrote them; the journal holds every answer."""
    run = RunDirectory(path)
    if not is_run(path) or not run.evidence_is_stale:
        return
    from aliquot.files.journal import Journal
    from aliquot.runner.results import build_evidence

    with Journal.open(run.journal_path):  # nobody else is at work on this run
        run.write_evidence(build_evidence(run))
