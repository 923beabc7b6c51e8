"""The code of an answer: which block of it is taken, and what of the question stands before it."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

PYTHON: Final = frozenset({"", "py", "py3", "python", "python3"})
"""Names of a block's language that are taken for Python; "" where none is named."""

_FENCE: Final = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*([^\s`{]*)")
_LOOKS_LIKE_CODE: Final = re.compile(
    r"^(?:async\s+def|def|class|import|from|return|yield|raise|assert|lambda|pass|print\(|@\w|"
    r"(?:if|elif|for|while|with)\b.*:|(?:else|try|finally)\s*:|[A-Za-z_][\w.,\[\] \t]*[-+*/|&]?=(?!=))"
)
_MOST_LINE: Final = 1000
"""Letters of a line that are looked at when it is asked whether a text is code."""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: the language it names, in lower case, and its lines."""

    language: str
    code: str


def blocks_of(text: str) -> list[Block]:
    r"""Return the fenced blocks of a text in order; one that is not closed reaches to the end.

    Examples:
        >>> blocks_of("So:\n```python\nx = 1\n```\nDone.")
        [Block(language='python', code='x = 1')]
    """
    found: list[Block] = []
    opened: re.Match[str] | None = None
    held: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        fence = _FENCE.match(line)
        if opened is None:
            opened, held = fence, []
        elif fence and not fence[3] and fence[2].startswith(opened[2]) and not line[fence.end() :].strip():
            found.append(_block(opened, held))
            opened = None
        else:
            held.append(line)
    if opened is not None:
        found.append(_block(opened, held))
    return found


def code_of(text: str, names: Collection[str]) -> str | None:
    r"""Return the code of an answer; None when it holds none.

    The first block in Python that defines one of the names, else the first block in Python. Without any block the whole
    answer, when a line of it looks like code.

    Args:
        text: the answer.
        names: functions and classes that are asked for.

    Examples:
        >>> code_of("```bash\npip install x\n```\n```python\ndef f(): pass\n```", {"f"})
        'def f(): pass'
        >>> code_of("I would sort the list.", {"f"}) is None
        True
    """
    blocks = blocks_of(text)
    python = [block.code for block in blocks if block.language in PYTHON and block.code.strip()]
    if python:
        return next((code for code in python if defines(code, names)), python[0])
    if blocks or not any(_LOOKS_LIKE_CODE.match(line.strip()[:_MOST_LINE]) for line in text.splitlines()):
        return None
    return _without_blank_ends(text.replace("\r\n", "\n"))


def defines(code: str, names: Collection[str]) -> bool:
    """Whether one of the names is defined at the top of a code, or assigned there."""
    return any(_definition(name).search(code) for name in names)


def behind_prompt(code: str, prompt: str, entry: str) -> str:
    r"""Return the code as it continues a prompt that begins the function it is to complete.

    Where the code defines the function itself, only what the prompt has before that stands in front of it.

    Examples:
        >>> prompt = "import math\n\ndef f(x):\n    '''Double it.'''\n"
        >>> behind_prompt("    return 2 * x", prompt, "f").splitlines()[-1]
        '    return 2 * x'
        >>> behind_prompt("def f(x): return 2 * x", prompt, "f")
        'import math\n\ndef f(x): return 2 * x'
    """
    places = [match.start() for match in _definition(entry).finditer(prompt)]
    if not places:
        return code
    if defines(code, {entry}):
        return prompt[: places[-1]] + code
    return f"{prompt}{'' if prompt.endswith(chr(10)) else chr(10)}{code}"


def _definition(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"^(?:(?:async[ \t]+)?def|class)[ \t]+{re.escape(name)}\b|^{re.escape(name)}[ \t]*(?::|=[^=])",
        re.MULTILINE,
    )


def _block(opened: re.Match[str], lines: list[str]) -> Block:
    """Return a block; what its fence is indented by is taken off its lines."""
    indent = len(opened[1])
    bare = [line[indent:] if not line[:indent].strip() else line for line in lines]
    return Block(opened[3].lower(), _without_blank_ends("\n".join(bare)))


def _without_blank_ends(text: str) -> str:
    lines = text.split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    return "\n".join(lines).rstrip()
