"""From the settings to things that run: an agent for an assistant, a runtime around a store."""

import hashlib
import os
import re
import time
from collections.abc import Sequence
from functools import partial

from glassloop.core.errors import UsageError
from glassloop.core.ports import Clock, EventBus, Scheduler
from glassloop.memory.conversation import ConversationMemory
from glassloop.models.tiers import find_preset
from glassloop.projections.reasoning_trace import reasoning_trace
from glassloop.runtime.assistants.agent import Agent
from glassloop.runtime.assistants.agents import AgentKey, Agents, Make
from glassloop.runtime.assistants.assistant_files import (
    check_logged,
    default_assistant,
    find_assistant,
    load_parts,
    open_assistant,
)
from glassloop.runtime.assistants.routing import make_router
from glassloop.runtime.bus.local import LocalBus
from glassloop.runtime.conversations.archive import StoreArchive
from glassloop.runtime.conversations.index import IndexIntervals
from glassloop.runtime.conversations.indexer import ConversationIndexer
from glassloop.runtime.conversations.search import ConversationSearch
from glassloop.runtime.conversations.titles import TitleWriter
from glassloop.runtime.durable.jobs import JobKind, Jobs
from glassloop.runtime.durable.observers import Observer
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.durable.worker_identity import LeaseIdentity, LockIdentity, WorkerIdentity
from glassloop.runtime.embedding import ready_embedder
from glassloop.runtime.extensions import Extension, RuntimeContext
from glassloop.runtime.knowledge import Knowledge, knowledge_kinds
from glassloop.runtime.models import named_models
from glassloop.runtime.schedulers.in_process import InProcessScheduler
from glassloop.runtime.settings import Settings
from glassloop.runtime.toolsets import Toolsets
from glassloop.runtime.weights import pull_kind
from glassloop.store import open_store
from glassloop.store.engine.encryption import Cipher
from glassloop.store.engine.urls import MEMORY, file_of, is_postgres
from glassloop.store.log.redaction import Redactor
from glassloop.store.store import Store

FILE_NAME = "glassloop.db"
KEY_FILE = "encryption.key"
POLL_S = 0.25
"""How often a watcher looks into a SQLite file that other processes may write."""


def build_agent(
    assistant: str,
    settings: Settings,
    model: str | None = None,
    max_iterations: int | None = None,
    memory: ConversationMemory | None = None,
    knowledge: Knowledge | None = None,
    past: ConversationSearch | None = None,
    store: Store | None = None,
    above: Sequence[str] = (),
) -> Agent:
    """The assistant of that name, or in that folder, on the model of that name, or on the one in force.

    `above` are the assistants that have it as a sub-agent.
    """
    found = open_assistant(assistant or default_assistant(settings), settings)
    profile = found.profile(settings)
    redact = Redactor(settings.secrets).text
    offered = {"knowledge": knowledge and knowledge.base, "past": past, "store": store, "redact": redact}
    parts = load_parts(found, settings, offered)
    models, tier_for = named_models(model, settings), find_preset(profile.preset).tier_for
    embedder, deciding = ready_embedder(settings), models[tier_for("decide", "")]

    def sub_agent(name: str) -> tuple[Agent, str]:
        below = (*above, found.name)
        if name in below:
            raise UsageError(f"The assistants {', '.join(below)} have one another as sub-agents: take {name!r} out.")
        about = find_assistant(name, settings)
        made = build_agent(name, settings, model, None, None, knowledge, past, store, below)
        return made, about.description or about.title

    helpers = [agent.as_tool(description=about) for agent, about in map(sub_agent, found.agents)]
    return Agent(
        models,
        [*parts.tools, *helpers] if helpers else parts.tools,
        profile=profile,
        handoffs=[agent.as_handoff(description=about) for agent, about in map(sub_agent, found.handoffs)],
        router=make_router(found.router, found.routing, parts.plugins, deciding, models[tier_for("route", "")]),
        plugins=parts.plugins,
        max_iterations=max_iterations,
        tier_for=tier_for,
        history_tokens=settings.context_token_budget,
        memory=memory,
        finder=settings.extensions.shortlist(settings, embedder, small=deciding.abilities.small),
        advisor=settings.extensions.advisor(settings, embedder),
    )


def store_url(settings: Settings) -> str:
    """Where turns are stored."""
    if not settings.session_store_enabled:
        return MEMORY
    return settings.database_url or str(settings.home_path / FILE_NAME)


async def open_settings_store(settings: Settings) -> Store:
    """The store of these settings; keys that are set never reach it."""
    key = settings.encryption_key
    cipher = Cipher.from_text(key) if key else Cipher.from_file(settings.home_path / KEY_FILE)
    branches = settings.extensions.branches
    return await open_store(
        store_url(settings), secrets=settings.secrets, trace=_trace, cipher=cipher, branches=branches
    )


async def open_runtime(
    settings: Settings,
    *,
    extensions: Sequence[Extension] = (),
    make: Make | None = None,
    queue: bool = False,
    runs_turns: bool = True,
    recovers_turns: bool = True,
    kinds: Sequence[JobKind] = (),
    lease_s: float | None = None,
    observers: Sequence[Observer] = (),
    titles: bool = False,
    pace: IndexIntervals | None = None,
    clock: Clock = time.time,
) -> Runtime:
    """A runtime on the store of these settings, started. `extensions` are used beside the installed ones.

    `queue`: turns go to whichever worker is free, over PostgreSQL; else those submitted here run here.
    `runs_turns=False` only submits and watches. `recovers_turns=False` leaves the turns of lost workers to others.
    `make` makes the agents, `observers` see the turns that run here. `titles`: a model names conversations.
    """
    settings = settings.extended(extensions)
    store, scheduler, bus, own = await _opened(settings, queue, lease_s, clock)
    memory = ConversationMemory(clock=clock, archive=StoreArchive(store))

    def make_agent(wanted: AgentKey) -> Agent:
        name, model, most = wanted.assistant, wanted.model, wanted.max_iterations
        return build_agent(name, settings, model, most, memory, knowledge, runtime.conversation_search, store)

    def refresh() -> None:
        for part in filter(None, (agents, knowledge, past)):
            part.renew()

    context = RuntimeContext(settings=settings, store=store, refresh=refresh)
    knowledge, past, toolsets = Knowledge(settings), open_past(settings, store, pace), Toolsets.from_settings(settings)
    check, fingerprint = partial(check_logged, settings=settings), partial(settings.extensions.fingerprint, settings)
    agents = Agents(make or make_agent, toolsets, check=check, fingerprint=fingerprint, changed=refresh)
    # The parts know one another: the functions here are called only after all of them are made.
    of_knowledge = knowledge_kinds(knowledge, lambda kind, user: jobs.submit(kind, user=user))
    every_kind = (pull_kind(settings, refresh), *of_knowledge, *settings.extensions.jobs(context), *kinds)
    jobs = Jobs(store, bus, scheduler, own, every_kind)
    runtime = Runtime(
        context=context,
        agents=agents,
        scheduler=scheduler,
        bus=bus,
        identity=own,
        jobs=jobs,
        knowledge=knowledge,
        past=past,
        toolsets=toolsets,
        runs_own=not queue,
        runs_turns=runs_turns,
        recovers_turns=recovers_turns,
        observers=observers,
        title_writer=TitleWriter(store, agents) if titles else None,
        clock=clock,
    )
    return await runtime.start()


def open_past(settings: Settings, store: Store, pace: IndexIntervals | None = None) -> ConversationIndexer | None:
    """The past conversations of that store, indexed beside it; None where it is in memory, and nothing may lie in
    files."""
    url = store_url(settings)
    if not is_postgres(url) and file_of(url) == MEMORY:
        return None
    # An index for each database; whoever signs in there, and how, does not make it another one.
    place = re.sub(r"//[^/@]*@", "//", url).partition("?")[0] if is_postgres(url) else os.path.realpath(file_of(url))
    digest = hashlib.blake2b(place.encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()
    folder = settings.home_path / "conversations" / digest
    return ConversationIndexer(store, folder, settings, url if is_postgres(url) else None, pace)


async def _opened(
    settings: Settings, queue: bool, lease_s: float | None, clock: Clock
) -> tuple[Store, Scheduler, EventBus, WorkerIdentity]:
    """The store, and what goes with its database."""
    url = store_url(settings)
    if queue and not is_postgres(url):
        raise UsageError("Workers need a database they all reach: set DATABASE_URL to postgresql://….")
    store = await open_settings_store(settings)
    try:
        return store, *await _surroundings(url, settings, queue, lease_s, clock)
    except BaseException:
        await store.aclose()
        raise


async def _surroundings(
    url: str, settings: Settings, queue: bool, lease_s: float | None, clock: Clock
) -> tuple[Scheduler, EventBus, WorkerIdentity]:
    """Who runs turns, who hears of them, and how workers know of one another: by what the database can do."""
    if not is_postgres(url):
        path = file_of(url)
        shared = path != MEMORY
        own = LockIdentity(os.path.realpath(path) if shared else path)  # noqa: ASYNC240
        return InProcessScheduler(settings.max_turns), LocalBus(POLL_S if shared else None), own
    from glassloop.runtime.bus.postgres import PostgresBus

    bus = await PostgresBus.open(url)
    own = LeaseIdentity(clock=clock) if lease_s is None else LeaseIdentity(lease_s, clock)
    if not queue:
        return InProcessScheduler(settings.max_turns), bus, own
    from glassloop.runtime.schedulers.queue import QueueScheduler

    return QueueScheduler(url, settings.max_turns), bus, own


def _trace(events: Sequence[object]) -> object:
    return reasoning_trace(events)  # pyright: ignore[reportArgumentType]
