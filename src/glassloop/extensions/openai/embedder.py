"""An embedder behind any OpenAI-compatible endpoint, over plain HTTP: no SDK is needed for one kind of request."""

import asyncio
import math
import random
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import msgspec

from glassloop.core.errors import ModelError, ModelRejected, ModelUnavailable
from glassloop.extensions.openai.model import BASE_URL
from glassloop.models.provider_kit.failures import FailureOrigin, from_status, shown, translate
from glassloop.models.provider_kit.http_client import HttpTimeouts, open_client

if TYPE_CHECKING:
    import httpx2

BATCH_TEXTS = 64
MAX_CHARS = 30_000
ATTEMPTS = 4
MAX_WAIT_S = 20.0


class RemoteEmbedder:
    """An `Embedder` at an address. `dimensions` is known once it has answered."""

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        patience: HttpTimeouts | None = None,
        backoff_s: float = 1.0,
    ) -> None:
        self.name = f"openai:{model}"
        self.dimensions: int | None = None
        self._model = model
        self._url = (base_url or BASE_URL).rstrip("/")
        self._key = api_key or ""
        self._patience = patience or HttpTimeouts()
        self._backoff_s = backoff_s
        self._client: httpx2.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        place = f"the address {shown(self._url)}"
        self._origin = FailureOrigin(
            name=self.name,
            model=model,
            key_hint="OPENAI_API_KEY",
            missing_hint=f"check the spelling and {place}",
            reach_hint=f"check the network and {place}",
            secret=self._key,
        )

    async def embed(self, texts: Sequence[str]) -> "Sequence[array[float]]":
        """Raises `ModelError`."""
        found: list[array[float]] = []
        for start in range(0, len(texts), BATCH_TEXTS):
            # Endpoints refuse a text that is empty.
            batch = [text[:MAX_CHARS] or " " for text in texts[start : start + BATCH_TEXTS]]
            found.extend(await self._retried(batch))
        return found

    async def aclose(self) -> None:
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.aclose()

    async def _retried(self, batch: list[str]) -> "list[array[float]]":
        for attempt in range(ATTEMPTS):
            try:
                return await self._ask(batch)
            except ModelUnavailable as error:
                if attempt == ATTEMPTS - 1:
                    raise
                wait_s = min(max(error.retry_after or 0.0, self._backoff_s * 2**attempt), MAX_WAIT_S)
                await asyncio.sleep(wait_s * random.uniform(0.75, 1.25))
        raise AssertionError("The last attempt returns or raises.")

    async def _ask(self, batch: list[str]) -> "list[array[float]]":
        headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
        body = {"model": self._model, "input": batch, "encoding_format": "float"}
        try:
            answer = await (await self._connect()).post(f"{self._url}/embeddings", json=body, headers=headers)
        except ModelError:
            raise
        except Exception as error:
            raise translate(error, self._origin) from None
        if answer.status_code != 200:
            raise from_status(answer.status_code, self._origin, detail=answer.text[:500], headers=answer.headers)
        return self._read(answer.content, len(batch))

    async def _connect(self) -> "httpx2.AsyncClient":
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = await asyncio.to_thread(open_client, self._patience), loop
        return self._client

    def _read(self, content: bytes, expected: int) -> "list[array[float]]":
        """What came, in the order that was asked for and made one long; whatever else came is refused."""
        try:
            entries = cast("list[dict[str, Any]]", msgspec.json.decode(content)["data"])
            ordered = sorted(entries, key=lambda entry: int(entry["index"]))
            vectors = [_unit(array("f", entry["embedding"])) for entry in ordered]
        except (msgspec.MsgspecError, KeyError, TypeError, ValueError, OverflowError) as error:
            raise ModelRejected(
                f"{self.name} sent no embeddings ({type(error).__name__}): use another model."
            ) from None
        sizes = {len(vector) for vector in vectors}
        if len(vectors) != expected or len(sizes) != 1 or not sizes <= {self.dimensions or max(sizes)} or 0 in sizes:
            raise ModelRejected(
                f"{self.name} sent {len(vectors)} embeddings of {sorted(sizes)} dimensions for {expected} texts: "
                "use another model."
            )
        self.dimensions = len(vectors[0])
        return vectors


def _unit(vector: "array[float]") -> "array[float]":
    length = math.sqrt(sum(part * part for part in vector))
    if not math.isfinite(length):
        raise ValueError("a vector that is not finite")
    return array("f", [part / length for part in vector]) if length else vector
