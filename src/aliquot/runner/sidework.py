"""What an answer needs before all of its rules can score it: its program executed, its judges asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from aliquot.files.journal import Journal
from aliquot.files.judgements import JudgeQuestion
from aliquot.files.programs import Program
from aliquot.files.records import Response
from aliquot.item_sets.items import Item
from aliquot.runner.executions import (
    Executions,
    programs_of,
    require_right_references,
    unconfined_note,
)
from aliquot.runner.judging import JudgeTerms, Judging, questions_of, request_of
from aliquot.runner.plan import Plan, Question
from aliquot.runner.scoring import Whole, as_recorded, score_response, with_retrieved
from aliquot.runner.till import Due, Dues
from aliquot.scorers.rule import Rule
from aliquot.scorers.scores import Score
from aliquot.systems.system import System

_ANSWER: Final = "answer"
"""What stands for an answer that is not given yet, to see what judges will be asked about it."""


class Sidework:
    """Executes programs and asks judges beside the asking of systems.

    Args:
        plan: what is asked, with the rules of each item.
        journal: where what comes out goes.
        judges: the opened models of judges, by name.
        terms: how judges are asked.
    """

    def __init__(
        self, plan: Plan, journal: Journal, *, judges: Mapping[str, System], terms: JudgeTerms
    ) -> None:
        self._plan, self._till = plan, terms.till
        self._code = Executions(journal.programs, keep=journal.append)
        self._judges = Judging(journal.judgements, models=judges, terms=terms, keep=journal.append)
        self._parts = (self._code, self._judges)
        reads = {rule.reads for rule in plan.every_rule}
        self._executes, self._judged = "execution" in reads, "judgement" in reads

    @property
    def words(self) -> tuple[str, ...]:
        """What is to be said of it at the end."""
        note = unconfined_note(self._code.records)
        return tuple(filter(None, (note.text if note else "", self._judges.lost_words)))

    def score(self, question: Question, response: Response, whole: Whole = as_recorded) -> Score:
        """Return the score of an answer by the rule of the headline, by what has been done so far."""
        rule = self._plan.rules[question.item.id]
        return score_response(
            rule, question.item, response, whole=whole, executed=self._code, judged=self._judges
        )

    def unjudged(self, answered: Iterable[tuple[Question, Response]]) -> Iterator[tuple[Question, Response]]:
        """Yield the answers that judges are still to be asked about."""
        for question, response in answered if self._judged else ():
            if self._judges.lacking(self._questions(question, response)):
                yield question, response

    async def begin(self, answered: Iterable[tuple[Question, Response]]) -> None:
        """Execute the programs of earlier sessions that were not, since these ended before, and try the references.

        Raises:
            InputError: a reference is not right by its own tests.
        """
        if self._executes:
            owed = [
                program for question, response in answered for program in self._programs(question, response)
            ]
            await self._code.complete(self._code.lacking(owed))
        await require_right_references(
            self._code, self._plan.rules, self._plan.items, file=self._plan.item_set.source
        )

    def follow(self, question: Question, response: Response, then: Callable[[], None]) -> None:
        """Do what an answer needs, and then call something, at once where it needs nothing."""
        if not (self._executes or self._judged):
            then()
            return
        programs = self._code.lacking(self._programs(question, response)) if self._executes else []
        asked = self._judges.lacking(self._questions(question, response)) if self._judged else []
        left = bool(programs) + bool(asked)

        def done() -> None:
            nonlocal left
            left -= 1
            if left <= 0:
                self._till.judged(self.due(question))
                then()

        if programs:
            self._code.follow(programs, done)
        if asked:
            self._judges.follow(asked, done)
        if not left:
            done()

    def due(self, question: Question) -> Dues:
        """Return what judges will be asked about an answer, as far as that is known before it is given."""
        found: dict[str, Due] = {}
        for rule in self._rules(question.item) if self._judged else ():
            more = self._plan.evaluation.systems[question.system].decoding.max_tokens
            item = with_retrieved(question.item, (_ANSWER,)) if rule.shows_retrieved else question.item
            for asked in rule.questions_of(item, _ANSWER):
                thought = self._till.thought(asked.model, request_of(asked), more=more)
                found[asked.model] = found.get(asked.model, Due()) + Due(1, thought)
        return found

    def due_of(self, questions: Iterable[Question]) -> Dues:
        """Return what judges will be asked about many answers."""
        found: dict[str, Due] = {}
        for question in questions:
            for model, due in self.due(question).items():
                found[model] = found.get(model, Due()) + due
        return found

    def raise_fault(self) -> None:
        """Raise what went wrong, if anything did."""
        for part in self._parts:
            part.raise_fault()

    async def drain(self) -> None:
        """Wait for everything that is being done.

        Raises:
            AliquotError: the first fault.
        """
        for part in self._parts:
            await part.drain()

    async def stop(self, seconds: float) -> None:
        """Begin nothing more, wait for judges in flight so long at most, and end the rest."""
        self._judges.close()
        await self._judges.settle(seconds)
        for part in self._parts:
            await part.cancel()

    def _rules(self, item: Item) -> Iterable[Rule]:
        return (of[item.id] for of in (self._plan.rules, *self._plan.alternatives))

    def _programs(self, question: Question, response: Response) -> list[Program]:
        return programs_of(self._rules(question.item), question.item, response)

    def _questions(self, question: Question, response: Response) -> list[JudgeQuestion]:
        return questions_of(self._rules(question.item), question.item, response)
