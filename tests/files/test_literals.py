from __future__ import annotations

import ast
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.files.literals import MAX_NESTING, parse_literal

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text() | st.integers(), inner)
    ),
    max_leaves=20,
)


def _lists(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_lists(part) for part in value]
    return {key: _lists(part) for key, part in value.items()} if isinstance(value, dict) else value


@given(PLAIN)
def test_what_python_shows_reads_back_as_ast_reads_it(value: Any) -> None:
    assert parse_literal(repr(value)) == _lists(ast.literal_eval(repr(value))) == _lists(value)


@pytest.mark.parametrize(
    "text", [r"'a\x41\u00e9\U0001f600\101\\'", "'a' \"b\"", "[1, -2.5e3, +4,]", " ( ) ", "{}"]
)
def test_other_spellings_read_as_ast_reads_them(text: str) -> None:
    assert parse_literal(text) == _lists(ast.literal_eval(text.strip()))


@pytest.mark.parametrize("text", ["[nan, inf, -inf, NaN]", "[1e999, -1e999]"])
def test_what_is_no_finite_number_is_none(text: str) -> None:
    assert set(parse_literal(text)) == {None}


@pytest.mark.parametrize(
    "text",
    ["", "x", "os.system('x')", "[1", "1 2", "{1}", "{[1]: 2}", "b'a'", "f'{a}'", "'a", "'a\n'", "1 if 1 else 2", "[,]",
     "--1", "0x10", "1_000", "9" * 500, "'" * 3, "array([1])"],
)  # fmt: skip
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="it is no plain value"):
        parse_literal(text)


def test_depth_and_length_are_bounded() -> None:
    deep = MAX_NESTING + 2
    with pytest.raises(ValueError, match="nested deeper than 50"):
        parse_literal("[" * deep + "]" * deep)
    with pytest.raises(ValueError, match="nested deeper than 50"):
        parse_literal("[" * 1_000_000)
    with pytest.raises(ValueError, match="more than 16,777,216 characters"):
        parse_literal("'" + "a" * (17 << 20))
    assert math.isclose(parse_literal("0.1"), 0.1)


def test_half_characters_become_a_mark() -> None:
    assert parse_literal(r"'\ud83d'") == "\ufffd"
