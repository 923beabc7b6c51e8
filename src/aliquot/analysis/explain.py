"""Methods in plain words, and a paragraph about a saved finding that is no stronger than the finding."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import aliquot.stats
from aliquot.errors import InputError, UsageError, nearest
from aliquot.findings.explanation import MethodNote
from aliquot.stats.listing import methods
from aliquot.stats.method_names import function_of

COMPARISON: Final = "aliquot.comparison/1"
"""The findings a paragraph can be written about."""

_SECTION = re.compile(r"^(Args|Returns|Raises|References|Examples|Attributes):$", re.MULTILINE)


def explain_method(name: str) -> MethodNote:
    """Return what a method does, by its function or by a name that a number carries.

    Raises:
        UsageError: no such method; the error names the nearest.

    Examples:
        >>> explain_method("mcnemar_midp").function
        'mcnemar'
    """
    known = {method.name: method for method in methods()}
    function = function_of(name)
    if function not in known:
        raise UsageError(f"there is no method {name!r}. {nearest(name, sorted(known))}")
    method = known[function]
    says, references = _documented(inspect.getdoc(getattr(aliquot.stats, function)) or "")
    return MethodNote(name, function, method.answers, method.assumes, method.source, says, references)


def _documented(text: str) -> tuple[str, str]:
    """Return the description and the references of a docstring, each as one paragraph."""
    parts = _SECTION.split(text)
    sections = dict(zip(parts[1::2], parts[2::2], strict=False))
    return _plain(parts[0]), _plain(sections.get("References", ""))


def _plain(text: str) -> str:
    """Return a part of a docstring as one paragraph without its markup."""
    named = re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"\1", text)
    return " ".join(named.replace("``", "").split())


def methods_of(document: Mapping[str, Any]) -> tuple[MethodNote, ...]:
    """Return the methods a saved comparison rests on: of its interval, of each system's, and the deciding test.

    Args:
        document: the finding as JSON.
    """
    difference, estimates = document.get("difference"), document.get("estimates")
    sides = estimates.values() if isinstance(estimates, Mapping) else ()
    named = [one.get("method") for one in (difference, *sides) if isinstance(one, Mapping)]
    tests = document.get("tests")
    made = tests if isinstance(tests, list) else []
    named += [test.get("name") for test in made if isinstance(test, Mapping) and test.get("decides")]
    return _notes_of(dict.fromkeys(name for name in named if isinstance(name, str)))


def _notes_of(names: Iterable[str]) -> tuple[MethodNote, ...]:
    """Return what is known of methods by the names that numbers carry; names of no method are left out."""
    known = {method.name for method in methods()}
    return tuple(explain_method(name) for name in names if function_of(name) in known)


def paragraph_of(document: Mapping[str, Any], notes: Iterable[MethodNote], *, file: str) -> str:
    """Return a methods paragraph about a saved comparison, with its citations.

    Args:
        document: the finding as JSON.
        notes: the methods it rests on.
        file: its name, for messages.

    Raises:
        InputError: it lacks what a comparison has.
    """
    try:
        return " ".join(_sentences(document, {note.function: note for note in notes}))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(
            f"lacks {error}", file=file, remedy="Save a comparison: aliquot compare A B --json > finding.json"
        ) from error


def _sentences(document: Mapping[str, Any], notes: Mapping[str, MethodNote]) -> Iterator[str]:
    systems, difference = document["systems"], document["difference"]
    unit = "item" if document["n_clusters"] is None else f"cluster ({document['n_clusters']} of them)"
    paired = "on the same items" if document["paired"] else "each on its own items"
    yield (
        f"{systems['candidate']} was compared with {systems['baseline']} {paired} "
        f"({document['n_items']} items of {document['task']}, metric {document['metric']}); "
        f"the unit of analysis is the {unit}."
    )
    if "undefined" in difference:
        yield f"No difference could be estimated: {difference['undefined']}."
        return
    yield (
        f"The difference was estimated with a {100 * difference['level']:g}% interval by "
        f"{_cited(difference['method'], notes)}."
    )
    deciding = next((test for test in document["tests"] if test["decides"]), None)
    if deciding is not None:
        yield (
            f"A difference is claimed only if {_cited(deciding['name'], notes)} rejects at "
            f"{1 - difference['level']:.2g} and the interval excludes 0."
        )
    if document["margin"] is not None:
        yield f"The margin of {document['margin']:g} was given before the verdict was read."
    beside = document["comparisons"] - 1
    if beside:
        yield f"Beside it {beside} more {'was' if beside == 1 else 'were'} looked at (other metrics, rules, segments)."
    software = document["versions"]
    yield f"Computed with Aliquot {software['aliquot']}, seed {document['seed']}."


def _cited(name: str, notes: Mapping[str, MethodNote]) -> str:
    note = notes.get(function_of(name))
    words = name.partition(",")[0].replace("_", " ")
    return f"{words} ({note.source})" if note is not None else words


def limitations_of(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a saved comparison does not say, a sentence each.

    Args:
        document: the finding as JSON.
    """
    found = [str(document.get("estimand", ""))]
    found += [f"Assumed: {text}." for text in document.get("assumptions", [])]
    found += [f"Not checked: {note['text']}." for note in document.get("not_checked", [])]
    missing = document.get("if_missing")
    if missing and missing.get("changes_verdict"):
        found.append(
            f"{missing['rows']} items have no value on a side, and the verdict could change with them."
        )
    return tuple(text for text in found if text)


def methods_paragraphs(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a methods section of a finding as JSON: of a comparison a paragraph and its limits, then each method.

    Args:
        document: the finding as JSON.
    """
    if document.get("schema") != COMPARISON:
        return tuple(map(_entry, _notes_of(dict.fromkeys(_named_methods(document)))))
    notes = methods_of(document)
    limits = " ".join(limitations_of(document))
    paragraph = paragraph_of(document, notes, file="the finding")
    return tuple(text for text in (paragraph, limits, *map(_entry, notes)) if text)


def _entry(note: MethodNote) -> str:
    source = (note.references or note.source).removesuffix(".")
    return f"{note.name}: {note.answers}. It assumes {note.assumes}. {source}."


def _named_methods(value: object) -> Iterator[str]:
    """Yield the names of methods that the numbers of a document carry, wherever they stand."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name == "method" and isinstance(inner, str):
                yield inner
            else:
                yield from _named_methods(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _named_methods(inner)
