"""Conversations: one row with several turns becomes as many items, each of which follows the one before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NoReturn, cast

from aliquot.errors import InputError, excerpt
from aliquot.item_sets.items import PLACE, Item

TURNS: Final = "turns"
"""The field that makes a row a conversation: what the user says, in turn."""

SAID: Final = "question"
"""The field that a turn written as a mere text becomes."""

EACH_TURN: Final = ("reference", "accept")
"""Fields that belong to a turn and never to a conversation as a whole."""

MAX_TURNS: Final = 1000
"""Turns of one conversation."""


def turns_of(identity: str, fields: Mapping[str, object], *, row: int, file: str) -> tuple[Item, ...]:
    """Return the turns of a conversation as items, named ``ID#1``, ``ID#2`` and so on.

    A turn is an object of fields or a mere text, which is its field ``question``. It has the fields of the whole row
    too, where it has not its own. ``reference`` may stand beside ``turns`` as a list with one entry for each turn
    (null for none), as MT-bench writes it.

    Args:
        identity: the row's id, which names the conversation.
        fields: the row's fields.
        row: its place in the file, from 1.
        file: the file, for messages.

    Raises:
        InputError: turns that cannot be read, with the row and the turn.

    Examples:
        >>> asked = {"turns": ["How far is the Moon?", "And the Sun?"], "topic": "space"}
        >>> first, second = turns_of("far", asked, row=1, file="far.jsonl")
        >>> second.id, second.text("question"), second.text("topic"), second.earlier[0].id
        ('far#2', 'And the Sun?', 'space', 'far#1')
    """
    place = _Place(identity, row=row, file=file)
    given = fields[TURNS]
    if not isinstance(given, list) or not given:
        place.refuse(
            "turns is not a list of turns",
            remedy='In JSON lines, write ["text", ...] or [{"question": "text"}, ...]',
        )
    listed = cast("list[object]", given)
    if len(listed) > MAX_TURNS:
        place.refuse(f"the conversation has {len(listed)} turns; the most are {MAX_TURNS}")
    references = _references(fields, place, n=len(listed))
    shared = {name: value for name, value in fields.items() if name not in {TURNS, "id", *EACH_TURN}}
    place.require_free(shared)
    items: list[Item] = []
    for number, (said, reference) in enumerate(zip(listed, references, strict=True), start=1):
        own = _turn(said, place, number=number)
        if reference is not None:
            if "reference" in own:
                place.refuse(f"turn {number} has two references", remedy="Leave one out")
            own["reference"] = reference
        items.append(
            Item(
                id=f"{identity}#{number}",
                fields={**shared, **own, "conversation": identity, "turn": number},
                row=row,
                conversation=identity,
                before=items[-1] if items else None,
                shared=frozenset(shared.keys() - own.keys()),
            )
        )
    return tuple(items)


class _Place:
    """Where a conversation stands, for messages."""

    def __init__(self, identity: str, *, row: int, file: str) -> None:
        self._identity, self._row, self._file = identity, row, file

    def refuse(self, problem: str, *, remedy: str | None = None) -> NoReturn:
        """Refuse the conversation."""
        raise InputError(
            f"{problem} (conversation {excerpt(self._identity)})",
            file=self._file,
            row=self._row,
            field=TURNS,
            remedy=remedy,
        )

    def require_free(self, fields: Mapping[str, object]) -> None:
        """Refuse fields whose names say where a turn stands."""
        if wrong := sorted(PLACE & fields.keys()):
            self.refuse(
                f"the field {wrong[0]!r} has a meaning of its own in a conversation",
                remedy="Give it another name",
            )


def _references(fields: Mapping[str, object], place: _Place, *, n: int) -> list[object]:
    """Return the reference of each turn where they stand beside the turns, None for each otherwise."""
    if fields.get("accept") is not None:
        place.refuse("accept stands beside the turns", remedy="Write it into the turn that it belongs to")
    given = fields.get("reference")
    if given is None:
        return [None] * n
    if not isinstance(given, list):
        place.refuse(
            "one reference stands beside several turns",
            remedy="Write it into the turn that it belongs to, or a list with one for each turn",
        )
    listed = cast("list[object]", given)
    if len(listed) != n:
        place.refuse(
            f"there are {len(listed)} references for {n} turns", remedy="Write null for a turn without"
        )
    return listed


def _turn(said: object, place: _Place, *, number: int) -> dict[str, object]:
    """Return the fields of one turn."""
    if isinstance(said, str) and said.strip():
        return {SAID: said}
    if not isinstance(said, dict) or not said:
        place.refuse(
            f"turn {number} is {excerpt(said)}", remedy="Write what is said: a text, or an object of fields"
        )
    own = cast("dict[str, object]", said)
    for name in ("id", TURNS):
        if name in own:
            place.refuse(f"turn {number} has the field {name!r}, which belongs to the conversation")
    place.require_free(own)
    return dict(own)
