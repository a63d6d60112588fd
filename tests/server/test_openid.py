"""Sign-in by an OpenID provider, over real HTTP: who is let in as whom, and what of a provider is not believed."""

from urllib.parse import parse_qs, urlsplit

import httpx
import jwt
import oidc_provider_mock
import pytest

from glassloop.core.errors import UsageError
from glassloop.server.auth.authentication import Authenticator
from ports import free_port
from server.authenticated import TOKEN
from server.listening import listening
from server.openid_provider import Provider, new_key

CALLBACK = "/api/sign-in/openid/callback"
SECRET = "a-secret-of-tests"


@pytest.fixture
async def provider():
    made = Provider()
    async with listening(made.app) as url:
        made.url = url
        yield made


@pytest.fixture
def given(settings):
    def make(issuer, port, **changes):
        fields = {
            "auth": "keys",
            "admin_token": TOKEN,
            "request_rate": 0,
            "oidc_issuer": issuer,
            "oidc_client_id": "glassloop",
            "oidc_client_secret": SECRET,
            "oidc_redirect_uri": f"http://127.0.0.1:{port}{CALLBACK}",
        }
        return settings(**{**fields, **changes})

    return make


@pytest.fixture
async def served(serve, given, provider):
    port = free_port()
    provider.redirect_uri = f"http://127.0.0.1:{port}{CALLBACK}"
    return await serve(given(provider.url, port, oidc_admin_groups="operators"), ["Hello."], port=port)


async def follow(served, client=None):
    """A browser that signs in; the answer of the callback, which has not been followed."""
    browser = client or served.client
    sent = await browser.get("/api/sign-in/openid")
    assert sent.status_code == 303, sent.text
    async with httpx.AsyncClient() as elsewhere:
        back = await elsewhere.get(sent.headers["location"])
    assert back.status_code == 303, back.text
    return await browser.get(back.headers["location"])


async def me(client):
    return (await client.get("/api/visitor")).json()["me"]


async def test_a_person_signs_in_with_their_groups_and_out_of_both(served, provider):
    assert (await served.client.get("/api/visitor")).json() == {"me": None, "openid": True}
    back = await follow(served)
    assert (back.status_code, back.headers["location"]) == (303, "/")
    cookie = next(value for value in back.headers.get_list("set-cookie") if value.startswith("glassloop="))
    assert "httponly" in cookie.lower()
    assert "samesite=strict" in cookie.lower()
    found = await me(served.client)
    assert (found["user"], found["admin"]) == ("ada", False)
    assert (await served.client.get("/api/me/access")).json()["groups"] == ["staff"]
    headers = {"x-csrf-token": found["csrf_token"], "origin": served.url}
    out = (await served.client.post("/api/sign-out", headers=headers)).json()
    assert out["done"]
    assert out["provider_url"].startswith(f"{provider.url}/logout?")
    assert await me(served.client) is None
    noted = [(note.action, note.by_user) for note in await served.runtime.store.audit.list()]
    assert noted == [("signed_in", "ada"), ("groups_changed", "ada"), ("user_added", "ada")]


async def test_groups_make_operators_and_are_looked_at_anew_with_each_sign_in(served, provider):
    provider.claims = {"sub": "ada", "groups": ["operators", "staff"]}
    await follow(served)
    assert (await me(served.client))["admin"]
    assert (await served.client.get("/admin/access")).status_code == 200
    provider.claims = {"sub": "ada"}
    await follow(served)
    assert not (await me(served.client))["admin"]
    assert await served.runtime.store.access.groups("ada") == ()
    assert (await served.client.get("/admin/access")).status_code == 401


async def test_a_sign_in_never_goes_on_with_a_token_the_browser_had_before(served):
    await follow(served)
    planted = served.client.cookies["glassloop"]
    await follow(served)
    assert served.client.cookies["glassloop"] != planted
    async with httpx.AsyncClient(base_url=served.url, cookies={"glassloop": planted}) as other:
        assert await me(other) is None


async def test_an_answer_counts_only_in_the_browser_and_for_the_sign_in_it_belongs_to(served):
    sent = await served.client.get("/api/sign-in/openid")
    async with httpx.AsyncClient() as elsewhere:
        back = (await elsewhere.get(sent.headers["location"])).headers["location"]
    async with httpx.AsyncClient(base_url=served.url) as victim:
        assert (await victim.get(back)).status_code == 401
        await victim.get("/api/sign-in/openid")
        assert (await victim.get(back)).status_code == 401
        assert await me(victim) is None
    code = parse_qs(urlsplit(back).query)["code"][0]
    assert (await served.client.get(CALLBACK, params={"code": code, "state": "other"})).status_code == 401
    assert (await served.client.get(back)).status_code == 303
    assert (await served.client.get(back)).status_code == 401


async def test_what_takes_too_long_is_over(served):
    served.app.state.authenticator.openid.attempt_s = -1
    refused = await follow(served)
    assert refused.status_code == 401
    assert "took too long" in refused.json()["error"]


def unsigned(token):
    return jwt.encode(jwt.decode(token, options={"verify_signature": False}), None, "none")


def with_our_secret(token):
    return jwt.encode(jwt.decode(token, options={"verify_signature": False}), SECRET * 4, "HS256")


def with_another_key(token):
    return jwt.encode(
        jwt.decode(token, options={"verify_signature": False}), new_key(), "ES256", headers={"kid": "first"}
    )


async def test_a_token_that_the_provider_did_not_sign_lets_nobody_in(served, provider):
    for tampered in (unsigned, with_our_secret, with_another_key, lambda token: f"{token[:-8]}AAAAAAAA"):
        provider.tampered = tampered
        assert (await follow(served)).status_code == 401, tampered
    assert await me(served.client) is None


OTHERS = [
    {"iss": "https://other.example"},
    {"aud": "another-program"},
    {"aud": ["glassloop", "another-program"]},
    {"aud": ["glassloop", "another-program"], "azp": "another-program"},
    {"azp": "another-program"},
    {"nonce": "another"},
    {"nonce": None},
    {"exp": None},
    {"exp": 1},
    {"iat": 4_000_000_000},
    {"sub": None},
    {"sub": "admin"},
    {"sub": "anonymous"},
    {"sub": "command line"},
    {"sub": ["ada"]},
    {"sub": "a\nb"},
]


async def test_a_token_for_somebody_or_something_else_lets_nobody_in(served, provider):
    for claims in OTHERS:
        provider.token_claims = claims
        assert (await follow(served)).status_code == 401, claims
    assert await me(served.client) is None
    assert "sign_in_refused" in [note.action for note in await served.runtime.store.audit.list()]


async def test_clocks_may_differ_by_a_minute(served, provider):
    for skew, status in ((30, 303), (-320, 303), (120, 401), (-400, 401)):
        provider.now = skew
        assert (await follow(served)).status_code == status, skew


async def test_keys_may_be_rotated_and_are_not_fetched_for_every_token(served, provider):
    await follow(served)
    await follow(served)
    assert provider.fetched_keys == 1
    provider.keys, provider.signs_with = {"second": new_key()}, "second"
    assert (await follow(served)).status_code == 401
    assert provider.fetched_keys == 1
    served.app.state.authenticator.openid.refetch_s = 0.0
    assert (await follow(served)).status_code == 303
    assert provider.fetched_keys == 2


async def test_a_mail_address_counts_only_when_it_is_verified(serve, given, provider):
    port = free_port()
    provider.redirect_uri = f"http://127.0.0.1:{port}{CALLBACK}"
    served = await serve(given(provider.url, port, oidc_user_claim="email"), ["Hello."], port=port)
    provider.claims = {"sub": "1", "email": "ada@example.org"}
    assert (await follow(served)).status_code == 401
    provider.claims["email_verified"] = True
    assert (await follow(served)).status_code == 303
    assert (await me(served.client))["user"] == "ada@example.org"


async def test_a_provider_that_is_away_or_another_is_told_without_its_address(serve, given, provider):
    port = free_port()
    gone = f"http://127.0.0.1:{free_port()}"
    served = await serve(given(gone, port), ["Hello."], port=port)
    refused = await served.client.get("/api/sign-in/openid")
    assert refused.status_code == 503
    assert gone not in refused.text
    provider.metadata = {"issuer": "https://other.example"}
    other = await serve(given(provider.url, port), ["Hello."])
    assert (await other.client.get("/api/sign-in/openid")).status_code == 503
    provider.metadata = {"token_endpoint": "http://192.0.2.1/token"}
    assert (await other.client.get("/api/sign-in/openid")).status_code == 503


async def test_a_sign_in_ends_when_the_provider_is_another_one_and_after_its_hours(served, given, store):
    await follow(served)
    token = served.client.cookies["glassloop"]
    (row,) = [await served.runtime.store.sign_ins.find(token)]
    assert row.expires_at - row.seen_at == pytest.approx(12 * 3600)
    await me(served.client)
    assert (await served.runtime.store.sign_ins.find(token)).expires_at == row.expires_at


@pytest.mark.parametrize(
    "changes",
    [
        {"oidc_issuer": "http://provider.example"},
        {"oidc_client_id": None},
        {"oidc_redirect_uri": None},
        {"oidc_redirect_uri": f"http://glassloop.example{CALLBACK}"},
        {"oidc_redirect_uri": "https://glassloop.example/other"},
        {"auth": "local"},
    ],
    ids=str,
)
async def test_settings_that_cannot_be_safe_are_refused(given, store, changes):
    with pytest.raises(UsageError, match="GLASSLOOP_OIDC"):
        Authenticator(given("https://provider.example", 8000, **changes), store)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_a_provider_of_somebody_elses_making_signs_people_in(serve, given):
    port = free_port()
    with oidc_provider_mock.run_server_in_thread() as server:
        issuer = f"http://localhost:{server.server_port}"
        served = await serve(given(issuer, port), ["Hello."], port=port)
        sent = await served.client.get("/api/sign-in/openid")
        async with httpx.AsyncClient() as elsewhere:
            back = await elsewhere.post(sent.headers["location"], data={"sub": "grace"})
        answer = await served.client.get(back.headers["location"])
        assert answer.status_code == 303, answer.text
        assert (await me(served.client))["user"] == "grace"
