"""What became of an evaluation that was broken on purpose, as plain text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from aliquot.findings.majority import write_share
from aliquot.reports.plain import neutralise, wrap


class Broken(Protocol):
    """What was found; see ``verbs.breaking.Broken``."""

    @property
    def scenario(self) -> str: ...  # noqa: D102 - as in Broken
    @property
    def live(self) -> bool: ...  # noqa: D102 - as in Broken
    @property
    def path(self) -> Path: ...  # noqa: D102 - as in Broken
    @property
    def max_tokens(self) -> int: ...  # noqa: D102 - as in Broken
    @property
    def items(self) -> int: ...  # noqa: D102 - as in Broken
    @property
    def majority(self) -> int: ...  # noqa: D102 - as in Broken
    @property
    def empty(self) -> int: ...  # noqa: D102 - as in Broken
    @property
    def naive(self) -> int: ...  # noqa: D102 - as in Broken
    @property
    def stopped(self) -> str: ...  # noqa: D102 - as in Broken
    @property
    def exit_code(self) -> int: ...  # noqa: D102 - as in Broken
    @property
    def asked(self) -> int: ...  # noqa: D102 - as in Broken
    @property
    def statuses(self) -> Mapping[str, int]: ...  # noqa: D102 - as in Broken
    @property
    def passed(self) -> int: ...  # noqa: D102 - as in Broken
    @property
    def warnings(self) -> tuple[str, ...]: ...  # noqa: D102 - as in Broken
    @property
    def repaired(self) -> int | None: ...  # noqa: D102 - as in Broken


def render_broken(found: Broken) -> str:
    """Return what a harness would have printed, what the guards said, and what the answers are worth."""
    who = (
        "the embedded model, made to think first"
        if found.live
        else "a script that ships with aliquot and behaves like a thinking model (--live asks the embedded model)"
    )
    head = (
        f"BROKEN ON PURPOSE: {found.scenario}. A model that thinks before it answers has {found.max_tokens} tokens for "
        f"both. {found.empty} of its {found.items} answers hold no text. The model is {who}."
    )
    naive, majority = (write_share(count / found.items) for count in (found.naive, found.majority))
    counted = f"({found.naive} of {found.items})"
    parts = [
        (head, ""),
        ('What a harness prints that takes every answer without a "yes" for a "no":', ""),
        (f"accuracy {naive} {counted}; always answering the most frequent label gives {majority}", "  "),
    ]
    if found.stopped:
        parts += [
            (f"What aliquot run does after {found.asked} answers (exit code {found.exit_code}):", ""),
            (found.stopped, "  "),
        ]
    if found.warnings:
        parts += [("What aliquot says of that harness's table, were it all there is:", "")]
        parts += [(f"{text}.", "  ") for text in found.warnings]
    counts = ", ".join(f"{count} {status}" for status, count in sorted(found.statuses.items()))
    parts += [
        ("What it says when it is made to go on with guards: off:", ""),
        (f"{found.passed} of {found.items} pass ({counts})", "  "),
    ]
    if found.repaired is not None:
        parts += [(f"The same model with room for its thoughts: {found.repaired} of {found.items} pass.", "")]
    verdict = "CAUGHT" if found.stopped else "NOT CAUGHT: the model came to an end of its thoughts in time"
    parts += [(f"{verdict}. The answers are in {found.path}.", "")]
    lines: list[str] = []
    for text, indent in parts:
        lines += [
            *([] if indent or not lines else [""]),
            *wrap(neutralise(text, limit=900), indent=indent, lines=12),
        ]
    return "\n".join(lines)
