"""Jinja2 templates over the fields of items: sandboxed, an unknown name is an error, and plain text, never HTML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateSyntaxError, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment


def sandbox(finalize: Callable[..., Any] | None = None) -> ImmutableSandboxedEnvironment:
    """Return where templates are compiled.

    Args:
        finalize: what is made of each value before it is written.
    """
    return ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False, finalize=finalize
    )


def compiled_template(environment: ImmutableSandboxedEnvironment, text: str) -> Template:
    """Return a template.

    Raises:
        TemplateSyntaxError: the text is none.
    """
    template = environment.from_string(text)
    template.globals = dict(template.globals)  # a ChainMap is copied at every rendering, slowly
    return template


def variables_of(environment: ImmutableSandboxedEnvironment, text: str) -> set[str]:
    """Return the names a template looks up, those of Jinja2 itself left out; none when it is no template."""
    try:
        return meta.find_undeclared_variables(environment.parse(text)) - environment.globals.keys()
    except TemplateSyntaxError:
        return set()


def quoted_name(message: str) -> str:
    """Return the name that a message of Jinja2 puts in quotes; "" without one."""
    parts = message.split("'")
    return parts[1] if len(parts) > 2 else ""
