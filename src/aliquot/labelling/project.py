"""A labelling project: what was drawn from what, who labels, and the links that let them in."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from aliquot.errors import UsageError, excerpt
from aliquot.readers.options import ReadOptions

SCHEMA: Final = "aliquot.labelling/1"

FILE: Final = "project.sqlite"
"""The file of a project, in its folder."""

RaterRole: TypeAlias = Literal["rater", "adjudicator", "imported"]
"""``imported`` for those whose labels came from elsewhere: they have no list and no link."""

ADJUDICATOR: Final = "adjudicator"
"""Under which name disagreements are settled."""

MOST_RATERS: Final = 1000
LONGEST_NAME: Final = 40


MAIN: Final = 1_000_000
"""The first place of a list; places of training rounds stand before it."""

ROUND: Final = 1_000
"""Places of a training round."""


class Cell(msgspec.Struct, frozen=True):
    """How many answers of a system have a verdict; raters never see it."""

    system: str
    verdict: float | None
    rows: int


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """What a project is about.

    Attributes:
        schema: name and version of this layout.
        id: a name of its own, so that a sheet finds back.
        made: when, in ISO 8601.
        sources: the logs the answers are of.
        seed: seed of everything that was drawn.
        drawn: how: at random, or by which strata.
        n: answers, or pairs, that were drawn.
        of: those that could be.
        unit: whether answers were drawn one by one, or all answers to an item together.
        left_out: answers that were not there to be read.
        overlap: of those drawn, how many everybody labels.
        repeats: answers that come again in each list.
        training: answers of the training round.
        pass_mark: share of them to get right.
        half_width: half width of the interval that is wanted.
        metric: the metric whose verdicts stand behind ``cells``.
        cells: how many answers there are by system and verdict.
        task: the task, where the log has several.
        reading: how the sources were read.
        choices: what the caller chose of the draw, by option.
    """

    schema: str = SCHEMA
    id: str
    made: str
    sources: tuple[str, ...]
    seed: int
    drawn: str
    n: int
    of: int
    unit: Literal["answers", "items", "pairs"] = "answers"
    left_out: int = 0
    overlap: int = 0
    repeats: int = 0
    training: int = 0
    pass_mark: float = 0.8
    half_width: float | None = None
    metric: str | None = None
    cells: tuple[Cell, ...] = ()
    task: str | None = None
    reading: ReadOptions | None = None
    choices: dict[str, str] = {}


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that is labelled, or a pair.

    Attributes:
        task: its task.
        item: its item.
        system: whose it is; of a pair the first system.
        attempt: which attempt.
        other: of a pair the second system.
        other_attempt: and its attempt.
        probability: with which it was drawn.
        verdict: what the log's own scorer says of it; raters never see it.
        known: question → right label, of a training or calibration answer.
        words: words there are to read.
        readable: whether the log keeps anything of the answer itself.
        view: what raters see, packed.
    """

    task: str
    item: str
    system: str
    attempt: int = 1
    other: str | None = None
    other_attempt: int | None = None
    probability: float | None = None
    verdict: float | None = None
    known: dict[str, str] = {}
    words: int = 0
    readable: bool = True
    view: bytes = b""


class Rater(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who labels.

    Attributes:
        name: as given.
        token: the end of the link.
        role: what they are here for.
        round: the training round they are in, from 0.
        passed: whether it is behind them.
    """

    name: str
    token: str
    role: RaterRole = "rater"
    round: int = 0
    passed: bool = True


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names of raters without the white space around them.

    Raises:
        UsageError: a name is empty, too long, taken, or not fit to be read aloud.

    Examples:
        >>> check_names(["ana", " ben "])
        ('ana', 'ben')
    """
    found = tuple(name.strip() for name in names)
    for name in found:
        if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable() or set(name) & set("/\\,:<>|?*\"'"):
            raise UsageError(
                f"{excerpt(name)} is no name for a rater: 1 to {LONGEST_NAME} letters, digits, spaces and dashes"
            )
        if name.casefold() == ADJUDICATOR:
            raise UsageError(f"{name!r} is the name under which disagreements are settled; choose another")
    if len({name.casefold() for name in found}) < len(found):
        raise UsageError("two raters have one name")
    if len(found) > MOST_RATERS:
        raise UsageError(f"{len(found)} raters are too many; the most are {MOST_RATERS}")
    return found


def new_token(name: str) -> str:
    """Return the end of a link that cannot be guessed: 128 bits behind a readable beginning."""
    readable = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:20] or "rater"
    return f"{readable}-{secrets.token_urlsafe(16)}"
