"""Who is held against whom: a blessed baseline by its name, two sources, or one source alone for floors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from aliquot.errors import UsageError, nearest
from aliquot.evidence.assembly import rename, select
from aliquot.evidence.contents import require, tasks
from aliquot.evidence.contents import systems as systems_of
from aliquot.evidence.merging import merge
from aliquot.evidence.tables import Evidence
from aliquot.files.base_branch import read_at
from aliquot.files.baseline_file import FOLDER, baseline_path
from aliquot.findings.gate import BaselineFacts
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import source_labels
from aliquot.verbs.clustering import reading_cluster
from aliquot.verbs.pairing import pair_sources
from aliquot.verbs.read import load

if TYPE_CHECKING:
    from aliquot.gates.baselines import Blessed


@dataclass(frozen=True, slots=True)
class Subject:
    """What a gate is about.

    Attributes:
        evidence: of both sides, or of the candidate alone.
        baseline: system A; empty when there is none.
        candidate: system B.
        task: the task.
        blessed: the baseline, when it was named.
        against: what is said of it; None without a baseline.
    """

    evidence: Evidence
    baseline: str
    candidate: str
    task: str
    blessed: Blessed | None = None
    against: BaselineFacts | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """How the sources are to be read.

    Attributes:
        systems: baseline and candidate by name, or the candidate alone.
        task: the task.
        metric: the metric that is told by item; None for the headline.
        cluster: field that names the cluster.
        options: what the columns of a table mean.
        base_ref: branch or commit from which a named baseline is read; None for the working folder.
        now: the time.
    """

    systems: Sequence[str] | None
    task: str | None
    metric: str | None
    cluster: str | None
    options: ReadOptions | None
    base_ref: str | None
    now: datetime


def settle_subject(
    sources: Sequence[str | Path | Evidence], wanted: Wanted, *, baseline: str | None, compares: bool
) -> Subject:
    """Return who is held against whom.

    Args:
        sources: as given: a baseline (a path, evidence, or a blessed one's name) and a candidate, or a candidate.
        wanted: how they are to be read.
        baseline: name of the blessed baseline that the policy names; None for none.
        compares: whether a baseline is needed.

    Raises:
        UsageError: no baseline where one is needed, an unknown name, more than two sources.
        InputError: a source that cannot be read.
    """
    if not 1 <= len(sources) <= 2:
        raise UsageError(
            f"gate takes a baseline and a candidate, or one candidate; got {len(sources)} sources"
        )
    if len(sources) == 2:
        name = _blessed_name(sources[0], wanted)
        if name is not None:
            return _against_blessed(name, sources[1], wanted)
        return _two(sources, wanted)
    if baseline is not None:
        return _against_blessed(baseline, sources[0], wanted)
    reading = reading_cluster(wanted.options, wanted.cluster)
    evidence = load(sources, options=reading)
    named = 0 if wanted.systems is None else len(wanted.systems)
    if compares and (named == 2 or (named == 0 and len(systems_of(evidence)) == 2)):
        return _paired(sources, wanted)
    if compares:
        raise UsageError(
            "there is no baseline to hold it against. Give two sources, name a blessed baseline (aliquot gate main "
            "pr.json), or ask for a floor alone: --at-least 90%"
        )
    return _alone(evidence, wanted)


def read_baseline(name: str, wanted: Wanted) -> Blessed:
    """Return a blessed baseline by its name, as the working folder or the base branch has it.

    Raises:
        UsageError: there is none of that name, or git does not know the branch.
        InputError: its file is damaged.
    """
    from aliquot.gates.baselines import read_blessed

    path = baseline_path(name)
    if wanted.base_ref is not None:
        data = read_at(wanted.base_ref, path)
        if data is None:
            raise UsageError(f"{wanted.base_ref} has no baseline {name!r} ({path}); bless one there first")
    elif path.exists():
        data = path.read_bytes()
    else:
        known = sorted(one.stem for one in FOLDER.glob("*.jsonl"))
        raise UsageError(
            f"there is no baseline {name!r} in {FOLDER}. {nearest(name, known) if known else ''} Bless one: aliquot "
            f"gate run.json --bless {name}"
        )
    return read_blessed(data, file=str(path))


def _blessed_name(source: str | Path | Evidence, wanted: Wanted) -> str | None:
    """Return the name a first source stands for, when it is no path of its own."""
    if isinstance(source, Evidence) or Path(source).exists() or "/" in str(source):
        return None
    try:
        path = baseline_path(str(source))
    except UsageError:
        return None
    return str(source) if path.exists() or wanted.base_ref is not None or not Path(source).suffix else None


def _against_blessed(name: str, source: str | Path | Evidence, wanted: Wanted) -> Subject:
    from aliquot.gates.baselines import facts_of

    blessed = read_baseline(name, wanted)
    candidate = load([source], options=reading_cluster(wanted.options, wanted.cluster))
    one = _only(candidate, wanted.systems[-1] if wanted.systems else None)
    candidate = select(candidate, systems=[one])
    label = name if name != one else f"{name} (baseline)"
    task = wanted.task or blessed.head.task
    require(task, tasks(candidate), what="task")
    merged = merge(rename(blessed.evidence, {blessed.head.system: label}), candidate)
    return Subject(merged, label, one, task, blessed, facts_of(blessed.head, now=wanted.now))


def _two(sources: Sequence[str | Path | Evidence], wanted: Wanted) -> Subject:
    """Pair two sources; each may hold the same system, and the same rows too: nothing changed is a pass."""
    reading = reading_cluster(wanted.options, wanted.cluster)
    sides = [load([source], options=reading) for source in sources]
    names = [systems_of(side) for side in sides]
    if wanted.systems is None and names[0] == names[1] and len(names[0]) == 1:
        paths = [Path(source) for source in sources if not isinstance(source, Evidence)]
        labels = (
            source_labels(paths) if len({str(path) for path in paths}) == 2 else ["baseline", "candidate"]
        )
        sides = [
            rename(side, {known[0]: label}) for side, known, label in zip(sides, names, labels, strict=True)
        ]
        return _paired(sides, wanted)
    return _paired(sources, wanted)  # as given, for their names


def _paired(sides: Sequence[str | Path | Evidence], wanted: Wanted) -> Subject:
    found = pair_sources(
        sides,
        systems=wanted.systems,
        task=wanted.task,
        metric=wanted.metric,
        cluster=wanted.cluster,
        options=wanted.options,
    )
    attempts = found.evidence.rows("responses", system=found.baseline, task=found.task)["attempt"].n_unique()
    against = BaselineFacts(found.baseline, blessed="", commit="", age_days=None, attempts=attempts)
    return Subject(found.evidence, found.baseline, found.candidate, found.task, against=against)


def _alone(evidence: Evidence, wanted: Wanted) -> Subject:
    one = _only(evidence, wanted.systems[-1] if wanted.systems else None)
    evidence = select(evidence, systems=[one])
    known = tasks(evidence, system=one)
    if wanted.task is not None:
        require(wanted.task, known, what="task")
    elif not known:
        raise UsageError(f"{one} was asked nothing")
    return Subject(evidence, "", one, wanted.task or known[0])


def _only(evidence: Evidence, wanted: str | None) -> str:
    known = systems_of(evidence)
    if wanted is not None:
        require(wanted, known, what="system")
        return wanted
    if len(known) != 1:
        raise UsageError(
            f"a candidate is one system; the source holds {len(known)}: {', '.join(known)}. Name it: --system NAME"
        )
    return known[0]
