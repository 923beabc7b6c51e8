"""Conversations: each turn follows the system's own earlier answers, after a kill or a lost answer too."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aliquot
from aliquot.errors import InputError, UsageError
from aliquot.evidence.transcripts import Turn
from aliquot.files.records import Response
from aliquot.files.run_directory import RunDirectory
from aliquot.files.run_list import list_runs
from aliquot.item_sets.items import Item
from aliquot.runner.evaluation import Guards, Mode, SampleSpec, ScorerSpec, SystemSpec
from aliquot.runner.money import Prices
from aliquot.runner.plan import make_plan
from aliquot.runner.prompts import Prompt
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.fake import FakeSystem
from aliquot.systems.replies import Reply
from aliquot.systems.requests import Decoding
from aliquot.verbs.run import Run, run
from tests.runner.evaluations import evaluation
from tests.runner.test_interruptions import ROOT, wait_for_answers
from tests.systems.server import Answer, Server, chat, fault, ok, serve


def write_sums(folder: Path, n: int, *, turns: int = 3) -> Path:
    """Write n conversations: "start 5." is answered by 5, and every "add 1." by one more than was answered before."""
    path = folder / "sums.jsonl"
    rows = [
        {
            "id": f"sum-{k}",
            "book": f"book {k // 2}",
            "turns": [
                {"question": "add 1." if turn else f"start {k}.", "reference": str(k + turn)}
                for turn in range(turns)
            ],
        }
        for k in range(n)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def sums(prompt: str) -> str:
    """Answer by what was answered before: the line above the last question."""
    *before, asked = prompt.split("\n")
    return asked.split()[1].rstrip(".") if asked.startswith("start") else str(int(before[-1]) + 1)


def answers(found: Run) -> dict[tuple[str, str, int], Response]:
    return {
        (one.system, one.item, one.attempt): one for one in RunDirectory(found.path).read_journal().records
    }


def test_each_turn_follows_the_own_earlier_answers_of_a_system(tmp_path: Path) -> None:
    systems = {name: SystemSpec(model=name, prompt="{{ question }}") for name in ("one", "two")}
    given = evaluation(write_sums(tmp_path, 6), systems=systems, segments=("turn",))

    def off(prompt: str) -> str:  # begins one too high, and goes on from there
        return str(int(sums(prompt)) + (prompt.count("\n") == 0))

    models = {"one": FakeSystem(sums), "two": FakeSystem(off)}
    found = run(given, directory=tmp_path, models=models)
    assert set(models["one"].asked) == {
        asked
        for k in range(6)
        for asked in (f"start {k}.", f"start {k}.\n{k}\nadd 1.", f"start {k}.\n{k}\nadd 1.\n{k + 1}\nadd 1.")
    }
    assert "start 5.\n6\nadd 1.\n7\nadd 1." in models["two"].asked
    assert len(models["one"].asked) == len(models["two"].asked) == 18
    values = dict(found.evidence.outcomes.group_by("system").agg("value").iter_rows())
    assert values == {"one": [1.0] * 18, "two": [0.0] * 18}
    items = found.evidence.items
    assert Counter(items["cluster"]) == {f"sum-{k}": 3 for k in range(6)}
    assert items["segment.turn"].to_list() == ["1", "2", "3"] * 6


def test_attempts_are_conversations_of_their_own(tmp_path: Path) -> None:
    drawn = iter(range(100, 200))
    fake = FakeSystem(
        lambda prompt: str(next(drawn)) if "\n" not in prompt else ">".join(prompt.split("\n")[1::2])
    )
    found = run(evaluation(write_sums(tmp_path, 2), attempts=3), directory=tmp_path, models={"fake": fake})
    said = {key: one.text for key, one in answers(found).items()}
    assert len({said["first", f"sum-{k}#1", attempt] for k in range(2) for attempt in (1, 2, 3)}) == 6
    for k in range(2):
        for attempt in (1, 2, 3):
            first = said["first", f"sum-{k}#1", attempt]
            assert said["first", f"sum-{k}#2", attempt] == first
            assert said["first", f"sum-{k}#3", attempt] == f"{first}>{first}"


def test_the_request_holds_the_instructions_once_and_the_roles(tmp_path: Path) -> None:
    seen: list[list[dict[str, str]]] = []

    def function(prompt: str, messages: list[dict[str, str]]) -> str:
        seen.append(messages)
        return f"{len(messages)} {prompt}"

    spec = SystemSpec(model="own", prompt="{{ turn }}) {{ question }}", instructions="Be brief.")
    given = evaluation(write_sums(tmp_path, 1), systems={"first": spec})
    run(given, directory=tmp_path, models={"own": aliquot.function_system(function)})
    assert seen[2] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "1) start 0."},
        {"role": "assistant", "content": "2 1) start 0."},
        {"role": "user", "content": "2) add 1."},
        {"role": "assistant", "content": "4 2) add 1."},
        {"role": "user", "content": "3) add 1."},
    ]


SLOW = """\
import sys, uuid
import aliquot
from aliquot.systems.fake import FakeSystem
from tests.runner.test_conversations import tokens
aliquot.run(sys.argv[1], directory=sys.argv[2], models={"fake": FakeSystem(tokens, delay_s=0.03)})
"""

FILE = """\
name: trial
items: sums.jsonl
scorer: words
guards: {parse_rate: off}
attempts: 2
systems: {one: {model: fake, prompt: "{{ question }}"}, two: {model: fake, prompt: "{{ question }}"}}
"""


def tokens(prompt: str) -> str:
    """Answer by a word that no other answer has, and by all that was answered before."""
    import uuid

    return f"{uuid.uuid4().hex}/{'+'.join(prompt.split(chr(10))[1::2])}"


@pytest.mark.parametrize("lines", [1, 10, 33])
def test_kill_nine_between_turns_goes_on_with_the_same_answers(tmp_path: Path, lines: int) -> None:
    write_sums(tmp_path, 4, turns=4)
    file, journal = tmp_path / "trial.yaml", tmp_path / "runs" / "trial" / "journal.jsonl"
    file.write_text(FILE, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, str(file), str(tmp_path / "runs")],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for_answers(process, journal, lines)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    before = journal.read_bytes()
    on_disk = before.count(b"\n")
    fake = FakeSystem(tokens)
    found = run(file, directory=tmp_path / "runs", models={"fake": fake})
    assert journal.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    assert len(fake.asked) == 64 - on_disk  # 2 systems x 4 conversations x 4 turns x 2 attempts
    records = RunDirectory(found.path).read_journal().records
    assert Counter(one.key for one in records).most_common(1)[0][1] == 1
    said = {key: one.text or "" for key, one in answers(found).items()}
    for (system, item, attempt), text in said.items():
        conversation, _, turn = item.partition("#")
        earlier = [said[system, f"{conversation}#{one}", attempt] for one in range(1, int(turn))]
        assert text.partition("/")[2] == "+".join(earlier)


def failing_once(turn: str, how: str | Reply | Exception) -> Callable[[str], str | Reply | Exception]:
    """Return a script in which one question ends in another way; everything else is a sum."""
    return lambda prompt: how if prompt.endswith(turn) else sums(prompt)


class Notes:
    """An observer that keeps what it is told."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.done: list[int] = []

    def started(self, progress: object) -> None: ...

    def answered(self, progress: aliquot.Progress) -> None:
        self.done.append(progress.done)

    def noted(self, text: str) -> None:
        self.notes.append(text)


def test_after_a_lost_answer_the_rest_is_owed_and_the_next_session_goes_on_there(tmp_path: Path) -> None:
    path, notes = write_sums(tmp_path, 3), Notes()
    lost = FakeSystem(failing_once("start 1.\n1\nadd 1.", OSError("line cut")))
    found = run(evaluation(path), directory=tmp_path, models={"fake": lost}, observer=notes)
    rows = dict(found.evidence.responses.select("item", "status").iter_rows())
    assert rows.pop("sum-1#2") == "error"
    assert rows.pop("sum-1#3") == "missing"
    assert set(rows.values()) == {"ok"}
    assert len(lost.asked) == 8
    assert notes.done[-1] == 8
    assert notes.notes[-1].startswith("1 turn was not asked, because the measurement lost an answer before")
    assert list_runs(tmp_path / "trial")[0].status == "stopped"
    values = dict(found.evidence.outcomes.select("item", "value").iter_rows())
    assert (values["sum-1#1"], values["sum-1#2"], values["sum-1#3"]) == (
        1.0,
        None,
        None,
    )  # never a wrong answer
    fake = FakeSystem(sums)
    found = run(evaluation(path), directory=tmp_path, models={"fake": fake})
    assert fake.asked == ["start 1.\n1\nadd 1.", "start 1.\n1\nadd 1.\n2\nadd 1."]
    assert found.evidence.outcomes["value"].to_list() == [1.0] * 9
    assert list_runs(tmp_path / "trial")[0].status == "finished"


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (Reply(text="1 and then", status="truncated", reason="token budget used up"), "1 and then"),
        (Reply(text="", status="refused", reason="filtered"), ""),
        (Reply(text="", status="failed", reason="empty answer"), ""),
        (Reply(text="", status="timeout", reason="too slow"), ""),
        ("I don't know.", "I don't know."),
    ],
)
def test_what_the_system_did_is_part_of_the_conversation_as_it_was(
    tmp_path: Path, how: str | Reply, said: str
) -> None:
    def script(prompt: str) -> str | Reply:
        return how if prompt == "start 1." else "2"

    fake = FakeSystem(script)
    found = run(evaluation(write_sums(tmp_path, 2)), directory=tmp_path, models={"fake": fake})
    assert f"start 1.\n{said}\nadd 1.\n2\nadd 1." in fake.asked
    assert len(fake.asked) == 6
    assert "missing" not in set(found.evidence.responses["status"])


def test_a_conversation_whose_line_was_damaged_is_asked_anew_from_there(tmp_path: Path) -> None:
    path = write_sums(tmp_path, 2)
    found = run(evaluation(path), directory=tmp_path, models={"fake": FakeSystem(sums)})
    journal = RunDirectory(found.path).journal_path
    lines = journal.read_bytes().splitlines()
    damaged = [b"{nothing" if b'"item":"sum-1#2"' in line else line for line in lines]
    journal.write_bytes(b"\n".join(damaged) + b"\n")
    fake = FakeSystem(lambda prompt: str(10 * int(sums(prompt))))
    found = run(evaluation(path), directory=tmp_path, models={"fake": fake})
    assert fake.asked == ["start 1.\n1\nadd 1.", "start 1.\n1\nadd 1.\n20\nadd 1."]
    assert found.evidence.texts is not None
    assert [found.evidence.texts.response("first", "sums", f"sum-1#{turn}", 1) for turn in (1, 2, 3)] == [
        "1", "20", "210",
    ]  # fmt: skip


def test_a_comparison_takes_the_conversations_as_clusters(tmp_path: Path) -> None:
    specs = {name: SystemSpec(model=name, prompt="{{ question }}") for name in ("a", "b")}
    wrong = FakeSystem(lambda prompt: "no" if "start 1." in prompt or "start 2." in prompt else sums(prompt))
    models = {"a": FakeSystem(sums), "b": wrong}
    found = run(evaluation(write_sums(tmp_path, 8), systems=specs), directory=tmp_path, models=models)
    told = aliquot.compare(found.path)
    assert (told.n_items, told.n_clusters) == (24, 8)
    books = evaluation(tmp_path / "sums.jsonl", systems=specs, cluster="book", name="books")
    found = run(books, directory=tmp_path, models=models)
    assert aliquot.compare(found.path).n_clusters == 4  # a coarser field that was named wins


def test_a_cluster_field_that_cuts_conversations_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    turns = [{"question": "x", "document": "a"}, {"question": "y", "document": "b"}]
    path.write_text(json.dumps({"id": "c", "turns": turns}), encoding="utf-8")
    with pytest.raises(
        InputError, match="the cluster 'document' is another in 'c#2' than in 'c#1' of the same"
    ):
        make_plan(evaluation(path, cluster="document", scorer=ScorerSpec(rule="refusal")))
    with pytest.raises(InputError, match="the cluster 'turn' is another in"):
        make_plan(evaluation(write_sums(tmp_path, 2), cluster="turn"))


def test_a_limit_keeps_conversations_whole(tmp_path: Path) -> None:
    fake = FakeSystem(sums)
    found = run(evaluation(write_sums(tmp_path, 6)), directory=tmp_path, models={"fake": fake}, limit=8)
    assert sorted(Counter(found.evidence.items["cluster"]).values()) == [3, 3]
    assert len(fake.asked) == 6
    assert "2 of 6" not in (said := RunDirectory(found.path).manifest.item_set["selected"])  # type: ignore[union-attr]
    assert said == "random sample, 6 of 18, whole conversations, seed 3"
    with pytest.raises(UsageError, match="no whole conversation fits into a sample of 2 items; ask for more"):
        make_plan(evaluation(tmp_path / "sums.jsonl"), limit=2)


def test_the_smoke_test_takes_whole_conversations(tmp_path: Path) -> None:
    plan = make_plan(evaluation(write_sums(tmp_path, 30)))
    ids = [item.id for item in plan.smoke]
    assert len(ids) == 24
    assert ids == [f"{name.partition('#')[0]}#{turn}" for name in ids[::3] for turn in (1, 2, 3)]
    assert plan.items[:24] == plan.smoke
    assert sorted(item.id for item in plan.items) == sorted(
        f"sum-{k}#{t}" for k in range(30) for t in (1, 2, 3)
    )


def test_turns_follow_each_other_and_conversations_stand_in_a_seeded_order(tmp_path: Path) -> None:
    plan = make_plan(evaluation(write_sums(tmp_path, 30), guards=Guards(first=90)))
    ids = [item.id for item in plan.items]
    firsts = [name.partition("#")[0] for name in ids[::3]]
    assert ids == [f"{name}#{turn}" for name in firsts for turn in (1, 2, 3)]
    by_id = sorted(ids, key=str.encode)
    drawn = [by_id[index] for index in np.random.default_rng([3, 1]).permutation(90)]
    assert firsts == [name.partition("#")[0] for name in drawn if name.endswith("#1")]
    assert firsts != sorted(firsts)
    assert ids == [question.item.id for question in plan.questions("first")]


def test_interleaved_systems_take_turns_by_conversation(tmp_path: Path) -> None:
    systems = {name: SystemSpec(model="fake", prompt=name + " {{ question }}") for name in ("a", "b")}
    given = evaluation(write_sums(tmp_path, 3), systems=systems)
    fake = FakeSystem("x".join)
    run(given, directory=tmp_path, models={"fake": fake}, concurrency=1, interleave=True)
    assert [asked[0] for asked in fake.asked] == list("aaabbb" * 3)


@pytest.mark.parametrize("mode", ["completion", "likelihood", "perplexity"])
def test_only_a_chat_can_hold_a_conversation(tmp_path: Path, mode: Mode) -> None:
    spec = SystemSpec(model="fake", prompt="{{ question }}", mode=mode)
    words = f"field 'mode': 'first' has mode: {mode}, and item 'sum-0#1' is a turn of a conversation"
    with pytest.raises(InputError, match=words):
        make_plan(evaluation(write_sums(tmp_path, 2), systems={"first": spec}))


def test_a_turn_without_the_reference_its_rule_needs_is_named(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(json.dumps({"id": "c", "turns": ["x", "y"], "reference": ["a", None]}), encoding="utf-8")
    with pytest.raises(InputError, match="c#2"):
        make_plan(evaluation(path))
    turns = ["x", "y"]
    path.write_text(json.dumps({"id": "c", "turns": turns, "expect": "comply"}), encoding="utf-8")
    assert make_plan(evaluation(path, scorer=ScorerSpec(rule="refusal"))).total == 2


def test_a_field_that_one_turn_lacks_is_found_before_anything_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    turns = [{"question": "x", "hint": "h", "reference": "a"}, {"question": "y", "reference": "b"}]
    path.write_text(json.dumps({"id": "c", "turns": turns}), encoding="utf-8")
    spec = SystemSpec(model="fake", prompt="{{ question }} {{ hint }}")
    with pytest.raises(InputError, match="cannot be filled for item 'c#2'"):
        make_plan(evaluation(path, systems={"first": spec}))


def test_asking_a_turn_again_asks_its_conversation_anew(tmp_path: Path) -> None:
    fake = FakeSystem(sums)
    systems = {name: SystemSpec(model=name, prompt="{{ question }}") for name in ("a", "b")}
    broken = FakeSystem(
        lambda prompt: (
            "no" if re.fullmatch(r"start 1\.\n1\nadd 1\.", prompt) else sums(prompt.replace("no", "2"))
        )
    )
    given = evaluation(write_sums(tmp_path, 4), systems=systems)
    run(given, directory=tmp_path, models={"a": FakeSystem(sums), "b": broken})
    found = run(given, directory=tmp_path, models={"a": fake, "b": fake}, only="broke:a,b", attempts=3)
    assert [(one.item, one.right, one.came) for one in found.again] == [("sum-1#2", (3, 3), "gone")]
    assert Counter(fake.asked) == {
        "start 1.": 6,
        "start 1.\n1\nadd 1.": 6,
    }  # no later turn, no other conversation


def test_what_answers_can_cost_counts_the_answers_that_are_sent_back(tmp_path: Path) -> None:
    prices = Prices(input=1.0, output=10.0, per=1)
    spec = SystemSpec(
        model="fake",
        prompt="{% if question %}abc{% endif %}",
        prices=prices,
        decoding=Decoding(max_tokens=100),
    )
    notes = Notes()
    run(
        evaluation(write_sums(tmp_path, 1), systems={"first": spec}),
        directory=tmp_path,
        models={"fake": FakeSystem(lambda _: "0")},
        observer=notes,
    )
    # a prompt of 3 characters is a token: inputs 1 + (2 + 100) + (3 + 200), outputs 3 * 100 tokens at 10 each
    assert f"{306 + 3000:,.2f} USD" in notes.notes[0]


def test_a_server_is_sent_the_conversation_and_a_lost_request_is_sent_again(tmp_path: Path) -> None:
    def script(number: int, body: dict[str, Any]) -> Answer:
        said = [message["content"] for message in body["messages"]]
        return fault(500) if number == 1 else ok(chat(sums("\n".join(said))))

    async def work() -> tuple[Run, Server]:
        async with serve(script) as server:
            spec = SystemSpec(model=Endpoint(base_url=server.base_url, model="m"), prompt="{{ question }}")
            given = evaluation(write_sums(tmp_path, 1), systems={"first": spec})
            return await aliquot.run_async(given, directory=tmp_path), server

    found, server = asyncio.run(work())
    assert found.evidence.outcomes["value"].to_list() == [1.0] * 3
    assert server.bodies[1] == server.bodies[2]  # the one that was lost
    assert [[(one["role"], one["content"]) for one in body["messages"]] for body in server.bodies[2:]] == [
        [("user", "start 0."), ("assistant", "0"), ("user", "add 1.")],
        [
            ("user", "start 0."),
            ("assistant", "0"),
            ("user", "add 1."),
            ("assistant", "1"),
            ("user", "add 1."),
        ],
    ]


def test_a_cache_keeps_turns_by_the_whole_conversation(tmp_path: Path) -> None:
    path, cache = write_sums(tmp_path, 3), tmp_path / "answers.db"
    run(evaluation(path), directory=tmp_path / "1", models={"fake": FakeSystem(sums)}, cache=cache)
    same = FakeSystem(sums)
    run(evaluation(path), directory=tmp_path / "2", models={"fake": same}, cache=cache)
    assert same.asked == []
    other = FakeSystem(lambda prompt: sums(prompt) if "\n" in prompt else "7")
    changed = SystemSpec(model="fake", prompt="{{ question }}{% if turn == 1 %} {% endif %}")
    run(
        evaluation(path, systems={"first": changed}),
        directory=tmp_path / "3",
        models={"fake": other},
        cache=cache,
    )
    assert len(other.asked) == 9  # the later questions are the same, what stands before them is not


def test_a_turn_is_read_with_the_conversation_up_to_it(tmp_path: Path) -> None:
    found = run(evaluation(write_sums(tmp_path, 2)), directory=tmp_path, models={"fake": FakeSystem(sums)})
    texts = aliquot.read(found.path).texts
    assert texts is not None
    assert texts.transcript("first", "sums", "sum-1#1", 1) is None  # a question and an answer
    assert texts.transcript("first", "sums", "sum-1#3", 1) == (
        Turn("user", "book 0\n\nstart 1."), Turn("assistant", "1"), Turn("user", "add 1."), Turn("assistant", "2"),
        Turn("user", "add 1."), Turn("assistant", "3"),
    )  # fmt: skip
    assert texts.transcript("first", "sums", "sum-1#3", 2) is None
    assert texts.inputs("sums", "sum-1#3") == "book 0\n\nadd 1."


def test_turns_are_scored_again_by_other_references(tmp_path: Path) -> None:
    path = write_sums(tmp_path, 2)
    found = run(evaluation(path), directory=tmp_path, models={"fake": FakeSystem(sums)})
    (tmp_path / "other").mkdir()
    text = path.read_text(encoding="utf-8").replace('"reference": "3"', '"reference": "4"')
    (tmp_path / "other" / "sums.jsonl").write_text(text, encoding="utf-8")
    told = aliquot.rescore(found.path, evaluation=evaluation(tmp_path / "other" / "sums.jsonl"))
    (system,) = told.systems
    assert (system.before.point, system.after.point) == (1.0, 5 / 6)  # type: ignore[union-attr]


def test_a_sample_of_the_file_keeps_conversations_whole_too(tmp_path: Path) -> None:
    plan = make_plan(evaluation(write_sums(tmp_path, 5), sample=SampleSpec(items=10)))
    assert plan.total == 9


def test_a_turn_is_filled_in_once_however_many_turns_follow_it() -> None:
    turns: list[Item] = []
    for place in range(1, 301):
        fields = {"question": f"q{place}", "turn": place}
        before = turns[-1] if turns else None
        turns.append(Item(f"c#{place}", fields, conversation="c", before=before))
    filled: list[str] = []
    prompt = Prompt(
        "a", SystemSpec(model="fake", prompt="{{ note(question) }}", values={"note": noting(filled)})
    )
    for turn in turns:
        assert len(prompt.check(turn).messages) == 2 * turn.fields["turn"] - 1  # type: ignore[union-attr,operator]
    assert len(filled) == 2 * 300 - 1  # as the last one, and once as one before others


def noting(seen: list[str]) -> Callable[[str], str]:
    """Return a function that notes what a template gives it."""

    def note(text: str) -> str:
        seen.append(text)
        return text

    return note
