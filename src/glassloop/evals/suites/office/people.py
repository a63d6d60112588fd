"""Customers, employees, tickets and notes of the office. The data never changes, and effects change nothing."""

from typing import Literal

from glassloop import ToolError, tool

CUSTOMERS: dict[str, dict[str, object]] = {
    "Meyer GmbH": {"contact": "Anna Meyer", "email": "anna@meyer.example", "city": "Berlin", "since": 2014},
    "Lin Trading": {"contact": "Wei Lin", "email": "wei@lin.example", "city": "Shanghai", "since": 2019},
    "Okafor Ltd": {"contact": "Chidi Okafor", "email": "chidi@okafor.example", "city": "Lagos", "since": 2021},
    "Rossi & Figli": {"contact": "Paolo Rossi", "email": "paolo@rossi.example", "city": "Turin", "since": 2009},
}
EMPLOYEES: dict[str, dict[str, object]] = {
    "Julia Braun": {"department": "purchasing", "extension": 214, "manager": "Tom Weber", "vacation_left": 11},
    "Tom Weber": {"department": "management", "extension": 101, "manager": None, "vacation_left": 4},
    "Priya Nair": {"department": "support", "extension": 330, "manager": "Tom Weber", "vacation_left": 18},
    "Marco Silva": {"department": "warehouse", "extension": 407, "manager": "Julia Braun", "vacation_left": 0},
}
TICKETS: dict[str, dict[str, object]] = {
    "T-501": {"subject": "Printer jams", "priority": "low", "state": "open", "assigned_to": "Priya Nair"},
    "T-517": {"subject": "Cannot log in", "priority": "high", "state": "waiting", "assigned_to": "Priya Nair"},
    "T-533": {"subject": "Invoice sent twice", "priority": "normal", "state": "closed", "assigned_to": "Julia Braun"},
}
NOTES = (
    "Warehouse Madrid is closed for inventory on 2026-03-27.",
    "The alarm code changes every first Monday.",
    "Okafor Ltd wants quarterly invoices from July on.",
    "The coffee machine is serviced by Bean Brothers, phone 555-0142.",
)


def _one(name: str, among: dict[str, dict[str, object]], kind: str) -> tuple[str, dict[str, object]]:
    asked = name.strip().casefold()
    found = [entry for entry in among.items() if asked and asked in f"{entry[0]} {entry[1].get('contact')}".casefold()]
    if len(found) != 1:
        raise ToolError(f"{len(found)} {kind}s are called {name!r}: there are {', '.join(among)}.")
    return found[0]


@tool(effect="read")
async def find_customer(name: str) -> dict[str, object]:
    """A customer's contact person, email address, city, and the year since when they buy.

    Args:
        name: The company or its contact person, or part of the name.
    """
    found, facts = _one(name, CUSTOMERS, "customer")
    return {"company": found, **facts}


@tool(effect="read")
async def find_employee(name: str) -> dict[str, object]:
    """A colleague's department, telephone extension and manager.

    Args:
        name: The colleague's name or part of it.
    """
    found, facts = _one(name, EMPLOYEES, "employee")
    return {"name": found, **{key: value for key, value in facts.items() if key != "vacation_left"}}


@tool(effect="read")
async def get_vacation_days(employee: str) -> dict[str, object]:
    """How many days of vacation a colleague has left this year.

    Args:
        employee: The colleague's name or part of it.
    """
    found, facts = _one(employee, EMPLOYEES, "employee")
    return {"name": found, "days_left": facts["vacation_left"]}


@tool(effect="read")
async def get_ticket(ticket_id: str) -> dict[str, object]:
    """A support ticket: subject, priority, state, and who works on it.

    Args:
        ticket_id: The ticket's number, such as T-100.
    """
    found = TICKETS.get(ticket_id.strip().upper())
    if found is None:
        raise ToolError(f"There is no ticket {ticket_id!r}: numbers look like T-100.")
    return {"ticket_id": ticket_id.strip().upper(), **found}


@tool(effect="write", idempotent=True)
async def create_ticket(subject: str, priority: Literal["low", "normal", "high"] = "normal") -> dict[str, object]:
    """Open a new support ticket.

    Args:
        subject: The problem in a few words.
        priority: How urgent it is.
    """
    return {"ticket_id": "T-540", "subject": subject, "priority": priority, "state": "open"}


@tool(effect="write", idempotent=True)
async def add_note(text: str) -> dict[str, object]:
    """Keep a note for the whole office.

    Args:
        text: What to write down.
    """
    return {"note": len(NOTES) + 1, "text": text}


@tool(effect="read")
async def search_notes(query: str) -> list[str]:
    """Notes of the office that hold any of these words.

    Args:
        query: One or a few words to look for.
    """
    words = [word for word in query.casefold().split() if len(word) > 2]
    return [note for note in NOTES if any(word in note.casefold() for word in words)]
