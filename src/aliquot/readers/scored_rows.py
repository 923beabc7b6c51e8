"""Scored answers on their way to evidence: an answer, its item, and what graders said of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, Evidence, Note, Source
from aliquot.evidence.texts import HeldTexts
from aliquot.readers.item_fields import item_fields

LARGEST: Final = 1e300
"""A number beyond it is taken for one that is not finite."""

_OUTCOME: Final = {"value": pl.Float64, "label": pl.String, "judge": pl.String, "status": pl.String}
_RESPONSE: Final = {
    "reason": pl.String, "stage": pl.String, "latency_s": pl.Float64, "cost": pl.Float64, "tokens_in": pl.Int64,
    "tokens_out": pl.Int64, "tokens_reasoning": pl.Int64, "tokens_cached": pl.Int64, "started": pl.String,
    "first_token_s": pl.Float64, "tool_calls": pl.Int64, "steps": pl.Int64,
}  # fmt: skip


@dataclass(slots=True)
class ScoredRows:
    """Answers and what was said of them, in the order in which a log tells them.

    Attributes:
        file: for messages.
    """

    file: str
    responses: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    outcomes: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    contents: dict[tuple[str, str], str | None] = field(default_factory=dict[tuple[str, str], str | None])
    told: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict[tuple[str, str], dict[str, Any]])
    asked: dict[tuple[str, str], tuple[str | None, str | None]] = field(
        default_factory=dict[tuple[str, str], tuple[str | None, str | None]]
    )
    answers: dict[tuple[str, str, str, int], str] = field(
        default_factory=dict[tuple[str, str, str, int], str]
    )
    notes: dict[tuple[str, str, str, int, str], str] = field(
        default_factory=dict[tuple[str, str, str, int, str], str]
    )
    _attempts: Counter[tuple[str, str, str]] = field(default_factory=Counter[tuple[str, str, str]])
    _repeats: Counter[tuple[Any, ...]] = field(default_factory=Counter[tuple[Any, ...]])

    def add(
        self,
        system: str,
        task: str,
        item: str,
        *,
        status: str = "ok",
        content: str | None = None,
        fields: Mapping[str, Any] | None = None,
        asked: tuple[str | None, str | None] = (None, None),
        answer: str | None = None,
        **facts: Any,
    ) -> int:
        """Add an answer; the next one of the same system and item is its next attempt.

        Returns:
            The attempt.

        Raises:
            InputError: the item was told with other inputs before.
        """
        before = self.contents.setdefault((task, item), content)
        if content is not None and before is not None and before != content:
            problem = f"two rows of the id {item!r} ask different things"
            raise InputError(problem, file=self.file, remedy="Name another field as the id (--item-column)")
        self.contents[task, item] = before if before is not None else content
        self.told.setdefault((task, item), {}).update(fields or {})
        self._attempts[system, task, item] += 1
        attempt = self._attempts[system, task, item]
        self.responses.append(
            {"system": system, "task": task, "item": item, "attempt": attempt, "status": status, **facts}
        )
        if asked != (None, None):
            self.asked[task, item] = asked
        if answer is not None:
            self.answers[system, task, item, attempt] = answer
        return attempt

    def score(
        self,
        metric: str,
        value: Any,
        *,
        label: str | None = None,
        judge: str | None = None,
        scorer: str | None = None,
        status: str | None = None,
        by: str | None = None,
        note: object = None,
    ) -> None:
        """Add what a grader said of the answer added last, its words as ``note``; nothing finite is no value."""
        number = float(value) if isinstance(value, bool | int | float) and abs(value) <= LARGEST else None
        last = self.responses[-1]
        key = {name: last[name] for name in ("system", "task", "item", "attempt")}
        own = {**key, "metric": metric, "scorer": scorer or judge or "recorded"}
        if isinstance(note, str) and note:
            told = (last["system"], last["task"], last["item"], last["attempt"], metric)
            self.notes[told] = "\n".join(filter(None, (self.notes.get(told), note)))
        self._repeats[tuple(own.values())] += 1
        self.outcomes.append(
            {
                **own,
                "repeat": self._repeats[tuple(own.values())],
                "value": number,
                "label": label,
                "status": status or ("ok" if number is not None else "missing"),
                "by": by or ("judge" if judge else "rule"),
                "judge": judge,
            }
        )

    def evidence(
        self,
        *,
        source: Source,
        notes: Sequence[Note],
        headline: str | None = None,
        cluster: str | None = None,
        bounds: Mapping[str, tuple[float, float]] | None = None,
        lower: Collection[str] = (),
        **tables: Any,
    ) -> Evidence:
        """Return everything as evidence.

        Args:
            source: where it came from.
            notes: what must be said.
            headline: the log's main metric; its first when not given.
            cluster: the field that names the items' cluster.
            bounds: metric → its smallest and largest possible value.
            lower: metrics of which a small value is the good one.
            **tables: reported and settings.

        Raises:
            UsageError: no item has the named field.
            InputError: nothing was scored, or a value lies outside its metric's bounds.
        """
        if not self.outcomes:
            raise InputError("holds no score", file=self.file)
        frame = pl.DataFrame(self.outcomes, schema_overrides=_OUTCOME, infer_schema_length=None)
        responses = pl.DataFrame(
            self.responses,
            schema_overrides={name: kind for name, kind in _RESPONSE.items() if name in self.responses[0]},
            infer_schema_length=None,
        )
        fields = item_fields(
            {f"{task}\n{item}": told for (task, item), told in self.told.items()}, cluster=cluster
        )
        items = [
            {"task": task, "item": item, "content": content, **fields[f"{task}\n{item}"]}
            for (task, item), content in self.contents.items()
        ]
        return assemble(
            frame,
            items=pl.DataFrame(items, schema_overrides={"content": pl.String}, infer_schema_length=None),
            responses=responses,
            metrics=self._metrics(frame, headline, bounds or {}, lower),
            sources=(source,),
            notes=notes,
            texts=HeldTexts(items=self.asked, responses=self.answers, notes=self.notes, told=self.told),
            **tables,
        )

    def _metrics(
        self,
        frame: pl.DataFrame,
        headline: str | None,
        bounds: Mapping[str, tuple[float, float]],
        lower: Collection[str],
    ) -> pl.DataFrame:
        names = frame["metric"].unique(maintain_order=True).to_list()
        main = headline if headline in names else names[0]
        rows: list[dict[str, Any]] = []
        for name in names:
            own = frame.filter(pl.col("metric") == name)
            low, high = bounds.get(name, (None, None))
            inside = low is None or high is None or own["value"].drop_nulls().is_between(low, high).all()
            if not inside:
                raise InputError(f"a value lies outside {low:g} to {high:g}", file=self.file, field=name)
            kind = "category" if own["value"].count() == 0 < own["label"].count() else None
            better = "lower" if name in lower else None
            row = metric_row(
                name, own["value"], kind=kind, low=low, high=high, better=better, headline=name == main
            )
            rows.append(row | {"judge": own["judge"].drop_nulls().first()})
        return pl.DataFrame(rows, schema=dict(METRICS))


def first_line(value: object) -> str:
    """Return the first line of an error's text, cut to 300 characters."""
    return (str(value or "").strip().splitlines() or ["error"])[0][:300]


def count_of(value: object) -> int | None:
    """Return a count as a whole number, or None when it is none."""
    whole = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1 << 53
    return int(value) if whole else None  # type: ignore[arg-type]
