"""The labelling page under 20 raters on 10,000 answers: how long a rater waits, by the clock."""

from __future__ import annotations

import http.client
import json
import os
import random
import signal
import statistics
import sys
import tempfile
import time
from pathlib import Path
from subprocess import PIPE, Popen
from threading import Thread
from typing import Any

import polars as pl

from aliquot import LabelDraw, RaterChecks, from_frame, label
from benchmarks.measure import Measured

ANSWERS, RATERS, LABELS = 10_000, 20, 60
THINKING_S = 0.5
LIMIT_S = 0.1


def measure() -> list[Measured]:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        tokens = make(project)
        command = [sys.executable, "-m", "aliquot", "label", str(project), "--json", "--port", "0"]
        server = Popen(command, stdout=PIPE, text=True)
        try:
            port = wait_for(server)
            pages, told = work(port, tokens)
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=60)
    what = f"labelling, {RATERS} raters on {ANSWERS:,} answers, a label each every {THINKING_S} s"
    kept = f"{len(told):,} labels, median {1000 * statistics.median(told):.0f} ms"
    limit = "100 ms, by the clock"
    return [
        Measured(f"{what}: p95 of a page ({len(pages)} loads)", p95(pages), limit, LIMIT_S, 1),
        Measured(f"the same: p95 of a label kept ({kept})", p95(told), limit, LIMIT_S, 1),
    ]


def make(folder: Path) -> list[str]:
    """Make the project: answers of 200 words, everybody labels 200 of them and a part of the rest."""
    text = "The refund arrives within fourteen days on the card you paid with. " * 17
    rows = {
        "item": [f"q{at:05}" for at in range(ANSWERS)],
        "input": [f"Where is order {at}? {text[:200]}" for at in range(ANSWERS)],
        "output": [f"{at}: {text}" for at in range(ANSWERS)],
        "value": [at % 4 > 0 for at in range(ANSWERS)],
    }
    names = [f"rater {at}" for at in range(RATERS)]
    draw, check = LabelDraw(n=ANSWERS), RaterChecks(overlap=200)
    made = label(from_frame(pl.DataFrame(rows)), raters=names, project=folder, draw=draw, check=check)
    tokens = [one.token for one in made.raters()]
    made.close()
    return tokens


def wait_for(server: Popen[str]) -> int:
    assert server.stdout is not None
    for line in server.stdout:
        told = json.loads(line)
        if told["event"] == "owner":
            Thread(target=server.stdout.read, daemon=True).start()
            return int(told["link"].split(":")[2].split("/")[0])
    raise SystemExit("the server did not start")


def work(port: int, tokens: list[str]) -> tuple[list[float], list[float]]:
    """Let everybody work at once, and return the seconds of each page and of each label."""
    pages: list[float] = []
    told: list[float] = []
    threads = [Thread(target=rate, args=(port, token, pages, told)) for token in tokens]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return pages, told


def rate(port: int, token: str, pages: list[float], told: list[float]) -> None:
    """Be one rater: load the page, label, fetch more before it runs out, and load the page again now and then."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    origin = {"Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/json"}
    draw = random.Random(token)
    time.sleep(draw.uniform(0, THINKING_S))
    waiting: list[int] = []
    rubric = ""
    for at in range(LABELS):
        if at % 15 == 0:
            seconds, page = ask(connection, f"/r/{token}")
            pages.append(seconds)
            boot = json.loads(page.split(b'id="boot">')[1].split(b"</script>")[0])
            waiting, rubric = [one["place"] for one in boot["work"]["tasks"]], boot["form"]["rubric"]
        elif len(waiting) < 12:
            seconds, body = ask(connection, f"/r/{token}/work")
            pages.append(seconds)
            waiting = [one["place"] for one in json.loads(body)["tasks"]]
        said = {"label": "pass" if draw.random() < 0.75 else "fail"}
        event = {
            "id": f"{at:012}",
            "place": waiting.pop(0),
            "kind": "label",
            "said": said,
            "seconds": 10.0,
            "rubric": rubric,
        }
        seconds, _ = ask(connection, f"/r/{token}/events", {"events": [event]}, origin)
        told.append(seconds)
        time.sleep(draw.uniform(0.5, 1.5) * THINKING_S)


def ask(
    connection: http.client.HTTPConnection, path: str, body: Any = None, headers: dict[str, str] | None = None
) -> tuple[float, bytes]:
    began = time.perf_counter()
    method, data = ("GET", None) if body is None else ("POST", json.dumps(body))
    connection.request(method, path, body=data, headers=headers or {})
    answer = connection.getresponse()
    content = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{path.rpartition('/')[2]}: {answer.status} {content[:200]!r}")
    return time.perf_counter() - began, content


def p95(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=20)[-1]


if __name__ == "__main__":
    for row in measure():
        print(f"{row.work}: {1000 * row.seconds:.0f} ms (load {os.getloadavg()[0]:.1f})")
