"""``init gate``: margins that the suite resolves, in a policy that is read as it stands; others are refused."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import polars as pl
import pytest
import yaml

from aliquot import gate
from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.tables import Evidence
from aliquot.gates.policy_file import read_policy
from aliquot.verbs.init_gate import init_gate
from tests.cli.called import call
from tests.workshop.page_logs import write_logs


def twice(n: int, flips: float, *, seed: int = 1, extra: bool = False) -> list[Evidence]:
    """Return two runs of one system: a share of the items flips between them."""
    rng = np.random.default_rng(seed)
    chances = np.where(
        np.arange(n) < 2 * flips * n, 0.5, np.arange(n) % 5 > 0
    )  # coins disagree half the time
    found: list[Evidence] = []
    for _ in range(2):
        values = (rng.random(n) < chances).astype(float)
        rows = [
            {"system": "main", "item": f"i{i:04d}", "metric": "passed", "value": one}
            for i, one in enumerate(values)
        ]
        if extra:
            rows += [
                {"system": "main", "item": f"i{i:04d}", "metric": "words", "value": 20.0 + rng.normal()}
                for i in range(n)
            ]
        found.append(assemble(pl.DataFrame(rows)))
    return found


def test_what_is_written_is_a_policy_and_its_schema(tmp_path: Path) -> None:
    path, found = init_gate(*twice(400, 0.08, extra=True), path=tmp_path / "gate.yaml", merges=120)
    policy = read_policy(path)
    assert [(rule.metric, rule.effect) for rule in policy.metrics] == [
        ("passed", "blocks"),
        ("words", "investigates"),
    ]
    assert [one.metric for one in found] == ["passed", "words"]
    assert policy.merges is not None
    assert policy.merges.a_year == 120
    schema = json.loads((tmp_path / ".aliquot" / "policy.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(yaml.safe_load(path.read_text(encoding="utf-8")), schema)


def test_every_key_is_shown_and_can_be_used(tmp_path: Path) -> None:
    path, _ = init_gate(*twice(400, 0.08), path=tmp_path / "gate.yaml")
    text = path.read_text(encoding="utf-8")
    prose = ("# yaml", "# What", "# In CI", "# It ", "# is not", "# or share")
    keys = (line for line in text.splitlines() if not line.startswith(prose))
    used = "\n".join(line.removeprefix("# ") for line in keys)
    (tmp_path / "used.yaml").write_text(used, encoding="utf-8")
    policy = read_policy(tmp_path / "used.yaml")
    assert set(policy.costs) == {"latency p95", "cost"}
    assert dict(policy.quarantine) == {"some-item": "flaky since May"}
    assert (policy.baseline.name, policy.baseline.oldest_days) == ("main", 14)


@pytest.mark.heavy
def test_four_in_five_unchanged_candidates_pass_with_the_margin_proposed(tmp_path: Path) -> None:
    _, (found,) = init_gate(*twice(600, 0.1), path=tmp_path / "gate.yaml")
    margin, passed = found.margin, 0
    for seed in range(40):
        main, again = twice(600, 0.1, seed=seed + 100)
        passed += gate(main, again, no_worse_than=str(margin), noise=None).decision == "pass"
    assert passed >= 26  # of 40 at .8: fewer than 26 has a chance of .005
    assert found.passes >= 0.8


def test_a_margin_that_cannot_be_resolved_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as raised:
        init_gate(*twice(240, 0.1), path=tmp_path / "gate.yaml", margin="1pt")
    assert "a margin of 1pt cannot be resolved by these 240 items" in str(raised.value)
    assert "The smallest margin that can is" in str(raised.value)
    with pytest.raises(UsageError, match="20 items resolve no loss below 25 points"):
        init_gate(*twice(20, 0.4), path=tmp_path / "gate.yaml")
    assert not (tmp_path / "gate.yaml").exists()
    path, _ = init_gate(*twice(240, 0.1), path=tmp_path / "gate.yaml", margin="9pt")
    assert read_policy(path).metrics[0].no_worse_than == "9pt"


def test_what_it_does_not_take(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two runs of the same commit"):
        init_gate(path=tmp_path / "gate.yaml")
    with pytest.raises(UsageError, match=r"let its name end in \.yaml"):
        init_gate(*twice(40, 0.1), path=tmp_path / "gate.json")
    (tmp_path / "gate.yaml").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="is there already"):
        init_gate(*twice(40, 0.1), path=tmp_path / "gate.yaml")


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_logs(tmp_path)
    done = call("init", "gate", "main.csv", "main-again.csv", "--policy", "strict.yaml")
    assert (done.code, done.out.splitlines()[0]) == (0, "strict.yaml")
    assert "Next: aliquot gate main.json pr.json --policy strict.yaml" in done.err
    assert call("gate", "main.csv", "pr.csv", "--policy", "strict.yaml").code == 0
    assert "belong to an evaluation file" in call("init", "gate", "main.csv", "--items").err
    assert "go with: aliquot init gate" in call("init", "x.yaml", "--margin", "2pt").err
