"""The command line: parse, call a verb, print, exit. Commands are imported when they are called."""

from __future__ import annotations

import gc
import os
import sys
from importlib import import_module

import click

from aliquot.errors import AliquotError

MAIN_VERBS = {
    "compare": "Is the candidate better than the baseline, and how sure are we?",
    "gate": "May this candidate be merged? An exit code that survives noise, for CI.",
    "plan": "How many items, minutes and how much money would a difference take?",
    "report": "One self-contained page (HTML), Markdown or JSON of a comparison.",
    "label": "Blind human labels of a drawn part of the answers, on a page of your own machine.",
}
"""The verbs that decide; shown first in ``--help``."""

OTHER_VERBS = {
    "agree": "How far raters say the same beyond chance, and where they differ.",
    "calibrate": "A judge held against people, and its rates corrected for its errors.",
    "demo": "Two bundled logs compared in seconds; --live asks the embedded model.",
    "explain": "A method in plain words, or a paragraph about a saved finding to paste.",
    "failures": "What goes wrong, how often, and which kinds moved.",
    "init": "A commented evaluation file to start from, and six items when asked.",
    "model": "Install, find and check the embedded model.",
    "monitor": "Has the quality of what runs fallen, or what it is asked? Trend of stored runs.",
    "noise": "The same system twice: which items flip, how much the suite moves by itself.",
    "probe": "A judge held against pairs whose right verdict is known.",
    "read": "What is in a log, a table or a run, and what would be lost.",
    "rescore": "Stored answers under another rule, without asking; both outcomes are kept.",
    "run": "Ask the systems of an evaluation file about every item, once.",
    "runs": "What runs there are: how far they came, when, and how to compare them.",
    "show": "The rows behind a comparison: what broke, both answers side by side.",
    "summarize": "What each system reached, how much it answered, and how sure that is.",
    "table": "Tasks x systems against a baseline: joint intervals, adjusted p, LaTeX.",
    "variants": "How much a prompt's wording, format, option order and shots move the score.",
    "verify": "Printed numbers against their rows, or against arithmetic alone.",
}


COLUMNS = 100
"""Columns of help at most."""

OBJECTS = 50_000
"""New objects between two searches for garbage: imports make many, and none of them is garbage."""


class LazyGroup(click.Group):
    """A group whose commands live in ``aliquot.cli.<name>`` and are imported when asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names, the main verbs first."""
        return [*MAIN_VERBS, *OTHER_VERBS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name, importing its module."""
        if cmd_name not in self.list_commands(ctx):
            return None
        return import_module(f"aliquot.cli.{cmd_name}").command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command; paths without a verb are a summary or a comparison, an unknown verb names the nearest."""
        if args[0] not in self.list_commands(ctx) and os.path.exists(args[0]):  # noqa: PTH110
            verb = "compare" if len(args) >= 2 and os.path.exists(args[1]) else "summarize"  # noqa: PTH110
            return super().resolve_command(ctx, [verb, *args])
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from aliquot.errors import nearest

            raise click.UsageError(
                f"No such command or file {args[0]!r}. {nearest(args[0], self.list_commands(ctx))}", ctx
            ) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """Write the verbs without importing them."""
        for title, verbs in (("Decide", MAIN_VERBS), ("Everything else", OTHER_VERBS)):
            with formatter.section(title):
                formatter.write_dl(list(verbs.items()))


@click.group(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": COLUMNS}
)
@click.version_option(package_name="aliquot", prog_name="aliquot")
def group() -> None:
    """Is this language-model system better, and how sure are we?

    In `compare A B`, A is the baseline and B the candidate; every difference is B minus A.

    \b
      aliquot compare main.csv pr.csv
      aliquot demo
    """  # noqa: D301 - \b is click's mark for a block kept as it stands


def main() -> None:
    """Run the command line and exit with the code of the error, if any."""
    gc.set_threshold(OBJECTS)
    _make_console_safe()
    try:
        code = group.main(standalone_mode=False, terminal_width=_width_of_help())
    except click.exceptions.Abort:
        click.echo("aliquot: interrupted", err=True)
        code = 130
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except AliquotError as error:
        from aliquot.reports.plain import neutralise

        click.echo(f"aliquot: {neutralise(str(error), limit=2000)}", err=True)
        code = 130 if isinstance(error.__cause__, KeyboardInterrupt) else error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        click.echo(f"aliquot: the output cannot be written ({error.strerror})", err=True)
        code = 2
    sys.exit(code if isinstance(code, int) else 0)


def _make_console_safe() -> None:
    """Replace characters the console cannot show instead of dying on them (cp1252, ASCII)."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _width_of_help() -> int:
    """Return the width that click would take, without ``shutil`` and the archive modules it loads (start-up)."""
    try:
        columns = int(os.environ.get("COLUMNS", "0")) or os.get_terminal_size(sys.__stdout__.fileno()).columns  # pyright: ignore[reportOptionalMemberAccess] - None is an AttributeError
    except (ValueError, OSError, AttributeError):
        columns = 0
    return max(min(columns or 80, COLUMNS) - 2, 50)
