"""A system that answers from a script: the public test double, so that users test as this package does."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from aliquot.errors import UsageError
from aliquot.stats.results import Undefined
from aliquot.systems.replies import Likelihood, Reply, classify
from aliquot.systems.requests import ChatRequest, CompletionRequest, LikelihoodRequest

Answer: TypeAlias = str | Reply | Exception
"""A text, a whole reply (a fault: ``Reply(text="", status="error", reason="500")``), or what to raise."""

Script: TypeAlias = Mapping[str, Answer | Sequence[Answer]] | Callable[[str], Answer]

Told: TypeAlias = float | Likelihood | Undefined | Reply | Exception
"""A log-probability, the whole that is to be returned, or what to raise."""

Likelihoods: TypeAlias = Mapping[str, float] | Callable[[str, str], Told]


class FakeSystem:
    """A system whose answers are written down beforehand; deterministic, with faults and delays on request.

    Args:
        script: answers by a part of the prompt (the longest part in it wins), or a function of the
            prompt. A list gives its answers in turn to the same prompt and repeats the last one.
        default: answer to a prompt the script does not know; without it such a prompt is a ``UsageError``.
        delay_s: seconds every answer takes.
        likelihoods: log-probability by continuation, or a function of context and continuation that returns it, or a
            ``Likelihood``, ``Undefined`` or ``Reply`` (a fault), or an exception to raise; for ``log_likelihood``.
        components: what the manifest records.

    Examples:
        >>> import asyncio
        >>> from aliquot.systems.requests import CompletionRequest
        >>> fake = FakeSystem({"France": "Paris", "Spain": ["Lisbon", "Madrid"]})
        >>> [asyncio.run(fake.complete(CompletionRequest("Capital of Spain?"))).text for _ in range(3)]
        ['Lisbon', 'Madrid', 'Madrid']
        >>> fake.asked
        ['Capital of Spain?', 'Capital of Spain?', 'Capital of Spain?']
    """

    def __init__(
        self,
        script: Script,
        *,
        default: Answer | None = None,
        delay_s: float = 0.0,
        likelihoods: Likelihoods | None = None,
        components: Mapping[str, str] | None = None,
    ) -> None:
        self._script, self._default, self._delay_s = script, default, delay_s
        self._likelihoods = likelihoods if likelihoods is not None else {}
        self._components = dict(components or {"model": "fake", "snapshot": "1"})
        self._times: Counter[str] = Counter()
        self.asked: list[str] = []
        self.closed = False

    @property
    def components(self) -> Mapping[str, str]:
        """What the constructor was given."""
        return self._components

    @property
    def concurrency(self) -> int:
        """Four answers at once."""
        return 4

    async def chat(self, request: ChatRequest) -> Reply:
        """Answer the conversation, read as its messages joined by line breaks."""
        return await self._answer("\n".join(message.content for message in request.messages))

    async def complete(self, request: CompletionRequest) -> Reply:
        """Answer the prompt."""
        return await self._answer(request.prompt)

    async def log_likelihood(self, request: LikelihoodRequest) -> Likelihood | Undefined | Reply:
        """Return the written log-probability; one token a word. It is noted as asked: context, then continuation."""
        self.asked.append(request.context + request.continuation)
        await asyncio.sleep(self._delay_s)
        if not isinstance(self._likelihoods, Mapping):
            value = self._likelihoods(request.context, request.continuation)
        elif request.continuation in self._likelihoods:
            value = self._likelihoods[request.continuation]
        else:
            return Undefined(f"no likelihood is written for {request.continuation!r}")
        if isinstance(value, Exception):
            raise value
        if isinstance(value, Likelihood | Undefined | Reply):
            return value
        words = len(request.continuation.split())
        return Likelihood(log_probability=value, tokens=words, greedy=value > -1, latency_s=self._delay_s)

    async def close(self) -> None:
        """Note that it was closed."""
        self.closed = True

    async def _answer(self, prompt: str) -> Reply:
        self.asked.append(prompt)
        answer = self._choose(prompt)
        await asyncio.sleep(self._delay_s)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Reply):
            return answer
        status, reason = classify(answer, finish="stop")
        return Reply(
            text=answer,
            status=status,
            reason=reason,
            finish="stop",
            latency_s=self._delay_s,
            tokens_in=len(prompt.split()),
            tokens_out=len(answer.split()),
        )

    def _choose(self, prompt: str) -> Answer:
        if not isinstance(self._script, Mapping):
            return self._script(prompt)
        parts = [part for part in self._script if part in prompt]
        if not parts:
            if self._default is None:
                raise UsageError(
                    f"The fake system has no answer for {prompt!r}; add it to the script or give a default"
                )
            return self._default
        written = self._script[max(parts, key=len)]
        if isinstance(written, str | Reply | Exception):
            return written
        turn = min(self._times[prompt], len(written) - 1)
        self._times[prompt] += 1
        return written[turn]
