"""A client of event streams: frames as they came, and what a page makes of them."""

import json
from contextlib import asynccontextmanager
from typing import NamedTuple

import httpx


class Frame(NamedTuple):
    """One event: its bytes and what is in them. Comments are none."""

    raw: bytes
    id: str | None
    event: str
    data: str

    @property
    def json(self):
        return json.loads(self.data)


def frame_of(raw):
    fields = {}
    for line in raw.decode().split("\n"):
        name, _, value = line.partition(": ")
        if name:
            assert name not in fields, raw
            fields[name] = value
    # An id alone is no event: browsers only remember it.
    return (
        Frame(raw, fields.get("id"), fields.get("event", "message"), fields["data"]) if fields.keys() - {"id"} else None
    )


@asynccontextmanager
async def opened(client, path, *, method="GET", **options):
    """The frames of a stream, while they come."""
    async with client.stream(method, path, **options) as answer:
        assert answer.status_code == 200, await answer.aread()
        assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
        yield frames_of(answer)


async def frames_of(answer):
    rest = b""
    async for piece in answer.aiter_bytes():
        *whole, rest = (rest + piece).split(b"\n\n")
        for raw in whole:
            if (frame := frame_of(raw)) is not None:
                yield frame
    assert not rest, rest


async def read(client, path, **options):
    """A whole stream."""
    async with opened(client, path, **options) as frames:
        return [frame async for frame in frames]


def events(frames, *names):
    return [frame for frame in frames if frame.event in names]


class Follower:
    """Follows a turn over any number of connections, as a page does: goes on after the last event it has an id of."""

    def __init__(self, path):
        self.path = path
        self.durable = []
        self.texts = {}
        self.connections = 0

    @property
    def is_over(self):
        return bool(self.durable) and self.durable[-1].event == "turn_finished"

    @property
    def answer(self):
        return events(self.durable, "answer_given")[-1].json

    async def follow(self, client, most=None):
        """Reads on to the end, or until that many events came: then the connection is cut."""
        self.connections += 1
        last = {"last-event-id": self.durable[-1].id} if self.durable else {}
        count = 0
        try:
            async with opened(client, self.path, headers=last) as frames:
                async for frame in frames:
                    self._take(frame)
                    count += 1
                    if count == most:
                        return
        except httpx.TransportError:
            # The server was killed, or is not there yet.
            return

    def _take(self, frame):
        if frame.id is not None:
            self.durable.append(frame)
        elif frame.event == "text_delta":
            piece = frame.json
            text = self.texts.get(piece["block"], "")
            assert piece["offset"] <= len(text), (piece, text)
            self.texts[piece["block"]] = text[: piece["offset"]] + piece["text"]
