"""Votes: who preferred which of two systems on an item; chosen, renamed and put together like the other tables.

A vote makes no response and no outcome of its own: of the two answers nothing is known but that they were compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import polars as pl

from aliquot.errors import InputError

VERDICTS: Final = ("a", "b", "tie", "both_bad")
"""What a vote can say: ``system_a`` or ``system_b`` is better, they are equally good, neither is any good."""

PAIR: Final = ("system_a", "system_b")

KEY: Final = ("task", "item", *PAIR, "rater", "repeat")
"""The columns that make a vote unique."""


def check_votes(votes: pl.DataFrame) -> None:
    """Raise InputError when a verdict or what was shown first is no such word.

    Raises:
        InputError: as said.
    """
    for name, known in (("verdict", VERDICTS), ("shown_first", ("a", "b"))):
        unknown = votes[name].drop_nulls().filter(~votes[name].drop_nulls().is_in(known))
        if unknown.len():
            raise InputError(
                f"there is no {name.replace('_', ' ')} {unknown[0]!r}",
                field=name,
                remedy=f"Known: {', '.join(known)}",
            )


def voted_systems(votes: pl.DataFrame) -> tuple[str, ...]:
    """Return the systems voted on, in the order in which they first appear."""
    both = pl.concat([votes.select(system=pl.col(name)) for name in PAIR])
    return tuple(both["system"].unique(maintain_order=True))


def votes_on(votes: pl.DataFrame, wanted: Sequence[str], *, others: Sequence[str]) -> pl.DataFrame:
    """Return the votes on the wanted systems.

    A vote stays when one of its two is wanted and the other is wanted too, or is an opponent that nobody chooses
    among: the fixed baseline of a log that holds no outcome of it.

    Args:
        votes: the votes.
        wanted: the chosen systems.
        others: every system that could have been chosen.
    """
    chosen = [pl.col(name).is_in(wanted) for name in PAIR]
    fits = [pl.col(name).is_in(wanted) | ~pl.col(name).is_in(others) for name in PAIR]
    return votes.filter((chosen[0] | chosen[1]) & fits[0] & fits[1])


def renamed_votes(votes: pl.DataFrame, names: Mapping[str, str]) -> pl.DataFrame:
    """Return the votes with systems renamed."""
    return votes.with_columns(pl.col(name).replace(dict(names)) for name in PAIR)


def merge_votes(first: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """Return the votes of two sources; one held by both is kept once.

    Raises:
        InputError: they hold different votes of one rater on one pair.
    """
    both = pl.concat([first, other.join(first, on=first.columns, how="anti", nulls_equal=True)])
    repeated = both.filter(both.select(KEY).is_duplicated())
    if repeated.height:
        row = repeated.row(0, named=True)
        raise InputError(
            f"two sources hold different votes of {row['rater']!r} on {row['system_a']!r} against "
            f"{row['system_b']!r}, item {row['item']!r}",
            remedy="Give the sources different names (names=, or --names on the command line)",
        )
    return both
