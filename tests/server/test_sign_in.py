"""A browser signs in once and holds a cookie: what it is good for, what else a request must have, how it ends."""

import asyncio
from http.cookies import SimpleCookie

import httpx
import pytest
from starlette.responses import Response

from glassloop.runtime.stores import open_settings_store
from glassloop.server.auth.authentication import REFUSALS_NOTED_A_MINUTE
from glassloop.server.auth.identity import SIGNED_IN_S, User
from glassloop.server.http.sse import EventStream
from glassloop.store import open_store
from hand_clock import Clock
from server.authenticated import HERE, OTHER_PAGE, TOKEN, bearer, client_of, gated, told
from server.listening import listening

SECURE = "https://chat.example.org"


@pytest.fixture
async def store(database, clock):
    async with await open_store(database, clock=clock) as opened:
        yield opened


@pytest.fixture
def app(settings, store):
    return gated(settings(auth="keys", admin_token=TOKEN), store)


def browser(app, url=HERE, peer="127.0.0.1"):
    """As one that has our page open."""
    return client_of(app, url=url, peer=peer, origin=url, **{"sec-fetch-site": "same-origin"})


async def sign_in(client, secret):
    answer = await client.post("/api/sign-in", json={"key": secret})
    assert answer.status_code == 200, answer.text
    client.headers["x-csrf-token"] = answer.json()["csrf_token"]
    return answer


def cookie_in(answer):
    (morsel,) = SimpleCookie(answer.headers["set-cookie"]).values()
    return morsel


async def test_a_browser_that_signed_in_is_the_user_of_the_key(app, key):
    client = browser(app)
    answer = await sign_in(client, key)
    assert key not in answer.text
    assert (await client.get("/api/who")).json() == {"user": "ann", "admin": False, "by_cookie": True}
    assert (await client.post("/api/who")).status_code == 200
    me = (await client.get("/api/me")).json()
    assert "mcp" in me.pop("extensions")
    assert me == {
        "user": "ann",
        "display_name": None,
        "admin": False,
        "auth": "keys",
        "csrf_token": client.headers["x-csrf-token"],
        "sharing": False,
    }


async def test_the_page_may_ask_who_it_is_before_anybody_signed_in(app, key):
    client = browser(app)
    assert (await client.get("/api/visitor")).json() == {"me": None, "openid": False}
    assert (await client.get("/api/me")).status_code == 401
    await sign_in(client, key)
    assert (await client.get("/api/visitor")).json() == {"me": (await client.get("/api/me")).json(), "openid": False}
    other = client_of(app, **{"sec-fetch-site": "cross-site", "origin": "https://elsewhere.example"})
    assert (await other.get("/api/visitor")).status_code == 403


async def test_scripts_cannot_read_the_cookie_and_other_sites_cannot_have_it_sent(app, key):
    cookie = cookie_in(await sign_in(browser(app), key))
    assert cookie.key == "glassloop"
    assert (cookie["httponly"], cookie["samesite"].lower(), cookie["path"]) == (True, "strict", "/")
    assert (cookie["secure"], cookie["domain"]) == ("", "")
    assert int(cookie["max-age"]) == SIGNED_IN_S
    assert len(cookie.value) == 43


async def test_by_https_the_cookie_goes_by_https_only(app, key):
    client = browser(app, SECURE)
    cookie = cookie_in(await sign_in(client, key))
    assert (cookie.key, cookie["secure"]) == ("__Host-glassloop", True)
    assert (await client.get("/api/who")).json()["by_cookie"]
    plain = client_of(app, cookie=f"__Host-glassloop={cookie.value}; glassloop=other")
    assert (await plain.get("/api/who")).status_code == 401


async def test_a_proxy_that_is_trusted_says_whether_it_was_https(settings, store, key):
    app = gated(settings(auth="keys", trusted_proxies="127.0.0.1"), store)
    for peer, secure in (("127.0.0.1", True), ("10.0.0.1", "")):
        client = browser(app, "http://chat.example.org", peer)
        client.headers.update({"x-forwarded-proto": "https", "origin": SECURE})
        assert cookie_in(await sign_in(client, key))["secure"] == secure


async def test_event_streams_and_reads_need_the_cookie_alone(app, key):
    token = cookie_in(await sign_in(browser(app), key)).value
    app.state.gone_on.set()
    async with listening(app) as url:
        client = client_of(app, cookie=f"glassloop={token}")
        assert (await client.get("/api/who")).status_code == 200
        async with httpx.AsyncClient(base_url=url, headers={"cookie": f"glassloop={token}"}, timeout=60) as real:
            assert "second" in (await real.get("/api/stream")).text


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"x-csrf-token": None}, ["x-csrf-token", "/api/me"]),
        ({"x-csrf-token": ""}, ["x-csrf-token"]),
        ({"x-csrf-token": "0" * 64}, ["x-csrf-token"]),
        ({"origin": OTHER_PAGE}, ["may not call"]),
        ({"origin": "null"}, ["may not call"]),
        ({"origin": None, "sec-fetch-site": "cross-site"}, ["open the address directly"]),
        ({"origin": None, "sec-fetch-site": "same-site"}, ["open the address directly"]),
        ({"origin": None, "sec-fetch-site": "none"}, ["the web page"]),
        ({"origin": None, "sec-fetch-site": None}, ["the web page"]),
    ],
)
async def test_with_a_cookie_only_our_own_page_changes_anything(app, key, change, words):
    client = browser(app)
    await sign_in(client, key)
    for name, value in change.items():
        del client.headers[name]
        client.headers.update({} if value is None else {name: value})
    for method in ("POST", "PUT", "DELETE"):
        told(await client.request(method, "/api/who"), 403, *words)


async def test_either_sign_of_our_own_page_is_enough(app, key):
    for missing in ("origin", "sec-fetch-site"):
        client = browser(app)
        await sign_in(client, key)
        del client.headers[missing]
        assert (await client.post("/api/who")).status_code == 200


async def test_what_proves_our_page_is_good_for_its_own_sign_in_only(app, key):
    first, second = browser(app), browser(app)
    await sign_in(first, key)
    await sign_in(second, key)
    first.headers["x-csrf-token"] = second.headers["x-csrf-token"]
    told(await first.post("/api/who"), 403, "x-csrf-token")


async def test_another_page_allowed_to_call_cannot_use_the_cookie_to_change_things(settings, store, key):
    app = gated(settings(auth="keys", allowed_origins=OTHER_PAGE), store)
    client = browser(app)
    await sign_in(client, key)
    client.headers["origin"] = OTHER_PAGE
    told(await client.post("/api/who"), 403, "the web page")


async def test_a_key_that_is_sent_counts_before_the_cookie(app, store, key):
    await store.users.add("bob")
    other, _ = await store.keys.create("bob")
    client = browser(app)
    await sign_in(client, key)
    del client.headers["x-csrf-token"]
    assert (await client.post("/api/who", headers=bearer(other))).json() == {
        "user": "bob", "admin": False, "by_cookie": False,
    }  # fmt: skip
    told(await client.get("/api/who", headers=bearer("glk_wrong")), 401)


async def test_another_name_beside_a_cookie_is_refused(app, key):
    client = browser(app)
    await sign_in(client, key)
    told(await client.get("/api/who", headers={"x-user-id": "bob"}), 403)


async def test_the_cookie_works_after_a_restart_and_in_another_process(settings, app, store, key):
    client = browser(app)
    await sign_in(client, key)
    await store.aclose()
    async with await open_settings_store(settings()) as later:
        # The other process has the real time, which is long after the one of this test.
        assert await later.sign_ins.find(client.cookies["glassloop"]) is None
    async with await open_store(str(settings().home_path / "glassloop.db"), clock=Clock()) as later:
        again = browser(gated(settings(auth="keys"), later))
        again.cookies, again.headers = client.cookies, client.headers
        assert (await again.post("/api/who")).json()["user"] == "ann"


async def test_it_lasts_thirty_days_after_its_last_use(settings, store, clock, key):
    days = 86_400
    client = browser(gated(settings(auth="keys"), store))
    await sign_in(client, key)
    for _ in range(3):
        clock.now += 29 * days
        # As of another minute: a gate notes use no more often.
        later = browser(gated(settings(auth="keys"), store))
        later.cookies = client.cookies
        answer = await later.get("/api/me")
        assert answer.json()["user"] == "ann"
        assert cookie_in(answer)["max-age"] == str(SIGNED_IN_S)
    clock.now += 30 * days
    assert (await later.get("/api/me")).status_code == 401


async def test_signing_out_ends_it_everywhere(app, key):
    client = browser(app)
    token = cookie_in(await sign_in(client, key)).value
    answer = await client.post("/api/sign-out")
    assert answer.json() == {"done": True, "provider_url": None}
    gone = cookie_in(answer)
    assert (gone.value, gone["max-age"], gone["httponly"]) == ("", "0", True)
    assert (await client_of(app, cookie=f"glassloop={token}").get("/api/who")).status_code == 401


async def test_signing_out_without_a_cookie_does_nothing_and_says_so(app, key):
    client = client_of(app, **bearer(key))
    assert (await client.post("/api/sign-out")).json() == {"done": False, "provider_url": None}
    assert (await client_of(app).post("/api/sign-out")).status_code == 401


async def test_signing_in_again_ends_the_sign_in_before(app, key):
    client = browser(app)
    before = cookie_in(await sign_in(client, key)).value
    await sign_in(client, key)
    assert (await client.get("/api/who")).status_code == 200
    assert (await client_of(app, cookie=f"glassloop={before}").get("/api/who")).status_code == 401


async def test_it_ends_with_the_key(app, store, key):
    client = browser(app)
    await sign_in(client, key)
    await store.keys.revoke((await store.keys.list())[0].id)
    assert (await client.get("/api/who")).status_code == 401


@pytest.mark.parametrize("mode", ["local", "keys", "proxy"])
async def test_with_the_admin_token_a_browser_is_the_operators(settings, store, mode):
    app = gated(settings(auth=mode, proxy_secret="known-to-both-of-us", admin_token=TOKEN), store)
    client = browser(app)
    await sign_in(client, TOKEN)
    assert (await client.get("/admin/sessions")).status_code == 200
    assert (await client.get("/api/who")).json() == {
        "user": "anonymous" if mode == "local" else "admin", "admin": True, "by_cookie": True,
    }  # fmt: skip
    other = settings(auth=mode, proxy_secret="known-to-both-of-us", admin_token=f"{TOKEN}-changed")
    changed = browser(gated(other, store))
    changed.cookies = client.cookies
    told(await changed.get("/admin/sessions"), 401)


async def test_a_cookie_of_a_user_is_nothing_in_another_mode(settings, app, store, key):
    client = browser(app)
    await sign_in(client, key)
    local = browser(gated(settings(), store))
    local.cookies = client.cookies
    assert (await local.get("/api/who")).json() == {"user": "anonymous", "admin": False, "by_cookie": False}
    proxied = browser(gated(settings(auth="proxy", proxy_secret="known-to-both-of-us"), store))
    proxied.cookies = client.cookies
    assert (await proxied.get("/api/who")).status_code == 401


async def test_in_local_mode_nobody_needs_to_sign_in(settings, store, key):
    client = browser(gated(settings(), store))
    me = (await client.get("/api/me")).json()
    assert "mcp" in me.pop("extensions")
    assert me == {
        "user": "anonymous",
        "display_name": None,
        "admin": False,
        "auth": "local",
        "csrf_token": None,
        "sharing": False,
    }
    told(await client.post("/api/sign-in", json={"key": key}), 401, "admin token")


async def test_a_wrong_key_signs_nobody_in_and_sets_nothing(app, key):
    client = browser(app)
    for wrong in ("x", key[:-1], f"{key} ", "glk_", TOKEN[:-1]):
        answer = await client.post("/api/sign-in", json={"key": wrong})
        told(answer, 401, "Sign-in failed")
        assert "set-cookie" not in answer.headers
    for body in ({}, {"key": ""}, {"key": "x" * 501}, {"key": 1}, {"key": "x", "more": 1}, []):
        told(await client.post("/api/sign-in", json=body), 422)


async def test_another_page_cannot_sign_a_browser_in(app, key):
    client = client_of(app)
    for headers in ({"origin": OTHER_PAGE}, {"sec-fetch-site": "cross-site"}):
        told(await client.post("/api/sign-in", json={"key": key}, headers=headers), 403)
    form = await client.post("/api/sign-in", content=f'{{"key": "{key}"}}', headers={"content-type": "text/plain"})
    told(form, 422)


async def test_wrong_attempts_to_sign_in_are_ten_a_minute_for_each_address_and_hold_no_right_key_up(app, key):
    client = browser(app, peer="2001:db8::1")
    for attempt in range(10):
        assert (await client.post("/api/sign-in", json={"key": f"glk_{attempt}"})).status_code == 401
    for peer in ("2001:db8::1", "2001:db8::ffff:2"):
        answer = await browser(app, peer=peer).post("/api/sign-in", json={"key": "glk_other"})
        told(answer, 429, "try again")
        assert 1 <= int(answer.headers["retry-after"]) <= 6
        assert (await browser(app, peer=peer).post("/api/sign-in", json={"key": key})).status_code == 200
    told(await browser(app, peer="2001:db8:1::1").post("/api/sign-in", json={"key": "glk_other"}), 401)


async def test_a_cookie_that_is_there_twice_is_nobodys(app, key):
    token = cookie_in(await sign_in(browser(app), key)).value
    for cookies, status in (
        (f"a=b; glassloop={token}; c", 200),
        (f"glassloop={token}; glassloop=other", 401),
        ("glassloop=", 401),
        ("glassloop=%00\x01", 401),
        (";;;=;", 401),
    ):
        assert (await client_of(app, cookie=cookies).get("/api/who")).status_code == status


# Streams that are open


@pytest.fixture
def endless(app):
    """The same application with a stream that never ends, and looks often who has it."""

    async def frames():
        while True:
            yield b"data: more\n\n"
            await asyncio.sleep(0.01)

    async def stream(_caller: User):
        return EventStream(frames(), failed=lambda text, _kind: text.encode(), beat_s=0.02)

    app.add_api_route("/api/endless", stream, response_class=Response)
    return app


async def until_end(url, headers, change):
    """What a stream says to its end, which comes by the change."""
    async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60) as client, asyncio.timeout(60):
        async with client.stream("GET", "/api/endless") as answer:
            assert answer.status_code == 200
            pieces = answer.aiter_bytes()
            said = await anext(pieces)
            await change()
            async for piece in pieces:
                said += piece
        assert (await client.get("/api/endless")).status_code == 401
    return said.decode()


async def test_a_stream_that_is_open_ends_with_its_key(endless, store, key):
    (row,) = await store.keys.list()
    async with listening(endless) as url:
        said = await until_end(url, bearer(key), lambda: store.keys.revoke(row.id))
    assert "sign in again" in said


async def test_a_stream_that_is_open_ends_when_its_browser_signs_out(endless, store, key):
    token = cookie_in(await sign_in(browser(endless), key)).value
    async with listening(endless) as url:
        said = await until_end(url, {"cookie": f"glassloop={token}"}, lambda: store.sign_ins.end(token))
    assert "sign in again" in said


async def test_the_audit_tells_who_signed_in_and_what_was_refused(app, store, key):
    async with browser(app) as client:
        await sign_in(client, key)
        await sign_in(client, TOKEN)
        await client.post("/api/sign-in", json={"key": "not-the-token"})
    async with client_of(app) as client:
        assert (await client.get("/api/me", headers={"admin-token": "guessed-token-0"})).status_code == 401
    noted = [(note.action, note.subject, note.by_user, note.detail) for note in reversed(await store.audit.list())]
    assert [one for one in noted if one[0] in ("signed_in", "sign_in_refused")] == [
        ("signed_in", "ann", "ann", "from 127.0.0.1"),
        ("signed_in", "admin", "admin", "from 127.0.0.1"),
        ("sign_in_refused", "sign-in", "nobody", "somebody tried to sign in, from 127.0.0.1"),
        ("sign_in_refused", "sign-in", "nobody", "a wrong admin token came, from 127.0.0.1"),
    ]


async def test_whoever_guesses_from_many_addresses_does_not_push_other_deeds_out_of_the_audit(app, store, key):
    for number in range(3 * REFUSALS_NOTED_A_MINUTE):
        async with browser(app, peer=f"10.0.0.{number}") as client:
            assert (await client.post("/api/sign-in", json={"key": "a-guess"})).status_code == 401
    refused = await store.audit.list(limit=100, action="sign_in_refused")
    assert REFUSALS_NOTED_A_MINUTE <= len(refused) < 2 * REFUSALS_NOTED_A_MINUTE
