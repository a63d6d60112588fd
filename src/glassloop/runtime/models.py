"""From a model's name and the settings to models by tier, with retries and fallback."""

import asyncio
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

import msgspec

from glassloop.core.errors import UsageError
from glassloop.core.messages import Abilities
from glassloop.core.ports import Model
from glassloop.core.records import Tier
from glassloop.models.embedded.options import EmbeddedOptions, default_threads
from glassloop.models.names import PROVIDERS, ModelKeys, ModelName, ModelOptions, Provider, make_model, parse_model_name
from glassloop.models.tiers import DEFAULT_MODELS, default_models, make_tiers
from glassloop.models.weights.catalogue import QWEN, amount
from glassloop.runtime.examined import remembered
from glassloop.runtime.settings import Settings, load_settings
from glassloop.runtime.weights import embedded_weights

if TYPE_CHECKING:
    from glassloop.models.doctor.examine import Tell
    from glassloop.models.doctor.findings import Examination


class ModelInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A provider as `glassloop models` shows it."""

    provider: str
    configured: bool
    model: str
    variable: str
    note: str


def default_model(settings: Settings) -> str:
    """The model in force: the one set, else that of the first provider configured, else `embedded` if its weights are
    there, else `reflex`, which needs none."""
    if settings.model:
        return settings.model
    for info in describe_models(settings):
        if info.configured:
            return info.model
    return "reflex"


def describe_models(settings: Settings) -> Sequence[ModelInfo]:
    """What is configured, and what the rest would need."""
    rows = (
        ("anthropic", settings.anthropic_api_key, "ANTHROPIC_API_KEY", "Claude"),
        ("openai", settings.openai_api_key, "OPENAI_API_KEY", "GPT; with OPENAI_BASE_URL any compatible endpoint"),
        ("google", settings.google_api_key, "GOOGLE_API_KEY", "Gemini"),
        ("ollama", settings.ollama_host, "OLLAMA_HOST", "models on your own machine"),
    )
    found = [
        ModelInfo(
            provider=provider,
            configured=bool(value),
            model=DEFAULT_MODELS[provider]["balanced"],
            variable=variable,
            note=note,
        )
        for provider, value, variable, note in rows
    ]
    reflex = ModelInfo(
        provider="reflex",
        configured=True,
        model="reflex",
        variable="",
        note="no language model: matches words to tools",
    )
    return [*found, _embedded_info(settings), reflex]


def is_offered(settings: Settings) -> bool:
    """Whether only its weights are missing for `embedded` to answer instead of `reflex`."""
    wanted = default_model(settings) == "reflex" and not settings.model and not settings.models_offline
    return wanted and _runs_embedded()


def _embedded_info(settings: Settings) -> ModelInfo:
    ready = embedded_weights(settings) is not None
    missing = f"`glassloop models pull` downloads it, {amount(QWEN.size)}"
    if not _runs_embedded():
        missing = "not set up here"
    return ModelInfo(
        provider="embedded",
        configured=ready and _runs_embedded(),
        model="embedded",
        variable="",
        note=f"{QWEN.title} on this machine" if ready else f"{QWEN.title} on this machine: {missing}",
    )


def _runs_embedded() -> bool:
    return "embedded" in _PROVIDERS and find_spec("xllamacpp") is not None


def named_models(name: str | None = None, settings: Settings | None = None) -> Mapping[Tier, Model]:
    """The models of the three tiers around `name`; where no other is set, one model serves all."""
    settings = settings or load_settings()
    balanced = name or default_model(settings)
    names: dict[Tier, str] = {"balanced": balanced}
    if name is None and settings.model is None and parse_model_name(balanced).provider in DEFAULT_MODELS:
        names |= default_models(parse_model_name(balanced).provider)
    names |= _set({"fast": settings.model_fast, "powerful": settings.model_powerful})
    spare = settings.fallback_model
    fallbacks = _set(
        {
            "balanced": spare,
            "fast": settings.fallback_model_fast or spare,
            "powerful": settings.fallback_model_powerful or spare,
        }
    )
    gate = asyncio.Semaphore(settings.max_model_calls)
    return make_tiers(names, lambda wanted: _make(wanted, settings), fallbacks=fallbacks, concurrency=gate)


def _set(names: Mapping[Tier, str | None]) -> dict[Tier, str]:
    return {tier: name for tier, name in names.items() if name}


async def examine_model(name: str, settings: Settings, tell: "Tell | None" = None) -> "Examination":
    """Finds out by asking what the model of that name can do, as these settings reach it."""
    from glassloop.models.doctor.examine import examine

    if parse_model_name(name).provider == "reflex":
        raise UsageError(
            "'reflex' is no language model, and there is nothing to find out: name one that `glassloop models` lists, "
            "as in `glassloop models doctor ollama:qwen3:8b`."
        )
    return await examine(lambda abilities: _make(name, settings, abilities), tell)


def _make(name: str, settings: Settings, abilities: Abilities | None = None) -> Model:
    keys = ModelKeys(**{field: getattr(settings, field) for field in ModelKeys.__struct_fields__})
    price = settings.prices.get(name)
    known = remembered(name, settings) if abilities is None else None
    options = ModelOptions(
        abilities=known.abilities if known else abilities,
        per_million=(price.input, price.output) if price else None,
        embedded=embedded_options(settings),
    )
    return make_model(name, keys, options=options, providers=_PROVIDERS)


def embedded_options(settings: Settings) -> EmbeddedOptions | None:
    """How `embedded` is run under these settings; None where its weights are not there."""
    weights = embedded_weights(settings)
    if weights is None:
        return None
    return EmbeddedOptions(
        weights=weights.absolute(),
        threads=settings.embedded_threads or default_threads(),
        context_tokens=settings.embedded_context,
        conversations=settings.embedded_conversations,
        memory=settings.embedded_memory,
        cache_type=settings.embedded_cache,
        states=(settings.home_path / "states").absolute(),
    )


def _reflex(_name: ModelName, _keys: ModelKeys, _options: ModelOptions) -> Model:
    from glassloop.extensions.reflex import ReflexModel

    return ReflexModel()


_PROVIDERS: Mapping[str, Provider] = {**PROVIDERS, "reflex": Provider(make=_reflex, needs_model=False)}
