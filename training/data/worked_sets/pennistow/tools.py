"""The books of Pennistow Transport (everything in them is made up). What is written gets a number and is not kept."""

import json
import re
import zlib
from datetime import date
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

BOOKS: dict[str, Any] = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
CREW, FLEET, WORKS, CARDS, LINES = (BOOKS[k] for k in ("crew", "fleet", "works", "cards", "lines"))
LOST, COMPLAINTS, MONTHS, DUTIES = (BOOKS[k] for k in ("lost", "complaints", "months", "duties"))

Garage = Literal["Cressbrook", "Hollow Lane", "Starling Yard"]


def _bare(text: object) -> str:
    return re.sub(r"[\W_]", "", str(text)).casefold()


def _words(text: object) -> list[str]:
    plain = str(text).casefold().replace("'s", "").replace("’s", "")
    return [w for w in re.findall(r"\w+", plain) if w not in ("the", "a", "of", "mr", "mrs", "ms", "family")]


def _fits(wanted: str, *texts: object) -> bool:
    """Whether every word that was said begins a word of the texts."""
    have = [w for text in texts for w in re.findall(r"\w+", str(text).casefold())]
    return all(any(w.startswith(each) for w in have) for each in _words(wanted))


def _key(wanted: object, book: dict[str, Any]) -> str | None:
    return next((k for k in book if _bare(k) == _bare(wanted)), None)


def _date(text: str, name: str) -> str:
    try:
        return date.fromisoformat(str(text).strip()).isoformat()
    except ValueError:
        raise ToolError(f"{name} has to be written YYYY-MM-DD; {text!r} is not.") from None


def _span(since: str | None, until: str | None) -> tuple[str, str]:
    first = _date(since, "since") if since else "0000"
    last = _date(until, "until") if until else "9999"
    if last < first:
        raise ToolError("until lies before since.")
    return first, last


def _pay(wanted: str) -> str:
    found = _key(wanted, CREW)
    if not found:
        raise ToolError(f"{wanted!r} is no pay number: EM, two digits, a dash, four digits. crew_index finds it by name.")
    return found


def _vehicle(wanted: str) -> str:
    found = _key(wanted, FLEET)
    if not found:
        hint = "TR (tram) or BU (bus) and three digits. fleet_index finds it by name or by the bare digits."
        raise ToolError(f"{wanted!r} is no fleet number: {hint}")
    return found


def _card(wanted: str) -> str:
    found = _key(wanted, CARDS)
    if not found:
        near = _key(f"PX{wanted}", CARDS)
        hint = f"{near} is a card." if near else "cardholder_index finds cards by the holder's name."
        raise ToolError(f"{wanted!r} is no card number: PX, two digits, a dash, four digits. {hint}")
    return found


def _line(wanted: str) -> str:
    found = _key(re.sub(r"(?i)^\s*line\s+", "", str(wanted)), LINES)
    hits = [found] if found else [k for k, v in LINES.items() if _words(wanted) and _fits(wanted, v["name"])]
    if len(hits) == 1:
        return hits[0]
    listed = ", ".join(f"{k} {LINES[k]['name']}" for k in (hits or LINES))
    end = "Which of them?" if hits else "Names of single buses and trams are found by fleet_index."
    raise ToolError(f"{'More than one' if hits else 'No'} line fits {wanted!r}: {listed}. {end}")


def _slip(*parts: object) -> int:
    return zlib.crc32("/".join(map(str, parts)).encode()) % 9000 + 1000


@tool
def crew_index(named: str, grade: str | None = None) -> list[dict[str, object]]:
    """Employees by name: pay number, name, grade, home garage, year they joined.

    Args:
        named: First or last name, both, or the pay number or its last digits.
        grade: Only this grade: bus driver, tram driver, controller, fitter, supervisor, ticket inspector, clerk.
    """
    rows = [
        {"pay_no": k, **{f: e[f] for f in ("name", "grade", "garage", "joined")}}
        for k, e in CREW.items()
        if _words(named) and (_fits(named, e["name"]) or _bare(k).endswith(_bare(named)))
        and grade in (None, e["grade"])
    ]  # fmt: skip
    if not rows:
        raise ToolError(f"Nobody on the payroll is called {named!r}. Passengers with a card are in cardholder_index.")
    return rows


@tool
def personal_file(pay_no: str) -> dict[str, object]:
    """One employee's file: where posted now, mobile, supervisor, licence, medical, lines known, leave, hours.

    Args:
        pay_no: Pay number, like EM79-0001.
    """
    number = _pay(pay_no)
    return {"pay_no": number, **{k: v for k, v in CREW[number].items() if k not in ("garage", "joined")}}


@tool
def fleet_index(
    text: str = "",
    mode: Literal["bus", "tram"] | None = None,
    state: Literal["running", "workshop", "stored"] | None = None,
) -> list[dict[str, object]]:
    """Vehicles by name, model or digits: fleet number, name, model, state, usual overnight stand.

    Args:
        text: Name, model or digits of the number; may stay empty if mode or state is given.
        mode: Only buses or only trams.
        state: Only vehicles in this state.
    """
    rows = [
        {"fleet_no": k, **{f: v[f] for f in ("name", "model", "state", "stand")}}
        for k, v in FLEET.items()
        if _fits(text, v["name"], v["model"], k, k[2:]) and mode in (None, v["mode"]) and state in (None, v["state"])
    ]
    if not rows or not (_words(text) or mode or state):
        raise ToolError(f"No vehicle fits {text!r}. Names of lines are taken by line_file.")
    return rows


@tool
def vehicle_file(fleet_no: str) -> dict[str, object]:
    """One vehicle: built, first run, seats, standing, wheelchair places, kilometres, inspection, where now, works order.

    Args:
        fleet_no: Fleet number, like TR900.
    """
    number = _vehicle(fleet_no)
    return {"fleet_no": number, **{k: v for k, v in FLEET[number].items() if k not in ("stand", "mode")}}


@tool
def works_file(order_no: str) -> dict[str, object]:
    """One works order of the workshop: vehicle, fault, fitter, opened, due, hours, parts, progress.

    Args:
        order_no: Four digits, a slash and W, like 9999/W; a vehicle's file names it.
    """
    found = _key(order_no, WORKS) or _key(f"{order_no}W", WORKS)
    if not found:
        raise ToolError(f"There is no works order {order_no!r}. The file of the vehicle names its order (vehicle_file).")
    return {"order_no": found, **WORKS[found]}


@tool
def cardholder_index(holder: str) -> list[dict[str, object]]:
    """Passengers who have a smartcard, by name: card number, holder, year of birth, product, day of issue, office.

    Args:
        holder: First or last name, or both; a last name gives the whole family.
    """
    rows = [
        {"card_no": k, **{f: c[f] for f in ("holder", "born", "product", "issued", "sold_at")}}
        for k, c in CARDS.items()
        if _words(holder) and _fits(holder, c["holder"])
    ]
    if not rows:
        raise ToolError(f"Nobody called {holder!r} has a card. Employees are in crew_index.")
    return rows


@tool
def card_file(card_no: str) -> dict[str, object]:
    """One smartcard: end of validity, zones, price a month, balance, last tap, holder's telephone, delivery.

    Args:
        card_no: Card number, like PX00-0001.
    """
    number = _card(card_no)
    return {"card_no": number, **{k: v for k, v in CARDS[number].items() if k not in ("born", "issued", "sold_at")}}


@tool
def line_file(line: str) -> dict[str, object]:
    """One line: mode, garage, ends, first and last departure, how often, length, controller, usual model, diversion.

    Args:
        line: Code or name.
    """
    code = _line(line)
    return {"line": code, **LINES[code]}


@tool
def duties_on(
    service_day: str, garage: Garage | None = None, uncovered_only: bool = False
) -> list[dict[str, object]]:
    """The table of duties of one day: signing on and off, relief point, driver's pay number (null: uncovered), vehicle.

    Args:
        service_day: YYYY-MM-DD.
        garage: Only the duties of this garage.
        uncovered_only: Only duties that have no driver yet.
    """
    when = _date(service_day, "service_day")
    if when not in DUTIES:
        raise ToolError(f"No duties are rostered for {when}: the table goes from {min(DUTIES)} to {max(DUTIES)}.")
    prefix = {"Cressbrook": "CB", "Hollow Lane": "HL", "Starling Yard": "SY"}.get(garage or "", "")
    rows = [r for r in DUTIES[when] if r["duty_no"].startswith(prefix) and not (uncovered_only and r["driver"])]
    if not rows:
        raise ToolError(f"No duty fits on {when}. Leave out garage or uncovered_only to see the others.")
    return rows


@tool
def lost_property(
    thing: str = "",
    state: Literal["waiting", "collected", "police"] | None = None,
    line: str | None = None,
    since: str | None = None,
    until: str | None = None,
) -> list[dict[str, object]]:
    """What was found in our vehicles: tag, thing, day, line, shelf, state.

    Args:
        thing: A word for the thing, or the tag; empty for all.
        state: Only things in this state.
        line: Only things found on this line (code or name).
        since: Found on this day or later, YYYY-MM-DD.
        until: Found on this day or earlier, YYYY-MM-DD.
    """
    first, last = _span(since, until)
    code = _line(line) if line else None
    rows = [
        r for r in LOST
        if _fits(thing, r["thing"], r["tag"])
        and state in (None, r["state"]) and code in (None, r["line"]) and first <= r["found_on"] <= last
    ]  # fmt: skip
    if not rows:
        raise ToolError("Nothing like that was handed in. Try another word, or leave out a filter.")
    return rows


@tool
def complaint_register(
    state: Literal["open", "answered", "closed"] | None = None,
    line: str | None = None,
    since: str | None = None,
    until: str | None = None,
) -> list[dict[str, object]]:
    """Passengers' complaints: reference, day received, line, subject, complainant, answer-by day, handler's pay number.

    Args:
        state: Only complaints in this state.
        line: Only about this line (code or name).
        since: Received on this day or later, YYYY-MM-DD.
        until: Received on this day or earlier, YYYY-MM-DD.
    """
    first, last = _span(since, until)
    code = _line(line) if line else None
    rows = [
        r for r in COMPLAINTS
        if state in (None, r["state"]) and code in (None, r["line"]) and first <= r["received"] <= last
    ]  # fmt: skip
    if not rows:
        raise ToolError("No complaint fits. Leave out a filter to see more.")
    if len(rows) > 10:
        raise ToolError(f"{len(rows)} complaints are too many at once: give a state, a line or a period.")
    return rows


@tool
def month_return(month: str, mode: Literal["bus", "tram"] | None = None) -> dict[str, object]:
    """The monthly return by line, with totals: passengers, punctuality in per cent, trips lost, fares in pounds.

    Args:
        month: YYYY-MM.
        mode: Only bus lines or only tram lines.
    """
    if month not in MONTHS:
        raise ToolError(f"There is no return for {month}: closed months are {min(MONTHS)} to {max(MONTHS)}.")
    rows = [r for r in MONTHS[month] if mode in (None, LINES[r["line"]]["mode"])]
    totals = {f: sum(r[f] for r in rows) for f in ("passengers", "trips_lost", "fares_gbp")}
    return {"month": month, "lines": rows, "totals": totals}


@tool(effect="write")
def cover_duty(duty_no: str, service_day: str, pay_no: str) -> dict[str, object]:
    """Put an employee on a duty that is uncovered.

    Args:
        duty_no: Two letters and two digits, as in the table of duties.
        service_day: YYYY-MM-DD.
        pay_no: Pay number of who drives. Names are not taken.
    """
    when, who = _date(service_day, "service_day"), _pay(pay_no)
    row = next((r for r in DUTIES.get(when, []) if _bare(r["duty_no"]) == _bare(duty_no)), None)
    if row is None:
        raise ToolError(f"There is no duty {duty_no!r} on {when}. duties_on lists those of a day.")
    if row["driver"]:
        raise ToolError(f"{row['duty_no']} on {when} is not uncovered: {row['driver']} drives it.")
    if row["line"] not in CREW[who]["knows_lines"]:
        known = ", ".join(CREW[who]["knows_lines"]) or "none"
        raise ToolError(f"{row['duty_no']} is on line {row['line']}; {who} knows {known}. Choose somebody else.")
    return {
        "cover_slip": f"CS{_slip(row['duty_no'], when, who)}", "duty_no": row["duty_no"], "service_day": when,
        "line": row["line"], "on": row["on"], "off": row["off"], "driver": CREW[who]["name"],
    }  # fmt: skip


@tool(effect="write")
def raise_defect(
    fleet_no: str, fault: str, urgency: Literal["before next run", "this week", "next service"]
) -> dict[str, object]:
    """Open a works order for a vehicle.

    Args:
        fleet_no: Fleet number, like TR900.
        fault: What is wrong with it.
        urgency: By when it has to be put right.
    """
    number = _vehicle(fleet_no)
    if len(fault.strip()) < 4:
        raise ToolError("fault says too little: tell what is wrong.")
    return {
        "order_no": f"{_slip(number, urgency)}/W", "fleet_no": number, "name": FLEET[number]["name"],
        "urgency": urgency, "workshop": FLEET[number]["stand"].split(" r")[0],
    }  # fmt: skip


@tool(effect="write")
def renew_card(card_no: str, months: int) -> dict[str, object]:
    """Prolong a smartcard by whole months.

    Args:
        card_no: Card number, like PX00-0001. Not the holder's name.
        months: How many months, 1 to 12.
    """
    number = _card(card_no)
    if not 1 <= int(months) <= 12:
        raise ToolError("months goes from 1 to 12.")
    card = CARDS[number]
    year, month, day = map(int, card["valid_until"].split("-"))
    at = year * 12 + month - 1 + int(months)
    last = (date((at + 1) // 12, (at + 1) % 12 + 1, 1) - date(at // 12, at % 12 + 1, 1)).days
    is_month_end = day >= 30 or (month == 2 and day >= 28)
    return {
        "receipt": f"RN-{_slip(number, months)}", "card_no": number, "holder": card["holder"],
        "valid_until": date(at // 12, at % 12 + 1, last if is_month_end else min(day, last)).isoformat(),
        "to_pay_gbp": round(int(months) * card["price_month_gbp"], 2),
    }  # fmt: skip
