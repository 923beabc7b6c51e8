"""Published values of Cohen's kappa held against two columns of labels, and the codings that give another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from aliquot.analysis.kappa_codings import Labels, codings
from aliquot.analysis.label_rows import LabelRows
from aliquot.errors import InputError, nearest
from aliquot.findings.verification import Check
from aliquot.stats.agreement import cohen_kappa
from aliquot.stats.agreement_records import Agreement
from aliquot.stats.results import Undefined

KAPPA = ("kappa", "cohen_kappa")
"""Names of the statistic in a table of claims."""

RATERS = ("rater_a", "rater_b")
"""Columns of a table of claims that name two columns of the rows."""

ABOUT_THE_CLAIM = frozenset({*RATERS, "value", "n", "stderr", "statistic", "note"})
"""Columns of a table of claims that choose no rows."""

_NUMBER = re.compile(r"[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})(e[+-]?\d{1,3})?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Printed:
    """A printed coefficient and half a unit of its last digit."""

    text: str
    value: float
    half: float

    def is_of(self, value: float) -> bool:
        return abs(value - self.value) <= self.half + 1e-12


def check_kappa(cells: Mapping[str, str], rows: LabelRows | None, *, file: str, row: int) -> Check:
    """Return a check of one published kappa.

    Args:
        cells: the claim: ``value``, ``rater_a`` and ``rater_b`` (columns of the rows), and any columns of the rows
            with what must stand in them.
        rows: the rows; None when there are none.
        file: the name of the table of claims, for messages.
        row: its row, for messages.

    Raises:
        InputError: no number, no such column, or no row that fits.
    """
    printed = _printed(cells.get("value", ""), file=file, row=row)
    chosen = {name: text for name, text in cells.items() if name not in ABOUT_THE_CLAIM}
    raters = " and ".join(cells[name] for name in RATERS if name in cells)
    claim = ", ".join([*chosen.values(), f"kappa of {raters}" if raters else "kappa"])
    if not -1 <= printed.value <= 1:
        return Check(claim, printed.text, "", "cannot_be", "kappa lies between -1 and 1")
    if rows is None:
        return Check(claim, printed.text, "", "not_checked", "kappa is checked against rows only")
    a, b = (_rater(name, cells, rows, file=file, row=row) for name in RATERS)
    for name in chosen:
        _known(name, rows, file=file, row=row, field=name)
    places = rows.find(chosen)
    if not places:
        wanted = ", ".join(f"{name} {text!r}" for name, text in chosen.items())
        raise InputError(f"no row has {wanted}", file=file, row=row)
    sides = [Labels(name, [rows.column(name)[place] for place in places]) for name in (a, b)]
    return _against(claim, printed, *sides)


def _rater(name: str, cells: Mapping[str, str], rows: LabelRows, *, file: str, row: int) -> str:
    if name not in cells:
        remedy = f"Name the two columns of labels: {nearest('', rows.names)}"
        raise InputError("kappa needs rater_a and rater_b", file=file, row=row, field=name, remedy=remedy)
    _known(cells[name], rows, file=file, row=row, field=name)
    return cells[name]


def _known(column: str, rows: LabelRows, *, file: str, row: int, field: str) -> None:
    if column not in rows.names:
        remedy = nearest(column, rows.names)
        raise InputError(
            f"the rows have no column {column!r}", file=file, row=row, field=field, remedy=remedy
        )


def _printed(text: str, *, file: str, row: int) -> _Printed:
    written = text.strip().replace("\N{MINUS SIGN}", "-")
    if not _NUMBER.fullmatch(written):
        raise InputError(f"{text!r} is no kappa; write 0.55", file=file, row=row, field="value")
    exponent = Decimal(written).as_tuple().exponent
    return _Printed(text.strip(), float(written), 0.5 * 10.0 ** int(exponent))


def _against(claim: str, printed: _Printed, a: Labels, b: Labels) -> Check:
    found = cohen_kappa(a.texts, b.texts, method="normal")
    expected = _expected(found, printed)
    if isinstance(found, Agreement) and printed.is_of(found.point):
        cause = "" if found.interval or found.observed == 1 else _idle(a, b)
        return Check(claim, printed.text, expected, "explained" if cause else "fits", cause)
    for coding in codings(a, b):
        if (value := coding.value()) is not None and printed.is_of(value):
            outcome = "explained" if coding.defensible else "differs"
            return Check(claim, printed.text, expected, outcome, coding.cause)
    if isinstance(found, Undefined):
        return Check(claim, printed.text, "undefined", "cannot_be", found.reason)
    return Check(claim, printed.text, expected, "differs", "no coding of the labels that was tried gives it")


def _expected(found: Agreement | Undefined, printed: _Printed) -> str:
    if isinstance(found, Undefined):
        return "undefined"
    decimals = min(6, max(2, -int(Decimal(str(printed.half)).adjusted()) - 1))
    left = f", {found.left_out} without a label left out" if found.left_out else ""
    return f"{found.point:.{decimals}f} over {found.n} rows{left}"


def _idle(a: Labels, b: Labels) -> str:
    """Say which rater gave one label only, which makes kappa 0 whatever the agreement."""
    both = [pair for pair in zip(a.texts, b.texts, strict=True) if None not in pair]
    constant: Sequence[str] = [
        side.name for side, index in ((a, 0), (b, 1)) if len({pair[index] for pair in both}) == 1
    ]
    return f"it is 0 whatever the agreement, as {constant[0]} holds one label only" if constant else ""
