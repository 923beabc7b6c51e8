"""A table of published figures held against rows, and against arithmetic where there are none."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from aliquot.analysis.label_rows import LabelRows
from aliquot.analysis.verify_claimed import Claimed, check_claimed_error, check_items, check_mean
from aliquot.analysis.verify_figures import Figure, check_error, check_figures, read_figures
from aliquot.analysis.verify_kappa import KAPPA, check_kappa
from aliquot.analysis.verify_length import A_FIT, ERROR, RATE, check_length_error
from aliquot.analysis.verify_statistics import BRIER_PARTS, check_brier_parts, check_pass_at
from aliquot.errors import InputError, nearest
from aliquot.evidence.contents import headline_metric, metrics, require, systems, tasks
from aliquot.evidence.tables import Evidence
from aliquot.files.tables import Table
from aliquot.findings.verification import Check

MAX_CLAIMS = 100_000
"""Rows of a table of claims."""

MAX_ITEMS = 1_000_000_000
"""Items a claim may rest on."""

MEAN = "mean"

MEANS = (MEAN, "accuracy", "pass_rate", "win_rate")
"""Names under which a mean of the items is published."""

PASS_AT = re.compile(r"pass@(\d{1,4})")


def check_claims(
    table: Table, evidence: Evidence | None, *, file: str, rows: LabelRows | None = None
) -> Iterator[Check]:
    """Return a check of each claim.

    Args:
        table: columns ``system`` and ``value``, and where they are known ``task``, ``metric``, ``n``, ``stderr`` and
            ``statistic``: ``mean`` (the default; also ``accuracy``, ``pass_rate``, ``win_rate``), ``pass@k``,
            ``length_controlled_winrate``, the parts of a Brier score (``brier``,
            ``reliability``, ``resolution``, ``uncertainty``), or ``kappa`` with ``rater_a`` and ``rater_b``.
        evidence: the rows the claims are about; None to check arithmetic alone.
        file: the table's name, for messages.
        rows: the rows that claims of kappa are about, as labels.

    Raises:
        InputError: no such columns, too many rows, or a value that is no rate.
        UsageError: a system, task or metric the rows do not have.
    """
    claims = _claims(table, file=file)
    for statistic in dict.fromkeys(_statistic(cells) for cells in claims):
        places = [place for place, cells in enumerate(claims) if _statistic(cells) == statistic]
        if statistic in BRIER_PARTS:
            continue
        if statistic in (RATE, ERROR):
            yield from (c for place in places for c in _length_controlled(claims[place], row=place + 1))
        elif statistic in KAPPA:
            yield from (check_kappa(claims[place], rows, file=file, row=place + 1) for place in places)
        elif statistic in MEANS or PASS_AT.fullmatch(statistic):
            figures = read_figures([claims[place].get("value", "") for place in places])
            for place, figure in zip(places, figures, strict=True):
                yield from _check(claims[place], figure, evidence, file=file, row=place + 1)
        else:
            yield from (_unknown(claims[place], row=place + 1) for place in places)
    yield from check_brier_parts(claims, file=file)


def asks_for_labels(table: Table) -> bool:
    """Return whether a claim is about labels in two columns of the rows."""
    return any(str(cell).strip().lower() in KAPPA for cell in table.columns.get("statistic", ()))


def asks_for_values(table: Table) -> bool:
    """Return whether a claim is about values of systems."""
    named = table.columns.get("statistic", [None] * table.height)
    return any(
        str(cell or MEAN).strip().lower() in MEANS or PASS_AT.fullmatch(str(cell).strip().lower())
        for cell in named
    )


def _claims(table: Table, *, file: str) -> list[dict[str, str]]:
    """Return each claim as its cells that are not empty."""
    columns = table.columns
    if "value" not in columns:
        raise InputError(
            "has no column 'value'", file=file, remedy="Columns: system, value, and task, metric, n, stderr"
        )
    if table.height > MAX_CLAIMS:
        raise InputError(f"holds more than {MAX_CLAIMS:,} claims", file=file)
    return [
        {name: str(column[row]) for name, column in columns.items() if column[row] is not None}
        for row in range(table.height)
    ]


def _length_controlled(cells: Mapping[str, str], *, row: int) -> Iterator[Check]:
    claim, value = f"{_name(cells, row=row)}, {_statistic(cells)}", cells.get("value", "")
    if _statistic(cells) == ERROR:
        yield check_length_error(claim, value)
        return
    yield Check(claim, value, "", "not_checked", A_FIT)
    if "stderr" in cells:
        yield check_length_error(f"{claim}, stderr", cells["stderr"])


def _unknown(cells: Mapping[str, str], *, row: int) -> Check:
    statistic = _statistic(cells)
    known = nearest(statistic, [*MEANS, "pass@k", RATE, *BRIER_PARTS, *KAPPA])
    cause = f"{statistic[:40]!r} is no statistic that is known here. {known}"
    return Check(
        f"{_name(cells, row=row)}, {statistic[:40]}", cells.get("value", ""), "", "not_checked", cause
    )


def _name(cells: Mapping[str, str], *, row: int) -> str:
    return ", ".join(cells[name] for name in ("system", "task", "metric") if name in cells) or f"row {row}"


def _statistic(cells: Mapping[str, str]) -> str:
    return cells.get("statistic", MEAN).strip().lower()


def _check(
    cells: Mapping[str, str], figure: Figure, evidence: Evidence | None, *, file: str, row: int
) -> Iterator[Check]:
    claim = _name(cells, row=row)
    n = _whole(cells.get("n"), file=file, row=row)
    pass_at = PASS_AT.fullmatch(_statistic(cells))
    rows = _chosen(cells, evidence) if evidence is not None and "system" in cells else None
    if pass_at is not None and rows is not None:
        yield check_pass_at(rows.sample, figure, k=int(pass_at[1]), claim=f"{claim}, pass@{pass_at[1]}")
    elif pass_at is not None:
        yield Check(claim, figure.text, "", "not_checked", "pass@k is checked against rows only")
    elif rows is not None:
        yield check_mean(rows, figure, claim=claim)
    elif n is not None:
        yield check_figures([figure], n=n)[0][0]
    else:
        yield Check(claim, figure.text, "", "not_checked", "neither rows nor a number of items")
    if rows is not None and n is not None:
        yield from check_items(rows, n, claim=claim)
    if "stderr" in cells:
        value, half = _error(cells["stderr"], figure, file=file, row=row)
        if rows is not None and pass_at is None:
            yield check_claimed_error(rows, value, claim=f"{claim}, stderr", half=half)
        else:
            yield check_error(f"{claim}, stderr", figure.rate, value, n, half=half)


def _error(text: str, figure: Figure, *, file: str, row: int) -> tuple[float, float]:
    """Return a printed error as a share, and half a unit of its last digit; it is in the units of its rate."""
    written = text.strip().removesuffix("%").strip()
    try:
        value = float(written)
    except ValueError:
        value = -1.0
    if not 0 <= value < math.inf:
        raise InputError(f"{text!r} is no standard error", file=file, row=row, field="stderr")
    percent = text.strip().endswith("%") or figure.percent
    scale = 100.0 if percent else 1.0
    return value / scale, 0.5 * 10.0 ** -len(written.partition(".")[2]) / scale


def _chosen(cells: Mapping[str, str], evidence: Evidence) -> Claimed:
    """Return the rows a claim is about."""
    system = cells["system"]
    require(system, systems(evidence), what="system")
    task = cells.get("task") or tasks(evidence, system=system)[0]
    require(task, tasks(evidence, system=system), what="task")
    metric = cells.get("metric") or headline_metric(evidence, task)
    require(metric, metrics(evidence, task, system=system), what="metric")
    return Claimed.of(evidence, system, task=task, metric=metric)


def _whole(text: str | None, *, file: str, row: int) -> int | None:
    if text is None:
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not (1 <= number <= MAX_ITEMS and number == int(number)):
        raise InputError(f"{text!r} is no number of items", file=file, row=row, field="n")
    return int(number)
