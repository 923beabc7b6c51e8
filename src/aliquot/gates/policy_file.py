"""Reading a policy file: strict keys, typed values, every complaint with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Final, cast

from aliquot.analysis.margins import HIGHEST_LEVEL, share_of
from aliquot.errors import InputError, UsageError
from aliquot.files.base_branch import text_of
from aliquot.files.documents import Node, parse
from aliquot.gates.policy import (
    COSTS,
    EFFECTS,
    SHARES,
    UNDECIDED,
    BaselineRule,
    CostRule,
    Effect,
    Merges,
    MergeShare,
    MetricRule,
    Policy,
    SegmentRule,
    Undecided,
)

KEYS: Final = ("metrics", "costs", "critical", "quarantine", "baseline", "merges", "undecided", "level")
METRIC_KEYS: Final = ("no_worse_than", "at_least", "effect", "segments")
RULE_KEYS: Final = ("no_worse_than", "effect")
BASELINE_KEYS: Final = ("name", "oldest_days")
MERGES_KEYS: Final = ("a_year", "false_fails_a_year", "share", "history")
HEADLINE: Final = "headline"
"""Stands for the log's own headline among the metrics."""

WANTED: Final = "A policy is YAML with metrics and what each may lose: see docs/gate.md"
EMPTY: Final = "Write at least: metrics: {headline: {no_worse_than: 2pt}}"


def read_policy(path: str | Path) -> Policy:
    """Read a policy file.

    Raises:
        UsageError: there is no such file.
        InputError: a key or value that cannot be used, with its line.
    """
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise UsageError(f"there is no policy file {path}; aliquot init gate writes one") from error
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=str(path)) from error
    return parse_policy(text_of(data, file=str(path)), file=str(path))


def parse_policy(text: str, *, file: str) -> Policy:
    """Return the policy that a YAML text describes.

    Args:
        text: the YAML text.
        file: its name, for messages.

    Raises:
        InputError: a key or value that cannot be used, with its line.

    Examples:
        >>> parse_policy("metrics: {passed: {no_worse_than: 2pt}}", file="gate.yaml").metrics[0].metric
        'passed'
    """
    root = parse(text, file=file, remedy=WANTED, empty=EMPTY)
    keys = root.mapping(KEYS, remedy=WANTED)
    metrics = _metrics(keys["metrics"]) if "metrics" in keys else ()
    costs = _costs(keys["costs"]) if "costs" in keys else {}
    critical = keys["critical"].texts() if "critical" in keys else ()
    if not (metrics or costs or critical):
        root.refuse("the policy asks for nothing: no metrics, costs or critical items", remedy=EMPTY)
    if len(set(critical)) < len(critical):
        keys["critical"].refuse("an item stands twice", remedy="Keep one")
    try:
        return Policy(
            metrics=metrics,
            costs=costs,
            critical=critical,
            quarantine=_quarantine(keys["quarantine"]) if "quarantine" in keys else {},
            baseline=_baseline(keys["baseline"]) if "baseline" in keys else BaselineRule(),
            merges=_merges(keys["merges"]) if "merges" in keys else None,
            undecided=cast("Undecided", keys["undecided"].one_of(UNDECIDED))
            if "undecided" in keys
            else "fail",
            level=keys["level"].number(low=0.5, high=HIGHEST_LEVEL) if "level" in keys else 0.95,
            source=file,
        )
    except UsageError as error:
        raise InputError(str(error), file=file) from error


def _metrics(node: Node) -> tuple[MetricRule, ...]:
    named = node.mapping()
    if not named:
        node.refuse("no metric is listed", remedy=EMPTY)
    return tuple(_metric(name, one) for name, one in named.items())


def _metric(name: str, node: Node) -> MetricRule:
    keys = node.mapping(METRIC_KEYS)
    if not {"no_worse_than", "at_least", "segments"} & set(keys):
        node.refuse("it says neither no_worse_than, at_least nor segments", remedy="Write no_worse_than: 2pt")
    return MetricRule(
        metric="" if name == HEADLINE else name,
        no_worse_than=_margin(keys["no_worse_than"]) if "no_worse_than" in keys else None,
        at_least=_floor(keys["at_least"]) if "at_least" in keys else None,
        effect=_effect(keys, "blocks"),
        segments={field: _segment(one) for field, one in keys["segments"].mapping().items()}
        if "segments" in keys
        else {},
    )


def _segment(node: Node) -> SegmentRule:
    keys = _rule(node)
    return SegmentRule(_margin(keys["no_worse_than"]), _effect(keys, "investigates"))


def _costs(node: Node) -> dict[str, CostRule]:
    found: dict[str, CostRule] = {}
    for name, one in node.mapping(COSTS).items():
        keys = _rule(one)
        found[name] = CostRule(_margin(keys["no_worse_than"]), _effect(keys, "blocks"))
    return found


def _rule(node: Node) -> dict[str, Node]:
    keys = node.mapping(RULE_KEYS)
    if "no_worse_than" not in keys:
        node.refuse("the key 'no_worse_than' is missing")
    return keys


def _effect(keys: dict[str, Node], otherwise: Effect) -> Effect:
    return cast("Effect", keys["effect"].one_of(EFFECTS)) if "effect" in keys else otherwise


def _margin(node: Node) -> float | str:
    """Return a margin as it stands; what it means is known with the metric's scale, that it is positive here."""
    if isinstance(node.value, bool) or not isinstance(node.value, int | float | str):
        node.refuse("a margin is written 2pt, 20% or as a number")
    text = str(node.value).strip().removesuffix("pt").removesuffix("%")
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        node.refuse(f"{node.value!r} is no margin", remedy="Write 2pt, 20% or a number above 0")
    return node.value


def _floor(node: Node) -> float:
    if isinstance(node.value, bool) or not isinstance(node.value, int | float | str):
        node.refuse("a floor is written 90% or 0.9")
    try:
        share = share_of(node.value)
    except UsageError as error:
        node.refuse(str(error))
    if not 0 < share < 1:
        node.refuse(f"a floor lies between 0 and 1 (0.9, or 90%); got {node.value}")
    return share


def _quarantine(node: Node) -> dict[str, str]:
    """Return quarantined items with the reason: a list of ids, or ids with a text each."""
    if isinstance(node.value, list):
        return dict.fromkeys(node.texts(), "")
    return {item: "" if one.value is None else one.text() for item, one in node.mapping().items()}


def _baseline(node: Node) -> BaselineRule:
    if isinstance(node.value, str):
        return BaselineRule(name=node.value)
    keys = node.mapping(BASELINE_KEYS)
    return BaselineRule(
        name=keys["name"].text() if "name" in keys else None,
        oldest_days=keys["oldest_days"].number(low=0) if "oldest_days" in keys else None,
    )


def _merges(node: Node) -> Merges:
    keys = node.mapping(MERGES_KEYS)
    if "a_year" not in keys:
        node.refuse("the key 'a_year' is missing", remedy="Say how many merges there are in a year")
    return Merges(
        a_year=keys["a_year"].whole(low=1),
        false_fails_a_year=keys["false_fails_a_year"].number(low=0) if "false_fails_a_year" in keys else None,
        share=cast("MergeShare", keys["share"].one_of(SHARES)) if "share" in keys else "equal",
        history=keys["history"].text() if "history" in keys else None,
    )
