"""Every setting of the kernel. Extensions bring theirs along; `settings.of(TheirStruct)` holds the values.

A setting is one field below; `docs/settings.md` is checked against them. Reading them is `loader`'s.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from glassloop.core.access import AccessRule
from glassloop.core.egress import Egress
from glassloop.core.errors import UsageError
from glassloop.runtime.extensions import Extension, Extensions, installed_extensions
from glassloop.runtime.settings.connections import connected, read_connections
from glassloop.runtime.settings.fields import describe, is_secret, setting

MIN_SECRET_CHARS = 16

Auth = Literal["local", "keys", "proxy"]
LogForm = Literal["auto", "json", "text"]
LogLevel = Literal["debug", "info", "warning", "error"]
Count = Annotated[int, Meta(ge=1)]
CountOrNone = Annotated[int, Meta(ge=0)]
S = TypeVar("S", bound=msgspec.Struct)

_CREDENTIALS = re.compile(r"//[^/@\s]*@")


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """US dollars for a million tokens."""

    input: float
    output: float


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What can be set, with its default. Names are the keys of `glassloop.toml`."""

    home: Annotated[str, setting("Folder for all your data.", folder="never")] = "~/.glassloop"
    database_url: Annotated[
        str | None,
        setting(
            "Where turns are stored: `sqlite:///path` or, with the knowledge base, `postgresql://…`. Else the home.",
            env="DATABASE_URL",
            folder="never",
            common=True,
        ),
    ] = None
    session_store_enabled: Annotated[
        bool,
        setting(
            "`false`: turns are only kept in memory and are lost when the process ends.",
            env="SESSION_STORE_ENABLED",
        ),
    ] = True
    retention_days: Annotated[
        Annotated[float, Meta(ge=0)] | None,
        setting("Days after which servers and workers delete idle sessions. Default: never.", folder="never"),
    ] = None
    audit_days: Annotated[
        Annotated[float, Meta(ge=0)],
        setting("Days after which audit entries are deleted; 0 is never.", folder="never"),
    ] = 400
    session_rate: Annotated[CountOrNone, setting("Turns per session and minute; 0 is no limit.")] = 60
    user_turns: Annotated[CountOrNone, setting("Concurrent turns per user; 0 is no limit.")] = 5
    user_jobs: Annotated[CountOrNone, setting("Waiting and running jobs per user; 0 is no limit.")] = 20
    max_turns: Annotated[Count, setting("Concurrent turns per process; more are queued.")] = 1000
    user_schedules: Annotated[CountOrNone, setting("Active and paused schedules per user; 0 is no limit.")] = 100
    schedule_interval: Annotated[Count, setting("Minimum seconds between two runs of a schedule.")] = 60
    timezone: Annotated[str, setting("Default time zone of schedules, as an IANA name such as `Europe/Paris`.")] = "UTC"
    titles: Annotated[bool, setting("Whether a language model names a conversation after its first answer.")] = True
    sharing: Annotated[
        bool,
        setting(
            "Whether users may make links by which anybody can read a conversation. Off: links that were made lead "
            "nowhere.",
            folder="never",
        ),
    ] = False
    notify_domains: Annotated[
        str | None,
        setting(
            "Domains at which users may have themselves notified, as `ntfy.sh, *.example.com`. Default: none.",
            folder="never",
        ),
    ] = None
    auth: Annotated[
        Auth,
        setting(
            "Who may use the server: `local` (this machine), `keys` (API keys) or `proxy` (users named by a proxy).",
            folder="never",
        ),
    ] = "local"
    admin_token: Annotated[
        str | None,
        setting(
            "The operator's sign-in token. Default: created on first start and shown once.",
            env="ADMIN_TOKEN",
            common=True,
        ),
    ] = None
    encryption_key: Annotated[
        str | None,
        setting(
            "What secrets of unfinished turns are encrypted with: 32 characters or more, the same for all servers and "
            "workers of a database. Else a key is made in the home folder.",
            folder="never",
        ),
    ] = None
    oidc_issuer: Annotated[
        str | None,
        setting("Beside keys: the OpenID provider that signs people in, exactly as it names itself.", folder="never"),
    ] = None
    oidc_client_id: Annotated[str | None, setting("What the provider knows this server by.", folder="never")] = None
    oidc_client_secret: Annotated[str | None, setting("The secret it was given with that, if any.", folder="never")] = (
        None
    )
    oidc_redirect_uri: Annotated[
        str | None,
        setting(
            "The address of this server with `/api/sign-in/openid/callback`, as the provider has it.", folder="never"
        ),
    ] = None
    oidc_scopes: Annotated[str, setting("What it is asked for.", folder="never")] = "openid profile email"
    oidc_user_claim: Annotated[
        str, setting("What a user is called here: a claim that nobody can choose for themselves.", folder="never")
    ] = "sub"
    oidc_groups_claim: Annotated[str, setting("The claim with a user's groups.", folder="never")] = "groups"
    oidc_admin_groups: Annotated[
        str | None, setting("Groups whose members are operators, with commas between.", folder="never")
    ] = None
    oidc_hours: Annotated[
        Annotated[float, Meta(gt=0)],
        setting(
            "Hours after which they are sent to the provider again, and groups are looked at anew.", folder="never"
        ),
    ] = 12
    proxy_header: Annotated[
        str, setting("In `proxy` mode: the header in which the proxy names the user.", folder="never")
    ] = "x-user-id"
    proxy_secret: Annotated[
        str | None, setting("In `proxy` mode: what the proxy sends as `x-proxy-secret`.", folder="never")
    ] = None
    trusted_proxies: Annotated[
        str | None,
        setting(
            "Addresses or networks of proxies, with commas between, whose `x-forwarded-for` and `-proto` count.",
            folder="never",
        ),
    ] = None
    allowed_hosts: Annotated[
        str | None,
        setting(
            "Names the server answers to, with commas between. Else any; in `local` mode those of this machine.",
            folder="never",
        ),
    ] = None
    allowed_origins: Annotated[
        str | None,
        setting("Other pages that may call from a browser, as `https://host`, with commas between.", folder="never"),
    ] = None
    root_path: Annotated[
        str | None,
        setting("The path under which a proxy has the server, such as `/agent`; it may take it off.", folder="never"),
    ] = None
    request_rate: Annotated[CountOrNone, setting("Requests per user and minute; 0 is no limit.")] = 600
    body_limit: Annotated[Count, setting("Maximum size of a request in bytes.")] = 1_000_000
    attachment_limit: Annotated[
        Count, setting("Bytes of a request that may hold images and files at most: `/api/turns`, `/v1/…`.")
    ] = 8_000_000
    upload_limit: Annotated[Count, setting("Maximum size of an upload in bytes.")] = 50_000_000
    upload_quota: Annotated[Count, setting("Maximum total size of a user's uploads in bytes.")] = 500_000_000
    max_connections: Annotated[
        Count, setting("Concurrent connections to the server; beyond that it responds with 503.")
    ] = 10_000
    drain_s: Annotated[
        float,
        Meta(ge=0, le=600),
        setting("Seconds after SIGTERM in which `/readyz` answers 503 and requests are still answered."),
    ] = 2.0
    log: Annotated[
        LogForm,
        setting(
            "How servers and workers log: `json`, `text`, or `auto`: text in a terminal, json else.", folder="free"
        ),
    ] = "auto"
    log_level: Annotated[LogLevel, setting("Minimum log level: `debug`, `info`, `warning` or `error`.")] = "info"
    egress_domains: Annotated[
        str | None,
        setting(
            "Domains that tools may send confidential text to unasked, as `example.com, *.example.org`.", folder="never"
        ),
    ] = None
    egress_recipients: Annotated[
        str | None,
        setting("The same for recipients, as `ana@example.com, *@example.org`, an account, a channel.", folder="never"),
    ] = None
    egress_only: Annotated[
        bool, setting("Whether destinations that are not allowed so are refused, and not asked about.", folder="never")
    ] = False
    otel_endpoint: Annotated[
        str | None,
        setting(
            "Where spans of turns are sent by OTLP over HTTP, as `http://localhost:4318`. Else none are made.",
            env="OTEL_EXPORTER_OTLP_ENDPOINT",
            folder="never",
            common=True,
        ),
    ] = None
    trace_content: Annotated[
        bool, setting("`true`: spans hold what was said and what tools took and gave.", folder="never")
    ] = False
    model: Annotated[str | None, setting("The model, as `provider:model`.")] = None
    model_fast: Annotated[str | None, setting("The model of the `fast` tier.")] = None
    model_powerful: Annotated[str | None, setting("The model of the `powerful` tier.")] = None
    fallback_model: Annotated[str | None, setting("Fallback when a tier's own model is unavailable.")] = None
    fallback_model_fast: Annotated[str | None, setting("The same for the `fast` tier only.")] = None
    fallback_model_powerful: Annotated[str | None, setting("The same for the `powerful` tier only.")] = None
    preset: Annotated[str, setting("Which tier does what: `speed`, `balanced` or `quality`.", folder="free")] = (
        "balanced"
    )
    image_models: Annotated[
        str | None,
        setting("Models that see images though nothing tells so, as `provider:model`, with commas between."),
    ] = None
    max_model_calls: Annotated[Count, setting("Concurrent model calls per process.")] = 64
    models_offline: Annotated[bool, setting("Never download weights; local files are still used.")] = False
    embedder: Annotated[
        str | None,
        setting(
            "What texts are compared by, as `name` or `provider:model`; `none` for words alone. Else the first "
            "that is ready."
        ),
    ] = None
    rag_dense_weight: Annotated[
        float,
        setting(
            "What nearness in meaning counts when passages are ranked, beside the next.",
            env="RAG_DENSE_WEIGHT",
            folder="free",
        ),
    ] = 0.7
    rag_sparse_weight: Annotated[
        float, setting("What shared words count then.", env="RAG_SPARSE_WEIGHT", folder="free")
    ] = 0.3
    max_iterations: Annotated[
        Count,
        setting("Steps per turn, for assistants that do not set their own.", env="REACT_MAX_ITERATIONS"),
    ] = 5
    context_token_budget: Annotated[
        CountOrNone,
        setting(
            "Tokens of history in the prompt before old results are cleared and older messages summarised; 0 is half "
            "the model's window, or 6,000 where that is 16k or less.",
            env="CONTEXT_TOKEN_BUDGET",
        ),
    ] = 0
    context_keep_recent: Annotated[Count, setting("Messages that are never summarised.", env="CONTEXT_KEEP_RECENT")] = 4
    prices: Annotated[
        dict[str, Price],
        setting("Prices of models that no list knows, by model name; only in `glassloop.toml`.", only_file=True),
    ] = {}
    access: Annotated[
        dict[str, AccessRule],
        setting(
            "Who may use and spend what, by `*`, `group:NAME` or `user:NAME`; only in `glassloop.toml` of the home.",
            only_file=True,
            folder="never",
        ),
    ] = {}
    extensions: Extensions = msgspec.field(default_factory=installed_extensions)
    """The extensions in use, with the values of their settings."""

    @property
    def home_path(self) -> Path:
        """`home`, as a path."""
        return Path(self.home).expanduser()

    def extended(self, extensions: Sequence[Extension]) -> "Settings":
        """The same with more extensions, those of them that are not in use yet."""
        joined = self.extensions.joined(extensions)
        return self if joined is self.extensions else msgspec.structs.replace(self, extensions=joined)

    def having(self, *structs: msgspec.Struct) -> "Settings":
        """The same with these settings of extensions."""
        return msgspec.structs.replace(self, extensions=self.extensions.having(*structs))

    def of(self, kind: type[S]) -> S:
        """The settings of the extension that declares this struct, with the connection that was entered for it."""
        table, struct = self.extensions.settings_of(kind)
        return connected(self.home_path, table, struct)

    @property
    def chosen_model(self) -> str | None:
        """The model that is set or, where none is, the one that was chosen in the page."""
        return self.model or read_connections(self.home_path).model

    @property
    def egress(self) -> Egress:
        """The rules for what leaves this machine."""
        domains, recipients = _listed(self.egress_domains), _listed(self.egress_recipients)
        return Egress(domains=domains, recipients=recipients, only=self.egress_only)

    @property
    def notify_domain_list(self) -> tuple[str, ...]:
        """Domains at which users may have themselves notified."""
        return _listed(self.notify_domains)

    @property
    def values(self) -> dict[str, Any]:
        """Every setting by key, those of the extensions too."""
        found = {name: getattr(self, name) for name in describe(Settings)}
        for table, struct in self.extensions.values.items():
            joined = connected(self.home_path, table, struct)
            found |= {f"{table}.{name}": getattr(joined, name) for name in describe(type(struct))}
        return found

    @property
    def secrets(self) -> list[str]:
        """What must never be stored or shown."""
        return [value for key, value in self.values.items() if is_secret(key) and isinstance(value, str)]

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [(key, masked(key, value)) for key, value in self.values.items()]

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{key}={value!r}' for key, value in self.__rich_repr__())})"


def _listed(text: str | None) -> tuple[str, ...]:
    return tuple(each.strip() for each in (text or "").split(",") if each.strip())


def masked(key: str, value: Any, hidden: str = "***") -> Any:
    """A setting's value as it may be shown: no key, no credentials in an address."""
    if not isinstance(value, str):
        return value
    return hidden if is_secret(key) else _CREDENTIALS.sub("//***@", value)


def check_secrets(settings: Settings) -> None:
    """Raises `UsageError` for the first of those that the operator chooses which can be guessed. Wherever a server
    listens: a proxy may bring strangers to an address of this machine."""
    for name in ("admin_token", "proxy_secret"):
        value: str | None = getattr(settings, name)
        if value and len(value) < MIN_SECRET_CHARS:
            raise UsageError(
                f"{describe(Settings)[name].variable} has {len(value)} characters and can be guessed: use at "
                f"least {MIN_SECRET_CHARS}, for example from `openssl rand -hex 32`."
            )
