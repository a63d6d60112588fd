"""The patterns of `grep_files`: one dialect, written out for both engines so that they find the same lines. Pure.

RE2's syntax as far as Rust's `regex` has it too, in lines of UTF-8: no lookaround and no back references, so that no
pattern takes longer than in proportion to the text. `\\d`, `\\w`, `\\s` and `\\b` are those of ASCII.
What the two read differently is written in a form that both read alike, or refused with its place.
"""

from typing import Literal, NamedTuple, NoReturn

from glassloop.core.errors import BadArguments

MAX_CHARS = 2_000
MAX_REPEATS = 1_000
"""Of repeated repeats the product."""
MAX_SIZE = 3_000
"""Characters of the pattern with all repeats written out."""
CATEGORY_SIZE = 20
MAX_DEPTH = 100

_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\x0b\x0c\r "}
_OUTSIDE = {"D": "^0-9", "W": "^0-9A-Za-z_", "S": r"^\t\x0b\x0c\r "}
_CONTROL = {"t": r"\t", "r": r"\r", "f": r"\x0c", "v": r"\x0b", "a": r"\x07", "e": r"\x1b"}
_NAMED = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": r"\x00-\x7f", "blank": r"\t ", "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\x0b\x0c\r ", "upper": "A-Z", "word": "0-9A-Za-z_", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_FLAGS = set("ims")
_CATEGORIES = {
    *("C", "Cc", "Cf", "Co", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl", "No", "P"),
    *("Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs"),
    *("Arabic", "Armenian", "Bengali", "Cyrillic", "Devanagari", "Ethiopic", "Georgian", "Greek", "Han", "Hangul"),
    *("Hebrew", "Hiragana", "Katakana", "Khmer", "Latin", "Mongolian", "Tamil", "Thai", "Tibetan"),
}


class TextPattern(NamedTuple):
    """One pattern, for ripgrep's default engine and for RE2."""

    ripgrep: str
    re2: str


def read_pattern(pattern: str) -> TextPattern:
    """Raises `BadArguments` with the place of what is wrong."""
    if not pattern or len(pattern) > MAX_CHARS:
        raise BadArguments(f"The pattern has {len(pattern):,} characters: give 1 to {MAX_CHARS:,}.")
    try:
        pattern.encode()
    except UnicodeEncodeError as error:
        raise BadArguments(f"The pattern has no valid text at character {error.start + 1}.") from None
    return TextPattern(_Reader(pattern).read(r"(?-u:\b)", r"(?-u:\B)"), _Reader(pattern).read(r"\b", r"\B"))


class _Made(NamedTuple):
    """What a part of the pattern became, how large it is, and how often it repeats what is in it at most."""

    text: str
    kind: Literal["piece", "repeated", "mark"]
    size: int = 0
    repeats: int = 1


class _Reader:
    """Reads a pattern once, from its beginning to its end."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._at = 0
        self._groups: list[tuple[int, int]] = []
        """Where they begin, in the text and in what is made."""
        self._made: list[_Made] = []
        self._names: set[str] = set()

    def read(self, boundary: str, no_boundary: str) -> str:
        while self._at < len(self._text):
            self._step(boundary, no_boundary)
        if self._groups:
            self._refuse("the group that begins here has no end: add ')', or write '\\('", self._groups[-1][0])
        if sum(each.size for each in self._made) > MAX_SIZE:
            self._refuse("all its repeats together are too much to search for: repeat less", 0)
        return "".join(each.text for each in self._made)

    def _step(self, boundary: str, no_boundary: str) -> None:
        begin, mark = self._at, self._text[self._at]
        self._at += 1
        if mark == "\\":
            self._escape(begin, boundary, no_boundary)
        elif mark == "[":
            self._piece(self._set(begin))
        elif mark == "(":
            self._open(begin)
        elif mark == ")":
            self._close(begin)
        elif mark == "|":
            self._mark("|")
        elif mark == "^":
            self._mark("^")
        elif mark == "$":
            # Lines may end as those of Windows do.
            self._mark(r"(?:\r?$)")
        elif mark in "*+?":
            self._repeat(begin, mark, 1)
        elif mark == "{" and (found := self._counted()) is not None:
            self._repeat(begin, *found)
        elif mark == "\n":
            self._refuse("a search looks at one line at a time: leave the line break out", begin)
        else:
            self._piece("." if mark == "." else _literal(mark))

    def _piece(self, text: str, size: int = 1) -> None:
        self._made.append(_Made(text, "piece", size))

    def _mark(self, text: str) -> None:
        """What stands for no text, and is not repeated."""
        self._made.append(_Made(text, "mark"))

    def _escape(self, begin: int, boundary: str, no_boundary: str) -> None:
        if self._at >= len(self._text):
            self._refuse("a '\\' at the end quotes nothing: write '\\\\' for the character", begin)
        mark = self._text[self._at]
        self._at += 1
        if mark in _CLASSES:
            self._piece(f"[{_CLASSES[mark]}]")
        elif mark in _OUTSIDE:
            self._piece(f"[{_OUTSIDE[mark]}]")
        elif mark == "b":
            self._mark(boundary)
        elif mark == "B":
            self._mark(no_boundary)
        elif mark in "pP":
            self._piece(self._category(begin, mark), CATEGORY_SIZE)
        else:
            self._piece(_literal(self._character(begin, mark)))

    def _character(self, begin: int, mark: str) -> str:
        """The one that an escape stands for, the mark after its backslash already read."""
        if mark in _CONTROL:
            return _CONTROL[mark].encode().decode("unicode_escape")
        if mark in "xuU":
            return self._code(begin, mark)
        if mark == "n":
            self._refuse("a search looks at one line at a time: leave '\\n' out", begin)
        if mark in "AzZ":
            self._refuse(f"'\\{mark}' is not known: use '^' and '$' for the ends of a line", begin)
        if mark.isdigit():
            self._refuse("there are no back references: write out what shall be there", begin)
        if mark.isalpha():
            self._refuse(f"the escape '\\{mark}' is not known", begin)
        return mark

    def _code(self, begin: int, mark: str) -> str:
        if self._text[self._at : self._at + 1] == "{":
            end = self._text.find("}", self._at)
            digits, self._at = self._text[self._at + 1 : end], end + 1
            whole = end > 0 and 1 <= len(digits) <= 8
        else:
            count = {"x": 2, "u": 4, "U": 8}[mark]
            digits = self._text[self._at : self._at + count]
            self._at += count
            whole = len(digits) == count
        try:
            number = int(digits, 16) if whole and digits.isalnum() else -1
            if number == 10 or not 0 < number <= 0x10FFFF or 0xD800 <= number <= 0xDFFF:
                raise ValueError
        except ValueError:
            self._refuse("this is no character: give its number, as in '\\x{e9}'", begin)
        return chr(number)

    def _category(self, begin: int, mark: str) -> str:
        rest = self._text[self._at :]
        name = rest[1 : rest.find("}")] if rest.startswith("{") and "}" in rest else rest[:1]
        self._at += len(name) + 2 if rest.startswith("{") else len(name)
        if name.removeprefix("^") not in _CATEGORIES:
            self._refuse(f"the class {name[:20]!r} is not known: use one like \\p{{Lu}} or \\p{{Greek}}", begin)
        negated = (mark == "P") != name.startswith("^")
        return f"\\{'P' if negated else 'p'}{{{name.removeprefix('^')}}}"

    def _open(self, begin: int) -> None:
        self._groups.append((begin, len(self._made)))
        if len(self._groups) > MAX_DEPTH:
            self._refuse(f"more than {MAX_DEPTH} groups in one another", begin)
        if self._text[self._at : self._at + 1] != "?":
            self._mark("(?:")
            return
        rest = self._text[self._at + 1 :]
        if rest.startswith(("=", "!", "<=", "<!")):
            self._refuse("there is no looking ahead or behind: search for the line, then read it", begin)
        if rest.startswith((">", "#", "P=", "P>", "|", "(", "&", "R")):
            self._refuse("this kind of group is not known: use '(…)' or '(?:…)'", begin)
        if rest.startswith(("P<", "<")):
            self._named(begin, rest)
        else:
            self._flags(begin, rest)

    def _named(self, begin: int, rest: str) -> None:
        head, end, _ = rest.partition(">")
        name = head.rpartition("<")[2]
        if not end or not name.isidentifier() or not name.isascii() or name in self._names:
            self._refuse("the name of this group is none, or taken: use letters and digits", begin)
        self._names.add(name)
        self._at += len(head) + 2
        self._mark("(?:")

    def _flags(self, begin: int, rest: str) -> None:
        length = next((place for place, mark in enumerate(rest) if mark in ":)"), -1)
        flags = rest[: max(length, 0)]
        on, _, off = flags.partition("-")
        if length < 0 or (not flags and rest[length] == ")") or not set(on + off) <= _FLAGS or flags.endswith("-"):
            self._refuse("this kind of group is not known: use '(…)', '(?:…)' or '(?i)'", begin)
        # Line breaks are in no line: of the flags only the one for case means anything.
        case = ("i" in on, "i" in off)
        made = "i" if case == (True, False) else "-i" if case[1] else ""
        self._at += length + 2
        if rest[length] == ")":
            self._groups.pop()
            if made:
                self._mark(f"(?{made})")
        else:
            self._mark(f"(?{made}:")

    def _close(self, begin: int) -> None:
        if not self._groups:
            self._refuse("this ')' ends no group: write '\\)' for the character", begin)
        _, place = self._groups.pop()
        # One piece, so that what follows repeats the whole group.
        inside = self._made[place:]
        del self._made[place:]
        self._made.append(
            _Made(
                "".join(each.text for each in inside) + ")",
                "piece",
                sum(each.size for each in inside),
                max(each.repeats for each in inside),
            )
        )

    def _counted(self) -> tuple[str, int] | None:
        """`{2,5}` as it is written and the most it repeats; None where the brace is a character."""
        end = self._text.find("}", self._at)
        low, comma, high = self._text[self._at : end].partition(",")
        if end < 0 or not (low or (comma and high)) or not all(each.isdecimal() for each in (low, high) if each):
            return None
        if not (low + high).isascii() or len(low) > 5 or len(high) > 5:
            return None
        self._at = end + 1
        most = max(int(low or 0), int(high or 0), 1)
        if high and int(high) < int(low or 0):
            self._refuse("the counts of this repeat are the wrong way round", end)
        return (f"{{{int(low or 0)}{comma}{high and int(high)}}}", most)

    def _repeat(self, begin: int, made: str, most: int) -> None:
        last = self._made.pop() if self._made else _Made("", "mark")
        if last.kind == "repeated":
            self._refuse("a repeat cannot be repeated: put it into a group first", begin)
        if last.kind == "mark":
            self._refuse(f"{made!r} has nothing to repeat: write '\\{made[0]}' for the character", begin)
        if self._text[self._at : self._at + 1] == "?":
            self._at += 1
            made += "?"
        repeats, size = last.repeats * most, last.size * most
        if repeats > MAX_REPEATS or size > MAX_SIZE:
            self._refuse(f"this repeats up to {repeats:,} times, too much to search for: repeat less", begin)
        self._made.append(_Made(last.text + made, "repeated", size, repeats))

    def _set(self, begin: int) -> str:
        """Characters in brackets, the first of which is read."""
        negated = self._text[self._at : self._at + 1] == "^"
        self._at += negated
        members: list[str] = []
        first = self._at
        while True:
            if self._at >= len(self._text):
                self._refuse("the set that begins here has no end: add ']', or write '\\['", begin)
            if self._text[self._at] == "]" and self._at > first:
                self._at += 1
                break
            members.append(self._member())
        return f"[{'^' if negated else ''}{''.join(members)}]"

    def _member(self) -> str:
        begin = self._at
        low = self._single()
        if len(low) > 1:
            return low[1:]
        if self._text[self._at : self._at + 1] != "-" or self._text[self._at + 1 : self._at + 2] in ("]", ""):
            return _in_set(low)
        self._at += 1
        high = self._single()
        if len(high) > 1 or high < low:
            self._refuse("this range ends before it begins, or is none: write '\\-' for the character", begin)
        return f"{_in_set(low)}-{_in_set(high)}"

    def _single(self) -> str:
        """One character; a class is told with an '=' before what stands in the set."""
        begin, mark = self._at, self._text[self._at]
        self._at += 1
        if mark == "[" and self._text[self._at : self._at + 1] == ":":
            end = self._text.find(":]", self._at)
            name = self._text[self._at + 1 : end]
            if end < 0 or name not in _NAMED:
                self._refuse(f"the class {name[:20]!r} is not known: use one like [:alpha:]", begin)
            self._at = end + 2
            return "=" + _NAMED[name]
        if mark == "\n":
            self._refuse("a search looks at one line at a time: leave the line break out", begin)
        if mark != "\\":
            return mark
        if self._at >= len(self._text):
            self._refuse("the set has no end: add ']'", begin)
        quoted = self._text[self._at]
        self._at += 1
        if quoted in _CLASSES:
            return "=" + _CLASSES[quoted]
        if quoted in _OUTSIDE:
            self._refuse(f"'\\{quoted}' cannot stand in a set: use '[^…]'", begin)
        if quoted in "pP":
            return "=" + self._category(begin, quoted)
        return "\b" if quoted == "b" else self._character(begin, quoted)

    def _refuse(self, why: str, place: int) -> NoReturn:
        near = self._text[place : place + 20]
        raise BadArguments(f"The pattern cannot be read at character {place + 1} ({near!r}): {why}.")


def _literal(mark: str) -> str:
    if mark.isalnum() or ord(mark) > 127 or mark in " _\"'<>/,;:=@!%`":
        return mark
    return f"\\{mark}" if mark.isprintable() else f"\\x{{{ord(mark):x}}}"


def _in_set(mark: str) -> str:
    return mark if (mark.isalnum() and mark.isascii()) or ord(mark) > 127 else f"\\x{{{ord(mark):x}}}"
