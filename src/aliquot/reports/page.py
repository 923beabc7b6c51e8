"""One self-contained HTML page from a template: no script, no request, everything from logs escaped and bounded."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from aliquot.reports.plain import neutralise, short_name
from aliquot.reports.sheet import Grid

_LONGEST_TEXT = 2000
"""Characters of any one text in the page."""


def render_page(template: str, **values: Any) -> str:
    """Return a page that opens from disk, prints, and needs no script.

    Args:
        template: file name among the package's templates.
        **values: what the template shows.
    """
    style = (files("aliquot.reports") / "templates" / "page.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    environment = Environment(
        loader=PackageLoader("aliquot.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_safe,
    )
    environment.filters["short"] = short_name
    environment.tests["grid"] = _is_grid
    return environment.get_template(template).render(
        style=Markup(style),  # noqa: S704 - our own file, not a log's text
        style_hash=Markup(f"sha256-{digest}"),  # noqa: S704 - base64 of a digest
        **values,
    )


def _is_grid(value: object) -> bool:
    return isinstance(value, Grid)


def _safe(value: object) -> object:
    """Neutralise control and bidirectional characters and bound the length of every text in the page."""
    return neutralise(value, limit=_LONGEST_TEXT) if type(value) is str else value
