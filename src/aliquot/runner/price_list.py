"""The dated price list of this package: what well-known models cost, for evaluations that do not say."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any, Final
from urllib.parse import urlsplit

from aliquot.runner.evaluation import Evaluation
from aliquot.runner.judge_specs import JudgeModel
from aliquot.runner.money import Prices, asked_texts
from aliquot.runner.plan import Plan
from aliquot.systems.endpoint import Endpoint

OLD_MONTHS: Final = 6
"""Age from which a run says that its price list is old."""

_STANDARD_TIERS: Final = (None, "auto", "default")
"""Values of ``service_tier`` under which the listed prices hold; others (flex, priority) have their own."""


@dataclass(frozen=True, slots=True)
class ListedPrice:
    """One line of the list.

    Attributes:
        prices: what the model's tokens cost.
        up_to: tokens of a request up to which that holds; None for every length.
    """

    prices: Prices
    up_to: int | None


@cache
def shipped_prices() -> Mapping[tuple[str, str], ListedPrice]:
    """Return the list by the server's host and its name of the model.

    Examples:
        >>> shipped_prices()["api.openai.com", "gpt-4o-mini-2024-07-18"].prices.output
        0.6
    """
    text = files("aliquot.runner").joinpath("prices.json").read_text(encoding="utf-8")
    held = json.loads(text)
    return {
        (provider["host"], model): ListedPrice(_prices(held, provider, line), line.get("up_to"))
        for provider in held["providers"]
        for model, line in provider["models"].items()
    }


def _prices(held: Mapping[str, Any], provider: Mapping[str, Any], line: Mapping[str, Any]) -> Prices:
    return Prices(
        input=line["input"],
        output=line["output"],
        cached=line.get("cached"),
        per=held["per"],
        currency=held["currency"],
        source=f"{provider['page']}, read {line['checked']}",
        listed=held["date"],
    )


def listed_price(endpoint: Endpoint) -> ListedPrice | None:
    """Return what a model over HTTP costs by the list: only where host and name are the listed ones to the letter.

    Examples:
        >>> listed_price(Endpoint(base_url="https://api.openai.com/v1", model="gpt-4o-mini")).prices.input
        0.15
        >>> listed_price(Endpoint(base_url="http://127.0.0.1:8080/v1", model="gpt-4o-mini")) is None
        True
    """
    if endpoint.extra.get("service_tier") not in _STANDARD_TIERS:
        return None
    return shipped_prices().get((urlsplit(endpoint.base_url).hostname or "", endpoint.model))


def with_listed_prices(plan: Plan) -> Plan:
    """Return a plan whose systems without prices have those of the list, where it knows them.

    Prices that the evaluation states, or switches off with ``prices: none``, stay as they are. A system is left without
    when a prompt may be longer than its listed price holds for, or when the evaluation states prices in another
    currency.
    """
    found: dict[str, Prices] = {}
    paid = (*plan.evaluation.systems.values(), *plan.evaluation.judges.values())
    stated = {spec.stated.currency for spec in paid if spec.stated is not None}
    for name, spec in plan.evaluation.systems.items():
        if spec.prices is not None or not isinstance(spec.model, Endpoint):
            continue
        listed = listed_price(spec.model)
        if listed is None or stated - {listed.prices.currency}:
            continue
        if listed.up_to is None or _longest(plan, name) <= listed.up_to:
            found[name] = listed.prices
    systems = {
        name: replace(spec, prices=found.get(name, spec.prices))
        for name, spec in plan.evaluation.systems.items()
    }
    evaluation = replace(plan.evaluation, systems=systems)
    return replace(
        plan, evaluation=evaluation.with_judges(lambda judge: judge_with_listed_prices(judge, stated))
    )


def judge_with_listed_prices(judge: JudgeModel, stated: Collection[str] = ()) -> JudgeModel:
    """Return a judge's model with its price of the list, where it has none and the list knows it.

    Args:
        judge: the model.
        stated: the currencies of prices that are stated; another one is not mixed with them.
    """
    listed = listed_price(judge.model) if judge.prices is None and isinstance(judge.model, Endpoint) else None
    if listed is None or listed.up_to is not None or set(stated) - {listed.prices.currency}:
        return judge
    return replace(judge, prices=listed.prices)


def _longest(plan: Plan, system: str) -> int:
    """Return the bytes of a system's longest prompt: a tokeniser over bytes makes no more tokens than those."""
    prompt = plan.prompts[system]
    texts = (text for item in plan.items for text in asked_texts(prompt.check(item)))
    return max(len(text.encode("utf-8", "surrogatepass")) for text in texts)


def price_notes(evaluation: Evaluation, today: date) -> Iterator[str]:
    """Yield what there is to say about prices from the list: for whom, of which day, and when that is long ago."""
    listed = {
        name: spec.stated.listed
        for name, spec in (*evaluation.systems.items(), *evaluation.judges.items())
        if spec.stated is not None and spec.stated.listed
    }
    if not listed:
        return
    day = next(iter(listed.values()))
    text = f"prices of {', '.join(listed)}: the list of {day} that comes with this version"
    months = _months(date.fromisoformat(day), today)
    if months >= OLD_MONTHS:
        text += f", {months} months old; state current ones with prices: {{input: …, output: …}}"
    yield text


def _months(since: date, today: date) -> int:
    return 12 * (today.year - since.year) + today.month - since.month - (today.day < since.day)
