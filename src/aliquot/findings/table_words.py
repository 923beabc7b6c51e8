"""The first sentence of a table: what it establishes, and what it leaves tied."""

from __future__ import annotations

from collections.abc import Sequence

from aliquot.findings.table import TableRow
from aliquot.findings.verdict import Verdict


def write_table(rows: Sequence[TableRow], *, baseline: str, level: float) -> Verdict:
    """Return the verdict of a table; a tie is a difference that was not shown, never equality.

    Args:
        rows: the differences.
        baseline: the system every other is compared with.
        level: confidence level of all intervals together.
    """
    better, worse = ([row for row in rows if row.word == word] for word in ("better", "worse"))
    other = sum(row.word in {"higher", "lower"} for row in rows)
    judged = sum(row.word != "nothing_to_judge" for row in rows)
    if not judged:
        return Verdict("nothing_to_judge", text="NOTHING TO JUDGE: no difference could be estimated.")
    together = f"all {judged} at once, {100 * level:g}%" if judged > 1 else f"{100 * level:g}%"
    tied = judged - len(better) - len(worse) - other
    if tied == judged:
        text = f"NO DIFFERENCE IS ESTABLISHED against {baseline} ({together}); {_ties(tied)}."
        return Verdict("undecided", text=text)
    said = [
        f"{word} than {baseline}: {_named(found)}"
        for word, found in (("BETTER", better), ("WORSE", worse))
        if found
    ]
    said += [f"{other} differ in a metric without a better side"] if other else []
    said += [_ties(tied)] if tied else []
    word = "better" if better and not worse else "worse" if worse and not better else "undecided"
    return Verdict(word, text=f"{'; '.join(said)} ({together}).")


def _named(rows: Sequence[TableRow], *, most: int = 4) -> str:
    names = [f"{row.candidate} on {row.task}" for row in rows]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _ties(count: int) -> str:
    return f"{count} {'is' if count == 1 else 'are'} tied, not shown to differ"
