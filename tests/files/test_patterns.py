"""Patterns that are bounded in time: they mean what ``re`` means by them, and none of them hangs."""

from __future__ import annotations

import re
import warnings
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aliquot.errors import PatternTimeError
from aliquot.files import patterns
from aliquot.files.patterns import compile_pattern
from aliquot.item_sets.items import Item
from aliquot.scorers.rules import rule_named
from aliquot.scorers.scoring import score

LETTERS = "aAbé1²½_ -.{}[]\n\te\u0301\u0903\u200d\x1cßſK"
"""Letters, numbers that are no digits, marks that are no letters, separators, and what means something in a pattern."""

ATOMS = st.sampled_from(
    [
        *"ab1é_",
        *(rf"\{one}" for one in "wWdDsSbB.{}[]"),
        *(".", "^", "$", r"\A", r"\Z", "{", "}", "{}", "a{e}", "{e<=1}", "x{2", "]"),
        *(r"[\w]", r"[^\w]", r"[\W]", r"[^\W]", r"[\Wa1]", r"[^\Wa]", r"[\W\S]", r"[^\W\S]", r"[\s\w-]", r"[^\Sa]"),
        *("[a-z]", "[^a-z]", "[]a]", "[^]a]", "[[]", "[a[]", "[&&]", r"[\]\[]", r"[\b]", "[.*+]", "[{}]"),
        *(r"(?#\w[)", r"\u0301", r"\N{LATIN SMALL LETTER E}"),
    ]
)  # fmt: skip


def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join),
        inner.map("({})".format),
        inner.map("(?:{})".format),
        inner.map("(?={})".format),
        inner.map("(?!{})".format),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{,2}", "{0,}", "*?", "+?"])).map(
            lambda both: f"(?:{both[0]}){both[1]}"
        ),
    )


PATTERNS = st.recursive(ATOMS, grow, max_leaves=6)
FLAGS = st.sampled_from([re.NOFLAG, re.IGNORECASE, re.ASCII, re.DOTALL, re.MULTILINE, re.VERBOSE])


def spans(found: Any) -> Any:
    return None if found is None else (found.span(), found.groups())


@given(PATTERNS, st.text(alphabet=LETTERS, max_size=12), FLAGS)
@example(r"\w+", "e\u0301", re.NOFLAG)
@example(r"(?:foo){e<=1}", "fo", re.NOFLAG)
@example("[[:alpha:]]", "a", re.NOFLAG)
@example("a # \\w [ {\nb", "ab", re.VERBOSE)
@example(r"[^\Wa]+", "ab_é", re.NOFLAG)
@example("\x1c", "\x1c", re.NOFLAG)
def test_a_pattern_means_what_re_means_by_it(pattern: str, text: str, flags: re.RegexFlag) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            ours = re.compile(pattern, flags)
        except re.error:
            with pytest.raises(re.error):
                compile_pattern(pattern, flags)
            return
        bounded = compile_pattern(pattern, flags)
    if r"\B" in pattern and not text:
        return  # Python changed its mind on these in 3.14
    assert spans(bounded.search(text)) == spans(ours.search(text))
    assert spans(bounded.fullmatch(text)) == spans(ours.fullmatch(text))
    assert bounded.findall(text) == ours.findall(text)
    assert bounded.take_out(text) == ours.sub("", text)


@pytest.mark.parametrize("kind", [r"\w", r"\s", r"\d", r"[\W]", r"[^\S]", r"\b.", "(?i)k", "(?i)s"])
def test_every_letter_there_is_falls_on_the_same_side(kind: str) -> None:
    """Each character that this Python knows, all in one text."""
    known = "".join(
        letter for letter in map(chr, range(0x110000)) if letter.isprintable() or letter.isspace()
    )
    assert compile_pattern(kind).findall(known) == re.findall(kind, known)


HOSTILE = {
    "(a|aa)+$": "a" * 60 + "b",
    "(x+x+)+y": "x" * 5000,
    r"^(\w+\s?)*\Z!": "word " * 400,
    r"(?:(?:a|b|ab)*)*c": "ab" * 4000,
}


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "SECONDS", 0.05)


@pytest.mark.usefixtures("hurried")
def test_what_would_take_years_gives_up_and_names_the_pattern() -> None:
    given_up: list[str] = []
    for pattern, text in HOSTILE.items():
        for method in ("search", "fullmatch", "findall", "take_out"):
            try:
                getattr(compile_pattern(pattern), method)(text)
            except PatternTimeError as error:
                given_up.append(str(error))
    assert len(given_up) >= 8
    said = {
        f"the pattern {one!r} took more than 0.05 s on a text of {len(on)} letters"
        for one, on in HOSTILE.items()
    }
    assert set(given_up) <= said


BAD = '"(a|aa)+$"'
TEXT = "a" * 60 + "b"


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(
    ("rule", "fields"),
    [
        (f"regex(pattern={BAD})", {}),
        (f"regex(pattern={BAD}, whole=true)", {}),
        (f"never(patterns=[{BAD}])", {}),
        (f"exact_match(regexes_to_ignore=[{BAD}])", {"reference": "1"}),
        (f'exact_match(filter=[{{"function": "regex", "regex_pattern": {BAD}}}])', {"reference": "1"}),
        (
            "asserts",
            {"asserts": [{"type": "contains", "value": "b"}, {"type": "regex", "value": "(a|aa)+$"}]},
        ),
        ("asserts", {"asserts": [{"type": "not-regex", "value": "(a|aa)+$"}]}),
        (f'json_valid(schema={{"type": "string", "pattern": {BAD}}})', {}),
        (f'json_valid(schema={{"patternProperties": {{{BAD}: {{}}}}}})', {}),
        (f'json_valid(schema={{"patternProperties": {{{BAD}: {{}}}}, "additionalProperties": false}})', {}),
    ],
)
def test_a_rule_whose_pattern_gives_up_has_no_value_and_says_why(rule: str, fields: dict[str, Any]) -> None:
    text = TEXT if "json" not in rule else f'"{TEXT}"' if "string" in rule else f'{{"{TEXT}": 1}}'
    found = score(rule_named(rule), Item("i", fields), text)
    assert (found.value, found.status) == (None, "error")
    assert "'(a|aa)+$' took more than" in (found.note or "")
