"""Options that mean the same thing in every command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


class Points(click.ParamType):
    """A margin: ``2pt`` and ``2%`` are two points of a rate, ``0.02`` is in the metric's own units."""

    name = "margin"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the margin in the metric's units."""
        text = str(value).strip()
        number, scale = (
            (text.removesuffix("pt").removesuffix("%").strip(), 0.01)
            if text[-1:] in ("t", "%")
            else (text, 1.0)
        )
        try:
            margin = float(number) * scale
        except ValueError:
            self.fail(f"{text!r} is not a margin; write 2pt for two points, or 0.02", param, ctx)
        if not 0 < margin < float("inf"):
            self.fail(f"a margin is positive; got {text!r}", param, ctx)
        return margin


def comparison_options(command: Command) -> Command:
    """Add the options that every command comparing A with B takes."""
    for option in reversed(_COMPARISON):
        command = option(command)
    return command


_COMPARISON = (
    click.option(
        "--systems",
        nargs=2,
        metavar="BASELINE CANDIDATE",
        help="The two systems, when the files hold several.",
    ),
    click.option("--task", help="The task, when there are several."),
    click.option("--metric", help="The metric; default: the log's own headline."),
    click.option(
        "--cluster", help="Field that names the cluster of an item (document, template, conversation)."
    ),
    click.option("--margin", type=Points(), help="Largest loss that does not matter: 2pt, or 0.02."),
    click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level."),
    click.option(
        "--match-on",
        type=click.Choice(["content", "id"]),
        default="content",
        show_default=True,
        help="Refuse items of one id whose content differs, or match by id alone.",
    ),
    click.option("--seed", type=int, default=None, help="Seed of everything random; stored in the finding."),
)
