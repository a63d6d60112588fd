"""Source code to chunks by its syntax: a function or a small class each, with the names of what encloses it.

Where a language is not known, or its parser is not installed, by lines.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from glassloop.retrieval.index.sources import Chunk

MAX_CHUNK_CHARS = 1_600
"""Characters of one chunk."""

SOME = 1_200
"""Characters that small neighbours are gathered into, and that a long function is cut into."""

TINY = 240
MAX_DEPTH = 12

LANGUAGES = {
    ".py": "python", ".pyi": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript",
    ".jsx": "javascript", ".ts": "typescript", ".mts": "typescript", ".tsx": "tsx", ".java": "java", ".c": "c",
    ".h": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".hpp": "cpp", ".hh": "cpp", ".cs": "csharp", ".go": "go",
    ".rs": "rust", ".rb": "ruby", ".php": "php", ".swift": "swift", ".kt": "kotlin", ".kts": "kotlin",
    ".scala": "scala", ".lua": "lua", ".sh": "bash", ".bash": "bash", ".r": "r", ".pl": "perl", ".pm": "perl",
    ".hs": "haskell", ".ml": "ocaml", ".ex": "elixir", ".exs": "elixir", ".erl": "erlang", ".dart": "dart",
    ".zig": "zig", ".jl": "julia", ".m": "objc", ".groovy": "groovy", ".sql": "sql", ".css": "css", ".scss": "scss",
    ".vue": "vue", ".svelte": "svelte", ".proto": "proto", ".tf": "hcl", ".graphql": "graphql",
}  # fmt: skip
"""By the suffix of the file."""

BY_LINES = {
    *(".json", ".jsonl", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".xml", ".bat", ".ps1", ".cmake", ".mk"),
    *(".gradle", ".properties", ".asm", ".s", ".f90", ".f", ".clj", ".lisp", ".el", ".vim", ".tex", ".diff", ".patch"),
}

CUT_BY_LINES = ".conf"
"""The kind of a document that is to be cut by lines, whatever its suffix is."""

_WORD = re.compile(rb"\w|[\x80-\xff]")
_NAMED = (
    *("function", "method", "class", "struct", "interface", "impl", "enum", "trait", "module", "namespace", "object"),
    *("constructor", "decorated_definition", "protocol", "extension", "type_alias", "macro", "record", "union"),
)
_FLAT = (
    *("function", "method", "constructor", "expression", "assignment", "list", "dictionary", "array", "string", "call"),
    *("tuple", "argument", "initializer", "literal", "comment", "parameters", "return", "import"),
)
"""What is cut by lines where it is too long: there are no definitions in it that anybody would look for."""


class _Span(msgspec.Struct, gc=False):
    """Bytes of the source. `alone`: a definition, not gathered with its neighbours unless it is tiny."""

    begin: int
    end: int
    names: tuple[str, ...]
    alone: bool = False
    comment: bool = False

    @property
    def size(self) -> int:
        return self.end - self.begin


@cache
def parser_of(language: str) -> Any:
    """None where it is not installed."""
    try:
        from tree_sitter_language_pack import get_parser
    except ImportError:
        return None
    try:
        return get_parser(language)  # pyright: ignore[reportArgumentType]
    except LookupError:
        return None


def code_chunks(text: str, suffix: str) -> Iterator[Chunk]:
    language = LANGUAGES.get(suffix)
    parser = parser_of(language) if language else None
    source = text.encode()
    if parser is None:
        spans: list[_Span] = list(_by_lines(source, _Span(0, len(source), ())))
    else:
        spans = list(_gathered(source, _spans(parser.parse(source).root_node, (), source, 0)))
    line, counted = 1, 0
    for span in spans:
        # From the start of its first line, so that what is shown is indented as it was.
        begin = source.rfind(b"\n", 0, span.begin) + 1
        if source[begin : span.begin].strip():
            begin = span.begin
        shown = source[begin : span.end].rstrip()
        if not _WORD.search(shown):
            # The bracket that ends a class says nothing.
            continue
        if begin < counted:
            line, counted = 1, 0
        line += source.count(b"\n", counted, begin)
        counted = begin
        skipped = len(shown) - len(shown.lstrip(b"\n"))
        yield Chunk(
            text=shown.lstrip(b"\n").decode("utf-8", "replace"),
            headings=span.names,
            first_line=line + skipped,
            last_line=line + shown.count(b"\n"),
        )


def _spans(node: Any, names: tuple[str, ...], source: bytes, depth: int) -> Iterator[_Span]:
    """The parts of a node in their order; what is too large is taken apart."""
    for child in node.children:
        kind: str = child.type
        begin, end = child.start_byte, child.end_byte
        name = _name(child, source) if _is_definition(kind) and child.is_named else ""
        if end - begin <= MAX_CHUNK_CHARS:
            yield _Span(begin, end, (*names, name) if name else names, bool(name), "comment" in kind)
        elif depth < MAX_DEPTH and _holds_definitions(child):
            yield from _spans(child, (*names, name) if name else names, source, depth + 1)
        else:
            yield from _by_lines(source, _Span(begin, end, (*names, name) if name else names, True))


@cache
def _is_definition(kind: str) -> bool:
    return any(word in kind for word in _NAMED)


@cache
def _is_flat(kind: str) -> bool:
    return "declaration_list" not in kind and any(word in kind for word in _FLAT)


def _holds_definitions(node: Any) -> bool:
    """Whether it is worth going into: a class is, a long function or a long list of numbers is not."""
    return not _is_flat(node.type) and 0 < node.child_count < 5000


def _name(node: Any, source: bytes) -> str:
    """Of a definition: its own, or that of what it wraps or declares; of an implementation, what it is for."""
    for _ in range(5):
        named = node.child_by_field_name("name")
        inner = node.child_by_field_name("definition") or node.child_by_field_name("declarator")
        if named is None and inner is None:
            named = node if "identifier" in node.type else node.child_by_field_name("type")
            inner = None
        if named is not None:
            return source[named.start_byte : named.end_byte][:120].decode("utf-8", "replace")
        if inner is None:
            return ""
        node = inner
    return ""


def _gathered(source: bytes, spans: Iterator[_Span]) -> Iterator[_Span]:
    """Small neighbours together."""
    held: _Span | None = None
    for span in _commented(source, spans):
        if held is not None and _fit(held, span):
            names = held.names if held.names == span.names else _shared(held.names, span.names)
            held = _Span(held.begin, span.end, names)
            continue
        if held is not None:
            yield held
        held = span
    if held is not None:
        yield held


def _commented(source: bytes, spans: Iterator[_Span]) -> Iterator[_Span]:
    """The comments right before a definition as part of it."""
    held: _Span | None = None
    for span in spans:
        if held is not None:
            beside = source.count(b"\n", held.end, span.begin) <= 1 and span.end - held.begin <= MAX_CHUNK_CHARS
            if beside and (span.alone or span.comment):
                held = _Span(held.begin, span.end, span.names, span.alone, span.comment)
            else:
                yield held
                held = span
        else:
            held = span
        if not held.comment:
            yield held
            held = None
    if held is not None:
        yield held


def _fit(held: _Span, span: _Span) -> bool:
    small = not (held.alone and held.size > TINY) and not (span.alone and span.size > TINY)
    return small and span.end - held.begin <= SOME and _depth(held.names, span.names)


def _depth(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether both are inside the same: names of tiny definitions do not count."""
    return one[:-1] == other[:-1] or one == other[:-1] or one[:-1] == other


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(left for left, right in zip(one, other, strict=False) if left == right)


def _by_lines(source: bytes, span: _Span) -> Iterator[_Span]:
    begin = span.begin
    while span.end - begin > MAX_CHUNK_CHARS:
        cut = source.rfind(b"\n\n", begin + SOME // 2, begin + SOME) + 1
        cut = cut or source.rfind(b"\n", begin + SOME // 4, begin + SOME) + 1 or begin + SOME
        yield _Span(begin, cut, span.names, True)
        begin = cut
    yield _Span(begin, span.end, span.names, True)
