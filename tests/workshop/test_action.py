"""The composite action: each of its shell steps is run as GitHub would run it, with a ``gh`` that records."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.verbs.test_gate import BETTER, REGRESSION, write_pair
from tests.workshop.commands import build_wheel, own_python, programs
from tests.workshop.sources import ROOT

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: dict[str, dict[str, Any]] = {step["name"]: step for step in ACTION["runs"]["steps"]}


@dataclass
class Runner:
    """What GitHub does with the steps: expressions are filled in, outputs read back."""

    folder: Path
    env: dict[str, str]
    inputs: dict[str, str]
    outputs: dict[str, str]

    def expand(self, text: str) -> str:
        def value(found: re.Match[str]) -> str:
            name = found[1].strip()
            if name.startswith("inputs."):
                return self.inputs[name.removeprefix("inputs.")]
            if name.startswith("steps.gate.outputs."):
                return self.outputs.get(name.removeprefix("steps.gate.outputs."), "")
            return {"github.repository": "o/r", "github.event.pull_request.number": "7", "github.token": "t"}[
                name
            ]

        return re.sub(r"\$\{\{(.*?)\}\}", value, text)

    def step(self, name: str) -> subprocess.CompletedProcess[str]:
        step = STEPS[name]
        assert "${{" not in step["run"]  # an input is never part of the script, where it could act
        env = self.env | {key: self.expand(text) for key, text in step.get("env", {}).items()}
        script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(script, cwd=self.folder, env=env, capture_output=True, text=True, check=False)
        written = Path(self.env["GITHUB_OUTPUT"]).read_text(encoding="utf-8")
        self.outputs = dict(line.split("=", 1) for line in written.splitlines())
        return done

    def asked(self) -> str:
        log = Path(self.env["GH_LOG"])
        return log.read_text(encoding="utf-8") if log.exists() else ""

    def body(self) -> str:
        return Path(f"{self.env['GH_LOG']}.body").read_text(encoding="utf-8")


def runner(folder: Path, **inputs: str) -> Runner:
    env = programs(folder / "bin")
    (folder / "out").write_text("", encoding="utf-8")
    env |= {"RUNNER_TEMP": str(folder), "GITHUB_OUTPUT": str(folder / "out"), "GITHUB_ACTIONS": "true",
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md")}  # fmt: skip
    defaults = {name: str(told.get("default", "")) for name, told in ACTION["inputs"].items()}
    return Runner(folder, env, defaults | inputs, {})


@pytest.mark.heavy
def test_a_loss_is_said_once_and_fails_the_check(tmp_path: Path) -> None:
    write_pair(tmp_path, REGRESSION)
    found = runner(tmp_path, baseline="main.csv", candidate="pr.csv", **{"no-worse-than": "2pt"})
    done = found.step("Gate")
    assert (done.returncode, found.outputs) == (0, {"exit-code": "3", "decision": "fail"}), done.stderr
    assert "::error title=aliquot gate::FAIL" in done.stdout
    assert "[!CAUTION]" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert found.step("Comment").returncode == 0
    assert "--method POST repos/o/r/issues/7/comments" in found.asked()
    assert found.body().startswith("<!-- aliquot gate -->\n> [!CAUTION]")
    assert found.step("Decide").returncode == 3
    Path(found.env["GH_KNOWN"]).write_text("4711\n", encoding="utf-8")
    found.step("Comment")
    assert "--method PATCH repos/o/r/issues/comments/4711" in found.asked()


@pytest.mark.heavy
def test_a_green_run_that_changes_nothing_is_silent_and_takes_an_old_alarm_back(tmp_path: Path) -> None:
    write_pair(tmp_path, BETTER)
    found = runner(tmp_path, baseline="main.csv", candidate="main.csv", **{"no-worse-than": "2pt"})
    found.step("Gate")
    assert found.outputs == {"exit-code": "0", "decision": "pass"}
    found.step("Comment")
    assert "--method" not in found.asked()
    Path(found.env["GH_KNOWN"]).write_text("4711\n", encoding="utf-8")
    found.step("Comment")
    assert "--method PATCH repos/o/r/issues/comments/4711" in found.asked()
    assert found.body() == "<!-- aliquot gate -->\nPasses now, and nothing differs from the baseline.\n"
    assert found.step("Decide").returncode == 0


@pytest.mark.heavy
def test_the_token_of_a_fork_leaves_the_summary(tmp_path: Path) -> None:
    write_pair(tmp_path, REGRESSION)
    found = runner(tmp_path, baseline="main.csv", candidate="pr.csv", **{"no-worse-than": "2pt"})
    found.step("Gate")
    found.env["GH_FAILS"] = "yes"
    done = found.step("Comment")
    assert (done.returncode, "This token may not comment" in done.stdout) == (0, True)


@pytest.mark.heavy
def test_wrong_usage_and_hostile_inputs_are_no_commands(tmp_path: Path) -> None:
    write_pair(tmp_path, REGRESSION)
    hostile = "$(touch owned); `touch owned`"
    found = runner(tmp_path, baseline="main.csv", candidate=hostile, **{"no-worse-than": "2pt"})
    done = found.step("Gate")
    assert (done.returncode, found.outputs) == (0, {"exit-code": "2"})
    assert "there is no such file or folder" in done.stderr
    assert not (tmp_path / "owned").exists()
    assert found.step("Decide").returncode == 2


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


def installing(folder: Path, **inputs: str) -> Runner:
    """Return a runner on a machine that has Python and no aliquot, and no index to take packages from."""
    found = runner(folder, **inputs)
    for name in ("aliquot", "python"):
        (folder / "bin" / name).unlink()
    path = os.pathsep.join((str(own_python(folder)), str(folder / "bin"), "/usr/bin", "/bin"))
    found.env = {name: text for name, text in found.env.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    found.env |= {"PATH": path, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return found


@pytest.mark.heavy
def test_what_is_installed_decides(tmp_path: Path, wheel: Path) -> None:
    write_pair(tmp_path, REGRESSION)
    options = {"baseline": "main.csv", "candidate": "pr.csv", "no-worse-than": "2pt", "install": str(wheel)}
    found = installing(tmp_path, **options)
    assert not (tmp_path / "own" / "bin" / "aliquot").exists()
    done = found.step("Install")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "own" / "bin" / "aliquot").exists()
    asked = ["bash", "-c", "python -c 'import aliquot; print(aliquot.__file__)'"]
    where = subprocess.run(asked, cwd=tmp_path, env=found.env, capture_output=True, text=True, check=True)
    assert Path(where.stdout.strip()).is_relative_to(tmp_path / "own")
    done = found.step("Gate")
    assert found.outputs == {"exit-code": "3", "decision": "fail"}, done.stderr
    assert found.step("Decide").returncode == 3


@pytest.mark.heavy
def test_what_cannot_be_installed_fails_the_step_and_is_no_command(tmp_path: Path) -> None:
    found = installing(tmp_path, candidate="pr.csv", install="$(touch owned); `touch owned`")
    done = found.step("Install")
    assert done.returncode != 0
    assert "`touch owned`" in done.stderr  # pip was given it as it stands
    assert not (tmp_path / "owned").exists()


def test_every_input_reaches_a_step_and_every_step_is_tested() -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    for name in ACTION["inputs"]:
        assert f"inputs.{name}" in text
    tested = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in STEPS if f'step("{name}")' not in tested] == []
