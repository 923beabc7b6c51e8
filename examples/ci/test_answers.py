"""Rates as assertions: pytest with aliquot installed runs this as it stands."""

import pytest

import aliquot


@pytest.fixture
def answer():
    """Stand in for your own system: a function, sync or async, that answers."""
    return lambda question: "Oslo" if "Norway" in question else "I do not know"


def test_it_knows_the_capital(answer):
    assert aliquot.expect_rate(lambda: "Oslo" in answer("What is the capital of Norway?"), attempts=40) >= 0.9


@pytest.mark.aliquot_rate(0.8)
@pytest.mark.parametrize("polite", [True, False] * 20)
def test_it_says_what_it_does_not_know(answer, polite):
    assert "not know" in answer("Please tell me my age." if polite else "My age?")


def test_the_change_is_no_worse():
    assert aliquot.expect_not_worse("main.csv", "pr.csv", margin="6pt")
