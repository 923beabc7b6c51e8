"""Salted names: the same rows under other names, and no way back without the key."""

from __future__ import annotations

import hashlib
import hmac

import pytest

from aliquot import compare
from aliquot.evidence.concealment import conceal, concealable
from aliquot.findings.document import finding_document
from tests.reports.crowded import crowded_evidence

SALT = b"k" * 32


@pytest.fixture(scope="module")
def evidence():
    return crowded_evidence()


def test_what_can_be_concealed_is_listed(evidence):
    assert concealable(evidence) == ("item", "cluster", "topic")


def test_names_are_ranks_and_keyed_hashes_in_the_old_order(evidence):
    hidden = conceal(evidence, ["item", "cluster"], salt=SALT)
    old, new = evidence.items["item"].to_list(), hidden.items["item"].to_list()
    assert [name for _, name in sorted(zip(old, new, strict=True))] == sorted(new)
    expected = hmac.new(SALT, b"item\0q-00", hashlib.sha256).hexdigest()[:12]
    assert dict(zip(old, new, strict=True))["q-00"] == f"01-{expected}"
    assert hidden.items["cluster"].n_unique() == evidence.items["cluster"].n_unique()
    assert set(hidden.outcomes["item"]) == set(hidden.responses["item"]) == set(new)


def test_another_key_gives_other_names(evidence):
    one, other = (conceal(evidence, ["item"], salt=salt).items["item"] for salt in (SALT, b"x" * 32))
    assert not set(one) & set(other)


def test_a_plain_hash_of_what_an_item_asks_does_not_stay(evidence):
    known = evidence.revise(items=evidence.items.with_columns(content=evidence.items["item"]))
    hidden = conceal(known, [], salt=SALT)
    assert not set(hidden.items["content"]) & set(known.items["content"])
    assert hidden.items["content"].n_unique() == known.items["content"].n_unique()


def test_the_finding_is_the_same_to_the_bit(evidence):
    choices = {"systems": ("main", "pr"), "metric": "success", "margin": "2pt", "noise": None}
    plain = finding_document(compare(evidence, **choices))
    hidden = finding_document(compare(conceal(evidence, ["item", "cluster", "topic"], salt=SALT), **choices))
    for part in (
        "difference",
        "tests",
        "estimates",
        "table",
        "detectable",
        "verdict",
        "if_missing",
        "power_curve",
    ):
        assert hidden[part] == plain[part], part
    assert len(hidden["broke"]) == len(plain["broke"])
    assert not set(hidden["broke"]) & set(plain["broke"])
