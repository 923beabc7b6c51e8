"""Matching two systems on the items they share: what is kept, what is lost, and what is refused."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

import narwhals as nw
import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence, Note
from aliquot.evidence.units import Attrition, Pairs, Units

MatchOn: TypeAlias = Literal["content", "id"]

MAX_EXAMPLES: Final = 10
"""Ids named for each kind of loss."""


def pair(
    evidence: Evidence,
    baseline: str,
    candidate: str,
    *,
    task: str,
    metric: str,
    scorer: str | None = None,
    cluster: str | None = None,
    match_on: MatchOn = "content",
) -> Pairs:
    """Return the items two systems share under one metric, and what matching them lost.

    Items match by id, byte for byte. An id whose inputs or reference differ between the two systems is
    refused, as the two were not asked the same thing, unless ``match_on="id"``. Attempts never pair
    across systems: each system's attempts are averaged within the item first.

    Args:
        evidence: the tables, holding both systems.
        baseline: system A.
        candidate: system B.
        task: the task.
        metric: the metric.
        scorer: whose outcomes; needed only when there are several.
        cluster: as in ``units``.
        match_on: ``content`` refuses ids with different content, ``id`` matches and counts them.

    Raises:
        UsageError: an unknown name, or several scorers and none named.
        InputError: ids whose content differs, listed.

    Examples:
        >>> from aliquot.evidence.assembly import assemble
        >>> rows = {"system": ["a", "a", "b"], "item": ["1", "2", "1"], "value": [1.0, 0.0, 1.0]}
        >>> pairs = pair(assemble(pl.DataFrame(rows)), "a", "b", task="task", metric="value")
        >>> pairs.attrition.shared, pairs.attrition.only_a
        (1, 1)
    """
    a, b = (
        units(evidence, system, task=task, metric=metric, scorer=scorer, cluster=cluster)
        for system in (baseline, candidate)
    )
    frame = _join(a.frame, b.frame)
    contents = _contents(evidence, a, b, shared=frame["item"])
    losses = {
        "only_a": _ids(a.frame.join(b.frame, on="item", how="anti")),
        "only_b": _ids(b.frame.join(a.frame, on="item", how="anti")),
        "duplicates": _copies(contents),
        "content_differs": _ids(contents.filter(pl.col("content_a") != pl.col("content_b"))),
        "missing_a": _ids(frame.filter(pl.col("a").is_null())),
        "missing_b": _ids(frame.filter(pl.col("b").is_null())),
    }
    if losses["content_differs"] and match_on == "content":
        raise _content_error(losses["content_differs"], baseline=baseline, candidate=candidate)
    return Pairs(
        baseline=a,
        candidate=b,
        frame=frame,
        attrition=_attrition(frame.height, losses),
        notes=spelling_notes({*a.frame["item"], *b.frame["item"]}),
    )


def spelling_notes(ids: Iterable[str]) -> tuple[Note, ...]:
    """Return a note when different ids are equal under Unicode normalisation (NFC); they stay distinct.

    Examples:
        >>> [note.code for note in spelling_notes(["e\u0301", "\u00e9"])]
        ['ids_equal_under_nfc']
    """
    spellings: dict[str, list[str]] = {}
    for name in sorted(ids):
        if not name.isascii():
            spellings.setdefault(unicodedata.normalize("NFC", name), []).append(name)
    alike = [names for names in spellings.values() if len(names) > 1]
    if not alike:
        return ()
    shown = "; ".join(" and ".join(ascii(name) for name in names) for names in alike[:MAX_EXAMPLES])
    return (Note("ids_equal_under_nfc", f"ids that look the same but differ in bytes stay apart: {shown}"),)


def _join(a: pl.DataFrame, b: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each item in both, sorted by id."""
    left = a.rename({"mean": "a", "k": "k_a", "missing": "missing_a"})
    right = b.select("item", b=pl.col("mean"), k_b=pl.col("k"), missing_b=pl.col("missing"))
    return left.join(right, on="item", how="inner").sort("item")


def _contents(evidence: Evidence, a: Units, b: Units, *, shared: pl.Series) -> pl.DataFrame:
    """Return item, content_a and content_b of the shared items: the hash of what each system was given."""
    items = evidence.items.filter(pl.col("task") == a.task).select("item", "content")
    known = items.filter(pl.col("item").is_in(shared.implode()))
    for name, side in (("content_a", a), ("content_b", b)):
        known = known.join(_given(evidence, side, name), on="item", how="left")
        known = known.with_columns(pl.coalesce(name, "content").alias(name))
    return known.sort("item")


def _given(evidence: Evidence, side: Units, name: str) -> pl.DataFrame:
    """Return the items a system was given otherwise than the items say, and the hash of what it was given."""
    held = evidence.held("responses")
    if isinstance(held, pl.DataFrame) and held["content"].null_count() == held.height:
        return pl.DataFrame(schema={"item": pl.String, name: pl.String})
    own = evidence.scan("responses", system=side.system, task=side.task).filter(~nw.col("content").is_null())
    given = own.group_by("item").agg(nw.col("content").min().alias(name))
    return given.collect(backend="polars").to_native()


def _copies(contents: pl.DataFrame) -> tuple[str, ...]:
    """Return the ids that ask exactly what an earlier id asks."""
    known = contents.filter(pl.col("content_a").is_not_null())
    return _ids(known.filter(~pl.col("content_a").is_first_distinct()))


def _ids(frame: pl.DataFrame) -> tuple[str, ...]:
    return tuple(frame["item"])


def _attrition(shared: int, losses: Mapping[str, tuple[str, ...]]) -> Attrition:
    counts = {name: len(ids) for name, ids in losses.items()}
    examples = {name: ids[:MAX_EXAMPLES] for name, ids in losses.items() if ids}
    return Attrition(shared=shared, examples=examples, **counts)


def _content_error(ids: tuple[str, ...], *, baseline: str, candidate: str) -> InputError:
    listed = ", ".join(repr(name) for name in ids[:MAX_EXAMPLES])
    more = f" and {len(ids) - MAX_EXAMPLES} more" if len(ids) > MAX_EXAMPLES else ""
    return InputError(
        f"{baseline!r} and {candidate!r} were asked different things under the same id: {listed}{more}",
        remedy="Compare runs of one version of the items, or match on the id alone (--match-on id)",
    )
