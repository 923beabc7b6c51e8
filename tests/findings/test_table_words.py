"""The first sentence of a table: a test for each, and none that calls a tie equality."""

from __future__ import annotations

import pytest

from aliquot.findings.scale import Scale
from aliquot.findings.table import TableRow
from aliquot.findings.table_words import write_table
from aliquot.findings.verdict import Word
from aliquot.stats.results import Undefined

RATE = Scale(kind="binary", low=0.0, high=1.0, better="higher")
NONE = Undefined("not of interest here")


def row(word: Word, task: str, candidate: str = "pr") -> TableRow:
    return TableRow(
        task=task, metric="acc", scale=RATE, candidate=candidate, n_items=60, n_clusters=None, baseline_rate=NONE,
        candidate_rate=NONE, difference=NONE, test=None, p_max_t=None, p_holm=None, word=word, detectable=NONE,
    )  # fmt: skip


def said(*words: Word, level: float = 0.95) -> tuple[str, str]:
    rows = [row(word, f"t{place}") for place, word in enumerate(words)]
    verdict = write_table(rows, baseline="main", level=level)
    return verdict.word, verdict.text


@pytest.mark.parametrize(
    ("words", "word", "sentence"),
    [
        (
            ("undecided", "undecided"),
            "undecided",
            "NO DIFFERENCE IS ESTABLISHED against main (all 2 at once, 95%); 2 are tied, not shown to differ.",
        ),
        (
            ("undecided",),
            "undecided",
            "NO DIFFERENCE IS ESTABLISHED against main (95%); 1 is tied, not shown to differ.",
        ),
        (("better",), "better", "BETTER than main: pr on t0 (95%)."),
        (("worse",), "worse", "WORSE than main: pr on t0 (95%)."),
        (
            ("better", "undecided"),
            "better",
            "BETTER than main: pr on t0; 1 is tied, not shown to differ (all 2 at once, 95%).",
        ),
        (
            ("better", "worse", "undecided", "undecided"),
            "undecided",
            (
                "BETTER than main: pr on t0; WORSE than main: pr on t1; 2 are tied, not shown to differ "
                "(all 4 at once, 95%)."
            ),
        ),
        (
            ("better", "nothing_to_judge"),
            "better",
            "BETTER than main: pr on t0 (95%).",
        ),
        (
            ("higher", "lower"),
            "undecided",
            "2 differ in a metric without a better side (all 2 at once, 95%).",
        ),
        (("nothing_to_judge",), "nothing_to_judge", "NOTHING TO JUDGE: no difference could be estimated."),
        ((), "nothing_to_judge", "NOTHING TO JUDGE: no difference could be estimated."),
    ],
)
def test_each_table_has_its_sentence(words: tuple[Word, ...], word: str, sentence: str):
    assert said(*words) == (word, sentence)


def test_at_most_four_are_named_and_the_rest_counted():
    assert said(*["better"] * 6)[1] == (
        "BETTER than main: pr on t0, pr on t1, pr on t2, pr on t3 and 2 more (all 6 at once, 95%)."
    )


def test_the_level_is_the_one_asked_for():
    assert "(all 2 at once, 90%)" in said("undecided", "better", level=0.9)[1]


def test_a_tie_is_never_called_equality():
    for words in (["undecided"], ["undecided", "better"], ["worse", "undecided"]):
        text = said(*words)[1].lower()
        assert not any(claim in text for claim in ("equal", "same", "agree", "there is no difference"))
