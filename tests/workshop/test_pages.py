"""Pages show real output: each ``console`` block is run (``python -m tests.workshop.test_pages`` writes them)."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest

from tests.cli.called import call as aliquot
from tests.workshop.page_logs import write_logs
from tests.workshop.sources import ROOT

PAGES = ("compare.md", "verbs.md", "gate.md", "judges.md", "monitor.md")

BLOCK = re.compile(r"^```console\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
LEFT_OUT = "..."
"""A line that stands for any lines: such a block is checked and not written."""


def refreshed(text: str, folder: Path) -> str:
    """Return a page with what its commands print today."""
    return BLOCK.sub(lambda block: f"```console\n{_printed(block['body'], folder)}```", text)


def _printed(body: str, folder: Path) -> str:
    commands = [line for line in body.splitlines() if line.startswith("$ ")]
    outputs = {command: _run(command, folder) for command in commands}
    if f"\n{LEFT_OUT}\n" in body:
        (output,) = outputs.values()
        parts = body.split("\n", 1)[1].split(f"{LEFT_OUT}\n")
        return body if all(part in output for part in parts) else f"{commands[0]}\n{output}"
    return "\n".join(f"{command}\n{output}" for command, output in outputs.items())


def _run(command: str, folder: Path) -> str:
    words = command.removeprefix("$ aliquot ").split()
    done = aliquot(*words, folder=folder)
    assert done.code in ((0, 3, 4) if words[0] == "gate" else (0,)), done.err  # a gate's code is its decision
    return done.out


@pytest.mark.parametrize("name", PAGES)
def test_a_page_shows_what_the_commands_print(name: str, tmp_path: Path):
    write_logs(tmp_path)
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert refreshed(page, tmp_path) == page, "run: python -m tests.workshop.test_pages"
    assert BLOCK.search(page)


def test_every_verb_that_makes_a_claim_is_on_a_page():
    text = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in PAGES)
    for verb in (
        "compare",
        "summarize",
        "table",
        "noise",
        "variants",
        "failures",
        "plan",
        "verify",
        "explain",
        "agree",
        "calibrate",
        "gate",
    ):
        assert f"`{verb}`" in text or f"aliquot {verb}" in text
    for option in ("--margin", "--cluster", "--against", "--counts", "--unpaired", "--allow", "--at-least", "--latex",
                   "--forget", "--shares", "--detect", "--psi", "--half-width", "--budget", "--write", "--plan",
                   "--claims", "--no-worse-than", "--policy", "--base-ref", "--undecided", "--report-only", "--comment",
                   "--bless", "--record"):  # fmt: skip
        assert option in text, option


if __name__ == "__main__":
    for name in PAGES:
        with tempfile.TemporaryDirectory() as made:
            write_logs(Path(made))
            path = ROOT / "docs" / name
            path.write_text(refreshed(path.read_text(encoding="utf-8"), Path(made)), encoding="utf-8")
