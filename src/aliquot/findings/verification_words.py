"""The first sentence of a verification."""

from __future__ import annotations

from collections.abc import Sequence

from aliquot.findings.verdict import Verdict
from aliquot.findings.verification import Check


def write_verification(checks: Sequence[Check], remarks: Sequence[str] = ()) -> Verdict:
    """Return the verdict: met when every number checked comes out, not met when one cannot or does not.

    Args:
        checks: the numbers.
        remarks: what else was found.

    Examples:
        >>> write_verification([Check("main, rate", "22.4 %", "", "cannot_be", "")]).text
        'NOT AS PRINTED: 1 of 1 number cannot be.'
    """
    tested = [check for check in checks if check.outcome != "not_checked"]
    if not tested and remarks:
        return Verdict(
            "estimated", text="NO NUMBER WAS PRINTED that could be checked; what was found stands below."
        )
    if not tested:
        return Verdict("nothing_to_judge", text="NOTHING TO JUDGE: no printed number could be checked.")
    wrong = sum(check.outcome == "differs" for check in tested)
    impossible = sum(check.outcome == "cannot_be" for check in tested)
    explained = sum(check.outcome == "explained" for check in tested)
    of = f"of {len(tested)} number{'' if len(tested) == 1 else 's'}"
    if wrong or impossible:
        said = [f"{impossible} {of} cannot be"] if impossible else []
        verb = "do not come out" if wrong > 1 else "does not come out"
        said += [f"{wrong} {verb}" if impossible else f"{wrong} {of} {verb}"] if wrong else []
        return Verdict("not_met", text=f"NOT AS PRINTED: {'; '.join(said)}.")
    all_of = "the number comes out" if len(tested) == 1 else f"all {len(tested)} numbers come out"
    other = f", {explained} by another reading, named below" if explained else ""
    return Verdict("met", text=f"AS PRINTED: {all_of}{other}.")
