"""The server of the page: the standard library's, a thread a connection, and nothing it does not know is answered."""

from __future__ import annotations

import json
import re
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from hmac import compare_digest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore
from typing import Any, Final, cast
from urllib.parse import parse_qs, urlsplit

import msgspec

from aliquot.errors import AliquotError, MachineError
from aliquot.labelling.access import EVERYWHERE, HEADERS, LOOPBACK, hosts_of, lan_address, refusal
from aliquot.labelling.desk import MOST_EVENTS, Desk
from aliquot.labelling.events import Event
from aliquot.labelling.exports import TABLES, Exports
from aliquot.labelling.live import Watch, queue_differing
from aliquot.labelling.pages import ASSETS, asset, form_data, label_page, owner_page
from aliquot.labelling.project import ADJUDICATOR, Rater

MOST_BYTES: Final = 4_000_000
"""Bytes of a message."""

MOST_CONNECTIONS: Final = 400
_TIMEOUT_S: Final = 30.0
_LINK: Final = r"[A-Za-z0-9_-]{8,80}"
_RATER: Final = re.compile(rf"/r/({_LINK})(?:/(work|task|events))?")
_OWNER: Final = re.compile(rf"/o/({_LINK})(?:/(steps|[a-z]+\.csv))?")
_ASSET: Final = re.compile(r"/static/([a-z.]+)")
_JSON: Final = "application/json; charset=utf-8"
_HTML: Final = "text/html; charset=utf-8"


class _Message(msgspec.Struct, forbid_unknown_fields=True):
    events: list[Event]


_DECODER: Final = msgspec.json.Decoder(_Message)


class LabelServer(ThreadingHTTPServer):
    """Serves one project. ``owner`` is the end of the owner's link; it is kept in the project."""

    daemon_threads = False  # closing waits until what is under way is answered
    request_queue_size = 128

    def __init__(
        self,
        desk: Desk,
        *,
        owner: str,
        address: str = LOOPBACK,
        port: int = 0,
        complain: Callable[[str], None],
    ) -> None:
        """Listen.

        Args:
            desk: between pages and store.
            owner: the end of the owner's link.
            address: ``127.0.0.1``, or ``0.0.0.0`` for the network.
            port: the port; 0 for one that is free.
            complain: told of a fault of ours, as one line.

        Raises:
            MachineError: the port is taken, or may not be used.
        """
        self.desk = desk
        self.owner = owner
        self.watch = Watch(desk.store)
        self.complain = complain
        self._free = BoundedSemaphore(MOST_CONNECTIONS)
        self._open: set[socket.socket] = set()
        try:
            super().__init__((address, port), _Handler)
        except (OSError, OverflowError) as error:
            raise MachineError(
                f"port {port} cannot be used ({getattr(error, 'strerror', None) or error}). Name another: --port N"
            ) from error
        self.hosts = hosts_of(address, self.port)
        self.name = (lan_address() or LOOPBACK) if address == EVERYWHERE else address

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.server_address[1])

    @property
    def root(self) -> str:
        """The beginning of every link."""
        return f"http://{self.name}:{self.port}"

    def link(self, rater: Rater) -> str:
        """Return a rater's link."""
        return f"{self.root}/r/{rater.token}"

    @property
    def owner_link(self) -> str:
        """The owner's link."""
        return f"{self.root}/o/{self.owner}"

    def server_bind(self) -> None:
        """Bind without asking the network what this machine is called."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def process_request(self, request: Any, client_address: Any) -> None:
        """Take a connection, unless too many are open."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        self._open.add(request)
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection to its end."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._open.discard(request)
            self._free.release()

    def server_close(self) -> None:
        """Close, connections that are kept open included: nothing is taken after this."""
        for connection in tuple(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RD)
        super().server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - as the standard library calls it
        """Say nothing of connections that break: pages send again."""
        error = sys.exception()
        if not isinstance(error, OSError):
            self.complain(f"a request failed: {type(error).__name__}: {error}")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "aliquot"
    sys_version = ""
    timeout = _TIMEOUT_S
    wbufsize = -1

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)

    @property
    def _server(self) -> LabelServer:
        return cast("LabelServer", self.server)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the standard library calls it
        """Write no log: paths hold tokens."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer what the standard library cannot read, with the headers of every answer."""
        self.close_connection = True
        self._send(code, f"{message or explain or 'refused'}\n".encode(), "text/plain; charset=utf-8")

    def do_GET(self) -> None:
        """Answer a page or its data."""
        self._answer(post=False)

    def do_HEAD(self) -> None:
        """Answer without a body."""
        self._answer(post=False)

    def do_POST(self) -> None:
        """Take what a page tells."""
        self._answer(post=True)

    def _answer(self, *, post: bool) -> None:
        try:
            self._route(post=post)
        except OSError:
            self.close_connection = True
        except MachineError as error:
            self._say(507, str(error))
        except AliquotError as error:
            self._say(400, str(error))
        except Exception as error:  # noqa: BLE001 - one request that fails must not end the others
            self._server.complain(f"a request failed: {type(error).__name__}: {error}")
            self._say(500, "a fault of ours; nothing was kept")

    def _route(self, *, post: bool) -> None:
        body = self._body() if post else b""
        if body is None:
            return
        target = urlsplit(self.path)
        rater, owner, file = (one.fullmatch(target.path) for one in (_RATER, _OWNER, _ASSET))
        data = bool((rater and rater[2]) or (owner and owner[2] == "steps"))
        headers = {name.lower(): value for name, value in self.headers.items()}
        refused = refusal(headers, hosts=self._server.hosts, post=post, data=data)
        if refused is not None:
            self._say(*refused)
        elif rater is not None and post is (rater[2] == "events"):
            self._rater(rater[1], rater[2] or "", parse_qs(target.query), body)
        elif owner is not None and not post:
            self._owner(owner[1], owner[2] or "")
        elif file is not None and not post and file[1] in ASSETS:
            self._send(200, asset(file[1]), ASSETS[file[1]][1])
        else:
            self._say(404, "there is nothing here")

    def _body(self) -> bytes | None:
        """Return what was sent; None after an answer that says why it was not read."""
        length = self.headers.get("Content-Length", "")
        if self.headers.get("Transfer-Encoding") or not length.isdecimal() or int(length) > MOST_BYTES:
            self.close_connection = True
            self._say(413, f"a message has a length, of at most {MOST_BYTES:,} bytes")
            return None
        return self.rfile.read(int(length))

    def _rater(self, token: str, what: str, query: dict[str, list[str]], body: bytes) -> None:
        desk = self._server.desk
        rater = desk.store.rater_of(token)
        if rater is None or rater.role == "imported":
            self._say(404, "this link is nobody's. Ask for a new one")
            return
        if rater.role == "adjudicator" and what in {"", "work"}:
            queue_differing(desk.store)
        if what == "events":
            self._take(rater, body)
        elif what == "task":
            place, step = query.get("place", [""])[0], query.get("step", ["here"])[0]
            found = desk.task(rater, int(place), step=step) if place.isdecimal() and len(place) < 12 else None
            self._send(200, _encoded({"task": found}), _JSON)
        elif what == "work":
            waiting = query.get("waiting", [""])[0].split(",")
            places = [int(one) for one in waiting if one.isdecimal() and len(one) < 12][:MOST_EVENTS]
            work = desk.work(rater, skip=places)
            self._send(200, _encoded(work | {"form": form_data(desk.store.form)}), _JSON)
        else:
            page = label_page(desk.store.project, desk.store.form, rater, desk.work(rater))
            self._send(200, page, _HTML)

    def _take(self, rater: Rater, body: bytes) -> None:
        try:
            message = _DECODER.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            self._say(400, f"this is no list of events ({error})")
            return
        if len(message.events) > MOST_EVENTS:
            self._say(413, f"a message has at most {MOST_EVENTS} events")
            return
        events = [msgspec.structs.replace(one, origin="page") for one in message.events]
        self._send(200, _encoded(self._server.desk.take(rater, events)), _JSON)

    def _owner(self, token: str, what: str) -> None:
        server, store = self._server, self._server.desk.store
        if not compare_digest(token, server.owner):
            self._say(404, "this link is nobody's. Ask for a new one")
        elif what == "steps":
            self._send(200, _encoded({"steps": store.steps}), _JSON)
        elif what:
            name = what.removesuffix(".csv")
            if name not in TABLES:
                self._say(404, "there is no such table")
                return
            told = {"Content-Disposition": f'attachment; filename="{what}"'}
            self._send(200, Exports(store).csv(name), "text/csv; charset=utf-8", told)
        else:
            queue_differing(store)
            raters = {one.name: one for one in store.raters()}
            links = [(one.name, server.link(one)) for one in raters.values() if one.role == "rater"]
            page = owner_page(
                store.project,
                server.watch.state(),
                tables=[f"{name}.csv" for name in TABLES],
                settle=server.link(raters[ADJUDICATOR]),
                links=links,
                here=f"/o/{server.owner}",
            )
            self._send(200, page, _HTML)

    def _say(self, code: int, text: str) -> None:
        self._send(code, f"{text}\n".encode(errors="replace"), "text/plain; charset=utf-8")

    def _send(self, code: int, body: bytes, kind: str, more: dict[str, str] | None = None) -> None:
        self.send_response(code)
        told = {**HEADERS, "Content-Type": kind, "Content-Length": str(len(body)), **(more or {})}
        for name, value in told.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
        self.wfile.flush()


def _encoded(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
