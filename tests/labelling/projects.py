"""Projects to label in tests, and a client that speaks to their server over a real socket."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from aliquot import from_frame
from aliquot.evidence.tables import Evidence
from aliquot.labelling.label_project import LabelProject
from aliquot.labelling.server import LabelServer
from aliquot.verbs.label import label
from aliquot.verbs.label_draw import LabelDraw, RaterChecks


@cache
def plain_answers() -> Evidence:
    """The answers of most tests, made once."""
    return answers()


def answers(n: int = 60, *, systems: tuple[str, ...] = ("gpt-secret",), **more: list[Any]) -> Evidence:
    rows = [
        {
            "system": system,
            "item": f"item-{i:04d}",
            "input": f"What is {i} plus {i}?",
            "output": f"It is {2 * i + int(i % 4 == 0)}.",
            "target": str(2 * i),
            "value": int(i % 4 > 0),
            "cost": 0.125 + i / 1e6,
            "segment.topic": ("sums", "dates")[i % 2],
        }
        for system in systems
        for i in range(n)
    ]
    return from_frame(
        pl.DataFrame(rows).with_columns(**{name: pl.Series(told) for name, told in more.items()})
    )


def project(
    folder: Path,
    *,
    evidence: Evidence | None = None,
    raters: tuple[str, ...] = ("ana", "ben"),
    n: int | None = 30,
    overlap: int | None = None,
    **more: Any,
) -> LabelProject:
    draw = LabelDraw(
        n=n,
        **{name: more.pop(name) for name in ("by", "unit", "seed", "half_width", "labels") if name in more},
    )
    checks = {name: more.pop(name) for name in ("repeats", "known", "train", "pass_mark") if name in more}
    return label(
        plain_answers() if evidence is None else evidence,
        raters=raters,
        project=folder / "p",
        draw=draw,
        check=RaterChecks(overlap=overlap, **checks),
        **more,
    )


class Client:
    """One rater's browser, as far as the server can tell."""

    def __init__(self, server: LabelServer, path: str) -> None:
        self.server, self.path = server, path

    def ask(
        self, path: str = "", *, body: Any = None, method: str | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=10)
        host = f"127.0.0.1:{self.server.port}"
        told = {"Host": host}
        if body is not None:
            told |= {"Origin": f"http://{host}", "Content-Type": "application/json"}
        told |= {name.replace("_", "-"): value for name, value in headers.items()}
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        try:
            connection.request(
                method or ("GET" if body is None else "POST"), f"{self.path}{path}", body=data, headers=told
            )
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def work(self) -> dict[str, Any]:
        status, _, body = self.ask("/work")
        assert status == 200, body
        return json.loads(body)

    def tell(self, *events: dict[str, Any]) -> dict[str, Any]:
        status, _, body = self.ask("/events", body={"events": events})
        assert status == 200, body
        return json.loads(body)


@contextmanager
def served(project: LabelProject) -> Iterator[tuple[LabelServer, dict[str, Client]]]:
    complaints: list[str] = []
    with project.serve(complain=complaints.append) as server:
        yield server, {one.name: Client(server, f"/r/{one.token}") for one in project.store.raters()}
    assert complaints == []


def event(place: int, said: Any = "pass", *, id: str, rubric: str, **more: Any) -> dict[str, Any]:  # noqa: A002 - the event's own word
    kind = more.pop("kind", "label")
    told = said if isinstance(said, dict) else {} if kind != "label" else {"label": said}
    return {"id": id, "place": place, "kind": kind, "said": told, "rubric": rubric, "seconds": 12.5, **more}
