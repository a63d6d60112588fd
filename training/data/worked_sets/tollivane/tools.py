"""Tools of the Tollivane roll house."""

import csv
import json
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

HERE = Path(__file__).resolve().parent
_RECORDS = json.loads((HERE / "records.json").read_text("utf-8"))
System = Literal["88-note", "reproducing", "orchestrion", "fair organ"]


def _rows(name: str) -> list[dict]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


ROLLS = {
    int(r["roll"]): {
        "roll": int(r["roll"]),
        "title": r["title"],
        "composer": r["composer"],
        "system": r["system"],
        "shelf": r["shelf"],
        "metres": float(r["metres"]),
        "minutes": float(r["minutes"]),
        "weight_g": int(r["weight_g"]),
        "punched": int(r["punched"]),
        "state": r["state"],
        "played_by": r["played_by"] or None,
    }
    for r in _rows("rolls.csv")
}

MEMBERS = [tuple(row) for row in _RECORDS["members"]]

LOANS = [tuple(row) for row in _RECORDS["loans"]]

# number: name, system, room, builder, year, pipes, pitch, last tuned, keeper, hire per hour
INSTRUMENTS = {key: tuple(row) for key, row in _RECORDS["instruments"].items()}

TICKETS = [tuple(row) for row in _RECORDS["tickets"]]

RECITALS = {key: tuple(row) for key, row in _RECORDS["recitals"].items()}

PROGRAMMES = _RECORDS["programmes"]

RULES = _RECORDS["rules"]

REPORTS = {int(key): tuple(row) for key, row in _RECORDS["reports"].items()}


def _number(text: str, prefix: str) -> str:
    """The id with its prefix: '208', 'm208' and 'M-208' are the same."""
    digits = "".join(c for c in str(text) if c.isdigit())
    return f"{prefix}{digits}"


def _roll(number: int) -> dict:
    if number not in ROLLS:
        raise ToolError(f"There is no roll {number}.")
    return ROLLS[number]


def _instrument(text: str) -> str:
    key = _number(text, "K-")
    if key not in INSTRUMENTS:
        raise ToolError(f"No instrument has the number {text}. Numbers are like K-7; the tool instruments lists them.")
    return key


def _recital(text: str) -> str:
    key = _number(text, "T")
    if key not in RECITALS:
        raise ToolError(f"No recital has the code {text}. Codes are like T42; the tool recitals lists them.")
    return key


@tool
def find_rolls(word: str | None = None, system: System | None = None, shelf: str | None = None) -> list[dict]:
    """Search the rolls by title, composer, system or shelf. Gives their numbers.

    Args:
        word: Part of the title or of the composer's name.
        system: Only rolls of this playing system.
        shelf: Only rolls on this shelf, such as B4.
    """
    if not (word or system or shelf):
        raise ToolError("Give a word, a system or a shelf.")
    found = []
    for r in ROLLS.values():
        text = f"{r['title']} {r['composer']}".lower().replace("'", "")
        if word and not all(part in text for part in word.lower().replace("'", "").replace("’", "").split()):
            continue
        if system and r["system"] != system:
            continue
        if shelf and r["shelf"] != shelf.strip().upper():
            continue
        found.append({k: r[k] for k in ("roll", "title", "composer", "system", "shelf")})
    return found


@tool
def roll_record(roll: int) -> dict:
    """Everything about one roll: length, playing time, weight, year of punching, state, and the pianist who recorded it.

    Args:
        roll: Number of the roll, such as 4107.
    """  # noqa: E501
    r = _roll(roll)
    return {k: v for k, v in r.items() if v is not None}


@tool
def find_member(who: str) -> list[dict]:
    """Members by name or number, with town and kind of membership.

    Args:
        who: Part of the name, or the member number such as M-208.
    """
    if any(c.isdigit() for c in who):
        found = [m for m in MEMBERS if m[0] == _number(who, "M-")]
    else:
        found = [m for m in MEMBERS if all(part in m[1].lower() for part in who.lower().split())]
    if not found:
        raise ToolError(f"No member found for '{who}'.")
    return [dict(zip(("member", "name", "town", "membership", "since"), m, strict=True)) for m in found]


@tool
def loans(member: str | None = None, roll: int | None = None, due_before: str | None = None) -> list[dict]:
    """Rolls that are out on loan now, with the day they are due.

    Args:
        member: Only loans of this member number, such as M-208.
        roll: Only the loan of this roll number.
        due_before: Only loans that are due before this day, YYYY-MM-DD.
    """
    if member is not None:
        key = _number(member, "M-")
        if key not in [m[0] for m in MEMBERS]:
            raise ToolError(f"No member has the number {member}. Numbers are like M-208; find_member gives them.")
        member = key
    if roll is not None:
        _roll(roll)
    return [
        dict(zip(("loan", "member", "roll", "out", "due", "times_extended"), x, strict=True))
        for x in LOANS
        if (member is None or x[1] == member)
        and (roll is None or x[2] == roll)
        and (due_before is None or x[4] < due_before)
    ]


@tool(effect="write")
def extend_loan(loan: str, weeks: int) -> dict:
    """Extend a loan. Gives the new day on which it is due.

    Args:
        loan: Number of the loan, such as L-702.
        weeks: By how many weeks, 1 to 4.
    """
    key = _number(loan, "L-")
    for x in LOANS:
        if x[0] == key:
            break
    else:
        raise ToolError(f"There is no loan {loan}.")
    if not 1 <= weeks <= 4:
        raise ToolError("A loan can be extended by 1 to 4 weeks.")
    if x[5] >= 2:
        raise ToolError(f"Loan {key} has been extended twice already and cannot be extended again.")
    due = date.fromisoformat(x[4]) + timedelta(weeks=weeks)
    return {"loan": key, "roll": x[2], "was_due": x[4], "now_due": due.isoformat()}


@tool
def instruments(
    room: Literal["Main Hall", "Blue Room", "Yard", "Attic"] | None = None, system: System | None = None
) -> str:
    """List of the house's instruments by name, each with its number, playing system and room.

    Args:
        room: Only instruments in this room.
        system: Only instruments of this playing system.
    """
    lines = [
        f"{key}: {i[0]}, {i[1]}, {i[2]}"
        for key, i in INSTRUMENTS.items()
        if (room is None or i[2] == room) and (system is None or i[1] == system)
    ]
    return "\n".join(lines) or "None."


@tool
def instrument_sheet(instrument: str) -> dict:
    """Data of one instrument: builder, year, pipes, pitch, last tuning, keeper, price of hire.

    Args:
        instrument: Number of the instrument, such as K-7 (the tool instruments gives it for a name).
    """
    key = _instrument(instrument)
    names = (
        "name",
        "system",
        "room",
        "builder",
        "built",
        "pipes",
        "pitch_hz",
        "last_tuned",
        "keeper",
        "hire_eur_per_hour",
    )
    return {"instrument": key, **dict(zip(names, INSTRUMENTS[key], strict=True))}


@tool
def fault_tickets(
    instrument: str | None = None,
    status: Literal["open", "waiting for parts", "done"] | None = None,
    mender: Literal["Orbach", "Quill", "Brack"] | None = None,
) -> list[dict]:
    """Faults of the instruments that were reported, with the state of the repair.

    Args:
        instrument: Only this instrument, by its number such as K-7.
        status: Only tickets in this state.
        mender: Only tickets of this mender.
    """
    key = _instrument(instrument) if instrument else None
    return [
        dict(zip(("ticket", "instrument", "fault", "reported", "status", "mender", "hours_estimated"), t, strict=True))
        for t in TICKETS
        if (key is None or t[1] == key) and (status is None or t[4] == status) and (mender is None or t[5] == mender)
    ]


@tool
def recitals(month: int | None = None) -> list[dict]:
    """Recitals of the year with date, instrument number, seats left and price of a seat.

    Args:
        month: Only this month, 1 to 12.
    """
    return [
        dict(zip(("code", "title", "date", "start", "instrument", "seats_left", "seat_eur"), (code, *r), strict=True))
        for code, r in RECITALS.items()
        if month is None or int(r[1][5:7]) == month
    ]


@tool
def recital_programme(recital: str) -> str:
    """What is played at a recital: the numbers of the rolls in their order, and the interval.

    Args:
        recital: Code of the recital, such as T42.
    """
    return PROGRAMMES[_recital(recital)]


@tool(effect="write")
def book_seats(recital: str, name: str, seats: int) -> dict:
    """Book seats at a recital.

    Args:
        recital: Code of the recital, such as T42.
        name: Name for the booking.
        seats: How many seats.
    """
    key = _recital(recital)
    title, day, start, _, left, price = RECITALS[key]
    if seats < 1:
        raise ToolError("At least one seat must be booked.")
    if seats > left:
        raise ToolError(f"Only {left} seats are left for {title}.")
    return {
        "booking": f"{key}/{100 - left}",
        "recital": title,
        "date": day,
        "start": start,
        "name": name,
        "seats": seats,
        "total_eur": price * seats,
    }


@tool
def cut_price(roll: int, copies: int, paper: Literal["thin", "waxed", "heavy"] = "thin") -> dict:
    """Price of new copies that are punched from one of our rolls.

    Args:
        roll: Number of the roll to copy, such as 4107.
        copies: How many copies.
        paper: Kind of paper.
    """
    r = _roll(roll)
    if copies < 1:
        raise ToolError("At least one copy must be ordered.")
    if r["state"] == "fragile":
        raise ToolError(f"Roll {roll} is too fragile to be scanned, so no copies of it can be made.")
    rate = {"thin": 1.4, "waxed": 1.9, "heavy": 2.6}[paper]
    scan, stock, boxes = 18.0, round(copies * r["metres"] * rate, 2), 3.5 * copies
    off = round((scan + stock + boxes) * 0.1, 2) if copies >= 5 else 0.0
    return {
        "roll": roll,
        "copies": copies,
        "paper": paper,
        "scan_eur": scan,
        "paper_eur": stock,
        "boxes_eur": boxes,
        "discount_eur": off,
        "total_eur": round(scan + stock + boxes - off, 2),
    }


@tool
def postage(zone: Literal["inland", "europe", "world"], grams: int) -> str:
    """Postage for a parcel with rolls.

    Args:
        zone: Where it goes.
        grams: Weight of the rolls in grams.
    """
    if grams < 1:
        raise ToolError("The weight must be above zero.")
    if grams > 3000:
        raise ToolError("Parcels over 3000 g are not sent; split the order.")
    small, large = {"inland": (4.8, 7.2), "europe": (9.6, 15.4), "world": (17.5, 29.0)}[zone]
    price, days = (small if grams <= 1000 else large), {"inland": "2", "europe": "5", "world": "14"}[zone]
    return f"Parcel of {grams} g, {zone}: {price:.2f} euros, about {days} days."


@tool
def house_rules(topic: Literal["lending", "reading room", "recitals", "donations", "filming"]) -> str:
    """The house rules on one topic: limits, opening hours, fees and fines.

    Args:
        topic: Which part of the rules.
    """
    return RULES[topic]


@tool
def shelf_register() -> str:
    """Table of all shelves in the store: free space, air humidity and the day of the last check."""
    lines = ["shelf | free cm | humidity % | checked"]
    lines += [f"{s['shelf']} | {s['free_cm']} | {s['humidity']} | {s['checked']}" for s in _rows("shelves.csv")]
    return "\n".join(lines)


@tool
def loan_report(year: int) -> dict:
    """Totals of one year: loans by playing system, late returns, fines, new members.

    Args:
        year: Year, 2026 to 2028.
    """
    if year not in REPORTS:
        raise ToolError("There are reports for 2026 to 2028 only.")
    by, late, fines, new = REPORTS[year]
    return {
        "year": year,
        "loans_by_system": by,
        "loans_total": sum(by.values()),
        "late_returns": late,
        "fines_eur": fines,
        "new_members": new,
    }
