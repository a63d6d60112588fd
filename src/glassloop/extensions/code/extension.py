"""`CodeExtension`: what the code assistant brings along."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from glassloop.runtime.durable.turn_context import AskedQuestion, TurnContext
from glassloop.runtime.extensions import Extension, MaintenanceTask, RuntimeContext
from glassloop.runtime.settings.fields import setting

if TYPE_CHECKING:
    import typer
    from fastapi import APIRouter
    from prometheus_client.registry import Collector

    from glassloop.runtime.settings.settings import Settings


class CodeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[code]`"""

    roots: Annotated[
        str | None,
        setting(
            "Folders that people may work in, with commas between; {user} stands for the user's name.", folder="never"
        ),
    ] = None
    sandbox: Annotated[
        Literal["auto", "bubblewrap", "landlock", "off"],
        setting("What holds commands within their folder.", folder="never"),
    ] = "auto"
    rate: Annotated[int, setting("File operations of a session a minute.", folder="never")] = 100
    keep_days: Annotated[int, setting("Days for which what was changed can be taken back.", folder="never")] = 30
    keep_bytes: Annotated[int, setting("Bytes kept for taking changes back, the oldest go first.", folder="never")] = (
        500_000_000
    )
    searxng_url: Annotated[
        str,
        setting(
            "The SearXNG server that web searches go to; its JSON format must be on.", env="SEARXNG_URL", folder="never"
        ),
    ] = "http://localhost:8888"


class CodeExtension(Extension):
    name = "code"
    settings = CodeSettings

    def assistants(self) -> Sequence[Path]:
        return (Path(__file__).parent,)

    def suites(self) -> Path:
        return Path(__file__).parent / "suites"

    def routers(self) -> "Sequence[APIRouter]":
        from glassloop.extensions.code.chat import context_routes, file_routes, routes

        return (routes.router, file_routes.router, context_routes.router)

    async def turn_context(self, context: RuntimeContext, asked: AskedQuestion) -> TurnContext:
        from glassloop.extensions.code.chat.context import context_for

        return TurnContext() if asked.assistant != self.name else await context_for(context, asked)

    def commands(self) -> "Mapping[str, typer.Typer]":
        from glassloop.extensions.code.terminal.commands import commands

        return {"": commands}

    def workspace_roots(self, settings: "Settings") -> Sequence[str]:
        return [root.strip() for root in (settings.of(CodeSettings).roots or "").split(",") if root.strip()]

    def maintenance(self, context: RuntimeContext) -> Sequence[MaintenanceTask]:
        async def prune_audit() -> None:
            from glassloop.extensions.code.audit import prune

            await prune(context.store)

        return (MaintenanceTask(name="audit of code", every_s=3600.0, run=prune_audit),)

    def metrics(self, context: RuntimeContext) -> "Sequence[Collector]":  # noqa: ARG002
        from glassloop.extensions.code.metrics import ViolationCollector

        return (ViolationCollector(),)

    async def erase(self, context: RuntimeContext, user: str | None, sessions: Sequence[str]) -> Mapping[str, int]:
        import asyncio

        from glassloop.extensions.code.undo.kept_store import KeptStore

        told = context.settings.of(CodeSettings)
        kept = KeptStore(context.settings.home_path, days=told.keep_days, max_bytes=told.keep_bytes)
        gone = {"kept changes of files": await asyncio.to_thread(kept.forget, user, sessions)}
        if user is None or context.code_indexes is None:
            return gone
        return gone | {"indexes of folders": await context.code_indexes.forget_user(user)}
