"""Edits of real files with the damage that models do to what they quote.

The files are this project's own and those of installed packages. Each edit changes one place that no other place of
the file is like, however blanks and quotes are read, so that there is one right outcome: that place changed, written
the file's own way, and every other byte as it was. Made without regard to how edits are matched.
"""

import random
import re
import sysconfig
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

SUFFIXES = (".py", ".js", ".ts", ".tsx", ".md", ".css", ".toml")
MAX_BYTES = 60_000
_CURLY = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


class DamagedEdit(NamedTuple):
    """`before` and `after`: the whole file. `first`, `last`: the lines that are meant, from 1."""

    damage: str
    source: str
    suffix: str
    before: str
    after: str
    old: str
    new: str
    first: int
    last: int


class Place(NamedTuple):
    """Lines of a file without their ends, and what stands between two lines."""

    lines: list[str]
    begin: int
    end: int
    changed: list[str]

    @property
    def region(self) -> list[str]:
        return self.lines[self.begin : self.end]

    def file(self, region: Sequence[str], newline: str = "\n") -> str:
        return newline.join([*self.lines[: self.begin], *region, *self.lines[self.end :]])


Damage = Callable[[list[str]], list[str]]


def each_line(change: Callable[[str], str]) -> Damage:
    return lambda lines: [change(line) if line.strip() else line for line in lines]


def shifted(blanks: int) -> Damage:
    def change(line: str) -> str:
        return " " * blanks + line if blanks > 0 else line[-blanks:] if line[:-blanks].isspace() else line.lstrip(" ")

    return each_line(change)


def dedented(lines: list[str]) -> list[str]:
    return textwrap.dedent("\n".join(lines)).split("\n")


def scaled(old: int, new: int) -> Damage:
    def change(line: str) -> str:
        text = line.lstrip(" ")
        return " " * ((len(line) - len(text)) * new // old) + text

    return each_line(change)


def tabbed(lines: list[str]) -> list[str]:
    return each_line(lambda line: re.sub(r"^(?: {4})+", lambda found: "\t" * (len(found[0]) // 4), line))(lines)


def first_line_flush(lines: list[str]) -> list[str]:
    """The first line begins at the margin, the others one level less deep than they are."""
    return [lines[0].lstrip(), *shifted(-4)(lines[1:])]


def curly(line: str) -> str:
    line = re.sub(r'"([^"]*)"', "\u201c\\1\u201d", line)
    return re.sub(r"'([^']*)'", "\u2018\\1\u2019", line).replace("'", "\u2019")


def narrowed(line: str) -> str:
    """Runs of blanks within the line are one."""
    body = line.lstrip()
    return line[: len(line) - len(body)] + re.sub(r"(?<=\S) {2,}(?=\S)", " ", body)


def without_blank_lines(lines: list[str]) -> list[str]:
    return [line for line in lines if line.strip()]


def with_blank_line(lines: list[str]) -> list[str]:
    return [lines[0], "", *lines[1:]]


def escaped(line: str) -> str:
    return line.replace('"', '\\"')


DAMAGES: dict[str, Damage] = {
    "exact": lambda lines: lines,
    "indentation: none": dedented,
    "indentation: four more": shifted(4),
    "indentation: two more": shifted(2),
    "indentation: four less": shifted(-4),
    "indentation: one more": shifted(1),
    "indentation: two for four": scaled(4, 2),
    "indentation: tabs for blanks": tabbed,
    "indentation: first line flush": first_line_flush,
    "blanks: at the ends of lines": each_line(lambda line: line + "  "),
    "blanks: on blank lines": lambda lines: [line or "    " for line in lines],
    "blanks: runs made one": each_line(narrowed),
    "blanks: no-break": each_line(lambda line: line.replace(" ", "\u00a0")),
    "quotes: curly for straight": each_line(curly),
    "quotes: escaped": each_line(escaped),
    "lines: a blank one left out": without_blank_lines,
    "lines: a blank one more": with_blank_line,
    "marks: dash, ellipsis": each_line(lambda line: line.replace(" - ", " \u2013 ").replace("...", "\u2026")),
    "numbers: as shown": lambda lines: [f"{number:>5}  {line}" for number, line in enumerate(lines, 17)],
    "numbers: with a tab": lambda lines: [f"{number:>6}\t{line}" for number, line in enumerate(lines, 17)],
    "fence around it": lambda lines: ["```python", *lines, "```"],
}
"""What becomes of the lines in both `old` and `new`."""

NOT_THERE = ("a word wrong", "a line wrong", "left out with dots", "two places")


def damaged_edits(seed: int, each: int) -> Iterator[DamagedEdit]:
    """`each` of every kind. Those of `NOT_THERE` have to be refused."""
    rng = random.Random(seed)
    files = _files()
    makers: dict[str, Callable[[random.Random, Place], tuple[str, str, str, str] | None]] = {
        **{name: _damaging(change) for name, change in DAMAGES.items()},
        "newlines: file has CRLF": lambda _, place: _plain(place, "\r\n", "\n"),
        "newlines: edit has CRLF": lambda _, place: _plain(place, "\n", "\r\n"),
        "lines: no newline at the end": _without_last_newline,
        "lines: newlines around it": _with_newlines_around,
        "quotes: straight for curly": _straight_for_curly,
        "blanks: file has them at the ends": _trailing_in_file,
        "indentation: file has tabs": _tabs_in_file,
        "indentation and newlines": _both,
        "a word wrong": _wrong_word,
        "a line wrong": _wrong_line,
        "left out with dots": _with_dots,
    }
    for name, make in makers.items():
        left = each
        for _ in range(each * 400):
            path = rng.choice(files)
            place = _place(rng, path)
            made = None if place is None else make(rng, place)
            if place is None or made is None:
                continue
            before, after, old, new = made
            if old == new or before == after:
                continue
            yield DamagedEdit(name, path.name, path.suffix, before, after, old, new, place.begin + 1, place.end)
            left -= 1
            if not left:
                break
    yield from _doubled(rng, files, each)


def _files() -> list[Path]:
    here = Path(__file__).parents[4]
    found = [path for folder in ("src", "docs", "web/src", "tests") for path in (here / folder).rglob("*")]
    found += Path(sysconfig.get_path("purelib")).rglob("*")
    return sorted(
        path for path in found
        if path.suffix in SUFFIXES and path.is_file() and 800 < path.stat().st_size < MAX_BYTES
        and not path.name.endswith(".min.js")
    )  # fmt: skip


def _key(line: str) -> str:
    return "".join(line.translate(_CURLY).split())


def _place(rng: random.Random, path: Path) -> Place | None:
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        return None
    if "\r" in text or "\t" in text or "\x0c" in text or "\u00a0" in text:
        return None
    lines = text.split("\n")
    if len(lines) < 20 or max(map(len, lines)) > 300:
        return None
    begin = rng.randrange(len(lines) - 2)
    end = min(begin + rng.choice((1, 2, 3, 4, 5, 6, 8, 12)), len(lines) - 1)
    region = lines[begin:end]
    if not region[0].strip() or not region[-1].strip() or sum(len(_key(line)) for line in region) < 12:
        return None
    keys = [key for key in map(_key, lines) if key]
    wanted = [key for key in map(_key, region) if key]
    if sum(keys[at : at + len(wanted)] == wanted for at in range(len(keys))) != 1:
        return None
    # The region as a part of longer lines somewhere else would be another place too.
    if "\n".join(keys).count("\n".join(wanted)) != 1:
        return None
    changed = _changed(rng, region)
    return None if changed is None else Place(lines, begin, end, changed)


def _changed(rng: random.Random, region: list[str]) -> list[str] | None:
    """The lines as they shall be: a word of one replaced, a line added after one, or one taken out."""
    at = rng.choice([number for number, line in enumerate(region) if line.strip()])
    line = region[at]
    how = rng.choice(("word", "word", "add", "remove"))
    if how == "word":
        words = list(re.finditer(r"[A-Za-z_]{3,}", line))
        if not words:
            return None
        word = rng.choice(words)
        return [*region[:at], f"{line[: word.start()]}changed_{word[0]}{line[word.end() :]}", *region[at + 1 :]]
    if how == "add":
        indent = line[: len(line) - len(line.lstrip())]
        return [*region[: at + 1], f"{indent}added_here = 1", *region[at + 1 :]]
    if len(region) < 2 or at in (0, len(region) - 1):
        return None
    return [*region[:at], *region[at + 1 :]]


def _damaging(change: Damage) -> Callable[[random.Random, Place], tuple[str, str, str, str] | None]:
    def make(rng: random.Random, place: Place) -> tuple[str, str, str, str] | None:
        del rng
        old, new = change(place.region), change(place.changed)
        if old == place.region and change is not DAMAGES["exact"]:
            return None
        return place.file(place.region), place.file(place.changed), "\n".join(old), "\n".join(new)

    return make


def _plain(place: Place, file: str, edit: str) -> tuple[str, str, str, str] | None:
    if len(place.region) < 2:
        return None
    both = place.file(place.region, file), file.join([*place.lines[: place.begin], *place.changed])
    after = file.join([both[1], *place.lines[place.end :]])
    return both[0], after, edit.join(place.region), edit.join(place.changed)


def _without_last_newline(rng: random.Random, place: Place) -> tuple[str, str, str, str]:
    """The last line of the file has no newline, the edit has."""
    del rng
    cut = place._replace(lines=place.lines[: place.end])
    return cut.file(cut.region), cut.file(cut.changed), "\n".join(cut.region) + "\n", "\n".join(cut.changed) + "\n"


def _with_newlines_around(rng: random.Random, place: Place) -> tuple[str, str, str, str] | None:
    """As in a quoted block that begins and ends on lines of its own; the file has no blank lines there."""
    del rng
    if not place.begin or not place.lines[place.begin - 1].strip() or not place.lines[place.end].strip():
        return None
    old, new = (f"\n{text}\n" for text in ("\n".join(place.region), "\n".join(place.changed)))
    return place.file(place.region), place.file(place.changed), "\n" + old, "\n" + new


def _straight_for_curly(rng: random.Random, place: Place) -> tuple[str, str, str, str] | None:
    del rng
    region, changed = [[curly(line) for line in lines] for lines in (place.region, place.changed)]
    if region == place.region:
        return None
    old, new = "\n".join(place.region), "\n".join(place.changed)
    return place.file(region), place.file(changed), old, new


def _trailing_in_file(rng: random.Random, place: Place) -> tuple[str, str, str, str]:
    """Lines that the edit leaves alone keep their blanks."""
    lines = [line + "  " if rng.random() < 0.5 else line for line in place.region]
    lines[0] = place.region[0] + " "
    kept = dict(zip(place.region, lines, strict=True))
    after = [kept.get(line, line) for line in place.changed]
    return place.file(lines), place.file(after), "\n".join(place.region), "\n".join(place.changed)


def _tabs_in_file(rng: random.Random, place: Place) -> tuple[str, str, str, str] | None:
    del rng
    tabs = place._replace(lines=tabbed(place.lines), changed=tabbed(place.changed))
    if tabs.region == place.region or any(line.startswith("\t ") or line[:1] == " " for line in tabs.lines):
        return None
    return tabs.file(tabs.region), tabs.file(tabs.changed), "\n".join(place.region), "\n".join(place.changed)


def _both(rng: random.Random, place: Place) -> tuple[str, str, str, str] | None:
    """CRLF in the file; the edit has LF, other indentation and blanks at the ends."""
    made = _plain(place, "\r\n", "\n")
    change = rng.choice((dedented, shifted(4), shifted(2)))
    if made is None:
        return None
    old, new = ("\n".join(each_line(lambda line: line + " ")(change(lines))) for lines in (place.region, place.changed))
    return made[0], made[1], old, new


def _wrong_word(rng: random.Random, place: Place) -> tuple[str, str, str, str] | None:
    at = rng.randrange(len(place.region))
    words = list(re.finditer(r"[A-Za-z_]{4,}", place.region[at]))
    if not words or len(place.region) < 2:
        return None
    word = rng.choice(words)
    line = place.region[at]
    wrong = [*place.region]
    wrong[at] = f"{line[: word.start()]}{word[0][::-1].lower()}x{line[word.end() :]}"
    return place.file(place.region), place.file(place.changed), "\n".join(wrong), "\n".join(place.changed)


def _wrong_line(rng: random.Random, place: Place) -> tuple[str, str, str, str] | None:
    if len(place.region) < 3:
        return None
    at = rng.randrange(1, len(place.region))
    wrong = [*place.region[:at], "    this_line_was = never_there(at_all)", *place.region[at:]]
    return place.file(place.region), place.file(place.changed), "\n".join(wrong), "\n".join(place.changed)


def _with_dots(rng: random.Random, place: Place) -> tuple[str, str, str, str] | None:
    del rng
    if len(place.region) < 5:
        return None
    wrong = [*place.region[:2], "    # ... existing code ...", *place.region[-1:]]
    return place.file(place.region), place.file(place.changed), "\n".join(wrong), "\n".join(place.changed)


def _doubled(rng: random.Random, files: Sequence[Path], each: int) -> Iterator[DamagedEdit]:
    """The place twice in the file, once with other indentation or not."""
    made = 0
    while made < each:
        path = rng.choice(files)
        place = _place(rng, path)
        if place is None or len(place.region) < 2:
            continue
        again = place.region if rng.random() < 0.5 else shifted(4)(place.region)
        before = "\n".join([*place.lines[:-1], *again, ""])
        old = dedented(place.region)
        if old == place.region and again != place.region:
            continue
        new = "\n".join(dedented(place.changed))
        if "\n".join(old) == new:
            continue
        made += 1
        yield DamagedEdit(
            "two places", path.name, path.suffix, before, before, "\n".join(old), new, place.begin + 1, place.end
        )
