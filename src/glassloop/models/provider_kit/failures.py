"""Provider failures as errors of ours: passing (`ModelUnavailable`) or final (`ModelRejected`).

Works on the shape the official SDKs share (a status, a response with headers, a body), so it imports none of them. It
does not retry; it only says whether that is worth it. No message ever holds the key.
"""

import math
import re
import socket
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, cast
from urllib.parse import urlsplit, urlunsplit

import msgspec

from glassloop.core.errors import ModelError, ModelRejected, ModelUnavailable, ModelUnusable

MAX_WAIT_S = 60.0
"""What a provider may ask for at most: beyond it the fallback model is the better answer."""

_PASSING = frozenset({408, 409, 425, 429})
_DETAIL_CHARS = 300
_MAX_DEPTH = 8
_KEY_CHARS = 8
"""Shorter texts are stand-ins for servers without keys, such as "none", and may well be words of the message."""

# Errors sent inside a stream that began with 200 carry a word instead of a status.
_STATUS_OF = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}


class FailureOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """Whom a failure is about, and what the person can do about it."""

    name: str
    model: str
    key_hint: str
    missing_hint: str
    reach_hint: str
    secret: str = ""

    def clean(self, text: str) -> str:
        """One short line without the key."""
        line = " ".join(text.split())
        if len(self.secret) >= _KEY_CHARS:
            line = line.replace(self.secret, "***")
        return line if len(line) <= _DETAIL_CHARS else line[: _DETAIL_CHARS - 1] + "…"


def shown(url: str) -> str:
    """An address as it may stand in a message: without a password or a query that may hold a key."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def translate(error: BaseException, origin: FailureOrigin) -> ModelError:
    """Whatever an SDK raised, as a `ModelError`."""
    ours = _own(error)
    if ours is not None:
        return ours
    body = _body(error)
    status = _status(error, body)
    if status is None:
        return _broken(error, origin)
    response = getattr(error, "response", None)
    headers = cast("Mapping[str, str]", getattr(response, "headers", None) or {})
    return from_status(status, origin, detail=_detail(error, body), headers=headers, body=body)


def from_status(
    status: int,
    origin: FailureOrigin,
    *,
    detail: str = "",
    headers: Mapping[str, str] | None = None,
    body: object = None,
) -> ModelError:
    """A reply with an error status, as a `ModelError`."""
    said = origin.clean(detail)
    if status in _PASSING or status >= 500 or status < 400:
        what = "is over its rate limit" if status == 429 else "is not available"
        return ModelUnavailable(
            f"{origin.name} {what} (HTTP {status}{': ' + said if said else ''}): wait, or use another model.",
            retry_after=retry_after(headers or {}, body),
        )
    if status == 401 or "api_key_invalid" in str(body).lower() or "api key not valid" in said.lower():
        return ModelUnusable(f"{origin.name} did not accept the key (HTTP {status}): check {origin.key_hint}.")
    if status == 403:
        return ModelUnusable(
            f"{origin.name} is not open to this key (HTTP 403{': ' + said if said else ''}): "
            f"check what {origin.key_hint} may use, or name another model."
        )
    if status == 404:
        return ModelUnusable(f"{origin.name}: there is no model {origin.model!r} (HTTP 404): {origin.missing_hint}.")
    if status == 402:
        return ModelUnusable(f"{origin.name} asks for payment (HTTP 402): top up the account, or name another model.")
    return ModelRejected(
        f"{origin.name} rejected the request (HTTP {status}): {said or 'no reason given'}. {_remedy(status, said)}"
    )


def from_body(body: Mapping[str, Any], origin: FailureOrigin) -> ModelError:
    """An error that came with the status of a success."""
    inner = _inner(body) or {}
    code = inner.get("code")
    status = code if isinstance(code, int) and code >= 400 else _status(None, body) or 503
    return from_status(status, origin, detail=_detail(None, body), body=body)


def refusal_of(error: BaseException) -> str:
    """What the provider said against the request as it stands; empty for any other failure."""
    body = _body(error)
    return _detail(error, body) if _status(error, body) in (400, 422) else ""


def unfinished(origin: FailureOrigin) -> ModelUnavailable:
    """A stream that ended without its end marker: what came may be half of it."""
    return ModelUnavailable(f"{origin.name} broke off before the end of its reply: try again.")


def blocked(origin: FailureOrigin, reason: str) -> ModelRejected:
    """The provider's filter let nothing through."""
    return ModelRejected(
        f"{origin.name} blocked this request or its answer ({origin.clean(reason)}): rephrase it, or use another model."
    )


def stopped_oddly(origin: FailureOrigin, reason: str) -> ModelRejected:
    """The reply ended without a word, for a reason that is none of those known."""
    return ModelRejected(
        f"{origin.name} stopped without a word, for a reason that is not known here ({origin.clean(reason)[:100]}): "
        "ask again, or use another model."
    )


def retry_after(headers: Mapping[str, str], body: object = None, now: float | None = None) -> float | None:
    """How long the provider asks to wait, in seconds, from its headers or its error body; never more than a minute."""
    wait = _number(headers.get("retry-after-ms"), 1000.0)
    if wait is None:
        wait = _number(headers.get("retry-after"), 1.0)
    if wait is None:
        wait = _seconds_until(headers.get("retry-after"), time.time() if now is None else now)
    if wait is None:
        # Google names the delay in the body: {"@type": ".../RetryInfo", "retryDelay": "34s"}.
        found = re.search(r"retryDelay\W+(\d{1,6}(?:\.\d{1,9})?)s", str(body)[:20_000])
        wait = float(found.group(1)) if found else None
    return None if wait is None else min(max(wait, 0.0), MAX_WAIT_S)


def _number(text: str | None, per_second: float) -> float | None:
    try:
        value = float(text) / per_second if text else None
    except ValueError:
        return None
    return value if value is not None and math.isfinite(value) else None


def _seconds_until(text: str | None, now: float) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp() - now if text else None
    except (ValueError, OverflowError):
        return None


def _own(error: BaseException | None) -> ModelError | None:
    """SDKs wrap what a hook of ours raised in their own errors: look behind them, boundedly."""
    for _ in range(8):
        if error is None or isinstance(error, ModelError):
            return error
        error = error.__cause__ or error.__context__
    return None


def _body(error: BaseException) -> Any:
    body = getattr(error, "body", None)
    return getattr(error, "details", None) if body is None else body


def _status(error: BaseException | None, body: Any) -> int | None:
    """The HTTP status, or the one a mid-stream error stands for; None for anything without a word from the provider."""
    status: Any = getattr(error, "status_code", None)
    if status is None:
        status = getattr(error, "code", None)
    if isinstance(status, str) and status.isdecimal():
        status = int(status)
    if isinstance(status, int) and status >= 400:
        return status
    inner = _inner(body)
    if inner is None:
        return None
    word = inner.get("type")
    return _STATUS_OF.get(word, 503) if isinstance(word, str) else 503


def _detail(error: BaseException | None, body: Any) -> str:
    inner = _inner(body)
    said = body if inner is None else inner.get("message")
    return said if isinstance(said, str) and said else str(error or "")


def _inner(body: Any) -> dict[str, Any] | None:
    """The error object, which some wrap in `error` and some send bare."""
    if not isinstance(body, dict):
        return None
    outer = cast("dict[str, Any]", body)
    inner = outer.get("error")
    return cast("dict[str, Any]", inner) if isinstance(inner, dict) else outer


def _broken(error: BaseException, origin: FailureOrigin) -> ModelError:
    """No answer at all, or one that cannot be read."""
    # SDKs wrap the transport's errors in one of their own, so what is behind counts as well.
    kinds = {kind.__name__ for one in (error, error.__cause__) for kind in type(one).__mro__}
    if {"LocalProtocolError", "UnicodeEncodeError", "InvalidURL", "UnsupportedProtocol"} & kinds:
        return ModelUnusable(f"{origin.name} cannot be asked: check {origin.key_hint} and the address.")
    if _is_nowhere(error):
        return ModelUnusable(f"{origin.name} cannot be reached, as nobody knows its host: {origin.reach_hint}.")
    if {"TimeoutException", "APITimeoutError", "TimeoutError"} & kinds:
        return ModelUnavailable(f"{origin.name} did not answer in time: {origin.reach_hint}.")
    if {"TransportError", "APIConnectionError", "OSError", "StreamError"} & kinds:
        why = origin.clean(str(error.__cause__ or error))
        return ModelUnavailable(
            f"{origin.name} cannot be reached or broke off ({why or type(error).__name__}): {origin.reach_hint}."
        )
    return ModelUnavailable(f"{origin.name} sent a reply that cannot be read ({type(error).__name__}): try again.")


def _is_nowhere(error: BaseException | None) -> bool:
    """Whether nobody knows the host's name: in a second they will not either. A resolver that is away is passing."""
    for _ in range(_MAX_DEPTH):
        if error is None:
            return False
        if isinstance(error, socket.gaierror):
            return error.errno == socket.EAI_NONAME
        error = error.__cause__ or error.__context__
    return False


def _remedy(status: int, said: str) -> str:
    lower = said.lower()
    if status == 413 or "context" in lower or "too long" in lower or "maximum" in lower:
        return "Shorten the conversation or the observations."
    if "response_format" in lower or "schema" in lower:
        return "Use a model that takes a JSON schema, or turn `json_schema` off in its abilities."
    if "tool" in lower or "function" in lower:
        return "Use another decision protocol, or turn `native_tools` off in the model's abilities."
    return "Change the request, or use another model."
