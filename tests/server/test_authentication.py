"""Who is let in, as whom, and who is not: by mode, by key, by the proxy's word, by the admin token."""

import re

import pytest

from glassloop.core.errors import UsageError
from glassloop.runtime.stores import open_settings_store
from glassloop.server.auth import authentication
from glassloop.server.auth.authentication import Authenticator
from glassloop.server.auth.startup import check_binding, ensure_admin_token
from glassloop.store import open_store
from server.authenticated import HERE, OTHER_PAGE, TOKEN, bearer, behind, client_of, gated, told, who

# local


async def test_on_this_machine_everybody_is_anonymous_and_nobody_an_operator(door):
    assert await who(door()) == {"user": "anonymous", "admin": False, "by_cookie": False}
    told(await door().get("/admin/sessions"), 401, "admin-token")


async def test_on_this_machine_a_name_is_a_label(door):
    assert (await who(door(), **{"x-user-id": "ann"}))["user"] == "ann"
    assert (await who(door(), **{"x-user-id": ""}))["user"] == "anonymous"
    assert (await who(door(), **{"x-user-id": "安".encode()}))["user"] == "安"


@pytest.mark.parametrize("name", ["admin", "ADMIN", "a\tb", "x" * 201, " "])
async def test_what_is_no_name_is_refused(door, name):
    told(await door().get("/api/who", headers={"x-user-id": name}), 403, "name")


async def test_a_key_that_another_client_needs_to_send_does_not_matter_on_this_machine(door):
    assert (await who(door(), **bearer("sk-anything")))["user"] == "anonymous"


@pytest.mark.parametrize("peer", ["10.0.0.7", "192.168.1.4", "2001:db8::1"])
async def test_another_machine_is_refused_in_local_mode(door, peer):
    told(await door(peer=peer).get("/api/who"), 403, peer, "GLASSLOOP_AUTH=keys")


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", None])
async def test_this_machine_has_many_addresses(door, peer):
    assert (await who(door(peer=peer)))["user"] == "anonymous"


@pytest.mark.parametrize("header", ["x-forwarded-for", "x-real-ip", "forwarded", "x-forwarded-host"])
async def test_what_comes_through_a_proxy_does_not_come_from_this_machine(door, header):
    told(await door().get("/api/who", headers={header: "10.0.0.7"}), 403, "proxy", "GLASSLOOP_AUTH")


async def test_a_header_that_is_there_twice_is_refused(door):
    for name in ("host", "x-user-id", "origin", "admin-token"):
        answer = await door().get("/api/who", headers=[(name, "127.0.0.1:8000"), (name, "evil.example")])
        told(answer, 403, f"{name!r} was sent 2 times")


# keys


async def test_the_key_is_the_user(door, key):
    for headers in (bearer(key), {"authorization": f"bearer  {key}"}, {"x-api-key": key}):
        assert await who(door(auth="keys"), **headers) == {"user": "ann", "admin": False, "by_cookie": False}


async def test_without_a_key_nobody_is_let_in_and_not_told_what_there_is(door):
    client = door(auth="keys")
    for path in ("/api/who", "/docs", "/openapi.json", "/api/me", "/nonesuch", "/admin/sessions", "/api/stream"):
        answer = await client.get(path)
        told(answer, 401, "Sign in")
        assert answer.headers["www-authenticate"] == "Bearer"
    for path in ("/", "/livez", "/assets/page.js"):
        assert (await client.get(path)).status_code == 200
    told(await client.post("/"), 401)


async def test_under_v1_it_is_told_as_other_clients_know_it(door):
    answer = await door(auth="keys").get("/v1/models", headers=bearer("glk_wrong"))
    assert answer.status_code == 401
    assert answer.json()["error"]["type"] == "authentication_error"


async def test_a_wrong_an_expired_and_a_revoked_key_let_nobody_in(settings, tmp_path):
    now = [1_700_000_000.0]
    async with await open_store(str(tmp_path / "other.db"), clock=lambda: now[0]) as store:
        client = client_of(gated(settings(auth="keys"), store))
        await store.users.add("ann")
        expiring, _ = await store.keys.create("ann", days=1)
        revoked, row = await store.keys.create("ann")
        for key in (expiring, revoked):
            assert (await who(client, **bearer(key)))["user"] == "ann"
        await store.keys.revoke(row.id)
        now[0] += 86_400
        for key in (expiring, revoked, "glk_", "", expiring[:-1], "Basic"):
            told(await client.get("/api/who", headers=bearer(key)), 401)
        told(await client.get("/api/who", headers={"authorization": f"Basic {expiring}"}), 401)


async def test_with_a_key_another_name_is_refused_and_the_same_is_fine(door, key):
    client = door(auth="keys", headers=bearer(key))
    told(await client.get("/api/who", headers={"x-user-id": "bob"}), 403, "'ann'", "'bob'", "x-user-id")
    assert (await who(client, **{"x-user-id": "ann"}))["user"] == "ann"


async def test_a_name_alone_is_nobody_with_keys(door, key):
    told(await door(auth="keys").get("/api/who", headers={"x-user-id": "ann"}), 401)


async def test_when_a_key_was_used_is_kept_once_a_minute_and_is_no_reason_to_fail(door, key, store):
    client = door(auth="keys", headers=bearer(key))
    await who(client)
    used = (await store.keys.list())[0].last_used_at
    assert used is not None
    await who(client)
    assert (await store.keys.list())[0].last_used_at == used


# proxy


async def test_whom_the_proxy_names_is_the_user(door):
    client = behind(door)
    proven = {"x-proxy-secret": "known-to-both-of-us"}
    assert (await who(client, **proven, **{"x-user-id": "ann"}))["user"] == "ann"
    for headers in ({"x-user-id": "ann"}, {"x-user-id": "ann", "x-proxy-secret": "wrong"}):
        told(await client.get("/api/who", headers=headers), 401, "proxy")
    told(await client.get("/api/who", headers=proven), 401)
    told(await client.get("/api/who", headers={**proven, "x-user-id": "admin"}), 403)


async def test_a_proxy_may_be_known_by_its_address(door):
    named = {"x-user-id": "ann"}
    for peer in ("10.1.2.3", "192.168.7.7"):
        client = behind(door, proxy_secret=None, trusted_proxies="10.0.0.0/8, 192.168.7.7", peer=peer)
        assert (await who(client, **named))["user"] == "ann"
    client = behind(door, proxy_secret=None, trusted_proxies="10.0.0.0/8", peer="192.168.7.7")
    told(await client.get("/api/who", headers=named), 401)


async def test_where_secret_and_address_are_set_both_must_be_right(door):
    named = {"x-user-id": "ann", "x-proxy-secret": "known-to-both-of-us"}
    assert (await who(behind(door, trusted_proxies="10.0.0.0/8", peer="10.0.0.1"), **named))["user"] == "ann"
    for peer, secret in (("10.0.0.1", "wrong"), ("11.0.0.1", "known-to-both-of-us")):
        client = behind(door, trusted_proxies="10.0.0.0/8", peer=peer)
        told(await client.get("/api/who", headers={**named, "x-proxy-secret": secret}), 401)


async def test_the_proxy_may_use_another_header_and_then_only_that_counts(door):
    client = behind(door, proxy_header="X-Forwarded-User", headers={"x-proxy-secret": "known-to-both-of-us"})
    assert (await who(client, **{"x-forwarded-user": "ann", "x-user-id": "bob"}))["user"] == "ann"
    told(await client.get("/api/who", headers={"x-user-id": "bob"}), 401)


def test_a_proxy_that_anybody_could_be_is_refused_at_the_start(settings):
    with pytest.raises(UsageError, match=r"GLASSLOOP_PROXY_SECRET.*GLASSLOOP_TRUSTED_PROXIES"):
        Authenticator(settings(auth="proxy"), None)


@pytest.mark.parametrize(
    "wrong",
    [
        {"trusted_proxies": "*"},
        {"trusted_proxies": "10.0.0.0/8, proxy.example"},
        {"allowed_hosts": "https://chat.example.org"},
        {"allowed_hosts": "*"},
        {"allowed_origins": "*"},
        {"allowed_origins": "chat.example.org"},
        {"allowed_origins": "https://chat.example.org/page"},
    ],
)
def test_a_setting_that_makes_no_sense_is_refused_at_the_start(settings, wrong):
    with pytest.raises(UsageError, match=f"GLASSLOOP_{next(iter(wrong)).upper()} has '.*write"):
        Authenticator(settings(**wrong), None)


# the operator


@pytest.mark.parametrize(("mode", "user"), [("local", "anonymous"), ("keys", "admin"), ("proxy", "admin")])
async def test_the_admin_token_makes_an_operator_in_every_mode(door, mode, user):
    client = door(auth=mode, proxy_secret="known-to-both-of-us")
    assert await who(client, **{"admin-token": TOKEN}) == {"user": user, "admin": True, "by_cookie": False}
    assert (await client.get("/admin/sessions", headers={"admin-token": TOKEN})).status_code == 200
    for wrong in ("", "x", TOKEN.upper(), f"{TOKEN}x"):
        told(await client.get("/admin/sessions", headers={"admin-token": wrong}), 401, "admin-token")


async def test_an_operator_with_a_key_is_both(door, key):
    assert await who(door(auth="keys"), **bearer(key), **{"admin-token": TOKEN}) == {
        "user": "ann",
        "admin": True,
        "by_cookie": False,
    }


async def test_guesses_are_slowed_down_by_address_and_never_lock_the_right_token_out(door, settings, store, key):
    app = gated(settings(auth="keys", admin_token=TOKEN), store)
    guesser, other = client_of(app, peer="10.0.0.1"), client_of(app, peer="10.0.0.2")
    for _ in range(10):
        told(await guesser.get("/api/who", headers={"admin-token": "guess"}), 401)
    answer = await guesser.get("/api/who", headers={"admin-token": "guess"})
    told(answer, 429, "try again")
    assert 1 <= int(answer.headers["retry-after"]) <= 6
    told(await guesser.post("/api/sign-in", json={"key": "guess"}), 429, "try again")
    for client in (guesser, other):
        assert (await who(client, **{"admin-token": TOKEN}))["admin"]
        for secret in (TOKEN, key):
            assert (await client.post("/api/sign-in", json={"key": secret})).status_code == 200


async def test_the_admin_token_is_made_once_told_once_and_works_after_a_restart(settings, store):
    made = await ensure_admin_token(settings(), store)
    assert re.fullmatch(r"[\w-]{43}", made)
    assert await ensure_admin_token(settings(), store) is None
    async with await open_settings_store(settings()) as later:
        assert await ensure_admin_token(settings(), later) is None
        assert (await who(client_of(gated(settings(), later)), **{"admin-token": made}))["admin"]


async def test_an_admin_token_that_is_set_is_the_only_one(settings, store):
    made = await ensure_admin_token(settings(), store)
    assert await ensure_admin_token(settings(admin_token=TOKEN), store) is None
    client = client_of(gated(settings(admin_token=TOKEN), store))
    assert (await who(client, **{"admin-token": TOKEN}))["admin"]
    told(await client.get("/api/who", headers={"admin-token": made}), 401)


async def test_where_no_admin_token_was_ever_made_nobody_is_the_operator(settings, store):
    client = client_of(gated(settings(), store))
    for guess in ("", "None", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"):
        told(await client.get("/api/who", headers={"admin-token": guess}), 401)


async def test_secrets_are_compared_in_constant_time(door, monkeypatch):
    compared = []
    real = authentication.hmac.compare_digest
    monkeypatch.setattr(authentication.hmac, "compare_digest", lambda *pair: compared.append(pair) or real(*pair))
    await door().get("/api/who", headers={"admin-token": "guess"})
    await behind(door).get("/api/who", headers={"x-user-id": "ann", "x-proxy-secret": "guess"})
    digests = {authentication.digest_of(secret) for secret in (TOKEN, "known-to-both-of-us")}
    assert digests <= {secret for pair in compared for secret in pair}
    assert all(len(secret) == 64 for pair in compared for secret in pair)


# binding


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.1.2.3"])
def test_on_loopback_no_mode_is_needed(settings, host):
    check_binding(host, settings())


@pytest.mark.parametrize(("name", "variable"), [("admin_token", "ADMIN_TOKEN"), ("proxy_secret", "PROXY_SECRET")])
@pytest.mark.parametrize("mode", ["local", "keys", "proxy"])
def test_a_secret_that_can_be_guessed_is_refused_wherever_the_server_listens(settings, store, mode, name, variable):
    given = {"trusted_proxies": "127.0.0.1", "auth": mode}
    for short in ("a", "fifteen-letters"):
        with pytest.raises(UsageError, match=f"{variable} has {len(short)} characters.*openssl rand"):
            Authenticator(settings(**given, **{name: short}), store)
    Authenticator(settings(**given, **{name: "of-sixteen-signs"}), store)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.168.1.4", "chat.example.org"])
def test_beyond_loopback_keys_or_a_proxy_are_needed(settings, host):
    with pytest.raises(UsageError, match=r"GLASSLOOP_AUTH=keys.*glassloop keys create.*127\.0\.0\.1"):
        check_binding(host, settings())
    check_binding(host, settings(auth="keys"))
    check_binding(host, settings(auth="proxy", proxy_secret="known-to-both-of-us", admin_token=TOKEN))


async def test_too_many_strangers_at_once_wait_and_those_who_are_known_do_not(settings, store, key):
    app = gated(settings(auth="keys"), store)
    strangers = app.state.authenticator.anonymous_requests
    places = [strangers.taken("10.0.0.1") for _ in range(authentication.MAX_ANONYMOUS_OF_ADDRESS)]
    for place in places:
        place.__enter__()
    answer = await client_of(app, peer="10.0.0.1").get("/")
    told(answer, 429, "try again")
    assert answer.headers["retry-after"] == "1"
    assert (await client_of(app, peer="10.0.0.2").get("/")).status_code == 200
    assert (await client_of(app, peer="10.0.0.1").get("/livez")).status_code == 200
    places.pop().__exit__(None, None, None)
    client = client_of(app, peer="10.0.0.1", **bearer(key))
    assert [(await client.get("/api/who")).status_code for _ in range(3)] == [200] * 3


async def test_behind_a_trusted_proxy_limits_count_the_client_it_tells_of(settings, store):
    app = gated(settings(auth="keys", admin_token=TOKEN, trusted_proxies="10.0.0.0/8"), store)

    async def guess(client, told_of):
        headers = {"admin-token": "guess", "x-forwarded-for": told_of}
        return (await client.get("/api/who", headers=headers)).status_code

    proxied, direct = client_of(app, peer="10.0.0.9"), client_of(app, peer="9.9.9.9")
    for forged in range(10):
        assert await guess(proxied, f"1.1.1.{forged}, 7.7.7.7:{4000 + forged}, 10.0.0.3") == 401
    assert await guess(proxied, "7.7.7.7") == 429
    assert await guess(proxied, "8.8.8.8") == 401
    for forged in range(10):
        assert await guess(direct, f"1.1.1.{forged}") == 401
    assert await guess(direct, "1.1.1.99") == 429


async def test_sockets_go_through_the_same_gate(settings, store, key):
    async def connect(app, **headers):
        sent = []

        async def receive():
            return {"type": "websocket.connect"}

        async def send(message):
            sent.append(message)

        scope = {
            "type": "websocket",
            "path": "/api/socket",
            "scheme": "ws",
            "query_string": b"",
            "client": ("127.0.0.1", 1),
            "headers": [(b"host", b"127.0.0.1:8000"), *((k.encode(), v.encode()) for k, v in headers.items())],
        }
        await app(scope, receive, send)
        return [message["type"] for message in sent], sent

    local, keyed = gated(settings(), store), gated(settings(auth="keys"), store)
    kinds, sent = await connect(local, origin=HERE)
    assert kinds == ["websocket.accept", "websocket.send", "websocket.close"]
    assert sent[1]["text"] == "anonymous"
    assert (await connect(local, origin=OTHER_PAGE))[0] == ["websocket.close"]
    assert (await connect(keyed))[0] == ["websocket.close"]
    assert (await connect(keyed, **bearer(key)))[1][1]["text"] == "ann"


async def test_when_the_store_cannot_be_asked_nobody_is_let_in_and_that_is_said(settings, tmp_path):
    store = await open_store(str(tmp_path / "gone.db"))
    app = gated(settings(auth="keys"), store)
    await store.users.add("ann")
    key, _ = await store.keys.create("ann")
    await store.aclose()
    answer = await client_of(app).get("/api/who", headers=bearer(key))
    assert answer.status_code in (500, 503)
    assert answer.json()["error_type"] == "db_error"
