"""Reading the file of a judge: strict keys, typed values, every complaint with its line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

from aliquot.errors import InputError, UsageError, excerpt
from aliquot.files.documents import Node, parse
from aliquot.scorers.judges import PAIR_VERDICTS, Example, Judge, Point, Scale
from aliquot.scorers.lookalikes import skeleton
from aliquot.scorers.rubrics import rubric_names, rubric_text
from aliquot.scorers.verdicts import read_verdict

FORMS: Final = ("labels", "scale", "checklist", "pairwise")
"""Of these keys a file has exactly one: which verdicts there are."""

KEYS: Final = (
    "name", "says", "instructions", "asks", *FORMS, "passes", "pass_from", "continuous", "names", "against",
    "order", "few_shot", "repeats", "panel", "reference", "reply", "evaluation", "accept", "better", "max_tokens",
)  # fmt: skip
POINT_KEYS: Final = ("says", "points", "required")
EACH_KEYS: Final = ("each", "asks", "ranked")
WANTED: Final = (
    "A judge file is YAML with name, asks and labels, scale, checklist or pairwise: see docs/judges.md"
)

_MOST_LABELS: Final = 50
_MOST_REPEATS: Final = 100
_ONLY: Final[Mapping[str, tuple[str, ...]]] = {
    "passes": ("labels",),
    "pass_from": ("scale", "checklist"),
    "continuous": ("scale",),
    "accept": ("scale",),
    "better": ("scale",),
    "names": ("pairwise",),
    "against": ("pairwise",),
    "order": ("pairwise",),
}
"""Keys that say something of some forms only."""


def read_judge(path: str | Path) -> Judge:
    """Read a judge from its file, or the rubric of that name which comes with the package.

    Raises:
        UsageError: there is no such file or rubric.
        InputError: a key or value that cannot be used, with its line.
    """
    file = Path(path)
    if str(path) in rubric_names() and not file.exists():
        return parse_judge(rubric_text(str(path)), file=f"{path}.yaml")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        known = ", ".join(rubric_names())
        raise UsageError(f"there is no judge file {path}; rubrics that come with aliquot: {known}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({error})", file=str(path)) from error
    return parse_judge(text, file=str(path))


def parse_judge(text: str, *, file: str) -> Judge:
    """Return the judge that a YAML text describes.

    Args:
        text: the YAML text.
        file: its name, for messages.

    Raises:
        InputError: a key or value that cannot be used, with its line.
    """
    root = parse(text, file=file, remedy=WANTED, empty=WANTED)
    keys = root.mapping(KEYS, remedy=WANTED)
    for name in ("name", "asks"):
        if name not in keys or not keys[name].text().strip():
            root.refuse(f"there is no {name}", remedy=WANTED)
    form = _form(root, keys)
    told: dict[str, Any] = {
        name: keys[name].text() for name in ("name", "says", "instructions", "asks") if name in keys
    }
    told |= _verdicts(form, keys)
    told |= _settings(keys)
    judge = Judge(**told)
    examples = keys["few_shot"].entries() if "few_shot" in keys else ()
    return Judge(**told, few_shot=tuple(_example(judge, one) for one in examples))


def _settings(keys: Mapping[str, Node]) -> dict[str, Any]:
    """Return what a file says beside its questions and verdicts."""
    told: dict[str, Any] = {name: keys[name].text() for name in ("against",) if name in keys}
    for name, known in (
        ("order", ("agree", "average", "random")),
        ("panel", ("majority", "mean")),
        ("reference", ("optional", "required", "none")),
        ("reply", ("json", "text")),
        ("better", ("higher", "lower")),
    ):
        if name in keys:
            told[name] = keys[name].one_of(known)
    if "names" in keys:
        told["names"] = _names(keys["names"])
    if "evaluation" in keys:
        told["evaluation"] = keys["evaluation"].flag()
    if "accept" in keys:
        told["accept"] = tuple(one.one_of(("text", "fraction")) for one in keys["accept"].entries())
    for name, most in (("repeats", _MOST_REPEATS), ("max_tokens", 1_000_000)):
        if name in keys:
            told[name] = keys[name].whole(low=1)
            if told[name] > most:
                keys[name].refuse(f"{told[name]} is more than {most:,}")
    return told


def _form(root: Node, keys: Mapping[str, Node]) -> str:
    """Return of which kind the verdicts are."""
    given = [name for name in FORMS if name in keys]
    if len(given) != 1:
        said = f"both {given[0]} and {given[1]} are given" if given else "no verdicts are named"
        (keys[given[1]] if given else root).refuse(said, remedy=f"Give one of {', '.join(FORMS)}")
    for name, forms in _ONLY.items():
        if name in keys and given[0] not in forms:
            keys[name].refuse(f"{name} says nothing of {given[0]}", remedy=f"It is for {' or '.join(forms)}")
    return given[0]


def _verdicts(form: str, keys: Mapping[str, Node]) -> dict[str, Any]:
    node = keys[form]
    if form == "pairwise":
        if not node.flag():
            node.refuse("pairwise is false", remedy="Leave it out and give labels, scale or checklist")
        return {"pairwise": True}
    if form == "labels":
        return _labels(node, keys.get("passes"))
    if form == "checklist":
        return _checklist(node) | _threshold(keys, low=0.0, high=1.0)
    scale = _scale(node, continuous="continuous" in keys and keys["continuous"].flag())
    return {"scale": scale} | _threshold(keys, low=scale.low, high=scale.high)


def _threshold(keys: Mapping[str, Node], *, low: float, high: float) -> dict[str, Any]:
    if "pass_from" not in keys:
        return {}
    value = keys["pass_from"].number(low=low, high=high)
    if value == low:
        keys["pass_from"].refuse(f"{value:g} passes every answer", remedy=f"Give a number above {low:g}")
    return {"pass_from": float(value)}


def _names(node: Node) -> tuple[str, ...]:
    """Return what two answers are called in verdicts: words that no other verdict is."""
    names = tuple(node.texts())
    looks = [skeleton(one) for one in names]
    others = {skeleton(one) for one in PAIR_VERDICTS[2:]}
    distinct = len(set(looks)) == 2 == len(names) and not others & set(looks)
    if not distinct or not all(looks) or max(map(len, names)) > 100:
        node.refuse(
            "two answers have two names that can be told apart, and from tie and both_bad",
            remedy="Write names: [A, B]",
        )
    return names


def _labels(node: Node, passes: Node | None) -> dict[str, Any]:
    if isinstance(node.value, dict):
        labels = tuple((name, one.text()) for name, one in node.mapping().items())
    else:
        labels = tuple((name, "") for name in node.texts())
    if not 2 <= len(labels) <= _MOST_LABELS:
        node.refuse(f"there are {len(labels)} labels", remedy=f"Give 2 to {_MOST_LABELS}")
    seen = dict[str, str]()
    for label, _ in labels:
        look = skeleton(label)
        if not look or look in seen or len(label) > 100:
            same = f" looks like {excerpt(seen[look])}" if look in seen else " is no word that can be read"
            node.refuse(f"the label {excerpt(label)}{same}", remedy="Give short, distinct words")
        seen[look] = label
    if passes is None:
        node.refuse("no label passes", remedy=f"Say which do: passes: [{labels[0][0]}]")
    known = [label for label, _ in labels]
    passing = tuple(one.one_of(known) for one in passes.entries())
    if not 0 < len(set(passing)) < len(labels):
        passes.refuse(
            f"{len(set(passing))} of {len(labels)} labels pass", remedy="Some pass, and some do not"
        )
    return {"labels": labels, "passes": tuple(sorted(set(passing)))}


def _scale(node: Node, *, continuous: bool) -> Scale:
    if isinstance(node.value, dict):
        entries = node.mapping()
        for name, one in entries.items():
            if not name.removeprefix("-").isdecimal() or len(name) > 9:
                one.refuse(
                    f"{excerpt(name)} is no whole number", remedy='Describe whole numbers: {1: "wrong"}'
                )
        levels = tuple(sorted((int(name), one.text()) for name, one in entries.items()))
        if len({number for number, _ in levels}) < max(2, len(levels)):
            node.refuse("a scale has at least two numbers, each once")
        low, high = float(levels[0][0]), float(levels[-1][0])
    else:
        ends, levels = [float(one.number(low=-1e9, high=1e9)) for one in node.entries()], ()
        if len(ends) != 2 or ends[0] >= ends[1]:
            node.refuse(
                "a scale without descriptions is its lowest and highest number", remedy="Write [1, 5]"
            )
        low, high = ends
    if not continuous and (low % 1 or high % 1):
        node.refuse(
            "a scale of whole numbers ends in whole numbers", remedy="Say continuous: true for others"
        )
    return Scale(low=low, high=high, levels=levels, continuous=continuous)


def _checklist(node: Node) -> dict[str, Any]:
    if isinstance(node.value, dict):
        keys = node.mapping(EACH_KEYS)
        for name in ("each", "asks"):
            if name not in keys or not keys[name].text().strip():
                node.refuse(
                    f"there is no {name}", remedy="Write {each: key_points, asks: Does the answer make it?}"
                )
        ranked = keys["ranked"].flag() if "ranked" in keys else False
        return {"each": keys["each"].text(), "asks_of_each": keys["asks"].text(), "ranked": ranked}
    points = tuple(_point(one) for one in node.entries())
    if not 0 < len(points) <= 200 or not any(point.points > 0 for point in points):
        node.refuse("a checklist has 1 to 200 questions, and a yes adds to the score of one of them")
    return {"points": points}


def _point(node: Node) -> Point:
    if not isinstance(node.value, dict):
        return Point(says=node.text())
    keys = node.mapping(POINT_KEYS)
    if "says" not in keys:
        node.refuse("a question of a checklist has no says")
    points = float(keys["points"].number(low=-1e6, high=1e6)) if "points" in keys else 1.0
    required = keys["required"].flag() if "required" in keys else False
    if points == 0 or (required and points < 0):
        node.refuse(
            f"the question adds {points:g}", remedy="Give points other than 0, above 0 where it is required"
        )
    return Point(says=keys["says"].text(), points=points, required=required)


def _example(judge: Judge, node: Node) -> Example:
    """Return an example; its verdict is read as a reply's would be."""
    fields = (
        cast("dict[str, Any]", node.plain()) if isinstance(node.value, dict) else node.refuse("is no example")
    )
    if "verdict" not in fields:
        node.refuse("an example has no verdict")
    told, reasoning = fields.pop("verdict"), fields.pop("reasoning", "")
    found = read_verdict(judge, json.dumps({"verdict": told}, default=str))
    if found.verdict is None or not isinstance(reasoning, str):
        node.refuse(f"the verdict of an example: {found.problem or 'its reasoning is no text'}")
    verdict = found.verdict
    answers = tuple("yes" if one else "no" for one in verdict) if isinstance(verdict, tuple) else verdict
    return Example(fields=fields, verdict=answers, reasoning=reasoning)
