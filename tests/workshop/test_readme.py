"""The README shows real output: what `aliquot demo` prints today."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from aliquot.reports.render import render
from aliquot.verbs.demo import demo

README = Path(__file__).parents[2] / "README.md"


def test_the_demo_prints_what_the_readme_shows(tmp_path):
    shown = re.search(r"\$ aliquot demo\n(.*?)\n\nReport:", README.read_text(encoding="utf-8"), re.DOTALL)
    assert shown is not None
    assert render(demo(directory=tmp_path).comparison).rstrip("\n") == shown[1]


def test_the_examples_of_the_readme_run():
    found = doctest.testfile(str(README), module_relative=False)
    assert found.attempted > 0
    assert found.failed == 0
