"""The real command, as a person or a program would start it: in a folder of its own, without anybody's settings."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Protocol

import pytest

from cli.here import here  # noqa: F401
from cli.porter import porter  # noqa: F401
from trusting import trust

WAIT_S = 120.0
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x1b\][^\x07]*\x07")
_SETTINGS = ("_API_KEY", "_BASE_URL", "GLASSLOOP_", "REACT_", "CONTEXT_", "OLLAMA_", "DATABASE_URL", "SESSION_STORE_")
_FOREIGN = (*_SETTINGS, "RAG_", "COLUMNS", "COLOR", "TERM", "LINES")


class Run(Protocol):
    def __call__(
        self, *arguments: str, stdin: str | bytes = b"", **environment: str
    ) -> subprocess.CompletedProcess[bytes]: ...


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the command is started."""
    made = tmp_path / "work"
    made.mkdir()
    return made


@pytest.fixture
def environment(tmp_path: Path, put_store: Callable[[Path], Path]) -> dict[str, str]:
    """The environment without keys, colours or settings; home is a folder of the test, with a store without a row."""
    put_store(tmp_path / "home" / "glassloop.db")
    kept = {name: value for name, value in os.environ.items() if not any(part in name for part in _FOREIGN)}
    return {**kept, "GLASSLOOP_HOME": str(tmp_path / "home"), "PYTHONIOENCODING": "utf-8", "GLASSLOOP_DRAIN_S": "0"}


@pytest.fixture
def glassloop(folder: Path, environment: dict[str, str]) -> Run:
    """Runs one command to its end."""

    def run(*arguments: str, stdin: str | bytes = b"", **settings: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "glassloop", *arguments],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            cwd=folder,
            env={**environment, **settings},
            timeout=WAIT_S,
            check=False,
        )

    return run


@pytest.fixture
def start(folder: Path, environment: dict[str, str]) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts one command and leaves it running; a test that waits for it in vain is not kept waiting for ever."""
    started: list[tuple[subprocess.Popen[bytes], threading.Timer]] = []

    def run(*arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "glassloop", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=environment,
            preexec_fn=_hear_interrupts,
        )
        started.append((process, threading.Timer(2 * WAIT_S, process.kill)))
        started[-1][1].start()
        return process

    yield run
    for process, deadline in started:
        deadline.cancel()
        process.kill()
        process.communicate()


def _hear_interrupts() -> None:
    """Where tests run in the background, shells have their programs ignore Ctrl-C; at a terminal nobody does."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Terminal:
    """A person's terminal: what was written on it, and keys to press."""

    def __init__(self, arguments: tuple[str, ...], folder: Path, environment: Mapping[str, str]) -> None:
        self._screen, inside = pty.openpty()
        termios.tcsetwinsize(self._screen, (40, 100))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "glassloop", *arguments],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            cwd=folder,
            env={**environment, "TERM": "xterm-256color"},
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(inside)
        self._raw = b""
        self._seen = 0

    @property
    def text(self) -> str:
        """Everything written so far, without colours and cursor movements."""
        return _ESCAPES.sub("", self._raw.decode("utf-8", "replace")).replace("\r", "")

    @property
    def raw(self) -> bytes:
        return self._raw

    def expect(self, wanted: str) -> str:
        """Waits until `wanted` is written after what was expected before."""
        ends = time.monotonic() + WAIT_S
        while (place := self.text.find(wanted, self._seen)) < 0:
            if not self._read(ends):
                raise AssertionError(f"{wanted!r} did not come. The screen:\n{self.text[-3000:]}")
        found = self.text[self._seen : place + len(wanted)]
        self._seen = place + len(wanted)
        return found

    def type(self, keys: str) -> None:
        os.write(self._screen, keys.encode())

    def interrupt_prompt(self) -> None:
        """Ctrl-C at a prompt. A signal that comes just before the line editor starts to wait is not seen until it wakes
        up: the empty line after it sees to that, and means nothing otherwise."""
        self.type("\x03\r")

    def leave(self) -> int:
        """Waits for the command to end; its exit code."""
        ends = time.monotonic() + WAIT_S
        while self._read(ends):
            pass
        return self._process.wait(WAIT_S)

    def close(self) -> None:
        self._process.kill()
        self._process.wait(WAIT_S)
        os.close(self._screen)

    def _read(self, ends: float) -> bool:
        if not select.select([self._screen], [], [], max(0.0, ends - time.monotonic()))[0]:
            return False
        try:
            more = os.read(self._screen, 65536)
        except OSError:  # Linux tells the end of a terminal by an error.
            return False
        self._raw += more
        return bool(more)


def _take_terminal() -> None:
    _hear_interrupts()
    import fcntl

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def terminal(folder: Path, environment: dict[str, str]) -> Iterator[Callable[..., Terminal]]:
    """Starts one command in a terminal of its own."""
    opened: list[Terminal] = []

    def run(*arguments: str, **settings: str) -> Terminal:
        opened.append(Terminal(arguments, folder, {**environment, **settings}))
        return opened[-1]

    yield run
    for each in opened:
        each.close()


class _Rejecting(BaseHTTPRequestHandler):
    """A provider that knows nobody."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b'{"error": {"message": "nobody is known here", "type": "invalid_request_error"}}'
        self.send_response(401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_parts: object) -> None:
        """Says nothing: standard error belongs to the command."""


@pytest.fixture
def rejecting() -> Iterator[dict[str, str]]:
    """Settings under which every `openai:` model refuses to answer, at once."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Rejecting) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield {"OPENAI_API_KEY": "test", "OPENAI_BASE_URL": f"http://127.0.0.1:{server.server_port}/v1"}
        server.shutdown()
        thread.join(WAIT_S)


TOOLS = '''
"""Tools for the tests of the command line."""

import asyncio
from pathlib import Path

from glassloop import tool


@tool(effect="read", volatile=True)
async def hang() -> str:
    """Never returns by itself."""
    await asyncio.Event().wait()
    return "never"


@tool(effect="read")
def shout() -> str:
    """Prints where it should not, and returns what a terminal might obey."""
    print("printed by a tool")
    return "\\x1b[31mred\\x1b]0;title\\x07 [bold]not bold[/bold]"


def preview(name: str, text: str) -> str:
    return f"--- {name}\\n+++ {name}\\n@@ -0,0 +1 @@\\n+{text}"


@tool(effect="write", confirm=True, preview=preview)
def write_file(name: str, text: str) -> str:
    """Write a file."""
    Path(name).write_text(text, "utf-8")
    return f"wrote {name}"
'''


@pytest.fixture
def helper(folder: Path, environment: dict[str, str]) -> str:
    """The name of an assistant whose tools hang, shout and ask first."""
    made = folder / "helper"
    made.mkdir()
    (made / "assistant.toml").write_text('name = "helper"\nprompt = "Help."\ntools = ["tools.py"]\n', "utf-8")
    (made / "tools.py").write_text(TOOLS, "utf-8")
    trust(folder, environment["GLASSLOOP_HOME"])
    return "helper"
