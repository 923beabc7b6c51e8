"""``init gate``: a policy whose margins the suite can resolve, from what it moves by itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from aliquot.errors import InputError, UsageError
from aliquot.evidence.contents import metrics as metrics_of
from aliquot.evidence.tables import Evidence
from aliquot.files.writing import write_whole
from aliquot.gates.policy import Merges
from aliquot.gates.policy_schema import policy_schema
from aliquot.gates.policy_template import SCHEMA_FILE, policy_text
from aliquot.gates.proposal import Proposal, propose
from aliquot.readers.options import ReadOptions
from aliquot.stats.results import Undefined
from aliquot.verbs.noise import noise
from aliquot.verbs.read import load

ENDINGS: Final = (".yaml", ".yml")
MERGES: Final = 200
MOST_METRICS: Final = 10


def init_gate(
    *sources: str | Path | Evidence,
    path: str | Path = "gate.yaml",
    margin: float | str | None = None,
    merges: int = MERGES,
    system: str | None = None,
    task: str | None = None,
    options: ReadOptions | None = None,
) -> tuple[Path, tuple[Proposal, ...]]:
    """Write a commented policy with margins that the suite can resolve; nothing is overwritten.

    The headline blocks; other metrics are shown for whoever investigates.

    Args:
        *sources: two runs of the same commit, or one run with several attempts an item.
        path: the file to write, ending in ``.yaml`` or ``.yml``.
        margin: hold the headline to this loss; refused when the suite cannot resolve it.
        merges: merges a year, for the chances that a gate prints.
        system: the system, when the sources hold several.
        task: the task, when there are several.
        options: what the columns of a table mean.

    Returns:
        The file, and what was proposed for each metric.

    Raises:
        UsageError: no run, another ending, or a margin that the suite cannot resolve.
        InputError: a file of that name is there, or a source cannot be read.
        MachineError: the machine refuses.
    """
    file = Path(path)
    if file.suffix not in ENDINGS:
        raise UsageError(f"{file} cannot be a policy: let its name end in .yaml")
    if file.exists() or file.is_symlink():
        raise InputError("is there already", file=str(file), remedy="Choose another name, or take it away")
    if not sources:
        raise UsageError(
            "init gate takes two runs of the same commit, or one with several attempts an item: they say what the "
            "suite moves by itself, and so which margins it can resolve"
        )
    year = Merges(merges)
    evidence = [load([source], options=options) for source in sources]
    first = noise(*evidence, system=system, task=task, memory=None)
    drift = next((note.text for note in first.warnings if note.code == "drift"), None)
    if drift is not None:
        raise UsageError(f"{drift}. Margins come from two runs of the same commit: run it again")
    others = [
        name
        for name in metrics_of(evidence[0], first.task)
        if name != first.metric and all(name in metrics_of(one, first.task) for one in evidence)
    ]
    proposals = [propose(first, wanted=margin, blocks=True)]
    for name in others[: MOST_METRICS - 1]:
        found = noise(*evidence, system=system, task=task, metric=name, memory=None)
        proposals.append(propose(found, wanted=None, blocks=False))
    if all(isinstance(one.margin, Undefined) for one in proposals):
        raise UsageError("; ".join(one.text for one in proposals[:3]))
    write_whole(file, policy_text(proposals, file=file.name, merges=year.a_year).encode())
    write_whole(file.parent / SCHEMA_FILE, (json.dumps(policy_schema(), indent=1) + "\n").encode())
    return file, tuple(proposals)
