"""Families of models: makers whose models come of each other, read from the names that servers have for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_NAMES: Final[Mapping[str, str]] = {
    "openai": r"gpt|chatgpt|o[1-9]|davinci|codex",
    "claude": r"claude",
    "gemini": r"gemini|palm|bison|learnlm",
    "gemma": r"gemma|codegemma|medgemma",
    "llama": r"llama|codellama|vicuna|alpaca|tulu|hermes",
    "qwen": r"qwen|qwq|qvq",
    "mistral": r"mistral|mixtral|codestral|ministral|magistral|pixtral|devstral|zephyr",
    "deepseek": r"deepseek",
    "smollm": r"smollm",
    "phi": r"phi",
    "cohere": r"command|aya",
    "grok": r"grok",
    "glm": r"glm|chatglm",
    "yi": r"yi",
    "falcon": r"falcon",
    "olmo": r"olmo",
    "granite": r"granite",
    "nova": r"nova",
    "jamba": r"jamba",
    "kimi": r"kimi|moonshot",
    "minimax": r"minimax",
    "bloom": r"bloom|bloomz",
    "pythia": r"pythia",
    "baichuan": r"baichuan",
    "internlm": r"internlm",
}
"""Family → how names of its models begin, as a whole word (digits may follow)."""

_FAMILIES: Final = tuple(
    (family, re.compile(rf"(?<![a-z0-9])(?:{names})(?![a-z])")) for family, names in _NAMES.items()
)


def family_of(model: str) -> str | None:
    """Return the family of a model by its name; None when the name tells none.

    Where a name holds several (a model distilled from another), the first in it counts.

    Examples:
        >>> family_of("openai/gpt-4o-mini"), family_of("Meta-Llama-3.1-8B-Instruct"), family_of("SmolLM2-135M")
        ('openai', 'llama', 'smollm')
        >>> family_of("DeepSeek-R1-Distill-Qwen-7B"), family_of("my-model")
        ('deepseek', None)
    """
    name = model.lower()
    found = [(match.start(), family) for family, pattern in _FAMILIES if (match := pattern.search(name))]
    return min(found)[1] if found else None
