"""`code_map`, `find_symbol` and `find_references`: the words a model reads, and the shape of the results."""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from typing import Annotated, Literal, NamedTuple, Protocol

from pydantic import Field

from glassloop.core.errors import BadArguments
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.code.access import Access, WorkspaceFiles, is_secret, shown
from glassloop.extensions.code.search.code_map import CodeMaps, MapText
from glassloop.extensions.code.search.engines import SearchLimit, SearchStopped, open_engine, read_text
from glassloop.extensions.code.search.file_tools import find_place, plain
from glassloop.extensions.code.search.listing import Listings
from glassloop.extensions.code.search.tag_reader import TagReader
from glassloop.extensions.code.search.tags import NameUse, is_source
from glassloop.extensions.code.search.text_pattern import TextPattern
from glassloop.tools.tool import Tool, ToolContext, tool

MAP_S = 90.0
FIND_S = 20.0
MAX_SHOWN = 200
MAX_NAME = 200
BY_NAME = "By name, not by types: things of one name are not told apart."

_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::|#)[^\W\d]\w*)*")

_NAMED = (
    re.compile(r"`([^`\s]{1,200})`"),
    re.compile(
        r"\b(?i:where is|where are|function|class|method|variable|constant|called|named) "
        r"(?!(?i:the|a|an|that|which|it|this|is|are|by|for|in|of|to|and|or|with|from|your|my|our)\b)([A-Za-z_]\w*)"
    ),
)
_WORD = re.compile(r"(?<!\w)[A-Za-z_]\w++")
_INNER_CAPITAL = re.compile(r"[a-z0-9][A-Z]")
MAX_QUESTION = 10_000

SymbolKind = Literal["function", "method", "class", "variable", "module"]


class TouchedFiles(Protocol):
    """The files that a session read or changed last, as paths from its workspace, and what a turn was asked."""

    async def touched(self, user: str, session_id: str) -> Sequence[str]: ...

    async def question(self, user: str, turn_id: str) -> str: ...


class _Found(NamedTuple):
    path: str
    use: NameUse


def map_tools(
    access: Access, listings: Listings, maps: CodeMaps, reader: TagReader, touched: TouchedFiles | None = None
) -> Sequence[Tool]:
    @tool(effect="read", volatile=True, domain="code", timeout_s=120.0)
    async def code_map(
        context: ToolContext,
        path: str = ".",
        token_budget: Annotated[int, Field(ge=200, le=8_000)] = 2_000,
        about: str = "",
    ) -> ToolResult:
        """An overview of the workspace: the files that matter most with the signatures of what they define. Always say
        in `about` what you look for: definitions by that name, or about those words, then come first.

        Args:
            about: Names of functions and classes, or the question itself, such as where are retries decided.
            path: A folder to draw the map of, from the workspace.
            token_budget: How long the map may be.
        """
        near = () if touched is None else await touched.touched(context.user, context.session_id)
        if not about and touched is not None:
            about = names_in(await touched.question(context.user, context.turn_id))

        def work(files: WorkspaceFiles) -> ToolResult:
            place = find_place(files, listings, path)
            drawn = maps.of(files.root.path).draw(
                files.root, listings.look(files.root).files, below=place.path, about=about[:2_000], touched=near,
                token_budget=token_budget, seconds=MAP_S, cancelled=lambda: context.cancelled,
            )  # fmt: skip
            return _map_result(drawn, place.path)

        return await access.run(context, work)

    return (code_map, *_name_tools(access, listings, reader))


def _name_tools(access: Access, listings: Listings, reader: TagReader) -> Sequence[Tool]:
    @tool(effect="read", volatile=True, domain="code", timeout_s=60.0)
    async def find_symbol(name: str, context: ToolContext, kind: SymbolKind | None = None) -> ToolResult:
        """Find where a function, class, method or variable of this name is defined. By name, not by types.

        Args:
            name: Its name, as in parse_invoice or Invoice.parse.
            kind: Only definitions of this kind.
        """
        last, within = _parts(name)

        def work(files: WorkspaceFiles) -> ToolResult:
            found, whole = _find(files, listings, reader, "", last, SearchLimit(FIND_S, lambda: context.cancelled))
            defined = [
                each for each in found
                if each.use.definition is not None
                and (kind is None or each.use.definition.kind == kind)
                and each.use.definition.within.endswith(within)
            ]  # fmt: skip
            lines = [f"{plain(path)}:{use.line}: {_signature(use)}" for path, use in defined]
            return _found_result(name, lines, defined, whole, "definition")

        return await access.run(context, work)

    @tool(effect="read", volatile=True, domain="code", timeout_s=60.0)
    async def find_references(name: str, context: ToolContext, path: str = ".") -> ToolResult:
        """Find where a name is used in code, not in comments or texts. By name, not by types.

        Args:
            name: The name, as in parse_invoice.
            path: The folder or file to look in, from the workspace.
        """
        last, _ = _parts(name)

        def work(files: WorkspaceFiles) -> ToolResult:
            found, whole = _find(files, listings, reader, path, last, SearchLimit(FIND_S, lambda: context.cancelled))
            uses = [each for each in found if each.use.definition is None]
            lines = [f"{plain(path)}:{use.line}: {use.text}{_within(use.within)}" for path, use in uses]
            return _found_result(name, lines, uses, whole, "use")

        return await access.run(context, work)

    return (find_symbol, find_references)


def names_in(question: str) -> str:
    """The words of a question that can only be names in code, stand in backticks, or are asked for as such ("where is
    draw", "the function draw"): a map is about these by itself."""
    asked = question[:MAX_QUESTION]
    written = [each for each in _WORD.findall(asked) if "_" in each or _INNER_CAPITAL.search(each)]
    return " ".join(dict.fromkeys([*written, *(each for form in _NAMED for each in form.findall(asked))]))


def _parts(name: str) -> tuple[str, str]:
    """The last name, and what encloses it."""
    if len(name) > MAX_NAME or not _NAME.fullmatch(name):
        raise BadArguments(f"{name[:80]!r} is no name: give one as it stands in the code, such as parse_invoice.")
    *within, last = re.split(r"\.|::|#", name)
    return last, ".".join(within)


def _find(
    files: WorkspaceFiles, listings: Listings, reader: TagReader, path: str, name: str, limit: SearchLimit
) -> tuple[list[_Found], bool]:
    """Where the name stands, in the order of the paths; and whether that is all."""
    place = find_place(files, listings, path or ".")
    chosen = [each for each in place.files if is_source(each) and not is_secret(each) and "\n" not in each]
    found: list[_Found] = []
    try:
        for candidate in sorted(_holding(files, chosen, name, limit)):
            limit.check()
            text = None
            with suppress(OSError, ValueError):
                text = read_text(files.root, candidate)
            if text is not None:
                found += [_Found(candidate, use) for use in reader.uses(candidate, text, name)]
    except SearchStopped:
        return found, False
    return found, True


def _holding(files: WorkspaceFiles, chosen: Sequence[str], name: str, limit: SearchLimit) -> Iterator[str]:
    """The files that have the name in them, wherever."""
    engine = open_engine(TextPattern(name, name), case_sensitive=True)
    for begin in range(0, len(chosen), 5_000):
        with closing(engine.search(files.root, chosen[begin : begin + 5_000], limit)) as matches:
            yield from (each.path for each in matches)


def _map_result(drawn: MapText, path: str) -> ToolResult:
    parts = [drawn.text or "There is no source code to draw a map of."]
    if drawn.left:
        parts.append(f"{drawn.left:,} files are not parsed yet: ask again for the rest.")
    data: dict[str, Json] = {
        "files": list(drawn.files), "definitions": drawn.definitions, "known_files": drawn.known, "left": drawn.left,
    }  # fmt: skip
    return ToolResult(success=True, output="\n".join(parts), data=data, metadata={"path": path or "."})


def _found_result(name: str, lines: Sequence[str], found: Sequence[_Found], whole: bool, what: str) -> ToolResult:
    parts = [*lines[:MAX_SHOWN]]
    if not lines:
        parts.append(f"No {what} of {shown(name)} was found.")
    if len(lines) > MAX_SHOWN:
        parts.append(f"{len(lines):,} were found, {MAX_SHOWN} are shown: name a folder.")
    if not whole:
        parts.append("The time was up before all files were read: name a folder.")
    parts.append(BY_NAME)
    results: list[Json] = [
        {
            "path": path, "line": use.line, "text": use.text, "within": use.within,
            "kind": use.definition.kind if use.definition else None,
        }
        for path, use in found[:MAX_SHOWN]
    ]  # fmt: skip
    data: dict[str, Json] = {"results": results, "count": len(lines), "truncated": len(lines) > MAX_SHOWN or not whole}
    return ToolResult(success=True, output="\n".join(parts), data=data, metadata={"query": name})


def _signature(use: NameUse) -> str:
    definition = use.definition
    return use.text if definition is None else f"{definition.signature}{_within(definition.within)}"


def _within(names: str) -> str:
    return f"  [{names}]" if names else ""
