"""Systems that know nothing: the same answer always, one drawn at random, or the question itself given back."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from aliquot.errors import UsageError, nearest
from aliquot.systems.callables import function_system
from aliquot.systems.system import System

BaselineKind: TypeAlias = Literal["majority", "random", "first_sentence", "copy"]
Among: TypeAlias = Literal["labels", "lines"]

_SENTENCE: Final = re.compile(r".+?[.!?…。！？]+(?=\s|$|[\"')\]])|.+", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A system that knows nothing, to be beaten first.

    Attributes:
        baseline: ``majority`` always gives the most frequent right answer of the items that are asked; ``random`` draws
            one; ``first_sentence`` gives back the first sentence of its prompt, ``copy`` the whole prompt.
        among: what ``random`` draws from: the right answers of all items, each as likely, or the lines of its prompt.
        seed: seed of the draw.
    """

    baseline: BaselineKind
    among: Among = "labels"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.baseline not in get_args(BaselineKind):
            raise UsageError(
                f"baseline: there is no {self.baseline!r}. {nearest(self.baseline, get_args(BaselineKind))}"
            )
        if self.among not in get_args(Among):
            raise UsageError(f"among: there is no {self.among!r}. {nearest(self.among, get_args(Among))}")
        if self.baseline != "random" and (self.among, self.seed) != ("labels", 0):
            raise UsageError(f"among and seed go with baseline: random; {self.baseline} draws nothing")

    def open(self, labels: Sequence[str]) -> System:
        """Return the system.

        Args:
            labels: the right answer of each item, as answers spell it, where items share them.

        Raises:
            UsageError: it needs answers that items share, and there are none.
        """
        parts = {"model": f"baseline {self.baseline}"}
        if self.baseline == "copy":
            return function_system(_copied, version="1", components=parts)
        if self.baseline == "first_sentence":
            return function_system(first_sentence, version="1", components=parts)
        if not labels and self.among == "labels":
            raise UsageError(
                f"baseline: {self.baseline} gives right answers that several items share, and there are none"
            )
        counts = Counter(labels)
        if self.baseline == "majority":
            always = min(counts, key=lambda label: (-counts[label], label))
            return function_system(_constant(always), version="1", components=parts | {"answer": always})
        known = sorted(counts) if self.among == "labels" else []
        drawn_from = ", ".join(known)[:200] or "the lines of the prompt"
        parts |= {"seed": str(self.seed), "among": drawn_from}
        return function_system(_drawing(known, self.seed), version="1", components=parts)


async def first_sentence(prompt: str) -> str:
    """Return the first sentence of a prompt.

    Examples:
        >>> import asyncio
        >>> asyncio.run(first_sentence("Oslo is cold. Bergen is wet."))
        'Oslo is cold.'
    """
    found = _SENTENCE.match(prompt.strip())
    return found[0] if found else ""


async def _copied(prompt: str) -> str:
    return prompt


def _constant(answer: str) -> Callable[[str], Awaitable[str]]:
    async def answered(prompt: str) -> str:  # noqa: ARG001 - it knows nothing of it
        return answer

    return answered


def _drawing(known: Sequence[str], seed: int) -> Callable[[str], Awaitable[str]]:
    """Return a function that draws by seed, prompt, and how often the prompt came: other prompts do not matter."""
    times = Counter[str]()

    async def drawn(prompt: str) -> str:
        lines = known or [line.strip() for line in prompt.splitlines() if line.strip()]
        times[prompt] += 1
        key = f"{seed}\n{times[prompt]}\n{prompt}".encode("utf-8", "surrogatepass")
        return lines[int.from_bytes(hashlib.sha256(key).digest()[:8], "big") % len(lines)] if lines else ""

    return drawn
