"""``probe_judge``: what a judge does where the right verdict is known, from its own answers or from stored votes."""

from __future__ import annotations

from pathlib import Path

from aliquot.analysis.judge_audit import AuditChoices, audit_judge
from aliquot.analysis.stored_votes import stored_votes
from aliquot.evidence.tables import Evidence
from aliquot.findings.probe import JudgeAudit
from aliquot.readers.options import ReadOptions
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.verbs.read import load
from aliquot.verbs.reproduce import command_line


def probe_judge(
    source: str | Path | Evidence,
    *,
    judge: str | None = None,
    against: str | None = None,
    level: float = 0.95,
    seed: int | None = None,
    options: ReadOptions | None = None,
) -> JudgeAudit:
    """Say what a judge does where the right verdict is known.

    Args:
        source: a log of a judge's votes between systems, with what was shown first.
        judge: whose votes, when several judges voted.
        against: another judge of the same log, held against it on the same items.
        level: confidence level.
        seed: seed of everything random; by default a fixed one.
        options: how the log is read.

    Returns:
        The finding; ``reports.render`` prints it.

    Raises:
        UsageError: several judges and none is named, or an unknown name.
        InputError: a source that cannot be read, or that does not say what was shown first.

    Examples:
        >>> import polars as pl
        >>> from aliquot.evidence.assembly import assemble
        >>> from aliquot.evidence.tables import OUTCOMES
        >>> asked = [(str(i), first) for i in range(30) for first in "ab"]
        >>> told = {"task": "t", "system_a": "x", "system_b": "y", "rater": "r", "by": "judge", "status": "ok"}
        >>> votes = [{**told, "item": item, "repeat": "ab".index(first) + 1, "verdict": first, "shown_first": first}
        ...          for item, first in asked]
        >>> found = probe_judge(assemble(pl.DataFrame(schema=dict(OUTCOMES)), votes=pl.DataFrame(votes)))
        >>> print(found.lines[0].share)
        1.0000 [0.8865, 1.0000] 95% wilson, n = 30
    """
    evidence = load([source], options=options)
    stored = stored_votes(evidence, judge=judge)
    other = None if against is None else stored_votes(evidence, judge=against)
    given = {
        "--judge": judge,
        "--against": against,
        "--level": None if level == 0.95 else level,
        "--seed": seed,
    }
    return audit_judge(
        stored.record,
        choices=AuditChoices(
            level=level,
            seed=DEFAULT_SEED if seed is None else seed,
            against=None if other is None else other.record,
            people=stored.people,
            notes=stored.notes,
        ),
        command=command_line("probe judge", [source], given, reading=options),
    )
