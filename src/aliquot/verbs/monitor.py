"""``monitor``: a log that grows, read where it was left, with detectors for quality, feedback and inputs."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from aliquot.analysis.margins import check_level
from aliquot.errors import InputError, UsageError, nearest
from aliquot.evidence.tables import Note
from aliquot.files.appended import Appended, Mark, read_appended
from aliquot.findings.monitor import Monitor
from aliquot.gates.logged_rows import (
    VALUES,
    Columns,
    kept_rows,
    kinds_of_items,
    require_watchable,
    type_fields,
)
from aliquot.gates.monitor_report import finding_of
from aliquot.gates.monitor_state import FOLDER, State, held, keep_state, load_state
from aliquot.gates.monitoring import Terms, begin, take
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.verbs.reproduce import command_line

if TYPE_CHECKING:
    from aliquot.files.rows import Cell

MOST_BASELINE: Final = 5_000
"""Rows of a baseline at most: they are kept with the monitor."""


def monitor(
    source: str | Path,
    *,
    value: str | None = None,
    at_least: float | str | None = None,
    baseline: int | str | Path = 500,
    by: Sequence[str] = (),
    drift: Sequence[str] = (),
    cluster: str | None = None,
    feedback: str | None = None,
    flag: str | None = None,
    low: float = 0.0,
    high: float = 1.0,
    lower_is_better: bool = False,
    run_length: float = 10_000,
    items: str | Path | None = None,
    review: int = 0,
    review_to: str | Path | None = None,
    state: str | Path | None = None,
    restart: bool = False,
    rotated: bool = False,
    level: float = 0.95,
    seed: int | None = None,
) -> Monitor:
    """Read what a log has had since the last time, and say whether quality has fallen or inputs have changed.

    Args:
        source: a log that grows at its end (``.jsonl``, ``.csv``, ``.tsv``), or a table that gets more rows.
        value: column of the value; by default ``value``, ``score``, ``passed``, ``correct`` or ``success``.
        at_least: floor that quality is held to (``"90%"``); by default the lower limit of the baseline's interval.
        baseline: how many of the first rows are the baseline, or a table of the same columns from a good time.
        by: columns whose kinds are segments: each is watched by itself, and so is their mix.
        drift: further columns of the inputs to watch: a number, a kind, or a text by its length; ``name:length``,
            ``name:number`` or ``name:kind`` says which.
        cluster: column that names the conversation or user; its rows are one unit.
        feedback: column of what users said: good or bad, empty when nothing.
        flag: column that marks rows which people should look at.
        low: smallest possible value.
        high: largest possible value.
        lower_is_better: the smaller the value the better.
        run_length: rows between false alarms of any kind, on average, at least.
        items: a set of items to hold against what comes in, by the columns of ``by`` and ``drift``.
        review: how many of the new rows to draw for people to read.
        review_to: table that they are written to (``.csv``, ``.jsonl``, ``.parquet``), with the chance of each.
        state: file in which the monitor is kept; by default one for this log below ``.aliquot/monitors``.
        restart: forget what is known, and take the rows from here on as a new baseline.
        rotated: the log is a new file that goes on from the one read before.
        level: confidence level.
        seed: seed of everything random; by default a fixed one.

    Returns:
        The finding; its ``exit_code`` is 3 while an alarm stands.

    Raises:
        UsageError: an unknown column, or a monitor that was told to watch otherwise.
        InputError: a row that cannot be read, or a log that is not the one read before.
        MachineError: another process holds the monitor for too long, or the machine refuses.
    """
    check_level(level)
    path, seed = Path(source), DEFAULT_SEED if seed is None else seed
    kept_at = Path(state) if state is not None else FOLDER / f"{path.stem}-{_short(path.resolve())}.json"
    if (review > 0) != (review_to is not None):
        raise UsageError("--review N says how many rows to draw, --review-to FILE where they go: give both")
    if review < 0:
        raise UsageError(f"--review is {review}; it must be 1 or more")
    columns = Columns(value, tuple(by), tuple(drift), cluster, feedback, flag, low, high, lower_is_better)
    rows_of_baseline = _count(baseline)
    terms = Terms(
        by=tuple(by),
        baseline=MOST_BASELINE if rows_of_baseline is None else rows_of_baseline,
        floor=columns.scaled_floor(at_least),
        run_length=_at_least(run_length, 2, "--false-alarm-every"),
        level=level,
        seed=seed,
    )
    with held(kept_at):
        known = _state(kept_at, _settings(columns, terms, baseline), restart=restart)
        appended = read_appended(path, known.mark, rotated=rotated)
        columns = _settled(columns, appended, known, file=str(path))
        if rows_of_baseline is None and not known.ready:
            terms = _from_table(known, Path(str(baseline)), columns, terms)
        elif known.ready:
            terms = _as_begun(known, terms)
        rows = kept_rows(appended, columns, known.typed, file=str(path))
        if rows and not known.ready and all(row.value is None for row in known.baseline):
            require_watchable(rows, columns, list(appended.columns), file=str(path))
        take(known, [row for row, _ in rows], first=appended.first, terms=terms)
        of_items = None if items is None else kinds_of_items(items, known, (*by, *columns.drifting))
        drawn = 0 if review_to is None else _review(appended, rows, review, Path(review_to), seed=seed)
        known.mark, known.reads = appended.mark, known.reads + 1
        keep_state(kept_at, known)
    given = _said(columns, terms, baseline)
    given |= {"--value": value, "--at-least": at_least, "--items": items, "--state": state}
    return finding_of(
        known,
        source=str(path),
        new_rows=appended.height,
        terms=terms,
        items=of_items,
        review=drawn,
        notes=_notes(appended),
        command=command_line("monitor", [path], given),
    )


def _settings(columns: Columns, terms: Terms, baseline: int | str | Path) -> dict[str, Any]:
    """Return what makes a monitor another one."""
    told = {
        name: getattr(columns, name)
        for name in columns.__dataclass_fields__
        if name not in {"flag", "value_named"}
    }
    return told | {
        "floor": terms.floor,
        "baseline": str(baseline),
        "run_length": terms.run_length,
        "level": terms.level,
    }


def _said(columns: Columns, terms: Terms, baseline: int | str | Path) -> dict[str, Any]:
    """Return the options that say which columns are what, and on what terms they are watched."""
    return {
        "--baseline": None if str(baseline) == "500" else baseline,
        "--by": columns.by,
        "--drift": columns.drift,
        "--cluster": columns.cluster,
        "--feedback": columns.feedback,
        "--flag": columns.flag,
        "--low": None if columns.low == 0 else columns.low,
        "--high": None if columns.high == 1 else columns.high,
        "--lower-is-better": columns.lower_is_better,
        "--false-alarm-every": None if terms.run_length == 10_000 else terms.run_length,
        "--level": None if terms.level == 0.95 else terms.level,
    }


def _short(path: Path) -> str:
    return hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:8]


def _count(baseline: int | str | Path) -> int | None:
    """Return how many rows the baseline has; None when it is a table."""
    text = str(baseline)
    if not text.lstrip("+-").isdigit():
        return None
    count = int(text)
    if not 20 <= count <= MOST_BASELINE:
        raise UsageError(f"a baseline has 20 to {MOST_BASELINE:,} rows, or is a table; got {text}")
    return count


def _at_least(number: float, least: float, name: str) -> float:
    if not number >= least:
        raise UsageError(f"{name} is {number:g}; it must be {least:g} or more")
    return float(number)


def _state(path: Path, settings: Mapping[str, Any], *, restart: bool) -> State:
    """Return what is known; begun anew, how far the log was read stays known."""
    if not restart or not path.exists():
        return load_state(path, settings)
    fresh = State(settings=dict(settings))
    with suppress(InputError, UsageError):  # what cannot be read is what one begins anew for
        fresh.mark = load_state(path, {}).mark
    return fresh


def _settled(columns: Columns, appended: Appended, known: State, *, file: str) -> Columns:
    """Return the columns with that of the value settled, after checking that they are there."""
    there = list(appended.columns)
    if columns.value is None:
        found = next((name for name in VALUES if name in there), None) or known.settings.get("found")
        known.settings["found"] = found
        columns = columns.with_found(found)
    if appended.height:
        for name in columns.named:
            if name not in there:
                raise UsageError(f"{file} has no column {name!r}. {nearest(name, there)}")
        type_fields(known, columns, appended.columns)
    return columns


def _from_table(known: State, path: Path, columns: Columns, terms: Terms) -> Terms:
    """Take a table as the baseline."""
    table = read_appended(path, Mark())
    _settled(columns, table, known, file=str(path))
    kept = kept_rows(table, columns, known.typed, file=str(path))
    require_watchable(kept, columns, list(table.columns), file=str(path))
    rows = [row for row, _ in kept]
    if len(rows) < 20:
        raise InputError(f"holds {len(rows)} rows", file=str(path), remedy="A baseline needs 20 at least")
    known.baseline = rows[:MOST_BASELINE]
    terms = replace(terms, baseline=len(known.baseline))
    begin(known, terms)
    return terms


def _as_begun(known: State, terms: Terms) -> Terms:
    return replace(terms, baseline=len(known.baseline))


def _review(
    appended: Appended, rows: Sequence[tuple[Any, bool]], wanted: int, path: Path, *, seed: int
) -> int:
    """Draw rows for people, half of them among the flagged, and write them with the chance of each."""
    import polars as pl

    from aliquot.files.table_writing import write_table
    from aliquot.stats.label_split import rows_to_label

    if not rows:
        raise UsageError("there are no new rows to draw from; what was read before is not kept")
    cells = ["flagged" if flagged else "random" for _, flagged in rows]
    there = Counter(cells)
    flagged = min(there["flagged"], max(wanted // 2, wanted - there["random"]))
    by_cell = {"flagged": flagged, "random": min(there["random"], wanted - flagged)}
    sample = rows_to_label(
        cells, {name: count for name, count in by_cell.items() if there[name]}, rng=seed + appended.first
    )
    drawn = [place for place, taken in enumerate(sample.rows) if taken]
    own: dict[str, list[Cell]] = {
        name: [column[place] for place in drawn] for name, column in appended.columns.items()
    }
    chances = [float(sample.chances[place]) for place in drawn]
    about: dict[str, list[Any]] = {
        "row": [appended.first + place for place in drawn],
        "drawn": [cells[place] for place in drawn],
        "chance": chances,
        "weight": [1 / chance for chance in chances],
    }
    texts = {name: [None if cell is None else str(cell) for cell in column] for name, column in own.items()}
    write_table(path, pl.DataFrame({**texts, **about}))
    return len(drawn)


def _notes(appended: Appended) -> list[Note]:
    if not appended.torn:
        return []
    text = "the last row has no line end yet, so it may be half a row; it is left for the next read"
    return [Note("torn_line", text)]
