"""Every setting, and the only place where the environment is read.

Order: the environment, `.env` in the working folder, `glassloop.toml` there, `glassloop.toml` in the home folder, the
default. A setting is one field below; `docs/settings.md` is checked against them. The files of the working folder may
be somebody else's: what they may decide is `settings_folder`'s, whether the user trusts them `folder_trust`'s.
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from glassloop.core.errors import UsageError
from glassloop.models.embedded.options import CacheType, Memory
from glassloop.runtime.folder_trust import FolderTrust
from glassloop.runtime.settings_checks import check_numbers
from glassloop.runtime.settings_files import read_dotenv, read_toml
from glassloop.runtime.settings_folder import DOTENV, FolderFile, Source, check_addresses
from glassloop.runtime.settings_words import remedy, tell_ignored, tell_unknown

_CREDENTIALS = re.compile(r"//[^/@\s]*@")
_SECRET = ("_key", "_token", "_secret")

Auth = Literal["local", "keys", "proxy"]
LogForm = Literal["auto", "json", "text"]
LogLevel = Literal["debug", "info", "warning", "error"]


def _of(env: str, text: str) -> Meta:
    return Meta(description=text, extra={"env": env})


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """US dollars for a million tokens."""

    input: float
    output: float


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can be set, with its default. Names are the keys of `glassloop.toml`."""

    home: Annotated[str, _of("GLASSLOOP_HOME", "Where everything of yours is kept.")] = "~/.glassloop"
    database_url: Annotated[
        str | None,
        _of(
            "DATABASE_URL",
            "Where turns are stored: `sqlite:///path` or, with the knowledge base, `postgresql://…`. Else the home.",
        ),
    ] = None
    business_database_url: Annotated[str | None, _of("BUSINESS_DATABASE_URL", "Your own business data: a URL.")] = None
    session_store_enabled: Annotated[
        bool, _of("SESSION_STORE_ENABLED", "`false`: turns are kept in memory only, and are gone with the process.")
    ] = True
    react_enabled: Annotated[bool, _of("REACT_ENABLED", "`false`: `/chat/react` answers 503 and says why.")] = True
    retention_days: Annotated[
        float | None,
        _of(
            "GLASSLOOP_RETENTION_DAYS", "Sessions idle for longer are deleted by the server and by workers. Else never."
        ),
    ] = None
    session_rate: Annotated[int, _of("GLASSLOOP_SESSION_RATE", "Turns of one session a minute; 0 is no limit.")] = 60
    user_turns: Annotated[int, _of("GLASSLOOP_USER_TURNS", "Turns of one user at once; 0 is no limit.")] = 5
    max_turns: Annotated[
        int, _of("GLASSLOOP_MAX_TURNS", "Turns under way at once, of one process; more wait for their place.")
    ] = 1000
    titles: Annotated[
        bool, _of("GLASSLOOP_TITLES", "Whether a language model names a conversation after its first answer.")
    ] = True
    auth: Annotated[
        Auth,
        _of(
            "GLASSLOOP_AUTH",
            "Who may use the server: `local` (this machine), `keys` (whoever has one) or `proxy` (whom a proxy names).",
        ),
    ] = "local"
    admin_token: Annotated[
        str | None, _of("ADMIN_TOKEN", "What the operator signs in with. Else one is made on first start, told once.")
    ] = None
    encryption_key: Annotated[
        str | None,
        _of(
            "GLASSLOOP_ENCRYPTION_KEY",
            "What secrets of unfinished turns are encrypted with: 32 characters or more, the same for all servers and "
            "workers of a database. Else a key is made in the home folder.",
        ),
    ] = None
    proxy_header: Annotated[
        str, _of("GLASSLOOP_PROXY_HEADER", "In `proxy` mode: the header in which the proxy names the user.")
    ] = "x-user-id"
    proxy_secret: Annotated[
        str | None, _of("GLASSLOOP_PROXY_SECRET", "In `proxy` mode: what the proxy sends as `x-proxy-secret`.")
    ] = None
    trusted_proxies: Annotated[
        str | None,
        _of(
            "GLASSLOOP_TRUSTED_PROXIES",
            "Addresses or networks of proxies, with commas between, whose `x-forwarded-for` and `-proto` count.",
        ),
    ] = None
    allowed_hosts: Annotated[
        str | None,
        _of(
            "GLASSLOOP_ALLOWED_HOSTS",
            "Names the server answers to, with commas between. Else any; in `local` mode those of this machine.",
        ),
    ] = None
    allowed_origins: Annotated[
        str | None,
        _of(
            "GLASSLOOP_ALLOWED_ORIGINS",
            "Other pages that may call from a browser, as `https://host`, with commas between.",
        ),
    ] = None
    request_rate: Annotated[int, _of("GLASSLOOP_REQUEST_RATE", "Requests of one user a minute; 0 is no limit.")] = 600
    body_limit: Annotated[int, _of("GLASSLOOP_BODY_LIMIT", "Bytes of a request at most.")] = 1_000_000
    upload_limit: Annotated[int, _of("GLASSLOOP_UPLOAD_LIMIT", "Bytes of an upload at most.")] = 50_000_000
    upload_quota: Annotated[
        int, _of("GLASSLOOP_UPLOAD_QUOTA", "Bytes of all uploads of one user together at most.")
    ] = 500_000_000
    max_connections: Annotated[
        int, _of("GLASSLOOP_MAX_CONNECTIONS", "Connections to the server at once; beyond, requests are answered 503.")
    ] = 10_000
    log: Annotated[
        LogForm,
        _of("GLASSLOOP_LOG", "How servers and workers log: `json`, `text`, or `auto`: text to a terminal, else json."),
    ] = "auto"
    log_level: Annotated[
        LogLevel, _of("GLASSLOOP_LOG_LEVEL", "What they log: `debug`, `info`, `warning` or `error`, and what is worse.")
    ] = "info"
    otel_endpoint: Annotated[
        str | None,
        _of(
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "Where spans of turns are sent by OTLP over HTTP, as `http://localhost:4318`. Else none are made.",
        ),
    ] = None
    trace_content: Annotated[
        bool, _of("GLASSLOOP_TRACE_CONTENT", "`true`: spans hold what was said and what tools took and gave.")
    ] = False
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
    embedded_weights: Annotated[
        str | None,
        _of("GLASSLOOP_EMBEDDED_WEIGHTS", "A GGUF file that the model `embedded` runs instead of the one pulled."),
    ] = None
    embedded_threads: Annotated[
        int, _of("GLASSLOOP_EMBEDDED_THREADS", "Threads of `embedded`; 0 is one for each core, at most four.")
    ] = 0
    embedded_context: Annotated[
        int, _of("GLASSLOOP_EMBEDDED_CONTEXT", "Tokens that one conversation with `embedded` has room for.")
    ] = 4096
    embedded_conversations: Annotated[
        int,
        _of(
            "GLASSLOOP_EMBEDDED_CONVERSATIONS",
            "Conversations that `embedded` keeps in memory at once, about 30 kB a token of their context each.",
        ),
    ] = 4
    embedded_memory: Annotated[
        Memory,
        _of(
            "GLASSLOOP_EMBEDDED_MEMORY",
            "How its weights are held: `map` (from the file), `lock` (never swapped out) or `load` (a copy).",
        ),
    ] = "map"
    embedded_cache: Annotated[
        CacheType,
        _of("GLASSLOOP_EMBEDDED_CACHE", "How its memory of conversations is held: `f16`, or `q8_0` in half the space."),
    ] = "f16"
    models_offline: Annotated[
        bool, _of("GLASSLOOP_MODELS_OFFLINE", "Never download weights; files that are given are still taken.")
    ] = False
    embedder: Annotated[
        str, _of("GLASSLOOP_EMBEDDER", "What texts are compared by: `minilm`, `openai:` and a model, or `none`.")
    ] = "minilm"
    embedder_threads: Annotated[int, _of("GLASSLOOP_EMBEDDER_THREADS", "Threads of `minilm`.")] = 1
    rag_dense_weight: Annotated[
        float, _of("RAG_DENSE_WEIGHT", "What nearness in meaning counts when passages are ranked, beside the next.")
    ] = 0.7
    rag_sparse_weight: Annotated[float, _of("RAG_SPARSE_WEIGHT", "What shared words count then.")] = 0.3
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

    @property
    def offered(self) -> dict[str, str | None]:
        """What factories of tools may ask for by name."""
        return {"business_database_url": self.business_database_url}

    @property
    def secrets(self) -> list[str]:
        """What must never be stored or shown."""
        values = {name: getattr(self, name) for name in self.__struct_fields__ if name.endswith(_SECRET)}
        return [value for value in values.values() if isinstance(value, str)]

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [(name, masked(name, getattr(self, name))) for name in self.__struct_fields__]

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{name}={value!r}' for name, value in self.__rich_repr__())})"


def masked(name: str, value: Any, hidden: str = "***") -> Any:
    """A setting's value as it may be shown: no key, no credentials in an address."""
    if not isinstance(value, str):
        return value
    return hidden if name.endswith(_SECRET) else _CREDENTIALS.sub("//***@", value)


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
    environ, folder = os.environ if environ is None else environ, folder or Path.cwd()
    files = folder_files(environ, folder)
    found = _gather(environ, folder, files)
    names = {**{name: name for name in Settings.__struct_fields__}, **variables()}
    tell_ignored(folder, files, {name: shown for name, shown in names.items() if not environ.get(shown)})
    values: dict[str, Any] = {name: places[-1][1] for name, places in found.items()}
    values |= {key: value for key, value in given.items() if value is not None}
    try:
        settings = msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        culprit = next((key for key in values if f"$.{key}" in str(error) or f"`{key}`" in str(error)), None)
        if culprit not in found:
            raise UsageError(f"A setting is wrong: {error}. docs/settings.md lists them all.") from None
        raise UsageError(_wrong(culprit, *found[culprit][-1], str(error))) from None
    check_numbers(settings, variables())
    check_addresses(found, variables())
    return settings


def find_origins(environ: Mapping[str, str] | None = None, folder: Path | None = None) -> dict[str, str]:
    """Where each setting that is set comes from: `environment`, `.env` or `glassloop.toml`."""
    environ, folder = os.environ if environ is None else environ, folder or Path.cwd()
    found = _gather(environ, folder, folder_files(environ, folder))
    return {name: places[-1][0].kind for name, places in found.items()}


def home_of(environ: Mapping[str, str]) -> Path:
    """The home folder: only the environment may move it."""
    return Path(environ.get("GLASSLOOP_HOME") or "~/.glassloop").expanduser()


def folder_files(environ: Mapping[str, str], folder: Path) -> list[FolderFile]:
    """The settings files of a working folder, with what the user decided about each."""
    return FolderTrust(home_of(environ)).files_of(folder, variables())


def _gather(
    environ: Mapping[str, str], folder: Path, files: Sequence[FolderFile]
) -> dict[str, list[tuple[Source, Any]]]:
    """Every place where a setting stands and counts, with its value there; the last of them wins."""
    home = home_of(environ)
    found: dict[str, list[tuple[Source, Any]]] = {}
    for key, value in read_toml(home / "glassloop.toml").items():
        found.setdefault(key, []).append((Source("glassloop.toml", str(home / "glassloop.toml")), value))
    for file in files:
        for name, value in file.values.items():
            # A name that is no setting is told as a mistake in its file.
            if file.counts(name) or name not in Settings.__struct_fields__:
                found.setdefault(name, []).append((Source(file.kind, file.path, of_folder=True), value))
    dotenv = read_dotenv(folder / DOTENV)
    tell_unknown(dotenv, variables().values())
    own = [(Source(DOTENV, str(folder / DOTENV)), dotenv)] if folder.resolve() == home.resolve() else []
    for source, values in (*own, (Source("environment"), environ)):
        tell_unknown(values, variables().values())
        for name, variable in variables().items():
            if values.get(variable):
                found.setdefault(name, []).append((source, values[variable]))
    return found


def _wrong(name: str, source: Source, value: Any, error: str) -> str:
    """Which value stands where, and what it may be."""
    kind = next((field.type for field in msgspec.structs.fields(Settings) if field.name == name), None)
    place = _place(name, source) if kind is not None else source.path
    if kind is None or not isinstance(value, str | int | float):
        return f"A setting is wrong (from {place}): {error}. docs/settings.md lists them all."
    whose = f"{name!r} in {place}" if source.kind == "glassloop.toml" else place
    return f"{whose} is {masked(name, value)!r}: {remedy(kind)} (docs/settings.md lists every setting)."


def _place(name: str, source: Source) -> str:
    if source.kind == "glassloop.toml":
        return source.path
    return f"{variables()[name]} in {source.path or 'the environment'}"
