"""``verify``: printed numbers held against their rows, or against arithmetic alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aliquot.analysis.software import versions
from aliquot.analysis.verify_claims import check_claims
from aliquot.analysis.verify_figures import check_figures, read_figures
from aliquot.analysis.verify_ranks import remark_item_sets
from aliquot.analysis.verify_rows import verify_rows
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
            ``stderr``; values as printed.
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
    evidence = load(sources, options=options) if sources else None
    if evidence is not None and claims is None:
        checks += verify_rows(evidence)
        remarks = (*remarks, *remark_item_sets(evidence))
    if claims is not None:
        checks += check_claims(read_table(Path(claims)), evidence, file=str(claims))
    return Verification(
        checks=tuple(checks),
        remarks=remarks,
        warnings=(),
        verdict=write_verification(checks, remarks),
        versions=versions(),
        command=command_line("verify", [*sources, *figures], {"--n": n, "--claims": claims}, reading=options),
    )
