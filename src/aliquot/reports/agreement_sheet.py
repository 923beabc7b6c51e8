"""Agreement as a sheet: the measures beside each other, two raters' table, each rater, and where they differ."""

from __future__ import annotations

from collections.abc import Iterator

from aliquot.findings.agreement import Coefficient, LabelSpread, RaterAgreement, RaterLine
from aliquot.findings.agreement_words import write_coefficient
from aliquot.findings.numbers import write_count, write_percent, write_plain
from aliquot.reports.sheet import Block, Grid, Sheet, lay_out
from aliquot.stats.results import Estimate, Undefined

_SHOWN = 5
"""Disagreements and raters shown without ``-v``."""

_SOURCES = {"within": "what is left", "item": "items", "rater": "raters", "system": "systems"}
_BOUGHT = {"item": "items", "rater": "labels an answer"}

_MOST_LABELS = 8
"""Labels up to which the table of two raters is shown without ``-v``."""


def sheet_of(found: RaterAgreement) -> Sheet:
    """Return the text of a finding about agreement."""
    return lay_out(found, _blocks(found), _details(found))


def _blocks(found: RaterAgreement) -> Iterator[Block]:
    clusters = "" if not found.n_clusters else f" in {write_count(found.n_clusters, 'cluster')}"
    asked = "" if found.question == "label" else f"{found.question}: "
    yield (
        f"{asked}{write_count(len(found.raters), 'rater')}, {write_count(found.n_answers, 'answer')}, "
        f"{found.n_shared:,} of them labelled by two or more{clusters}. Labels: {_labels(found)} ({found.measured})."
    )
    if not found.n_shared:
        return
    if found.confusion and len(found.labels) <= _MOST_LABELS:
        yield _confusion(found)
    yield _measures(found)
    if len(found.raters) > 2 or any(one.repeated for one in found.raters):
        yield _raters(found, found.raters[:_SHOWN])
    if found.disagreements:
        yield _disagreements(found, _SHOWN)


def _labels(found: RaterAgreement) -> str:
    names = ", ".join(found.labels[:_MOST_LABELS])
    more = len(found.labels) - _MOST_LABELS
    return f"{names} and {more} more" if more > 0 else names


def _measures(found: RaterAgreement) -> Grid:
    rows = [_measure(one) for one in found.coefficients]
    return Grid("Beyond chance", ("measure", "value", f"{100 * found.level:g}% interval"), tuple(rows))


def _measure(one: Coefficient) -> tuple[str, str, str]:
    point = "-" if one.point is None else write_plain(one.point, decimals=3)
    if isinstance(one.estimate, Undefined):
        return one.title, point, "not available" if one.point is None else "none"
    low, high = (write_plain(limit, decimals=3) for limit in (one.estimate.low, one.estimate.high))
    return one.title, point, f"{low} to {high}"


def _confusion(found: RaterAgreement) -> Grid:
    first, second = found.raters
    rows = tuple(
        (name, *map(str, counts)) for name, counts in zip(found.labels, found.confusion, strict=True)
    )
    return Grid(f"{first.name} (rows) against {second.name}", ("", *found.labels), rows)


def _raters(found: RaterAgreement, raters: tuple[RaterLine, ...]) -> Grid:
    rest = len(found.raters) - len(raters)
    title = "Each rater with the others" + (f" ({rest} more with -v)" if rest else "")
    rows = tuple((one.name, str(one.labels), _beyond(one.others), _repeated(one)) for one in raters)
    return Grid(title, ("rater", "labels", "beyond chance", "same again"), rows)


def _beyond(estimate: Estimate | Undefined) -> str:
    return write_coefficient(estimate) if isinstance(estimate, Estimate) else "-"


def _repeated(one: RaterLine) -> str:
    return f"{one.same} of {one.repeated}" if one.repeated else "-"


def _disagreements(found: RaterAgreement, most: int) -> Grid:
    shown = found.disagreements[:most]
    title = f"They differ on {write_count(found.n_disagreements, 'answer')}"
    title += "" if len(shown) == found.n_disagreements else f"; the {len(shown)} widest apart"
    raters = tuple(one.name for one in found.raters)
    if len(raters) > 6:
        rows = tuple((one.answer, _spread(one.labels)) for one in shown)
        return Grid(title, ("answer", "labels"), rows, names=2)
    return Grid(
        title, ("answer", *raters), tuple((one.answer, *one.labels) for one in shown), names=1 + len(raters)
    )


def _spread(labels: tuple[str, ...]) -> str:
    counts = {label: labels.count(label) for label in dict.fromkeys(labels) if label}
    return ", ".join(
        f"{label} × {count}" for label, count in sorted(counts.items(), key=lambda pair: -pair[1])
    )


def _details(found: RaterAgreement) -> Iterator[Block]:
    if not found.n_shared:
        return
    if found.confusion and len(found.labels) > _MOST_LABELS:
        yield _confusion(found)
    if found.two_by_two is not None:
        table = found.two_by_two
        yield (
            f"Prevalence index {table.prevalence:.2f}, bias index {table.bias:.2f}, "
            f"kappa at equal shares without bias (PABAK) {table.pabak:.2f}."
        )
    if found.classes:
        first, second = found.raters
        yield Grid(
            f"{second.name} with {first.name} as reference",
            ("label", "answers", "precision", "recall", "F1"),
            tuple(
                (one.label, str(one.support), *map(_share, (one.precision, one.recall, one.f1)))
                for one in found.classes
            ),
        )
    if len(found.raters) > _SHOWN:
        yield _raters(found, found.raters)
    if len(found.pairs) > 1:
        yield Grid(
            "Each two raters",
            ("raters", "answers", "same", "beyond chance"),
            tuple(
                (
                    f"{one.a}, {one.b}",
                    str(one.n),
                    f"{write_percent(one.observed)}%",
                    _beyond(one.chance_corrected),
                )
                for one in found.pairs
            ),
        )
    if found.spread is not None:
        yield from _spread_of(found.spread)
    if len(found.disagreements) > _SHOWN:
        yield _disagreements(found, len(found.disagreements))
    for one in found.coefficients:
        reason = f" ({one.estimate.reason})" if isinstance(one.estimate, Undefined) else ""
        yield f"{one.title}: {one.says}{reason}."
    yield f"Method: {found.why}."
    yield f"Estimand: {found.estimand}"


def _spread_of(spread: LabelSpread) -> Iterator[Block]:
    each = " a system" if "system" in spread.target else ""
    yield Grid(
        "What one label's variance is made of",
        ("source", "share"),
        tuple((_SOURCES.get(one.name, one.name), f"{write_percent(one.share)}%") for one in spread.sources),
    )
    steps = "; ".join(
        f"{one.levels[1]} {_BOUGHT[one.facet]} in place of {one.levels[0]} {one.se:.3g} "
        f"({one.labels:,} labels more{each})"
        for one in spread.steps
    )
    yield f"Standard error of {spread.target} {spread.se:.3g}; what to buy next: {steps}."


def _share(value: float | Undefined) -> str:
    return "-" if isinstance(value, Undefined) else f"{write_percent(value)}%"
