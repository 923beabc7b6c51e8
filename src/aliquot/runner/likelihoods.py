"""Asking how probable options and texts are: every number of a question, or none of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeVar

from aliquot.files.records import OptionLikelihood, TextLikelihood
from aliquot.scorers.choices import MEASURES, chosen
from aliquot.scorers.perplexities import count_words
from aliquot.stats.results import Undefined
from aliquot.systems.replies import Likelihood, Reply
from aliquot.systems.requests import ChoiceRequest, LikelihoodRequest
from aliquot.systems.system import System

N = TypeVar("N", int, float)


async def ask_choice(model: System, request: ChoiceRequest) -> Reply:
    """Return the most probable option, with the numbers of all.

    The text of the reply is the option whose log-probability is the highest, whatever its length; rules that weigh the
    length read the numbers. A question one of whose options has no number has none at all.

    Args:
        model: who is asked.
        request: the question.
    """
    found: list[Likelihood] = []
    for place, part in enumerate(request.parts):
        told = await _ask(model, part)
        if isinstance(told, Reply):
            return _lost(told, found, what=_named(request, place))
        found.append(told)
    options = tuple(_options(request, found))
    place, _ = chosen(options, MEASURES["choice_by_likelihood"])
    return _whole(options[place].option, found, options=options)


async def ask_text(model: System, request: LikelihoodRequest) -> Reply:
    """Return how probable a text is; the reply holds no text of its own.

    Args:
        model: who is asked.
        request: the text.
    """
    told = await _ask(model, request)
    if isinstance(told, Reply):
        return _lost(told, [], what="the text")
    text = request.continuation
    measured = TextLikelihood(
        log_probability=told.log_probability,
        tokens=told.tokens,
        words=count_words(text),
        bytes=len(text.encode("utf-8", "surrogatepass")),
    )
    return _whole("", [told], likelihood=measured)


async def _ask(model: System, request: LikelihoodRequest) -> Likelihood | Reply:
    """Return a number that can be compared, or the reply that there is none."""
    told = await model.log_likelihood(request)
    if isinstance(told, Undefined):
        return Reply(text="", status="error", reason=told.reason)
    if isinstance(told, Likelihood) and not (math.isfinite(told.log_probability) and told.tokens > 0):
        reason = (
            f"the log-probability is {told.log_probability} of {told.tokens} tokens, which no rule can read"
        )
        return Reply(text="", status="error", reason=reason)
    return told


def _options(request: ChoiceRequest, found: Sequence[Likelihood]) -> list[OptionLikelihood]:
    n = len(request.options)
    without = [one.log_probability for one in found[n:]] or [None] * n
    return [
        OptionLikelihood(
            option=option,
            log_probability=one.log_probability,
            tokens=one.tokens,
            characters=len(written),
            bytes=len(written.encode("utf-8", "surrogatepass")),
            greedy=one.greedy,
            unconditional=alone,
        )
        for option, written, one, alone in zip(request.options, request.written, found, without, strict=False)
    ]


def _named(request: ChoiceRequest, place: int) -> str:
    n = len(request.options)
    return f"option {place % n + 1} of {n}{' without the question' if place >= n else ''}"


def _lost(told: Reply, before: Sequence[Likelihood], *, what: str) -> Reply:
    """Return the reply of a question one of whose parts has no number."""
    faults = tuple(fault for one in before for fault in one.faults)
    return Reply(text="", status=told.status, reason=f"{what}: {told.reason}", faults=(*faults, *told.faults))


def _whole(
    text: str,
    found: Sequence[Likelihood],
    *,
    options: tuple[OptionLikelihood, ...] = (),
    likelihood: TextLikelihood | None = None,
) -> Reply:
    return Reply(
        text=text,
        latency_s=_sum([one.latency_s for one in found]),
        tokens_in=_sum([one.tokens_in for one in found]),
        tokens_out=_sum([one.tokens_out for one in found]),
        faults=tuple(fault for one in found for fault in one.faults),
        options=options,
        likelihood=likelihood,
    )


def _sum(values: Sequence[N | None]) -> N | None:
    """Return the sum of numbers that are all known."""
    known = [value for value in values if value is not None]
    return type(known[0])(sum(known)) if known and len(known) == len(values) else None
