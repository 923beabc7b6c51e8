"""Reading an evaluation file: strict keys, typed values, every complaint with its line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

from aliquot.analysis.margins import margin_on, share_of
from aliquot.errors import InputError, UsageError, excerpt
from aliquot.files.documents import Node, parse
from aliquot.files.plan_file import DIRECTIONS
from aliquot.item_sets.option_order import AS_GIVEN
from aliquot.item_sets.sources import ENDINGS
from aliquot.runner.evaluation import (
    CHOICE,
    CONTINUATIONS,
    GUARD_SHARES,
    MODES,
    NO_GUARDS,
    TAKEN,
    UNDRAWN,
    Continuations,
    Evaluation,
    Guards,
    Mode,
    SampleSpec,
    ScorerSpec,
    SystemSpec,
)
from aliquot.runner.judge_keys import read_judge_spec
from aliquot.runner.models import read_components, read_model
from aliquot.runner.price_keys import read_prices
from aliquot.runner.prompt_keys import read_option_order, read_shots, read_values
from aliquot.runner.stored import StoredRun
from aliquot.runner.success import PASS_OR_FAIL, Success
from aliquot.runner.variants import expand_variants
from aliquot.scorers.rules import RULES, rule_text
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.requests import MOST_LOGPROBS, Decoding

KEYS: Final = (
    "name", "task", "items", "sample", "seed", "attempts", "cluster", "segments", "scorer",
    "scorers", "execute_code", "guards", "success", "systems",
)  # fmt: skip
SUCCESS_KEYS: Final = ("direction", "margin", "at_least", "level", "comparisons")
SYSTEM_KEYS: Final = (
    "model", "mode", "instructions", "prompt", "values", "option_order", "shots", "decoding", "continuations",
    "separator", "unconditional", "prices", "components", "variants",
)  # fmt: skip
STORED_SYSTEM_KEYS: Final = ("model", "components")
GUARD_KEYS: Final = (*GUARD_SHARES, "first")
REQUIRED: Final = ("name", "items", "systems")
SCORING: Final = ("scorer", "scorers")
"""Of these keys a file has exactly one."""

SYSTEM_REQUIRED: Final = ("model", "prompt")
WANTED: Final = "An evaluation file is YAML with name, items, scorer and systems: see docs/evaluation.md"
DECODING_KEYS: Final = ("temperature", "max_tokens", "stop", "top_p", "seed", "logprobs")


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
    seed, folder = keys["seed"].whole() if "seed" in keys else 0, Path(file).parent
    scorer, *alternatives = _scorers(keys, folder=folder)
    if not keys["systems"].mapping():
        keys["systems"].refuse("no system is listed", remedy="List at least one")
    try:
        return Evaluation(
            name=keys["name"].text(),
            task=_text(keys, "task"),
            items=_items(keys["items"].text(), folder=folder),
            sample=_sample(keys["sample"]) if "sample" in keys else None,
            seed=seed,
            attempts=keys["attempts"].whole(low=1) if "attempts" in keys else 1,
            cluster=_text(keys, "cluster"),
            segments=keys["segments"].texts() if "segments" in keys else (),
            scorer=scorer,
            alternatives=tuple(alternatives),
            guards=_guards(keys["guards"]) if "guards" in keys else Guards(),
            execute_code=keys["execute_code"].flag() if "execute_code" in keys else False,
            success=_success(keys["success"]) if "success" in keys else None,
            systems=_systems(keys["systems"], partial(_system, folder=folder, seed=seed)),
            file=file,
        )
    except UsageError as error:
        raise InputError(str(error), file=file) from error


def _require_keys(root: Node) -> None:
    """Refuse a file that lacks keys, with all of them in one line."""
    given = root.mapping(remedy=WANTED)
    wanted = REQUIRED if "scorers" in given else (*REQUIRED, "scorer")
    lacking = {f"{name!r}": hint for name, hint in root.lacking(wanted).items()}
    systems = given.get("systems")
    listed = systems.mapping() if systems is not None and isinstance(systems.value, dict) else {}
    for system, node in listed.items():
        if isinstance(node.value, dict):
            for name, hint in node.lacking(_required(node.value)).items():
                lacking[f"{name!r} of system {excerpt(system)}"] = hint or f"line {node.line}"
    if lacking:
        named = ", ".join(f"{name} ({hint})" if hint else name for name, hint in lacking.items())
        verb = "the key {} is missing" if len(lacking) == 1 else "the keys {} are missing"
        raise InputError(verb.format(named), file=root.file, remedy="See docs/evaluation.md")


def _required(system: dict[str, Node]) -> tuple[str, ...]:
    """Return the keys a system needs; stored answers were made by a prompt of their own, variants may bring theirs."""
    model = system.get("model")
    stored = model is not None and isinstance(model.value, dict) and "run" in model.value
    return ("model",) if stored or "variants" in system else SYSTEM_REQUIRED


def _text(keys: dict[str, Node], name: str) -> str | None:
    return keys[name].text() if name in keys else None


def _is_null(keys: dict[str, Node], name: str) -> bool:
    """Whether a key is there to take away what the system says: ``instructions: null``."""
    return name in keys and keys[name].value is None


def _items(named: str, *, folder: Path) -> str:
    path = Path(named)
    return str(folder / path) if path.suffix in ENDINGS and not path.is_absolute() else named


def _sample(node: Node) -> SampleSpec:
    keys = node.mapping(("items", "by"))
    if "items" not in keys:
        node.refuse("the key 'items' is missing", remedy="Say how many items to draw")
    by, asked = _text(keys, "by"), keys["items"].value
    if isinstance(asked, bool) or not isinstance(asked, int | str):
        keys["items"].refuse("this is neither a number of items from 1 nor a share like 50%")
    try:
        return SampleSpec(items=asked, by=by)
    except UsageError as error:
        keys["items"].refuse(str(error))


def _scorers(keys: dict[str, Node], *, folder: Path) -> list[ScorerSpec]:
    """Return the scorers, of which the first makes the headline."""
    if "scorers" not in keys:
        return [_scorer(keys["scorer"], folder=folder)]
    node = keys["scorers"]
    if "scorer" in keys:
        node.refuse("scorer and scorers exclude each other", remedy="Put the first of the list under scorers")
    listed = node.entries()
    if not listed:
        node.refuse("no scorer is listed", remedy="List at least one; the first makes the headline")
    return [_scorer(one, folder=folder) for one in listed]


def _scorer(node: Node, *, folder: Path) -> ScorerSpec:
    if isinstance(node.value, str):
        told: object = node.value
    elif "judge" in node.mapping():
        return ScorerSpec(judge=read_judge_spec(node, folder=str(folder)))
    elif "field" in (keys := node.mapping()):
        return ScorerSpec(field=node.mapping(("field",))["field"].text())
    elif "rule" not in keys:
        node.mapping(("rule", "field", "judge"))
        node.refuse("neither a rule, a field nor a judge is named", remedy=f"Name a rule: {', '.join(RULES)}")
    else:
        told = node.plain()
    try:
        return ScorerSpec(rule=rule_text(told))
    except UsageError as error:
        node.refuse(str(error))


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


def _success(node: Node) -> Success:
    keys = node.mapping(SUCCESS_KEYS)
    said: dict[str, Any] = {}
    if "direction" in keys:
        said["direction"] = keys["direction"].one_of(DIRECTIONS)
    try:
        if "margin" in keys:
            said["margin"] = margin_on(PASS_OR_FAIL, _share(keys["margin"]))
        if "at_least" in keys:
            said["at_least"] = share_of(_share(keys["at_least"]))
        if "level" in keys:
            said["level"] = keys["level"].number()
        if "comparisons" in keys:
            said["comparisons"] = keys["comparisons"].whole(low=1)
        if "margin" in said and "direction" not in said:
            said["direction"] = "not_worse"
        return Success(**said)
    except UsageError as error:
        node.refuse(str(error))


def _share(node: Node) -> float | str:
    """Return a number, or a text such as ``2pt`` or ``90%``."""
    return node.value if isinstance(node.value, str) else node.number()


def _systems(node: Node, read_system: Callable[[Node], SystemSpec]) -> dict[str, SystemSpec]:
    """Return the systems by name, each variant as one of its own."""
    found: dict[str, SystemSpec] = {}
    for entry, about in node.mapping().items():
        about.mapping(SYSTEM_KEYS)
        for name, spec in expand_variants(entry, about, read_system):
            if name in found:
                about.refuse(f"there are two systems {excerpt(name)}", remedy="Rename one")
            found[name] = spec
    return found


def _system(node: Node, *, folder: Path, seed: int) -> SystemSpec:
    keys = node.mapping(SYSTEM_KEYS)
    mode = cast("Mode", keys["mode"].one_of(MODES) if "mode" in keys else "chat")
    model = read_model(keys["model"], folder=str(folder))
    components = _components(keys["components"]) if "components" in keys else {}
    if isinstance(model, StoredRun):
        _refuse_asking(keys)
        return SystemSpec(model=model, components=components)
    for name in components.keys() & getattr(model, "components", {}).keys():
        keys["components"].refuse(f"{name!r} stands among the components of the model too", remedy="Keep one")
    if isinstance(model, Endpoint):
        try:
            model.require_mode(mode)
        except UsageError as error:
            keys["model"].refuse(str(error))
    for name in CHOICE:
        if name in keys and mode != "likelihood":
            keys[name].refuse(f"{name} needs mode: likelihood", remedy="Leave it out, or change the mode")
    if "decoding" in keys and mode in UNDRAWN:
        keys["decoding"].refuse(f"mode: {mode} draws no answer", remedy="Leave decoding out")
    continuations = keys["continuations"].one_of(CONTINUATIONS) if "continuations" in keys else "texts"
    return SystemSpec(
        model=model,
        mode=mode,
        instructions=None if _is_null(keys, "instructions") else _text(keys, "instructions"),
        prompt=keys["prompt"].text(),
        decoding=_decoding(keys["decoding"]) if "decoding" in keys else Decoding(),
        prices=read_prices(keys["prices"]) if "prices" in keys else None,
        continuations=cast("Continuations", continuations),
        separator=keys["separator"].text() if "separator" in keys else " ",
        unconditional=_text(keys, "unconditional"),
        components=components,
        values=read_values(keys["values"]) if "values" in keys else {},
        option_order=read_option_order(keys["option_order"], seed=seed)
        if "option_order" in keys
        else AS_GIVEN,
        shots=read_shots(keys["shots"], folder=folder, seed=seed) if "shots" in keys else None,
    )


def _components(node: Node) -> dict[str, str]:
    components = read_components(node)
    for name in TAKEN.intersection(components):
        node.mapping()[name].refuse(
            "the model itself tells it", remedy="Name what it does not know: index, retriever, tools"
        )
    return components


def _refuse_asking(keys: dict[str, Node]) -> None:
    """Refuse keys that say how to ask a system whose answers are stored; silence would pass them off as asked so."""
    for name in keys.keys() - set(STORED_SYSTEM_KEYS):
        keys[name].refuse(
            "the answers of a stored run were made by its own prompt and decoding",
            remedy="Leave this key out, or ask a model",
        )


def _decoding(node: Node) -> Decoding:
    keys = node.mapping(DECODING_KEYS)
    standard = Decoding()
    return Decoding(
        temperature=_temperature(keys["temperature"]) if "temperature" in keys else standard.temperature,
        max_tokens=keys["max_tokens"].whole(low=1) if "max_tokens" in keys else standard.max_tokens,
        stop=keys["stop"].texts() if "stop" in keys else (),
        top_p=keys["top_p"].number(low=0, high=1) if "top_p" in keys else None,
        seed=keys["seed"].whole() if "seed" in keys else None,
        logprobs=_logprobs(keys["logprobs"]) if "logprobs" in keys else None,
    )


def _temperature(node: Node) -> float | None:
    """Return a temperature; ``null`` leaves it to the system, as some servers refuse any."""
    return None if node.value is None else node.number(low=0)


def _logprobs(node: Node) -> int | None:
    """Return how many alternatives are asked for at each place; ``true`` is one."""
    if node.value is None or isinstance(node.value, bool):
        return 1 if node.value else None
    count = node.whole(low=1)
    if count > MOST_LOGPROBS:
        node.refuse(f"{count} alternatives are too many", remedy=f"Servers take up to {MOST_LOGPROBS}")
    return count
