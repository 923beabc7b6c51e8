"""Asking: every question once, at most a few at a time, each answer on disk before it counts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from itertools import zip_longest
from math import ceil
from typing import TypeAlias, cast

from aliquot.evidence.status import MEASUREMENT_SIDE
from aliquot.files.journal import Journal, read_journal
from aliquot.files.records import Response
from aliquot.files.whole_records import WholeRecords
from aliquot.runner.asking import Asker
from aliquot.runner.cache import AnswerCache
from aliquot.runner.evaluation import NO_GUARDS, ModelName
from aliquot.runner.forecast import Earlier
from aliquot.runner.guards import SmokeTest, lost_words
from aliquot.runner.heap import heap_at_rest
from aliquot.runner.judging import JudgeTerms, as_response
from aliquot.runner.plan import Plan, Question, Thread
from aliquot.runner.progress import Tally
from aliquot.runner.scoring import Whole, as_recorded, counted_value
from aliquot.runner.sidework import Sidework
from aliquot.runner.standing import Key, standing_answers
from aliquot.runner.stopping import Stopper
from aliquot.runner.stored import StoredRun
from aliquot.runner.till import Till
from aliquot.runner.workers import PATIENCE_S, Workers
from aliquot.scorers.scores import Score, ScoreStatus
from aliquot.systems.system import System

Scored: TypeAlias = tuple[Response, Score]
"""An answer as it stands in the journal, with its score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How a session asks; none of it changes what is asked.

    Attributes:
        concurrency: requests in flight; None for what the model says it can take.
        interleave: whether the systems take turns question by question, so that what drifts meets all alike.
        cache: answers kept between runs; None for none.
        max_cost: money that the run may cost, earlier sessions included; None for no limit.
        allow_self_judge: whether a judge may judge its own model or family, unprobed.
        stop: watches the run and says when it may stop; None to ask everything.
    """

    concurrency: int | None = None
    interleave: bool = False
    cache: AnswerCache | None = None
    max_cost: float | None = None
    allow_self_judge: bool = False
    stop: Stopper | None = None


class Executor:
    """Asks what a plan needs and the journal does not hold yet.

    Args:
        plan: what is to be asked.
        models: the opened systems by model name.
        journal: where answers go, open for this process alone.
        tally: counts and tells.
        now: the time of day, for the records.
        terms: how it asks.
    """

    def __init__(
        self,
        plan: Plan,
        models: Mapping[ModelName, System],
        *,
        journal: Journal,
        tally: Tally,
        now: Callable[[], datetime],
        terms: Terms,
    ) -> None:
        self._plan, self._models, self._journal = plan, models, journal
        self._task = plan.task
        self._tally, self._terms = tally, terms
        judges = plan.evaluation.judges
        prices = {name: one.stated for name, one in judges.items()}
        self._till = Till(plan, limit=terms.max_cost, judges=prices)
        self._till.keep((*journal.records, *map(as_response, journal.judgements)))
        self._asker = Asker(
            plan, models, records=journal.records, till=self._till, cache=terms.cache, now=now
        )
        self._answered = standing_answers(plan, journal.records)
        self._scored: dict[Key, Scored] = {}
        self._side = Sidework(
            plan,
            journal,
            judges={name: models[one.model] for name, one in judges.items()},
            terms=JudgeTerms(now=now, till=self._till, cache=terms.cache, concurrency=terms.concurrency),
        )
        self._cut_short, self._lost = 0, list[str]()
        self._smoke = {item.id for item in plan.smoke}
        self._tests = {name: self._test(name) for name in plan.evaluation.systems}

    @property
    def answers(self) -> int:
        """Answers that count and need not be asked again."""
        return len(self._answered)

    @property
    def scored(self) -> Mapping[Key, Scored]:
        """The last answer to each question with its score, which need not be worked out again."""
        return self._scored

    @property
    def owes(self) -> bool:
        """Whether anything is still to be asked, of systems or of judges."""
        if next(self._side.unjudged(self._kept()), None) is not None:
            return True
        held = frozenset[str]() if self._terms.stop is None else self._terms.stop.prefix
        if held:  # stopped by its rule: what lies beyond is not asked
            owed = (thread for name in self._plan.evaluation.systems for thread in self._owed(name))
            return any(thread[0].item.id in held for thread in owed)
        return self.answers < self._plan.total

    async def execute(self, elsewhere: Mapping[str, Earlier] | None = None) -> None:
        """Ask one system after the other, or all in turn; at the end every question has an answer or an error.

        Every system is asked the items of the smoke test before any is asked the rest, so that a broken one is found
        before another has spent everything.

        Args:
            elsewhere: what other runs hold of the same systems, by which this one is foreseen.

        Raises:
            RunStoppedError: a guard or the limit of the cost stopped the run.
            MachineError: the journal cannot be written.
        """
        await self._side.begin(self._kept())
        unjudged = list(self._side.unjudged(self._kept()))
        self._recount({response.key for _, response in unjudged})
        owed = {name: self._owed(name) for name in self._plan.evaluation.systems}
        asked = [one for threads in owed.values() for thread in threads for one in thread]
        self._till.foresee(
            owed,
            (*self._journal.records, *map(as_response, self._journal.judgements)),
            elsewhere or {},
            judging=self._side.due_of([*asked, *(question for question, _ in unjudged)]),
        )
        self._till.tell(self._tally)
        self._tally.start()
        self._till.require_room()
        self._say_outlook()
        self._judge(name for name, test in self._tests.items() if test.complete)
        for question, response in unjudged:
            self._side.follow(question, response, partial(self._count, question, response))
        if self._terms.stop is not None:
            await self._ask_in_order(self._terms.stop, owed)
        else:
            await self._ask_by_system(owed)
        for text in (*self._side.words, *lost_words(self._lost, self._cut_short)):
            self._tally.note(text)

    async def _ask_by_system(self, owed: Mapping[str, list[Thread]]) -> None:
        """Ask one system after the other, or all in turn, the smoke tests of all first."""
        begun = {name: self._first_round(name, threads) for name, threads in owed.items()}
        for threads in self._in_turn([threads[: begun[name]] for name, threads in owed.items()]):
            await self._ask_all(threads)
            self._judge(dict.fromkeys(thread[0].system for thread in threads))
        for threads in self._in_turn([threads[begun[name] :] for name, threads in owed.items()]):
            await self._ask_all(threads)
        await self._see_through()

    async def _ask_in_order(self, stop: Stopper, owed: Mapping[str, list[Thread]]) -> None:
        """Ask unit by unit of all systems, and look after each few of them whether the rule is settled."""
        await self._see_through()
        models = [self._model(name) for name in self._plan.evaluation.systems]
        workers = self._terms.concurrency or min(model.concurrency for model in models)
        judged = False
        for items, threads in stop.rounds(owed, workers=workers):
            await self._ask_all(threads)
            stop.look(items, self._scored)
            if not judged and stop.record["items"] >= len(self._smoke):
                self._judge(self._tests)
                judged = True
        if stop.words:
            self._tally.note(stop.words)

    @property
    def load(self) -> dict[str, dict[str, int]]:
        """What asking amounted to so far, system by system."""
        return self._asker.load

    def _test(self, system: str) -> SmokeTest:
        """Return what watches a system; stored answers are taken as they are, as nothing is spent on them."""
        spec, guards = self._plan.evaluation.systems[system], self._plan.evaluation.guards
        if isinstance(spec.model, StoredRun):
            guards = NO_GUARDS
        return SmokeTest(system, self._smoke, guards, max_tokens=spec.decoding.max_tokens)

    def _judge(self, systems: Iterable[str]) -> None:
        for name in systems:
            self._tests[name].judge()

    def _first_round(self, system: str, owed: Sequence[Thread]) -> int:
        """Return how many threads are asked before the judgement: the smoke test, and enough that nobody waits."""
        smoke = sum(thread[0].attempt == 1 and thread[0].item.id in self._smoke for thread in owed)
        workers = self._terms.concurrency or self._model(system).concurrency
        side_by_side = len(self._tests) if self._terms.interleave else 1
        return max(smoke, ceil(workers / side_by_side)) if smoke else 0

    def _in_turn(self, by_system: list[list[Thread]]) -> list[list[Thread]]:
        """Return the threads as they are asked: system by system, or the systems taking turns."""
        if not self._terms.interleave:
            return by_system
        return [[thread for beside in zip_longest(*by_system) for thread in beside if thread]]

    def _say_outlook(self) -> None:
        """Say what this will take, or can cost at most: before it is spent, and once more when it is measured."""
        if text := self._till.outlook():
            self._tally.note(text)

    def _owed(self, system: str) -> list[Thread]:
        """Return what a system is still to be asked, in order."""
        threads = (
            tuple(one for one in thread if self._key(one) not in self._answered)
            for thread in self._plan.threads(system)
        )
        return [thread for thread in threads if thread]

    def _kept(self) -> Iterator[tuple[Question, Response]]:
        """Return the answers that need not be asked again, each with its question, in order."""
        for name in self._plan.evaluation.systems if self._answered else ():
            for question in self._plan.questions(name):
                response = self._answered.get(self._key(question))
                if response is not None:
                    yield question, self._whole(response)

    def _recount(self, unjudged: Collection[Key]) -> None:
        """Count the answers of earlier sessions, and show them to the guards; some wait for their judges first."""
        for question, response in self._kept():
            if response.key not in unjudged:
                score = self._score(question, response)
                self._tally.keep(question.system, score.status, self._rate(question, response, score))
                self._tests[question.system].keep(response, self._seen(question, response, score))

    async def _ask_all(self, threads: Sequence[Thread]) -> None:
        """Let a few workers share the threads."""
        models = map(self._model, {thread[0].system for thread in threads})
        number = self._terms.concurrency or min((model.concurrency for model in models), default=1)
        workers = Workers(number, note=self._tally.note, on_stop=self._till.close)

        async def ask(thread: Thread) -> None:
            self._side.raise_fault()
            await self._ask_thread(thread)

        try:
            with heap_at_rest():
                await workers.share(threads, ask)
        except BaseException:
            await self._side.stop(PATIENCE_S)
            raise
        await self._see_through()

    async def _see_through(self) -> None:
        """Wait for what goes on beside the asking."""
        try:
            await self._side.drain()
        except BaseException:
            self._till.close()
            await self._side.stop(PATIENCE_S)
            raise

    async def _ask_thread(self, thread: Thread) -> None:
        """Ask questions one after the other, up to the first whose answer the measurement lost."""
        for place, question in enumerate(thread, start=1):
            if not await self._ask(question):
                self._cut_short += len(thread) - place
                return

    def _model(self, system: str) -> System:
        return self._models[self._plan.evaluation.systems[system].model]

    async def _ask(self, question: Question) -> bool:
        """Ask, put the answer on disk, and have it counted; return whether there is one that counts."""
        key = self._key(question)
        response, fresh = await self._asker.ask(question, key, self._said_before(question))
        self._journal.append(response)
        cache = self._terms.cache
        if cache is not None and fresh is not None and not response.cached:
            cache.put(*fresh)  # after the journal: a cache that is full is not to cost the answer
        answered = response.status not in MEASUREMENT_SIDE
        if answered:
            self._answered[key] = response.light()
        elif fresh is not None:
            self._lost.append(response.reason or "")
        measured = self._till.take(response, question)
        self._side.follow(question, response, partial(self._count, question, response))
        if measured:  # the next question does not wait for what goes on beside it
            self._say_outlook()
        return answered

    def _count(self, question: Question, response: Response) -> None:
        """Score a new answer, count it, and show it to the guards."""
        score = self._score(question, response)
        self._till.tell(self._tally)
        self._tally.add(question.system, score.status, self._rate(question, response, score))
        self._tests[question.system].see(response.light(), self._seen(question, response, score))

    def _seen(self, question: Question, response: Response, score: Score) -> Score:
        """Return the score as the guards look at it: what a judge made of an answer says nothing of the system."""
        if self._plan.rules[question.item.id].reads != "judgement":
            return score
        return Score(1.0 if response.status == "ok" else None, status=cast("ScoreStatus", response.status))

    def _key(self, question: Question) -> Key:
        return (question.system, self._task, question.item.id, question.attempt)

    def _rate(self, question: Question, response: Response, score: Score) -> float | None:
        """Return the value that counts for the running rate; other numbers than 0 and 1 make none."""
        rule = self._plan.rules[question.item.id]
        return counted_value(rule, score, response) if rule.kind == "binary" else None

    def _said_before(self, question: Question) -> list[str]:
        """Return what the system answered to the turns before a question in its conversation, in order."""
        system, task, attempt = question.system, self._task, question.attempt
        return [self._answered[system, task, turn.id, attempt].text or "" for turn in question.item.earlier]

    @cached_property
    def _whole(self) -> Whole:
        """Reads an answer of an earlier session whole, where a rule needs how it came about."""
        if self._answered and any(rule.needs_whole for rule in self._plan.every_rule):
            return WholeRecords(self._journal.path, read_journal(self._journal.path))
        return as_recorded

    def _score(self, question: Question, response: Response) -> Score:
        score = self._side.score(question, response)
        self._scored[response.key] = (response.light(), score)
        return score
