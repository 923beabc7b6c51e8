"""Reading what an evaluation file says of a judge: ``{judge: rubric.yaml, model: …}``."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from aliquot.errors import InputError, UsageError
from aliquot.files.documents import Node, parse
from aliquot.runner.judge_specs import JudgeModel, JudgeSpec
from aliquot.runner.models import read_model
from aliquot.runner.price_keys import read_prices
from aliquot.runner.stored import StoredRun
from aliquot.systems.baselines import Baseline

JUDGE_KEYS: Final = ("judge", "model", "prices", "models")
_WANTED: Final = "Name a model, or write {base_url: …, model: …, api_key_env: …}"
PANEL_KEYS: Final = ("model", "prices")


def read_judge_spec(node: Node, *, folder: str) -> JudgeSpec:
    """Return the judge that a mapping describes, its file read.

    Args:
        node: the mapping: ``judge`` with ``model`` and ``prices``, or with ``models``, a list of those.
        folder: the evaluation file's folder, which paths are relative to.

    Raises:
        InputError: a key or value that cannot be used, with its line; or the judge's own file cannot be.
    """
    keys = node.mapping(JUDGE_KEYS)
    if ("model" in keys) == ("models" in keys):
        node.refuse(
            "a judge needs a model, or a panel of them as models", remedy="Say model: …, or models: […]"
        )
    if "models" in keys and "prices" in keys:
        keys["prices"].refuse(
            "each model of a panel has its own", remedy="Write models: [{model: …, prices: …}]"
        )
    panel = keys["models"].entries() if "models" in keys else [node]
    models = tuple(_model(one, folder=folder) for one in panel)
    try:
        return JudgeSpec(judge=keys["judge"].text(), models=models, folder=folder).read()
    except InputError:
        raise
    except UsageError as error:
        keys["judge"].refuse(str(error))


def judge_model_of(told: str) -> JudgeModel:
    """Return the model that a command line names: by its name, or as a mapping in YAML or JSON.

    Args:
        told: ``embedded``, or ``{base_url: …, model: …}``, that one with prices among its keys, or either with them
            beside it: ``{model: …, prices: …}``.

    Raises:
        UsageError: it is neither.

    Examples:
        >>> judge_model_of("{base_url: 'http://127.0.0.1:8080/v1', model: tiny}").name
        'tiny'
        >>> judge_model_of("{base_url: 'http://h/v1', model: tiny, prices: {input: 2, output: 8}}").prices.output
        8
    """
    if not told.lstrip().startswith("{"):
        return JudgeModel(model=told)
    try:
        return _model(parse(told, file="--model", remedy=_WANTED), folder="")
    except InputError as error:
        raise UsageError(str(error)) from error


def _model(node: Node, *, folder: str) -> JudgeModel:
    """Return a model: its name, what describes one, prices among its keys or not, or either with them beside it."""
    keys = node.mapping() if isinstance(node.value, dict) else {}
    if "model" in keys and "base_url" not in keys:
        told = keys["model"]
        if "judge" not in keys:
            node.mapping(PANEL_KEYS)
    elif "prices" in keys:
        told = replace(node, value={name: value for name, value in keys.items() if name != "prices"})
    else:
        told = node
    model = read_model(told, folder=folder)
    if isinstance(model, StoredRun | Baseline):
        told.refuse("a judge has to be asked", remedy="Name a model, a function or a command")
    return JudgeModel(model=model, prices=read_prices(keys["prices"]) if "prices" in keys else None)
