"""Expressions of hand-written worlds: what they may use, and texts with expressions in braces."""

import calendar
import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, cast

from training.data.values import CITIES, Rng, filled, person


class WorldError(ValueError):
    """What is wrong with a file, and where."""


class Failed(Exception):
    """A tool's own error, which the model is told. `wanted`: where no row has these values, what rows there are."""

    def __init__(self, message: str, wanted: dict[str, Any] | None = None, rows: Sequence["Row"] = ()) -> None:
        super().__init__(message)
        self.wanted, self.rows = wanted or {}, rows

    def told(self, manner: str, keys: Mapping[str, str]) -> str:
        """As tools of a manner say that there is no such thing: `bare`, `like` with the form of an id, or `known` with
        what there is. `keys` are the names of parameters."""
        if len(self.wanted) != 1 or not self.rows or manner == "bare":
            return str(self)
        key, value = next(iter(self.wanted.items()))
        name = keys.get(key, key).replace("_", " ")
        known = [row[key] for row in self.rows]
        told = f"There is no {name} {value}." if manner == "like" else f"Unknown {name} {value!r}."
        if all(isinstance(each, int) for each in known):
            return f"{told} There are {min(known)} to {max(known)}."
        if manner == "like" and is_code(known[0]):
            return f"{told} They look like {known[len(known) // 2]}."
        names = list(dict.fromkeys(map(str, known)))
        return f"{told} Known: {', '.join(names)}." if len(names) <= MAX_NAMED else told


class Row(dict[str, Any]):
    """A row whose fields are attributes as well."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the row has no {name!r}, only {', '.join(self)}") from None


MAX_NAMED: Final = 9
"""Values that an error names."""
_WORD: Final = re.compile(r"[^\W\d_\u3400-\u9fff]{2,}")
_KNOWN: Final = " ".join(
    [*calendar.day_name, *calendar.month_name, *calendar.month_abbr, "True False and or und oder"]
).lower()


def unseen(value: str, *texts: str) -> list[str]:
    """Words of a value that none of the texts has: a model could only invent them."""
    known = " ".join([_KNOWN, *texts]).lower()
    words = _WORD.findall(value.lower())
    return [word for word in words if word not in known and f"{word.removesuffix('y')}ies" not in known]


def is_code(value: Any) -> bool:
    """A number or letters with figures, such as ids are; no day."""
    if isinstance(value, bool | float) or not re.fullmatch(r"[\w./-]*\d[\w./-]*", str(value)):
        return False
    return not re.fullmatch(r"\d{4}-\d\d-\d\d", str(value))


def as_rows(value: Any) -> Any:
    """A result whose dictionaries are rows."""
    if isinstance(value, dict):
        return Row({str(key): as_rows(each) for key, each in cast("dict[Any, Any]", value).items()})
    return [as_rows(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value


def rows_of_one_form(value: Any) -> list[Row]:
    """A result that is rows with the same fields; empty where it is anything else."""
    rows = cast("list[Any]", value) if isinstance(value, list) else []
    return rows if all(isinstance(row, Row) and row.keys() == rows[0].keys() for row in rows) else []


def fill(text: str, names: dict[str, Any], seen: str | None = None) -> str:
    """A text with its `{expression}` and `{expression:format}` parts evaluated.

    With `seen`, a part may only say words that stand there or in the text itself.
    """
    made, at = "", 0
    while at < len(text):
        char = text[at]
        if text[at : at + 2] in ("{{", "}}"):
            made, at = made + char, at + 2
        elif char == "{":
            end = _closing(text, at)
            part = _part(text[at + 1 : end], names)
            if seen is not None and (words := unseen(part, seen, text)):
                raise WorldError(f"{words} of {text!r} was neither asked nor observed")
            made, at = made + part, end + 1
        else:
            made, at = made + char, at + 1
    return made


def _closing(text: str, at: int) -> int:
    depth = 0
    for position in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if not depth:
            return position
    raise WorldError(f"a brace is not closed in {text!r}")


def _part(part: str, names: dict[str, Any]) -> str:
    try:
        code, form = compile(part.strip(), "text", "eval"), ""
    except SyntaxError:
        head, _, form = part.rpartition(":")
        code = compile(head.strip(), "text", "eval")
    return format(eval(code, names), form)  # noqa: S307


def evaluate(code: str, names: dict[str, Any]) -> Any:
    return eval(compile(code.strip(), "world", "eval"), names)  # noqa: S307


def unused(rng: Rng, taken: dict[str, list[str]], text: str) -> str:
    left = taken.setdefault(text, [])
    if not left:
        left.extend(part.strip() for part in text.split(","))
        rng.shuffle(left)
    return left.pop()


def functions(rng: Rng) -> dict[str, Callable[..., Any]]:
    """What expressions of a file may use."""

    def some(*values: Any) -> Any:
        first: Any = values[0]
        return rng.some(cast("list[Any]", first) if len(values) == 1 and isinstance(first, list) else values)

    def day(first: int, last: int) -> str:
        return (rng.today + datetime.timedelta(days=rng.randint(first, last))).isoformat()

    def clock(first: int, last: int) -> str:
        return f"{rng.randint(first, last):02d}:{rng.some([0, 0, 10, 15, 20, 30, 30, 40, 45]):02d}"

    def decimal(low: float, high: float, digits: int = 1) -> float:
        return round(rng.uniform(low, high), digits)

    def letters(count: int) -> str:
        return "".join(rng.some("ABCDEFGHJKLMNPRSTUVWXYZ") for _ in range(count))

    def sample(rows: list[Row], count: int) -> list[Row]:
        return rng.sample(rows, min(count, len(rows)))

    return {
        "number": rng.randint,
        "decimal": decimal,
        "money": partial(decimal, digits=2),
        "some": some,
        "person": partial(person, rng),
        "city": partial(rng.some, CITIES),
        "first": _first,
        "last": _last,
        "day": day,
        "clock": clock,
        "code": partial(filled, rng),
        "letters": letters,
        "chance": rng.chance,
        "sample": sample,
        "get": get,
        "find": find,
        "show": show,
        "join": join,
        "fail": fail,
        "today": lambda: rng.today.isoformat(),
        "weekday": weekday,
    }


def _first(name: str) -> str:
    return name.split()[0]


def _last(name: str) -> str:
    return name.split()[-1]


def weekday(iso: str) -> str:
    return datetime.date.fromisoformat(iso).strftime("%A")


def show(value: Row | list[Row], fields: str) -> Row | list[Row]:
    if isinstance(value, list):
        return [cast("Row", show(each, fields)) for each in value]
    pairs = [(part.partition("=")[0], part.rpartition("=")[2]) for part in fields.replace(",", " ").split()]
    return Row({key: value[source] for key, source in pairs})


def get(table: list[Row], **wanted: Any) -> Row:
    for row in table:
        if all(row[key] == value for key, value in wanted.items()):
            return row
    raise Failed(f"Nothing with {' and '.join(f'{key} {value}' for key, value in wanted.items())}.", wanted, table)


def find(table: list[Row], **wanted: Any) -> list[Row]:
    def fits(row: Row) -> bool:
        return all(
            word in str(row[key]).lower() for key, text in wanted.items() if text for word in str(text).lower().split()
        )

    return [row for row in table if fits(row)]


def join(values: Any, last: str = "and") -> str:
    *before, end = [str(value) for value in values] or [""]
    return f"{', '.join(before)} {last} {end}" if before else end


def fail(message: str) -> Any:
    raise Failed(message)


def split_draws(text: str) -> list[str]:
    """Parts between semicolons that stand in no string and no bracket."""
    parts, depth, quote = [""], 0, ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(char, 0) if not quote else 0
        if char == ";" and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += char
    return parts
