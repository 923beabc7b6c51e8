"""Guards on labels: what the references alone give away of a rate that always giving one answer would reach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from aliquot.analysis.majority import SHORT, label_of, majority_of
from aliquot.evidence.tables import Note
from aliquot.evidence.units import Units
from aliquot.findings.majority import Majority, write_share
from aliquot.stats.binomial_tests import binomial_exact

LEAST_CLASSED: Final = 10
"""Items from which a rate is held against the majority baseline; in fewer the two are often equal by chance."""
MOST_CLASSES: Final = 20
"""Different references up to which they are taken as classes, at five items a class or more."""
INVERTED: Final = 0.001
"""The p-value below which a rate under one half, with two classes, is taken as turned round."""


def guard_labels(units: Units, labels: Mapping[str, str], said: Mapping[str, str]) -> Iterator[Note]:
    """Yield a note when a constant answer would pass as often as the system, or two classes are turned round.

    Args:
        units: the system under a metric where 1 is a pass.
        labels: the label of each item's reference, by id.
        said: what a rule read in each answer, by id, where it kept that.
    """
    means: dict[str, float] = dict(units.frame.drop_nulls("mean").select("item", "mean").iter_rows())
    counts, n = Counter(labels.values()), len(means)
    found = majority_of(labels, of=n)
    if found is None or not LEAST_CLASSED <= n == len(labels):
        return
    if not 2 <= len(counts) <= min(MOST_CLASSES, n / 5):
        return
    heard = {item: label_of(label) or "" for item, label in said.items() if item in means}
    spoken = _constant({item: means[item] for item in heard}, labels) if len(set(heard.values())) == 1 else ""
    if spoken not in heard.values() or len(heard) < LEAST_CLASSED:
        spoken = ""
    constant = _constant(means, labels)
    if spoken and spoken != constant:
        items = f"({len(heard)} of {n} items)"
        text = f"every answer of {units.system} that could be read is {quoted(spoken)} {items}"
        yield Note(
            "one_answer", text, bare=f"every answer of {units.system} that could be read is one {items}"
        )
    if constant:
        yield _as_constant(units.system, constant, counts, spoken=bool(spoken))
    else:
        yield from _beside_majority(units, sum(means.values()), *found, classes=len(counts))


def _constant(means: Mapping[str, float], labels: Mapping[str, str]) -> str:
    """Return the one label all of whose items passed and no other item did; empty when there is none."""
    passed = {labels[item] for item, mean in means.items() if mean > 0}
    if len(passed) != 1:
        return ""
    label = passed.pop()
    return label if all(mean == (labels[item] == label) for item, mean in means.items()) else ""


def _as_constant(system: str, label: str, counts: Counter[str], *, spoken: bool) -> Note:
    items, n = counts[label], counts.total()
    which = "the most frequent label" if items == max(counts.values()) else "that label"
    tail = f"{write_share(items / n)} is what {which} alone gives"
    if spoken:
        always = f"{system} always answers {quoted(label)}: {tail}"
        return Note("majority_baseline", always, bare=f"{system} always gives one answer: {tail}")
    head = f"{system} passes exactly the {items} items"
    text = f"{head} whose reference is {quoted(label)}, as always answering it would: {tail}"
    return Note(
        "majority_baseline", text, bare=f"{head} of one reference, as always answering it would: {tail}"
    )


def _beside_majority(
    units: Units, right: float, label: str, majority: Majority, *, classes: int
) -> Iterator[Note]:
    """Say when a rate is the majority baseline's or lower, or two classes are told apart the wrong way round."""
    n, most = majority.of, majority.items
    passes = f"{units.system} passes {right:g} of {n}"
    always, bare = (
        f"always answering {quoted(label)} would",
        "always answering the most frequent reference would",
    )
    if right == most:
        head = f"{passes}, as many as"
        tail = f", though not the same ones: {write_share(majority.rate)} either way"
        yield Note("majority_baseline", f"{head} {always}{tail}", bare=f"{head} {bare}{tail}")
    elif classes == 2 and units.answered >= 0.5 and units.frame["k"].max() == 1 and _turned_round(right, n):
        text = "with two possible answers, where guessing gives half; turned round it would pass"
        yield Note("inverted", f"{passes} {text} {n - right:g}")
    elif right < most:
        head, tail = f"{passes} ({write_share(right / n)}), fewer than", f" ({write_share(majority.rate)})"
        yield Note("below_majority", f"{head} {always}{tail}", bare=f"{head} {bare}{tail}")


def _turned_round(right: float, n: int) -> bool:
    return right < n / 2 and binomial_exact(int(right), n, p0=0.5).p < INVERTED


def quoted(text: str) -> str:
    """Return a text as it is quoted in a sentence, cut where it is long."""
    line = " ".join(text.split())
    return f"'{line if len(line) <= SHORT else line[: SHORT - 1] + '…'}'"
