"""``--undecided rerun``: both sides of what changed are asked again; items are labelled and no decision changes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from aliquot import gate
from aliquot.findings.gate import Gate
from aliquot.systems.fake import FakeSystem
from aliquot.verbs import rerun
from aliquot.verbs.run import run
from tests.runner.evaluations import right, write_evaluation


class Moody:
    """Second fails q0 to q5 in the run; asked again it fails q0 to q2 always, q3 now and then, q4 and q5 never."""

    def __init__(self) -> None:
        self.times: Counter[str] = Counter()
        self.again = False

    def __call__(self, prompt: str) -> str:
        self.times[prompt] += 1
        which = prompt[-3:]
        if "first" in prompt or which not in {f"q{k}." for k in range(6)}:
            return right(prompt)
        if not self.again or which in {"q0.", "q1.", "q2."}:
            return "no"
        return "no" if which == "q3." and self.times[prompt] % 2 else right(prompt)


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Gate, FakeSystem]:
    file, script = write_evaluation(tmp_path, 12), Moody()
    run(file, directory=tmp_path / "runs", models={"fake": FakeSystem(script)})
    script.again = True
    fake = FakeSystem(script)
    real = rerun.ask_again
    monkeypatch.setattr(rerun, "ask_again", lambda *a, **k: real(*a, models={"fake": fake}, **k))
    found = gate(tmp_path / "runs" / "trial", no_worse_than="2pt", undecided="rerun", attempts=4, noise=None)
    return tmp_path, found, fake


def test_both_sides_of_what_changed_are_asked_and_labelled(asked: tuple[Path, Gate, FakeSystem]) -> None:
    folder, found, fake = asked
    before = gate(folder / "runs" / "trial", no_worse_than="2pt", noise=None)
    assert Counter(fake.asked) == {f"{name} q{k}.": 4 for name in ("first", "second") for k in range(6)}
    assert [(flip.item, flip.came) for flip in found.broke] == [
        ("i0", "stable"), ("i1", "stable"), ("i2", "stable"), ("i3", "flaky"), ("i4", "gone"), ("i5", "gone"),
    ]  # fmt: skip
    assert found.broke[0].again_before == (1.0,) * 4
    assert found.broke[0].again_after == (0.0,) * 4
    assert (found.decision, found.exit_code) == (before.decision, before.exit_code)
    assert [one.estimate for one in found.conditions] == [one.estimate for one in before.conditions]


def test_it_is_said_in_a_sentence(asked: tuple[Path, Gate, FakeSystem]) -> None:
    from aliquot.reports.render import render

    text = render(asked[1])
    assert "3 of the 6 broke again on 4 of 4 reruns; 1 are flaky, 2 did not break" in " ".join(
        text.split()
    ).replace("; 2", ", 2")


def test_what_cannot_be_asked_again_says_why(tmp_path: Path) -> None:
    for name, values in (("main", [1] * 60), ("pr", [1] * 40 + [0] * 20)):
        rows = "\n".join(f"q{i},{value}" for i, value in enumerate(values))
        (tmp_path / f"{name}.csv").write_text(f"item,value\n{rows}\n", encoding="utf-8")
    found = gate(
        tmp_path / "main.csv", tmp_path / "pr.csv", no_worse_than="2pt", undecided="rerun", noise=None
    )
    assert found.decision == "fail"
    assert found.warnings[0].text.startswith("nothing was asked again: the two sides come from two sources")
