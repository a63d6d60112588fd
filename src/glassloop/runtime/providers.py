"""Providers of models and embedders by name, as extensions bring them.

`provider:model` is looked up among the providers of the settings; what a provider needs stands in the settings of its
extension.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

import msgspec

from glassloop.core.errors import UnknownName
from glassloop.core.messages import Abilities
from glassloop.core.ports import Embedder, Model
from glassloop.core.records import Tier
from glassloop.models.model_name import ModelName, parse_model_name
from glassloop.models.provider_kit.effort import Effort
from glassloop.runtime.settings.settings import Settings

if TYPE_CHECKING:
    from glassloop.models.provider_kit.model_list import ListedModel


class ModelOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is made with. `abilities`, `images` (it sees them) and `per_million` (dollars for a million tokens
    in, out) are what a user knows better than the provider; `embedder` is there for models that compare meanings;
    `learned` is told what a model turned out to be able to do. `effort`: how long it may reason, where it does."""

    settings: Settings
    abilities: Abilities | None = None
    images: bool = False
    per_million: tuple[float, float] | None = None
    embedder: Callable[[], Embedder | None] = lambda: None
    learned: Callable[[Abilities], None] | None = None
    effort: Effort | None = None


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """Models that can be asked for by name.

    `rank`: among the providers that are configured, the model of the lowest answers where none is named; None is never
    chosen so. `tiers` are its default models. `variable` is what to set to configure it, `note` what it is, in a few
    words. `families` are how names of its models begin, so that one without a provider can be understood. `address` is
    where it is reached, empty for its own. `language_model`: whether there is anything to probe. `trace_name`: how
    OpenTelemetry calls it. `images`: its default models see them. `list_models` asks it which models there are, and
    raises `ModelError`; without one its `tiers` are all that is offered. `usual_address` is where it listens on this
    machine when nobody says otherwise, so that it can be found there. `reads_ahead`: its models read prompts so slowly
    that it is done before anybody asks.
    """

    make: Callable[[ModelName, ModelOptions], Model]
    configured: Callable[[Settings], bool]
    note: str | Callable[[Settings], str]
    variable: str = ""
    needs_model: bool = True
    rank: int | None = None
    tiers: Mapping[Tier, str] = {}
    families: tuple[str, ...] = ()
    address: Callable[[Settings], str] = lambda _settings: ""
    language_model: bool = True
    trace_name: str = ""
    images: bool = False
    list_models: "Callable[[Settings], Awaitable[Sequence[ListedModel]]] | None" = None
    usual_address: str = ""
    reads_ahead: bool = False


class EmbedderProvider(msgspec.Struct, frozen=True, kw_only=True):
    """Embedders that can be asked for by name. `rank` as of `Provider`, among those that are `ready`."""

    make: Callable[[str, Settings], Embedder]
    ready: Callable[[Settings], bool] = lambda _settings: True
    needs_model: bool = False
    rank: int | None = None


def find_provider(name: str, providers: Mapping[str, Provider]) -> tuple[ModelName, Provider]:
    """The parts of a model's name and its provider. Raises `UnknownName` with what was meant."""
    parsed = parse_model_name(name)
    found = providers.get(parsed.provider)
    if found is None:
        raise UnknownName(_unknown(name, parsed, providers))
    if found.needs_model and not parsed.model:
        example = found.tiers.get("balanced") or f"{parsed.provider}:MODEL"
        raise UnknownName(f"{name!r} names no model: write {parsed.provider}:model, for example {example!r}.")
    return parsed, found


def make_model(name: str, options: ModelOptions) -> Model:
    """The model of that name. Raises `UnknownName`, `MissingKey`, or `UsageError` for an SDK that is not installed."""
    parsed, provider = find_provider(name, options.settings.extensions.providers)
    return provider.make(parsed, options)


def make_embedder(name: str, settings: Settings) -> Embedder:
    """The embedder of that name."""
    parsed = parse_model_name(name)
    found = settings.extensions.embedders.get(parsed.provider)
    if found is None or found.needs_model != bool(parsed.model):
        known = [f"{each}:MODEL" if one.needs_model else each for each, one in settings.extensions.embedders.items()]
        raise UnknownName(f"There is no embedder {name!r}: use {', '.join(known)} or none.")
    return found.make(parsed.model, settings)


def _unknown(name: str, parsed: ModelName, providers: Mapping[str, Provider]) -> str:
    known = ", ".join(sorted(providers))
    families = {start: each for each, provider in providers.items() for start in provider.families}
    family = next((families[start] for start in families if parsed.provider.startswith(start)), None)
    if family is not None and not parsed.model:
        return f"There is no provider {name!r}: did you mean '{family}:{name.strip()}'?"
    close = get_close_matches(parsed.provider, providers, n=1)
    if close:
        return f"There is no provider {parsed.provider!r}: did you mean '{ModelName(close[0], parsed.model)}'?"
    example = next((each.tiers["balanced"] for each in providers.values() if each.tiers), "provider:model")
    return f"There is no provider {parsed.provider!r}: use one of {known}, for example {example!r}."
