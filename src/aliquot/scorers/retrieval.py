"""Rules of retrieval: how well the list of ids that a stage tells brings up what answers the item."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, cast

import msgspec

from aliquot.errors import InputError, UsageError
from aliquot.evidence.stages import GOLDEN, LAYERS, Stage, documents_of, ids_of, layer_of
from aliquot.evidence.status import MEASUREMENT_SIDE
from aliquot.item_sets.items import Item
from aliquot.scorers.ranked_lists import (
    Gain,
    average_precision,
    hit_at,
    normalised_gain,
    precision_at,
    recall_at,
    reciprocal_rank,
)
from aliquot.scorers.rule import Rule, Settings
from aliquot.scorers.scores import Score

GOLDEN_IS: Final = "golden_is"
"""The field of an item that says what its golden ids are."""

SUFFICIENT: Final = "sufficient"
"""Of golden ids: together they are all the evidence that the answer needs, and nothing else would do."""

NOMINATED: Final = "nominated"
"""Of golden ids: somebody named them, and other passages may answer the item as well; so where nothing is said."""

MOST_GRADE: Final = 100
"""The largest grade of a golden id; 2 to its power is still a number."""


class Ranked(Settings, frozen=True):
    """Which list is looked at, and how far down.

    Attributes:
        k: how many of the first ids count; None for all that are listed.
        stage: whose list: a layer (``retrieval``; ``context`` for what was kept of it), or a stage by its own name.
            Of several the last that lists ids.
    """

    k: Annotated[int, msgspec.Meta(ge=1)] | None = None
    stage: str = "retrieval"

    def __post_init__(self) -> None:
        if not self.stage.strip():
            raise UsageError(f"a rule of retrieval: stage is empty. Layers: {', '.join(LAYERS)}")


class Graded(Ranked, frozen=True):
    """The same, and what a grade is worth.

    Attributes:
        k: how many of the first ids count; None for all that are listed.
        stage: whose list: a layer (``retrieval``; ``context`` for what was kept of it), or a stage by its own name.
            Of several the last that lists ids.
        gain: a grade counts as itself (``linear``), or as 2 to its power less 1 (``exponential``).
    """

    gain: Gain = "linear"


@dataclass(frozen=True, slots=True)
class Listed:
    """The ids that a stage lists, each once.

    Attributes:
        ids: the ids in their order.
        note: what is to be known of them.
    """

    ids: tuple[str, ...]
    note: str | None = None


def golden_grades(item: Item) -> dict[str, float]:
    """Return the grade of each golden id of an item, without the version behind ``@``; a list grades each 1.

    Raises:
        InputError: there are none, or they are not told as they should be.
    """
    given = item.fields.get(GOLDEN)
    if isinstance(given, Mapping):
        pairs = list(cast("Mapping[object, object]", given).items())
    elif isinstance(given, list | tuple):
        pairs = [(one, 1) for one in cast("Sequence[object]", given)]
    else:
        raise _lacking(item, "lists no golden ids" if given is None else "has golden ids that are no list")
    grades: dict[str, float] = {}
    for one, grade in pairs:
        if isinstance(one, bool) or not isinstance(one, str | int) or not str(one).strip():
            raise _lacking(item, f"has the golden id {one!r:.60}, which is neither a text nor a number")
        if isinstance(grade, bool) or not isinstance(grade, int | float) or not abs(grade) <= MOST_GRADE:
            raise _lacking(
                item, f"has the grade {grade!r:.60} for {one!r:.60}, which is no number up to {MOST_GRADE}"
            )
        name = next(iter(ids_of([one])))
        grades[name] = max(grades.get(name, -math.inf), float(grade))
    if not any(grade > 0 for grade in grades.values()):
        raise _lacking(item, "lists no golden id with a grade above 0")
    golden_is(item)
    return grades


def golden_is(item: Item) -> str:
    """Return what an item's golden ids are: ``sufficient``, or ``nominated`` where nothing is said.

    Raises:
        InputError: another word.
    """
    told = item.text(GOLDEN_IS) or NOMINATED
    if told not in {SUFFICIENT, NOMINATED}:
        raise InputError(
            f"item {item.id!r}: golden ids are {SUFFICIENT} or {NOMINATED}, and not {told!r:.60}",
            row=item.row,
            field=GOLDEN_IS,
            remedy=f"Say {SUFFICIENT} where they are all the evidence that the answer needs, else leave it out",
        )
    return told


def _lacking(item: Item, what: str) -> InputError:
    return InputError(
        f"item {item.id!r} {what}",
        row=item.row,
        field=GOLDEN,
        remedy='Give the ids of what answers it: "golden": ["d7"], or with grades {"d7": 2, "d9": 1}; or leave it out '
        "of an evaluation of retrieval",
    )


def listed_by(stages: Sequence[Stage], stage: str) -> Listed | str:
    """Return the ids that a stage lists; why there are none where none are told.

    A stage that the system says has failed and that lists nothing has found nothing.

    Args:
        stages: the stages of an answer, in order.
        stage: a layer, or a stage's own name.

    Examples:
        >>> one = Stage(name="search", values={"documents": ["d7@2", "d9", "d7@1"]})
        >>> listed_by([one], "retrieval")
        Listed(ids=('d7', 'd9'), note="'d7' is listed again; its first place counts")
        >>> listed_by([one], "context")
        "the answer tells of no stage 'context'; of 'search'"
    """
    wanted = stage.strip().casefold()
    own = [one for one in stages if one.name.casefold() == wanted or layer_of(one.name) == wanted]
    if not own:
        told = ", ".join(repr(one.name[:40]) for one in stages[:5])
        return f"the answer tells of no stage {stage!r}" + (f"; of {told}" if told else "")
    lists = [ids for one in own if (ids := documents_of(one.values)) is not None]
    if lists:
        ids = tuple(dict.fromkeys(lists[-1]))
        twice = next((one for place, one in enumerate(lists[-1]) if one in lists[-1][:place]), None)
        note = None if twice is None else f"{twice[:60]!r} is listed again; its first place counts"
        return Listed(ids, note)
    broken = next((one for one in own if one.status != "ok"), None)
    if broken is None or broken.status in MEASUREMENT_SIDE:
        return f"the stage {own[-1].name[:40]!r} lists no ids under documents"
    return Listed((), f"the stage {broken.name[:40]!r} found nothing: {broken.reason or broken.status}")


Measure = Callable[[Sequence[str], Mapping[str, float], Any], float | None]
"""From a list of ids, the golden grades and the settings to a value."""


def _scored_by(measure: Measure, says: str) -> Callable[..., Score]:
    def apply(item: Item, stages: Sequence[Stage], settings: Ranked) -> Score:
        grades = golden_grades(item)
        listed = listed_by(stages, settings.stage)
        if isinstance(listed, str):
            return Score(None, status="missing", note=listed)
        wanted = {one for one, grade in grades.items() if grade > 0}
        ids = listed.ids[: settings.k]
        label = f"{len(wanted.intersection(ids))} of {len(wanted)} in {len(ids)}"
        return Score(measure(listed.ids, grades, settings), label=label, note=listed.note)

    apply.__doc__ = says
    return apply


def _all(ids: Sequence[str], settings: Ranked) -> int:
    """Return how many are looked at; of none one, which is not there."""
    return settings.k or len(ids) or 1


_SAME: Final = "ids without the version behind @; an id that is listed again counts at its first place"


def _rule(name: str, measure: Measure, says: str, misleads: str, settings: type[Settings] = Ranked) -> Rule:
    kind = "binary" if name == "hit" else "bounded"
    return Rule(
        name,
        "1",
        _SAME,
        _scored_by(measure, says),
        misleads,
        settings=settings,
        reads="stages",
        wants="nothing",
        metric=name,
        kind=kind,
    )


RETRIEVAL_RULES: Final = (
    _rule(
        "hit",
        lambda ids, grades, given: hit_at(ids, grades, k=_all(ids, given)),
        "1 when any golden id is among the first k (success@k, hit rate).",
        "One passage of several that the answer needs is a hit; and what else answers the item counts as nothing.",
    ),
    _rule(
        "recall",
        lambda ids, grades, given: recall_at(ids, grades, k=_all(ids, given)),
        "Share of the golden ids that are among the first k.",
        "Of all that the model sees it bounds grounded accuracy only where golden_is: sufficient; of nominated "
        "passages it bounds nothing, as others may answer as well.",
    ),
    _rule(
        "precision",
        lambda ids, grades, given: precision_at(ids, grades, k=_all(ids, given)),
        "Share of golden ids among the first k; a list shorter than k is filled up with what is not golden.",
        "With fewer golden ids than k it cannot reach 1, and what nobody judged counts as wrong.",
    ),
    _rule(
        "reciprocal_rank",
        lambda ids, grades, given: reciprocal_rank(ids, grades, k=given.k),
        "1 over the rank of the first golden id, 0 when there is none (MRR is its mean).",
        "It sees the first golden id only: right for questions that one passage answers.",
    ),
    _rule(
        "ndcg",
        lambda ids, grades, given: normalised_gain(ids, grades, k=given.k, gain=given.gain),
        "Discounted gain of the golden ids' grades over that of the best list (nDCG).",
        "Numbers under linear and exponential gain are different measures; reports seldom say which.",
        Graded,
    ),
    _rule(
        "average_precision",
        lambda ids, grades, given: average_precision(ids, grades, k=given.k),
        "Mean over the golden ids of the precision at their rank, 0 for those not found (MAP is its mean).",
        "It takes every golden id to be needed, and what nobody judged for wrong: a better search can lose by it.",
    ),
)
"""The rules."""
