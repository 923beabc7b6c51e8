"""Asking both sides of what changed again: it labels items that are flaky, and changes no decision.

Only a run of ours can be asked again, as its directory says how. Both sides are asked, because asking the candidate
alone about what it failed leans towards a pass; and since the items were chosen by how they came out, the new answers
are shown and never counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from aliquot.errors import AliquotError, RunStoppedError
from aliquot.evidence.tables import Evidence, Note
from aliquot.files.manifest import read_manifest
from aliquot.files.run_directory import MANIFEST, is_run
from aliquot.findings.gate import Flip, Gate

ATTEMPTS: Final = 3
"""Answers asked of each side for each item."""


def ask_again(
    found: Gate,
    sources: Sequence[str | Path | Evidence],
    *,
    attempts: int | None,
    **asking: Any,
) -> Gate:
    """Return the finding with its changes labelled stable or flaky; one that cannot be asked again says why.

    Args:
        found: the decision.
        sources: what it was made of; one run that holds both systems can be asked again.
        attempts: answers asked of each side for each item; None for three.
        **asking: as in ``run``.
    """
    from aliquot.verbs.run import run

    why = _why_not(sources)
    if why:
        return _noted(found, why)
    path = Path(str(sources[0]))
    file = str(read_manifest(path / MANIFEST).settings.get("file") or "")
    if not Path(file).is_file():
        return _noted(found, f"the run's evaluation file {file or '(made in Python)'} is not there")
    try:
        done = run(
            file,
            directory=path.resolve().parent,
            only=f"differ:{found.baseline},{found.candidate}",
            attempts=attempts or ATTEMPTS,
            **asking,
        )
    except RunStoppedError:
        raise
    except AliquotError as error:
        return _noted(found, str(error))
    came = {one.item: one for one in done.again}
    flips = tuple(_labelled(flip, came) for flip in found.flips)
    return replace(found, flips=flips)


def _why_not(sources: Sequence[str | Path | Evidence]) -> str:
    if len(sources) != 1:
        return "the two sides come from two sources; a run that holds both systems can be asked again"
    source = sources[0]
    if isinstance(source, Evidence) or not is_run(Path(source)):
        return "the source is no run of aliquot, so its systems cannot be asked again"
    return ""


def _noted(found: Gate, why: str) -> Gate:
    note = Note("not_asked_again", f"nothing was asked again: {why}")
    return replace(found, warnings=(note, *found.warnings))


def _labelled(flip: Flip, came: dict[str, Any]) -> Flip:
    one = came.get(flip.item)
    if one is None:
        return flip
    again = [(1.0,) * right + (0.0,) * (of - right) for right, of in zip(one.right, one.of, strict=True)]
    return replace(flip, again_before=again[0], again_after=again[1], came=one.came)
