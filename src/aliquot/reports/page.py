"""One self-contained HTML page: it opens from disk, prints, asks for nothing, and everything from logs is inert."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from aliquot.reports.charts import Curves, Intervals, Plane
from aliquot.reports.drawing import draw
from aliquot.reports.inert_text import anchor, inert_lines
from aliquot.reports.page_content import Bullets, Commands, Names, Page, Part
from aliquot.reports.plain import neutralise
from aliquot.reports.sheet import Grid

if TYPE_CHECKING:
    from aliquot.reports.items_view import ItemsView

_LONGEST_TEXT = 2000
"""Characters of any one text in the page, but for the texts of items."""


def render_page(page: Page, *, methods: Sequence[str] = (), items: ItemsView | None = None) -> str:
    """Return a page.

    Its policy lets nothing in: no request, no script but the one that shows the items, by its hash. Without items
    there is none.

    Args:
        page: the finding.
        methods: sentences on the methods, with their citations.
        items: the items behind the finding.
    """
    style, script = _asset("page.css"), _asset("items.js") if items is not None else ""
    return (
        page_environment()
        .get_template("page.html.j2")
        .render(
            page=page,
            sections=[section for section in page.sections if section.parts],
            methods=methods,
            items=items,
            style=Markup(style),  # noqa: S704 - our own file, not a log's text
            script=Markup(script),  # noqa: S704 - as above
            policy=Markup(_policy(style, script)),  # noqa: S704 - digests in base64
        )
    )


@cache
def _asset(name: str) -> str:
    return (files("aliquot.reports") / "templates" / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    allowed = [f"default-src 'none'; style-src '{_digest(style)}'"]
    allowed += [f"script-src '{_digest(script)}'"] if script else []
    return "; ".join([*allowed, "base-uri 'none'", "form-action 'none'"])


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def page_environment() -> Environment:
    """Return the environment of our pages: everything is escaped, and what could act or hide is written out."""
    environment = Environment(
        loader=PackageLoader("aliquot.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_safe,
    )
    known: dict[str, Any] = environment.globals
    known |= {"draw": draw, "slug": _slug, "lines": _lines, "is_kind": _is_kind, "anchor": anchor}
    return environment


_KINDS: dict[str, Any] = {
    "grid": Grid,
    "chart": Intervals | Curves | Plane,
    "bullets": Bullets,
    "names": Names,
    "commands": Commands,
}


def _is_kind(part: Part, kind: str) -> bool:
    return isinstance(part, _KINDS[kind])


def _lines(text: str) -> Markup:
    """Return a long text with its lines, inert and escaped."""
    return escape(inert_lines(text))


def _slug(title: str) -> str:
    """Return a heading as the name of a place in the page.

    Examples:
        >>> _slug("What was the same, what differs")
        'what-was-the-same-what-differs'
    """
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _safe(value: object) -> object:
    """Neutralise control and bidirectional characters and bound the length of every text in the page."""
    return neutralise(value, limit=_LONGEST_TEXT) if type(value) is str else value
