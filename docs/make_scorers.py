"""Write the second half of docs/scorers.md from the rules themselves: what each does, its settings, when it misleads.

Run by ``make scorers``; a test compares the page with what is made here.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from aliquot.scorers.rule import Rule, Settings
from aliquot.scorers.rules import RULES

PAGE = Path(__file__).resolve().parent / "scorers.md"
MARK = "<!-- Everything below is written by make scorers -->\n"


def page() -> str:
    """Return the whole page."""
    head = PAGE.read_text(encoding="utf-8").split(MARK)[0]
    return head + MARK + "\n".join(_tables()) + "\n"


def _tables() -> Iterator[str]:
    yield "\n## Every rule\n"
    yield "| rule | value | made equal before comparing | when it misleads |\n|---|---|---|---|"
    for name, rule in RULES.items():
        cells = (_first_paragraph(rule), f"{rule.normalisation} (version {rule.version})", rule.misleads)
        yield f"| `{name}` | {' | '.join(_cell(cell) for cell in cells)} |"
    yield "\n## Every setting\n"
    yield "| rule | setting | default | meaning |\n|---|---|---|---|"
    for name, rule in RULES.items():
        for setting, default, meaning in _settings(rule.settings) if rule.settings else ():
            yield f"| `{name}` | `{setting}` | {default} | {_cell(meaning)} |"


def _first_paragraph(rule: Rule) -> str:
    return " ".join((inspect.getdoc(rule.function) or "").split("\n\n")[0].split())


def _settings(settings: type[Settings]) -> Iterator[tuple[str, str, str]]:
    """Yield name, default and meaning of each setting; the meaning stands in the docstring of its class."""
    told = (inspect.getdoc(settings) or "").partition("Attributes:\n")[2]
    meanings = dict(re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", told, re.MULTILINE))
    for one in msgspec.structs.fields(settings):
        default = one.default if one.default is not msgspec.NODEFAULT else None
        if one.default_factory is not msgspec.NODEFAULT:
            default = one.default_factory()
        shown = "required" if one.required else f"`{json.dumps(msgspec.to_builtins(default))}`"
        yield one.encode_name, shown, " ".join(meanings[one.name].split())


def _cell(text: str) -> str:
    return text.replace("``", "`").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
