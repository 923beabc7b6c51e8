"""Which two systems and which task a comparison is about, from the sources as given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from aliquot.analysis.settings import variants_told
from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import rename, select
from aliquot.evidence.contents import headline_metric, require, tasks
from aliquot.evidence.contents import systems as systems_of
from aliquot.evidence.counterfactual import counterfactual
from aliquot.evidence.counts import evidence_of_counts
from aliquot.evidence.merging import merge, same_system
from aliquot.evidence.tables import Evidence, Note
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import source_labels
from aliquot.verbs.clustering import cluster_field, reading_cluster
from aliquot.verbs.read import load


@dataclass(frozen=True, slots=True)
class Pairing:
    """What is compared.

    Attributes:
        evidence: of both systems.
        baseline: system A.
        candidate: system B.
        task: the task.
        sources: where all this was read, as given.
    """

    evidence: Evidence
    baseline: str
    candidate: str
    task: str
    sources: tuple[str | Path | Evidence, ...] = ()


def settle_pairing(sources: Sequence[str | Path | Evidence | Pairing], **choices: Any) -> Pairing:
    """Return who is compared: settled before, or from the sources by ``pair_sources``."""
    if len(sources) == 1 and isinstance(sources[0], Pairing):
        return sources[0]
    given = tuple(source for source in sources if not isinstance(source, Pairing))
    return replace(pair_sources(given, **choices), sources=given)


def swapped(
    sources: Sequence[str | Path | Evidence | Pairing],
    *,
    between: str | None,
    pair: str | None,
    options: ReadOptions | None,
) -> tuple[str | Path | Evidence | Pairing, ...]:
    """Return the sources, or what they hold with the versions of each question as systems of their own.

    Raises:
        UsageError: one of the two fields is missing, or who is compared was settled before.
    """
    if between is None and pair is None:
        return tuple(sources)
    given = tuple(source for source in sources if not isinstance(source, Pairing))
    if between is None or pair is None or len(given) != len(sources) or not given:
        raise UsageError(
            "versions of a question are told by two fields: --between (what was swapped) and --pair (what they share)"
        )
    evidence = load(given, options=reading_cluster(options, pair))
    return (counterfactual(evidence, by=between, pair=cluster_field(evidence, pair) or pair),)


def settle_subject(
    sources: Sequence[str | Path | Evidence | Pairing],
    *,
    systems: Sequence[str] | None = None,
    cluster: str | None = None,
    options: ReadOptions | None = None,
    **choices: Any,
) -> Pairing | Evidence:
    """Return who is compared, or the evidence of the one system that a single source holds."""
    given = tuple(source for source in sources if not isinstance(source, Pairing))
    if len(given) != 1 or len(sources) != 1 or systems is not None or choices.get("figures"):
        return settle_pairing(sources, systems=systems, cluster=cluster, options=options, **choices)
    evidence = load(given, options=reading_cluster(options, cluster))
    if len(systems_of(evidence)) == 1:
        return evidence
    return replace(pair_sources([evidence], cluster=cluster, options=options, **choices), sources=given)


def pair_sources(
    sources: Sequence[str | Path | Evidence],
    *,
    systems: Sequence[str] | None = None,
    task: str | None = None,
    metric: str | None = None,
    cluster: str | None = None,
    figures: Sequence[str] = (),
    options: ReadOptions | None = None,
) -> Pairing:
    """Read the sources and settle who is compared; arguments as in ``compare``.

    Printed figures (``17/20``) stand for the baseline, or for both systems when there is no source.

    One source must hold two systems. Of two sources, systems of the same name are paired across them (one that is the
    same in both is left out and said so); without a shared name each source must hold one system.

    Raises:
        UsageError: not one or two sources, not exactly two systems, an unknown name.
        InputError: a source that cannot be read, or no shared task.
    """
    if figures:
        return _with_figures(sources, figures, systems=systems, task=task, metric=metric, options=options)
    if not 1 <= len(sources) <= 2:
        raise UsageError(f"compare takes one or two sources, baseline first; got {len(sources)}")
    reading = reading_cluster(options, cluster)
    if systems is not None or len(sources) == 1:
        evidence = load(sources, options=reading)
        baseline, candidate = _named(evidence, systems) if systems is not None else _only_two(evidence)
    else:
        evidence, baseline, candidate = _across(sources, reading)
    shared, others = _shared_task(evidence, baseline, candidate, wanted=task)
    if others:
        text = (
            f"{len(others)} more shared tasks are not in this comparison: {', '.join(others)} (--task NAME)"
        )
        evidence = evidence.revise(notes=(Note("other_tasks", text), *evidence.notes))
    return Pairing(evidence, baseline, candidate, shared)


def _with_figures(
    sources: Sequence[str | Path | Evidence],
    figures: Sequence[str],
    *,
    systems: Sequence[str] | None,
    task: str | None,
    metric: str | None,
    options: ReadOptions | None,
) -> Pairing:
    """Pair a printed figure with the one system of the sources, or two figures with each other."""
    if not sources and len(figures) == 2:
        names = [f"{role} {figure}" for role, figure in zip(("baseline", "candidate"), figures, strict=True)]
        both = (
            evidence_of_counts(figure, system=name, task=task or "task", metric=metric or "passed")
            for name, figure in zip(names, figures, strict=True)
        )
        return Pairing(merge(*both), names[0], names[1], task or "task")
    if len(sources) != 1 or len(figures) != 1:
        raise UsageError(
            "a printed figure is the baseline of one source, and two figures need none: "
            "aliquot compare run.csv --against 0.82/500, aliquot compare --counts 12/20 --counts 17/20"
        )
    evidence = load(sources, options=options)
    candidate = _only_one(evidence, systems)
    if task is None:
        task = tasks(evidence, system=candidate)[0]
    require(task, tasks(evidence, system=candidate), what="task")
    metric = metric or headline_metric(evidence, task)
    kind = evidence.metrics.filter(pl.col("metric") == metric)["kind"].to_list()
    if kind and kind != ["binary"]:
        raise UsageError(f"a printed figure of passes cannot be compared with {metric!r}, which is {kind[0]}")
    baseline = f"printed {figures[0]}"
    described = evidence.metrics.filter(pl.col("metric") == metric)
    figure = evidence_of_counts(
        figures[0],
        system=baseline,
        task=task,
        metric=metric,
        described=described if described.height else None,
    )
    return Pairing(merge(evidence, figure), baseline, candidate, task)


def _only_one(evidence: Evidence, wanted: Sequence[str] | None) -> str:
    known = systems_of(evidence)
    if wanted is not None:
        raise UsageError(
            "--systems names two systems; a printed figure is compared with the one a source holds"
        )
    if len(known) != 1:
        raise UsageError(
            f"a printed figure is compared with one system; the source holds {len(known)}: {', '.join(known)}"
        )
    return known[0]


def _named(evidence: Evidence, wanted: Sequence[str]) -> tuple[str, str]:
    if len(wanted) != 2 or wanted[0] == wanted[1]:
        raise UsageError(f"name two different systems, baseline first; got {' '.join(wanted)}")
    for name in wanted:
        require(name, systems_of(evidence), what="system")
    return wanted[0], wanted[1]


def _only_two(evidence: Evidence) -> tuple[str, str]:
    known = systems_of(evidence)
    if len(known) == 2:
        return known[0], known[1]
    if not known:
        said = next(
            (note.text for note in evidence.notes if note.code in {"totals_only", "votes_only"}),
            "no row was found",
        )
        raise InputError(f"there is nothing to compare: {said}")
    remedy = "give a second file" if len(known) == 1 else "name two with --systems BASELINE CANDIDATE"
    found = "1 system" if len(known) == 1 else f"{len(known)} systems"
    told = variants_told(evidence, known, task=next(iter(tasks(evidence)), ""))
    raise UsageError(f"{found} found ({', '.join(known)}); {remedy}{f'. Of these {told}' if told else ''}")


def _across(sources: Sequence[str | Path | Evidence], options: ReadOptions) -> tuple[Evidence, str, str]:
    """Pair systems of the same name across two sources, else the one system of each."""
    a, b = (load([source], options=options) for source in sources)
    shared = [name for name in systems_of(a) if name in systems_of(b)]
    if not shared:
        merged = merge(a, b)
        baseline, candidate = _only_two(merged)
        return merged, baseline, candidate
    changed = [name for name in shared if not same_system(a, b, name)]
    if not changed:
        raise UsageError(
            f"both sources hold the same rows of {', '.join(shared)}; there is nothing to compare"
        )
    if len(changed) > 1:
        labels = source_labels(
            [Path(str(s)) for s in sources if not isinstance(s, Evidence)] or [Path("a"), Path("b")]
        )
        example = " ".join(f"{label}:{changed[0]}" for label in labels)
        raise UsageError(
            f"{len(changed)} systems differ between the two sources ({', '.join(changed)}); "
            f"name a pair: --systems {example}"
        )
    return _one_pair(a, b, sources, changed[0], same=[name for name in shared if name not in changed])


def _one_pair(
    a: Evidence, b: Evidence, sources: Sequence[str | Path | Evidence], name: str, *, same: Sequence[str]
) -> tuple[Evidence, str, str]:
    paths = [Path(str(source)) for source in sources if not isinstance(source, Evidence)]
    labels = source_labels(paths) if len(paths) == 2 else ["baseline", "candidate"]
    if same:  # there are other systems, so the name says which one this is
        labels = [f"{name} in {label}" for label in labels]
    sides = [
        rename(select(side, systems=[name]), {name: label})
        for side, label in zip((a, b), labels, strict=True)
    ]
    merged = merge(*sides)
    if same:
        verb = "is" if len(same) == 1 else "are"
        note = Note("identical_system", f"{', '.join(same)} {verb} the same in both sources and left out")
        merged = merged.revise(notes=(*merged.notes, note))
    return merged, labels[0], labels[1]


def _shared_task(
    evidence: Evidence, baseline: str, candidate: str, *, wanted: str | None
) -> tuple[str, tuple[str, ...]]:
    """Return the task, the first shared one when none is named, and the other shared ones."""
    shared = [name for name in tasks(evidence, system=baseline) if name in tasks(evidence, system=candidate)]
    if wanted is not None:
        require(wanted, shared, what="task")
        return wanted, ()
    if not shared:
        own = [", ".join(tasks(evidence, system=system)) for system in (baseline, candidate)]
        raise InputError(
            f"the two systems share no task: {baseline} has {own[0]}; {candidate} has {own[1]}",
            remedy="Compare runs of the same task",
        )
    return shared[0], tuple(shared[1:])
