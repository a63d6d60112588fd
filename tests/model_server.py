"""A stand-in for a model provider, in OpenAI's Chat Completions format, and for a service that has effects.

A script says by the question what is replied: the reply is chosen by how many the transcript has since the question, so
that a program which was killed, or asks again, is told the same. `hold` stops the stand-in at a moment, for a test to
kill a program there. Used by the tests of the cookbook, and by `bench/programs.py` for those of the peers.
"""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = str | Mapping[str, Any] | Sequence[Mapping[str, Any]]
"""Text, `{"output": …}` for a typed answer, or calls: `{"stock_of": {"sku": "A"}}`, or a list of such. Arguments that
are a text are the tool's only one, whatever its name."""

HOLD_S = 300.0


class ModelServer(ThreadingHTTPServer):
    """`url` is what `OPENAI_BASE_URL` takes. `requests` is what models were asked, `effects` what was done."""

    daemon_threads = True

    def __init__(self, script: Mapping[str, Sequence[Reply]]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.effects: list[dict[str, Any]] = []
        self.hold = ""
        """`model:3` keeps the third reply back, `chunk:3` the third piece of one that streams, `effect:2` the answer to
        the second effect, which has taken place."""
        self.held, self.released = threading.Event(), threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def wait_where(self, moment: str) -> None:
        """Stops here if this is the moment to hold, until it is released."""
        if moment == self.hold:
            self.hold = ""
            self.held.set()
            self.released.wait(HOLD_S)

    def reply_to(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The message of the assistant."""
        said = [message for message in request["messages"] if message["role"] not in ("system", "developer")]
        asked = [number for number, message in enumerate(said) if message["role"] == "user"]
        question = next(
            (number for number in reversed(asked) if any(key in _text(said[number]) for key in self.script)), 0
        )
        key = next((key for key in self.script if key in _text(said[question])), "")
        replies = self.script.get(key, ["I was not told what to say."])
        before = sum(message["role"] == "assistant" for message in said[question:])
        return _message(replies[min(before, len(replies) - 1)], request, before)


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)


def _message(reply: Reply, request: Mapping[str, Any], number: int) -> dict[str, Any]:
    if isinstance(reply, str):
        return {"role": "assistant", "content": reply}
    calls = [reply] if isinstance(reply, Mapping) else list(reply)
    offered = {tool["function"]["name"]: tool["function"] for tool in request.get("tools", ())}
    if "output" in calls[0]:
        wanted = request.get("response_format", {}).get("type") == "json_schema"
        tools = list(offered)
        if wanted or not tools:
            return {"role": "assistant", "content": json.dumps(calls[0]["output"])}
        # Frameworks that ask for typed output by a tool put it last.
        calls = [{tools[-1]: calls[0]["output"]}]
    made = [
        {
            "id": f"call_{number}_{place}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(_arguments(offered.get(name, {}), arguments))},
        }
        for place, call in enumerate(calls)
        for name, arguments in call.items()
    ]
    return {"role": "assistant", "content": None, "tool_calls": made}


def _arguments(tool: Mapping[str, Any], given: Any) -> Any:
    if not isinstance(given, str):
        return given
    return {next(iter(tool.get("parameters", {}).get("properties", {})), "input"): given}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if self.path.endswith("/chat/completions"):
            self.server.requests.append(body)
            self.server.wait_where(f"model:{len(self.server.requests)}")
            message = self.server.reply_to(body)
            self._stream(message) if body.get("stream") else self._send(_completion(message))
            return
        self.server.effects.append({"name": self.path.rpartition("/")[2], **body})
        self.server.wait_where(f"effect:{len(self.server.effects)}")
        self._send({"number": len(self.server.effects)})

    def _send(self, body: Mapping[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, message: Mapping[str, Any]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for number, chunk in enumerate(_chunks(message), 1):
            self.server.wait_where(f"chunk:{number}")
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.flush()
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:
            # The program at the other end was killed.
            self.close_connection = True

    def log_message(self, *arguments: object) -> None:
        pass


USAGE = {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30}


def _finish(message: Mapping[str, Any]) -> str:
    return "tool_calls" if message.get("tool_calls") else "stop"


def _completion(message: Mapping[str, Any]) -> dict[str, Any]:
    choice = {"index": 0, "message": message, "finish_reason": _finish(message)}
    return _envelope("chat.completion", [choice], USAGE)


def _chunks(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    text = message.get("content") or ""
    pieces: list[dict[str, Any]] = [{"content": text[start : start + 8]} for start in range(0, len(text), 8)]
    if calls := message.get("tool_calls"):
        pieces.append({"tool_calls": [{"index": number, **call} for number, call in enumerate(calls)]})
    for piece in pieces:
        yield _envelope("chat.completion.chunk", [{"index": 0, "delta": {"role": "assistant", **piece}}])
    yield _envelope("chat.completion.chunk", [{"index": 0, "delta": {}, "finish_reason": _finish(message)}])
    yield _envelope("chat.completion.chunk", [], USAGE)


def _envelope(kind: str, choices: Sequence[Any], usage: Mapping[str, int] | None = None) -> dict[str, Any]:
    same = {"id": "chat_1", "object": kind, "created": 0, "model": "stand-in"}
    return {**same, "choices": choices, **({"usage": usage} if usage else {})}


@contextmanager
def model_server(script: Mapping[str, Sequence[Reply]]) -> Iterator[ModelServer]:
    server = ModelServer(script)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
