"""What a suite was seen to move by itself, found again for a comparison on the same items."""

from __future__ import annotations

import math
from pathlib import Path

from aliquot.analysis.noise import fingerprint
from aliquot.evidence.tables import Evidence
from aliquot.files.noise_memory import recall
from aliquot.findings.comparison import Comparison
from aliquot.findings.noise import RememberedNoise


def remembered_noise(found: Comparison, evidence: Evidence, path: Path) -> RememberedNoise | None:
    """Return what is remembered of the suite of a comparison; None when nothing is.

    Args:
        found: the comparison.
        evidence: its tables.
        path: the file that ``noise`` writes.

    Raises:
        InputError: the file is damaged.
        MachineError: the machine refuses to read it.
    """
    systems = (found.baseline.system, found.candidate.system)
    stored = recall(path, suite=fingerprint(evidence, systems, task=found.task, metric=found.metric))
    if not stored:
        return None
    last, attempts = stored[-1], max(1, min(found.attempts))
    counts = {item: sum(item in one.flipped for one in stored) for one in stored for item in one.flipped}
    often = {item: (count, len(stored)) for item, count in counts.items() if 2 * count > len(stored) > 1}
    return RememberedNoise(
        wobble=last.wobble / math.sqrt(attempts),
        flipped=len(last.flipped),
        n_items=last.n_items,
        measured=last.measured,
        often=often,
    )
