"""What a run writes down about itself, and when a directory may not take further answers."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from aliquot.analysis.majority import majority_of
from aliquot.errors import UsageError, excerpt
from aliquot.files.commits import describe_commit
from aliquot.files.manifest import Manifest
from aliquot.findings.numbers import write_count
from aliquot.item_sets.items import digest
from aliquot.item_sets.option_order import AS_GIVEN
from aliquot.item_sets.samples import Selection
from aliquot.runner.evaluation import CHOICE, UNDRAWN, ModelName, SystemSpec, components_of
from aliquot.runner.executor import Terms
from aliquot.runner.judge_guard import judge_words
from aliquot.runner.judge_manifest import changed_judges, describe_judges
from aliquot.runner.judge_specs import kept_as
from aliquot.runner.order import ORDER, ORDER_OF_UNITS
from aliquot.runner.plan import Plan
from aliquot.runner.prompts import Prompt
from aliquot.runner.shots import Shots
from aliquot.runner.stored import StoredAnswers
from aliquot.scorers.rule import Rule
from aliquot.systems.system import Observed, System

PACKAGES: Final = ("aliquot", "jinja2", "msgspec", "numpy", "polars", "pyyaml")
"""Packages whose version may matter for what was asked or how it was scored."""

CIRCUMSTANCES: Final = frozenset({"api_version", "base_url", "engine", "stream"})
"""Components that matter only for answers still to come; any other one makes a system another one."""

SHOWING: Final = ("values", "option_order", "shots", "variant")
"""What a system's description holds only where there is something to say."""


def make_manifest(plan: Plan, models: Mapping[ModelName, System], *, now: datetime, terms: Terms) -> Manifest:
    """Return the manifest of a run that is about to start.

    Args:
        plan: what is asked.
        models: the opened systems by model name.
        now: when the run starts.
        terms: how it asks.
    """
    evaluation = plan.evaluation
    return Manifest(
        name=evaluation.name,
        task=plan.task,
        item_set={
            "name": plan.item_set.name,
            "version": plan.item_set.version,
            "licence": plan.item_set.licence,
            "hash": plan.item_set.hash,
            "source": plan.item_set.source,
            "selection": asdict(plan.selection),
            "selected": describe_selection(plan.selection),
            "order": ORDER if terms.stop is None else ORDER_OF_UNITS,
            "chosen": digest(sorted(item.id for item in plan.items)),
            "majority": _majority(plan),
        },
        systems={
            name: _describe_system(spec, models[spec.model], plan.prompts.get(name))
            for name, spec in evaluation.systems.items()
        },
        scorers=_describe_rules(plan.rules.values()),
        alternatives={
            way.metric: _describe_rules(rules.values())
            for way, rules in zip(plan.rescored(), plan.alternatives, strict=True)
        },
        judges=describe_judges(plan.judge_specs, models),
        attempts=evaluation.attempts,
        seed=evaluation.seed,
        cluster=evaluation.cluster,
        segments=evaluation.segments,
        started=now.isoformat(timespec="seconds"),
        stopping={} if terms.stop is None else terms.stop.record,
        versions=_versions(),
        warnings=tuple(_warnings(plan, models)),
        settings={
            "file": evaluation.file,
            "concurrency": terms.concurrency,
            "interleave": terms.interleave,
            "cache": terms.cache is not None,
            "max_cost": terms.max_cost,
            "allow_self_judge": terms.allow_self_judge,
            "guards": asdict(evaluation.guards),
            "execute_code": evaluation.execute_code,
            "commit": describe_commit(Path(evaluation.file)) if evaluation.file else "",
        },
    )


def continue_manifest(old: Manifest | None, new: Manifest, *, anything_left: bool) -> Manifest:
    """Return the manifest to go on with, keeping when the run began.

    Args:
        old: the directory's manifest, if it has one.
        new: the manifest of what is asked now.
        anything_left: whether answers are still owed.

    Raises:
        UsageError: the directory's answers belong to another evaluation and would be mixed with new ones.
    """
    if old is None:
        return new
    changed = [
        *_changes(old, new, with_versions=anything_left),
        *changed_judges(old.judges, new.judges, with_versions=anything_left),
    ]
    if changed:
        raise UsageError(
            f"the run {old.name!r} holds answers to another evaluation; changed: {', '.join(changed)}. "
            "Give the changed evaluation a new name, or undo the change"
        )
    systems = {name: _seen(old.systems.get(name, {})) | about for name, about in new.systems.items()}
    settings = new.settings | {"commit": _both(old.settings.get("commit", ""), new.settings["commit"])}
    return msgspec.structs.replace(
        new,
        started=old.started,
        systems=systems,
        judges=old.judges | new.judges,
        settings=settings,
        sessions=old.sessions,
    )


def note_observed(manifest: Manifest, plan: Plan, models: Mapping[ModelName, System]) -> Manifest:
    """Return the manifest with what the systems' servers said of themselves while they answered.

    What an earlier session saw is kept beside it, so that a model which changed in between shows.
    """
    systems = dict(manifest.systems)
    for name, spec in plan.evaluation.systems.items():
        model = models[spec.model]
        if isinstance(model, Observed):
            before = systems[name].get("observed", {})
            seen = {part: _both(before.get(part, ""), value) for part, value in model.observed.items()}
            systems[name] = {**systems[name], "observed": {**before, **seen}}
    return msgspec.structs.replace(manifest, systems=systems)


def told_by_servers(plan: Plan, models: Mapping[ModelName, System]) -> Iterator[str]:
    """Yield what a reader should hear of this session: parameters that a server did not take, and its warnings."""
    for name, spec in plan.evaluation.systems.items():
        model = models[spec.model]
        seen = model.observed if isinstance(model, Observed) else {}
        if "overruled" in seen:
            yield f"the server of {name!r} did not take every parameter as it was sent: {seen['overruled']}"
        if "server_warnings" in seen:
            yield f"the server of {name!r} warns: {seen['server_warnings']}"


def _majority(plan: Plan) -> dict[str, Any] | None:
    """Return the most frequent right answer of the chosen items and what always giving it reaches."""
    found = majority_of(plan.labels, of=len(plan.items))
    return None if found is None else {"label": found[0], **asdict(found[1])}


def _seen(about: Mapping[str, Any]) -> dict[str, Any]:
    return {"observed": about["observed"]} if "observed" in about else {}


def _both(before: str, now: str) -> str:
    return ", ".join(dict.fromkeys(part for part in (*before.split(", "), *now.split(", ")) if part))


def describe_selection(selection: Selection) -> str:
    """Return in one line how the items were chosen.

    Examples:
        >>> describe_selection(Selection(how="stratified", n=96, of=230, asked=96, by="segment", seed=7))
        'stratified sample, 96 of 230 by segment, seed 7'
    """
    if selection.how == "all":
        return f"all {selection.of} items"
    if selection.seed is None:
        return f"{selection.how}, {selection.n} of {selection.of}"
    by = f" by {selection.by}" if selection.by else ""
    whole = f", whole {selection.cluster}s" if selection.cluster else ""
    return f"{selection.how} sample, {selection.n} of {selection.of}{by}{whole}, seed {selection.seed}"


def _describe_rules(rules: Iterable[Rule]) -> dict[str, dict[str, Any]]:
    return {
        kept_as(rule): {
            "metric": rule.metric,
            "version": rule.version,
            "normalisation": rule.normalisation,
            "misleads": rule.misleads,
        }
        for rule in sorted(set(rules), key=lambda rule: rule.name)
    }


def _describe_system(spec: SystemSpec, model: System, prompt: Prompt | None) -> dict[str, Any]:
    if isinstance(model, StoredAnswers):
        return {**model.about, "components": components_of(spec, model)}
    template: dict[str, Any] = {"mode": spec.mode, "instructions": spec.instructions, "prompt": spec.prompt}
    if spec.values:
        template["values"] = dict(spec.values)
    choice = {name: getattr(spec, name) for name in CHOICE} if spec.mode == "likelihood" else {}
    return {
        **template,
        **choice,
        **_describe_showing(spec, None if prompt is None else prompt.shots),
        "prompt_sha256": digest(template),
        "decoding": None if spec.mode in UNDRAWN else asdict(spec.decoding),
        "prices": None if spec.stated is None else asdict(spec.stated),
        "components": components_of(spec, model),
    }


def _describe_showing(spec: SystemSpec, shots: Shots | None) -> dict[str, Any]:
    """Return how options and shots are shown and which variant this is, where anything is to be said."""
    found: dict[str, Any] = {}
    if spec.option_order != AS_GIVEN:
        found["option_order"] = asdict(spec.option_order)
    if spec.shots is not None and shots is not None:
        found["shots"] = {**asdict(spec.shots), "hash": shots.hash, "said": str(spec.shots)}
    if spec.variant is not None:
        found["variant"] = {"of": spec.variant.of, "levels": dict(spec.variant.levels)}
    return found


def _changes(old: Manifest, new: Manifest, *, with_versions: bool) -> list[str]:
    changed = [
        word
        for word, before, after in (
            ("task", old.task, new.task),
            ("items", old.item_set.get("hash"), new.item_set.get("hash")),
            ("seed", old.seed, new.seed),
            ("sample", old.item_set.get("chosen"), new.item_set.get("chosen")),
        )
        if before != after
    ]
    for name in old.systems.keys() & new.systems.keys():
        before, after = _plain(old.systems[name]), _plain(new.systems[name])
        changed += [
            f"{part} of {name!r}"
            for part in ("mode", "instructions", "prompt", *CHOICE, "decoding", *SHOWING, "stored")
            if _said(before.get(part)) != _said(after.get(part))
        ]
        parts = before["components"].keys() | after["components"].keys()
        changed += [
            f"{part} of {name!r}"
            for part in sorted(parts)
            if (part not in CIRCUMSTANCES or with_versions)
            and before["components"].get(part) != after["components"].get(part)
        ]
    return changed


def _said(part: Any) -> Any:
    """Return a part of a description without what is left unset, which an older version may not know."""
    if not isinstance(part, dict):
        return part
    return {name: value for name, value in cast("dict[str, Any]", part).items() if value is not None}


def _plain(about: dict[str, Any]) -> dict[str, Any]:
    """Return a system's description as it looks after a trip through JSON."""
    return msgspec.json.decode(msgspec.json.encode(about))


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "platform": f"{platform.system()} {platform.machine()}"}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed as a package"
    return found


def _warnings(plan: Plan, models: Mapping[ModelName, System]) -> list[str]:
    said: list[str] = []
    for name, spec in plan.evaluation.systems.items():
        if spec.mode in {"completion", "likelihood"} and spec.prompt != spec.prompt.rstrip():
            said.append(
                f"the prompt of {name!r} ends with white space, which a {spec.mode} continues; write |- for |"
            )
        if spec.mode == "perplexity" and spec.prompt != spec.prompt.strip():
            said.append(f"the prompt of {name!r} adds white space to the text, which counts; write |- for |")
        if spec.continuations == "letters" and not plan.prompts[name].shows_options(plan.items[0]):
            said.append(
                f"the prompt of {name!r} does not show the options that the letters stand for: "
                f"{{% for option in options %}}"
            )
        if isinstance(model := models[spec.model], StoredAnswers):
            said += model.notes
    said += judge_words(plan.judge_specs)
    passing = [item.id for item in plan.items if plan.rules[item.id].passes_nothing(item)]
    if passing:
        count = write_count(len(passing), "item asks", plural="items ask")
        said.append(
            f"{count} for nothing that an empty answer lacks ({excerpt(passing[0])}, by the rule "
            f"{plan.rules[passing[0]].name!r}); an answer without text counts as failed all the same"
        )
    asked, drawn = plan.selection.asked, plan.selection.n
    if asked is not None and drawn < asked:
        said.append(f"{drawn} of {asked} items were drawn: no further whole {plan.selection.cluster} fits")
    return said
