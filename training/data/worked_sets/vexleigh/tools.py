"""Desk, workshop and hire office of Vexleigh Typewriter House. The data never changes."""

import json
import re
import zlib
from datetime import date
from pathlib import Path

from glassloop import ToolError, tool

_RECORDS = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
TODAY = date(2029, 10, 17)
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

# name: bench, extension, trade, rate per hour, days off besides Sunday and Monday, apprentice, at the house since
MECHANICS = _RECORDS["mechanics"]

# stock_no: make and model, kind, year, serial, layout, colour, shelf, asking price, day rate, last serviced by, on
MACHINES = _RECORDS["machines"]
IN_WORKSHOP = {"VX-0440", "VX-0426"}

# id: name, kind, contact person, phone, e-mail, town, discount in per cent
CUSTOMERS = _RECORDS["customers"]

# no: customer, machine, fault, mechanic, state, received, promised, parts needed, labour hours
TICKETS = _RECORDS["tickets"]

# no: what, fits, bin, on hand, minimum, price, supplier, days to deliver
PARTS = _RECORDS["parts"]

# no: customer, production, machines, first day, last day, deposit, to
HIRES = _RECORDS["hires"]

# no: ticket, issued, valid until, parts in pounds, what is done
QUOTES = _RECORDS["quotes"]

# town: miles, first piece, every further piece
VAN = _RECORDS["van"]

CARE = _RECORDS["care"]

SLOTS = ["09:00", "10:00", "11:00", "13:00", "14:00", "15:00", "16:00"]


def _words(text: str) -> list[str]:
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in re.findall(r"[\w-]+", text.casefold())]


def _number(kind: str, given: str, table: dict, sample: str) -> str:
    key = re.sub(r"\s+", "", given).upper()
    if key in table:
        return key
    digits = re.findall(r"\d+", key)
    found = [known for known in table if digits and re.findall(r"\d+", known)[-len(digits):] == digits]
    if len(found) == 1:
        return found[0]
    raise ToolError(f"There is no {kind} {given!r}. Numbers look like {sample}.")


def _mechanic(name: str) -> str:
    wanted = [word for word in _words(name) if word not in ("mr", "mrs", "ms", "miss", "herr", "frau")]
    found = [full for full in MECHANICS if wanted and all(any(part.startswith(w) for part in _words(full)) for w in wanted)]
    if len(found) == 1:
        return found[0]
    raise ToolError(f"No single mechanic is called {name!r}. Mechanics: {', '.join(MECHANICS)}.")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text.strip()[:10])
    except ValueError:
        raise ToolError(f"{text!r} is not a day. Write days as YYYY-MM-DD.") from None


def _reference(prefix: str, *parts: object) -> str:
    return f"{prefix}{1000 + zlib.crc32('|'.join(map(str, parts)).encode()) % 9000}"


def _hire_of(stock_no: str) -> str | None:
    for no, row in HIRES.items():
        if stock_no in row[2] and date.fromisoformat(row[3]) <= TODAY <= date.fromisoformat(row[4]):
            return no
    return None


def _status(stock_no: str) -> str:
    return "on hire" if _hire_of(stock_no) else "in workshop" if stock_no in IN_WORKSHOP else "in house"


def _free(full: str, day: date) -> list[str]:
    if WEEKDAYS[day.weekday()] in ["Sunday", "Monday", *MECHANICS[full][4]] or day < TODAY:
        return []
    seed = zlib.crc32(f"{full}{day}".encode())
    return [slot for place, slot in enumerate(SLOTS) if seed >> (2 * place) & 3 == 0 or seed >> (place + 16) & 7 == 1]


@tool(effect="read", integrity="trusted")
def search_machines(text: str, status: str = "") -> list[dict[str, object]]:
    """Search the house's own machines (for sale or hire) by make, model, kind or year.

    Args:
        text: Words to look for, such as "Royal", "calculator" or "1951".
        status: Only machines with this status: "in house", "on hire" or "in workshop". Empty: all.
    """
    if status.strip() and status.strip().casefold() not in ("in house", "on hire", "in workshop"):
        raise ToolError('The status is "in house", "on hire", "in workshop" or empty.')
    rows = []
    for no, row in MACHINES.items():
        hay = " ".join(_words(f"{no} {row[0]} {row[1]} {row[2]}"))
        if all(word in hay for word in _words(text)) and status.strip().casefold() in ("", _status(no)):
            rows.append({"stock_no": no, "machine": row[0], "kind": row[1], "year": row[2], "status": _status(no)})
    if not rows:
        raise ToolError(f"No machine of the house matches {text!r}. Try only the make, or only the model.")
    return rows


@tool(effect="read", integrity="trusted")
def machine_card(stock_no: str) -> dict[str, object]:
    """The full card of one of the house's machines: serial number, keyboard, colour, shelf, prices, last service, current hire.

    Args:
        stock_no: Stock number, such as VX-0499.
    """
    key = _number("machine", stock_no, MACHINES, "VX-0499; search_machines finds them by make or model")
    row = MACHINES[key]
    return {
        "stock_no": key, "machine": row[0], "kind": row[1], "year": row[2], "serial_no": row[3], "keyboard": row[4],
        "colour": row[5], "shelf": row[6], "asking_price_gbp": row[7], "day_rate_gbp": row[8], "status": _status(key),
        "hire_no": _hire_of(key), "last_service": {"by": row[9], "on": row[10]},
    }


@tool(effect="read", integrity="trusted")
def find_customer(name: str) -> list[dict[str, object]]:
    """Customers by name: contact, phone, town, discount, and the numbers of their open tickets, current hires and quotes.

    Args:
        name: Name or part of it, of the customer or of the contact person; a customer number such as C/1999 also does.
    """
    wanted = [word for word in _words(name) if word not in ("mr", "mrs", "ms", "miss", "herr", "frau", "dr", "the", "and")]
    rows = []
    for key, row in CUSTOMERS.items():
        hay = " ".join(_words(f"{row[0]} {row[2] or ''}"))
        if wanted and (all(word in hay for word in wanted) or name.strip().upper() == key):
            rows.append({
                "customer_no": key, "name": row[0], "kind": row[1], "contact": row[2], "phone": row[3], "email": row[4],
                "town": row[5], "discount_pct": row[6],
                "open_tickets": [no for no, t in TICKETS.items() if t[0] == key],
                "hires": [no for no, h in HIRES.items() if h[0] == key and date.fromisoformat(h[4]) >= TODAY],
                "quotes": [no for no, q in QUOTES.items() if TICKETS[q[0]][0] == key],
            })
    if not rows:
        raise ToolError(f"No customer matches {name!r}. Try the last name alone, or one word of the company's name.")
    return rows


@tool(effect="read", integrity="trusted")
def workshop_board(mechanic: str = "") -> list[dict[str, object]]:
    """The board in the workshop: all open repairs with machine, mechanic, state and promised day.

    Args:
        mechanic: Only this mechanic's repairs. Empty: everybody's.
    """
    only = _mechanic(mechanic) if mechanic.strip() else ""
    return [
        {"ticket": no, "machine": t[1], "mechanic": t[3], "state": t[4], "promised": t[6]}
        for no, t in TICKETS.items() if only in ("", t[3])
    ]


@tool(effect="read", integrity="trusted")
def repair_ticket(ticket_no: str) -> dict[str, object]:
    """One repair ticket: customer, machine, fault, mechanic, state, days, parts needed and hours of labour.

    Args:
        ticket_no: Ticket number, such as RT-5599.
    """
    key = _number("ticket", ticket_no, TICKETS, "RT-5599; a customer's open tickets are in find_customer")
    t = TICKETS[key]
    return {
        "ticket": key, "customer": CUSTOMERS[t[0]][0], "machine": t[1], "fault": t[2], "mechanic": t[3], "state": t[4],
        "received": t[5], "promised": t[6], "parts_needed": t[7], "labour_hours": t[8],
    }


@tool(effect="read", integrity="trusted")
def spare_parts(search: str) -> list[dict[str, object]]:
    """Spare parts in the store: bin, quantity on hand, price, supplier. At most 25 rows.

    Args:
        search: A part number such as PT-3999-X, or English words for the part and the model it fits, such as "spring Olympia".
    """
    rows = []
    for no, p in PARTS.items():
        hay = " ".join(_words(f"{no} {p[0]} {p[1]}"))
        if all(word in hay for word in _words(search)):
            rows.append({
                "part_no": no, "part": p[0], "fits": p[1], "bin": p[2], "on_hand": p[3], "minimum": p[4], "price_gbp": p[5],
                "supplier": p[6], "delivery_days": p[7],
            })
    if not rows:
        raise ToolError(f"No part matches {search!r}. Try one word for the part, or only the model.")
    return rows[:25]


@tool(effect="read", integrity="trusted")
def mechanic_profile(name: str) -> dict[str, object]:
    """A mechanic of the house: bench, telephone extension, trade, hourly rate, days at work, apprentice.

    Args:
        name: First name, last name or both.
    """
    full = _mechanic(name)
    m = MECHANICS[full]
    return {
        "name": full, "bench": m[0], "extension": m[1], "trade": m[2], "hourly_rate_gbp": m[3],
        "works": [d for d in WEEKDAYS[1:6] if d not in m[4]], "apprentice": m[5], "since": m[6],
    }


@tool(effect="read", integrity="trusted")
def bench_slots(mechanic: str, day: str) -> dict[str, object]:
    """Hours that are still free at a mechanic's bench on a day.

    Args:
        mechanic: The mechanic's name.
        day: The day, YYYY-MM-DD.
    """
    full, when = _mechanic(mechanic), _day(day)
    free = _free(full, when)
    weekday = WEEKDAYS[when.weekday()]
    off = weekday in ["Sunday", "Monday", *MECHANICS[full][4]]
    note = f"does not work on {weekday}s" if off else "fully booked" if not free else ""
    return {"mechanic": full, "day": when.isoformat(), "weekday": weekday, "free": free, "note": note}


@tool(effect="read", integrity="trusted")
def hire_contract(hire_no: str) -> dict[str, object]:
    """One hire contract: customer, production, machines, days, deposit and where the machines go.

    Args:
        hire_no: Contract number, such as H-2299.
    """
    key = _number("hire", hire_no, HIRES, "H-2299; hires_between lists them, find_customer has a customer's")
    h = HIRES[key]
    return {
        "hire_no": key, "customer": CUSTOMERS[h[0]][0], "production": h[1], "machines": h[2], "first_day": h[3], "last_day": h[4],
        "deposit_gbp": h[5], "deliver_to": h[6], "daily_total_gbp": sum(MACHINES[no][8] for no in h[2]),
    }


@tool(effect="read", integrity="trusted")
def hires_between(first_day: str, last_day: str) -> list[dict[str, object]]:
    """Hires, past and coming, that run on at least one day of a period: production, number of machines, days, deposit.

    Args:
        first_day: First day of the period, YYYY-MM-DD.
        last_day: Last day of the period, YYYY-MM-DD.
    """
    start, end = _day(first_day), _day(last_day)
    if end < start:
        raise ToolError("The last day lies before the first one.")
    return [
        {"hire_no": no, "production": h[1], "pieces": len(h[2]), "from": h[3], "to": h[4], "deposit_gbp": h[5]}
        for no, h in HIRES.items() if date.fromisoformat(h[3]) <= end and date.fromisoformat(h[4]) >= start
    ]


@tool(effect="read", integrity="trusted")
def quote_letter(quote_no: str) -> str:
    """The text of a quote that was sent to a customer: work, amounts, VAT, validity.

    Args:
        quote_no: Quote number, such as Q29-099.
    """
    key = _number("quote", quote_no, QUOTES, "Q29-099; a customer's quotes are in find_customer")
    ticket, issued, valid, parts, work = QUOTES[key]
    t = TICKETS[ticket]
    labour = t[8] * MECHANICS[t[3]][3]
    net = parts + labour
    return (
        f"Quote {key} of {issued} to {CUSTOMERS[t[0]][0]}, repair ticket {ticket} ({t[1]}). We offer to {work}. "
        f"Parts come to £{parts:.2f}, labour to £{labour:.2f} ({t[8]:g} hours), together £{net:.2f} net; with 20 % VAT "
        f"the total is £{net * 1.2:.2f}. This quote is valid until {valid}. Vexleigh Typewriter House."
    )


@tool(effect="read", integrity="trusted")
def van_fee(town: str, pieces: int) -> dict[str, object]:
    """What the house's van costs, one way, for a number of machines to a town.

    Args:
        town: The town.
        pieces: How many machines, 1 to 12.
    """
    found = [name for name in VAN if town.strip() and (town.strip().casefold() in name.casefold() or name.casefold() in town.casefold())]
    if len(found) != 1:
        raise ToolError(f"The van does not go to {town!r}. Towns: {', '.join(VAN)}.")
    if not 1 <= pieces <= 12:
        raise ToolError("The van takes 1 to 12 machines.")
    miles, first, more = VAN[found[0]]
    return {"town": found[0], "miles": miles, "pieces": pieces, "van": "large" if pieces > 4 else "small", "fee_gbp": first + more * (pieces - 1)}


@tool(effect="read", integrity="trusted")
def care_sheet(subject: str) -> str:
    """The house's care advice for owners, as a short text.

    Args:
        subject: One of: ribbon, platen, storage, oiling, transport, type.
    """
    wanted = subject.casefold()
    found = [key for key in CARE if key in wanted.replace("typewriter", "")] or [key for key in CARE if len(wanted) > 2 and wanted[:3] == key[:3]]
    if not found:
        raise ToolError(f"There is no care sheet about {subject!r}. Subjects: {', '.join(CARE)}.")
    return CARE[found[0]]


@tool(effect="write", integrity="trusted")
def book_bench(ticket_no: str, mechanic: str, day: str, start: str) -> dict[str, object]:
    """Book an hour at a mechanic's bench for a repair ticket.

    Args:
        ticket_no: Ticket number, such as RT-5599.
        mechanic: The mechanic's name.
        day: The day, YYYY-MM-DD.
        start: When the hour starts, such as 10:00.
    """
    key, full, when = _number("ticket", ticket_no, TICKETS, "RT-5599"), _mechanic(mechanic), _day(day)
    match = re.match(r"(\d{1,2})(?::(\d\d))?\s*([ap]m)?", start.strip().casefold())
    if not match:
        raise ToolError("Write the start as 10:00.")
    hour = int(match[1]) % 12 + (12 if match[3] == "pm" else 0) if match[3] else int(match[1])
    slot = f"{hour:02}:{match[2] or '00'}"
    free = _free(full, when)
    if slot not in free:
        raise ToolError(f"{full} is not free on {when} at {slot}. Free that day: {', '.join(free) or 'nothing'}.")
    return {"booking": _reference("BK-", key, full, when, slot), "ticket": key, "mechanic": full, "day": when.isoformat(), "start": slot}


@tool(effect="write", integrity="trusted")
def order_parts(part_no: str, quantity: int) -> dict[str, object]:
    """Order spare parts from their supplier.

    Args:
        part_no: Part number, such as PT-3999-X.
        quantity: How many.
    """
    key = _number("part", part_no, PARTS, "PT-3999-X; spare_parts finds them by words")
    if not 1 <= quantity <= 500:
        raise ToolError("The quantity is 1 to 500.")
    p = PARTS[key]
    return {
        "order_no": _reference("PO-29-", key, quantity), "part_no": key, "part": p[0], "quantity": quantity,
        "supplier": p[6], "cost_gbp": round(p[5] * quantity, 2), "delivery_days": p[7],
    }


@tool(effect="write", integrity="trusted")
def extend_hire(hire_no: str, last_day: str) -> dict[str, object]:
    """Let a running or coming hire end on a later day.

    Args:
        hire_no: Contract number, such as H-2299.
        last_day: The new last day, YYYY-MM-DD.
    """
    key, when = _number("hire", hire_no, HIRES, "H-2299"), _day(last_day)
    old = date.fromisoformat(HIRES[key][4])
    if old < TODAY:
        raise ToolError(f"Hire {key} ended on {old}.")
    if when <= old:
        raise ToolError(f"Hire {key} already runs until {old}; give a later day.")
    extra = (when - old).days
    rate = sum(MACHINES[no][8] for no in HIRES[key][2])
    return {"amendment": _reference("AM-", key, when), "hire_no": key, "old_last_day": old.isoformat(), "new_last_day": when.isoformat(),
            "extra_days": extra, "extra_charge_gbp": extra * rate}
