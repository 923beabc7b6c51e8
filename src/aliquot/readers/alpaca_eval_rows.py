"""Annotations of AlpacaEval as rows: what a preference says, and in which order the judge saw the two answers."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import polars as pl
from msgspec import Struct

from aliquot.errors import InputError
from aliquot.evidence.identity import content_hash

FIRST, SECOND = "m", "M"
"""How the judge calls the answer shown first, and the other."""

SAME: Final = 1e-6
"""How close the preference must come to a token's probability: the files keep it to ten digits."""


class Annotation(Struct):
    """A judge's preference; 1 is the baseline's win, 2 the model's."""

    instruction: str
    generator_1: str
    generator_2: str
    preference: float | None = None
    annotator: str = "judge"
    dataset: str | None = None
    output_1: str | None = None
    output_2: str | None = None
    raw_completion: Any = None

    @property
    def words(self) -> str | None:
        """What the judge wrote, where that is more than the letter of its choice."""
        raw = self.raw_completion
        if isinstance(raw, dict):
            message = raw.get("message")
            raw = message.get("content") if isinstance(message, dict) else raw.get("text")
        return raw if isinstance(raw, str) and len(raw.strip()) > len(FIRST) else None


class Answer(Struct):
    """What a model answered."""

    instruction: str
    generator: str
    output: str | None = None
    dataset: str | None = None


def outcome_rows(
    annotations: Sequence[Annotation],
    renamed: Mapping[str, str],
    *,
    task: str,
    place: Callable[[int], str],
    file: str,
) -> list[dict[str, Any]]:
    """Return an outcome for each annotation: how far the model is preferred to its baseline.

    Args:
        annotations: the records.
        renamed: names of models to replace.
        task: the task's name.
        place: where each record stands.
        file: for messages.

    Raises:
        InputError: a preference is no number from 1 to 2, and not 0, the old files' draw.
    """
    seen: dict[tuple[str, ...], int] = defaultdict(int)
    rows: list[dict[str, Any]] = []
    for index, one in enumerate(annotations):
        key = (
            renamed.get(one.generator_2, one.generator_2),
            content_hash(one.instruction, None),
            f"win over {one.generator_1}",
            one.annotator,
        )
        seen[key] += 1
        value = _value(one.preference, place=place(index), file=file)
        rows.append(
            {
                "system": key[0], "task": task, "item": key[1], "attempt": 1, "metric": key[2], "scorer": key[3],
                "repeat": seen[key], "value": value, "status": "unparsed" if value is None else "ok", "by": "judge",
            }
        )  # fmt: skip
    return rows


def _value(preference: float | None, *, place: str, file: str) -> float | None:
    if preference is None:
        return None
    if preference == 0:  # a draw, in files of the first version
        return 0.5
    if not 1.0 <= preference <= 2.0:
        raise InputError(
            f"{preference:g} is no preference ({place})",
            file=file,
            field="preference",
            remedy="It is 1 (the baseline) to 2 (the model), 0 or 1.5 for a draw, null when it was not read",
        )
    return preference - 1.0


def vote_rows(
    annotations: Sequence[Annotation],
    outcomes: Sequence[Mapping[str, Any]],
    renamed: Mapping[str, str],
    *,
    task: str,
) -> pl.DataFrame:
    """Return the annotations as votes of the judge between baseline (a) and model (b)."""
    rows = [
        {
            "task": task,
            "item": row["item"],
            "system_a": renamed.get(one.generator_1, one.generator_1)
            if one.generator_1 == one.generator_2
            else one.generator_1,
            "system_b": row["system"],
            "rater": row["scorer"],
            "repeat": row["repeat"],
            "verdict": _verdict(row["value"]),
            "label": None if one.preference is None else f"{one.preference:.10g}",
            "status": row["status"],
            "by": "judge",
            "shown_first": shown_first(one),
        }
        for one, row in zip(annotations, outcomes, strict=True)
    ]
    return pl.DataFrame(rows, schema_overrides=dict.fromkeys(("verdict", "label", "shown_first"), pl.String))


def _verdict(value: float | None) -> str | None:
    if value is None:
        return None
    return "tie" if value == 0.5 else "b" if value > 0.5 else "a"


def shown_first(one: Annotation) -> str | None:
    """Return which answer the judge saw first (a the baseline, b the model), or None when nothing tells.

    The weighted judges say ``m`` for the answer shown first and ``M`` for the other; the preference is the share of M
    among the two when the baseline was shown first, else its complement.

    Examples:
        >>> tops = [{"token": "m", "logprob": math.log(0.9)}, {"token": "M", "logprob": math.log(0.1)}]
        >>> raw = {"logprobs": {"content": [{"top_logprobs": tops}]}}
        >>> shown_first(Annotation("?", "x", "y", preference=1.9, raw_completion=raw))
        'b'
    """
    second = _second_wins(one.raw_completion)
    if second is None or one.preference is None:
        return None
    value = one.preference - 1.0
    straight, switched = abs(value - second), abs(value - (1.0 - second))
    if min(straight, switched) > SAME or abs(straight - switched) <= SAME:
        return None
    return "a" if straight < switched else "b"


def _second_wins(raw: Any) -> float | None:
    """Return the judge's probability that the answer shown second is better."""
    try:
        tokens = raw["logprobs"]["content"][0]["top_logprobs"]
        known = {one["token"]: float(one["logprob"]) for one in tokens}
        odds = known[FIRST] - known[SECOND]
        return 1.0 / (1.0 + math.exp(odds))
    except (TypeError, KeyError, IndexError, ValueError, OverflowError):
        return None
