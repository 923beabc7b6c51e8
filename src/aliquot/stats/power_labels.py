"""Labels of people that a difference takes when a judge reads more items than they do."""

from __future__ import annotations

import math

from aliquot.errors import UsageError
from aliquot.stats.discordance import as_discordance, as_rate
from aliquot.stats.inputs import as_count


def judged_r2(psi: float, difference: float, *, seen_psi: float, factor: float) -> float:
    """Return the squared correlation of an item's true difference and the one a judge sees.

    The judge's errors are independent given the truth, so that the mean of what it sees is ``factor`` times the true
    difference, and their covariance ``factor`` times the variance of the true one, ψ − Δ².

    Args:
        psi: share of items on which the systems truly differ.
        difference: true difference Δ.
        seen_psi: share of items on which the judge sees them differ.
        factor: se + sp − 1.

    Returns:
        A share in [0, 1]; 0 when nothing varies.

    Raises:
        UsageError: a share outside [0, 1], or a difference that it does not allow.

    References:
        Rogan & Gladen (1978) American Journal of Epidemiology 107:71, for se + sp − 1.

    Examples:
        >>> judged_r2(0.2, 0.05, seen_psi=0.2, factor=1.0)
        1.0
        >>> round(judged_r2(0.2, 0.05, seen_psi=0.2544, factor=0.85), 4)
        0.5649
    """
    psi, difference = as_discordance(psi, difference)
    seen_psi, seen = as_discordance(seen_psi, factor * difference)
    true, judged = psi - difference**2, seen_psi - seen**2
    return min(1.0, factor**2 * true / judged) if judged > 0 else 0.0


def labels_sample_size(items: float, *, judged: float, r2: float) -> int:
    """Return how many of the items judged must be labelled, to be worth ``items`` labelled ones alone.

    With the tuned weight λ the variance of the corrected mean is (σ²/n)(1 − R² (N − n)/N), n labelled of N judged:
    it equals σ²/m for n = m (1 − R²)/(1 − R² m/N).

    Args:
        items: items m that labels alone would take.
        judged: items N whose answers the judge reads, at least ``items``.
        r2: squared correlation R² of the true and the judged value of an item.

    Returns:
        Labelled items, rounded up, at most ``items``.

    Raises:
        UsageError: fewer judged than needed, or a share outside [0, 1].

    References:
        Angelopoulos, Duchi & Zrnic (2023), PPI++, arXiv:2311.01453, section 6: the variance at the optimal λ.

    Examples:
        >>> labels_sample_size(658, judged=658, r2=0.5649)
        658
        >>> labels_sample_size(658, judged=6580, r2=0.5649)
        304
    """
    items, judged, r2 = as_count(items, name="items"), as_count(judged, name="judged"), as_rate(r2, name="r2")
    if judged < items:
        raise UsageError(f"a judge that reads {judged:g} items cannot stand in for {items:g} labelled ones")
    if r2 == 1:
        return 0 if judged > items else math.ceil(items)
    return math.ceil(items * (1 - r2) / (1 - r2 * items / judged) - 1e-9)
