"""From the name of a model to the model: `provider:model`, looked up in a small table.

A provider is one entry of `PROVIDERS`; whoever needs another passes a table of their own. Keys are handed in: no
environment is read here.
"""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

import msgspec

from glassloop.core.errors import MissingKey, UnknownName, UsageError
from glassloop.core.messages import Abilities
from glassloop.core.ports import Model
from glassloop.models.embedded.options import EmbeddedOptions

OLLAMA_HOST = "http://127.0.0.1:11434"
EXAMPLE = "anthropic:claude-sonnet-5-5"

# Names without a model behind a colon; their entries are added where their weights and embeddings live.
BARE_NAMES = ("embedded", "reflex")

_FAMILIES = {"claude": "anthropic", "gpt": "openai", "o1": "openai", "o3": "openai", "o4": "openai", "gemini": "google"}


class ModelName(msgspec.Struct, frozen=True):
    """`provider:model`; `model` is empty for providers that are one."""

    provider: str
    model: str = ""

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}" if self.model else self.provider


class ModelKeys(msgspec.Struct, frozen=True, kw_only=True):
    """What providers need to be reached. Never shown: its text form says only which are set."""

    anthropic_api_key: str | None = None
    anthropic_base_url: str | None = None
    openai_api_key: str | None = None
    openai_base_url: str | None = None
    google_api_key: str | None = None
    google_base_url: str | None = None
    ollama_host: str | None = None

    def __repr__(self) -> str:
        given = [field for field in self.__struct_fields__ if getattr(self, field)]
        return f"ModelKeys({', '.join(f'{field}=***' for field in given)})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [(field, "***") for field in self.__struct_fields__ if getattr(self, field)]


class ModelOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a user may know better: what the model can do, and dollars per million tokens in and out.

    `embedded` is how the model of that name is run; None where its weights are not there.
    """

    abilities: Abilities | None = None
    per_million: tuple[float, float] | None = None
    embedded: EmbeddedOptions | None = None


Maker = Callable[[ModelName, ModelKeys, ModelOptions], Model]


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """One entry of the table. `needs_model`: whether a model must be named behind the colon."""

    make: Maker
    needs_model: bool = True


def parse_model_name(name: str) -> ModelName:
    """`provider:model` in its parts; only the first colon separates, since Ollama's names have their own."""
    provider, _, model = name.strip().partition(":")
    if not provider or not name.isprintable():
        raise UnknownName(f"{name!r} is not the name of a model: write provider:model, for example {EXAMPLE!r}.")
    return ModelName(provider.strip().lower(), model.strip())


def make_model(
    name: str,
    keys: ModelKeys,
    *,
    options: ModelOptions | None = None,
    providers: Mapping[str, Provider] | None = None,
) -> Model:
    """The model of that name. Raises `UnknownName`, `MissingKey`, or `UsageError` for an SDK that is not installed."""
    table = PROVIDERS if providers is None else providers
    parsed = parse_model_name(name)
    entry = table.get(parsed.provider)
    if entry is None:
        raise UnknownName(_unknown(name, parsed, table))
    if entry.needs_model and not parsed.model:
        raise UnknownName(f"{name!r} names no model: write {parsed.provider}:model, for example {EXAMPLE!r}.")
    return entry.make(parsed, keys, options or ModelOptions())


def _unknown(name: str, parsed: ModelName, table: Mapping[str, Provider]) -> str:
    known = ", ".join(sorted(table))
    family = next((_FAMILIES[start] for start in _FAMILIES if parsed.provider.startswith(start)), None)
    if family in table and not parsed.model:
        return f"There is no provider {name!r}: did you mean '{family}:{name.strip()}'?"
    if parsed.provider in BARE_NAMES:
        return f"The model {parsed.provider!r} is not set up here: use one of {known}."
    close = get_close_matches(parsed.provider, table, n=1)
    if close:
        return f"There is no provider {parsed.provider!r}: did you mean '{ModelName(close[0], parsed.model)}'?"
    return f"There is no provider {parsed.provider!r}: use one of {known}, for example {EXAMPLE!r}."


def _key(value: str | None, setting: str, name: ModelName) -> str:
    key = (value or "").strip()
    if not key:
        raise MissingKey(f"The model {str(name)!r} needs a key: set {setting}.")
    if not key.isascii() or not key.isprintable():
        raise MissingKey(f"The key for {str(name)!r} holds characters no key has: copy {setting} again.")
    return key


def _anthropic(name: ModelName, keys: ModelKeys, options: ModelOptions) -> Model:
    from glassloop.models.anthropic import AnthropicModel

    return AnthropicModel(
        name.model,
        api_key=_key(keys.anthropic_api_key, "ANTHROPIC_API_KEY", name),
        base_url=_address(keys.anthropic_base_url),
        abilities=options.abilities,
        per_million=options.per_million,
    )


def _openai(name: ModelName, keys: ModelKeys, options: ModelOptions) -> Model:
    from glassloop.models.openai import OpenAIModel

    base_url = _address(keys.openai_base_url)
    # A server of one's own often has no keys; the SDK wants some text all the same.
    given = keys.openai_api_key or ("none" if base_url else None)
    return OpenAIModel(
        name.model,
        api_key=_key(given, "OPENAI_API_KEY", name),
        base_url=base_url,
        abilities=options.abilities,
        per_million=options.per_million,
    )


def _google(name: ModelName, keys: ModelKeys, options: ModelOptions) -> Model:
    from glassloop.models.google import GoogleModel

    return GoogleModel(
        name.model,
        api_key=_key(keys.google_api_key, "GOOGLE_API_KEY", name),
        base_url=_address(keys.google_base_url),
        abilities=options.abilities,
        per_million=options.per_million,
    )


def _ollama(name: ModelName, keys: ModelKeys, options: ModelOptions) -> Model:
    from glassloop.models.openai import OpenAIModel

    host = (_address(keys.ollama_host) or OLLAMA_HOST).removesuffix("/v1")
    return OpenAIModel(
        name.model,
        api_key="ollama",
        base_url=f"{host}/v1",
        label="ollama",
        abilities=options.abilities,
        per_million=options.per_million,
    )


def _embedded(name: ModelName, _keys: ModelKeys, options: ModelOptions) -> Model:
    from glassloop.models.embedded.model import EmbeddedModel

    if options.embedded is None:
        raise UsageError(
            f"The weights of {str(name)!r} are not here: `glassloop models pull` gets them, or set "
            "GLASSLOOP_EMBEDDED_WEIGHTS to a GGUF file."
        )
    return EmbeddedModel(options.embedded)


def _address(url: str | None) -> str | None:
    """An address as people write it, with its scheme and without a slash at the end."""
    text = (url or "").strip().rstrip("/")
    if not text:
        return None
    return text if "://" in text else f"http://{text}"


PROVIDERS: Mapping[str, Provider] = {
    "anthropic": Provider(make=_anthropic),
    "openai": Provider(make=_openai),
    "google": Provider(make=_google),
    "ollama": Provider(make=_ollama),
    "embedded": Provider(make=_embedded, needs_model=False),
}
