"""A conversation over a WebSocket, with a real server and the client of `websockets`."""

import asyncio
import base64
import json
import os
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from glassloop import ScriptedModel, tool
from glassloop.core.messages import TextChunk
from glassloop.models.scripted_model import call
from server.authenticated import HERE, OTHER_PAGE, bearer
from server.dialect_turns import FAILS, LOOKED, WAITS, approve, look, write
from server.listening import listening
from waiting import until

HI = {"type": "message", "content": "Hi", "assistant": "general"}


@asynccontextmanager
async def talking(served, headers=None, path=None, after="", **options):
    """A socket of a new conversation, or of this one: says things, and gives what comes."""
    made = path or f"/conversations/{(await served.client.post('/conversations', headers=headers)).json()['id']}"
    url = served.url.replace("http://", "ws://") + f"{made}/ws{f'?after={after}' if after else ''}"
    async with connect(url, additional_headers=headers, proxy=None, **options) as socket:
        socket.path = made

        async def say(value):
            await socket.send(value if isinstance(value, str | bytes) else json.dumps(value))

        async def told(*names):
            """What comes, up to an event of these names."""
            found = []
            async with asyncio.timeout(60):
                while not found or found[-1]["type"] not in names:
                    found.append(json.loads(await socket.recv()))
            return found

        socket.say, socket.told = say, told
        yield socket


def said(event):
    """An event without what a client goes on from."""
    return {name: value for name, value in event.items() if name != "event_id"}


async def closed(socket):
    """Why the server closed it."""
    with pytest.raises(ConnectionClosed) as ended:
        async with asyncio.timeout(60):
            while True:
                await socket.recv()
    return ended.value.rcvd.code, ended.value.rcvd.reason


class Endless(ScriptedModel):
    """Begins to answer, and never ends."""

    async def stream(self, request):
        yield TextChunk("Once upon a time. " * 30)
        await asyncio.Event().wait()


async def test_a_message_is_followed_to_its_answer(serve):
    served = await serve(script=[*LOOKED, "Bye."], tools=[look])
    async with talking(served) as socket:
        await socket.say({**HI, "content": "The cat?"})
        found = await socket.told("assistant_message")
        assert [one["type"] for one in found] == [
            "user_message", "tool_use", "tool_result", "token", "assistant_message",
        ]  # fmt: skip
        asked, used, result, _, given = found
        assert (asked["content"], asked["role"], asked["metadata"]) == ("The cat?", "user", None)
        assert (used["name"], used["input"]) == ("look", {"word": "cat"})
        assert (result["tool_use_id"], result["content"], result["is_error"]) == (used["id"], "cat is 42", False)
        assert given["metadata"]["tool_interactions"] == [said(used), said(result)]
        kept = (await served.client.get(f"{socket.path}/messages")).json()
        shown = [{"type": one["type"], **message} for one, message in zip((asked, given), kept, strict=True)]
        assert shown == [said(asked), said(given)]
        await socket.say(HI)
        assert (await socket.told("assistant_message"))[-1]["content"] == "Bye."


async def test_a_turn_can_be_cancelled_and_another_one_asked(serve):
    served = await serve(script=Endless([]))
    async with talking(served) as socket:
        await socket.say({"type": "cancel"})
        assert "nothing to cancel" in (await socket.told("error"))[-1]["error"]
        await socket.say(HI)
        await socket.told("token")
        await socket.say(HI)
        refused = (await socket.told("error"))[-1]
        assert (refused["details"]["status"], refused["success"]) == (409, False)
        await socket.say({"type": "cancel"})
        given = (await socket.told("assistant_message"))[-1]
        assert given["metadata"]["stop_reason"] == "cancelled"
        await socket.say(HI)
        assert (await socket.told("user_message"))[-1]["content"] == "Hi"


async def test_a_failure_is_one_error_and_the_socket_goes_on(serve):
    served = await serve(script=[*FAILS, "Now."])
    async with talking(served) as socket:
        await socket.say(HI)
        assert [one["type"] for one in await socket.told("error")] == ["user_message", "error"]
        await socket.say(HI)
        assert (await socket.told("assistant_message"))[-1]["content"] == "Now."


async def test_a_turn_that_waits_for_a_person_goes_on_over_the_same_socket(serve):
    served = await serve(script=WAITS, tools=[write])
    async with talking(served) as socket:
        await socket.say(HI)
        waits = (await socket.told("assistant_message"))[-1]
        assert waits["metadata"]["stop_reason"] == "awaiting_approval"
        turn_id = waits["metadata"]["turn_id"]
        await approve(served.client, (await served.client.get(f"/api/turns/{turn_id}")).json() | {"turn_id": turn_id})
        given = (await socket.told("assistant_message"))[-1]
        assert (given["content"], given["metadata"]["stop_reason"]) == ("Written.", "end_turn")


async def test_a_socket_that_was_lost_finds_its_turn_again(serve):
    gate = asyncio.Event()

    @tool(effect="read")
    async def wait() -> str:
        """Wait."""
        await gate.wait()
        return "waited"

    served = await serve(script=[call("wait"), "Done."], tools=[wait])
    async with talking(served) as socket:
        await socket.say(HI)
        await socket.told("tool_use")
    async with talking(served, path=socket.path) as again:
        assert [one["type"] for one in await again.told("tool_use")] == ["user_message", "tool_use"]
        gate.set()
        assert (await again.told("assistant_message"))[-1]["content"] == "Done."


async def test_a_socket_goes_on_from_an_event_of_a_turn_that_runs_or_is_over(serve):
    gate = asyncio.Event()

    @tool(effect="read")
    async def wait() -> str:
        """Wait."""
        await gate.wait()
        return "waited"

    served = await serve(script=[call("wait"), "Done.", "Other."], tools=[wait])
    async with talking(served) as socket:
        await socket.say(HI)
        asked, used = await socket.told("tool_use")
    async with talking(served, path=socket.path, after=asked["event_id"]) as again:
        assert await again.told("tool_use") == [used]
        gate.set()
        result, *_, given = await again.told("assistant_message")
        assert (result["type"], given["content"]) == ("tool_result", "Done.")
        await again.say(HI)
        assert (await again.told("assistant_message"))[-1]["content"] == "Other."
    # The first turn is long over: its rest is told, and nothing of the second, which the client did not name.
    async with talking(served, path=socket.path, after=result["event_id"]) as later:
        assert [one for one in await later.told("assistant_message") if one["type"] != "token"] == [given]
        await later.say({"type": "cancel"})
        assert [one["type"] for one in await later.told("error")] == ["error"]


async def test_a_socket_goes_on_from_no_event_of_another_conversation_or_user(serve, settings):
    served = await serve(settings(auth="keys", request_rate=0), ["Yes."])
    keys = {}
    for user in ("ann", "bob"):
        await served.runtime.store.users.add(user)
        keys[user] = bearer((await served.runtime.store.keys.create(user))[0])
    async with talking(served, keys["ann"]) as socket:
        await socket.say(HI)
        event = (await socket.told("assistant_message"))[-1]["event_id"]
    paths = {
        user: f"/conversations/{(await served.client.post('/conversations', headers=key)).json()['id']}/ws"
        for user, key in keys.items()
    }
    status, words = await refused_with(served, f"{paths['ann']}?after={event}", keys["ann"])
    assert (status, "another conversation" in words) == (400, True)
    assert (await refused_with(served, f"{paths['bob']}?after={event}", keys["bob"]))[0] == 404
    for odd in ("none", f"{event}x", "%00", "x" * 2_000):
        assert (await refused_with(served, f"{paths['ann']}?after={odd}", keys["ann"]))[0] in (400, 404)


async def with_key(served, user):
    await served.runtime.store.users.add(user)
    key, row = await served.runtime.store.keys.create(user)
    return bearer(key), row


async def test_a_revoked_key_says_nothing_more_over_an_open_socket(serve, settings):
    served = await serve(settings(auth="keys", request_rate=0), ["Yes."])
    ann, row = await with_key(served, "ann")
    async with talking(served, ann) as socket:
        await served.runtime.store.keys.revoke(row.id)
        await socket.say(HI)
        code, reason = await closed(socket)
        assert (code, "sign in again" in reason) == (1008, True)
    assert not await served.runtime.store.turns.ids(socket.path.rpartition("/")[2])


@pytest.mark.slow
async def test_a_revoked_key_closes_a_socket_that_says_nothing(serve, settings):
    served = await serve(settings(auth="keys", request_rate=0), ["Yes."])
    ann, row = await with_key(served, "ann")
    async with talking(served, ann) as socket:
        await served.runtime.store.keys.revoke(row.id)
        assert (await closed(socket))[0] == 1008


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ("no json", "JSON"),
        ("[" * 200, "nested"),
        ("[1]", "neither"),
        ({"type": "shout"}, "neither"),
        ({"type": "message"}, "content"),
        ({**HI, "content": " "}, "content"),
        ({**HI, "odd": 1}, "odd"),
        ({**HI, "assistant": "generl"}, "generl"),
    ],
)
async def test_what_is_no_message_is_told_and_nothing_is_kept(serve, sent, words):
    served = await serve(script=["Yes."])
    async with talking(served) as socket:
        await socket.say(sent)
        (error,) = await socket.told("error")
        assert words in error["error"]
        assert (await served.client.get(f"{socket.path}/messages")).json() == []


async def test_what_is_too_long_or_no_text_closes_the_socket_with_a_reason(serve):
    served = await serve(script=["Yes."])
    async with talking(served) as socket:
        await socket.say({**HI, "content": "x" * 65_536})
        code, reason = await closed(socket)
        assert (code, "65,536" in reason) == (1009, True)
    async with talking(served) as socket:
        await socket.say({**HI, "content": "x" * 200_000})
        assert (await closed(socket))[0] == 1009
    async with talking(served) as socket:
        await socket.say(b"bytes")
        assert (await closed(socket))[0] == 1003


async def test_too_many_messages_a_minute_are_refused_and_floods_are_closed(serve, settings):
    served = await serve(settings(session_rate=0, request_rate=0), ["Yes."] * 20)
    async with talking(served) as socket:
        for _ in range(10):
            await socket.say(HI)
            await socket.told("assistant_message")
        await socket.say(HI)
        refused = (await socket.told("error"))[-1]
        assert refused["details"]["status"] == 429
    async with talking(served) as socket:
        for _ in range(61):
            await socket.say({"type": "cancel"})
        code, reason = await closed(socket)
        assert (code, "60 messages a minute" in reason) == (1008, True)


async def refused_with(served, path, headers=None, **options):
    """The status of a handshake that is refused, and what it says."""
    url = served.url.replace("http://", "ws://") + path
    with pytest.raises(InvalidStatus) as refused:
        async with connect(url, additional_headers=headers, proxy=None, **options):
            pass
    body = json.loads(refused.value.response.body)
    assert body["success"] is False
    return refused.value.response.status_code, body["error"]


async def test_a_handshake_is_admitted_as_everything_is(serve, settings):
    served = await serve(settings(auth="keys", request_rate=0), ["Yes."])
    keys = {}
    for user in ("ann", "bob"):
        await served.runtime.store.users.add(user)
        keys[user] = bearer((await served.runtime.store.keys.create(user))[0])
    made = (await served.client.post("/conversations", headers=keys["ann"])).json()["id"]
    path = f"/conversations/{made}/ws"
    assert (await refused_with(served, path))[0] == 401
    assert (await refused_with(served, path, bearer("glk_wrong_key")))[0] == 401
    assert (await refused_with(served, path, keys["bob"]))[0] == 404
    assert (await refused_with(served, "/conversations/none/ws", keys["ann"]))[0] == 404
    status, words = await refused_with(served, path, keys["ann"], origin=OTHER_PAGE)
    assert (status, "GLASSLOOP_ALLOWED_ORIGINS" in words) == (403, True)
    async with talking(served, keys["ann"], path.removesuffix("/ws"), origin=served.url) as socket:
        await socket.say(HI)
        assert (await socket.told("assistant_message"))[-1]["content"] == "Yes."


async def test_another_page_cannot_open_a_socket_in_local_mode(serve):
    served = await serve(script=["Yes."])
    made = (await served.client.post("/conversations")).json()["id"]
    assert (await refused_with(served, f"/conversations/{made}/ws", origin=OTHER_PAGE))[0] == 403
    assert (await refused_with(served, f"/conversations/{made}/ws", origin=HERE))[0] == 403


async def test_a_cookie_opens_a_socket_for_our_own_page_only(serve, settings):
    served = await serve(settings(auth="keys", request_rate=0), ["Yes."])
    await served.runtime.store.users.add("ann")
    key, _ = await served.runtime.store.keys.create("ann")
    signed = await served.client.post("/api/sign-in", json={"key": key}, headers={"origin": served.url})
    cookie = {"cookie": f"glassloop={signed.cookies['glassloop']}"}
    made = (await served.client.post("/conversations", headers=bearer(key))).json()["id"]
    path = f"/conversations/{made}/ws"
    assert (await refused_with(served, path, cookie))[0] == 403
    assert (await refused_with(served, path, cookie, origin=OTHER_PAGE))[0] == 403
    async with talking(served, cookie, path.removesuffix("/ws"), origin=served.url) as socket:
        await socket.say(HI)
        assert (await socket.told("assistant_message"))[-1]["content"] == "Yes."


async def test_sockets_count_among_requests_and_connections(serve, settings):
    limited = await serve(settings(auth="keys", request_rate=3), ["Yes."])
    await limited.runtime.store.users.add("ann")
    ann = bearer((await limited.runtime.store.keys.create("ann"))[0])
    made = (await limited.client.post("/conversations", headers=ann)).json()["id"]
    path = f"/conversations/{made}"
    async with talking(limited, ann, path), talking(limited, ann, path):
        assert (await refused_with(limited, f"{path}/ws", ann))[0] == 429


async def test_one_user_cannot_take_all_connections_with_sockets(serve, settings):
    served = await serve(settings(auth="keys", request_rate=0, max_connections=10), ["Yes."])
    await served.runtime.store.users.add("ann")
    ann = bearer((await served.runtime.store.keys.create("ann"))[0])
    path = f"/conversations/{(await served.client.post('/conversations', headers=ann)).json()['id']}"
    async with AsyncExitStack() as stack:
        first, *_ = [await stack.enter_async_context(talking(served, ann, path)) for _ in range(10)]
        status, words = await refused_with(served, f"{path}/ws", ann)
        assert (status, "10 open requests and streams" in words) == (429, True)
        await first.close()

        async def has_room():
            try:
                async with talking(served, ann, path):
                    return True
            except InvalidStatus:
                return False

        await until(has_room, "a place for another socket")


async def raw_socket(url, path):
    """A handshake by hand: whoever has it answers no ping."""
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    key = base64.b64encode(os.urandom(16)).decode()
    head = f"GET {path} HTTP/1.1\r\nhost: {host}:{port}\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
    writer.write(f"{head}sec-websocket-key: {key}\r\nsec-websocket-version: 13\r\n\r\n".encode())
    return reader, writer


async def test_a_socket_whose_other_end_is_gone_is_found_by_pings_and_closed(serve):
    served = await serve(script=["Yes."])
    made = (await served.client.post("/conversations")).json()["id"]
    async with listening(served.app, ws_ping_interval=0.05, ws_ping_timeout=0.05) as url:
        reader, writer = await raw_socket(url, f"/conversations/{made}/ws")
        assert b"101" in await reader.readuntil(b"\r\n\r\n")
        async with asyncio.timeout(60):
            rest = await reader.read()
        assert rest[:1] == b"\x89" and b"keepalive ping timeout" in rest
        writer.close()


async def test_no_more_sockets_are_opened_than_there_are_connections(serve):
    served = await serve(script=["Yes."])
    made = (await served.client.post("/conversations")).json()["id"]
    async with listening(served.app, limit_concurrency=2) as url:
        first = await raw_socket(url, f"/conversations/{made}/ws")
        assert b"101" in await first[0].readuntil(b"\r\n\r\n")
        second = await raw_socket(url, f"/conversations/{made}/ws")
        assert b"503" in await second[0].readuntil(b"\r\n\r\n")
        for _, writer in (first, second):
            writer.close()
