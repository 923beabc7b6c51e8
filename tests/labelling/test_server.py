"""The server of the page over a real socket: links, hosts, origins, paths, and nothing that tells what is hidden."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from aliquot.errors import MachineError
from aliquot.labelling.server import LabelServer
from tests.labelling.projects import Client, answers, event, project, served


@pytest.fixture
def made(tmp_path: Path):
    found = project(tmp_path, overlap=10)
    yield found
    found.close()


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory):
    """A project of which nobody ever says anything."""
    found = project(tmp_path_factory.mktemp("quiet"), overlap=10)
    yield found
    assert found.store.steps == 0
    found.close()


def test_the_page_and_its_data_tell_neither_system_nor_verdict_nor_cost(quiet):
    with served(quiet) as (_, clients):
        ana = clients["ana"]
        texts = [ana.ask()[2], ana.ask("/work")[2], ana.ask("/task?place=1000000")[2]]
        for text in texts:
            assert b"What is" in text
            for secret in (
                b"gpt-secret",
                b"item-00",
                b"0.125",
                b"shared",
                b"own",
                b"verdict",
                b"probability",
                b"value",
            ):
                assert secret not in text.replace(b'"Show what', b""), secret


def test_every_answer_has_the_headers_that_keep_others_out(quiet):
    with served(quiet) as (_, clients):
        for path, method in (
            ("", "GET"),
            ("/work", "GET"),
            ("/nothing", "GET"),
            ("", "DELETE"),
            ("", "HEAD"),
        ):
            _, headers, body = clients["ana"].ask(path, method=method)
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert "frame-ancestors 'none'" in policy
            assert headers["cache-control"] == "no-store"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["server"].strip() == "aliquot"
            assert method != "HEAD" or body == b""


def test_no_script_or_style_stands_in_a_page(quiet):
    with served(quiet) as (server, clients):
        for page in (clients["ana"].ask()[2], Client(server, f"/o/{server.owner}").ask()[2]):
            assert b"<style" not in page
            assert page.count(b"<script") == page.count(b'src="/static/') + page.count(
                b'type="application/json"'
            )
            assert b" onclick" not in page
            assert b" style=" not in page


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_what_another_page_sends_is_refused(quiet, headers, status):
    with served(quiet) as (_, clients):
        ana = clients["ana"]
        place, rubric = ana.work()["tasks"][0]["place"], quiet.form.rubric
        body = {"events": [event(place, id="a" * 12, rubric=rubric)]}
        assert (
            ana.ask("/events", body=body, **{k.replace("-", "_"): v for k, v in headers.items()})[0] == status
        )
        assert quiet.store.steps == 0


def test_a_post_without_an_origin_is_refused(quiet):
    with served(quiet) as (server, clients):
        raw = json.dumps({"events": []}).encode()
        told = head(server, clients["ana"]) + f"Content-Length: {len(raw)}\r\n\r\n"
        assert b" 403 " in sent(server.port, told.encode() + raw)


def test_data_is_not_given_to_another_page_but_a_link_may_be_followed_from_anywhere(quiet):
    with served(quiet) as (_, clients):
        assert clients["ana"].ask("/work", Sec_Fetch_Site="cross-site")[0] == 403
        assert clients["ana"].ask("", Sec_Fetch_Site="cross-site")[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/", "/r/", "/r/nobody-0123456789abcdef", "/o/nobody-0123456789abcdef", "/static/../server.py",
        "/static/server.py", "/static/%2e%2e/%2e%2e/pyproject.toml", "//etc/passwd", "/r/ana/../../o",
        "/static/label.js/", "/project.sqlite", "/r/' OR 1=1 --".replace(" ", "%20"), "/labels.csv", "*",
    ],
)  # fmt: skip
def test_no_other_path_is_answered(quiet, path):
    with served(quiet) as (server, _):
        assert Client(server, "").ask(path)[0] in {400, 404}


def test_a_link_opens_one_list_and_no_other(quiet):
    with served(quiet) as (server, clients):
        assert clients["ana"].ask("")[0] == clients["ben"].ask("")[0] == 200
        token = clients["ana"].path.removeprefix("/r/")
        assert Client(server, f"/o/{token}").ask("")[0] == 404
        assert Client(server, f"/o/{token}").ask("/labels.csv")[0] == 404
        assert Client(server, f"/r/{server.owner}").ask("")[0] == 404
        assert Client(server, f"/r/{token[:-1]}").ask("")[0] == 404
        assert all(
            len(client.path) > 3 + 22 for client in clients.values()
        )  # 128 bits behind a readable beginning


def test_the_owners_tables_are_fetched_while_people_work(made):
    with served(made) as (server, clients):
        ana, owner = clients["ana"], Client(server, f"/o/{server.owner}")
        place = ana.work()["tasks"][0]["place"]
        ana.tell(event(place, id="a" * 12, rubric=made.form.rubric))
        status, headers, body = owner.ask("/labels.csv")
        assert status == 200
        assert headers["content-disposition"] == 'attachment; filename="labels.csv"'
        assert body.count(b"\n") == 2
        assert owner.ask("/secrets.csv")[0] == owner.ask("/../labels.csv")[0] == 404
        assert json.loads(owner.ask("/steps")[2]) == {"steps": 1}
        assert b"1 of 20" in owner.ask("")[2]


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"events":{}}', b'{"events":[{}]}', b'{"events":[{"id":1}]}',
        b"[" * 100_000,
        b'{"events":[{"id":"abcdefgh","place":1000000,"kind":"drop","said":{},"rubric":"v1"}]}',
        b'{"events":[{"id":"abcdefgh","place":1e400,"kind":"label","said":{},"rubric":"v1"}]}',
    ],
)  # fmt: skip
def test_a_message_that_is_none_is_refused_and_nothing_breaks(quiet, body):
    with served(quiet) as (_, clients):
        assert clients["ana"].ask("/events", body=body)[0] == 400
        assert quiet.store.steps == 0


def test_messages_are_bounded(quiet):
    with served(quiet) as (server, clients):
        start = head(server, clients["ana"]) + f"Origin: http://127.0.0.1:{server.port}\r\n"
        for length in (
            "Content-Length: 999999999999",
            "Content-Length: -1",
            "Content-Length: ten",
            "Transfer-Encoding: chunked",
        ):
            assert b" 413 " in sent(server.port, f"{start}{length}\r\n\r\n".encode())
        many = [event(1_000_000, id=f"{at:012}", rubric=quiet.form.rubric) for at in range(501)]
        assert clients["ana"].ask("/events", body={"events": many})[0] == 413
        assert b" 431 " in sent(server.port, start.encode() + b"X: y\r\n" * 200 + b"\r\n")
        assert b" 414 " in sent(server.port, b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n")
        assert clients["ana"].ask("")[0] == 200


def test_what_the_form_does_not_ask_is_refused_one_by_one(made):
    with served(made) as (_, clients):
        ana, rubric = clients["ana"], made.form.rubric
        place = ana.work()["tasks"][0]["place"]
        told = ana.tell(
            event(place, id="good-one-1", rubric=rubric),
            event(place, "maybe", id="no-option-1", rubric=rubric),
            event(place, ["pass"], id="a-list-here", rubric=rubric),
            event(7, id="no-place-1", rubric=rubric),
            event(2**63, id="far-place-1", rubric=rubric),
            event(place, id="no-rubric-1", rubric="v9 00000000"),
            event(place, id="../../etc", rubric=rubric),
            event(place, id="skip-no-why", rubric=rubric, kind="skip"),
            event(place, id="long-note-1", rubric=rubric, note="x" * 20_001),
        )
        assert told["kept"] == ["good-one-1"]
        assert [one["id"] for one in told["refused"]] == [
            "no-option-1",
            "a-list-here",
            "no-place-1",
            "far-place-1",
            "no-rubric-1",
            "../../etc",
            "skip-no-why",
            "long-note-1",
        ]
        assert all(one["why"] for one in told["refused"])
        assert made.store.steps == 1


def test_hostile_texts_are_data_and_never_markup(tmp_path):
    hostile = "</script><img src=x onerror=alert(1)>\x1b[31m\u202egnp.exe\x00 {{ 7*7 }} ]]>"
    evidence = answers(12, input=[hostile] * 12, output=[hostile] * 12, target=[hostile] * 12)
    made = project(tmp_path, evidence=evidence, n=10)
    with served(made) as (_, clients):
        page = clients["ana"].ask()[2].decode()
        assert "<img" not in page
        assert page.count("</script>") == 2
        assert "\x1b" not in page
        assert "\u202e" not in page
        assert "49" not in page.split("<body>")[1]
    made.close()


def test_a_port_that_is_taken_is_named(quiet):
    with (
        quiet.serve() as server,
        pytest.raises(MachineError, match=rf"port {server.port} cannot be used .*--port"),
        quiet.serve(port=server.port),
    ):
        pass


def test_it_listens_on_loopback_alone_unless_told_otherwise(quiet):
    with quiet.serve() as server:
        assert server.server_address[0] == "127.0.0.1"
    with quiet.serve(listen="lan") as server:
        assert server.server_address[0] == "0.0.0.0"
        assert f"127.0.0.1:{server.port}" in server.hosts
        assert server.link(quiet.raters()[0]).startswith(f"http://{server.name}:{server.port}/r/ana-")


def sent(port: int, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(data)
        return connection.recv(4096)


def head(server: LabelServer, client: Client) -> str:
    """The beginning of a message of events."""
    host = f"Host: 127.0.0.1:{server.port}\r\n"
    return f"POST {client.path}/events HTTP/1.1\r\n{host}Content-Type: application/json\r\n"


def test_another_step_under_the_same_id_is_refused_and_not_swallowed(made):
    with served(made) as (_, clients):
        ana, rubric = clients["ana"], made.form.rubric
        first, second = (task["place"] for task in ana.work()["tasks"][:2])
        step = event(first, id="one-step-1", rubric=rubric)
        assert ana.tell(step)["kept"] == ["one-step-1"]
        assert ana.tell(step)["kept"] == ["one-step-1"]  # told again, acknowledged again
        told = ana.tell(event(second, id="one-step-1", rubric=rubric))
        assert (told["kept"], [one["id"] for one in told["refused"]]) == ([], ["one-step-1"])
