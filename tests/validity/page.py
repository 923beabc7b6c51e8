"""The page of the validity table, from the results that are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tests.validity import one_call
from tests.validity.cells import LEAST, LEAST_FROM, LEAST_MEAN, LEVEL, SIZE, Cell, Result
from tests.validity.grid import SECTIONS, Section

Results = Mapping[str, Result]

HEAD = """\
# Validity

How often the default intervals hold the truth and how often the deciding tests reject a true null hypothesis, at
95% and 5%. This page is written by `make validity`; `aliquot.stats.coverage` runs the same on your own design.

A default passes when, for each row below, the mean coverage over its columns is at least {mean:.3f} and the least,
from {from_n} items on, is at least {least:.2f}; an exact method when every cell reaches {level:.2f}; a deciding test
when its size is at most {size:.2f}. Simulated cells are given three Monte-Carlo standard errors. What does not pass is
listed first; [the finding warns there](decisions/0006-where-coverage-falls-short.md).
"""


def failures(section: Section, results: Results) -> list[str]:
    """One sentence for each row or cell that does not meet the rule."""
    found: list[str] = []
    for row, cells in rows_of(section).items():
        done = [(cell, results[cell.key]) for cell in cells if cell.key in results]
        if not done:
            continue
        mean = mean_of(section, done)
        slack = float(np.mean([result.slack for _, result in done])) / np.sqrt(len(done))
        if not section.exact and len(done) == len(cells) and mean < LEAST_MEAN - slack:
            found.append(f"{row}: mean coverage {mean:.3f}")
        for cell, result in done:
            least = LEVEL if section.exact else LEAST
            if result.coverage < least - result.slack - 1e-9 and (section.exact or cell.n >= LEAST_FROM):
                found.append(f"{row}, {cell.column}: coverage {result.coverage:.3f}")
            if result.size is not None and result.size > SIZE + result.size_slack:
                found.append(f"{row}, {cell.column}: size {result.size:.3f}")
    return found


def mean_of(section: Section, done: Sequence[tuple[Cell, Result]]) -> float:
    """Mean coverage of a row: over its cells, or what the column of means holds."""
    kept = [r.coverage for cell, r in done if section.mean_column in {None, cell.column}]
    return float(np.mean(kept or [r.coverage for _, r in done]))


def rows_of(section: Section) -> dict[str, list[Cell]]:
    """Cells by their row, in order."""
    rows: dict[str, list[Cell]] = {}
    for cell in section.cells():
        rows.setdefault(cell.row, []).append(cell)
    return rows


def written(results: Results) -> str:
    """The page as Markdown."""
    parts = [
        HEAD.format(mean=LEAST_MEAN, least=LEAST, from_n=LEAST_FROM, level=LEVEL, size=SIZE),
        *_failing(results),
    ]
    parts += [_table(section, results) for section in SECTIONS]
    return "\n".join(parts)


def _failing(results: Results) -> list[str]:
    lines = ["## Where the rule is not met", ""]
    before = len(lines)
    for section in SECTIONS:
        found = failures(section, results)
        if found:
            lines += [f"**{section.title}**", "", *(f"- {text}" for text in found), ""]
    if len(lines) == before:
        lines += ["Nowhere.", ""]
    return lines


def _table(section: Section, results: Results) -> str:
    if section.name == one_call.SECTION:
        return _beside_peers(section, results)
    rows = rows_of(section)
    every = [cell for cells in rows.values() for cell in cells]
    done = [results[cell.key] for cell in every if cell.key in results]
    columns = list(dict.fromkeys(cell.column for cell in every))
    sized = any(result.size is not None for result in done)
    head = [
        "",
        *columns,
        "mean",
        "naive, mean",
        "width",
        *(("size, most", "naive size, most") if sized else ()),
    ]
    lines = [f"## {section.title}", "", section.text, "", _ran(done, len(every)), ""]
    if not done:
        return "\n".join(lines)
    lines += [_line(head), _line(["---"] * len(head))]
    for row, cells in rows.items():
        by_column = {cell.column: results[cell.key] for cell in cells if cell.key in results}
        if by_column:
            found = list(by_column.values())
            shown = [
                row,
                *(_share(by_column[c].coverage if c in by_column else None) for c in columns),
                _share(mean_of(section, [(c, results[c.key]) for c in cells if c.key in results])),
                _mean([r.naive for r in found]),
                _mean([r.width for r in found]),
            ]
            shown += [_most([r.size for r in found]), _most([r.naive_size for r in found])] if sized else []
            lines.append(_line(shown))
    return "\n".join([*lines, ""])


def _beside_peers(section: Section, results: Results) -> str:
    """The table of the comparison in one line: its own numbers, then how often each peer calls a difference."""
    found = [(cell.row, results[cell.key]) for cell in section.cells() if cell.key in results]
    lines = [
        f"## {section.title}",
        "",
        section.text,
        "",
        _ran([r for _, r in found], len(list(section.cells()))),
        "",
    ]
    if not found:
        return "\n".join(lines)
    head = ["", "holds the truth", "width", "calls a difference", "warns of clusters", *one_call.PEERS]
    lines += [_line(head), _line(["---"] * len(head))]
    for row, result in found:
        peers = (result.peers or {}).get
        own = [result.coverage, result.width, result.size, result.warned]
        lines.append(_line([row, *map(_share, [*own, *map(peers, one_call.PEERS)])]))
    return "\n".join([*lines, ""])


def _ran(done: Sequence[Result], of: int) -> str:
    reps = sorted({result.reps for result in done if result.reps})
    simulated = f", {' or '.join(f'{r:,}' for r in reps)} data sets a cell" if reps else ""
    if len(done) == of:
        return f"All {of} cells were run{simulated}."
    return f"{len(done)} of {of} cells were run{simulated}."


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _mean(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return _share(float(np.mean(known))) if known else ""


def _most(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return _share(max(known)) if known else ""
