"""A judge held against people as a sheet: the table of verdicts, its errors, its standing, and the rates three ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aliquot.findings.agreement import Coefficient
from aliquot.findings.agreement_words import write_coefficient
from aliquot.findings.calibration import Calibration, EqualErrors, JudgeBias, JudgeLine, SecondLabeller
from aliquot.findings.calibration_words import title_of, write_second
from aliquot.findings.corrected import Corrected
from aliquot.findings.numbers import difference_unit, write_difference, write_p, write_percent, write_plain
from aliquot.findings.scale import Scale
from aliquot.reports.cells import difference_cells, value_cells
from aliquot.reports.sheet import Block, Grid, Sheet, lay_out
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

_SHOWN = 6
"""Systems shown without ``-v``."""

_NAMED = 6
"""Answers named without ``-v``."""


def sheet_of(found: Calibration) -> Sheet:
    """Return the text of a finding about a judge."""
    return lay_out(found, _blocks(found), _details(found))


def _blocks(found: Calibration) -> Iterator[Block]:
    if found.lines and found.passes is not None:
        yield _table(found.lines[0], found.passes, title=title_of(found))
    else:
        yield f"{title_of(found)}."
    yield _agreement(found)
    if found.second is not None:
        yield write_second(found.second)
    yield _corrected(found, found.corrected[:_SHOWN])
    if found.difference is not None and isinstance(found.difference.corrected, Undefined):
        yield f"{found.difference.what}: {found.difference.corrected.reason}."
    moved = [
        one for one in found.biases if isinstance(one.test, HypothesisTest) and one.test.p < 1 - found.level
    ]
    yield from (_bias(one, found) for one in moved)
    yield from (_unequal(one) for one in found.equal_errors if (one.adjusted or 1.0) < 1 - found.level)
    if found.let_through and found.passes is not None:
        yield f"Passed by the judge and {found.passes[1]!r} to people: {_listed(found.let_through, _NAMED)}."
    if len(found.more_labels) > 1:
        first, *others = found.more_labels
        said = ", ".join(f"{one.labels} labels {write_percent(one.width)}" for one in others[:2])
        what = " over all systems" if len(found.corrected) > 1 else ""
        yield (
            f"Width to expect of a corrected interval{what}: {write_percent(first.width)} points; with {said}, "
            "drawn at random."
        )


def _table(line: JudgeLine, passes: tuple[str, str], *, title: str) -> Grid:
    good, bad = passes
    rows = (
        (f"judge: {good}", str(line.true_pass), str(line.false_pass)),
        (f"judge: {bad}", str(line.false_fail), str(line.true_fail)),
    )
    return Grid(title, ("", f"people: {good}", f"people: {bad}"), rows)


def _told(main: Coefficient) -> str:
    """Write a measure with its interval, else by itself where it has none."""
    if isinstance(main.estimate, Estimate):
        return write_coefficient(main.estimate)
    return "undefined" if main.point is None else f"{write_plain(main.point)} without an interval"


def _agreement(found: Calibration) -> str:
    main = found.agreement[0]
    text = f"Judge with people: {main.title} {_told(main)}"
    if not found.lines:
        return f"{text}."
    line = found.lines[0]
    same = (line.true_pass + line.true_fail) / line.labelled if line.labelled else 0.0
    always = ""
    if found.constant is not None and found.constant_share is not None:
        always = (
            f"; they agree on {write_percent(same, decimals=0)}%, always {found.constant!r} would on "
            f"{write_percent(found.constant_share, decimals=0)}%"
        )
    return f"{text}{always}."


def _corrected(found: Calibration, lines: tuple[Corrected, ...]) -> Grid:
    unit = "%" if found.scale.in_points else ""
    rest = len(found.corrected) - len(lines)
    head = (
        "",
        f"judge{unit and f' {unit}'}",
        "people only",
        "corrected",
        f"{100 * found.level:g}% interval",
        "labels",
    )
    rows = [_three(one, found.scale, value_cells) for one in lines]
    if found.difference is not None:
        rows.append(_three(found.difference, found.scale, difference_cells))
    more = f" ({rest} more with -v)" if rest > 0 else ""
    return Grid(f"As the judge counts, as people say, and corrected{more}", head, tuple(rows))


def _three(
    one: Corrected, scale: Scale, cells: Callable[[Estimate | Undefined, Scale], tuple[str, str]]
) -> tuple[str, ...]:
    raw, people = (cells(estimate, scale)[0] for estimate in (one.raw, one.people))
    return (one.what, raw, people, *cells(one.corrected, scale), _labels(one))


def _labels(one: Corrected) -> str:
    return f"{one.labelled} of {one.judged}"


def _bias(one: JudgeBias, found: Calibration) -> str:
    if isinstance(one.estimate, Undefined):
        return f"Bias by {one.feature}: {one.estimate.reason}."
    point, low, high = (
        write_difference(x, found.scale, width=one.estimate.width)
        for x in (one.estimate.point, one.estimate.low, one.estimate.high)
    )
    text = (
        f"Bias by {one.feature}: the judge passes {one.says} {point}{difference_unit(found.scale)} ({low} to {high}) "
        "more often than others with the same label"
    )
    if isinstance(one.shift, Estimate):
        moved = write_difference(one.shift.point, found.scale, width=one.shift.width)
        text += f"; that moves the judged difference by {moved}{difference_unit(found.scale)}"
    return f"{text}."


def _unequal(one: EqualErrors) -> str:
    p = "" if one.adjusted is None else f" (p {one.adjusted:.2g}, all of them allowed for)"
    gap = ""
    if isinstance(one.difference, Estimate):
        gap = f", {100 * one.difference.point:+.0f} points"
    return f"The judge's {one.share} is another for {one.second} than for {one.first} ({one.by}){gap}{p}."


def _listed(names: tuple[str, ...], most: int) -> str:
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def _details(found: Calibration) -> Iterator[Block]:
    if len(found.corrected) > _SHOWN:
        yield _corrected(found, found.corrected)
    if found.lines:
        yield _errors(found)
    yield from _measures(found)
    if found.second is not None:
        yield from _second(found.second)
    for one in found.equal_errors:
        p = "-" if isinstance(one.test, Undefined) else write_p(one.test)
        yield f"{one.share} by {one.by}, {one.first} against {one.second}: {p}, adjusted {one.adjusted or 1.0:.2g}."
    yield from (_bias(one, found) for one in found.biases)
    if found.held_back and found.passes is not None:
        yield f"Failed by the judge and {found.passes[0]!r} to people: {_listed(found.held_back, 20)}."
    made = (*found.corrected, *(() if found.difference is None else (found.difference,)))
    yield from (f"{one.what}: {one.why}." for one in made if one.why)
    yield f"Method: {found.why}."
    yield f"Estimand: {found.estimand}"


def _errors(found: Calibration) -> Grid:
    rows = tuple(
        (
            one.name if not one.by else f"{one.by} {one.name}",
            str(one.labelled),
            *map(_share, (one.sensitivity, one.specificity, one.ppv, one.npv)),
        )
        for one in found.lines
    )
    head = ("", "labels", "sensitivity", "specificity", "PPV", "NPV")
    return Grid("Right verdicts of the judge", head, rows)


def _measures(found: Calibration) -> Iterator[Block]:
    """Yield agreement beyond chance, and how the metric orders what people order."""
    if found.agreement[:1] != found.ranking[:1]:
        rows = tuple((one.title, _ranked(one)) for one in found.agreement)
        yield Grid("Judge and people beyond chance", ("measure", "value"), rows)
    if found.ranking:
        yield Grid(
            "Does it order answers and systems as people do?",
            ("measure", "of what", "value"),
            tuple((one.title, one.says, _ranked(one)) for one in found.ranking),
            names=2,
        )


def _second(second: SecondLabeller) -> Iterator[Block]:
    """Yield the judge and each person beside the others, and how far the noise model lets a judge go."""
    yield Grid(
        "Agreement with people beyond chance, on average",
        ("", "answers", second.measure),
        tuple(
            (one.name, str(one.labels), "-" if one.agreement is None else write_plain(one.agreement))
            for one in second.raters
        ),
    )
    if second.limit is not None:
        single, mean = second.limit
        yield (
            f"If people's errors were independent noise, a judge without any could correlate with one of them at most "
            f"{single:.2f}, with their mean {mean:.2f}: a limit of that model alone, as errors that judge and people "
            "share go beyond it."
        )
    if isinstance(second.consensus, Estimate):
        yield f"Against what the other people say together: difference {write_coefficient(second.consensus)}."


def _ranked(one: Coefficient) -> str:
    if isinstance(one.estimate, Estimate):
        return write_coefficient(one.estimate)
    return "-" if one.point is None else write_plain(one.point)


def _share(share: Estimate | Undefined) -> str:
    if isinstance(share, Undefined):
        return "-"
    low, high = (write_percent(x, decimals=0) for x in (share.low, share.high))
    return f"{write_percent(share.point, decimals=0)}% ({low} to {high})"
