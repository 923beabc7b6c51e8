"""A live notebook kernel, whose event loop is already running, runs an evaluation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runner.evaluations import write_evaluation

nbclient = pytest.importorskip("nbclient", reason="the extra dev is not installed")
nbformat = pytest.importorskip("nbformat", reason="the extra dev is not installed")

CELL = """\
import asyncio
asyncio.get_running_loop()
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.run import run, run_async
fake = FakeSystem(lambda prompt: "a" + prompt.split("q")[-1].rstrip("."))
found = run("trial.yaml", models={"fake": fake})
print(found.path.as_posix(), found.evidence.outcomes["value"].sum(), len(fake.asked))
"""
AGAIN = """\
found = await run_async("trial.yaml", models={"fake": fake})
print(found.evidence.outcomes.height, len(fake.asked))
"""


@pytest.mark.filterwarnings("default")  # of the notebook tools themselves
def test_run_works_in_a_notebook(tmp_path: Path) -> None:
    write_evaluation(tmp_path, 5)
    cells = [nbformat.v4.new_code_cell(source) for source in (CELL, AGAIN)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = nbclient.NotebookClient(
        notebook,
        timeout=None,
        startup_timeout=600,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )
    client.execute()
    texts = ["".join(output.get("text", "") for output in cell["outputs"]) for cell in notebook.cells]
    assert texts == ["runs/trial 10.0 10\n", "10 10\n"]
