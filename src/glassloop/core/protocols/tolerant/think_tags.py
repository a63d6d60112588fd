"""Filter for think tags in a stream: text inside them is thought, text outside goes on to the protocol.

Holds back at most the beginning of a tag. Knows nothing of answers or calls; in the middle of a call's arguments
(`verbatim`) a tag is data and stays.
"""

import re
from typing import Final, Protocol

_NAMES: Final = ("think", "thinking", "reasoning")
_TAGS: Final = tuple(f"<{slash}{name}>" for name in _NAMES for slash in ("", "/"))
_TAG: Final = re.compile(rf"<(/?)(?:{'|'.join(_NAMES)})>", re.IGNORECASE | re.ASCII)
_MAX_TAG_CHARS: Final = max(map(len, _TAGS))
_BEGINNINGS: Final = frozenset(tag[:end] for tag in _TAGS for end in range(1, len(tag)))


class TextHandler(Protocol):
    """Takes what stands outside of think tags."""

    @property
    def verbatim(self) -> bool: ...

    def push(self, text: str) -> None: ...

    def cut(self) -> None:
        """A closing tag without an opening one: some models think before it without saying so."""
        ...


class ThoughtHandler(Protocol):
    """Takes what stands inside of them."""

    def begin_thought(self) -> None: ...

    def think(self, text: str) -> None: ...


class ThinkTags:
    """The filter of one reply. Tags nest; any closing tag closes the innermost open one."""

    __slots__ = ("_depth", "_held", "_inside", "_outside")

    def __init__(self, outside: TextHandler, inside: ThoughtHandler) -> None:
        self._outside = outside
        self._inside = inside
        self._depth = 0
        self._held = ""

    @property
    def idle(self) -> bool:
        """Nothing is open and nothing is held back."""
        return not self._depth and not self._held

    @property
    def open(self) -> bool:
        return self._depth > 0

    def feed(self, text: str) -> None:
        if self._held:
            text = self._held + text
            self._held = ""
        begin = seek = 0
        while (tag := _TAG.search(text, seek)) is not None:
            self._pass(text[begin : tag.start()])
            begin, seek = tag.span()
            if not self._depth and self._outside.verbatim:
                continue
            begin = seek
            self._turn(-1 if tag[1] else 1)
        tail = text.rfind("<", max(seek, len(text) - _MAX_TAG_CHARS + 1))
        if tail >= 0 and text[tail:].lower() in _BEGINNINGS:
            self._pass(text[begin:tail])
            begin = tail
            if self._depth or not self._outside.verbatim:
                self._held = text[tail:]
                return
        self._pass(text[begin:])

    def end(self) -> None:
        """The reply is over: the beginning of a tag that never came is text."""
        held, self._held = self._held, ""
        self._pass(held)

    def _turn(self, turn: int) -> None:
        if turn > 0 and not self._depth:
            self._inside.begin_thought()
        elif turn < 0 and not self._depth:
            self._outside.cut()
            return
        self._depth += turn

    def _pass(self, text: str) -> None:
        if not text:
            return
        if self._depth:
            self._inside.think(text)
        else:
            self._outside.push(text)


class _Text:
    """Collects both sides of a complete text."""

    def __init__(self) -> None:
        self.verbatim = False
        self.shown: list[str] = []

    def push(self, text: str) -> None:
        self.shown.append(text)

    def cut(self) -> None: ...

    def begin_thought(self) -> None: ...

    def think(self, text: str) -> None: ...


def without_thoughts(text: str) -> str:
    """A complete text without its think tags and what is inside them."""
    if "<" not in text:
        return text
    both = _Text()
    tags = ThinkTags(both, both)
    tags.feed(text)
    tags.end()
    return "".join(both.shown)


def hide_tags(text: str, bracket: str) -> str:
    """`text` with `bracket` for the first character of every think tag, so that it reads as text again."""
    return _TAG.sub(lambda tag: bracket + tag[0][1:], text) if "<" in text else text
