"""The records of the Winterholm Museum Service (all data invented). What is written gets a number and is forgotten."""

import json
import re
import zlib
from datetime import date
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

DATA: dict[str, Any] = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
OBJECTS, PARTNERS, LOANS, VENUES = DATA["objects"], DATA["partners"], DATA["loans"], DATA["venues"]
EXHIBITIONS, CASES, STAFF, COURIERS = DATA["exhibitions"], DATA["showcases"], DATA["staff"], DATA["couriers"]


def _plain(text: object) -> str:
    return " ".join(re.findall(r"\w+", str(text).casefold().replace("'", "").replace("’", "").replace("&", " and ")))


def _key(text: object) -> str:
    return re.sub(r"[\W_]", "", str(text)).casefold()


def _by_id(wanted: object, table: dict[str, Any]) -> str | None:
    """The id that was meant, whatever its case, spaces and dashes."""
    return next((k for k in table if _key(k) == _key(wanted)), None)


def _named(wanted: object, names: dict[str, str]) -> list[str]:
    """Ids of the names that have all the words (or as many as can be) that were said."""
    words = [w for w in _plain(wanted).split() if w not in ("the", "of", "and", "a")]
    table = {k: _plain(v) for k, v in names.items()}
    exact = [k for k, v in table.items() if v == _plain(wanted)]
    return exact or [k for k, v in table.items() if words and all(w in v for w in words)]


def _one(wanted: object, table: dict[str, Any], field: str, what: str) -> str:
    found = _by_id(wanted, table)
    if found:
        return found
    hits = _named(wanted, {k: r[field] for k, r in table.items()})
    if not hits:
        hits = _named(wanted, {k: r["contact"] for k, r in table.items() if "contact" in r})
    if len(hits) == 1:
        return hits[0]
    listed = "; ".join(f"{k} {table[k][field]}" for k in (hits or table))
    if hits:
        raise ToolError(f"{wanted!r} fits more than one {what}: {listed}. Say which.")
    raise ToolError(f"There is no {what} {wanted!r}. There are: {listed}.")


def _day(text: str, name: str) -> str:
    try:
        return date.fromisoformat(str(text).strip()).isoformat()
    except ValueError:
        raise ToolError(f"{name} must be a day as YYYY-MM-DD, not {text!r}.") from None


def _known(number: object, table: dict[str, Any], missing: str) -> str:
    """The id that was meant; `missing` is what is told where there is none."""
    found = _by_id(number, table)
    if not found:
        raise ToolError(missing)
    return found


def _object(number: str) -> str:
    hint = "They look like W1907.12 (ours) or T-400 (lent to us); search_objects finds them by title or maker."
    return _known(number, OBJECTS, f"There is no accession number {number!r}. {hint}")


def _loan(number: str) -> str:
    return _known(number, LOANS, f"There is no loan {number!r}: numbers look like 28/057. loans_list has them all.")


def _person(number: object) -> str:
    hint = "they have four digits. staff_lookup finds them by name."
    return _known(number, STAFF, f"There is no staff number {number!r}: {hint}")


def _case(number: str) -> str:
    hint = f"Showcases are {', '.join(CASES)}; an object's entry and an exhibition name theirs."
    return _known(number, CASES, f"There is no showcase {number!r}. {hint}")


def _number(*parts: object) -> int:
    return zlib.crc32("|".join(map(str, parts)).encode()) % 9000 + 1000


@tool
def search_objects(
    text: str,
    kind: Literal["ship model", "textile", "painting", "clock", "furniture", "ceramics", "instrument", "tool"]
    | None = None,
) -> list[dict[str, object]]:
    """Search the collection by a word of title, maker or material. Gives accession number, title, maker, year, place.

    Args:
        text: A word or two; may be empty if kind is given.
        kind: Only objects of this kind.
    """
    words = [w for w in _plain(text).split() if w not in ("the", "of", "and", "a")]
    rows = [
        {"acc_no": k, "title": o["title"], "maker": o["maker"], "made": o["made"], "place": o["place"]}
        for k, o in OBJECTS.items()
        if all(w in _plain(f"{o['title']} {o['maker']} {o['material']}") for w in words)
        and (kind is None or o["kind"] == kind)
    ]
    if not rows or not (words or kind):
        raise ToolError(f"No object fits {text!r}. Try one word of the title, the maker or the material.")
    return rows[:12]


@tool
def object_entry(acc_no: str) -> dict[str, object]:
    """Catalogue entry of one object: measures, weight, owner, where it is (showcase or store), exhibition, value.

    Args:
        acc_no: Accession number, e.g. W1907.12, or T-400 for what is lent to us. Not the title.
    """
    number = _object(acc_no)
    return {"acc_no": number, **OBJECTS[number]}


@tool
def condition_log(acc_no: str) -> list[dict[str, object]]:
    """Condition reports already written on an object, newest last: grade, remark, who looked, day of the next check.

    Args:
        acc_no: Accession number, e.g. W1907.12.
    """
    number = _object(acc_no)
    rows = [{k: v for k, v in r.items() if k != "acc_no"} for r in DATA["reports"] if r["acc_no"] == number]
    if not rows:
        raise ToolError(f"No condition report has been written on {number} ({OBJECTS[number]['title']}).")
    return rows


@tool
def conservation_diary(date_from: str, date_to: str, conservator: int | None = None) -> list[dict[str, object]]:
    """What the conservators have planned: day, hours, staff number, object, task, place.

    Args:
        date_from: First day, YYYY-MM-DD.
        date_to: Last day, YYYY-MM-DD; the same for one day.
        conservator: Only this one's entries (staff number).
    """
    first, last = _day(date_from, "date_from"), _day(date_to, "date_to")
    if last < first:
        raise ToolError("date_to is before date_from.")
    who = _person(conservator) if conservator is not None else None
    rows = [r for r in DATA["diary"] if first <= r["day"] <= last and who in (None, str(r["conservator"]))]
    if not rows:
        raise ToolError(
            f"Nothing planned from {first} to {last}{f' for {who}' if who else ''}. "
            "The diary runs from 2031-03-12 to 2031-03-31."
        )
    if len(rows) > 12:
        raise ToolError(f"{len(rows)} entries are too many at once: ask for a shorter span or for one conservator.")
    return rows


@tool
def partner_card(partner: str) -> dict[str, object]:
    """A lender or borrower: contact person, telephone, e-mail, their policy, credit line, days of notice.

    Args:
        partner: Name or a part of it, the contact person, or the slug, such as "old-mill-trust".
    """
    slug = _one(partner, PARTNERS, "name", "lender or borrower")
    return {"slug": slug, **PARTNERS[slug]}


@tool
def loans_list(
    direction: Literal["in", "out"],
    status: Literal["requested", "agreed", "running", "returned"] | None = None,
    ends_by: str | None = None,
) -> list[dict[str, object]]:
    """Loans to us ("in") or from us ("out"), one row each; no objects or money here.

    Args:
        direction: in or out.
        status: Only loans of this status.
        ends_by: Only loans that end on or before this day, YYYY-MM-DD.
    """
    last = _day(ends_by, "ends_by") if ends_by else "9999"
    rows = [
        {"loan_no": k, "partner": n["partner"], "purpose": n["purpose"], "starts": n["starts"], "ends": n["ends"],
         "status": n["status"]}
        for k, n in LOANS.items()
        if n["direction"] == direction and status in (None, n["status"]) and n["ends"] <= last
    ]  # fmt: skip
    if not rows:
        raise ToolError("No loan fits. Leave out status or ends_by to see more.")
    return rows


@tool
def loan_agreement(loan_no: str) -> dict[str, object]:
    """The agreement of one loan: partner, objects, days, courier, policy, insured value, fee, crates, status.

    Args:
        loan_no: The loan's number.
    """
    number = _loan(loan_no)
    return {"loan_no": number, **LOANS[number]}


@tool
def exhibition_info(exhibition: str) -> dict[str, object]:
    """One exhibition: venue, days, curator, showcases, ticket price, sponsor, visitors so far.

    Args:
        exhibition: Its title, a part of it, or its number (X and three digits).
    """
    number = _one(exhibition, EXHIBITIONS, "title", "exhibition")
    return {"exhibition": number, **EXHIBITIONS[number]}


@tool
def showcase_spec(case_id: str) -> dict[str, object]:
    """A showcase: where it stands, inner measures, light limit, humidity target, shelf load, key, alarm, what is in it.

    Args:
        case_id: Such as G9-04.
    """
    number = _case(case_id)
    inside = [f"{k} {o['title']}" for k, o in OBJECTS.items() if o["place"] == number]
    return {"case_id": number, **CASES[number], "objects": inside}


@tool
def climate_readings(case_id: str, day: str) -> list[dict[str, object]]:
    """Measured temperature, humidity (rh, per cent) and light in a showcase, every two hours of one past day.

    Args:
        case_id: Such as G9-04.
        day: YYYY-MM-DD.
    """
    number, when = _case(case_id), _day(day, "day")
    if f"{number} {when}" not in DATA["climate"]:
        raise ToolError(f"No readings for {when}: those of 2031-03-09 to 2031-03-11 are kept.")
    return DATA["climate"][f"{number} {when}"]


@tool
def venue_card(site: str) -> dict[str, object]:
    """One of our houses: hours, closing day, house manager, door width, floor load, loading bay, step-free, seats.

    Args:
        site: Name or slug.
    """
    slug = _one(site, VENUES, "name", "venue")
    return {"site": slug, **VENUES[slug]}


@tool
def staff_lookup(who: str) -> list[dict[str, object]]:
    """People who work for us (not lenders, not couriers): number, role, base, mobile, languages, working days.

    Args:
        who: First name, last name, both, or the staff number.
    """
    number = _by_id(who, STAFF)
    hits = [number] if number else _named(who, {k: s["name"] for k, s in STAFF.items()})
    if not hits:
        raise ToolError(f"Nobody on the staff is called {who!r}. Lenders' and couriers' people are on their own cards.")
    return [{"staff_no": int(k), **STAFF[k]} for k in hits]


@tool
def courier_profile(courier: str) -> dict[str, object]:
    """A courier we use: contact, telephone, largest crate, weight limit, climate van, day rate, goes abroad or not.

    Args:
        courier: Code like XYZ-0, or the name of the firm or of its contact.
    """
    code = _one(courier, COURIERS, "name", "courier")
    return {"code": code, **COURIERS[code]}


@tool
def policy_terms(policy_no: str) -> dict[str, object]:
    """An insurance policy: insurer, holder, limit of cover, excess, end, transit, claims telephone.

    Args:
        policy_no: K and five digits; a loan's agreement and a partner's card name it.
    """
    number = _by_id(policy_no, DATA["policies"])
    if not number:
        raise ToolError(f"There is no policy {policy_no!r}: K and five digits, as on loans and partners' cards.")
    return {"policy_no": number, **DATA["policies"][number]}


@tool
def tours_on(
    day: str, language: Literal["English", "German", "French", "Polish", "Chinese"] | None = None
) -> list[dict[str, object]]:
    """Guided tours of one day: number, start, title, venue, guide's staff number, language, places left, price a head.

    Args:
        day: YYYY-MM-DD.
        language: Only tours in this language.
    """
    when = _day(day, "day")
    rows = [
        {k: v for k, v in t.items() if k != "day"}
        for t in DATA["tours"]
        if t["day"] == when and language in (None, t["language"])
    ]
    if not rows:
        raise ToolError(f"No tour on {when}{f' in {language}' if language else ''}.")
    return rows


@tool(effect="write")
def reserve_tour(tour_no: str, group_name: str, persons: int, note: str = "") -> dict[str, object]:
    """Reserve places on a guided tour.

    Args:
        tour_no: The tour's number, GT and four digits.
        group_name: Under which name.
        persons: How many come.
        note: Anything the guide should know.
    """
    tour = next((t for t in DATA["tours"] if _key(t["tour_no"]) == _key(tour_no)), None)
    if tour is None:
        raise ToolError(f"There is no tour {tour_no!r}: GT and four digits, tours_on lists them by day.")
    if not group_name.strip():
        raise ToolError("group_name is empty.")
    if not 1 <= int(persons) <= tour["places_left"]:
        raise ToolError(f"{tour['tour_no']} on {tour['day']} has {tour['places_left']} places left, not {persons}.")
    return {
        "reservation": f"RS{_number(tour['tour_no'], int(persons))}",
        "tour_no": tour["tour_no"],
        "day": tour["day"],
        "starts": tour["starts"],
        "group_name": group_name,
        "persons": int(persons),
        "to_pay_gbp": round(int(persons) * tour["price_gbp"], 2),
    }


@tool(effect="write")
def book_transport(
    loan_no: str, courier_code: str, day: str, slot: Literal["morning", "afternoon"]
) -> dict[str, object]:
    """Book a courier to carry the objects of a loan.

    Args:
        loan_no: The loan's number.
        courier_code: The courier's code, three letters and a digit. Names are not accepted.
        day: The day of the transport, YYYY-MM-DD.
        slot: Half of the day.
    """
    number, when = _loan(loan_no), _day(day, "day")
    code = _by_id(courier_code, COURIERS)
    if not code:
        raise ToolError(f"There is no courier code {courier_code!r}. courier_profile tells the code of a name.")
    if when < "2031-03-12":
        raise ToolError(f"{when} is past.")
    return {
        "transport_no": f"TP {_number(number, code, when, slot)} {code[0]}",
        "loan_no": number,
        "courier": COURIERS[code]["name"],
        "day": when,
        "slot": slot,
        "day_rate_gbp": COURIERS[code]["day_rate_gbp"],
    }


@tool(effect="write")
def report_damage(
    acc_no: str, what: str, severity: Literal["minor", "serious", "total"], found_by: int
) -> dict[str, object]:
    """Report damage to an object; the conservators and the insurance officer get it.

    Args:
        acc_no: Accession number, e.g. W1907.12.
        what: What is damaged, and how.
        severity: How bad it is.
        found_by: Staff number of who found it.
    """
    number, who = _object(acc_no), _person(found_by)
    if len(what.strip()) < 4:
        raise ToolError("Say what is damaged.")
    return {
        "damage_no": f"DM-{_number(number, severity, who)}",
        "acc_no": number,
        "title": OBJECTS[number]["title"],
        "severity": severity,
        "found_by": STAFF[who]["name"],
        "sent_to": ["4069 Sable Penrose"],
    }
