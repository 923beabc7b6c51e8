"""Rules of code: which code is taken out of an answer, which program it makes, and how its ending is read."""

from __future__ import annotations

import pytest

from aliquot.errors import InputError, UsageError
from aliquot.files.programs import Program, ProgramRecord, settle_programs
from aliquot.item_sets.items import Item
from aliquot.scorers.code import WORDS
from aliquot.scorers.code_blocks import behind_prompt, blocks_of, code_of
from aliquot.scorers.rules import rule_named

HUMAN_EVAL = Item(
    "h",
    {
        "prompt": "from typing import List\n\n\ndef total(xs: List[int]) -> int:\n    '''Sum.'''\n",
        "test": "def check(candidate):\n    assert candidate([1]) == 1\n",
        "entry_point": "total",
    },
)
MBPP = Item(
    "m",
    {
        "text": "Add two numbers.",
        "test_setup_code": "import math",
        "test_list": ["assert add(1, 2) == 3", "assert add(0, 0) == 0"],
    },
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("```python\ndef f(): pass\n```", "def f(): pass"),
        ("```\ndef f(): pass\n```", "def f(): pass"),
        ("~~~py\ndef f(): pass\n~~~", "def f(): pass"),
        ("```bash\npip install x\n```\n```Python\ndef f(): pass\n```", "def f(): pass"),
        (
            "```python\nx = 1\n```\nthen\n```python\ndef f(): pass\n```",
            "def f(): pass",
        ),  # the one that defines it
        ("```python\ndef f(): return 1\n```\nor\n```python\ndef f(): return 2\n```", "def f(): return 1"),
        ("```python\nx = 1\n```\n```python\ny = 1\n```", "x = 1"),  # none does: the first
        ("- item\n  ```python\n  def f():\n      pass\n  ```\n", "def f():\n    pass"),
        ("````markdown\n```python\ndef f(): pass\n```\n````", None),
        ("```python\ndef f():\n    return '''\n    ```'''\n", "def f():\n    return '''\n    ```'''"),
        ("```python\ndef f():\n    return 1", "def f():\n    return 1"),  # cut off
        ("```javascript\nfunction f() {}\n```", None),
        ("```python\n```", None),
        ("\r\n\r\ndef f():\r\n    pass\r\n", "def f():\n    pass"),
        ("    return 1\n", "    return 1"),  # a body, its indentation kept
        ("f = lambda: 1", "f = lambda: 1"),
        ("I would sort it, for example with a heap.", None),
        ("The answer is 42.", None),
        ("", None),
    ],
)
def test_code_of(text: str, code: str | None) -> None:
    assert code_of(text, {"f"}) == code


def test_many_fences_and_long_lines_take_no_time() -> None:
    assert len(blocks_of("```\nx\n```\n" * 20_000)) == 20_000
    assert blocks_of("`" * 100_000 + "x") == blocks_of("`" * 100_000 + "x")
    assert code_of("a" * 1_000_000, {"f"}) is None
    assert code_of(" \t" * 500_000, {"f"}) is None


def test_code_stands_behind_the_prompt_that_begins_it() -> None:
    prompt = HUMAN_EVAL.fields["prompt"]
    assert isinstance(prompt, str)
    assert behind_prompt("    return sum(xs)", prompt, "total") == prompt + "    return sum(xs)"
    own = behind_prompt("def total(xs): return sum(xs)", prompt, "total")
    assert own == "from typing import List\n\n\ndef total(xs): return sum(xs)"
    assert (
        behind_prompt("x = 1", "Write a function total.", "total") == "x = 1"
    )  # a question in words begins nothing


def test_the_program_of_a_human_eval_item() -> None:
    program = rule_named("passes").program_of(HUMAN_EVAL, "```python\ndef total(xs): return sum(xs)\n```")
    assert program is not None
    assert program.code.startswith("from typing import List")
    assert (program.entry, len(program.tests), program.setup, program.runs) == ("total", 1, (), True)


def test_the_program_of_an_mbpp_item() -> None:
    program = rule_named("passes(seconds=3)").program_of(
        MBPP, "```python\nprint(1)\n```\n```python\ndef add(a, b): return a + b\n```"
    )
    assert program == Program(
        code="def add(a, b): return a + b",
        setup=("import math",),
        tests=("assert add(1, 2) == 3", "assert add(0, 0) == 0"),
        seconds=3,
    )


def test_a_program_is_known_by_all_of_it() -> None:
    one = Program(code="x = 1", tests=("assert x",))
    others = [
        Program(code="x = 2", tests=("assert x",)),
        Program(code="x = 1", tests=("assert x == 1",)),
        Program(code="x = 1", tests=("assert x",), seconds=11),
        Program(code="x = 1", tests=("assert x",), runs=False),
        Program(code="x = '\ud800'", tests=("assert x",)),
    ]
    assert Program(code="x = 1", tests=("assert x",)).key == one.key
    assert len({one.key, *(other.key for other in others)}) == 6


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "has no tests"),
        ({"test_list": []}, "has no tests"),
        ({"test": " \n"}, "has no tests"),
        ({"test_list": [1]}, "something else than Python"),
        ({"test": {"a": 1}}, "something else than Python"),
        ({"test": "assert f()", "entry_point": "f(); import os"}, "is no name"),
        ({"test": "assert f()", "entry_point": 3}, "is no name"),
    ],
)
def test_items_that_cannot_be_tested_are_refused_before_a_run(fields: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        rule_named("passes").try_on(Item("i", fields, row=4))


def test_a_named_field_of_tests_counts_alone() -> None:
    item = Item("i", {"test": "assert f() == 1", "hidden": ["assert f() == 2"]})
    program = rule_named('passes(field="hidden")').program_of(item, "def f(): return 2")
    assert program is not None
    assert program.tests == ("assert f() == 2",)


@pytest.mark.parametrize("setting", ["seconds=0", "memory_mb=1", "output_kb=5000", "seconds=2.5"])
def test_limits_have_limits(setting: str) -> None:
    with pytest.raises(UsageError):
        rule_named(f"passes({setting})")


def test_how_an_ending_is_read() -> None:
    passes, compiles, share = (rule_named(name) for name in ("passes", "compiles", "test_share"))
    for ending, words in WORDS.items():
        found = ProgramRecord(program="p", ending=ending, detail="why", passed=1, tests=4)
        scored = passes.apply(MBPP, found)
        if ending in {"broken_test", "error"}:
            assert (scored.value, scored.status) == (None, "error")
            assert scored.note == f"item m: {words}: why"
        else:
            assert scored.value == (1.0 if ending == "passed" else 0.0)
            assert scored.label == words
    half = ProgramRecord(program="p", ending="assertion", passed=1, tests=4)
    assert (share.apply(MBPP, half).value, share.apply(MBPP, half).label) == (0.25, "1 of 4 tests")
    assert compiles.apply(MBPP, ProgramRecord(program="p", ending="compiled")).value == 1.0
    assert compiles.apply(MBPP, ProgramRecord(program="p", ending="syntax")).value == 0.0


def test_an_execution_that_was_lost_hides_none_that_was_not() -> None:
    lost, right = ProgramRecord(program="p", ending="error"), ProgramRecord(program="p", ending="passed")
    assert settle_programs([lost, right, lost])["p"] is right
    assert settle_programs([lost])["p"] is lost
