"""One run of Inspect: a log, or a log and the earlier ones it was retried from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from aliquot.errors import InputError
from aliquot.evidence.tables import Note
from aliquot.files.archives import Archive, is_archive, open_archive
from aliquot.files.text import read_bounded
from aliquot.files.typed_json import decode_document
from aliquot.readers.inspect_header import version_of
from aliquot.readers.inspect_records import (
    DOCUMENT,
    HEADER,
    REDUCTIONS,
    Header,
    Reduction,
    Sample,
    Score,
)
from aliquot.readers.inspect_samples import last_of_each, open_sample, read_samples
from aliquot.readers.inspect_sources import ArchivedSamples, DocumentSamples, SampleSource

HEADER_MEMBER: Final = "header.json"
START_MEMBER: Final = "_journal/start.json"
REDUCTIONS_MEMBER: Final = "reductions.json"


@dataclass(slots=True)
class Run:
    """A run as read.

    Attributes:
        path: its newest log.
        header: what that says of the run.
        samples: the last sample of each id and epoch.
        sources: where each log keeps the texts, the newest first.
        archives: the archives among the logs, in the same order (None for a JSON document).
        held: (item, epoch) → place of the log that counts for it, where that is not the first.
        opened: whether the samples were opened, and not only their summaries.
        reduced: whether the log keeps no samples, only their scores over all epochs.
        notes: what reading has to say.
    """

    path: Path
    header: Header
    samples: list[Sample]
    sources: list[SampleSource]
    archives: list[Archive | None]
    held: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    opened: bool = True
    reduced: bool = False
    notes: list[Note] = field(default_factory=list[Note])

    def whole(self, sample: Sample) -> Sample:
        """Return a sample as its log keeps it; the summary itself when the log keeps no more.

        Raises:
            InputError: it is damaged.
        """
        archive = self.archives[self.held.get((sample.name, sample.epoch), 0)]
        return (archive and open_sample(archive, sample.name, sample.epoch)) or sample


def load_run(path: Path) -> Run:
    """Return one log.

    Raises:
        InputError: it is no log of Inspect, or damaged.
        MachineError: the machine refuses to read it.
    """
    run = _load_archive(path) if is_archive(path) else _load_document(path)
    run.notes += _header_notes(run)
    return run


def combine(runs: Sequence[Run]) -> Run:
    """Return several logs of one run as one: a retried log and those it supersedes.

    The newest log that completed a sample counts for it; an error counts only where no log did better.
    """
    ordered = sorted(runs, key=lambda run: (run.header.eval.created, run.path.name), reverse=True)
    newest = ordered[0]
    if len(ordered) == 1:
        return newest
    kept: dict[tuple[str, int], tuple[int, Sample]] = {}
    for place, run in enumerate(ordered):
        for sample in run.samples:
            key = (sample.name, sample.epoch)
            if key not in kept or (kept[key][1].error and not sample.error):
                kept[key] = (place, sample)
    older = ", ".join(run.path.name for run in ordered[1:])
    return Run(
        path=newest.path,
        header=newest.header,
        samples=last_of_each((sample for _, sample in kept.values()), file=str(newest.path)),
        sources=[source for run in ordered for source in run.sources],
        archives=[archive for run in ordered for archive in run.archives],
        held={key: place for key, (place, _) in kept.items() if place},
        opened=all(run.opened for run in ordered),
        reduced=newest.reduced,
        notes=[
            *newest.notes,
            Note("tries", f"{newest.path.name} continues {older}; the last complete try counts"),
        ],
    )


def _load_archive(path: Path) -> Run:
    archive = open_archive(path)
    name = HEADER_MEMBER if HEADER_MEMBER in archive.members else START_MEMBER
    if name not in archive.members:
        raise InputError(f"is an archive without {HEADER_MEMBER} and {START_MEMBER}", file=str(path))
    header = decode_document(archive.read(name), HEADER, file=f"{path}, member {name!r}")
    samples, opened = read_samples(archive, everything=bool(header.invalidated))
    run = Run(path, header, samples, [ArchivedSamples(archive)], [archive], opened=opened)
    if archive.torn:
        text = (
            f"its writing was cut off before the directory; {len(archive.members)} whole members were found"
        )
        run.notes.append(Note("torn_archive", text))
    if not samples and REDUCTIONS_MEMBER in archive.members:
        place = f"{path}, member {REDUCTIONS_MEMBER!r}"
        _take_reductions(run, decode_document(archive.read(REDUCTIONS_MEMBER), REDUCTIONS, file=place))
    return run


def _load_document(path: Path) -> Run:
    document = decode_document(read_bounded(path), DOCUMENT, file=str(path))
    samples = last_of_each(document.samples or (), file=str(path))
    run = Run(path, document, samples, [DocumentSamples(path)], [None])
    if not samples:
        older = document.results.sample_reductions if document.results else None
        _take_reductions(run, document.reductions or older or ())
    return run


def _take_reductions(run: Run, reductions: Iterable[Reduction]) -> None:
    """Take the scores over all epochs as the samples of a log that keeps none."""
    scores: dict[int | str, dict[str, Score]] = {}
    for reduction in reductions:
        if reduction.reducer in {None, "", "mean"}:
            for one in reduction.samples:
                if one.sample_id is not None:
                    scores.setdefault(one.sample_id, {})[reduction.scorer] = Score(value=one.value)
    if scores:
        samples = [Sample(id=name, scores=given) for name, given in scores.items()]
        run.samples = last_of_each(samples, file=str(run.path))
        run.reduced = True
        text = "the log keeps no samples; the score of each item over its epochs is read, and nothing else"
        run.notes.append(Note("no_samples", text))


def _header_notes(run: Run) -> list[Note]:
    notes: list[Note] = []
    header = run.header
    if header.status != "success":
        why = f" ({_first_line(header.error.message)})" if header.error and header.error.message else ""
        word = {"started": "was never finished", "cancelled": "was cancelled", "error": "ended with an error"}
        text = f"the run of {run.path.name} {word.get(header.status, f'has status {header.status!r}')}{why}"
        notes.append(Note("run_not_finished", text))
    if not version_of(header):
        notes.append(Note("version_unknown", "the log does not say which version of Inspect wrote it"))
    return notes


def _first_line(text: str) -> str:
    return " ".join(text.split())[:200]
