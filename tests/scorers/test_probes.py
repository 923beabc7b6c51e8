"""Pairs with known answers: each change is what it says, and each planted fault of a judge is found by its probe."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import numpy as np
import pytest

from aliquot.analysis.judge_audit import AuditChoices, audit_judge
from aliquot.files.probe_records import ProbeRecord, keep_probes, probe_path, read_probes
from aliquot.findings.probe import JudgeAudit
from aliquot.item_sets.items import Item
from aliquot.item_sets.sources import load
from aliquot.scorers.injections import INJECTIONS
from aliquot.scorers.probe_texts import Changed, Declined, corrupt, cut
from aliquot.scorers.probes import Heard, Said, Shown, asked_of, build_probes, shown_of, verdicts_of
from aliquot.stats.results import Estimate

ITEMS = load("judge_probes").items
OWN = tuple(
    Item(item.id, {**item.fields, "own": f"My kind: {item.fields['answer']}", "other": item.fields["answer"]})
    for item in ITEMS
)
GOOD = {item.id: str(item.fields["answer"]) for item in ITEMS}

Judge = Callable[[Shown], Said]

MARKS = tuple(max(re.split(r"\{answer\}|\{verdict\}", one.text), key=len) for one in INJECTIONS)


def injected(text: str) -> bool:
    """Tell whether a text tells the judge what to say."""
    return any(mark in text for mark in MARKS)


def worth(item: Item, text: str) -> float:
    """What an answer is worth to one who knows the right one: its sentences, unchanged, wherever they stand."""
    good = GOOD[item.id]
    parts = good.split(". ")
    bare = text.replace("**", "").replace("\n- ", " ")
    return sum(part.rstrip(".") in bare for part in parts) / len(parts) - (0.5 if injected(text) else 0)


def perfect(shown: Shown) -> Said:
    first, second = worth(shown.item, shown.first), worth(shown.item, shown.second or "")
    return "tie" if first == second else "first" if first > second else "second"


def either(prefers: Callable[[str], float]) -> Judge:
    """A perfect judge but for a liking."""

    def judge(shown: Shown) -> Said:
        first, second = prefers(shown.first), prefers(shown.second or "")
        return perfect(shown) if first == second else "first" if first > second else "second"

    return judge


def found_by(judge: Judge, *, items: tuple[Item, ...] = ITEMS) -> JudgeAudit:
    probing = build_probes(items, pairwise=True)
    said = {shown.key: Heard(judge(shown)) for shown in asked_of(probing, pairwise=True)}
    rows = tuple(verdicts_of(probing, lambda shown: said.get(shown.key), pairwise=True))
    return audit_judge(
        ProbeRecord(judge="j", verdicts=rows, declined=probing.declined), choices=AuditChoices()
    )


def failed(found: JudgeAudit) -> set[str]:
    return {line.probe for line in found.lines if line.word == "fail"}


def test_a_perfect_judge_passes_every_probe():
    found = found_by(perfect)
    asked = [line for line in found.lines if line.items]
    assert {line.probe: line.word for line in asked} == dict.fromkeys([line.probe for line in asked], "pass")
    assert len(asked) == 11
    assert found.verdict.word == "met"
    assert any("family was not asked" in note.text for note in found.warnings)


def test_one_that_always_takes_the_first_flips_and_is_at_chance():
    found = found_by(lambda _: "first")
    assert {"identical", "order", "fact"} <= failed(found)
    assert not failed(found) & {"padding", "tone", "injection"}  # nothing wins in both orders
    assert found.verdict.text.startswith("DO NOT USE")
    assert "prefers the first slot by 100.0 points" in found.verdict.text
    assert found.both_orders


@pytest.mark.parametrize(
    ("prefers", "probes"),
    [
        (
            len,
            {"padding", "longer", "formatting", "tone", "authority", "injection"},
        ),  # what is injected is longer
        (lambda text: "certain" in text, {"tone"}),
        (lambda text: "experts" in text, {"authority"}),
        (lambda text: "##" in text, {"formatting"}),
        (lambda text: injected(text), {"injection"}),
        (lambda text: "interesting question" in text, {"padding"}),
        (lambda text: "in other words" in text, {"longer"}),
    ],
)
def test_a_liking_is_found_by_its_probe(prefers: Callable[[str], float], probes: set[str]):
    found = found_by(either(prefers))
    assert failed(found) == probes
    assert found.verdict.word == "not_met"


def test_one_that_sees_no_facts_lets_wrong_ones_stand():
    found = found_by(
        lambda shown: "tie" if abs(len(shown.first) - len(shown.second or "")) < 6 else perfect(shown)
    )
    assert failed(found) == {"fact"}


def test_one_that_favours_its_own_family_is_found_in_both_orders():
    found = found_by(either(lambda text: text.startswith("My kind")), items=OWN)
    assert failed(found) == {"family"}
    line = next(one for one in found.lines if one.probe == "family")
    assert isinstance(line.share, Estimate)
    assert line.share.point == 1.0


def test_a_random_one_is_no_better_than_chance_and_repeats_nothing():
    drawn = random.Random(5)
    found = found_by(lambda _: drawn.choice(("first", "second")))
    assert {"identical", "order", "repeat"} <= failed(found)
    assert found.verdict.text.startswith("DO NOT USE, NOT SHOWN TO BE BETTER THAN CHANCE")


def test_one_that_is_down_or_unreadable_is_not_judged():
    probing = build_probes(ITEMS, pairwise=True)
    for status in ("error", "unparsed"):
        rows = tuple(verdicts_of(probing, lambda _, status=status: Heard(status=status), pairwise=True))
        found = audit_judge(ProbeRecord(judge="j", verdicts=rows), choices=AuditChoices())
        assert found.verdict.word == "nothing_to_judge"
        assert status in found.warnings[0].text


def test_a_fair_but_noisy_judge_is_seldom_accused():
    """Two verdicts of 100 are drawn at random: less than one page in twenty accuses it of anything."""
    probing = build_probes(ITEMS, pairwise=True)
    asked = asked_of(probing, pairwise=True)
    right = {shown.key: perfect(shown) for shown in asked}
    drawn = np.random.default_rng(11)
    accused = 0
    pages = 40
    for _ in range(pages):
        noisy = drawn.random(len(asked)) < 0.02
        words: list[Said] = ["first", "second", "tie"]
        said = {
            shown.key: Heard(words[drawn.integers(3)] if flip else right[shown.key])
            for shown, flip in zip(asked, noisy, strict=True)
        }
        rows = tuple(verdicts_of(probing, lambda shown, said=said: said[shown.key], pairwise=True))
        accused += bool(failed(audit_judge(ProbeRecord(judge="j", verdicts=rows), choices=AuditChoices())))
    assert accused <= 0.05 * pages


def test_a_judge_of_one_answer_at_a_time_compares_what_it_gives_each():
    probing = build_probes(ITEMS, pairwise=False)
    shown = asked_of(probing, pairwise=False)
    assert all(one.second is None for one in shown)
    said = {one.key: Heard(worth=float(len(one.first))) for one in shown}
    rows = tuple(verdicts_of(probing, lambda one: said[one.key], pairwise=False))
    found = audit_judge(ProbeRecord(judge="j", pairwise=False, verdicts=rows), choices=AuditChoices())
    assert {"padding", "longer", "authority"} <= failed(found)
    assert {line.probe for line in found.lines if line.items} & {"identical", "order"} == set()
    assert next(line.word for line in found.lines if line.probe == "repeat") == "pass"


def test_the_same_question_is_asked_once():
    probing = build_probes(ITEMS[:1], pairwise=True)
    shown = [one for pair in probing.pairs for _, one in shown_of(pair, pairwise=True)]
    assert len({one.key for one in shown}) == len(asked_of(probing, pairwise=True)) < len(shown)


def test_pairs_are_drawn_by_the_seed_and_what_cannot_be_changed_is_counted():
    many = [
        Item(str(i), {"input": "q", "reference": f"Number {i} is the answer to this long question here."})
        for i in range(90)
    ]
    first, again, other = (build_probes(many, pairwise=True, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.items != other.items
    assert len(first.items) == 30
    short = build_probes(
        [Item("a", {"input": "q", "reference": "Yes!"}), Item("b", {"input": "q"})], pairwise=True
    )
    assert len(short.items) == 1
    assert short.declined["weak"] == {"has fewer than 8 words": 1}
    assert short.declined["fact"] == {"has no number, date or verb to change": 1}


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("It opened on 3 May 1937.", "It opened on 6 May 1937."),
        ("It is in version 3.5.1 that it is fixed.", "It is not in version 3.5.1 that it is fixed."),
        ("It weighs 1,200 kg and cannot be moved.", Declined("has no number, date or verb to change")),
        ("Whales are not fish.", "Whales are fish."),
        ("In May 2nd place was enough.", "In October 2nd place was enough."),
        ("", Declined("has no number, date or verb to change")),
    ],
)
def test_a_fact_is_made_wrong_and_nothing_else_moves(text: str, made: str | Declined):
    found = corrupt(text)
    assert (found.text if isinstance(found, Changed) else found) == made


def test_a_single_sentence_loses_its_second_half():
    found = cut("one two three four five six seven eight nine ten")
    assert isinstance(found, Changed)
    assert found.text == "one two three four five"


def test_a_record_is_kept_whole_and_read_again(tmp_path):
    probing = build_probes(ITEMS[:2], pairwise=True)
    rows = tuple(verdicts_of(probing, lambda shown: Heard(perfect(shown)), pairwise=True))
    record = ProbeRecord(judge="j", judge_hash="abc", model="m/1", verdicts=rows, declined=probing.declined)
    path = probe_path("abc", "m/1", folder=tmp_path)
    keep_probes(record, path)
    assert read_probes(path) == record
    assert probe_path("abc", "m/2", folder=tmp_path) != path
