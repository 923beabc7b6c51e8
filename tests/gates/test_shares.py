"""The error of one merge: equal parts, or by LORD and ADDIS from the merges before; what was judged adds no row."""

from __future__ import annotations

from datetime import UTC, datetime
from multiprocessing.pool import ThreadPool
from pathlib import Path

import numpy as np
import pytest

from aliquot import gate
from aliquot.errors import InputError, UsageError
from aliquot.files.gate_history import Judged, add_to_history, read_history
from aliquot.gates.policy import Merges, MergeShare, MetricRule, Policy
from aliquot.gates.shares import share_of_merge
from aliquot.stats import addis, lord
from aliquot.verbs.gate import record
from tests.evidence_of import evidence_of, pass_fail


def policy(path: Path, share: MergeShare = "lord") -> Policy:
    return Policy(metrics=(MetricRule("", "2pt"),), merges=Merges(200, None, share, str(path)))


def judged(p: float, digest: str = "x") -> Judged:
    return Judged(digest=digest, candidate="pr", at="2026-01-01", p=p, alpha=0.05, decision="pass")


def test_the_share_is_that_of_the_statistics(tmp_path: Path) -> None:
    ps = [0.4, 0.0001, 0.7, 0.2]
    history = [judged(p, str(place)) for place, p in enumerate(ps)]
    for share, rule in (("lord", lord), ("addis", addis)):
        found = share_of_merge(policy(tmp_path, share), history, "new")
        assert (found.alpha, found.place, found.known) == (rule(ps, level=0.95).next_alpha, 5, False)
        again = share_of_merge(policy(tmp_path, share), history, "2")
        assert (again.alpha, again.place, again.known) == (rule(ps[:2], level=0.95).next_alpha, 3, True)
    equal = Policy(metrics=(MetricRule("", "2pt"),), merges=Merges(200, 1))
    assert share_of_merge(equal, history, "new").alpha == 1 / 200


def test_what_was_judged_before_adds_no_row(tmp_path: Path) -> None:
    path, rules = tmp_path / "gates.jsonl", policy(tmp_path / "gates.jsonl")
    evidence = evidence_of(pass_fail(150, 30, 5, 15))
    first = gate(evidence, policy=rules, noise=None)
    assert (first.decision, first.place) == ("fail", 1)
    assert first.alpha == lord([], level=0.95).next_alpha
    assert "year_share" in {note.code for note in first.warnings}
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    record(first, rules, now=moment)
    kept = path.read_bytes()
    again = gate(evidence, policy=rules, noise=None)
    assert (again.place, again.alpha, again.digest) == (1, first.alpha, first.digest)
    record(again, rules)
    assert path.read_bytes() == kept
    other = gate(evidence_of(pass_fail(150, 5, 5, 40)), policy=rules, noise=None)
    assert other.place == 2
    assert other.alpha > first.alpha  # a fail has earned some of the error back
    record(other, rules, now=moment)
    assert [(one.p, one.decision) for one in read_history(path)] == [(first.p, "fail"), (1.0, "undecided")]


def test_gates_that_record_at_once_lose_no_merge(tmp_path: Path) -> None:
    path = tmp_path / "kept" / "gates.jsonl"
    merges = [judged(0.5, f"merge {place % 30}") for place in range(60)]  # each twice
    with ThreadPool(6) as pool:
        pool.starmap(add_to_history, [(path, one) for one in merges])
    assert sorted(one.digest for one in read_history(path)) == sorted({one.digest for one in merges})
    assert [one.name for one in path.parent.iterdir()] == ["gates.jsonl"]


def test_a_history_that_is_none_is_said(tmp_path: Path) -> None:
    path = tmp_path / "gates.jsonl"
    zero = '{"digest":"a","candidate":"b","at":"","p":0,"alpha":1,"decision":""}'
    for text, says in (("{}", "row 1: is no line"), (zero, "its p is 0")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=says):
            gate(evidence_of(pass_fail(10, 1, 1, 1)), policy=policy(path), noise=None)
    with pytest.raises(UsageError, match="name the file that holds them"):
        Merges(200, None, "lord")
    with pytest.raises(UsageError, match="goes with equal parts"):
        Merges(200, 1, "addis", "gates.jsonl")
    unkept = Policy(metrics=(MetricRule("", "2pt"),))
    with pytest.raises(UsageError, match="names no history"):
        record(gate(evidence_of(pass_fail(10, 1, 1, 1)), policy=unkept, noise=None), unkept)


@pytest.mark.heavy
def test_lord_holds_false_fails_over_quiet_years() -> None:
    """200 merges that change nothing: fewer fail than with the level for each, and hardly any year has one."""
    rng, years = np.random.default_rng(2), 200
    with_one = sum(bool(lord(rng.random(200), level=0.95).rejected.any()) for _ in range(years))
    assert with_one / years <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / years)
