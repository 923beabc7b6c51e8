"""Logs of DeepEval: test runs, evaluation results, and its cache of verdicts."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from aliquot.errors import InputError
from aliquot.evidence.identity import text_of
from aliquot.evidence.tables import Evidence, Source
from aliquot.files.ends import file_ends
from aliquot.files.json_documents import JsonReading
from aliquot.files.text import decode, read_bounded
from aliquot.readers.deepeval_evidence import evidence_of_log
from aliquot.readers.deepeval_records import Log, log_of
from aliquot.readers.options import ReadOptions

MAX_BYTES: Final = 1 << 30
LATEST: Final = ".latest_run_full.json"
FOLDER: Final = ".deepeval"


class DeepEvalReader:
    """Reads what DeepEval writes, in both of its key styles."""

    name = "deepeval"
    reads = "DeepEval's test runs and evaluation results"

    def sniff(self, path: Path) -> bool | str:
        """Tell a run by its keys; the folder ``.deepeval``, or one that holds it, by the latest run in it."""
        file = _file_of(path)
        named = file.suffix.lower() == ".json" or (file.name.startswith("test_run_") and not file.suffix)
        if not named or not file.is_file():
            return False
        return _shape_of(*file_ends(file)) or False

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read one run.

        Raises:
            UsageError: a field the user named is in no case.
            InputError: it is not DeepEval's, holds no case, or is not as DeepEval writes it.
            MachineError: the machine refuses to read it.
        """
        file, reading = _file_of(path), JsonReading()
        data = read_bounded(file, limit=MAX_BYTES)
        document = reading.parse(decode(data, file=str(file), encoding=options.encoding), file=str(file))
        log = log_of(document, file=str(file))
        log.notes += reading.notes()
        source = Source(str(path), "deepeval", log.shape, hashlib.sha256(data).hexdigest())
        return evidence_of_log(log, options, system=options.name or _name(log, file), source=source)


def _file_of(path: Path) -> Path:
    """Return the run a path stands for: that of a folder is the latest."""
    if not path.is_dir():
        return path
    found = (place / LATEST for place in (path, path / FOLDER))
    return next((file for file in found if file.is_file()), path)


def _shape_of(head: bytes, tail: bytes) -> str:
    """Return which of DeepEval's files begins and ends so, empty for none."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    ends = head + tail
    if not start.startswith(b"{"):
        return ""
    if b'"test_cases_lookup_map"' in start[:200]:
        return "cache"
    if b'"testRunLink"' in start[:200] and b"confident-ai" in start[:1000]:
        return "link"
    if b'"test_results"' in start[:200] and b'"metrics_data"' in head:
        return "evaluation result"
    cases = b'"testCases"' in ends or b'"conversationalTestCases"' in ends
    printed = b'"metricsScores"' in ends or b'"testPassed"' in ends
    return "test run" if cases and printed else ""


def _name(log: Log, file: Path) -> str:
    """Return the system's name: the run's identifier, else its model, else the file's."""
    model = text_of(log.hyperparameters.get("model"))
    stem = file.stem if file.name != LATEST else "latest run"
    name = log.identifier or model or stem
    if not name:
        raise InputError("does not say which system it is of", file=str(file), remedy="Name it with --name")
    return name
