"""Middle ranks and Kendall's counts of concordant pairs, in n log n steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aliquot.stats.inputs import Floats, Integers


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Pairs of rows by how two variables order them.

    Attributes:
        score: concordant less discordant pairs.
        pairs: all pairs.
        tied_x: pairs tied in x (in y or not).
        tied_y: pairs tied in y.
    """

    score: int
    pairs: int
    tied_x: int
    tied_y: int

    @property
    def tau_b(self) -> float:
        """τ-b, nan when one variable is constant."""
        below = float(self.pairs - self.tied_x) * float(self.pairs - self.tied_y)
        return self.score / below**0.5 if below > 0 else float("nan")


def middle_ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[places.reshape(-1)]


def count_pairs(x: Floats, y: Floats) -> PairCounts:
    """Count pairs by order: discordant ones are inversions of y once rows are sorted by x, then y."""
    order = np.lexsort((y, x))
    x, y = x[order], y[order]
    codes = np.unique(y, return_inverse=True)[1].reshape(-1).astype(np.int64)
    pairs = x.size * (x.size - 1) // 2
    tied_x, tied_y = _tied(np.unique(x, return_counts=True)[1]), _tied(np.bincount(codes))
    both = _tied(np.unique(np.stack([x, y]), axis=1, return_counts=True)[1])
    discordant = inversions(codes)
    return PairCounts(pairs - tied_x - tied_y + both - 2 * discordant, pairs, tied_x, tied_y)


def _tied(counts: Integers) -> int:
    return int((counts.astype(np.int64) * (counts - 1) // 2).sum())


def inversions(codes: Integers) -> int:
    """Pairs of places i < j whose codes stand the wrong way round, a bit of the codes at a time.

    Among codes alike in all higher bits, those with this bit 1 before one with 0 are the inversions it decides.
    """
    found = 0
    for bit in reversed(range(int(codes.max(initial=0)).bit_length())):
        above = codes >> (bit + 1)
        ones = (codes >> bit) & 1
        before = np.cumsum(ones) - ones
        first = np.flatnonzero(np.r_[True, above[1:] != above[:-1]])
        sizes = np.diff(np.append(first, codes.size))
        inside = before - np.repeat(before[first], sizes)
        found += int(inside[ones == 0].sum())
        codes = codes[np.argsort(codes >> bit, kind="stable")]
    return found


def kendall_exact_tail(score: int, n: int) -> float:
    """Two-sided probability of a score at least as far from 0, without ties: Kendall (1970), by convolution."""
    most = n * (n - 1) // 2
    ways = np.ones(1)
    for size in range(2, n + 1):  # the last of `size` rows makes 0 … size − 1 inversions, each as likely
        ways = np.convolve(ways, np.full(size, 1.0 / size))
    discordant = (most - abs(score)) // 2
    return min(1.0, 2 * float(ways[: discordant + 1].sum()))
