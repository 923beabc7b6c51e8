"""Everything that could be labelled: the answers of a log, or its pairs, with the strata they are drawn within."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import msgspec
import polars as pl

from aliquot.errors import InputError, UsageError, nearest
from aliquot.evidence.contents import require
from aliquot.evidence.contents import systems as systems_of
from aliquot.evidence.contents import tasks as tasks_of
from aliquot.evidence.derivation import with_metric
from aliquot.evidence.labels import ANSWER, Labels
from aliquot.evidence.status import MEASUREMENT_SIDE, resolve
from aliquot.evidence.tables import Evidence
from aliquot.labelling.drawing import Unit
from aliquot.labelling.form import Form
from aliquot.labelling.project import Answer, Cell
from aliquot.labelling.views import pack, view_of

UnitName: TypeAlias = Literal["answers", "items", "pairs"]

BY_VERDICT: Final = "verdict"
BY_SYSTEM: Final = "system"
SEPARATOR: Final = "\x1f"
"""Between the parts of a stratum's name."""


@dataclass(frozen=True, slots=True)
class Population:
    """What can be drawn.

    Attributes:
        answers: every answer, or pair, without what raters see.
        strata: the stratum of each.
        task: its task.
        tasks: how many tasks the log has.
        metric: the metric whose verdicts are kept, when there is one.
        left_out: answers that are not there to be read.
        evidence: where the texts are.
    """

    answers: tuple[Answer, ...]
    strata: tuple[str, ...]
    task: str
    tasks: int
    metric: str | None
    left_out: int
    evidence: Evidence

    @property
    def cells(self) -> tuple[Cell, ...]:
        """How many answers there are by system and verdict."""
        counts = Counter((one.system, one.verdict) for one in self.answers if one.other is None)
        return tuple(Cell(system, verdict, rows) for (system, verdict), rows in counts.items())

    def units(self, unit: UnitName, *, without: Sequence[int] = ()) -> list[Unit]:
        """Return what is drawn together: single answers and pairs, or all answers to an item."""
        left = set(without)
        places = [place for place in range(len(self.answers)) if place not in left]
        if unit != "items":
            return [Unit((place,), self.strata[place]) for place in places]
        groups: dict[tuple[str, str], list[int]] = {}
        for place in places:
            groups.setdefault((self.answers[place].task, self.answers[place].item), []).append(place)
        return [Unit(tuple(members), self.strata[members[0]]) for members in groups.values()]

    def shown(self, place: int, form: Form) -> Answer:
        """Return an answer with what raters see of it.

        Raises:
            InputError: a checklist of points that the item does not list.
        """
        one = self.answers[place]
        sides = [(one.system, one.attempt)]
        if one.other is not None:
            sides.append((one.other, one.other_attempt or 1))
        field = next((q.judge.each for q in form.questions if q.judge is not None and q.judge.each), None)
        view = view_of(self.evidence, one.task, one.item, sides, field=field)
        if field is not None and not view.points:
            raise InputError(
                f"item {one.item!r} lists no points in {field!r}",
                field=field,
                remedy="Give every item a list of texts there",
            )
        readable = any(view.answers)  # an empty text is an answer too
        return msgspec.structs.replace(one, view=pack(view), words=view.words, readable=readable)


def find_population(
    evidence: Evidence,
    *,
    systems: Sequence[str],
    task: str | None,
    metric: str | None,
    by: str | None,
    pairs: bool,
) -> Population:
    """Return what can be labelled.

    Args:
        evidence: with its texts.
        systems: only these systems; two of them make the pairs.
        task: the task; by default the first.
        metric: whose verdicts are kept beside the answers, for drawing and for what labels are worth; an expression
            such as ``score >= 4`` makes a rate of grades.
        by: ``verdict``, ``system`` or a field of the items; None for no strata.
        pairs: whether two answers are compared.

    Raises:
        UsageError: an unknown system, task or field; pairs of other than two systems.
        InputError: there is nothing to read.
    """
    evidence = with_metric(evidence, metric)
    known = tasks_of(evidence)
    task = task or known[0]
    require(task, known, what="task")
    for name in systems:
        require(name, systems_of(evidence), what="system")
    wanted = list(systems) or [
        name for name in systems_of(evidence) if task in tasks_of(evidence, system=name)
    ]
    if pairs and len(wanted) != 2:
        raise UsageError(f"pairs are of two systems, and there are {len(wanted)}. Name them: --systems A B")
    rows = evidence.rows("responses").filter(pl.col("task") == task, pl.col("system").is_in(wanted))
    frame = _with_verdicts(rows.select(*ANSWER, "status"), evidence, metric)
    frame = _with_strata(frame, evidence, by)
    there = frame.filter(
        pl.Series([_is_there(evidence, row) for row in frame.iter_rows(named=True)], dtype=pl.Boolean)
    )
    if there.is_empty():
        file = ", ".join(source.path for source in evidence.sources)
        raise InputError("keeps no answers, so there is nothing to label", file=file)
    answers, strata = _pairs(there, wanted) if pairs else _singles(there)
    if not answers:
        raise InputError(f"{wanted[0]} and {wanted[1]} share no item that both answered")
    return Population(answers, strata, task, len(known), metric, frame.height - there.height, evidence)


def _is_there(evidence: Evidence, row: Mapping[str, object]) -> bool:
    """Tell whether an answer can be read: it came, or its text is kept although no value is."""
    if evidence.texts is None:
        return False
    if row["status"] not in MEASUREMENT_SIDE:
        return True
    key = (str(row["system"]), str(row["task"]), str(row["item"]), int(str(row["attempt"])))
    return evidence.texts.response(*key) is not None


def _with_verdicts(frame: pl.DataFrame, evidence: Evidence, metric: str | None) -> pl.DataFrame:
    if metric is None:
        return frame.with_columns(verdict=pl.lit(None, dtype=pl.Float64))
    require(metric, evidence.metrics["metric"].to_list(), what="metric")
    found = resolve(evidence.rows("outcomes", metric=metric), evidence.rows("responses"), evidence.metrics)
    means = found.group_by(*ANSWER, maintain_order=True).agg(verdict=pl.col("value").mean())
    return frame.join(means, on=list(ANSWER), how="left", maintain_order="left")


def _with_strata(frame: pl.DataFrame, evidence: Evidence, by: str | None) -> pl.DataFrame:
    if by is None:
        return frame.with_columns(stratum=pl.lit(""))
    if by == BY_SYSTEM:
        return frame.with_columns(stratum=pl.col("system"))
    if by == BY_VERDICT:
        told = pl.col("verdict").cast(pl.String).fill_null("none")
        return frame.with_columns(stratum=pl.concat_str("system", told, separator=SEPARATOR))
    column = f"segment.{by}" if f"segment.{by}" in evidence.items.columns else by
    if column not in evidence.items.columns or column in {"task", "item", "content"}:
        fields = [name.removeprefix("segment.") for name in evidence.items.columns if "." in name]
        raise UsageError(f"the items have no field {by!r}. {nearest(by, [BY_VERDICT, BY_SYSTEM, *fields])}")
    fields = evidence.items.select("task", "item", stratum=pl.col(column).cast(pl.String).fill_null("none"))
    return frame.join(fields, on=["task", "item"], how="left", maintain_order="left")


def _singles(frame: pl.DataFrame) -> tuple[tuple[Answer, ...], tuple[str, ...]]:
    rows = list(frame.sort(*ANSWER).iter_rows(named=True))
    answers = (Answer(**{name: row[name] for name in (*ANSWER, "verdict")}) for row in rows)
    return tuple(answers), tuple(row["stratum"] for row in rows)


def _pairs(frame: pl.DataFrame, wanted: Sequence[str]) -> tuple[tuple[Answer, ...], tuple[str, ...]]:
    """Return each item that both answered, with the first attempt of each."""
    first = frame.sort(*ANSWER).unique(["system", "task", "item"], keep="first", maintain_order=True)
    a, b = (first.filter(pl.col("system") == name) for name in wanted)
    both = a.join(b.select("task", "item", other="attempt"), on=["task", "item"], how="inner").sort("item")
    answers = [
        Answer(task=task, item=item, system=wanted[0], attempt=attempt, other=wanted[1], other_attempt=other)
        for task, item, attempt, other in both.select("task", "item", "attempt", "other").iter_rows()
    ]
    return tuple(answers), tuple(both["stratum"])


def known_answers(population: Population, labels: Labels, form: Form) -> dict[int, dict[str, str]]:
    """Return for each answer whose right label is known, by place, what is right to each question.

    Args:
        population: the answers.
        labels: the right labels, with the key of the answers.
        form: the questions.

    Raises:
        UsageError: pairs.
        InputError: a label of a question that is not asked, or of an answer that cannot be labelled.
    """
    if form.pairwise:
        raise UsageError("known labels are of single answers; pairs are labelled without a training round")
    judged = [one.name for one in form.questions if one.judge is not None]
    places = {(one.system, one.task, one.item, one.attempt): at for at, one in enumerate(population.answers)}
    found: dict[int, dict[str, str]] = {}
    for row in labels.frame.iter_rows(named=True):
        name = row["metric"] if row["metric"] in judged else judged[0] if len(judged) == 1 else None
        if name is None:
            raise InputError(
                f"no question is called {row['metric']!r} ({row['place']})",
                remedy=f"Known: {', '.join(judged)}",
            )
        key = (row["system"], row["task"], row["item"], row["attempt"])
        if key not in places:
            raise InputError(
                f"the answer to {row['item']!r} is not among those that can be labelled ({row['place']})"
            )
        found.setdefault(places[key], {})[name] = row["label"]
    return found
