"""The books of the service desk of Cawdermere Infirmary (all data invented). What is written gets a number and is forgotten."""

import json
import re
import zlib
from datetime import date
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

DATA: dict[str, Any] = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
WARDS, PEOPLE, KIT, SUPPLIERS = DATA["wards"], DATA["people"], DATA["kit"], DATA["suppliers"]
TODAY = "2033-05-18"
MOST_ROWS = 16
Block = Literal["North", "South", "Tower", "Mill"]


def _plain(text: object) -> str:
    return " ".join(re.findall(r"\w+", str(text).casefold().replace("'", "").replace("’", "")))


def _key(text: object) -> str:
    return re.sub(r"[\W_]", "", str(text)).casefold()


def _id(said: object, table: dict[str, Any], otherwise: str) -> str:
    found = next((each for each in table if _key(each) == _key(said)), None)
    if found is None:
        raise ToolError(otherwise)
    return found


def _named(said: str, names: dict[str, str]) -> list[str]:
    words = [word for word in _plain(said).split() if word not in ("the", "of", "a", "ward", "mr", "ms", "mrs")]
    return [key for key, name in names.items() if words and all(word in _plain(name) for word in words)]


def _day(text: str, name: str) -> str:
    try:
        return date.fromisoformat(str(text).strip()).isoformat()
    except ValueError:
        raise ToolError(f"`{name}` must be a day written as YYYY-MM-DD, not {text!r}.") from None


def _time(text: str) -> str:
    match = re.fullmatch(r"\s*([01]?\d|2[0-3])[:.]([0-5]\d)\s*", str(text))
    if match is None:
        raise ToolError(f"`at` must be a time written as HH:MM, not {text!r}.")
    return f"{int(match[1]):02}:{match[2]}"


def _ward(ref: str) -> str:
    return _id(ref, WARDS, f"No ward has the ref {ref!r}. find_ward tells the ref of a name.")


def _badge(badge: str) -> str:
    return _id(badge, PEOPLE, f"No badge {badge!r}. whos_who tells the badge of a name.")


def _code(code: str) -> str:
    return _id(code, KIT, f"No equipment has the code {code!r}. kit_search tells the code of a name.")


def _few(rows: list[dict[str, Any]], how: str) -> list[dict[str, Any]]:
    if len(rows) > MOST_ROWS:
        raise ToolError(f"{len(rows)} rows are more than fit. Narrow it by {how}.")
    return rows


def _number(*parts: object) -> int:
    return zlib.crc32("|".join(map(str, parts)).encode()) % 9000 + 1000


@tool
def find_ward(called: str) -> list[dict[str, object]]:
    """Wards and departments by name: ref, block, beds, extension by day and by night, times for linen in and bags out, key.

    Args:
        called: The name of the ward or a part of it.
    """
    hits = _named(called, {key: ward["name"] for key, ward in WARDS.items()})
    if not hits:
        raise ToolError(f"No ward or department is called {called!r}.")
    return [{"ref": key, **WARDS[key]} for key in hits]


@tool
def whos_who(who: str) -> list[dict[str, object]]:
    """Our own people by name, porters, drivers, technicians and clerks: badge, name, post. The rest is on their record.

    Args:
        who: First name, last name or both.
    """
    hits = _named(who, {key: each["name"] for key, each in PEOPLE.items()})
    if not hits:
        raise ToolError(f"Nobody in the service is called {who!r}.")
    return [{"badge": key, "name": PEOPLE[key]["name"], "post": PEOPLE[key]["post"]} for key in hits]


@tool
def badge_record(badge: str) -> dict[str, object]:
    """One person's record: shift, days off, mobile, pager, locker, line manager, start, first aid, tug licence.

    Args:
        badge: The badge, two figures and a letter. Not the name.
    """
    key = _badge(badge)
    return {"badge": key, **PEOPLE[key]}


@tool
def kit_search(words: str) -> list[dict[str, object]]:
    """Equipment by a word of its name or nickname: code, item, greatest load in kg, state, and where it is.

    Args:
        words: One or two words, such as a kind of equipment.
    """
    hits = _named(words, {key: each["item"] for key, each in KIT.items()}) or _named(
        words.rstrip("s"), {key: each["item"] for key, each in KIT.items()}
    )
    if not hits:
        raise ToolError(f"No equipment fits {words!r}.")
    return [{"code": key, **{name: KIT[key][name] for name in ("item", "max_kg", "state", "place")}} for key in hits]


@tool
def kit_file(code: str) -> dict[str, object]:
    """The file of one piece of equipment: maker, price, services, size, weekly charge, supplier, open fault.

    Args:
        code: The code on its label. Not the name.
    """
    key = _code(code)
    return {"code": key, **KIT[key]}


@tool
def supplier_card(code: str) -> dict[str, object]:
    """One supplier: name, contact, phone, order by, delivery day, least order, account, days until it comes.

    Args:
        code: The supplier's code, as stock and equipment files have it.
    """
    key = _id(code, SUPPLIERS, f"No supplier has the code {code!r}. Stock counts and equipment files name it.")
    return {"code": key, **SUPPLIERS[key]}


@tool
def loans_out(
    state: Literal["running", "overdue", "back"] | None = None,
    ref: str | None = None,
    due_from: str | None = None,
    due_till: str | None = None,
) -> list[dict[str, object]]:
    """Equipment lent to wards: loan, code, item, ward, day out, day due, badge of who signed.

    Args:
        state: Only loans in this state.
        ref: Only loans to this ward (its ref, not its name).
        due_from: Only loans due on or after this day, YYYY-MM-DD.
        due_till: Only loans due on or before this day, YYYY-MM-DD.
    """
    ward = _ward(ref) if ref else None
    first, last = _day(due_from, "due_from") if due_from else "", _day(due_till, "due_till") if due_till else "9999"
    rows = [
        row if state is None else {name: value for name, value in row.items() if name != "state"}
        for row in DATA["loans"]
        if state in (None, row["state"]) and ward in (None, row["ward"]) and first <= row["due"] <= last
    ]
    return _few(rows, "state, ward or days")


@tool
def fault_book(
    state: Literal["open", "waiting", "mended"] | None = None,
    block: Block | None = None,
    since: str | None = None,
    till: str | None = None,
) -> list[dict[str, object]]:
    """Faults that were logged: number, code, what is wrong, ward, day logged, technician's badge, state.

    Args:
        state: open, waiting (for parts) or mended.
        block: Only wards of this block.
        since: Only faults logged on or after this day, YYYY-MM-DD.
        till: Only faults logged on or before this day, YYYY-MM-DD.
    """
    first, last = _day(since, "since") if since else "", _day(till, "till") if till else "9999"
    rows = [
        row if state is None else {name: value for name, value in row.items() if name != "state"}
        for row in DATA["faults"]
        if state in (None, row["state"])
        and block in (None, WARDS[row["ward"]]["block"])
        and first <= row["logged"] <= last
    ]
    return _few(rows, "state, block or days")


@tool
def porter_runs(on: str, state: Literal["done", "under way", "booked", "cancelled"] | None = None) -> list[dict[str, object]]:
    """The table of porter runs of one day: number, time, from, to, load, how many porters, badge, state.

    Args:
        on: The day, YYYY-MM-DD.
        state: Only runs in this state.
    """
    day = _day(on, "on")
    return [
        row if state is None else {name: value for name, value in row.items() if name != "state"}
        for row in DATA["runs"].get(day, [])
        if state in (None, row["state"])
    ]


@tool
def stock_count(
    store: Literal["linen cage", "clean store", "north store"], below_least_only: bool = False
) -> dict[str, object]:
    """The last count of a store with its totals: each article with pieces, least stock, on order, price, supplier's code.

    Args:
        store: Which store.
        below_least_only: Only articles of which there are fewer than the least stock.
    """
    every = DATA["stock"][store]
    rows = [row for row in every["rows"] if not below_least_only or row["have"] < row["least"]]
    value = round(sum(row["have"] * row["each"] for row in every["rows"]), 2)
    below = sum(row["have"] < row["least"] for row in every["rows"])
    return {"counted": every["counted"], "below_least": below, "value_gbp": value, "articles": rows}


@tool(effect="write")
def lend_kit(code: str, ref: str, till: str, badge: str) -> dict[str, object]:
    """Lend a piece of equipment to a ward.

    Args:
        code: The code on its label. Not the name.
        ref: The ward's ref. Not the name.
        till: The day it is due back, YYYY-MM-DD.
        badge: Badge of the person who signs for it.
    """
    key, ward, day, who = _code(code), _ward(ref), _day(till, "till"), _badge(badge)
    if KIT[key]["state"] != "in pool":
        raise ToolError(f"{key} is {KIT[key]['state']}, so it cannot be lent. Nothing was written.")
    if day <= TODAY:
        raise ToolError(f"`till` {day} is not after today.")
    return {
        "loan": f"L#{_number(key, ward, day)}",
        "item": KIT[key]["item"],
        "ward": WARDS[ward]["name"],
        "due": day,
        "signed": PEOPLE[who]["name"],
    }


@tool(effect="write")
def book_run(
    origin: str, dest: str, on: str, at: str, load: Literal["bed", "chair", "trolley", "linen", "equipment"], porters: int
) -> dict[str, object]:
    """Book a porter run from one ward to another.

    Args:
        origin: Ref of the ward where it begins. Not the name.
        dest: Ref of the ward where it ends. Not the name.
        on: The day, YYYY-MM-DD.
        at: The time, HH:MM.
        load: What is moved.
        porters: How many porters are wanted, 1 to 4.
    """
    first, last, day, time = _ward(origin), _ward(dest), _day(on, "on"), _time(at)
    if first == last:
        raise ToolError("`origin` and `dest` are the same ward.")
    if day < TODAY:
        raise ToolError(f"{day} is past.")
    if not 1 <= porters <= 4:
        raise ToolError("`porters` is 1 to 4.")
    return {
        "run": f"pt:{_number(first, last, day, time)}",
        "from": WARDS[first]["name"],
        "to": WARDS[last]["name"],
        "on": day,
        "at": time,
        "load": load,
        "porters": porters,
    }


@tool(effect="write")
def log_fault(code: str, what: str, urgency: Literal["today", "this week", "no hurry"]) -> dict[str, object]:
    """Log a fault of a piece of equipment; the workshop gets it.

    Args:
        code: The code on its label. Not the name.
        what: What is wrong with it.
        urgency: By when somebody has to look at it.
    """
    key = _code(code)
    if len(what.strip()) < 4:
        raise ToolError("`what` is too short: say what is wrong.")
    return {"fault": f"f/{_number(key, urgency)}", "code": key, "item": KIT[key]["item"], "urgency": urgency}
