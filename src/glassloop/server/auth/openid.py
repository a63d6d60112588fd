"""Sign-in by an OpenID provider: the authorization code flow with PKCE, for browsers (OpenID Connect Core 1.0).

Owns what is asked of the provider and what of its answers is believed. What began in a browser is kept in that
browser, encrypted, for ten minutes, so that any server of the same key may finish it. Sessions are `sign_ins`'.
"""

import base64
import hashlib
import hmac
import json
import logging
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote_plus, urlencode, urlsplit

import msgspec

from glassloop.core.errors import StoreError, UsageError
from glassloop.runtime.settings import Settings
from glassloop.runtime.stores import cipher_of
from glassloop.server.auth.identity import NotSignedIn, ProviderAway
from glassloop.server.auth.request_info import is_loopback, listed
from glassloop.store.records import ANONYMOUS, EVAL_USER
from glassloop.store.tables.users import check_name

if TYPE_CHECKING:
    from jwt import PyJWK

_log = logging.getLogger(__name__)

CALLBACK = "/api/sign-in/openid/callback"
ATTEMPT_S = 600
"""How long a person may take at the provider."""
SKEW_S = 60
"""How far the provider's clock may be from ours."""
METADATA_S, KEYS_S = 3600.0, 3600.0
REFETCH_S = 10.0
"""Keys are fetched anew for a token with an unknown one, but not more often."""
TIMEOUT_S = 10.0
MAX_BYTES = 1_000_000
MAX_GROUPS = 200
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signed with a key that only the provider has."""
_PLACE = "openid sign-in"
_AGAIN = "sign in again"
_ERROR_CODE = re.compile(r"[a-z_]{1,60}")


class OpenIdAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """A sign-in that began. `page` is where the browser goes afterwards: the chat, or `admin`."""

    state: str
    nonce: str
    verifier: str
    until: float
    page: str = ""


class OpenIdUser(msgspec.Struct, frozen=True, kw_only=True):
    """Whom the provider signed in, with the groups it told."""

    name: str
    groups: Sequence[str]
    is_admin: bool
    page: str


class _Metadata(msgspec.Struct, frozen=True, kw_only=True):
    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    end_session_endpoint: str | None = None
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)
    code_challenge_methods_supported: tuple[str, ...] | None = None
    authorization_response_iss_parameter_supported: bool = False


class OpenIdProvider:
    """One provider, by the settings. Raises `UsageError` for settings that cannot be safe."""

    def __init__(self, settings: Settings, attempt_s: float = ATTEMPT_S, refetch_s: float = REFETCH_S) -> None:
        self.attempt_s = attempt_s
        self.refetch_s = refetch_s
        self.issuer = (settings.oidc_issuer or "").strip()
        self.lasts_s = settings.oidc_hours * 3600.0
        self._settings = settings
        self._client_id = _required(settings.oidc_client_id, "GLASSLOOP_OIDC_CLIENT_ID")
        self._redirect_uri = _required(settings.oidc_redirect_uri, "GLASSLOOP_OIDC_REDIRECT_URI")
        self._admin_groups = frozenset(listed(settings.oidc_admin_groups))
        self._cipher = cipher_of(settings)
        self._metadata: tuple[float, _Metadata] | None = None
        self._keys: tuple[float, Mapping[str, PyJWK]] | None = None
        for name, address in (("ISSUER", self.issuer), ("REDIRECT_URI", self._redirect_uri)):
            if not _is_safe(address):
                raise UsageError(f"GLASSLOOP_OIDC_{name} is {address!r}: write an https address.")
        if not self._redirect_uri.endswith(CALLBACK):
            raise UsageError(
                f"GLASSLOOP_OIDC_REDIRECT_URI is {self._redirect_uri!r}: it is the address of this server and "
                f"{CALLBACK}, exactly as the provider knows it."
            )
        if settings.auth != "keys":
            raise UsageError(f"GLASSLOOP_OIDC_ISSUER needs GLASSLOOP_AUTH=keys, and that is {settings.auth!r}.")

    async def begin(self, page: str = "") -> tuple[str, str]:
        """Where to send the browser, and what it keeps until it comes back."""
        metadata = await self._discover()
        attempt = OpenIdAttempt(
            state=secrets.token_urlsafe(32),
            nonce=secrets.token_urlsafe(32),
            verifier=secrets.token_urlsafe(48),
            until=time.time() + self.attempt_s,
            page=page,
        )
        challenge = base64.urlsafe_b64encode(hashlib.sha256(attempt.verifier.encode()).digest()).rstrip(b"=").decode()
        query = {
            "response_type": "code",
            "client_id": self._client_id,
            "redirect_uri": self._redirect_uri,
            "scope": self._settings.oidc_scopes,
            "state": attempt.state,
            "nonce": attempt.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        kept = self._cipher.encrypt(msgspec.json.encode(attempt), _PLACE)
        return _with_query(metadata.authorization_endpoint, query), base64.urlsafe_b64encode(kept).rstrip(b"=").decode()

    async def finish(self, kept: str | None, query: Mapping[str, str]) -> OpenIdUser:
        """Whom the provider signed in, by what the browser kept and brought back. Raises `NotSignedIn`."""
        attempt = self._attempt(kept)
        if not hmac.compare_digest(attempt.state.encode(), query.get("state", "").encode("utf-8", "replace")):
            raise NotSignedIn(f"This response belongs to another sign-in: {_AGAIN}.")
        metadata = await self._discover()
        named = query.get("iss")
        if named != self.issuer and (named is not None or metadata.authorization_response_iss_parameter_supported):
            raise NotSignedIn(f"This response comes from another provider: {_AGAIN}.")
        if "error" in query or not query.get("code"):
            code = query.get("error", "")
            told = f" ({code})" if _ERROR_CODE.fullmatch(code) else ""
            raise NotSignedIn(f"The provider did not sign you in{told}: {_AGAIN}, or ask its operator.")
        token = await self._exchange(metadata, query["code"], attempt.verifier)
        claims = await self._claims(metadata, token)
        if not hmac.compare_digest(str(claims.get("nonce", "")).encode("utf-8", "replace"), attempt.nonce.encode()):
            raise NotSignedIn(f"The provider's token belongs to another sign-in: {_AGAIN}.")
        groups = self._groups(claims)
        is_admin = bool(self._admin_groups & set(groups))
        return OpenIdUser(name=self._name(claims), groups=groups, is_admin=is_admin, page=attempt.page)

    async def end_session_url(self) -> str | None:
        """Where a browser signs out of the provider too; None where that cannot be known."""
        try:
            metadata = await self._discover()
        except ProviderAway:
            return None
        if metadata.end_session_endpoint is None or not _is_safe(metadata.end_session_endpoint):
            return None
        back = self._redirect_uri.removesuffix(CALLBACK) + "/"
        query = {"client_id": self._client_id, "post_logout_redirect_uri": back}
        return _with_query(metadata.end_session_endpoint, query)

    def _attempt(self, kept: str | None) -> OpenIdAttempt:
        try:
            raw = base64.urlsafe_b64decode(f"{kept or ''}==".encode("ascii", "replace"))
            attempt = msgspec.json.decode(self._cipher.decrypt(raw, _PLACE), type=OpenIdAttempt)
        except (StoreError, ValueError, msgspec.MsgspecError):
            attempt = None
        if attempt is None or attempt.until < time.time():
            raise NotSignedIn(f"The sign-in took too long or started in another browser: {_AGAIN}.")
        return attempt

    async def _exchange(self, metadata: _Metadata, code: str, verifier: str) -> str:
        """The identity token for a code."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._redirect_uri,
            "code_verifier": verifier,
        }
        headers, secret = {"accept": "application/json"}, self._settings.oidc_client_secret
        if secret and "client_secret_basic" in metadata.token_endpoint_auth_methods_supported:
            pair = f"{quote_plus(self._client_id)}:{quote_plus(secret)}"
            headers["authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        else:
            form |= {"client_id": self._client_id, **({"client_secret": secret} if secret else {})}
        status, answer = await _call(metadata.token_endpoint, form, headers)
        token = answer.get("id_token")
        if status != 200 or not isinstance(token, str):
            code = str(answer.get("error", ""))
            _log.warning(
                "the OpenID provider gave no token: %d %s", status, code if _ERROR_CODE.fullmatch(code) else ""
            )
            raise NotSignedIn(
                f"The provider did not confirm the sign-in: {_AGAIN}, or ask the operator of this server."
            )
        return token

    async def _claims(self, metadata: _Metadata, token: str) -> dict[str, Any]:
        import jwt

        try:
            header = jwt.get_unverified_header(token)
            key = await self._key(metadata, str(header.get("kid", "")))
            claims: dict[str, Any] = jwt.decode(
                token,
                key,
                algorithms=list(ALGORITHMS),
                audience=self._client_id,
                issuer=self.issuer,
                leeway=SKEW_S,
                options={"require": ["exp", "iat", "iss", "aud", "sub"]},
            )
        except jwt.PyJWTError as error:
            _log.warning("a token of the OpenID provider is refused: %s: %s", type(error).__name__, error)
            raise NotSignedIn(f"The provider's token is not valid: {_AGAIN}; the log says why.") from None
        audience, party = claims["aud"], claims.get("azp")
        several = isinstance(audience, list) and len(cast("list[str]", audience)) > 1
        if (party is not None or several) and party != self._client_id:
            raise NotSignedIn(f"The provider's token is for another application: {_AGAIN}.")
        return claims

    async def _key(self, metadata: _Metadata, name: str) -> "PyJWK":
        """The provider's key of that name, or its only one where the token names none."""
        from jwt import InvalidKeyError

        for fetches in (False, True):
            now = time.monotonic()
            age = None if self._keys is None else now - self._keys[0]
            if age is None or age > KEYS_S or (fetches and age > self.refetch_s):
                self._keys = now, await self._fetch_keys(metadata)
            keys: Mapping[str, PyJWK] = {} if self._keys is None else self._keys[1]
            if name in keys:
                return keys[name]
            if not name and len(keys) == 1:
                return next(iter(keys.values()))
        raise InvalidKeyError("no key of the provider has the name that the token gives")

    async def _fetch_keys(self, metadata: _Metadata) -> Mapping[str, "PyJWK"]:
        from jwt import PyJWK, PyJWTError

        status, answer = await _call(metadata.jwks_uri)
        found: dict[str, PyJWK] = {}
        told: Any = answer.get("keys") if status == 200 else None
        entries = cast("list[Any]", told) if isinstance(told, list) else []
        for entry in (cast("dict[str, Any]", each) for each in entries if isinstance(each, dict)):
            # Symmetric keys have no place among those that everybody may read.
            if entry.get("use") == "enc" or entry.get("kty") not in ("RSA", "EC", "OKP"):
                continue
            try:
                found[str(entry.get("kid", ""))] = PyJWK.from_dict(entry)
            except (PyJWTError, ValueError, TypeError, KeyError) as error:
                _log.info("a key of the OpenID provider cannot be used: %s", error)
        return found

    async def _discover(self) -> _Metadata:
        if self._metadata is not None and time.monotonic() - self._metadata[0] < METADATA_S:
            return self._metadata[1]
        status, answer = await _call(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
        try:
            found = msgspec.convert(answer, _Metadata)
        except msgspec.ValidationError as error:
            raise _away(f"its configuration is not as it should be: {status} {error}") from None
        addresses = (found.authorization_endpoint, found.token_endpoint, found.jwks_uri)
        if status != 200 or found.issuer != self.issuer or not all(map(_is_safe, addresses)):
            raise _away(f"it calls itself {found.issuer[:200]!r}, or names an address that is not https")
        if found.code_challenge_methods_supported and "S256" not in found.code_challenge_methods_supported:
            raise _away("it knows no PKCE with S256")
        self._metadata = time.monotonic(), found
        return found

    def _name(self, claims: Mapping[str, Any]) -> str:
        claim = self._settings.oidc_user_claim
        value = claims.get(claim)
        if claim == "email" and claims.get("email_verified") is not True:
            raise NotSignedIn("The provider has not verified your email address: verify it, then sign in again.")
        if not isinstance(value, str) or value in (ANONYMOUS, EVAL_USER):
            raise NotSignedIn(
                f"The provider sent no {claim!r} to use as your user name: contact the operator of this server."
            )
        try:
            return check_name(value)
        except UsageError as error:
            raise NotSignedIn(str(error)) from None

    def _groups(self, claims: Mapping[str, Any]) -> Sequence[str]:
        told = claims.get(self._settings.oidc_groups_claim)
        names = [told] if isinstance(told, str) else cast("list[Any]", told) if isinstance(told, list) else []
        clean = [name for name in names if isinstance(name, str) and 0 < len(name) <= 200 and name.isprintable()]
        return tuple(dict.fromkeys(name.strip() for name in clean if name.strip()))[:MAX_GROUPS]


async def _call(
    address: str, form: Mapping[str, str] | None = None, headers: Mapping[str, str] | None = None
) -> tuple[int, dict[str, Any]]:
    """The status and the JSON object that an address of the provider answers with. Bounded; follows nothing."""
    import httpx2

    try:
        async with httpx2.AsyncClient(timeout=TIMEOUT_S, follow_redirects=False) as client:
            method = "GET" if form is None else "POST"
            async with client.stream(method, address, data=dict(form) if form else None, headers=headers) as answer:
                body = b""
                async for piece in answer.aiter_bytes():
                    body += piece
                    if len(body) > MAX_BYTES:
                        raise _away("it answers with more than is read")
        found: Any = json.loads(body)
    except (httpx2.HTTPError, OSError) as error:
        raise _away(f"{type(error).__name__}: {error}") from None
    except (ValueError, RecursionError):
        raise _away("it does not answer with JSON") from None
    return answer.status_code, cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _away(why: str) -> ProviderAway:
    """For users without what only operators may read."""
    _log.warning("the OpenID provider cannot be used: %s", why)
    return ProviderAway("The sign-in provider is not available: try again later, or sign in with an API key.")


def _is_safe(address: str) -> bool:
    """Whether nobody on the way can read or change what goes there."""
    parts = urlsplit(address)
    if parts.username is not None or parts.fragment or not parts.hostname:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname))


def _with_query(address: str, query: Mapping[str, str]) -> str:
    return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}"


def _required(value: str | None, variable: str) -> str:
    if not value or not value.strip():
        raise UsageError(
            f"GLASSLOOP_OIDC_ISSUER is set but {variable} is missing: copy it from the provider's settings."
        )
    return value.strip()
