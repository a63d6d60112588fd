"""The tools of Quarrington Homes, a housing association (all data invented). What is written is answered and forgotten."""

import json
import re
import unicodedata
import zlib
from datetime import date
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

_DATA = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
_BLOCKS, _FLATS, _TENANCIES = _DATA["blocks"], _DATA["flats"], _DATA["tenancies"]
_TICKETS, _CONTRACTORS, _STAFF, _KEYS = _DATA["tickets"], _DATA["contractors"], _DATA["staff"], _DATA["keys"]

Trade = Literal[
    "plumbing", "heating", "electrical", "locks", "carpentry", "glazing", "roofing", "decorating", "lifts"
]


def _plain(text: str) -> str:
    """Lower case words without accents and apostrophes."""
    text = unicodedata.normalize("NFKD", str(text).casefold().replace("'", "").replace("’", "").replace("&", " and "))
    return " ".join(re.findall(r"\w+", "".join(c for c in text if not unicodedata.combining(c))))


def _key(text: str) -> str:
    return re.sub(r"[\W_]", "", str(text)).casefold()


def _by_id(wanted: str, table: dict) -> str | None:
    """The id that was meant, whatever its case, spaces and dashes."""
    return next((k for k in table if _key(k) == _key(wanted)), None)


def _named(wanted: str, names: dict[str, str]) -> list[str]:
    """The keys of the names that fit: all of the wanted words, else none."""
    words = _plain(wanted).removeprefix("the ").split()
    whole = [k for k, name in names.items() if _plain(name) == _plain(wanted)]
    return whole or [k for k, name in names.items() if words and all(w in _plain(name).split() for w in words)]


def _day(text: str, name: str) -> str:
    try:
        return date.fromisoformat(str(text).strip()).isoformat()
    except ValueError:
        raise ToolError(f"{name} must be a day written like 2031-01-31, not {text!r}.") from None


def _flat(ref: str) -> str:
    found = _by_id(ref, _FLATS)
    if found:
        return found
    raise ToolError(
        f"There is no flat {ref!r}. A flat's ref is the block's letters and a number, such as TH/03; "
        "search_flats lists them, search_tenants tells the flat of a person."
    )


def _block(text: str) -> str:
    found = _by_id(text, _BLOCKS)
    hits = [found] if found else _named(text, {k: b["name"] for k, b in _BLOCKS.items()})
    if len(hits) == 1:
        return hits[0]
    raise ToolError(f"There is no block {text!r}. Blocks: {', '.join(_BLOCKS)}.")


def _account(number: int) -> str:
    key = str(number).strip()
    if key not in _DATA["accounts"]:
        hint = "Accounts have six digits, such as 880119; the tenancy file names it."
        raise ToolError(f"There is no rent account {number}. {hint}")
    return key


def _ticket(ref: str) -> str:
    found = _by_id(ref, _TICKETS)
    if not found:
        raise ToolError(f"There is no repair ticket {ref!r}: they look like R31-0118. repairs_at lists those of a flat.")
    return found


def _slip(*parts: object) -> int:
    return 1000 + zlib.crc32("|".join(str(p) for p in parts).encode()) % 9000


@tool
def search_flats(
    block_id: str | None = None, bedrooms: int | None = None, state: Literal["let", "void", "works"] | None = None
) -> list[dict]:
    """List flats with size and state. Give at least one filter. Void flats are empty and can be let.

    Args:
        block_id: Only flats of this block, by its name or slug, such as tansy-house.
        bedrooms: Only flats with so many bedrooms.
        state: Only let flats, empty ones (void), or those being worked on.
    """
    if block_id is None and bedrooms is None and state is None:
        raise ToolError("Give at least one of block_id, bedrooms and state.")
    block = _block(block_id) if block_id else None
    rows = [
        {"flat_ref": ref, **{k: f[k] for k in ("block_id", "floor", "bedrooms", "area_m2", "state")}}
        | ({"free_from": f["free_from"]} if state in ("void", "works") else {})
        for ref, f in _FLATS.items()
        if block in (None, f["block_id"]) and bedrooms in (None, f["bedrooms"]) and state in (None, f["state"])
    ]
    if not rows:
        raise ToolError("No flat fits these filters.")
    return rows


@tool
def flat_card(flat_ref: str) -> dict:
    """All about one flat: block, floor, size, state, current tenancy number, meter numbers, energy class, smoke alarm test.

    Args:
        flat_ref: The flat's ref, such as TH/03.
    """
    ref = _flat(flat_ref)
    return {"flat_ref": ref, **_FLATS[ref]}


@tool
def block_details(block: str) -> dict:
    """A block (building): address, year, floors, lift, heating, refuse day, laundry, parking, caretaker, housing officer.

    Caretaker and housing officer are given by staff number.

    Args:
        block: Name or slug of the block.
    """
    slug = _block(block)
    return {"block_id": slug, **_BLOCKS[slug]}


@tool
def search_tenants(name: str) -> list[dict]:
    """Find tenants by name; gives tenancy number, name, joint tenant and flat.

    Args:
        name: First name, last name or both.
    """
    names = {k: f"{t['name']} {t['joint_tenant'] or ''}" for k, t in _TENANCIES.items()}
    hits = _named(name, names)
    if not hits:
        raise ToolError(f"No tenant is called {name!r}. People of the staff are in staff_lookup, firms in find_contractor.")
    return [
        {"tenancy_no": k, **{f: _TENANCIES[k][f] for f in ("name", "joint_tenant", "flat")}} for k in hits
    ]


@tool
def tenancy_file(tenancy_no: str) -> dict:
    """A tenancy: tenant, flat, start, kind, telephone, e-mail, how to contact them, household, pets, rent account number.

    Args:
        tenancy_no: The tenancy's number, T and five digits. Names are not accepted.
    """
    key = _by_id(tenancy_no, _TENANCIES)
    if not key:
        raise ToolError(f"There is no tenancy {tenancy_no!r}: numbers look like T60418. search_tenants finds them by name.")
    return {"tenancy_no": key, **_TENANCIES[key]}


@tool
def rent_account(account_no: int) -> dict:
    """Present state of a rent account: weekly rent, service charge, how it is paid, balance, arrears stage, last payment.

    A positive balance is owed by the tenant, a negative one is the tenant's credit.

    Args:
        account_no: Six digits.
    """
    key = _account(account_no)
    return {"account_no": int(key), **{k: v for k, v in _DATA["accounts"][key].items() if k != "postings"}}


@tool
def rent_postings(account_no: int, date_from: str | None = None, date_to: str | None = None) -> list[dict]:
    """Single charges and payments on a rent account since 27 January 2031, with the balance after each.

    Args:
        account_no: Six digits.
        date_from: First day, YYYY-MM-DD.
        date_to: Last day, YYYY-MM-DD.
    """
    key = _account(account_no)
    start = _day(date_from, "date_from") if date_from else ""
    end = _day(date_to, "date_to") if date_to else "9999"
    rows = [p for p in _DATA["accounts"][key]["postings"] if start <= p["date"] <= end]
    if not rows:
        raise ToolError(f"No postings on {key} in these days; they run from 2031-01-27 to 2031-03-17.")
    return rows


@tool
def repairs_at(flat_ref: str, status: Literal["reported", "assigned", "visit booked", "completed"] | None = None) -> list[dict]:
    """Repair tickets of a flat, one short row each.

    Args:
        flat_ref: The flat's ref.
        status: Only tickets in this state.
    """
    ref = _flat(flat_ref)
    rows = [
        {"ticket": no, **{k: t[k] for k in ("trade", "what", "urgency", "status")}}
        for no, t in _TICKETS.items()
        if t["flat"] == ref and status in (None, t["status"])
    ]
    if not rows:
        raise ToolError(f"No repair tickets for {ref}{f' with status {status}' if status else ''}.")
    return rows


@tool
def repair_entry(ticket: str) -> dict:
    """One repair: flat, trade, what is wrong, urgency, reported when and by whom, status, contractor, visit, cost.

    Args:
        ticket: Ticket number, e.g. R31-0118.
    """
    no = _ticket(ticket)
    return {"ticket": no, **_TICKETS[no]}


@tool
def visits_on(day: str, trade: Trade | None = None) -> list[dict]:
    """Contractors' visits to flats on one day, in order of time.

    Args:
        day: YYYY-MM-DD.
        trade: Only this trade.
    """
    key = _day(day, "day")
    rows = [
        {"slot": t["slot"], "flat": t["flat"], "trade": t["trade"], "ticket": no, "contractor": t["contractor"]}
        for no, t in _TICKETS.items()
        if t["visit"] == key and t["status"] == "visit booked" and trade in (None, t["trade"])
    ]
    if not rows:
        raise ToolError(f"No visits{f' for {trade}' if trade else ''} on {key}.")
    return sorted(rows, key=lambda row: row["slot"])


@tool
def find_contractor(who: str | None = None, trade: Trade | None = None) -> list[dict]:
    """Contractors (outside firms) by name, number or trade: contact, telephones, hourly rate, callout fee, contract, insurance.

    Args:
        who: Name of the firm or of its contact person, a part of it, or its number, such as C-07.
        trade: Only firms of this trade.
    """
    if who is None and trade is None:
        raise ToolError("Give who or trade.")
    one = _by_id(who, _CONTRACTORS) if who else None
    names = {k: f"{c['name']} {c['contact']}" for k, c in _CONTRACTORS.items()}
    hits = [one] if one else _named(who, names) if who else list(_CONTRACTORS)
    hits = [k for k in hits if trade is None or trade in _CONTRACTORS[k]["trades"]]
    if not hits:
        firms = ", ".join(f"{k} {c['name']}" for k, c in _CONTRACTORS.items())
        raise ToolError(f"No contractor fits. Firms: {firms}.")
    return [
        {"contractor_id": k, **_CONTRACTORS[k], "trades": ", ".join(_CONTRACTORS[k]["trades"])} for k in hits
    ]


@tool
def keys_for(ref: str) -> list[dict]:
    """Spare keys in the key cabinet: tag, what they open, hook, copies, who has them and until when.

    Args:
        ref: A flat's ref, a block's name or slug (rooms of the building), or a key tag such as green-12.
    """
    tag, flat = _by_id(ref, _KEYS), _by_id(ref, _FLATS)
    block = next(iter([] if tag or flat else _named(ref, {k: b["name"] for k, b in _BLOCKS.items()})), _by_id(ref, _BLOCKS))
    rows = [{"tag": k, **v} for k, v in _KEYS.items() if k == tag or v["place"] in (flat, block)]
    if not rows:
        raise ToolError(f"No keys for {ref!r}. Give a flat such as TH/03, a block such as tansy-house, or a tag such as green-12.")
    return rows


@tool
def meter_history(meter: str, since: str | None = None) -> dict:
    """Month-end readings of one meter since September 2030.

    Args:
        meter: Meter number as on the flat's card (a letter and digit, a dash, digits).
        since: Only readings from this day on, YYYY-MM-DD.
    """
    key = _by_id(meter, _DATA["meters"])
    if not key:
        raise ToolError(f"There is no meter {meter!r}. The meters of a flat are on its flat_card.")
    found = _DATA["meters"][key]
    start = _day(since, "since") if since else ""
    return {"meter": key, **found, "readings": [r for r in found["readings"] if r["date"] >= start]}


@tool
def staff_lookup(who: str) -> dict:
    """Someone of our own staff: role, mobile, extension, working hours, first aider, deputy.

    Args:
        who: Name, part of the name, or staff number.
    """
    one = _by_id(who, _STAFF)
    hits = [one] if one else _named(who, {k: s["name"] for k, s in _STAFF.items()})
    if len(hits) != 1:
        nobody = f"Nobody on our staff fits {who!r}. Tenants are in search_tenants, firms in find_contractor."
        raise ToolError(f"More than one fits: {', '.join(_STAFF[k]['name'] for k in hits)}." if hits else nobody)
    return {"staff_no": hits[0], **_STAFF[hits[0]]}


@tool
def tenants_handbook(topic: str) -> str:
    """The rules for tenants on a topic: pets, noise, lockout, arrears, repair times, notice, parking, guests and so on.

    Args:
        topic: The topic in a word or two.
    """
    words = set(_plain(topic).split())
    rules = _DATA["rules"]
    scores = {
        k: 3 * (k in _plain(topic)) + len(words & set(_plain(f"{k} {h['title']} {h['words']}").split()))
        for k, h in rules.items()
    }
    best = max(scores.values())
    if not best:
        raise ToolError(f"Nothing on {topic!r}. Topics: {', '.join(rules)}.")
    return "\n".join(f"{h['title']}: {h['text']}" for k, h in rules.items() if scores[k] == best)


@tool(effect="write")
def book_repair_visit(ticket: str, contractor_id: str, date: str, slot: Literal["morning", "afternoon"]) -> dict:
    """Book a contractor's visit for a repair that is reported or assigned, or move one that is booked.

    Args:
        ticket: Ticket number.
        contractor_id: Number of the firm, such as C-07. Names are not accepted.
        date: YYYY-MM-DD
        slot: Morning or afternoon.
    """
    no, firm, day = _ticket(ticket), _by_id(contractor_id, _CONTRACTORS), _day(date, "date")
    if not firm:
        raise ToolError(f"There is no contractor {contractor_id!r}: numbers look like C-07. find_contractor finds them.")
    row = _TICKETS[no]
    if row["status"] == "completed":
        raise ToolError(f"{no} was completed on {row['completed']}; report a new repair instead.")
    if row["trade"] not in _CONTRACTORS[firm]["trades"]:
        fit = ", ".join(f"{k} {c['name']}" for k, c in _CONTRACTORS.items() if row["trade"] in c["trades"])
        raise ToolError(f"{firm} does no {row['trade']}, which {no} needs. Firms for it: {fit}.")
    return {
        "visit_no": f"V{_slip(no, firm, day, slot)}",
        "ticket": no,
        "flat": row["flat"],
        "contractor": _CONTRACTORS[firm]["name"],
        "date": day,
        "slot": slot,
        "was": f"{row['visit']} {row['slot']}" if row["visit"] else None,
    }


@tool(effect="write")
def report_repair(flat_ref: str, trade: Trade, what: str, urgency: Literal["emergency", "urgent", "routine"] = "routine") -> dict:
    """Open a new repair ticket for a flat.

    Args:
        flat_ref: The flat's ref.
        trade: Who has to come.
        what: What is wrong, in a few words.
        urgency: How soon.
    """
    ref = _flat(flat_ref)
    due = {"emergency": "4 hours", "urgent": "5 working days", "routine": "28 days"}[urgency]
    return {"ticket": f"R31-{_slip('repair', ref, trade)}", "flat": ref, "trade": trade, "urgency": urgency, "due_within": due}


@tool(effect="write")
def hand_out_key(tag: str, holder: str, back_by: str, copies: int = 1) -> dict:
    """Sign a spare key out to a contractor or a member of staff.

    Args:
        tag: Tag of the key.
        holder: Contractor's number (C-07) or staff number (q14), not a name.
        back_by: Day it must be back, YYYY-MM-DD.
        copies: How many copies of the key.
    """
    key, day = _by_id(tag, _KEYS), _day(back_by, "back_by")
    who = _by_id(holder, _CONTRACTORS) or _by_id(holder, _STAFF)
    if not key:
        raise ToolError(f"There is no key tag {tag!r}. keys_for lists the keys of a flat or a block.")
    if not who:
        raise ToolError(f"{holder!r} is no contractor's or staff number. find_contractor and staff_lookup tell the number of a name.")
    row = _KEYS[key]
    if row["out_to"]:
        raise ToolError(f"{key} is out to {row['out_to']} until {row['back_by']}.")
    if not 1 <= copies <= row["copies"]:
        raise ToolError(f"There are {row['copies']} copies of {key}.")
    return {"slip": f"KS{_slip(key, who, day)}", "tag": key, "place": row["place"], "hook": row["hook"], "holder": who, "back_by": day}
