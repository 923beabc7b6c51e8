"""One door to every rendering: a finding and a form in, text out."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from aliquot.errors import UsageError, nearest
from aliquot.findings.comparison import Comparison
from aliquot.findings.finding import Finding
from aliquot.findings.redaction import shareable
from aliquot.reports.charts import Chart
from aliquot.reports.sheets import sheet_of

Form: TypeAlias = Literal["text", "markdown", "json", "html", "csv", "latex", "junit"]


def render(finding: Finding, *, form: str = "text", verbose: bool = False) -> str:
    """Return a finding in one of the forms ``text``, ``markdown``, ``json``, ``html``, ``csv``, ``latex``, ``junit``.

    Args:
        finding: the finding, of any kind.
        form: the form.
        verbose: for ``text`` and ``latex``: everything, not the first lines.

    Raises:
        UsageError: an unknown form.
    """
    if form not in get_args(Form):
        raise UsageError(f"unknown form {form!r}. {nearest(form, get_args(Form))}")
    if form in {"markdown", "latex"}:  # these are forwarded: names and numbers only
        finding = shareable(finding)
    if form in {"json", "csv", "latex", "junit"}:
        return _for_machines(finding, form=form, verbose=verbose)
    if form == "html":
        from aliquot.reports.html import render_html  # noqa: PLC0415 - Jinja2 is loaded for a page only

        return render_html(finding)
    if isinstance(finding, Comparison):
        return _comparison(finding, form=form, verbose=verbose)
    return _sheet(finding, form=form, verbose=verbose)


def charts_of(finding: Finding) -> tuple[Chart, ...]:
    """Return the pictures of a finding, in reading order."""
    if isinstance(finding, Comparison):
        from aliquot.reports.comparison_charts import beside_charts, difference_charts  # noqa: PLC0415 - as above

        return (*difference_charts(finding), *beside_charts(finding))
    return sheet_of(finding).charts


def _for_machines(finding: Finding, *, form: str, verbose: bool) -> str:
    """Return a form that is made of any kind alike."""
    match form:
        case "json":
            import json  # noqa: PLC0415 - only the form asked for is loaded

            from aliquot.findings.document import finding_document  # noqa: PLC0415 - as above

            return json.dumps(finding_document(finding), indent=2, allow_nan=False) + "\n"
        case "csv":
            from aliquot.reports.spreadsheet import render_csv  # noqa: PLC0415 - as above

            return render_csv(finding)
        case "latex":
            from aliquot.reports.latex import render_sheet_latex  # noqa: PLC0415 - as above

            return render_sheet_latex(sheet_of(finding), command=finding.command, verbose=verbose)
        case _:
            from aliquot.reports.junit import render_junit  # noqa: PLC0415 - as above

            return render_junit(finding)


def _comparison(comparison: Comparison, *, form: str, verbose: bool) -> str:
    if form == "markdown":
        from aliquot.reports.markdown import render_markdown  # noqa: PLC0415 - only the form asked for is loaded

        return render_markdown(comparison)
    from aliquot.reports.terminal import render_terminal  # noqa: PLC0415 - as above

    return render_terminal(comparison, verbose=verbose)


def _sheet(finding: Finding, *, form: str, verbose: bool) -> str:
    if form == "markdown":
        from aliquot.reports.sheet_markdown import render_sheet_markdown  # noqa: PLC0415 - as above

        return render_sheet_markdown(sheet_of(finding), command=finding.command)
    from aliquot.reports.sheet_terminal import render_sheet  # noqa: PLC0415 - as above

    return render_sheet(sheet_of(finding), verbose=verbose)
