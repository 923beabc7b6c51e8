"""Every command line that a page, a docstring or an error writes has options that there are."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module

import click
import pytest

import aliquot.verbs
from aliquot.cli.main import MAIN_VERBS, OTHER_VERBS, group
from aliquot.verbs.reproduce import given_options
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


COMMANDS = {"probe_judge": "probe", "trend": "monitor"}
"""Commands that have another name than their verb."""

TELLING = [
    name
    for name in (found.name for found in pkgutil.iter_modules(aliquot.verbs.__path__))
    if getattr(import_module(f"aliquot.verbs.{name}"), "given_options", None) and name != "reproduce"
]
"""Verbs whose command is read off their parameters."""


class AllGivenError(Exception):
    """The options that a verb would tell if every one of them were given."""


@pytest.mark.parametrize("verb", TELLING)
def test_a_finding_is_made_again_by_options_that_its_command_has(verb, monkeypatch):
    def all_given(function, called, **names):
        given = {name: object() for name in inspect.signature(function).parameters}
        raise AllGivenError(given_options(function, given, **names))

    module = import_module(f"aliquot.verbs.{verb}")
    monkeypatch.setattr(module, "given_options", all_given)
    needed = [one for one in inspect.signature(getattr(module, verb)).parameters.values()
              if one.kind is one.POSITIONAL_OR_KEYWORD and one.default is one.empty]  # fmt: skip
    with pytest.raises(AllGivenError) as told:
        getattr(module, verb)(*("log.json" for _ in needed))
    assert set(told.value.args[0]) - KNOWN[COMMANDS.get(verb, verb)] == set()


def test_the_walk_finds_the_verbs_that_tell_their_command():
    assert {"compare", "plan", "gate", "probe_judge", "rescore"} <= set(TELLING)
