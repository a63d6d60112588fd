"""Readers of what the code assistant takes in."""

import asyncio
from typing import cast

import msgspec

from fuzzing.workspace import Workspace
from glassloop.extensions.code.acp.connection import RpcConnection
from glassloop.extensions.code.project.guidance import read_guidance
from glassloop.extensions.code.project.project_info import read_project
from glassloop.extensions.code.web_search import read_answer, result_of
from glassloop.root_folder import RootFolder


def manifests_reader(data: bytes, space: Workspace) -> None:
    folder = space.folder / "project"
    folder.mkdir(exist_ok=True)
    for name in ("pyproject.toml", "setup.cfg", "package.json", "composer.json", "Cargo.toml", "pom.xml", "AGENTS.md"):
        (folder / name).write_bytes(data)
    with RootFolder(folder.resolve()) as root:
        read_project(root)
        read_guidance(root)


def found_pages_reader(data: bytes, _: Workspace) -> None:
    result_of("x", read_answer(data), 5, 0.0)


def editor_reader(data: bytes, space: Workspace) -> None:
    async def answer(method: str, params: msgspec.Raw) -> None:
        del method, params

    async def read() -> None:
        reader, writer = asyncio.StreamReader(), _Nowhere()
        reader.feed_data(data + b"\n")
        reader.feed_eof()
        await RpcConnection(reader, cast("asyncio.StreamWriter", writer), answer).run()

    space.run(read())


class _Nowhere:
    def write(self, data: bytes) -> None: ...

    async def drain(self) -> None: ...
