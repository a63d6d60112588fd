"""The tools of Ravelstoke Tapestry Conservation (all data invented)."""

import json
from datetime import date
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

_RECORDS = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
_SMALL_WORDS = {"the", "of", "a", "an", "and"}


def _words(text: str) -> list[str]:
    """The words of a name in lower case, without apostrophes, hyphens and small words."""
    plain = text.lower().replace("'", "").replace("’", "")
    found = "".join(c if c.isalnum() else " " for c in plain).split()
    return [word for word in found if word not in _SMALL_WORDS]


def _matches(part: str, name: str) -> bool:
    """Whether every word of the part is found in the name."""
    whole = " ".join(_words(name))
    return all(word in whole for word in _words(part))


def _one_name(part: str, names: list[str], what: str) -> str:
    """The one name that the part means, or a helpful error."""
    hits = [name for name in names if _words(part) and _matches(part, name)]
    if len(hits) == 1:
        return hits[0]
    if hits:
        raise ToolError(f"'{part}' fits several: {', '.join(hits)}. Which one?")
    raise ToolError(f"No {what} '{part}'. Known: {', '.join(names)}.")


def _by_id(table: str, key: str, wanted: str, what: str) -> dict:
    """One row by its id, or an error that names the range of ids."""
    rows = _RECORDS[table]
    for row in rows:
        if row[key] == wanted.strip().upper():
            return row
    raise ToolError(f"There is no {what} {wanted}. Numbers run from {rows[0][key]} to {rows[-1][key]}.")


def _day(text: str) -> date:
    """A day out of YYYY-MM-DD."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise ToolError(f"'{text}' is not a day. Write days as YYYY-MM-DD.") from None


@tool
def find_textiles(
    title: str = "",
    kind: Literal["tapestry", "carpet", "banner"] | None = None,
    owner_id: str | None = None,
    limit: int = 10,
) -> list[dict]:
    """Search the textiles in our care by title, kind or owner. Gives the id, title and kind of each.

    Args:
        title: The title or a part of it. Leave empty for any title.
        kind: Only textiles of this kind.
        owner_id: Only textiles of this owner, such as OW-03.
        limit: The most textiles to return, 1 to 15.
    """
    if owner_id:
        _by_id("owners", "owner_id", owner_id, "owner")
    hits = [
        {key: row[key] for key in ("textile_id", "title", "kind")}
        for row in _RECORDS["textiles"]
        if _matches(title, row["title"])
        and kind in (None, row["kind"])
        and (not owner_id or row["owner_id"] == owner_id.strip().upper())
    ]
    if not hits:
        raise ToolError("No textile fits this search. Try a shorter part of the title.")
    return hits[: min(15, max(1, limit))]


@tool
def textile_record(textile_id: str) -> dict:
    """One textile: title, kind, year made, size, area, owner's id, where it is kept, insured value, day of arrival.

    Args:
        textile_id: Id of the textile, such as TX-104.
    """
    return _by_id("textiles", "textile_id", textile_id, "textile")


@tool
def owner_record(owner: str) -> dict:
    """One owner (house, museum, family): id, name, town, contact person, phone, payment terms in days.

    Args:
        owner: Id of the owner, such as OW-03, or the name or a part of it.
    """
    if owner.strip().upper().startswith("OW-"):
        return _by_id("owners", "owner_id", owner, "owner")
    name = _one_name(owner, [row["name"] for row in _RECORDS["owners"]], "owner")
    return next(row for row in _RECORDS["owners"] if row["name"] == name)


@tool
def textile_treatments(textile_id: str) -> list[dict]:
    """The treatments of one textile, each with treatment number, kind of work and status (no people, days or prices).

    Args:
        textile_id: Id of the textile, such as TX-104.
    """
    textile = _by_id("textiles", "textile_id", textile_id, "textile")
    hits = [
        {key: row[key] for key in ("treatment_no", "work", "status")}
        for row in _RECORDS["treatments"]
        if row["textile_id"] == textile["textile_id"]
    ]
    if not hits:
        raise ToolError(f"No treatment is recorded for {textile['textile_id']}.")
    return hits


@tool
def treatment_record(treatment_no: str) -> str:
    """One treatment in full: textile, work, status, lead conservator, days, hours estimated and worked, price.

    Args:
        treatment_no: Number of the treatment, such as TR-505.
    """
    row = _by_id("treatments", "treatment_no", treatment_no, "treatment")
    return (
        f"Treatment {row['treatment_no']}: {row['work']} of {row['textile_id']} ({row['status']})\n"
        f"Lead conservator: {row['lead']}\n"
        f"Start: {row['start']}; planned end: {row['end']}\n"
        f"Hours estimated: {row['hours_estimated']}; hours worked so far: {row['hours_worked']}\n"
        f"Price: {row['price']} pounds"
    )


@tool
def conservator_info(name: str) -> dict:
    """One conservator of the workshop: speciality, phone extension, hourly rate in pounds, room.

    Args:
        name: Name of the conservator or a part of it.
    """
    full = _one_name(name, [row["name"] for row in _RECORDS["conservators"]], "conservator")
    return next(row for row in _RECORDS["conservators"] if row["name"] == full)


@tool
def conservator_day(name: str, day: str) -> str:
    """What is in one conservator's diary on one day, with times.

    Args:
        name: Name of the conservator or a part of it.
        day: The day as YYYY-MM-DD.
    """
    full = _one_name(name, [row["name"] for row in _RECORDS["conservators"]], "conservator")
    wanted = _day(day)
    if not date(2033, 3, 14) <= wanted <= date(2033, 3, 20):
        raise ToolError("The diary holds only 2033-03-14 to 2033-03-20.")
    lines = _RECORDS["diary"][full].get(wanted.isoformat(), ["nothing entered"])
    return f"{full}, {wanted:%A} {wanted.isoformat()}:\n" + "\n".join(lines)


@tool
def yarn_stock(fibre: Literal["wool", "silk", "linen"] | None = None, limit: int = 50) -> list[dict]:
    """The yarn in stock, as a table: code, fibre, colour, skeins left, shelf, price per skein in pounds.

    Args:
        fibre: Only yarn of this fibre.
        limit: The most rows to return.
    """
    rows = [row for row in _RECORDS["yarn"] if fibre in (None, row["fibre"])]
    return rows[: max(1, limit)]


@tool
def dye_recipe(dye: str) -> str:
    """The workshop's recipe for one dye: mordant, grams of dyestuff per kilo of yarn, bath temperature, time.

    Args:
        dye: English name of the dyestuff, such as madder.
    """
    name = _one_name(dye, list(_RECORDS["dyes"]), "dye")
    row = _RECORDS["dyes"][name]
    return (
        f"{name.capitalize()} ({row['colour']})\n"
        f"Mordant: {row['mordant']}\n"
        f"Dyestuff: {row['grams']} g per kg of yarn\n"
        f"Bath: {row['celsius']} °C for {row['minutes']} minutes"
    )


@tool
def find_loans(borrower: str | None = None, textile_id: str | None = None) -> list[dict]:
    """Find exhibition loans by borrower or by textile. Gives loan number, borrower and textile id of each.

    Args:
        borrower: Name of the borrowing gallery or museum, or a part of it.
        textile_id: Id of the lent textile, such as TX-104.
    """
    if not borrower and not textile_id:
        raise ToolError("Give a borrower or a textile id to search by.")
    hits = [
        {key: row[key] for key in ("loan_no", "borrower", "textile_id")}
        for row in _RECORDS["loans"]
        if (not borrower or _matches(borrower, row["borrower"]))
        and (not textile_id or row["textile_id"] == textile_id.strip().upper())
    ]
    if not hits:
        raise ToolError("No loan fits this search.")
    return hits


@tool
def loan_record(loan_no: str) -> dict:
    """One exhibition loan: textile, borrower, first and last day, fee in pounds, courier, light limit in lux.

    Args:
        loan_no: Number of the loan, such as LN-64.
    """
    return _by_id("loans", "loan_no", loan_no, "loan")


@tool
def transports(first_day: str, last_day: str) -> list[dict]:
    """The van transports between two days (at most a month): number, day, time, textile id, from, to, van, driver.

    Args:
        first_day: First day as YYYY-MM-DD.
        last_day: Last day, included, as YYYY-MM-DD; the same as first_day for a single day.
    """
    first, last = _day(first_day), _day(last_day)
    if last < first:
        raise ToolError("last_day is before first_day.")
    if (last - first).days > 31:
        raise ToolError("Ask for at most one month at a time.")
    return [row for row in _RECORDS["transports"] if first <= date.fromisoformat(row["day"]) <= last]


@tool
def room_climate(room: str, day: str) -> dict:
    """The climate of one room on one day: mean temperature, lowest and highest relative humidity, highest lux.

    Args:
        room: Name of the room or a part of it, such as Dark Store.
        day: The day as YYYY-MM-DD.
    """
    name = _one_name(room, list(_RECORDS["climate"]), "room")
    days = _RECORDS["climate"][name]
    wanted = _day(day).isoformat()
    if wanted not in days:
        raise ToolError(f"No readings for {wanted}. Readings run from {min(days)} to {max(days)}.")
    return {"room": name, "day": wanted, **days[wanted]}


@tool
def insect_traps(month: str) -> list[dict]:
    """The monthly check of all insect traps, as a table: trap, place, clothes moths and carpet beetles caught.

    Args:
        month: The month as YYYY-MM.
    """
    months = _RECORDS["traps"]
    if month.strip() not in months:
        raise ToolError(f"No trap check for {month}. Checks: {', '.join(months)}.")
    return months[month.strip()]


@tool
def cleaning_price(method: Literal["wet", "vacuum", "solvent"], area_m2: float) -> dict:
    """The list price in pounds for cleaning a textile of a given area, with the set-up fee.

    Args:
        method: Way of cleaning.
        area_m2: Area of the textile in square metres.
    """
    if area_m2 <= 0:
        raise ToolError("The area must be more than 0 square metres.")
    setup, rate = _RECORDS["cleaning_rates"][method]
    total = round(setup + rate * area_m2, 2)
    return {"method": method, "area_m2": area_m2, "setup_fee": setup, "per_m2": rate, "total": total}


@tool(effect="write")
def order_yarn(yarn_code: str, skeins: int) -> dict:
    """Order more of one yarn from its spinner.

    Args:
        yarn_code: Code of the yarn, such as YN-204.
        skeins: Number of skeins to order, 1 to 200.
    """
    row = _by_id("yarn", "code", yarn_code, "yarn")
    if not 1 <= skeins <= 200:
        raise ToolError("Order 1 to 200 skeins at a time.")
    return {
        "order_no": f"YO-{4000 + int(row['code'][3:]) + skeins}",
        "yarn": f"{row['code']} {row['colour']} {row['fibre']}",
        "skeins": skeins,
        "status": "ordered",
    }


@tool(effect="write")
def book_viewing(textile_id: str, day: str, time: str, visitor: str) -> dict:
    """Book a visitor in to see one textile at the workshop.

    Args:
        textile_id: Id of the textile, such as TX-104.
        day: Day of the visit as YYYY-MM-DD, Monday to Friday.
        time: Time of the visit as HH:MM, between 09:00 and 16:30.
        visitor: Name of the visitor.
    """
    row = _by_id("textiles", "textile_id", textile_id, "textile")
    wanted = _day(day)
    if wanted.weekday() > 4:
        raise ToolError("Viewings are Monday to Friday.")
    hours, _, minutes = time.strip().zfill(5).partition(":")
    if not (hours.isdigit() and minutes.isdigit() and "09:00" <= f"{hours}:{minutes}" <= "16:30"):
        raise ToolError("Give the time as HH:MM, between 09:00 and 16:30.")
    if not visitor.strip():
        raise ToolError("Give the visitor's name.")
    return {
        "viewing_no": f"VW-{int(row['textile_id'][3:]) * 10 + wanted.day}",
        "textile": f"{row['textile_id']} {row['title']}",
        "day": wanted.isoformat(),
        "time": f"{hours}:{minutes}",
        "visitor": visitor.strip(),
        "status": "booked",
    }
