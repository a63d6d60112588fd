"""One file over HTTP, in ranges: what is there already is not fetched again, and what breaks off is taken up again.

Knows nothing of hubs, wheels or hashes. Everything is bounded: attempts, waits, redirects, bytes.
"""

import asyncio
import random
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar
from urllib.parse import urlsplit

import msgspec

from glassloop.models.weights.errors import SourceAway
from glassloop.models.weights.room import writing
from glassloop.models.weights.threads import BLOCK, in_thread

if TYPE_CHECKING:
    import httpx2

PAGE_BYTES = 32_000_000
MOST_ATTEMPTS = 100
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")
_T = TypeVar("_T")
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})


class Patience(msgspec.Struct, frozen=True, kw_only=True):
    """How long to wait, and how often to try in a row without a byte more; `opening`: while there is none at all."""

    connect_s: float = 10.0
    read_s: float = 30.0
    attempts: int = 5
    opening: int = 3
    backoff_s: float = 0.5
    most_backoff_s: float = 15.0


class _Broke(Exception):
    """It may work the next time. `wait_s` is what the server asked for."""

    def __init__(self, message: str, wait_s: float = 0.0) -> None:
        super().__init__(message)
        self.wait_s = wait_s


class Fetcher:
    """A client for one download; to be closed."""

    def __init__(self, patience: Patience | None = None) -> None:
        import httpx2

        self._patience = patience or Patience()
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(self._patience.read_s, connect=self._patience.connect_s),
            headers={"accept-encoding": "identity", "user-agent": "glassloop"},
            follow_redirects=True,
            max_redirects=8,
        )

    async def aclose(self) -> None:
        await self._client.aclose()

    async def page(self, url: str, accept: str) -> tuple[bytes, str, str]:
        """A page, its content type, and the address it came from in the end."""

        async def attempt() -> tuple[bytes, str, str]:
            async with self._get(url, {"accept": accept}) as answer:
                body = bytearray()
                async for piece in answer.aiter_bytes():
                    body += piece
                    if len(body) > PAGE_BYTES:
                        raise SourceAway(f"{shown(url)} sent more than a page can be")
                return bytes(body), answer.headers.get("content-type", ""), str(answer.url)

        return await self._retried(attempt, lambda: 0)

    async def file(self, url: str, path: Path, most: int, progress: Callable[[int, int], None]) -> None:
        """The whole file at `path`, from where it stands. `progress` gets the bytes there are and those there will be,
        0 where that is not known; more than `most` is refused."""

        def have() -> int:
            return path.stat().st_size if path.exists() else 0

        async def attempt() -> None:
            await self._take(url, path, have(), most, progress)

        await self._retried(attempt, have)

    async def _take(self, url: str, path: Path, have: int, most: int, progress: Callable[[int, int], None]) -> None:
        headers = {"range": f"bytes={have}-"} if have else {}
        async with self._get(url, headers, beyond=have > 0) as answer:
            start, total = _place(answer, have)
            if answer.status_code == 416:
                if have != total:
                    await in_thread(path.unlink, missing_ok=True)
                    raise _Broke(f"{shown(url)} has fewer bytes than were fetched")
                progress(have, total)
                return
            if max(total, start) > most:
                raise SourceAway(f"{shown(url)} has {total:,} bytes, and at most {most:,} are expected")
            done = await self._write(answer, path, start, total or most, progress)
            if total and done < total:
                raise _Broke(f"{shown(url)} broke off after {done:,} of {total:,} bytes")

    async def _write(
        self, answer: "httpx2.Response", path: Path, start: int, most: int, progress: Callable[[int, int], None]
    ) -> int:
        done, held = start, bytearray()
        file = await in_thread(_open_at, path, start, most)
        try:
            async for piece in answer.aiter_raw():
                held += piece
                if done + len(held) > most:
                    raise SourceAway(f"{shown(str(answer.url))} sent more than the {most:,} bytes it has")
                if len(held) >= BLOCK:
                    done, held = await in_thread(_put, file, path, held, most - done) + done, bytearray()
                    progress(done, most)
        finally:
            try:
                # What came before it broke off is good: the next attempt goes on behind it.
                done += await in_thread(_put, file, path, held, most - done)
            finally:
                file.close()
            progress(done, most)
        return done

    @asynccontextmanager
    async def _get(self, url: str, headers: dict[str, str], beyond: bool = False) -> AsyncGenerator["httpx2.Response"]:
        import httpx2

        try:
            async with self._client.stream("GET", url, headers=headers) as answer:
                status = answer.status_code
                if status in _PASSING:
                    raise _Broke(f"{shown(url)} answers {status}", _seconds(answer.headers.get("retry-after", "")))
                if status not in (200, 206) and not (beyond and status == 416):
                    raise SourceAway(f"{shown(url)} answers {status}")
                yield answer
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol, httpx2.TooManyRedirects) as error:
            raise SourceAway(f"{shown(url)} cannot be used ({error})") from error
        except httpx2.TransportError as error:
            raise _Broke(f"{shown(url)} cannot be reached ({_why(error)})") from error

    async def _retried(self, attempt: Callable[[], Awaitable[_T]], have: Callable[[], int]) -> _T:
        """Again after what may pass, with longer and longer pauses; a byte more starts the count anew."""
        failures, before = 0, have()
        for _ in range(MOST_ATTEMPTS):
            try:
                return await attempt()
            except _Broke as broke:
                failures = 1 if have() > before else failures + 1
                before = have()
                if failures >= (self._patience.attempts if before else self._patience.opening):
                    raise SourceAway(str(broke)) from broke
                pause = min(self._patience.backoff_s * 2 ** (failures - 1), self._patience.most_backoff_s)
                wait_s = min(max(pause, broke.wait_s), self._patience.most_backoff_s)
                await asyncio.sleep(wait_s * random.uniform(0.75, 1.25))
        raise SourceAway(f"it broke off {MOST_ATTEMPTS} times")


def shown(url: str) -> str:
    """Whom an address leads to, as it may be told: without credentials and path."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if parts.netloc else "the address"


def _place(answer: "httpx2.Response", have: int) -> tuple[int, int]:
    """Where the bytes of this answer belong, and how many there are in all; 0 where the server does not tell."""
    told = answer.headers.get("content-range", "")
    if answer.status_code == 416:
        size = told.rpartition("/")[2]
        return have, int(size) if size.isdecimal() else -1
    if answer.status_code == 206:
        found = _RANGE.fullmatch(told.strip())
        if found is None or int(found[1]) != have:
            raise SourceAway(f"{shown(str(answer.url))} sent another range than was asked for")
        return have, int(found[3])
    length = answer.headers.get("content-length", "")
    return 0, int(length) if length.isdecimal() else 0


def _open_at(path: Path, start: int, needed: int) -> BinaryIO:
    with writing(path, needed):
        file = path.open("r+b" if path.exists() else "w+b", buffering=0)
        if file.seek(0, 2) > start:
            file.truncate(start)
        file.seek(start)
        return file


def _put(file: BinaryIO, path: Path, data: bytearray, needed: int) -> int:
    with writing(path, needed):
        view = memoryview(data)
        while view:
            view = view[file.write(view) :]
    return len(data)


def _why(error: Exception) -> str:
    return str(error) or type(error).__name__


def _seconds(text: str) -> float:
    return float(text) if text.isdecimal() else 0.0
