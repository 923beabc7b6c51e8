"""What came back for an instance: why there is, or is not, an answer, and what it took."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any, Final

from aliquot.readers.helm_records import Key, RequestState, Result
from aliquot.readers.helm_run import Run

_BLOCKED: Final = re.compile(
    r"block|refus|filter|moderation|safety guideline|usage guideline|content violat|safety (?:check|setting)",
    re.IGNORECASE,
)
"""What HELM's clients write where the model's side declined (openai_client.py, google_genai_client.py and others)."""

_MAX_REASON: Final = 300
_LAST_SECOND: Final = 4102444800
"""2100-01-01: a later time is no time."""


def answer_of(run: Run, key: Key) -> str | None:
    """Return the first answer on one trial; None where several requests were made for the choices."""
    asked = run.requests.get(key, ())
    if len(asked) == 1 and (result := asked[0].result) is not None and result.completions:
        return result.completions[0].text
    return run.predicted.get(key)


def describe_response(run: Run, key: Key) -> dict[str, Any]:
    """Return an answer's status and what it took."""
    asked = run.requests.get(key, [])
    known = run.values[key]
    status, reason = status_of(asked)
    times = [request.result for request in asked if request.result is not None]
    return {
        "status": status,
        "reason": reason,
        "stage": "system" if status == "error" else None,
        "latency_s": None if status == "error" else _not_negative(known.get("inference_runtime")),
        "tokens_in": _count(known.get("num_prompt_tokens")),
        "tokens_out": _count(known.get("num_output_tokens", known.get("num_completion_tokens"))),
        "started": _time(times[0]) if times else None,
        "cached": bool(times) and all(result.cached for result in times),
    }


def status_of(asked: list[RequestState]) -> tuple[str, str | None]:
    """Return why there is, or is not, an answer.

    HELM goes on after an error that is not fatal and scores an empty completion in its place (executor.py), so the
    result's own word decides. What the model's side declined is a refusal; anything else was lost by the measurement.
    """
    results = [request.result for request in asked if request.result is not None]
    failed = next((result for result in results if not result.success), None)
    if failed is not None:
        lines = (failed.error or "").strip().splitlines() or ["the request failed"]
        return ("refused" if _BLOCKED.search(failed.error or "") else "error"), lines[0][:_MAX_REASON]
    if results and all(_is_empty(result) for result in results):
        return "failed", "empty answer"
    return "ok", None


def was_cut(asked: list[RequestState]) -> bool:
    """Tell whether an answer ended because it reached the limit of tokens."""
    ends = [
        one.finish_reason for request in asked if request.result for one in request.result.completions[:1]
    ]
    return any(isinstance(end, dict) and end.get("reason") == "length" for end in ends)


def _is_empty(result: Result) -> bool:
    return not any(completion.text for completion in result.completions)


def _not_negative(value: float | None) -> float | None:
    return value if value is not None and value >= 0 else None


def _count(value: float | None) -> int | None:
    return int(value) if value is not None and 0 <= value < 1 << 53 else None


def _time(result: Result) -> str | None:
    """Return when a request was made; HELM keeps whole seconds, which say nothing of a request shorter than one."""
    second = result.request_datetime
    if second is None or not 0 < second < _LAST_SECOND or (result.request_time or 0) < 1:
        return None
    return datetime.fromtimestamp(second, tz=UTC).isoformat()
