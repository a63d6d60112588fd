"""Supervisor of the child process: starts it on demand, watches it, restarts it a limited number of times.

Owns the process, its private folder and its socket. `llama_http` talks to it, `engine` decides what it is asked.
"""

import asyncio
import shutil
import signal
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from glassloop.core.errors import ModelUnavailable, ModelUnusable
from glassloop.extensions.embedded.adapters import VARIABLE, check_adapter
from glassloop.extensions.embedded.options import EmbeddedOptions
from glassloop.python_child import python_child

BATCH: Final = 32
STARTS: Final = 4
WITHIN_S: Final = 120.0
"""It is started so often within that time at most: a child that always dies is no use to anyone."""

_LOAD_S: Final = 300.0
_LAST_WORDS: Final = 2000
_NAME: Final = "The embedded model"
_MODULE: Final = "glassloop.extensions.embedded.child"


class LlamaProcess:
    """One process for the weights. `socket` is where it listens."""

    def __init__(
        self,
        options: EmbeddedOptions,
        *,
        command: Sequence[str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._options = options
        self._command = command
        self._clock = clock
        self._process: asyncio.subprocess.Process | None = None
        self._folder = ""
        self._words = ""
        self._hearing: asyncio.Task[None] | None = None
        self._starts: deque[float] = deque(maxlen=STARTS)
        self.version = ""
        self.adapter_sha256 = ""
        self.births = 0

    @property
    def socket(self) -> str:
        return f"{self._folder}/llama.sock"

    @property
    def pid(self) -> int | None:
        return self._process.pid if self.is_alive and self._process is not None else None

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    async def ensure(self) -> None:
        """Returns when a child is ready; raises `ModelUnavailable` or, where another try is no use, `ModelUnusable`."""
        if self.is_alive:
            return
        await self.stop()
        self._check_weights()
        self.adapter_sha256 = await asyncio.to_thread(check_adapter, self._options)
        now = self._clock()
        if len(self._starts) == STARTS and now - self._starts[0] < WITHIN_S:
            raise ModelUnusable(
                f"{_NAME} ended {STARTS} times within {WITHIN_S:g} seconds{self._last_words()}: it needs memory for "
                "the weights and the context; lower GLASSLOOP_EMBEDDED_CONTEXT, or use another model."
            )
        self._starts.append(now)
        try:
            await self._start()
        except BaseException:
            await self.stop()
            raise

    def _check_weights(self) -> None:
        try:
            with self._options.weights.open("rb") as file:
                found = file.read(4)
        except OSError as error:
            raise ModelUnusable(
                f"The weights {str(self._options.weights)!r} cannot be read ({error.strerror or error}): "
                "`glassloop models pull` gets them, or set GLASSLOOP_EMBEDDED_WEIGHTS."
            ) from None
        if found != b"GGUF":
            raise ModelUnusable(f"{str(self._options.weights)!r} is no GGUF file: `glassloop models pull` gets one.")

    async def _start(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="glassloop-")
        # Its own folder: llama.cpp looks for libraries in the one it is started in.
        child = python_child(_MODULE, cwd=self._folder)
        process = self._process = await asyncio.create_subprocess_exec(
            *(self._command or child.argv),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=child.cwd,
            env=child.env,
        )
        assert process.stdin is not None and process.stdout is not None  # noqa: S101
        self._hearing = asyncio.create_task(self._hear(process))
        try:
            process.stdin.write(msgspec.json.encode(self._told()) + b"\n")
            await process.stdin.drain()
            async with asyncio.timeout(_LOAD_S):
                line = await process.stdout.readline()
        except TimeoutError:
            raise ModelUnavailable(f"{_NAME} did not load within {_LOAD_S:g} seconds: try again.") from None
        except OSError:
            line = b""
        if not line:
            raise ModelUnavailable(await self.obituary())
        said = cast("dict[str, Any]", msgspec.json.decode(line))
        if not said.get("ready"):
            adapter = self._options.adapter
            with_adapter = f" with the adapter {str(adapter)!r}" if adapter else ""
            made_for = f", is the adapter made for it ({VARIABLE}=none leaves it out)" if adapter else ""
            raise ModelUnusable(
                f"{_NAME} cannot load {str(self._options.weights)!r}{with_adapter} ({said.get('error')}): is it a GGUF "
                f"model{made_for}, and is `xllamacpp` installed (pip install 'glassloop[embedded]')?"
            )
        self.version = str(said.get("version"))
        self.births += 1

    def _told(self) -> dict[str, Any]:
        options = self._options
        return {
            "folder": self._folder,
            "socket": self.socket,
            "weights": str(options.weights.absolute()),
            "adapter": str(options.adapter.absolute()) if options.adapter else "",
            "threads": options.threads,
            "context_tokens": options.context_tokens,
            "conversations": options.conversations,
            "memory": options.memory,
            "cache_type": options.cache_type,
            "states": str(options.states.absolute()) if options.states else "",
            "batch": BATCH,
        }

    async def _hear(self, process: asyncio.subprocess.Process) -> None:
        """Takes what it logs, so that it never waits for us; the end of it is kept for when it dies."""
        assert process.stderr is not None  # noqa: S101
        self._words = ""
        while piece := await process.stderr.read(4096):
            self._words = (self._words + piece.decode("utf-8", "replace"))[-_LAST_WORDS:]

    async def obituary(self) -> str:
        """How it ended, once it has: one sentence."""
        process = self._process
        code: int | None = None
        if process is not None:
            try:
                async with asyncio.timeout(2.0):
                    code = await process.wait()
            except TimeoutError:
                return f"{_NAME} does not answer any more: it is started again."
        how = _how(code)
        return f"{_NAME}'s process ended {how}{self._last_words()}: it is started again."

    def _last_words(self) -> str:
        lines = [line.strip() for line in self._words.splitlines() if line.strip()]
        return f" (its last words: {lines[-1][:200]!r})" if lines else ""

    async def stop(self) -> None:
        """Ends it at once; nothing of it stays."""
        process, self._process = self._process, None
        if process is not None:
            if process.returncode is None:
                try:
                    process.kill()
                except ProcessLookupError:
                    pass
            await process.wait()
            if process.stdin is not None:
                process.stdin.close()
        if self._hearing is not None:
            await asyncio.wait([self._hearing], timeout=2.0)
            self._hearing.cancel()
            self._hearing = None
        if self._folder:
            folder, self._folder = self._folder, ""
            await asyncio.to_thread(shutil.rmtree, Path(folder), ignore_errors=True)


def _how(code: int | None) -> str:
    if code is None:
        return "in a way nobody saw"
    if code < 0:
        try:
            return f"by the signal {signal.Signals(-code).name}"
        except ValueError:
            return f"by signal {-code}"
    return f"with exit code {code}"
