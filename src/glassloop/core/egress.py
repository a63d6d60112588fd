"""Rules for what leaves this machine: the destinations that a call names, and those that the operator allows. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import cast
from urllib.parse import urlsplit

import msgspec

from glassloop.core.errors import BadArguments, UsageError
from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json, ToolCall

MAX_DESTINATIONS = 100
"""A call that names more is never allowed unasked."""
SHOWN_CHARS = 200

_ADDRESS = re.compile(r"""\b(?:https?|wss?|ftp)://[^\s"'<>]++|[\w.+-]{1,64}+@[\w-]++(?:\.[\w-]++)++""", re.IGNORECASE)
_ODD = re.compile(r"[\s\\\x00-\x1f\x7f]")
_DOMAIN = re.compile(r"(?:\*\.)?[a-z0-9-]++(?:\.[a-z0-9-]++)*+")


class Egress(msgspec.Struct, frozen=True, kw_only=True):
    """Destinations that the operator allows. What goes there is not asked about for being confidential."""

    domains: tuple[str, ...] = ()
    """Of addresses: `example.com`, or `*.example.com` for all below it."""
    recipients: tuple[str, ...] = ()
    """As tools name them: `ana@example.com`, `*@example.com`, an account, a channel."""
    only: bool = False
    """Whether other destinations are refused, and not asked about."""

    def __post_init__(self) -> None:
        for domain in self.domains:
            if not _DOMAIN.fullmatch(domain.lower()):
                raise UsageError(
                    f"{domain!r} is not a domain: write 'example.com', or '*.example.com' for all below it."
                )

    def allows(self, destination: str) -> bool:
        """Whether a call may reach it. What can be read in two ways is not allowed."""
        text = destination.strip().lower()
        if not text or _ODD.search(text):
            return False
        if any(text == each.lower() for each in self.recipients):
            return True
        if "@" in text and "/" not in text:
            return text.count("@") == 1 and f"*@{text.partition('@')[2]}" in map(str.lower, self.recipients)
        host = _host(text)
        return any(
            host == domain or (domain.startswith("*.") and host.endswith(domain[1:]))
            for domain in map(str.lower, self.domains)
        )

    def check(self, spec: ToolSpec, call: ToolCall) -> None:
        """Raises where a destination is not allowed, and others are to be refused."""
        if not self.only or not spec.reaches_outside:
            return
        for destination in destinations_of(spec, call.args):
            if not self.allows(destination):
                raise BadArguments(
                    f"Not run: {destination[:SHOWN_CHARS]!r} is not among the destinations that the operator allows "
                    "(egress_domains, egress_recipients). Do without it, or tell the user."
                )


def destinations_of(spec: ToolSpec, args: Mapping[str, Json]) -> tuple[str, ...]:
    """Where a call would reach: the values of the parameters that the tool declares, else every web and mail address
    in its arguments."""
    if spec.destinations:
        found = (text for name in spec.destinations for text in _texts(args.get(name)))
    else:
        found = (match[0] for text in _texts(args) for match in _ADDRESS.finditer(text))
    return tuple(dict.fromkeys(text for text in found if text.strip()))


def all_allowed(spec: ToolSpec, call: ToolCall, egress: Egress) -> bool:
    """Whether a call names where it reaches, and may reach all of it."""
    if not (egress.domains or egress.recipients):
        return False
    named = destinations_of(spec, call.args)
    return 0 < len(named) <= MAX_DESTINATIONS and all(map(egress.allows, named))


def _host(text: str) -> str:
    """The host of a web address, with or without its scheme; empty where there is none."""
    try:
        return (urlsplit(text if "://" in text else f"//{text}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _texts(value: Json) -> Iterator[str]:
    """Every text in a value, at any depth. Bounded by the depth that JSON is read with."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in cast("dict[str, Json]", value).values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in cast("list[Json]", value):
            yield from _texts(each)
