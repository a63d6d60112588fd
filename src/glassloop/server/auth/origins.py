"""Under which name a server may be called, and from which pages: against DNS rebinding and forged requests.

Browsers say where a request comes from (`FailureOrigin`, `Sec-Fetch-Site`); programs say nothing, and need not.
"""

import re

from glassloop.core.errors import UsageError
from glassloop.runtime.settings import Settings
from glassloop.server.auth.identity import Forbidden
from glassloop.server.auth.request_info import RequestInfo, is_loopback, listed

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s,*]+")
_NAME = re.compile(r"\[[0-9a-f:.]+\]|[a-z0-9._-]+")
_ELSEWHERE = ("cross-site", "same-site")
_PREFLIGHT = (
    (b"access-control-allow-methods", b"GET, HEAD, POST, PUT, PATCH, DELETE"),
    (b"access-control-max-age", b"600"),
)
_HEADER_NAMES = re.compile(r"[A-Za-z0-9_, -]{1,2000}")


class Origins:
    """The names and pages of these settings."""

    def __init__(self, settings: Settings) -> None:
        self._local = settings.auth == "local"
        self._hosts = frozenset(map(_host, listed(settings.allowed_hosts)))
        self._origins = frozenset(map(_origin, listed(settings.allowed_origins)))

    def check_host(self, info: RequestInfo) -> None:
        """In `local` mode a name that others answer for is refused: a page could have it point here."""
        name, _ = info.host()
        if name in self._hosts or (is_loopback(name) if self._local else not self._hosts):
            return
        raise Forbidden(
            f"This server does not answer to {name[:100]!r}: call it by "
            f"{'127.0.0.1 or localhost' if self._local else 'one of its names'}, or name it in GLASSLOOP_ALLOWED_HOSTS."
        )

    def check_page(self, info: RequestInfo) -> None:
        """Refuses what another page has a browser send."""
        origin = info.header("origin")
        if origin is None:
            if info.header("sec-fetch-site") in _ELSEWHERE:
                raise Forbidden("Another page had your browser call this: open the address yourself instead.")
        elif not self.is_own(info, origin) and not self.allows(origin):
            raise Forbidden(
                f"Pages of {origin[:100]!r} may not call this server: if they should, name them in "
                "GLASSLOOP_ALLOWED_ORIGINS."
            )

    def is_from_own_page(self, info: RequestInfo) -> bool:
        """Whether a browser says that our own page sent this."""
        origin = info.header("origin")
        return self.is_own(info, origin) if origin is not None else info.header("sec-fetch-site") == "same-origin"

    def is_own(self, info: RequestInfo, origin: str) -> bool:
        """Under http our page may still have come by https: whoever ends that for us need not say so."""
        scheme, _, place = origin.lower().partition("://")
        return place == info.host()[1] and scheme in (("https",) if info.https else ("http", "https"))

    def allows(self, origin: str | None) -> bool:
        """Whether it is a page that settings name."""
        return origin is not None and origin.lower() in self._origins

    def is_preflight(self, info: RequestInfo) -> bool:
        """Whether a browser asks, for a page that may, what the page may send."""
        asks = info.method == "OPTIONS" and info.header("access-control-request-method") is not None
        return asks and self.allows(info.header("origin"))

    def headers(self, info: RequestInfo, *, preflight: bool = False) -> list[tuple[bytes, bytes]]:
        """What lets another page read the answer. Never with cookies: other pages use keys."""
        origin = info.header("origin")
        if not self._origins or origin is None or not self.allows(origin):
            return [(b"vary", b"Origin")] if self._origins else []
        found = [
            (b"access-control-allow-origin", origin.encode()),
            (b"access-control-expose-headers", b"Retry-After"),
            (b"vary", b"Origin"),
        ]
        if preflight:
            wanted = info.header("access-control-request-headers") or ""
            found += _PREFLIGHT
            if _HEADER_NAMES.fullmatch(wanted):
                found.append((b"access-control-allow-headers", wanted.encode()))
        return found


def _host(text: str) -> str:
    name = text.lower()
    if _NAME.fullmatch(name) is None:
        raise UsageError(
            f"GLASSLOOP_ALLOWED_HOSTS has {text!r}, which is no name of a server: write chat.example.org, without "
            "scheme, port or star."
        )
    return name


def _origin(text: str) -> str:
    origin = text.lower().removesuffix("/")
    if _ORIGIN.fullmatch(origin) is None:
        raise UsageError(
            f"GLASSLOOP_ALLOWED_ORIGINS has {text!r}, which is no origin of a page: write https://example.org, without "
            "path or star."
        )
    return origin
