"""What variants of a system do, as a sheet."""

from __future__ import annotations

from collections.abc import Iterator

from aliquot.findings.numbers import (
    difference_unit,
    write_count,
    write_difference,
    write_percent,
    write_value,
)
from aliquot.findings.scale import Scale
from aliquot.findings.variants import BaseContrast, VariantGroup, VariantPair, Variants, Winner
from aliquot.findings.variants_words import write_turns
from aliquot.reports.cells import difference_cells, p_cell, value_cells
from aliquot.reports.chart_rows import difference_axis, drawn_rows, ends_of, interval_row, rate_axis, rate_row
from aliquot.reports.charts import Chart, Intervals
from aliquot.reports.sheet import Block, Grid, Sheet, lay_out
from aliquot.stats.results import Estimate, Undefined

_NAMED = 20
"""Pairs shown with ``-v``; JSON and CSV hold all of them."""


def sheet_of(found: Variants) -> Sheet:
    """Return the text of a finding about variants."""
    return lay_out(found, _blocks(found), _details(found), _charts(found))


def _blocks(found: Variants) -> Iterator[Block]:
    """Yield one system whole, or a line for each of several; what stands behind those is among the details."""
    if len(found.groups) == 1:
        yield from _group(found.groups[0], found)
        return
    yield _systems(found)
    if len(found.contrasts) > 1:
        yield from (_contrast_line(contrast, found.scale) for contrast in found.contrasts)


def _group(group: VariantGroup, found: Variants) -> Iterator[Block]:
    yield _variants(group, found, many=len(found.groups) > 1)
    if group.n_items:
        yield from _said(group, found.scale)


def _systems(found: Variants) -> Grid:
    """Return a row for each system: its rates, true range, spread, and the best variant as picked and as it is."""
    unit = ", %" if found.scale.in_points else ""
    rows = tuple(
        (
            group.system,
            str(group.n_items),
            str(len(group.variants)),
            _lowest_to_highest(group, found.scale),
            "-"
            if isinstance(group.range, Undefined)
            else difference_cells(group.range, found.scale)[1].replace("+", ""),
            "-"
            if isinstance(group.spread, Undefined)
            else difference_cells(group.spread, found.scale)[0].lstrip("+"),
            *_picked_and_honest(group, found.scale),
        )
        for group in found.groups
    )
    head = ("system", "items", "variants", f"rates{unit}", "true range", "one SD", "picked", "honest")
    return Grid("", head, rows)


def _lowest_to_highest(group: VariantGroup, scale: Scale) -> str:
    known = [line.rate for line in group.variants if isinstance(line.rate, Estimate)]
    if not known:
        return "-"
    width = max(rate.width for rate in known)
    return " to ".join(
        write_value(pick(rate.point for rate in known), scale, width=width) for pick in (min, max)
    )


def _picked_and_honest(group: VariantGroup, scale: Scale) -> tuple[str, str]:
    if not isinstance(group.winner, Winner):
        return "-", "-"
    return value_cells(group.winner.rate, scale)[0], value_cells(group.winner.honest, scale)[0]


def _variants(group: VariantGroup, found: Variants, *, many: bool) -> Grid:
    """Return a row for each variant, the last columns of a name cut to what tells variants apart."""
    percent = f"{100 * found.level:g}%"
    rate = "rate" if found.scale.kind == "binary" else "mean"
    unit = ", %" if found.scale.in_points else ""
    picks = any(line.picked is not None for line in group.variants)
    rows = tuple(
        (
            _short(line.system, group),
            *value_cells(line.rate, found.scale),
            *(
                ("-" if line.picked is None else f"{write_percent(line.picked, decimals=0)}%",)
                if picks
                else ()
            ),
        )
        for line in group.variants
    )
    counted = write_count(group.n_items, "item")
    clusters = "" if group.n_clusters is None else f" in {write_count(group.n_clusters, 'cluster')}"
    title = f"{group.system}, {counted}{clusters}" if many else ""
    first = "variant" if many else f"variant ({counted}{clusters})"
    head = (first, rate + unit, f"{percent} interval", *(("best of half",) if picks else ()))
    return Grid(title, head, rows)


def _short(name: str, group: VariantGroup) -> str:
    start = f"{group.system}/"
    return name.removeprefix(start) if group.system and name != start else name


def _said(group: VariantGroup, scale: Scale) -> Iterator[str]:
    unit = difference_unit(scale)
    if isinstance(group.range, Estimate):
        point, low, high, chance = _sizes(
            group.range, group.range.point, group.range.low, group.range.high, group.by_chance, scale=scale
        )
        yield (
            f"Range {point}{unit} (true range {low} to {high}); that of prompts that are all the same: {chance}, by "
            "chance."
        )
    if isinstance(group.spread, Estimate) and isinstance(group.share, Estimate):
        point, low, high = _sizes(
            group.spread, group.spread.point, group.spread.low, group.spread.high, scale=scale
        )
        shares = [write_percent(x) for x in (group.share.point, group.share.low, group.share.high)]
        yield (
            f"Another prompt like these moves the score by about ±{point}{unit} (one SD; {low} to {high}); share of "
            f"the variance of one item's score: {shares[0]}% ({shares[1]} to {shares[2]})."
        )
    elif isinstance(group.spread, Undefined):
        yield f"How far prompts like these differ cannot be said: {group.spread.reason}."
    if isinstance(group.winner, Winner):
        yield _winner(group.winner, group, scale)


def _sizes(estimate: Estimate, *values: float, scale: Scale) -> list[str]:
    return [write_difference(value, scale, width=estimate.width).lstrip("+") for value in values]


def _winner(winner: Winner, group: VariantGroup, scale: Scale) -> str:
    """Say that the best was picked, and what it is worth."""
    name, unit = _short(winner.system, group), "%" if scale.in_points else ""
    if isinstance(winner.rate, Undefined) or isinstance(winner.honest, Undefined):
        return f"{name} was picked as the best of {len(group.variants)}, and has no interval."
    honest, low, high, naive = (
        write_value(x, scale, width=winner.honest.width)
        for x in (winner.honest.point, winner.honest.low, winner.honest.high, winner.rate.point)
    )
    toward = "low" if scale.better == "lower" else "high"
    return (
        f"PICKED as best of {len(group.variants)} by these items: {name}, so its {naive}{unit} is biased {toward}. "
        f"Items without a say give {honest}{unit} ({low} to {high})."
    )


def _contrast_line(contrast: BaseContrast, scale: Scale) -> str:
    over = write_count(len(contrast.by_variant), "shared variant")
    who = f"{contrast.candidate} minus {contrast.baseline} over {over}"
    if isinstance(contrast.difference, Undefined):
        return f"{who}: {contrast.difference.reason}."
    shown = difference_cells(contrast.difference, scale)
    word = contrast.word.replace("_", " ")
    return f"{who}: {shown[0]}{difference_unit(scale)} ({shown[1]}), {word}; {write_turns(contrast)}."


def _details(found: Variants) -> Iterator[Block]:
    for contrast in found.contrasts:
        yield _contrast_line(contrast, found.scale)
        yield Grid(
            f"{contrast.candidate} minus {contrast.baseline}, by variant, all at once",
            ("variant", "diff.", f"{100 * found.level:g}% interval", "p", ""),
            tuple((pair.baseline, *_pair_cells(pair, found.scale)) for pair in contrast.by_variant),
        )
    for group in found.groups:
        if len(found.groups) > 1:
            yield from _group(group, found)
        yield from _group_details(group, found)
    yield f"Method: {found.why}."
    yield f"Estimand: {found.estimand}"


def _group_details(group: VariantGroup, found: Variants) -> Iterator[Block]:
    whose = f" of {group.system}" if group.system else ""
    if group.shares:
        parts = ", ".join(f"{name} {write_percent(share)}%" for name, share in group.shares.items())
        yield f"Variance of one score{whose}: {parts}."
    if group.levels:
        yield Grid(
            f"Each level{whose}, averaged over the other factors",
            ("factor", "level", "mean", f"{100 * found.level:g}% interval"),
            tuple((one.factor, one.level, *value_cells(one.rate, found.scale)) for one in group.levels),
            names=2,
        )
    widest = sorted(group.pairs, key=lambda pair: -abs(_point(pair)))
    cut = f", the widest {_NAMED} of {len(widest)}" if len(widest) > _NAMED else ""
    if widest:
        yield Grid(
            f"Pairs{whose}{cut}, all at once",
            ("variant", "minus", "diff.", f"{100 * found.level:g}% interval", "p", ""),
            tuple(
                (_short(pair.candidate, group), _short(pair.baseline, group), *_pair_cells(pair, found.scale))
                for pair in widest[:_NAMED]
            ),
            names=2,
        )
    methods = dict.fromkeys(line.rate.method for line in group.variants if isinstance(line.rate, Estimate))
    if methods:
        yield f"Rates{whose} by {', '.join(methods)}; {_spread_method(group)}."


def _spread_method(group: VariantGroup) -> str:
    spread = "" if isinstance(group.spread, Undefined) else f"spread by {group.spread.method}; "
    winner = group.winner
    return (
        f"{spread}{winner.honest.method}"
        if isinstance(winner, Winner) and isinstance(winner.honest, Estimate)
        else f"{spread}no winner"
    )


def _point(pair: VariantPair) -> float:
    return pair.difference.point if isinstance(pair.difference, Estimate) else 0.0


def _pair_cells(pair: VariantPair, scale: Scale) -> tuple[str, ...]:
    word = "tie" if pair.word == "undecided" else pair.word.replace("_", " ")
    return (*difference_cells(pair.difference, scale), p_cell(pair.test), word)


def _charts(found: Variants) -> Iterator[Chart]:
    """Yield the variants of each system, then the systems' difference in each variant."""
    for group in found.groups:
        known, more = drawn_rows(
            rate_row(_short(line.system, group), line.rate, found.scale) for line in group.variants
        )
        if known:
            whose = f" of {group.system}" if group.system else ""
            yield Intervals(
                title=f"The variants{whose}",
                rows=known,
                axis=rate_axis(found.scale, found.metric),
                caption=(
                    f"{100 * found.level:g}% intervals, each by itself, {write_count(group.n_items, 'item')}: two that "
                    f"overlap may differ all the same, as the items are shared.{more}"
                ),
                zero=None,
            )
    for contrast in found.contrasts:
        rows = (interval_row(pair.baseline, pair.difference, found.scale) for pair in contrast.by_variant)
        whole = interval_row("over all", contrast.difference, found.scale, emphasis="headline")
        known, more = drawn_rows([whole, *rows])
        if known:
            yield Intervals(
                title=f"{contrast.candidate} against {contrast.baseline}, by variant",
                rows=known,
                axis=difference_axis(found.scale, found.metric),
                caption=f"The {100 * found.level:g}% intervals of the variants hold together.{more}",
                ends=ends_of(found.scale, contrast.baseline, contrast.candidate),
            )
