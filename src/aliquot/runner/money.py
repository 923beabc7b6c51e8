"""What answers cost: prices as the evaluation states them, the sum so far, and a limit that stops the run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from aliquot.errors import RunStoppedError, UsageError
from aliquot.files.records import Response
from aliquot.systems.replies import Reply
from aliquot.systems.requests import ChatRequest, ChoiceRequest, LikelihoodRequest, Request

CHARACTERS_A_TOKEN: Final = 3.0
"""Characters that make a token of a prompt, for the estimate before anything is asked; English has about four."""


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
    """

    input: float
    output: float
    cached: float | None = None
    per: int = 1_000_000
    currency: str = "USD"
    source: str = ""

    def __post_init__(self) -> None:
        if min(self.input, self.output, self.cached or 0.0) < 0 or self.per < 1:
            raise UsageError("prices are 0 or more, for at least one token")

    def of(self, reply: Reply) -> float | None:
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
        if isinstance(request, LikelihoodRequest):
            tokens, written = len(request.context + request.continuation) / CHARACTERS_A_TOKEN, 1
        elif isinstance(request, ChatRequest):
            written = request.decoding.max_tokens
            text = sum(len(message.content) for message in request.messages)
            tokens = text / CHARACTERS_A_TOKEN + answers * written
        else:
            tokens, written = len(request.prompt) / CHARACTERS_A_TOKEN, request.decoding.max_tokens
        return (tokens * self.input + written * self.output) / self.per


class Purse:
    """Adds up what a run costs in one currency, earlier sessions included.

    Args:
        limit: money at which the run stops; None for no limit.
        currency: of all prices; "" when nothing is priced, and then it is that of the first answer that names a cost.
            Costs in another currency, which a system without prices may name, are not added to it.
    """

    def __init__(self, *, limit: float | None, currency: str) -> None:
        self._limit, self._currency = limit, currency
        self._spent = 0.0

    @property
    def spent(self) -> float:
        """Money so far."""
        return self._spent

    @property
    def currency(self) -> str:
        """In which currency; "" when nothing cost anything yet."""
        return self._currency

    def keep(self, records: Iterable[Response]) -> None:
        """Count what earlier sessions paid, tries that failed included."""
        for record in records:
            if not record.cached:
                self.pay(record.cost, record.currency)

    def pay(self, cost: float | None, currency: str | None) -> None:
        """Count one answer."""
        if cost is None:
            return
        self._currency = self._currency or currency or ""
        if (currency or "") == self._currency:
            self._spent += cost

    def require_room(self) -> None:
        """Stop the run when the limit is reached.

        Raises:
            RunStoppedError: it is.
        """
        if self._limit is not None and self._spent >= self._limit:
            raise RunStoppedError(
                f"stopped: {self._spent:.4g} {self._currency} are spent, the limit is {self._limit:g}. What was "
                "answered is kept; run again with a higher --max-cost to go on"
            )


def currency_of(prices: Iterable[Prices]) -> str:
    """Return the one currency of all prices; "" when there are none.

    Raises:
        UsageError: there are several, which cannot be added up.
    """
    found = sorted({one.currency for one in prices})
    if len(found) > 1:
        raise UsageError(f"prices in {' and '.join(found)} cannot be added up; state them in one currency")
    return found[0] if found else ""
