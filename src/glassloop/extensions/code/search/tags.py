"""Definitions of a source file and the names it uses, by its syntax tree.

By name and not by types: two things of one name are not told apart. Grammars are other people's, and files anybody's:
whoever reads files of a workspace does it in a process of its own (`tag_reader`).
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from glassloop.retrieval.documents.code import LANGUAGES, parser_of

MAX_BYTES = 1_000_000
MAX_DEFINITIONS = 2_000
"""Of one file."""
MAX_REFERENCES = 2_000
MAX_USES = 1_000
MAX_DEPTH = 12
MAX_SIGNATURE = 160

_IDENTIFIER = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{2,60}")
_DEFINES = re.compile(
    r"(?:\w+_)?(?:definition|declaration|item|specifier|spec|signature|declarator|def)|(?:singleton_)?method|class|module"
)
_NO_DEFINITION = re.compile(r"import|package|use_|using|parameter|extern|argument|decorated|export|field_spec|lifetime")
_FUNCTION = re.compile(r"function|method|constructor|macro|(?:^|_)def$")
_TYPE = re.compile(r"class|struct|interface|enum|trait|type|record|union|protocol|object|impl")
_MODULE = re.compile(r"module|namespace|mod_item")
_NO_CODE = re.compile(r"comment|string|char_literal|heredoc|text$|template_chars")
_CODE_AGAIN = re.compile(r"interpolation|template_substitution|embedded")
_FLAT = re.compile(
    r"function|method|constructor|call|argument|list|dictionary|array|string|comment|import|return|lambda"
)


class Definition(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """`within`: the names that enclose it, with dots. `signature` is one line."""

    name: str
    kind: str
    line: int
    signature: str
    within: str = ""


class FileTags(msgspec.Struct, frozen=True, array_like=True):
    """`references`: names in the file, in code or not, and how often."""

    definitions: tuple[Definition, ...] = ()
    references: tuple[tuple[str, int], ...] = ()


class NameUse(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Where a name stands in code; `definition` where it is defined there. `text` is the line."""

    line: int
    text: str
    within: str = ""
    definition: Definition | None = None


def is_source(path: str) -> bool:
    """Whether there is a grammar for it, by its suffix."""
    return _language(path) is not None


def read_tags(path: str, raw: bytes) -> FileTags:
    """Nothing where there is no grammar."""
    tree = _tree(path, raw)
    if tree is None:
        return FileTags()
    found: list[Definition] = []
    for definition in _definitions(tree.root_node, raw, (), 0):
        found.append(definition)
        if len(found) >= MAX_DEFINITIONS:
            break
    names = Counter(_IDENTIFIER.findall(raw)).most_common(MAX_REFERENCES)
    return FileTags(tuple(found), tuple((name.decode("ascii"), count) for name, count in names))


def find_name(path: str, raw: bytes, name: str) -> tuple[NameUse, ...]:
    """Where it stands in the code of a file, not in comments or texts."""
    tree = _tree(path, raw)
    if tree is None or not name:
        return ()
    word = name.encode()
    found: list[NameUse] = []
    for match in re.finditer(rb"(?<![A-Za-z0-9_])" + re.escape(word) + rb"(?![A-Za-z0-9_])", raw):
        node = tree.root_node.descendant_for_byte_range(match.start(), match.end())
        if node is None or not _is_code(node, match.start(), match.end()):
            continue
        begin = raw.rfind(b"\n", 0, match.start()) + 1
        end = raw.find(b"\n", match.start())
        text = raw[begin : end if end >= 0 else len(raw)][:1_000].decode("utf-8", "replace").strip()
        line = raw.count(b"\n", 0, match.start()) + 1
        definition = _defined_by(node, raw)
        if found and found[-1].line == line and definition is None:
            continue
        found.append(NameUse(line, text[:300], _within(node, raw, definition), definition))
        if len(found) >= MAX_USES:
            break
    return tuple(found)


def _language(path: str) -> str | None:
    name, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return LANGUAGES.get(dot + suffix.lower()) if name else None


def _tree(path: str, raw: bytes) -> Any:
    language = _language(path)
    parser = parser_of(language) if language else None
    return None if parser is None or len(raw) > MAX_BYTES else parser.parse(raw)


def _definitions(node: Any, raw: bytes, within: tuple[str, ...], depth: int) -> Iterator[Definition]:
    """Those that other files can use: not what is inside a function."""
    for child in node.named_children:
        kind: str = child.type
        definition = _definition(child, raw, within)
        if definition is not None:
            yield definition
        inner = (*within, definition.name) if definition is not None and definition.kind != "variable" else within
        if depth < MAX_DEPTH and not _is_flat(kind) and child.named_child_count:
            yield from _definitions(child, raw, inner, depth + 1)


def _definition(node: Any, raw: bytes, within: tuple[str, ...]) -> Definition | None:
    kind: str = node.type
    if kind == "assignment":
        named = node.child_by_field_name("left")
        if named is None or named.type != "identifier":
            return None
        return _made(node, named, "variable", raw, within)
    if not _may_define(kind):
        return None
    named = _name_of(node)
    return None if named is None else _made(node, named, _kind(kind, bool(within)), raw, within)


def _made(node: Any, named: Any, kind: str, raw: bytes, within: tuple[str, ...]) -> Definition | None:
    name = raw[named.start_byte : named.end_byte].decode("utf-8", "replace")
    if not name or len(name) > 200 or any(mark.isspace() for mark in name):
        return None
    return Definition(name, kind, node.start_point[0] + 1, _signature(node, raw), ".".join(within)[-200:])


def _name_of(node: Any) -> Any:
    """Of a definition the node of its name; C's are wrapped in what they declare."""
    for _ in range(5):
        named = node.child_by_field_name("name")
        if named is not None:
            return named
        inner = node.child_by_field_name("declarator")
        if inner is None:
            if node.type == "impl_item":
                return node.child_by_field_name("type")
            if "identifier" in node.type:
                return node
            # Some grammars have no fields.
            return next((each for each in node.named_children[:4] if "identifier" in each.type), None)
        node = inner
    return None


_REMARK = re.compile(r"(?<=[)\]\w]): ?# .*")
"""Behind the colon that ends the head of a definition."""


def _signature(node: Any, raw: bytes) -> str:
    body = node.child_by_field_name("body") or node.child_by_field_name("value") or node.child_by_field_name("right")
    end = body.start_byte if body is not None else node.end_byte
    if body is not None and end - node.start_byte < 60 and node.type in ("assignment", "variable_declarator"):
        end = min(node.end_byte, node.start_byte + 80)
    text = raw[node.start_byte : min(end, node.start_byte + 4 * MAX_SIGNATURE)].decode("utf-8", "replace")
    line = _REMARK.sub("", " ".join(text.split())).rstrip("{:= ")
    return line if len(line) <= MAX_SIGNATURE else line[: MAX_SIGNATURE - 1] + "…"


@cache
def _may_define(kind: str) -> bool:
    return _DEFINES.fullmatch(kind) is not None and _NO_DEFINITION.search(kind) is None


@cache
def _is_flat(kind: str) -> bool:
    return "declaration_list" not in kind and _FLAT.search(kind) is not None


@cache
def _kind(kind: str, inside: bool) -> str:
    if _FUNCTION.search(kind):
        return "method" if inside else "function"
    if _TYPE.search(kind):
        return "class"
    return "module" if _MODULE.search(kind) else "variable"


def _is_code(node: Any, begin: int, end: int) -> bool:
    """Whether the name is a word of the language there, and not one in a text or a comment."""
    if node.start_byte != begin or node.end_byte != end:
        return False
    while node is not None:
        if _CODE_AGAIN.search(node.type):
            return True
        if _NO_CODE.search(node.type) and "concatenated" not in node.type:
            return False
        node = node.parent
    return True


def _defined_by(named: Any, raw: bytes) -> Definition | None:
    """The definition that has its name there, inside a function too."""
    node = named.parent
    for _ in range(4):
        if node is None:
            return None
        found = _definition(node, raw, ())
        if found is not None:
            owner = node.child_by_field_name("left") if node.type == "assignment" else _name_of(node)
            if owner is not None and owner.start_byte == named.start_byte and owner.end_byte == named.end_byte:
                within = _within(node, raw, None)
                kind = "method" if found.kind == "function" and _is_in_class(node) else found.kind
                return msgspec.structs.replace(found, within=within, kind=kind)
            return None
        node = node.parent
    return None


def _is_in_class(node: Any) -> bool:
    node = node.parent
    while node is not None:
        if _may_define(node.type):
            return _kind(node.type, False) == "class"
        node = node.parent
    return False


def _within(node: Any, raw: bytes, definition: Definition | None) -> str:
    if definition is not None:
        return definition.within
    names: list[str] = []
    node = node.parent
    while node is not None and len(names) < MAX_DEPTH:
        if _may_define(node.type) and "declarator" not in node.type:
            named = _name_of(node)
            if named is not None:
                names.append(raw[named.start_byte : named.end_byte][:100].decode("utf-8", "replace"))
        node = node.parent
    return ".".join(reversed(names))
