"""Votes on their way to evidence: repeats counted, the log's word and the order kept, what they lack said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import polars as pl

from aliquot.evidence.assembly import assemble
from aliquot.evidence.tables import OUTCOMES, VOTES, Evidence, Note, Source
from aliquot.evidence.texts import HeldTexts
from aliquot.evidence.votes import KEY

VOTES_ONLY: Final = "votes_only"
"""The code of the note that there is nothing but votes."""


@dataclass(slots=True)
class VoteRows:
    """Votes and their items as they are read.

    Attributes:
        task: the task of all of them.
        votes: the rows.
        items: item → what is known of it.
        asked: (task, item) → (inputs, reference).
        answers: (system, task, item, attempt) → answer.
    """

    task: str
    votes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    items: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    asked: dict[tuple[str, str], tuple[str | None, str | None]] = field(
        default_factory=dict[tuple[str, str], tuple[str | None, str | None]]
    )
    answers: dict[tuple[str, str, str, int], str] = field(
        default_factory=dict[tuple[str, str, str, int], str]
    )

    def add(self, vote: Mapping[str, Any], **item: Any) -> None:
        """Add a vote, and what its row says of its item."""
        self.votes.append({"task": self.task, **vote})
        known = self.items.setdefault(vote["item"], {})
        known.update({name: value for name, value in item.items() if value is not None and name not in known})

    def add_texts(self, item: str, asked: str | None, answers: Mapping[str, str | None]) -> None:
        """Keep what an item asks and what each system answered."""
        if asked is not None:
            self.asked[self.task, item] = (asked, None)
        self.answers |= {
            (system, self.task, item, 1): text for system, text in answers.items() if text is not None
        }

    def frame(self) -> pl.DataFrame:
        """Return the votes, each after the first of its rater on the pair as a repeat."""
        seen: dict[tuple[Any, ...], int] = defaultdict(int)
        key = [name for name in KEY if name != "repeat"]
        for vote in self.votes:
            own = tuple(vote[name] for name in key)
            seen[own] += 1
            vote.setdefault("repeat", seen[own])
        return pl.DataFrame(self.votes, schema={name: VOTES[name] for name in VOTES}, strict=True)

    def evidence(
        self, *, source: Source, notes: Sequence[Note], settings: pl.DataFrame | None = None
    ) -> Evidence:
        """Return the votes as evidence without outcomes.

        Raises:
            InputError: as in ``assemble``.
        """
        votes = self.frame()
        items = [{"task": self.task, "item": item, **known} for item, known in self.items.items()]
        return assemble(
            pl.DataFrame(schema=dict(OUTCOMES)),
            items=pl.DataFrame(items, infer_schema_length=None),
            settings=settings,
            votes=votes,
            sources=(source,),
            notes=(
                *notes,
                *vote_notes(votes),
                Note(VOTES_ONLY, "it holds votes between systems, and no score of any one system"),
            ),
            texts=HeldTexts(items=self.asked, responses=self.answers) if self.asked or self.answers else None,
        )


def vote_notes(votes: pl.DataFrame) -> list[Note]:
    """Return what must be said of votes: what was not read, who voted twice."""
    notes: list[Note] = []
    if lost := votes.filter(pl.col("status") == "unparsed").height:
        notes.append(
            Note("unparsed_votes", f"{lost} of {votes.height} votes could not be read: they are no ties")
        )
    if repeated := votes.filter(pl.col("repeat") > 1, pl.col("shown_first").is_null()).height:
        notes.append(Note("voted_again", f"{repeated} votes repeat a rater's vote on the same pair and item"))
    return notes
