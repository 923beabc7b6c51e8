"""``explain``: a method in plain words, or a paragraph about a saved finding that is ready to paste."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from aliquot.analysis.explain import COMPARISON, explain_method, limitations_of, methods_of, paragraph_of
from aliquot.analysis.software import versions
from aliquot.errors import InputError
from aliquot.files.text import read_bounded
from aliquot.files.typed_json import decode_document
from aliquot.findings.explanation import Explanation
from aliquot.findings.verdict import Verdict
from aliquot.verbs.reproduce import command_line


def explain(subject: str | Path) -> Explanation:
    """Explain a method by name, or a comparison saved as JSON.

    Args:
        subject: a method (``tango``, ``mcnemar_midp``), or a file that ``compare --json`` wrote.

    Returns:
        The finding; ``reports.render`` prints it.

    Raises:
        UsageError: no such method.
        InputError: a file that holds no comparison.

    Examples:
        >>> explain("mcnemar_midp").methods[0].source
        'McNemar 1947; mid-p: Fagerland, Lydersen & Laake 2013'
    """
    command = command_line("explain", [subject], {})
    if not Path(subject).is_file():
        note = explain_method(str(subject))
        verdict = Verdict("estimated", text=f"{note.name}: {note.answers}.")
        return Explanation(
            about=str(subject),
            methods=(note,),
            paragraph="",
            limitations=(),
            warnings=(),
            verdict=verdict,
            versions=versions(),
            command=command,
        )
    document = _read(Path(subject))
    notes = methods_of(document)
    return Explanation(
        about=str(subject),
        methods=notes,
        paragraph=paragraph_of(document, notes, file=str(subject)),
        limitations=limitations_of(document),
        warnings=(),
        verdict=Verdict("estimated", text=str(document["verdict"]["text"])),
        versions=versions(),
        command=command,
    )


def _read(path: Path) -> Mapping[str, Any]:
    document = decode_document(read_bounded(path), msgspec.json.Decoder(dict[str, Any]), file=str(path))
    if document.get("schema") != COMPARISON:
        raise InputError(
            f"its schema is {document.get('schema')!r}, not {COMPARISON!r}",
            file=str(path),
            remedy="Save a comparison: aliquot compare A B --json > finding.json",
        )
    return document
