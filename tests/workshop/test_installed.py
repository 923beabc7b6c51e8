"""The command as a user has it, run away from the source; ALIQUOT_COMMAND names another installation."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(os.environ.get("ALIQUOT_COMMAND") or Path(sys.executable).with_name("aliquot"))


def run(*arguments: str, folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [COMMAND, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_demo_ends_with_a_verdict(tmp_path: Path):
    shown = run("demo", folder=tmp_path)
    assert any(word in shown.lower() for word in ("better", "worse", "undecided", "equivalent"))


def test_the_version_is_the_one_of_the_distribution(tmp_path: Path):
    assert "0.1.0" in run("--version", folder=tmp_path)


@pytest.mark.model
def test_a_short_live_demo_names_its_report(tmp_path: Path):
    shown = run("demo", "--live", "--items", "12", folder=tmp_path)
    reports = list(tmp_path.rglob("*.html"))
    assert reports
    assert any(report.name in shown for report in reports)
