"""Redaction: takes secrets out of an event's JSON before it is stored.

Found by what they look like (provider keys, tokens, private keys, `Authorization` values, passwords in URLs), by the
name they stand under (`password`, `api_key`, …), and by value where the caller gives the values it knows. The JSON
stays JSON of the same shape: only strings, and numbers under a telling name, are replaced.
Every pattern is linear in its input. What holds nothing telling is returned as it came, after a few substring tests.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from glassloop.core.records import REDACTED

_MIN_SECRET = 6
MAX_KNOWN = 200
"""Each of them is looked for in every event of its turn."""

MIN_LEARNED_CHARS = 8
"""A value found by the name it stands under, or by its looks, is looked for everywhere in its turn if it is so long."""

# Where this finds nothing in the telling bytes there is no secret that the patterns below would find. Every branch
# starts with one of its rarer letters and looks back for those before it, so that most bytes cost one table look-up.
_HINT = re.compile(
    rb"k(?:ey|(?<=tok)en(?!s)|(?<=sk)-|(?<=ak)ia|(?<=cook)ie|(?<=glk)_)|w(?:(?<=pw)d|(?<=passw))"
    rb"|y(?:(?<=py)pi-|(?<=ey)j)|h(?:(?<=passph)rase|(?<=gh)[pousr]_|(?<=gith)ub_pat_|f_)|glpat-|c(?:red|(?<=sec)ret)"
    rb"|b(?:earer |asic )|z(?:(?<=authoriz)|(?<=aiz)a)|xox|m(?<=npm)_|asia"
)
# Half of an event is quotes, brackets and digits. No hint has any of these in it, and leaving them out keeps what has
# none together; a colon and an equals sign stay, as what follows them is another word.
_LOWER = bytes(range(256)).lower()
_UNTELLING = b'"{}[]().,;0123456789\\/\n\r\t<>+*#'


_NAME = (
    r"(?:x[_-])?api[_-]?key|(?:access|refresh|auth|id|session|bearer)[_-]?token|token|authorization|proxy-authorization"
    r"|passw(?:or)?d|passphrase|pwd|(?:client[_-]?|app[_-]?)?secret(?:[_-]?key)?|(?:access|private)[_-]?key"
    r"|(?:set-)?cookie|credentials?"
)
_TELLING_NAME = re.compile(rf"(?:.{{0,64}}[_.-])?(?:{_NAME})", re.IGNORECASE | re.DOTALL)

_KEYS = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-[A-Za-z0-9_-]{16,}"
    r"|(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])"
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}"
    r"|glk_[0-9a-f]{12}_[A-Za-z0-9_-]{20,}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}"
    r"|AIza[A-Za-z0-9_-]{30,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}"
    r")"
)
# From the start of a run of its characters, once: begun anew at each `eyJ` in it, the run would be read as often.
_SIGNED = re.compile(
    r"(?<![A-Za-z0-9_-])((?:[A-Za-df-z0-9_-]++|(?<=[A-Za-z0-9])e|e(?!yJ))*+)"
    r"eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+)?"
)
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?")
_HEADER = re.compile(r"(?i)\b(bearer|basic)( +)(?=[^\s\"',;]{0,200}[0-9=+/_.-])[A-Za-z0-9+/=._~-]{12,}")
_URL = re.compile(r"(://[^\s/?#:@\"'<>]{0,256}:)[^\s/?#@\"'<>]{1,512}(?=@)")
_ASSIGNED = re.compile(
    rf"(?i)(?<![A-Za-z0-9])((?:{_NAME})[\\]?[\"']?\s{{0,4}}(?:=|:)\s{{0,4}}(?:bearer +|basic +)?[\\]?[\"']?)"
    r"(?=[^\s\"',;&\\]{0,200}[0-9])[^\s\"',;&\\]{6,}"
)


class SecretValues(NamedTuple):
    """Values to look for: in text, and as they stand in JSON. `learned` is what of them the process had learned."""

    learned: frozenset[str]
    pattern: re.Pattern[str] | None
    escaped: tuple[bytes, ...]

    @classmethod
    def of(cls, secrets: frozenset[str], learned: frozenset[str]) -> "SecretValues":
        given = {secret for secret in secrets | learned if len(secret) >= _MIN_SECRET}
        words = _contract_words() if given else ()
        known = sorted((s for s in given if not any(s in word for word in words)), key=lambda s: (-len(s), s))
        pattern = re.compile("|".join(map(re.escape, known))) if known else None
        return cls(learned, pattern, tuple(msgspec.json.encode(secret)[1:-1] for secret in known))


_learned: frozenset[str] = frozenset()
"""Secrets that came to this process after its redactors were made, such as a key that was entered in the page."""


def learn_secrets(secrets: Iterable[str]) -> None:
    """Has every redactor of this process know these values from now on, up to `MAX_KNOWN`."""
    global _learned
    new = [secret for secret in secrets if secret not in _learned]
    if new:
        _learned = _learned.union(islice(new, max(0, MAX_KNOWN - len(_learned))))


class Redactor:
    """Cleans event bodies; knows the values given to it, and those the process learns. Safe to use from several
    threads."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = frozenset(secrets)
        self._built = SecretValues.of(self._secrets, _learned)

    @property
    def _known(self) -> SecretValues:
        found = self._built
        if found.learned is not _learned:
            found = self._built = SecretValues.of(self._secrets, _learned)
        return found

    def knowing(self, secrets: Iterable[str]) -> "Redactor":
        """One that knows these values too, up to `MAX_KNOWN` in all; itself where it does already."""
        more = self._secrets.union(islice(secrets, max(0, MAX_KNOWN - len(self._secrets))))
        return self if more == self._secrets else Redactor(more)

    def clean(self, body: bytes) -> bytes:
        """The same object where there is nothing to take out."""
        if not self.suspects(body):
            return body
        value = msgspec.json.decode(body)
        cleaned = self.value(value)
        return body if cleaned == value else msgspec.json.encode(cleaned)

    def suspects(self, body: bytes) -> bool:
        """Whether it is worth reading; False is certain. Cheap enough for many bodies joined."""
        if _HINT.search(body.translate(_LOWER, _UNTELLING)) is not None or (b"@" in body and b"://" in body):
            return True
        return any(secret in body for secret in self._known.escaped)

    def value(self, value: Any, name: str = "") -> Any:
        """A JSON value without its secrets; `name` is the key it stands under."""
        telling = bool(name) and _TELLING_NAME.fullmatch(name) is not None
        return self._walk(value, telling)

    def text(self, text: str) -> str:
        """A string without what looks like a secret or is known to be one."""
        if (values := self._known.pattern) is not None:
            text = values.sub(REDACTED, text)
        text = _PRIVATE_KEY.sub(REDACTED, text)
        text = _SIGNED.sub(rf"\1{REDACTED}", text) if "eyJ" in text else text
        text = _KEYS.sub(REDACTED, text)
        text = _HEADER.sub(rf"\1\2{REDACTED}", text)
        text = _URL.sub(rf"\1{REDACTED}", text)
        return _ASSIGNED.sub(rf"\1{REDACTED}", text)

    def _walk(self, value: Any, telling: bool) -> Any:
        if isinstance(value, str):
            return REDACTED if telling and value else self.text(value)
        if isinstance(value, dict):
            return self._mapping(value, telling)  # pyright: ignore[reportUnknownArgumentType]
        if isinstance(value, list):
            return [self._walk(item, telling) for item in value]  # pyright: ignore[reportUnknownVariableType]
        if telling and isinstance(value, int | float) and not isinstance(value, bool):
            return REDACTED
        return value

    def _mapping(self, mapping: dict[str, Any], telling: bool) -> dict[str, Any]:
        cleaned: dict[str, Any] = {}
        for key, item in mapping.items():
            name = fresh = self.text(key)
            while name in cleaned or (name != key and name in mapping):
                name = f"{fresh} {len(cleaned)}" if name == fresh else f"{name}'"
            cleaned[name] = self._walk(item, telling or _TELLING_NAME.fullmatch(key) is not None)
        return cleaned


@cache
def _contract_words() -> frozenset[str]:
    """Field names and fixed values of the events: replacing one of these would break an event's type."""
    from glassloop.core.events import AnyEvent

    _, components = msgspec.json.schema_components([AnyEvent])
    words: set[str] = set()
    for schema in components.values():
        for name, field in schema.get("properties", {}).items():
            words.update((name, *(value for value in field.get("enum", ()) if isinstance(value, str))))
    return frozenset(words)


def secrets_between(original: Any, cleaned: Any) -> Iterator[str]:
    """The values that stand in a JSON value and no longer in its cleaned form, so that they are known wherever else
    they stand; those too short to be told from other text are left out."""
    pairs = [(original, cleaned)]
    while pairs:
        before, after = pairs.pop()
        if isinstance(before, dict):
            pairs += zip(before.values(), after.values(), strict=True)  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
        elif isinstance(before, list | tuple):
            pairs += zip(before, after, strict=True)  # pyright: ignore[reportUnknownArgumentType]
        elif isinstance(before, str) and before != after:
            yield from (found for found in _taken_out(before, after) if len(found) >= MIN_LEARNED_CHARS)


def _taken_out(before: str, after: str) -> Iterator[str]:
    """What stood where the marker stands: the text between the pieces that are left."""
    first, *pieces = after.split(REDACTED)
    place = len(first)
    for number, piece in enumerate(pieces, 1):
        end = len(before) - len(piece) if number == len(pieces) else before.find(piece, place) if piece else -1
        if end < place:
            return
        yield before[place:end]
        place = end + len(piece)
