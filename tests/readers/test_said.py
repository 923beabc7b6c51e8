"""Notes, transcripts and metadata that readers find in real logs."""

from __future__ import annotations

import json

from aliquot.evidence.transcripts import ToolCall, Turn
from aliquot.readers.registry import read_evidence
from tests.shared import shared


def texts_of(path):
    found = read_evidence([path], None).texts
    assert found is not None
    return found


INSPECT = ("logs", "inspect")


def test_inspect_gives_messages_with_calls_and_results():
    path = shared(*INSPECT, "repo_fixtures/log/test_eval_log/log_message_deduplication.eval")
    turns = texts_of(path).transcript("hardcoded/hardcoded", "inspect_test_utils/guess_number", "0", 1)
    assert turns[0] == Turn("user", "Guess the number")
    assert turns[1].calls == (ToolCall("bash", '{"cmd":"ls"}'),)
    assert (turns[2].role, turns[2].tool, turns[2].text[:3]) == ("tool", "bash", "bin")


def test_inspect_gives_the_scorers_explanation_and_the_samples_metadata():
    path = shared(*INSPECT, "repo_fixtures/analysis/test_logs/2025-05-12T20-28-26-04-00_security-guide.json")
    note = texts_of(path).note("openai/gpt-4o-mini", "security_guide", "1", 1, "model_graded_fact")
    assert note.startswith("To evaluate the submission against the expert's answer")
    path = shared(*INSPECT, "json/2026-11-29T17-41-44-00-00_toy-add_Gjf34brGAZ4HfbqqBNSm4f.json")
    texts = texts_of(path)
    assert texts.metadata("toy_add", "1") == {"passage": "p00", "difficulty": "easy"}
    assert texts.note("stub/sys-a", "toy_add", "1", 1, "dict_scorer.correct")
    assert texts.transcript("stub/sys-a", "toy_add", "1", 1) is None
    assert texts.note("stub/sys-b", "toy_add", "1", 1, "match") is None


def test_promptfoo_gives_the_reasons_of_assertions_and_a_tests_variables():
    texts = texts_of(shared("logs", "promptfoo", "two_prompts.json"))
    item = "50_98_148~7293d63c58"
    key = ("echo [terse]", "promptfoo", item, 1)
    assert texts.note(*key, "correctness") == 'Expected output to contain "148"'
    assert texts.note(*key, "success").startswith('contains: Expected output to contain "148"\njavascript: ')
    assert texts.metadata("promptfoo", item)["metadata.difficulty"] == "hard"
    assert texts.metadata("promptfoo", item)["vars.expected"] == "148"


def test_promptfoo_gives_a_chat_of_the_prompts_messages_and_the_answer(tmp_path):
    prompt = json.dumps([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}])
    calls = [{"type": "function", "function": {"name": "wave", "arguments": "{}"}}]
    rows = [
        {"promptIdx": 0, "testIdx": number, "provider": {"id": "m"}, "prompt": {"raw": prompt}, "vars": {"n": number},
         "testCase": {}, "response": {"output": output}, "success": True, "score": 1}
        for number, output in enumerate(["Hello", calls, [{"role": "assistant", "content": "Hey"}], [1]])
    ]  # fmt: skip
    path = tmp_path / "chat.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    evidence = read_evidence([path], None)
    items = {evidence.texts.metadata("promptfoo", item)["vars.n"]: item for item in evidence.items["item"]}
    system = evidence.responses["system"][0]
    found = [evidence.texts.transcript(system, "promptfoo", items[str(n)], 1) for n in range(4)]
    asked = (Turn("system", "Be brief."), Turn("user", "Hi"))
    assert found[0] == (*asked, Turn("assistant", "Hello"))
    assert found[1] == (*asked, Turn("assistant", "", (ToolCall("wave", "{}"),)))
    assert found[2] == (*asked, Turn("assistant", "Hey"))
    assert found[3] is None


def test_lm_eval_gives_the_documents_other_fields():
    path = shared("logs", "lm-eval", "org__stub-a")
    evidence = read_evidence([path], None)
    item = evidence.items.filter(task="toy_gsm")["item"][0]
    told = evidence.texts.metadata("toy_gsm", item)
    assert set(told) == {"id", "passage_id"}  # the question and the answer stand in the prompt and the target
