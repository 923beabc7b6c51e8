"""A gate as one sticky comment of a pull request, and as annotations: names and numbers only, whatever a log holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from aliquot.findings.gate import Decision, Flip, Gate
from aliquot.findings.item_tests import Strip
from aliquot.findings.redaction import shareable
from aliquot.reports.gate_sheet import (
    age_text,
    conditions_grid,
    estimate_text,
    flips_sentence,
    limit_text,
    strip_text,
    year_sentence,
)
from aliquot.reports.markdown_blocks import block_markdown, escape_markdown, list_markdown
from aliquot.reports.markdown_limit import fit_markdown
from aliquot.reports.plain import neutralise

MARKER: Final = "<!-- aliquot gate -->"
"""The first line of a comment, by which the one that is there already is found again."""

_ALERTS: Final[dict[Decision, str]] = {
    "pass": "TIP",
    "fail": "CAUTION",
    "undecided": "WARNING",
    "nothing_to_judge": "WARNING",
}
_LEVELS: Final[dict[Decision, str]] = {
    "pass": "notice",
    "fail": "error",
    "undecided": "warning",
    "nothing_to_judge": "error",
}
_MOST_FLIPS: Final = 200
_LONGEST_NAME: Final = 120
_NAMED: Final = 10


def render_comment(gate: Gate) -> str:
    """Return the comment: the decision, one table, the items that moved folded away, and how to make it again.

    Args:
        gate: the finding; texts of items and answers are never part of it.
    """
    gate = shareable(gate)
    head = f"{MARKER}\n> [!{_ALERTS[gate.decision]}]\n> **{escape_markdown(gate.verdict.text, limit=700)}**"
    acted = f" {escape_markdown(gate.acted)}." if gate.acted else ""
    blocks = [
        head,
        f"{escape_markdown(flips_sentence(gate))}{acted}".strip(),
        block_markdown(conditions_grid(gate)) if gate.conditions else "",
        *(_folded(name, flips) for name, flips in (("broke", gate.broke), ("fixed", gate.fixed)) if flips),
        escape_markdown(year_sentence(gate), limit=900),
    ]
    return fit_markdown(
        [block for block in blocks if block],
        warnings=list_markdown([note.text for note in gate.warnings]),
        folded=[],
        footer=f"<sub>{_footer(gate)}</sub>",
        command=gate.command,
    )


def _footer(gate: Gate) -> str:
    against = gate.against
    said: list[str] = []
    if against is not None and against.age_days is not None:
        commit = f" at {against.commit[:12]}" if against.commit else ""
        said.append(f"Baseline {against.name}{commit}, {age_text(against.age_days)} old.")
    if gate.same:
        said.append(f"Same: {', '.join(gate.same)}.")
    if gate.differs:
        said.append(f"Differs: {', '.join(gate.differs)}.")
    if gate.command:
        said.append(f"Reproduce: {gate.command}")
    return escape_markdown(" ".join(said), limit=900)


def _folded(name: str, flips: Sequence[Flip]) -> str:
    """Return the items that moved under one line; the attempts of each side as marks."""
    lines = [f"- {_line(flip)}" for flip in flips[:_MOST_FLIPS]]
    left = len(flips) - _MOST_FLIPS
    more = [f"- {left} more"] if left > 0 else []
    body = "\n".join([*lines, *more])
    return f"<details><summary>{len(flips)} {name}</summary>\n\n{body}\n\n</details>"


def _line(flip: Flip) -> str:
    name = escape_markdown(flip.item, limit=_LONGEST_NAME)
    return f"{name} {_marks(flip.before)} → {_marks(flip.after)}{_again(flip)}"


def _again(flip: Flip) -> str:
    if not flip.came:
        return ""
    return f" (again {_marks(flip.again_before)} → {_marks(flip.again_after)}: {flip.came})"


def _marks(strip: Strip) -> str:
    return escape_markdown(strip_text(strip).translate({ord("+"): "✓", ord("-"): "✗"}))


def annotation_lines(gate: Gate) -> Iterator[str]:
    """Yield workflow commands that GitHub shows beside a run: the decision, and the items that broke when it failed."""
    level = _LEVELS[gate.decision] if not gate.acted else "notice"
    yield f"::{level} title=aliquot gate::{_escaped(gate.verdict.text)}"
    if gate.decision != "fail":
        return
    for one in gate.conditions:
        if one.decision == "fail" and one.blocks:
            yield f"::{level} title={_property(one.name)}::{_escaped(f'{estimate_text(one)}, limit {limit_text(one)}')}"
    names = [flip.item for flip in gate.broke[:_NAMED]]
    if names:
        more = f" and {len(gate.broke) - _NAMED} more" if len(gate.broke) > _NAMED else ""
        yield f"::{level} title={len(gate.broke)} broke::{_escaped(', '.join(names) + more)}"


def _escaped(text: str) -> str:
    """Return text for a workflow command: one line, and nothing in it can begin another command."""
    return neutralise(text, limit=900).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return re.sub(r"[:,]", lambda found: f"%{ord(found[0]):02X}", _escaped(text))
