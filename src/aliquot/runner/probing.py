"""Probing a judge: its questions asked once, each reply on disk before it counts, identical texts before all else."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from aliquot.analysis.probe_lines import probe_lines
from aliquot.evidence.tables import Note
from aliquot.files.journal import Journal
from aliquot.files.judgements import Judgement, JudgeQuestion, settle_judgements
from aliquot.files.probe_records import ProbeRecord, keep_probes, probe_path
from aliquot.findings.numbers import write_count
from aliquot.runner.judge_specs import JudgeSpec
from aliquot.runner.judging_stored import AskTerms, ask_judges
from aliquot.scorers.judge_prompts import JudgePrompt
from aliquot.scorers.probe_questions import heard_of, probe_questions
from aliquot.scorers.probes import Heard, Probing, Shown, asked_of, verdicts_of

FIRST: Final = "identical"
"""The probe that is asked first; a judge that fails it is asked nothing further."""

LONG_S: Final = 60.0
"""Seconds of asking that are foretold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbePlan:
    """What a judge is probed with.

    Attributes:
        spec: the judge, its file read, and who is asked.
        probing: the pairs.
        items_hash: of the items.
        seed: of their drawing.
        cluster: the field that names the cluster of an item.
        keep_going: whether it is asked on although identical texts were told apart.
        level: confidence level of what stops it.
    """

    spec: JudgeSpec
    probing: Probing
    items_hash: str
    seed: int
    cluster: str | None = None
    keep_going: bool = False
    level: float = 0.95


async def ask_probes(
    plan: ProbePlan, *, folder: Path, terms: AskTerms
) -> tuple[ProbeRecord, tuple[Note, ...]]:
    """Ask a judge, and return what it said, which is kept; of a panel also what each of its models said.

    Replies go into a journal beside the record as they come, so that a probe that was killed goes on where it was. The
    journal goes away once every question has its answer.

    Args:
        plan: what is asked.
        folder: where probes are kept.
        terms: how it is asked.

    Returns:
        The record, and what is to be said of how it came about.

    Raises:
        RunStoppedError: it was interrupted, or the limit of the cost was reached.
        MachineError: a model cannot be opened, or the machine refuses.
    """
    kept = plan.spec.kept
    path = probe_path(kept.judge.hash, kept.asked, folder=folder)
    asking = _Asking(plan, JudgePrompt(kept.judge), kept.models)
    first, whole, foretold = asking.only_first, plan.probing, asking.foretold
    with _journal(path.with_suffix(".jsonl")) as journal:
        earlier = len(asking.answered(journal.judgements))
        terms.observer.noted(foretold)
        began = terms.seconds()
        await asking.ask(first, journal, terms)
        stopped = None if plan.keep_going else _stops(asking.record(first, journal.judgements), plan.level)
        if stopped is None:
            if pace := asking.pace(
                len(asking.answered(journal.judgements)) - earlier, terms.seconds() - began
            ):
                terms.observer.noted(pace)
            await asking.ask(whole, journal, terms)
        part = whole if stopped is None else first
        record = asking.record(part, journal.judgements)
        for models in {kept.models, *((model,) for model in kept.models)}:
            told = asking.record(part, journal.judgements, models=models)
            keep_probes(told, probe_path(kept.judge.hash, told.model, folder=folder))
        if stopped is None and not asking.lost(journal.judgements):
            journal.path.unlink(missing_ok=True)
    return record, tuple(_notes(journal.path, earlier=earlier, stopped=stopped))


@dataclass(frozen=True, slots=True)
class _Asking:
    """The questions of a probe, and what replies to them come to."""

    plan: ProbePlan
    prompt: JudgePrompt
    models: tuple[str, ...]

    @property
    def only_first(self) -> Probing:
        probing = self.plan.probing
        return Probing(tuple(one for one in probing.pairs if one.probe == FIRST), {}, probing.items)

    @property
    def foretold(self) -> str:
        """How much there is to ask, before anything is."""
        whole, first = (len(self.questions(part)) for part in (self.plan.probing, self.only_first))
        told = f"{write_count(whole, 'question')} on {write_count(len(self.plan.probing.items), 'item')}"
        if self.plan.keep_going or not 0 < first < whole:
            return told
        return f"{told}; {first} with the same text twice first, and no more when the judge tells them apart"

    def pace(self, asked: int, seconds: float) -> str:
        """Return how long the rest takes at the pace so far; "" when not long, or not known."""
        left = len(self.questions(self.plan.probing)) - len(self.questions(self.only_first))
        ahead = left * seconds / asked if asked > 0 else 0.0
        return f"{left} more, about {ahead / 60:.0f} min at this pace" if ahead > LONG_S else ""

    def shown(self, part: Probing) -> tuple[Shown, ...]:
        return asked_of(part, pairwise=self.prompt.judge.pairwise)

    def questions(self, part: Probing) -> dict[str, JudgeQuestion]:
        return {
            question.key: question
            for one in self.shown(part)
            for question in probe_questions(self.prompt, one, models=self.models)
        }

    def answered(self, judgements: Iterable[Judgement]) -> set[str]:
        return set(settle_judgements(judgements)) & set(self.questions(self.plan.probing))

    def lost(self, judgements: Iterable[Judgement]) -> bool:
        """Tell whether a question is still without an answer of the judge's."""
        found = settle_judgements(judgements)
        return any(
            key not in found or found[key].status == "error" for key in self.questions(self.plan.probing)
        )

    async def ask(self, part: Probing, journal: Journal, terms: AskTerms) -> None:
        await ask_judges(
            self.plan.spec,
            list(self.questions(part).values()),
            systems={},
            records=journal.judgements,
            keep=journal.append,
            terms=terms,
        )

    def record(
        self, part: Probing, judgements: Iterable[Judgement], *, models: Sequence[str] | None = None
    ) -> ProbeRecord:
        """Return the verdicts of all models together, or of some."""
        judge, asked = self.prompt.judge, tuple(models or self.models)
        found = settle_judgements(judgements)

        def heard(shown: Shown, found: Mapping[str, Judgement] = found) -> Heard:
            keys = (one.key for one in probe_questions(self.prompt, shown, models=asked))
            replies = [found[key] for key in keys if key in found]
            return heard_of(self.prompt, shown, replies, models=asked)

        verdicts = verdicts_of(part, heard, pairwise=judge.pairwise, cluster=self.plan.cluster)
        return ProbeRecord(
            judge=judge.name,
            judge_hash=judge.hash,
            model=msgspec.structs.replace(self.plan.spec.kept, models=asked).asked,
            pairwise=judge.pairwise,
            items_hash=self.plan.items_hash,
            seed=self.plan.seed,
            verdicts=tuple(verdicts),
            declined=part.declined,
        )


@contextmanager
def _journal(path: Path) -> Generator[Journal]:
    """Open the journal of a probe; one in which nothing came to stand goes away again."""
    with Journal.open(path) as journal:
        try:
            yield journal
        finally:
            if not journal.judgements:
                path.unlink(missing_ok=True)


def _stops(record: ProbeRecord, level: float) -> str | None:
    """Return why nothing further is asked after identical texts; None when the judge is asked on."""
    if record.verdicts and all(one.verdict is None for one in record.verdicts):
        return "no verdict on identical texts could be had or read"
    failed = any(one.probe == FIRST and one.word == "fail" for one in probe_lines(record, level=level))
    return "identical texts were told apart" if failed else None


def _notes(journal: Path, *, earlier: int, stopped: str | None) -> Iterable[Note]:
    if stopped is not None:
        yield Note("stopped", f"{stopped}, so nothing further was asked (--keep-going asks all the same)")
    if earlier:
        text = f"{write_count(earlier, 'verdict')} of an earlier probe that did not come to its end were taken over"
        yield Note("taken_over", f"{text} ({journal}: take it away to ask anew)")
