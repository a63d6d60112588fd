"""Store or runtime that a command works on, on an event loop of its own; and the turn or session that it names."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from glassloop.cli.agent_targets import is_target, target_name, with_targets
from glassloop.cli.folder_settings import load_settings
from glassloop.cli.ui.output import complain
from glassloop.cli.ui.safe_text import one_line
from glassloop.core.errors import StoreAway, UnknownName, UsageError
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.assistants.assistant_files import absolute, default_assistant
from glassloop.runtime.build import open_runtime
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.settings import Settings
from glassloop.runtime.stores import open_settings_store, store_url
from glassloop.runtime.toolsets import Toolsets
from glassloop.store.engine.urls import file_of, is_postgres
from glassloop.store.records import EVAL_USER, Session, TurnRow
from glassloop.store.store import Store

USER = "anonymous"
"""Whose turns, sessions and decisions those of the command line are."""

LAST = "last"
"""The newest turn or session that was not asked by an evaluation."""

GRACE_S = 2.0
MAX_TURNS_SEARCHED = 1_000


@contextmanager
def use_runtime(
    settings: Settings | None = None,
    *,
    needs_store: bool = False,
    assistant: str | None = None,
    runs_turns: bool = True,
) -> Generator[tuple[asyncio.Runner, Runtime]]:
    """An event loop and the runtime on it. Turns of lost processes are left to `glassloop resume` and to servers.

    `needs_store`: about what is stored, and so never in memory instead. `assistant`: as a person chose it; an agent
    that is written in a program is served. Without `runs_turns` what is submitted is left to others.
    """
    settings = settings or load_settings()
    if assistant is not None and is_target(assistant):
        settings = with_targets(settings, [assistant])
    if needs_store:
        _refuse_memory(settings)
    with asyncio.Runner() as runner:
        stored = open_runtime(settings, recovers_turns=False, runs_turns=runs_turns) if needs_store else None
        runtime = runner.run(stored or _open(settings))
        try:
            yield runner, runtime
        finally:
            runner.run(runtime.aclose(GRACE_S))


@contextmanager
def use_store(settings: Settings | None = None, *, must_exist: bool = False) -> Generator[tuple[asyncio.Runner, Store]]:
    """An event loop and the store on it, for commands that run no turns. `made`: never one that is not there yet."""
    settings = settings or load_settings()
    _refuse_memory(settings)
    url = store_url(settings)
    if must_exist and not is_postgres(url) and not Path(file_of(url)).exists():
        raise UsageError(
            f"There is no database {file_of(url)!r}: set DATABASE_URL or GLASSLOOP_HOME to the location of one."
        )
    with asyncio.Runner() as runner:
        store = runner.run(open_settings_store(settings))
        try:
            yield runner, store
        finally:
            runner.run(store.aclose())


def _refuse_memory(settings: Settings) -> None:
    if not settings.session_store_enabled:
        raise UsageError("Nothing is stored while SESSION_STORE_ENABLED is false: set it to true.")


async def _open(settings: Settings) -> Runtime:
    try:
        return await open_runtime(settings, recovers_turns=False)
    except StoreAway as error:
        complain(f"{error} This conversation is kept in memory only.")
        return await open_runtime(msgspec.structs.replace(settings, session_store_enabled=False), recovers_turns=False)


def assistant_path(assistant: str) -> str:
    """The assistant as a turn names it: a folder by its whole path, so that it is found again from elsewhere, and an
    agent of a program by its name."""
    return target_name(assistant) if is_target(assistant) else absolute(assistant, Path.cwd())


def asked_assistant(assistant: str | None, settings: Settings) -> tuple[Settings, str]:
    """The settings to ask with, and the assistant that answers, or the default one, as a turn names it."""
    if assistant is not None and is_target(assistant):
        settings = with_targets(settings, [assistant])
    return settings, assistant_path(assistant or default_assistant(settings))


async def find_turn(store: Store, given: str) -> TurnRow:
    """The turn with this id, or the `last` one."""
    if given != LAST:
        found = await store.turns.get(given)
    else:
        newest = await store.turns.list(MAX_TURNS_SEARCHED)
        found = next((turn for turn in newest if turn.user_id != EVAL_USER), None)
    if found is None:
        raise UnknownName(f"There is no turn {given!r}: `glassloop sessions list` shows all conversations.")
    return found


async def find_session(store: Store, given: str, user: str | None = None) -> Session:
    """The session with this id, or the `last` one, if it is this user's; None is any user's."""
    if given == LAST:
        found = next(iter(await store.sessions.list(1, 0, user, evals=False)), None)
    else:
        found = await (store.sessions.get(given) if user is None else store.sessions.get_owned(given, user))
    if found is None:
        raise UnknownName(f"There is no session {given!r}: `glassloop sessions list` shows all sessions.")
    return found


_WAIT_NOTICE_S = 1.0


async def prepare_agent(runtime: "Runtime", wanted: "AgentKey") -> None:
    """Makes the agent before the first turn, says what one waits for where that takes long, and what is not used."""
    later = asyncio.get_running_loop().call_later(_WAIT_NOTICE_S, _notice_wait, runtime.toolsets)
    try:
        await runtime.agents.for_key(wanted)
    finally:
        later.cancel()
    notice_unused(runtime.toolsets, wanted.assistant)


def _notice_wait(toolsets: "Toolsets") -> None:
    if reason := toolsets.waiting_for:
        complain(reason)


def notice_unused(toolsets: "Toolsets", assistant: str) -> None:
    """Says on standard error what is not used, if anything."""
    for notice in toolsets.notices_for(assistant):
        complain(one_line(notice, 2_000))
