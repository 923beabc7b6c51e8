"""Notes, transcripts and metadata that readers find in real logs."""

from __future__ import annotations

import json

import pytest

from aliquot.evidence.transcripts import ToolCall, Turn
from aliquot.readers.options import ReadOptions
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


def test_deepeval_gives_reasons_and_what_was_retrieved(tmp_path):
    texts = texts_of(shared("logs", "deepeval", "test_run_model-a.json"))
    assert texts.note("model-a", "deepeval", "add02", 1, "LengthMatch") == "judge exploded (simulated)"
    assert texts.note("model-a", "deepeval", "add02", 1, "success").startswith("Exact Match: The actual")
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hey", "toolsCalled": [
        {"name": "wave", "inputParameters": {"hand": "left"}}]}]  # fmt: skip
    data = {"testCases": [], "conversationalTestCases": [
        {"name": "c", "success": True, "turns": turns, "scenario": "greets", "metadata": {"item_id": "c"},
         "metricsData": [{"name": "Polite", "score": 1, "success": True, "reason": 7}]}]}  # fmt: skip
    path = tmp_path / "test_run.json"
    path.write_text(json.dumps(data))
    evidence = read_evidence([path], ReadOptions(reader="deepeval", name="m"))
    assert evidence.texts.transcript("m", "deepeval", "c", 1)[1].calls == (
        ToolCall("wave", '{"hand":"left"}'),
    )
    assert evidence.texts.note("m", "deepeval", "c", 1, "Polite") is None


def test_azure_and_the_evals_api_give_their_judges_reasons():
    texts = texts_of(shared("logs", "openai_evals", "SYNTHETIC_evals_api_output_items.json"))
    key = ("gpt-4.1-2025-04-14", "eval_abc", "0", 1)
    assert texts.note(*key, "judge") == "0.8"
    assert texts.note(*key, "passed") == "judge: 0.8"
    assert texts.metadata("eval_abc", "0")["ground_truth"] == "a0"
    evidence = read_evidence([shared("logs", "azure", "SYNTHETIC_azure_evaluate_output.json")], None)
    rows = evidence.outcomes.filter(metric="coherence.coherence_result")
    row = rows.select("system", "task", "item", "attempt", "metric").row(0)
    assert evidence.texts.note(*row) == ".."
    assert evidence.texts.note(*row[:4], "f1_score.f1_score") is None
    assert evidence.texts.metadata(*row[1:3])["context"] == "ctx"


def test_ragas_gives_contexts_and_both_sides_reasons():
    evidence = read_evidence([shared("logs", "ragas", "ragas_model-a.jsonl")], None)
    assert evidence.texts.metadata("ragas", evidence.items["item"][0])["retrieved_contexts"].startswith("[")
    evidence = read_evidence([shared("logs", "ragas", "annotated_data.json")], None)
    rows = evidence.outcomes.select("system", "task", "item", "attempt", "metric").rows()
    said = {row: note for row in rows if (note := evidence.texts.note(*row))}
    assert {row[4] for row in said} == {"helpfulness", "human: helpfulness"}


def test_judges_of_preferences_are_heard(tmp_path):
    base = {"instruction": "Hi?", "generator_1": "base", "output_1": "a", "output_2": "b", "preference": 2.0}
    rows = [
        {**base, "generator_2": "m", "raw_completion": "Better, as it greets. Output (b)"},
        {**base, "generator_2": "n", "raw_completion": {"text": "m", "logprobs": {}}},
        {**base, "generator_2": "o", "raw_completion": [3]},
    ]
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps(rows))
    evidence = read_evidence([path], None)
    item = evidence.items["item"][0]
    notes = [evidence.texts.note(name, "alpaca-eval", item, 1, "win over base") for name in "mno"]
    assert notes == ["Better, as it greets. Output (b)", None, None]
    games = [
        {"score": "A>B", "judgment": {"answer": "First."}},
        {"score": "B>A", "judgment": "Second."},
        None,
    ]
    path = tmp_path / "m.jsonl"
    path.write_text(
        json.dumps({"uid": "u", "judge": "j", "model": "m", "baseline": "base", "games": games[:2]}) + "\n"
    )
    texts = texts_of(path)
    assert texts.note("m", "arena-hard", "u", 1, "win over base") == "First.\n\nSecond."


@pytest.mark.parametrize("column", ["note", "explanation", "why"])
def test_a_tables_notes_are_in_a_column_of_that_name_or_one_that_is_named(tmp_path, column):
    path = tmp_path / "judged.csv"
    path.write_text(f"item,system,value,{column}\n1,a,1,good\n2,a,0,\n")
    evidence = read_evidence([path], ReadOptions(note="why" if column == "why" else None))
    assert evidence.texts.note("a", "task", "1", 1, "value") == "good"
    assert evidence.texts.note("a", "task", "2", 1, "value") is None


def test_tau_bench_gives_its_trajectory(tmp_path):
    turns = [
        {"role": "assistant", "content": None,
         "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "name": "f", "content": "ok"},
    ]  # fmt: skip
    path = tmp_path / "steps.json"
    path.write_text(json.dumps([{"task_id": 0, "reward": 1.0, "info": {}, "traj": turns}]))
    texts = texts_of(path)
    found = texts.transcript("steps", "tau-bench", "0", 1)
    assert found == (Turn("assistant", "", (ToolCall("f", "{}"),)), Turn("tool", "ok", tool="f"))
