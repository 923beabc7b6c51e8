"""What is in a source, as plain text or JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from aliquot.findings.numbers import write_count
from aliquot.readers.describe import Description, TaskDescription, VotesDescription
from aliquot.reports.plain import name_some, neutralise, short_name, wrap


def render_description(description: Description) -> str:
    """Return a description as plain text of 80 columns."""
    lines: list[str] = []
    for source in description.sources:
        lines += wrap(
            f"{neutralise(source.path)}: {' '.join(filter(None, (source.format, source.version)))}", indent=""
        )
    lines += wrap(f"Systems: {len(description.systems)} ({name_some(description.systems, limit=60)})")
    for task in description.tasks:
        lines += _task(task)
    for votes in description.votes:
        lines += _votes(votes)
    lines += wrap(f"Item key: {neutralise(description.item_key)}")
    lines += wrap(
        f"Rows an item: {_yes(description.has_rows)}. Answers to score again: {_yes(description.has_responses)}. "
        f"Clusters: {_yes(description.has_clusters)}."
    )
    lines += [
        line
        for note in description.notes
        for line in wrap(neutralise(note.text, limit=500), first="  ! ", indent="    ")
    ]
    return "\n".join(lines) + "\n"


def description_document(description: Description) -> Mapping[str, Any]:
    """Return a description as JSON values by the contract ``aliquot.description/1``."""
    return {"schema": "aliquot.description/1", **asdict(description)}


def _task(task: TaskDescription) -> list[str]:
    low, high = task.attempts
    times = "once" if high == 1 else f"{low} times" if low == high else f"{low} to {high} times"
    lines = [f"  Task {short_name(task.task)}: {task.items} items, asked {times}, {task.responses} responses"]
    lines += wrap(
        "Status: " + ", ".join(f"{count} {name}" for name, count in task.statuses.items()), indent="    "
    )
    for metric in task.metrics:
        judge = f", judged by {neutralise(metric.judge)} (not validated)" if metric.judge else ""
        lines += wrap(
            f"Metric {short_name(metric.metric)}: {metric.kind}, {metric.better} is better, "
            f"{metric.values} of {metric.rows} rows have a value{judge}",
            indent="    ",
        )
    if task.clusters:
        fields = ", ".join(f"{short_name(name)} ({count})" for name, count in task.clusters.items())
        lines += wrap(f"Could be clusters: {fields}", indent="    ")
    if task.copies:
        lines.append(f"    {task.copies} items ask exactly what another item asks")
    if task.shares_items_with:
        lines += wrap(f"Has the same items as {name_some(task.shares_items_with, limit=50)}", indent="    ")
    return lines


def _votes(votes: VotesDescription) -> list[str]:
    by = ", ".join(f"{count} by {_RATERS[kind]}" for kind, count in votes.by.items())
    lines = wrap(
        f"Votes on {short_name(votes.task)}: {votes.votes:,} ({by}) on {write_count(votes.items, 'item')}, "
        f"{write_count(votes.systems, 'system')} in {write_count(votes.pairs, 'pair')}, "
        f"{write_count(votes.raters, 'rater')}",
        first="  ",
        indent="    ",
    )
    verdicts = ", ".join(f"{count} {_VERDICTS.get(word, word)}" for word, count in votes.verdicts.items())
    lines += wrap(f"Verdicts: {verdicts}", indent="    ")
    order = f"Order shown is known of {votes.order_known:,}"
    sessions = f"; {write_count(votes.sessions, 'session')}" if votes.sessions else ""
    return lines + wrap(order + sessions, indent="    ")


_RATERS: Final = {"person": "people", "judge": "a model judge", "rule": "a rule"}

_VERDICTS: Final = {
    "a": "for the first named",
    "b": "for the second named",
    "tie": "ties",
    "both_bad": "both bad",
}


def _yes(value: bool) -> str:  # noqa: FBT001 - a word for a fact
    return "yes" if value else "no"
