"""What a run writes down about its judges."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

import msgspec

from aliquot.errors import InputError
from aliquot.runner.evaluation import ModelName
from aliquot.runner.judge_specs import JudgeSpec, KeptJudge, kept_as
from aliquot.systems.system import System


def describe_judges(
    specs: Iterable[JudgeSpec], models: Mapping[ModelName, System]
) -> dict[str, dict[str, Any]]:
    """Return by the name of its rule what each judge is: all that it asks, its hashes, and the models it asks.

    Args:
        specs: the judges, their files read.
        models: the opened models.
    """
    found: dict[str, dict[str, Any]] = {}
    for spec in specs:
        kept = spec.kept
        found[kept_as(kept.rule)] = {
            "name": kept.judge.name,
            "hash": kept.judge.hash,
            "template_sha256": hashlib.sha256(kept.judge.asks.encode("utf-8", "surrogatepass")).hexdigest(),
            "decoding": {"temperature": 0.0, "max_tokens": kept.judge.max_tokens},
            "judge": msgspec.to_builtins(kept.judge),
            "models": {
                one.name: {
                    "components": dict(models[one.model].components),
                    "prices": None if one.stated is None else asdict(one.stated),
                }
                for one in spec.panel
            },
        }
    return found


def kept_judges(judges: Mapping[str, Mapping[str, Any]], *, file: str) -> dict[str, KeptJudge]:
    """Return the judges of a manifest, by the name of their rules.

    Raises:
        InputError: one of them cannot be read.
    """
    try:
        return {
            name: msgspec.convert({"judge": about["judge"], "models": list(about["models"])}, KeptJudge)
            for name, about in judges.items()
        }
    except (msgspec.ValidationError, KeyError, TypeError) as error:
        raise InputError(f"not the judge of a run: {error}", file=file, field="judges") from error


def changed_judges(
    old: Mapping[str, Mapping[str, Any]], new: Mapping[str, Mapping[str, Any]], *, with_versions: bool
) -> Iterator[str]:
    """Yield which judges' models are others under the same name; another judge or model is a new way to score."""
    for name in old.keys() & new.keys():
        before, after = old[name]["models"], new[name]["models"]
        for model in before.keys() & after.keys():
            if with_versions and _parts(before[model]) != _parts(after[model]):
                yield f"model {model!r} of the judge {new[name]['name']!r}"


def _parts(about: Mapping[str, Any]) -> dict[str, str]:
    """Return what makes a model; where its server stands does not."""
    return {part: said for part, said in about["components"].items() if part != "base_url"}
