"""An embedder behind an OpenAI-compatible endpoint, and the cache in front of either kind."""

import json
import math
import threading
from array import array
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from glassloop.core.errors import ModelRejected, ModelUnavailable, ModelUnusable, UnknownName
from glassloop.extensions.openai.embedder import BATCH_TEXTS, RemoteEmbedder
from glassloop.models.cached_embedder import CachedEmbedder
from glassloop.runtime.providers import make_embedder
from glassloop.runtime.settings import Settings


class Endpoint:
    """Answers with a vector that tells the length of each text; `answers` come first."""

    def __init__(self) -> None:
        self.url = ""
        self.answers: list[tuple[int, Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []

    def answer(self, body: dict[str, Any]) -> tuple[int, Any]:
        self.asked.append(body)
        if self.answers:
            return self.answers.pop(0)
        data = [{"index": place, "embedding": [len(text), 1.0, 0]} for place, text in enumerate(body["input"])]
        return 200, {"data": data[::-1]}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    found = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            found.keys.append(self.headers.get("Authorization"))
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, told = found.answer(body) if self.path == "/v1/embeddings" else (404, {})
            data = told if isinstance(told, bytes) else json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_parts: Any) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield found
        server.shutdown()
        thread.join(60)


def remote(endpoint: Endpoint, **options: Any) -> RemoteEmbedder:
    return RemoteEmbedder("some-model", base_url=endpoint.url, backoff_s=0.01, **options)


async def test_texts_go_in_batches_and_vectors_come_back_in_order_and_of_length_one(endpoint: Endpoint) -> None:
    embedder = remote(endpoint, api_key="test-key-0000")
    assert (embedder.name, embedder.dimensions) == ("openai:some-model", None)
    vectors = await embedder.embed(["x" * length for length in range(1, BATCH_TEXTS + 3)])
    assert embedder.dimensions == 3
    assert [round(vector[0] / vector[1]) for vector in vectors] == list(range(1, BATCH_TEXTS + 3))
    assert all(math.isclose(math.hypot(*vector), 1.0, rel_tol=1e-6) for vector in vectors)
    assert [len(asked["input"]) for asked in endpoint.asked] == [BATCH_TEXTS, 2]
    assert set(endpoint.keys) == {"Bearer test-key-0000"}
    await embedder.aclose()


async def test_what_passes_is_tried_again_and_what_stays_is_told(endpoint: Endpoint) -> None:
    embedder = remote(endpoint)
    endpoint.answers = [(503, {}), (429, {})]
    assert len(await embedder.embed(["one"])) == 1
    endpoint.answers = [(500, {})] * 9
    with pytest.raises(ModelUnavailable):
        await embedder.embed(["one"])
    assert len(endpoint.answers) == 5
    endpoint.answers = [(401, {"error": {"message": "who are you"}})]
    with pytest.raises(ModelUnusable, match="OPENAI_API_KEY"):
        await embedder.embed(["one"])
    await embedder.aclose()


@pytest.mark.parametrize(
    "told",
    [
        b"nonsense",
        {},
        {"data": []},
        {"data": [{"index": 0, "embedding": []}]},
        {"data": [{"index": 0, "embedding": "text"}]},
        {"data": [{"index": 0, "embedding": [1e999]}]},
        {"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1]}]},
        [],
    ],
    ids=repr,
)
async def test_an_answer_that_is_no_embedding_is_refused(endpoint: Endpoint, told: Any) -> None:
    embedder = remote(endpoint)
    endpoint.answers = [(200, told)]
    with pytest.raises(ModelRejected, match="use another model"):
        await embedder.embed(["one"])
    await embedder.aclose()


async def test_a_model_that_changes_its_dimensions_is_refused(endpoint: Endpoint) -> None:
    embedder = remote(endpoint)
    await embedder.embed(["one"])
    endpoint.answers = [(200, {"data": [{"index": 0, "embedding": [1, 2]}]})]
    with pytest.raises(ModelRejected, match="2"):
        await embedder.embed(["two"])
    await embedder.aclose()


class Counting:
    """An embedder that counts what it is asked."""

    name = "counting"
    dimensions = 1

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Sequence[Any]:
        self.asked.extend(texts)
        return [array("f", [len(text)]) for text in texts]

    async def aclose(self) -> None:
        """Nothing is open."""


async def test_a_text_is_embedded_once_while_it_is_remembered() -> None:
    inner = Counting()
    embedder = CachedEmbedder(inner, most=2)
    assert [list(vector) for vector in await embedder.embed(["a", "bb", "a", "bb", "\ud800"])] == [
        [1],
        [2],
        [1],
        [2],
        [1],
    ]
    assert inner.asked == ["a", "bb", "\ud800"]
    await embedder.embed(["bb", "ccc"])
    await embedder.embed(["bb"])
    assert inner.asked == ["a", "bb", "\ud800", "ccc"]
    await embedder.embed(["a"])
    assert inner.asked[-1] == "a"
    assert (embedder.name, embedder.dimensions) == ("counting", 1)


def test_the_setting_names_the_embedder(tmp_path: Path) -> None:
    def name(setting: str) -> str | None:
        return make_embedder(setting, Settings(home=str(tmp_path))).name

    assert [name(setting) for setting in ("minilm", "openai:text-x")] == ["minilm", "openai:text-x"]
    for wrong in ("openai", "openai:", "minilm:x", "torch"):
        with pytest.raises(UnknownName, match=r"minilm, openai:MODEL or none"):
            name(wrong)
