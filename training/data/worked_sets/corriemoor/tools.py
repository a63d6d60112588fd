"""The records of the Corriemoor Hut Association. The data never changes."""

import json
import re
import zlib
from datetime import date, timedelta
from pathlib import Path

from glassloop import ToolError, tool

DATA = json.loads((Path(__file__).parent / "records.json").read_text(encoding="utf-8"))
HUTS = {hut["hut_id"]: hut for hut in DATA["huts"]}
FILLERS = {"the", "path", "route", "mr", "mrs", "ms", "member", "warden", "and", "&"}
KINDS = {"hut", "huts", "lodge", "refuge", "bothy", "the", "saddle"}


def words(text: str) -> str:
    return " ".join(re.findall(r"[\w&']+", text.casefold()))


def find_hut(text: str) -> dict:
    for key in re.findall(r"\bH\d\d\b", text.upper()):
        if key in HUTS:
            return HUTS[key]
    wanted = words(text)
    found = [hut for hut in HUTS.values() if wanted and wanted in words(hut["name"])]
    if not found:
        short = " ".join(word for word in wanted.split() if word not in KINDS)
        found = [hut for hut in HUTS.values() if short and short in words(hut["name"])]
    if len(found) == 1:
        return found[0]
    if found:
        raise ToolError(f"{text!r} could be {', '.join(hut['name'] for hut in found)}: give the full name.")
    raise ToolError(f"There is no hut {text!r}. Give its name, such as Birk Fell, or its id, such as H12.")


def find_named(rows: list[dict], number: str, text: str, what: str) -> dict:
    keys = {text.strip().upper(), *re.findall(r"[A-Z]+-?\d+", text.upper())}
    for row in rows:
        if row[number].upper() in keys:
            return row
    wanted = words(text).split()
    wanted = [word for word in wanted if word not in FILLERS] or wanted
    found = [row for row in rows if wanted and all(word in words(row["name"]) for word in wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        raise ToolError(f"Several match {text!r}: {', '.join(row['name'] for row in found)}. Give the full name.")
    by = "its name" if number == "name" else f"{number.replace('_', ' ')} or name"
    raise ToolError(f"No {what} matches {text!r}. Search by {by}.")


def as_day(text: str) -> date:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise ToolError(f"{text!r} is not a day: write it as YYYY-MM-DD.") from None


def free_bunks(hut: dict, night: date) -> int:
    taken = DATA["taken"][hut["hut_id"]]
    if str(night) < "2029-09-15":
        raise ToolError("The bunk plan begins on 2029-09-15.")
    if str(night) not in taken:
        raise ToolError(f"{hut['name']} is closed from the night after {hut['season_closes']}.")
    return hut["bunks"] - taken[str(night)]


def slip(*parts: object) -> int:
    return zlib.crc32("|".join(str(part) for part in parts).casefold().encode()) % 900 + 100


@tool(effect="read", integrity="trusted")
def hut_details(hut: str) -> dict[str, object]:
    """Master data of one hut: region, altitude, bunks, grade, warden's staff number, season, water, fuel, grid reference.

    Args:
        hut: Name of the hut, or its id such as H20.
    """
    return find_hut(hut)


@tool(effect="read", integrity="trusted")
def staff_directory(who: str) -> dict[str, object]:
    """A warden's or relief warden's entry: post, mobile, radio call sign, first aid certificate, languages.

    Args:
        who: Staff number such as W-300, or the person's name or a part of it.
    """
    return find_named(DATA["staff"], "staff_no", who, "member of staff")


@tool(effect="read", integrity="trusted")
def bunk_availability(hut: str, night: str) -> dict[str, object]:
    """How many bunks are taken and free in a hut on one night.

    Args:
        hut: Name or id of the hut.
        night: The day on which the night begins, YYYY-MM-DD.
    """
    row, day = find_hut(hut), as_day(night)
    free = free_bunks(row, day)
    return {"hut": row["name"], "night": str(day), "bunks": row["bunks"], "taken": row["bunks"] - free, "free": free}


@tool(effect="read", integrity="trusted")
def booking(reference: str) -> dict[str, object]:
    """One booking: who made it, hut id, arrival, nights, size of the party, price and what was paid.

    Args:
        reference: The booking's reference, such as BK-4400.
    """
    key = reference.strip().upper().replace(" ", "")
    key = key if key.startswith("BK-") else "BK-" + key.removeprefix("BK")
    for row in DATA["bookings"]:
        if row["reference"] == key:
            return row
    raise ToolError(f"There is no booking {reference!r}. References look like BK-4400; a member's entry lists theirs.")


@tool(effect="read", integrity="trusted")
def membership(member: str) -> dict[str, object]:
    """A member's entry: number, category, branch, paid until, how to reach them, references of coming bookings.

    Args:
        member: Membership number such as CM-10000, or the name or a part of it.
    """
    return find_named(DATA["members"], "member_no", member, "member")


@tool(effect="read", integrity="trusted")
def tariff(grade: str) -> dict[str, object]:
    """Rates per person and night in huts of a grade, in pounds.

    Args:
        grade: The hut's grade: A, B or C.
    """
    key = grade.strip().upper().removeprefix("GRADE").strip()
    if key not in DATA["tariff"]:
        raise ToolError(f"There is no grade {grade!r}: it is A, B or C. A hut's details tell its grade.")
    return {"grade": key, "currency": "GBP", **DATA["tariff"][key]}


@tool(effect="read", integrity="trusted")
def supply_flights(month: str) -> list[dict[str, object]]:
    """All helicopter supply flights of a month: number, date, hut, operator, capacity, flown or planned.

    Args:
        month: The month as YYYY-MM.
    """
    rows = DATA["flights"].get(month.strip()[:7])
    if rows is None:
        raise ToolError(f"There are no flights for {month!r}: write YYYY-MM, from 2029-08 to 2029-10.")
    return rows


@tool(effect="read", integrity="trusted")
def flight_manifest(flight: str) -> list[dict[str, object]]:
    """What is loaded on one supply flight, with weights in kilograms.

    Args:
        flight: The flight's number, such as F1100.
    """
    return DATA["manifests"][flight_number(flight)]


def flight_number(text: str) -> str:
    key = "F" + text.strip().upper().removeprefix("F").strip(" -")
    if key not in DATA["manifests"]:
        raise ToolError(f"There is no flight {text!r}. Numbers look like F1100; the month's list of flights has them.")
    return key


@tool(effect="read", integrity="trusted")
def path_status(path: str) -> dict[str, object]:
    """Whether a path is open, diverted or closed, why, since when, when it should reopen, and the way round.

    Args:
        path: Number such as P01, or the path's name or a part of it.
    """
    return find_named(DATA["paths"], "path_no", path, "path")


@tool(effect="read", integrity="trusted")
def routes_to_hut(hut: str) -> list[dict[str, object]]:
    """The ways to walk to a hut: path number, starting point, kilometres, ascent, hours. Does not say whether they are open.

    Args:
        hut: Name or id of the hut.
    """
    return DATA["routes"][find_hut(hut)["hut_id"]]


@tool(effect="read", integrity="trusted")
def repair_backlog(state: str = "open") -> list[dict[str, object]]:
    """Repair tickets of all huts: job, priority, contractor, estimate, due day; finished ones also with the invoice.

    Args:
        state: "open" for what is still to be done, "done" for what was finished this summer.
    """
    key = state.strip().casefold()
    if key not in DATA["repairs"]:
        raise ToolError('The state is "open" or "done".')
    return DATA["repairs"][key]


@tool(effect="read", integrity="trusted")
def contractor_card(company: str) -> dict[str, object]:
    """A contractor's trade, contact person, phone, day rate in pounds, days of notice, insurance.

    Args:
        company: The contractor's name or a part of it.
    """
    return find_named(DATA["contractors"], "name", company, "contractor")


@tool(effect="read", integrity="trusted")
def handbook_section(topic: str) -> str:
    """The house rules on a topic, as the handbook has them.

    Args:
        topic: cancellations, dogs, late arrival, lost property, youth groups, stoves and fuel, or work parties.
    """
    wanted = words(topic)
    for title, text in DATA["handbook"].items():
        if wanted and (wanted in title or title in wanted or any(len(w) > 2 and w not in {"and", "the", "for"} and w.rstrip("s")[:6] in title for w in wanted.split())):
            return text
    raise ToolError(f"The handbook has no section {topic!r}. Its sections: {', '.join(DATA['handbook'])}.")


@tool(effect="write", integrity="trusted")
def reserve_bunks(member_no: str, hut: str, arrive: str, nights: int, bunks: int) -> dict[str, object]:
    """Makes a new booking for a member and returns its reference.

    Args:
        member_no: Membership number, such as CM-10000. Not the name.
        hut: Name or id of the hut.
        arrive: Day of arrival, YYYY-MM-DD.
        nights: How many nights.
        bunks: How many bunks.
    """
    key = member_no.strip().upper()
    if key not in {row["member_no"] for row in DATA["members"]}:
        raise ToolError(f"{member_no!r} is no membership number. Look it up in the member's entry.")
    row, day = find_hut(hut), as_day(arrive)
    if nights < 1 or bunks < 1:
        raise ToolError("Nights and bunks are 1 or more.")
    for night in range(nights):
        free = free_bunks(row, day + timedelta(days=night))
        if free < bunks:
            raise ToolError(f"Only {free} bunks are free in {row['name']} on {day + timedelta(days=night)}. Nothing was booked.")
    return {"reference": f"BK-5{slip(key, row['hut_id'], day, nights, bunks)}", "status": "confirmed"}


@tool(effect="write", integrity="trusted")
def log_defect(hut: str, description: str, priority: str = "normal") -> dict[str, object]:
    """Opens a repair ticket for something broken at a hut and returns the ticket's number.

    Args:
        hut: Name or id of the hut.
        description: What is broken.
        priority: low, normal or high.
    """
    row, level = find_hut(hut), priority.strip().casefold()
    if level not in {"low", "normal", "high"}:
        raise ToolError("The priority is low, normal or high.")
    return {"ticket": f"R/2{slip(row['hut_id'])}", "hut": row["name"], "priority": level, "state": "open"}


@tool(effect="write", integrity="trusted")
def add_cargo(flight: str, item: str, weight_kg: float) -> dict[str, object]:
    """Puts an item on the manifest of a planned supply flight and returns the cargo slip's number.

    Args:
        flight: The flight's number, such as F1100.
        item: What is to be flown.
        weight_kg: Its weight in kilograms.
    """
    key = flight_number(flight)
    row = next(row for rows in DATA["flights"].values() for row in rows if row["flight"] == key)
    if row["state"] != "planned":
        raise ToolError(f"{key} has already flown.")
    left = row["capacity_kg"] - sum(line["kg"] for line in DATA["manifests"][key])
    if not 0 < weight_kg <= left:
        raise ToolError(f"{key} has room for {left} kg more. Nothing was added.")
    return {"cargo_slip": f"SLIP-{slip(key, weight_kg)}", "flight": key, "room_left_kg": left - weight_kg}
