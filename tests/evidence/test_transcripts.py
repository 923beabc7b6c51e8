from __future__ import annotations

import json

import pytest

from aliquot.evidence.bounds import MAX_FIELDS, MAX_VALUE, bounded_fields
from aliquot.evidence.messages import read_turns, turns_of
from aliquot.evidence.texts import HeldTexts, MergedTexts, RenamedTexts
from aliquot.evidence.transcripts import LEFT_OUT, MAX_CHARACTERS, MAX_TURNS, ToolCall, Turn, is_conversation

WEATHER = ToolCall("weather", '{"city":"Oslo"}')

OPENAI = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "Oslo?"}, {"type": "image_url", "image_url": {}}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "function": {"name": "weather", "arguments": '{"city":"Oslo"}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "rain"},
    {"role": "assistant", "content": "Rain."},
]

ANTHROPIC = [
    {"role": "user", "content": "Oslo?"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "look it up"},
            {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Oslo"}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "rain"}]}
        ],
    },
]

ITEMS = [
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "look it up"}]},
    {"type": "function_call", "call_id": "f1", "name": "weather", "arguments": '{"city":"Oslo"}'},
    {"type": "function_call_output", "call_id": "f1", "output": "rain"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Rain."}]},
]

RAIN = Turn("tool", "rain", tool="weather")


def test_openai_messages_are_turns_with_calls_and_what_the_tool_gave_back():
    assert turns_of(OPENAI) == (
        Turn("system", "Be brief."),
        Turn("user", "Oslo?\n(image_url)"),
        Turn("assistant", "", (WEATHER,)),
        RAIN,
        Turn("assistant", "Rain."),
    )


def test_anthropic_parts_are_turns_and_thoughts_are_marked():
    assert turns_of(ANTHROPIC) == (
        Turn("user", "Oslo?"),
        Turn("assistant", "(reasoning) look it up", (WEATHER,)),
        RAIN,
    )


def test_response_items_gemini_and_langchain_are_read_by_the_same_function():
    assert turns_of(ITEMS) == (
        Turn("assistant", "(reasoning) look it up"),
        Turn("assistant", "", (WEATHER,)),
        RAIN,
        Turn("assistant", "Rain."),
    )
    gemini = [{"role": "model", "parts": [{"functionCall": {"name": "weather", "args": {"city": "Oslo"}}}]}]
    assert turns_of(gemini) == (Turn("assistant", "", (WEATHER,)),)
    langchain = [{"type": "human", "content": "Oslo?"}, {"type": "ai", "content": "Rain."}]
    assert turns_of({"messages": langchain}) == (Turn("user", "Oslo?"), Turn("assistant", "Rain."))


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "plain words",
        "[1, 2]",
        "[]",
        "{}",
        '{"messages": 3}',
        '[{"role": "user"}]',
        '[{"role": 3, "content": "x"}]',
        '[{"content": "x"}]',
        '[{"role": "user", "content": "x"}, 7]',
        '[{"role": "user", "content": "x"}',
        "[" * 100_000,
        '["\ud800"]',
    ],
)
def test_anything_else_is_no_conversation(text):
    assert read_turns(text) is None


@pytest.mark.parametrize("wrong", [7, [], {}, [[[]]], "x", None, [None], {"name": {}}, True])
def test_malformed_parts_are_shown_or_left_out_and_never_an_error(wrong):
    for name in ("content", "tool_calls", "function_call", "tool_call_id", "name", "error"):
        for role in ("assistant", "tool"):
            assert turns_of([{"role": role, "content": "x", name: wrong}]) is not None


def test_content_in_content_has_an_end():
    deep: object = "x"
    for _ in range(300):
        deep = [deep]
    found = turns_of([{"role": "user", "content": deep}])
    assert found is None or found[0].role == "user"


def test_long_conversations_say_how_much_is_left_out():
    turns = turns_of([{"role": "user", "content": "a"}] * (MAX_TURNS + 3))
    assert turns is not None
    assert len(turns) == MAX_TURNS + 1
    assert turns[-1] == Turn(LEFT_OUT, "3 more turns")
    large = turns_of(
        [{"role": "user", "content": "a" * (MAX_CHARACTERS + 10)}, {"role": "user", "content": "b"}]
    )
    assert large is not None
    assert large[0].text.endswith("(10 more characters)")
    assert large[-1] == Turn(LEFT_OUT, "1 more turn")
    calls = [{"function": {"name": "f", "arguments": "x" * MAX_CHARACTERS}}] * 3
    called = turns_of([{"role": "assistant", "content": "", "tool_calls": calls}])
    assert called is not None
    assert len(called[0].calls) == 1
    assert called[0].text == "\n(2 more calls)"


def test_a_question_and_one_answer_are_no_conversation():
    assert not is_conversation((Turn("user", "2+2?"), Turn("assistant", "4")))
    assert is_conversation((Turn("user", "2+2?"), Turn("assistant", "so\n(reasoning) two and two")))
    assert is_conversation((Turn("assistant", "a"), Turn("user", "b"), Turn("assistant", "c")))


def test_metadata_is_bounded_text():
    found = bounded_fields({"long": "x" * (MAX_VALUE + 5), "nested": {"b": [1]}, "none": None, "empty": ""})
    assert found["long"].endswith("(5 more characters)")
    assert found["nested"] == '{"b":[1]}'
    assert set(found) == {"long", "nested"}
    assert len(bounded_fields({str(number): 1 for number in range(MAX_FIELDS + 9)})) == MAX_FIELDS + 1


def held(system="a"):
    key = (system, "t", "1", 1)
    return HeldTexts(
        responses={key: json.dumps(OPENAI)},
        notes={(*key, "tone"): "rude"},
        told={("t", "1"): {"context": ["p1", "p2"]}},
        spoken={(system, "t", "2", 1): lambda: ANTHROPIC},
    )


def test_notes_transcripts_and_metadata_pass_through_renaming_and_merging():
    for texts, system in (
        (held(), "a"),
        (RenamedTexts(held(), {"new": "a"}), "new"),
        (MergedTexts((held("other"), held())), "a"),
    ):
        assert texts.note(system, "t", "1", 1, "tone") == "rude"
        assert texts.note(system, "t", "1", 1, "facts") is None
        assert texts.note("nobody", "t", "1", 1, "tone") is None
        assert texts.transcript(system, "t", "1", 1) == turns_of(OPENAI)
        assert texts.transcript(system, "t", "2", 1) == turns_of(ANTHROPIC)
        assert texts.transcript(system, "t", "1", 2) is None
        assert texts.metadata("t", "1") == {"context": '["p1","p2"]'}
        assert texts.metadata("t", "2") == {}
