"""Every setting, and the only place where the environment is read.

Order: the environment, `.env` in the working folder, `glassloop.toml` there, `glassloop.toml` in the home folder, the
default. A setting is one field below; `docs/settings.md` is checked against them.
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from glassloop.core.errors import UsageError

_MOST_BYTES = 1_000_000


def _of(env: str, text: str) -> Meta:
    return Meta(description=text, extra={"env": env})


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """US dollars for a million tokens."""

    input: float
    output: float


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can be set, with its default. Names are the keys of `glassloop.toml`."""

    home: Annotated[str, _of("GLASSLOOP_HOME", "Where everything of yours is kept.")] = "~/.glassloop"
    model: Annotated[str | None, _of("GLASSLOOP_MODEL", "The model, as `provider:model`.")] = None
    model_fast: Annotated[str | None, _of("GLASSLOOP_MODEL_FAST", "The model of the `fast` tier.")] = None
    model_powerful: Annotated[str | None, _of("GLASSLOOP_MODEL_POWERFUL", "The model of the `powerful` tier.")] = None
    fallback_model: Annotated[
        str | None, _of("GLASSLOOP_FALLBACK_MODEL", "Used for a tier when its own model stays away.")
    ] = None
    fallback_model_fast: Annotated[
        str | None, _of("GLASSLOOP_FALLBACK_MODEL_FAST", "The same for the `fast` tier only.")
    ] = None
    fallback_model_powerful: Annotated[
        str | None, _of("GLASSLOOP_FALLBACK_MODEL_POWERFUL", "The same for the `powerful` tier only.")
    ] = None
    preset: Annotated[str, _of("GLASSLOOP_PRESET", "Which tier does what: `speed`, `balanced` or `quality`.")] = (
        "balanced"
    )
    max_model_calls: Annotated[
        int, _of("GLASSLOOP_MAX_MODEL_CALLS", "Model calls under way at once, of one process.")
    ] = 64
    anthropic_api_key: Annotated[str | None, _of("ANTHROPIC_API_KEY", "The key for `anthropic:` models.")] = None
    anthropic_base_url: Annotated[str | None, _of("ANTHROPIC_BASE_URL", "Another address for Anthropic's API.")] = None
    openai_api_key: Annotated[str | None, _of("OPENAI_API_KEY", "The key for `openai:` models.")] = None
    openai_base_url: Annotated[
        str | None, _of("OPENAI_BASE_URL", "Any OpenAI-compatible endpoint; most local ones need no key.")
    ] = None
    google_api_key: Annotated[str | None, _of("GOOGLE_API_KEY", "The key for `google:` models.")] = None
    google_base_url: Annotated[str | None, _of("GOOGLE_BASE_URL", "Another address for Gemini's API.")] = None
    ollama_host: Annotated[str | None, _of("OLLAMA_HOST", "Where Ollama listens, for `ollama:` models.")] = None
    max_iterations: Annotated[
        int, _of("REACT_MAX_ITERATIONS", "Steps a turn, for assistants without a number of their own.")
    ] = 5
    context_token_budget: Annotated[
        int, _of("CONTEXT_TOKEN_BUDGET", "Tokens of history in the prompt before older messages are summarised.")
    ] = 6000
    context_keep_recent: Annotated[int, _of("CONTEXT_KEEP_RECENT", "Messages that are never summarised.")] = 4
    prices: Annotated[
        dict[str, Price], _of("", "Prices of models that no list knows, by model name; only in `glassloop.toml`.")
    ] = {}

    @property
    def home_path(self) -> Path:
        return Path(self.home).expanduser()


def variables() -> dict[str, str]:
    """The environment variable of each setting that has one."""
    found: dict[str, str] = {}
    for field in msgspec.structs.fields(Settings):
        extra = field.type.__metadata__[0].extra
        if extra["env"]:
            found[field.name] = extra["env"]
    return found


def load_settings(
    environ: Mapping[str, str] | None = None, folder: Path | None = None, **given: str | int | None
) -> Settings:
    """The settings as they stand. `given` (command-line options) win over everything."""
    environ = os.environ if environ is None else environ
    folder = folder or Path.cwd()
    dotenv = read_dotenv(folder / ".env")
    names = variables()
    values: dict[str, Any] = {}
    home = environ.get("GLASSLOOP_HOME") or dotenv.get("GLASSLOOP_HOME") or "~/.glassloop"
    sources: dict[str, str] = {}
    for path in (Path(home).expanduser() / "glassloop.toml", folder / "glassloop.toml"):
        for key, value in _read_toml(path).items():
            values[key], sources[key] = value, str(path)
    for name, variable in names.items():
        for source, where in ((dotenv, str(folder / ".env")), (environ, "the environment")):
            if source.get(variable):
                values[name], sources[name] = source[variable], f"{variable} in {where}"
    values |= {key: value for key, value in given.items() if value is not None}
    try:
        settings = msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        culprit = next((key for key in values if f"$.{key}" in str(error) or f"`{key}`" in str(error)), None)
        where = f" (from {sources[culprit]})" if culprit in sources else ""
        raise UsageError(f"A setting is wrong{where}: {error}. docs/settings.md lists them all.") from None
    _check(settings)
    return settings


def _check(settings: Settings) -> None:
    for name in ("max_iterations", "max_model_calls", "context_token_budget", "context_keep_recent"):
        value = getattr(settings, name)
        if value < 1:
            raise UsageError(f"{variables()[name]} must be at least 1, not {value}.")


def read_dotenv(path: Path) -> dict[str, str]:
    """`NAME=value` lines; quotes and `export` understood, nothing expanded or executed."""
    found: dict[str, str] = {}
    for line in _text(path).splitlines():
        name, sign, value = line.strip().removeprefix("export ").partition("=")
        name, value = name.strip(), value.strip()
        if not sign or not name or name.startswith("#"):
            continue
        if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
            value = value[1:-1]
        else:
            value = value.split(" #", 1)[0].rstrip()
        found[name] = value
    return found


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}. Mend or remove it.") from None


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError(f"{path} is larger than {_MOST_BYTES:,} bytes: it cannot be a settings file.")
        return path.read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}. Mend or remove it.") from None
