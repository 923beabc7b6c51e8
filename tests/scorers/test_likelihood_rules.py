"""Rules over stored likelihoods, held against what lm-evaluation-harness printed from the same numbers."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import InputError
from aliquot.files.records import OptionLikelihood, Response, TextLikelihood
from aliquot.item_sets.items import Item
from aliquot.item_sets.options import options_of, right_options
from aliquot.runner.scoring import score_response
from aliquot.scorers.choices import MEASURES
from aliquot.scorers.perplexities import count_words
from aliquot.scorers.rules import RULES
from aliquot.stats.corpus import corpus_value
from tests.shared import shared


def option(
    text: str, log_probability: float, tokens: int = 1, alone: float | None = None
) -> OptionLikelihood:
    return OptionLikelihood(
        option=text,
        log_probability=log_probability,
        tokens=tokens,
        characters=len(text),
        bytes=len(text.encode()),
        unconditional=alone,
    )


def response(*options: OptionLikelihood, status: str = "ok") -> Response:
    return Response(system="s", task="t", item="i", status=status, options=options)


def samples() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for stub in ("org__stub-a", "org__stub-b"):
        for path in sorted(shared("logs", "lm-eval", stub).glob("samples_toy_mc*.jsonl")):
            rows += [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return rows


def test_the_rules_give_what_lm_eval_printed_from_the_same_numbers() -> None:
    rows, seen = samples(), dict.fromkeys(("acc", "acc_norm"), 0.0)
    for row in rows:
        choices, numbers = row["doc"]["choices"], [float(one[0]) for one in row["filtered_resps"]]
        item = Item("i", {"options": choices, "reference": choices[int(row["target"])]})
        found = response(*(option(text, number) for text, number in zip(choices, numbers, strict=True)))
        for metric, rule in (("acc", "choice_by_likelihood"), ("acc_norm", "choice_by_characters")):
            assert score_response(RULES[rule], item, found).value == row[metric], (row["doc_id"], metric)
            seen[metric] += row[metric]
    assert len(rows) > 100
    assert seen["acc"] != seen["acc_norm"]  # the rules are told apart by these items


def test_brier_scores_are_those_that_lm_eval_keeps() -> None:
    given = 0
    for row in samples():
        if "brier_score" not in row:
            continue
        choices, numbers = row["doc"]["choices"], [float(one[0]) for one in row["filtered_resps"]]
        item = Item("i", {"options": choices, "reference": choices[int(row["target"])]})
        found = response(*(option(text, number) for text, number in zip(choices, numbers, strict=True)))
        _, printed = row[
            "brier_score"
        ]  # the right option's place, and the probability of each as numpy prints it
        shares = [float(share) for share in printed.strip("[]").split()]
        right = choices.index(item.fields["reference"])
        wanted = sum((share - (place == right)) ** 2 for place, share in enumerate(shares))
        assert score_response(RULES["brier"], item, found).value == pytest.approx(wanted, abs=1e-6)
        given += 1
    assert given == 120


def test_a_brier_score_runs_from_0_to_2() -> None:
    item = Item("i", {"options": ["a", "b"], "reference": "a"})
    for sure, value in ((option("a", -0.0), 0.0), (option("a", -800.0), 2.0), (option("a", -50.0), 0.5)):
        other = option("b", -50.0 if value == 0.5 else -400.0)
        assert score_response(RULES["brier"], item, response(sure, other)).value == pytest.approx(
            value, abs=1e-12
        )


def test_each_measure_can_choose_another_option() -> None:
    item = Item("i", {"options": ["no", "ééé", "abcdef", "x y z w v", "q"], "reference": "no"})
    found = response(
        option("no", -3.0, 1, alone=-3.0),  # the highest
        option("ééé", -3.6, 2, alone=-3.0),  # −0.6 a byte of six, −1.2 a character of three
        option("abcdef", -4.2, 2, alone=-4.0),  # −0.7 a character and byte
        option("x y z w v", -9.0, 9, alone=-8.0),  # −1 a token, a character and a byte
        option("q", -5.0, 1, alone=-9.0),  # +4 above itself alone
    )
    labels = {name: score_response(RULES[name], item, found).label for name in MEASURES}
    assert labels == {
        "choice_by_likelihood": "no",
        "choice_by_characters": "abcdef",
        "choice_by_bytes": "ééé",
        "choice_by_tokens": "x y z w v",
        "choice_by_pmi": "q",
    }


def test_a_tie_goes_to_the_first_and_is_noted() -> None:
    item = Item("i", {"options": ["yes", "no"], "reference": "no"})
    score = score_response(
        RULES["choice_by_likelihood"], item, response(option("yes", -1.0), option("no", -1.0))
    )
    assert (score.value, score.label) == (0.0, "yes")
    assert score.note == "2 options are equally probable; the first of them counts"


@given(st.lists(st.floats(-1e3, 0), min_size=2, max_size=6), st.floats(-1e3, 1e3))
def test_a_shift_of_all_options_moves_no_choice_without_length(values: list[float], by: float) -> None:
    names = [f"o{place}" for place in range(len(values))]
    item = Item("i", {"options": names, "reference": names[0]})
    grid = [round(value, 3) for value in values]  # so that a shift makes no new ties
    before, after = (
        score_response(
            RULES["choice_by_likelihood"],
            item,
            response(
                *(option(name, value + round(shift, 3)) for name, value in zip(names, grid, strict=True))
            ),
        ).label
        for shift in (0.0, by)
    )
    if len(set(grid)) == len(grid):
        assert before == after == names[grid.index(max(grid))]


def test_what_a_response_does_not_hold_is_missing_and_never_wrong() -> None:
    item = Item("i", {"options": ["yes", "no"], "reference": "no"})
    both = response(option("yes", -1.0, alone=-1.0), option("no", -2.0))
    assert score_response(RULES["choice_by_pmi"], item, both).status == "missing"
    assert score_response(RULES["choice_by_bytes"], item, response()).status == "missing"
    assert score_response(RULES["bits_per_byte"], item, both).status == "missing"
    lost = score_response(RULES["choice_by_bytes"], item, response(status="error"))
    assert (lost.value, lost.status) == (None, "error")


@pytest.mark.parametrize(
    ("fields", "right"),
    [
        ({"options": ["Oslo", "Bergen"], "reference": "Bergen"}, {"Bergen"}),
        ({"options": ["Oslo", "Bergen"], "reference": " bergen"}, {"Bergen"}),
        ({"choices": ["Oslo", "Bergen"], "reference": "B"}, {"Bergen"}),
        ({"options": ["Oslo", "Bergen"], "reference": "b", "accept": ["Oslo"]}, {"Bergen", "Oslo"}),
        ({"options": ["B", "A"], "reference": "A"}, {"A"}),  # a text stands above a letter
        ({"options": [3, 4.5, True], "reference": 4.5}, {"4.5"}),
        ({"options": ["us", "US"], "reference": "US"}, {"US"}),
        ({"options": ["same", "same"], "reference": "same"}, {"same"}),
    ],
)
def test_the_reference_is_an_option_or_its_letter(fields: dict[str, Any], right: set[str]) -> None:
    assert right_options(Item("i", fields)) == right


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"options": ["Oslo", "Bergen"], "reference": 1}, "none of its options: A 'Oslo', B 'Bergen'"),
        ({"options": ["Oslo", "Bergen"], "reference": "C"}, "none of its options"),
        ({"options": ["us", "US"], "reference": "Us"}, "several of its options"),
        ({"options": ["Oslo"], "reference": "Oslo"}, "no list of 2 to 26 options"),
        ({"options": "Oslo|Bergen", "reference": "Oslo"}, "no list of 2 to 26 options"),
        ({"options": ["Oslo", " "], "reference": "Oslo"}, "an empty option"),
        ({"options": ["Oslo", None], "reference": "Oslo"}, "an empty option"),
        ({"options": ["Oslo", "Bergen"]}, "no reference"),
        ({"reference": "Oslo"}, "no list of 2 to 26 options"),
    ],
)
def test_a_reference_that_is_no_option_is_refused_with_its_row(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=r"row 7.*item 'i'") as found:
        right_options(Item("i", fields, row=7))
    assert problem in str(found.value)


def test_a_long_list_of_options_is_cut_in_a_message() -> None:
    item = Item("i", {"options": [f"{'x' * 500}{n}" for n in range(26)], "reference": "yy"})
    with pytest.raises(InputError) as found:
        right_options(item)
    assert len(str(found.value)) < 600
    assert len(options_of(item)) == 26


def test_perplexities_are_those_of_lm_eval() -> None:
    # word_perplexity = exp(−Σl/Σwords), byte_perplexity = exp(−Σl/Σbytes), bits_per_byte = −Σl/(Σbytes ln 2)
    texts = [TextLikelihood(log_probability=-12.0, tokens=5, words=4, bytes=20),
             TextLikelihood(log_probability=-3.0, tokens=2, words=1, bytes=10)]  # fmt: skip
    item = Item("i", {"text": "x"})
    found = [
        [
            score_response(
                RULES[name], item, Response(system="s", task="t", item="i", status="ok", likelihood=one)
            )
            for one in texts
        ]
        for name in ("bits_per_byte", "byte_perplexity", "word_perplexity")
    ]
    assert [score.value for score in found[0]] == pytest.approx([12 / 20 / math.log(2), 3 / 10 / math.log(2)])
    assert [score.value for scores in found[1:] for score in scores] == [None] * 4
    whole = [
        corpus_value([score.parts or () for score in scores], combine=RULES[name].combine)  # type: ignore[arg-type]
        for scores, name in zip(found, ("bits_per_byte", "byte_perplexity", "word_perplexity"), strict=True)
    ]
    assert whole == pytest.approx([15 / 30 / math.log(2), math.exp(15 / 30), math.exp(15 / 5)])


@pytest.mark.parametrize(("text", "n"), [("a b", 2), ("a\n\n b\t", 3), ("", 1), ("日本 語", 2)])
def test_words_are_counted_as_lm_eval_counts_them(text: str, n: int) -> None:
    assert count_words(text) == n  # len(re.split(r"\s+", text)) in lm_eval.tasks
