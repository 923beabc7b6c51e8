"""The dated price list: exact matches only, off when told so, and said with its age."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from importlib.resources import files
from pathlib import Path

import pytest

from aliquot.runner.evaluation import SystemSpec
from aliquot.runner.evaluation_file import parse_evaluation
from aliquot.runner.money import Prices
from aliquot.runner.plan import make_plan
from aliquot.runner.price_list import listed_price, price_notes, shipped_prices, with_listed_prices
from aliquot.systems.endpoint import Endpoint
from tests.runner.evaluations import TEMPLATE, evaluation, write_items

OPENAI = "https://api.openai.com/v1"


def planned(folder: Path, n: int = 4, **systems: SystemSpec):
    return with_listed_prices(make_plan(evaluation(write_items(folder, n), systems=systems)))


def spec(model: str, base_url: str = OPENAI, **changes: object) -> SystemSpec:
    return SystemSpec(model=Endpoint(base_url=base_url, model=model), prompt="{{ question }}", **changes)  # type: ignore[arg-type]


def test_every_line_of_the_list_is_dated_and_priced():
    held = json.loads(files("aliquot.runner").joinpath("prices.json").read_text(encoding="utf-8"))
    assert date.fromisoformat(held["date"]) <= date(2026, 11, 30)
    assert held["source"].startswith("https://")
    for provider in held["providers"]:
        assert provider["page"].startswith("https://")
        for line in provider["models"].values():
            assert date.fromisoformat(line["checked"]) <= date.fromisoformat(held["date"])
            assert 0 < line["input"] <= line["output"] * 1.01
            assert line.get("cached", 0) <= line["input"]


def test_names_and_hosts_match_to_the_letter():
    listed = listed_price(Endpoint(base_url=OPENAI, model="gpt-4o-mini-2024-07-18"))
    assert listed is not None
    # "GPT-4o mini: $0.15 input, $0.075 cached input, $0.60 output for 1M tokens", openai.com/api/pricing
    assert (listed.prices.input, listed.prices.cached, listed.prices.output) == (0.15, 0.075, 0.6)
    for base_url, model in (
        (OPENAI, "gpt-4o-mini-2099-01-01"),
        (OPENAI, "GPT-4o-mini"),
        ("https://mine.openai.azure.com/openai", "gpt-4o-mini"),
        ("https://api.openai.com.evil.example/v1", "gpt-4o-mini"),
    ):
        assert listed_price(Endpoint(base_url=base_url, model=model)) is None
    flex = Endpoint(base_url=OPENAI, model="gpt-4o-mini", extra={"service_tier": "flex"})
    assert listed_price(flex) is None


def test_the_list_fills_in_what_the_evaluation_does_not_say(tmp_path: Path):
    own = Prices(input=1, output=2)
    found = planned(
        tmp_path,
        listed=spec("gpt-4o-mini"),
        stated=spec("gpt-4o-mini", prices=own),
        off=spec("gpt-4o-mini", prices="none"),
        unknown=spec("my-finetune"),
        callable=SystemSpec(model="gpt-4o-mini", prompt="{{ question }}"),
    ).evaluation.systems
    priced = found["listed"].stated
    assert priced is not None
    assert priced.word == f"price list of {priced.listed}"
    assert found["stated"].stated == own
    assert [found[name].stated for name in ("off", "unknown", "callable")] == [None] * 3


def test_a_price_for_short_prompts_is_not_taken_for_long_ones(tmp_path: Path):
    model, host = "gemini-2.5-pro", "https://generativelanguage.googleapis.com/v1beta/openai"
    up_to = shipped_prices()["generativelanguage.googleapis.com", model].up_to
    assert up_to == 200_000
    long = replace(spec(model, host), prompt="{{ question }}" + "x" * up_to)
    found = planned(tmp_path, short=spec(model, host), long=long).evaluation.systems
    assert found["short"].stated is not None
    assert found["long"].stated is None


def test_the_list_is_not_mixed_with_prices_in_another_currency(tmp_path: Path):
    euros = spec("other", prices=Prices(input=1, output=1, currency="EUR"))
    assert planned(tmp_path, a=euros, b=spec("gpt-4o-mini")).evaluation.systems["b"].stated is None


@pytest.mark.parametrize(
    ("today", "said"),
    [(date(2027, 2, 20), ""), (date(2027, 2, 21), "6 months old"), (date(2028, 9, 1), "24 months")],
)
def test_an_old_list_says_so(tmp_path: Path, today: date, said: str):
    (note,) = price_notes(planned(tmp_path, mine=spec("gpt-4o-mini")).evaluation, today)
    assert "prices of mine: the list of 2026-08-21" in note
    assert (said in note) if said else ("months" not in note)


@pytest.mark.parametrize("off", ["none", "false", "off", "null"])
def test_prices_can_be_switched_off_in_the_file(off: str):
    text = TEMPLATE.format(items="made.jsonl").replace(
        'prompt: "first {{ question }}"', f'prompt: "{{{{ question }}}}", prices: {off}'
    )
    assert parse_evaluation(text, file="trial.yaml").systems["first"].prices == "none"
