"""Servers for the tests of the models: aimock for the well-behaved part, a scripted socket for the rest.

`voice` is each provider in turn: how its model is made, and how it would write a reply on the wire.
"""

import asyncio
import json
import re
import selectors
import subprocess
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Any

import pytest
from node import find_node

from glassloop.core.messages import ModelRequest, Reply, ToolSpec, UserMessage
from glassloop.core.ports import Model
from glassloop.extensions.anthropic.model import AnthropicModel
from glassloop.extensions.google.model import GoogleModel
from glassloop.extensions.openai.model import OpenAIModel
from glassloop.extensions.openai.responses import OpenAIResponsesModel
from glassloop.models.provider_kit.http_client import HttpTimeouts
from npm import install

AIMOCK = "@copilotkit/aimock@1.43.0"
KEY = "sk-test-0123456789"


class Aimock:
    """The running server, and its control API."""

    def __init__(self, url: str) -> None:
        self.url = url

    def add(self, *fixtures: dict[str, Any]) -> None:
        self._call("POST", "/__aimock/fixtures", {"fixtures": list(fixtures)})

    def reset(self) -> None:
        self._call("POST", "/__aimock/reset", {})

    def journal(self) -> list[dict[str, Any]]:
        return self._call("GET", "/__aimock/journal", None)

    def _call(self, method: str, path: str, body: object) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())


def _listening_at(process: "subprocess.Popen[bytes]", seconds: float = 60.0) -> str:
    until = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        assert process.stdout is not None
        selector.register(process.stdout, selectors.EVENT_READ)
        while selector.select(max(until - time.monotonic(), 0)):
            line = process.stdout.readline()
            found = re.search(rb"listening on (http://[\d.:]+)", line)
            if found:
                return found.group(1).decode()
            if not line:
                break
    raise RuntimeError(f"aimock did not start within {seconds} s")


@pytest.fixture(scope="session")
def aimock_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aimock]:
    found = find_node()
    assert found is not None, "there is no Node here: install 20.19 or newer"
    node, npm = found
    program = install(npm, "aimock", [AIMOCK]) / "@copilotkit" / "aimock" / "dist" / "cli.js"
    empty = tmp_path_factory.mktemp("aimock")
    command = [node, str(program), "--port", "0", "--fixtures", str(empty)]
    # Without a buffer: in one, a line could wait that the selector does not know of.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0)
    try:
        yield Aimock(_listening_at(process))
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(timeout=30)
        if process.stdout is not None:
            process.stdout.close()


@pytest.fixture
def aimock(aimock_server: Aimock) -> Aimock:
    aimock_server.reset()
    return aimock_server


class Script:
    """What the socket does with one request: a status, headers, pieces of a body, and an `end`.

    `end`: "close" ends the body properly, "cut" drops the connection inside it, "hang" leaves it open until the
    client goes.
    """

    def __init__(
        self,
        pieces: Sequence[bytes] = (),
        *,
        status: int = 200,
        headers: dict[str, str] | None = None,
        end: str = "close",
    ) -> None:
        kind = "text/event-stream" if status == 200 else "application/json"
        self.headers = {"content-type": kind, **(headers or {})}
        self.pieces, self.status, self.end = pieces, status, end


class Wire:
    """A socket that speaks HTTP/1.1 as far as it is told to, and remembers what it was sent."""

    def __init__(self) -> None:
        self.scripts: list[Script] = []
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.connections = 0
        self.left = asyncio.Event()
        self.url = ""

    def plays(self, pieces: Sequence[bytes] = (), **how: Any) -> None:
        """Adds the answer to the next request that has none yet."""
        self.scripts.append(Script(pieces, **how))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while await self._answer(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left.set()
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
        self.headers.append(headers)
        self.bodies.append(json.loads(await reader.readexactly(int(headers.get("content-length", "0"))) or b"{}"))
        script = self.scripts.pop(0)
        lines = [f"HTTP/1.1 {script.status} X", "transfer-encoding: chunked"]
        lines += [f"{name}: {value}" for name, value in script.headers.items()]
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        for piece in script.pieces:
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            await writer.drain()
        if script.end == "close":
            writer.write(b"0\r\n\r\n")
            await writer.drain()
            return True
        if script.end == "hang":
            while await reader.read(1024):
                pass
            self.left.set()
        return False


@pytest.fixture
async def wire() -> AsyncIterator[Wire]:
    wire = Wire()
    server = await asyncio.start_server(wire.serve, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()[:2]
    wire.url = f"http://{host}:{port}"
    yield wire
    server.close()
    await server.wait_closed()


def sse(*events: object, name: bool = False) -> list[bytes]:
    made: list[bytes] = []
    for event in events:
        text = event if isinstance(event, str) else json.dumps(event)
        head = f"event: {event['type']}\n" if name and isinstance(event, dict) else ""
        made.append(f"{head}data: {text}\n\n".encode())
    return made


class AnthropicVoice:
    name, model_name, path = "anthropic", "claude-sonnet-5-5", ""

    def make(self, url: str, **options: Any) -> Model:
        return AnthropicModel(self.model_name, base_url=url, **{"api_key": KEY, **options})

    def text(self, *texts: str, stop: str = "end_turn", usage: dict[str, int] | None = None) -> list[bytes]:
        return self.frame(
            [{"type": "text", "text": ""}, *({"type": "text_delta", "text": t} for t in texts)], stop, usage
        )

    def beginning(self, *texts: str) -> list[bytes]:
        return self.text(*texts)[:-2]

    def call(
        self, arguments: str, call_id: str = "call_1", tool: str = "look_up", stop: str = "tool_use"
    ) -> list[bytes]:
        block = {"type": "tool_use", "id": call_id, "name": tool, "input": {}}
        return self.frame([block, {"type": "input_json_delta", "partial_json": arguments}], stop)

    def frame(self, parts: list[dict[str, Any]], stop: str, usage: dict[str, int] | None = None) -> list[bytes]:
        counts = usage or {"input_tokens": 7, "output_tokens": 3}
        message = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "m", "stop_reason": None}
        events: list[dict[str, Any]] = [{"type": "message_start", "message": {**message, "usage": counts}}]
        index = -1
        for part in parts:
            if part["type"].endswith("_delta"):
                events.append({"type": "content_block_delta", "index": index, "delta": part})
            else:
                index += 1
                events.append({"type": "content_block_start", "index": index, "content_block": part})
        events.append({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": counts})
        return sse(*events, {"type": "message_stop"}, name=True)

    def error(self) -> bytes:
        return sse({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, name=True)[0]

    refusal = "refusal"
    cut_short = "max_tokens"


class OpenAIVoice:
    name, model_name, path = "openai", "some-model", "/v1"

    def make(self, url: str, **options: Any) -> Model:
        return OpenAIModel(self.model_name, base_url=url + self.path, **{"api_key": KEY, **options})

    def text(self, *texts: str, stop: str = "stop", usage: dict[str, Any] | None = None) -> list[bytes]:
        return self.frame([{"content": text} for text in texts], stop, usage)

    def beginning(self, *texts: str) -> list[bytes]:
        return self.text(*texts)[:-3]

    def call(
        self, arguments: str, call_id: str = "call_1", tool: str = "look_up", stop: str = "tool_calls"
    ) -> list[bytes]:
        function = {"name": tool, "arguments": arguments}
        return self.frame(
            [{"tool_calls": [{"index": 0, "id": call_id, "type": "function", "function": function}]}], stop
        )

    def frame(self, deltas: list[dict[str, Any]], stop: str, usage: dict[str, Any] | None = None) -> list[bytes]:
        base = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m"}
        chunks = [{**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        counts = usage or {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
        chunks.append({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}]})
        return sse(*chunks, {**base, "choices": [], "usage": counts}, "[DONE]")

    def error(self) -> bytes:
        return sse({"error": {"message": "Overloaded", "type": "server_error", "code": 503}})[0]

    refusal = "content_filter"
    cut_short = "length"


class ResponsesVoice:
    name, model_name, path = "responses", "gpt-6.1-terra", "/v1"

    def make(self, url: str, **options: Any) -> Model:
        return OpenAIResponsesModel(self.model_name, base_url=url + self.path, **{"api_key": KEY, **options})

    def text(self, *texts: str, stop: str = "completed", usage: dict[str, Any] | None = None) -> list[bytes]:
        item = {"type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress", "content": []}
        deltas = [{"type": "response.output_text.delta", "item_id": "msg_1", "delta": text} for text in texts]
        whole = {**item, "content": [{"type": "output_text", "text": "".join(texts), "annotations": []}]}
        return self.frame([(item, deltas, whole)], stop, usage)

    def beginning(self, *texts: str) -> list[bytes]:
        return self.text(*texts)[:-2]

    def call(
        self, arguments: str, call_id: str = "call_1", tool: str = "look_up", stop: str = "completed"
    ) -> list[bytes]:
        item = {"type": "function_call", "id": "fc_1", "call_id": call_id, "name": tool, "arguments": ""}
        delta = {"type": "response.function_call_arguments.delta", "item_id": "fc_1", "delta": arguments}
        return self.frame([(item, [delta], {**item, "arguments": arguments, "status": "completed"})], stop)

    def frame(self, items: list[Any], stop: str, usage: dict[str, Any] | None = None) -> list[bytes]:
        counts = usage or {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
        response = {"id": "resp_1", "object": "response", "status": "in_progress", "output": [], "model": "m"}
        events: list[dict[str, Any]] = [{"type": "response.created", "response": response}]
        for at, (item, deltas, whole) in enumerate(items):
            events.append({"type": "response.output_item.added", "output_index": at, "item": item})
            events += [{"output_index": at, "content_index": 0, "summary_index": 0, **delta} for delta in deltas]
            events.append({"type": "response.output_item.done", "output_index": at, "item": whole})
        status = "completed" if stop == "completed" else "incomplete"
        end = {**response, "status": status, "output": [whole for *_, whole in items], "usage": counts}
        details = None if status == "completed" else {"reason": stop}
        events.append({"type": f"response.{status}", "response": {**end, "incomplete_details": details}})
        return sse(*({**event, "sequence_number": at} for at, event in enumerate(events)), name=True)

    def error(self) -> bytes:
        event = {"type": "error", "code": "server_error", "message": "Overloaded", "param": None, "sequence_number": 9}
        return sse(event, name=True)[0]

    refusal = "content_filter"
    cut_short = "max_output_tokens"


class GoogleVoice:
    name, model_name, path = "google", "gemini-3.8-flash", "/v1beta"

    def make(self, url: str, **options: Any) -> Model:
        return GoogleModel(self.model_name, base_url=url + self.path, **{"api_key": KEY, **options})

    def text(self, *texts: str, stop: str = "STOP", usage: dict[str, int] | None = None) -> list[bytes]:
        return self.frame([{"text": text} for text in texts], stop, usage)

    def beginning(self, *texts: str) -> list[bytes]:
        return self.text(*texts)[:-1]

    def call(self, arguments: str, call_id: str = "call_1", tool: str = "look_up", stop: str = "STOP") -> list[bytes]:
        return self.frame([{"functionCall": {"id": call_id, "name": tool, "args": json.loads(arguments)}}], stop)

    def frame(self, parts: list[dict[str, Any]], stop: str, usage: dict[str, int] | None = None) -> list[bytes]:
        chunks = [{"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]} for part in parts]
        counts = usage or {"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10}
        end = {
            "candidates": [{"content": {"role": "model", "parts": []}, "finishReason": stop}],
            "usageMetadata": counts,
        }
        return sse(*chunks, end)

    def error(self) -> bytes:
        return sse({"error": {"code": 503, "message": "Overloaded", "status": "UNAVAILABLE"}})[0]

    refusal = "SAFETY"
    cut_short = "MAX_TOKENS"


Voice = AnthropicVoice | OpenAIVoice | ResponsesVoice | GoogleVoice
VOICES: tuple[type[Voice], ...] = (AnthropicVoice, OpenAIVoice, ResponsesVoice, GoogleVoice)


@pytest.fixture
def voices() -> tuple[type[Voice], ...]:
    return VOICES


@pytest.fixture(params=VOICES, ids=lambda kind: kind.name)
def voice(request: pytest.FixtureRequest) -> Voice:
    return request.param()


@pytest.fixture
async def open_model() -> AsyncIterator[Callable[..., Model]]:
    """Makes a provider's model and closes it when the test is over."""
    made: list[Any] = []

    def make(voice: Voice, url: str, **options: Any) -> Model:
        options.setdefault("patience", HttpTimeouts(connect_s=30, read_s=30))
        made.append(voice.make(url, **options))
        return made[-1]

    yield make
    for model in made:
        await model.aclose()


LOOK_UP = ToolSpec(
    name="look_up",
    description="Looks a word up.",
    parameters={"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]},
)


@pytest.fixture
def ask() -> Callable[..., ModelRequest]:
    def ask(text: str = "hello", **fields: Any) -> ModelRequest:
        messages = fields.pop("messages", (UserMessage(text),))
        return ModelRequest(**{"system": "Be brief.", "messages": messages, **fields})

    return ask


@pytest.fixture
def look_up() -> ToolSpec:
    return LOOK_UP


@pytest.fixture
def listen() -> Callable[[Model, ModelRequest], Awaitable[tuple[list[Any], Reply]]]:
    """Everything a model streams, and its reply, which must be the last and the only one."""

    async def listen(model: Model, request: ModelRequest) -> tuple[list[Any], Reply]:
        chunks: list[Any] = []
        async with asyncio.timeout(60):
            async for chunk in model.stream(request):
                chunks.append(chunk)
        assert [type(chunk) for chunk in chunks].count(Reply) == 1
        reply = chunks.pop()
        assert isinstance(reply, Reply)
        return chunks, reply

    return listen
