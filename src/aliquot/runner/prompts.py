"""Prompts: Jinja2 templates over an item's fields, sandboxed, where an unknown field is an error."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from jinja2 import Template, TemplateError, TemplateSyntaxError, UndefinedError

from aliquot.errors import InputError, nearest
from aliquot.item_sets.items import Item
from aliquot.item_sets.options import LETTERS, options_of
from aliquot.item_sets.templates import compiled_template, quoted_name, sandbox, variables_of
from aliquot.runner.evaluation import SystemSpec
from aliquot.runner.shots import SHOTS, Shots
from aliquot.systems.requests import (
    ChatRequest,
    ChoiceRequest,
    CompletionRequest,
    LikelihoodRequest,
    Message,
    Request,
)

_ENVIRONMENT: Final = sandbox()

_BRACED: Final = re.compile(r"\{\s*(\w+)\s*\}")

_MOST_TURNS: Final = 2_000
"""Texts of earlier turns that are held."""


class Prompt:
    """A system's compiled prompt.

    Args:
        system: the system's name, for messages.
        spec: its prompt, mode, instructions, values and decoding.
        file: the evaluation file, for messages.
        shots: the examples an item is asked with; None for a prompt without.

    Raises:
        InputError: the template is not valid.
    """

    def __init__(self, system: str, spec: SystemSpec, *, file: str = "", shots: Shots | None = None) -> None:
        self._system, self._spec, self._file, self.shots = system, spec, file or None, shots
        self._turns: dict[int, tuple[Item, str]] = {}
        try:
            self._template: Template = compiled_template(_ENVIRONMENT, spec.prompt)
        except TemplateSyntaxError as error:
            raise InputError(
                f"line {error.lineno} of the prompt of {system!r} is not a valid template ({error.message})",
                file=self._file,
                field="prompt",
            ) from error

    def require_field(self, fields: Collection[str]) -> None:
        """Refuse a prompt that would ask every item the same, and what stands where it has no effect.

        Args:
            fields: the fields of the items, the likeliest to be meant first.

        Raises:
            InputError: the prompt uses no field, the instructions use one, a value has the name of a field, or shots
                are not shown.
        """
        instructions, own = self._spec.instructions or "", self._spec.values.keys() | {SHOTS}
        sent = sorted(variables_of(_ENVIRONMENT, instructions).intersection({*fields, *own}))
        if sent:
            raise InputError(
                f"the instructions of {self._system!r} are sent as they stand, {{{{ {sent[0]} }}}} too",
                file=self._file,
                field="instructions",
                remedy="Put fields of the item in the prompt",
            )
        used = variables_of(_ENVIRONMENT, self._spec.prompt)
        self._require_apart(fields, used)
        if not used - own:
            braced = [name for name in _BRACED.findall(self._spec.prompt) if name in fields]
            meant = (*braced, *fields, "field")[0]
            raise InputError(
                f"the prompt of {self._system!r} uses no field of the items, so each would be asked the same",
                file=self._file,
                field="prompt",
                remedy=f"Write {{{{ {meant} }}}}; fields of the items: {', '.join(sorted(fields)) or 'none'}",
            )

    def _require_apart(self, fields: Collection[str], used: Collection[str]) -> None:
        """Refuse values and shots that would hide a field, and shots that the prompt does not show."""
        own = (*self._spec.values, *([SHOTS] if self.shots is not None else []))
        hidden = sorted(set(own).intersection(fields))
        if hidden:
            raise InputError(
                f"{hidden[0]!r} of {self._system!r} has the name of a field of the items",
                file=self._file,
                field=SHOTS if hidden[0] == SHOTS else "values",
                remedy="Rename one of them",
            )
        if self.shots is not None and self.shots.n and SHOTS not in used:
            raise InputError(
                f"the prompt of {self._system!r} does not show its shots",
                file=self._file,
                field="prompt",
                remedy="Write {% for shot in shots %}{{ shot.question }} {{ shot.reference }}{% endfor %}",
            )

    def check(self, item: Item) -> Request:
        """Refuse an item that the system cannot be asked about; return what it would be asked after empty answers.

        Raises:
            InputError: the prompt uses a field the item has not, or fails in another way; or a turn of a conversation
                is no message of a chat.
        """
        if item.conversation is not None and self._spec.mode != "chat":
            raise InputError(
                f"{self._system!r} has mode: {self._spec.mode}, and item {item.id!r} is a turn of a conversation",
                file=self._file,
                field="mode",
                remedy="Use mode: chat",
            )
        return self.request(item, [""] * len(item.earlier))

    def request(self, item: Item, answers: Sequence[str] = ()) -> Request:
        """Return what the system is asked about an item.

        Args:
            item: the item; the turns before it in its conversation are asked with it.
            answers: what the system answered to those, in order.

        Raises:
            InputError: the prompt uses a field the item has not, or fails in another way; the item has no options, or
                no text, whose probability could be asked.
        """
        text = self._render(item)
        if self._spec.mode == "completion":
            return CompletionRequest(text, self._spec.decoding)
        if self._spec.mode == "likelihood":
            return self._choice(text, item)
        if self._spec.mode == "perplexity":
            if not text.strip():
                raise InputError(f"item {item.id!r} gives an empty text", row=item.row, remedy="Leave it out")
            return LikelihoodRequest("", text)
        messages = [Message("system", self._spec.instructions)] if self._spec.instructions else []
        for turn, answer in zip(item.earlier, answers, strict=True):
            messages += [Message("user", self._rendered(turn)), Message("assistant", answer)]
        return ChatRequest((*messages, Message("user", text)), self._spec.decoding)

    def shows_options(self, item: Item) -> bool:
        """Tell whether every option of an item stands in what is asked."""
        text = self._render(item)
        return all(option in text for option in options_of(item))

    def _choice(self, text: str, item: Item) -> ChoiceRequest:
        """Return the question of a choice; white space at the end of the context goes to the continuations.

        Tokens mostly begin with a space and none ends with one, so a context that does would be torn from what follows
        (lm-evaluation-harness moves it likewise).
        """
        spec, options = self._spec, options_of(item)
        context = text.rstrip()
        if not context:
            raise InputError(f"the prompt of {self._system!r} is empty for item {item.id!r}", row=item.row)
        before = text[len(context) :] + spec.separator
        named = tuple(LETTERS[: len(options)]) if spec.continuations == "letters" else ()
        continuations = tuple(before + name for name in named or options)
        return ChoiceRequest(context, options, continuations, spec.unconditional, named)

    def _rendered(self, turn: Item) -> str:
        """Return the text of a turn that stands before others, which is asked for again with each of them."""
        held = self._turns.get(id(turn))
        if held is None or held[0] is not turn:
            if len(self._turns) >= _MOST_TURNS:
                self._turns.clear()
            held = self._turns[id(turn)] = (turn, self._render(turn))
        return held[1]

    def _render(self, item: Item) -> str:
        place = {} if item.conversation is None else {"turn": item.fields["turn"]}
        seen = {**item.inputs, **place, **self._spec.values}
        if self.shots is not None:
            seen[SHOTS] = self.shots.of(item)
        try:
            return self._template.render(seen)
        except UndefinedError as error:
            raise InputError(
                f"the prompt of {self._system!r} cannot be filled for item {item.id!r}: {error.message}",
                file=self._file,
                field="prompt",
                remedy=nearest(quoted_name(str(error.message)), seen),
            ) from error
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
            raise InputError(
                f"the prompt of {self._system!r} fails for item {item.id!r}: {error}",
                file=self._file,
                field="prompt",
            ) from error
