"""What stands beside a comparison and is not in its rows: remembered noise, other runs on the same items, a plan."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from aliquot.errors import InputError, MachineError
from aliquot.evidence.tables import Evidence, Note
from aliquot.findings.comparison import Comparison
from aliquot.findings.numbers import difference_unit, write_difference
from aliquot.stats.results import Estimate

if TYPE_CHECKING:
    from aliquot.files.plan_file import PlanFile
    from aliquot.findings.looks import Looks
    from aliquot.verbs.criteria import Criteria

FEW_VARIANTS = 2
"""Variants up to which nothing was picked: a baseline and a candidate."""


def put_beside(
    found: Comparison,
    evidence: Evidence,
    sources: Sequence[str | Path | Evidence],
    *,
    noise: str | Path | None,
    plan: str | Path | None,
    criteria: Criteria | None = None,
    cluster: str | None = None,
) -> Comparison:
    """Return a comparison with what is known beside its rows.

    Args:
        found: the comparison.
        evidence: its tables.
        sources: what was compared; runs among them are looked up beside each other.
        noise: the file that remembers noise; None to look up none.
        plan: a plan to hold it against.
        criteria: the success criteria of a run to hold it against.
        cluster: field that names the cluster, as in the comparison.

    Raises:
        InputError: a damaged file, or a plan changed after it was written.
    """
    found = _with_looks(found, sources)
    if noise is not None and Path(noise).exists():
        found = _with_noise(found, evidence, Path(noise))
    if plan is not None:
        from aliquot.files.plan_file import read_plan

        found = _held(found, evidence, read_plan(Path(plan)), path=Path(plan), cluster=cluster)
    elif criteria is not None:
        found = _held(found, evidence, criteria.plan, path=criteria.path, cluster=cluster)
        if criteria.note is not None:
            found = replace(found, warnings=(criteria.note, *found.warnings))
    return found


def _held(
    found: Comparison, evidence: Evidence, plan: PlanFile, *, path: Path, cluster: str | None
) -> Comparison:
    """Return a comparison held against a plan, its floor judged on the candidate's own rows."""
    from aliquot.analysis.plan_check import hold_against

    floor = None
    if plan.at_least is not None:
        from aliquot.analysis.summarize import floor_of

        floor = floor_of(
            evidence,
            found.candidate.system,
            task=found.task,
            metric=found.metric,
            cluster=cluster,
            asked=plan.at_least,
            level=found.level,
        )
    return hold_against(plan, found, path=path, floor=floor)


def _with_noise(found: Comparison, evidence: Evidence, path: Path) -> Comparison:
    """Return a comparison with what is remembered of its suite; a memory that is damaged costs a warning only."""
    try:
        from aliquot.analysis.noise_seen import remembered_noise

        return replace(found, noise=remembered_noise(found, evidence, path))
    except (InputError, MachineError) as error:
        note = Note(
            "noise_unreadable", f"what was remembered of the suite's own noise cannot be read: {error}"
        )
        return replace(found, warnings=(*found.warnings, note))


def _with_looks(found: Comparison, sources: Sequence[str | Path | Evidence]) -> Comparison:
    runs = [Path(source) for source in sources if not isinstance(source, Evidence) and Path(source).is_dir()]
    if not runs or not isinstance(found.difference, Estimate):
        return found
    from aliquot.files.looks import count_tried
    from aliquot.findings.looks import Looks
    from aliquot.stats.selection import expected_maximum

    tried = count_tried(runs[-1])
    if tried is None or tried.variants <= FEW_VARIANTS:
        return found
    se = found.difference.se
    # leads over one baseline share its error: they correlate by a half, which leaves √½ of each to its own
    by_chance = None if not se else se * math.sqrt(0.5) * expected_maximum(tried.variants - 1)
    looks = Looks(runs=tried.runs, variants=tried.variants, by_chance=by_chance)
    return replace(found, looks=looks, warnings=(*found.warnings, _note(looks, found)))


def _note(looks: Looks, found: Comparison) -> Note:
    text = (
        f"look {looks.variants - 1} on these items: {looks.variants} variants were tried in {looks.runs} runs"
    )
    if looks.by_chance is None:
        return Note("looks", text)
    size = write_difference(looks.by_chance, found.scale, width=looks.by_chance).lstrip("+")
    lead = f"of as many that are no better the best would lead by about {size}{difference_unit(found.scale)}"
    return Note("looks", f"{text}; {lead}, so a winner picked from them needs new items")
