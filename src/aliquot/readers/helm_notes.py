"""What a reader of HELM's runs should know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from aliquot.evidence.tables import Note
from aliquot.readers.helm_answers import status_of, was_cut
from aliquot.readers.helm_metrics import BOOKKEEPING
from aliquot.readers.helm_run import Run


def notes_of(runs: Sequence[Run]) -> tuple[Note, ...]:
    """Return the notes on all runs; one that is not said of each names its run."""
    said: dict[Note, list[Run]] = {}
    for run in runs:
        for note in dict.fromkeys(_notes(run)):
            said.setdefault(note, []).append(run)
    found = [Note("item_key", "the instance's id")]
    for note, own in said.items():
        if len(own) == len(runs):
            found.append(note)
        else:
            found += (Note(note.code, f"{run.system} on {run.task}: {note.text}") for run in own)
    return tuple(found)


def _notes(run: Run) -> Iterator[Note]:
    yield from run.notes
    if len(run.metrics) > 1:
        text = f"{len(run.metrics)} metrics; {run.metrics[0]} is the headline. To compare all is as many comparisons"
        yield Note("many_metrics", text)
    if run.changes:
        copies = sum(1 for _, change, _ in run.values if change)
        text = (
            f"{copies} rows are of changed copies of instances ({', '.join(run.changes)}); a copy is an item, the "
            "instance its cluster. HELM's headline is of the originals alone (segment perturbation = none)"
        )
        yield Note("perturbed_copies", text)
    yield from _answer_notes(run)
    dropped = sorted(
        {name for values in run.values.values() for name in values} & BOOKKEEPING - {*run.metrics}
    )
    if dropped:
        listed = ", ".join(dropped)
        text = (
            f"{len(dropped)} statistics of the requests are no metrics; tokens and times are kept: {listed}"
        )
        yield Note("not_metrics", text)


def _answer_notes(run: Run) -> Iterator[Note]:
    counts = Counter(status_of(asked)[0] for asked in run.requests.values())
    if counts["error"]:
        text = f"{counts['error']} requests failed; these are errors, while HELM scored an empty answer in their place"
        yield Note("no_answers", text)
    if counts["refused"]:
        text = f"{counts['refused']} requests were blocked or declined; they keep the value HELM gave the empty answer"
        yield Note("refused", text)
    cut = sum(was_cut(asked) for asked in run.requests.values())
    if cut:
        text = f"{cut} of {len(run.requests)} answers ended at the limit of tokens; HELM scores what is there"
        yield Note("cut_answers", text)
    several = sum(len(asked) > 1 for asked in run.requests.values())
    if several:
        text = f"{several} instances were asked once for each choice; their answers are not shown"
        yield Note("choices_apart", text)
