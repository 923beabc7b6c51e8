"""Texts of lm-evaluation-harness logs: read from the samples file one record at a time, when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.bounds import bounded_fields
from aliquot.evidence.messages import read_turns
from aliquot.evidence.told_options import ToldOptions
from aliquot.evidence.transcripts import Turn
from aliquot.files.json_documents import JsonReading
from aliquot.readers.lm_eval_blocks import Place, read_record
from aliquot.readers.lm_eval_options import told_options
from aliquot.readers.lm_eval_samples import Samples


@dataclass(frozen=True, slots=True)
class TaskTexts:
    """Where one task's records are.

    Attributes:
        path: the samples file.
        places: its blocks.
        first_rows: the first row of each block.
        items: item and the row of its first record.
    """

    path: Path
    places: list[Place]
    first_rows: list[int]
    items: pl.DataFrame

    def record(self, item: str) -> Mapping[str, Any]:
        """Return an item's first record, empty when it is gone."""
        rows = self.items.filter(pl.col("item") == item)["row"]
        if not len(rows):
            return {}
        data = read_record(self.path, self.places, self.first_rows, int(rows[0]))
        try:
            document = JsonReading().parse(data.decode(errors="replace"), file=str(self.path)) if data else {}
        except InputError:
            return {}
        return document if isinstance(document, dict) else {}


@dataclass(frozen=True, slots=True)
class LmEvalTexts:
    """Texts of one system's log.

    Attributes:
        system: the system's name.
        tasks: where each task's records are.
    """

    system: str
    tasks: Mapping[str, TaskTexts]

    def inputs(self, task: str, item: str) -> str | None:
        """Return the prompt as it was sent."""
        record = self._record(task, item)
        prompts = [_prompt(_first(request)) for request in _requests(record)]
        return next((prompt for prompt in prompts if prompt is not None), None)

    def reference(self, task: str, item: str) -> str | None:
        """Return the target."""
        target = self._record(task, item).get("target")
        return None if target is None else str(target)

    def response(self, system: str, task: str, item: str, attempt: int) -> str | None:
        """Return the answer; of a multiple-choice task, each choice with its log-likelihood, a line each."""
        if system != self.system:
            return None
        record = self._record(task, item)
        replies = record.get("resps")
        if not isinstance(replies, list) or not replies:
            return None
        if len(replies) > 1 or not _is_text(replies[0]):
            return _choices(_requests(record), replies)
        answers = replies[0] if isinstance(replies[0], list) else [replies[0]]
        return str(answers[attempt - 1]) if 0 < attempt <= len(answers) else None

    def note(self, system: str, task: str, item: str, attempt: int, metric: str) -> None:
        """Return nothing: the harness's metrics are rules that give a number and no words."""

    def transcript(self, system: str, task: str, item: str, attempt: int) -> tuple[Turn, ...] | None:
        """Return an answer that is the JSON of chat messages as a conversation."""
        return read_turns(self.response(system, task, item, attempt))

    def options(self, system: str, task: str, item: str, attempt: int) -> ToldOptions | None:
        """Return the choices of a multiple-choice task with their log-likelihoods; there is one attempt."""
        if system != self.system or attempt != 1:
            return None
        record = self._record(task, item)
        replies = record.get("resps")
        pairs = list(map(_pair, replies)) if isinstance(replies, list) else []
        requests = [(_argument(one, 0), _argument(one, 1)) for one in _requests(record)]
        return told_options(requests, pairs, record.get("target"))

    def metadata(self, task: str, item: str) -> Mapping[str, str]:
        """Return the fields of the document that neither the prompt nor the target repeats."""
        record = self._record(task, item)
        document = record.get("doc")
        if not isinstance(document, dict):
            return {}
        asked = self.inputs(task, item) or ""
        target = str(record.get("target"))
        return bounded_fields(
            {
                name: value
                for name, value in document.items()
                if str(value) != target and not _is_in(value, asked)
            }
        )

    def _record(self, task: str, item: str) -> Mapping[str, Any]:
        return self.tasks[task].record(item) if task in self.tasks else {}


def texts_of(system: str, samples: list[Samples]) -> LmEvalTexts:
    """Return the texts of a system's samples."""
    tasks = {
        one.task: TaskTexts(one.path, one.rows.places, one.rows.first_rows, one.items.select("item", "row"))
        for one in samples
    }
    return LmEvalTexts(system, tasks)


def _requests(record: Mapping[str, Any]) -> list[Any]:
    """Return the requests made for a record: named since 0.4.3, a list before."""
    arguments = record.get("arguments")
    if isinstance(arguments, dict):
        return list(arguments.values())
    return arguments if isinstance(arguments, list) else []


def _first(request: Any) -> Any:
    return _argument(request, 0)


def _prompt(given: Any) -> str | None:
    """Return a prompt; one under a chat template is a list that holds the JSON of its messages."""
    only = given[0] if isinstance(given, list) and len(given) == 1 else given
    return only if isinstance(only, str) else None


def _is_in(value: Any, asked: str) -> bool:
    """Tell a longer text that the prompt repeats; a short one may stand there by chance."""
    return isinstance(value, str) and len(value) >= _LONG and value in asked


_LONG: Final = 12


def _argument(request: Any, place: int) -> Any:
    if isinstance(request, dict):
        return request.get(f"arg_{place}")
    return request[place] if isinstance(request, list) and len(request) > place else None


def _is_text(reply: Any) -> bool:
    answers = reply if isinstance(reply, list) else [reply]
    return all(isinstance(answer, str) for answer in answers)


def _pair(reply: Any) -> Any:
    """Return a log-likelihood with whether the choice is what the model would have written."""
    return reply[0] if isinstance(reply, list) and reply else reply


def _choices(requests: list[Any], replies: list[Any]) -> str:
    lines: list[str] = []
    for place, reply in enumerate(replies):
        pair = _pair(reply)
        likelihood = pair[0] if isinstance(pair, list) and pair else pair
        choice = _argument(requests[place], 1) if place < len(requests) else None
        lines.append(f"{likelihood} {choice.strip() if isinstance(choice, str) else ''}".rstrip())
    return "\n".join(lines)
