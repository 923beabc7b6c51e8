"""What answers cost: prices, what one can cost at most, the sum so far, and a limit that is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Final

import msgspec

from aliquot.errors import RunStoppedError, UsageError
from aliquot.files.records import SYSTEM, Response
from aliquot.findings.numbers import write_money
from aliquot.systems.replies import Reply
from aliquot.systems.requests import ChatRequest, ChoiceRequest, LikelihoodRequest, Request

CHARACTERS_A_TOKEN: Final = 3.0
"""Characters that make a token of a prompt, for the estimate before anything is asked; English has about four."""

OWN_WORD: Final = "the system itself"
"""Source of a cost that the system names with its answer."""

_SLACK: Final = 1e-9
"""Share of a limit by which sums of money may miss it through rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a system's tokens cost.

    Attributes:
        input: money for ``per`` tokens of the request.
        output: money for ``per`` tokens of the answer, thinking included.
        cached: money for ``per`` tokens that the provider served from its cache; None for the price of the input.
        per: tokens that a price is for.
        currency: in which currency.
        source: where the prices stand, and of which day they are.
        listed: the day of the price list of this package that they are from; "" when the evaluation states them.
    """

    input: float
    output: float
    cached: float | None = None
    per: int = 1_000_000
    currency: str = "USD"
    source: str = ""
    listed: str = ""

    def __post_init__(self) -> None:
        if (
            not all(0 <= price < inf for price in (self.input, self.output, self.cached or 0.0))
            or self.per < 1
        ):
            raise UsageError("prices are 0 or more, for at least one token")

    @property
    def word(self) -> str:
        """By whose word an answer costs what it costs, as its record says it."""
        return f"price list of {self.listed}" if self.listed else "prices of the evaluation"

    def of(self, reply: Reply | Response) -> float | None:
        """Return what an answer cost; None when its tokens are not known."""
        if reply.tokens_in is None or reply.tokens_out is None:
            return None
        held = min(reply.tokens_cached or 0, reply.tokens_in)
        cached = self.input if self.cached is None else self.cached
        return (
            (reply.tokens_in - held) * self.input + held * cached + reply.tokens_out * self.output
        ) / self.per

    def at_most(self, request: Request, *, answers: int = 0) -> float:
        """Return about what an answer can cost at most: its whole budget used up.

        A likelihood costs one echo of its text; a server that has to force tokens is sent the text once for each.

        Args:
            request: what is asked.
            answers: how many answers to earlier turns the request will hold that are not given yet; each may use its
                whole budget too.
        """
        if isinstance(request, ChoiceRequest):
            return sum(self.at_most(part) for part in request.parts)
        written = 1 if isinstance(request, LikelihoodRequest) else request.decoding.max_tokens
        tokens = max(map(len, asked_texts(request))) / CHARACTERS_A_TOKEN + answers * written
        return (tokens * self.input + written * self.output) / self.per


def asked_texts(request: Request) -> tuple[str, ...]:
    """Return the text of a request, or of each part of one that asks several things."""
    if isinstance(request, ChoiceRequest):
        return tuple(text for part in request.parts for text in asked_texts(part))
    if isinstance(request, LikelihoodRequest):
        return (request.context + request.continuation,)
    if isinstance(request, ChatRequest):
        return ("".join(message.content for message in request.messages),)
    return (request.prompt,)


class Bill(msgspec.Struct, frozen=True):
    """What one answer cost: how much, in which currency, by whose word; None where nobody says."""

    cost: float | None = None
    currency: str | None = None
    source: str | None = None


def bill_of(prices: Prices | None, reply: Reply) -> Bill:
    """Return what an answer cost: by the stated prices, else as the system itself says."""
    cost, currency, source = (
        (reply.cost, reply.currency, OWN_WORD)
        if prices is None
        else (prices.of(reply), prices.currency, prices.word)
    )
    return Bill() if cost is None else Bill(cost, currency, source)


class Ceilings:
    """What an answer of each system can cost at most, corrected upwards by what answers did cost.

    The tokens of a prompt are an estimate until a server has counted them, and a system without prices has no
    ceiling at all before its first answer. So an answer that cost more than was thought raises what is thought of
    the system's next ones in the same proportion; a system without prices is taken at its dearest answer so far.

    Args:
        prices: of each system; None where they are not known.
    """

    def __init__(self, prices: Mapping[str, Prices | None]) -> None:
        self._prices = prices
        self._factor = dict.fromkeys(prices, 1.0)
        self._dearest = dict.fromkeys(prices, 0.0)

    def of(self, system: str, request: Request) -> float:
        """Return the ceiling of one answer, in the currency of the prices."""
        return self.of_all(system, thought=self.thought(system, request), answers=1)

    def thought(self, system: str, request: Request, *, answers: int = 0) -> float:
        """Return what an answer was thought to cost at most before any had come; 0 without prices."""
        price = self._prices[system]
        return 0.0 if price is None else price.at_most(request, answers=answers)

    def of_all(self, system: str, *, thought: float, answers: int) -> float:
        """Return the ceiling of some answers, from the sum of what each was thought to cost at most."""
        priced = self._prices[system] is not None
        return self._factor[system] * thought if priced else self._dearest[system] * answers

    def learn(self, system: str, request: Request, cost: float) -> None:
        """Take note of what an answer did cost."""
        self._dearest[system] = max(self._dearest[system], cost)
        if (thought := self.thought(system, request)) > 0:
            self._factor[system] = max(self._factor[system], cost / thought)


class Purse:
    """Adds up what a run costs, earlier sessions included, and says whether one more answer can be paid.

    What is in flight is counted at its ceiling until it has come in, so that the limit is not passed by answers that
    were sent while there was still room. An answer whose cost nobody says stays counted at its ceiling.

    Args:
        limit: money at which the run stops, over all scopes; None for no limit.
        currency: of all prices; "" when nothing is priced, and then it is that of the first answer that names a cost.
            Costs in another currency, which a system without prices may name, are kept apart.
    """

    def __init__(self, *, limit: float | None, currency: str) -> None:
        self._limit, self._currency = limit, currency
        self._spent: dict[tuple[str, str], float] = {}
        self._held = self._unknown = 0.0
        self._in_flight = 0

    @property
    def spent(self) -> float:
        """Money so far, in the purse's currency, over all scopes."""
        return sum(cost for (_, currency), cost in self._spent.items() if currency == self._currency)

    @property
    def by_scope(self) -> Mapping[tuple[str, str], float]:
        """Money so far by scope and currency; nothing is added up across currencies."""
        return dict(self._spent)

    @property
    def currency(self) -> str:
        """In which currency; "" when nothing cost anything yet."""
        return self._currency

    @property
    def waiting(self) -> bool:
        """Whether something is in flight that may turn out cheaper than its ceiling."""
        return self._in_flight > 0

    def pay(
        self, cost: float | None, currency: str | None, *, scope: str = SYSTEM, at_most: float = 0.0
    ) -> None:
        """Count one answer.

        Args:
            cost: what it cost; None when nobody says.
            currency: in which currency.
            scope: for whom it was paid.
            at_most: what it counts against the limit when nobody says what it cost.
        """
        if cost is None:
            self._unknown += at_most
            return
        self._currency = self._currency or currency or ""
        key = (scope, currency or "")
        self._spent[key] = self._spent.get(key, 0.0) + cost

    def reserve(self, amount: float) -> bool:
        """Set money aside for an answer that is about to be asked for; False when there is no room for it."""
        if self._limit is not None:
            taken = self.spent + self._unknown + self._held
            if self._spent_up or taken + amount > self._limit * (1 + _SLACK):
                return False
        self._held += amount
        self._in_flight += 1
        return True

    def release(self, amount: float) -> None:
        """Give back what was set aside: the answer is paid, or was never sent."""
        self._in_flight -= 1
        self._held = max(0.0, self._held - amount) if self._in_flight else 0.0  # no residue of rounding

    def require_room(self, amount: float = 0.0) -> None:
        """Stop the run when the limit leaves no room for one more answer.

        Raises:
            RunStoppedError: it does not.
        """
        if self._limit is None:
            return
        if not self._spent_up and self.spent + self._unknown + amount <= self._limit * (1 + _SLACK):
            return
        unsaid = (
            f" and up to {write_money(self._unknown, None)} more for answers without a count"
            if self._unknown
            else ""
        )
        need = "" if self._spent_up else f", and the next answer may cost {write_money(amount, None)}"
        raise RunStoppedError(
            f"stopped: {write_money(self.spent, self._currency)} are spent{unsaid}{need}; the limit is "
            f"{write_money(self._limit, None)}. "
            "What was answered is kept; run again with a higher --max-cost to go on"
        )

    @property
    def _spent_up(self) -> bool:
        return self._limit is not None and self.spent + self._unknown >= self._limit * (1 - _SLACK)


def currency_of(prices: Iterable[Prices]) -> str:
    """Return the one currency of all prices; "" when there are none.

    Raises:
        UsageError: there are several, which cannot be added up.
    """
    found = sorted({one.currency for one in prices})
    if len(found) > 1:
        raise UsageError(f"prices in {' and '.join(found)} cannot be added up; state them in one currency")
    return found[0] if found else ""
