"""Pages of a long result: cut between rows, marked, and read on with `read_result`.

A result is rows under a head: the items of a JSON list, the lines of a text (of tables each under its own head), or
pieces of equal size where it has neither. Pure; the log always has the whole result.
"""

import re
from typing import Final, cast

import msgspec

from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json, ToolResult

READ_RESULT: Final = ToolSpec(
    name="read_result",
    description="Reads on in a result of this turn that was shown in part: rows from an offset, or those with a text.",
    parameters={
        "type": "object",
        "properties": {
            "result": {"type": "string", "description": "The id in the note below the result, such as r2."},
            "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "How many rows to skip."},
            "find": {
                "type": ["string", "null"],
                "default": None,
                "description": "Only rows that contain this text, in any case.",
            },
        },
        "required": ["result"],
        "additionalProperties": False,
    },
    effect="read",
    waits=False,
)

_PIECE_CHARS: Final = 500
_MAX_HEAD_CHARS: Final = 2_000
_MAX_FOOT_CHARS: Final = 2_000
NOTE_CHARS: Final = 160
"""Of the note below a page, about."""
_SPARE: Final = 10
"""A page that would leave out little more than a tenth of it shows that, too: the note takes room as well."""
_TABLE_RULE: Final = re.compile(r"[ \t]*+\|[ \t|:-]++")
_encode = msgspec.json.Encoder().encode


class ResultRows(msgspec.Struct, frozen=True):
    """A result as rows, with what stands above and below all of them. `heads`: of the table that each row is of."""

    rows: list[str]
    unit: str
    head: str = ""
    foot: str = ""
    heads: list[str] = []


def shown_page(text: str, limit: int, ref: str = "", offset: int = 0, find: str | None = None) -> str:
    """At most about `limit` characters of a result, whole rows from `offset` on, with a note of what is left out. What
    stands above and below all rows is on the first page alone."""
    if len(text) <= limit and not offset and not find:
        return text
    found = _split(text, limit)
    above_all, below_all = ("", "") if offset or find else (found.head, found.foot)
    rows = list(zip(found.rows, found.heads or [""] * len(found.rows), strict=True))
    if find:
        rows = [each for each in rows if find.lower() in each[0].lower()]
    room = max(limit - len(above_all) - len(below_all) - NOTE_CHARS, limit // 2)
    page: list[str] = []
    count, under = 0, ""
    for row, head in rows[offset:]:
        above = [head] if head and head != under else []
        room -= sum(len(line) + 1 for line in above)
        if len(row) + 1 > room:
            if not count:
                page += [*above, f"{row[:room]} [… {len(row) - room} characters of this row left out]"]
                count = 1
            break
        page += [*above, row]
        room -= len(row) + 1
        count, under = count + 1, head
    rest = rows[offset + count :]
    if count and sum(len(row) + 1 for row, _ in rest) <= min(NOTE_CHARS + limit // _SPARE, limit // 3):
        for row, head in rest:
            page += [*([head] if head and head != under else []), row]
            count, under = count + 1, head
    whole = count == len(rows) and not offset and not find
    note = "" if whole else _note(found.unit, offset, count, len(rows), ref, find)
    return "\n".join(part for part in (above_all, *page, below_all, note) if part)


def read_result(args: dict[str, Json], results: dict[str, str], limit: int) -> ToolResult:
    """A further page of a result of this turn."""
    ref, offset, find = args.get("result"), args.get("offset", 0), args.get("find")
    text = results.get(ref) if isinstance(ref, str) else None
    if text is None:
        known = ", ".join(results) or "none"
        return ToolResult(success=False, error=f"There is no result {ref!r} that was cut: there are {known}.")
    if not isinstance(offset, int) or offset < 0 or not (find is None or isinstance(find, str)):
        return ToolResult(success=False, error="`offset` is a number from 0 on, and `find` a text: write them so.")
    return ToolResult(success=True, output=shown_page(text, limit, str(ref), offset, find or None))


def _note(unit: str, offset: int, count: int, total: int, ref: str, find: str | None) -> str:
    matching = f" that contain {find!r}" if find else ""
    if not count:
        return f"[no {unit}{matching} from {offset} on; there are {total}]"
    note = f"{unit} {offset + 1:,}–{offset + count:,} of {total:,}{matching}"
    if offset + count < total:
        more = f", find={_encode(find).decode()}" if find else ""
        other = "" if find else f', find="…" only the {unit} with that text'
        call = f'read_result(result="{ref}", offset={offset + count}{more}) shows more{other}'
        note += f"; {call}" if ref else "; the rest is left out"
    return f"[{note}]"


def _split(text: str, limit: int) -> ResultRows:
    return _items(text) or _lines(text, limit) or ResultRows(_pieces(text), "pieces")


def _items(text: str) -> ResultRows | None:
    """The items of a JSON list, or of the list that is most of a JSON object."""
    if not text.lstrip().startswith(("[", "{")):
        return None
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    head = ""
    if isinstance(value, dict):
        table = cast("dict[str, Json]", value)
        lists = {key: len(_encode(item)) for key, item in table.items() if isinstance(item, list)}
        longest = max(lists, key=lambda key: lists[key], default=None)
        if longest is None or 2 * lists[longest] < len(text):
            return None
        rest = _encode({key: item for key, item in table.items() if key != longest}).decode()
        head, value = f"{rest[:_MAX_HEAD_CHARS]}\n{longest}:", table[longest]
    if not isinstance(value, list):
        return None
    items = cast("list[Json]", value)
    return ResultRows([_encode(item).decode() for item in items], "items", head) if len(items) > 1 else None


def _lines(text: str, limit: int) -> ResultRows | None:
    """The lines of a text; of one with tables, their rows, each under the head of its own table."""
    lines = text.split("\n")
    if len(lines) < 3 or 4 * max(map(len, lines)) > 3 * limit:
        return None
    rules = [at for at, line in enumerate(lines) if at and _TABLE_RULE.fullmatch(line)]
    if not rules:
        return ResultRows(lines, "lines")
    top = lines[: rules[0] - 1]
    head = "\n".join(top[:-1] if _title(top) else top).rstrip()
    tables = _tables(lines, rules)
    longest = max(len(each.head) for each in tables)
    if len(head) + longest > min(_MAX_HEAD_CHARS, limit // 2):
        return ResultRows(lines, "lines")
    rows, heads = [row for each in tables for row in each.rows], [each.head for each in tables for _ in each.rows]
    last = max(at for at, line in enumerate(lines) if line.lstrip().startswith("|"))
    foot = "\n".join(lines[last + 1 :]).strip()
    if len(foot) <= min(_MAX_FOOT_CHARS, limit // 3):
        return ResultRows(rows, "rows", head, foot, heads)
    below = lines[last + 1 :]
    return ResultRows([*rows, *below], "lines", head, "", [*heads, *("" for _ in below)])


class _Table(msgspec.Struct, frozen=True):
    """The rows of one table and the head they stand under: its title, where it has one, names and rule."""

    head: str
    rows: list[str]


def _tables(lines: list[str], rules: list[int]) -> list[_Table]:
    """The tables with these rules. What stands between two of them and is no title is a row under no head."""
    found: list[_Table] = []
    for number, rule in enumerate(rules):
        end = rules[number + 1] - 1 if number + 1 < len(rules) else len(lines)
        rows = [line for line in lines[rule + 1 : end] if line.lstrip().startswith("|")]
        title = _title(lines[: rule - 1])
        found.append(_Table("\n".join([*([title] if title else []), *lines[rule - 1 : rule + 1]]), rows))
        if number + 1 < len(rules):
            between = lines[rule + 1 : end - 1] if _title(lines[:end]) else lines[rule + 1 : end]
            told = [line for line in between if line.strip() and not line.lstrip().startswith("|")]
            found.append(_Table("", told))
    return found


def _title(above: list[str]) -> str:
    """The line right above a table, where it introduces it."""
    return above[-1] if above and above[-1].rstrip().endswith(":") else ""


def _pieces(text: str) -> list[str]:
    return [text[at : at + _PIECE_CHARS] for at in range(0, len(text), _PIECE_CHARS)]
