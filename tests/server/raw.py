"""Bare connections: what one can do with them that no client would."""

import asyncio
import socket
import struct
from contextlib import asynccontextmanager

WAIT_S = 60.0


def port_of(url):
    return int(url.rpartition(":")[2])


def head(path, *more, method="POST", host="host: 127.0.0.1"):
    lines = [f"{method} {path} HTTP/1.1", host, *more]
    return "\r\n".join([line for line in lines if line] + ["", ""]).encode()


def post(path, body, *more):
    return head(path, "content-type: application/json", f"content-length: {len(body)}", *more) + body


class Raw:
    """A connection, byte by byte."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    @classmethod
    @asynccontextmanager
    async def open(cls, url, **options):
        raw = cls(*await asyncio.open_connection("127.0.0.1", port_of(url), **options))
        try:
            yield raw
        finally:
            raw.writer.close()
            try:
                await raw.writer.wait_closed()
            except OSError:
                # The other side was first.
                pass

    async def send(self, *given):
        for data in given:
            self.writer.write(data)
            await self.writer.drain()

    async def until(self, mark):
        """Everything up to that mark."""
        return await asyncio.wait_for(self.reader.readuntil(mark), WAIT_S)

    async def rest(self):
        """Everything until the other end closes."""
        try:
            return await asyncio.wait_for(self.reader.read(), WAIT_S)
        except ConnectionResetError:
            return b""

    def reset(self):
        """Gone without a word: the other end gets an error in place of an end."""
        plain = self.writer.get_extra_info("socket")
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()
