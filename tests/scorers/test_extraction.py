"""lm-evaluation-harness's filters and exact match: its own logs read again, and its rules one by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from aliquot.errors import UsageError
from aliquot.scorers.extraction import INVALID, exact_match, read_steps
from tests.shared import shared


def task(name: str) -> dict[str, Any]:
    """Return a declarative task with what it includes."""
    told = yaml.safe_load(shared("logs", "lm-eval", "tasks", f"{name}.yaml").read_text(encoding="utf-8"))
    include = told.pop("include", None)
    return told if include is None else task(Path(include).stem) | told


@pytest.mark.parametrize("name", ["toy_gsm", "toy_gsm_sc", "toy_bleu"])
@pytest.mark.parametrize("system", ["org__stub-a", "org__stub-b"])
def test_stored_responses_are_filtered_and_scored_as_the_harness_did(name: str, system: str) -> None:
    told = task(name)
    filters: list[dict[str, Any]] = told["filter_list"] or [
        {"name": "none", "filter": [{"function": "take_first"}]}
    ]
    steps = {one["name"]: read_steps(one["filter"]) for one in filters}
    metric = next(one for one in told["metric_list"] if one["metric"] == "exact_match")
    options = {key: value for key, value in metric.items() if key.startswith(("ignore", "regexes"))}
    (file,) = shared("logs", "lm-eval", system).glob(f"samples_{name}_2*.jsonl")
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 60 * len(steps)
    for line in lines:
        read = steps[line["filter"]](line["resps"][0])
        assert read == line["filtered_resps"], line["doc_id"]
        assert exact_match(read[0], line["target"], **options) == (line["exact_match"] == 1.0), line["doc_id"]


def one(function: str, *answers: str, **settings: Any) -> list[str]:
    return read_steps([{"function": function, **settings}])(answers)


def test_filters_one_by_one() -> None:
    assert one("take_first", "a", "b") == ["a"]
    assert one("take_first_k", "a", "b", "c", k=2) == ["a", "b"]
    assert one("take_first_k", "a", k=2) == ["a"]
    assert one("majority_vote", "b", "a", "a", "b") == ["b"]  # a tie is the one given first
    assert one("remove_whitespace", "  a b ", "\tc\n") == ["a b", "c"]
    assert one("lowercase", "Ä b") == ["ä b"]
    assert one("uppercase", "ä b") == ["Ä B"]
    assert one("map", "A", "C", mapping_dict={"A": "yes"}, default_value="no") == ["yes", "no"]
    assert one("regex", "#### 1,000", "none") == ["1,000", INVALID]
    assert one("regex", "1 2 3", "", regex_pattern="([0-9])", group_select=-1) == ["3", INVALID]
    assert one("regex", "ab", regex_pattern="(x)?(b)", fallback="-") == ["b"]
    assert one("regex", "ab", regex_pattern="(x)?(y)?", fallback="-") == ["-"]
    assert one("regex", "one", regex_pattern="(o)", group_select=3) == [INVALID]


def test_what_is_ignored_is_ignored_on_both_sides() -> None:
    assert exact_match("Oslo!", "oslo", ignore_case=True, ignore_punctuation=True)
    assert not exact_match("Oslo!", "oslo", ignore_case=True)
    assert exact_match("a1", "a2", ignore_numbers=True)
    assert exact_match("3", "Compute. #### 3", regexes_to_ignore=["(?s).*#### "])
    assert not exact_match(INVALID, "33")


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([{"function": "take_frist"}], "take_first"),
        ([{"function": "regex", "pattern": "x"}], "takes no such settings"),
        ([{"function": "regex", "regex_pattern": "("}], "no pattern"),
        ([{}], "there is no filter"),
        ([{"function": "regex", "group_select": "last"}], "takes no such settings"),
        ([{"function": "map", "mapping_dict": "A"}], "takes no such settings"),
        ([{"function": "take_first_k", "k": "2"}], "takes no such settings"),
        ([{"function": "take_first_k", "k": 0}], "a whole number from 1"),
    ],
)
def test_a_filter_that_cannot_be_used_is_named(steps: list[dict[str, Any]], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_steps(steps)
