"""Names of models: `provider:model` in its parts, and the checks that providers share for keys and addresses."""

import msgspec

from glassloop.core.errors import MissingKey, UnknownName

FORM = "'provider:model'"


class ModelName(msgspec.Struct, frozen=True):
    """`provider:model`; `model` is empty for providers that are one."""

    provider: str
    model: str = ""

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}" if self.model else self.provider


def parse_model_name(name: str) -> ModelName:
    """`provider:model` in its parts; only the first colon separates, since Ollama's names have their own."""
    provider, _, model = name.strip().partition(":")
    if not provider or not name.isprintable():
        raise UnknownName(f"{name!r} is not the name of a model: write {FORM}.")
    return ModelName(provider.strip().lower(), model.strip())


def require_key(value: str | None, variable: str, name: ModelName) -> str:
    """The key, or `MissingKey` that names the variable to set."""
    key = (value or "").strip()
    if not key:
        raise MissingKey(f"The model {str(name)!r} needs a key: set {variable}.")
    if not key.isascii() or not key.isprintable():
        raise MissingKey(f"The key for {str(name)!r} holds characters no key has: copy {variable} again.")
    return key


def normalize_address(url: str | None) -> str | None:
    """An address as people write it, with its scheme and without a slash at the end."""
    text = (url or "").strip().rstrip("/")
    if not text:
        return None
    return text if "://" in text else f"http://{text}"
