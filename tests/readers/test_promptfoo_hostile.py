from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aliquot.errors import InputError
from aliquot.files.yaml_documents import parse_yaml
from aliquot.readers.options import ReadOptions
from aliquot.readers.promptfoo import PromptfooReader
from tests.readers.mutations import JUNK, ends_well, places, replaced
from tests.readers.promptfoo_samples import error_row, export, row, version_2, write
from tests.shared import FOLDER


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), junk=JUNK, version=st.sampled_from([2, 3]))
def test_any_value_in_any_place_gives_evidence_or_one_error(
    tmp_path: Path, data: Any, junk: Any, version: int
) -> None:
    document = version_2() if version == 2 else export([row(0), row(0, 1), error_row(1, value=2)])
    document = json.loads(json.dumps(document))
    path = data.draw(st.sampled_from(places(document)))
    ends_well(write(tmp_path, json.dumps(replaced(document, path, junk))), reader="promptfoo")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(
        ["two_prompts.json", "two_prompts.csv", "results_v3_repeat2.jsonl", "results_v3_repeat2.yaml"]
    ),
    cuts=st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 40), st.binary(max_size=12)), min_size=1, max_size=4
    ),
)
def test_mutated_real_logs_give_evidence_or_one_error(
    tmp_path: Path, name: str, cuts: list[tuple[float, int, bytes]]
) -> None:
    source = FOLDER / "logs" / "promptfoo" / name
    if not source.exists():
        pytest.skip(f"../shared/logs/promptfoo/{name} is not on this machine")
    data = source.read_bytes()
    data = data[: 60_000 if name.endswith("yaml") else None]
    for place, length, junk in cuts:
        start = int(place * len(data))
        data = data[:start] + junk + data[start + length :]
    path = tmp_path / name
    path.write_bytes(data)
    ends_well(path, reader="promptfoo")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("results: !!python/object/apply:os.system ['true']", "uses the tag"),
        ("a: 1\na: 2", "has the key 'a' twice"),
        ("a: *b", "refers to 'b'"),
        ("a: &a [*a]", "refers to 'a'"),
        ("? [a]\n: 1", "has a key that is no text"),
        ("[" * 200 + "]" * 200, "is nested deeper than 100 levels"),
        ("a: [", "is not YAML"),
        ("--- 1\n--- 2", "holds several YAML documents"),
    ],
)
def test_yaml_that_is_more_than_values_is_refused(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        parse_yaml(text, file="a.yaml")


def test_aliases_cannot_multiply_a_small_text_into_a_large_one() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 10)]  # 10^10 values
    with pytest.raises(InputError, match="holds more than 20,000,000 values"):
        parse_yaml("\n".join(lines), file="a.yaml")
    chain = ["a0: &a0 [x]"] + [f"a{k}: &a{k} [*a{k - 1}]" for k in range(1, 200)]
    with pytest.raises(InputError, match="is nested deeper than 100 levels"):
        parse_yaml("\n".join(chain), file="a.yaml")


def test_deep_nesting_in_json_is_one_error(tmp_path: Path) -> None:
    deep = '{"evalId": "x", "results": ' + "[" * 100_000 + "]" * 100_000 + "}"
    with pytest.raises(InputError, match="is nested too deeply"):
        PromptfooReader().read(write(tmp_path, deep), ReadOptions())
