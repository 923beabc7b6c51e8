"""Fields tried as clusters: what is tried, what warns, how often without reason and how often with one."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import aliquot
from aliquot.analysis.arrays import paired_sample
from aliquot.analysis.cluster_search import find_clusters
from aliquot.analysis.method import analyse_pairs
from aliquot.evidence.contents import headline_metric, systems
from aliquot.evidence.matching import pair
from aliquot.evidence.merging import merge
from aliquot.evidence.units import Attrition, Pairs, Units
from aliquot.findings.scale import Scale
from aliquot.stats.results import Estimate
from tests.shared import shared

BINARY = Scale("binary", 0.0, 1.0, "higher")
ANY = Estimate(0.0, -0.1, 0.1, 0.95, "tango", 100)
NO_LOSS = Attrition(0, 0, 0, 0, 0, 0, 0, {})


def pairs_of(d, fields, *, weights=None):
    """Return the pairing of items whose difference is ``d``, with these fields."""
    d = np.asarray(d, dtype=float)
    n = d.size
    frame = pl.DataFrame(
        {
            "item": [f"q-{i:05d}" for i in range(n)],
            "cluster": [None] * n,
            "stratum": [None] * n,
            "weight": np.ones(n) if weights is None else weights,
            **{f"segment.{name}": values for name, values in fields.items()},
            "a": np.maximum(-d, 0),
            "k_a": [1] * n,
            "missing_a": [0] * n,
            "b": np.maximum(d, 0),
            "k_b": [1] * n,
            "missing_b": [0] * n,
        },
        schema_overrides={"cluster": pl.String, "stratum": pl.String},
    )
    units = Units("s", "task", "value", pl.DataFrame(), {}, n, 1.0)
    return Pairs(units, units, frame, NO_LOSS)


def search(pairs, *, scale=BINARY, cluster=None, seed=1, headline=None):
    headline = headline or analyse_pairs(paired_sample(pairs), scale, level=0.95, seed=seed).difference
    return find_clusters(pairs, scale, headline=headline, cluster=cluster, level=0.95, seed=seed)


def names(codes):
    return [f"v{code}" for code in codes]


def in_blocks(n=200, size=10):
    """Return differences that are the same within blocks of ``size``: as many clusters as blocks tell anything."""
    signs = np.random.default_rng(3).choice([-1, 0, 1], size=n // size)
    return np.repeat(signs, size), np.arange(n) // size


def test_a_field_that_carries_the_differences_is_reported_with_its_interval():
    d, blocks = in_blocks()
    found = search(
        pairs_of(d, {"doc.passage_id": names(blocks), "shuffled": names(blocks[::-1] % 20 * 7 % 20)})
    )
    assert found is not None
    (field,) = [one for one in found.found if one.tried.field == "doc.passage_id"]
    # all items of a block are equal: V by cluster is V of 20 values, s²/20 over blocks against s²/200 over items
    values = d[::10]
    assert field.tried.design_effect == pytest.approx(
        (values.var(ddof=1) / 20) / (d.astype(float).var(ddof=1) / 200)
    )
    assert (field.tried.n_clusters, field.tried.largest) == (20, 10)
    assert isinstance(field.difference, Estimate)
    assert field.difference.clusters == 20
    assert field.difference.width > found.headline.width
    assert found.headline.clusters is None
    assert field.deciding is not None
    assert field.deciding.name == "cluster_sign_flip"


@pytest.mark.parametrize(
    "name",
    ["prompt", "doc.question", "metadata.answer", "target"],
)
def test_what_is_asked_or_expected_is_never_tried(name):
    d, blocks = in_blocks()
    assert search(pairs_of(d, {name: names(blocks)})) is None


def test_fields_of_few_values_and_of_values_that_hardly_recur_are_not_tried():
    d, blocks = in_blocks()
    n = d.size
    few = names(blocks % 7)
    own = [f"id{i}" for i in range(n)]
    hardly = [f"v{i // 2}" if i < 32 else f"id{i}" for i in range(n)]  # Σm²/Σm = 1 + 32/200 = 1.16
    one_large = ["other" if i < 150 else f"id{i}" for i in range(n)]
    fields = {"difficulty": few, "id": own, "hardly": hardly, "kind": one_large, "empty": [None] * n}
    assert search(pairs_of(d, fields)) is None


def test_nothing_is_tried_when_clusters_are_known_or_the_user_spoke():
    d, blocks = in_blocks()
    pairs = pairs_of(d, {"passage": names(blocks)})
    assert search(pairs) is not None
    assert search(pairs, cluster="item") is None
    known = Pairs(
        pairs.baseline,
        pairs.candidate,
        pairs.frame.with_columns(cluster=pl.col("segment.passage")),
        pairs.attrition,
    )
    assert search(known) is None


def test_fields_that_group_alike_count_once_and_the_largest_effect_comes_first():
    rng = np.random.default_rng(8)
    books = np.repeat(rng.choice([-1, 0, 1], size=12), 30)
    keep = rng.random(360) < 0.8
    d = np.where(keep, books, rng.choice([-1, 0, 1], size=360))
    book, chapter = np.arange(360) // 30, np.arange(360) // 6
    fields = {"chapter": names(chapter), "book": names(book), "title": [f"Title {i}" for i in book]}
    found = search(pairs_of(d, fields))
    assert found is not None
    assert [field.field for field in found.tried] == ["book", "chapter"]
    assert [field.tried.field for field in found.found] == ["book", "chapter"]
    assert found.unsettled == ()


def test_an_effect_too_small_to_matter_is_tried_and_not_tested():
    d = np.tile([1, -1], 100)
    found = search(pairs_of(d, {"passage": names(np.arange(200) // 10)}))  # each passage sums to 0
    assert found is not None
    assert found.tried[0].design_effect == 0
    assert found.tried[0].test is None
    assert found.found == found.unsettled == ()


def test_equal_differences_have_no_effect():
    found = search(pairs_of(np.zeros(100), {"passage": names(np.arange(100) // 5)}))
    assert found is not None
    assert found.tried[0].design_effect == 1
    assert found.found == ()


def test_a_field_named_as_a_source_weighs_more():
    d, blocks = in_blocks()
    plain = {f"field {k}": names(np.random.default_rng(k).permutation(np.arange(200) % 20)) for k in range(3)}
    named = search(pairs_of(d, {"passage_id": names(blocks), **plain}))
    unnamed = search(pairs_of(d, {"passages": names(blocks), **plain}))
    assert named is not None
    assert unnamed is not None
    for found, share_of_alpha in ((named, 8 / 11), (unnamed, 1 / 4)):
        first = found.tried[0]
        assert first.test is not None
        assert first.p_adjusted == pytest.approx(first.test.p / share_of_alpha)


def test_an_item_without_a_value_is_a_cluster_of_its_own():
    d, blocks = in_blocks()
    values = [None if i % 10 == 0 else f"v{block}" for i, block in enumerate(blocks)]
    found = search(pairs_of(d, {"passage": values}))
    assert found is not None
    assert (found.tried[0].n_clusters, found.tried[0].largest) == (40, 9)
    difference = found.found[0].difference
    assert isinstance(difference, Estimate)
    assert difference.clusters == 40


def test_a_seed_makes_the_search_identical():
    d, blocks = in_blocks()
    pairs = pairs_of(d, {"passage": names(blocks), "other": names(np.arange(200) % 25)})
    assert search(pairs, seed=3) == search(pairs, seed=3)


def draw(rng, *, groups, size, psi, effect):
    """Return differences of ``groups`` clusters whose mean has this design effect, and the code of each item."""
    codes = np.repeat(np.arange(groups), size)
    chances = [psi / 2, 1 - psi, psi / 2]
    own = rng.choice([-1, 0, 1], p=chances, size=codes.size)
    common = rng.choice([-1, 0, 1], p=chances, size=groups)[codes]
    icc = (effect - 1) / (size - 1)
    return np.where(rng.random(codes.size) < np.sqrt(icc), common, own), codes


def warned(rng, *, groups, size, psi, effect):
    """Return the fields that warn: ``passage`` holds the clusters, four others nothing."""
    d, codes = draw(rng, groups=groups, size=size, psi=psi, effect=effect)
    n = d.size
    noise = {f"field {k}": names(rng.permutation(np.arange(n) % k)) for k in (8, 10, n // 5, n // 2)}
    found = search(pairs_of(d, {"passage_id": names(codes), **noise}), headline=ANY)
    return [] if found is None else [field.tried.field for field in found.found]


def share(repeats, *, seed, **design):
    rng = np.random.default_rng(seed)
    return np.mean([bool(warned(rng, **design)) for _ in range(repeats)])


@pytest.mark.parametrize(("groups", "size", "psi"), [(15, 4, 0.3), (20, 10, 0.1), (50, 10, 0.3)])
def test_without_clusters_few_comparisons_warn(groups, size, psi):
    # at a rate of 5% 13 of 100 and more come up in less than .2% of such simulations
    assert share(100, seed=5, groups=groups, size=size, psi=psi, effect=1.0) < 13 / 100


@pytest.mark.parametrize(
    ("groups", "size", "effect", "least"),
    [(50, 10, 2.0, 0.9), (100, 5, 2.0, 0.95), (20, 10, 4.0, 0.9)],
)
def test_a_design_effect_that_breaks_coverage_warns(groups, size, effect, least):
    assert share(40, seed=5, groups=groups, size=size, psi=0.3, effect=effect) >= least


def test_the_passages_of_an_lm_eval_log_are_tried():
    logs = [aliquot.read(shared("logs", "lm-eval", f"org__stub-{name}")) for name in "ab"]
    evidence = merge(*logs)
    a, b = systems(evidence)
    metric = headline_metric(evidence, "toy_gsm")
    found = search(pair(evidence, a, b, task="toy_gsm", metric=metric))
    assert found is not None
    assert [field.field for field in found.tried] == ["doc.passage_id"]
    assert found.tried[0].n_clusters == 15
