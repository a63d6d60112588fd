"""The tools of the Dunmorrow Lift Inspectorate (all data invented)."""

import json
import unicodedata
from datetime import date
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

_RECORDS = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
_LIFTS: list[dict] = _RECORDS["lifts"]

District = Literal["Castle", "Harbour", "Northgate", "Fellside", "Millbank"]
Kind = Literal["passenger", "goods", "platform", "escalator"]


def _number(prefix: str, text: str) -> str:
    """An id with its prefix, whether or not the caller gave it."""
    bare = str(text).strip().upper()
    return bare if bare.startswith(prefix) else prefix + bare


def _day(text: str) -> str:
    """A day as YYYY-MM-DD, or an error that says how to write it."""
    try:
        return date.fromisoformat(str(text).strip()).isoformat()
    except ValueError as error:
        raise ToolError(f"'{text}' is not a day. Write days as YYYY-MM-DD, such as 2028-03-21.") from error


def _plain(text: str) -> str:
    """The text in lower case and without accents."""
    return "".join(c for c in unicodedata.normalize("NFD", text.strip().lower()) if not unicodedata.combining(c))


def _has(part: str | None, text: str) -> bool:
    """Whether the part is in the text, in any case; no part fits everything."""
    return part is None or _plain(part) in _plain(text)


def _lift(lift_id: str) -> dict:
    """The lift with this number, or a helpful error."""
    wanted = _number("LF-", lift_id)
    for lift in _LIFTS:
        if lift["lift_id"] == wanted:
            return lift
    raise ToolError(f"There is no lift {wanted} in the register. Use find_lifts to look a lift up by its building.")


@tool
def find_lifts(
    building: str | None = None, district: District | None = None, kind: Kind | None = None, limit: int = 10
) -> list[dict]:
    """Find the numbers of lifts and escalators by building, district or kind.

    Gives number, building, position, district and kind; all else about a lift is in lift_record.

    Args:
        building: Name of the building or a part of it, such as "library".
        district: Only lifts of this district.
        kind: Only lifts of this kind.
        limit: How many lifts at most.
    """
    found = [
        lift
        for lift in _LIFTS
        if _has(building, lift["building"]) and district in (None, lift["district"]) and kind in (None, lift["kind"])
    ]
    if not found:
        names = ", ".join(sorted({lift["building"] for lift in _LIFTS}))
        raise ToolError(f"No lift in the register fits. Buildings in the register: {names}.")
    keys = ("lift_id", "building", "position", "district", "kind")
    return [{key: lift[key] for key in keys} for lift in found[:limit]]


@tool
def lift_record(lift_id: str) -> dict:
    """The register entry of one lift or escalator.

    Gives maker, year, rated load, stops, speed, owner, maintenance firm, status and the day its next main
    inspection is due.

    Args:
        lift_id: Number of the lift, such as "LF-2040".
    """
    return _lift(lift_id)


@tool
def inspection_history(lift_id: str, limit: int = 5) -> list[dict]:
    """Past inspections of one lift, newest first: inspection number, day, kind and result.

    Measurements and the inspector's name are in inspection_report.

    Args:
        lift_id: Number of the lift, such as "LF-2040".
        limit: How many inspections at most.
    """
    lift = _lift(lift_id)
    past = [entry for entry in _RECORDS["inspections"] if entry["lift_id"] == lift["lift_id"]]
    past.sort(key=lambda entry: entry["day"], reverse=True)
    return [{key: entry[key] for key in ("inspection_no", "day", "kind", "result")} for entry in past[:limit]]


@tool
def inspection_report(inspection_no: str) -> str:
    """The report of one past inspection: inspector, measured values, duration and remark.

    Args:
        inspection_no: Number of the inspection, such as "INS-8140".
    """
    wanted = _number("INS-", inspection_no)
    for entry in _RECORDS["inspections"]:
        if entry["inspection_no"] == wanted:
            force = "not measured" if entry["door_force_n"] is None else f"{entry['door_force_n']} N"
            return (
                f"Report {wanted}: {entry['kind']} inspection of {entry['lift_id']} on {entry['day']}\n"
                f"Result: {entry['result']}\n"
                f"Inspector: {entry['inspector']}\n"
                f"Stopping distance: {entry['stopping_distance_mm']} mm\n"
                f"Door closing force: {force}\n"
                f"Noise: {entry['noise_db']} dB\n"
                f"Duration: {entry['minutes']} minutes\n"
                f"Remark: {entry['remark']}"
            )
    raise ToolError(f"There is no inspection {wanted}. Numbers are in inspection_history of the lift.")


@tool
def open_defects(
    lift_id: str | None = None, grade: Literal["A", "B", "C"] | None = None, limit: int = 10
) -> list[dict]:
    """Defects that are not yet put right, with defect number, lift, grade and deadline.

    Args:
        lift_id: Only defects of this lift, such as "LF-2040".
        grade: Only this grade: A is dangerous, B serious, C minor.
        limit: How many defects at most.
    """
    wanted = None if lift_id is None else _lift(lift_id)["lift_id"]
    found = [d for d in _RECORDS["defects"] if wanted in (None, d["lift_id"]) and grade in (None, d["grade"])]
    return found[:limit]


@tool
def find_owner(name: str) -> list[dict]:
    """Owners of lifts by name: owner number, contact person, phone and e-mail.

    Args:
        name: Name of the owner or a part of it, such as "council".
    """
    found = [owner for owner in _RECORDS["owners"] if _has(name, owner["name"])]
    if not found:
        names = ", ".join(owner["name"] for owner in _RECORDS["owners"])
        raise ToolError(f"No owner '{name}'. Owners are: {names}.")
    return found


@tool
def owner_account(owner_id: str) -> dict:
    """What an owner owes and has paid: open balance, oldest open invoice, reminders, payments of this year.

    Args:
        owner_id: Number of the owner, such as "OW-105" (see find_owner or lift_record).
    """
    wanted = _number("OW-", owner_id)
    for account in _RECORDS["accounts"]:
        if account["owner_id"] == wanted:
            return account
    raise ToolError(f"There is no owner {wanted}. Owners are OW-101 to OW-111.")


@tool
def find_inspector(name: str | None = None, district: District | None = None) -> list[dict]:
    """Inspectors by name or district: staff number, phone, specialty and deputy.

    Args:
        name: First or last name, or a part of it.
        district: Only inspectors of this district.
    """
    found = [i for i in _RECORDS["inspectors"] if _has(name, i["name"]) and district in (None, i["district"])]
    if not found:
        names = ", ".join(i["name"] for i in _RECORDS["inspectors"])
        raise ToolError(f"No inspector fits. The inspectors are: {names}.")
    return found


@tool
def inspector_diary(staff_no: str, day: str) -> dict:
    """The appointments of one inspector on one day: time, lift and task. An empty list means a free day.

    Args:
        staff_no: Staff number of the inspector, such as "IN-11" (see find_inspector).
        day: The day as YYYY-MM-DD.
    """
    wanted, when = _number("IN-", staff_no), _day(day)
    if wanted not in [i["staff_no"] for i in _RECORDS["inspectors"]]:
        raise ToolError(f"There is no inspector {wanted}. Use find_inspector to look the number up.")
    entries = [e for e in _RECORDS["diary"] if e["staff_no"] == wanted and e["day"] == when]
    slots = [{key: e[key] for key in ("time", "lift_id", "task")} for e in entries]
    return {"staff_no": wanted, "day": when, "appointments": slots}


@tool
def fee_table() -> list[dict]:
    """All fees of the inspectorate: code, service, fee in euros and planned minutes (the whole table)."""
    return _RECORDS["fees"]


@tool
def equipment_list() -> list[dict]:
    """All measuring and test equipment: number, item, shelf, day the calibration is due and who has it now."""
    return _RECORDS["equipment"]


@tool
def maintenance_firm(name: str) -> list[dict]:
    """Licensed maintenance firms by name: licence and its end, technicians, hotline, response time in minutes.

    Args:
        name: Name of the firm or a part of it.
    """
    found = [firm for firm in _RECORDS["firms"] if _has(name, firm["name"])]
    if not found:
        names = ", ".join(firm["name"] for firm in _RECORDS["firms"])
        raise ToolError(f"No licensed firm '{name}'. Licensed firms are: {names}.")
    return found


@tool
def incident_log(district: District | None = None, since: str | None = None, limit: int = 8) -> list[dict]:
    """Reported incidents, newest first: day, lift, what happened, persons involved, minutes until release.

    Args:
        district: Only incidents in this district.
        since: Only incidents on or after this day, as YYYY-MM-DD.
        limit: How many incidents at most.
    """
    first = "" if since is None else _day(since)
    found = [i for i in _RECORDS["incidents"] if district in (None, i["district"]) and i["day"] >= first]
    return sorted(found, key=lambda i: i["day"], reverse=True)[:limit]


@tool
def district_office(district: District) -> str:
    """Address, opening hours, phone, counter and head of a district office.

    Args:
        district: The district.
    """
    office = _RECORDS["offices"][district]
    hours = ", ".join(f"{days} {times}" for days, times in office["hours"].items())
    return (
        f"{district} district office\nAddress: {office['address']}, {office['counter']}\n"
        f"Open: {hours}\nPhone: {office['phone']}\nHead: {office['head']}"
    )


@tool(effect="write")
def book_inspection(lift_id: str, day: str, kind: Literal["main", "interim", "re-test"]) -> dict:
    """Book an inspection of a lift on a day.

    Args:
        lift_id: Number of the lift, such as "LF-2040".
        day: The day as YYYY-MM-DD.
        kind: Kind of inspection.
    """
    lift, when = _lift(lift_id), _day(day)
    number = f"BK-{int(lift['lift_id'][3:]) + int(when[-2:]) * 100}"
    return {"booked": number, "lift_id": lift["lift_id"], "day": when, "kind": kind}


@tool(effect="write")
def log_complaint(lift_id: str, text: str) -> dict:
    """Record a complaint about a lift, as a user or passer-by makes it.

    Args:
        lift_id: Number of the lift, such as "LF-2040".
        text: What the complaint is, in a few words.
    """
    lift = _lift(lift_id)
    return {"complaint_no": f"CP-{int(lift['lift_id'][3:]) + 3150}", "lift_id": lift["lift_id"], "text": text}


@tool(effect="write")
def extend_deadline(defect_no: str, new_deadline: str) -> dict:
    """Give an open defect a later deadline.

    Args:
        defect_no: Number of the defect, such as "DF-620".
        new_deadline: The new deadline as YYYY-MM-DD.
    """
    wanted, when = _number("DF-", defect_no), _day(new_deadline)
    for defect in _RECORDS["defects"]:
        if defect["defect_no"] == wanted:
            if when <= defect["deadline"]:
                raise ToolError(f"The deadline of {wanted} is {defect['deadline']} already; give a later day.")
            return {"notice_no": f"EX-{int(wanted[3:]) + 1400}", "defect_no": wanted, "deadline": when}
    raise ToolError(f"There is no open defect {wanted}. Use open_defects to see them.")
