"""The process as its client starts and ends it; lines that are no protocol."""

import json
import signal
import subprocess

import pytest

from waiting import WAIT_S, until

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
WAIT = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "ask", "arguments": {"question": '/tool wait_at_door {"door": "raw"}', "assistant": "porter"}},
}


class Raw:
    """The server with nothing between: lines in, lines out."""

    def __init__(self, place) -> None:
        self.process = subprocess.Popen(
            place.command("mcp"),
            cwd=place.folder,
            env=place.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=place.errors,
        )

    def write(self, data: bytes) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, *messages) -> None:
        for message in messages:
            self.write(json.dumps(message).encode() + b"\n")

    def answer(self, ident):
        """The answer with this id; others before it are left out."""
        while line := self.process.stdout.readline():
            found = json.loads(line)
            if found.get("id") == ident:
                return found
        raise AssertionError("the server closed its output")

    def end(self) -> int:
        self.process.stdin.close()
        return self.process.wait(WAIT_S)


@pytest.fixture
def raw(place):
    opened = Raw(place)
    yield opened
    opened.process.kill()
    opened.process.wait(WAIT_S)
    opened.process.stdout.close()
    opened.process.stdin.close()


GARBAGE = (
    b"\n",
    b"{\n",
    b"\xff\xfe\x00\n",
    b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}\n',
    b"[" * 10_000 + b"\n",
    b"x" * 9_000_000 + b"\n",
)


@pytest.mark.slow
def test_lines_that_are_no_messages_harm_nothing(raw):
    raw.send(HELLO, READY)
    assert raw.answer(1)["result"]["serverInfo"]["name"] == "glassloop"
    for number, garbage in enumerate(GARBAGE, 10):
        raw.write(garbage)
        raw.send({"jsonrpc": "2.0", "id": number, "method": "ping"})
        assert raw.answer(number)["result"] == {}
    assert raw.end() == 0


@pytest.mark.slow
async def test_a_client_that_goes_ends_the_process_and_what_it_asked(place, raw):
    raw.send(HELLO, READY, WAIT)
    await until(lambda: place.at_door("raw"), "the question")
    assert raw.end() == 0
    assert await place.statuses("raw") == ["cancelled"]


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
async def test_a_signal_ends_the_process_and_what_was_asked(place, raw, number):
    raw.send(HELLO, READY, WAIT)
    await until(lambda: place.at_door("raw"), "the question")
    raw.process.send_signal(number)
    assert raw.process.wait(WAIT_S) == 0
    assert await place.statuses("raw") == ["cancelled"]


def test_a_name_that_cannot_be_a_users_is_refused_before_anything_is_served(place):
    done = subprocess.run(
        place.command("mcp", "--user", " "),
        cwd=place.folder,
        env=place.environment,
        capture_output=True,
        timeout=WAIT_S,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"cannot be a user's" in done.stderr
