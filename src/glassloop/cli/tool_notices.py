"""Notices about tools that an assistant waits for, or does not get, before its first turn. Draws nothing."""

from typing import TYPE_CHECKING

from glassloop.cli.ui.safe_text import one_line
from glassloop.cli.ui.stdio import complain

if TYPE_CHECKING:
    from glassloop.runtime.assistants.agents import AgentKey
    from glassloop.runtime.durable.runtime import Runtime
    from glassloop.runtime.toolsets import Toolsets

_WAIT_NOTICE_S = 1.0


async def prepare_agent(runtime: "Runtime", wanted: "AgentKey") -> None:
    """Makes the agent before the first turn, says what one waits for where that takes long, and what is not used."""
    import asyncio

    later = asyncio.get_running_loop().call_later(_WAIT_NOTICE_S, _notice_wait, runtime.toolsets)
    try:
        await runtime.agents.for_key(wanted)
    finally:
        later.cancel()
    notice_unused(runtime.toolsets, wanted.assistant)


def _notice_wait(toolsets: "Toolsets") -> None:
    if told := toolsets.waiting_for:
        complain(told)


def notice_unused(toolsets: "Toolsets", assistant: str) -> None:
    """Says on standard error what is not used, if anything."""
    for notice in toolsets.notices_for(assistant):
        complain(one_line(notice, 2_000))
