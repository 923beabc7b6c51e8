"""From what a monitor remembers to its finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from aliquot.analysis.software import versions
from aliquot.evidence.tables import Note
from aliquot.findings.monitor import Channel, Feedback, MixEffect, Monitor, Resemblance, SegmentSeen
from aliquot.findings.monitor_words import write_monitor
from aliquot.findings.numbers import write_count
from aliquot.gates.monitor_state import Kept, State, Watch
from aliquot.gates.monitoring import (
    Terms,
    code_of,
    quality_of,
    run_length_of,
    sequence_of_sums,
)
from aliquot.stats.missing import mean_bounds
from aliquot.stats.mixes import mix_difference
from aliquot.stats.rates import rate
from aliquot.stats.results import Estimate, Undefined
from aliquot.stats.stratified import stratified_mean

MOST_SEGMENTS: Final = 30
"""Kinds of a field that are listed, the most frequent."""
_OCTAVES: Final = 8
"""Bins of a number that count as one kind: a doubling."""


def finding_of(
    state: State,
    *,
    source: str,
    new_rows: int,
    terms: Terms,
    items: Mapping[str, Counter[str]] | None,
    review: int,
    notes: Sequence[Note],
    command: str,
) -> Monitor:
    """Return the finding about a log.

    Args:
        state: what is known of it.
        source: the log, as given.
        new_rows: rows of this read.
        terms: on what terms it is watched.
        items: field → kinds of a set of items; None without a set.
        review: rows written out for people.
        notes: what reading had to say.
        command: the command line that makes it again.
    """
    limit = run_length_of(state, terms)
    channels = tuple(_channel(watch, state, limit) for watch in state.watches)
    before = quality_of(state.baseline, level=terms.level)
    rated = sum(row.value is not None for row in state.window)
    verdict = write_monitor(
        channels,
        before=before,
        rows=state.rows,
        watched=state.rows - (len(state.baseline) if state.settings["baseline"].isdigit() else 0),
        baseline=min(len(state.baseline), terms.baseline),
        baseline_of=terms.baseline,
        run_length=terms.run_length,
        window=len(state.window),
    )
    return Monitor(
        source=source,
        rows=state.rows,
        new_rows=new_rows,
        baseline_rows=len(state.baseline),
        baseline_of=terms.baseline,
        rated=rated,
        before=before,
        running=sequence_of_sums(state.sums.get(""), level=terms.level),
        now=quality_of(state.window, level=terms.level),
        window=len(state.window),
        channels=channels,
        run_length=terms.run_length,
        segments=tuple(_segments(state, terms)),
        mix=tuple(_mix_effects(state, terms, before)),
        feedback=_feedback(state.window, level=terms.level),
        resemblance=tuple(_resemblances(state, items, terms)),
        review=review,
        level=terms.level,
        warnings=(*notes, *_warnings(state, rated)),
        verdict=verdict,
        seed=terms.seed,
        versions=versions(),
        command=command,
    )


def _channel(watch: Watch, state: State, limit: float) -> Channel:
    detector = watch.detector
    return Channel(
        name=watch.name,
        what=watch.what,
        field=watch.field,
        kind=watch.level,
        held=watch.mean,
        before=watch.before,
        now=_now(watch, state),
        units=detector.units,
        value=detector.peak,
        limit=limit,
        alarm=watch.alarm_row,
        since=None if detector.alarm is None or detector.since is None else detector.alarm - detector.since,
    )


def _now(watch: Watch, state: State) -> float | None:
    """Return the mean of the last rows of what is watched; of a kind its share."""
    rows = state.window
    if watch.what == "feedback":
        found = [float(row.liked) for row in rows if row.liked is not None]
    elif watch.what == "answered":
        found = [float(row.liked is not None) for row in rows]
    elif watch.what == "quality":
        found = [
            row.value
            for row in rows
            if row.value is not None and (not watch.field or row.kinds.get(watch.field) == watch.level)
        ]
    elif watch.level:
        known = state.before.get(watch.field, {})
        found = [
            float(row.kinds.get(watch.field) == watch.level)
            if watch.level in known
            else float(row.kinds.get(watch.field, "") not in known)
            for row in rows
        ]
    else:
        found = [row.numbers[watch.field] for row in rows if watch.field in row.numbers]
    return float(np.mean(found)) if found else None


def _segments(state: State, terms: Terms) -> Iterator[SegmentSeen]:
    for field in terms.by:
        before, counts = state.before.get(field, {}), state.counts.get(field, {})
        for kind in sorted(counts, key=lambda name: (-counts[name], name))[:MOST_SEGMENTS]:
            inside = [row for row in state.window if row.kinds.get(field) == kind]
            yield SegmentSeen(
                field=field,
                kind=kind,
                share_before=before.get(kind, 0) / max(1, sum(before.values())),
                share_now=len(inside) / max(1, len(state.window)),
                running=sequence_of_sums(state.sums.get(f"{field}={kind}"), level=terms.level),
                now=quality_of(inside, level=terms.level),
            )


def _mix_effects(state: State, terms: Terms, before: Estimate | Undefined) -> Iterator[MixEffect]:
    """Yield for each field the part of a change that its mix makes: quality now at the baseline's shares.

    Shares are those of the rows with a value, as the quality of the baseline is theirs: kinds may be rated unequally.
    """
    if isinstance(before, Undefined) or not state.ready:
        return
    for field in terms.by:
        rated = _rated(state.window, field)
        there = {row.kinds[field] for row in rated}
        counts = Counter(row.kinds[field] for row in _rated(state.baseline, field))
        shares: dict[object, float] = {kind: count for kind, count in counts.items() if kind in there}
        known = [row for row in rated if row.kinds[field] in shares]
        if len(shares) < 2 or not known:
            continue
        values = np.array([row.value for row in known], dtype=np.float64)
        kinds = [row.kinds[field] for row in known]
        old = stratified_mean(values, strata=kinds, shares=shares, low=0.0, high=1.0, level=terms.level)
        if isinstance(old, Undefined):
            continue
        now = float(np.mean([row.value for row in rated if row.value is not None]))
        yield MixEffect(
            field=field,
            change=now - before.point,
            by_mix=now - old.point,
            within=old.point - before.point,
            at_old_mix=old,
        )


def _rated(rows: Sequence[Kept], field: str) -> list[Kept]:
    return [row for row in rows if row.value is not None and field in row.kinds]


def _feedback(rows: Sequence[Kept], *, level: float) -> Feedback | None:
    said = [float(row.liked) for row in rows if row.liked is not None]
    if not said:
        return None
    values = [float("nan") if row.liked is None else float(row.liked) for row in rows]
    bounds = mean_bounds(values, low=0.0, high=1.0, level=level)
    return Feedback(
        rows=len(rows),
        said=len(said),
        answered=rate([float(row.liked is not None) for row in rows], level=level),
        liked=rate(said, level=level),
        if_silent=(bounds.worst, bounds.best),
    )


def _resemblances(
    state: State, items: Mapping[str, Counter[str]] | None, terms: Terms
) -> Iterator[Resemblance]:
    """Yield how the kinds of a set of items compare with those of all rows read."""
    for field, of_items in (items or {}).items():
        rows = traffic_of(state, field)
        if not rows or not of_items:
            continue
        kinds = sorted({*rows, *of_items})
        found = mix_difference(
            [of_items.get(kind, 0) for kind in kinds], [rows.get(kind, 0) for kind in kinds], rng=terms.seed
        )
        lacking = sorted((kind for kind in rows if not of_items.get(kind)), key=lambda kind: -rows[kind])
        yield Resemblance(
            field=field,
            distance=found.distance,
            by_chance=found.by_chance,
            test=found.test,
            covered=found.covered,
            lacking=tuple(lacking[:5]),
            worth=found.worth,
        )


def traffic_of(state: State, field: str) -> Mapping[str, int]:
    """Return how many rows there were of each kind of a field; of a number, of each doubling of it."""
    if field in state.counts:
        return state.counts[field]
    watch = next((one for one in state.watches if one.field == field and not one.level), None)
    counts: Counter[str] = Counter()
    for code, count in enumerate(watch.seen if watch is not None else ()):
        if count:
            counts[octave_of(code)] += count
    return counts


def octave_of(code: int) -> str:
    """Return the doubling in which the bin of a number lies, by the number it begins with."""
    size = (abs(code - code_of(0.0)) // _OCTAVES) * _OCTAVES
    least = (2 ** (size / _OCTAVES) - 1) / 1000
    return f"{'-' if code < code_of(0.0) else ''}{least:.3g} and more"


def _warnings(state: State, rated: int) -> Iterator[Note]:
    if state.window and not rated:
        text = (
            f"none of the last {write_count(len(state.window), 'row')} has a value: quality is not known, and what is "
            "watched are inputs and feedback"
        )
        yield Note("not_rated", text)
    elif rated < len(state.window):
        text = (
            f"{write_count(rated, 'row')} of the last {len(state.window):,} have a value: quality is that of these, "
            "which need not be like the others"
        )
        yield Note("not_rated", text)
    split = {row.unit for row in state.window if row.unit is not None}
    if split:
        yield Note(
            "clusters_by_read",
            "rows of one conversation are one unit within a read; a conversation that goes on in a later read counts "
            "as another one there",
        )
