"""Executing the programs that answers hold: once each, a few at a time, beside the asking, and on record."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from aliquot.errors import InputError, UsageError, excerpt
from aliquot.evidence.tables import Note
from aliquot.files.programs import Program, ProgramRecord, settle_programs
from aliquot.files.records import Response
from aliquot.item_sets.items import Item
from aliquot.runner.once import Once
from aliquot.scorers.rule import Rule
from aliquot.systems.unit_tests import execute_program

LAYERS: Final = {"files": "files outside", "network": "the network", "processes": "other processes"}
"""What the sandbox keeps a program from where the system offers it."""

OFF: Final = (
    "executes programs that a model wrote, which is off. Read what the sandbox does not protect from "
    "(docs/scorers.md), then switch it on with execute_code: true in the evaluation file, or --execute-code"
)
"""What a rule that executes code does while that is off."""


def require_on(rules: Iterable[Rule], *, on: bool) -> None:
    """Refuse rules that execute what a model wrote while that is off.

    Raises:
        UsageError: it is off, and a rule needs it.
    """
    executing = sorted({rule.name for rule in rules if rule.executes})
    if executing and not on:
        raise UsageError(f"the rule {executing[0]!r} {OFF}")


def programs_of(rules: Iterable[Rule], item: Item, response: Response) -> list[Program]:
    """Return the programs of an answer under several rules, each once; an answer that was cut or failed has none."""
    if response.status != "ok" or not response.text:
        return []
    programs = (rule.program_of(item, response.text) for rule in rules)
    return list(dict.fromkeys(program for program in programs if program is not None))


async def require_right_references(
    found: Executions, rules: Mapping[str, Rule], items: Iterable[Item], *, file: str
) -> None:
    """Execute the references that items have, and refuse one that is not right by its own tests.

    Args:
        found: executes and remembers.
        rules: the rule of each item, by id.
        items: the items.
        file: where they come from, for messages.

    Raises:
        InputError: no answer to an item could be right.
    """
    told = [
        (item, program)
        for item in items
        if isinstance(item.reference, str)
        and (program := rules[item.id].program_of(item, item.reference)) is not None
    ]
    await found.complete(program for _, program in told)
    for item, program in told:
        record = found(program)
        scored = None if record is None else rules[item.id].apply(item, record)
        if scored is not None and scored.value != 1.0:
            raise InputError(
                f"the reference of item {item.id!r} is not right by its own rule {rules[item.id].name!r} "
                f"({excerpt(scored.note or '', limit=200)}), so no answer could be",
                file=file,
                row=item.row,
                field="reference",
                remedy="Correct the reference or the tests",
            )


def unconfined_note(records: Iterable[ProgramRecord]) -> Note | None:
    """Return what is to be said when programs ran where the sandbox could not keep them from everything."""
    for record in records:
        open_to = [words for layer, words in LAYERS.items() if layer not in record.held]
        if open_to and record.ending != "error":
            text = f"this system did not let the sandbox keep programs from {', '.join(open_to)}; limits were in force"
            return Note("unconfined", text)
    return None


class Executions(Once[Program, ProgramRecord]):
    """Programs that were executed, and those that are being executed.

    Args:
        records: what is on record.
        keep: puts a new record there; None when none is kept.
        parallel: programs at a time; None for as many as there are processors.
    """

    def __init__(
        self,
        records: Iterable[ProgramRecord] = (),
        *,
        keep: Callable[[ProgramRecord], None] | None = None,
        parallel: int | None = None,
    ) -> None:
        super().__init__(settle_programs(records), keep=keep)
        self._room = asyncio.Semaphore(parallel or processors())

    def lost(self, made: ProgramRecord) -> bool:
        """Tell whether a program could not be executed."""
        return made.ending == "error"

    async def do(self, work: Program) -> ProgramRecord:
        """Execute a program."""
        async with self._room:
            return await execute_program(work)


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
