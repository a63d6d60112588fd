"""The tools of Fennelgate Floating Stages, hire of pontoons, floating stages and footbridges (all data invented)."""

import json
from datetime import date
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

_RECORDS = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))


def _by_id(table: str, key: str, value: str, what: str) -> dict:
    wanted = value.strip().upper()
    for row in _RECORDS[table]:
        if row[key] == wanted:
            return row
    known = ", ".join(row[key] for row in _RECORDS[table])
    raise ToolError(f"There is no {what} {value}. There are: {known}.")


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        raise ToolError(f"'{text}' is not a day. Write days as YYYY-MM-DD, such as 2027-05-20.") from None


def _named(table: str, name: str, what: str) -> list[dict]:
    words = name.lower().split()
    found = [row for row in _RECORDS[table] if words and all(word in row["name"].lower() for word in words)]
    if not found:
        known = ", ".join(row["name"] for row in _RECORDS[table])
        raise ToolError(f"No {what} has '{name}' in the name. There are: {known}.")
    return found


@tool
def find_customer(name: str) -> list[dict]:
    """Customers by name: customer id, full name, town, contact person and the contact's e-mail.

    Args:
        name: The customer's name or a part of it, such as "regatta".
    """
    return _named("customers", name, "customer")


@tool
def customer_account(customer_id: str) -> dict:
    """The terms agreed with one customer: discount, days to pay, credit limit and our account manager.

    Args:
        customer_id: Id of the customer, such as C-131.
    """
    return _by_id("accounts", "customer_id", customer_id, "customer")


@tool
def invoices(customer_id: str, status: Literal["open", "paid", "all"] = "all") -> list[dict]:
    """The invoices of one customer: number, hire, amount in pounds, day issued, day due, open or paid.

    Args:
        customer_id: Id of the customer, such as C-131.
        status: Only open invoices, only paid ones, or all.
    """
    customer = _by_id("customers", "customer_id", customer_id, "customer")
    found = [row for row in _RECORDS["invoices"] if row["customer_id"] == customer["customer_id"]]
    return [row for row in found if status in ("all", row["status"])]


@tool
def find_hires(
    event: str | None = None,
    customer_id: str | None = None,
    status: Literal["enquiry", "confirmed", "out", "returned", "cancelled"] | None = None,
    limit: int = 10,
) -> list[dict]:
    """Hires (jobs) in short: hire number, event, customer id, day of the event and status. Give filters to narrow it.

    Args:
        event: The event's name or a part of it.
        customer_id: Only the hires of this customer, such as C-131.
        status: Only hires with this status.
        limit: The most hires to return, 1 to 12.
    """
    found = []
    for row in _RECORDS["hires"]:
        if event and not all(word in row["event"].lower() for word in event.lower().split()):
            continue
        if customer_id and row["customer_id"] != customer_id.strip().upper():
            continue
        if status and row["status"] != status:
            continue
        found.append({key: row[key] for key in ("hire_no", "event", "customer_id", "event_day", "status")})
    if not found:
        raise ToolError("No hire fits these filters.")
    return found[: min(max(limit, 1), 12)]


@tool
def hire_record(hire_no: str) -> dict:
    """One hire in full: customer, site, build and strike day, crew chief, kit, price and deposit in pounds.

    Args:
        hire_no: Number of the hire, such as H-2032.
    """
    return _by_id("hires", "hire_no", hire_no, "hire")


@tool
def find_kit(name: str, limit: int = 8) -> list[dict]:
    """Kit by name: kit code, how many we own, weight of one, the strongest wind and the most people allowed on it.

    Args:
        name: The kit's name or a part of it, such as "pontoon".
        limit: The most items to return, 1 to 12.
    """
    keys = ("kit_code", "name", "owned", "weight_kg", "max_wind_ms", "max_people")
    found = _named("kit", name, "kit")[: min(max(limit, 1), 12)]
    return [{key: row[key] for key in keys} for row in found]


@tool
def price_list() -> list[dict]:
    """The hire prices of all kit: code, name, price in pounds for one day and for one week, each per piece."""
    return [{key: row[key] for key in ("kit_code", "name", "day_rate", "week_rate")} for row in _RECORDS["kit"]]


@tool
def kit_free(kit_code: str, day: str) -> dict:
    """How many pieces of one kit code are free on a day, after those on hire and those in repair.

    Args:
        kit_code: Code of the kit, such as PN-06.
        day: The day, as YYYY-MM-DD.
    """
    item, wanted = _by_id("kit", "kit_code", kit_code, "kit"), _day(day)
    out = 0
    for hire in _RECORDS["hires"]:
        if hire["status"] in ("confirmed", "out") and hire["build_day"] <= wanted <= hire["strike_day"]:
            out += sum(line["pieces"] for line in hire["kit"] if line["kit_code"] == item["kit_code"])
    free = item["owned"] - item["in_repair"] - out
    return {
        "kit_code": item["kit_code"],
        "name": item["name"],
        "day": wanted,
        "owned": item["owned"],
        "in_repair": item["in_repair"],
        "on_hire": out,
        "free": free,
    }


@tool
def inspection_log(kit_code: str, limit: int = 3) -> str:
    """The past inspections of one kit code, newest first: day, result, inspector, what was found.

    Args:
        kit_code: Code of the kit, such as PN-06.
        limit: The most inspections to return.
    """
    item = _by_id("kit", "kit_code", kit_code, "kit")
    lines = _RECORDS["inspections"][item["kit_code"]][: max(limit, 1)]
    return "\n".join([f"Inspections of {item['kit_code']} {item['name']}, newest first:", *lines])


@tool
def crew_member(name: str) -> list[dict]:
    """Our own people by name: staff id, job, mobile number, licences, last day of the first-aid certificate.

    Args:
        name: First name, surname or a part of it.
    """
    return _named("crew", name, "member of the crew")


@tool
def crew_rota(day: str) -> str:
    """The rota of one day: who of our people is on which hire, driving, in the yard, on leave or off.

    Args:
        day: The day, as YYYY-MM-DD. The rota runs from 2027-05-10 to 2027-05-23.
    """
    wanted = _day(day)
    if wanted not in _RECORDS["rota"]:
        raise ToolError(f"There is no rota for {wanted}. The rota runs from 2027-05-10 to 2027-05-23.")
    return "\n".join([f"Rota of {wanted}:", *_RECORDS["rota"][wanted]])


@tool
def site_info(site: str) -> str:
    """What to know of a building site on the water: depth, longest lorry, quiet hours, shore power, whom to ask.

    Args:
        site: The site's name or a part of it, such as "dock".
    """
    words = site.lower().split()
    for row in _RECORDS["sites"]:
        if words and all(word in row["name"].lower() for word in words):
            return "\n".join([row["name"], *row["lines"]])
    raise ToolError(f"No site '{site}'. Sites are: {', '.join(row['name'] for row in _RECORDS['sites'])}.")


@tool
def tide_table(month: Literal["2027-05", "2027-06"]) -> list[dict]:
    """The tides at Fennelgate Lock, one row per day: time and height of the day's high water and low water.

    Args:
        month: The month, as YYYY-MM.
    """
    if month not in _RECORDS["tides"]:
        raise ToolError(f"No tides for {month}. There are tables for 2027-05 and 2027-06.")
    return _RECORDS["tides"][month]


@tool
def delivery_plan(day: str) -> list[dict]:
    """The lorry runs of one day: run number, vehicle, driver, hire, time it leaves the yard, load in kg.

    Args:
        day: The day, as YYYY-MM-DD.
    """
    wanted = _day(day)
    return [row for row in _RECORDS["runs"] if row["day"] == wanted]


@tool
def vehicle_record(vehicle_id: str) -> dict:
    """One lorry: type, number plate, payload in kg, length, reach of its crane, day of the next service.

    Args:
        vehicle_id: Id of the lorry, LR-1 to LR-6.
    """
    return _by_id("vehicles", "vehicle_id", vehicle_id, "vehicle")


@tool(effect="write")
def book_inspection(kit_code: str, day: str) -> dict:
    """Book an inspection of one kit code in the yard for a day.

    Args:
        kit_code: Code of the kit, such as PN-06.
        day: The day of the inspection, as YYYY-MM-DD.
    """
    item, wanted = _by_id("kit", "kit_code", kit_code, "kit"), _day(day)
    return {"booked": "IN-3318", "kit_code": item["kit_code"], "name": item["name"], "day": wanted}


@tool(effect="write")
def reserve_kit(hire_no: str, kit_code: str, pieces: int) -> dict:
    """Reserve further pieces of kit for a hire, for the whole time from its build day to its strike day.

    Args:
        hire_no: Number of the hire, such as H-2032.
        kit_code: Code of the kit, such as PN-06.
        pieces: How many pieces.
    """
    hire = _by_id("hires", "hire_no", hire_no, "hire")
    item = _by_id("kit", "kit_code", kit_code, "kit")
    if not 1 <= pieces <= item["owned"]:
        raise ToolError(f"Cannot reserve {pieces} of {item['kit_code']}: we own {item['owned']}.")
    return {
        "reservation": "RS-7041",
        "hire_no": hire["hire_no"],
        "kit_code": item["kit_code"],
        "name": item["name"],
        "pieces": pieces,
        "from": hire["build_day"],
        "to": hire["strike_day"],
    }
