"""A project while people are at work: how far everybody is, how far they agree, and what looks wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from aliquot.analysis.agree import AgreementChoices, agree_raters
from aliquot.errors import AliquotError
from aliquot.findings.agreement import RaterAgreement
from aliquot.labelling.desk import agrees_with_known
from aliquot.labelling.enough import Enough, find_enough
from aliquot.labelling.exports import DRAWN, labels_now, said_label, value_of
from aliquot.labelling.form import Form
from aliquot.labelling.patterns import Step, find_patterns, pace
from aliquot.labelling.project import ADJUDICATOR, MAIN, Answer, Rater, RaterRole
from aliquot.labelling.project_file import Place
from aliquot.labelling.store import Store, Told

FEWEST_SHARED: Final = 20
"""Shared answers from which on a measure of agreement is printed: before, its interval says nothing."""


@dataclass(frozen=True, slots=True)
class RaterState:
    """How far somebody is.

    Attributes:
        name: who.
        role: what they are here for.
        done: answers that are done, skips included.
        total: answers in their list.
        skipped: of those done, how many were skipped.
        unsure: labels they were unsure of.
        minutes: minutes left at their pace; None before it is known.
        training: the training round they are in, from 1; None when it is behind them.
        known: of the answers whose right label is known, how many they got right, and how many they labelled.
        repeated: of the answers that came again, how many got the same label, and how many did.
    """

    name: str
    role: RaterRole
    done: int
    total: int
    skipped: int
    unsure: int
    minutes: float | None
    training: int | None
    known: tuple[int, int]
    repeated: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Differing:
    """An answer on which raters differ.

    Attributes:
        answer: its number.
        item: its item.
        question: what was asked.
        said: what each rater said.
        settled: what it was settled as; None while it is open.
    """

    answer: int
    item: str
    question: str
    said: tuple[tuple[str, str], ...]
    settled: str | None


@dataclass(frozen=True, slots=True)
class State:
    """Everything at one moment.

    Attributes:
        steps: how many events there are.
        raters: how far everybody is.
        agreement: question → how far raters agree, where two of them labelled the same answers.
        differing: answers on which they differ.
        patterns: what looks wrong, in sentences.
        enough: how far the labels go, by system.
        reasons: why answers were skipped, and how often.
    """

    steps: int
    raters: tuple[RaterState, ...]
    agreement: dict[str, RaterAgreement]
    differing: tuple[Differing, ...]
    patterns: tuple[str, ...]
    enough: tuple[Enough, ...]
    reasons: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class _Now:
    """A project read once: what was drawn, what is asked, and what stands."""

    store: Store
    form: Form
    answers: Mapping[int, Answer]
    told: Sequence[Told]

    def labels(self, one: Told) -> dict[str, str]:
        """Return the labels of an event, by question."""
        found: dict[str, str] = {}
        for question in self.form.questions:
            said = one.event.said.get(question.name)
            if question.judge is None or said is None:
                continue
            answer = self.answers[one.place.answer]
            label = said_label(question, value_of(said), answer, swapped=one.place.swapped)
            if label is not None:
                found[question.name] = label
        return found


def _now(store: Store) -> _Now:
    return _Now(store, store.form, store.answers(), tuple(store.live()))


def state_of(store: Store) -> State:
    """Return a project as it stands."""
    steps = store.steps
    now = _now(store)
    by_rater: dict[str, list[Told]] = defaultdict(list)
    for one in now.told:
        by_rater[one.rater].append(one)
    labelled = {name: _steps(now, given) for name, given in by_rater.items() if name != ADJUDICATOR}
    reasons: dict[str, int] = defaultdict(int)
    for one in now.told:
        if one.event.kind == "skip":
            reasons[one.event.reason.strip()] += 1
    return State(
        steps=steps,
        raters=tuple(
            _rater(now, rater, by_rater[rater.name], pace(labelled.get(rater.name, [])))
            for rater in store.raters()
        ),
        agreement=_agreement(store),
        differing=tuple(_differing(now)),
        patterns=tuple(find_patterns(labelled)),
        enough=_enough(now),
        reasons=tuple(sorted(reasons.items(), key=lambda pair: -pair[1])),
    )


def _rater(now: _Now, rater: Rater, given: Sequence[Told], usual: float | None) -> RaterState:
    done, total = now.store.counts(rater.name)
    known = [
        agrees_with_known(now.form, one.event, now.answers[one.place.answer], swapped=one.place.swapped)
        for one in given
        if one.place.role == "known" and one.event.kind == "label"
    ]
    return RaterState(
        name=rater.name,
        role=rater.role,
        done=done,
        total=total,
        skipped=sum(one.event.kind == "skip" for one in given if one.place.place >= MAIN),
        unsure=sum(one.event.unsure for one in given),
        minutes=None if usual is None else usual * (total - done) / 60,
        training=None if rater.passed else rater.round + 1,
        known=(sum(known), len(known)),
        repeated=_repeated(now, given),
    )


def _repeated(now: _Now, given: Sequence[Told]) -> tuple[int, int]:
    """Return how many answers that came again got the same label, and how many came again."""
    labelled = [one for one in given if one.event.kind == "label"]
    first = {one.place.answer: one for one in labelled if one.place.repeat == 1}
    pairs = [
        (first[one.place.answer], one)
        for one in labelled
        if one.place.repeat > 1 and one.place.answer in first
    ]
    return sum(now.labels(a) == now.labels(b) for a, b in pairs), len(pairs)


def _steps(now: _Now, given: Sequence[Told]) -> list[Step]:
    return [
        Step(
            label=", ".join(_word(said) for said in one.event.said.values()),
            seconds=one.event.seconds,
            words=now.answers[one.place.answer].words,
            answer=one.place.answer,
            note=one.event.note,
        )
        for one in sorted(given, key=lambda told: (told.at, told.seq))
        if one.event.kind == "label" and one.place.place >= MAIN
    ]


def _word(said: object) -> str:
    if isinstance(said, list):
        return "".join("y" if one is True else "n" if one is False else f"{one} " for one in said).strip()
    return f"{said:g}" if isinstance(said, float) else str(said)


def _agreement(store: Store) -> dict[str, RaterAgreement]:
    """Return how far raters agree on each question, exactly as ``agree`` says it of the exported labels."""
    labels = labels_now(store)
    if labels is None:
        return {}
    found: dict[str, RaterAgreement] = {}
    for question in labels.questions:
        own = labels.about(question)
        if len(own.raters) < 2:
            continue
        try:
            agreement = agree_raters(own, choices=AgreementChoices())
        except AliquotError:
            continue
        if agreement.n_shared:
            found[question] = agreement
    return found


def _differing(now: _Now) -> list[Differing]:
    """Return the answers on which raters gave different labels, those that are open first."""
    said: dict[tuple[int, str], dict[str, str]] = defaultdict(dict)
    for one in now.told:
        if one.event.kind != "label" or one.place.role not in {*DRAWN, "settle"} or one.place.repeat != 1:
            continue
        for name, label in now.labels(one).items():
            said[one.place.answer, name][one.rater] = label
    found: list[Differing] = []
    for (number, name), by in said.items():
        settled = by.pop(ADJUDICATOR, None)
        if len(set(by.values())) > 1:
            found.append(
                Differing(number, now.answers[number].item, name, tuple(sorted(by.items())), settled)
            )
    return sorted(found, key=lambda one: (one.settled is not None, one.question, one.item))


def queue_differing(store: Store) -> int:
    """Put open disagreements into the adjudicator's list, and return how many are open."""
    open_ = dict.fromkeys(one.answer for one in _differing(_now(store)) if one.settled is None)
    there = store.places(ADJUDICATOR)
    known = {one.answer for one in there}
    start = max((one.place for one in there), default=MAIN - 1) + 1
    new = [number for number in open_ if number not in known]
    store.add_places(
        ADJUDICATOR,
        [Place(start + at, number, "settle", swapped=False, repeat=1) for at, number in enumerate(new)],
    )
    return len(open_)


def _enough(now: _Now) -> tuple[Enough, ...]:
    """Return how far the labels go, where they pass or fail answers of single systems."""
    question = next((one for one in now.form.questions if one.judge is not None and one.kind != "pair"), None)
    if question is None or question.judge is None:
        return ()
    seen: dict[int, float] = {}
    for one in now.told:
        label = now.labels(one).get(question.name)
        if one.place.role not in DRAWN or one.place.repeat != 1 or label is None:
            continue
        passes = {"pass": 1.0, "fail": 0.0}.get(label)
        if passes is None and question.judge.labels:
            passes = float(label in question.judge.passes)
        if passes is None:
            return ()
        seen.setdefault(one.place.answer, passes)
    rows = [
        (now.answers[number].system, now.answers[number].verdict, value) for number, value in seen.items()
    ]
    return tuple(find_enough(rows, now.store.project.cells, wanted=now.store.project.half_width))


class Watch:
    """The state of a project, made again only when something was said since."""

    def __init__(self, store: Store) -> None:
        """Take the project."""
        self._store = store
        self._state: State | None = None

    def state(self) -> State:
        """Return the state."""
        if self._state is None or self._state.steps != self._store.steps:
            self._state = state_of(self._store)
        return self._state
