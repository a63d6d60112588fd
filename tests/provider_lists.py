"""A stand-in for model providers that list their models and answer, each in its own wire format, and ask for a key."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from model_server import _chunks

KEY = "made-up-9f4c2b71aa"
"""In no usual form, so that only what knows its value takes it out."""


class ProviderServer(ThreadingHTTPServer):
    """`asked` is what was asked for, by path; `bodies` what models were asked; `headers` of the last request."""

    daemon_threads = True

    def __init__(self, models=("fake-gpt", "fake-mini"), key=KEY) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.models, self.key = list(models), key
        self.asked: list[str] = []
        self.bodies: list[dict] = []
        self.headers: dict[str, str] = {}
        self.says = "Hello from {model}."
        self.raw: bytes | None = None
        """What every list is instead."""

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ProviderServer

    def do_GET(self) -> None:
        served, path = self.server, urlsplit(self.path)
        served.asked.append(path.path)
        served.headers = {name.lower(): value for name, value in self.headers.items()}
        listing = _LISTS.get(path.path)
        if listing is None:
            self._send({"error": "there is nothing here"}, 404)
        elif served.key and not self._has_key(path.path):
            self._send({"error": {"message": f"wrong key {self.headers.get('authorization', '')}"}}, 401)
        else:
            self._send(listing(served.models, parse_qs(path.query)))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if self.server.key and not self._has_key(self.path):
            self._send({"error": {"message": "wrong key"}}, 401)
            return
        self.server.bodies.append(body)
        if body["model"] not in self.server.models:
            self._send({"error": {"message": "no such model"}}, 404)
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        text = self.server.says.format(model=body["model"])
        for chunk in _chunks({"role": "assistant", "content": text}):
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _has_key(self, path: str) -> bool:
        if path.startswith("/api/"):
            return True
        given = self.headers.get("authorization", "").removeprefix("Bearer ")
        return self.server.key in (given, self.headers.get("x-api-key"), self.headers.get("x-goog-api-key"))

    def _send(self, body, status: int = 200) -> None:
        data = json.dumps(body).encode() if self.server.raw is None else self.server.raw
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: object) -> None:
        pass


def _openai(models, _query):
    return {"object": "list", "data": [{"id": name, "object": "model", "max_model_len": 4096} for name in models]}


def _anthropic(models, query):
    """Two to a page, as few as a test can see."""
    after = query.get("after_id", [""])[0]
    rest = models[models.index(after) + 1 :] if after else models
    page = rest[:2]
    data = [{"type": "model", "id": name, "display_name": name.title()} for name in page]
    return {"data": data, "has_more": len(rest) > 2, "first_id": page[0], "last_id": page[-1]}


def _google(models, query):
    start = int(query.get("pageToken", ["0"])[0])
    page = [
        {
            "name": f"models/{name}",
            "displayName": name.title(),
            "inputTokenLimit": 1000,
            "supportedGenerationMethods": ["embedContent"] if "embedding" in name else ["generateContent"],
        }
        for name in models[start : start + 2]
    ]
    return {"models": page, **({"nextPageToken": str(start + 2)} if start + 2 < len(models) else {})}


def _ollama(models, _query):
    family = {"nomic-embed-text:latest": "nomic-bert"}
    return {
        "models": [
            {"name": name, "model": name, "details": {"family": family.get(name, "qwen3"), "parameter_size": "8B"}}
            for name in models
        ]
    }


_LISTS = {
    "/v1/models": _openai,
    "/anthropic/v1/models": _anthropic,
    "/v1beta/models": _google,
    "/api/tags": _ollama,
}


@contextmanager
def provider_server(models=("fake-gpt", "fake-mini"), key=KEY):
    server = ProviderServer(models, key)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
