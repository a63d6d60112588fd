"""The tools of Larkmoss, a wholesale plant nursery."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

from glassloop import ToolError, tool

RECORDS: dict[str, Any] = json.loads((Path(__file__).parent / "records.json").read_text("utf-8"))
TODAY = date.fromisoformat(RECORDS["today"])
STAGES = ("seedling", "growing", "ready", "on hold")
STATUSES = ("open", "packed", "delivered", "cancelled")
PESTS = ("aphids", "fungus gnats", "spider mite", "thrips", "whitefly")
MONTHS = "January February March April May June July August September October November December".split()


def _one(kind: str, key: str, value: str, remedy: str) -> dict[str, Any]:
    wanted = value.strip().upper()
    for row in RECORDS[kind]:
        if row[key] == wanted:
            return row
    raise ToolError(f"There is no {value!r}. {remedy}")


def _named(kind: str, name: str, keys: tuple[str, ...]) -> list[dict[str, Any]]:
    words = [word for word in re.findall(r"\w+", re.sub(r"['’]s\b", "", name.lower())) if word not in ("the", "and")]
    words = [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words]
    if not words:
        raise ToolError("Give a name or a part of one.")
    return [row for row in RECORDS[kind] if all(word in " ".join(row[key] for key in keys).lower() for word in words)]


def _day(value: str) -> date:
    try:
        return date.fromisoformat(value.strip())
    except ValueError:
        raise ToolError(f"{value!r} is not a day. Write it as YYYY-MM-DD, for example 2033-05-12.") from None


def _greenhouse(value: str) -> str:
    house = value.strip().upper()
    if house not in RECORDS["watering"]:
        raise ToolError(f"There is no greenhouse {value!r}. They are G1, G2, G3, G4, G5 and G6.")
    return house


def _choice(value: str, choices: tuple[str, ...], what: str) -> str:
    chosen = value.strip().lower()
    if chosen and chosen not in choices:
        raise ToolError(f"{value!r} is not a {what}. Use one of: {', '.join(choices)}; or leave it out for all.")
    return chosen


def _customer(customer_id: str) -> dict[str, Any]:
    return _one("customers", "id", customer_id, "A customer id looks like CU-103; find_customer gives it for a name.")


def _plant(plant_code: str) -> dict[str, Any]:
    return _one("plants", "code", plant_code, "A plant code looks like P-16; find_plant gives it for a name.")


def _order(order_id: str) -> dict[str, Any]:
    return _one("orders", "id", order_id, "An order id looks like OR-7304; list_orders has them all.")


@tool(effect="read", integrity="trusted")
def find_customer(name: str) -> list[dict[str, Any]]:
    """Finds customers by name. Returns the id, name and town of each that fits.

    Args:
        name: The customer's name or a part of it, for example "Potting".
    """
    found = _named("customers", name, ("name",))
    if not found:
        raise ToolError(f"No customer is called {name!r}. Try one distinctive word of the name.")
    return [{key: row[key] for key in ("id", "name", "town")} for row in found]


@tool(effect="read", integrity="trusted")
def get_customer(customer_id: str) -> dict[str, Any]:
    """A customer's record: name, town, kind (park or garden shop), contact person, phone, discount in percent, days
    to pay, and our sales representative. It does not have their orders.

    Args:
        customer_id: The customer's id, such as CU-103.
    """
    return dict(_customer(customer_id))


@tool(effect="read", integrity="trusted")
def find_plant(name: str) -> list[dict[str, Any]]:
    """Finds plants that we grow by their English or Latin name. Returns the code, name and Latin name of each that
    fits, but no prices or stock.

    Args:
        name: The plant's name or a part of it, for example "Snowdrift" or "Begonia".
    """
    found = _named("plants", name, ("name", "latin"))
    if not found:
        raise ToolError(f"We grow no plant called {name!r}. Try one distinctive word of its English or Latin name.")
    return [{key: row[key] for key in ("code", "name", "latin")} for row in found]


@tool(effect="read", integrity="trusted")
def plant_prices(plant_code: str) -> str:
    """The price list of a plant: a table with the price per pot in euros for each pot size (9, 11 and 13 cm) and
    quantity (1-99, 100-499, 500 or more).

    Args:
        plant_code: The plant's code, such as P-16.
    """
    plant = _plant(plant_code)
    lines = [f"{plant['code']} {plant['name']}, euros per pot", "pot | 1-99 | 100-499 | 500+"]
    for row in plant["prices"]:
        lines.append(f"{row['pot_cm']} cm | {row['1-99']:.2f} | {row['100-499']:.2f} | {row['500+']:.2f}")
    return "\n".join(lines)


@tool(effect="read", integrity="trusted")
def plant_sales(plant_code: str, month: str) -> str:
    """How many pots of a plant were sold in a month, and for how many euros.

    Args:
        plant_code: The plant's code, such as P-16.
        month: The month as YYYY-MM, for example 2033-01.
    """
    plant = _plant(plant_code)
    sold = plant["sales"].get(month.strip())
    if sold is None:
        known = sorted(plant["sales"])
        raise ToolError(f"There are no sales of {month!r}. Give a month as YYYY-MM, from {known[0]} to {known[-1]}.")
    year, number = month.strip().split("-")
    when = f"{MONTHS[int(number) - 1]} {year}"
    return f"In {when} we sold {sold['pots']} pots of {plant['name']} ({plant['code']}) for {sold['eur']:.2f} euros."


@tool(effect="read", integrity="trusted")
def list_batches(plant_code: str = "", greenhouse: str = "", stage: str = "") -> str:
    """The batches of plants in the greenhouses, as a table with id, plant code, greenhouse, stage, number of pots and
    the day on which it is ready for sale. Without filters it lists all batches.

    Args:
        plant_code: Only this plant's batches: its code, such as P-16.
        greenhouse: Only the batches in this greenhouse, G1 to G6.
        stage: Only the batches of this stage: seedling, growing, ready (can be sold) or on hold.
    """
    plant = _plant(plant_code)["code"] if plant_code.strip() else ""
    house = _greenhouse(greenhouse) if greenhouse.strip() else ""
    stage = _choice(stage, STAGES, "stage")
    rows = [
        row
        for row in RECORDS["batches"]
        if plant in ("", row["plant"]) and house in ("", row["house"]) and stage in ("", row["stage"])
    ]
    if not rows:
        return "No batch fits."
    lines = [f"{r['id']} | {r['plant']} | {r['house']} | {r['stage']} | {r['pots']} | {r['ready']}" for r in rows]
    return "\n".join(["batch | plant | greenhouse | stage | pots | ready on", *lines])


@tool(effect="read", integrity="trusted")
def get_batch(batch_id: str) -> dict[str, Any]:
    """A batch's record: plant, greenhouse, bench, stage, pots in all, reserved and free, the days it was sown and is
    ready, the keeper who looks after it, and its feed.

    Args:
        batch_id: The batch's id, such as B-505.
    """
    batch = _one("batches", "id", batch_id, "A batch id looks like B-505; list_batches has them all.")
    plant = _plant(batch["plant"])
    return {
        "id": batch["id"],
        "plant": f"{plant['code']} {plant['name']}",
        "greenhouse": batch["house"],
        "bench": batch["bench"],
        "stage": batch["stage"],
        "pots": batch["pots"],
        "reserved": batch["reserved"],
        "free": batch["pots"] - batch["reserved"],
        "sown": batch["sown"],
        "ready": batch["ready"],
        "keeper": batch["keeper"],
        "feed": batch["feed"],
    }


@tool(effect="read", integrity="trusted")
def list_orders(customer_id: str = "", status: str = "", due_from: str = "", due_to: str = "") -> str:
    """Orders as a table with order id, customer id, delivery day, status and total in euros. Without filters it lists
    all orders.

    Args:
        customer_id: Only this customer's orders: an id, such as CU-103.
        status: Only orders with this status: open (not packed yet), packed, delivered or cancelled.
        due_from: Only orders to be delivered on this day or later, as YYYY-MM-DD.
        due_to: Only orders to be delivered on this day or earlier, as YYYY-MM-DD.
    """
    customer = _customer(customer_id)["id"] if customer_id.strip() else ""
    status = _choice(status, STATUSES, "status")
    first = _day(due_from).isoformat() if due_from.strip() else ""
    last = _day(due_to).isoformat() if due_to.strip() else "9999"
    rows = [
        row
        for row in RECORDS["orders"]
        if customer in ("", row["customer"]) and status in ("", row["status"]) and first <= row["due"] <= last
    ]
    if not rows:
        return "No order fits."
    lines = [f"{r['id']}, {r['customer']}, {r['due']}, {r['status']}, {r['total_eur']:.2f}" for r in rows]
    return "\n".join(["order, customer, delivery day, status, euros", *lines])


@tool(effect="read", integrity="trusted")
def get_order(order_id: str) -> dict[str, Any]:
    """An order's record: the customer's id, the days it was ordered and is delivered, status, van and time of arrival,
    each line with plant, batch, pot size and pots, the total in euros, and a note. It has neither the customer's name
    nor the driver.

    Args:
        order_id: The order's id, such as OR-7304.
    """
    order = _order(order_id)
    return {
        "id": order["id"],
        "customer_id": order["customer"],
        "ordered_on": order["ordered"],
        "delivery_day": order["due"],
        "status": order["status"],
        "van": order["van"],
        "arrives_at": order["arrives"],
        "lines": order["lines"],
        "total_eur": order["total_eur"],
        "note": order["note"],
    }


@tool(effect="read", integrity="trusted")
def van_rounds(day: str) -> str:
    """The delivery rounds of a day: for each van its driver and its stops in order, each with the time of arrival,
    the order's id and the town.

    Args:
        day: The day as YYYY-MM-DD, for example 2033-05-12.
    """
    when = _day(day)
    stops = [o for o in RECORDS["orders"] if o["due"] == when.isoformat() and o["status"] != "cancelled"]
    drivers = {row[2]: row[0] for row in RECORDS["rota"].get(when.isoformat(), []) if row[3] == "driving"}
    if not stops or not drivers:
        return f"No rounds are planned for {when.isoformat()}."
    lines = [f"Rounds on {when:%A}, {when.isoformat()}"]
    for van in sorted({order["van"] for order in stops}):
        lines.append(f"{van}, driver {drivers[van]}:")
        for order in sorted((o for o in stops if o["van"] == van), key=lambda o: o["arrives"]):
            lines.append(f"  {order['arrives']}  {order['id']}  {_customer(order['customer'])['town']}")
    return "\n".join(lines)


@tool(effect="read", integrity="trusted")
def list_inspections(greenhouse: str = "", pest: str = "") -> list[dict[str, Any]]:
    """The pest inspections of the last weeks, oldest first: id, day, greenhouse, pest, insects found per trap, and the
    result (clear, light, moderate or heavy). Without filters it lists all of them.

    Args:
        greenhouse: Only inspections of this greenhouse, G1 to G6.
        pest: Only inspections for this pest: aphids, fungus gnats, spider mite, thrips or whitefly.
    """
    house = _greenhouse(greenhouse) if greenhouse.strip() else ""
    pest = _choice(pest, PESTS, "pest")
    return [
        {
            "id": row["id"],
            "day": row["day"],
            "greenhouse": row["house"],
            "pest": row["pest"],
            "per_trap": row["per_trap"],
            "result": row["result"],
        }
        for row in RECORDS["inspections"]
        if house in ("", row["house"]) and pest in ("", row["pest"])
    ]


@tool(effect="read", integrity="trusted")
def watering_plan(greenhouse: str) -> str:
    """The weekly watering plan of a greenhouse: a table with weekday, time and litres. It is the same every week.

    Args:
        greenhouse: The greenhouse, G1 to G6.
    """
    house = _greenhouse(greenhouse)
    plan = RECORDS["watering"][house]
    lines = [f"{house}, from {plan['tank']}", "weekday | time | litres"]
    return "\n".join([*lines, *(f"{weekday} | {time} | {litres}" for weekday, time, litres in plan["rows"])])


@tool(effect="read", integrity="trusted")
def staff_rota(day: str) -> str:
    """Who works on a day: a table with name, hours, place (a greenhouse, the potting shed, the office or a van) and
    task. Who is not in it has the day off.

    Args:
        day: The day as YYYY-MM-DD, for example 2033-05-12.
    """
    when = _day(day)
    rows = RECORDS["rota"].get(when.isoformat())
    if rows is None:
        known = sorted(RECORDS["rota"])
        if known[0] <= when.isoformat() <= known[-1]:
            return f"Nobody is on the rota on {when:%A}, {when.isoformat()}: we are closed on Sundays."
        raise ToolError(f"There is no rota for {when.isoformat()}. Give a day from {known[0]} to {known[-1]}.")
    lines = [f"Rota for {when:%A}, {when.isoformat()}", "name | hours | place | task"]
    return "\n".join([*lines, *(" | ".join(row) for row in rows)])


@tool(effect="write", integrity="trusted")
def move_delivery(order_id: str, day: str) -> dict[str, Any]:
    """Moves the delivery of an order to another day. Returns the old and the new day, the van and the time of arrival.

    Args:
        order_id: The order's id, such as OR-7304.
        day: The new day as YYYY-MM-DD, for example 2033-05-12; not a Sunday.
    """
    order = _order(order_id)
    when = _day(day)
    if order["status"] in ("delivered", "cancelled"):
        raise ToolError(f"{order['id']} is {order['status']}, so it cannot be moved.")
    if when < TODAY:
        raise ToolError(f"{when.isoformat()} is past: give a day from {TODAY.isoformat()} on.")
    if when.weekday() == 6:
        raise ToolError(f"{when.isoformat()} is a Sunday and no van goes out: give another day.")
    return {
        "moved": order["id"],
        "from": order["due"],
        "to": when.isoformat(),
        "van": order["van"],
        "arrives_at": order["arrives"],
    }


@tool(effect="write", integrity="trusted")
def book_inspection(greenhouse: str, day: str, pest: str) -> dict[str, Any]:
    """Books a pest inspection of a greenhouse. Returns the booking with its time and inspector.

    Args:
        greenhouse: The greenhouse to inspect, G1 to G6.
        day: The day as YYYY-MM-DD, for example 2033-05-12; not a Sunday.
        pest: What to look for: aphids, fungus gnats, spider mite, thrips or whitefly.
    """
    house = _greenhouse(greenhouse)
    when = _day(day)
    wanted = _choice(pest, PESTS, "pest")
    if not wanted:
        raise ToolError(f"Say what to look for: {', '.join(PESTS)}.")
    if when < TODAY:
        raise ToolError(f"{when.isoformat()} is past: give a day from {TODAY.isoformat()} on.")
    slot = RECORDS["inspectors"].get(f"{when:%A}")
    if slot is None:
        raise ToolError(f"{when.isoformat()} is a Sunday and nobody inspects: give another day.")
    inspector, time = slot
    return {
        "booked": "IN-74",
        "greenhouse": house,
        "day": when.isoformat(),
        "time": time,
        "pest": wanted,
        "inspector": inspector,
    }
