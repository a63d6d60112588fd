"""Access control: what each user may use, by the rules of the settings and of the store.

Asked before a turn is taken, forked, scheduled or steered; `TurnBounds` holds a turn to it while it runs. Enforced by
servers and workers. Commands and programs that open a runtime themselves act for the operator, and are not restricted.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

import msgspec

from glassloop.core.access import GROUP, AccessRule, Permissions, check_subject, is_listed, permissions_of
from glassloop.core.errors import AccessDenied
from glassloop.core.events import TurnStarted
from glassloop.core.records import Json
from glassloop.models.model_name import parse_model_name
from glassloop.runtime.assistants.agents import AgentKey, Agents, key_of_turn
from glassloop.runtime.assistants.assistant_files import Assistant, default_assistant, list_assistants
from glassloop.runtime.assistants.served_agents import agents_of
from glassloop.runtime.governance.turn_bounds import TurnBounds, model_names
from glassloop.runtime.models import declared_image_models, default_model
from glassloop.runtime.settings import Settings
from glassloop.store.store import Store
from glassloop.store.tables.governance.audit import ADMIN

if TYPE_CHECKING:
    from glassloop.runtime.assistants.agent import Agent

READ_EVERY_S = 1.0
"""How old the rules of the store may be that a check is made with."""
_SHOWN = 5
_BY_OPERATOR = "by_operator"


class AccessControl:
    """`enforced`: False for the operator's own programs, which may use everything."""

    def __init__(self, settings: Settings, store: Store, *, enforced: bool) -> None:
        for subject in settings.access:
            check_subject(subject)
        self.enforced = enforced
        self._settings = settings
        self._store = store
        self._stored: Mapping[str, AccessRule] = {}
        self._read_at: float | None = None

    async def rules(self) -> Mapping[str, AccessRule]:
        """Those of the store, and those of the settings, which count before them."""
        now = time.monotonic()
        if self._read_at is None or now - self._read_at >= READ_EVERY_S:
            self._stored = await self._store.access.rules()
            self._read_at = now
        return {**self._stored, **self._settings.access}

    def forget(self) -> None:
        """Has the rules read anew at the next check: some were changed here."""
        self._read_at = None

    async def permissions(self, user: str) -> Permissions:
        """What a user may use and spend."""
        if not self.enforced or user == ADMIN:
            return Permissions()
        rules = await self.rules()
        grouped = any(subject.startswith(GROUP) for subject in rules)
        groups = await self._store.access.groups(user) if grouped else ()
        return permissions_of(user, groups, rules)

    async def assistants(self, user: str) -> Sequence[Assistant]:
        """The assistants that a user may use."""
        found, allowed = await asyncio.to_thread(list_assistants, self._settings), await self.permissions(user)
        return [one for one in found if allowed.allows_assistant(one.name)]

    async def models_of(self, user: str) -> Sequence[str] | None:
        """The models that a user may ask for, as far as they are limited; names may hold `*`."""
        return None if not self.enforced or user == ADMIN else self._named(await self.permissions(user))

    async def may_use_model(self, user: str, name: str) -> bool:
        """Whether a user may ask for that model by name."""
        named = await self.models_of(user)
        return named is None or is_listed(str(parse_model_name(name)), named)

    async def admit(self, user: str, wanted: AgentKey) -> AgentKey:
        """Which agent answers a user who asks for that one: the same, or on the first model of theirs where they may
        not use the one in force. Raises `AccessDenied`."""
        if not self.enforced or user == ADMIN:
            return wanted
        allowed = await self.permissions(user)
        if not allowed.allows_assistant(wanted.assistant):
            raise AccessDenied(
                f"You may not use the assistant {wanted.assistant[:80]!r}: choose one that GET /api/assistants lists, "
                "or ask the operator of this server."
            )
        if wanted.model is not None:
            named = self._named(allowed)
            if named is not None and not is_listed(str(parse_model_name(wanted.model)), named):
                raise AccessDenied(_denied(wanted.model, named))
            return wanted
        if allowed.models is None or wanted.assistant in agents_of(self._settings.extensions):
            return wanted
        if allowed.allows_model(default_model(self._settings)):
            return wanted
        own = next((name for name in allowed.models if not set(name) & set("*?[!")), None)
        return wanted if own is None else msgspec.structs.replace(wanted, model=own)

    async def agent_for(self, user: str, wanted: AgentKey | str | None, agents: Agents) -> "tuple[AgentKey, Agent]":
        """The agent that answers a user, and its key. Raises `AccessDenied`."""
        wanted = AgentKey(wanted) if isinstance(wanted, str) else wanted or AgentKey()
        if not wanted.assistant:
            wanted = msgspec.structs.replace(wanted, assistant=default_assistant(self._settings))
        wanted = await self.admit(user, wanted)
        agent = await agents.for_key(wanted)
        agents.choose(wanted.assistant)
        await self.check_agent(user, agent)
        return wanted, agent

    async def check_agent(self, user: str, agent: "Agent") -> None:
        """Raises `AccessDenied` where one of its models is none of the user's, and `SpendLimitReached` where nothing is
        left to spend."""
        if (bounds := await self.bounds_of(user)) is not None:
            bounds.check_models([name for model in agent.models.values() for name in model_names(model)])
            await bounds.check_spending()

    async def check_turn(self, started: TurnStarted, *, model: str | None = None) -> None:
        """Raises `AccessDenied` where the user of a turn may not go on with it, or not on that model."""
        key = key_of_turn(started)
        await self.admit(started.user, key if model is None else msgspec.structs.replace(key, model=model))

    async def bounds(self, started: TurnStarted) -> TurnBounds | None:
        """What holds a turn to what its user may use and spend; None where nothing does."""
        return await self.bounds_of(started.user)

    async def bounds_of(self, user: str) -> TurnBounds | None:
        """The same for any turn of a user."""
        allowed = await self.permissions(user)
        if allowed == Permissions():
            return None
        return TurnBounds(user, allowed, self._store.spending)

    def marked(self, wanted: dict[str, Json]) -> dict[str, Json]:
        """The key of an agent, for something that is asked later: what the operator chose stays chosen."""
        return wanted if self.enforced else {**wanted, _BY_OPERATOR: True}

    def open_models(self) -> Sequence[str]:
        """The models that everybody may use where no rule says otherwise: those that are configured, and those that
        this program brings and runs itself."""
        settings = self._settings
        named = (
            settings.chosen_model,
            settings.model_fast,
            settings.model_powerful,
            settings.fallback_model,
            settings.fallback_model_fast,
            settings.fallback_model_powerful,
            *declared_image_models(settings),
        )
        providers = settings.extensions.providers
        found = [str(parse_model_name(name)) for name in named if name]
        if not settings.chosen_model:
            first = default_model(settings)
            provider = providers.get(parse_model_name(first).provider)
            found += [first, *(provider.tiers.values() if provider is not None else ())]
        # A provider that is one model has no key and calls nobody.
        found += [name for name, provider in providers.items() if not provider.needs_model]
        return tuple(dict.fromkeys(found))

    def _named(self, allowed: Permissions) -> Sequence[str] | None:
        """None where nothing limits them: who uses a server of their own machine may connect providers to it too."""
        if allowed.models is None and self._settings.auth == "local":
            return None
        return self.open_models() if allowed.models is None else allowed.models


def by_operator(wanted: Json) -> bool:
    """Whether the operator's own program chose that."""
    return isinstance(wanted, dict) and cast("dict[str, Json]", wanted).get(_BY_OPERATOR) is True


def _denied(model: str, named: Sequence[str]) -> str:
    shown = ", ".join(named[:_SHOWN]) + (", …" if len(named) > _SHOWN else "")
    return (
        f"You may not use the model {model[:80]!r}: omit it, or choose from {shown or 'none'}. "
        "The operator of this server decides which (`glassloop access`)."
    )
