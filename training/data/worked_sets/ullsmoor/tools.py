"""Office tools of Ullsmoor Seeds, an invented seed merchant. Nothing that is written changes the data."""

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

BOOK = json.loads((Path(__file__).parent / "records.json").read_text("utf-8"))
TODAY = date(2031, 9, 17)
MOST_ROWS = 22


def _flat(text: str) -> str:
    return "".join(c for c in str(text).lower() if c.isalnum())


def _day(text: str, parameter: str) -> date:
    try:
        return date.fromisoformat(str(text).strip())
    except ValueError:
        raise ToolError(f"{parameter}: {text!r} is no day; it has to look like YYYY-MM-DD.") from None


def _named(rows: list[dict], name: str) -> list[dict]:
    """Rows whose name has every word that was given."""
    words = [_flat(w) for w in str(name).replace("-", " ").split()]
    words = [w for w in words if w and w not in {"mr", "mrs", "ms", "frau", "herr", "the"}]
    return [row for row in rows if words and all(w in _flat(row["name"]) for w in words)]


def _with_id(table: str, field: str, wanted: str, advice: str) -> dict:
    for row in BOOK[table]:
        if _flat(row[field]) == _flat(wanted):
            return row
    raise ToolError(f"{wanted!r} is not known as {field}. {advice}")


def _variety(code: str) -> dict:
    return _with_id("varieties", "variety", code, "Codes look like XX.00; variety_named finds them by the name.")


def _lot(lot_no: str) -> dict:
    return _with_id("lots", "lot_no", lot_no, "Lot numbers look like SD/0-000.")


def _grower(grower: str) -> dict:
    return _with_id("accounts", "grower", grower, "Ids of growers look like gr~00; people_named finds them by the name.")


@tool(effect="read")
def people_named(name: str) -> list[dict]:
    """Persons by name: id, full name, what they are to us (grower, staff, teacher), place, phone.

    Args:
        name: First name, surname or both; or a person's id.
    """
    by_id = [row for row in BOOK["people"] if _flat(row["id"]) == _flat(name)]
    return by_id or _named(BOOK["people"], name)


@tool(effect="read")
def variety_named(name: str) -> list[dict]:
    """Varieties by name: code, full name, crop.

    Args:
        name: Name of the variety or a word of it.
    """
    found = _named(BOOK["varieties"], name)
    if not found:
        raise ToolError(f"We have no variety called {name!r}.")
    return [{"variety": row["variety"], "name": row["name"], "crop": row["crop"]} for row in found]


@tool(effect="read")
def variety_sheet(of: str) -> dict:
    """All we print on a variety: when and how deep to sow, spacing, days to pick, packet and trade price, seeds per
    packet, least germination by law and by our own rule, shelf in the shop.

    Args:
        of: Code of the variety, such as XX.00.
    """
    return _variety(of)


@tool(effect="read")
def stock_lots(
    variety: str = "",
    grower: str = "",
    state: Literal["any", "drying", "in store", "held", "sold out"] = "any",
) -> list[dict]:
    """Lots of seed, by variety, grower or state: lot number, variety, grower, day of harvest, kilograms left, state, place.

    Args:
        variety: Code of a variety, such as XX.00.
        grower: Id of a grower, such as gr~00.
        state: Only lots in this state.
    """
    code = _variety(variety)["variety"] if variety.strip() else ""
    who = _grower(grower)["grower"] if grower.strip() else ""
    rows = [
        {k: lot[k] for k in ("lot_no", "variety", "grower", "harvested_on", "kg_left", "state", "place")}
        for lot in BOOK["lots"]
        if code in ("", lot["variety"]) and who in ("", lot["grower"]) and state in ("any", lot["state"])
    ]
    if len(rows) > MOST_ROWS:
        raise ToolError(f"{len(rows)} lots are too many to list. Give a variety, a grower or a state.")
    return rows


@tool(effect="read")
def lot_card(lot_no: str) -> dict:
    """The card of one lot: variety, grower, days of harvest and arrival, kilograms as received, cleaned and left, bin or
    room, first and latest germination test, purity, remark.

    Args:
        lot_no: Number of the lot, such as SD/0-000.
    """
    return _lot(lot_no)


@tool(effect="read")
def grower_account(grower: str) -> dict:
    """What we have agreed with a grower and what we owe: kilograms contracted and delivered this year, pay per kilogram,
    pounds owed and paid, day of the last payment, day of the next collection, lorry access.

    Args:
        grower: Id of the grower, such as gr~00.
    """
    return _grower(grower)


@tool(effect="read")
def order_book(
    from_day: str,
    to_day: str,
    status: Literal["any", "open", "packed", "sent", "cancelled"] = "any",
    town: str = "",
) -> list[dict]:
    """Orders by the day they are due at the customer's: number, customer, town, day due, packets, pounds, status.

    Args:
        from_day: First day due, YYYY-MM-DD.
        to_day: Last day due, YYYY-MM-DD.
        status: Only orders with this status.
        town: Only orders that go to this town.
    """
    first, last = _day(from_day, "from_day"), _day(to_day, "to_day")
    if last < first:
        raise ToolError("to_day lies before from_day.")
    rows = [
        row for row in BOOK["orders"]
        if first <= date.fromisoformat(row["due_on"]) <= last and status in ("any", row["status"])
        and _flat(town) in _flat(row["town"])
    ]
    if len(rows) > MOST_ROWS:
        raise ToolError(f"{len(rows)} orders are too many to list. Take fewer days, a status or a town.")
    return rows


@tool(effect="read")
def trial_plots(
    field: Literal["Long Acre", "Kirk Bank", "Nether Croft"],
    stage: Literal["any", "sown", "up", "flowering", "ripe", "cleared"] = "any",
) -> list[dict]:
    """The plots of a trial field: plot, code of the variety, day of sowing, length in metres, stage, id of who tends it.

    Args:
        field: The trial field.
        stage: Only plots at this stage.
    """
    return [
        {k: v for k, v in row.items() if k != "field"}
        for row in BOOK["plots"] if row["field"] == field and stage in ("any", row["stage"])
    ]


@tool(effect="read")
def day_sheet(on: str) -> list[dict]:
    """All that is down for one day, hour by hour: van, collections from growers, drying rooms, test counts, school
    visits, shop.

    Args:
        on: The day, YYYY-MM-DD.
    """
    day = _day(on, "on")
    rows = BOOK["days"].get(str(day))
    if rows is None:
        raise ToolError(f"No sheet for {day}. Sheets go from {min(BOOK['days'])} to {max(BOOK['days'])}, Monday to Saturday.")
    return [dict(zip(("at", "what", "detail", "who"), row, strict=True)) for row in rows]


@tool(effect="read")
def takings(from_month: str, to_month: str, counter: Literal["all", "shop", "post", "trade"] = "all") -> dict:
    """Report of what was sold in some months, crop by crop, with totals: packets and pounds.

    Args:
        from_month: First month, YYYY-MM.
        to_month: Last month, YYYY-MM, the same for one month.
        counter: Sold in the shop, by post, to the trade, or all.
    """
    months = sorted({row["month"] for row in BOOK["takings"]})
    if from_month not in months or to_month not in months or to_month < from_month:
        raise ToolError(f"The books have the months from {months[0]} to {months[-1]}, written YYYY-MM.")
    rows = [r for r in BOOK["takings"] if from_month <= r["month"] <= to_month and counter in ("all", r["counter"])]
    crops = list(dict.fromkeys(r["crop"] for r in rows))
    lines = [
        {"crop": crop, "packets": sum(r["packets"] for r in rows if r["crop"] == crop),
         "pounds": round(sum(r["pounds"] for r in rows if r["crop"] == crop), 2)}
        for crop in crops
    ]
    return {
        "from_month": from_month, "to_month": to_month, "counter": counter, "crops": lines,
        "total_packets": sum(line["packets"] for line in lines), "total_pounds": round(sum(line["pounds"] for line in lines), 2),
    }


@tool(effect="write")
def hold_lot(lot_no: str, why: str) -> dict:
    """Takes a lot out of sale until further notice.

    Args:
        lot_no: Number of the lot, such as SD/0-000.
        why: The reason, in a few words.
    """
    lot = _lot(lot_no)
    if lot["state"] in ("held", "sold out"):
        raise ToolError(f"{lot['lot_no']} is {lot['state']} already.")
    return {"hold": f"H~{lot['lot_no'][-3:]}", "lot_no": lot["lot_no"], "kg_held": lot["kg_left"], "why": why}


@tool(effect="write")
def pencil_visit(school: str, on: str, at: str, children: int) -> dict:
    """Puts a school visit to the trial fields on the day sheet.

    Args:
        school: Name of the school.
        on: The day, YYYY-MM-DD.
        at: When they come, HH:MM.
        children: How many children.
    """
    day = _day(on, "on")
    if day <= TODAY or day.weekday() > 4:
        raise ToolError("School visits are Monday to Friday, from tomorrow on.")
    if not 1 <= children <= 32:
        raise ToolError("One visit takes 32 children at most.")
    taken = [row for row in BOOK["days"].get(str(day), []) if row[1] == "school visit" and row[0][:2] == at[:2]]
    if taken:
        raise ToolError(f"At {taken[0][0]} on {day} there is a visit already: {taken[0][2]}.")
    return {"visit": f"V*{day.toordinal() % 100:02}{at[:2]}", "school": school, "on": str(day), "at": at,
            "children": children, "guide": "Amma Boateng"}


@tool(effect="write")
def lay_test(lot_no: str, seeds: int, cabinet: Literal["warm", "cool"]) -> dict:
    """Lays out a germination test of a lot.

    Args:
        lot_no: Number of the lot, such as SD/0-000.
        seeds: How many seeds are laid out.
        cabinet: Which cabinet they go into.
    """
    lot = _lot(lot_no)
    if lot["state"] in ("drying", "sold out"):
        raise ToolError(f"{lot['lot_no']} cannot be tested: it is {lot['state']}.")
    return {"test": f"T/{lot['lot_no'][-3:]}{cabinet[0]}", "lot_no": lot["lot_no"], "seeds": seeds, "cabinet": cabinet,
            "count_on": str(TODAY + timedelta(days=10 if cabinet == "warm" else 14))}
