"""The filters of lm-evaluation-harness, and exact match with its options: what is read out of answers before comparing.

Each step takes all attempts of one item and returns as many, or fewer; its name and settings are those of a task file's
``filter_list``, and what it returns is what the harness returns (0.4).
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from aliquot.errors import UsageError, nearest
from aliquot.files.patterns import BoundedPattern, compile_pattern

Step: TypeAlias = Callable[[Sequence[str]], list[str]]

INVALID: Final = "[invalid]"
"""What stands for an answer from which nothing was read."""

NUMBER_AFTER_HASHES: Final = r"#### (\-?[0-9\.\,]+)"
"""The pattern of the filter ``regex`` when none is given: the answer line of GSM8K."""


def regex_step(
    *, regex_pattern: str = NUMBER_AFTER_HASHES, group_select: int = 0, fallback: str = INVALID
) -> Step:
    """Take the ``group_select``-th match of a pattern; of several groups the first that is not empty.

    Raises:
        UsageError: the pattern is none.
    """
    pattern = compiled(regex_pattern)

    def read(answer: str) -> str:
        found = pattern.findall(answer)
        try:
            chosen = found[group_select]
        except IndexError:
            return fallback
        if isinstance(chosen, tuple):
            chosen = next((group for group in chosen if group), fallback)
        return chosen.strip()

    return lambda answers: [read(answer) for answer in answers]


def map_step(*, mapping_dict: Mapping[str, str], default_value: str = "") -> Step:
    """Replace each answer by what a mapping has for it."""
    return lambda answers: [str(mapping_dict.get(answer, default_value)) for answer in answers]


def take_first_k_step(*, k: int) -> Step:
    """Keep the first k attempts, or as many as there are yet.

    Raises:
        UsageError: k is no whole number from 1.
    """
    if k < 1:
        raise UsageError(f"take_first_k: k is {k}; it must be a whole number from 1")
    return lambda answers: list(answers[:k])


def _each(change: Callable[[str], str]) -> Callable[[], Step]:
    return lambda: lambda answers: [change(answer) for answer in answers]


def _most_frequent(answers: Sequence[str]) -> list[str]:
    """Return the most frequent answer; of several the one that was given first."""
    return [Counter(answers).most_common(1)[0][0]]


STEPS: Final[Mapping[str, Callable[..., Step]]] = {
    "take_first": lambda: lambda answers: list(answers[:1]),
    "take_first_k": take_first_k_step,
    "majority_vote": lambda: _most_frequent,
    "regex": regex_step,
    "remove_whitespace": _each(str.strip),
    "lowercase": _each(str.lower),
    "uppercase": _each(str.upper),
    "map": map_step,
}
"""The filters by the harness's names."""


POOLING: Final = frozenset({"majority_vote", "take_first_k"})
"""Filters that make another answer of all attempts than of one."""


def read_steps(steps: Iterable[Mapping[str, Any]]) -> Step:
    """Return one step made of those a task file lists under ``filter``.

    Args:
        steps: mappings with ``function`` and its settings.

    Raises:
        UsageError: a filter or setting that is not known.

    Examples:
        >>> step = read_steps([{"function": "regex", "regex_pattern": "([0-9]+)"}, {"function": "majority_vote"}])
        >>> step(["is 12", "is 13", "13 it is"])
        ['13']
    """
    made = [_made(step) for step in steps]

    def apply(answers: Sequence[str]) -> list[str]:
        kept = list(answers)
        for step in made:
            kept = step(kept)
        return kept

    return apply


def _made(step: Mapping[str, Any]) -> Step:
    name = str(step.get("function", ""))
    if name not in STEPS:
        raise UsageError(f"there is no filter {name!r}. {nearest(name, STEPS)}")
    settings = {key: value for key, value in step.items() if key != "function"}
    try:
        made = STEPS[name](**settings)
        made([""])
    except (TypeError, AttributeError) as error:
        raise UsageError(f"the filter {name!r} takes no such settings ({error})") from error
    return made


def exact_match(
    answer: str,
    reference: str,
    *,
    regexes_to_ignore: Sequence[str] = (),
    ignore_case: bool = False,
    ignore_punctuation: bool = False,
    ignore_numbers: bool = False,
) -> bool:
    """Whether answer and reference are the same text after both lost what is ignored, in this order.

    Args:
        answer: what was read out of the answer.
        reference: the right answer.
        regexes_to_ignore: patterns that are taken out.
        ignore_case: compare in lower case.
        ignore_punctuation: take out ASCII punctuation.
        ignore_numbers: take out the digits 0 to 9.

    Raises:
        UsageError: a pattern is none.

    Examples:
        >>> exact_match("$33", "33", regexes_to_ignore=["[$]"])
        True
    """
    sides = [answer, reference]
    for ignored in regexes_to_ignore:
        sides = [compiled(ignored).take_out(side) for side in sides]
    if ignore_case:
        sides = [side.lower() for side in sides]
    dropped = (string.punctuation if ignore_punctuation else "") + (string.digits if ignore_numbers else "")
    return len({side.translate(str.maketrans("", "", dropped)) for side in sides}) == 1


def compiled(pattern: str) -> BoundedPattern:
    """Return a regular expression whose searches are bounded in time.

    Raises:
        UsageError: it is none.
    """
    try:
        return compile_pattern(pattern)
    except re.error as error:
        raise UsageError(f"{pattern!r} is no pattern that can be used ({error})") from error
