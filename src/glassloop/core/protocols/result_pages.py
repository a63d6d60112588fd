"""Pages of a long result: cut between rows, marked, and read on with `read_result`.

A result is rows under a head: the items of a JSON list, or the lines of a text (of tables each under its own head);
long rows count as pieces. Pure; the log always has the whole result.
"""

import re
from collections.abc import Iterator
from itertools import takewhile
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

_MAX_ROW_CHARS: Final = 500
_PIECE_CHARS: Final = 250
"""Of a row that is longer than that, so that every part of it can be read on from."""
_MAX_HEAD_CHARS: Final = 2_000
_MAX_ABOVE_CHARS: Final = 1_500
_MAX_FOOT_CHARS: Final = 1_500
NOTE_CHARS: Final = 160
"""Of the note below a page, about."""
_SPARE: Final = 10
"""A page that would leave out little more than a tenth of it shows that, too: the note takes room as well."""
_MIN_TABLE_ROWS: Final = 2
_MAX_COLUMNS: Final = 16
_TABLE_RULE: Final = re.compile(r"[ \t]*+\|[ \t|:-]++")
_encode = msgspec.json.Encoder().encode


class ResultRow(msgspec.Struct, frozen=True):
    """A row, or a piece of a long one that goes on (`continues`), and the head of the table that it is of."""

    text: str
    head: str = ""
    continues: bool = False


class ResultRows(msgspec.Struct, frozen=True):
    """A result as rows, with what stands above and below all of them. It depends on the text alone, never on how much
    of it is shown: an offset means the same row on every page."""

    rows: list[ResultRow]
    unit: str
    head: str = ""
    foot: str = ""


def shown_page(text: str, limit: int, ref: str = "", offset: int = 0, find: str | None = None) -> str:
    """At most about `limit` characters of a result, whole rows from `offset` on, with a note of what is left out. What
    stands above and below all rows is on the first page alone."""
    if len(text) <= limit and not offset and not find:
        return text
    found = _split(text)
    first = not offset and not find
    above_all, below_all = (found.head, found.foot) if first else ("", "")
    rows = [row for row in found.rows if not find or find.lower() in row.text.lower()]
    pieces = [piece for row in rows for piece in _pieces(row)]
    unit = found.unit if len(pieces) == len(rows) else "pieces"
    room = max(limit - len(above_all) - len(below_all) - NOTE_CHARS, limit // 2)
    # Empty lines alone are no page: what comes after them is shown, too.
    blank = sum(1 for _ in takewhile(lambda piece: not piece.text.strip(), pieces[offset:]))
    count = _fitting(pieces[offset:], room)
    count = min(blank + 1, len(pieces) - offset) if 0 < count <= blank else count
    rest = sum(len(piece.text) + 1 for piece in pieces[offset + count :])
    if count and rest <= (min(NOTE_CHARS + limit // _SPARE, limit // 3) if first else NOTE_CHARS // 2):
        count = len(pieces) - offset
    page = _page(pieces[offset : offset + count])
    if not count and offset < len(pieces):
        page, count = _page(pieces[offset : offset + 1]), 1
        if not ref and len(page) > room:
            page = f"{page[:room]} [… {len(page) - room} characters of this row left out]"
    note = "" if first and count == len(pieces) else _note(unit, offset, count, len(pieces), ref, find)
    return "\n".join(part for part in (above_all, page, below_all, note) if part)


def _fitting(pieces: list[ResultRow], room: int) -> int:
    """How many of the pieces fit, without a part of a row unless that is all there would be."""
    under, whole = "", 0
    for count, piece in enumerate(pieces):
        if not piece.continues:
            whole = count
        room -= len(piece.text) + 1 + (len(piece.head) + 1 if piece.head and piece.head != under else 0)
        if room < 0:
            return whole or count
        under = piece.head
    return len(pieces)


def _page(pieces: list[ResultRow]) -> str:
    """The pieces below each other, under the heads of their tables."""
    page: list[str] = []
    under = ""
    for at, piece in enumerate(pieces):
        if piece.continues and at:
            page[-1] += piece.text
            continue
        if piece.head and piece.head != under:
            page.append(piece.head)
        page.append(piece.text)
        under = piece.head
    return "\n".join(page)


def rows_as_table(text: str) -> str:
    """A JSON list of records, or the list that is most of a JSON object, as a Markdown table: half the characters for
    the same cells. Other texts, and records with other than plain values, stay as they are."""
    found = _list_in(text)
    if found is None:
        return text
    head, items = found
    table = _written_table(items)
    shown = f"{head}\n{table}" if head else table
    return shown if table and len(shown) < len(text) else text


def _written_table(items: list[Json]) -> str:
    """Empty where the items are not records of plain values with much the same names."""
    if len(items) < _MIN_TABLE_ROWS or not all(isinstance(item, dict) for item in items):
        return ""
    records = cast("list[dict[str, Json]]", items)
    names = list(dict.fromkeys(name for record in records for name in record))
    if len(names) > min(_MAX_COLUMNS, 2 * len(records[0])):
        return ""
    if any(isinstance(cell, dict | list) for record in records for cell in record.values()):
        return ""
    rows = [names, ["---"] * len(names), *([_cell(record.get(name)) for name in names] for record in records)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(value: Json) -> str:
    if isinstance(value, str):
        return " ".join(value.replace("|", "\\|").split())
    return "-" if value is None else _encode(value).decode()


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


def _split(text: str) -> ResultRows:
    if (items := _items(text)) is not None:
        return items
    lines = text.split("\n")
    found = _tables(lines) if len(lines) >= 3 else None
    return found or ResultRows([ResultRow(line) for line in lines], "lines" if len(lines) >= 3 else "pieces")


def _items(text: str) -> ResultRows | None:
    """The items of a JSON list, or of the list that is most of a JSON object."""
    found = _list_in(text)
    if found is None or len(found[1]) < 2:
        return None
    return ResultRows([ResultRow(_encode(item).decode()) for item in found[1]], "items", found[0])


def _list_in(text: str) -> tuple[str, list[Json]] | None:
    """A JSON list with nothing above it, or the list that is most of a JSON object with the rest of that."""
    if not text.lstrip().startswith(("[", "{")):
        return None
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    if isinstance(value, list):
        return "", cast("list[Json]", value)
    if not isinstance(value, dict):
        return None
    table = cast("dict[str, Json]", value)
    lists = {key: len(_encode(item)) for key, item in table.items() if isinstance(item, list)}
    longest = max(lists, key=lambda key: lists[key], default=None)
    if longest is None or 2 * lists[longest] < len(text):
        return None
    rest = _encode({key: item for key, item in table.items() if key != longest}).decode()
    if len(rest) > _MAX_HEAD_CHARS:
        return None
    return f"{rest}\n{longest}:", cast("list[Json]", table[longest])


def _tables(lines: list[str]) -> ResultRows | None:
    """The rows of the tables of a text, each under the head of its own; other lines between them are rows, too."""
    heads = dict(_heads(lines))
    if not heads:
        return None
    first = min(heads)
    last = max(at for at, line in enumerate(lines) if line.lstrip().startswith("|"))
    above, foot = "\n".join(lines[:first]).rstrip(), "\n".join(lines[last + 1 :]).strip()
    if len(above) + max(len("\n".join(lines[at:end])) for at, end in heads.items()) > _MAX_ABOVE_CHARS:
        return None
    rows: list[ResultRow] = []
    head, at = "", first
    while at <= last:
        if end := heads.get(at):
            head = "\n".join(lines[at:end])
            if end >= len(lines) or not lines[end].lstrip().startswith("|"):
                rows += [ResultRow(line) for line in lines[at:end]]
                head = ""
            at = end
            continue
        line = lines[at]
        if line.strip():
            rows.append(ResultRow(line, head if line.lstrip().startswith("|") else ""))
        at += 1
    if len(foot) <= _MAX_FOOT_CHARS:
        return ResultRows(rows, "rows", above, foot)
    below = [ResultRow(line) for line in lines[last + 1 :] if line.strip()]
    return ResultRows([*rows, *below], "lines", above)


def _heads(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Where heads of tables begin and end: names and rule, and the line above, where it introduces the table."""
    for at, line in enumerate(lines):
        if not at or "-" not in line or not _TABLE_RULE.fullmatch(line) or not lines[at - 1].lstrip().startswith("|"):
            continue
        above = lines[at - 2] if at > 1 else ""
        if not above.lstrip().startswith("|"):
            yield at - 2 if above.rstrip().endswith(":") else at - 1, at + 1


def _pieces(row: ResultRow) -> list[ResultRow]:
    """The row, or where it is long the pieces of it."""
    text = row.text
    if len(text) <= _MAX_ROW_CHARS:
        return [row]
    starts = range(0, len(text), _PIECE_CHARS)
    return [ResultRow(text[at : at + _PIECE_CHARS], row.head, continues=at > 0) for at in starts]
