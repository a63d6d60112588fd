"""Logistics desk of Cressgate Cottage Hospital. People, places and figures are made up; what is sent or raised is not stored."""

import json
import re
import zlib
from datetime import date
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

_ALL: dict[str, Any] = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
TODAY = "2036-11-06"

Ward = Literal["Alder", "Birch", "Hazel", "Rowan"]
Trade = Literal["electrical", "plumbing", "heating", "cooling", "mechanical", "joinery"]
Field = Literal["surgery", "anaesthesia", "medicine", "pharmacy", "x-ray", "estates", "porters"]


def _plain(text: object) -> str:
    return re.sub(r"[^0-9a-z]", "", str(text).casefold())


def _one(table: str, key: str, said: object) -> dict[str, Any] | None:
    return next((r for r in _ALL[table] if _plain(r[key]) == _plain(said)), None)


def _match(said: str, *texts: object) -> bool:
    have = re.findall(r"\w+", " ".join(map(str, texts)).casefold())
    parts = [w for w in re.findall(r"\w+", said.casefold()) if w not in ("the", "of", "for", "and", "set", "tray")]
    return bool(parts) and all(any(h.startswith(p) for h in have) for p in parts)


def _day(said: str) -> str:
    try:
        return date.fromisoformat(str(said).strip()).isoformat()
    except ValueError:
        raise ToolError(f"A day is written YYYY-MM-DD; {said!r} is not.") from None


def _clock(said: str) -> str:
    if not re.fullmatch(r"([01]?\d|2[0-3]):[0-5]\d", str(said).strip()):
        raise ToolError(f"A time is written HH:MM; {said!r} is not.")
    return str(said).strip().zfill(5)


def _grid(head: list[str], rows: list[list[object]]) -> str:
    lines = [head, *[["-" if c is None else str(c) for c in row] for row in rows]]
    wide = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, wide, strict=True)).rstrip() for line in lines)


def _number(*parts: object) -> int:
    return zlib.crc32("|".join(map(str, parts)).encode()) % 900 + 100


@tool(effect="read", integrity="trusted")
def BedBoard(ward: Ward, state: Literal["taken", "empty", "cleaning", "closed"] | None = None) -> str:
    """The board of a ward: its beds with kind, state and the day since when they are in that state.

    The board knows nothing of mattresses, leaving days or who comes next; that is on the slip of a bed.

    Args:
        ward: Name of the ward.
        state: Only beds in this state.
    """
    letter = _ALL["wards"][ward]["letter"]
    hits = [b for b in _ALL["beds"] if b["bed"].startswith(letter) and state in (None, b["state"])]
    if not hits:
        raise ToolError(f"{ward} has no bed that is {state}.")
    return _grid(["bed", "kind", "state", "since"], [[b[k] for k in ("bed", "kind", "state", "since")] for b in hits])


@tool(effect="read", integrity="trusted")
def BedSlip(bed: str) -> str:
    """Everything on one bed's slip: mattress, oxygen, what weight it bears, last safety check, when and where to the
    patient leaves and by what, for which day it is promised next, and the code of the nurse.

    Args:
        bed: Letter of the ward, slash, two digits: "Q/09" would be bed 9 of a ward with Q.
    """
    b = _one("beds", "bed", bed)
    if b is None:
        raise ToolError(f"There is no bed {bed!r}. BedBoard lists those of a ward.")
    leaves = f"{b['out_day']} at {b['out_clock']}, to {b['out_to']}, by {b['out_by']}" if b["out_day"] else "not set"
    lines = {
        "bed": b["bed"], "kind": b["kind"], "state": b["state"], "mattress": b["mattress"], "oxygen": b["oxygen"],
        "bears_kg": b["limit_kg"], "safety_check": b["checked"], "leaves": leaves,
        "promised_for": b["next_in"] or "nobody", "nurse": b["nurse"],
    }  # fmt: skip
    return "\n".join(f"{k}: {v}" for k, v in lines.items())


@tool(effect="read", integrity="trusted")
def GoingOut(day: str, ward: Ward | None = None) -> str:
    """Who goes out on a day: the beds that patients leave, with time, destination and means (car, taxi, ambulance,
    or bed when they only change wards or places).

    Args:
        day: The day of leaving as YYYY-MM-DD.
        ward: Leave it out for the whole house.
    """
    when = _day(day)
    letter = _ALL["wards"][ward]["letter"] if ward else ""
    hits = sorted(
        (b for b in _ALL["beds"] if b["out_day"] == when and b["bed"].startswith(letter)), key=lambda b: b["out_clock"]
    )
    if not hits:
        raise ToolError(f"Nobody is down to leave {ward or 'the house'} on {when}.")
    return "\n".join(f"- {b['out_clock']} {b['bed']} to {b['out_to']}, {b['out_by']}" for b in hits)


@tool(effect="read", integrity="trusted")
def PorterQueue(
    state: Literal["waiting", "moving", "done"] | None = None,
    badge: str | None = None,
    place: str | None = None,
) -> str:
    """Today's porter trips as a table: number, time wanted, time begun, from, to, what is moved, badge, state, minutes it took.

    Args:
        state: waiting (not begun), moving (under way) or done.
        badge: Only the trips of the porter with this badge, three digits; "none" for trips that nobody has yet.
        place: Only trips from or to this place or bed.
    """
    hits = [
        t
        for t in _ALL["trips"]
        if state in (None, t["state"])
        and (badge is None or _plain(badge) == _plain(t["porter"] or "none"))
        and (place is None or _match(place, t["start"]) or _match(place, t["goal"]))
    ]
    if not hits:
        raise ToolError("No trip of today fits. Broken things are in FaultList; names of porters in StaffDial.")
    keys = ("trip", "wanted", "begun", "start", "goal", "load", "porter", "state", "minutes")
    head = "trip|wanted|begun|from|to|load|porter|state|minutes"
    return "\n".join([head, *("|".join("-" if t[k] is None else str(t[k]) for k in keys) for t in hits)])


@tool(effect="read", integrity="trusted")
def TraySearch(
    words: str = "",
    cabinet: int | None = None,
    state: Literal["ready", "in use", "washing", "held"] | None = None,
) -> str:
    """Find sterile instrument sets by what they are for, by cabinet or by state. A line each: number, name, cabinet,
    state, pieces. Days, weights and bookings are on the set's pass.

    Args:
        words: What the set is for, e.g. "shoulder"; empty for all.
        cabinet: Number of the cabinet.
        state: Only sets in this state.
    """
    hits = [
        t
        for t in _ALL["trays"]
        if (not words.strip() or _match(words, t["name"])) and cabinet in (None, t["cabinet"]) and state in (None, t["state"])
    ]
    if not hits:
        raise ToolError("No set fits. Use another word for the operation, or leave out a filter.")
    return "\n".join(
        f"* {t['tray']} {t['name']} (cabinet {t['cabinet']}): {t['state']}, {t['pieces']} pieces" for t in hits
    )


@tool(effect="read", integrity="trusted")
def TrayPass(tray: str) -> dict[str, object]:
    """The pass of one instrument set: weight, day of sterilising, good until, run of the steriliser, last use, booking,
    missing piece, price of replacing it.

    Args:
        tray: Number of the set, S, cabinet, dot, two digits (S9.99). A name is looked up with TraySearch.
    """
    t = _one("trays", "tray", tray)
    if t is None:
        raise ToolError(f"No set has the number {tray!r}. TraySearch finds it by name.")
    return {
        "tray": t["tray"], "name": t["name"], "weight_kg": t["weight_kg"],
        "sterile": {"since": t["sterilised"], "until": t["good_until"], "run": t["run"]},
        "last_use": {"day": t["last_used"], "place": t["last_place"]},
        "booked": {"day": t["booked_day"], "place": t["booked_place"]} if t["booked_day"] else None,
        "missing": t["missing"], "replacement_price": t["price"],
    }  # fmt: skip


@tool(effect="read", integrity="trusted")
def TrolleyStock(trolley: str) -> dict[str, object]:
    """What lies in a pharmacy trolley, drawer by drawer (on_hand, par = what ought to be there, month of expiry), and its
    seal, pharmacist and last filling.

    Args:
        trolley: MT and two digits. The card of a ward names its trolleys.
    """
    key = next((k for k in _ALL["trolleys"] if _plain(k) == _plain(trolley)), None)
    if key is None:
        raise ToolError(f"There is no trolley {trolley!r}: MT and two digits. WardCard names those of a ward.")
    return {"trolley": key, **_ALL["trolleys"][key]}


@tool(effect="read", integrity="trusted")
def LinenShelf(ward: Ward) -> str:
    """What lies in the linen cupboard of a ward at the last count: code, item, on the shelf, ought to be."""
    rows = _ALL["shelf"][ward]
    return f"{ward}, counted {_ALL['counted'][ward]}\n" + _grid(["code", "item", "shelf", "ought"], rows)


@tool(effect="read", integrity="trusted")
def LinenDrops(
    day: str | None = None,
    ward: Literal["Alder", "Birch", "Hazel", "Rowan", "Theatres"] | None = None,
) -> list[dict[str, object]]:
    """Deliveries of the laundry from 4 to 8 November: docket, day, time, where to, pieces and kilograms of clean linen,
    bags of soiled linen taken back (null: not driven yet), driver. Give a day, a ward, or both.

    Args:
        day: YYYY-MM-DD.
        ward: Where the linen goes.
    """
    if day is None and ward is None:
        raise ToolError("Give a day or a ward.")
    when = _day(day) if day else None
    hits = [d for d in _ALL["drops"] if when in (None, d["day"]) and ward in (None, d["ward"])]
    if not hits:
        raise ToolError(f"The laundry brings nothing{f' to {ward}' if ward else ''}{f' on {when}' if when else ''}.")
    return hits


@tool(effect="read", integrity="trusted")
def FaultList(
    place: str | None = None, trade: Trade | None = None, state: Literal["open", "done"] = "open"
) -> list[dict[str, object]]:
    """Repairs: number, place, what is wrong, trade, rank (1 = most urgent) and the day it was raised.

    Args:
        place: Ward, bed or room, or a word of what is wrong.
        trade: Only this trade.
        state: open, or done for those that are mended.
    """
    hits = [
        f
        for f in _ALL["faults"]
        if f["state"] == state and trade in (None, f["trade"]) and (place is None or _match(place, f["place"], f["what"]))
    ]
    if not hits:
        raise ToolError(f"No {state} repair fits. Leave out a filter, or look under {'done' if state == 'open' else 'open'}.")
    return [{k: f[k] for k in ("fault", "place", "what", "trade", "rank", "raised")} for f in hits]


@tool(effect="read", integrity="trusted")
def FaultNote(fault: str) -> str:
    """The note on one repair: who does it, whom to ring, day and hours of the visit, estimate, spare part, who reported it.

    Args:
        fault: Year, slash, four digits, as in "30/0999".
    """
    f = _one("faults", "fault", fault) or _one("faults", "fault", f"36{fault}")
    if f is None:
        raise ToolError(f"No repair has the number {fault!r}. FaultList finds it by place or trade.")
    who = (
        f"Own staff ({f['contact']}, extension {f['phone']})"
        if f["firm"] == "own staff"
        else f"{f['firm']} (ask for {f['contact']}, {f['phone']})"
    )
    verb = "was there" if f["state"] == "done" else "comes"
    part = f"Spare part: {f['part']}." if f["part"] else "No spare part needed."
    return (
        f"Repair {f['fault']}, {f['place']}: {f['what']}. {who} {verb} on {f['visit_day']}, {f['visit_clock']}. "
        f"Estimate {f['estimate']} crowns. {part} Reported by {f['by']}."
    )


@tool(effect="read", integrity="trusted")
def WardCard(ward: Ward) -> dict[str, object]:
    """A ward at a glance: floor, charge nurse and night nurse (codes), visitors' hours, how many visitors at a bed, from
    what age children may come, quiet hour, trolleys, linen cupboard, telephone.

    Args:
        ward: Name of the ward.
    """
    return {"ward": ward, **_ALL["wards"][ward]}


@tool(effect="read", integrity="trusted")
def OnCall(day: str, field: Field | None = None) -> str:
    """Who stands by outside working hours, 6 to 12 November: per field the first and second person (three-letter code,
    porters by badge) and from when till when, the end being on the next day.

    Args:
        day: The day on which it begins, YYYY-MM-DD.
        field: Leave it out for all.
    """
    when = _day(day)
    if when not in _ALL["oncall"]:
        raise ToolError(f"The rota goes from 2036-11-06 to 2036-11-12; {when} is not in it.")
    rows = [r for r in _ALL["oncall"][when] if field in (None, r["field"])]
    return f"{when}\n" + "\n".join(
        f"{r['field']}: first {r['first']}, second {r['second'] or 'nobody'}, {r['from']} to {r['till']}" for r in rows
    )


@tool(effect="read", integrity="trusted")
def StaffDial(who: str) -> str:
    """How to reach somebody of the staff: post, extension, pager, room, next leave.

    Args:
        who: Name, part of it, three-letter code, or a porter's badge.
    """
    hits = [s for s in _ALL["staff"] if _plain(s["code"]) == _plain(who)] or [s for s in _ALL["staff"] if _match(who, s["name"])]
    if not hits:
        raise ToolError(f"Nobody of the staff fits {who!r}. People of outside firms are in the note on the repair.")
    said = []
    for s in hits:
        ext = f"extension {s['ext']}, " if s["ext"] else ""
        away = f"Next leave {s['leave_from']} to {s['leave_till']}." if s["leave_from"] else "No leave entered."
        said.append(f"{s['name']} ({s['code']}), {s['post']}: {ext}pager {s['pager']}, room {s['room']}. {away}")
    return "\n".join(said)


@tool(effect="write")
def SendPorter(
    start: str,
    goal: str,
    load: Literal["bed", "wheelchair", "trays", "samples", "linen", "gas bottle", "trolley"],
    clock: str,
) -> str:
    """Order a porter for today.

    Args:
        start: Bed or place where the trip begins.
        goal: Where it goes.
        load: What is moved; patients go by bed or wheelchair.
        clock: When the porter is to be there, HH:MM.
    """
    at = _clock(clock)
    if _plain(start) == _plain(goal):
        raise ToolError("start and goal are the same place.")
    return f"Trip 51{_number(start, goal, load, at)} ordered: {load} from {start} to {goal}, {TODAY} at {at}."


@tool(effect="write")
def RaiseFault(place: str, what: str, trade: Trade, rank: Literal[1, 2, 3]) -> dict[str, object]:
    """Enter a new repair.

    Args:
        place: Ward, bed or room.
        what: What is wrong, in a few words.
        trade: Whose work it is.
        rank: 1 danger or standstill, 2 hinders the work, 3 can wait.
    """
    if len(what.strip()) < 4:
        raise ToolError("what says too little.")
    by = {1: "2036-11-06", 2: "2036-11-09", 3: "2036-11-27"}[int(rank)]
    return {"fault": f"36/1{_number(place, trade, rank)}", "place": place, "trade": trade, "rank": int(rank), "mend_by": by}
