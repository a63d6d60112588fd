"""Notifications to an address of a user, received by a real server: when they are sent, and what is in them."""

import asyncio
import time
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.models.scripted_model import call
from glassloop.runtime.notifications.delivery import NotDelivered, Notification, check_address, deliver
from glassloop.runtime.notifications.notifier import MAX_PER_HOUR, Notifier
from glassloop.store.tables.inbox import NotificationAddress
from server.dialect_turns import approve, scripted
from server.listening import listening

LOCAL = ("127.0.0.1",)
PAGE = "https://chat.example.org/"


class Receiver:
    """What was posted, and what is answered next."""

    def __init__(self) -> None:
        self.posted: asyncio.Queue = asyncio.Queue()
        self.statuses: list[int] = []
        self.url = ""

    async def take(self, request):
        status = self.statuses.pop(0) if self.statuses else 200
        await self.posted.put((request.url.path, await request.json()))
        if status == 302:
            return RedirectResponse("/elsewhere")
        return Response(status_code=status)

    async def next(self):
        return await asyncio.wait_for(self.posted.get(), 60)


@asynccontextmanager
async def receiving():
    receiver = Receiver()
    async with listening(Starlette(routes=[Route("/{path:path}", receiver.take, methods=["GET", "POST"])])) as url:
        receiver.url = url
        yield receiver


async def asked(client, question, **more):
    return (await client.post("/api/turns", json={"question": question, **more})).json()


async def away(served, receiver, form="json", **more):
    """An address of the user, who has looked at no page for long."""
    body = {"url": f"{receiver.url}/hook", "format": form, "page": PAGE, **more}
    assert (await served.client.put("/api/notifications", json=body)).status_code == 200
    user = (await served.client.get("/api/me")).json()["user"]
    await served.runtime.store.notifications.mark_seen(user, 0.0)


async def test_an_approval_and_an_answer_are_told_with_title_and_link_and_nothing_that_was_said(serve, settings):
    given = settings(request_rate=0, notify_domains="127.0.0.1", titles=False)
    script = [call("write", text="secret words"), "The secret answer."]
    _, served = await scripted(serve, script, settings=given)
    async with receiving() as receiver:
        await away(served, receiver)
        taken = await asked(served.client, "Write it down")
        path, told = await receiver.next()
        assert path == "/hook"
        assert told == {
            "event": "approval_requested",
            "message": "Waiting for your approval",
            "title": "Write it down",
            "link": f"{PAGE}#/s/{taken['session_id']}/{taken['turn_id']}",
            "session_id": taken["session_id"],
            "turn_id": taken["turn_id"],
            "details": "",
        }
        waits = (await served.client.get(f"/api/turns/{taken['turn_id']}")).json()
        await approve(served.client, {**waits, "turn_id": taken["turn_id"]})
        _, told = await receiver.next()
        assert (told["event"], told["details"]) == ("turn_completed", "")
        assert "secret" not in str(told)


async def test_ntfy_gets_a_topic_and_details_only_where_they_were_chosen(serve, settings):
    given = settings(request_rate=0, notify_domains="127.0.0.1", titles=False)
    _, served = await scripted(serve, ["All 12 are there."], settings=given)
    async with receiving() as receiver:
        await away(served, receiver, "ntfy", details=True)
        await asked(served.client, "How many?")
        path, told = await receiver.next()
        assert path == "/"
        assert (told["topic"], told["title"]) == ("hook", "Your answer is ready")
        assert told["message"] == "How many?\nAll 12 are there."
        assert told["click"].startswith(PAGE)


async def test_a_test_is_sent_at_once_and_says_why_it_was_not_taken(serve, settings):
    served = await serve(settings(request_rate=0, notify_domains="127.0.0.1"))
    async with receiving() as receiver:
        assert (await served.client.post("/api/notifications/test")).status_code == 400
        await served.client.put("/api/notifications", json={"url": f"{receiver.url}/hook", "format": "json"})
        assert (await served.client.post("/api/notifications/test")).json() == {"done": True}
        assert (await receiver.next())[1]["event"] == "test"
        receiver.statuses = [404]
        refused = await served.client.post("/api/notifications/test")
        assert (refused.status_code, "answered 404" in refused.text) == (400, True)
        assert "404" in (await served.client.get("/api/notifications")).json()["problem"]
        assert (await served.client.delete("/api/notifications")).json() == {"done": True}
        state = (await served.client.get("/api/notifications")).json()
        assert (state["url"], state["domains"]) == ("", ["127.0.0.1"])


async def test_nobody_can_be_notified_where_the_operator_allows_nothing(serve, settings):
    served = await serve(settings(request_rate=0))
    answer = await served.client.put("/api/notifications", json={"url": "https://ntfy.sh/mine"})
    assert answer.status_code == 400
    assert "GLASSLOOP_NOTIFY_DOMAINS" in answer.text


@pytest.mark.parametrize(
    "url",
    [
        "http://ntfy.sh/mine",
        "https://evil.example/mine",
        "https://ntfy.sh@evil.example/x",
        "https://user:word@ntfy.sh/x",
        "ftp://ntfy.sh/x",
        "https://ntfy.sh.evil.example/x",
        "https:///x",
        "https://[::1",
        "http://localhost/x",
        "https://ntfy.sh/" + "x" * 600,
    ],
)
def test_only_https_addresses_of_allowed_domains_are_taken(url):
    assert check_address("https://ntfy.sh/mine", ("ntfy.sh",))
    with pytest.raises(UsageError):
        check_address(url, ("ntfy.sh",))


def address_of(receiver, **more):
    made = {"user_id": "ann", "url": f"{receiver.url}/hook", "format": "json", "details": False, "page": PAGE}
    return NotificationAddress(**{**made, "seen_at": 0.0, **more})


NOTE = Notification(event="turn_completed", title="A title", link=PAGE)


async def test_a_domain_that_only_matches_a_pattern_must_have_a_public_address():
    async def inside(_host, _port):
        return ["10.0.0.7"]

    address = NotificationAddress(
        user_id="ann", url="https://hooks.example.org/x", format="json", details=False, page="", seen_at=0.0
    )
    with pytest.raises(NotDelivered, match="no public address"):
        await deliver(address, NOTE, ("*.example.org",), resolver=inside)


async def test_no_redirect_is_followed():
    async with receiving() as receiver:
        receiver.statuses = [302]
        with pytest.raises(NotDelivered, match="answered 30"):
            await deliver(address_of(receiver), NOTE, LOCAL)
        assert receiver.posted.qsize() == 1


def started(turn="t1", user="ann"):
    return e.TurnStarted(
        turn_id=turn, seq=1, at=0.0, session_id="s1", user=user, question="Q?", assistant="general", model="m",
        protocol="native", settings={"in_session": True},
    )  # fmt: skip


def finished(turn="t1"):
    return e.TurnFinished(
        turn_id=turn, seq=2, at=1.0, status="completed", iterations=1, tool_calls=0, input_tokens=0, output_tokens=0,
        cost=None, unpriced_calls=0, seconds=1.0,
    )  # fmt: skip


@asynccontextmanager
async def notifying(store, receiver, **options):
    notifier = Notifier(store, LOCAL, time.time, **options)
    await store.notifications.set("ann", f"{receiver.url}/hook", "json", details=False, page=PAGE)
    try:
        yield notifier
    finally:
        await notifier.aclose()


def over(notifier, turn="t1"):
    notifier.begin([started(turn)], ())
    notifier.see(finished(turn))
    notifier.end(turn)


async def test_whoever_looks_at_a_page_is_not_notified_and_whoever_left_it_is(store):
    async with receiving() as receiver, notifying(store, receiver, seen_s=1.0) as notifier:
        over(notifier)
        (telling,) = notifier.waiting
        while not telling.done():
            await store.notifications.mark_seen("ann", time.time())
            await asyncio.sleep(0.05)
        assert receiver.posted.empty()
        over(notifier, "t2")
        assert (await receiver.next())[1]["turn_id"] == "t2"


async def test_what_is_not_taken_is_tried_again_a_few_times_and_not_where_that_is_no_use(store):
    async with receiving() as receiver, notifying(store, receiver, seen_s=0.0, pauses_s=(0.0, 0.0)) as notifier:
        receiver.statuses = [503, 500, 200, 403]
        over(notifier)
        for _ in range(3):
            await receiver.next()
        over(notifier, "t2")
        assert (await receiver.next())[1]["turn_id"] == "t2"
        await asyncio.wait(notifier.waiting, timeout=60)
        assert receiver.posted.empty()
        found = await store.notifications.of_user("ann")
        assert found.problem == "The receiver answered 403."


async def test_a_user_gets_so_many_an_hour_and_those_without_an_address_none(store):
    async with receiving() as receiver, notifying(store, receiver, seen_s=0.0) as notifier:
        for number in range(MAX_PER_HOUR + 3):
            over(notifier, f"t{number}")
        notifier.begin([started("b1", user="bob")], ())
        notifier.see(finished("b1"))
        await asyncio.wait(notifier.waiting, timeout=60)
        assert receiver.posted.qsize() == MAX_PER_HOUR


async def test_the_address_goes_with_its_user(store):
    await store.users.add("ann")
    await store.notifications.set("ann", "https://ntfy.sh/mine", "ntfy", details=False, page="")
    await store.users.remove("ann")
    assert await store.notifications.of_user("ann") is None
    await store.notifications.set("ben", "https://ntfy.sh/mine", "ntfy", details=False, page="")
    await store.maintenance.delete_user("ben")
    assert await store.notifications.of_user("ben") is None
