"""``failures``: what goes wrong, how often, and which kinds moved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from aliquot.analysis.attribution import attribute
from aliquot.analysis.failing import failing
from aliquot.analysis.failures import FailureChoices, Side, count_failures
from aliquot.errors import InputError, UsageError, nearest
from aliquot.evidence.contents import headline_metric, metrics, require, systems, tasks
from aliquot.evidence.derivation import with_metric
from aliquot.evidence.reduction import units
from aliquot.evidence.stages import GOLDEN, golden_ids
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Units
from aliquot.files.failure_codes import Coded, holds_codes, keep_codes, kept_codes, read_codes
from aliquot.files.run_directory import RunDirectory, is_run
from aliquot.files.taxonomy import Taxonomy, fold, grow, read_taxonomy
from aliquot.findings.failures import Failures
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import source_labels
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.verbs.clustering import cluster_field, reading_cluster
from aliquot.verbs.read import load
from aliquot.verbs.reproduce import command_line, given_options

MOST_SIDES: Final = 12
"""Systems and runs side by side, at most."""


def failures(
    *sources: str | Path | Evidence,
    codes: Sequence[str | Path] = (),
    add: str | Path | None = None,
    systems: Sequence[str] = (),
    task: str | None = None,
    metric: str | None = None,
    taxonomy: str | Path | None = None,
    grow_taxonomy: bool = False,
    cluster: str | None = None,
    level: float = 0.95,
    seed: int | None = None,
    options: ReadOptions | None = None,
) -> Failures:
    """Count what went wrong, in which way, and say which kinds moved from the first of two sides to the second.

    Codes come from people: a table with ``item`` and ``codes``, or the notes exported from a report with ``#codes``
    in them. Answers that nobody has coded are put down to a layer of the pipeline by what is on record: retrieval,
    context, generation, parsing or tools.

    Args:
        *sources: runs, logs, tables, tables of codes alone, or evidence already read.
        codes: tables of codes of the answers in the sources.
        add: a table of codes to be kept with the one run that is named.
        systems: only these systems.
        task: the task; by default the first.
        metric: what failing is; by default the log's own headline.
        taxonomy: a YAML file of the kinds that have names, in the order in which they are to be seen.
        grow_taxonomy: add kinds that the taxonomy does not have to its file.
        cluster: field that names the cluster of an item.
        level: confidence level.
        seed: seed of everything random; by default a fixed one.
        options: what the columns of a table mean.

    Returns:
        The finding; ``reports.render`` prints it.

    Raises:
        UsageError: an unknown name, or ``add`` without one run.
        InputError: a source that cannot be read, a code of an item that was not asked, or no code at all.

    Examples:
        >>> import polars as pl
        >>> from aliquot import from_frame
        >>> rows = {"system": ["a"] * 4, "item": list("wxyz"), "value": [1, 0, 0, 1]}
        >>> failures(from_frame(pl.DataFrame(rows))).verdict.text.split(",")[0]
        'MOST FREQUENT: generation'
    """
    given = given_options(failures, locals(), named={"systems": "--system"}, unsaid=["add", "grow_taxonomy"])
    if not sources:
        raise UsageError("there is nothing to count. Name at least one run, log or table of codes.")
    if grow_taxonomy and taxonomy is None:
        raise UsageError("--grow needs a file to add to: --taxonomy FILE")
    known = Taxonomy() if taxonomy is None else _taxonomy(Path(taxonomy), may_lack=grow_taxonomy)
    _keep(sources, add)
    told = [(str(path), read_codes(Path(path))) for path in codes]
    sides = [
        side
        for label, source in zip(_labels(sources), sources, strict=True)
        for side in _sides(
            source, label, told, systems=systems, task=task, metric=metric, cluster=cluster, options=options
        )
    ]
    named = _named(_told_apart(sides), known)
    if len(named) > MOST_SIDES:
        raise UsageError(
            f"{len(named)} systems are too many side by side; name up to {MOST_SIDES}: --system NAME"
        )
    found = count_failures(
        named,
        choices=FailureChoices(
            says=None if taxonomy is None else known.says,
            level=level,
            seed=DEFAULT_SEED if seed is None else seed,
        ),
        command=command_line("failures", sources, given, reading=options),
    )
    if grow_taxonomy and taxonomy is not None:
        grow(Path(taxonomy), (kind.code for kind in found.kinds))
    return found


def _taxonomy(path: Path, *, may_lack: bool) -> Taxonomy:
    return Taxonomy() if may_lack and not path.exists() else read_taxonomy(path)


def _keep(sources: Sequence[str | Path | Evidence], add: str | Path | None) -> None:
    """Keep codes with the one run that is named."""
    if add is None:
        return
    runs = [Path(source) for source in sources if not isinstance(source, Evidence) and is_run(Path(source))]
    if len(runs) != 1 or len(sources) != 1:
        raise UsageError("--add keeps codes with a run: name one run directory, and nothing beside it")
    evidence, told = load(runs), read_codes(Path(add))
    names = systems(evidence)
    _require_known(told, evidence, file=str(add))
    whose = next((one.item for one in told if one.system is None), None)
    if whose is not None and len(names) > 1:
        raise InputError(
            f"whose answer to {whose!r} this is cannot be known: the run has {len(names)} systems",
            file=str(add),
            field="system",
            remedy="Give the table a column system",
        )
    keep_codes(runs[0], told)


def _require_known(told: Iterable[Coded], evidence: Evidence, *, file: str) -> None:
    """Refuse codes of what is not there."""
    known = {
        "item": dict.fromkeys(evidence.items["item"].to_list()),
        "system": dict.fromkeys(systems(evidence)),
        "task": dict.fromkeys(tasks(evidence)),
    }
    for one in told:
        for name, names in known.items():
            value = getattr(one, name)
            if value is not None and value not in names:
                raise InputError(
                    f"there is no {name} {value[:60]!r} in what was read",
                    file=file,
                    field=name,
                    remedy=nearest(value, names),
                )


def _labels(sources: Sequence[str | Path | Evidence]) -> list[str]:
    """Return what tells the sources apart: the ends of their paths without endings of files."""
    paths = [Path(source) for source in sources if not isinstance(source, Evidence)]
    plain = [path.with_suffix("") if path.is_file() else path for path in paths]
    ends = iter(source_labels(plain) if plain else ())
    return [
        f"#{place}" if isinstance(source, Evidence) else next(ends) for place, source in enumerate(sources, 1)
    ]


def _sides(
    source: str | Path | Evidence,
    label: str,
    told: Sequence[tuple[str, Sequence[Coded]]],
    *,
    systems: Sequence[str],
    task: str | None,
    metric: str | None,
    cluster: str | None,
    options: ReadOptions | None,
) -> list[tuple[str, Side]]:
    """Return the sides of one source, each with the source's label."""
    path = None if isinstance(source, Evidence) else Path(source)
    if path is not None and holds_codes(path):
        _refuse_for_codes_alone(path, {"--cluster": cluster, "--metric": metric, "--codes": told})
        return [(label, side) for side in _coded_sides(read_codes(path), systems, task=task, file=str(path))]
    evidence = with_metric(load([source], options=reading_cluster(options, cluster)), metric)
    named = task or tasks(evidence)[0]
    require(named, tasks(evidence), what="task")
    for file, codes in told:
        _require_known(codes, evidence, file=file)
    kept = kept_codes(path) if path is not None and is_run(path) else ()
    codes = (*kept, *(one for _, codes in told for one in codes))
    golden = _golden(path) if path is not None and is_run(path) else {}
    metric = metric or headline_metric(evidence, named)
    require(metric, metrics(evidence, named), what="metric")
    field = cluster_field(evidence, cluster)
    return [
        (
            label,
            _side(evidence, units(evidence, name, task=named, metric=metric, cluster=field), codes, golden),
        )
        for name in systems_at(evidence, named, systems)
    ]


def _refuse_for_codes_alone(path: Path, given: Mapping[str, object]) -> None:
    """Refuse what a table of codes alone cannot tell."""
    for option, value in given.items():
        if value:
            raise UsageError(
                f"{path} is a table of codes alone, of which {option} says nothing. Name the run or log that was "
                "coded, and the table with --codes"
            )


def systems_at(evidence: Evidence, task: str, wanted: Sequence[str]) -> list[str]:
    """Return the systems with answers to a task, those that are wanted."""
    for name in wanted:
        require(name, systems(evidence), what="system")
    return [name for name in wanted or systems(evidence) if task in tasks(evidence, system=name)]


def _coded_sides(codes: Sequence[Coded], wanted: Sequence[str], *, task: str | None, file: str) -> list[Side]:
    """Return the systems of a table of codes; one without names is a system of its own."""
    known = dict.fromkeys(one.task for one in codes if one.task is not None)
    if task is not None:
        require(task, known, what="task")
        codes = [one for one in codes if one.task in {None, task}]
    elif len(known) > 1:
        raise UsageError(
            f"{file} holds codes of {len(known)} tasks ({', '.join(known)}). Name one: --task NAME"
        )
    names = dict.fromkeys(one.system or "" for one in codes)
    for name in wanted:
        require(name, names, what="system")
    return [
        Side(name, _merged(one for one in codes if (one.system or "") == name))
        for name in names
        if name in (wanted or names)
    ]


def _side(
    evidence: Evidence, rows: Units, codes: Iterable[Coded], golden: Mapping[str, frozenset[str]]
) -> Side:
    """Return one system: as people have coded it, else by the layers that its failures are put down to."""
    failed, statuses = failing(evidence, rows)
    own = _merged(one for one in codes if one.system in {None, rows.system} and one.task in {None, rows.task})
    layers = {} if own else attribute(evidence, rows.system, rows.task, statuses, golden=golden)
    return Side(
        rows.system,
        own or {key: (layer,) for key, layer in layers.items()},
        by="person" if own else "rule",
        failed=failed,
        clusters=dict(rows.frame.select("item", "cluster").drop_nulls().iter_rows()),
        lost=int(rows.frame["missing"].sum()),
    )


def _merged(codes: Iterable[Coded]) -> dict[tuple[str, int], tuple[str, ...]]:
    """Return the codes of each answer, of all who read it."""
    found: dict[tuple[str, int], tuple[str, ...]] = {}
    for one in codes:
        key = (one.item, one.attempt)
        found[key] = tuple(dict.fromkeys((*found.get(key, ()), *one.codes)))
    return found


def _golden(run: Path) -> dict[str, frozenset[str]]:
    """Return the ids of what answers each item of a run, where its items list them."""
    from aliquot.runner.results import read_kept_items

    return {
        item.item: listed
        for item in read_kept_items(RunDirectory(run))
        if (listed := golden_ids(item.fields.get(GOLDEN)))
    }


def _told_apart(sides: Sequence[tuple[str, Side]]) -> list[Side]:
    """Return the sides under names of their own: the system's, with the source's where several have it."""
    names = [side.name for _, side in sides]
    return [
        side
        if side.name and names.count(side.name) == 1
        else replace(side, name=label if _alone(label, sides) else f"{side.name or label} ({label})")
        for label, side in sides
    ]


def _alone(label: str, sides: Sequence[tuple[str, Side]]) -> bool:
    return [one for one, _ in sides].count(label) == 1


def _named(sides: Sequence[Side], taxonomy: Taxonomy) -> list[Side]:
    """Return the sides with each code under the name it goes by: the taxonomy's, else its first spelling."""
    spelt: dict[str, str] = {}

    def name(code: str) -> str:
        return spelt.setdefault(fold(code), taxonomy.name(code))

    return [
        replace(
            side, codes={key: tuple(dict.fromkeys(map(name, given))) for key, given in side.codes.items()}
        )
        for side in sides
    ]
