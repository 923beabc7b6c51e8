"""A verification as a sheet: what does not come out first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aliquot.findings.numbers import write_count
from aliquot.findings.verification import Check, Outcome, Verification
from aliquot.reports.sheet import Block, Grid, Sheet

_WORDS: dict[Outcome, str] = {
    "cannot_be": "cannot be",
    "differs": "differs",
    "explained": "by another reading",
    "fits": "fits",
    "not_checked": "not checked",
}


MOST_SENTENCES = 12
"""Numbers that a sentence is written about; the table of all of them is a detail."""


def sheet_of(found: Verification) -> Sheet:
    """Return the text of a verification."""
    return Sheet(
        headline=found.verdict.text,
        blocks=tuple(_blocks(found)),
        warnings=tuple(note.text for note in found.warnings),
        details=tuple(_details(found)),
        footer=f"{', '.join(f'{name} {text}' for name, text in found.versions.items())}.",
    )


def _blocks(found: Verification) -> Iterator[Block]:
    wrong = [check for check in found.checks if check.outcome in {"cannot_be", "differs"}]
    explained = [check for check in found.checks if check.outcome == "explained"]
    told = [*wrong, *explained]
    yield from map(_sentence, told[:MOST_SENTENCES])
    if len(told) > MOST_SENTENCES:
        left = write_count(len(told) - MOST_SENTENCES, "more number")
        yield f"{left} did not come out, or by another reading; -v lists each."
    yield from found.remarks
    if fit := found.count("fits"):
        yield f"{write_count(fit, 'number')} {'comes' if fit == 1 else 'come'} out as printed."
    if left := found.count("not_checked"):
        yield f"{write_count(left, 'number')} could not be checked."


def _sentence(check: Check) -> str:
    numeric = check.expected[:1].isdigit()
    owed = check.outcome == "differs" or (check.outcome == "cannot_be" and numeric)
    due = f" Should be {check.expected}." if owed and check.expected else ""
    if check.outcome == "explained":
        here = "" if "here" in check.cause or "without" in check.cause else f" (here {check.expected})"
        return f"{check.claim}: {check.printed}; {check.cause}{here}."
    nearest = (
        f" {check.expected[0].upper()}{check.expected[1:]}."
        if check.outcome == "cannot_be" and check.expected and not numeric
        else ""
    )
    return f"{check.claim}: {check.printed}. {check.cause[:1].upper()}{check.cause[1:]}.{due}{nearest}"


def _details(found: Verification) -> Iterator[Block]:
    order: Sequence[Outcome] = ("cannot_be", "differs", "explained", "fits", "not_checked")
    rows = tuple(
        (check.claim, check.printed, check.expected, _WORDS[check.outcome], check.cause)
        for outcome in order
        for check in found.checks
        if check.outcome == outcome
    )
    yield Grid("Every number", ("number", "printed", "here", "", "why"), rows)
