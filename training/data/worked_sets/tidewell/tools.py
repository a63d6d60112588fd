"""The tools of the Tidewell Lighthouse Trust (all data invented)."""

import json
from datetime import date
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

_RECORDS = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
_TITLES = {"mr", "mrs", "ms", "miss", "dr", "herr", "frau"}


def _words(text: str) -> list[str]:
    """The words of a text, without titles, apostrophes and case."""
    plain = text.lower().replace("'", "").replace("’", "").replace(".", "")
    return [word for word in plain.split() if word not in _TITLES]


def _named(rows: list[dict], query: str, key: str) -> list[dict]:
    """The rows whose id is the query, or else whose name holds every word of it (a plural will do)."""
    wanted = [word.removesuffix("s") for word in _words(query)]
    exact = [row for row in rows if row[key].lower() == query.strip().lower()]
    return exact or [row for row in rows if all(word in " ".join(_words(row["name"])) for word in wanted)]


def _by_id(rows: list[dict], key: str, value: str, missing: str) -> dict:
    """The row with this id, or an error."""
    for row in rows:
        if row[key].lower() == value.strip().lower():
            return row
    raise ToolError(missing)


def _station(code: str) -> dict:
    """The station with this code, or an error."""
    missing = f"No station {code!r}. Codes are ST-01 to ST-10; find_station finds the code by name."
    return _by_id(_RECORDS["stations"], "station_code", code, missing)


def _fault(fault_no: str) -> dict:
    """The fault with this number, or an error."""
    missing = f"There is no fault {fault_no}. Fault numbers run from F-305 to F-316."
    return _by_id(_RECORDS["faults"], "fault_no", fault_no, missing)


def _day(text: str) -> str:
    """A checked ISO day."""
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        raise ToolError(f"{text!r} is not a day. Write days as YYYY-MM-DD.") from None


def _pick(row: dict, *keys: str) -> dict:
    """Some fields of a row."""
    return {key: row[key] for key in keys}


@tool
def find_station(name: str) -> list[dict]:
    """Find stations by name: gives the station code, full name, kind and coast.

    Args:
        name: The station's name or a part of it (or its code).
    """
    found = _named(_RECORDS["stations"], name, "station_code")
    if not found:
        names = ", ".join(row["name"] for row in _RECORDS["stations"])
        raise ToolError(f"No station matches {name!r}. Stations are: {names}.")
    return [_pick(row, "station_code", "name", "kind", "coast") for row in found]


@tool
def station_details(station_code: str) -> str:
    """Data sheet of one station: year built, tower height and steps, light and range, foghorn, access, warden.

    Args:
        station_code: Code of the station, such as ST-04.
    """
    row = _station(station_code)
    return "\n".join(
        [
            f"{row['name']} ({row['station_code']}), {row['kind']}",
            f"Built: {row['built']}",
            f"Tower: {row['tower_m']} m high, {row['steps']} steps",
            f"Light: {row['light']}, range {row['range_nm']} nautical miles",
            f"Foghorn: {row['foghorn']}",
            f"Access: {row['access']}",
            f"Warden: {row['warden']}",
        ]
    )


@tool
def station_lamps(station_code: str) -> list[dict]:
    """The main and the standby lamp of a station: type, hours burned, rated hours, day last changed.

    Args:
        station_code: Code of the station, such as ST-04.
    """
    code = _station(station_code)["station_code"]
    return [row for row in _RECORDS["lamps"] if row["station_code"] == code]


@tool
def buoy_table(waters: Literal["north", "east", "south", "west", "all"] = "all") -> list[dict]:
    """Table of all buoys: number, name, mark, waters, depth of water in metres, day the buoy was last lifted.

    Args:
        waters: Only the buoys in these waters; "all" gives the whole table.
    """
    return [row for row in _RECORDS["buoys"] if waters in ("all", row["waters"])]


@tool
def find_cottage(name: str = "", min_sleeps: int = 1, dogs_only: bool = False) -> list[dict]:
    """Find keepers' cottages: cottage ID, name, code of their station, how many they sleep, whether dogs are allowed.

    Args:
        name: The cottage's name or a part of it (or its ID); empty for all cottages.
        min_sleeps: Only cottages that sleep at least this many people.
        dogs_only: True for only the cottages where dogs are allowed.
    """
    found = _named(_RECORDS["cottages"], name, "cottage_id")
    if not found:
        names = ", ".join(row["name"] for row in _RECORDS["cottages"])
        raise ToolError(f"No cottage matches {name!r}. Cottages are: {names}.")
    found = [row for row in found if row["sleeps"] >= min_sleeps and (row["dogs"] or not dogs_only)]
    return [_pick(row, "cottage_id", "name", "station_code", "sleeps", "dogs") for row in found]


@tool
def cottage_rates(cottage_id: str, season: Literal["low", "mid", "high"]) -> dict:
    """What a cottage costs in a season: pounds per night, cleaning fee once per stay, shortest stay in nights.

    Args:
        cottage_id: ID of the cottage, such as CT-3 (find_cottage finds it by name).
        season: low = November to March; mid = April to June, September and October; high = July and August.
    """
    missing = f"No cottage {cottage_id!r}. IDs are CT-1 to CT-9; find_cottage finds the ID by name."
    row = _by_id(_RECORDS["cottages"], "cottage_id", cottage_id, missing)
    return {
        "cottage_id": row["cottage_id"],
        "name": row["name"],
        "season": season,
        "per_night": row["rates"][season],
        "cleaning_fee": row["cleaning_fee"],
        "min_nights": row["min_nights"],
    }


@tool
def find_guest(name: str) -> list[dict]:
    """Find guests by name: guest ID, full name, home town, email address, guest since which year.

    Args:
        name: The guest's name or a part of it (or the guest ID).
    """
    found = _named(_RECORDS["guests"], name, "guest_id") if name.strip() else []
    if not found:
        raise ToolError(f"No guest matches {name!r}.")
    return found


@tool
def guest_bookings(guest_id: str, limit: int = 10) -> list[dict]:
    """All bookings of one guest, past and coming, latest arrival first: booking number, cottage, arrival day, nights.

    Args:
        guest_id: ID of the guest, such as G-1043 (find_guest finds it by name).
        limit: At most this many bookings.
    """
    missing = f"No guest {guest_id!r}. IDs look like G-1043; find_guest finds the ID by name."
    guest = _by_id(_RECORDS["guests"], "guest_id", guest_id, missing)
    rows = [row for row in _RECORDS["bookings"] if row["guest_id"] == guest["guest_id"]]
    rows.sort(key=lambda row: row["arrives"], reverse=True)
    return [_pick(row, "booking_no", "cottage_id", "cottage", "arrives", "nights") for row in rows[:limit]]


@tool
def booking_record(booking_no: str) -> dict:
    """One booking: guest, cottage, arrival day, nights, size of the party, total price and amount paid so far.

    Args:
        booking_no: Number of the booking, such as BK-5012.
    """
    missing = f"There is no booking {booking_no}. Booking numbers run from BK-5008 to BK-5027."
    return _by_id(_RECORDS["bookings"], "booking_no", booking_no, missing)


@tool
def list_faults(
    status: Literal["open", "waiting", "closed", "any"] = "any",
    station_code: str = "",
    opened_from: str = "",
    opened_to: str = "",
    limit: int = 20,
) -> list[dict]:
    """List reported faults, oldest first: fault number, station code, equipment, day reported, status.

    Args:
        status: open = being worked on; waiting = waiting for a part; closed = repaired; any = all of them.
        station_code: Only faults at this station, such as ST-04.
        opened_from: Only faults reported on or after this day (YYYY-MM-DD).
        opened_to: Only faults reported on or before this day (YYYY-MM-DD).
        limit: At most this many faults.
    """
    rows = _RECORDS["faults"]
    if status != "any":
        rows = [row for row in rows if row["status"] == status]
    if station_code:
        code = _station(station_code)["station_code"]
        rows = [row for row in rows if row["station_code"] == code]
    if opened_from:
        rows = [row for row in rows if row["opened"] >= _day(opened_from)]
    if opened_to:
        rows = [row for row in rows if row["opened"] <= _day(opened_to)]
    return [_pick(row, "fault_no", "station_code", "equipment", "opened", "status") for row in rows[:limit]]


@tool
def fault_record(fault_no: str) -> dict:
    """One fault in full: what is wrong, status, name of the technician in charge, number of the part it needs.

    Args:
        fault_no: Number of the fault, such as F-308.
    """
    return _fault(fault_no)


@tool
def find_technician(
    name: str = "", skill: Literal["electrics", "optics", "engines", "rigging", "diving", "any"] = "any"
) -> list[dict]:
    """Find technicians: technician ID, name, home base, skills, telephone extension.

    Args:
        name: The technician's name or a part of it (or the technician ID); empty for all.
        skill: Only technicians with this skill.
    """
    found = _named(_RECORDS["technicians"], name, "technician_id")
    if not found:
        names = ", ".join(row["name"] for row in _RECORDS["technicians"])
        raise ToolError(f"No technician matches {name!r}. Technicians are: {names}.")
    return [row for row in found if skill == "any" or skill in row["skills"]]


@tool
def technician_schedule(technician_id: str, from_day: str, to_day: str = "") -> list[dict]:
    """Where a technician works on one day or over some days: day, starting time, station, job (free days left out).

    Args:
        technician_id: ID of the technician, such as T-13 (find_technician finds it by name).
        from_day: First day (YYYY-MM-DD).
        to_day: Last day (YYYY-MM-DD); leave out for a single day.
    """
    missing = f"No technician {technician_id!r}. IDs are T-11 to T-17; find_technician finds the ID by name."
    person = _by_id(_RECORDS["technicians"], "technician_id", technician_id, missing)
    first = _day(from_day)
    last = _day(to_day) if to_day else first
    rows = [row for row in _RECORDS["schedule"] if row["technician_id"] == person["technician_id"]]
    return [_pick(row, "day", "starts", "station", "job") for row in rows if first <= row["day"] <= last]


@tool
def boat_runs(from_day: str, to_day: str = "", station_code: str = "", limit: int = 7) -> list[dict]:
    """Runs of the supply boats: day, departure time, boat, skipper, codes of the stations it calls at, free seats.

    Args:
        from_day: First day (YYYY-MM-DD).
        to_day: Last day (YYYY-MM-DD); leave out for a single day.
        station_code: Only runs that call at this station, such as ST-04.
        limit: At most this many runs, earliest first.
    """
    first = _day(from_day)
    last = _day(to_day) if to_day else first
    rows = [row for row in _RECORDS["runs"] if first <= row["day"] <= last]
    if station_code:
        code = _station(station_code)["station_code"]
        rows = [row for row in rows if code in row["calls_at"]]
    return rows[:limit]


@tool
def find_part(name: str) -> list[dict]:
    """Find spare parts in the store: part number, name, pieces in stock, shelf, price per piece, supplier.

    Args:
        name: The part's name or a piece of it (or its part number, such as PN-4402).
    """
    found = _named(_RECORDS["parts"], name, "part_no") if name.strip() else []
    if not found:
        names = ", ".join(row["name"] for row in _RECORDS["parts"])
        raise ToolError(f"No part matches {name!r}. Parts are: {names}.")
    return found


@tool(effect="write")
def report_fault(
    station_code: str,
    equipment: Literal["main lamp", "standby lamp", "foghorn", "generator", "radio", "buoy", "cottage"],
    description: str,
    urgent: bool = False,
) -> dict:
    """Report a new fault at a station; gives the new fault number.

    Args:
        station_code: Code of the station, such as ST-04 (find_station finds it by name).
        equipment: What is faulty.
        description: What is wrong, in a few words.
        urgent: True if the fault is urgent.
    """
    row = _station(station_code)
    return {
        "fault_no": "F-317",
        "station": row["name"],
        "equipment": equipment,
        "description": description,
        "urgent": urgent,
        "status": "open",
    }


@tool(effect="write")
def reserve_part(part_no: str, quantity: int, fault_no: str) -> str:
    """Set pieces of a spare part aside for the repair of a fault; gives a reservation number.

    Args:
        part_no: Number of the part, such as PN-4402 (find_part finds it by name).
        quantity: How many pieces.
        fault_no: Number of the fault they are for, such as F-308.
    """
    missing = f"No part {part_no!r}. Numbers look like PN-4402; find_part finds the number by name."
    part = _by_id(_RECORDS["parts"], "part_no", part_no, missing)
    fault = _fault(fault_no)
    if not 1 <= quantity <= part["in_stock"]:
        raise ToolError(f"Cannot reserve {quantity}: there are {part['in_stock']} of {part['part_no']} in stock.")
    return f"Reservation RS-2093: {quantity} x {part['name']} ({part['part_no']}) set aside for {fault['fault_no']}."
