"""``report``: one file people open, believe and forward; and a bundle from which others recompute it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from aliquot.errors import UsageError, nearest
from aliquot.evidence.tables import Evidence
from aliquot.files.writing import write_whole
from aliquot.findings.comparison import Comparison
from aliquot.findings.finding import Finding
from aliquot.findings.redaction import TEXTS, shareable, without_texts
from aliquot.findings.rows import Rows
from aliquot.findings.summary import Summary
from aliquot.reports.render import render
from aliquot.verbs.compare import compare
from aliquot.verbs.pairing import Pairing, settle_subject
from aliquot.verbs.read import refuse_source
from aliquot.verbs.show import show
from aliquot.verbs.summarize import summarize

FORMS = {
    ".html": "html",
    ".md": "markdown",
    ".json": "json",
    ".txt": "text",
    ".csv": "csv",
    ".tex": "latex",
    ".xml": "junit",
}
"""The form of a report by the ending of its file."""

EVERY_CHANGE: Final = ("broke", "fixed", "still_failing", "differ", "same")

OF_TWO: Final = ("match_on", "margin", "unpaired", "allow", "shares", "plan", "seed")
"""Choices that say nothing about one system."""

_AS_NOT_GIVEN: Final = (None, False, (), [], "content")

MOST_ITEMS: Final = 20_000
"""Items a page holds; what changed comes first."""


def report(
    *sources: str | Path | Evidence,
    output: str | Path = "report.html",
    no_text: bool = False,
    redact: Sequence[str] = (),
    bundle: str | Path | None = None,
    items: int = MOST_ITEMS,
    **choices: Any,
) -> tuple[Path, Comparison | Summary]:
    """Write what two systems, or one, reached to a file, with every item to read where the file is a page.

    Args:
        *sources: as in ``compare``; one source that holds one system is summarized.
        output: file to write; its ending chooses the form (``FORMS``).
        no_text: leave out every text of an item: what it asks, its reference, answers, notes, metadata.
        redact: what to leave out (``input``, ``reference``, ``answer``, ``note``, ``metadata``) or to replace by salted
            names (``item``, ``cluster``, a segment's field).
        bundle: also write a zip archive without any text and with salted names, from which others can recompute the
            finding; see ``verbs.bundle``.
        items: most items in the page.
        **choices: as in ``compare``; of one system those of ``summarize``, and no other.

    Returns:
        The path written, and the finding.

    Raises:
        UsageError: an unknown ending or field, a file that is also a source, or a choice that one system cannot meet.
        MachineError: the file cannot be written.
    """
    form = form_of(output)
    for written in (output, *([] if bundle is None else [bundle])):
        refuse_source(written, sources)
    subject = named = settle_subject(sources, **_settling(choices))
    fields = _fields(subject, (*redact, *(TEXTS if no_text else ())))
    names = [name for name in fields if name not in TEXTS]
    salt = b""
    if names or bundle is not None:
        from aliquot.verbs.bundle import concealed, new_salt

        salt = new_salt()
        subject = concealed(subject, names, salt=salt) if names else subject
    found = _find(subject, sources, choices)
    if fields:
        found = shareable(found)
    if bundle is not None:
        from aliquot.verbs.bundle import write_bundle

        write_bundle(Path(bundle), named, _with_criteria(named, choices), names=names, salt=salt)
    if form != "html":
        return write_report(found, output), found
    rows = None if _has_figures(choices) else _rows(subject, choices, left_out=fields, limit=items)
    return _write_page(found, Path(output), rows), found


def write_report(finding: Finding, output: str | Path) -> Path:
    """Write a finding of any kind to a file whose ending chooses the form, and return its path.

    Raises:
        UsageError: an unknown ending.
        MachineError: the file cannot be written.
    """
    path, form = Path(output), form_of(output)
    if form == "html":
        return _write_page(finding, path, None)
    write_whole(path, render(finding, form=form, verbose=True).encode())
    return path


def form_of(output: str | Path) -> str:
    """Return the form that a file's ending stands for.

    Raises:
        UsageError: an unknown ending.
    """
    path = Path(output)
    form = FORMS.get(path.suffix.lower())
    if form is None:
        raise UsageError(
            f"cannot tell the form of {path.name!r} by its ending. {nearest(path.suffix, FORMS)}"
        )
    return form


def _settling(choices: dict[str, Any]) -> dict[str, Any]:
    """Return the choices that say who is compared, and on what."""
    against = choices.get("against")
    figures = (*([against] if against is not None else []), *choices.get("counts", ()))
    known = {name: choices.get(name) for name in ("systems", "task", "metric", "cluster", "options")}
    return {**known, "figures": figures} if figures else known


def _has_figures(choices: dict[str, Any]) -> bool:
    return choices.get("against") is not None or bool(choices.get("counts"))


def _fields(subject: Pairing | Evidence, redact: Collection[str]) -> tuple[str, ...]:
    from aliquot.evidence.concealment import concealable

    evidence = subject.evidence if isinstance(subject, Pairing) else subject
    known = (*TEXTS, *concealable(evidence))
    for name in redact:
        if name not in known:
            raise UsageError(f"there is no field {name!r} to redact. {nearest(name, known)}")
    return tuple(dict.fromkeys(redact))


def _find(
    subject: Pairing | Evidence, sources: Sequence[str | Path | Evidence], choices: dict[str, Any]
) -> Comparison | Summary:
    if isinstance(subject, Pairing):
        return compare(subject, **choices)  # pyright: ignore[reportArgumentType] - as the caller gave them
    from aliquot.verbs.reproduce import command_line

    if unmet := [f"--{name.replace('_', '-')}" for name in OF_TWO if choices.get(name) not in _AS_NOT_GIVEN]:
        raise UsageError(
            f"{' and '.join(unmet)} compare two systems, and here is one. Name the other file, or leave them out"
        )
    known = ("task", "metric", "cluster", "level")
    mine = {name: choices[name] for name in known if choices.get(name) is not None}
    found = summarize(subject, **mine)
    given = {f"--{name}": value for name, value in mine.items() if (name, value) != ("level", 0.95)}
    return replace(found, command=command_line("summarize", sources, given, reading=choices.get("options")))


def _with_criteria(subject: Pairing | Evidence, choices: dict[str, Any]) -> dict[str, Any]:
    """Return the choices with the margin and level of a run's success criteria, which its rows do not hold."""
    if not isinstance(subject, Pairing) or choices.get("plan") is not None:
        return choices
    from aliquot.verbs.criteria import criteria_of, level_of

    criteria = criteria_of(subject.evidence, task=subject.task, metric=choices.get("metric"))
    if criteria is None:
        return choices
    margin = choices.get("margin")
    level = level_of(choices.get("level"), criteria)
    return {**choices, "margin": criteria.plan.margin if margin is None else margin, "level": level}


def _rows(
    subject: Pairing | Evidence, choices: dict[str, Any], *, left_out: Collection[str], limit: int
) -> Rows:
    known = ("task", "metric", "match_on")
    mine = {name: choices[name] for name in known if choices.get(name) is not None}
    return without_texts(show(subject, changes=EVERY_CHANGE, limit=limit, **mine), left_out)


def _write_page(finding: Finding, path: Path, rows: Rows | None) -> Path:
    from aliquot.analysis.explain import methods_paragraphs
    from aliquot.findings.document import finding_document
    from aliquot.reports.html import render_html

    methods = methods_paragraphs(finding_document(finding))
    write_whole(path, render_html(finding, methods=methods, rows=rows).encode())
    return path
