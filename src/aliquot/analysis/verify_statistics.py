"""Published statistics that are no means: pass@k, and Brier parts that must add up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from aliquot.analysis.arrays import SystemSample
from aliquot.analysis.verify_figures import Figure, as_printed, write_as
from aliquot.errors import InputError
from aliquot.findings.verification import Check
from aliquot.stats.pass_k import pass_at_k
from aliquot.stats.results import Undefined

BRIER_PARTS = ("brier", "reliability", "resolution", "uncertainty")
"""Statistics of one forecaster with brier = reliability − resolution + uncertainty (Murphy 1973, eq. 9)."""


def check_pass_at(sample: SystemSample, figure: Figure, *, k: int, claim: str) -> Check:
    """Return a check of a published pass@k against the attempts.

    Args:
        sample: the items with their attempts.
        figure: the published number.
        k: attempts allowed.
        claim: what was published.
    """
    if sample.n == 0:
        return Check(claim, figure.text, "", "not_checked", "no item has a value")
    few = int((sample.attempts < k).sum())
    if few:
        least = int(sample.attempts.min())
        cause = f"{few} of {sample.n} items have fewer than {k} attempts (the fewest {least})"
        return Check(claim, figure.text, "not estimable", "cannot_be", cause)
    correct = np.rint(sample.values * sample.attempts).astype(np.int64)
    found = pass_at_k(correct, sample.attempts, k=k, weights=sample.weights)
    if isinstance(found, Undefined):
        return Check(claim, figure.text, "", "not_checked", found.reason)
    if as_printed(found.point, figure):
        return Check(claim, figure.text, f"{found.point:.6g}", "fits", "")
    plugged = float(np.average(1 - (1 - sample.values) ** k, weights=sample.weights))
    cause = (
        f"1 - (1 - p)^{k} of each item's own rate, which is too small with few attempts"
        if as_printed(plugged, figure)
        else "the rows give another number"
    )
    return Check(claim, figure.text, write_as(found.point, figure), "differs", cause)


def check_brier_parts(claims: Sequence[Mapping[str, str]], *, file: str) -> Iterator[Check]:
    """Return a check of each forecaster whose Brier score and its three parts were published.

    Args:
        claims: the table's rows.
        file: its name, for messages.

    Raises:
        InputError: a part that is no number.
    """
    groups: dict[tuple[str, str], dict[str, str]] = {}
    for row, cells in enumerate(claims, start=1):
        name = cells.get("statistic", "").strip().lower()
        if name in BRIER_PARTS:
            parts = groups.setdefault((cells.get("system", ""), cells.get("task", "")), {})
            parts[name] = cells.get("value", "")
            _number(parts[name], file=file, row=row)
    for (system, task), parts in groups.items():
        claim = ", ".join(part for part in (system, task, "brier and its parts") if part)
        yield _adds_up(claim, parts, file=file)


def _adds_up(claim: str, parts: Mapping[str, str], *, file: str) -> Check:
    lacking = [name for name in BRIER_PARTS if name not in parts]
    if lacking:
        return Check(claim, "", "", "not_checked", f"{', '.join(lacking)} not published")
    brier, reliability, resolution, uncertainty = (
        _number(parts[name], file=file, row=None) for name in BRIER_PARTS
    )
    total = reliability - resolution + uncertainty
    slack = sum(0.5 * 10.0 ** -len(parts[name].partition(".")[2]) for name in BRIER_PARTS) + 1e-12
    printed = (
        f"{parts['brier']}, parts {parts['reliability']} - {parts['resolution']} + {parts['uncertainty']}"
    )
    if abs(total - brier) <= slack:
        return Check(claim, printed, f"{total:.4g}", "fits", "")
    cause = "the parts do not add up to the score (reliability - resolution + uncertainty)"
    return Check(claim, printed, f"{total:.4g}", "differs", cause)


def _number(text: str, *, file: str, row: int | None) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{text!r} is no number", file=file, row=row, field="value") from None
