"""AlpacaEval's length-controlled win rate and the number printed as its error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aliquot.findings.verification import Check

RATE = "length_controlled_winrate"

ERROR = "lc_standard_error"

NO_ERROR = (
    "no standard error of the length-controlled rate: it is that of the fitted preferences over items "
    "(AlpacaEval's glm_winrate), and leaves out how uncertain the fitted model itself is"
)

A_FIT = "a length-controlled rate is a fitted model's, which outcomes without lengths do not give"


def check_length_controlled(printed: Mapping[str, float], *, name: str) -> Iterator[tuple[str, Check]]:
    """Return the two numbers where they were printed, each with its check.

    Args:
        printed: statistic → value, as shares.
        name: of what they were printed.
    """
    if RATE in printed:
        yield RATE, Check(f"{name}, {RATE}", f"{printed[RATE]:.6g}", "", "not_checked", A_FIT)
    if ERROR in printed:
        beside = printed.get("standard_error")
        yield ERROR, check_length_error(f"{name}, {ERROR}", f"{printed[ERROR]:.6g}", beside)


def check_length_error(claim: str, text: str, beside: float | None = None) -> Check:
    """Return the check of a printed error of a length-controlled rate: it is none, whatever its value.

    Args:
        claim: of what it was printed.
        text: the number as printed.
        beside: the printed error of the plain win rate, where there is one.
    """
    more = "" if beside is None else f"; that of the plain rate is {beside:.6g}"
    return Check(claim, text, "", "differs", f"{NO_ERROR}{more}")
