"""A judge's stored votes between systems, as verdicts on pairs in the order in which they were shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import polars as pl

from aliquot.errors import InputError, UsageError, nearest
from aliquot.evidence.tables import Evidence, Note
from aliquot.files.probe_records import ProbeRecord, ProbeVerdict, Winner

_WINNER: Final[Mapping[str, Winner]] = {"a": "plain", "b": "changed", "tie": "tie", "both_bad": "both_bad"}


@dataclass(frozen=True, slots=True)
class StoredVotes:
    """What a log says of a judge.

    Attributes:
        record: its verdicts: the first system of a pair is the plain text.
        people: item → what people said of the same pair.
        notes: what must be said.
    """

    record: ProbeRecord
    people: Mapping[str, tuple[Winner, ...]]
    notes: tuple[Note, ...]


def judges_of(evidence: Evidence) -> tuple[str, ...]:
    """Return the judges that voted, in the order in which they first appear.

    Args:
        evidence: with votes.
    """
    return tuple(evidence.votes.filter(pl.col("by") == "judge")["rater"].unique(maintain_order=True))


def stored_votes(evidence: Evidence, *, judge: str | None = None) -> StoredVotes:
    """Return a judge's votes as verdicts on pairs.

    Args:
        evidence: with votes.
        judge: whose votes; by default those of the only judge.

    Raises:
        InputError: no judge voted, or of no vote it is known what was shown first.
        UsageError: several judges voted and none is named, or there is none of that name.
    """
    name = _one_judge(evidence, judge)
    votes = evidence.votes.with_columns(_pair_key(evidence.votes))
    ours = votes.filter(pl.col("by") == "judge", pl.col("rater") == name)
    known = ours.filter(pl.col("shown_first").is_not_null())
    if known.is_empty():
        raise InputError(
            f"of no vote of {name!r} is it known which answer was shown first",
            file=", ".join(source.path for source in evidence.sources),
            remedy="Give a log that keeps it, or a column shown_first",
        )
    pairs = _pairs(ours)
    clusters = (
        dict(evidence.items.select("item", "cluster").iter_rows())
        if "cluster" in evidence.items.columns
        else {}
    )
    graded = _graded(known)
    seen: Counter[tuple[str, str]] = Counter()
    verdicts: list[ProbeVerdict] = []
    for row in known.iter_rows(named=True):
        seen[row["key"], row["shown_first"]] += 1
        told = _verdict(row, clusters, pairs=pairs, graded=graded)
        again = seen[row["key"], row["shown_first"]]
        if row["system_a"] == row["system_b"]:
            verdicts.append(ProbeVerdict(probe="identical", **told))
            continue
        if again == 1:
            verdicts.append(ProbeVerdict(probe="order", **told))
        verdicts.append(ProbeVerdict(probe="repeat", repeat=again, **_in_order(told)))
    asked_again = {(key, first) for (key, first), times in seen.items() if times > 1}
    verdicts = [one for one in verdicts if one.probe != "repeat" or _again(one, asked_again)]
    notes: list[Note] = []
    if known.height < ours.height:
        lost = f"{ours.height - known.height:,} of {ours.height:,}"
        text = f"of {lost} votes it is not known what was shown first; they are left out"
        notes.append(Note("order_unknown", text))
    return StoredVotes(
        ProbeRecord(judge=name, verdicts=tuple(verdicts)), _people(votes, set(known["key"])), tuple(notes)
    )


def _one_judge(evidence: Evidence, judge: str | None) -> str:
    known = judges_of(evidence)
    if not known:
        raise InputError(
            "holds no vote of a judge",
            file=", ".join(source.path for source in evidence.sources),
            remedy="Give a pairwise log of a judge, or a judge's own file: aliquot probe judge JUDGE.yaml",
        )
    if judge is None and len(known) > 1:
        listed = ", ".join(known)
        raise UsageError(f"{len(known)} judges voted. Name one: --judge NAME. They are: {listed}.")
    if judge is not None and judge not in known:
        raise UsageError(f"there is no judge {judge!r}. {nearest(judge, known)}")
    return next(iter(known)) if judge is None else judge


def _pair_key(votes: pl.DataFrame) -> pl.Expr:
    """Name an item and its pair; with one pair the item's own id says it."""
    parts = ["item"]
    parts += [name for name in ("system_a", "system_b", "task") if votes[name].n_unique() > 1]
    return pl.concat_str([pl.col(name) for name in parts], separator=", ").alias("key")


def _pairs(votes: pl.DataFrame) -> dict[tuple[str, str], str]:
    """Return what each pair of systems is called: by the one that is not in all of them, "" for the only one."""
    named = votes.select("system_a", "system_b").unique(maintain_order=True)
    pairs: list[tuple[str, str]] = list(zip(named["system_a"], named["system_b"], strict=True))
    if len(pairs) == 1:
        return dict.fromkeys(pairs, "")
    if named["system_a"].n_unique() == 1:
        return {(a, b): f"{b}" for a, b in pairs}
    return {(a, b): f"{a} against {b}" for a, b in pairs}


def _graded(votes: pl.DataFrame) -> bool:
    """Tell whether every verdict is a preference from 1 (the first) to 2 (the second), and some lie between."""
    told = votes.filter(pl.col("verdict").is_not_null())["label"].cast(pl.Float64, strict=False)
    if not told.len() or told.null_count():
        return False
    return bool(told.is_between(1, 2).all()) and bool((~told.is_in([1.0, 1.5, 2.0])).any())


def _verdict(
    row: Mapping[str, Any],
    clusters: Mapping[str, str | None],
    *,
    pairs: Mapping[tuple[str, str], str],
    graded: bool,
) -> dict[str, Any]:
    order: Literal[1, 2] = 1 if row["shown_first"] == "a" else 2
    cluster = clusters.get(row["item"]) or (row["item"] if len(pairs) > 1 else None)
    verdict = None if row["verdict"] is None else _WINNER[row["verdict"]]
    return {
        "item": row["key"],
        "order": order,
        "verdict": verdict,
        "worth": float(row["label"]) - 1 if graded and verdict is not None else None,
        "status": row["status"],
        "cluster": cluster,
        "changed": pairs[row["system_a"], row["system_b"]],
    }


def _in_order(told: Mapping[str, Any]) -> dict[str, Any]:
    """Name the item with the order of its slots, as the same question is one order of a pair."""
    return {
        **told,
        "item": f"{told['item']}, order {told['order']}",
        "cluster": told["cluster"] or told["item"],
    }


def _again(one: ProbeVerdict, asked_again: set[tuple[str, str]]) -> bool:
    key = one.item.rpartition(", order ")[0]
    return (key, "a" if one.order == 1 else "b") in asked_again


def _people(votes: pl.DataFrame, keys: set[str]) -> dict[str, tuple[Winner, ...]]:
    """Return what people said of the pairs that the judge was asked about."""
    rows = votes.filter(
        pl.col("by") == "person", pl.col("verdict").is_not_null(), pl.col("key").is_in(list(keys))
    )
    found: dict[str, list[Winner]] = {}
    for key, verdict in rows.select("key", "verdict").iter_rows():
        found.setdefault(key, []).append(_WINNER[verdict])
    return {key: tuple(said) for key, said in found.items()}
