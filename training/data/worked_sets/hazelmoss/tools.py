"""The tools of the Hazelmoss school office (all data invented). What is written gets a number and is forgotten."""

import json
import re
import zlib
from datetime import date
from pathlib import Path
from typing import Literal

from glassloop import ToolError, tool

_DATA = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
TEACHERS, ROOMS, PUPILS, COURSES = _DATA["teachers"], _DATA["rooms"], _DATA["pupils"], _DATA["courses"]
LESSONS, INVENTORY, LOANS = _DATA["lessons"], _DATA["inventory"], _DATA["loans"]
ACCOUNTS, EXAMS = _DATA["accounts"], _DATA["exams"]
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def _plain(text: object) -> str:
    return " ".join(re.findall(r"\w+", str(text).casefold().replace("'", "").replace("’", "")))


def _fits(part: str, name: str) -> bool:
    """Whether all words of the part begin words of the name."""
    words, wanted = _plain(name).split(), [p for p in _plain(part).split() if p != "the"]
    return bool(wanted) and all(any(w.startswith(p) for w in words) for p in wanted)


def _columns(row: dict, *names: str) -> dict:
    return {name: row[name] for name in names}


def _key(wanted: object, table: dict, what: str, shape: str) -> str:
    """The id that was meant, whatever its case and spaces."""
    short = re.sub(r"[\W_]", "", str(wanted)).casefold()
    for key in table:
        if re.sub(r"[\W_]", "", key).casefold() == short:
            return key
    raise ToolError(f"There is no {what} '{wanted}'. {shape}")


def _day(text: str, name: str) -> date:
    try:
        return date.fromisoformat(str(text).strip())
    except ValueError:
        raise ToolError(f"{name} must be a day written YYYY-MM-DD, not '{text}'.") from None


def _clock(text: str) -> str:
    if not re.fullmatch(r"([01]?\d|2[0-3]):[0-5]\d", str(text).strip()):
        raise ToolError(f"'{text}' is not a time. Write times as HH:MM.")
    return str(text).strip().zfill(5)


def _number(*parts: object) -> int:
    return zlib.crc32("|".join(map(str, parts)).encode()) % 9000 + 1000


def _teacher(teacher_id: str) -> str:
    return _key(teacher_id, TEACHERS, "teacher id", "Ids look like greta-t; teacher_profile finds them by name.")


def _pupil(number: str) -> str:
    return _key(number, PUPILS, "pupil number", "Numbers look like P20588; find_pupils finds them by name.")


def _courses_on(day: date) -> list[tuple[str, dict]]:
    return [
        (ref, c)
        for ref, c in COURSES.items()
        if c["weekday"] == _WEEKDAYS[day.weekday()] and c["first_day"] <= day.isoformat() <= c["last_day"]
    ]


@tool
def find_pupils(name: str, town: str = "") -> list[dict]:
    """Search pupils by name. Gives pupil number, name, year of birth and town.

    Args:
        name: First name, last name or the beginning of one.
        town: Only pupils who live there.
    """
    rows = [
        {"pupil_no": no, "name": p["name"], "born": p["born"][:4], "town": p["town"]}
        for no, p in PUPILS.items()
        if _fits(name, p["name"]) and _plain(town) in _plain(p["town"])
    ]
    if not rows:
        raise ToolError(f"No pupil is called '{name}'" + (f" in {town}." if town else "."))
    return rows


@tool
def pupil_card(pupil_no: str) -> dict:
    """A pupil's card: birthday, phone, account that pays, weekly lesson, courses, loan and exams entered for.

    Args:
        pupil_no: Pupil number, e.g. P20588.
    """
    no = _pupil(pupil_no)
    return {"pupil_no": no, **PUPILS[no]}


@tool
def teacher_profile(who: str) -> dict:
    """A teacher: id, subjects, own room, days at the school, phone, fee per 30 minutes, deputy.

    Args:
        who: The teacher's name, a part of it, or the id.
    """
    hits = [k for k, t in TEACHERS.items() if _plain(who) == _plain(k) or _fits(who, t["name"])]
    if len(hits) == 1:
        return {"teacher_id": hits[0], **TEACHERS[hits[0]]}
    if hits:
        raise ToolError(f"More than one teacher fits '{who}': {', '.join(TEACHERS[k]['name'] for k in hits)}.")
    raise ToolError(f"No teacher fits '{who}'. Teachers: {', '.join(t['name'] for t in TEACHERS.values())}.")


@tool
def teacher_diary(teacher_id: str, day: str) -> list[dict]:
    """What a teacher has on one day, by time: single lessons (with the pupil's number) and courses (with their ref).

    Args:
        teacher_id: The teacher's id, e.g. greta-t. Not the name.
        day: YYYY-MM-DD.
    """
    who, on = _teacher(teacher_id), _day(day, "day")
    rows = [
        {"start": x["start"], "lesson_no": no, "pupil_no": x["pupil_no"], "minutes": x["minutes"], "state": x["state"]}
        for no, x in LESSONS.items()
        if x["teacher_id"] == who and x["day"] == on.isoformat()
    ] + [
        {"start": c["start"], "course_ref": ref, "title": c["title"], "until": c["end"], "room_no": c["room_no"]}
        for ref, c in _courses_on(on)
        if c["teacher_id"] == who
    ]
    if not rows:
        days = ", ".join(TEACHERS[who]["teaches_on"])
        raise ToolError(f"{TEACHERS[who]['name']} has nothing on {on} ({_WEEKDAYS[on.weekday()]}); teaches on {days}.")
    return sorted(rows, key=lambda row: row["start"])


@tool
def room_card(room: str) -> dict:
    """A room as it is: number, name, floor, seats, piano, key number, screen, remarks. Not who is in it.

    Args:
        room: Name of the room or its number.
    """
    hits = [
        no for no, r in ROOMS.items() if str(room).strip() == no or _fits(re.sub(r"(?i)\broom\b", "", room), r["name"])
    ]
    if len(hits) == 1:
        return {"room_no": int(hits[0]), **ROOMS[hits[0]]}
    names = ", ".join(f"{no} {r['name']}" for no, r in ROOMS.items())
    raise ToolError(f"No room fits '{room}'. Rooms: {names}.")


@tool
def room_bookings(room_no: int, date: str) -> list[dict]:
    """Who is in a room on one day, by time: lessons, courses, exams, other bookings.

    Args:
        room_no: Number of the room.
        date: The day, YYYY-MM-DD.
    """
    no, on = _key(room_no, ROOMS, "room number", "room_card tells the number of a room."), _day(date, "date")
    rows = [
        {"start": x["start"], "what": f"lesson {k}", "teacher_id": x["teacher_id"], "minutes": x["minutes"]}
        for k, x in LESSONS.items()
        if str(x["room_no"]) == no and x["day"] == on.isoformat() and not x["state"].startswith("cancelled")
    ]
    rows += [
        {"start": c["start"], "what": f"course {ref}", "teacher_id": c["teacher_id"], "until": c["end"]}
        for ref, c in _courses_on(on)
        if str(c["room_no"]) == no
    ]
    rows += [
        {"start": e["start"], "what": f"exam {k}, {e['subject']}", "examiner": e["examiner"]}
        for k, e in EXAMS.items()
        if str(e["room_no"]) == no and e["day"] == on.isoformat()
    ]
    rows += [
        {"start": o["start"], "what": o["what"], "until": o["end"]}
        for o in _DATA["other_bookings"]
        if str(o["room_no"]) == no and o["day"] == on.isoformat()
    ]
    return sorted(rows, key=lambda row: row["start"])


@tool
def course_list(
    subject: str = "", level: str = "", weekday: Literal["Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] | None = None
) -> list[dict]:
    """Group courses and ensembles: ref, title, weekday, start, free places.

    Args:
        subject: Only this subject, e.g. Italian, or a word of the title.
        level: Only this level, e.g. A2.
        weekday: Only courses on this weekday.
    """
    rows = [
        {"ref": ref, **_columns(c, "title", "weekday", "start"), "free": c["seats"] - c["enrolled"]}
        for ref, c in COURSES.items()
        if (not subject or _fits(subject, f"{c['subject']} {c['title']}"))
        and (not level or _plain(level) == _plain(c["level"]))
        and weekday in (None, c["weekday"])
    ]
    if not rows:
        subjects = ", ".join(dict.fromkeys(c["subject"] for c in COURSES.values()))
        raise ToolError(f"No course fits. Subjects: {subjects}.")
    return rows


@tool
def course_sheet(ref: str) -> dict:
    """All about one course: teacher id, room number, weekday and times, first and last day, places, fee, textbook.

    Args:
        ref: The course's ref, e.g. FRE-B1-01 (course_list has them).
    """
    key = _key(ref, COURSES, "course", "Refs look like FRE-B1-01; course_list has them by subject.")
    return {"ref": key, **COURSES[key]}


@tool
def lesson_log(pupil_no: str, date_from: str = "", date_to: str = "") -> list[dict]:
    """The single lessons of a pupil, oldest first: lesson number, day, start, teacher, state and the piece in work.

    Reaches from 2031-02-10 to 2031-03-29.

    Args:
        pupil_no: Pupil number.
        date_from: Only from this day on, YYYY-MM-DD.
        date_to: Only up to this day, YYYY-MM-DD.
    """
    no = _pupil(pupil_no)
    first = _day(date_from, "date_from").isoformat() if date_from else "0"
    last = _day(date_to, "date_to").isoformat() if date_to else "9"
    rows = [
        {"lesson_no": k, **_columns(x, "day", "start", "teacher_id", "state", "piece")}
        for k, x in LESSONS.items()
        if x["pupil_no"] == no and first <= x["day"] <= last
    ]
    if not rows:
        raise ToolError(f"{PUPILS[no]['name']} ({no}) has no single lessons in that time.")
    return rows


@tool
def search_inventory(
    kind: str, size: str = "", state: Literal["in store", "on loan", "at the repairer"] | None = None
) -> list[dict]:
    """The school's own instruments of one kind: tag, nickname, size, state, fee per month.

    Args:
        kind: Kind of instrument, e.g. viola.
        size: Only this size, e.g. 1/4.
        state: Only instruments in this state.
    """
    rows = [
        {"tag": tag, **_columns(i, "nickname", "size", "state", "fee_per_month")}
        for tag, i in INVENTORY.items()
        if _plain(kind).rstrip("s") == _plain(i["kind"]) and size in ("", i["size"]) and state in (None, i["state"])
    ]
    if not rows:
        kinds = ", ".join(dict.fromkeys(i["kind"] for i in INVENTORY.values()))
        raise ToolError(f"No such instrument. We have these kinds: {kinds}.")
    return rows


@tool
def inventory_entry(tag: str) -> dict:
    """One of the school's instruments: kind, size, maker, year, insured value, monthly fee, shelf, state, loan number.

    Args:
        tag: Its tag, e.g. GT 0609, or its nickname.
    """
    named = [key for key, i in INVENTORY.items() if _plain(i["nickname"]) == _plain(tag)]
    shape = "Tags look like GT 0609; search_inventory lists the instruments of a kind."
    key = named[0] if named else _key(tag, INVENTORY, "instrument", shape)
    return {"tag": key, **INVENTORY[key]}


@tool
def loan_slip(loan_no: str) -> dict:
    """The slip of an instrument lent to a pupil: tag, pupil, days, deposit, condition, who handed it out.

    Args:
        loan_no: Number on the slip, such as 30/1012.
    """
    key = _key(loan_no, LOANS, "loan", "Loan numbers look like 30/1012; the pupil's card and the instrument have them.")
    return {"loan_no": key, **LOANS[key]}


@tool
def account_invoices(account: str) -> dict:
    """Who pays, and this year's invoices of the account with what is paid of each.

    Args:
        account: Account number, such as 5534-F. It stands on the pupil's card.
    """
    key = _key(account, ACCOUNTS, "account", "Account numbers look like 5534-F; they stand on the pupils' cards.")
    return {"account": key, **ACCOUNTS[key]}


@tool
def exam_calendar(
    subject: str = "", board: Literal["Alder Board", "Guild of St Cecily", "Lingua Cert"] | None = None
) -> list[dict]:
    """Coming exams: session id, board, subject, level, day, last day for entries.

    Args:
        subject: Only this subject or group, e.g. strings.
        board: Only exams of this board.
    """
    keys = ("board", "subject", "level", "day", "entries_close")
    rows = [
        {"session_id": k, **{key: e[key] for key in keys}}
        for k, e in EXAMS.items()
        if _plain(subject) in _plain(e["subject"]) and board in (None, e["board"])
    ]
    if not rows:
        raise ToolError(f"No exam fits. Subjects: {', '.join(e['subject'] for e in EXAMS.values())}.")
    return rows


@tool
def exam_session(session_id: str) -> dict:
    """One exam: day, start, room, examiner, fee, last day for entries, and the candidates (pupil number, time).

    Args:
        session_id: e.g. X-3110.
    """
    key = _key(session_id, EXAMS, "exam session", "Ids look like X-3110; exam_calendar has them by subject.")
    return {"session_id": key, **EXAMS[key]}


@tool(effect="write")
def book_lesson(pupil_no: str, teacher_id: str, day: str, start: str, minutes: Literal[30, 45, 60] = 30) -> dict:
    """Book one extra single lesson.

    Args:
        pupil_no: Pupil number, e.g. P20588.
        teacher_id: The teacher's id, e.g. greta-t.
        day: YYYY-MM-DD.
        start: HH:MM.
        minutes: Length of the lesson.
    """
    no, who, on, at = _pupil(pupil_no), _teacher(teacher_id), _day(day, "day"), _clock(start)
    if _WEEKDAYS[on.weekday()] not in TEACHERS[who]["teaches_on"]:
        days = ", ".join(TEACHERS[who]["teaches_on"])
        raise ToolError(f"{TEACHERS[who]['name']} is not in on {on} ({_WEEKDAYS[on.weekday()]}); teaches on {days}.")
    return {
        "booking_no": f"XL-{_number(no, who, on, at)}",
        "pupil": PUPILS[no]["name"],
        "teacher": TEACHERS[who]["name"],
        "day": on.isoformat(),
        "start": at,
        "minutes": int(minutes),
        "room_no": TEACHERS[who]["room_no"],
        "price": round(TEACHERS[who]["rate_per_30_min"] * int(minutes) / 30, 2),
    }


@tool(effect="write")
def reserve_instrument(tag: str, pupil_no: str, until: str) -> dict:
    """Set one of our instruments aside for a pupil.

    Args:
        tag: The instrument's tag, e.g. GT 0609.
        pupil_no: For whom: the pupil number.
        until: Last day on which it is kept for the pupil, YYYY-MM-DD.
    """
    key = _key(tag, INVENTORY, "instrument tag", "Tags look like GT 0609; inventory_entry takes nicknames.")
    no, last = _pupil(pupil_no), _day(until, "until")
    if INVENTORY[key]["state"] != "in store":
        raise ToolError(f"{key} ({INVENTORY[key]['nickname']}) is {INVENTORY[key]['state']} and cannot be set aside.")
    kept = {"kept_until": last.isoformat(), "shelf": INVENTORY[key]["shelf"]}
    return {"reservation": f"RS{_number(key, no, last)}", "tag": key, "pupil": PUPILS[no]["name"], **kept}


@tool(effect="write")
def report_absence(teacher_id: str, first_day: str, last_day: str, reason: Literal["ill", "leave", "training"]) -> dict:
    """Report that a teacher is away; the deputy is told.

    Args:
        teacher_id: The teacher's id.
        first_day: First day away, YYYY-MM-DD.
        last_day: Last day away (the same for one day), YYYY-MM-DD.
        reason: Why.
    """
    who, first, last = _teacher(teacher_id), _day(first_day, "first_day"), _day(last_day, "last_day")
    if last < first:
        raise ToolError("last_day is before first_day.")
    deputy = TEACHERS[TEACHERS[who]["deputy"]]["name"]
    report = f"AB-{_number(who, first, last)}"
    return {"report": report, "teacher": TEACHERS[who]["name"], "from": str(first), "to": str(last), "deputy": deputy}
