"""The records of Windlestraw Fairground Rides. The data never changes; what is written is answered with a number and forgotten."""

import json
import re
import unicodedata
import zlib
from datetime import date
from pathlib import Path

from glassloop import ToolError, tool

DATA = json.loads((Path(__file__).parent / "records.json").read_text(encoding="utf-8"))
RIDES, CLIENTS, VENUES = DATA["rides"], DATA["clients"], DATA["venues"]
STAFF, LORRIES, BOOKINGS = DATA["staff"], DATA["lorries"], DATA["bookings"]
SMALL = {"the", "and", "of", "a", "ltd", "mrs", "mr", "ms", "st"}


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKD", str(text).casefold().replace("&", " and ").replace("'", "").replace("’", ""))
    text = "".join(c for c in text if not unicodedata.combining(c))
    return " ".join(re.findall(r"\w+", text))


def _key(text: str) -> str:
    return re.sub(r"[\W_]", "", str(text)).casefold()


def _by_id(wanted: str, table: dict[str, dict[str, object]]) -> str | None:
    """The id that was meant, whatever its case, spaces and dashes."""
    return next((k for k in table if _key(k) == _key(wanted)), None)


def _pick(wanted: str, names: dict[str, str], what: str, hint: str) -> str:
    """The key of the one name that was meant."""
    plain = _plain(wanted)
    if not plain:
        raise ToolError(f"Say which {what}: {hint}.")
    table = {k: _plain(v) for k, v in names.items()}
    for test in (lambda v: v == plain, lambda v: plain in v or v in plain):
        hits = [k for k, v in table.items() if test(v)]
        if len(hits) == 1:
            return hits[0]
    words = {w for w in plain.split() if w not in SMALL and len(w) > 2}
    scores = {k: len(words & set(v.split())) for k, v in table.items()}
    best = max(scores.values())
    hits = [k for k, n in scores.items() if n == best and n]
    if len(hits) == 1:
        return hits[0]
    if hits:
        raise ToolError(f"More than one {what} fits {wanted!r}: {'; '.join(names[k] for k in hits[:8])}. Say which.")
    raise ToolError(f"There is no {what} {wanted!r}: {hint}.")


def _day(text: str, name: str) -> date:
    try:
        return date.fromisoformat(str(text).strip()[:10])
    except ValueError:
        raise ToolError(f"{name} must be a day such as 2029-05-31, not {text!r}.") from None


def _ride(code: str) -> str:
    found = _by_id(code, RIDES) or _by_id(" ".join(str(code).split()[:1]), RIDES)
    if not found:
        raise ToolError(f"There is no ride code {code!r}: codes look like TRN-09. fleet_list and ride_sheet tell them.")
    return found


def _booking(ref: str) -> str:
    found = _by_id(ref, BOOKINGS) or _by_id(f"WB{_key(ref)}", BOOKINGS)
    if not found:
        raise ToolError(f"There is no booking {ref!r}: numbers look like WB-28011. bookings_between lists them by day.")
    return found


def _account(number: str) -> str:
    found = _by_id(number, CLIENTS)
    if not found:
        raise ToolError(f"There is no account {number!r}: numbers look like 3999-X. find_client tells them.")
    return found


def _number(*parts: object) -> int:
    return zlib.crc32("|".join(map(str, parts)).encode()) % 9000 + 1000


@tool(effect="read", integrity="trusted")
def fleet_list(kind: str = "", depot: str = "") -> list[dict[str, object]]:
    """All rides that we own, one row each: code, name, kind, seats, depot and state.

    Args:
        kind: Only rides of this kind, such as "ghost train"; empty for all.
        depot: Only rides whose home is this depot; empty for all.
    """
    want, at = _plain(kind).rstrip("s"), _plain(depot)
    rows = [
        {
            "code": code,
            "name": r["name"],
            "kind": r["kind"],
            "seats": r["seats"],
            "depot": r["depot"],
            "state": r["state"],
        }
        for code, r in RIDES.items()
        if want in _plain(r["kind"]) and at in _plain(r["depot"])
    ]
    if not rows:
        kinds, depots = sorted({r["kind"] for r in RIDES.values()}), sorted({r["depot"] for r in RIDES.values()})
        raise ToolError(f"No ride fits. Kinds: {', '.join(kinds)}. Depots: {', '.join(depots)}.")
    return rows


@tool(effect="read", integrity="trusted")
def ride_sheet(ride: str) -> dict[str, object]:
    """Data sheet of one ride: code, maker, year, seats, smallest crew, size, weight, loads, time to build up, power.

    Args:
        ride: The ride's name, a part of it, or its code.
    """
    code = _by_id(ride, RIDES) or _pick(
        ride, {k: r["name"] for k, r in RIDES.items()}, "ride", "fleet_list has all names"
    )
    sheet = {k: v for k, v in RIDES[code].items() if k not in ("day_rate", "state")}
    return {"code": code, **sheet}


@tool(effect="read", integrity="trusted")
def last_inspection(ride_code: str) -> dict[str, object]:
    """The latest safety inspection of a ride: certificate, inspector, day, result, and the day until which it is valid.

    Args:
        ride_code: The ride's code, such as TRN-09. Names are not accepted.
    """
    code = _ride(ride_code)
    return {"ride_code": code, **DATA["inspections"][code]}


@tool(effect="read", integrity="trusted")
def price_hire(ride_code: str, days: int, crew: bool = True) -> dict[str, object]:
    """What hiring a ride out costs, before haulage and discounts.

    Args:
        ride_code: The ride's code, such as TRN-09. Names are not accepted.
        days: How many days it runs.
        crew: Whether our crew comes with it.
    """
    code = _ride(ride_code)
    if not 1 <= int(days) <= 60:
        raise ToolError("days must be from 1 to 60.")
    ride = RIDES[code]
    hire = round(ride["day_rate"] * (1 + 0.6 * (int(days) - 1)), 2)
    wages = ride["min_crew"] * 148 * int(days) if crew else 0
    return {
        "ride_code": code,
        "days": int(days),
        "hire": hire,
        "crew_wages": wages,
        "total": round(hire + wages, 2),
        "currency": "GBP",
    }


@tool(effect="read", integrity="trusted")
def get_booking(ref: str) -> dict[str, object]:
    """Everything about one booking: client, ground, days, rides, foreman, lorries, fee and deposit.

    Args:
        ref: The booking's number, such as WB-28011.
    """
    key = _booking(ref)
    return {"ref": key, **BOOKINGS[key]}


@tool(effect="read", integrity="trusted")
def bookings_between(first_day: str, last_day: str) -> list[dict[str, object]]:
    """Bookings that fall into a span of days, one row each: number, event, ground, days.

    Args:
        first_day: First day of the span, as YYYY-MM-DD.
        last_day: Last day of the span, as YYYY-MM-DD. The same as the first for a single day.
    """
    start, end = _day(first_day, "first_day"), _day(last_day, "last_day")
    if end < start:
        raise ToolError("last_day is before first_day.")
    return [
        {"ref": ref, "event": b["event"], "ground": b["venue"], "first_day": b["first_day"], "last_day": b["last_day"]}
        for ref, b in BOOKINGS.items()
        if date.fromisoformat(b["first_day"]) <= end and date.fromisoformat(b["last_day"]) >= start
    ][:25]


@tool(effect="read", integrity="trusted")
def find_client(name: str) -> dict[str, object]:
    """A client's account number, contact person, telephone, e-mail, payment terms and discount.

    Args:
        name: The client's name or a part of it, or the contact person's.
    """
    acc = _by_id(name, CLIENTS)
    if not acc:
        names = {k: f"{c['name']} ({c['contact']})" for k, c in CLIENTS.items()}
        acc = _pick(name, names, "client", "try one distinctive word of the name")
    return {"account_no": acc, **CLIENTS[acc]}


@tool(effect="read", integrity="trusted")
def open_invoices(account_no: str) -> dict[str, object]:
    """The unpaid invoices of a client's account, and their sum.

    Args:
        account_no: The account's number, such as 3999-X. Names are not accepted.
    """
    acc = _account(account_no)
    rows = DATA["invoices"][acc]
    return {
        "account_no": acc,
        "unpaid": rows,
        "total_unpaid": round(sum(r["amount"] for r in rows), 2),
        "currency": "GBP",
    }


@tool(effect="read", integrity="trusted")
def venue_info(venue: str) -> dict[str, object]:
    """A ground where rides stand: surface, gate, music curfew, power, distance, and its permit (office, fee, days ahead).

    Args:
        venue: The ground's name, a part of it, its town, or its id.
    """
    key = _by_id(venue, VENUES) or _pick(
        venue, {k: f"{v['name']}, {v['town']}" for k, v in VENUES.items()}, "ground", "bookings name the grounds"
    )
    return {"id": key, **VENUES[key]}


@tool(effect="read", integrity="trusted")
def crew_roster(day: str) -> list[dict[str, object]]:
    """Who does which duty in our own yards on one day. Foremen and people out with a ride are not on it.

    Args:
        day: The day, as YYYY-MM-DD.
    """
    key = _day(day, "day").isoformat()
    if key not in DATA["roster"]:
        raise ToolError(f"No roster for {key}: there are rosters from {min(DATA['roster'])} to {max(DATA['roster'])}.")
    return DATA["roster"][key]


@tool(effect="read", integrity="trusted")
def staff_contact(who: str) -> dict[str, object]:
    """Someone on the staff: staff number, role, mobile number, home depot, tickets.

    Args:
        who: First name, last name, both, or the staff number.
    """
    no = _by_id(who, STAFF) or _by_id(f"w{_key(who)}", STAFF)
    if not no:
        no = _pick(
            who, {k: s["name"] for k, s in STAFF.items()}, "member of staff", "give a name or a number like w100"
        )
    return {"staff_no": no, **STAFF[no]}


@tool(effect="read", integrity="trusted")
def vehicle_card(vehicle: str) -> dict[str, object]:
    """One of our lorries: plate, type, payload, usual driver's staff number, day of the next roadworthiness test, depot.

    Args:
        vehicle: The number plate or the nickname painted on the cab.
    """
    plate = _by_id(vehicle, LORRIES)
    if not plate:
        known = ", ".join(f"{k} ({v['nickname']})" for k, v in LORRIES.items())
        plate = _pick(vehicle, {k: v["nickname"] for k, v in LORRIES.items()}, "lorry", f"we have {known}")
    return {"plate": plate, **LORRIES[plate]}


@tool(effect="read", integrity="trusted")
def handbook(topic: str) -> str:
    """What the house rules say on a topic: weather limits, who may ride, cancelling, deposits, boilers, insurance and so on.

    Args:
        topic: The topic in a word or two.
    """
    words = set(_plain(topic).split())
    scores = {
        k: 3 * (k in _plain(topic)) + len(words & set(_plain(f"{k} {h['title']} {h['words']}").split()))
        for k, h in DATA["handbook"].items()
    }
    best = max(scores.values())
    hits = [h for k, h in DATA["handbook"].items() if scores[k] == best and best]
    if not hits:
        hits = [
            h
            for h in DATA["handbook"].values()
            if any(w in topic.casefold() for w in h["words"].split() if not w.isascii() or len(w) > 4)
        ]
    if not hits:
        raise ToolError(f"Nothing on {topic!r}. Topics: {', '.join(DATA['handbook'])}.")
    return "\n\n".join(f"{h['title']}. {h['text']}" for h in hits[:3])


@tool(effect="write", integrity="trusted")
def place_hold(ride_code: str, account_no: str, first_day: str, last_day: str) -> dict[str, object]:
    """Hold a ride for a client: nobody else can book it on these days.

    Args:
        ride_code: The ride's code, such as TRN-09.
        account_no: The client's account number, such as 3999-X.
        first_day: First day, as YYYY-MM-DD.
        last_day: Last day, as YYYY-MM-DD.
    """
    code, acc = _ride(ride_code), _account(account_no)
    start, end = _day(first_day, "first_day"), _day(last_day, "last_day")
    if end < start:
        raise ToolError("last_day is before first_day.")
    for ref, b in BOOKINGS.items():
        if (
            any(r.startswith(code) for r in b["rides"])
            and b["first_day"] <= end.isoformat()
            and b["last_day"] >= start.isoformat()
        ):
            raise ToolError(
                f"{code} is taken by {ref} from {b['first_day']} to {b['last_day']}: choose other days or another ride."
            )
    return {
        "hold_no": f"HLD-{_number(code, acc, start, end)}",
        "ride": f"{code} {RIDES[code]['name']}",
        "client": CLIENTS[acc]["name"],
        "first_day": start.isoformat(),
        "last_day": end.isoformat(),
    }


@tool(effect="write", integrity="trusted")
def log_defect(ride_code: str, description: str, out_of_service: bool = False) -> dict[str, object]:
    """Write a defect of a ride into the defect book.

    Args:
        ride_code: The ride's code, such as TRN-09.
        description: What is wrong, and where on the ride.
        out_of_service: Whether the ride must not run until it is put right.
    """
    code = _ride(ride_code)
    if len(description.strip()) < 4:
        raise ToolError("Say what is wrong with the ride.")
    return {
        "defect_no": f"DB{_number('defect', code)}",
        "ride_code": code,
        "out_of_service": out_of_service,
        "goes_to": "Beatrix Lomax",
    }


@tool(effect="write", integrity="trusted")
def assign_to_booking(booking_ref: str, staff_no: str, job: str) -> dict[str, object]:
    """Put someone on the crew of a booking.

    Args:
        booking_ref: The booking's number, such as WB-28011.
        staff_no: The staff number, such as w100. Names are not accepted.
        job: What the person does there, such as "fitter".
    """
    ref, no = _booking(booking_ref), _by_id(staff_no, STAFF) or _by_id(f"w{_key(staff_no)}", STAFF)
    if not no:
        raise ToolError(f"There is no staff number {staff_no!r}: they look like w100. staff_contact tells them.")
    return {"slip": f"CREW {_number(ref, no)}", "booking": ref, "staff": STAFF[no]["name"], "job": job}
