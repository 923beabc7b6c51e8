"""How a project stands, in lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from aliquot.findings.agreement_words import write_coefficient
from aliquot.findings.numbers import write_count
from aliquot.labelling.form import Form
from aliquot.labelling.live import FEWEST_SHARED, State
from aliquot.labelling.project import Project
from aliquot.stats.results import Undefined


def drawn_lines(project: Project, form: Form, *, listen: str) -> Iterator[str]:
    """Yield what was drawn, what is hidden, and who can see it."""
    noun = "pairs" if project.unit == "pairs" else "answers"
    alike = ", all answers to an item together" if project.unit == "items" else ""
    task = f" of task {project.task}" if project.task is not None else ""
    left = f" {project.left_out} answers are not there to be read." if project.left_out else ""
    questions = write_count(len(form.questions), "question")
    kept = f"(seed {project.seed}, kept with the labels)"
    yield (
        f"{project.n} of {project.of} {noun}{task} drawn {project.drawn}{alike} {kept}.{left} "
        f"Rubric {form.rubric}, {questions}."
    )
    where = (
        "Nothing leaves this machine."
        if listen == "loopback"
        else "Whoever has a link can label, in this network."
    )
    sides = " Sides are balanced." if project.unit == "pairs" else ""
    yield f"Hidden: system, judge verdict, cost. Order differs by rater.{sides} {where}"


def status_line(state: State, now: datetime) -> str:
    """Return how everybody stands, and how far they agree, on one line."""
    raters = [one for one in state.raters if one.role == "rater"]
    shown = raters if len(raters) <= 6 else raters[:5]
    told = [f"{one.name} training" if one.training else f"{one.name} {one.done}/{one.total}" for one in shown]
    if len(shown) < len(raters):
        rest = raters[len(shown) :]
        told.append(f"{len(rest)} more {sum(one.done for one in rest)}/{sum(one.total for one in rest)}")
    return "   ".join([f"{now:%H:%M}  {'  '.join(told)}", *_agreement(state)])


def _agreement(state: State) -> Iterator[str]:
    for question, found in state.agreement.items():
        named = f"{question}: " if len(state.agreement) > 1 else ""
        if isinstance(found.observed, Undefined):
            continue
        if len(found.raters) == 2:
            yield f"{named}agree {round(found.observed.point * found.n_shared)} of {found.n_shared}"
        else:
            yield f"{named}agree {100 * found.observed.point:.0f}%"
        main = found.coefficients[0]
        if found.n_shared < FEWEST_SHARED:
            yield f"kappa not yet ({write_count(found.n_shared, 'shared answer')})"
        elif isinstance(main.estimate, Undefined):
            yield f"{main.title} undefined ({main.estimate.reason})"
        else:
            yield f"{main.title} {write_coefficient(main.estimate)}"


def written_lines(folder: str, rows: Mapping[str, int]) -> Iterator[str]:
    """Yield what was written where."""
    told = ", ".join(f"{name} ({write_count(count, 'row')})" for name, count in rows.items())
    yield f"Written to {folder}: {told}."
