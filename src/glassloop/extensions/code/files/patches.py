"""Patches as models write them: a unified diff, or the form that begins with `*** Begin Patch`. Pure.

Read without fuzz: every line of context and every removed line must be in the file. Line numbers may be wrong where the
lines of a hunk stand in one place only.
"""

import re
from collections.abc import Sequence

import msgspec

from glassloop.core.errors import ToolError

MAX_FILES = 20
MAX_HUNKS = 500

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class Hunk(msgspec.Struct, kw_only=True):
    """Lines that stand together: ` ` is context, `-` goes, `+` comes. `first` is the old line it says, 0: none."""

    number: int
    first: int = 0
    heading: str = ""
    """A line that stands before it, where the form names one."""
    lines: list[tuple[str, str]] = []
    at_end: bool = False

    @property
    def old(self) -> list[str]:
        return [line for sign, line in self.lines if sign != "+"]

    @property
    def new(self) -> list[str]:
        return [line for sign, line in self.lines if sign != "-"]


class FilePatch(msgspec.Struct, kw_only=True):
    """What a patch does to one file. `target`: its new name. `no_newline`: the new file ends without one."""

    path: str
    creates: bool = False
    target: str | None = None
    hunks: list[Hunk] = []
    no_newline: bool | None = None


def parse_patch(text: str) -> list[FilePatch]:
    """Raises `ToolError` where it is no patch, or does what no patch may."""
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    begin = next((place for place, line in enumerate(lines) if line.strip() == "*** Begin Patch"), None)
    found = _begin_patch(lines[begin + 1 :]) if begin is not None else _unified(lines)
    if not found:
        raise ToolError("This is no patch: give a unified diff ('--- a/f', '+++ b/f', '@@ …') or '*** Begin Patch'.")
    if len({each.path for each in found}) != len(found):
        raise ToolError("The patch names a file twice: put all of its hunks together.")
    if len(found) > MAX_FILES or sum(len(each.hunks) for each in found) > MAX_HUNKS:
        raise ToolError(f"The patch changes too much at once: {MAX_FILES} files and {MAX_HUNKS} hunks are the limit.")
    return found


def apply_hunks(patch: FilePatch, lines: Sequence[str]) -> list[str]:
    """The lines of the file after all hunks; raises `ToolError` that names the hunk that does not fit."""
    done: list[str] = []
    at = 0
    for hunk in patch.hunks:
        place = _place(patch, hunk, lines, at)
        done += lines[at:place]
        # Context stays as the file has it.
        old = iter(lines[place : place + len(hunk.old)])
        for sign, line in hunk.lines:
            if sign == "+":
                done.append(line)
            else:
                kept = next(old)
                if sign == " ":
                    done.append(kept)
        at = place + len(hunk.old)
    return [*done, *lines[at:]]


def _place(patch: FilePatch, hunk: Hunk, lines: Sequence[str], at: int) -> int:
    """Where the hunk's old lines stand from line `at` on."""
    old = hunk.old
    start = at
    if hunk.heading:
        start = next((n + 1 for n in range(at, len(lines)) if lines[n].strip() == hunk.heading.strip()), -1)
        if start < 0:
            start = next((n for n in range(at, len(lines)) if hunk.heading.strip() in lines[n]), -1)
        if start < 0:
            raise ToolError(f"{_name(patch, hunk)} does not fit: no line {hunk.heading.strip()[:200]!r} is there.")
    if not old:
        if hunk.first or hunk.heading:
            return min(hunk.first, len(lines)) if hunk.first else start
        return len(lines)
    said = hunk.first - 1
    if said >= at and list(lines[said : said + len(old)]) == old:
        return said
    found = [
        n for n in range(start, len(lines) - len(old) + 1) if lines[n] == old[0] and lines[n : n + len(old)] == old
    ]
    if hunk.at_end:
        found = [n for n in found if n + len(old) == len(lines)]
    if len(found) > 1 and hunk.heading:
        found = found[:1]
    if len(found) == 1:
        return found[0]
    if found:
        where = ", ".join(str(n + 1) for n in found[:20])
        raise ToolError(f"{_name(patch, hunk)} fits in several places (lines {where}): add lines of context.")
    raise ToolError(f"{_name(patch, hunk)} does not fit: its lines are not in the file as they are. Read it again.")


def _name(patch: FilePatch, hunk: Hunk) -> str:
    return f"Hunk {hunk.number} of {patch.path[:200]!r}"


def _unified(lines: Sequence[str]) -> list[FilePatch]:
    found: list[FilePatch] = []
    renamed: dict[str, str] = {}
    place = 0
    while place < len(lines):
        line = lines[place]
        if line.startswith("diff --git "):
            renamed = {}
        if line.startswith(("rename from ", "rename to ")):
            renamed[line.split(" ")[1]] = line.split(" ", 2)[2]
            if len(renamed) == 2 and not _has_header(lines, place + 1):
                found.append(FilePatch(path=renamed["from"], target=renamed["to"]))
        if line.startswith("deleted file mode "):
            raise _no_delete()
        if line.startswith("--- ") and place + 1 < len(lines) and lines[place + 1].startswith("+++ "):
            patch = _file_of(line[4:], lines[place + 1][4:])
            place = _read_hunks(patch, lines, place + 2)
            found.append(patch)
            continue
        place += 1
    return found


def _has_header(lines: Sequence[str], place: int) -> bool:
    """Whether hunks follow before the next file."""
    for line in lines[place:]:
        if line.startswith("diff --git "):
            return False
        if line.startswith("--- "):
            return True
    return False


def _file_of(old: str, new: str) -> FilePatch:
    old, new = (_stripped(name) for name in (old, new))
    if new == "/dev/null":
        raise _no_delete()
    if old == "/dev/null":
        return FilePatch(path=_plain(new), creates=True)
    old, new = _plain(old), _plain(new)
    return FilePatch(path=old, target=None if old == new else new)


def _stripped(name: str) -> str:
    """Without the time after a tab, and without quotes."""
    return name.split("\t")[0].strip().strip('"')


def _plain(name: str) -> str:
    return name[2:] if name.startswith(("a/", "b/")) else name


def _read_hunks(patch: FilePatch, lines: Sequence[str], place: int) -> int:
    while place < len(lines) and (said := _HUNK.match(lines[place])):
        hunk = Hunk(number=len(patch.hunks) + 1, first=int(said.group(1)), lines=[])
        old, new = (int(said.group(group) or 1) for group in (2, 4))
        patch.creates |= not hunk.first and not old
        place += 1
        while place < len(lines) and (len(hunk.old) < old or len(hunk.new) < new):
            sign, rest = (lines[place][:1] or " "), lines[place][1:]
            if sign == "\\":
                place += 1
                continue
            if sign not in " +-":
                break
            hunk.lines.append((sign, rest))
            place += 1
        if (len(hunk.old), len(hunk.new)) != (old, new):
            raise ToolError(
                f"{_name(patch, hunk)} has {len(hunk.old)} old and {len(hunk.new)} new lines, and says {old} and {new}"
                ": send it again, complete."
            )
        if place < len(lines) and lines[place].startswith("\\"):
            patch.no_newline = hunk.lines[-1][0] != "-"
            place += 1
        patch.hunks.append(hunk)
    if not patch.hunks and patch.target is None:
        raise ToolError(f"The patch of {patch.path[:200]!r} has no hunk: add '@@ -1,3 +1,4 @@' and its lines.")
    return place


def _begin_patch(lines: Sequence[str]) -> list[FilePatch]:
    found: list[FilePatch] = []
    for line in lines:
        word, _, name = line.partition(": ")
        if line.strip() == "*** End Patch":
            return found
        if word == "*** Delete File":
            raise _no_delete()
        if word in ("*** Add File", "*** Update File"):
            found.append(FilePatch(path=name.strip(), creates=word == "*** Add File", hunks=[]))
            continue
        if not found:
            raise ToolError(f"The patch has a line before its first file: {line[:200]!r}.")
        _add_line(found[-1], line, word, name)
    raise ToolError("The patch was cut off: it has no '*** End Patch'. Send it again, complete.")


def _add_line(patch: FilePatch, line: str, word: str, name: str) -> None:
    hunks = patch.hunks
    if word == "*** Move to":
        patch.target = name.strip()
    elif line.strip() == "*** End of File":
        if hunks:
            hunks[-1].at_end = True
    elif line.startswith("@@"):
        hunks.append(Hunk(number=len(hunks) + 1, heading=line[2:].strip().removesuffix("@@").strip(), lines=[]))
        if said := _HUNK.match(line):
            hunks[-1].heading, hunks[-1].first = "", int(said.group(1))
    elif line[:1] in (" ", "+", "-", ""):
        if not hunks:
            hunks.append(Hunk(number=1, lines=[]))
        hunks[-1].lines.append((line[:1] or " ", line[1:]))
    else:
        raise ToolError(
            f"A line of the patch of {patch.path[:200]!r} begins with neither ' ', '+' nor '-': {line[:200]!r}."
        )


def _no_delete() -> ToolError:
    return ToolError("A patch deletes no file: use delete_file, which asks each time.")
