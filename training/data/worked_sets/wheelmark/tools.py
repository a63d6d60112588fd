"""Dispatch office of Wheelmark Couriers. All of it is invented; nothing that is written is kept."""

import json
import re
import zlib
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

Row = dict[str, Any]
Depot = Literal["Millrace", "Tannery", "Upper Cross"]

FILES: dict[str, Any] = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
MANY = 14


def _tokens(text: object) -> list[str]:
    plain = re.sub(r"['’]s\b", "", str(text).casefold())
    return [each for each in re.findall(r"[\w.]+", plain) if each not in ("the", "and", "mr", "mrs", "ms", "dr")]


def _hit(q: str, *fields: object) -> bool:
    """Every word of q begins a word of the fields."""
    have = [word for each in fields for word in _tokens(each)]
    return all(any(word.startswith(one) for word in have) for one in _tokens(q))


def _day(text: str, name: str) -> str:
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        raise ToolError(f"{name} must look like 2037-01-31, not like {text!r}.") from None


def _table(rows: Iterable[Row], columns: Sequence[str], bar: str = "  ") -> str:
    """Columns under each other; nothing is a dash."""
    cells = [list(columns)] + [["-" if r[c] is None else str(r[c]) for c in columns] for r in rows]
    if bar == "  ":
        wide = [max(len(line[i]) for line in cells) for i in range(len(columns))]
        return "\n".join(bar.join(c.ljust(w) for c, w in zip(line, wide, strict=True)).rstrip() for line in cells)
    return "\n".join(bar.join(line) for line in cells)


def _rider(no: int) -> Row:
    found = FILES["riders"].get(str(no))
    if found is None:
        raise ToolError(f"No rider has the number {no}. rd_find looks riders up by name.")
    return found


def _frame(frame: str) -> str:
    wanted = frame.strip().upper()
    if wanted not in FILES["bikes"]:
        raise ToolError(f"{frame!r} is no frame number (letter, digit, dot, two digits). bk_list finds bikes by name.")
    return wanted


def _docket(docket: str) -> str:
    wanted = docket.strip()
    if wanted not in FILES["trails"]:
        raise ToolError(f"No parcel has the docket {docket!r}. Those on the way are in pc_out.")
    return wanted


def _client(code: str) -> str:
    wanted = code.strip().upper()
    if all(c["code"] != wanted for c in FILES["clients"]):
        raise ToolError(f"{code!r} is no client code (three letters, a digit). cl_book has the codes.")
    return wanted


def _mark(*parts: object) -> int:
    return zlib.crc32("|".join(map(str, parts)).encode()) % 900 + 100


@tool(effect="read", integrity="trusted")
def rd_find(
    q: str = "", at: Depot | None = None, grade: Literal["trainee", "rider", "senior", "lead"] | None = None
) -> list[Row]:
    """Riders of the cooperative, a row each: no, name, home depot, grade, month of joining.

    Args:
        q: First name, surname or both. Empty: everybody.
        at: Home depot.
        grade: Only riders of this grade.
    """
    rows = [
        {"no": int(no), "name": r["name"], "depot": r["depot"], "grade": r["grade"], "joined": r["joined"]}
        for no, r in FILES["riders"].items()
        if _hit(q, r["name"]) and at in (None, r["depot"]) and grade in (None, r["grade"])
    ]
    if not rows:
        raise ToolError("No rider fits. People who send parcels are in cl_book.")
    return rows


@tool(effect="read", integrity="trusted")
def rd_sheet(no: int) -> str:
    """The personal sheet of one rider: mobile, usual bike, kinds of bike cleared for, first aid, hours, leave, mentor.

    Args:
        no: The rider's three-digit number. A name will not do.
    """
    r = _rider(no)
    shown = {"no": no, **{k: v for k, v in r.items() if k not in ("depot", "grade", "joined")}}
    lists = {k: ", ".join(v) if isinstance(v, list) else ("none" if v is None else v) for k, v in shown.items()}
    return "\n".join(f"{k.replace('_', ' ')}: {v}" for k, v in lists.items())


@tool(effect="read", integrity="trusted")
def bk_list(
    q: str = "",
    at: Depot | None = None,
    kind: Literal["longjohn", "trike", "longtail"] | None = None,
    state: Literal["ready", "out", "workshop"] | None = None,
) -> str:
    """Bikes in a table: frame number, name, kind, depot, load in kg, kilometres ridden in all, state today.

    Args:
        q: The bike's name or frame number, or the beginning of it.
        at: Depot the bike belongs to.
        kind: longjohn (box in front), trike (three wheels), longtail (long carrier behind).
        state: ready (can be taken), out (on the road), workshop.
    """
    rows = [
        {"frame": f, **b}
        for f, b in FILES["bikes"].items()
        if _hit(q, b["name"], f) and at in (None, b["depot"]) and kind in (None, b["kind"])
        and state in (None, b["state"])
    ]  # fmt: skip
    if not rows:
        raise ToolError("No bike fits. Try the name alone, or leave out a filter.")
    return _table(rows, ("frame", "name", "kind", "depot", "load_kg", "km", "state"))


@tool(effect="read", integrity="trusted")
def bk_passport(frame: str) -> Row:
    """Everything about a single bike that the list leaves out.

    That is: day of purchase, who rode it last, where it is parked, brake pads in mm, motor, kilometres of the chain,
    the battery pack that belongs to it, next check, insured value.

    Args:
        frame: Frame number as in bk_list, e.g. "L9.99". Names of bikes are not understood here.
    """
    f = _frame(frame)
    left_out = ("name", "kind", "depot", "load_kg", "km", "state")
    return {"frame": f, **{k: v for k, v in FILES["bikes"][f].items() if k not in left_out}}


@tool(effect="read", integrity="trusted")
def bt_rack(at: Depot) -> str:
    """What is on the charging rack of a depot this morning: pack, hook, charge in per cent, range in km, when full.

    Args:
        at: The depot.
    """
    return _table(FILES["racks"][at], ("pack", "hook", "charge_pct", "range_km", "full_at"), " | ")


@tool(effect="read", integrity="trusted")
def bt_life(pack: str) -> str:
    """The life of one battery pack: bought, capacity, health, charging cycles, longest ride, warranty, repairs.

    Its charge at the moment is not in here but on the rack (bt_rack).

    Args:
        pack: VB and two digits.
    """
    wanted = pack.strip().upper()
    if wanted not in FILES["packs"]:
        raise ToolError(
            f"There is no pack {pack!r}. A bike's passport names its pack; bt_rack names those that charge."
        )
    p = FILES["packs"][wanted]
    lines = [f"- {k.replace('_', ' ')}: {v}" for k, v in p.items() if k != "repairs"]
    return "\n".join([f"Pack {wanted}", *lines, *(f"- repair: {r}" for r in p["repairs"] or ["none so far"])])


@tool(effect="read", integrity="trusted")
def pc_out(
    client: str | None = None,
    zone: str | None = None,
    service: Literal["standard", "two-hour", "evening"] | None = None,
    promised_on: str | None = None,
    state: Literal["depot", "riding", "failed"] | None = None,
) -> str:
    """Parcels not delivered yet: docket, client code, zone, weight, service, promised by, rider's number, state.

    Args:
        client: Client code; for a name see cl_book.
        zone: Zone of the recipient, a letter and a digit.
        service: Only this service.
        promised_on: Only what is promised for this day, YYYY-MM-DD.
        state: depot: still lying there; riding: with a rider; failed: an attempt came to nothing.
    """
    code = _client(client) if client else None
    area = zone.strip().upper() if zone else None
    when = _day(promised_on, "promised_on") if promised_on else ""
    rows = [
        r for r in FILES["out"]
        if code in (None, r["client"]) and area in (None, r["zone"]) and service in (None, r["service"])
        and r["promised"].startswith(when) and state in (None, r["state"])
    ]  # fmt: skip
    if not rows:
        raise ToolError("Nothing like that is on the way. What was delivered is told by pc_trail, docket by docket.")
    return _table(rows, ("docket", "client", "zone", "kg", "service", "promised", "rider", "state"), " | ")


@tool(effect="read", integrity="trusted")
def pc_trail(docket: str) -> str:
    """Tells what has happened to one parcel so far, to whom it goes, and its declared value.

    Args:
        docket: Day of the month, a slash, four digits: 31/9999.
    """
    wanted = _docket(docket)
    t = FILES["trails"][wanted]
    worth = f"Declared value {t['value']} EUR." if t["value"] else "No value was declared."
    to = f"Docket {wanted} is for {t['recipient']}, {t['address']}, phone {t['phone']}."
    return " ".join([to, worth, *t["story"]])


@tool(effect="write")
def pc_hold(docket: str, until: str) -> Row:
    """Keep an undelivered parcel at the depot up to and including a day; it is not taken out before.

    Args:
        docket: Like 31/9999.
        until: Last day of holding, YYYY-MM-DD.
    """
    wanted, last = _docket(docket), _day(until, "until")
    row = next((r for r in FILES["out"] if r["docket"] == wanted), None)
    if row is None:
        raise ToolError(f"{wanted} has been delivered already.")
    if row["state"] == "riding":
        raise ToolError(f"{wanted} is on the road with rider {row['rider']} and cannot be held.")
    return {"hold": f"HD{_mark(wanted, last)}", "docket": wanted, "held_until": last}


@tool(effect="read", integrity="trusted")
def zn_prices(zone: str = "") -> dict[str, Row]:
    """The price list by zone of delivery: euros for each service up to 10 kg, euros per further kg, minutes to ride.

    Args:
        zone: Code of a zone or name of the district; all nine when empty.
    """
    found = {
        z["zone"]: {
            "district": z["district"],
            "eur": {k: z[k] for k in ("standard", "two_hour", "evening")},
            "eur_per_kg_over_10": z["per_kg_over_10"],
            "minutes": z["minutes"],
        }
        for z in FILES["zones"]
        if _hit(zone, z["zone"], z["district"])
    }
    if not found:
        known = ", ".join(f"{z['zone']} {z['district']}" for z in FILES["zones"])
        raise ToolError(f"{zone!r} is none of our zones: {known}.")
    return found


@tool(effect="read", integrity="trusted")
def sh_plan(on: str, at: Depot | None = None) -> str:
    """The shifts planned for a day, today or later: slot, start, end, rider's number, bike. - means nobody yet.

    Args:
        on: The day, YYYY-MM-DD.
        at: Slots of one depot.
    """
    when = _day(on, "on")
    if when not in FILES["plan"]:
        known = f"{min(FILES['plan'])} to {max(FILES['plan'])}"
        raise ToolError(f"The plan covers {known}. Days that are over are in the clock book (sh_clocked).")
    first = {"Millrace": "m", "Tannery": "t", "Upper Cross": "c"}.get(at or "", "")
    rows = [r for r in FILES["plan"][when] if r["slot"].startswith(first)]
    return _table(rows, ("slot", "start", "end", "rider", "frame"))


@tool(effect="read", integrity="trusted")
def sh_clocked(on: str, no: int | None = None) -> list[Row]:
    """The clock book of a past day: who really rode, which frame, clocked in and out, pause, kilometres, drops made.

    Args:
        on: The day, YYYY-MM-DD; the book goes back one week.
        no: Only this rider.
    """
    when = _day(on, "on")
    if when not in FILES["clocked"]:
        known = f"{min(FILES['clocked'])} to {max(FILES['clocked'])}"
        raise ToolError(f"The clock book covers {known}. Today and later days are in sh_plan.")
    rows = [r for r in FILES["clocked"][when] if no in (None, r["rider"])]
    if not rows:
        raise ToolError(f"Rider {no} did not ride on {when}.")
    return rows


@tool(effect="write")
def sh_fill(on: str, slot: str, no: int) -> Row:
    """Give a slot of the plan that is still empty to a rider.

    Args:
        on: The day of the shift, YYYY-MM-DD.
        slot: The slot as the plan writes it, a small letter and a digit.
        no: Number of the rider who takes it.
    """
    when, who = _day(on, "on"), _rider(no)
    rows = FILES["plan"].get(when, [])
    row = next((r for r in rows if r["slot"] == slot.strip().lower()), None)
    if row is None:
        raise ToolError(f"There is no slot {slot!r} on {when}; sh_plan shows those of a day.")
    if row["rider"]:
        raise ToolError(f"{row['slot']} on {when} is not empty: rider {row['rider']} has it.")
    other = next((r["slot"] for r in rows if r["rider"] == no), None)
    if other:
        raise ToolError(f"Rider {no} already has {other} on {when}.")
    kind = FILES["bikes"][row["frame"]]["kind"]
    if kind not in who["cleared_for"]:
        raise ToolError(
            f"{row['slot']} rides {row['frame']}, a {kind}; {no} is cleared for {', '.join(who['cleared_for'])}."
        )
    return {"entry": f"SW{_mark(when, row['slot'], no)}", "on": when, **row, "rider": no, "name": who["name"]}


@tool(effect="read", integrity="trusted")
def dm_list(
    frame: str | None = None,
    state: Literal["waiting", "in hand", "mended", "dropped"] | None = None,
    since: str | None = None,
) -> str:
    """Damage reports on bikes, oldest first: what is broken, reported when and by whom, cost, state, day ready.

    Args:
        frame: Frame number of one bike.
        state: waiting: nobody has begun; in hand: being repaired; mended; dropped: not worth a repair.
        since: Reported on this day or later, YYYY-MM-DD.
    """
    f = _frame(frame) if frame else None
    first = _day(since, "since") if since else ""
    rows = [
        d for d in FILES["damage"] if f in (None, d["frame"]) and state in (None, d["state"]) and d["reported"] >= first
    ]
    if not rows:
        raise ToolError("No report fits.")
    return "\n".join(
        f"* {d['ref']} {d['frame']}: {d['what']}; {d['reported']} by {d['by']}; {d['eur']} EUR; {d['state']}"
        + (f", ready {d['ready']}" if d["ready"] else "")
        for d in rows
    )


@tool(effect="read", integrity="trusted")
def cl_book(q: str = "") -> str:
    """The book of clients, firms that send with us: code, name, contact, phone, zone, discount %, days to pay, since.

    Args:
        q: Part of the firm's name, the contact's name or the code. Without it the whole book.
    """
    rows = [c for c in FILES["clients"] if _hit(q, c["code"], c["name"], c["contact"])]
    if not rows:
        raise ToolError(f"No client fits {q!r}. Riders are in rd_find.")
    columns = ("code", "name", "contact", "phone", "zone", "discount_pct", "pay_days", "since")
    return _table(rows, columns, " | ")


@tool(effect="read", integrity="trusted")
def iv_list(client: str | None = None, state: Literal["open", "overdue", "paid"] | None = None) -> list[Row]:
    """Monthly invoices to clients: number, client, issued, due, rides, amount in euros, state, reminders sent.

    Args:
        client: Client code (not the name).
        state: open: not due yet; overdue: due and not paid; paid.
    """
    code = _client(client) if client else None
    rows = [r for r in FILES["invoices"] if code in (None, r["client"]) and state in (None, r["state"])]
    if not rows:
        raise ToolError("There is no such invoice.")
    if len(rows) > MANY:
        raise ToolError(f"{len(rows)} invoices are too many at once: give client or state.")
    return rows
