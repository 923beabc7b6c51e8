"""OpenAI evals: the log of ``oaieval``, and the output items of the Evals API."""

from __future__ import annotations

from pathlib import Path

from aliquot.evidence.tables import Evidence
from aliquot.readers.evals_api import read_output_items
from aliquot.readers.json_records import holds_records, read_json_records
from aliquot.readers.oaieval import read_events
from aliquot.readers.options import ReadOptions

ITEM = "eval.run.output_item"


class OpenAIEvalsReader:
    """Reads logs of ``oaieval`` and saved pages of an Evals API run's output items, Azure's too."""

    name = "openai-evals"
    reads = "OpenAI evals logs (oaieval) and Evals API output items"

    def sniff(self, path: Path) -> bool | str:
        """Tell them by the keys of the first record."""
        if holds_records(path, ITEM, "datasource_item", "results"):
            return "output items"
        log = holds_records(path, "run_id", "event_id", "sample_id", "type", "data", without=("trace_id",))
        return "oaieval" if log else False

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read a log's events, or the items of one or more runs.

        Raises:
            UsageError: the items lack the field the user named.
            InputError: a record is none of theirs.
            MachineError: the machine refuses to read it.
        """
        found = read_json_records(path, encoding=options.encoding, members=("data",))
        if any("datasource_item" in record for record in found.records):
            return read_output_items(found, options)
        return read_events(found, options)
