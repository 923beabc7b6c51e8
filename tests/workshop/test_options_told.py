"""Every command line that a page, a docstring or an error writes has options that there are."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest

from aliquot.cli.main import MAIN_VERBS, OTHER_VERBS, group
from tests.workshop.sources import PACKAGE, ROOT

LINE = re.compile(r"aliquot (?P<verb>[a-z]+)(?P<rest> [^`\n#|\"]*)")
OPTION = re.compile(r"(?<=\s)--?[a-z][a-z-]*")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ELSEWHERE = {"--reruns", "--aliquot-looks", "--aliquot-undecided"}
"""Options of pytest and its plugins."""


def options(command: click.Command, ctx: click.Context) -> Iterator[str]:
    yield from ("--help", "-h")
    yield from (name for one in command.params for name in (*one.opts, *one.secondary_opts))
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            found = command.get_command(ctx, name)
            assert found is not None
            yield from options(found, ctx)


def known() -> dict[str, set[str]]:
    ctx = click.Context(group)
    commands = {name: group.get_command(ctx, name) for name in (*MAIN_VERBS, *OTHER_VERBS)}
    return {name: set(options(command, ctx)) for name, command in commands.items() if command is not None}


KNOWN = known()


@pytest.mark.parametrize(
    "path", [*PAGES, *sorted(PACKAGE.rglob("*.py"))], ids=lambda path: str(path.relative_to(ROOT))
)
def test_the_options_of_command_lines_exist(path):
    lines = [line for line in LINE.finditer(path.read_text(encoding="utf-8")) if line["verb"] in KNOWN]
    told = {(line["verb"], option) for line in lines for option in OPTION.findall(line["rest"])}
    assert {(verb, option) for verb, option in told if option not in KNOWN[verb]} == set()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_an_option_that_a_page_names_exists_in_some_command(path):
    named = set(re.findall(r"`(--[a-z][a-z-]*)", path.read_text(encoding="utf-8")))
    assert named - set().union(*KNOWN.values()) - ELSEWHERE == set()
