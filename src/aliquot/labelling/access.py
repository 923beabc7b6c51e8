"""Who may ask the server of the page: the right host, the right page, and a link that was given out."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

LOOPBACK: Final = "127.0.0.1"
EVERYWHERE: Final = "0.0.0.0"  # noqa: S104 - only when the user says --listen lan

HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}
"""Sent with every answer: nothing from elsewhere is loaded, nothing is kept, and the link tells nobody."""


def hosts_of(address: str, port: int) -> frozenset[str]:
    """Return under which names the server may be asked; a page elsewhere that points a name of its own here is refused.

    Args:
        address: what it listens on.
        port: its port.

    Examples:
        >>> sorted(hosts_of("127.0.0.1", 8765))
        ['127.0.0.1:8765', 'localhost:8765']
    """
    names = {LOOPBACK, "localhost"}
    if address != LOOPBACK:
        names |= {lan_address(), socket.gethostname(), f"{socket.gethostname()}.local"}
        with suppress(OSError):
            names |= {
                str(found[4][0]) for found in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
            }
    return frozenset(f"{name.casefold()}:{port}" for name in names if name)


def lan_address() -> str:
    """Return the address of this machine in its network; "" when it has none. Nothing is sent."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # a datagram socket only looks up the way (the network of examples)
        return str(probe.getsockname()[0])
    return ""


def refusal(
    headers: Mapping[str, str], *, hosts: frozenset[str], post: bool, data: bool
) -> tuple[int, str] | None:
    """Return why a request is refused; None when it is not.

    Args:
        headers: of the request, by name in small letters.
        hosts: under which names the server may be asked.
        post: whether it changes something.
        data: whether it asks for what only our own pages ask for.

    Examples:
        >>> refusal({"host": "evil.example:8765"}, hosts=hosts_of("127.0.0.1", 8765), post=False, data=False)
        (421, 'this server does not go by that name')
    """
    host = headers.get("host", "").casefold()
    if host not in hosts:
        return 421, "this server does not go by that name"
    site = headers.get("sec-fetch-site")
    if (post or data) and site not in {None, "same-origin"}:
        return 403, "another page asked for this"
    if not post:
        return None
    if headers.get("origin", "").casefold() != f"http://{host}":
        return 403, "another page sent this"
    if headers.get("content-type", "").split(";")[0].strip().casefold() != "application/json":
        return 415, "JSON is expected"
    return None
