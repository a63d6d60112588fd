"""Under which name a server answers, to which pages, and what every answer tells browsers."""

import pytest

from server.authenticated import HERE, OTHER_PAGE, bearer, behind, told


@pytest.mark.parametrize("name", ["evil.example", "127.0.0.1.nip.example:8000", "localhost.evil.example", "10.0.0.1"])
async def test_a_name_that_somebody_else_answers_for_is_refused(door, name):
    for path in ("/api/who", "/", "/livez", "/assets/page.js"):
        told(await door().get(path, headers={"host": name}), 403, name.partition(":")[0], "GLASSLOOP_ALLOWED_HOSTS")


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", "127.0.0.2", "[::1]:8000"])
async def test_names_of_this_machine_are_fine(door, name):
    assert (await door().get("/api/who", headers={"host": name})).status_code == 200


@pytest.mark.parametrize("name", ["", "[::1", "a b", "a@b", "a/b", "x" * 300, "127.0.0.1:999999"])
@pytest.mark.parametrize("mode", ["local", "keys"])
async def test_what_is_no_name_of_a_server_is_refused_in_every_mode(door, name, mode):
    told(await door(auth=mode).get("/api/who", headers={"host": name}), 403, "host")


@pytest.mark.parametrize("origin", [OTHER_PAGE, "null", "http://127.0.0.1:9000", "http://localhost:8000", ""])
async def test_another_page_may_not_call(door, origin):
    for method in ("GET", "POST", "PUT", "DELETE"):
        told(await door().request(method, "/api/who", headers={"origin": origin}), 403, "GLASSLOOP_ALLOWED_ORIGINS")


async def test_our_own_page_may_call(door):
    for headers in ({"origin": HERE}, {"origin": HERE, "sec-fetch-site": "same-origin"}, {"sec-fetch-site": "none"}):
        assert (await door().post("/api/who", headers=headers)).status_code == 200


async def test_what_another_page_loads_as_a_picture_or_follows_as_a_link_is_refused(door):
    for site in ("cross-site", "same-site"):
        told(await door().get("/api/who", headers={"sec-fetch-site": site}), 403, "open the address directly")
        for page in ("/", "/docs"):
            assert (await door().get(page, headers={"sec-fetch-site": site})).status_code == 200


async def test_a_name_in_the_settings_is_answered_to(door):
    client = door(allowed_hosts="chat.example.org, other.example.org")
    for name in ("chat.example.org", "Other.example.org:8443", "127.0.0.1:8000"):
        assert (await client.get("/api/who", headers={"host": name})).status_code == 200
    told(await client.get("/api/who", headers={"host": "evil.example"}), 403)


async def test_with_a_key_it_does_not_matter_from_which_page(door, key):
    client = door(auth="keys", headers=bearer(key))
    assert (await client.post("/api/who", headers={"origin": OTHER_PAGE})).status_code == 200
    assert (await client.post("/api/who", headers={"host": "any.example"})).status_code == 200


async def test_names_in_the_settings_are_all_there_are_but_probes_come_by_address(door, key):
    client = door(auth="keys", headers=bearer(key), allowed_hosts="chat.example.org")
    assert (await client.get("/api/who", headers={"host": "chat.example.org"})).status_code == 200
    told(await client.get("/api/who", headers={"host": "127.0.0.1"}), 403)
    assert (await client.get("/livez", headers={"host": "10.1.2.3:8000"})).status_code == 200


async def test_behind_a_proxy_that_keeps_people_signed_in_another_page_may_not_call(door):
    client = behind(door, headers={"x-proxy-secret": "known-to-both-of-us", "x-user-id": "ann"})
    told(await client.post("/api/who", headers={"origin": OTHER_PAGE}), 403)
    assert (await client.post("/api/who", headers={"origin": HERE})).status_code == 200


async def test_a_page_in_the_settings_may_call_and_read_the_answer_but_without_cookies(door):
    client = door(allowed_origins=f"{OTHER_PAGE}/, https://third.example")
    answer = await client.post("/api/who", headers={"origin": OTHER_PAGE, "sec-fetch-site": "cross-site"})
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == OTHER_PAGE
    assert answer.headers["vary"] == "Origin"
    assert "access-control-allow-credentials" not in answer.headers
    refused = await client.post("/api/who", headers={"origin": "https://fourth.example"})
    assert refused.status_code == 403
    assert "access-control-allow-origin" not in refused.headers


async def test_a_browser_that_asks_what_such_a_page_may_send_is_told(door):
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "authorization,x-stainless-os"}
    client = door(auth="keys", allowed_origins=OTHER_PAGE)
    answer = await client.options("/v1/models", headers={"origin": OTHER_PAGE, **asked})
    assert answer.status_code == 204
    assert answer.headers["access-control-allow-origin"] == OTHER_PAGE
    assert answer.headers["access-control-allow-headers"] == "authorization,x-stainless-os"
    assert "POST" in answer.headers["access-control-allow-methods"]
    refused = await client.options("/v1/models", headers={"origin": "https://fourth.example", **asked})
    assert refused.status_code in (401, 403)
    assert "access-control-allow-origin" not in refused.headers
    assert (await door(auth="keys").options("/v1/models", headers={"origin": OTHER_PAGE, **asked})).status_code != 204


@pytest.mark.parametrize("path", ["/", "/livez", "/api/who", "/nonesuch", "/admin/sessions", "/api/broken"])
async def test_every_answer_tells_browsers_what_not_to_do(door, path):
    for client in (door(), door(auth="keys")):
        headers = (await client.get(path)).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert ("no-store" in headers.get("cache-control", "")) == (path != "/")
        assert "access-control-allow-origin" not in headers


async def test_what_breaks_inside_is_told_without_what_it_was(door):
    error = told(await door().get("/api/broken"), 500, "Internal server error")
    assert "secret" not in error
