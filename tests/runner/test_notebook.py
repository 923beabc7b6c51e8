"""A live notebook kernel, whose event loop is already running, runs an evaluation."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from aliquot.files.run_directory import RunDirectory
from tests.runner.evaluations import write_evaluation

nbclient = pytest.importorskip("nbclient", reason="the extra dev is not installed")
nbformat = pytest.importorskip("nbformat", reason="the extra dev is not installed")

CELL = """\
import asyncio
asyncio.get_running_loop()
import aliquot
from aliquot.systems.fake import FakeSystem
fake = FakeSystem(lambda prompt: "a" + prompt.split("q")[-1].rstrip("."))
found = aliquot.run("trial.yaml", models={"fake": fake})
print(found.path.as_posix(), found.evidence.outcomes["value"].sum(), len(fake.asked))
"""
AGAIN = """\
found = await aliquot.run_async("trial.yaml", models={"fake": fake})
print(found.evidence.outcomes.height, len(fake.asked))
"""
QUIET = """\
found = aliquot.run("trial.yaml", models={"fake": fake}, quiet=True)
print("quiet")
"""


@pytest.mark.filterwarnings("default")  # of the notebook tools themselves
def test_run_works_in_a_notebook(tmp_path: Path) -> None:
    write_evaluation(tmp_path, 5)
    cells = [nbformat.v4.new_code_cell(source) for source in (CELL, AGAIN, QUIET)]
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
    assert texts == ["runs/trial 10.0 10\n", "10 10\n", "quiet\n"]
    lines = [
        [
            output["data"]["text/plain"]
            for output in cell["outputs"]
            if output["output_type"] == "display_data"
        ]
        for cell in notebook.cells
    ]
    assert [len(shown) for shown in lines] == [1, 1, 0]  # one output each, written anew
    assert lines[0][0].splitlines()[-1].startswith("10 of 10, ")
    assert lines[1][0].splitlines()[0] == "all 10 answers are on record; nothing is asked"


SLOW = """\
import aliquot
from aliquot.systems.fake import FakeSystem
slow = FakeSystem(lambda prompt: "a" + prompt.split("q")[-1].rstrip("."), delay_s=0.05)
found = {run}("trial.yaml", models={{"fake": slow}}, concurrency=2)
"""
ON = """\
quick = FakeSystem(lambda prompt: "a" + prompt.split("q")[-1].rstrip("."))
found = aliquot.run("trial.yaml", models={"fake": quick})
print(found.evidence.outcomes["value"].sum(), len(quick.asked))
"""


@contextmanager
def kernel(folder: Path) -> Generator[Any]:
    """Start a kernel in a folder and yield its manager and a client."""
    jupyter = pytest.importorskip("jupyter_client", reason="the extra dev is not installed")
    manager = jupyter.KernelManager(kernel_name="python3")
    manager.start_kernel(cwd=str(folder))
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=600)
        yield manager, client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


@pytest.mark.filterwarnings("default")  # of the notebook tools themselves
@pytest.mark.parametrize("how", ["run", "await run_async"])
def test_an_interrupted_cell_leaves_a_run_that_goes_on(tmp_path: Path, how: str) -> None:
    write_evaluation(tmp_path, 100)
    run = RunDirectory(tmp_path / "runs" / "trial")
    with kernel(tmp_path) as (manager, client):
        # A kernel drops what arrives while it clears its queue after an error, unless told not to.
        asked = client.execute(SLOW.format(run=how.replace("run", "aliquot.run", 1)), stop_on_error=False)
        while len(run.read_journal().records) < 10:
            time.sleep(0.02)
        manager.interrupt_kernel()
        reply: dict[str, Any] = {"parent_header": {"msg_id": ""}}
        while reply["parent_header"]["msg_id"] != asked:
            reply = client.get_shell_msg(timeout=600)
        kept = len(run.read_journal().records)
        assert reply["content"]["status"] == "error"
        if how == "run":
            assert reply["content"]["ename"] == "RunStoppedError"
            assert f"interrupted with {kept} of 200 answers, all kept" in reply["content"]["evalue"]
        texts: list[str] = []
        client.execute_interactive(
            ON,
            timeout=600,
            output_hook=lambda message: texts.append(message["content"].get("text", "")),
        )
    assert "".join(texts) == f"200.0 {200 - kept}\n"
