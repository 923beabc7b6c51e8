"""``aliquot monitor``."""

from __future__ import annotations

from typing import Any

import click

from aliquot.cli.options import Shown, output_forms


@click.command("monitor")
@click.argument("paths", nargs=-1, required=True, metavar="LOG | --trend RUNS...")
@click.option("--value", help="Column of the value; default: value, score, passed, correct or success.")
@click.option(
    "--at-least", metavar="FLOOR", help="Floor that quality is held to (90%); default: the baseline's limit."
)
@click.option(
    "--baseline",
    default="500",
    show_default=True,
    metavar="N|FILE",
    help="The first N rows, or a table of a good time.",
)
@click.option("--by", multiple=True, metavar="COLUMN", help="Segments, each watched by itself (repeatable).")
@click.option(
    "--drift",
    multiple=True,
    metavar="COLUMN",
    help="Inputs to watch besides: a number, a kind, a text by its length (repeatable).",
)
@click.option("--cluster", metavar="COLUMN", help="Conversation or user: its rows are one unit.")
@click.option("--feedback", metavar="COLUMN", help="What users said: up or down, good or bad, or nothing.")
@click.option("--flag", metavar="COLUMN", help="Marks rows that people should look at, for --review.")
@click.option("--low", type=float, default=0.0, help="Smallest possible value.  [default: 0]")
@click.option("--high", type=float, default=1.0, help="Largest possible value.  [default: 1]")
@click.option("--lower-is-better", is_flag=True, help="The smaller the value the better.")
@click.option(
    "--false-alarm-every",
    "run_length",
    type=float,
    default=10_000,
    show_default=True,
    metavar="ROWS",
    help="Rows between false alarms, on average, at least.",
)
@click.option("--items", metavar="SET", help="A set of items: does it still look like what comes in?")
@click.option("--review", type=int, default=0, metavar="N", help="Draw N of the new rows for people to read.")
@click.option("--review-to", metavar="FILE", help="Where they go, each with its chance and weight.")
@click.option("--state", metavar="FILE", help="Where the monitor is kept.  [default: .aliquot/monitors/...]")
@click.option("--restart", is_flag=True, help="Begin anew: the rows from here on are the baseline.")
@click.option("--rotated", is_flag=True, help="The log is a new file that goes on from the last one.")
@click.option("--trend", is_flag=True, help="A metric over stored runs, oldest first: where did it change?")
@click.option("--system", help="With --trend: the system, when runs hold several.")
@click.option("--task", help="With --trend: the task, when there are several.")
@click.option("--metric", help="With --trend: the metric; default: the log's own headline.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@click.option("--seed", type=int, default=None, help="Seed of everything random; stored in the finding.")
@output_forms
def command(paths: tuple[str, ...], *, shown: Shown, trend: bool, **choices: Any) -> None:
    """Has the quality of what runs fallen, or what it is asked changed? Exit 3 while an alarm stands.

    Reads only the rows that came since the last time. With --trend: where a metric over many stored runs has changed
    its level; exit 3 when the last change is for the worse, 4 when the runs are too few to tell.

    \b
      aliquot monitor log.jsonl --by lang --drift question --feedback thumbs
      aliquot monitor log.csv --at-least 90% --review 50 --review-to read.csv
      aliquot monitor --trend evals/*.json
    """  # noqa: D301 - \b is click's mark for a block kept as it stands
    from aliquot.cli.printing import print_finding
    from aliquot.errors import UsageError

    of_trend = {name: choices.pop(name) for name in ("system", "task", "metric")}
    if trend:
        from aliquot.verbs.trend import trend as look

        context = click.get_current_context()
        shared = {"level", "seed", "lower_is_better"}
        given = [
            name
            for name in choices
            if name not in shared
            and context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
        ]
        if given or choices["lower_is_better"]:
            named = given[0] if given else "lower_is_better"
            raise UsageError(f"--{named.replace('_', '-')} is for a log, and --trend looks at stored runs")
        found = look(*paths, **of_trend, level=choices["level"], seed=choices["seed"])
    else:
        from aliquot.verbs.monitor import monitor

        if len(paths) != 1:
            raise UsageError("a monitor watches one log; --trend looks at many runs")
        if named := next((name for name, value in of_trend.items() if value is not None), None):
            raise UsageError(f"--{named} goes with --trend")
        found = monitor(paths[0], **choices)
    print_finding(found, shown)
    if found.exit_code:
        raise click.exceptions.Exit(found.exit_code)
