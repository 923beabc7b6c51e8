"""From new rows of a log to what is known of it: detectors for quality, feedback and inputs, running means, mixes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from aliquot.gates.monitor_state import Detector, Kept, State, Sums, Watch, What
from aliquot.stats.boundaries import anytime_rate, mixture_precision, normal_mixture_bound
from aliquot.stats.e_detectors import conformal_ranks, e_detector
from aliquot.stats.inputs import Floats
from aliquot.stats.means import mean_bounded
from aliquot.stats.rates import rate
from aliquot.stats.results import Estimate, Undefined

WINDOW: Final = 500
"""Last rows that stand for now."""
MOST_KINDS: Final = 8
"""Kinds of a field that are watched by themselves, the most frequent of the baseline."""
LEAST_ROWS: Final = 30
"""Rows of a segment in the baseline from which its quality is watched by itself."""
OTHER: Final = "other"
PLANNED: Final = 1_000
"""n near which a running mean is narrowest."""
_FINENESS, _MIDDLE = 8, 400


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms a log is watched.

    Attributes:
        by: fields whose kinds are segments, each watched by itself.
        baseline: rows of the baseline.
        floor: what quality must at least be, on the scale of 0 to 1; None for the baseline's lower limit.
        run_length: rows between false alarms of any kind, on average, at least.
        level: confidence level.
        seed: seed of the ties among ranks.
    """

    by: tuple[str, ...]
    baseline: int
    floor: float | None
    run_length: float
    level: float
    seed: int


def take(state: State, rows: Sequence[Kept], *, first: int, terms: Terms) -> None:
    """Take new rows: into the baseline until it is whole, then to every detector.

    Args:
        state: what is known; it is changed.
        rows: the new rows.
        first: number of the first of them in the log.
        terms: on what terms.
    """
    lacking = 0 if state.ready else max(0, terms.baseline - len(state.baseline))
    state.baseline += rows[:lacking]
    if not state.ready and len(state.baseline) >= terms.baseline:
        begin(state, terms)
    _add(state, rows, terms)
    if state.ready and rows[lacking:]:
        _watch(state, rows[lacking:], first + lacking, terms)


def begin(state: State, terms: Terms) -> None:
    """Settle what is watched, from the rows of the baseline."""
    state.ready = True
    rows = state.baseline
    state.before = _mix(rows)
    state.watches = [
        *_quality(rows, terms),
        *_feedback(rows, terms),
        *_inputs(state, rows),
    ]


def _quality(rows: Sequence[Kept], terms: Terms) -> Iterator[Watch]:
    whole = quality_of(rows, level=terms.level)
    if isinstance(whole, Estimate):
        floor = whole.low if terms.floor is None else terms.floor
        if 0 < floor < 1:
            yield Watch("quality", mean=floor, before=whole.point, before_n=int(whole.n))
    for field in terms.by:
        for kind in _frequent(rows, field):
            inside = [row for row in rows if row.kinds.get(field) == kind]
            part = quality_of(inside, level=terms.level)
            if isinstance(part, Estimate) and part.n >= LEAST_ROWS and 0 < part.low < 1:
                yield Watch("quality", field, kind, part.low, before=part.point, before_n=int(part.n))


def _feedback(rows: Sequence[Kept], terms: Terms) -> Iterator[Watch]:
    said = [float(row.liked) for row in rows if row.liked is not None]
    if not said:
        return
    liked = rate(said, level=terms.level)
    if isinstance(liked, Estimate) and len(said) >= LEAST_ROWS and 0 < liked.low < 1:
        yield Watch("feedback", mean=liked.low, before=liked.point, before_n=len(said))
    answered = [float(row.liked is not None) for row in rows]
    yield Watch("answered", two_sided=True, before=float(np.mean(answered)), before_n=len(rows),
                seen=_seen([int(one) for one in answered]))  # fmt: skip


def _inputs(state: State, rows: Sequence[Kept]) -> Iterator[Watch]:
    fields = dict.fromkeys(name for row in rows for name in (*row.kinds, *row.numbers))
    for field in fields:
        if state.typed.get(field) in {"number", "length"}:
            given = [row.numbers[field] for row in rows if field in row.numbers]
            yield Watch("inputs", field, two_sided=True, before=float(np.mean(given)), before_n=len(given),
                        seen=_seen([code_of(value) for value in given]))  # fmt: skip
            continue
        frequent = _frequent(rows, field)
        others = any(row.kinds.get(field, "") not in frequent for row in rows)
        told = frequent[:1] if len(frequent) == 2 and not others else frequent  # the second one tells no more
        for kind in (*told, *([OTHER] if others or len(frequent) == 1 else [])):
            hits = [int(_is(row, field, kind, frequent)) for row in rows]
            yield Watch("inputs", field, kind, two_sided=True, before=float(np.mean(hits)), before_n=len(rows),
                        seen=_seen(hits))  # fmt: skip


def quality_of(rows: Sequence[Kept], *, level: float) -> Estimate | Undefined:
    """Return the mean of rows by the method for their design: a rate, or a mean of scores, with their clusters."""
    rated = [row for row in rows if row.value is not None]
    if not rated:
        return Undefined("no row has a value")
    values = np.array([row.value for row in rated], dtype=np.float64)
    names = [row.unit if row.unit is not None else f"row {place}" for place, row in enumerate(rated)]
    clusters = names if any(row.unit is not None for row in rated) and len(set(names)) < len(names) else None
    if np.isin(values, (0.0, 1.0)).all():
        return rate(values, clusters=clusters, level=level)
    return mean_bounded(values, low=0.0, high=1.0, clusters=clusters, level=level)


def _watch(state: State, rows: Sequence[Kept], first: int, terms: Terms) -> None:
    """Show new rows to every detector."""
    limit = run_length_of(state, terms)
    frequent = {field: _frequent(state.baseline, field) for field in state.before}
    for place, watch in enumerate(state.watches):
        values, ends = _values(watch, rows, frequent.get(watch.field, ()))
        if watch.seen:
            codes = values.astype(np.int64)
            ties = np.random.PCG64([terms.seed, place]).advance(watch.detector.units)  # however reads are cut
            values, seen = conformal_ranks(codes, watch.seen, rng=np.random.Generator(ties))
            watch.seen = seen.tolist()
        before = watch.detector.alarm
        found = e_detector(
            values,
            mean=watch.mean,
            run_length=limit,
            alternative="two-sided" if watch.two_sided else "less",
            state=watch.detector.state(),
        )
        if before is None and found.alarm is not None:
            watch.alarm_row = first + ends[found.alarm - 1 - watch.detector.units]
        watch.detector = Detector.of(found.state)


def run_length_of(state: State, terms: Terms) -> float:
    """Return the value at which each detector alarms, so that all of them together keep the run length.

    Detectors over the kinds of one field see each row once between them, and count as one.
    """
    return terms.run_length * max(1, len({_channel(watch) for watch in state.watches}))


def _channel(watch: Watch) -> tuple[str, str, str]:
    return (watch.what, watch.field, "" if watch.what == "quality" else watch.level)


def _values(watch: Watch, rows: Sequence[Kept], frequent: Sequence[str]) -> tuple[Floats, list[int]]:
    """Return a value of each unit, and the place of its last row among these."""
    of: dict[What, Callable[[Kept], float | None]] = {
        "quality": lambda row: row.value,
        "feedback": lambda row: None if row.liked is None else float(row.liked),
        "answered": lambda row: float(row.liked is not None),
        "inputs": lambda row: _coded(row, watch, frequent),
    }
    units: dict[str | int, list[float]] = {}
    ends: dict[str | int, int] = {}
    for place, row in enumerate(rows):
        if watch.what == "quality" and watch.field and row.kinds.get(watch.field) != watch.level:
            continue
        value = of[watch.what](row)
        if value is not None:
            unit = place if row.unit is None else row.unit
            units.setdefault(unit, []).append(value)
            ends[unit] = place
    order = sorted(units, key=ends.__getitem__)
    # ranks are of codes, and a conversation stands by its first turn
    found = [units[unit][0] if watch.seen else float(np.mean(units[unit])) for unit in order]
    return np.array(found, dtype=np.float64), [ends[unit] for unit in order]


def _coded(row: Kept, watch: Watch, frequent: Sequence[str]) -> float | None:
    if not watch.level:
        value = row.numbers.get(watch.field)
        return None if value is None else float(code_of(value))
    return float(_is(row, watch.field, watch.level, frequent))


def _is(row: Kept, field: str, kind: str, frequent: Sequence[str]) -> bool:
    own = row.kinds.get(field, "")
    return own not in frequent if kind == OTHER and OTHER not in frequent else own == kind


def code_of(value: float) -> int:
    """Return the bin of a number: eight to each doubling of a thousand times itself, the same for every log."""
    size = math.floor(_FINENESS * math.log2(1 + 1000 * min(abs(value), 1e11)))
    return _MIDDLE + (size if value >= 0 else -size)


def _seen(codes: Sequence[int]) -> list[int]:
    return np.bincount(codes, minlength=2).tolist() if codes else [0, 0]


def _frequent(rows: Sequence[Kept], field: str) -> tuple[str, ...]:
    counts = Counter(row.kinds[field] for row in rows if field in row.kinds)
    return tuple(sorted(counts, key=lambda kind: (-counts[kind], kind))[:MOST_KINDS])


def _mix(rows: Sequence[Kept]) -> dict[str, dict[str, int]]:
    found: dict[str, Counter[str]] = {}
    for row in rows:
        for field, kind in row.kinds.items():
            found.setdefault(field, Counter())[kind] += 1
    return {field: dict(counts) for field, counts in found.items()}


def _add(state: State, rows: Sequence[Kept], terms: Terms) -> None:
    """Count rows into the mixes, the running means and the window."""
    for field, kinds in _mix(rows).items():
        counts = state.counts.setdefault(field, {})
        for kind, count in kinds.items():
            if kind in counts or len(counts) < 1_000:  # a field of free text must not fill the memory
                counts[kind] = counts.get(kind, 0) + count
    _run(state, "", rows, terms)
    for field in terms.by:
        for kind in {row.kinds[field] for row in rows if field in row.kinds}:
            name = f"{field}={kind}"
            if name in state.sums or len(state.sums) < 200:
                _run(state, name, [row for row in rows if row.kinds.get(field) == kind], terms)
    state.window = [*state.window, *rows][-WINDOW:]
    state.rows += len(rows)


def _run(state: State, name: str, rows: Sequence[Kept], terms: Terms) -> None:
    """Carry a running mean on, with limits that hold at every read."""
    watch = Watch("quality")
    values, _ = _values(watch, rows, ())
    if not values.size:
        return
    sums = state.sums.setdefault(name, Sums())
    sums.n += values.size
    sums.total += float(values.sum())
    sums.binary = sums.binary and bool(np.isin(values, (0.0, 1.0)).all())
    mean = sums.total / sums.n
    if sums.binary:
        found = anytime_rate(sums.total, sums.n, planned=PLANNED, level=terms.level)
        low, high = found.low, found.high
    else:
        rho = mixture_precision(PLANNED, level=terms.level)
        half = 0.5 * float(normal_mixture_bound(sums.n, rho=rho, level=terms.level)) / sums.n
        low, high = max(0.0, mean - half), min(1.0, mean + half)
    sums.low, sums.high = max(sums.low, low), min(sums.high, high)


def sequence_of_sums(sums: Sums | None, *, level: float) -> Estimate | Undefined:
    """Return a running mean with its limits."""
    if sums is None or not sums.n:
        return Undefined("no row has a value")
    mean = sums.total / sums.n
    if not sums.low <= mean <= sums.high:
        return Undefined("its limits at earlier reads leave its mean out by now, so it has changed")
    return Estimate(
        point=mean,
        low=sums.low,
        high=sums.high,
        level=level,
        method="beta_binomial_mixture" if sums.binary else "normal_mixture",
        n=float(sums.n),
    )
