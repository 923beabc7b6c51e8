"""One door to every rendering: a finding and a form in, text out."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from aliquot.errors import UsageError, nearest
from aliquot.findings.comparison import Comparison
from aliquot.findings.document import comparison_document

Form: TypeAlias = Literal["text", "markdown", "json", "html"]


def render(comparison: Comparison, *, form: str = "text", verbose: bool = False) -> str:
    """Return a comparison in one of the forms ``text``, ``markdown``, ``json`` and ``html``.

    Args:
        comparison: the finding.
        form: the form.
        verbose: for ``text``: everything, not the first 15 lines.

    Raises:
        UsageError: an unknown form.
    """
    match form:
        case "text":
            from aliquot.reports.terminal import render_terminal  # noqa: PLC0415 - only the form asked for is loaded

            return render_terminal(comparison, verbose=verbose)
        case "markdown":
            from aliquot.reports.markdown import render_markdown  # noqa: PLC0415 - as above

            return render_markdown(comparison)
        case "json":
            import json  # noqa: PLC0415 - as above

            return json.dumps(comparison_document(comparison), indent=2, allow_nan=False) + "\n"
        case "html":
            from aliquot.reports.html import render_html  # noqa: PLC0415 - Jinja2 is loaded for a page only

            return render_html(comparison)
        case _:
            raise UsageError(f"unknown form {form!r}. {nearest(form, get_args(Form))}")
