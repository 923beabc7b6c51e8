"""Reading an evaluation file: strict keys, typed values, every complaint with its line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final, Literal, cast

from aliquot.errors import InputError, UsageError, excerpt
from aliquot.files.documents import Node, parse
from aliquot.item_sets.sources import ENDINGS
from aliquot.runner.endpoints import read_endpoint
from aliquot.runner.evaluation import (
    GUARD_SHARES,
    MODES,
    NO_GUARDS,
    Evaluation,
    Guards,
    ModelName,
    SampleSpec,
    ScorerSpec,
    SystemSpec,
)
from aliquot.runner.money import Prices
from aliquot.scorers.rules import RULES
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.requests import Decoding

KEYS: Final = (
    "name", "task", "items", "sample", "seed", "attempts", "cluster", "segments", "scorer", "guards",
    "systems",
)  # fmt: skip
SYSTEM_KEYS: Final = ("model", "mode", "instructions", "prompt", "decoding", "prices")
PRICE_KEYS: Final = ("input", "output", "cached", "per", "currency", "source")
GUARD_KEYS: Final = (*GUARD_SHARES, "first")
REQUIRED: Final = ("name", "items", "scorer", "systems")
SYSTEM_REQUIRED: Final = ("model", "prompt")
WANTED: Final = "An evaluation file is YAML with name, items, scorer and systems: see docs/evaluation.md"
DECODING_KEYS: Final = ("temperature", "max_tokens", "stop", "top_p", "seed")


def read_evaluation(path: str | Path) -> Evaluation:
    """Read an evaluation file.

    Raises:
        UsageError: there is no such file.
        InputError: a key or value that cannot be used, with its line.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise UsageError(f"there is no evaluation file {path}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({error})", file=str(path)) from error
    return parse_evaluation(text, file=str(path))


def parse_evaluation(text: str, *, file: str) -> Evaluation:
    """Return the evaluation that a YAML text describes.

    A path to items is taken relative to the file.

    Args:
        text: the YAML text.
        file: its name, for messages and relative paths.

    Raises:
        InputError: a key or value that cannot be used, with its line.
    """
    root = parse(text, file=file, remedy=WANTED)
    _require_keys(root)
    keys = root.mapping(KEYS)
    systems = keys["systems"].mapping()
    if not systems:
        keys["systems"].refuse("no system is listed", remedy="List at least one")
    try:
        return Evaluation(
            name=keys["name"].text(),
            task=_text(keys, "task"),
            items=_items(keys["items"].text(), folder=Path(file).parent),
            sample=_sample(keys["sample"]) if "sample" in keys else None,
            seed=keys["seed"].whole() if "seed" in keys else 0,
            attempts=keys["attempts"].whole(low=1) if "attempts" in keys else 1,
            cluster=_text(keys, "cluster"),
            segments=keys["segments"].texts() if "segments" in keys else (),
            scorer=_scorer(keys["scorer"]),
            guards=_guards(keys["guards"]) if "guards" in keys else Guards(),
            systems={name: _system(node) for name, node in systems.items()},
            file=file,
        )
    except UsageError as error:
        raise InputError(str(error), file=file) from error


def _require_keys(root: Node) -> None:
    """Refuse a file that lacks keys, with all of them in one line."""
    lacking = {f"{name!r}": hint for name, hint in root.lacking(REQUIRED).items()}
    systems = root.mapping(remedy=WANTED).get("systems")
    listed = systems.mapping() if systems is not None and isinstance(systems.value, dict) else {}
    for system, node in listed.items():
        if isinstance(node.value, dict):
            for name, hint in node.lacking(SYSTEM_REQUIRED).items():
                lacking[f"{name!r} of system {excerpt(system)}"] = hint or f"line {node.line}"
    if lacking:
        named = ", ".join(f"{name} ({hint})" if hint else name for name, hint in lacking.items())
        verb = "the key {} is missing" if len(lacking) == 1 else "the keys {} are missing"
        raise InputError(verb.format(named), file=root.file, remedy="See docs/evaluation.md")


def _text(keys: dict[str, Node], name: str) -> str | None:
    return keys[name].text() if name in keys else None


def _items(named: str, *, folder: Path) -> str:
    path = Path(named)
    return str(folder / path) if path.suffix in ENDINGS and not path.is_absolute() else named


def _sample(node: Node) -> SampleSpec:
    keys = node.mapping(("items", "by"))
    if "items" not in keys:
        node.refuse("the key 'items' is missing", remedy="Say how many items to draw")
    return SampleSpec(items=keys["items"].whole(low=1), by=_text(keys, "by"))


def _scorer(node: Node) -> ScorerSpec:
    if isinstance(node.value, str):
        return ScorerSpec(rule=node.one_of(RULES))
    keys = node.mapping(("field",))
    if "field" not in keys:
        node.refuse("the key 'field' is missing", remedy=f"Or name a rule: {', '.join(RULES)}")
    return ScorerSpec(field=keys["field"].text())


def _guards(node: Node) -> Guards:
    """Return the guards; one that is ``off`` gets the share that no answers can break."""
    if node.value is False:
        return NO_GUARDS
    keys, guards = node.mapping(GUARD_KEYS), Guards()
    for name, off in GUARD_SHARES.items():
        if name in keys:
            share = off if keys[name].value is False else keys[name].number(low=0, high=1)
            guards = replace(guards, **{name: share})
    return replace(guards, first=keys["first"].whole(low=1)) if "first" in keys else guards


def _system(node: Node) -> SystemSpec:
    keys = node.mapping(SYSTEM_KEYS)
    mode = keys["mode"].one_of(MODES) if "mode" in keys else "chat"
    model = _model(keys["model"])
    if isinstance(model, Endpoint):
        try:
            model.require_mode(mode)
        except UsageError as error:
            keys["model"].refuse(str(error))
    return SystemSpec(
        model=model,
        mode=cast("Literal['chat', 'completion']", mode),
        instructions=_text(keys, "instructions"),
        prompt=keys["prompt"].text(),
        decoding=_decoding(keys["decoding"]) if "decoding" in keys else Decoding(),
        prices=_prices(keys["prices"]) if "prices" in keys else None,
    )


def _prices(node: Node) -> Prices:
    keys = node.mapping(PRICE_KEYS)
    for name in ("input", "output"):
        if name not in keys:
            node.refuse(f"the key {name!r} is missing", remedy="Say what a million tokens of each cost")
    return Prices(
        input=keys["input"].number(low=0),
        output=keys["output"].number(low=0),
        cached=keys["cached"].number(low=0) if "cached" in keys else None,
        per=keys["per"].whole(low=1) if "per" in keys else 1_000_000,
        currency=keys["currency"].text() if "currency" in keys else "USD",
        source=keys["source"].text() if "source" in keys else "",
    )


def _model(node: Node) -> ModelName:
    """Return a model's name, or where it is asked over HTTP."""
    return read_endpoint(node) if isinstance(node.value, dict) else node.text()


def _decoding(node: Node) -> Decoding:
    keys = node.mapping(DECODING_KEYS)
    standard = Decoding()
    return Decoding(
        temperature=_temperature(keys["temperature"]) if "temperature" in keys else standard.temperature,
        max_tokens=keys["max_tokens"].whole(low=1) if "max_tokens" in keys else standard.max_tokens,
        stop=keys["stop"].texts() if "stop" in keys else (),
        top_p=keys["top_p"].number(low=0, high=1) if "top_p" in keys else None,
        seed=keys["seed"].whole() if "seed" in keys else None,
    )


def _temperature(node: Node) -> float | None:
    """Return a temperature; ``null`` leaves it to the system, as some servers refuse any."""
    return None if node.value is None else node.number(low=0)
