"""The desk of Fallowmere Cold Hire: units, customers, hires, people, call-outs, parts. The data never changes."""

import json
import unicodedata
from datetime import date
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

DATA: dict[str, Any] = json.loads(Path(__file__).with_name("records.json").read_text(encoding="utf-8"))
Kind = Literal["cold_store", "trailer", "ice_machine"]
Status = Literal["free", "on_hire", "workshop"]
AlarmState = Literal["open", "acknowledged", "closed"]
CalloutState = Literal["open", "planned", "done"]
Priority = Literal["urgent", "soon", "routine"]
Row = dict[str, Any]
Depot = Literal["HBK", "QNF", "TDM", "WXQ"]


def plain(text: str) -> str:
    marks = unicodedata.normalize("NFKD", text.casefold())
    return "".join(mark for mark in marks if not unicodedata.combining(mark))


def has_words(text: str, words: str) -> bool:
    wanted = [word.strip(".,'").removesuffix("s") for word in plain(words).replace("&", " ").split() if word != "and"]
    return bool(wanted) and all(word in plain(text) for word in wanted)


def record(table: str, key: str, error: str) -> Row:
    found = DATA[table].get(key.strip().upper())
    if found is None:
        raise ToolError(error)
    return found


def read_day(text: str) -> str:
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError as error:
        raise ToolError(f"{text!r} is not a day: write it as YYYY-MM-DD.") from error


def unit_of(unit_id: str) -> Row:
    return record("units", unit_id, f"There is no unit {unit_id!r}: ids look like CS-990, RT-99 or IM-990.")


@tool(effect="read", integrity="trusted")
def find_customers(name: str) -> list[Row]:
    """Find customers by name; gives customer id, name, town and kind, but no contact data and no hires.

    Args:
        name: Name of the business or of its contact person, or part of it.
    """
    rows = [
        {key: customer[key] for key in ("customer_id", "name", "town", "kind")}
        for customer in DATA["customers"].values()
        if has_words(f"{customer['name']} {customer['town']} {customer['contact']}", name)
    ]
    if not rows:
        raise ToolError(f"No customer is called {name!r}: try a shorter part of the name.")
    return rows


@tool(effect="read", integrity="trusted")
def get_customer(customer_id: str) -> Row:
    """Contact person, phone, email, payment terms and money owed of one customer, with a list of its hires.

    Args:
        customer_id: The id, such as K20999; names are not accepted, find_customers tells the id.
    """
    error = f"There is no customer id {customer_id!r}: ids look like K20999, find_customers finds them by name."
    customer = record("customers", customer_id, error)
    keys = ("hire_id", "unit_id", "first_day", "last_day", "state")
    hires = [hire for hire in DATA["hires"].values() if hire["customer_id"] == customer["customer_id"]]
    return {**customer, "hires": [{key: hire[key] for key in keys} for hire in hires]}


@tool(effect="read", integrity="trusted")
def list_units(kind: Kind | None = None, depot: Depot | None = None, status: Status | None = None) -> list[Row]:
    """List our units with size, home depot and status; without model, service dates or who has them.

    Args:
        kind: Only units of this kind.
        depot: Only units of this home depot: HBK Harrowbeck, QNF Quennford, TDM Tidmoor, WXQ Wexquay.
        status: Only units that are free today, out on hire, or in the workshop.
    """
    wanted = {key: value for key, value in (("kind", kind), ("depot", depot), ("status", status)) if value}
    return [
        {key: unit[key] for key in ("unit_id", "kind", "size", "depot", "status")}
        for unit in DATA["units"].values()
        if all(unit[key] == value for key, value in wanted.items())
    ]


@tool(effect="read", integrity="trusted")
def get_unit(unit_id: str) -> Row:
    """One unit's full record: model, price class, refrigerant, power supply, service dates, technician in charge (his
    initials) and the id of the hire it is out on.

    Args:
        unit_id: The id on its plate, such as CS-990 (cold store), RT-99 (trailer) or IM-990 (ice machine).
    """
    return unit_of(unit_id)


@tool(effect="read", integrity="trusted")
def temperature_log(unit_id: str, day: str) -> Row:
    """Air temperature inside a cold store or trailer on one day, every two hours; today's last row is the newest. Only
    units on hire send readings, ice machines none; the last three days are kept.

    Args:
        unit_id: Such as CS-990 or RT-99.
        day: The day as YYYY-MM-DD.
    """
    unit, wanted = unit_of(unit_id), read_day(day)
    key = unit["unit_id"]
    if key not in DATA["readings"]:
        raise ToolError(f"{key} sends no readings: only cold stores and trailers on hire do.")
    days = DATA["readings"][key]
    if wanted not in days:
        raise ToolError(f"There are no readings of {key} on {wanted}, only on {', '.join(days)}.")
    rows = [{"time": f"{2 * number:02}:00", "air_c": value} for number, value in enumerate(days[wanted])]
    return {"unit_id": key, "day": wanted, "setpoint_c": DATA["hires"][unit["hire_id"]]["setpoint_c"], "readings": rows}


@tool(effect="read", integrity="trusted")
def list_alarms(unit_id: str | None = None, state: AlarmState | None = None, since: str | None = None) -> list[Row]:
    """List this month's alarms that units have sent: alarm id, unit, when, what, state, and the call-out made for it.

    Args:
        unit_id: Only alarms of this unit, such as RT-99.
        state: open is what nobody has looked at yet.
        since: Only alarms of this day or later, YYYY-MM-DD.
    """
    key = unit_of(unit_id)["unit_id"] if unit_id else None
    first = read_day(since) if since else ""
    return [
        alarm
        for alarm in DATA["alarms"]
        if key in (None, alarm["unit_id"]) and state in (None, alarm["state"]) and alarm["raised"] >= first
    ]


@tool(effect="read", integrity="trusted")
def get_hire(hire_id: str) -> Row:
    """One hire (rental): customer id, unit id, first and last day, site, delivery time, driver, price, deposit, note.

    Args:
        hire_id: The id, such as H31-0999.
    """
    return record("hires", hire_id, f"There is no hire {hire_id!r}: ids look like H31-0999, get_customer lists them.")


@tool(effect="read", integrity="trusted")
def find_technician(who: str) -> Row:
    """One technician: initials, name, phone, depot (its code), certificates, van, and when he or she is away.

    Args:
        who: Name, part of the name, or the two initials.
    """
    people = DATA["technicians"]
    found = [people[who.strip().upper()]] if who.strip().upper() in people else []
    found = found or [one for one in people.values() if has_words(one["name"], who)]
    if len(found) != 1:
        raise ToolError(f"{len(found) or 'No'} technicians are called {who!r}: give the full name or the initials.")
    return found[0]


@tool(effect="read", integrity="trusted")
def list_callouts(
    state: CalloutState | None = None, technician: str | None = None, day: str | None = None
) -> list[Row]:
    """List call-outs (repairs and services): id, unit, day, priority, technician, state; without fault, part or report.

    Args:
        state: open has no technician yet, planned has technician and day, done is finished.
        technician: The two initials, such as XY; find_technician tells them.
        day: Only visits on this day, YYYY-MM-DD.
    """
    initials = technician.strip().upper() if technician else None
    if initials and initials not in DATA["technicians"]:
        raise ToolError(f"Nobody has the initials {technician!r}: find_technician tells them.")
    filters = {"state": state, "technician": initials, "day": read_day(day) if day else None}
    return [
        {key: callout[key] for key in ("callout_id", "unit_id", "day", "priority", "technician", "state")}
        for callout in DATA["callouts"].values()
        if all(one in (None, callout[key]) for key, one in filters.items())
    ]


@tool(effect="read", integrity="trusted")
def get_callout(callout_id: str) -> Row:
    """One call-out in full: unit, customer id, the fault as reported, day and time, technician's initials, the number
    of the part it needs, and the technician's report.

    Args:
        callout_id: The id, such as CO-8999.
    """
    return record("callouts", callout_id, f"There is no call-out {callout_id!r}: list_callouts lists them.")


@tool(effect="read", integrity="trusted")
def find_parts(text: str) -> list[Row]:
    """Spare parts and refrigerant cylinders: part number, name, price, and how many lie in each depot.

    Args:
        text: The part number such as P6.999, or English words of its name such as "door seal" or "R134a".
    """
    rows = [part for part in DATA["parts"].values() if has_words(f"{part['part_no']} {part['name']}", text)]
    if not rows:
        raise ToolError(f"No part matches {text!r}: use fewer words, in English, or the part number.")
    return rows


@tool(effect="read", integrity="trusted")
def price_list(kind: Kind) -> list[Row]:
    """What hiring a kind of unit costs, by price class (size): a day, a weekend, a week, and the deposit, in euros.

    Args:
        kind: The kind of unit.
    """
    return [row for row in DATA["prices"] if row["kind"] == kind]


@tool(effect="read", integrity="trusted")
def depot_info(depot: str) -> Row:
    """Address, phone, manager and opening hours of a depot.

    Args:
        depot: Its town, such as Harrowbeck, or its three-letter code.
    """
    for code, one in DATA["depots"].items():
        if plain(depot.strip()) in (plain(code), plain(one["town"])):
            return one
    raise ToolError(f"There is no depot {depot!r}: Harrowbeck, Quennford, Tidmoor and Wexquay have one.")


@tool(effect="write", integrity="trusted")
def open_callout(unit_id: str, fault: str, priority: Priority, phone: str) -> Row:
    """Report a fault of a unit so that a technician is sent.

    Args:
        unit_id: The id on its plate, such as CS-990, RT-99 or IM-990.
        fault: What is wrong, in a sentence.
        priority: urgent is today, soon is within two days, routine within two weeks.
        phone: The number to ring on site.
    """
    unit = unit_of(unit_id)
    if not fault.strip() or not any(letter.isdigit() for letter in phone):
        raise ToolError("A call-out needs the fault and a phone number to ring.")
    return {"callout_id": "CO-8847", "unit_id": unit["unit_id"], "fault": fault, "priority": priority, "state": "open"}


@tool(effect="write", integrity="trusted")
def book_hire(customer_id: str, unit_id: str, first_day: str, last_day: str, site: str) -> Row:
    """Book a unit for a customer.

    Args:
        customer_id: Such as K20999; find_customers finds it by name.
        unit_id: The unit that is to go out, such as CS-990.
        first_day: Day of delivery as YYYY-MM-DD.
        last_day: Day of collection as YYYY-MM-DD.
        site: Where it is to stand.
    """
    error = f"There is no customer id {customer_id!r}: find_customers finds it by name."
    customer, unit = record("customers", customer_id, error), unit_of(unit_id)
    first, last = read_day(first_day), read_day(last_day)
    if last < first or not site.strip():
        raise ToolError("A hire needs a site, and a last day that is not before the first.")
    if unit["status"] == "workshop":
        raise ToolError(f"{unit['unit_id']} is in the workshop and cannot be booked.")
    for hire in DATA["hires"].values():
        if hire["unit_id"] == unit["unit_id"] and hire["first_day"] <= last and first <= hire["last_day"]:
            raise ToolError(f"{unit['unit_id']} is taken from {hire['first_day']} to {hire['last_day']}.")
    booked = {"customer": customer["name"], "unit_id": unit["unit_id"], "first_day": first, "last_day": last}
    return {"hire_id": "H31-0585", **booked, "site": site, "state": "booked"}


@tool(effect="write", integrity="trusted")
def reserve_part(part_no: str, quantity: int, depot: Depot, callout_id: str) -> Row:
    """Put parts aside in a depot for a call-out.

    Args:
        part_no: The part number, such as P6.999; find_parts finds it by name.
        quantity: How many pieces.
        depot: Where they are taken from: HBK Harrowbeck, QNF Quennford, TDM Tidmoor, WXQ Wexquay.
        callout_id: The call-out they are for, such as CO-8999.
    """
    part = record("parts", part_no, f"There is no part {part_no!r}: find_parts finds the number by name.")
    callout = record("callouts", callout_id, f"There is no call-out {callout_id!r}: list_callouts lists them.")
    if not 1 <= quantity <= part["stock"][depot]:
        raise ToolError(f"{depot} has {part['stock'][depot]} of {part['part_no']}: {quantity} cannot be put aside.")
    done = {"part_no": part["part_no"], "name": part["name"], "quantity": quantity, "depot": depot}
    return {"reservation": "RS-460", **done, "callout_id": callout["callout_id"]}
