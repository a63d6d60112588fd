"""Headers of every answer, for browsers: load nothing from elsewhere, run no script but ours, show us in no frame."""

from collections.abc import Sequence

from starlette.types import Message, Send

Headers = Sequence[tuple[bytes, bytes]]

POLICY = (
    b"default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    b"frame-ancestors 'none'"
)
_ALWAYS: Headers = (
    (b"content-security-policy", POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_PRIVATE: Headers = ((b"cache-control", b"no-store"),)


class SecurityHeaders:
    """Sends on what it is given, at once, with our headers where an answer has none of that name."""

    def __init__(self, send: Send, more: Headers = (), *, private: bool = True) -> None:
        self._send = send
        self._more = (*more, *_ALWAYS, *(_PRIVATE if private else ()))
        self.started = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            headers: list[tuple[bytes, bytes]] = list(message.get("headers", ()))
            there = {name.lower() for name, _ in headers}
            headers += [(name, value) for name, value in self._more if name not in there]
            message = {**message, "headers": headers}
        await self._send(message)
