"""What a request that brought no answer means for the run: a row, or the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from aliquot.errors import RunStoppedError, UsageError, excerpt
from aliquot.systems.endpoint import DRAWN, Endpoint
from aliquot.systems.faults import FaultError
from aliquot.systems.refusals import is_filtered, is_quota, is_too_long, refused_parameter
from aliquot.systems.replies import Reply

BAD_BODY: Final = frozenset({400, 422})
"""HTTP statuses of a body the server does not take."""

FORBIDDEN: Final = 403
"""HTTP status of a key that may not ask this; OpenAI's for models that tell no log-probabilities."""

LOGPROBS: Final = frozenset({"include", "logprobs", "top_logprobs"})
"""Body fields by which log-probabilities are asked for, in one API or another."""

TOO_LARGE: Final = 413
"""HTTP status of a body that is too large."""

NOT_HERE: Final = frozenset({404, 405})
"""HTTP statuses of a URL or model the server does not have."""

ELSEWHERE: Final = frozenset({301, 302, 303, 307, 308})
"""HTTP statuses of a redirect."""


def wants_other_budget(fault: FaultError, sent: Mapping[str, Any]) -> bool:
    """Return whether the server wants ``max_completion_tokens`` where ``max_tokens`` was sent."""
    words = fault.error.message
    return (
        fault.status in BAD_BODY and "max_tokens" in sent and "max_completion_tokens" in words
        and not is_too_long(fault.error, status=fault.status)
    )  # fmt: skip


class Refusals:
    """Judges faults; remembers whether the endpoint has ever answered.

    What befalls the very first requests (a wrong key, URL or model) befalls all; the same later is one request's.

    Args:
        endpoint: who was asked.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self.answered = False

    def judge(self, fault: FaultError, sent: Mapping[str, Any]) -> Reply:
        """Return the reply that a fault is.

        Args:
            fault: what went wrong last.
            sent: the body that was sent.

        Raises:
            UsageError: a parameter, a key, the model or the URL is refused.
            RunStoppedError: the account has nothing left.
        """
        if is_quota(fault.error):
            raise RunStoppedError(
                f"stopped: {self._named()} answers {fault.reason}. Run the same command again when there is "
                "quota; what was answered is kept"
            )
        if is_filtered(fault.error):
            return self._reply(fault, "refused", "the system's content filter refused the prompt")
        status = fault.status or 0
        if (status in BAD_BODY or status == TOO_LARGE or status >= 500) and is_too_long(
            fault.error, status=status
        ):
            return self._reply(fault, "failed", f"the prompt does not fit the model: {fault.error.message}")
        if fault.status in {*BAD_BODY, FORBIDDEN}:
            parameter = refused_parameter(fault.error, sent)
            if parameter is not None and (fault.status in BAD_BODY or parameter in LOGPROBS):
                raise UsageError(self._parameter(parameter, fault, sent))
        if not self.answered:
            self._refuse_setting(fault)
        return self._reply(fault, "timeout" if fault.timeout else "error", fault.reason)

    def _refuse_setting(self, fault: FaultError) -> None:
        """Raise when key, URL or model cannot be right."""
        if fault.status in {401, FORBIDDEN}:
            variable = self._endpoint.api_key_env
            remedy = (
                f"Look at the key in {variable}" if variable else "Name the key's variable as api_key_env"
            )
            raise UsageError(f"{self._named()} refuses the key ({fault.reason}). {remedy}")
        if fault.status in ELSEWHERE:
            raise UsageError(
                f"{self._named()} answers with a redirect ({fault.reason}). It is not followed, as the key would go "
                "with it: name the address itself as base_url"
            )
        if fault.status in NOT_HERE:
            raise UsageError(
                f"{self._named()} has no such model or API ({fault.reason}). Look at base_url (it mostly ends "
                "with /v1), model and api"
            )

    def _parameter(self, name: str, fault: FaultError, sent: Mapping[str, Any]) -> str:
        where = (
            "decoding" if name in DRAWN else "extra" if name in self._endpoint.extra else "the model's keys"
        )
        schema = self._endpoint.json_schema is not None and name in {"response_format", "text"}
        remedy = "That is what json_schema sends: leave it out" if schema else f"Change it under {where}"
        if name == "logprobs" or (name in LOGPROBS and "top_logprobs" in sent):
            remedy = "That is what decoding: {logprobs} asks for: leave it out, or ask for fewer"
        elif name in DRAWN:
            key = "decoding" if name == "temperature" else "extra"
            remedy += f", or leave it to the server with {key}: {{{name}: null}}"
        return f"{self._named()} refuses {name} = {excerpt(sent[name])} ({fault.reason}). {remedy}"

    def _named(self) -> str:
        return f"{self._endpoint.model!r} at {self._endpoint.base_url}"

    @staticmethod
    def _reply(fault: FaultError, status: Any, reason: str) -> Reply:
        return Reply(text="", status=status, reason=reason, faults=fault.history)
