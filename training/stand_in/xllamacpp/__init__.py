"""Stands in for `xllamacpp` in evaluations: passes requests on to one slot of a llama-server that runs already.

So several processes share the weights on one GPU. `LLAMA_SERVER` is the port of that server on this machine, which has
the weights, the adapter and a slot for each process (`llama-server --lora FILE -np 16 …`); `LLAMA_SLOT` is the slot.
"""

import contextlib
import os
import re
import socket
import socketserver
import threading
from pathlib import Path
from typing import Any

__version__ = "shared"

_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
_IN_PATH = re.compile(rb"(?<=/slots/)\d+")
_IN_BODY = re.compile(rb'(?<="id_slot":)\d+')


class _Anything:
    """Takes any attribute: the settings are those of the server that runs already."""

    def __init__(self, *_: object) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = self.__dict__[name] = _Anything()
        return made


CommonParams = CommonAdapterLoraInfo = _Anything
llama_load_mode = ggml_type = _Anything()


class Server:
    """Listens on the socket that is wanted, until the process ends."""

    def __init__(self, params: Any) -> None:
        (path,) = params.hostnames
        server, slot = int(os.environ["LLAMA_SERVER"]), int(os.environ["LLAMA_SLOT"])
        self.listening_address = f"unix://{path}"
        passing = _Passing(path, server, slot)
        threading.Thread(target=passing.serve_forever, daemon=True).start()


class _Passing(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, path: str, server: int, slot: int) -> None:
        Path(path).unlink(missing_ok=True)
        super().__init__(path, _Request)
        self.server, self.slot = server, slot


class _Request(socketserver.BaseRequestHandler):
    """One request on a connection; closing it ends the work."""

    server: _Passing

    def handle(self) -> None:
        asked = self._read()
        if not asked:
            return
        with (
            socket.create_connection(("127.0.0.1", self.server.server)) as onward,
            contextlib.suppress(OSError),
        ):
            onward.sendall(in_slot(asked, self.server.slot))
            threading.Thread(target=self._end_with_client, args=(onward,), daemon=True).start()
            while piece := onward.recv(65_536):
                self.request.sendall(piece)

    def _read(self) -> bytes:
        data = b""
        while piece := self.request.recv(65_536):
            data += piece
            head, end, body = data.partition(b"\r\n\r\n")
            found = _LENGTH.search(head)
            if end and len(body) >= (int(found[1]) if found else 0):
                return data
        return b""

    def _end_with_client(self, onward: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while self.request.recv(4096):
                pass
            onward.shutdown(socket.SHUT_RDWR)


def in_slot(request: bytes, slot: int) -> bytes:
    """The request for another slot, on a connection that is closed after the reply."""
    head, _, body = request.partition(b"\r\n\r\n")
    wanted = str(slot).encode()
    head, body = _IN_PATH.sub(wanted, head, count=1), _IN_BODY.sub(wanted, body, count=1)
    lines = [line for line in head.split(b"\r\n") if not line.lower().startswith((b"content-length:", b"connection:"))]
    return b"\r\n".join([*lines, b"Content-Length: %d" % len(body), b"Connection: close", b"", body])
