"""An OpenID provider on loopback that signs everybody in, and lies where a test wants it to."""

import base64
import hashlib
import time
from urllib.parse import urlencode

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from fastapi import FastAPI, Form, Header, Request
from jwt.algorithms import ECAlgorithm
from starlette.responses import JSONResponse, RedirectResponse


def new_key():
    return ec.generate_private_key(ec.SECP256R1())


class Provider:
    """`claims` go into the next tokens, `now` is what its clock tells beyond ours; `tampered` changes a token."""

    def __init__(self):
        self.url = ""
        self.client = ("glassloop", "a-secret-of-tests")
        self.redirect_uri = ""
        self.claims = {"sub": "ada", "groups": ["staff"]}
        self.now = 0.0
        self.keys = {"first": new_key()}
        self.signs_with = "first"
        self.metadata = {}
        self.token_claims = {}
        self.tampered = lambda token: token
        self.fetched_keys = 0
        self._codes = {}
        self.app = self._app()

    def _app(self):
        app = FastAPI()
        app.get("/.well-known/openid-configuration")(self._configuration)
        app.get("/authorize")(self._authorize)
        app.post("/token")(self._token)
        app.get("/keys")(self._keys)
        return app

    async def _configuration(self):
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "end_session_endpoint": f"{self.url}/logout",
            **self.metadata,
        }

    async def _authorize(self, request: Request):
        query = dict(request.query_params)
        assert query["redirect_uri"] == self.redirect_uri
        assert query["code_challenge_method"] == "S256"
        code = f"code-{len(self._codes)}"
        self._codes[code] = query
        return RedirectResponse(f"{self.redirect_uri}?{urlencode({'code': code, 'state': query['state']})}", 303)

    async def _token(
        self,
        code: str = Form(),
        code_verifier: str = Form(),
        redirect_uri: str = Form(),
        authorization: str = Header(""),
    ):
        asked = self._codes.pop(code, None)
        digest = hashlib.sha256(code_verifier.encode()).digest()
        expected = f"Basic {base64.b64encode(':'.join(self.client).encode()).decode()}"
        if (
            asked is None
            or base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != asked["code_challenge"]
            or redirect_uri != asked["redirect_uri"]
            or authorization != expected
        ):
            return JSONResponse({"error": "invalid_grant"}, 400)
        return {"token_type": "Bearer", "access_token": "x", "id_token": self.tampered(self.token(asked["nonce"]))}

    def token(self, nonce):
        now = int(time.time() + self.now)
        claims = {"iss": self.url, "aud": self.client[0], "iat": now, "exp": now + 300, "nonce": nonce, **self.claims}
        claims = {name: value for name, value in {**claims, **self.token_claims}.items() if value is not None}
        return jwt.encode(claims, self.keys[self.signs_with], "ES256", headers={"kid": self.signs_with})

    async def _keys(self):
        self.fetched_keys += 1
        shown = [{**ECAlgorithm.to_jwk(key.public_key(), as_dict=True), "kid": kid} for kid, key in self.keys.items()]
        return {"keys": shown}
