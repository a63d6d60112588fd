"""The tools of the Dovecrag film school's equipment store and studios (all data invented). Writing changes nothing."""

import json
import re
import zlib
from datetime import date
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

_ALL: dict[str, Any] = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
_GEAR, _STUDENTS, _STAFF, _FILMS = _ALL["gear"], _ALL["students"], _ALL["staff"], _ALL["films"]
_SMALL_WORDS = {"the", "a", "an", "of", "our", "der", "die", "das"}


def _norm(text: object) -> str:
    """Only words and figures, in small letters."""
    return " ".join(re.findall(r"[^\W_]+", str(text).lower().replace("'", "").replace("’", "")))


def _squeezed(text: object) -> str:
    return _norm(text).replace(" ", "")


def _matches(said: str, line: str) -> bool:
    words = [word for word in _norm(said).split() if word not in _SMALL_WORDS]
    return bool(words) and all(word in _norm(line) for word in words)


def _row(table: dict[str, Any], key: str, otherwise: str) -> str:
    for known in table:
        if _squeezed(known) == _squeezed(key):
            return known
    raise ToolError(otherwise)


def _tag(text: str) -> str:
    return _row(
        _GEAR,
        text,
        f"There is no tag '{text}'. Tags have two letters, a dot, three digits; trace_gear finds them by a name.",
    )


def _roll(text: str) -> str:
    return _row(
        _STUDENTS,
        text,
        f"There is no roll number '{text}': f, two digits, a dash, three digits. roll_search finds students by name.",
    )


def _film(text: str) -> str:
    return _row(
        _FILMS, text, f"There is no film code '{text}': reel, a dash, four digits. film_search finds films by title."
    )


def _studio(text: str) -> str:
    for name in _ALL["grid"]:
        if _matches(text, name):
            return name
    raise ToolError(f"There is no studio '{text}'. Studios: {', '.join(_ALL['grid'])}. Halls belong to screenings.")


def _date(text: str, parameter: str) -> str:
    try:
        return date.fromisoformat(str(text).strip()).isoformat()
    except ValueError:
        raise ToolError(f"{parameter}: write the day as YYYY-MM-DD, not '{text}'.") from None


def _receipt(*parts: object) -> int:
    return zlib.crc32("/".join(map(str, parts)).encode()) % 900 + 100


@tool
def trace_gear(
    words: str, family: Literal["camera", "lens", "light", "sound", "grip"] | None = None
) -> list[dict[str, object]]:
    """Find equipment by name, maker or number. Gives only tag, label, band (price class A to D) and home bay.

    Args:
        words: A word or two of the label; empty to see a whole family.
        family: Only this family.
    """
    hits = [
        {"tag": tag, "label": gear["label"], "band": gear["band"], "home_bay": gear["home_bay"]}
        for tag, gear in _GEAR.items()
        if family in (None, gear["family"])
        and (_matches(words, f"{tag} {gear['label']} {gear['maker']}") if words.strip() else family is not None)
    ]
    if not hits:
        raise ToolError(f"No equipment fits '{words}'. Films are found with film_search, people with roll_search.")
    return hits


@tool
def gear_sheet(tag: str) -> dict[str, object]:
    """The full sheet of one piece: where it is now, day fee, deposit, value, weight, licence needed, next service.

    Args:
        tag: The piece's tag (two letters, dot, three digits); a name will not do.
    """
    found = _tag(tag)
    return {"tag": found, **_GEAR[found]}


@tool
def roll_search(who: str) -> list[dict[str, object]]:
    """Find students by name or course. Gives only roll number, name, course and standing.

    Args:
        who: First or last name, both, a course, or the last three digits of a roll number.
    """
    hits = [
        {"roll_no": number, "name": student["name"], "course": student["course"], "standing": student["standing"]}
        for number, student in _STUDENTS.items()
        if _matches(who, f"{number} {student['name']} {student['course']}")
    ]
    if not hits:
        raise ToolError(f"No student fits '{who}'. Tutors and technicians are in house_phonebook.")
    return hits


@tool
def student_file(roll_no: str) -> dict[str, object]:
    """One student's file: year, born, licence, loan limit, deposit held, money owed, tutor, phone, blocked until.

    Args:
        roll_no: The roll number (f, two digits, dash, three digits).
    """
    found = _roll(roll_no)
    return {"roll_no": found, **_STUDENTS[found]}


@tool
def house_phonebook(entry: str) -> list[dict[str, object]]:
    """Tutors, technicians and office people (no students): code, name, role, room, extension, days in.

    Args:
        entry: A name, a staff code (W and two digits), or a word of the role.
    """
    hits = [
        {"code": code, **person}
        for code, person in _STAFF.items()
        if _squeezed(entry) == _squeezed(code) or _matches(entry, f"{person['name']} {person['role']}")
    ]
    if not hits:
        raise ToolError(f"Nobody who works here fits '{entry}'. Students are found with roll_search.")
    return hits


@tool
def film_search(
    title: str = "", stage: Literal["script", "prep", "shoot", "edit", "done"] | None = None
) -> list[dict[str, object]]:
    """Find student films by title or stage. Gives only code, title, stage and the planned minutes.

    Args:
        title: A word or more of the title.
        stage: Only films at this stage.
    """
    hits = [
        {"film": code, "title": film["title"], "stage": film["stage"], "planned_min": film["planned_min"]}
        for code, film in _FILMS.items()
        if stage in (None, film["stage"]) and (_matches(title, film["title"]) if title.strip() else stage)
    ]
    if not hits:
        raise ToolError(f"No film fits '{title}'. Try one word of the title; equipment is found with trace_gear.")
    return hits


@tool
def film_dossier(film: str) -> dict[str, object]:
    """All about one film: director, camera, tutor, shooting days, budget, spent, minutes of the cut, next milestone.

    Args:
        film: The film's code (reel, dash, four digits), not its title.
    """
    found = _film(film)
    return {"film": found, **_FILMS[found]}


@tool
def loan_ledger(
    state: Literal["reserved", "out", "overdue", "returned"] | None = None,
    due_after: str | None = None,
    due_before: str | None = None,
    roll_no: str | None = None,
    tag: str | None = None,
) -> list[dict[str, object]]:
    """Loans of this term, a row each: docket, tag, roll number, taken, due, state. Give at least one filter.

    Args:
        state: Only loans in this state.
        due_after: Due on this day or later.
        due_before: Due on this day or earlier.
        roll_no: Only one student's loans.
        tag: Only loans of one piece.
    """
    first = _date(due_after, "due_after") if due_after else ""
    last = _date(due_before, "due_before") if due_before else "9"
    student, piece = _roll(roll_no) if roll_no else None, _tag(tag) if tag else None
    if not (state or due_after or due_before or student or piece):
        raise ToolError("Give at least one filter: state, due_after, due_before, roll_no or tag.")
    hits = [
        loan
        for loan in _ALL["loans"]
        if state in (None, loan["state"])
        and first <= loan["due"] <= last
        and student in (None, loan["roll_no"])
        and piece in (None, loan["tag"])
    ]
    if not hits:
        raise ToolError("No loan fits all of these filters.")
    return hits


@tool
def bench_faults(
    state: Literal["open", "waiting for part", "on the bench", "mended"] | None = None,
    grade: Literal["minor", "major", "unsafe"] | None = None,
    tag: str | None = None,
) -> list[dict[str, object]]:
    """Faults reported since July: number, tag, day reported, what, grade, state, when it will be ready.

    Args:
        state: Only faults in this state.
        grade: Only faults of this grade.
        tag: Only faults of one piece.
    """
    piece = _tag(tag) if tag else None
    hits = [
        fault
        for fault in _ALL["faults"]
        if state in (None, fault["state"]) and grade in (None, fault["grade"]) and piece in (None, fault["tag"])
    ]
    if not hits:
        raise ToolError("No fault fits. Nothing has been reported that has this tag, grade and state.")
    return hits


@tool
def studio_grid(studio: str, first_day: str, last_day: str) -> list[dict[str, object]]:
    """Who has a studio day by day: morning, afternoon and evening, each a film code, class, free or closed.

    Args:
        studio: Name of the studio.
        first_day: YYYY-MM-DD.
        last_day: YYYY-MM-DD, at most 13 days later.
    """
    name, first, last = _studio(studio), _date(first_day, "first_day"), _date(last_day, "last_day")
    rows = [row for row in _ALL["grid"][name] if first <= row["day"] <= last]
    if not rows:
        raise ToolError(f"The grid of {name} runs from 2033-09-12 to 2033-10-09; nothing from {first} to {last}.")
    if len(rows) > 14:
        raise ToolError("That is more than 14 days: ask for a shorter time.")
    return rows


@tool
def supplier_report(
    dated_from: str,
    dated_to: str,
    supplier: str | None = None,
    state: Literal["open", "paid", "disputed"] | None = None,
) -> dict[str, object]:
    """Suppliers' bills of a period with totals: number, supplier, dated, to be paid by, for what, amount, state.

    Args:
        dated_from: First day, YYYY-MM-DD.
        dated_to: Last day, YYYY-MM-DD.
        supplier: Only bills of this supplier (name or a part of it).
        state: Only bills in this state.
    """
    first, last = _date(dated_from, "dated_from"), _date(dated_to, "dated_to")
    names = sorted({bill["supplier"] for bill in _ALL["bills"]})
    if supplier and not any(_matches(supplier, name) for name in names):
        raise ToolError(f"No bill from a supplier '{supplier}'. Suppliers: {', '.join(names)}.")
    bills = [
        bill
        for bill in _ALL["bills"]
        if first <= bill["dated"] <= last
        and (not supplier or _matches(supplier, bill["supplier"]))
        and state in (None, bill["state"])
    ]
    if not bills:
        raise ToolError(f"No such bill is dated {first} to {last}. Kept are 2033-07-01 to 2033-09-14.")
    unpaid = sum(bill["amount_eur"] for bill in bills if bill["state"] != "paid")
    total = sum(bill["amount_eur"] for bill in bills)
    return {"number_of_bills": len(bills), "total_eur": total, "not_paid_eur": unpaid, "bills": bills}


@tool
def lantern_programme(
    from_day: str, to_day: str, hall: Literal["Big Lantern", "Small Lantern", "Cellar"] | None = None
) -> list[dict[str, object]]:
    """Screenings of a period: number, day, start, title, hall, minutes, seats left.

    Args:
        from_day: YYYY-MM-DD.
        to_day: YYYY-MM-DD; the same for one day.
        hall: Only this hall.
    """
    first, last = _date(from_day, "from_day"), _date(to_day, "to_day")
    rows = [row for row in _ALL["screenings"] if first <= row["day"] <= last and hall in (None, row["hall"])]
    if not rows:
        raise ToolError(f"No screening from {first} to {last}{f' in the {hall}' if hall else ''}.")
    return rows


@tool(effect="write")
def check_out_gear(tag: str, roll_no: str, back_by: str) -> dict[str, object]:
    """Lend one piece to a student from today. Refuses what is not in, a licence too low, or a blocked student.

    Args:
        tag: The piece's tag.
        roll_no: The borrower's roll number.
        back_by: The day it must be back, YYYY-MM-DD.
    """
    piece, borrower, due = _tag(tag), _roll(roll_no), _date(back_by, "back_by")
    gear, student = _GEAR[piece], _STUDENTS[borrower]
    if due <= "2033-09-14":
        raise ToolError(f"back_by must be after today, not {due}.")
    if student["standing"] == "blocked":
        raise ToolError(f"{student['name']} is blocked until {student['blocked_until']} and may borrow nothing.")
    if gear["now_at"].startswith("on loan") or gear["now_at"] == "workshop":
        raise ToolError(f"{piece} is not in: {gear['now_at']}. trace_gear with the family shows what else there is.")
    order = ["none", "basic", "full", "film"]
    if order.index(student["licence"]) < order.index(gear["licence_needed"]):
        raise ToolError(f"{piece} needs licence {gear['licence_needed']}; {student['name']} has {student['licence']}.")
    return {
        "docket": f"88{_receipt(piece, borrower, due)}-L",
        "tag": piece,
        "label": gear["label"],
        "borrower": student["name"],
        "back_by": due,
        "day_fee_eur": gear["day_fee_eur"],
        "deposit_eur": gear["deposit_eur"],
    }


@tool(effect="write")
def file_fault(tag: str, what: str, grade: Literal["minor", "major", "unsafe"]) -> dict[str, object]:
    """Report a fault on a piece of equipment to its technician.

    Args:
        tag: The piece's tag.
        what: What is wrong, in a few words.
        grade: How bad it is.
    """
    piece = _tag(tag)
    if len(what.strip()) < 4:
        raise ToolError("what: say in a few words what is wrong.")
    gear = _GEAR[piece]
    return {
        "fault_no": f"FB{_receipt(piece, grade):04d}",
        "tag": piece,
        "label": gear["label"],
        "grade": grade,
        "sent_to": _STAFF[gear["technician"]]["name"],
    }


@tool(effect="write")
def claim_studio(
    studio: str, day: str, part: Literal["morning", "afternoon", "evening"], film: str
) -> dict[str, object]:
    """Book a free part of a day in a studio for a film. Refuses what is taken.

    Args:
        studio: Name of the studio.
        day: YYYY-MM-DD.
        part: Part of the day.
        film: The film's code (reel, dash, four digits).
    """
    name, when, code = _studio(studio), _date(day, "day"), _film(film)
    row = next((row for row in _ALL["grid"][name] if row["day"] == when), None)
    if row is None:
        raise ToolError(f"{when} is not in the grid of {name}: it runs from 2033-09-12 to 2033-10-09.")
    if row[part] != "free":
        free = [each for each in ("morning", "afternoon", "evening") if row[each] == "free"]
        rest = f"free that day: {', '.join(free)}" if free else "nothing is free that day; studio_grid shows other days"
        raise ToolError(f"{name} on {when}, {part}: {row[part]}; {rest}.")
    return {
        "claim": f"ST-{_receipt(name, when, part, code)}",
        "studio": name,
        "day": when,
        "part": part,
        "film": f"{code} {_FILMS[code]['title']}",
    }
