"""Limits on how much one may send, how slowly and how often. Sits behind authentication.

Bodies are read here, whole and bounded, before anything looks at them; only uploads pass in pieces, counted. JSON is
checked first, as Python's own reader takes what cannot be stored or sent on (half characters, NaN), other encodings
than UTF-8, and nesting until it fails. Tables are bounded, and of this process only.
"""

import array
import asyncio
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from urllib.parse import parse_qs

import msgspec
from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glassloop.core.errors import TooManyTurns
from glassloop.runtime.settings import Settings
from glassloop.server.auth.identity import Caller
from glassloop.server.auth.loop_share import LoopShare
from glassloop.server.auth.request_info import counted_as
from glassloop.server.http.bytes_under_way import AnswerCutOff, ByteAccount, ByteBudget, PacedSend
from glassloop.server.http.errors import answer

_log = logging.getLogger(__name__)

MAX_NAMES = 10_000
_ROUNDING_S = 1e-6


class TooManyRequests(TooManyTurns):
    """A limit of requests is reached; `retry_after` says in how many seconds it is worth trying again."""


class RateLimit:
    """So many a minute of each name, at once if one likes. A full table forgets whom it heard of longest ago."""

    def __init__(self, a_minute: int, clock: Callable[[], float] = time.monotonic, most: int = MAX_NAMES) -> None:
        self._each_s = 60.0 / a_minute
        self._ahead_s = 60.0 - self._each_s
        self._clock = clock
        self._most = most
        # When each name's allowance would be whole again; one number stands for all its past requests.
        self._whole_at: OrderedDict[str, float] = OrderedDict()

    def wait(self, name: str) -> float:
        """Seconds until there is room for one more; 0 when there is."""
        left = self._whole_at.get(name, 0.0) - self._clock() - self._ahead_s
        return left if left > _ROUNDING_S else 0.0

    def take(self, name: str) -> float:
        """Counts one, if there is room for it; else the seconds until there is."""
        wait = self.wait(name)
        if not wait:
            now = self._clock()
            self._whole_at[name] = max(self._whole_at.get(name, now), now) + self._each_s
            self._whole_at.move_to_end(name)
            if len(self._whole_at) > self._most:
                self._whole_at.popitem(last=False)
        return wait

    def __len__(self) -> int:
        return len(self._whole_at)


class ConcurrencyLimit:
    """At most so many at once of each name, and of all together; `refusal` is the answer to one too many."""

    def __init__(self, each: int, together: int, refusal: str) -> None:
        self._each = each
        self._together = together
        self._refusal = refusal
        self._taken: dict[str, int] = {}
        self._all = 0

    @contextmanager
    def taken(self, name: str) -> Generator[Callable[[], None]]:
        """Takes a place, or raises `TooManyRequests`; what it gives frees the place before the end."""
        if self._taken.get(name, 0) >= self._each or self._all >= self._together:
            raise TooManyRequests(self._refusal, retry_after=1)
        self._taken[name] = self._taken.get(name, 0) + 1
        self._all += 1
        held = True

        def release() -> None:
            nonlocal held
            if held:
                held = False
                self._all -= 1
                self._taken[name] -= 1
                if not self._taken[name]:
                    del self._taken[name]

        try:
            yield release
        finally:
            release()


MAX_DEPTH = 100

# Takes a string that does not end too: a pattern that failed there would try again from every quote inside it.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_OPENING, _CLOSING = b"[{", b"]}"
# 255 is -1 as a signed byte: the running sum of what is left is the depth.
_STEPS = bytes.maketrans(_OPENING + _CLOSING, b"\x01\x01\xff\xff")
_OTHERS = bytes(byte for byte in range(256) if byte not in _OPENING + _CLOSING)


def why_unfit(body: bytes) -> str | None:
    """What is wrong with it, in words; None where nothing is."""
    if _too_deep(body):
        return f"The JSON is nested deeper than {MAX_DEPTH} levels: reduce the nesting."
    try:
        msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return f"The body is not valid JSON: {error}. Send JSON in UTF-8."
    return None


def _too_deep(body: bytes) -> bool:
    if sum(body.count(bytes((sign,))) for sign in _OPENING) <= MAX_DEPTH:
        return False
    steps = array.array("b", _STRING.sub(b"", body).translate(_STEPS, _OTHERS))
    return max(accumulate(steps), default=0) > MAX_DEPTH


UPLOADS = "/api/uploads"
MAX_HEADERS = 100
MAX_HEADER_BYTES = 32_768
STRANGERS_BYTES = 16_384
"""A body of somebody who is not signed in: a key and little else."""
SOCKET_MESSAGES_A_MINUTE = 10
"""Of one user over all sockets, besides what turns are limited to."""
SHARES, MIN_AT_ONCE = 10, 10
"""One user has at most this part of all connections under way, and never fewer than so many."""
STALLED_S = 30.0
MIN_BYTES_PER_S = 10_000
BYTES_UNDER_WAY = 32_000_000
"""Of one user at once: bodies that are held, and answers that are not read yet."""
TOO_MANY_BYTES = "Your open requests and responses are too large in total: read the pending responses first."
TOO_MUCH_TIME = "Your requests use more than your share of the server: send fewer at once."
CHECKED_HERE_BYTES = 65_536
"""JSON up to this long is looked through at once; longer in a thread, as it takes milliseconds."""


class LimitsMiddleware:
    """Answers what is too much with 408, 413, 422, 429 or 431. Plain ASGI."""

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        stalled_s: float = STALLED_S,
        paths_with_files: Sequence[str] = (),
        loop_share: LoopShare | None = None,
    ) -> None:
        self._app = app
        self._body = settings.body_limit
        self._with_files = max(settings.body_limit, settings.attachment_limit)
        self._paths_with_files = tuple(paths_with_files)
        self._uploads = {"": settings.upload_limit, **settings.extensions.upload_limits(settings)}
        self._rate = RateLimit(settings.request_rate) if settings.request_rate else None
        self._places: ConcurrencyLimit | None = None
        self._share: LoopShare | None = None
        if settings.auth != "local":
            # Where there are several users, none of them takes all connections there are.
            each = max(MIN_AT_ONCE, settings.max_connections // SHARES)
            refusal = f"You have {each:,} open requests and streams, which is the limit: close some first."
            self._places = ConcurrencyLimit(each, settings.max_connections, refusal)
            self._share = loop_share or LoopShare()
        self._stalled_s = stalled_s
        self._bytes = ByteBudget(max(BYTES_UNDER_WAY, 2 * self._with_files))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        caller = scope.get("caller")
        name = caller.user if isinstance(caller, Caller) else counted_as((scope.get("client") or ("",))[0])
        with self._bytes.account(name) as account:
            paced = send if scope["type"] == "websocket" else PacedSend(send, account)
            try:
                await self._in_turn(name, scope, receive, paced, account)
            except AnswerCutOff:
                # The server closes a connection whose answer has no end.
                _log.warning("an answer to %s was cut off: too many bytes that nobody reads", name)
                return
            if isinstance(paced, PacedSend) and paced.refused:
                await answer(Request(scope), 429, TOO_MANY_BYTES, "validation_error")(scope, receive, send)

    async def _in_turn(self, name: str, scope: Scope, receive: Receive, send: Send, account: ByteAccount) -> None:
        share = self._share
        if share is None or not isinstance(scope.get("caller"), Caller):
            await self._limited(scope, receive, send, account)
        elif await share.admit(name):
            received, sent = share.paced(name, scope, receive, send)
            await share.metered(name, self._limited(scope, received, sent, account))
        else:
            raise TooManyRequests(TOO_MUCH_TIME, retry_after=1)

    async def _limited(self, scope: Scope, receive: Receive, send: Send, account: ByteAccount) -> None:
        is_socket = scope["type"] == "websocket"
        try:
            self._check_rate(scope)
            received = await self._checked(scope, receive, account)
        except HTTPException as error:
            if is_socket:
                raise
            headers = dict(error.headers or {})
            refused = answer(Request(scope), error.status_code, error.detail, "validation_error", headers=headers)
            await refused(scope, receive, send)
            return
        caller = scope.get("caller")
        if self._places is None or not isinstance(caller, Caller):
            await self._app(scope, received, send)
            return
        with self._places.taken(caller.user):
            await self._app(scope, received, send)

    def _check_rate(self, scope: Scope) -> None:
        caller = scope.get("caller")
        if self._rate is None or not isinstance(caller, Caller):
            return
        if wait := self._rate.take(f"{caller.user} {caller.admin}"):
            raise TooManyRequests(
                f"{caller.user!r} exceeded the request rate (GLASSLOOP_REQUEST_RATE): try again in {wait:.1f} s.",
                retry_after=wait,
            )

    async def _checked(self, scope: Scope, receive: Receive, account: ByteAccount) -> Receive:
        """What the application reads from; raises `HTTPException` for what it shall not see."""
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        if len(headers) > MAX_HEADERS or sum(len(name) + len(value) for name, value in headers) > MAX_HEADER_BYTES:
            raise HTTPException(431, f"The headers are too many or too large: at most {MAX_HEADERS}, and "
                                f"{MAX_HEADER_BYTES:,} bytes, are taken.")  # fmt: skip
        named = dict(headers)
        length = named.get(b"content-length", b"").strip()
        if length in (b"", b"0") and b"transfer-encoding" not in named:
            return receive
        path = str(scope["path"])
        is_upload = path.startswith(UPLOADS)
        may_hold_files = bool(self._paths_with_files) and path.endswith(self._paths_with_files)
        most = self._with_files if may_hold_files else self._body
        if is_upload:
            most = self._uploads.get(_purpose(scope), self._uploads[""])
        most = most if isinstance(scope.get("caller"), Caller) else min(most, STRANGERS_BYTES)
        # More digits than any limit has would take long to read as a number.
        if length.isdigit() and (len(length) > 18 or int(length) > most):
            raise _too_large(most)
        body = ArrivingBody(receive, most, self._stalled_s, expected=int(length) if length.isdigit() else most)
        if is_upload:
            return body.piece
        whole = await body.whole(account)
        if whole is None:
            return receive
        # Any of them: of several, others may read another one.
        kinds = [value.lower() for name, value in headers if name == b"content-type"]
        if any(b"json" in kind for kind in kinds) and whole:
            quick = len(whole) <= CHECKED_HERE_BYTES
            why = why_unfit(whole) if quick else await asyncio.to_thread(why_unfit, whole)
            if why is not None:
                raise HTTPException(422, why)
        return _again(whole, receive)


class ArrivingBody:
    """A request's body as it arrives: neither more than allowed, nor slower."""

    def __init__(
        self,
        receive: Receive,
        most: int,
        stalled_s: float,
        *,
        expected: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._receive = receive
        self._most = most
        self._stalled_s = stalled_s
        self._clock = clock
        self._until = clock() + stalled_s + expected / MIN_BYTES_PER_S
        self._read = 0
        self._over = False

    async def piece(self) -> Message:
        """The next message; raises `HTTPException`, which every reader of a body lets through."""
        if self._over:
            return await self._receive()
        try:
            async with asyncio.timeout(min(self._stalled_s, self._until - self._clock())):
                message = await self._receive()
        except TimeoutError:
            why = "The body arrived too slowly: send it again."
            raise HTTPException(408, why, {"connection": "close"}) from None
        self._read += len(message.get("body", b""))
        self._over = not message.get("more_body", False)
        if self._read > self._most:
            raise _too_large(self._most)
        return message

    async def whole(self, account: ByteAccount) -> bytes | None:
        """All of it; None when the client has gone."""
        pieces: list[bytes] = []
        while not self._over:
            message = await self.piece()
            if message["type"] != "http.request":
                return None
            pieces.append(message.get("body", b""))
            if not account.take(len(pieces[-1])):
                raise HTTPException(429, TOO_MANY_BYTES, {"retry-after": "1", "connection": "close"})
        return b"".join(pieces)


def _purpose(scope: Scope) -> str:
    """What an upload says that it is for."""
    return parse_qs(scope.get("query_string", b"").decode("latin-1")).get("purpose", [""])[0]


def _again(body: bytes, receive: Receive) -> Receive:
    """Gives the body once more, then what comes after it."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _too_large(most: int) -> HTTPException:
    return HTTPException(413, f"The request is larger than the {most:,} bytes allowed here: send less at once.")
