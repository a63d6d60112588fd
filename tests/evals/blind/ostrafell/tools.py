"""The tools of the Ostrafell film archive, over the fixed data in records.json."""

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

DATA = json.loads((Path(__file__).parent / "records.json").read_text("utf-8"))


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise ToolError(f"{text!r} is not a day: give it as YYYY-MM-DD, such as 2033-10-20.") from None


def _in_words(day: date) -> str:
    return f"{day:%A} {day.day} {day:%B %Y}"


def _get(table: str, key: str, ident: str, what: str, example: str, remedy: str) -> dict:
    wanted = ident.strip().upper()
    for row in DATA[table]:
        if row[key] == wanted:
            return row
    raise ToolError(f"There is no {what} {ident!r}: ids look like {example}. {remedy}")


def _words(text: str) -> list[str]:
    return text.replace("\u2019", "'").lower().split()


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(" | ".join(row) for row in [head, *rows])


@tool(effect="read", integrity="trusted")
def find_film(text: str) -> list[dict]:
    """Finds films of the archive by title or director, or a part of either. Returns a list of films with film_id, title,
    director and year. Everything else about a film is in film_record.

    Args:
        text: Words of the title or of the director's name, such as "ferry" or "Ardelin".
    """
    words = _words(text)
    if not words:
        raise ToolError("Nothing to search for: give a word of the title or of the director's name.")
    found = [
        {key: film[key] for key in ("film_id", "title", "director", "year")}
        for film in DATA["films"]
        if all(word in f"{film['title']} {film['director']}".lower() for word in words)
    ]
    if not found:
        raise ToolError(f"No film matches {text!r}: try a single word of the title or the director's last name.")
    return found


@tool(effect="read", integrity="trusted")
def film_record(film_id: str) -> dict:
    """The record of one film: title, director, year, running time in minutes, colour, sound, the id of its rights
    holder (holder_id) and the ids of our prints of it (print_ids).

    Args:
        film_id: The film's id, such as F-102. find_film gives it for a title.
    """
    return _get("films", "film_id", film_id, "film", "F-102", "find_film gives the id for a title.")


@tool(effect="read", integrity="trusted")
def print_record(print_id: str) -> dict:
    """The record of one print (copy on reels): its film, gauge, base, number of reels, length in metres, condition,
    shrinkage in percent, vault and shelf, insured value in euros, and the id of the loan it is away on, if any.

    Args:
        print_id: The print's id, such as P-303. film_record lists the prints of a film.
    """
    return _get("prints", "print_id", print_id, "print", "P-303", "film_record lists the prints of a film.")


@tool(effect="read", integrity="trusted")
def rights_holder(holder_id: str) -> dict:
    """Who holds the rights to films: name, contact person, email, fee per screening in euros and how many days they
    usually take to reply.

    Args:
        holder_id: The rights holder's id, such as H-02. film_record has the holder_id of a film.
    """
    return _get("holders", "holder_id", holder_id, "rights holder", "H-02", "film_record has the holder_id of a film.")


@tool(effect="read", integrity="trusted")
def list_loans(status: str = "") -> str:
    """The loans of prints to festivals as a table: loan, print id, title, festival, the day it goes out, the day it is
    due back, and status. Sorted by loan id.

    Args:
        status: Only loans of this status: requested, out, overdue or returned. Empty for all.
    """
    wanted = status.strip().lower()
    if wanted not in ("", "requested", "out", "overdue", "returned"):
        raise ToolError(f"There is no status {status!r}: use requested, out, overdue or returned, or leave it empty.")
    titles = {each["print_id"]: each["title"] for each in DATA["prints"]}
    rows = [
        [loan["loan_id"], loan["print_id"], titles[loan["print_id"]], loan["festival"], loan["out"], loan["due"], loan["status"]]
        for loan in DATA["loans"]
        if wanted in ("", loan["status"])
    ]
    return _table(["loan", "print", "title", "festival", "out", "due back", "status"], rows)


@tool(effect="read", integrity="trusted")
def loan_price(print_id: str, screenings: int) -> str:
    """What a festival pays for the loan of a print, with handling and insurance, in euros.

    Args:
        print_id: The print's id, such as P-303.
        screenings: How many times the festival will screen it, 1 to 20.
    """
    found = _get("prints", "print_id", print_id, "print", "P-303", "film_record lists the prints of a film.")
    if not 1 <= screenings <= 20:
        raise ToolError(f"{screenings} screenings are not possible: give a number from 1 to 20.")
    if found["base"] == "nitrate":
        raise ToolError(f"{found['print_id']} is nitrate and is never lent: choose another print of {found['film_id']}.")
    price = DATA["prices"][found["print_id"]]
    total = price["handling"] + price["rate"] * screenings + price["insurance"]
    return (
        f"{found['print_id']} ({found['title']}, {found['gauge']}), {screenings} screening{'s' * (screenings > 1)}: "
        f"{total} EUR in all (handling {price['handling']}, {price['rate']} per screening, insurance {price['insurance']})."
    )


@tool(effect="read", integrity="trusted")
def programme(first_day: str, days: int = 1) -> str:
    """What the cinema shows on a day or on several days in a row, as a table: screening id, day, time, hall, title.
    Prices and seats are in screening_record.

    Args:
        first_day: The first day, as YYYY-MM-DD, such as 2033-10-20.
        days: How many days from then on, 1 to 7.
    """
    first = _day(first_day)
    if not 1 <= days <= 7:
        raise ToolError(f"{days} days are not possible: give a number from 1 to 7, and ask again for later days.")
    wanted = {(first + timedelta(days=number)).isoformat() for number in range(days)}
    titles = {film["film_id"]: film["title"] for film in DATA["films"]}
    rows = [
        [each["screening_id"], f"{date.fromisoformat(each['day']):%a} {each['day']}", each["time"], each["hall"], titles[each["film_id"]]]
        for each in DATA["screenings"]
        if each["day"] in wanted
    ]
    if not rows:
        return f"No screenings from {first.isoformat()}, {days} day{'s' * (days > 1)}. The programme runs from 2033-10-11 to 2033-10-30."
    return _table(["screening", "day", "time", "hall", "title"], rows)


@tool(effect="read", integrity="trusted")
def screening_record(screening_id: str) -> dict:
    """The record of one screening: day, time, hall, film, what is shown (a print or a digital copy), the ids of the
    projector and of the volunteer who projects, the price of a ticket in euros, and seats in all, sold and free.

    Args:
        screening_id: The screening's id, such as S-735. programme gives it for a day.
    """
    found = _get("screenings", "screening_id", screening_id, "screening", "S-735", "programme gives the ids of a day.")
    title = next(film["title"] for film in DATA["films"] if film["film_id"] == found["film_id"])
    return {**found, "title": title, "seats_free": found["seats"] - found["seats_sold"]}


@tool(effect="read", integrity="trusted")
def projector_status(projector_id: str) -> str:
    """How a projector is doing, in a few sentences: where it stands, the hours of its lamp and their limit, its last
    and next service, and any open fault.

    Args:
        projector_id: The projector's id, such as PR-2. screening_record has the projector of a screening.
    """
    found = _get("projectors", "projector_id", projector_id, "projector", "PR-2", "screening_record has the projector of a screening.")
    fault = f"Open fault: {found['fault']}." if found["fault"] else "No open faults."
    return (
        f"{found['projector_id']} ({found['model']}, {found['gauge']}) stands in the {found['hall']}. Its lamp has run "
        f"{found['lamp_hours']} of at most {found['lamp_limit']} hours. Last service {found['last_service']}, next "
        f"service {found['next_service']}. {fault}"
    )


@tool(effect="read", integrity="trusted")
def find_volunteer(name: str) -> list[dict]:
    """Finds volunteers by name or a part of it. Returns a list with volunteer_id, name and role. Phone numbers, hours and
    shifts are in volunteer_record.

    Args:
        name: A first or last name, or a part of it, such as "Farrow".
    """
    words = _words(name)
    if not words:
        raise ToolError("Nothing to search for: give a first or last name.")
    found = [
        {key: each[key] for key in ("volunteer_id", "name", "role")}
        for each in DATA["volunteers"]
        if all(word in each["name"].lower() for word in words)
    ]
    if not found:
        raise ToolError(f"No volunteer is called {name!r}: try the last name alone, or a part of it.")
    return found


@tool(effect="read", integrity="trusted")
def volunteer_record(volunteer_id: str) -> dict:
    """The record of one volunteer: name, role, phone, hours worked this year, and the shifts they already have.

    Args:
        volunteer_id: The volunteer's id, such as V-22. find_volunteer gives it for a name.
    """
    return _get("volunteers", "volunteer_id", volunteer_id, "volunteer", "V-22", "find_volunteer gives the id for a name.")


@tool(effect="read", integrity="trusted")
def vault_climate(vault: str, month: str) -> dict:
    """The climate readings of a vault in a month: average and highest temperature in degrees Celsius, average and
    highest relative humidity in percent, the day of the highest temperature, and how many alarms there were.

    Args:
        vault: The vault's letter: A (nitrate), B (acetate) or C (polyester).
        month: The month, as YYYY-MM, such as 2033-05.
    """
    letter = vault.strip().upper().removeprefix("VAULT").strip()
    if letter not in ("A", "B", "C"):
        raise ToolError(f"There is no vault {vault!r}: use A, B or C.")
    for row in DATA["climate"]:
        if row["vault"] == letter and row["month"] == month.strip():
            return row
    raise ToolError(f"There are no readings for {month!r}: give a month from 2033-04 to 2033-10 as YYYY-MM.")


@tool(effect="read", integrity="trusted")
def list_restorations(stage: str = "") -> list[dict]:
    """The restorations of films: a list with id, film_id, title, stage, who leads it, budget in euros and
    the day it is due.

    Args:
        stage: Only those in this stage: inspection, scanning, grading, sound or finished. Empty for all.
    """
    wanted = stage.strip().lower()
    if wanted not in ("", "inspection", "scanning", "grading", "sound", "finished"):
        raise ToolError(f"There is no stage {stage!r}: use inspection, scanning, grading, sound or finished, or leave it empty.")
    titles = {film["film_id"]: film["title"] for film in DATA["films"]}
    return [
        {"id": each["restoration_id"], "film_id": each["film_id"], "title": titles[each["film_id"]], "stage": each["stage"],
         "lead": each["lead"], "budget": each["budget"], "due": each["due"]}
        for each in DATA["restorations"]
        if wanted in ("", each["stage"])
    ]


@tool(effect="write", integrity="trusted")
def book_seats(screening_id: str, seats: int, name: str) -> str:
    """Books seats for a screening in somebody's name. Returns the booking and what it costs in euros.

    Args:
        screening_id: The screening's id, such as S-735. programme gives it for a day.
        seats: How many seats, 1 to 10.
        name: The name that the seats are booked under.
    """
    found = _get("screenings", "screening_id", screening_id, "screening", "S-735", "programme gives the ids of a day.")
    free = found["seats"] - found["seats_sold"]
    if not name.strip():
        raise ToolError("A booking needs a name: ask under which name the seats should be booked.")
    if not 1 <= seats <= 10:
        raise ToolError(f"{seats} seats cannot be booked at once: give a number from 1 to 10.")
    if found["day"] < DATA["today"]:
        raise ToolError(f"{found['screening_id']} was on {found['day']}: choose a later screening.")
    if seats > free:
        raise ToolError(f"{found['screening_id']} has only {free} seats left: book fewer, or choose another screening.")
    title = next(film["title"] for film in DATA["films"] if film["film_id"] == found["film_id"])
    return (
        f"Booked: {seats} seat{'s' * (seats > 1)} for {title} ({found['screening_id']}) on {_in_words(_day(found['day']))} at "
        f"{found['time']}, name {name.strip()}, {seats * found['price_eur']:.2f} EUR in all."
    )


@tool(effect="write", integrity="trusted")
def add_shift(volunteer_id: str, day: str, shift: Literal["morning", "afternoon", "evening"]) -> str:
    """Puts a volunteer on the rota for one shift. Returns the shift as it was entered.

    Args:
        volunteer_id: The volunteer's id, such as V-22. find_volunteer gives it for a name.
        day: The day of the shift, as YYYY-MM-DD, such as 2033-10-20.
        shift: Which shift: morning, afternoon or evening.
    """
    found = _get("volunteers", "volunteer_id", volunteer_id, "volunteer", "V-22", "find_volunteer gives the id for a name.")
    when = _day(day)
    if when.isoformat() < DATA["today"]:
        raise ToolError(f"{day} is past: give a day from {DATA['today']} on.")
    if when.weekday() == 0:
        raise ToolError(f"{day} is a Monday, when the house is closed: choose another day.")
    if f"{when.isoformat()} {shift}" in found["shifts"]:
        raise ToolError(f"{found['name']} already has the {shift} shift on {when.isoformat()}: nothing to do.")
    return f"Entered: {found['name']} ({found['volunteer_id']}) has the {shift} shift on {_in_words(when)}."
