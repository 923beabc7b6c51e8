"""What the noise of the people's ratings allows a perfect judge to reach: √r and the Spearman–Brown formula."""

from __future__ import annotations

import math
from dataclasses import dataclass

from aliquot.errors import UsageError
from aliquot.stats.inputs import as_count
from aliquot.stats.results import Record, Undefined

ASSUMES = (
    "each rating is the truth plus noise of its own; noise is independent between raters, of equal size, "
    "and of the judge's; all on one linear scale"
)


@dataclass(frozen=True, slots=True)
class NoiseLimit(Record):
    """The highest correlation with the mean of some raters that the noise model allows.

    Attributes:
        single: with one rater: √r.
        mean: with the mean of ``raters``: √ of ``reliability``.
        reliability: of that mean, by Spearman–Brown.
        raters: raters whose mean is the target.
        assumes: what the model takes for granted; a judge that shares the raters' errors can go beyond the limit.
    """

    single: float
    mean: float
    reliability: float
    raters: float
    assumes: str = ASSUMES


def spearman_brown(r: float, *, raters: float) -> float | Undefined:
    """Reliability of the mean of k raters, k r/(1 + (k − 1) r), from that of one.

    Args:
        r: correlation of two raters (or an ICC of single ratings), −1 to 1.
        raters: k; below 1 for a share of the work of one.

    Returns:
        The reliability; Undefined where the formula has none (raters who disagree so much that their mean has
        no variance).

    Raises:
        UsageError: r out of range, k not above 0.

    References:
        Spearman (1910) British Journal of Psychology 3:271; Brown (1910) 3:296.

    Examples:
        >>> round(spearman_brown(0.563, raters=2), 3)
        0.72
    """
    if not -1 <= r <= 1:
        raise UsageError(f"a correlation lies between −1 and 1; got {r}")
    k = as_count(raters, name="raters", at_least=0)
    if k <= 0:
        raise UsageError("raters must be above 0")
    below = 1 + (k - 1) * r
    if below <= 1e-12:
        return Undefined(f"raters who correlate at {r:g} have no mean of {k:g} with a variance")
    return k * r / below


def noise_limit(r: float, *, raters: float = 1) -> NoiseLimit | Undefined:
    """How far a judge without any error could correlate with noisy ratings, under the noise model only.

    Args:
        r: correlation of two raters on the same items.
        raters: raters whose mean the judge is held against.

    Returns:
        The limits; Undefined when raters do not correlate above 0: then the model has no truth to find.

    Raises:
        UsageError: r out of range, raters below 1.

    References:
        Spearman (1904) American Journal of Psychology 15:72 (attenuation); Spearman–Brown as above.

    Examples:
        >>> found = noise_limit(0.563, raters=2)
        >>> print(round(found.single, 2), round(found.mean, 2))
        0.75 0.85
    """
    k = as_count(raters, name="raters", at_least=1)
    reliability = spearman_brown(r, raters=k)
    if r <= 0 or isinstance(reliability, Undefined):
        return Undefined(f"two raters correlate at {r:g}, so their ratings show no common truth to be found")
    return NoiseLimit(math.sqrt(r), math.sqrt(reliability), reliability, k)
