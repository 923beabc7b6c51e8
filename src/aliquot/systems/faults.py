"""What can go wrong with one request, told apart by what is to be done about it."""

from __future__ import annotations

from dataclasses import dataclass

from aliquot.systems.keys import Key


@dataclass(frozen=True, slots=True)
class ServerError:
    """What a server said about a request it did not answer.

    Attributes:
        message: its words.
        code: its short name for the fault.
        param: the parameter it names.
    """

    message: str = ""
    code: str = ""
    param: str = ""


class FaultError(Exception):
    """A request that brought no answer; never leaves the systems.

    Args:
        reason: one short line.
        again: whether the same request may fare better later.
        throttled: whether the server says that there are too many requests.
        timeout: whether the time of an answer was up.
        wait_s: seconds the server asks everybody to wait.
        status: HTTP status.
        error: what the server said.
    """

    def __init__(
        self,
        reason: str,
        *,
        again: bool = False,
        throttled: bool = False,
        timeout: bool = False,
        wait_s: float | None = None,
        status: int | None = None,
        error: ServerError | None = None,
    ) -> None:
        super().__init__()
        self.reason, self.again, self.throttled, self.timeout = reason, again, throttled, timeout
        self.wait_s, self.status, self.error = wait_s, status, error or ServerError()
        self.history: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.reason

    def hide(self, key: Key) -> None:
        """Take the key out of everything that was said."""
        self.reason = key.scrub(self.reason)
        said = self.error
        self.error = ServerError(key.scrub(said.message), key.scrub(said.code), key.scrub(said.param))
