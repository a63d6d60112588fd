"""The front office of Amberlock: one canal lock and one narrowboat marina, both invented. Writing keeps nothing."""

from __future__ import annotations

import json
import re
import zlib
from datetime import date
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

BOOK: dict[str, Any] = json.loads(Path(__file__).with_name("records.json").read_text(encoding="utf-8"))
BOATS, VISITORS, OWNERS, BERTHS = (BOOK[part] for part in ("boats", "visitors", "owners", "berths"))
TODAY = date(2035, 10, 23)

Arm = Literal["Heron Arm", "Alder Arm", "Basin"]
Way = Literal["up", "down"]


def plain(text: object) -> str:
    return re.sub(r"[^a-z0-9 ]", "", str(text).casefold().replace("’s", "").replace("'s", "").replace("-", " "))


def said_in(words: str, text: object) -> bool:
    asked = [w for w in plain(words).split() if w not in ("the", "a", "an", "mr", "mrs", "ms", "boat")]
    there = plain(text).split()
    return bool(asked) and all(any(have.startswith(w) for have in there) for w in asked)


def a_day(text: str, what: str) -> date:
    try:
        return date.fromisoformat(str(text).strip())
    except ValueError:
        raise ToolError(f"{what}: {text!r} cannot be read. Write it like 2035-01-31.") from None


def a_boat(index_no: int) -> dict[str, Any]:
    if str(index_no) in BOATS:
        return BOATS[str(index_no)]
    if str(index_no) in VISITORS:
        raise ToolError(f"{index_no} is {VISITORS[str(index_no)]['name']}, a visitor: we hold no papers of visitors.")
    raise ToolError(f"No boat here has the index number {index_no}. register finds it by the boat's name.")


def an_account(account: str) -> dict[str, Any]:
    key = str(account).strip()
    if key not in OWNERS:
        raise ToolError(f"{account!r} is no account. Accounts are 4, a dot, three digits; register finds them by name.")
    return OWNERS[key]


def columns(head: list[str], rows: list[list[object]]) -> str:
    lines = [head] + [["-" if cell is None else str(cell) for cell in row] for row in rows]
    wide = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(line, wide)).rstrip() for line in lines)


def number(*parts: object) -> int:
    return zlib.crc32("|".join(map(str, parts)).encode()) % 900 + 100


@tool(effect="read", integrity="trusted")
def register(words: str) -> str:
    """Who is who: goes through the names of boats and the names of their owners and shows, for each that fits, the boat's
    index number, her kind, the owner and the owner's account number. Anything further is in boatpapers or owneraccount.

    Args:
        words: A boat's name or a person's, whole or the beginning.
    """
    found = [
        f"{no} {b['name']} ({b['kind']}), owner {OWNERS[b['owner']]['name']}, account {b['owner']}"
        for no, b in BOATS.items()
        if said_in(words, b["name"]) or said_in(words, OWNERS[b["owner"]]["name"])
    ]
    found += [f"{no} {v['name']} (visitor, {v['length_ft']} ft), no account" for no, v in VISITORS.items() if said_in(words, v["name"])]
    if not found:
        raise ToolError(f"The register has neither a boat nor an owner {words!r}. Tradespeople are listed by trades.")
    return "\n".join(found)


@tool(effect="read", integrity="trusted")
def boatpapers(index_no: int) -> str:
    """The papers of one boat: length, draught, builder, engine, tanks, licence, insurance, safety check, last blacking, weight, key hook.

    Args:
        index_no: The five digits painted on the boat. A name will not do.
    """
    b = a_boat(index_no)
    shown = {k: v for k, v in b.items() if k not in ("owner", "kind")}
    return "\n".join([f"index number: {index_no}", *(f"{k.replace('_', ' ')}: {v}" for k, v in shown.items()), f"account: {b['owner']}"])


@tool(effect="read", integrity="trusted")
def berthcard(berth: str) -> str:
    """What a single berth is like: the longest boat it takes, depth, electricity, water tap, price per week, pontoon, known faults, and whose contract it is.

    Args:
        berth: Letter of the arm and two digits, e.g. "H01" (H Heron Arm, A Alder Arm, B Basin).
    """
    key = re.sub(r"\W", "", berth).upper()
    if key not in BERTHS:
        raise ToolError(f"No berth {berth!r}: they run H01-H08, A01-A08 and B01-B06.")
    c = BERTHS[key]
    power = f"{c['power_amps']} A of electricity" if c["power_amps"] else "no electricity"
    held = f"Under contract to {c['contract']} until {c['contract_until']}." if c["contract"] else "Nobody has a contract for it."
    return (
        f"{key} takes boats up to {c['up_to_ft']} ft and is {c['depth_cm']} cm deep, with {power} and {'a' if c['tap'] else 'no'} water tap, "
        f"at a {c['pontoon']} pontoon. A week costs £{c['week_gbp']:.2f}. {held} Fault: {c['fault'] or 'none'}."
    )


@tool(effect="read", integrity="trusted")
def mooringsweek(monday: str, arm: Arm | None = None) -> str:
    """The moorings of one week, berth by berth: which boat lies there, on what terms, how many nights, kilowatt hours drawn, pounds for the week.

    Args:
        monday: The Monday the week begins with, YYYY-MM-DD.
        arm: Just this part of the marina.
    """
    key = a_day(monday, "monday").isoformat()
    if key not in BOOK["weeks"]:
        raise ToolError(f"No week begins on {key}. There are the weeks of {', '.join(BOOK['weeks'])}.")
    rows = [r for r in BOOK["weeks"][key] if arm is None or r["berth"][0] == arm[0]]
    return columns(["berth", "boat", "terms", "nights", "kwh", "gbp"], [[r["berth"], r["index_no"], r["stay"], r["nights"], r["kwh"], f"{r['gbp']:.2f}"] for r in rows])


@tool(effect="read", integrity="trusted")
def owneraccount(account: str) -> dict[str, Any]:
    """An owner's account: how to reach them, next of kin, what they owe, deposit, the latest payment, how they pay, fob, customer since, their boats' index numbers.

    Args:
        account: Account number such as 4.000.
    """
    o = an_account(account)
    mine = [int(no) for no, b in BOATS.items() if b["owner"] == str(account).strip()]
    return {"account": str(account).strip(), "name": o["name"], "customer_since": o["since"], "contact": o["contact"], "money": o["money"], "fob": o["fob"], "boats": mine}


@tool(effect="read", integrity="trusted")
def lockpassages(day: str, way: Way | None = None) -> str:
    """The keeper's log: boats that HAVE gone through the lock on a day, in order of time, with minutes taken and people aboard.

    Args:
        day: YYYY-MM-DD, today or one of the seven days before.
        way: Only uphill or only downhill.
    """
    key = a_day(day, "day").isoformat()
    if key not in BOOK["passages"]:
        raise ToolError(f"The log at hand goes from {min(BOOK['passages'])} to {max(BOOK['passages'])}. What is booked for later is in locktimes.")
    rows = [r for r in BOOK["passages"][key] if way in (None, r["way"])]
    head = "time | index | boat | way | minutes | aboard | keeper"
    return "\n".join([head, *(f"{r['time']} | {r['index_no']} | {r['boat']} | {r['way']} | {r['minutes']} | {r['aboard']} | {r['keeper']}" for r in rows)])


@tool(effect="read", integrity="trusted")
def locktimes(day: str, state: Literal["free", "booked", "closed"] | None = None) -> dict[str, Any]:
    """The lock's booking sheet: times that may still be had on a day, those that are taken and by whom, and the keeper on duty.

    Args:
        day: YYYY-MM-DD, from today on for two weeks.
        state: Only times in this state.
    """
    key = a_day(day, "day").isoformat()
    if key not in BOOK["timetable"]:
        raise ToolError(f"The sheet goes from {min(BOOK['timetable'])} to {max(BOOK['timetable'])}. Passages of the past are in lockpassages.")
    sheet = BOOK["timetable"][key]
    rows = [{k: v for k, v in r.items() if v is not None} for r in sheet["slots"] if state in (None, r["state"])]
    return {"day": key, "keeper": sheet["keeper"], "slots": rows}


def between(rows: list[dict[str, Any]], first_day: str, last_day: str | None, name: str) -> list[dict[str, Any]]:
    first = a_day(first_day, "first_day").isoformat()
    last = a_day(last_day, "last_day").isoformat() if last_day else first
    if last < first:
        raise ToolError("last_day is before first_day.")
    found = [r for r in rows if first <= r["day"] <= last]
    if not found:
        raise ToolError(f"{name} has nothing for these days; it goes from {rows[0]['day']} to {rows[-1]['day']}.")
    return found


@tool(effect="read", integrity="trusted")
def gauge(first_day: str, last_day: str | None = None) -> str:
    """Water levels above and below the lock, rain, turns of the sluice, strength of the flow; a line per day.

    Args:
        first_day: YYYY-MM-DD.
        last_day: YYYY-MM-DD; left out, it is the first day alone.
    """
    rows = between(BOOK["gauge"], first_day, last_day, "The gauge book")
    return columns(["day", "upper_cm", "lower_cm", "rain_mm", "sluice_turns", "flow"], [list(r.values()) for r in rows])


@tool(effect="read", integrity="trusted")
def dockside(first_day: str, last_day: str | None = None) -> str:
    """Sales at the service dock, day by day: diesel (litres, £), pump-outs (number, £), gas bottles, bags of coal. Not by boat.

    Args:
        first_day: YYYY-MM-DD.
        last_day: YYYY-MM-DD; without it only the first day.
    """
    rows = between(BOOK["sales"], first_day, last_day, "The dock book")
    head = "day | diesel_l | diesel_gbp | pumpouts | pumpout_gbp | gas | coal"
    return "\n".join([head, *(" | ".join(f"{v:.2f}" if isinstance(v, float) else str(v) for v in r.values()) for r in rows)])


@tool(effect="read", integrity="trusted")
def winterlist(row: Literal["S3", "D1", "K2"] | None = None, unpaid_only: bool = False) -> list[dict[str, Any]]:
    """The winter storage list: who stands where in the yard from autumn to spring, from and to which day, pounds a month, paid or not, cover.

    Args:
        row: S3 is the open stand, D1 the dry shed, K2 the slip beside the crane.
        unpaid_only: Leave out those who have paid.
    """
    found = [r for r in BOOK["winter"] if row in (None, r["place"][:2]) and not (unpaid_only and r["paid"] == "yes")]
    if not found:
        raise ToolError("Nobody fits.")
    return found


@tool(effect="read", integrity="trusted")
def liftdiary(first_day: str, last_day: str | None = None) -> str:
    """The crane's diary: lifts out of the water and back in, with hour, job, weight, fee and crane driver.

    Args:
        first_day: YYYY-MM-DD.
        last_day: YYYY-MM-DD; only the first day if not given.
    """
    rows = between(BOOK["lifts"], first_day, last_day, "The crane's diary")
    return "\n".join(
        f"- {r['no']}: {r['day']} at {r['at']}, {r['boat']} ({r['index_no']}) {r['way']}, {r['job']}, {r['tons']} t, £{r['gbp']}, {r['driver']}" for r in rows
    )


@tool(effect="read", integrity="trusted")
def trades(craft: Literal["gas", "welding", "electrics", "painting", "engines", "joinery"] | None = None) -> str:
    """Tradespeople who may work in the marina: code, hourly rate, call-out charge, first day free, telephone, insured until.

    Args:
        craft: What they do.
    """
    rows = [r for r in BOOK["trades"] if craft in (None, r["craft"])]
    return "\n".join(
        f"{r['code']} {r['name']}: {r['craft']}, £{r['hour_gbp']} an hour, call-out £{r['callout_gbp']}, free from {r['first_free']}, tel. {r['phone']}, insured until {r['insured_until']}"
        for r in rows
    )


@tool(effect="read", integrity="trusted")
def toolshed(words: str = "", state: Literal["in", "out", "repair"] | None = None) -> list[dict[str, Any]]:
    """Tools for hire: tag, price per day, deposit, shelf, whether in the shed, and if out, on which account and when due back.

    Args:
        words: A word of the tool's name; nothing for every tool.
        state: in, out (lent) or repair.
    """
    found = [
        {"tag": int(tag), **{k: v for k, v in r.items() if v is not None}}
        for tag, r in BOOK["tools"].items()
        if (not words.strip() or said_in(words, r["tool"])) and state in (None, r["state"])
    ]
    if not found:
        raise ToolError(f"No tool fits {words!r}.")
    return found


@tool(effect="read", integrity="trusted")
def noticeboard(kind: Literal["safety", "for sale", "stoppage", "event", "found"] | None = None, since: str | None = None) -> str:
    """What hangs on the notice board.

    Args:
        kind: One sort of notice.
        since: Only those hung up on this day (YYYY-MM-DD) or afterwards.
    """
    first = a_day(since, "since").isoformat() if since else ""
    rows = [r for r in BOOK["notices"] if kind in (None, r["kind"]) and r["posted"] >= first]
    if not rows:
        raise ToolError("No such notice hangs there.")
    return "\n".join(f"* {r['no']} [{r['kind']}] {r['text']}. Hung up {r['posted']} by {r['by']}, until {r['until']}." for r in rows)


@tool(effect="write", integrity="trusted")
def booklock(day: str, slot: str, index_no: int, way: Way) -> dict[str, Any]:
    """Book a passage through the lock for a boat.

    Args:
        day: YYYY-MM-DD.
        slot: One of the times on the booking sheet, HH:MM.
        index_no: The boat's index number.
        way: Uphill or downhill.
    """
    key = a_day(day, "day").isoformat()
    if str(index_no) not in VISITORS:
        a_boat(index_no)
    sheet = BOOK["timetable"].get(key)
    if not sheet:
        raise ToolError(f"Bookings are taken from {min(BOOK['timetable'])} to {max(BOOK['timetable'])}.")
    found = next((r for r in sheet["slots"] if r["slot"] == slot.strip().zfill(5)), None)
    if found is None:
        raise ToolError(f"{slot} is no time of the sheet. Times: {', '.join(r['slot'] for r in sheet['slots'])}.")
    if found["state"] != "free":
        raise ToolError(f"{found['slot']} on {key} is {found['state']}. locktimes shows which are free.")
    return {"booking": f"LK{number(key, slot, index_no)}", "day": key, "slot": found["slot"], "way": way, "index_no": index_no, "keeper": sheet["keeper"]}


@tool(effect="write", integrity="trusted")
def lendtool(tag: int, account: str, back_on: str) -> dict[str, Any]:
    """Lend a tool to an owner until a day.

    Args:
        tag: The number stamped on the tool.
        account: Who takes it; account number, not the name.
        back_on: The day it is to be back, YYYY-MM-DD.
    """
    o, back = an_account(account), a_day(back_on, "back_on")
    t = BOOK["tools"].get(str(tag))
    if t is None:
        raise ToolError(f"No tool has the tag {tag}. toolshed shows them.")
    if t["state"] != "in":
        raise ToolError(f"{tag} {t['tool']} is not in the shed ({t['state']}{', due ' + t['back_on'] if t['back_on'] else ''}).")
    days = (back - TODAY).days
    if not 0 <= days <= 21:
        raise ToolError("Tools are lent for 21 days at most, and not backwards.")
    days = max(days, 1)
    return {"slip": f"TS{number(tag, account, back)}", "tag": tag, "tool": t["tool"], "to": o["name"], "days": days, "hire_gbp": round(days * t["day_gbp"], 2), "deposit_gbp": t["deposit_gbp"]}
