"""Catalogue of models that providers list, asked for when needed and kept for a bounded time.

One list for each configured provider, whoever asks; who may use which of them is decided elsewhere. A provider without
a list, or whose list cannot be had, is there with its default models.
"""

import asyncio
import time
from collections.abc import Sequence

import msgspec

from glassloop.core.errors import ModelError
from glassloop.core.ports import Clock
from glassloop.models.provider_kit.effort import Effort
from glassloop.models.provider_kit.model_list import ListedModel
from glassloop.runtime.providers import Provider
from glassloop.runtime.settings import Settings
from glassloop.runtime.settings.connections import connections_version

KEPT_S = 600.0
"""How old a list may be."""
FAILED_S = 30.0
"""How long a list that could not be had is not asked for again."""
FIND_S = 2.0
"""How long a server on this machine may take to be found."""


class OfferedModel(msgspec.Struct, frozen=True, kw_only=True):
    """A model that can be chosen, by its whole name. `title` is the provider's own name of it, or empty."""

    name: str
    provider: str
    title: str = ""
    context_tokens: int | None = None
    efforts: Sequence[Effort] = ()
    language_model: bool = True


class ProviderModels(msgspec.Struct, frozen=True, kw_only=True):
    """The models of one provider; `problem` is why its list could not be had, and `listed` whether there is one."""

    provider: str
    models: Sequence[OfferedModel]
    listed: bool = False
    problem: str = ""
    until: float = 0.0


class ModelCatalogue:
    """Lists of a process. `clock` is monotonic, in seconds."""

    def __init__(self, settings: Settings, clock: Clock = time.monotonic) -> None:
        self._settings = settings
        self._clock = clock
        self._kept: dict[str, ProviderModels] = {}
        self._asked: dict[str, asyncio.Task[ProviderModels]] = {}
        self._version: object = None

    async def offered(self) -> Sequence[ProviderModels]:
        """The models of every provider that is configured, by rank."""
        await self._look()
        ranked = sorted(
            (each.rank if each.rank is not None else 1_000, name)
            for name, each in self._settings.extensions.providers.items()
        )
        names = await asyncio.to_thread(self._configured, [name for _, name in ranked])
        return await asyncio.gather(*(self._of(name) for name in names))

    async def found_here(self) -> Sequence[ProviderModels]:
        """Providers that nobody configured and that answer on this machine, with what they have."""
        await self._look()
        known = self._settings.extensions.providers
        names = [name for name, each in known.items() if each.usual_address]
        configured = await asyncio.to_thread(self._configured, names)
        found = await asyncio.gather(*(self._of(name, FIND_S) for name in names if name not in configured))
        return [each for each in found if each.listed and not each.problem]

    def forget(self) -> None:
        """Has every list asked for anew: connections changed."""
        self._kept.clear()
        # What is under way is of the connection there was.
        self._asked.clear()

    async def _look(self) -> None:
        version = await asyncio.to_thread(connections_version, self._settings.home_path)
        if version != self._version:
            self._version = version
            self.forget()

    def _configured(self, names: Sequence[str]) -> Sequence[str]:
        providers = self._settings.extensions.providers
        return [name for name in names if providers[name].configured(self._settings)]

    async def _of(self, name: str, most_s: float | None = None) -> ProviderModels:
        kept = self._kept.get(name)
        if kept is not None and kept.until > self._clock():
            return kept
        asked = self._asked.get(name)
        if asked is None:
            asked = self._asked[name] = asyncio.create_task(self._ask(name, most_s))
        try:
            found = await asyncio.shield(asked)
        finally:
            if asked.done() and self._asked.get(name) is asked:
                del self._asked[name]
        if self._asked.get(name) in (None, asked):
            self._kept[name] = found
        return found

    async def _ask(self, name: str, most_s: float | None) -> ProviderModels:
        provider = self._settings.extensions.providers[name]
        if provider.list_models is None:
            return self._defaults(name, provider, "")
        try:
            async with asyncio.timeout(most_s):
                found = await provider.list_models(self._settings)
        except (ModelError, TimeoutError) as error:
            return self._defaults(name, provider, str(error) or f"{name} does not respond.")
        models = [offered_model(name, each) for each in found]
        return ProviderModels(provider=name, models=models, listed=True, until=self._clock() + KEPT_S)

    def _defaults(self, name: str, provider: Provider, problem: str) -> ProviderModels:
        names = dict.fromkeys(provider.tiers.values()) or (() if provider.needs_model else (name,))
        models = [OfferedModel(name=each, provider=name, language_model=provider.language_model) for each in names]
        until = self._clock() + (FAILED_S if problem else KEPT_S)
        return ProviderModels(provider=name, models=models, problem=problem, until=until)


def offered_model(provider: str, listed: ListedModel) -> OfferedModel:
    return OfferedModel(
        name=f"{provider}:{listed.id}",
        provider=provider,
        title=listed.title,
        context_tokens=listed.context_tokens,
        efforts=listed.efforts,
    )
