"""McNemar's test for clustered pairs in the two published forms, which differ in who weighs equally."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.clusters import cluster_codes
from aliquot.stats.distributions import chi2_upper, p_value
from aliquot.stats.inputs import as_binary, as_choice
from aliquot.stats.results import HypothesisTest, Undefined

ClusteredMcnemar: TypeAlias = Literal["obuchowski", "durkalski"]


def clustered_mcnemar(
    a: ArrayLike, b: ArrayLike, *, clusters: ArrayLike, method: ClusteredMcnemar = "obuchowski"
) -> HypothesisTest | Undefined:
    """Asymptotic test of equal pass rates on shared items that come in clusters.

    With f_g and k_g the items fixed and broke in cluster g of n_g items, G clusters:
    Obuchowski, items weigh equally: χ² = (G − 1)/G · (Σ(f_g − k_g))² / Σ(f_g − k_g)²;
    Durkalski, clusters weigh equally: χ² = (Σ(f_g − k_g)/n_g)² / Σ((f_g − k_g)/n_g)². Both have 1 df and need
    many clusters; with few, ``sign_flip(d, clusters=…)`` is exact.

    Args:
        a: the baseline's outcomes, 0 or 1.
        b: the candidate's outcomes on the same items.
        clusters: one label an item.
        method: ``obuchowski`` or ``durkalski``.

    Returns:
        The test (p = 1 when no cluster has a difference), or Undefined with one cluster.

    Raises:
        UsageError: lengths differ, a value is not 0 or 1, or the method is unknown.

    References:
        Obuchowski (1998) Statistics in Medicine 17:1495; Durkalski et al. (2003) Statistics in Medicine
        22:2417; both in this notation in Yang, Sun & Hardin (2010) Biometrical Journal 52:638.

    Examples:
        >>> a, b = [1, 0, 0, 1, 0, 0, 1, 1], [1, 1, 1, 1, 0, 1, 1, 0]
        >>> print(clustered_mcnemar(a, b, clusters=[1, 1, 1, 2, 2, 3, 3, 4]))
        mcnemar_obuchowski: p = 0.4795 (two-sided)
        >>> print(clustered_mcnemar(a, b, clusters=[1, 1, 1, 2, 2, 3, 3, 4], method="durkalski"))
        mcnemar_durkalski: p = 0.8981 (two-sided)
    """
    as_choice(method, get_args(ClusteredMcnemar), name="method")
    first, second = as_binary(a, name="a"), as_binary(b, name="b")
    if first.size != second.size:
        raise UsageError(
            f"a and b must hold the same items in the same order; got {first.size} and {second.size} values"
        )
    codes = cluster_codes(clusters, first.size)
    sizes = np.bincount(codes)
    net, sizes = np.bincount(codes, second - first)[sizes > 0], sizes[sizes > 0]
    if sizes.size < 2:
        return Undefined("one cluster only: how clusters differ cannot be seen")
    scores = net if method == "obuchowski" else net / sizes
    factor = (sizes.size - 1) / sizes.size if method == "obuchowski" else 1.0
    squares = float(scores @ scores)
    chi2 = factor * float(scores.sum()) ** 2 / squares if squares > 0 else 0.0
    return HypothesisTest(
        name=f"mcnemar_{method}",
        p=p_value(chi2_upper(chi2, 1)),
        statistic=chi2,
        df=1.0,
        null="the two systems have the same pass rate",
        settings={
            "clusters": int(sizes.size),
            "weighting": "items" if method == "obuchowski" else "clusters",
        },
    )
