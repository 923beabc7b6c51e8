"""What answers cost, what they can cost at most, and a limit that stops the run in time."""

from __future__ import annotations

from pathlib import Path

import pytest

from aliquot.errors import InputError, RunStoppedError, UsageError
from aliquot.runner.evaluation import SystemSpec
from aliquot.runner.evaluation_file import parse_evaluation
from aliquot.runner.money import Prices
from aliquot.systems.fake import FakeSystem
from aliquot.systems.replies import Reply
from aliquot.systems.requests import CompletionRequest, Decoding
from aliquot.verbs.run import run
from tests.runner.evaluations import TEMPLATE, evaluation, right, write_items
from tests.runner.test_run import Notes

PRICES = Prices(input=2.0, output=10.0, cached=0.5)


def priced(items: Path, **changes: object):
    spec = SystemSpec(
        model="fake",
        prompt="{{ question }}",
        prices=Prices(input=1000.0, output=2000.0, per=1000),
        decoding=Decoding(max_tokens=5),
    )
    return evaluation(items, systems={"first": spec}, **changes)


def paid(prompt: str) -> Reply:
    return Reply(text=right(prompt), tokens_in=10, tokens_out=5)


def test_tokens_have_their_price_and_cached_ones_theirs():
    # (900 × 2 + 100 × .5 + 50 × 10) / 1e6
    assert PRICES.of(Reply(text="", tokens_in=1000, tokens_cached=100, tokens_out=50)) == pytest.approx(
        0.00235
    )
    assert PRICES.of(Reply(text="", tokens_in=1000, tokens_out=50)) == pytest.approx(0.0025)
    assert PRICES.of(Reply(text="", tokens_out=50)) is None


def test_at_most_counts_the_whole_budget():
    request = CompletionRequest("x" * 300, Decoding(max_tokens=50))
    assert PRICES.at_most(request) == pytest.approx((100 * 2 + 50 * 10) / 1e6)


def test_each_answer_carries_its_cost(tmp_path: Path):
    found = run(priced(write_items(tmp_path, 4)), directory=tmp_path, models={"fake": FakeSystem(paid)})
    assert found.evidence.responses["cost"].to_list() == [20.0] * 4  # 10 × 1 + 5 × 2
    assert set(found.evidence.responses["currency"]) == {"USD"}


def test_the_ceiling_is_said_before_and_the_sum_on_the_way(tmp_path: Path):
    notes = Notes()
    run(
        priced(write_items(tmp_path, 30)),
        directory=tmp_path,
        models={"fake": FakeSystem(paid)},
        observer=notes,
    )
    assert notes.texts[0].startswith("this costs at most about")
    assert notes.progress[-1].spent == pytest.approx(600)
    assert notes.progress[10].expected_cost is None
    assert notes.progress[-2].expected_cost == pytest.approx(600)


def test_a_limit_stops_the_run_and_a_higher_one_goes_on_without_asking_again(tmp_path: Path):
    given, fake = priced(write_items(tmp_path, 20)), FakeSystem(paid)
    with pytest.raises(RunStoppedError, match="limit is 100"):
        run(given, directory=tmp_path, models={"fake": fake}, max_cost=100, concurrency=1)
    assert len(fake.asked) == 5
    with pytest.raises(RunStoppedError):  # nothing more is asked at the same limit
        run(given, directory=tmp_path, models={"fake": fake}, max_cost=100, concurrency=1)
    assert len(fake.asked) == 5
    run(given, directory=tmp_path, models={"fake": fake}, max_cost=1000, concurrency=1)
    assert len(fake.asked) == 20


def test_a_limit_without_prices_is_refused_before_anything_is_asked(tmp_path: Path):
    fake = FakeSystem(right)
    with pytest.raises(UsageError, match="needs prices"):
        run(evaluation(write_items(tmp_path, 3)), directory=tmp_path, models={"fake": fake}, max_cost=1)
    assert fake.asked == []


def test_prices_are_read_from_the_file_with_the_line_of_a_mistake(tmp_path: Path):
    text = TEMPLATE.format(items="made.jsonl").replace(
        'prompt: "first {{ question }}"',
        'prompt: "{{ question }}", prices: {input: 0.15, output: 0.6, source: page}',
    )
    spec = parse_evaluation(text, file="trial.yaml").systems["first"]
    assert spec.prices == Prices(input=0.15, output=0.6, source="page")
    with pytest.raises(InputError, match=r"line 7|row 7|7"):
        parse_evaluation(text.replace("output: 0.6, ", ""), file="trial.yaml")


@pytest.mark.parametrize("price", [-1.0, float("nan"), float("inf")])
def test_a_price_that_is_none_is_refused(price: float):
    with pytest.raises(UsageError, match="prices are 0 or more"):
        Prices(input=price, output=1)
    with pytest.raises(UsageError, match="prices are 0 or more"):
        Prices(input=1, output=1, cached=price)


def test_two_currencies_cannot_be_added_up(tmp_path: Path):
    systems = {
        name: SystemSpec(
            model="fake", prompt="{{ question }}", prices=Prices(input=1, output=1, currency=name)
        )
        for name in ("EUR", "USD")
    }
    with pytest.raises(UsageError, match="EUR and USD"):
        evaluation(write_items(tmp_path, 3), systems=systems)


def test_costs_a_system_names_in_another_currency_are_not_added_to_the_prices(tmp_path: Path):
    def own(prompt: str) -> Reply:
        return Reply(text=right(prompt), cost=7.0, currency="EUR")

    items, notes = write_items(tmp_path, 12), Notes()
    systems = {
        "priced": priced(items).systems["first"],
        "own": SystemSpec(model="own", prompt="{{ question }}"),
    }
    run(
        evaluation(items, systems=systems),
        directory=tmp_path,
        models={"fake": FakeSystem(paid), "own": FakeSystem(own)},
        observer=notes,
    )
    last = notes.progress[-1]
    assert (last.spent, last.currency) == (12 * 20.0, "USD")
