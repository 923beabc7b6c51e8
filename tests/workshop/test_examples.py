"""``examples/ci`` runs as it stands: the script, the tests, and what the files of two platforms call."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

from aliquot.gates.policy_file import read_policy
from tests.pytest_plugin.test_plugin import LOADED
from tests.verbs.test_gate import git
from tests.workshop.commands import programs
from tests.workshop.sources import ROOT

EXAMPLE = ROOT / "examples" / "ci"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The example as the main branch of a repository."""
    folder = tmp_path / "repository"
    shutil.copytree(EXAMPLE, folder)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "an example")
    return folder


@pytest.mark.heavy
def test_the_script_gates_the_change_by_the_base_branch(repository: Path, tmp_path: Path) -> None:
    env = programs(tmp_path / "bin") | {"CI_BASE": "main"}
    done = subprocess.run(["./gate.sh"], cwd=repository, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("PASS: ")
    assert (repository / "pr.md").read_text(encoding="utf-8").startswith("<!-- aliquot gate -->")
    assert ET.parse(repository / "gate.xml").getroot().get("failures") == "0"
    broken = (repository / "pr.csv").read_text(encoding="utf-8").replace(",1,billing", ",0,billing")
    (repository / "pr.csv").write_text(broken, encoding="utf-8")
    (repository / "gate.yaml").write_text(
        "metrics: {headline: {no_worse_than: 90pt}}\nbaseline: main\n", encoding="utf-8"
    )
    done = subprocess.run(["./gate.sh"], cwd=repository, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stdout  # the change loosened the policy, and the base branch did not


@pytest.mark.heavy
def test_its_tests_pass(repository: Path, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *LOADED, "test_answers.py"]
    done = subprocess.run(
        words, cwd=repository, env=programs(tmp_path / "bin"), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "test_it_says_what_it_does_not_know reaches 80%" in done.stdout


def test_the_platforms_call_what_is_there() -> None:
    assert read_policy(EXAMPLE / "gate.yaml").baseline.name == "main"
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    steps = yaml.safe_load((EXAMPLE / "github.yml").read_text(encoding="utf-8"))["jobs"]["gate"]["steps"]
    called = next(step for step in steps if "aliquot" in step.get("uses", ""))
    assert set(called["with"]) <= set(action["inputs"])
    script = yaml.safe_load((EXAMPLE / "gitlab.yml").read_text(encoding="utf-8"))["evaluation"]["script"]
    assert script[-1].endswith("./gate.sh")
    named = {path.name for path in EXAMPLE.iterdir() if path.is_file()}
    readme = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    assert [name for name in named - {"README.md", "main.csv", "pr.csv"} if name not in readme] == []
