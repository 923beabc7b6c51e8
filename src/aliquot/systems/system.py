"""The interface every transport offers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from aliquot.stats.results import Undefined
from aliquot.systems.replies import Likelihood, Reply
from aliquot.systems.requests import ChatRequest, CompletionRequest, LikelihoodRequest


@runtime_checkable
class System(Protocol):
    """Something that answers. Methods may be awaited concurrently, from one event loop.

    A fault of one request (a refused body, a broken connection) is a ``Reply`` with status ``error`` or
    ``timeout``; only what makes every further request pointless is raised, as an ``AliquotError``.
    """

    @property
    def components(self) -> Mapping[str, str]:
        """Every part that shapes an answer, with its version; ``snapshot`` identifies the weights. No key."""
        ...

    @property
    def concurrency(self) -> int:
        """Requests worth having in flight at once."""
        ...

    async def chat(self, request: ChatRequest) -> Reply:
        """Continue a conversation."""
        ...

    async def complete(self, request: CompletionRequest) -> Reply:
        """Continue a text."""
        ...

    async def log_likelihood(self, request: LikelihoodRequest) -> Likelihood | Undefined | Reply:
        """Return how probable a continuation is, why that is not defined for this text, or the fault that befell it."""
        ...

    async def close(self) -> None:
        """Free what the system holds; asking afterwards is a mistake of the caller."""
        ...


@runtime_checkable
class Paced(Protocol):
    """A system that is slowed down when its server asks for it."""

    @property
    def load(self) -> Mapping[str, int]:
        """What its pace has counted so far, by name."""
        ...


@runtime_checkable
class Observed(Protocol):
    """A system that learns about itself only from its answers."""

    @property
    def observed(self) -> Mapping[str, str]:
        """What answers have told of the system so far, by component; empty before the first."""
        ...
