"""Tenant desk of the Ashwarren Housing Society. All data is invented; what is written is confirmed and then forgotten."""

import json
import re
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

_DB: dict[str, Any] = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
TODAY = "2032-09-16"

House = Literal["Tern House", "Ostler Court", "Larch Yard", "Kiln Row", "Saddler Mews"]
Trade = Literal["heating", "plumbing", "electrics", "locks", "roofing", "lifts", "painting", "pests"]


def _squeeze(text: object) -> str:
    return re.sub(r"[^0-9a-z]", "", str(text).casefold())


def _row(table: str, key: str, wanted: object) -> dict[str, Any] | None:
    return next((r for r in _DB[table] if _squeeze(r[key]) == _squeeze(wanted)), None)


def _has_words(said: str, *fields: object) -> bool:
    parts = [w for w in re.findall(r"\w+", said.casefold()) if w not in ("the", "mr", "mrs", "ms", "and")]
    text = " ".join(re.findall(r"\w+", " ".join(map(str, fields)).casefold()))
    return bool(parts) and all(p in text for p in parts)


def _iso(text: str, what: str) -> date:
    try:
        return date.fromisoformat(str(text).strip())
    except ValueError:
        raise ToolError(f"{what} has to be a day written YYYY-MM-DD, not {text!r}.") from None


def _flat(flatId: str) -> dict[str, Any]:
    found = _row("flats", "flat", flatId)
    if found is None:
        raise ToolError(f"No flat has the id {flatId!r}: they are U and four figures. pickFlats lists those of a house.")
    return found


def _resident(residentId: str) -> dict[str, Any]:
    found = _row("residents", "resident", residentId)
    if found is None:
        raise ToolError(f"No resident has the id {residentId!r}: RZ and three figures. traceResident finds it by name.")
    return found


def _some(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {n: row[n] for n in names}


@tool
def traceResident(name: str, house: House | None = None) -> list[dict[str, Any]]:
    """Find residents by name: persons and families who rent a flat, or will soon.

    Tells only the resident id, house, rent band (A to E) and the year since when; the rest is in the dossier.

    Args:
        name: First name, surname or both, or the name of a family.
        house: Only in this house.
    """
    hits = [r for r in _DB["residents"] if _has_words(name, r["name"]) and house in (None, r["house"])]
    if not hits:
        raise ToolError(f"No resident is called {name!r}. Firms and their people are found with firmsFor.")
    return [_some(r, "resident", "name", "house", "rentBand", "since") for r in hits[:10]]


@tool
def residentDossier(residentId: str) -> dict[str, Any]:
    """All about one resident: flat, phone, mail, first day of the tenancy, rent, what is owed, persons, parking bay, last
    complaint, language.

    Args:
        residentId: RZ and three figures, such as RZ999. Never a name.
    """
    r = _resident(residentId)
    names = ("resident", "name", "flat", "phone", "mail", "tenancyStart", "rent_eur", "owed_eur", "persons", "bay")
    return _some(r, *names, "lastGrievance", "language")


@tool
def pickFlats(
    house: House | None = None,
    rooms: int | None = None,
    state: Literal["let", "empty", "works"] | None = None,
) -> list[dict[str, Any]]:
    """Pick flats by house, rooms or state. Tells id, floor, rooms, size class (S, M, L) and state, not the rent or area.

    Args:
        house: Only in this house.
        rooms: Only with so many rooms.
        state: Only let ones, empty ones, or those where work is going on.
    """
    if house is None and rooms is None and state is None:
        raise ToolError("Give a house, a number of rooms or a state.")
    hits = [
        f
        for f in _DB["flats"]
        if house in (None, f["house"]) and rooms in (None, f["rooms"]) and state in (None, f["state"])
    ]
    if len(hits) > 14:
        raise ToolError(f"{len(hits)} flats fit, which is too many at once. Add a house, a state or the rooms.")
    return [_some(f, "flat", "house", "floor", "rooms", "size", "state") for f in hits]


@tool
def flatPassport(flatId: str) -> dict[str, Any]:
    """All about one flat: area, rent, heating and its last service, year of painting, meters, key sets, caretaker with
    phone, resident, and from when it is free.

    Args:
        flatId: U and four figures, such as U-9999.
    """
    f = _flat(flatId)
    names = ("flat", "house", "area_sqm", "rent_eur", "heating", "serviced", "painted", "electricMeter", "waterMeter")
    return _some(f, *names, "keySets", "caretaker", "caretakerPhone", "resident", "freeFrom")


@tool
def jobBoard(
    house: House | None = None,
    trade: Trade | None = None,
    status: Literal["new", "booked", "waiting", "done"] | None = None,
    urgency: Literal["normal", "urgent", "emergency"] | None = None,
) -> str:
    """The repair jobs, one row each, oldest first: number, flat, trade, fault, day reported, urgency, status.

    Firm, visit, costs and deadline are on the job's ticket.

    Args:
        house: Only jobs in this house.
        trade: Only jobs of this trade.
        status: Only jobs that stand so.
        urgency: Only jobs of this urgency.
    """
    where = {f["flat"]: f["house"] for f in _DB["flats"]}
    hits = [
        j
        for j in _DB["jobs"]
        if house in (None, where[j["flat"]])
        and trade in (None, j["trade"])
        and status in (None, j["status"])
        and urgency in (None, j["urgency"])
    ]
    if len(hits) > 18:
        raise ToolError(f"{len(hits)} jobs are too many at once. Narrow it down by house, trade, status or urgency.")
    if not hits:
        return "No job on the board fits."
    names = ("job", "flat", "trade", "fault", "reported", "urgency", "status")
    return "\n".join([" | ".join(names), *(" | ".join(j[n] for n in names) for j in hits)])


@tool
def jobTicket(jobNo: str) -> dict[str, Any]:
    """The ticket of one repair job: firm code, day and hours of the visit, estimate, invoice, deadline, who lets them in.

    Args:
        jobNo: The whole number of the job, such as J30-001.
    """
    j = _row("jobs", "job", jobNo)
    if j is None:
        raise ToolError(
            f"There is no job {jobNo!r}: numbers have J, the year, a dash and three figures. jobBoard lists them by house "
            "or trade."
        )
    names = ("job", "flat", "fault", "firm", "visitDay", "visitWindow", "estimate_eur", "invoice_eur", "deadline")
    return _some(j, *names, "letsIn")


@tool
def firmsFor(trade: Trade | None = None, text: str | None = None) -> list[dict[str, Any]]:
    """Find firms that repair for us, by trade or by name. Tells firm code, name, trade, price tier and contact person.

    Args:
        trade: Only firms of this trade.
        text: A part of the firm's name or of its contact person's name.
    """
    if trade is None and not text:
        raise ToolError("Give a trade or a part of a name.")
    hits = [
        f
        for f in _DB["firms"]
        if trade in (None, f["trade"]) and (not text or _has_words(text, f["name"], f["contact"]))
    ]
    if not hits:
        raise ToolError(f"No firm fits {text or trade!r}. People who rent from us are found with traceResident.")
    return [_some(f, "firm", "name", "trade", "tier", "contact") for f in hits]


@tool
def firmTerms(firmCode: str) -> dict[str, Any]:
    """What was agreed with one firm: price of an hour and of a call-out, phone by day and by night, end of the contract,
    hours within which they come.

    Args:
        firmCode: FK and two figures, such as FK99.
    """
    f = _row("firms", "firm", firmCode)
    if f is None:
        raise ToolError(f"There is no firm code {firmCode!r}: FK and two figures. firmsFor finds it by name or trade.")
    return _some(f, "firm", "name", "hourly_eur", "callout_eur", "phone", "nightPhone", "contractEnd", "replyHours")


@tool
def meterCurve(meterNo: str, year: int) -> list[dict[str, Any]]:
    """Readings of an electricity or water meter at the end of each month of a year, and what was used in that month.

    Args:
        meterNo: EM or WM and four figures, such as EM0000 or WM0000.
        year: 2031 or 2032.
    """
    key = next((k for k in _DB["meters"] if _squeeze(k) == _squeeze(meterNo)), None)
    if key is None:
        raise ToolError(f"There is no meter {meterNo!r}: EM or WM and four figures. flatPassport tells those of a flat.")
    if year not in (2031, 2032):
        raise ToolError(f"Readings of {year} are not kept; there are 2031 and 2032 (to August).")
    m = _DB["meters"][key]
    rows, stand = [], m["start"]
    for n, used in enumerate(m["used"]):
        stand += used
        y, month = 2031 + n // 12, n % 12 + 1
        day = date(y + (month == 12), month % 12 + 1, 1) - timedelta(days=1)
        if y == year:
            rows.append({"readOn": day.isoformat(), "reading": stand, f"used_{m['unit']}": used})
    return rows


@tool
def bayGrid(
    garage: Literal["Tern", "Larch", "Kiln"] | None = None,
    kind: Literal["open", "covered", "charger"] | None = None,
    vacant: bool | None = None,
) -> list[dict[str, Any]]:
    """Parking bays: number, garage, kind, fee a month, resident who holds it, or from when it is vacant.

    Args:
        garage: Only this garage.
        kind: Open, covered, or with a charger for electric cars.
        vacant: True for bays that nobody holds (some only from a later day), false for the others.
    """
    if garage is None and kind is None:
        raise ToolError("Give a garage or a kind of bay.")
    hits = [
        b
        for b in _DB["bays"]
        if garage in (None, b["garage"])
        and kind in (None, b["kind"])
        and vacant in (None, b["holder"] is None)
    ]
    if not hits:
        raise ToolError("No bay fits. Leave out the kind, or ask for another garage.")
    return hits


@tool
def rentTotals(month: str) -> dict[str, Any]:
    """Report on the rents of a closed month: due, paid and open by house, households that were late, and totals.

    Args:
        month: Written YYYY-MM.
    """
    rows = _DB["rents"].get(str(month).strip()[:7])
    if rows is None:
        raise ToolError(f"There is no report for {month!r}: the closed months are 2032-04 to 2032-08.")
    totals = {f"total_{n}": round(sum(r[n] for r in rows), 2) for n in ("due_eur", "paid_eur", "open_eur")}
    return {"month": month, **totals, "houses": rows}


@tool
def keyDiary(fromDay: str, days: int = 1) -> list[dict[str, Any]]:
    """The key diary, a table by day and time: which flat's keys are given out or taken back, with whom, by which officer,
    how many sets.

    Args:
        fromDay: First day, YYYY-MM-DD.
        days: How many days from then on, 1 to 7.
    """
    first = _iso(fromDay, "fromDay")
    if not 1 <= days <= 7:
        raise ToolError("days goes from 1 to 7: ask for one week at most.")
    last = first + timedelta(days=days - 1)
    hits = [h for h in _DB["handovers"] if first.isoformat() <= h["day"] <= last.isoformat()]
    if not hits:
        raise ToolError(
            f"The key diary has nothing from {first} to {last}. It goes from 2032-09-13 to 2032-10-11, Monday to Friday."
        )
    return hits


@tool(effect="write")
def raiseJob(
    flatId: str, trade: Trade, fault: str, urgency: Literal["normal", "urgent", "emergency"]
) -> dict[str, Any]:
    """Raise a new repair job for a flat.

    Args:
        flatId: U and four figures, such as U-9999.
        trade: Which trade has to come.
        fault: What is broken, in a few words.
        urgency: How soon it has to be seen to.
    """
    f = _flat(flatId)
    if len(fault.strip()) < 4:
        raise ToolError("Say in a few words what is broken.")
    days = {"normal": 30, "urgent": 7, "emergency": 1}[urgency]
    return {
        "job": f"J32-{int(f['flat'][2:]) % 700 + 200}",
        "flat": f["flat"],
        "trade": trade,
        "urgency": urgency,
        "deadline": (date.fromisoformat(TODAY) + timedelta(days=days)).isoformat(),
    }


@tool(effect="write")
def setHandover(
    flatId: str, day: str, clock: str, way: Literal["give out", "take back"], withWhom: str
) -> dict[str, Any]:
    """Set an appointment in the key diary.

    Args:
        flatId: U and four figures, such as U-9999.
        day: The day, YYYY-MM-DD.
        clock: The time, HH:MM, from 08:30 to 16:30.
        way: Whether we give the keys out or take them back.
        withWhom: Name of the person or the firm.
    """
    f, when = _flat(flatId), _iso(day, "day")
    if when.isoformat() < TODAY:
        raise ToolError(f"{when} is past.")
    if when.weekday() > 4:
        raise ToolError(f"{when} is a {when:%A}: keys are handed over from Monday to Friday.")
    if not re.fullmatch(r"\d\d:\d\d", clock) or not "08:30" <= clock <= "16:30":
        raise ToolError(f"{clock!r} does not do: HH:MM, from 08:30 to 16:30.")
    taken = next((h for h in _DB["handovers"] if (h["day"], h["clock"]) == (when.isoformat(), clock)), None)
    if taken:
        raise ToolError(f"{clock} on {when} is taken ({taken['flat']}). keyDiary shows what else that day has.")
    if not withWhom.strip():
        raise ToolError("withWhom is empty.")
    number = f"KH{when:%m%d}-{clock.replace(':', '')}"
    return {"appointment": number, "flat": f["flat"], "day": day, "clock": clock, "way": way, "withWhom": withWhom}


@tool(effect="write")
def logGrievance(
    residentId: str,
    topic: Literal["noise", "dirt", "smell", "parking", "staff", "other"],
    account: str,
    happenedOn: str,
) -> dict[str, Any]:
    """Log a complaint that a resident makes.

    Args:
        residentId: Who complains: RZ and three figures, such as RZ999.
        topic: What it is about.
        account: What happened, in a few words.
        happenedOn: The day on which it happened, YYYY-MM-DD.
    """
    r, when = _resident(residentId), _iso(happenedOn, "happenedOn")
    if when.isoformat() > TODAY:
        raise ToolError(f"{when} is still to come.")
    if len(account.strip()) < 4:
        raise ToolError("Say in a few words what happened.")
    return {
        "grievance": f"GV-{int(r['resident'][2:]) * 7 % 900 + 100}",
        "resident": r["resident"],
        "name": r["name"],
        "topic": topic,
        "happenedOn": when.isoformat(),
        "replyBy": (date.fromisoformat(TODAY) + timedelta(days=14)).isoformat(),
    }
