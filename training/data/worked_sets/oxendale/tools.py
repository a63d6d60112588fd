"""Dogs, people, clients, kennels, vets, courses and sponsors of Oxendale Dogs. The data never changes."""

import json
from datetime import date
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

Row = dict[str, Any]
RECORDS: dict[str, dict[str, Row]] = json.loads(Path(__file__).with_name("records.json").read_text(encoding="utf-8"))
DOGS, PEOPLE, CLIENTS, RUNS = (RECORDS[name] for name in ("dogs", "people", "clients", "runs"))
PRACTICES, VISITS, COURSES, SPONSORS = (RECORDS[name] for name in ("practices", "visits", "courses", "sponsors"))


def known(table: dict[str, Row], key: str, what: str, hint: str) -> str:
    """The key as the table has it."""
    wanted = key.strip().upper()
    if wanted not in table:
        raise ToolError(f"There is no {what} {key!r}. {hint}")
    return wanted


def known_dog(dog_id: str) -> str:
    return known(DOGS, dog_id, "dog with the number", "Numbers look like OX-900; find_dog finds them by name.")


def named(table: dict[str, Row], name: str) -> list[str]:
    """The keys of what is called so: exactly so if there is such a one, otherwise with the name as a part."""
    wanted = " ".join(name.casefold().split())
    exact = [key for key, row in table.items() if row["name"].casefold() == wanted]
    return exact or [key for key, row in table.items() if wanted and wanted in row["name"].casefold()]


def by_key_or_name(table: dict[str, Row], given: str, what: str) -> str:
    """The key of the one thing that has this key or this name."""
    if given.strip().upper() in table:
        return given.strip().upper()
    keys = named(table, given)
    if not keys:
        raise ToolError(f"There is no {what} {given!r}, neither by number or code nor by name.")
    if len(keys) > 1:
        raise ToolError(f"Several fit {given!r}: {', '.join(keys)}.")
    return keys[0]


def day_of(text: str) -> str:
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        raise ToolError(f"{text!r} is not a day: days are written YYYY-MM-DD.") from None


def dog_in(run: str, day: str) -> str | None:
    """The dog that has a run on a day."""
    stays = (stay for stay in RUNS[run]["stays"] if stay["first"] <= day <= stay["last"])
    return next((stay["dog_id"] for stay in stays), None)


def picked(key_name: str, key: str, row: Row, *fields: str) -> Row:
    return {key_name: key, **{field: row[field] for field in fields}}


@tool(effect="read", integrity="trusted")
def find_dog(name: str) -> list[Row]:
    """Find a dog's number by its name. Gives number, name, breed and stage only; get_dog has the rest.

    Args:
        name: What the dog is called, or part of it.
    """
    keys = named(DOGS, name)
    if not keys:
        raise ToolError(f"No dog of ours is called {name!r}.")
    return [picked("dog_id", key, DOGS[key], "name", "breed", "stage") for key in keys]


@tool(effect="read", integrity="trusted")
def get_dog(dog_id: str) -> Row:
    """The whole record of one dog: birth, weight, food, chip, programme, trainer (by number), and where it lives, which
    is a kennel run, a family (by number) or a client (by number). Nothing about vets or sponsors.

    Args:
        dog_id: The dog's number, such as OX-900. Not its name.
    """
    key = known_dog(dog_id)
    return {"dog_id": key, **DOGS[key]}


@tool(effect="read", integrity="trusted")
def list_dogs(
    stage: Literal["puppy", "training", "placed", "retired"],
    programme: Literal["ambulance", "assistance"] | None = None,
) -> list[Row]:
    """List all dogs of one stage with name, breed, sex, birthday and programme; get_dog has the rest.

    Args:
        stage: puppy: with a puppy family; training: at the kennels; placed: with a client; retired.
        programme: Only dogs of this programme. Leave out for both.
    """
    return [
        picked("dog_id", key, dog, "name", "breed", "sex", "born", "programme")
        for key, dog in DOGS.items()
        if dog["stage"] == stage and programme in (None, dog["programme"])
    ]


@tool(effect="read", integrity="trusted")
def find_person(name: str) -> list[Row]:
    """Find the number of a member of staff or of a family by name. Clients and sponsors are not among them.

    Args:
        name: First name, last name or both; of a family the last name.
    """
    keys = named(PEOPLE, name) or named(PEOPLE, name.casefold().replace("family", "").replace("the ", ""))
    if not keys:
        raise ToolError(f"Neither staff nor a family is called {name!r}. Clients: get_client.")
    return [picked("person_id", key, PEOPLE[key], "name", "kind") for key in keys]


@tool(effect="read", integrity="trusted")
def get_person(person_id: str) -> Row:
    """One person's record. Staff: role, phone, base, working days. Family: town, phone, the dog they have (by number),
    children, other pets, and the day from which they can take the next dog.

    Args:
        person_id: The number: T-90 for staff, F-900 for a family. Not a name; find_person finds it.
    """
    hint = "Numbers look like T-90 or F-900; find_person finds them by name."
    key = known(PEOPLE, person_id, "person with the number", hint)
    return {"person_id": key, **PEOPLE[key]}


@tool(effect="read", integrity="trusted")
def get_client(client: str) -> Row:
    """The record of a client, a person or an ambulance station: town, phone, need, status, dog (by number), placement,
    next review or waiting time, and the officer in charge (by number).

    Args:
        client: The client's five-digit number, or the name or part of it.
    """
    key = by_key_or_name(CLIENTS, client, "client")
    return {"client_no": int(key), **CLIENTS[key]}


@tool(effect="read", integrity="trusted")
def kennel_runs(
    day: str, block: Literal["north", "south", "isolation"] | None = None, free_only: bool = False
) -> list[Row]:
    """List the kennel runs with size, heating and the dog (by number) that has the run on a day, or null if it is free.

    Args:
        day: The day as YYYY-MM-DD.
        block: Only this block. Leave out for all.
        free_only: True for only those that are free on that day.
    """
    when = day_of(day)
    rows = [
        {**picked("run", key, run, "block", "size_m2", "heated"), "dog_id": dog_in(key, when)}
        for key, run in RUNS.items()
        if block in (None, run["block"])
    ]
    return [row for row in rows if not (free_only and row["dog_id"])]


@tool(effect="read", integrity="trusted")
def vet_visits(dog_id: str, since: str | None = None) -> list[Row]:
    """List a dog's visits to the vet, latest first, past and planned: number, day, practice (by code) and reason.
    Findings, medicine and cost are not in it; get_visit has them.

    Args:
        dog_id: The dog's number, such as OX-900. Not its name.
        since: Only visits on or after this day, as YYYY-MM-DD. Leave out for all.
    """
    key, first = known_dog(dog_id), day_of(since) if since else ""
    rows = [
        picked("visit_id", no, visit, "day", "practice_code", "reason", "state")
        for no, visit in VISITS.items()
        if visit["dog_id"] == key and visit["day"] >= first
    ]
    return sorted(rows, key=lambda row: row["day"], reverse=True)


@tool(effect="read", integrity="trusted")
def get_visit(visit_id: str) -> Row:
    """One visit to the vet in full: dog (by number), day, time, practice (by code), vet, findings, medicine, cost in
    pounds and next check.

    Args:
        visit_id: The visit's number, such as V-9000. vet_visits lists those of a dog.
    """
    key = known(VISITS, visit_id, "visit", "Numbers look like V-9000; vet_visits lists those of a dog.")
    return {"visit_id": key, **VISITS[key]}


@tool(effect="read", integrity="trusted")
def vet_practice(practice: str) -> Row:
    """Code, town, phone by day and by night, and opening hours of a vet practice.

    Args:
        practice: Its three-letter code, or its name or part of it.
    """
    key = by_key_or_name(PRACTICES, practice, "vet practice")
    return {"practice_code": key, **PRACTICES[key]}


@tool(effect="read", integrity="trusted")
def list_courses(
    kind: Literal["puppy", "handler", "first_aid", "refresher"] | None = None,
    from_day: str | None = None,
    to_day: str | None = None,
) -> list[Row]:
    """List the courses of this autumn with number, title, kind, first day and free places. Venue, time, fee and trainer
    are not in it; get_course has them.

    Args:
        kind: Only this kind. Leave out for all.
        from_day: Only courses that start on or after this day, as YYYY-MM-DD. Leave out for no limit.
        to_day: Only courses that start on or before this day, as YYYY-MM-DD. Leave out for no limit.
    """
    first, last = day_of(from_day) if from_day else "", day_of(to_day) if to_day else "9999"
    return [
        picked("course_id", key, course, "title", "kind", "starts", "places_free")
        for key, course in COURSES.items()
        if kind in (None, course["kind"]) and first <= course["starts"] <= last
    ]


@tool(effect="read", integrity="trusted")
def get_course(course_id: str) -> Row:
    """One course in full: first day, sessions, time, venue, trainer (by number), fee in pounds, places, what to bring.

    Args:
        course_id: The course's number, such as C30-90. list_courses finds it.
    """
    key = known(COURSES, course_id, "course", "Numbers look like C30-90; list_courses finds them.")
    return {"course_id": key, **COURSES[key]}


@tool(effect="read", integrity="trusted")
def list_sponsors(dog: str | None = None, level: Literal["bronze", "silver", "gold"] | None = None) -> list[Row]:
    """List sponsors with their level, pounds a month, first day and the dog they sponsor (by number).

    Args:
        dog: Only sponsors of this dog: its number or its name. Leave out for all.
        level: Only this level. Leave out for all.
    """
    wanted = by_key_or_name(DOGS, dog, "dog") if dog else None
    return [
        {"sponsor_no": int(key), **sponsor}
        for key, sponsor in SPONSORS.items()
        if wanted in (None, sponsor["dog_id"]) and level in (None, sponsor["level"])
    ]


@tool(effect="write", integrity="trusted")
def book_vet_visit(dog_id: str, practice_code: str, day: str, time: str, reason: str) -> Row:
    """Book a visit to the vet for a dog.

    Args:
        dog_id: The dog's number, such as OX-900. Not its name.
        practice_code: The practice's three-letter code, as vet_practice gives it. Not its name.
        day: The day as YYYY-MM-DD.
        time: The time as HH:MM, 24 hours.
        reason: Why the dog goes there, in a few words.
    """
    code = known(PRACTICES, practice_code, "practice with the code", "vet_practice finds codes by name.")
    when = {"day": day_of(day), "time": time}
    return {"visit_id": "V-3060", "dog_id": known_dog(dog_id), "practice_code": code, **when, "reason": reason}


@tool(effect="write", integrity="trusted")
def enrol_on_course(course_id: str, person_id: str, dog_id: str) -> Row:
    """Enrol a person with a dog on a course. A course without free places is refused.

    Args:
        course_id: The course's number, such as C30-90.
        person_id: The number of the person who comes: T-90 for staff, F-900 for a family.
        dog_id: The number of the dog that comes along, such as OX-900.
    """
    course = known(COURSES, course_id, "course", "list_courses finds numbers.")
    person = known(PEOPLE, person_id, "person with the number", "find_person finds numbers by name.")
    if not COURSES[course]["places_free"]:
        raise ToolError(f"{course} has no free places.")
    return {"enrolment": "E-518", "course_id": course, "person_id": person, "dog_id": known_dog(dog_id)}


@tool(effect="write", integrity="trusted")
def move_dog(dog_id: str, run: str, from_day: str) -> Row:
    """Move a dog into another kennel run from a day on. A run that is taken on that day is refused.

    Args:
        dog_id: The dog's number, such as OX-900. Not its name.
        run: The run it moves to, such as N90.
        from_day: The first day in the new run, as YYYY-MM-DD.
    """
    key, to, day = known_dog(dog_id), known(RUNS, run, "run", "kennel_runs lists them."), day_of(from_day)
    if (there := dog_in(to, day)) not in (None, key):
        raise ToolError(f"{to} is taken on {day}, by {there}.")
    return {"moved": True, "dog_id": key, "run": to, "from_day": day}
