"""Desk of the Hexworth County Archive and Record Office. The data never changes."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

DATA = json.loads(Path(__file__).with_name("records.json").read_text(encoding="utf-8"))
GENERIC = {"papers", "records", "archive", "archives", "collection", "documents", "files", "the", "and"}
TITLES = {"mr", "mrs", "ms", "miss", "dr", "prof", "herr", "frau"}

Record = dict[str, object]
Half = Literal["morning", "afternoon"]
Treated = Literal["any", "planned", "in work", "done"]
Asked = Literal["any", "waiting", "in use", "returned", "refused"]
Seats = Literal["any", "table", "laptop", "map table", "film reader"]
Kind = Literal["any", "volume", "papers", "map", "photograph", "roll", "film"]
Copy = Literal["scan", "print", "photo"]
Visit = Literal["annual ticket", "day ticket", "camera permit", "group visit"]
Service = Literal[Visit, Copy, "certified copy", "research", "postage"]


def plain(text: str) -> str:
    return text.replace("’", "'").strip().casefold()


def words_of(text: str) -> list[str]:
    return [word.removesuffix("'s") for word in re.findall(r"[\w'-]+", plain(text))]


def known(table: str, key: str) -> tuple[str, Record]:
    key = key.strip().upper()
    if key not in DATA[table]:
        raise ToolError(f"{key!r} is not known: {DATA['hints'][table]}")
    return key, DATA[table][key]


def without(key: str, one: Record) -> Record:
    return {name: value for name, value in one.items() if name != key}


def valid_ticket(ticket: str, day: str) -> str:
    key, reader = known("readers", ticket)
    if str(reader["valid_until"]) < day:
        raise ToolError(f"Ticket {key} of {reader['name']} expired on {reader['valid_until']}.")
    return key


def read_day(text: str) -> date:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise ToolError(f"{text!r} is not a day: write it as YYYY-MM-DD.") from None


def sheet_of(text: str) -> Record:
    day = read_day(text)
    weekday = day.strftime("%A")
    sheet: Record = {"day": day.isoformat(), "weekday": weekday}
    special = DATA["special_days"].get(day.isoformat(), {})
    if weekday not in DATA["week"] or "closed" in special:
        return sheet | {"open": False, "why": special.get("closed", "closing day")}
    return sheet | {"open": True} | DATA["week"][weekday] | special


def open_day(text: str, half: str = "") -> str:
    sheet = sheet_of(text)
    if not sheet["open"]:
        raise ToolError(f"The reading room is closed on {sheet['weekday']}, {sheet['day']}: {sheet['why']}.")
    too_late = half == "afternoon" and str(sheet["closes"]) <= "13:00"
    if too_late or (half == "morning" and str(sheet["opens"]) > "12:00"):
        raise ToolError(f"On {sheet['day']} the reading room is open from {sheet['opens']} to {sheet['closes']} only.")
    return str(sheet["day"])


@tool(effect="read", integrity="trusted")
def search_collections(words: str) -> list[Record]:
    """Find the reference of a collection by what it is called or what it is about. Gives reference and title only.

    Args:
        words: One or two English words of its name or subject: a family, place, firm, parish, trade.
    """
    wanted = [word for word in words_of(words) if len(word) > 2 and word not in GENERIC]
    hits = {}
    for ref, one in DATA["collections"].items():
        text = plain(f"{one['title']} {one['about']}")
        hits[ref] = sum(word.removesuffix("s") in text for word in wanted)
    best = max(hits.values())
    if not best:
        raise ToolError(f"No collection fits {words!r}: try one other word of its name or subject.")
    return [{"collection": ref, "title": DATA["collections"][ref]["title"]} for ref in hits if hits[ref] == best]


@tool(effect="read", integrity="trusted")
def collection_details(collection: str) -> Record:
    """A whole collection: years, depositor, year received, number of boxes, access, archivist in charge. Not its items.

    Args:
        collection: Its reference, such as D901; not its name.
    """
    ref, one = known("collections", collection)
    return {"collection": ref, **without("about", one)}


@tool(effect="read", integrity="trusted")
def list_items(collection: str, kind: Kind = "any") -> list[Record]:
    """The items of a collection with reference, title, year and kind. For box, condition or status use item_record.

    Args:
        collection: The collection's reference, such as D901; not its name.
        kind: Only items of this kind; volume: books and registers, papers: letters and loose sheets, map: also plans.
    """
    start = known("collections", collection)[0] + "/"
    rows = [(key, one) for key, one in DATA["items"].items() if key.startswith(start) and kind in ("any", one["kind"])]
    return [{"item": key, "title": one["title"], "year": one["year"], "kind": one["kind"]} for key, one in rows]


@tool(effect="read", integrity="trusted")
def item_record(item: str) -> Record:
    """One item: title, year, box number, condition, which copies are allowed, and whether it is available, on loan, in
    conservation or closed. Does not tell where the box stands.

    Args:
        item: Its reference (shelfmark), such as D901/4.
    """
    ref, one = known("items", item)
    return {"item": ref, **one}


@tool(effect="read", integrity="trusted")
def box_location(box: str) -> Record:
    """Strongroom, bay and shelf where a box stands, its weight and the items in it.

    Args:
        box: The box number, such as BX-9001; item_record has it for an item.
    """
    ref, one = known("boxes", box)
    return {"box": ref, **one}


@tool(effect="read", integrity="trusted")
def reader_record(reader: str) -> Record:
    """A reader's ticket number, name, town, phone, kind of ticket and until when it is valid. Not requests or copies.

    Args:
        reader: The ticket number, such as HX9001, or the reader's name.
    """
    key = reader.strip().upper()
    if key in DATA["readers"]:
        return {"ticket": key, **DATA["readers"][key]}
    wanted = [word for word in words_of(reader) if word not in TITLES] or [key]
    rows = [{"ticket": ticket, **one} for ticket, one in DATA["readers"].items()]
    found = [one for one in rows if all(word in plain(one["name"]) for word in wanted)]
    if len(found) == 1:
        return found[0]
    several = ", ".join(f"{one['name']} ({one['ticket']})" for one in found)
    if several:
        raise ToolError(f"Several readers fit {reader!r}: {several}. Which one is meant?")
    raise ToolError(f"No reader fits {reader!r}: give a ticket number such as HX9001, or a name.")


@tool(effect="read", integrity="trusted")
def list_requests(day: str, state: Asked = "any") -> list[Record]:
    """Everyone's requests for documents in the reading room on a day: number, time, item, ticket, seat and state.

    Args:
        day: The day, as YYYY-MM-DD.
        state: Only requests in this state; waiting: not yet fetched, in use: with the reader.
    """
    wanted = read_day(day).isoformat()
    rows = [one for one in DATA["requests"] if one["day"] == wanted and state in ("any", one["state"])]
    return [without("day", one) for one in rows]


@tool(effect="write", integrity="trusted")
def request_document(item: str, ticket: str, day: str) -> Record:
    """Request an item for a reader, to be fetched for the reading room on a day. Does not book a seat.

    Args:
        item: The item's reference, such as D901/4.
        ticket: The reader's ticket number, such as HX9001; not the name.
        day: The day, as YYYY-MM-DD.
    """
    ref, one = known("items", item)
    when = open_day(day)
    if one["status"] != "available":
        raise ToolError(f"{ref} cannot be requested: it is {one['status']}.")
    return {"request": "REQ-7790", "item": ref, "ticket": valid_ticket(ticket, when), "day": when, "state": "waiting"}


@tool(effect="read", integrity="trusted")
def free_seats(day: str, half: Half, kind: Seats = "any") -> list[Record]:
    """Seats of the reading room that are free in one half of a day, with kind and whether they are by the window.

    Args:
        day: The day, as YYYY-MM-DD.
        half: Morning (until 13:00) or afternoon.
        kind: Only seats of this kind.
    """
    taken = DATA["booked"].get(f"{open_day(day, half)} {half}", [])
    rows = [{"seat": key, **one} for key, one in DATA["seats"].items() if key not in taken]
    return [one for one in rows if kind in ("any", one["kind"])]


@tool(effect="write", integrity="trusted")
def book_seat(seat: str, ticket: str, day: str, half: Half) -> Record:
    """Book a seat of the reading room for a reader, for one half of a day.

    Args:
        seat: The seat, such as A9.
        ticket: The reader's ticket number, such as HX9001; not the name.
        day: The day, as YYYY-MM-DD.
        half: Morning (until 13:00) or afternoon.
    """
    key, _ = known("seats", seat)
    when = open_day(day, half)
    if key in DATA["booked"].get(f"{when} {half}", []):
        raise ToolError(f"Seat {key} is taken on {when} in the {half}: free_seats lists those that are free.")
    return {"booking": "SB-2951", "seat": key, "ticket": valid_ticket(ticket, when), "day": when, "half": half}


@tool(effect="read", integrity="trusted")
def copy_orders(ticket: str) -> list[Record]:
    """The orders for copies of one reader: number, item, form, pages, price, state, day they are or will be ready.

    Args:
        ticket: The reader's ticket number, such as HX9001; not the name.
    """
    key, _ = known("readers", ticket)
    return [without("ticket", one) for one in DATA["copy_orders"] if one["ticket"] == key]


@tool(effect="write", integrity="trusted")
def order_copies(item: str, ticket: str, form: Copy, pages: int) -> Record:
    """Order copies of an item for a reader.

    Args:
        item: The item's reference, such as D901/4.
        ticket: The reader's ticket number, such as HX9001; not the name.
        form: Scan by e-mail, print on paper, or photo in colour.
        pages: How many pages or pictures.
    """
    ref, one = known("items", item)
    key, _ = known("readers", ticket)
    if form not in str(one["copying"]):
        raise ToolError(f"No {form} of {ref} is allowed; allowed: {one['copying']}.")
    pounds = round(pages * DATA["fees"][form][0], 2)
    return {"order": "CO-29-341", "item": ref, "ticket": key, "form": form, "pages": pages, "pounds": pounds}


@tool(effect="read", integrity="trusted")
def list_treatments(state: Treated = "any", conservator: str = "") -> list[Record]:
    """Treatments in the conservation workshop: number, item, conservator, work, state, day it is done by, hours.

    Args:
        state: Only treatments in this state.
        conservator: Only those of this conservator: the name or a part of it. Empty: all.
    """
    rows = [one for one in DATA["treatments"] if state in ("any", one["state"])]
    return [one for one in rows if plain(conservator) in plain(one["conservator"])]


@tool(effect="read", integrity="trusted")
def loan_record(loan: str) -> Record:
    """A loan to an exhibition: borrower, items, when they go out and come back, insured value, courier, state.

    Args:
        loan: The loan's number, such as L-90/01, or the exhibition's title.
    """
    wanted = plain(loan)
    for key, one in DATA["loans"].items():
        title = plain(one["exhibition"])
        if wanted and (wanted == plain(key) or wanted in title or title in wanted):
            return {"loan": key, **one}
    raise ToolError(f"No loan fits {loan!r}: give a number such as L-90/01, or the title of the exhibition.")


@tool(effect="read", integrity="trusted")
def day_sheet(day: str) -> Record:
    """A day at the office: opening hours, time of the last requests, archivist on duty, volunteers with task and hours.

    Args:
        day: The day, as YYYY-MM-DD.
    """
    return sheet_of(day)


@tool(effect="read", integrity="trusted")
def fee(service: Service) -> Record:
    """What a service costs, in pounds, with reductions.

    Args:
        service: The service; scan, print and photo are copies made by us, a camera permit is for one's own pictures.
    """
    pounds, per, note = DATA["fees"][service]
    return {"service": service, "pounds": pounds, "per": per, "note": note}
