"""Runs over HTTP: from the evaluation file to the journal, through a storm, without the key."""

from __future__ import annotations

import asyncio
import json
import sys
from email.utils import formatdate
from pathlib import Path
from time import time

import pytest

from aliquot.errors import InputError, MachineError, RunStoppedError, UsageError
from aliquot.files.run_directory import RunDirectory
from aliquot.runner.evaluation import SystemSpec
from aliquot.runner.evaluation_file import parse_evaluation
from aliquot.runner.models import MODEL_KEYS
from aliquot.systems.endpoint import Endpoint
from aliquot.verbs.run import Run, run, run_async
from tests.runner.evaluations import evaluation, right, write_items
from tests.shared import shared
from tests.systems.server import Answer, Script, Server, chat, fault, ok, serve

SECRET = "sk-very-secret-123"
FILE = """\
name: trial
items: made.jsonl
scorer: words
systems:
  first:
    prompt: "{{ question }}"
    model:
      base_url: http://127.0.0.1:1/v1
      model: m
"""


def asked(body: dict[str, object], *_: object) -> Answer:
    """Answer a question of ``write_items`` rightly."""
    messages = body["messages"]
    assert isinstance(messages, list)
    return ok(chat(right(messages[-1]["content"])))


def run_on(
    script: Script, folder: Path, *, n: int = 4, concurrency: int | None = None, **keys: object
) -> tuple[Run, Server]:
    """Run one system over n items on a server of our own."""

    async def work() -> tuple[Run, Server]:
        folder.mkdir(exist_ok=True)
        async with serve(script) as server:
            endpoint = Endpoint(base_url=server.base_url, model="m", **keys)  # type: ignore[arg-type]
            given = evaluation(
                write_items(folder, n), systems={"first": SystemSpec(model=endpoint, prompt="{{ question }}")}
            )
            return await run_async(given, directory=folder, concurrency=concurrency), server

    return asyncio.run(work())


@pytest.mark.heavy
def test_public_case_57_one_retry_after_stops_all_and_they_start_again_apart(tmp_path: Path) -> None:
    case = json.loads(shared("cases", "57-retry-after-storm", "case.json").read_text(encoding="utf-8"))
    script = json.loads(
        shared("cases", "57-retry-after-storm", "mock_server.json").read_text(encoding="utf-8")
    )["script"]
    storm, again = script[0]["first_requests"], script[1]["next_requests"]

    def answer(number: int, body: dict[str, object]) -> Answer:
        if number < storm:
            return fault(429, "Rate limit reached", headers=script[0]["headers"])
        if number < storm + again:
            return fault(
                429, "Rate limit reached", headers={"Retry-After": formatdate(time() + 2, usegmt=True)}
            )
        return asked(body)

    params = case["input"]["params"]
    found, server = run_on(answer, tmp_path, n=params["items"], concurrency=params["concurrency"])
    first, later = server.times[0], server.times[storm:]
    assert len(server.times) == storm + again + params["items"]
    assert max(server.times[:storm]) < first + 2.0
    assert min(later) >= first + 2.0
    assert max(later) - min(later) >= 0.2
    assert found.evidence.outcomes["value"].to_list() == [1.0] * params["items"]
    records = RunDirectory(found.path).read_journal().records
    assert {record.status for record in records} == {"ok"}
    assert sum(len(record.faults) for record in records) == storm + again
    assert {fault for record in records for fault in record.faults} == {"HTTP 429: Rate limit reached"}


def test_a_limit_that_outlasts_the_retries_scores_nothing(tmp_path: Path) -> None:
    found, server = run_on(lambda *_: fault(429, headers={"Retry-After": "0"}), tmp_path, n=2, tries=2)
    assert len(server.times) == 4
    assert found.evidence.responses["status"].to_list() == ["error", "error"]
    assert found.evidence.outcomes["value"].to_list() == [None, None]


def test_a_refused_parameter_stops_the_run_and_what_was_answered_is_kept(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="refuses temperature"):
        run_on(
            lambda n, body: asked(body) if n < 3 else fault(400, param="temperature"), tmp_path, concurrency=1
        )
    assert len(RunDirectory(tmp_path / "trial").read_journal().records) == 3
    with pytest.raises(RunStoppedError, match="quota"):
        run_on(lambda *_: fault(429, code="insufficient_quota"), tmp_path / "b")


def test_the_run_directory_says_who_answered_and_holds_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVER_KEY", SECRET)
    script: Script = lambda n, body: fault(500, f"key {SECRET}") if n == 0 else asked(body)  # noqa: E731
    found, server = run_on(script, tmp_path, api_key_env="SERVER_KEY", extra={"top_k": 0})
    assert server.headers[0]["Authorization"] == f"Bearer {SECRET}"
    written = b"".join(path.read_bytes() for path in found.path.rglob("*") if path.is_file())
    assert SECRET.encode() not in written
    assert b"HTTP 500: key [key]" in written
    settings = {row["name"]: row["value"] for row in found.evidence.settings.to_dicts()}
    assert settings["snapshot"] == "m-2024-08-06 fp_1"
    assert (settings["model"], settings["extra"], settings["base_url"]) == (
        "m",
        '{"top_k":0}',
        server.base_url,
    )


def test_another_extra_is_another_evaluation_and_another_request(tmp_path: Path) -> None:
    requests: list[set[str | None]] = []
    for number, extra in enumerate(({}, {"top_k": 0}, {})):
        found, _ = run_on(lambda _, body: asked(body), tmp_path / str(number), extra=extra, n=1)
        requests.append({record.request for record in RunDirectory(found.path).read_journal().records})
    assert requests[0] != requests[1]
    with pytest.raises(UsageError, match="changed: extra of 'first'"):
        run_on(lambda _, body: asked(body), tmp_path / "0", extra={"top_k": 1}, n=1)


def test_a_snapshot_that_changes_between_sessions_shows(tmp_path: Path) -> None:
    async def work() -> list[str]:
        seen: list[str] = []
        named, most = "m-1", 1

        def script(number: int, _: dict[str, object]) -> Answer:
            return ok(chat("a0") | {"model": named}) if number < most else fault(500)

        async with serve(script) as server:
            model = Endpoint(base_url=server.base_url, model="m", tries=1)
            spec = SystemSpec(model=model, prompt="{{ question }}")
            given = evaluation(write_items(tmp_path, 2), systems={"first": spec})
            for named, most in (("m-1", 1), ("m-2", 9)):  # noqa: B007 - the script sees them
                found = await run_async(given, directory=tmp_path, concurrency=1)
                settings = found.evidence.settings.to_dicts()
                seen += [row["value"] for row in settings if row["name"] == "snapshot"]
        return seen

    assert asyncio.run(work()) == ["m-1 fp_1", "m-1 fp_1, m-2 fp_1"]


def with_model(*lines: str) -> str:
    return FILE + "".join(f"      {line}\n" for line in lines)


def test_every_key_of_a_model_over_http_is_read() -> None:
    said = {
        "api": "chat", "api_key_env": "SERVER_KEY", "api_version": '"2024-10-21"', "stream": "true", "concurrency": "3",
        "tries": "2", "timeout_s": "9.5", "connect_timeout_s": "1", "first_token_timeout_s": "2",
        "json_schema": "{type: object}", "extra": "{top_k: 0, seed: null, list: [1, {a: b}]}",
    }  # fmt: skip
    assert {*said, "base_url", "model"} == set(MODEL_KEYS)
    found = parse_evaluation(with_model(*(f"{name}: {value}" for name, value in said.items())), file="t.yaml")
    assert found.systems["first"].model == Endpoint(
        base_url="http://127.0.0.1:1/v1",
        model="m",
        api="chat",
        api_key_env="SERVER_KEY",
        api_version="2024-10-21",
        stream=True,
        concurrency=3,
        tries=2,
        timeout_s=9.5,
        connect_timeout_s=1,
        first_token_timeout_s=2,
        json_schema={"type": "object"},
        extra={"top_k": 0, "seed": None, "list": [1, {"a": "b"}]},
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("api_key: sk-1", r"row 10: there is no key 'api_key'. Did you mean 'api_key_env'"),
        ("api: chats", r"row 10, field 'api': 'chats' is not known here. Did you mean 'chat'"),
        ("api: completions", r"row 8, field 'model': api: completions needs mode: completion"),
        ("api_key_env: sk-proj-12", r"row 10, field 'api_key_env': api_key_env does not name a variable"),
        ("timeout_s: 0", r"row 10, field 'timeout_s': timeout_s is 0"),
        ("tries: 0", r"row 10, field 'tries': 0 is not a whole number from 1"),
        ("stream: 1", r"row 10, field 'stream': 1 is neither true nor false"),
        ("extra: [1]", r"row 10, field 'extra': a list stands where key: value lines are needed"),
        ("extra: {messages: []}", r"row 10, field 'extra': extra cannot hold 'messages'"),
        (
            "extra: {temperature: 1}",
            r"row 10, field 'extra': extra cannot set 'temperature': say it under decoding",
        ),
        ("extra: {penalty: .nan}", r"row 10, field 'extra': extra cannot be written as JSON"),
        ("timeout_s: .nan", r"row 10, field 'timeout_s': nan is out of range. Give a finite number$"),
        ("extra: {api_key: x}", r"'api_key' would put a secret"),
    ],
)
def test_a_key_that_cannot_be_used_is_named_with_its_line(line: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        parse_evaluation(with_model(line), file="t.yaml")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("127.0.0.1:8000/v1", "write it like http://"),
        ("http://user:secret-pw@host/v1", "base_url holds a user, a password or a query"),
        ("https://host/v1?key=secret-pw", "base_url holds a user, a password or a query"),
        ("http://host/v1/chat/completions", "ends with /chat/completions"),
        ("http://[host/v1", "base_url is not a URL"),
    ],
)
def test_a_url_that_cannot_be_used_is_refused_and_no_password_shown(url: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        parse_evaluation(FILE.replace("http://127.0.0.1:1/v1", f'"{url}"'), file="t.yaml")
    assert "secret-pw" not in str(caught.value)


def test_what_a_mapping_lacks_is_named() -> None:
    with pytest.raises(InputError, match=r"row 8, field 'model': the key 'base_url' is missing"):
        parse_evaluation(FILE.replace("      base_url: http://127.0.0.1:1/v1\n", ""), file="t.yaml")


def http_evaluation(folder: Path, **keys: str) -> Path:
    write_items(folder, 1)
    path = folder / "trial.yaml"
    path.write_text(with_model(*(f"{name}: {value}" for name, value in keys.items())), encoding="utf-8")
    return path


def test_an_unset_key_is_told_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SERVER_KEY", raising=False)
    path = http_evaluation(tmp_path, api_key_env="SERVER_KEY")
    for value in (None, " ", "two words"):
        if value is not None:
            monkeypatch.setenv("SERVER_KEY", value)
        with pytest.raises(UsageError, match="the variable SERVER_KEY"):
            run(path, directory=tmp_path)


def test_without_the_extra_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    for name in [
        name for name in sys.modules if name.startswith(("aliquot.systems.openai_", "aliquot.systems.http_"))
    ]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MachineError, match=r"Run: pip install 'aliquot\[http\]'"):
        run(http_evaluation(tmp_path), directory=tmp_path)
