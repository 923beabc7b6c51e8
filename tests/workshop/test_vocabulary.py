"""One vocabulary over every public function of ``stats``: the same word, the same default, everywhere."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

import aliquot.stats

DEFAULTS = {
    "level": {0.95, None, inspect.Parameter.empty},  # None: the level of the estimate that was given
    "alternative": {"two-sided", inspect.Parameter.empty},
    "rng": {None, inspect.Parameter.empty},
    "clusters": {None, inspect.Parameter.empty},
    "weights": {None, inspect.Parameter.empty},
    "strata": {None, inspect.Parameter.empty},
}

INSTEAD = {
    "level": {"alpha", "conf", "conf_level", "confidence", "confidence_level", "coverage"},
    "alternative": {"side", "sided", "tail", "tails", "two_sided", "one_sided"},
    "rng": {"seed", "random_state", "generator"},
    "n_resamples": {"B", "n_boot", "n_bootstrap", "n_permutations", "n_iter", "n_sim", "resamples", "draws"},
    "clusters": {"cluster", "groups", "group", "cluster_ids", "blocks"},
    "weights": {"weight", "sample_weight", "freq"},
    "strata": {"stratum", "layers"},
    "method": {"kind", "approach", "mode", "how"},
}

MOST_POSITIONAL = 6

YEAR = re.compile(r"(?<!,) ((?:1[89]|20)\d\d)")
"""A year behind a name."""

SOURCES = {method.name: method.source for method in aliquot.stats.methods()}

ABOUT_METHODS = {"coverage", "methods"}
"""Their data are the name of a method and a design, or a topic that may be left out."""


def public_functions() -> list[Any]:
    face = {name: getattr(aliquot.stats, name) for name in aliquot.stats.__all__}
    return [pytest.param(offered, id=name) for name, offered in face.items() if inspect.isfunction(offered)]


every_function = pytest.mark.parametrize("function", public_functions())


def parameters(function: Callable[..., object]) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


@every_function
def test_data_is_positional_and_the_rest_is_named(function: Callable[..., object]):
    positional = [p for p in parameters(function) if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    if function.__name__ not in ABOUT_METHODS:
        assert [p.name for p in positional if p.name in INSTEAD] == []
        assert [p.name for p in positional if p.default is not inspect.Parameter.empty] == []
    assert [p.name for p in positional if p.kind is inspect.Parameter.VAR_KEYWORD] == []
    assert len(positional) <= MOST_POSITIONAL


@every_function
def test_the_words_are_those_of_the_vocabulary(function: Callable[..., object]):
    names = {p.name for p in parameters(function)}
    assert {word: sorted(names & others) for word, others in INSTEAD.items() if names & others} == {}


@every_function
def test_a_word_has_one_default(function: Callable[..., object]):
    other = {
        p.name: p.default
        for p in parameters(function)
        if p.name in DEFAULTS and p.default not in DEFAULTS[p.name]
    }
    assert other == {}


@every_function
def test_it_says_what_it_is(function: Callable[..., object]):
    signature = inspect.signature(function)
    assert len(inspect.getdoc(function) or "") > 20
    assert signature.return_annotation is not inspect.Signature.empty
    assert [p.name for p in parameters(function) if p.annotation is inspect.Parameter.empty] == []


@every_function
def test_its_docstring_names_a_source_that_the_listing_names(function: Callable[..., object]):
    listed = SOURCES.get(function.__name__, "")
    years = set(YEAR.findall(listed))
    told = set(YEAR.findall((inspect.getdoc(function) or "").replace("(", "")))
    assert listed.startswith("as ") or not years or years & told


def test_the_walk_finds_the_statistics():
    assert len(public_functions()) > 50
