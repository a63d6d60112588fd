"""`list_directory`, `glob` and `grep_files`: the words a model reads, and the shape of the results.

Which files there are is `listing`'s, what is found in them `grep`'s. Nothing found is a success that says so.
"""

import os
import stat
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import islice
from typing import Annotated

import msgspec
from pydantic import Field

from glassloop.core.errors import ToolError
from glassloop.core.loop.observations import OBSERVATION_CHARS
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.code.access import Access, WorkspaceFiles, is_secret, shown
from glassloop.extensions.code.search.directory_tree import DirectoryTree, Entry
from glassloop.extensions.code.search.engines import SearchEngine, SearchLimit, open_engine
from glassloop.extensions.code.search.file_pattern import file_matcher
from glassloop.extensions.code.search.grep import GrepResult, ShownLine, grep
from glassloop.extensions.code.search.listing import Listing, Listings
from glassloop.extensions.code.search.text_pattern import TextPattern, read_pattern
from glassloop.root_folder import RootFolder
from glassloop.tools.tool import Tool, ToolContext, tool

MAX_ENTRIES = 5_000
MAX_FOUND = 2_000
MAX_DEPTH = 10
MAX_NAMED = 25
"""Files that are named though none of their lines is shown."""
NOTE_CHARS = 2_000
"""Room for what is said of what is left out."""
SENTENCES_CHARS = 180
"""Of that, without the names of files."""
SEARCH_S = 9.0
"""The whole call ends within 10 s."""

_secret = lru_cache(maxsize=100_000)(is_secret)


class SearchPlace(msgspec.Struct, frozen=True):
    """Where a call looks: the path without links, and what lies there and below."""

    path: str
    is_file: bool
    listing: Listing

    @property
    def files(self) -> Sequence[str]:
        return [self.path] if self.is_file else self.listing.below(self.path)

    def by_folder(self) -> Iterator[tuple[str, str, Sequence[str]]]:
        """For each folder its path, and its path from here, both with a slash at the end, and the names in it."""
        if self.is_file:
            folder, slash, name = self.path.rpartition("/")
            yield folder + slash, "", [name]
            return
        begin = len(self.path) + 1 if self.path else 0
        for path, folder in self.listing.folders.items():
            if not self.path or path == self.path or path.startswith(f"{self.path}/"):
                prefix = f"{path}/" if path else ""
                yield prefix, prefix[begin:], folder.files

    def matching(self, matches: Callable[[str], object]) -> list[str]:
        """The files whose paths from here match."""
        if not self.path:
            return [path for path in self.listing.files if matches(path)]
        return [prefix + name for prefix, below, names in self.by_folder() for name in names if matches(below + name)]


def file_tools(
    access: Access, listings: Listings, engine: Callable[[TextPattern, bool], SearchEngine] | None = None
) -> Sequence[Tool]:
    """The three. `engine`: another than the best that is installed."""

    @tool(effect="read", volatile=True, domain="code")
    async def list_directory(
        context: ToolContext,
        path: str = ".",
        recursive: bool = False,
        max_depth: Annotated[int, Field(ge=1, le=MAX_DEPTH)] = 2,
    ) -> ToolResult:
        """List a folder of the workspace as a tree with sizes. Ignored files and folders of fetched packages are left
        out unless they are named.

        Args:
            path: The folder, from the workspace.
            recursive: Whether to list the folders in it too.
            max_depth: How deep then.
        """
        depth = max_depth if recursive else 1
        return await access.run(context, lambda files: _list(files, listings, path, depth, context.shown_chars))

    @tool(effect="read", volatile=True, domain="code")
    async def glob(
        pattern: str,
        context: ToolContext,
        path: str = ".",
        limit: Annotated[int, Field(ge=1, le=MAX_FOUND)] = 200,
    ) -> ToolResult:
        """Find files by their names, newest first.

        Args:
            pattern: Such as *.py (at any depth), src/**/*.ts or docs/*.{md,rst}.
            path: The folder to look in, from the workspace.
            limit: How many at most.
        """
        matches = file_matcher(pattern)

        def work(files: WorkspaceFiles) -> ToolResult:
            return _glob(find_place(files, listings, path), files, pattern, matches, limit, context.shown_chars)

        return await access.run(context, work)

    return (list_directory, glob, _grep_tool(access, listings, engine or _best_engine))


def _grep_tool(access: Access, listings: Listings, make_engine: Callable[[TextPattern, bool], SearchEngine]) -> Tool:
    @tool(effect="read", volatile=True, domain="code")
    async def grep_files(
        pattern: str,
        context: ToolContext,
        path: str = ".",
        file_pattern: str = "*",
        case_sensitive: bool = True,
        max_results: Annotated[int, Field(ge=1, le=MAX_FOUND)] = 100,
        context_lines: Annotated[int, Field(ge=0, le=20)] = 0,
    ) -> ToolResult:
        """Find lines by a regular expression (RE2: no lookaround or back references; one line at a time).

        Args:
            pattern: The expression, as in def \\w+_file or TODO|FIXME.
            path: The folder or file to search, from the workspace.
            file_pattern: Only files like this: *.py, src/**/*.{ts,tsx}.
            case_sensitive: Whether upper and lower case differ.
            max_results: How many lines at most.
            context_lines: Lines to show before and after each.
        """
        search = make_engine(read_pattern(pattern), case_sensitive)
        matches = file_matcher(file_pattern)
        limit = SearchLimit(SEARCH_S, lambda: context.cancelled)

        def work(files: WorkspaceFiles) -> ToolResult:
            place = find_place(files, listings, path)
            if place.is_file and _secret(place.path):
                raise ToolError(f"{shown(path)} holds secrets by its name: read_file asks the user for it.")
            chosen = place.matching(matches)
            found = grep(
                files.root, chosen, search, limit,
                max_results=max_results, context_lines=context_lines, leave_out=_secret,
            )  # fmt: skip
            return _grep_result(found, pattern, len(chosen), context.shown_chars)

        return await access.run(context, work)

    return grep_files


def _best_engine(pattern: TextPattern, case: bool) -> SearchEngine:
    return open_engine(pattern, case_sensitive=case)


def find_place(files: WorkspaceFiles, listings: Listings, path: str) -> SearchPlace:
    with files.refusing(path):
        facts, real = files.root.stat(path)
        if stat.S_ISREG(facts.st_mode):
            return SearchPlace(real, True, Listing({}, (), 0, 0, True))
        # Whatever else it is, opening it says.
        os.close(files.root.open_folder(path).descriptor)
        return SearchPlace(real, False, listings.look(files.root, real))


def _list(files: WorkspaceFiles, listings: Listings, path: str, depth: int, shown_chars: int | None) -> ToolResult:
    place = find_place(files, listings, path)
    if place.is_file:
        raise ToolError(f"{shown(path)} is a file: read it with read_file.")
    listing, above = place.listing, place.path.count("/") + 1 if place.path else 0
    known = [each for name, each in listing.folders.items() if _is_below(name, place.path, depth)]
    count = sum(len(each.folders) + len(each.files) + len(each.links) for each in known)
    ignored, blocked = sum(each.ignored for each in known), sum(each.blocked for each in known)
    entries: list[Entry] = []

    def lines() -> Generator[str]:
        # No more than a model is shown: neither the log nor a page is given thousands that nobody reads.
        for entry in islice(DirectoryTree(files.root, listing, place.path, depth), MAX_ENTRIES):
            entries.append(entry)
            yield _line(listing, entry, above, depth)

    with closing(lines()) as tree:
        output, whole = _within(tree, shown_chars)
    del entries[_count(output) :]
    whole = whole and len(entries) < MAX_ENTRIES
    notes: list[str] = []
    if not whole:
        notes.append(f"{len(entries):,} of {count:,} are shown: name a folder in it, or list less deep.")
    left_out = [f"{many:,} {why}" for many, why in ((ignored, "that ignore files name"), (blocked, "blocked")) if many]
    if left_out:
        notes.append(f"Left out: {', '.join(left_out)}.")
    data: dict[str, Json] = {
        "path": place.path or ".", "entries": list[Json](entries), "count": count, "ignored": ignored,
        "blocked": blocked, "truncated": not whole,
    }  # fmt: skip
    head = output or "The folder is empty."
    return ToolResult(success=True, output="\n".join([head, *notes]), data=data, metadata={"path": place.path or "."})


def _inside(listing: Listing, name: str) -> str:
    """How much is in a folder whose entries are not listed."""
    folder = listing.folders.get(name)
    if folder is None:
        return ""
    counts = ((len(folder.folders), "folder"), (len(folder.files) + len(folder.links), "file"))
    said = [f"{count:,} {what}{'' if count == 1 else 's'}" for count, what in counts if count]
    if said:
        return f" ({', '.join(said)})"
    return "" if folder.ignored or folder.blocked else " (empty)"


def _is_below(name: str, path: str, depth: int) -> bool:
    """Whether a folder is among those listed."""
    if name == path:
        return True
    prefix = f"{path}/" if path else ""
    return name.startswith(prefix) and name[len(prefix) :].count("/") + 1 < depth


def _line(listing: Listing, entry: Mapping[str, Json], above: int, depth: int) -> str:
    path, size = entry["path"], entry["size"]
    assert isinstance(path, str) and isinstance(size, int)  # noqa: S101
    level = path.count("/") - above
    last = f"{'  ' * level}{plain(path.rpartition('/')[2])}"
    if entry["kind"] == "folder":
        return f"{last}/" + (_inside(listing, path) if level + 1 == depth else "")
    return f"{last} (link)" if entry["kind"] == "link" else f"{last}  {_size(size)}"


def _size(size: int) -> str:
    if size < 1_000:
        return f"{size} B"
    return f"{size / 1_000:.1f} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


def _glob(
    place: SearchPlace,
    files: WorkspaceFiles,
    pattern: str,
    matches: Callable[[str], object],
    limit: int,
    shown_chars: int | None,
) -> ToolResult:
    path = place.path or "."
    dated = _dated(files.root, place, matches)
    # Numbers are sorted many times faster than pairs.
    last = sorted(time for time, _ in dated)[min(limit, len(dated)) - 1] if dated else 0
    found = [name for _, name in sorted(each for each in dated if each[0] <= last)[:limit]]
    output, whole = _within(map(plain, found), shown_chars)
    truncated = len(dated) > len(found) or not whole
    if truncated:
        output += f"\n{_count(output):,} of {len(dated):,} are shown, the newest first: narrow the pattern."
    data: dict[str, Json] = {"paths": found, "count": len(dated), "truncated": truncated}
    nothing = f"No file is called like {shown(pattern)} below {shown(path)}."
    return ToolResult(success=True, output=output or nothing, data=data, metadata={"path": path, "query": pattern})


def _dated(root: RootFolder, place: SearchPlace, matches: Callable[[str], object]) -> list[tuple[int, str]]:
    """The files that match, each with its time, the newest the least. Those that are gone by now are left out."""
    dated: list[tuple[int, str]] = []
    stat, add = os.stat, dated.append
    top = root.open_folder("").descriptor
    try:
        for path in place.matching(matches):
            try:
                # Times are only compared: of what a link on the way led to, nothing is read or told.
                add((-stat(path, dir_fd=top, follow_symlinks=False).st_mtime_ns, path))
            except OSError:
                continue
    finally:
        os.close(top)
    return dated


def _grep_result(found: GrepResult, pattern: str, chosen: int, shown_chars: int | None) -> ToolResult:
    output, whole = _within(map(_shown_line, found.lines), shown_chars)
    room = (shown_chars or OBSERVATION_CHARS) - len(output) - SENTENCES_CHARS
    lines = Counter(each.path for each in found.lines[: _count(output)] if each.matched)
    truncated = found.match_count > found.shown or not found.in_time or not whole
    data: dict[str, Json] = {
        "matches": [{"path": each.path, "line": each.line, "text": each.text} for each in found.lines if each.matched],
        "match_count": found.match_count, "files": len(found.counts), "truncated": truncated,
        "searched": found.searched,
    }  # fmt: skip
    parts = [output] if output else []
    if not found.match_count:
        parts.append(f"No line matches {shown(pattern)}. {found.searched:,} files were searched.")
    elif truncated:
        parts.append(
            f"{found.match_count:,} lines in {len(found.counts):,} files match, {lines.total():,} are shown: narrow "
            f"the pattern, the path or the file_pattern.{_not_shown(found.counts, lines, room)}"
        )
    if not found.in_time:
        parts.append(f"The time was up after {found.searched:,} of {chosen:,} files: search a folder at a time.")
    if found.left_out:
        parts.append(f"Matches in {found.left_out:,} files that hold secrets by their names are left out.")
    if found.changed:
        parts.append(f"{found.changed:,} lines changed while they were searched, and are left out.")
    return ToolResult(success=True, output="\n".join(parts), data=data, metadata={"query": pattern})


def _not_shown(counts: Mapping[str, int], shown_lines: Mapping[str, int], room: int) -> str:
    """The files with lines that are left out, those with the most first, within so many characters."""
    left = {path: count - shown_lines.get(path, 0) for path, count in counts.items()}
    paths = sorted((path for path in left if left[path] > 0), key=lambda path: (-left[path], path))
    named: list[str] = []
    for path in paths[:MAX_NAMED]:
        named.append(f"{plain(path)} {left[path]:,}")
        room -= len(named[-1]) + 2
        if room < 0:
            del named[-1]
            break
    if not named:
        return ""
    more = f" and {len(paths) - len(named):,} files more" if len(paths) > len(named) else ""
    return f" Not shown: {', '.join(named)}{more}."


def _shown_line(line: ShownLine) -> str:
    path, text = plain(line.path), "".join(each if each.isprintable() or each == "\t" else "�" for each in line.text)
    return f"{path}:{line.line}: {text}" if line.matched else f"{path}-{line.line}- {text}"


def _within(lines: Iterable[str], shown_chars: int | None) -> tuple[str, bool]:
    """As many of them as a model is shown beside the notes, and whether those are all."""
    shown_chars = shown_chars or OBSERVATION_CHARS
    room = shown_chars - min(NOTE_CHARS, shown_chars // 3)
    kept: list[str] = []
    size = 0
    for line in lines:
        size += len(line) + 1
        if size > room and kept:
            return "\n".join(kept), False
        kept.append(line)
    return "\n".join(kept), True


def _count(output: str) -> int:
    return output.count("\n") + 1 if output else 0


def plain(path: str) -> str:
    """A path as it is, unless it holds what nobody sees: then written out."""
    return path if path.isprintable() else shown(path)[1:-1]
