"""From the settings to things that run: an agent for an assistant, a runtime around a store."""

import asyncio
import hashlib
import os
import re
import time
from collections.abc import Awaitable, Sequence
from functools import partial

from glassloop.core.errors import UsageError
from glassloop.core.ports import Clock, EventBus
from glassloop.core.scheduling import Scheduler
from glassloop.memory.conversation import ConversationMemory
from glassloop.models.provider_kit.effort import Effort
from glassloop.models.tiers import find_preset
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
from glassloop.runtime.assistants.served_agents import agents_of, with_agents
from glassloop.runtime.bus.local import LocalBus
from glassloop.runtime.chat_imports.conversation_importer import chats_kind
from glassloop.runtime.code_indexes import CodeIndexes, Submit
from glassloop.runtime.collections.collections import Collections
from glassloop.runtime.collections.imports import collection_jobs
from glassloop.runtime.conversations.archive import StoreArchive
from glassloop.runtime.conversations.index import IndexIntervals
from glassloop.runtime.conversations.indexer import ConversationIndexer
from glassloop.runtime.conversations.search import ConversationSearch
from glassloop.runtime.conversations.titles import TitleWriter
from glassloop.runtime.durable.jobs import JobKind, Jobs
from glassloop.runtime.durable.observers import Observer
from glassloop.runtime.durable.question_tools import question_tools
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.durable.worker_identity import WorkerIdentity
from glassloop.runtime.embedding import ready_embedder
from glassloop.runtime.extensions import Extension, RuntimeContext
from glassloop.runtime.governance.access_control import AccessControl
from glassloop.runtime.knowledge import Knowledge, knowledge_kinds
from glassloop.runtime.models import named_models
from glassloop.runtime.notifications.notifier import Notifier
from glassloop.runtime.schedulers.in_process import InProcessScheduler
from glassloop.runtime.settings import Settings
from glassloop.runtime.settings.connections import connections_version
from glassloop.runtime.stores import open_settings_store, store_url, worker_identity
from glassloop.runtime.tools.code_search import CodeSearch
from glassloop.runtime.toolsets import Toolsets
from glassloop.runtime.weights import pull_kind
from glassloop.runtime.workspaces import AllowedRoots, SessionWorkspaces, Workspaces
from glassloop.store.engine.urls import MEMORY, file_of, is_postgres
from glassloop.store.log.redaction import Redactor
from glassloop.store.records import JobRow
from glassloop.store.store import Store

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
    workspaces: Workspaces | None = None,
    contexts: CodeSearch | None = None,
    effort: Effort | None = None,
) -> Agent:
    """The assistant of that name, or in that folder, on the model of that name, or on the one in force.

    `above` are the assistants that have it as a sub-agent. `effort`: how long a model that reasons may do so.
    """
    found = open_assistant(assistant or default_assistant(settings), settings)
    if not found.folder:
        return _served(found.name, settings, model, max_iterations, memory)
    profile = found.profile(settings)
    redact = Redactor(settings.secrets).text
    kept = {"knowledge": knowledge and knowledge.base, "past": past, "store": store}
    offered = {**kept, "redact": redact, "workspaces": workspaces, "contexts": contexts}
    parts = load_parts(found, settings, offered)
    models, tier_for = named_models(model, settings, effort), find_preset(profile.preset).tier_for
    embedder, deciding = ready_embedder(settings), models[tier_for("decide", "")]

    def sub_agent(name: str) -> tuple[Agent, str]:
        below = (*above, found.name)
        if name in below:
            raise UsageError(f"The assistants {', '.join(below)} are sub-agents of each other: remove {name!r}.")
        about = find_assistant(name, settings)
        made = build_agent(
            name, settings, model, None, None, knowledge, past, store, below, workspaces, contexts, effort
        )
        return made, about.description or about.title

    helpers = [agent.as_tool(description=about) for agent, about in map(sub_agent, found.agents)]
    return Agent(
        models,
        [*parts.tools, *helpers] if helpers else parts.tools,
        profile=profile,
        handoffs=[agent.as_handoff(description=about) for agent, about in map(sub_agent, found.handoffs)],
        router=make_router(found.router, found.routing, parts.plugins, deciding, models[tier_for("route", "")]),
        plugins=parts.plugins,
        guardrails=parts.guardrails,
        max_iterations=max_iterations,
        tier_for=tier_for,
        history_tokens=settings.context_token_budget,
        memory=memory,
        finder=settings.extensions.shortlist(settings, embedder, small=deciding.abilities.small),
    )


def _served(
    name: str, settings: Settings, model: str | None, max_iterations: int | None, memory: ConversationMemory | None
) -> Agent:
    if model is not None:
        raise UsageError(f"The assistant {name!r} has its own model: omit the model.")
    agent = agents_of(settings.extensions)[name].agent
    return agent.served(memory=memory, max_iterations=max_iterations)


async def open_runtime(
    settings: Settings,
    *,
    agents: Sequence[Agent] = (),
    extensions: Sequence[Extension] = (),
    make: Make | None = None,
    queue: bool = False,
    runs_turns: bool = True,
    recovers_turns: bool = True,
    kinds: Sequence[JobKind] = (),
    lease_s: float | None = None,
    observers: Sequence[Observer] = (),
    titles: bool = False,
    enforces_access: bool = False,
    pace: IndexIntervals | None = None,
    clock: Clock = time.time,
) -> Runtime:
    """A runtime on the store of these `settings`, started. `agents` are served under their names beside the assistants
    there are, the first where nobody is named, and closed with it; `extensions` are used beside the installed ones.

    `queue`: turns go to any worker that is free, over PostgreSQL. `runs_turns=False` only submits and watches,
    `recovers_turns=False` leaves turns of lost workers to others. `make`: makes agents. `observers`: see the turns run
    here. `titles`: a model names conversations. `enforces_access`: users are held to the access rules. `kinds`: further
    jobs. `lease_s`, `pace`, `clock`: for tests."""
    settings = await asyncio.to_thread(with_agents, settings.extended(extensions), agents)
    store, scheduler, bus, own = await _opened(settings, queue, lease_s, clock)
    memory = ConversationMemory(clock=clock, archive=StoreArchive(store))

    def make_agent(wanted: AgentKey) -> Agent:
        name, model, most, effort = wanted.assistant, wanted.model, wanted.max_iterations, wanted.effort
        found = runtime.conversation_search
        return build_agent(
            name, settings, model, most, memory, knowledge, found, store, (), workspaces, indexes, effort
        )

    def refresh() -> None:
        for part in filter(None, (made, knowledge, past, indexes)):
            part.renew()

    workspaces = SessionWorkspaces(store, await asyncio.to_thread(AllowedRoots, settings))
    indexes = CodeIndexes(settings, workspaces.roots)
    context = RuntimeContext(
        settings=settings, store=store, refresh=refresh, workspaces=workspaces, code_indexes=indexes
    )
    knowledge, past, toolsets = Knowledge(settings), open_past(settings, store, pace), Toolsets.from_settings(settings)
    check, fingerprint = partial(check_logged, settings=settings), partial(_fingerprint, settings)
    named = question_tools(store, knowledge.base, settings.home_path)
    made = Agents(make or make_agent, toolsets, check=check, fingerprint=fingerprint, changed=refresh, tools=named)
    access = AccessControl(settings, store, enforced=enforces_access)
    # The parts know one another: the functions here are called only after all of them are made.
    submit: Submit = lambda kind, params, user: jobs.submit(kind, params, user=user, limited=False)  # noqa: E731
    every = [*_job_kinds(context, knowledge, indexes, submit), *kinds]
    jobs = Jobs(store, bus, scheduler, own, every, user_jobs=settings.user_jobs or None)
    runtime = Runtime(
        context=context, agents=made, scheduler=scheduler, bus=bus, identity=own, jobs=jobs,
        knowledge=knowledge, past=past, toolsets=toolsets, access=access, observers=observers, clock=clock,
        runs_own=not queue, runs_turns=runs_turns, recovers_turns=recovers_turns,
        title_writer=TitleWriter(store, made, access) if titles else None,
        notifier=Notifier(store, settings.notify_domain_list, clock),
    )  # fmt: skip
    return await runtime.start()


def _job_kinds(context: RuntimeContext, knowledge: Knowledge, indexes: CodeIndexes, submit: Submit) -> list[JobKind]:
    """The jobs of documents, of code, of models, of conversations and of extensions."""

    def submit_plain(kind: str, user: str) -> Awaitable[JobRow]:
        return submit(kind, {}, user)

    collections = Collections(context.store, knowledge.base)
    return [
        *knowledge_kinds(knowledge, submit_plain),
        *collection_jobs(knowledge, collections, submit_plain),
        *indexes.jobs(submit),
        pull_kind(context.settings, context.refresh),
        chats_kind(context.store, context.settings),
        *context.settings.extensions.jobs(context),
    ]


def _fingerprint(settings: Settings) -> object:
    """What agents are made of on disk: connections that were entered, and what extensions have."""
    return (connections_version(settings.home_path), settings.extensions.fingerprint(settings))


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
        raise UsageError("Workers need a shared database: set DATABASE_URL to postgresql://….")
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
        shared = file_of(url) != MEMORY
        return InProcessScheduler(settings.max_turns), LocalBus(POLL_S if shared else None), worker_identity(url)
    from glassloop.runtime.bus.postgres import PostgresBus

    bus = await PostgresBus.open(url)
    own = worker_identity(url, lease_s, clock)
    if not queue:
        return InProcessScheduler(settings.max_turns), bus, own
    from glassloop.runtime.schedulers.queue import QueueScheduler

    return QueueScheduler(url, settings.max_turns), bus, own
