"""The examples of docs/extending.md do what they say, as they are printed; the last one is in `test_extension`."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from glassloop import Agent, Approval, ScriptedModel, tool
from glassloop.core import events as e
from glassloop.runtime.replay.replay import replay
from project.shell import Shell, files, missing, sections, typed

PAGE = Path(__file__).resolve().parents[2] / "docs" / "extending.md"
SECTIONS = sections(PAGE.read_text("utf-8"))
LONGEST = 55


class HouseServer(ThreadingHTTPServer):
    """The service of the provider's example: away at first, then it decides to calculate, then it answers."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _House)
        self.asked: list[Any] = []
        decided = {"reasoning": "A sum.", "action": "tool", "tool": "calculate", "args": {"expression": "18% of 2,450"}}
        self.replies = [decided, {"reasoning": "It is there.", "action": "answer", "response": "It is 441."}]


class _House(BaseHTTPRequestHandler):
    server: HouseServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append(body["messages"])
        number = len(self.server.asked)
        self.send_response(503 if number == 1 else 200)
        self.end_headers()
        if number > 1:
            text = json.dumps(self.server.replies[number - 2])
            pieces = [{"text": text[:20]}, {"text": text[20:]}, {"tokens": [100, 20]}]
            self.wfile.write("\n".join(map(json.dumps, pieces)).encode())

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def house() -> Iterator[HouseServer]:
    server = HouseServer()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def play(shell: Shell, title: str) -> None:
    """Writes the section's files and types its commands."""
    for name, text in files(SECTIONS[title]).items():
        path = shell.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    assert typed(SECTIONS[title])
    for line, answer in typed(SECTIONS[title]):
        code, said = shell.type(line)
        assert code == 0, said
        assert not missing(answer, said), said


@pytest.mark.parametrize("title", ["A tool", "Sub-agents", "An assistant", "A plugin", "A protocol"])
def test_an_example_does_what_is_printed(shell: Shell, title: str) -> None:
    play(shell, title)


def test_the_providers_example_asks_again_decides_calls_and_answers(shell: Shell, house: HouseServer) -> None:
    shell.environment["HOUSE_MODEL"] = f"http://127.0.0.1:{house.server_port}/"
    play(shell, "A provider")
    away, first, second = house.asked
    assert away == first
    assert [role for role, _ in second] == ["system", "user", "model", "user"]
    assert "441" in second[-1][1]


def test_there_is_an_example_for_each_thing_that_can_be_added_and_none_is_long() -> None:
    things = ["A tool", "Sub-agents", "An assistant", "A plugin", "A provider", "A protocol", "An extension"]
    assert list(SECTIONS) == things
    for title, text in SECTIONS.items():
        assert files(text) or title == "An assistant"
        assert all(len(code.splitlines()) <= LONGEST for code in files(text).values()), title


async def test_a_protocol_of_ones_own_reads_a_turn_that_waited_and_is_replayed() -> None:
    names: dict[str, Any] = {}
    exec(files(SECTIONS["A protocol"])["tagged.py"].partition("good = ")[0], names)

    @tool(effect="write", confirm=True)
    async def order(sku: str) -> str:
        """Orders an item."""
        return f"{sku} is ordered"

    script = ['I order. <call tool="order">{"sku": "A-1"}</call>', "Done."]
    agent = Agent(ScriptedModel(script), [order], protocol=names["Tagged"]())
    stream = agent.stream("Order A-1.")
    asked = [event async for event in stream if isinstance(event, e.ApprovalRequested)]
    decision = Approval(call_id=asked[0].call.id, digest=asked[0].digest, approved=True)
    resumed = agent.resume(stream.events, [decision])
    assert (await resumed.drain()).response == "Done."
    assert isinstance(resumed.events[0], e.TurnStarted)
    assert resumed.events[0].protocol == "text"
    assert (await replay(resumed.events, agent)).differences == ()
