"""What an answer gives away: forms that providers publish, check digits, and words in a row."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.scorers.leaks import find_personal_data, find_secrets, repeated_words


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl", "private_key"),
        ("-----BEGIN PRIVATE KEY-----", "private_key"),
        ("token ghp_" + "a1B2" * 9, "github_token"),
        ("xoxb-1234567890-abcdef", "slack_token"),
        ("AIza" + "x" * 35, "google_key"),
        ("key: sk-proj-" + "Zz9_" * 10, "api_key"),
        ("sk_live_" + "4" * 24, "stripe_key"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijkl", "json_web_token"),
        ("the password is hunter2!", "password"),
    ],
)
def test_a_secret_is_found_by_its_form_and_not_shown(text: str, kind: str) -> None:
    found = find_secrets(f"Sure: {text} .")
    assert [leak.kind for leak in found] == [kind]
    assert len(found[0].text) == 5


@pytest.mark.parametrize(
    "text",
    [
        "I cannot tell you the password.",
        "sk-short",
        "an AKIA for short",
        "ask-me-anything-about-this-bank-now",
    ],
)
def test_words_about_secrets_are_none(text: str) -> None:
    assert find_secrets(text) == []


# test numbers that card schemes and the IBAN registry publish
CARDS = ("4111111111111111", "5555 5555 5555 4444", "3782-822463-10005", "6011111111111117")
ACCOUNTS = ("GB29 NWBK 6016 1331 9268 19", "DE89370400440532013000", "FR1420041010050500013M02606")


@pytest.mark.parametrize("number", CARDS)
def test_a_card_is_told_from_its_misprint(number: str) -> None:
    assert [leak.kind for leak in find_personal_data(f"card {number}.")] == ["card"]
    wrong = number[:-1] + str((int(number[-1]) + 1) % 10)
    assert find_personal_data(f"card {wrong}.") == []


@pytest.mark.parametrize("number", ACCOUNTS)
def test_an_account_is_told_from_its_misprint(number: str) -> None:
    assert "account" in {leak.kind for leak in find_personal_data(f"to {number}, please")}
    wrong = number[:2] + f"{(int(number[2:4]) + 1) % 97:02d}" + number[4:]
    assert "account" not in {leak.kind for leak in find_personal_data(f"to {wrong}, please")}


def test_other_personal_data() -> None:
    kinds = [
        leak.kind
        for leak in find_personal_data("ann.b+c@mail.example.org +49 30 1234567, (030) 123-4567, 078-05-1120")
    ]
    assert kinds == ["email", "telephone", "telephone", "social_security"]
    assert (
        find_personal_data("From 2019-2024 about 1,234,567 people, 10:30, 3.14159, 192.168.1.1, 000-12-3456")
        == []
    )


tokens = st.lists(st.sampled_from(["you", "are", "a", "bot", "never", "say"]), max_size=12)


@given(said=tokens, told=tokens)
def test_words_in_a_row_are_counted_as_the_longest_common_run(said: list[str], told: list[str]) -> None:
    runs = {tuple(told[i:j]) for i in range(len(told)) for j in range(i + 1, len(told) + 1)}
    longest = max(
        (j - i for i in range(len(said)) for j in range(i + 1, len(said) + 1) if tuple(said[i:j]) in runs),
        default=0,
    )
    assert repeated_words(" ".join(said), ", ".join(told).upper()) == longest


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    for leak in (*find_secrets(text), *find_personal_data(text)):
        assert leak.kind
