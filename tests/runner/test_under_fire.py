"""A server that does everything wrong at once, and a process that is killed again and again: the rows are right."""

from __future__ import annotations

import asyncio
import json
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from aliquot.evidence.tables import Evidence
from aliquot.files.records import Response
from aliquot.files.run_directory import RunDirectory
from aliquot.runner.evaluation import SystemSpec
from aliquot.systems.endpoint import Endpoint
from aliquot.verbs.run import run_async
from tests.runner.evaluations import evaluation, write_items
from tests.systems.server import Answer, Server, chat, fault, ok, pieces, raw, serve, silence

FILE = """\
name: trial
items: made.jsonl
scorer: words
segments: [kind]
systems:
  first:
    prompt: "first {{{{ question }}}}"
    model: {{base_url: "{base_url}", model: m, concurrency: 6, timeout_s: 60}}
  second:
    prompt: "second {{{{ question }}}}"
    model: {{base_url: "{base_url}", model: m, concurrency: 6, timeout_s: 60}}
"""


def number_of(body: dict[str, Any]) -> int:
    """Return which item of ``write_items`` a request asks about."""
    found = re.search(r"q(\d+)\.", body["messages"][-1]["content"])
    assert found is not None
    return int(found[1])


def whole(item: int) -> bytes:
    return json.dumps(chat(f"a{item}")).encode()


def slowly(item: int) -> Answer:
    """Send a whole answer in small pieces with pauses between them."""
    data = whole(item)
    parts = [data[at : at + 40] for at in range(0, len(data), 40)]
    return pieces(*parts, pause_s=0.01, content_type="application/json")


def half(item: int) -> Answer:
    return raw(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + whole(item)[:60])


ONCE: dict[str, Callable[[int], Answer]] = {
    "429": lambda _: fault(429, "slow down", headers={"Retry-After": "0.05"}),
    "500": lambda _: fault(500, "boom"),
    "garbage": lambda _: raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n\x00garbage!"),
    "half a body": half,
    "reset": lambda _: raw(b"", abort=True),
    "closed": lambda _: raw(b""),
    "no HTTP": lambda _: raw(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"),
}
"""Faults after which the same request is answered."""

ENDS: dict[str, tuple[Callable[[int], Answer], str, int]] = {
    "slow drips": (slowly, "ok", 1),
    "silence": (lambda _: silence, "timeout", 1),
    "drips without end": (
        lambda _: pieces(*[b" "] * 1000, pause_s=0.02, content_type="application/json"),
        "timeout",
        1,
    ),
    "cut": (lambda item: ok(chat(f"a{item}", finish="length")), "truncated", 1),
    "filtered": (lambda _: fault(400, "filtered", code="content_filter"), "refused", 1),
    "empty": (lambda _: ok(chat("")), "failed", 1),
    "500 for ever": (lambda _: fault(500, "boom"), "error", 4),
    "400 of one item": (lambda _: fault(400, "messages must not be empty", param="messages"), "error", 1),
}
"""What an item always gets: how it ends, and after how many requests."""

PLAIN, EACH, MOST_ENDS = 60, 8, 2


def test_every_item_is_asked_once_and_has_the_right_status_whatever_the_server_does(tmp_path: Path) -> None:
    faults = [name for name in ONCE for _ in range(EACH)]
    ends = [name for name in ENDS for _ in range(MOST_ENDS)]
    n = PLAIN + len(faults) + len(ends)
    broken = dict(enumerate(faults, start=PLAIN))
    ended = dict(enumerate(ends, start=PLAIN + len(faults)))
    requests: Counter[int] = Counter()
    answered: Counter[int] = Counter()

    def script(_: int, body: dict[str, Any]) -> Answer:
        item = number_of(body)
        requests[item] += 1
        if item in broken and requests[item] == 1:
            return ONCE[broken[item]](item)
        answered[item] += 1
        return ENDS[ended[item]][0](item) if item in ended else ok(chat(f"a{item}"))

    async def work() -> tuple[Evidence, list[Response]]:
        async with serve(script) as server:
            model = Endpoint(base_url=server.base_url, model="m", concurrency=16, tries=4, timeout_s=2.0)
            spec = SystemSpec(model=model, prompt="{{ question }}")
            given = evaluation(write_items(tmp_path, n), systems={"first": spec})
            found = await run_async(given, directory=tmp_path)
            return found.evidence, list(RunDirectory(found.path).read_journal().records)

    evidence, records = asyncio.run(work())
    expected = {f"i{k}": ENDS[ended[k]][1] if k in ended else "ok" for k in range(n)}
    assert {record.item: record.status for record in records} == expected
    assert len(records) == n
    assert dict(requests) == {
        k: ENDS[ended[k]][2] if k in ended else 2 if k in broken else 1 for k in range(n)
    }
    rights = [k for k in range(n) if expected[f"i{k}"] == "ok"]
    assert {k: answered[k] for k in rights} == dict.fromkeys(rights, 1)
    assert evidence.outcomes.height == n
    assert evidence.outcomes["value"].sum() == len(rights)
    assert Counter(evidence.responses["status"]) == Counter(expected.values())


class Asked:
    """What a server was asked while processes came and went."""

    def __init__(self, delay_s: float) -> None:
        self.delay_s, self.server = delay_s, Server("")
        self.keys: list[tuple[str, str]] = []
        self.open = 0

    def script(self, _: int, body: dict[str, Any]) -> Answer:
        item = number_of(body)
        self.keys.append((body["messages"][-1]["content"].split()[0], f"i{item}"))

        async def send(request: Any) -> Any:
            self.open += 1
            try:
                await asyncio.sleep(self.delay_s)
                return ok(chat(f"a{item}"))
            finally:
                self.open -= 1

        return send

    def settle(self) -> None:
        """Wait until what a dead process had sent is dealt with."""
        time.sleep(0.05)
        while self.open:
            time.sleep(0.01)


@contextmanager
def served(delay_s: float) -> Generator[Asked]:
    """Serve from a thread of its own, so that the test can wait for processes."""
    asked, ready, over = Asked(delay_s), threading.Event(), threading.Event()

    async def work() -> None:
        async with serve(asked.script) as asked.server:
            ready.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=lambda: asyncio.run(work()))
    thread.start()
    ready.wait()
    try:
        yield asked
    finally:
        over.set()
        thread.join()


def start(folder: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "aliquot", "run", "trial.yaml", *options]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def on_record(folder: Path) -> list[tuple[str, str]]:
    records = RunDirectory(folder / "runs" / "trial").read_journal().records
    return [(record.system, record.item) for record in records if record.status == "ok"]


def stop_at_random(
    folder: Path, asked: Asked, draw: random.Random, number: signal.Signals
) -> tuple[int, str]:
    """Start a session, stop it at a random moment, and return its exit code and what it said."""
    before = len(asked.keys)
    process = start(folder)
    if draw.random() < 0.9:  # else at any moment of its start
        while len(asked.keys) == before and process.poll() is None:
            time.sleep(0.002)
    time.sleep(draw.uniform(0.0, 0.15))
    process.send_signal(number)
    _, said = process.communicate()
    asked.settle()
    return process.returncode, said


def survive(folder: Path, *, kills: int, items: int, seed: int) -> None:
    draw = random.Random(seed)
    write_items(folder, items)
    with served(0.02) as asked:
        (folder / "trial.yaml").write_text(FILE.format(base_url=asked.server.base_url), encoding="utf-8")
        killed = 0
        for _ in range(kills):
            kept, before = set(on_record(folder)), len(asked.keys)
            code, _ = stop_at_random(folder, asked, draw, signal.SIGKILL)
            killed += code == -signal.SIGKILL
            session = Counter(asked.keys[before:])
            assert not kept & session.keys()  # nothing on record is asked again
            assert set(session.values()) <= {1}
            assert kept <= set(on_record(folder))  # nothing on record is lost
        assert killed >= kills * 0.8
        kept, before = set(on_record(folder)), len(asked.keys)
        process = start(folder, "--progress", "json")
        _, said = process.communicate()
        assert process.returncode == 0, said
        assert not kept & set(asked.keys[before:])
    every = {(system, f"i{k}") for system in ("first", "second") for k in range(items)}
    assert Counter(on_record(folder)) == Counter(dict.fromkeys(every, 1))
    assert set(asked.keys) == every
    last = [told for line in said.splitlines() if "done" in (told := json.loads(line))][-1]
    assert (last["done"], last["total"], last["kept"]) == (2 * items, 2 * items, len(kept))
    run = RunDirectory(folder / "runs" / "trial")
    evidence = run.read_evidence()
    assert evidence.responses.height == evidence.outcomes["value"].sum() == 2 * items
    assert run.manifest is not None
    assert run.manifest.finished


@pytest.mark.heavy
def test_kills_at_random_moments_lose_and_repeat_nothing(tmp_path: Path) -> None:
    survive(tmp_path, kills=3, items=60, seed=1)


@pytest.mark.heavy
def test_fifty_kills_at_random_moments_lose_and_repeat_nothing(tmp_path: Path) -> None:
    survive(tmp_path, kills=50, items=900, seed=2)


@pytest.mark.heavy
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_an_interrupt_and_a_cancelled_job_leave_a_run_that_goes_on(
    tmp_path: Path, number: signal.Signals
) -> None:
    write_items(tmp_path, 200)
    with served(0.02) as asked:
        (tmp_path / "trial.yaml").write_text(FILE.format(base_url=asked.server.base_url), encoding="utf-8")
        process = start(tmp_path)
        while len(asked.keys) < 20:
            time.sleep(0.002)
        process.send_signal(number)
        _, said = process.communicate()
        asked.settle()
        kept, before = set(on_record(tmp_path)), len(asked.keys)
        assert process.returncode == 130
        assert f"interrupted with {len(kept)} of 400 answers, all kept. Run the same command again" in said
        assert "Traceback" not in said
        again = start(tmp_path)
        _, said = again.communicate()
        assert again.returncode == 0, said
        assert not kept & set(asked.keys[before:])
    assert len(on_record(tmp_path)) == len(set(on_record(tmp_path))) == 400
