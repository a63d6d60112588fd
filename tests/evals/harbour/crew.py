"""The people of the harbour and their shifts. The data never changes."""

from typing import Literal

from glassloop import ToolError, tool

PEOPLE = {
    "Jorunn Dahl": {"skipper_no": 7013, "phone": "+47 55 01 22", "home_port": "Bergen"},
    "Pieter Claes": {"skipper_no": 7027, "phone": "+32 59 88 14", "home_port": "Oostende"},
    "Ines Prado": {"skipper_no": 7031, "phone": "+34 981 40 77", "home_port": "Vigo"},
}
LICENCES = {
    7013: {"licence": "ocean", "valid_until": "2028-04-30"},
    7027: {"licence": "coastal", "valid_until": "2026-12-31"},
    7031: {"licence": "inland", "valid_until": "2029-08-15"},
}
SHIFTS = {"monday": "Tove", "tuesday": "Karim", "wednesday": "Tove", "thursday": "Lise", "friday": "Karim"}


@tool(effect="read", integrity="trusted")
def skipper_contact(name: str) -> dict[str, object]:
    """Phone number, home port and skipper number of a skipper.

    Args:
        name: First name, last name or both.
    """
    for full, person in PEOPLE.items():
        if name.strip().casefold() in full.casefold():
            return {"name": full, **person}
    raise ToolError(f"There is no skipper {name!r}: give a first or a last name.")


@tool(effect="read", integrity="trusted")
def licence_of(skipper_no: int) -> dict[str, object]:
    """Which licence a skipper holds and until when it is valid.

    Args:
        skipper_no: The skipper's number.
    """
    if skipper_no not in LICENCES:
        raise ToolError(f"There is no skipper number {skipper_no}: skipper_contact tells it.")
    return {"skipper_no": skipper_no, **LICENCES[skipper_no]}


@tool(effect="read", integrity="trusted")
def harbour_master(weekday: Literal["monday", "tuesday", "wednesday", "thursday", "friday"]) -> dict[str, object]:
    """Who is harbour master on a weekday.

    Args:
        weekday: The day.
    """
    return {"weekday": weekday, "harbour_master": SHIFTS[weekday]}


@tool(effect="write", integrity="trusted")
def leave_note(recipient: str, text: str) -> dict[str, object]:
    """Leave a note in someone's pigeonhole.

    Args:
        recipient: Whose pigeonhole.
        text: What the note says.
    """
    return {"recipient": recipient, "text": text, "left": True}


@tool(effect="read", integrity="trusted")
def sailing_courses(level: Literal["beginner", "advanced"] = "beginner") -> list[dict[str, object]]:
    """Sailing courses with their start and price.

    Args:
        level: For whom they are.
    """
    start, euros = ("2027-04-10", 340) if level == "beginner" else ("2027-05-08", 520)
    return [{"level": level, "starts": start, "euros": euros, "places_left": 4}]
