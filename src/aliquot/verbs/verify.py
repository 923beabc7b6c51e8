"""``verify``: printed numbers held against their rows, or against arithmetic alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from aliquot.analysis.label_rows import LabelRows
from aliquot.analysis.software import versions
from aliquot.analysis.verify_claims import asks_for_labels, asks_for_values, check_claims
from aliquot.analysis.verify_figures import check_figures, read_figures
from aliquot.analysis.verify_ranks import remark_item_sets
from aliquot.analysis.verify_rows import remark_on_deviations, verify_rows
from aliquot.errors import UsageError
from aliquot.evidence.tables import Evidence
from aliquot.files.tables import read_table
from aliquot.findings.verification import Check, Verification
from aliquot.findings.verification_words import write_verification
from aliquot.readers.options import ReadOptions
from aliquot.verbs.read import load
from aliquot.verbs.reproduce import command_line


def verify(
    *sources: str | Path | Evidence,
    figures: Sequence[str] = (),
    n: int | None = None,
    claims: str | Path | None = None,
    options: ReadOptions | None = None,
) -> Verification:
    """Recompute what was printed: by a log's own tool, in a table of claims, or as bare figures.

    Args:
        *sources: logs whose tools printed numbers, or whose rows the claims are about.
        figures: printed rates (``"22.4"``, ``"52.0%"``), checked against ``n`` alone.
        n: the number of items the figures are said to be out of.
        claims: a table with the columns ``system``, ``value`` and, where they are known, ``task``, ``metric``, ``n``,
            ``stderr``, ``statistic``; values as printed. A ``kappa`` names two columns of a source in ``rater_a``
            and ``rater_b``, and the rows it is of by further columns of that source.
        options: how the sources are read.

    Returns:
        The finding; ``reports.render`` prints it.

    Raises:
        UsageError: nothing to verify, or figures without ``n``.
        InputError: a source or table that cannot be read.

    Examples:
        >>> found = verify(figures=["22.4", "27.2", "52.0"], n=124)
        >>> found.verdict.text
        'NOT AS PRINTED: 3 of 3 numbers cannot be.'
        >>> found.remarks[0]
        'All 3 fit 125 items (28, 34, 65). Another split, or means over runs? Ask.'
    """
    if figures and n is None:
        raise UsageError("figures need the number of items they are out of: --n 124 22.4 27.2")
    if not (sources or figures or claims):
        raise UsageError("there is nothing to verify: give a log, --claims FILE, or --n ITEMS and figures")
    checks: list[Check] = []
    remarks: tuple[str, ...] = ()
    if figures and n is not None:
        found, remarks = check_figures(read_figures(figures), n=n)
        checks += found
    if claims is not None:
        checks += _of_claims(claims, sources, options)
    elif sources:
        evidence = load(sources, options=options)
        checks += verify_rows(evidence)
        remarks = (*remarks, *remark_on_deviations(evidence), *remark_item_sets(evidence))
    return Verification(
        checks=tuple(checks),
        remarks=remarks,
        warnings=(),
        verdict=write_verification(checks, remarks),
        versions=versions(),
        command=command_line("verify", [*sources, *figures], {"--n": n, "--claims": claims}, reading=options),
    )


def _of_claims(
    claims: str | Path, sources: Sequence[str | Path | Evidence], options: ReadOptions | None
) -> Iterator[Check]:
    """Return the checks of a table of claims; sources are read as values, as labels or as both, as it asks."""
    table = read_table(Path(claims))
    evidence = load(sources, options=options) if sources and asks_for_values(table) else None
    rows = _labels(sources, options) if sources and asks_for_labels(table) else None
    return check_claims(table, evidence, file=str(claims), rows=rows)


def _labels(sources: Sequence[str | Path | Evidence], options: ReadOptions | None) -> LabelRows:
    chosen = options or ReadOptions()
    if any(isinstance(source, Evidence) for source in sources):
        raise UsageError("kappa is recomputed from two columns of a table: give its path, not evidence")
    tables = [
        read_table(Path(source), delimiter=chosen.delimiter, encoding=chosen.encoding)
        for source in sources
        if not isinstance(source, Evidence)
    ]
    return LabelRows(tables, missing=chosen.missing)
