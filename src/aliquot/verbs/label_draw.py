"""What ``label`` draws, and how the lists of those who label it are made."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import msgspec
import numpy as np
import polars as pl

from aliquot.errors import InputError, UsageError
from aliquot.evidence.contents import metrics
from aliquot.evidence.contents import tasks as tasks_of
from aliquot.evidence.labels import Labels, joined
from aliquot.evidence.tables import Evidence
from aliquot.item_sets.samples import amount_of, count_of
from aliquot.readers.options import ReadOptions
from aliquot.stats.inputs import DEFAULT_SEED

if TYPE_CHECKING:
    from aliquot.labelling.form import Form
    from aliquot.labelling.label_project import LabelProject
    from aliquot.labelling.population import Population
    from aliquot.labelling.project import Answer, Project

N: Final = 80
"""Answers that are drawn when nothing says how many."""

OVERLAP: Final = 20
"""Answers that everybody labels when nothing says how many: fewer say nothing of agreement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelDraw:
    """What is drawn, and how.

    Attributes:
        n: answers (or pairs): a number, a share as ``"20%"``, or None for what the half width takes, else 80.
        by: ``verdict``, ``system`` or a field of the items, within whose levels answers are drawn.
        unit: ``answers`` one by one, or ``items`` with all answers to them; by default items where several systems
            answered, so that a rater labels both sides.
        labels: people's labels of some answers, from which the plan knows where labels help most.
        passes: labels that pass, every other label failing, where they are words such as good and bad.
        half_width: half width of each system's interval that is wanted: ``"5pt"``.
        seed: seed of everything that is drawn.
    """

    n: int | str | None = None
    by: str | None = None
    unit: Literal["answers", "items"] | None = None
    labels: Sequence[str | Path | Labels] = ()
    passes: Sequence[str] = ()
    half_width: float | str | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterChecks:
    """How raters are trained and checked.

    Attributes:
        overlap: answers that everybody labels: a number or a share of those drawn.
        repeats: answers that come a second time in each list.
        known: a file of answers whose right label is known.
        train: how many of them make the training round, with the right label shown after each; the others are mixed
            into the lists unmarked.
        pass_mark: share of the training to get right before the labelling begins.
    """

    overlap: int | str | None = None
    repeats: int = 0
    known: str | Path | Labels | None = None
    train: int = 0
    pass_mark: float | str = 0.8


def choices_of(
    draw: LabelDraw, check: RaterChecks, *, systems: Sequence[str], task: str | None, metric: str | None
) -> dict[str, str]:
    """Return what the caller chose of a draw, by option, as text: the same line again is the same draw.

    Examples:
        >>> choices_of(LabelDraw(n=80), RaterChecks(repeats=2), systems=(), task=None, metric=None)
        {'--n': '80', '--repeats': '2'}
    """
    said: dict[str, object] = {
        "--n": draw.n,
        "--by": draw.by,
        "--unit": draw.unit,
        "--labels": " ".join("labels" if isinstance(one, Labels) else str(one) for one in draw.labels),
        "--passes": " ".join(draw.passes),
        "--half-width": draw.half_width,
        "--seed": draw.seed,
        "--overlap": check.overlap,
        "--repeats": check.repeats or None,
        "--known": "labels" if isinstance(check.known, Labels) else check.known,
        "--train": check.train or None,
        "--pass-mark": None if str(check.pass_mark) in {"0.8", "80%"} else check.pass_mark,
        "--systems": " ".join(systems),
        "--task": task,
        "--metric": metric,
    }
    return {name: str(value) for name, value in said.items() if value is not None and value != ""}


def population_of(
    evidence: Evidence,
    form: Form,
    draw: LabelDraw,
    *,
    systems: Sequence[str],
    task: str | None,
    metric: str | None,
) -> Population:
    """Return what can be drawn, with the verdicts of a judge or of the log's headline beside it.

    Args:
        evidence: of the answers.
        form: what is asked.
        draw: what is drawn, and how.
        systems: only these systems.
        task: the task; by default the first.
        metric: whose verdicts are kept; by default the one judge's, else the log's own headline.

    Raises:
        UsageError: an unknown name, or a draw by verdict where nothing was judged.
        InputError: there is nothing to label.
    """
    from aliquot.labelling.population import BY_VERDICT, find_population

    known = tasks_of(evidence)
    if not known:
        file = ", ".join(source.path for source in evidence.sources)
        raise InputError("holds no answers of systems, so there is nothing to label", file=file)
    named = task or known[0]
    whose = metric or _verdicts(evidence, named)
    if whose is None and draw.by == BY_VERDICT:
        raise UsageError("nothing has judged these answers, so they cannot be drawn by verdict")
    return find_population(
        evidence, systems=systems, task=task, metric=whose, by=draw.by, pairs=form.pairwise
    )


def _verdicts(evidence: Evidence, task: str) -> str | None:
    """Return the metric whose verdicts are kept: the one judge's, else the log's headline; None when nothing scored."""
    from aliquot.readers.answers import UNSCORED

    scored = [name for name in metrics(evidence, task) if name != UNSCORED]
    given = evidence.outcomes.filter(pl.col("task") == task, pl.col("by") == "judge")
    judges = given["metric"].unique(maintain_order=True).to_list()
    return judges[0] if len(judges) == 1 else next(iter(scored), None)


def draw_project(
    folder: Path,
    population: Population,
    form: Form,
    draw: LabelDraw,
    check: RaterChecks,
    *,
    sources: tuple[str, ...],
    raters: Sequence[str],
    reading: ReadOptions | None,
    choices: Mapping[str, str],
) -> LabelProject:
    """Draw, make everybody's list, and write the project.

    Args:
        folder: where.
        population: what can be drawn.
        form: what is asked.
        draw: what is drawn, and how.
        check: how raters are trained and checked.
        sources: what the answers are of.
        raters: who labels.
        reading: how the sources were read.
        choices: what the caller chose, by option.

    Raises:
        UsageError: choices that do not fit each other or the answers.
        InputError: known labels that cannot be read, or answers of which nothing is kept.
    """
    from aliquot.labelling.drawing import assign
    from aliquot.labelling.label_project import make_project, places_of
    from aliquot.labelling.project import check_names

    names = check_names(raters)
    known = _known(population, form, check)
    drawn = _draw(population, form, draw, without=list(known))
    order = [*drawn.chances, *known]
    number = {place: at for at, place in enumerate(order)}
    answers = [
        _completed(population.shown(place, form), drawn.chances.get(place), known.get(place))
        for place in order
    ]
    if not any(one.readable for one in answers):
        raise InputError("keeps no answers, so there is nothing to label", file=", ".join(sources))
    mark, training, mixed = _trained(check, [number[place] for place in known], seed=drawn.seed)
    overlap = _overlap(check, names, n=len(drawn.chances))
    lists = assign(
        [[number[place] for place in group] for group in drawn.groups],
        names,
        overlap=overlap,
        repeats=check.repeats,
        known=mixed,
        pairs=form.pairwise,
        seed=drawn.seed,
    )
    places = {
        name: places_of((one.answer, one.role, one.swapped) for one in mine) for name, mine in lists.items()
    }
    project = msgspec.structs.replace(
        _project(population, drawn, sources, known=len(known)),
        overlap=overlap,
        repeats=check.repeats,
        training=check.train,
        pass_mark=mark,
        reading=reading,
        choices=dict(choices),
    )
    return make_project(folder, project, form, answers, places, training=training)


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What was drawn.

    Attributes:
        chances: place of each answer → the probability with which it was drawn.
        groups: the places of answers that stay together.
        unit: what was drawn together.
        how: in words.
        half_width: the half width that is wanted.
        seed: seed of everything.
    """

    chances: Mapping[int, float]
    groups: Sequence[Sequence[int]]
    unit: Literal["answers", "items", "pairs"]
    how: str
    half_width: float | None
    seed: int


def _project(population: Population, drawn: _Drawn, sources: tuple[str, ...], *, known: int) -> Project:
    """Return the project of what was drawn; how raters are checked is not settled yet."""
    from aliquot.labelling.project import Project

    return Project(
        id=secrets.token_hex(6),
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        sources=sources,
        seed=drawn.seed,
        drawn=drawn.how,
        n=len(drawn.chances),
        of=len(population.answers) - known,
        unit=drawn.unit,
        left_out=population.left_out,
        half_width=drawn.half_width,
        metric=population.metric,
        cells=population.cells,
        task=population.task if population.tasks > 1 else None,
    )


def _draw(population: Population, form: Form, draw: LabelDraw, *, without: Sequence[int]) -> _Drawn:
    from aliquot.labelling.drawing import draw_units

    seed = DEFAULT_SEED if draw.seed is None else draw.seed
    unit = _unit(population, form, draw)
    units = population.units(unit, without=without)
    counts, wanted = _counts(population, draw)
    size = sum(len(one.members) for one in units) / max(1, len(units))
    n = _how_many(draw, counts, of=round(len(units) * size))
    found = draw_units(units, max(1, round(n / size)), seed=seed, counts=counts)
    return _Drawn(
        chances={place: chance for at, chance in found.items() for place in units[at].members},
        groups=[units[at].members for at in found],
        unit=unit,
        how=_drawn_by(draw, counts),
        half_width=wanted,
        seed=seed,
    )


def _trained(check: RaterChecks, known: Sequence[int], *, seed: int) -> tuple[float, list[int], list[int]]:
    """Return the pass mark, the answers of the training round, and those that are mixed in unmarked."""
    from aliquot.analysis.margins import share_of
    from aliquot.labelling.project import ROUND

    mixed = [known[at] for at in np.random.default_rng([seed, 4]).permutation(len(known)).tolist()]
    if not 0 <= check.train <= min(len(mixed), ROUND - 1):
        raise UsageError(
            f"a training round of {check.train} needs as many answers with known labels; there are {len(mixed)}"
        )
    mark = share_of(check.pass_mark)
    if not 0 < mark <= 1:
        raise UsageError(
            f"a pass mark is a share of the training above 0 and up to 1 (80%, 0.8); got {check.pass_mark}"
        )
    return mark, mixed[: check.train], mixed[check.train :]


def _completed(answer: Answer, probability: float | None, known: Mapping[str, str] | None) -> Answer:
    return msgspec.structs.replace(answer, probability=probability, known=dict(known or {}))


def _known(population: Population, form: Form, check: RaterChecks) -> dict[int, dict[str, str]]:
    from aliquot.labelling.population import known_answers
    from aliquot.readers.labels import read_labels

    if check.known is None:
        return {}
    told = check.known if isinstance(check.known, Labels) else read_labels(Path(check.known))
    return known_answers(population, joined(told, population.evidence), form)


def _unit(population: Population, form: Form, draw: LabelDraw) -> Literal["answers", "items", "pairs"]:
    from aliquot.labelling.population import BY_SYSTEM, BY_VERDICT

    if form.pairwise:
        return "pairs"
    alone = draw.by in {BY_VERDICT, BY_SYSTEM} or bool(draw.labels)
    if draw.unit == "items" and alone:
        raise UsageError(f"answers drawn by {draw.by or 'the plan'} are drawn one by one, and not by item")
    several = len({one.system for one in population.answers}) > 1
    return draw.unit or ("items" if several and not alone else "answers")


def _counts(population: Population, draw: LabelDraw) -> tuple[dict[str, int] | None, float | None]:
    """Return how many answers of each stratum the plan wants, and the half width; None for shares in proportion."""
    from aliquot.analysis.margins import margin_on
    from aliquot.labelling.population import BY_VERDICT, SEPARATOR
    from aliquot.verbs.plan import RATE

    wanted = margin_on(RATE, draw.half_width)
    if not draw.labels:
        return None, wanted
    if wanted is None or draw.by != BY_VERDICT:
        raise UsageError(
            "labels at hand say where further ones help most: name --half-width and --by verdict"
        )
    from aliquot.analysis.judged import judged_answers
    from aliquot.analysis.label_design import VERDICTS, LabelWish, design_labels
    from aliquot.analysis.scales import scale_of
    from aliquot.evidence.passing import as_passes, passing_of
    from aliquot.stats.results import Undefined
    from aliquot.verbs.labels import people_labels

    told = people_labels(population.evidence, draw.labels).about(None)
    labels = as_passes(told, passing_of(None, draw.passes))
    metric = population.metric or ""
    if scale_of(population.evidence, metric).kind != "binary":
        raise UsageError(
            f"{metric!r} is graded, and the plan goes by verdicts that pass or fail: say from which score on they "
            f"pass, --metric '\"{metric}\" >= SCORE'"
        )
    judged = judged_answers(population.evidence, labels, metric=metric, task=population.task)
    counts: dict[str, int] = {}
    for one in design_labels(judged, LabelWish(half_width=wanted)):
        if isinstance(one.labels, Undefined):
            raise UsageError(f"{one.system}: {one.labels.reason}")
        for cell in one.cells:
            verdict = next(value for value, name in VERDICTS.items() if name == cell.verdict)
            counts[f"{one.system}{SEPARATOR}{'none' if verdict is None else verdict}"] = cell.labels
    return counts, wanted


def _how_many(draw: LabelDraw, counts: Mapping[str, int] | None, *, of: int) -> int:
    from aliquot.analysis.margins import margin_on
    from aliquot.stats.label_plan import plan_labels
    from aliquot.stats.results import Undefined
    from aliquot.verbs.plan import RATE

    if counts is not None:
        return max(1, sum(counts.values()))
    if draw.n is not None:
        return count_of(amount_of(draw.n), of=of)
    wanted = margin_on(RATE, draw.half_width)
    if wanted is None:
        return min(N, of)
    plan = plan_labels(2 * wanted, [1.0], [0.5], judged=of, neyman=False)
    if isinstance(plan, Undefined):
        raise UsageError(f"a half width of {100 * wanted:.1f} points cannot be had here: {plan.reason}")
    return min(of, plan.labels)


def _overlap(check: RaterChecks, raters: Sequence[str], *, n: int) -> int:
    if check.overlap is None:
        return 0 if len(raters) == 1 else min(n, max(OVERLAP, n // 4))
    if str(check.overlap).strip() in {"0", "0%"}:
        return 0
    return count_of(amount_of(check.overlap), of=n)


def _drawn_by(draw: LabelDraw, counts: Mapping[str, int] | None) -> str:
    if counts is not None:
        return "by verdict, where the plan says that labels help most"
    return f"at random within each {draw.by}" if draw.by else "at random"
