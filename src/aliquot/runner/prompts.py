"""Prompts: Jinja2 templates over an item's fields, sandboxed, where an unknown field is an error."""

from __future__ import annotations

from typing import Final

from jinja2 import StrictUndefined, Template, TemplateError, TemplateSyntaxError, UndefinedError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from aliquot.errors import InputError, nearest
from aliquot.item_sets.items import Item
from aliquot.runner.evaluation import SystemSpec
from aliquot.systems.requests import ChatRequest, CompletionRequest, Message

_ENVIRONMENT: Final = ImmutableSandboxedEnvironment(
    undefined=StrictUndefined,
    keep_trailing_newline=True,
    autoescape=False,  # prompts are plain text, never HTML
)


class Prompt:
    """A system's compiled prompt.

    Args:
        system: the system's name, for messages.
        spec: its prompt, mode, instructions and decoding.
        file: the evaluation file, for messages.

    Raises:
        InputError: the template is not valid.
    """

    def __init__(self, system: str, spec: SystemSpec, *, file: str = "") -> None:
        self._system, self._spec, self._file = system, spec, file or None
        try:
            self._template: Template = _ENVIRONMENT.from_string(spec.prompt)
        except TemplateSyntaxError as error:
            raise InputError(
                f"line {error.lineno} of the prompt of {system!r} is not a valid template ({error.message})",
                file=self._file,
                field="prompt",
            ) from error

    def request(self, item: Item) -> ChatRequest | CompletionRequest:
        """Return what the system is asked about an item.

        Raises:
            InputError: the prompt uses a field the item has not, or fails in another way.
        """
        text = self._render(item)
        if self._spec.mode == "completion":
            return CompletionRequest(text, self._spec.decoding)
        opening = (Message("system", self._spec.instructions),) if self._spec.instructions else ()
        return ChatRequest((*opening, Message("user", text)), self._spec.decoding)

    def _render(self, item: Item) -> str:
        try:
            return self._template.render(dict(item.inputs))
        except UndefinedError as error:
            raise InputError(
                f"the prompt of {self._system!r} cannot be filled for item {item.id!r}: {error.message}",
                file=self._file,
                field="prompt",
                remedy=nearest(_quoted(str(error.message)), item.inputs),
            ) from error
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
            raise InputError(
                f"the prompt of {self._system!r} fails for item {item.id!r}: {error}",
                file=self._file,
                field="prompt",
            ) from error


def _quoted(message: str) -> str:
    """Return the name that a message of Jinja2 puts in quotes."""
    parts = message.split("'")
    return parts[1] if len(parts) > 2 else ""
