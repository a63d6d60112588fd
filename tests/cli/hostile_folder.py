"""A folder of somebody else's, full of files that tell on themselves when one of them is run or obeyed; and every
command that may be typed there."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import packages_distributions
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import pytest

WAIT_S = 120.0
_TRAP = "import pathlib as _p\n_p.Path({marks!r}, {name!r}).touch()\n"
_EARLY = "import os as _o\n_o.close(_o.open({mark!r}, _o.O_CREAT | _o.O_WRONLY))\n"


class Listener(NamedTuple):
    """An address that whoever wrote the folder listens at, and what was sent there."""

    url: str
    requests: list[str]


class Traps(NamedTuple):
    """`marks` gets a file for each trap that ran."""

    folder: Path
    marks: Path
    listener: Listener

    def sprung(self) -> list[str]:
        return [*sorted(path.name for path in self.marks.iterdir()), *self.listener.requests]


@pytest.fixture
def listener() -> Iterator[Listener]:
    """Answers as a model and an embedder would, as far as anybody listens."""
    requests: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            requests.append(f"POST {self.path} {body.decode(errors='replace')[:200]}")
            told = b'{"error": {"message": "thank you", "type": "invalid_request_error"}}'
            self.send_response(400)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_parts: object) -> None:
            """Says nothing: standard error belongs to the command."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield Listener(f"http://127.0.0.1:{server.server_port}", requests)
        server.shutdown()
        thread.join(WAIT_S)


@pytest.fixture
def traps(folder: Path, tmp_path: Path, listener: Listener) -> Traps:
    """The working folder with a trap under every name that anything might import, read or start."""
    marks = tmp_path / "marks"
    marks.mkdir()
    names = {*sys.stdlib_module_names, *packages_distributions(), "sitecustomize", "usercustomize", "conftest", "setup"}
    for name in names:
        if name.isidentifier() and name != "glassloop":
            mark = str(marks / name)
            (folder / f"{name}.py").write_text(_EARLY.format(mark=mark), "utf-8")
    package = folder / "glassloop"
    package.mkdir()
    for name in ("__init__", "__main__"):
        (package / f"{name}.py").write_text(_EARLY.format(mark=str(marks / f"glassloop.{name}")), "utf-8")
    for place in ("assistants/x", "y", "."):
        _assistant(folder / place, marks)
    home = folder / "home"
    _assistant(home / "assistants" / "general", marks)
    _servers(folder, marks, "folder")
    _servers(home, marks, "home")
    _servers(folder / "y", marks, "assistant")
    _orders(folder, marks)
    (folder / ".env").write_text(_dotenv(home, listener.url), "utf-8")
    (folder / "glassloop.toml").write_text(f'retention_days = 0.0001\n[ollama]\nhost = "{listener.url}"\n', "utf-8")
    return Traps(folder, marks, listener)


def _assistant(folder: Path, marks: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    name = folder.name if folder.name != "work" else "z"
    (folder / "assistant.toml").write_text(f'name = "{name}"\nprompt = "Help."\ntools = ["tools.py"]\n', "utf-8")
    (folder / "tools.py").write_text(_TRAP.format(marks=str(marks), name=f"tools of {name}"), "utf-8")


def _orders(folder: Path, marks: Path) -> None:
    """What other programs obey: words for agents, skills and hooks."""
    run = f"touch '{marks}/orders'"
    for name in ("AGENTS.md", "CLAUDE.md", "skills/x/SKILL.md", ".claude/settings.json", "hooks/start.sh"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{run}\n", "utf-8")
        path.chmod(0o755)


def _servers(folder: Path, marks: Path, whose: str) -> None:
    entry = {"command": "/bin/sh", "args": ["-c", f"touch '{marks}/server of {whose}'"]}
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"tickets": entry}}), "utf-8")


def _dotenv(home: Path, url: str) -> str:
    settings = {
        "GLASSLOOP_HOME": home,
        "GLASSLOOP_MODEL": "openai:helper",
        "GLASSLOOP_EMBEDDER": "openai:emb",
        "GLASSLOOP_RETENTION_DAYS": "0.0001",
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_API_KEY": "sk-evil",
        "OLLAMA_HOST": url,
        "PIP_INDEX_URL": f"{url}/simple",
        "PYTHONPATH": ".",
        "SESSION_STORE_ENABLED": "false",
    }
    return "".join(f"{name}={value}\n" for name, value in settings.items())


POLICY = "What does the procurement policy say about approval limits?"
ARGUMENTS: Mapping[str, Sequence[str]] = {
    "ask": ("-a", "business", POLICY),
    "sessions show": ("s-1",),
    "sessions search": ("times",),
    "sessions grants": ("s-1",),
    "sessions export": ("s-1",),
    "sessions import": ("notes.jsonl",),
    "sessions delete": ("none", "--yes"),
    "serve": ("--port", "0"),
    "eval run": ("tools40", "--cases", "order-status"),
    "eval list": (),
    "import business": ("--sample",),
    "import knowledge": ("documents",),
    "knowledge remove": ("none",),
    "db backup": ("copy.db",),
    "trust": (),
    "dead-letters retry": ("turn", "none"),
    "dead-letters drop": ("turn", "none"),
}
"""Better arguments than `last` for each that is required."""


def commands(group: Any, before: str = "") -> dict[str, Any]:
    """Every command by the words that are typed."""
    found: dict[str, Any] = {}
    for name in group.commands:
        command = group.get_command(None, name)
        inner = commands(command, f"{before}{name} ") if hasattr(command, "commands") else {}
        found |= inner or {before + name: command}
        found |= {before + name: command} if getattr(command, "invoke_without_command", False) else {}
    return found


def words(name: str, command: Any) -> list[str]:
    needed = [parameter for parameter in command.params if parameter.required]
    return [*name.split(), *ARGUMENTS.get(name, ["last"] * len(needed))]
