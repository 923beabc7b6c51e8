"""Small evaluations over made-up items, for the tests of the runner."""

from __future__ import annotations

import json
from pathlib import Path

from aliquot.runner.evaluation import Evaluation, ScorerSpec, SystemSpec
from aliquot.systems.replies import Reply

TEMPLATE = """\
name: trial
items: {items}
seed: 3
scorer: words
segments: [kind]
systems:
  first: {{model: fake, prompt: "first {{{{ question }}}}"}}
  second: {{model: fake, mode: completion, prompt: "second {{{{ question }}}}"}}
"""


RIGHT_MODULE = """\
def answer(prompt):
    return "a" + prompt.rsplit("q", 1)[-1].rstrip(".")
"""
"""Python whose ``answer`` is right about every item."""


def write_items(folder: Path, n: int) -> Path:
    """Write n items: "q1." is answered by "a1" and so on, of two kinds."""
    path = folder / "made.jsonl"
    rows = [
        {"id": f"i{k}", "question": f"q{k}.", "reference": f"a{k}", "kind": "odd" if k % 2 else "even"}
        for k in range(n)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_evaluation(folder: Path, n: int = 10) -> Path:
    """Write an evaluation file of two systems over n items."""
    write_items(folder, n)
    path = folder / "trial.yaml"
    path.write_text(TEMPLATE.format(items="made.jsonl"), encoding="utf-8")
    return path


def evaluation(items: Path, **changes: object) -> Evaluation:
    """Return an evaluation of one system over the items."""
    given = {
        "name": "trial",
        "items": str(items),
        "scorer": ScorerSpec(rule="words"),
        "systems": {"first": SystemSpec(model="fake", prompt="{{ question }}")},
        "seed": 3,
    }
    return Evaluation(**given | changes)  # type: ignore[arg-type]


def right(prompt: str) -> str:
    """Answer every question rightly: the number of the question after an a."""
    return "a" + prompt.rsplit("q", maxsplit=1)[-1].rstrip(".")


def cut(prompt: str) -> Reply:
    """Answer nothing, the whole budget spent."""
    return Reply(text="", status="truncated", reason="token budget used up")
