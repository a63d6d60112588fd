"""From a model's name and the settings to models by tier, with retries and fallback."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from glassloop.core.errors import UsageError
from glassloop.core.messages import Abilities
from glassloop.core.ports import Model
from glassloop.core.records import Tier
from glassloop.models.model_name import parse_model_name
from glassloop.models.provider_kit.effort import Effort
from glassloop.models.tiers import make_tiers
from glassloop.runtime.embedding import ready_embedder
from glassloop.runtime.probed_models import find_probe, store_learned
from glassloop.runtime.providers import ModelOptions, Provider, find_provider, make_model
from glassloop.runtime.settings import Settings, load_settings

if TYPE_CHECKING:
    from glassloop.models.probe import Examination, Tell


class ModelInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A provider as `glassloop models` shows it. `language_model`: not only rules that need none."""

    provider: str
    configured: bool
    model: str
    variable: str
    note: str
    language_model: bool = True


def default_model(settings: Settings) -> str:
    """The model in force: the one set, else that of the first provider that is configured, by rank."""
    if chosen := settings.chosen_model:
        return chosen
    found = next((info.model for info in describe_models(settings) if info.configured), None)
    if found is None:
        raise UsageError("No model is configured: set GLASSLOOP_MODEL to provider:model, with the key it needs.")
    return found


def describe_models(settings: Settings) -> Sequence[ModelInfo]:
    """What is configured, and what the rest would need: those that may answer unnamed, in their order."""
    ranked = [(each.rank, name) for name, each in settings.extensions.providers.items() if each.rank is not None]
    return [_info(name, settings.extensions.providers[name], settings) for _, name in sorted(ranked)]


def sighted_models(settings: Settings) -> Sequence[str]:
    """The configured models that see images, the first to be tried first."""
    known = settings.extensions.providers
    seeing = [info.model for info in describe_models(settings) if info.configured and known[info.provider].images]
    return [*declared_image_models(settings), *seeing]


def declared_image_models(settings: Settings) -> Sequence[str]:
    """Those that the user says see images."""
    return [name.strip() for name in (settings.image_models or "").split(",") if name.strip()]


def is_language_model(name: str, settings: Settings) -> bool:
    """Whether a model of that name understands language, rather than rules alone."""
    provider = settings.extensions.providers.get(parse_model_name(name).provider)
    return provider is None or provider.language_model


def is_offered(settings: Settings) -> bool:
    """Whether weights are all that is missing for a language model to answer."""
    if settings.chosen_model or settings.models_offline or is_language_model(default_model(settings), settings):
        return False
    return any(supply.problem() is None for supply in settings.extensions.weights(settings).values())


def named_models(
    name: str | None = None, settings: Settings | None = None, effort: Effort | None = None
) -> Mapping[Tier, Model]:
    """The models of the three tiers around `name`; where no other is set, one model serves all. Those that reason do so
    with that `effort`."""
    settings = settings or load_settings()
    balanced = name or default_model(settings)
    names: dict[Tier, str] = {"balanced": balanced}
    if name is None and settings.chosen_model is None:
        names |= settings.extensions.providers[parse_model_name(balanced).provider].tiers
    names |= _set({"fast": settings.model_fast, "powerful": settings.model_powerful})
    spare = settings.fallback_model
    fallbacks = _set(
        {
            "balanced": spare,
            "fast": settings.fallback_model_fast or spare,
            "powerful": settings.fallback_model_powerful or spare,
        }
    )
    limit = asyncio.Semaphore(settings.max_model_calls)

    def make(wanted: str) -> Model:
        return _make(wanted, settings, effort=effort)

    return make_tiers(names, make, fallbacks=fallbacks, concurrency=limit)


async def examine_model(name: str, settings: Settings, tell: "Tell | None" = None) -> "Examination":
    """Finds out by asking what the model of that name can do, as these settings reach it."""
    from glassloop.models.probe import examine

    if not is_language_model(name, settings):
        raise UsageError(
            f"{name!r} is not a language model, so there is nothing to test: choose one that `glassloop models` lists, "
            "as in `glassloop models doctor ollama:qwen3:8b`."
        )
    find_provider(name, settings.extensions.providers)
    return await examine(lambda abilities: _make(name, settings, abilities), tell)


def _info(name: str, provider: Provider, settings: Settings) -> ModelInfo:
    return ModelInfo(
        provider=name,
        configured=provider.configured(settings),
        model=provider.tiers.get("balanced", name),
        variable=provider.variable,
        note=provider.note if isinstance(provider.note, str) else provider.note(settings),
        language_model=provider.language_model,
    )


def _set(names: Mapping[Tier, str | None]) -> dict[Tier, str]:
    return {tier: name for tier, name in names.items() if name}


def _make(name: str, settings: Settings, abilities: Abilities | None = None, effort: Effort | None = None) -> Model:
    price = settings.prices.get(name)
    known = find_probe(name, settings) if abilities is None else None
    options = ModelOptions(
        settings=settings,
        abilities=known.abilities if known else abilities,
        images=name in declared_image_models(settings),
        per_million=(price.input, price.output) if price else None,
        embedder=lambda: ready_embedder(settings),
        effort=effort,
        learned=None if abilities is not None else lambda found: store_learned(name, found, settings),
    )
    return make_model(name, options)
