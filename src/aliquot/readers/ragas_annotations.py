"""What people said of RAGAS's verdicts: accepted, or rejected; outcomes of the judge beside those of a person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
import polars as pl
from msgspec import Struct

from aliquot.errors import InputError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.identity import content_hash, inputs_text, text_of
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, OUTCOMES, Evidence, Note, Source
from aliquot.evidence.texts import HeldTexts
from aliquot.readers.ragas_columns import ANSWERED, ASKED, EXPECTED, JUDGE, messages_of
from aliquot.readers.ragas_evidence import TASK

HUMAN: Final = "human: "
"""Before the metric's name: what people said of it is a metric of its own, as no person is the judge."""

_OUTCOME: Final = (
    "system",
    "task",
    "item",
    "attempt",
    "metric",
    "scorer",
    "repeat",
    "value",
    "label",
    "status",
    "by",
)


class _Prompt(Struct):
    prompt_output: Any = None
    edited_output: Any = None


class _Sample(Struct):
    """One verdict, and whether a person accepted it."""

    metric_input: dict[str, Any]
    metric_output: float | bool | None = None
    prompts: dict[str, _Prompt | None] | None = None
    is_accepted: bool | None = None
    target: float | bool | None = None

    @property
    def verdict(self) -> float | None:
        """What the judge gave."""
        return None if self.metric_output is None else float(self.metric_output)

    @property
    def persons(self) -> float | None:
        """What the person would have given: a corrected verdict, the judge's when accepted, else its opposite.

        RAGAS itself turns a rejected binary verdict round (metrics/base.py); of another nothing is known.
        """
        if self.target is not None:
            return float(self.target)
        for prompt in (self.prompts or {}).values():
            edited = prompt.edited_output if prompt is not None else None
            corrected = edited.get("verdict") if isinstance(edited, Mapping) else None
            if isinstance(corrected, bool | int) and corrected in (0, 1) and self.verdict in (0.0, 1.0):
                return float(corrected)
        if self.is_accepted is None or self.verdict is None:
            return None
        if self.is_accepted:
            return self.verdict
        return 1.0 - self.verdict if self.verdict in (0.0, 1.0) else None

    def reason(self, place: str) -> str | None:
        """Return why: the judge's words in ``prompt_output``, a person's in ``edited_output``."""
        outputs = (getattr(prompt, place) for prompt in (self.prompts or {}).values() if prompt is not None)
        said = (output.get("reason") for output in outputs if isinstance(output, Mapping))
        return "\n".join(one for one in said if isinstance(one, str)) or None


def evidence_of_annotations(
    document: Any, *, system: str, source: Source, notes: tuple[Note, ...]
) -> Evidence:
    """Return the evidence in annotated verdicts; different answers to one question are attempts.

    Raises:
        InputError: it is not as RAGAS writes it.
    """
    try:
        samples = msgspec.convert(document, dict[str, list[_Sample]])
    except msgspec.ValidationError as error:
        raise InputError(f"is no file of RAGAS's annotations: {error}", file=source.path) from error
    rows = list(_rows({name or "metric": own for name, own in samples.items()}, system))
    if not rows:
        raise InputError("holds no annotated verdict", file=source.path)
    outcomes = pl.DataFrame(
        [row[0] for row in rows], schema={name: OUTCOMES[name] for name in _OUTCOME}, orient="row"
    )
    people = outcomes.filter(pl.col("by") == "person")
    unknown = people["value"].null_count()
    text = f"a person rated {people.height - unknown} verdicts; kept apart as metrics {HUMAN!r}"
    found = [Note("item_key", "the hash of the question and the right answer"), Note("people_rated", text)]
    if unknown:
        found.append(
            Note(
                "labels_unknown",
                f"{unknown} rejected verdicts are no yes or no, so what is right is not known",
            )
        )
    return assemble(
        outcomes,
        items=pl.DataFrame(
            [
                {"task": TASK, "item": item, "content": item}
                for item in dict.fromkeys(row[0][2] for row in rows)
            ]
        ),
        metrics=pl.DataFrame(list(_metrics(outcomes)), schema=dict(METRICS)),
        sources=(source,),
        notes=(*found, *notes),
        texts=HeldTexts(
            items={(TASK, row[0][2]): row[1] for row in rows},
            responses={(system, TASK, row[0][2], row[0][3]): row[2] for row in rows if row[2] is not None},
            notes={row[0][:5]: row[3] for row in rows if row[3] is not None},
        ),
    )


def _rows(
    samples: Mapping[str, list[_Sample]], system: str
) -> Iterator[tuple[tuple[Any, ...], tuple[str | None, str | None], str | None, str | None]]:
    """Yield the judge's and the person's outcome of each verdict, with its texts and what was said of it."""
    answers: dict[str, dict[str | None, int]] = defaultdict(dict)
    given: dict[tuple[Any, ...], int] = defaultdict(int)
    for metric, own in samples.items():
        for sample in own:
            asked, expected, answer = _texts(sample.metric_input)
            item = content_hash(asked, expected)
            attempt = answers[item].setdefault(answer, len(answers[item]) + 1)
            given[item, attempt, metric] += 1
            key = (system, TASK, item, attempt)
            repeat, texts = given[item, attempt, metric], (asked, expected)
            yield (
                (*key, metric, JUDGE, repeat, sample.verdict, None, _status(sample.verdict), "judge"),
                texts,
                answer,
                sample.reason("prompt_output"),
            )
            if sample.is_accepted is not None or sample.target is not None:
                label = (
                    None if sample.is_accepted is None else "accepted" if sample.is_accepted else "rejected"
                )
                value = sample.persons
                row = (*key, f"{HUMAN}{metric}", "person", repeat, value, label, _status(value), "person")
                yield row, texts, answer, sample.reason("edited_output")


def _texts(fields: Mapping[str, Any]) -> tuple[str | None, str | None, str | None]:
    """Return question, right answer and answer."""
    asked, expected, answer = (
        next((fields[name] for name in names if fields.get(name) is not None), None)
        for names in (ASKED, EXPECTED, ANSWERED)
    )
    said = messages_of(asked)
    if said is not None:
        asked = [text for side, text in said if side in {"human", "user"}]
        answer = answer or "\n\n".join(f"{side}: {text}" for side, text in said)
    if asked is None:  # a metric of other fields, such as the claims of an answer
        asked = {name: value for name, value in fields.items() if name not in ANSWERED}
    return inputs_text({"": asked}), text_of(expected), text_of(answer)


def _status(value: float | None) -> str:
    return "missing" if value is None else "ok"


def _metrics(outcomes: pl.DataFrame) -> Iterator[dict[str, Any]]:
    for place, name in enumerate(outcomes["metric"].unique(maintain_order=True)):
        values = outcomes.filter(pl.col("metric") == name)["value"]
        row = metric_row(
            name, values, kind="real" if values.null_count() == len(values) else None, headline=place == 0
        )
        if name.startswith(HUMAN):
            row["on_failure"] = None
        yield row | {"judge": None if name.startswith(HUMAN) else JUDGE}
