"""Plans of changes: what each file becomes, from what a call asks for and what is there now. Writes nothing. Blocks."""

from collections.abc import Mapping, Sequence

import msgspec

from glassloop.core.errors import BadArguments, ToolError
from glassloop.extensions.code.access import SecurityError, WorkspaceFiles, guard_change, is_secret, shown
from glassloop.extensions.code.files.changes import PlannedFile, ReadFile, read_if_there, read_own
from glassloop.extensions.code.files.diff import as_text, diff_preview
from glassloop.extensions.code.files.nearest import nearest_lines, places
from glassloop.extensions.code.files.patches import FilePatch, apply_hunks, parse_patch
from glassloop.extensions.code.files.read_memory import Key, SeenFiles
from glassloop.extensions.code.files.text import (
    MAX_BYTES,
    FileText,
    decode_to_change,
    newline_of,
    split_lines,
    with_newlines,
)
from glassloop.extensions.code.files.text_match import Ambiguous, Match, find_match
from glassloop.extensions.code.undo.kept_store import sha256_of

MAX_EDITS = 50
MAX_FILES = 20
MAX_FAILED = 5
"""Of the edits of a call that do not fit, how many are told."""
CHANGED_CHARS = 4_000
"""Of what changed since a file was read."""


class TextEdit(msgspec.Struct, frozen=True, kw_only=True):
    """One replacement of text in a file."""

    path: str
    old: str
    new: str
    count: int = 1


class ChangePlanner:
    """For one call: the workspace, and what the session has read of it."""

    def __init__(self, files: WorkspaceFiles, seen: SeenFiles) -> None:
        self._files = files
        self._seen = seen

    def write(self, path: str, content: str, create_dirs: bool) -> list[PlannedFile]:
        """The whole content of a file; one that is there keeps its encoding and newlines."""
        there = read_if_there(self._files, path)
        if there is None:
            raw = FileText(text="").encode(content)
            return [self._new(path, raw, create_dirs)]
        text = self._text(path, there)
        written = with_newlines(content, text.newline) if "\n" in text.text else content
        return [self._modified(path, there, text.encode(written))]

    def edit(self, edits: Sequence[TextEdit]) -> list[PlannedFile]:
        """Replacements one after the other, all or none."""
        if not 1 <= len(edits) <= MAX_EDITS:
            raise BadArguments(f"There are {len(edits)} edits: give 1 to {MAX_EDITS}.")
        texts: dict[str, _EditedText] = {}
        failed: dict[int, ToolError] = {}
        for number, edit in enumerate(edits, 1):
            try:
                self._edit(edit, texts)
            except ToolError as error:
                if len(edits) == 1:
                    raise
                failed[number] = error
        if failed:
            raise _all_failed(failed, len(edits))
        if len(texts) > MAX_FILES:
            raise BadArguments(f"The edits are of {len(texts)} files: {MAX_FILES} is the limit.")
        return [each.planned() for each in texts.values()]

    def patch(self, patch: str) -> list[PlannedFile]:
        return [self._patched(each) for each in parse_patch(patch)]

    def move(self, source: str, target: str) -> list[PlannedFile]:
        read = read_own(self._files, source)
        place = self._free_place(target)
        self._check_move(read.path, place, source)
        return [
            PlannedFile(given=source, path=place, source=read.path, before=read.raw, after=read.raw, mode=read.mode)
        ]

    def delete(self, path: str) -> list[PlannedFile]:
        read = read_own(self._files, path)
        return [PlannedFile(given=path, path=read.path, before=read.raw, after=None, mode=read.mode)]

    def check_unchanged(self, planned: Sequence[PlannedFile]) -> None:
        """Refuses a file that changed since the session last read it, once, with what changed."""
        for each in planned:
            if each.before is None or each.after is None or each.source is not None:
                continue
            key = self._key(each.path)
            known, now = self._seen.get(key), sha256_of(each.before)
            if known is None or known.sha256 == now:
                continue
            text = decode_to_change(each.before, known.encoding)
            self._seen.put(key, now, text.encoding, text.text)
            raise ToolError(
                f"{shown(each.given)} changed since you read it, so nothing was written. Look at what changed, then "
                f"repeat the call if it still fits.{self._what_changed(each.path, known.text, text.text)}"
            )

    def remember(self, planned: Sequence[PlannedFile]) -> None:
        """What was written is what the session knows now."""
        for each in planned:
            if each.after is None or each.source is not None:
                self._seen.forget(self._key(each.source or each.path))
            elif len(each.after) <= MAX_BYTES:
                known = self._seen.get(self._key(each.path))
                text = decode_to_change(each.after, None if known is None else known.encoding)
                self._seen.put(self._key(each.path), sha256_of(each.after), text.encoding, text.text)

    def _what_changed(self, path: str, before: str | None, after: str) -> str:
        if before is None or is_secret(path):
            return ""
        lines = as_text(diff_preview(path, before, after)).partition("\n")[2]
        return f"\n{lines[:CHANGED_CHARS]}"

    def _key(self, path: str) -> Key:
        workspace = self._files.workspace
        return workspace.user, workspace.session_id, path

    def _text(self, path: str, there: ReadFile) -> FileText:
        known = self._seen.get(self._key(there.path))
        try:
            return decode_to_change(there.raw, None if known is None else known.encoding)
        except ToolError as error:
            raise ToolError(f"{shown(path)} cannot be changed: {error}.") from None

    def _new(self, path: str, raw: bytes, create_dirs: bool = True) -> PlannedFile:
        place = self._free_place(path, create_dirs)
        return PlannedFile(given=path, path=place, before=None, after=raw, create_dirs=create_dirs)

    def _modified(self, path: str, there: ReadFile, raw: bytes, match: Match | None = None) -> PlannedFile:
        if raw == there.raw:
            raise ToolError(f"Nothing would change in {shown(path)}: it has this content already.")
        return PlannedFile(given=path, path=there.path, before=there.raw, after=raw, mode=there.mode, match=match)

    def _free_place(self, path: str, create_dirs: bool = True) -> str:
        with self._files.refusing(path):
            place = self._files.root.locate(path)
            guard_change(place)
            if not place:
                raise IsADirectoryError
            folder = place.rpartition("/")[0]
            try:
                self._files.root.stat(place, links=False)
            except FileNotFoundError:
                pass
            else:
                raise FileExistsError
            try:
                with self._files.root.resolve(place, links=False):
                    return place
            except FileNotFoundError:
                if create_dirs:
                    return place
                raise ToolError(
                    f"There is no folder {shown(folder)} for {shown(path)}: make it with create_dirs=true."
                ) from None

    def _check_move(self, source: str, target: str, given: str) -> None:
        if is_secret(source) and not is_secret(target):
            raise SecurityError(
                f"{shown(given)} may hold secrets and would get a name that does not say so: it is not moved there."
            )

    def _edit(self, edit: TextEdit, texts: dict[str, "_EditedText"]) -> None:
        if edit.count < 1:
            raise BadArguments(f"count is {edit.count}: give how often `old` is in the file, 1 or more.")
        if not edit.old.strip():
            raise BadArguments(
                "`old` is empty or blank: give the lines to be replaced, or use write_file for a new file."
            )
        if edit.old == edit.new:
            raise BadArguments("`old` and `new` are the same: nothing would change.")
        with self._files.refusing(edit.path):
            place = self._files.root.locate(edit.path)
        edited = texts.get(place)
        if edited is None:
            there = read_if_there(self._files, edit.path)
            if there is None:
                raise ToolError(f"{self._files.missing(edit.path)} A new file is made with write_file.")
            text = self._text(edit.path, there)
            edited = texts[place] = _EditedText(edit.path, there, text)
        edited.apply(edit)

    def _patched(self, patch: FilePatch) -> PlannedFile:
        if patch.creates:
            there = read_if_there(self._files, patch.path)
            if there is not None and there.raw:
                raise ToolError(f"{shown(patch.path)} already exists: the patch would create it.")
            lines = [line for hunk in patch.hunks for line in hunk.new]
            end = "" if patch.no_newline or not lines else "\n"
            raw = FileText(text="").encode("\n".join(lines) + end)
            return self._new(patch.path, raw) if there is None else self._modified(patch.path, there, raw)
        there = read_if_there(self._files, patch.path)
        if there is None:
            raise ToolError(f"There is no file {shown(patch.path)} in the workspace, which the patch would change.")
        text = self._text(patch.path, there)
        raw = text.encode(_patched_text(patch, text.text)) if patch.hunks else there.raw
        if patch.target is None or patch.target == patch.path:
            return self._modified(patch.path, there, raw)
        own = read_own(self._files, patch.path)
        place = self._free_place(patch.target)
        self._check_move(own.path, place, patch.path)
        return PlannedFile(given=patch.path, path=place, source=own.path, before=own.raw, after=raw, mode=own.mode)


class _EditedText:
    """A file under several edits."""

    def __init__(self, given: str, there: ReadFile, text: FileText) -> None:
        self._given, self._there, self._text = given, there, text
        self._now = text.text
        self._match: Match | None = None

    def apply(self, edit: TextEdit) -> None:
        lines = split_lines(self._now)
        hidden = is_secret(self._there.path)
        try:
            match = find_match(self._now, edit.old, edit.new, edit.count)
        except Ambiguous as error:
            where = "" if hidden else f"\n{places(lines, error.spans)}"
            raise ToolError(
                f"`old` is {len(error.spans)} times in {shown(edit.path)}, not {edit.count}: add lines around it, or "
                f"give count={len(error.spans)}.{where}"
            ) from None
        if match is None:
            nearest = nearest_lines(lines, split_lines(edit.old.replace("\r\n", "\n")))
            near = "" if hidden or not lines else f" The nearest lines:\n{nearest}"
            raise ToolError(f"`old` is not in {shown(edit.path)} as you gave it; nothing was changed.{near}")
        self._now = match.applied(self._now)
        if self._match is None or self._match.form == "exact" or match.form != "exact":
            self._match = match

    def planned(self) -> PlannedFile:
        raw = self._text.encode(self._now)
        if raw == self._there.raw:
            raise ToolError(f"Nothing would change in {shown(self._given)}.")
        return PlannedFile(
            given=self._given,
            path=self._there.path,
            before=self._there.raw,
            after=raw,
            mode=self._there.mode,
            match=self._match,
        )


def _all_failed(failed: Mapping[int, ToolError], count: int) -> ToolError:
    """One error for all edits that do not fit, as serious as the worst."""
    told = "\n".join(f"Edit {number}: {error}" for number, error in list(failed.items())[:MAX_FAILED])
    more = f"\n{len(failed) - MAX_FAILED} more do not fit." if len(failed) > MAX_FAILED else ""
    kind = next((SecurityError for each in failed.values() if isinstance(each, SecurityError)), None)
    kind = kind or type(next(iter(failed.values())))
    return kind(f"Nothing was changed: {len(failed)} of {count} edits cannot be done.\n{told}{more}")


def _patched_text(patch: FilePatch, text: str) -> str:
    """The text after all hunks, with the newlines that it has; whether the last line has one is kept unless said."""
    lines = apply_hunks(patch, split_lines(text))
    ended = text.endswith("\n") or not text
    if patch.no_newline is not None:
        ended = not patch.no_newline
    joined = "\n".join(lines) + ("\n" if ended and lines else "")
    style = newline_of(text)
    if style != "mixed":
        return with_newlines(joined, style)
    # Lines that stay keep their own ends.
    ends = {line.rstrip("\r"): line.endswith("\r") for line in text.split("\n")}
    return "\n".join(f"{line}\r" if ends.get(line) else line for line in joined.split("\n"))
