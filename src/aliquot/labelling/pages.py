"""The pages of raters and of the owner, as HTML; texts of items come as data and are never markup."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import Markup

from aliquot.labelling.enough import Enough
from aliquot.labelling.form import Form, options_of
from aliquot.labelling.live import RaterState, State
from aliquot.labelling.project import Project, Rater
from aliquot.reports.html import page_of
from aliquot.reports.page import page_environment
from aliquot.reports.page_content import Page

ASSETS: Final = {
    "page.css": ("aliquot.reports", "text/css; charset=utf-8"),
    "label.css": ("aliquot.labelling", "text/css; charset=utf-8"),
    "label.js": ("aliquot.labelling", "text/javascript; charset=utf-8"),
    "owner.js": ("aliquot.labelling", "text/javascript; charset=utf-8"),
}
"""The files a page may ask for, with the package each comes from."""

LISTED: Final = 200
"""Disagreements shown on the owner's page."""


@cache
def asset(name: str) -> bytes:
    """Return a file of the page."""
    return (files(ASSETS[name][0]) / "templates" / name).read_bytes()


def label_page(project: Project, form: Form, rater: Rater, work: dict[str, Any]) -> bytes:
    """Return the page of a rater, the first answers with it."""
    boot = {"project": project.id, "rater": rater.name, "form": form_data(form), "work": work}
    page = _environment().get_template("label.html.j2")
    return page.render(rater=rater, boot=_json(boot), settles=rater.role == "adjudicator").encode()


def form_data(form: Form) -> dict[str, Any]:
    """Return a form as a page reads it."""
    questions: list[dict[str, Any]] = []
    for one in form.questions:
        held: dict[str, Any] = {
            "name": one.name,
            "kind": one.kind,
            "asks": one.asks,
            "options": options_of(one),
        }
        judge = one.judge
        if one.kind == "number" and judge is not None and judge.scale is not None:
            scale = judge.scale
            held |= {"low": scale.low, "high": scale.high, "step": "any" if scale.continuous else 1}
            held["says"] = [f"{number}: {says}" for number, says in scale.levels if says]
        questions.append(held)
    return {"rubric": form.rubric, "questions": questions}


def owner_page(
    project: Project,
    state: State,
    *,
    tables: Sequence[str],
    settle: str,
    links: Sequence[tuple[str, str]],
    here: str,
) -> bytes:
    """Return the page of whoever started it: progress, agreement, what differs, and the tables.

    Args:
        project: what it is about.
        state: how it stands.
        tables: names of the tables that can be fetched.
        settle: the link under which disagreements are settled.
        links: of each rater the name and the link.
        here: the path of this page.
    """
    page = _environment().get_template("owner.html.j2")
    return page.render(
        project=project,
        state=state,
        raters=[_rater_row(one) for one in state.raters if one.role == "rater"],
        agreements={name: _without_list(page_of(found)) for name, found in state.agreement.items()},
        differing=state.differing[:LISTED],
        open=sum(one.settled is None for one in state.differing),
        left_out=max(0, len(state.differing) - LISTED),
        enough=[enough_line(one) for one in state.enough],
        tables=tables,
        settle=settle,
        links=links,
        here=here,
    ).encode()


def _without_list(page: Page) -> Page:
    """Return the page without its list of disagreements: the owner's page has one of its own."""
    return replace(
        page,
        lead=tuple(one for one in page.lead if not str(getattr(one, "title", "")).startswith("They differ")),
    )


def _rater_row(one: RaterState) -> dict[str, str]:
    return {
        "name": one.name,
        "done": f"{one.done} of {one.total}" if one.training is None else f"training, round {one.training}",
        "left": "" if one.minutes is None or one.done == one.total else f"{max(1, round(one.minutes))} min",
        "skipped": str(one.skipped),
        "unsure": str(one.unsure),
        "known": f"{one.known[0]} of {one.known[1]}" if one.known[1] else "",
        "repeated": f"{one.repeated[0]} of {one.repeated[1]}" if one.repeated[1] else "",
    }


def enough_line(one: Enough) -> str:
    """Return whether there are labels enough, as a sentence.

    Examples:
        >>> enough_line(Enough("main", 80, 0.093, 0.05, 285, judged=False))
        'main: 80 labels give ±9.3 points; the ±5.0 wanted take about 285.'
    """
    kind = "labels correct the judge to" if one.judged else "labels give"
    text = f"{one.system}: {one.labelled} {kind} ±{100 * one.half_width:.1f} points"
    if one.wanted is None:
        return f"{text}."
    if one.done:
        return f"{text}: enough for the ±{100 * one.wanted:.1f} wanted."
    if one.needed is None:
        return f"{text}; a label on every answer does not give the ±{100 * one.wanted:.1f} wanted."
    return f"{text}; the ±{100 * one.wanted:.1f} wanted take about {max(one.needed, one.labelled + 1)}."


@cache
def _environment() -> Environment:
    ours = page_environment()
    loader = ChoiceLoader(
        [PackageLoader("aliquot.labelling", "templates"), PackageLoader("aliquot.reports", "templates")]
    )
    return ours.overlay(loader=loader)


def _json(value: object) -> Markup:
    """Return JSON that no HTML parser takes for anything else."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704 - no character of it is markup any more
