"""Tools of the Maldurey Eiderdown Cooperative."""

import csv
import json
import re
from datetime import date
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

with (Path(__file__).parent / "holms.csv").open(encoding="utf-8") as _file:
    HOLMS = {row["code"]: row for row in csv.DictReader(_file)}
_RECORDS = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))

# number: name, farm, phone, member since, shares, gathering permit until, own boat
KEEPERS = {int(key): tuple(row) for key, row in _RECORDS["keepers"].items()}

# sack, holm, delivered, raw kg, state, lot
SACKS = [tuple(row) for row in _RECORDS["sacks"]]

# lot: grade, raw kg, clean kg, fill power, finished, shelf, state, buyer
LOTS = {key: tuple(row) for key, row in _RECORDS["lots"].items()}

BUYERS = _RECORDS["buyers"]

# order: buyer, kg, lot, state, due, invoice in crowns, invoice note, courier, parcels
ORDERS = {int(key): tuple(row) for key, row in _RECORDS["orders"].items()}

# bay, weekday: boat, leaves, back, seats
BOATS = {
    bay: {weekday: [tuple(boat) for boat in boats] for weekday, boats in week.items()}
    for bay, week in _RECORDS["boats"].items()
}
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

# season, bay: raw kg, clean kg, keepers that delivered, paid to keepers
SEASONS = {(int(year), bay): tuple(row) for year, bays in _RECORDS["seasons"].items() for bay, row in bays.items()}

PRICES = {"prima": 1840, "secunda": 1320, "fleck": 760}
FREIGHT = {"home": 18, "europe": 46, "overseas": 95}

RULES = _RECORDS["rules"]


def _holm(code: str) -> dict:
    number = re.fullmatch(r"[hH]?[-\s]?0*(\d{1,2})", str(code).strip())
    row = HOLMS.get(f"H-{int(number[1]):02d}") if number else None
    if row is None:
        raise ToolError("No holm has this code. Codes run from H-01 to H-48; find_holms finds them by name.")
    return row


def _lot(lot: str) -> str:
    text = str(lot).strip().upper().removeprefix("LOT").strip()
    text = text if text.startswith("L") else "L" + text
    if text not in LOTS:
        raise ToolError(f"There is no lot {text}.")
    return text


def _keeper(number: int) -> tuple:
    if number not in KEEPERS:
        raise ToolError(f"There is no keeper with the number {number}.")
    return KEEPERS[number]


@tool
def holm_record(code: str) -> dict:
    """The record of one holm: bay, landing, the number of its keeper, area, nest shelters, traps, way by boat, closed time.

    Args:
        code: Code of the holm, such as H-22.
    """  # noqa: E501
    row = _holm(code)
    return {
        "code": row["code"],
        "name": row["name"],
        "bay": row["bay"],
        "landing": row["landing"],
        "keeper": int(row["keeper"]),
        "area_ha": float(row["area_ha"]),
        "nest_shelters": int(row["shelters"]),
        "mink_traps": int(row["mink_traps"]),
        "minutes_by_boat": int(row["minutes"]),
        "closed_from": row["closed_from"],
        "closed_to": row["closed_to"],
    }


@tool
def find_holms(
    name: str | None = None,
    bay: Literal["harl", "osk", "tweng"] | None = None,
    landing: Literal["jetty", "beach", "rope"] | None = None,
) -> list[dict]:
    """Finds holms by name, bay or kind of landing, and gives their codes.

    Args:
        name: Part of the holm's name.
        bay: Only holms in this bay.
        landing: Only holms where one lands this way.
    """
    if not (name or bay or landing):
        raise ToolError("Give part of a name, a bay or a landing.")
    found = [
        {"code": row["code"], "name": row["name"], "bay": row["bay"], "landing": row["landing"]}
        for row in HOLMS.values()
        if (not name or name.strip().lower() in row["name"].lower())
        and (not bay or row["bay"] == bay)
        and (not landing or row["landing"] == landing)
    ]
    if not found:
        raise ToolError("No holm matches.")
    return found


@tool
def nest_census(year: Literal[2029, 2030, 2031]) -> str:
    """The count of eider nests and ducklings on all 48 holms in one year, as a table.

    Args:
        year: Year of the count.
    """
    lines = ["code | holm | nests | ducklings"]
    for row in HOLMS.values():
        lines.append(f"{row['code']} | {row['name']} | {row[f'n{year}']} | {row[f'c{year}']}")
    return "\n".join(lines)


@tool
def keeper_record(number: int) -> dict:
    """The record of one keeper: name, farm, phone, member since, shares, permit, own boat.

    Args:
        number: Member number of the keeper, four digits.
    """
    keys = ("name", "farm", "phone", "member_since", "shares", "permit_until", "own_boat")
    return {"number": number, **dict(zip(keys, _keeper(number), strict=True))}


@tool
def find_keeper(name: str) -> list[dict]:
    """Finds the member numbers of keepers by name.

    Args:
        name: First name, last name or both, or a part.
    """
    words = name.lower().split()
    found = [{"number": n, "name": k[0]} for n, k in KEEPERS.items() if words and all(w in k[0].lower() for w in words)]
    if not found:
        raise ToolError("No keeper has this name.")
    return found


@tool
def sacks_in(
    keeper: int | None = None,
    state: Literal["waiting", "drying", "drum", "done"] | None = None,
) -> list[dict]:
    """Sacks of raw down that were delivered this summer, by keeper, by state or both.

    Args:
        keeper: Member number of the keeper who brought them.
        state: Only sacks in this state: waiting for the loft, drying, in the drum, or done (cleaned, part of a lot).
    """
    if keeper is None and state is None:
        raise ToolError("Give a keeper or a state.")
    if keeper is not None:
        _keeper(keeper)
    found = []
    for sack, holm, day, kilos, now, lot in SACKS:
        owner = int(HOLMS[holm]["keeper"])
        if keeper in (None, owner) and state in (None, now):
            row = {"sack": sack, "keeper": owner, "holm": holm, "delivered": day, "raw_kg": kilos, "state": now}
            found.append(row | ({"lot": lot} if lot else {}))
    return found


@tool
def lot_record(lot: str) -> dict:
    """The record of one lot of clean down: grade, weights, fill power, day finished, shelf, state, buyer, sacks.

    Args:
        lot: Number of the lot, such as L31-02.
    """
    key = _lot(lot)
    grade, raw, clean, power, finished, shelf, state, buyer = LOTS[key]
    record = {
        "lot": key,
        "grade": grade,
        "raw_kg": raw,
        "clean_kg": clean,
        "fill_power": power,
        "finished": finished,
        "shelf": shelf,
        "state": state,
        "buyer": f"{BUYERS[buyer]} ({buyer})" if buyer else None,
    }
    sacks = [s[0] for s in SACKS if s[5] == key]
    return record | ({"sacks": sacks} if sacks else {})


@tool
def list_lots(
    grade: Literal["prima", "secunda", "fleck"] | None = None,
    state: Literal["free", "reserved", "sold"] | None = None,
) -> list[dict]:
    """Lists this year's lots of clean down.

    Args:
        grade: Only lots of this grade.
        state: Only lots that are free, reserved or sold.
    """
    return [
        {"lot": key, "grade": lot[0], "clean_kg": lot[2], "state": lot[6]}
        for key, lot in LOTS.items()
        if grade in (None, lot[0]) and state in (None, lot[6])
    ]


@tool(effect="write")
def reserve_lot(lot: str, buyer: str) -> str:
    """Reserves a free lot of clean down for a buyer, for 30 days.

    Args:
        lot: Number of the lot, such as L31-02.
        buyer: Code of the buyer, three letters, as find_orders shows it.
    """
    key = _lot(lot)
    code = buyer.strip().upper()
    if code not in BUYERS:
        raise ToolError("No buyer has this code. Codes have three letters; find_orders shows them.")
    if LOTS[key][6] != "free":
        raise ToolError(f"Lot {key} is {LOTS[key][6]}.")
    return f"Lot {key} ({LOTS[key][0]}, {LOTS[key][2]} kg) is now reserved for {BUYERS[code]} ({code}) for 30 days."


@tool
def quote(
    grade: Literal["prima", "secunda", "fleck"],
    kilos: float,
    ship_to: Literal["home", "europe", "overseas"],
    insured: bool = False,
) -> dict:
    """Works out the price of an amount of clean down with discount, freight and insurance, in crowns.

    Args:
        grade: Grade of the down.
        kilos: Amount in kilograms.
        ship_to: Where it goes: home (within the country), europe or overseas.
        insured: Whether the parcel is insured.
    """
    if not 0.5 <= kilos <= 25:
        raise ToolError("Quotes are given for 0.5 to 25 kg.")
    off = 0.07 if kilos >= 10 else 0.04 if kilos >= 5 else 0
    down = round(PRICES[grade] * kilos * (1 - off), 2)
    freight = round(FREIGHT[ship_to] + max(0, kilos - 3) * 6, 2)
    insurance = round(down * 0.0125, 2) if insured else 0
    return {
        "grade": grade,
        "kilos": kilos,
        "discount_percent": int(off * 100 + 0.5),
        "down": down,
        "freight": freight,
        "insurance": insurance,
        "total": round(down + freight + insurance, 2),
    }


@tool
def find_orders(
    buyer: str | None = None,
    state: Literal["open", "packed", "sent", "delivered"] | None = None,
) -> list[dict]:
    """Lists orders with their numbers and the codes of their buyers.

    Args:
        buyer: Part of the buyer's name, or the code.
        state: Only orders in this state.
    """
    found = []
    for number, order in ORDERS.items():
        name = BUYERS[order[0]]
        word = (buyer or "").strip().lower()
        plain = word.replace(" and ", " & ").replace("koenigs", "königs").replace("konigs", "königs")
        if (plain in name.lower() or word == order[0].lower()) and state in (None, order[3]):
            found.append({"order": number, "buyer": name, "code": order[0], "kg": order[1], "state": order[3]})
    if not found:
        raise ToolError("No order matches.")
    return found


@tool
def order_status(order: int) -> str:
    """How one order stands: buyer, lot, state, day due, invoice, courier.

    Args:
        order: Number of the order, four digits.
    """
    if order not in ORDERS:
        raise ToolError(f"There is no order {order}.")
    code, kilos, lot, state, due, amount, note, courier, parcels = ORDERS[order]
    return (
        f"Order {order} - {BUYERS[code]} ({code})\n"
        f"{kilos} kg of {LOTS[lot][0]} from lot {lot}\n"
        f"State: {state}\n"
        f"Due at the buyer's: {due}\n"
        f"Invoice: {amount:,} crowns, {note}\n"
        f"Courier: {courier}, {parcels} parcel{'s' if parcels > 1 else ''}"
    )


@tool
def house_rules(chapter: Literal["gathering", "delivery", "cleaning", "payment", "sales", "visitors"]) -> str:
    """One chapter of the cooperative's rule book.

    Args:
        chapter: gathering (work on the holms), delivery (how raw sacks come in), cleaning (loft, heat, drum, grades),
            payment (what keepers get and when), sales (list prices, discounts, returns), visitors (tours of the house).
    """
    return RULES[chapter]


@tool
def season_report(season: int, bay: Literal["harl", "osk", "tweng"] | None = None) -> dict:
    """Totals of a finished season: raw and clean down, keepers who delivered, money paid to keepers.

    Args:
        season: Year of the season.
        bay: Only this bay; otherwise all three together.
    """
    rows = [v for (year, b), v in SEASONS.items() if year == season and bay in (None, b)]
    if not rows:
        raise ToolError(f"There is no report for {season}. Reports exist for 2028, 2029 and 2030.")
    return {
        "season": season,
        "bay": bay or "all",
        "raw_kg": round(sum(r[0] for r in rows), 1),
        "clean_kg": round(sum(r[1] for r in rows), 1),
        "keepers": sum(r[2] for r in rows),
        "paid_to_keepers": sum(r[3] for r in rows),
    }


@tool
def boat_times(
    bay: Literal["harl", "osk", "tweng"], weekday: Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
) -> str:
    """The cooperative's boats to the holms of a bay on a weekday, with times and seats.

    Args:
        bay: Bay that the holms lie in.
        weekday: Day of the week.
    """
    boats = BOATS[bay].get(weekday, [])
    if not boats:
        return "No boat on this day."
    return "\n".join(
        f"{name}: leaves {out}, back at the quay {back}, {seats} seats" for name, out, back, seats in boats
    )


@tool(effect="write")
def book_boat(holm: str, day: str, keeper: int, seats: int = 1) -> str:
    """Books seats on the day's first boat to a holm.

    Args:
        holm: Code of the holm, such as H-22.
        day: Day as YYYY-MM-DD.
        keeper: Member number of the keeper for whom it is booked.
        seats: How many seats.
    """
    row = _holm(holm)
    name = _keeper(keeper)[0]
    try:
        when = date.fromisoformat(day)
    except ValueError:
        raise ToolError("Give the day as YYYY-MM-DD.") from None
    if row["closed_from"] <= day <= row["closed_to"]:
        raise ToolError(f"{row['code']} is closed from {row['closed_from']} to {row['closed_to']}.")
    boats = BOATS[row["bay"]].get(DAYS[when.weekday()], [])
    if not boats:
        raise ToolError("No boat goes to this bay on that day.")
    boat, out, _, room = boats[0]
    if not 1 <= seats <= room:
        raise ToolError(f"The {boat} has {room} seats.")
    return (
        f"Booked: {seats} seat{'s' if seats > 1 else ''} for {name} ({keeper}) on the {boat} "
        f"to {row['name']} ({row['code']}), {day}, leaves {out}. Slip B{when:%m%d}-{row['code'][2:]}."
    )
