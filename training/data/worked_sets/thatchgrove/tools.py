"""The tools of Thatchgrove, a firm of thatchers in the Ormel Fens (all data invented)."""

import json
from datetime import date
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

_RECORDS = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
_TODAY = "2031-05-14"


def _number(text: str, prefix: str) -> str:
    """Bring an id such as 'r-204', 'R204' or '204' into its usual form 'R-204'."""
    digits = "".join(c for c in str(text) if c.isdigit())
    return f"{prefix}-{digits.zfill(2)}"


def _by_id(table: str, key: str, prefix: str, label: str, text: str) -> dict:
    """The row of a table with this id, or a helpful error."""
    wanted = _number(text, prefix)
    rows = _RECORDS[table]
    for row in rows:
        if row[key] == wanted:
            return row
    raise ToolError(f"There is no {label} {text}. Numbers run from {rows[0][key]} to {rows[-1][key]}.")


def _day(text: str) -> str:
    """Check a day in the form YYYY-MM-DD."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ToolError(f"'{text}' is not a day. Write it as YYYY-MM-DD, such as 2031-05-20.") from None


def _has(part: str, text: str) -> bool:
    """Whether a part of a name is in a text, in any case."""
    return part.strip().lower() in text.lower()


def _crew(name: str) -> dict:
    """The crew whose name contains the given part (the word 'crew' itself is ignored)."""
    part = name.lower().replace("crew", "").strip()
    for crew in _RECORDS["crews"]:
        if part and part in crew["crew"].lower():
            return crew
    names = ", ".join(c["crew"] for c in _RECORDS["crews"])
    raise ToolError(f"There is no crew '{name}'. Crews are {names}.")


@tool
def find_owner(owner: str) -> list[dict]:
    """Find roof owners by name or owner number: number, name, home village, telephone, customer since.

    Args:
        owner: Part of the owner's name, or an owner number such as OW-12.
    """
    if owner.strip().upper().startswith("OW"):
        return [_by_id("owners", "owner_id", "OW", "owner", owner)]
    found = [o for o in _RECORDS["owners"] if _has(owner, o["name"])]
    if not found:
        raise ToolError(f"No owner's name contains '{owner}'.")
    return found


@tool
def find_roofs(
    house: str | None = None,
    owner_id: str | None = None,
    village: str | None = None,
    material: Literal["reed", "straw"] | None = None,
    limit: int = 12,
) -> list[dict]:
    """Find roofs under care by house name, owner, village or material.

    Gives roof number, house, village, material and owner number.

    Args:
        house: Part of the name of the house.
        owner_id: Number of the owner, such as OW-12.
        village: Part of the name of the village where the house stands.
        material: Only roofs of this material.
        limit: The most roofs to return.
    """
    rows = _RECORDS["roofs"]
    if house:
        rows = [r for r in rows if _has(house, r["house"])]
    if owner_id:
        rows = [r for r in rows if r["owner_id"] == _number(owner_id, "OW")]
    if village:
        rows = [r for r in rows if _has(village, r["village"])]
    if material:
        rows = [r for r in rows if r["material"] == material]
    if not rows:
        raise ToolError("No roof under care matches this search.")
    keys = ("roof_id", "house", "village", "material", "owner_id")
    return [{k: r[k] for k in keys} for r in rows[: max(1, limit)]]


@tool
def roof_record(roof_id: str) -> dict:
    """One roof in full: house, owner number, material, area, pitch, handover day, year of the ridge, chimneys, spark
    arrestor, kind of guarantee, and the numbers of the quotes made for it.

    Args:
        roof_id: Number of the roof, such as R-204.
    """
    return _by_id("roofs", "roof_id", "R", "roof", roof_id)


@tool
def inspections(roof_id: str, limit: int = 5) -> list[dict]:
    """Past inspections of one roof, newest first: day, inspector, thatch thickness, moss, finding, next inspection due.

    Args:
        roof_id: Number of the roof, such as R-204.
        limit: The most inspections to return.
    """
    roof = _by_id("roofs", "roof_id", "R", "roof", roof_id)["roof_id"]
    rows = [{k: v for k, v in i.items() if k != "roof_id"} for i in _RECORDS["inspections"] if i["roof_id"] == roof]
    if not rows:
        raise ToolError(f"Roof {roof} has not been inspected yet.")
    return sorted(rows, key=lambda i: i["day"], reverse=True)[: max(1, limit)]


@tool
def find_supplier(name: str | None = None, material: Literal["reed", "straw"] | None = None) -> list[dict]:
    """Find suppliers of reed and straw by name or material.

    Gives supplier number, name, place, material, delivery time in days, least order in bundles and telephone.

    Args:
        name: Part of the supplier's name.
        material: Only suppliers of this material.
    """
    rows = _RECORDS["suppliers"]
    if name:
        rows = [s for s in rows if _has(name, s["name"])]
    if material:
        rows = [s for s in rows if s["material"] == material]
    if not rows:
        raise ToolError(
            "No supplier matches. Suppliers are " + ", ".join(s["name"] for s in _RECORDS["suppliers"]) + "."
        )
    return rows


@tool
def bundle_prices(supplier_id: str) -> list[dict]:
    """Price list of one supplier: grade, length in cm, price per bundle in crowns, bundles needed per square metre.

    Args:
        supplier_id: Number of the supplier, such as S-03.
    """
    supplier = _by_id("suppliers", "supplier_id", "S", "supplier", supplier_id)["supplier_id"]
    return [
        {k: v for k, v in p.items() if k != "supplier_id"} for p in _RECORDS["prices"] if p["supplier_id"] == supplier
    ]


@tool
def bundle_stock() -> list[dict]:
    """All bundles in our own sheds, one row per lot: lot number, grade, shed, bundles, moisture in percent."""
    return _RECORDS["stock"]


@tool
def crew_record(crew: str) -> dict:
    """One crew: leader, members, van, day rate in crowns, telephone.

    Args:
        crew: Name of the crew, such as Plover.
    """
    return _crew(crew)


@tool
def crew_plan(
    crew: str | None = None, roof_id: str | None = None, from_day: str | None = None, limit: int = 10
) -> list[dict]:
    """Booked work of the crews, earliest first: crew, roof number, first day, last day, work.

    Args:
        crew: Only this crew, such as Plover.
        roof_id: Only work on this roof, such as R-204.
        from_day: Only work that ends on or after this day (YYYY-MM-DD); today if left out.
        limit: The most bookings to return.
    """
    start = _day(from_day) if from_day else _TODAY
    rows = [b for b in _RECORDS["plan"] if b["last_day"] >= start]
    if crew:
        name = _crew(crew)["crew"]
        rows = [b for b in rows if b["crew"] == name]
    if roof_id:
        roof = _by_id("roofs", "roof_id", "R", "roof", roof_id)["roof_id"]
        rows = [b for b in rows if b["roof_id"] == roof]
    if not rows:
        raise ToolError(f"No work is booked for this from {start} on.")
    return sorted(rows, key=lambda b: b["first_day"])[: max(1, limit)]


@tool
def quote_record(quote_no: str) -> dict:
    """One quote: roof, work, bundles, working days, net, tax and total in crowns, day made, valid until, status.

    Args:
        quote_no: Number of the quote, such as Q-3104.
    """
    return _by_id("quotes", "quote_no", "Q", "quote", quote_no)


@tool
def list_invoices(owner_id: str, status: Literal["open", "paid", "all"] = "all") -> list[dict]:
    """Invoices of one owner: number, day issued, day due, amount in crowns, status.

    Args:
        owner_id: Number of the owner, such as OW-12.
        status: Only open or only paid invoices, or all.
    """
    owner = _by_id("owners", "owner_id", "OW", "owner", owner_id)
    rows = [i for i in _RECORDS["invoices"] if i["owner_id"] == owner["owner_id"] and status in ("all", i["status"])]
    if not rows:
        kind = "" if status == "all" else status + " "
        raise ToolError(f"{owner['name']} ({owner['owner_id']}) has no {kind}invoices.")
    return [{k: i[k] for k in ("invoice_no", "issued", "due", "amount", "status")} for i in rows]


@tool
def invoice_record(invoice_no: str) -> dict:
    """One invoice in full: owner number, roof, lines, amount in crowns, day issued, day due, status, day paid.

    Args:
        invoice_no: Number of the invoice, such as INV-7704.
    """
    return _by_id("invoices", "invoice_no", "INV", "invoice", invoice_no)


@tool
def fire_rule(
    topic: Literal["chimney", "spark arrestor", "fire barrier", "hot work", "electrics", "open fires", "extinguishers"],
) -> str:
    """The fire rule of the Ormel Fens for thatched houses on one topic.

    Args:
        topic: What the rule is about; 'open fires' covers bonfires, barbecues and fireworks.
    """
    return _RECORDS["fire_rules"][topic]


@tool
def guarantee_terms(kind: Literal["new reed roof", "new straw roof", "new ridge", "patch repair", "netting"]) -> str:
    """Our guarantee terms for one kind of work: how long, what is covered, what the owner must do.

    Args:
        kind: Kind of work the guarantee is for.
    """
    return _RECORDS["guarantees"][kind]


@tool
def travel_charges() -> list[dict]:
    """Travel charges, one row per village: distance from the yard in km, charge per visit in crowns."""
    return _RECORDS["travel"]


@tool(effect="write")
def book_inspection(roof_id: str, day: str, part: Literal["morning", "afternoon"]) -> dict:
    """Book an inspection of a roof; returns the booking number.

    Args:
        roof_id: Number of the roof, such as R-204.
        day: Day of the inspection, YYYY-MM-DD.
        part: Part of the day.
    """
    roof = _by_id("roofs", "roof_id", "R", "roof", roof_id)
    when = _day(day)
    if when < _TODAY:
        raise ToolError(f"{when} is in the past; today is {_TODAY}.")
    number = f"B-{int(roof['roof_id'][2:]) * 10 + int(when[-2:])}"
    return {"booking_no": number, "roof_id": roof["roof_id"], "house": roof["house"], "day": when, "part": part}


@tool(effect="write")
def reserve_bundles(lot_no: str, bundles: int, roof_id: str) -> str:
    """Set bundles of one lot in our sheds aside for a roof; returns the reservation number.

    Args:
        lot_no: Number of the lot, such as L-515.
        bundles: How many bundles.
        roof_id: Number of the roof they are for, such as R-204.
    """
    lot = _by_id("stock", "lot_no", "L", "lot", lot_no)
    roof = _by_id("roofs", "roof_id", "R", "roof", roof_id)
    if not 1 <= bundles <= lot["bundles"]:
        raise ToolError(f"Lot {lot['lot_no']} has {lot['bundles']} bundles; {bundles} cannot be reserved.")
    number = f"V-{int(lot['lot_no'][2:])}{int(roof['roof_id'][2:])}"
    where = f"roof {roof['roof_id']} ({roof['house']})"
    return f"Reserved: {bundles} bundles of lot {lot['lot_no']} for {where}.\nReservation number: {number}"
