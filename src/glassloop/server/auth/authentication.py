"""Authentication: who is asking, by the rules of the mode, and whether the request may go on.

`local`: this machine, one user. `keys`: whoever has a key. `proxy`: whom a trusted proxy names. In all of them the
operator has the admin token, and a browser may hold a cookie instead of either. Limits of size and rate are elsewhere.
"""

import hmac
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import NamedTuple, TypedDict, Unpack

from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glassloop.core.errors import GlassloopError, StoreError, UsageError
from glassloop.runtime.settings import Auth, Settings, check_secrets
from glassloop.server.auth.identity import (
    SIGN_IN_FIRST,
    SIGNED_IN_S,
    Caller,
    Forbidden,
    NotSignedIn,
    cookie_name,
    csrf_token,
)
from glassloop.server.auth.limits import ConcurrencyLimit, RateLimit, TooManyRequests
from glassloop.server.auth.openid import CALLBACK, OpenIdProvider
from glassloop.server.auth.request_info import Networks, Origins, RequestInfo, counted_as, is_loopback
from glassloop.server.http import errors
from glassloop.server.http.responses import SecurityHeaders
from glassloop.server.http.sockets import refuse_socket
from glassloop.store.records import ANONYMOUS
from glassloop.store.store import Store
from glassloop.store.tables.governance.audit import NOBODY
from glassloop.store.tables.keys import digest_of
from glassloop.store.tables.users import ADMIN, check_name

_log = logging.getLogger(__name__)

PROBES = frozenset({"/livez", "/readyz", "/health"})
PAGES = frozenset({"/", "/admin", "/settings", "/favicon.ico", "/favicon.svg"})
PAGE_FILES = ("/assets/", "/s/", "/t/")
DOCS = "/docs"
SIGN_IN = "/api/sign-in"
OPENID = frozenset({f"{SIGN_IN}/openid", CALLBACK})
"""Another page leads here: the provider's. What it brings is checked against what this browser keeps."""
VISITOR = "/api/visitor"
"""Asked by the page before anybody has signed in: nobody is an answer too."""

SHARED = "/api/shared"
"""Read by whoever has a link, signed in or not."""
ATTEMPTS_A_MINUTE = 10
REFUSALS_NOTED_A_MINUTE = 10
"""However many addresses try: whoever guesses must not push out of the audit what others did."""
MAX_ANONYMOUS_OF_ADDRESS = 50
MAX_ANONYMOUS = 1000
TOO_MANY_ANONYMOUS = "Too many requests without sign-in are in progress: try again in a second."
_PREFLIGHTED_HEADERS = ("x-csrf-token", "x-requested-with", "admin-token", "x-api-key")
"""Headers that a browser sends for another page only after it asked us, and we refused."""
_PROXIED = ("x-forwarded-for", "x-forwarded-host", "x-real-ip", "forwarded")


class KnownBy(TypedDict, total=False):
    """What a sign-in stands on; see `SignInTable.open`."""

    proof: str
    key_id: str | None
    issuer: str
    is_admin: bool


class Identity(NamedTuple):
    """A caller, and the token of the browser's cookie if that is how they are known."""

    caller: Caller
    token: str | None = None


class Authenticator:
    """Made once for a server. Raises `UsageError` for settings that would let the wrong people in."""

    def __init__(self, settings: Settings, store: Store) -> None:
        check_secrets(settings)
        self.mode: Auth = settings.auth
        self.origins = Origins(settings)
        self.attempts = RateLimit(ATTEMPTS_A_MINUTE)
        self.anonymous_requests = ConcurrencyLimit(MAX_ANONYMOUS_OF_ADDRESS, MAX_ANONYMOUS, TOO_MANY_ANONYMOUS)
        self._store = store
        self._proxies = Networks(settings.trusted_proxies, "GLASSLOOP_TRUSTED_PROXIES")
        self._proxy_header = settings.proxy_header.lower()
        self._proxy_secret = settings.proxy_secret and digest_of(settings.proxy_secret)
        self._admin_token = settings.admin_token and digest_of(settings.admin_token)
        self._uses = RateLimit(1)
        self._refusals = RateLimit(REFUSALS_NOTED_A_MINUTE)
        self.openid = OpenIdProvider(settings) if settings.oidc_issuer else None
        if self.mode == "proxy" and not self._proxies and not self._proxy_secret:
            raise UsageError(
                "GLASSLOOP_AUTH=proxy would trust anyone: set GLASSLOOP_PROXY_SECRET and have the proxy send it as "
                "x-proxy-secret, or name its address in GLASSLOOP_TRUSTED_PROXIES."
            )

    def read_request(self, scope: Scope) -> RequestInfo:
        """The request as far as it can be believed."""
        return RequestInfo(scope, self._trusts, self._proxies)

    async def identify(self, info: RequestInfo) -> Identity | None:
        """Who sent this request, and how that is known; None where nobody is named. Raises `NotSignedIn` for what is
        wrong, `Forbidden` for what may not be."""
        operator = await self._is_operator(info)
        identity = await {"local": self._local, "keys": self._by_key, "proxy": self._by_proxy}[self.mode](info)
        if operator:
            user = identity.caller.user if identity else ADMIN
            identity = Identity(Caller(user=user, admin=True), identity and identity.token)
        if identity is not None and self.mode == "keys":
            self._check_label(info, identity.caller)
        return identity

    async def is_still_allowed(self, info: RequestInfo, caller: Caller) -> bool:
        """Whether this caller would be let in now as they were before. A store that is away has thrown nobody out."""
        try:
            identity = await self.identify(info)
        except (NotSignedIn, Forbidden):
            return False
        except GlassloopError:
            return True
        return identity is not None and identity.caller == caller

    def check_forged(self, info: RequestInfo, identity: Identity | None) -> None:
        """Refuses what another page has the caller's browser send: a cookie, an address and a proxy's word go with
        every request a browser makes, whoever has it made."""
        ambient = identity is None or identity.token is not None or self.mode != "keys"
        if (ambient or info.is_socket) and info.path != DOCS:
            self.origins.check_page(info)
        if identity is not None and identity.token is not None and info.is_socket:
            # Browsers open sockets for any page, and no header of ours can go with that.
            if not self.origins.is_from_own_page(info):
                raise Forbidden("A cookie only works for WebSockets opened by the web page: send an API key instead.")
            return
        if identity is not None and identity.token is not None and info.unsafe:
            given = info.header("x-csrf-token") or ""
            if not self.origins.is_from_own_page(info):
                raise Forbidden("A cookie only works for requests from the web page: send an API key instead.")
            if not hmac.compare_digest(digest_of(given), digest_of(csrf_token(identity.token))):
                raise Forbidden("The header 'x-csrf-token' is missing or wrong: get the token from GET /api/me.")

    def is_not_forgeable(self, info: RequestInfo, identity: Identity) -> bool:
        """Whether the caller themselves sent this, or our own page: what may start something asks for it, even where
        HTTP calls its method safe. Under plain http browsers do not say which page has them send a GET."""
        if info.unsafe or (identity.token is None and self.mode == "keys"):
            return True
        if self.origins.is_from_own_page(info) or any(map(info.has, _PREFLIGHTED_HEADERS)):
            return True
        # At an address of this machine browsers do say it: who says nothing is a program.
        silent = info.header("origin") is None and info.header("sec-fetch-site") is None
        return silent and identity.token is None and self.mode == "local" and is_loopback(info.host()[0])

    async def sign_in(self, info: RequestInfo, secret: str) -> str:
        """The token of a new sign-in with a key, or with the admin token. What is right is never held up by guesses of
        others from the same address: it is too long to be guessed."""
        if await self._is_admin_token(secret):
            return await self.open_sign_in(info, ADMIN, proof=digest_of(secret))
        key = await self._store.keys.find(secret) if self.mode == "keys" else None
        if key is None:
            self._count_attempt(info)
            await self.refused(info, "somebody tried to sign in")
            other = "a valid API key or " if self.mode == "keys" else ""
            raise NotSignedIn(f"Sign-in failed: give {other}the admin token.")
        return await self.open_sign_in(info, key.user_id, key_id=key.id)

    async def open_sign_in(
        self, info: RequestInfo, user: str, lasts_s: float = SIGNED_IN_S, **known_by: Unpack[KnownBy]
    ) -> str:
        """The token of a new sign-in of somebody who proved who they are."""
        token = await self._store.sign_ins.open(user, lasts_s, **known_by)
        await self._store.audit.record("signed_in", user, by=user, detail=f"from {info.address}")
        return token

    async def refused(self, info: RequestInfo, what: str) -> None:
        _log.warning("%s, from %s", what, info.address)
        if self._refusals.take(NOBODY):
            return
        try:
            await self._store.audit.record(
                "sign_in_refused", "sign-in", by=NOBODY, detail=f"{what}, from {info.address}"
            )
        except StoreError as error:
            _log.warning("a refusal is not in the audit: %s", error)

    async def sign_out(self, token: str) -> str | None:
        """Ends a sign-in. Where to sign out of the OpenID provider too, if it was the provider's."""
        found = await self._store.sign_ins.find(token)
        await self._store.sign_ins.end(token)
        return await self.openid.end_session_url() if self.openid and found and found.issuer else None

    def _trusts(self, info: RequestInfo) -> bool:
        """Whether the other end is a proxy of ours, by its address and by its secret, as far as they are set."""
        if self._proxies and info.peer not in self._proxies:
            return False
        if self.mode != "proxy" or not self._proxy_secret:
            return bool(self._proxies)
        return hmac.compare_digest(digest_of(info.header("x-proxy-secret") or ""), self._proxy_secret)

    async def _local(self, info: RequestInfo) -> Identity | None:
        if info.peer is not None and not is_loopback(info.peer):
            raise Forbidden(f"In local mode only this machine has access, not {info.peer!r}: set GLASSLOOP_AUTH=keys.")
        if any(info.has(name) for name in _PROXIED):
            raise Forbidden("In local mode requests through a proxy are refused: set GLASSLOOP_AUTH to keys or proxy.")
        user = _named(info.header("x-user-id")) or ANONYMOUS
        signed_in = await self._by_cookie(info)
        if signed_in is None or not signed_in.caller.admin:
            return Identity(Caller(user=user))
        return Identity(Caller(user=user, admin=True), signed_in.token)

    async def _by_key(self, info: RequestInfo) -> Identity | None:
        scheme, _, given = (info.header("authorization") or "").partition(" ")
        key = given.strip() if scheme.lower() == "bearer" else info.header("x-api-key")
        if not key:
            return await self._by_cookie(info)
        found = await self._store.keys.find(key)
        if found is None:
            _log.warning("a key that does not work came from %s", info.address)
            raise NotSignedIn(
                "The API key is unknown, expired or revoked: create another with `glassloop keys create USER` "
                "and send it as `Authorization: Bearer …`."
            )
        await self._note_use(found.id, lambda: self._store.keys.touch(found.id))
        return Identity(Caller(user=found.user_id))

    async def _by_proxy(self, info: RequestInfo) -> Identity | None:
        signed_in = await self._by_cookie(info)
        signed_in = signed_in if signed_in and signed_in.caller.admin else None
        user = _named(info.header(self._proxy_header))
        if user is None:
            return signed_in
        if not self._trusts(info):
            raise NotSignedIn(
                f"The header {self._proxy_header!r} is accepted only from the proxy: send the request through it."
            )
        return Identity(Caller(user=user, admin=signed_in is not None), signed_in and signed_in.token)

    async def _by_cookie(self, info: RequestInfo) -> Identity | None:
        token = info.cookie(cookie_name(info.https, info.mounted_at))
        found = await self._store.sign_ins.find(token) if token else None
        if found is None or token is None:
            return None
        if found.proof and not hmac.compare_digest(found.proof, await self._admin_digest()):
            return None
        if found.issuer and (self.openid is None or self.openid.issuer != found.issuer):
            return None
        if not found.issuer:
            # Who comes from a provider goes there again after a while: it may say otherwise then.
            await self._note_use(digest_of(token), lambda: self._store.sign_ins.renew(token, SIGNED_IN_S))
        return Identity(Caller(user=found.user_id, admin=bool(found.proof or found.is_admin)), token)

    async def _is_operator(self, info: RequestInfo) -> bool:
        given = info.header("admin-token")
        if given is None:
            return False
        if await self._is_admin_token(given):
            return True
        self._count_attempt(info)
        await self.refused(info, "a wrong admin token came")
        raise NotSignedIn("The header 'admin-token' is wrong: send ADMIN_TOKEN, or the token printed on first start.")

    async def _is_admin_token(self, given: str) -> bool:
        return hmac.compare_digest(digest_of(given), await self._admin_digest())

    async def _admin_digest(self) -> str:
        return self._admin_token or await self._store.secrets.digest(ADMIN) or ""

    def _count_attempt(self, info: RequestInfo) -> None:
        """Of a secret that is wrong; beyond some a minute the audit is spared, and the caller told to wait."""
        if wait := self.attempts.take(counted_as(info.address)):
            raise TooManyRequests(f"Too many attempts to sign in: try again in {wait:.0f} s.", retry_after=wait)

    def _check_label(self, info: RequestInfo, caller: Caller) -> None:
        label = info.header("x-user-id")
        if label is not None and label != caller.user:
            raise Forbidden(f"The key belongs to {caller.user!r}, not to {label[:100]!r}: omit the header 'x-user-id'.")

    async def _note_use(self, name: str, note: Callable[[], Awaitable[None]]) -> None:
        if self._uses.take(name):
            return
        try:
            await note()
        except StoreError as error:
            _log.warning("when %s was used last is not stored: %s", name, error)


class AuthMiddleware:
    """Lets requests through with `scope["caller"]`, or answers them. Plain ASGI: streams pass as they come."""

    def __init__(self, app: ASGIApp, authenticator: Authenticator) -> None:
        self._app = app
        self._authenticator = authenticator

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        guarded = SecurityHeaders(send)
        try:
            info = self._authenticator.read_request(scope)
            scope["request_info"] = info
            cors = self._authenticator.origins.headers(info)
            guarded = SecurityHeaders(send, cors, private=not _is_page(info))
            if info.path not in PROBES or self._authenticator.mode == "local":
                self._authenticator.origins.check_host(info)
            if self._authenticator.origins.is_preflight(info):
                allowed = Response(status_code=204)
                allowed.raw_headers = self._authenticator.origins.headers(info, preflight=True)
                await allowed(scope, receive, guarded)
            elif info.path in PROBES:
                await self._app(scope, receive, guarded)
            else:
                await self._let_in(info, scope, receive, guarded)
        except Exception as error:
            if guarded.started:
                raise
            # Answered here and not further out, so that this answer has our headers too.
            tell = errors.ours if isinstance(error, GlassloopError) else errors.unexpected
            await (await tell(Request(scope), error))(scope, receive, guarded)

    async def _let_in(self, info: RequestInfo, scope: Scope, receive: Receive, send: Send) -> None:
        with self._authenticator.anonymous_requests.taken(counted_as(info.address)) as release:
            if _is_page(info):
                await self._app(scope, receive, send)
                return
            if info.path == SIGN_IN:
                self._authenticator.origins.check_page(info)
                await self._app(scope, receive, send)
                return
            if self._authenticator.openid is not None and info.path in OPENID and not info.unsafe:
                await self._app(scope, receive, send)
                return
            await self._admit(info, scope)
            if "caller" in scope:
                release()
            await self._app(scope, receive, send)

    async def _admit(self, info: RequestInfo, scope: Scope) -> None:
        identity = await self._authenticator.identify(info)
        self._authenticator.check_forged(info, identity)
        if identity is None and info.path in (VISITOR, SHARED):
            return
        if identity is None:
            raise NotSignedIn(SIGN_IN_FIRST)
        scope["caller"] = identity.caller
        scope["by_cookie"] = identity.token is not None
        scope["not_forgeable"] = self._authenticator.is_not_forgeable(info, identity)
        if self._authenticator.mode == "keys" or identity.token is not None:
            # Elsewhere nothing can be taken back.
            scope["is_still_allowed"] = partial(self._authenticator.is_still_allowed, info, identity.caller)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        answered = False

        async def watched(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        try:
            info = scope["request_info"] = self._authenticator.read_request(scope)
            self._authenticator.origins.check_host(info)
            with self._authenticator.anonymous_requests.taken(counted_as(info.address)):
                await self._admit(info, scope)
            await self._app(scope, receive, watched)
        except (GlassloopError, HTTPException) as error:
            if answered:
                raise
            _log.info("a socket to %s was refused: %s", scope["path"], error)
            await refuse_socket(error, scope, receive, send)


def _named(given: str | None) -> str | None:
    """A user's name from a header; empty is none."""
    if not given:
        return None
    try:
        return check_name(given)
    except UsageError as error:
        raise Forbidden(str(error)) from None


def _is_page(info: RequestInfo) -> bool:
    return not info.unsafe and (info.path in PAGES or info.path.startswith(PAGE_FILES))
