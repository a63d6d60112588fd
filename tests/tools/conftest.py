"""What the tests of tools share: an orchestrator around some tools, and contexts to call them in."""

from collections.abc import Callable
from typing import Any

import pytest

from glassloop.core.ports import CallContext
from glassloop.core.records import ToolCall, ToolResult
from glassloop.tools.execution.orchestrator import ToolOrchestrator
from glassloop.tools.registry import ToolRegistry


class Bench:
    """Calls tools by keyword, as a given user in a given session, and counts the calls' ids."""

    def __init__(self, *tools: Any, **options: Any) -> None:
        self.orchestrator = ToolOrchestrator(ToolRegistry(tools), **options)
        self.calls = 0

    def context(self, user: str = "ada", session: str = "s1", progress: Any = None) -> CallContext:
        return CallContext(turn_id="t1", session_id=session, user=user, call_id=f"c{self.calls}", progress=progress)

    async def call(
        self, name: str, args: Any, *, user: str = "ada", session: str = "s1", progress: Any = None
    ) -> ToolResult:
        self.calls += 1
        call = ToolCall(id=f"c{self.calls}", tool=name, args=args)
        return await self.orchestrator.execute_tool(call, self.context(user, session, progress))


@pytest.fixture
def bench() -> Callable[..., Bench]:
    return Bench
