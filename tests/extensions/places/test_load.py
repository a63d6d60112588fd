"""Fifty users at once: how long each waits for an answer, over JSON, server-sent events and sockets."""

import asyncio
import json
import time
from collections import Counter

import httpx
import pytest
from websockets.asyncio.client import connect

from extensions.places.load_server import load_server
from extensions.places.made_places import make_data_set
from glassloop.store import open_store
from server.authenticated import bearer

USERS, ROUNDS = 50, 4
WAIT_S = 2.0
LIMIT_S = 300.0
QUESTIONS = ("Find coffee shops in Peach", "Find coffee shops in Harbor", "Find gyms in Peach", "Find malls in Harbor")


class Client:
    """One user with a conversation of their own; `waits` are seconds to each whole answer, `found` what came."""

    def __init__(self, http, key, way, waits, found):
        self.http, self.headers, self.way, self.waits, self.found = http, bearer(key), way, waits, found

    async def run(self):
        made = await self.http.post("/conversations", headers=self.headers)
        self.found[made.status_code] += 1
        path = f"/conversations/{made.json()['id']}"
        if self.way == "socket":
            await self._socket(path)
            return
        accept = {"accept": "text/event-stream"} if self.way == "stream" else {}
        for question in QUESTIONS[:ROUNDS]:
            began = time.perf_counter()
            said, headers = {"content": question}, {**self.headers, **accept}
            answer = await self.http.post(f"{path}/messages", json=said, headers=headers)
            self.waits.append(time.perf_counter() - began)
            self.found[answer.status_code] += 1
            whole = "event: assistant_message" if accept else '"assistant_message"'
            assert whole in answer.text, answer.text[:500]

    async def _socket(self, path):
        url = str(self.http.base_url.join(f"{path}/ws")).replace("http", "ws", 1)
        async with connect(url, additional_headers=self.headers, proxy=None) as socket:
            for question in QUESTIONS[:ROUNDS]:
                began = time.perf_counter()
                await socket.send(json.dumps({"type": "message", "content": question}))
                while (told := json.loads(await socket.recv()))["type"] != "assistant_message":
                    assert told["type"] != "error", told
                self.waits.append(time.perf_counter() - began)
                self.found[200] += 1


@pytest.mark.slow
async def test_fifty_users_at_once_wait_less_than_two_seconds(tmp_path):
    make_data_set(tmp_path)
    async with await open_store(str(tmp_path / "glassloop.db")) as store:
        keys = []
        for number in range(USERS):
            await store.users.add(f"user {number}")
            keys.append((await store.keys.create(f"user {number}"))[0])
    waits, found = [], Counter()
    ways = ("json", "stream", "socket")
    # One for all users: making one takes as long as an answer.
    everybody = {"timeout": LIMIT_S, "limits": httpx.Limits(max_connections=USERS)}
    with load_server(tmp_path) as url:
        async with httpx.AsyncClient(base_url=url, **everybody) as http:
            # The first question loads what all others share.
            await Client(http, keys[0], "json", [], Counter()).run()
            async with asyncio.timeout(LIMIT_S), asyncio.TaskGroup() as group:
                for number, key in enumerate(keys):
                    group.create_task(Client(http, key, ways[number % 3], waits, found).run())
    waits.sort()
    p50, p95 = (waits[int(len(waits) * share)] for share in (0.5, 0.95))
    told = f"p50 {p50:.2f} s, p95 {p95:.2f} s, longest {waits[-1]:.2f} s; {dict(found)}"
    print(f"{len(waits)} answers to {USERS} users: {told}")
    assert len(waits) == USERS * ROUNDS
    assert not [status for status in found if status >= 400], found
    assert p95 < WAIT_S
