"""The front office of Tonguewell. Everybody and everything in it is made up, and what is written is not kept."""

import json
import re
import unicodedata
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

Entry = dict[str, Any]
Weekday = Literal["Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
Lang = Literal["Dutch", "English", "French", "German", "Greek", "Italian", "Portuguese", "Spanish"]
Room = Literal["Anise", "Clove", "Juniper", "Nutmeg", "Saffron", "Sorrel"]

OFFICE: Mapping[str, Any] = json.loads(Path(__file__).with_name("records.json").read_text("utf-8"))
TODAY = "2035-05-15"
PREFIXES = {"en": "English", "fr": "French", "el": "Greek", "it": "Italian", "pt": "Portuguese", "es": "Spanish"}
FULL_NAMES = {
    "Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Fri": "Friday", "Sat": "Saturday",
}  # fmt: skip


def _fold(text: object) -> str:
    decomposed = unicodedata.normalize("NFKD", str(text).casefold().replace("'s", "").replace("’s", ""))
    return "".join(each for each in decomposed if not unicodedata.combining(each))


def _parts(text: object) -> list[str]:
    return [p for p in re.findall(r"[^\W_]+", _fold(text)) if p not in ("the", "family", "course", "mr", "mrs", "ms")]


def _begins(asked: object, *told: object) -> bool:
    """True if each word asked for is the beginning of a word told."""
    words = [w for each in told for w in _parts(each)]
    return all(any(w.startswith(p) for w in words) for p in _parts(asked))


def _course(code: str) -> str:
    wanted = code.strip().casefold()
    if wanted not in OFFICE["courses"]:
        raise ToolError(
            f"{code!r} is not a course code: language, level and number with dots. course_catalogue lists them."
        )
    return wanted


def _initials(three: str) -> str:
    wanted = three.strip().upper()
    if wanted not in OFFICE["teachers"]:
        raise ToolError(f"Nobody signs as {three!r}: initials are three capitals. teaching_staff tells them.")
    return wanted


def _student(number: int) -> Entry:
    if str(number) not in OFFICE["students"]:
        raise ToolError(f"There is no student {number}. student_search finds the number by the name.")
    return OFFICE["students"][str(number)]


def _session(session: str) -> Entry:
    for each in OFFICE["exams"]:
        if each["session"] == session.strip():
            return each
    raise ToolError(f"{session!r} is no exam session: two digits, a slash, three digits. exam_calendar has them all.")


def _piped(rows: Iterable[Entry], names: Sequence[str]) -> str:
    lines = [" | ".join(names)]
    lines += [" | ".join("-" if row[n] is None else str(row[n]) for n in names) for row in rows]
    return "\n".join(lines)


def _aligned(rows: Sequence[Entry], names: Sequence[str]) -> str:
    cells = [list(names), *([str(row[n]) for n in names] for row in rows)]
    widths = [max(len(line[at]) for line in cells) for at in range(len(names))]
    return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in cells)


def _number(*parts: object) -> int:
    return zlib.crc32("~".join(map(str, parts)).encode()) % 9000 + 1000


@tool(effect="read", integrity="trusted")
def rooms_by_day(weekday: Weekday, room: Room | None = None) -> str:
    """Which room is used when and by whom on a weekday, with everything that is no course (tests, meetings, clubs).

    The plan is the same every week and has courses that begin later, too. Each line has the time, the room, the
    course's code or what else it is, and the initials of the one who is in charge.

    Args:
        weekday: The day of the week. For a date, work out its weekday first.
        room: Leave out for all six rooms.
    """
    lines = [
        f"- {r['time']} {r['room']}: {r['what']} ({r['who']})"
        for r in OFFICE["rooms"][weekday]
        if room in (None, r["room"])
    ]
    if not lines:
        raise ToolError(f"{room} is free all {FULL_NAMES[weekday]}.")
    return "\n".join([f"{FULL_NAMES[weekday]}:", *lines])


@tool(effect="read", integrity="trusted")
def course_catalogue(
    title: str = "",
    language: Literal["English", "French", "Greek", "Italian", "Portuguese", "Spanish"] | None = None,
    level: Literal["A1", "A2", "B1", "B2", "C1"] | None = None,
) -> str:
    """The courses in a table: code, title, days, time, first lesson, weeks, tuition, places left.

    Args:
        title: Words of the title, or the code.
        language: The language that is taught.
        level: The level of the course.
    """
    rows = [
        {"code": code, **entry}
        for code, entry in OFFICE["courses"].items()
        if _begins(title, entry["title"], code)
        and language in (None, PREFIXES[code[:2]])
        and (level is None or code.split(".")[1] == level.lower())
    ]
    if not rows:
        raise ToolError("There is no such course. Fewer words of the title, or no level, may find more.")
    return _piped(rows, ("code", "title", "days", "time", "starts", "weeks", "tuition_gbp", "left"))


@tool(effect="read", integrity="trusted")
def course_sheet(course: str) -> str:
    """What the catalogue does not print about a course: who teaches it, room, last lesson, deposit, materials,
    textbook, until when one can cancel for free, how many places there are and how many people wait.

    Args:
        course: The code, such as xx.c2.9 (language, level, number). Not the title.
    """
    code = _course(course)
    entry = OFFICE["courses"][code]
    return "\n".join([f"{code}: {entry['title']}", *(f"{k}: {v}" for k, v in entry["sheet"].items())])


@tool(effect="read", integrity="trusted")
def teaching_staff(name: str = "", language: Lang | None = None) -> list[Entry]:
    """Teachers: initials, name, languages, the year they began here, kind of contract.

    Args:
        name: First name, surname or the beginning of one; without it all thirteen are listed.
        language: Only those who teach this language.
    """
    found = [
        {"initials": key, **{k: v for k, v in t.items() if k != "card"}}
        for key, t in OFFICE["teachers"].items()
        if _begins(name, t["name"]) and (language is None or language in t["languages"])
    ]
    if not found:
        raise ToolError("No teacher fits. If it is somebody who learns here, use student_search.")
    return found


@tool(effect="read", integrity="trusted")
def staff_card(initials: str) -> Entry:
    """The card of one teacher. Telephone, hours a week by contract, day off, desk, pay, leave left, substitute.

    Args:
        initials: Three capitals. (Names: teaching_staff.)
    """
    key = _initials(initials)
    return {"initials": key, "name": OFFICE["teachers"][key]["name"], **OFFICE["teachers"][key]["card"]}


@tool(effect="read", integrity="trusted")
def hours_ledger(month: Literal["February", "March", "April"]) -> str:
    """Hours that the teachers really worked in a closed month: by contract, taught, cover for others, marking, sick.

    Args:
        month: One of the closed months of 2035.
    """
    return _aligned(OFFICE["hours"][month], ("initials", "contract", "taught", "cover", "marking", "sick"))


@tool(effect="read", integrity="trusted")
def student_search(name: str = "", course: str | None = None) -> list[Entry]:
    """Find students. Returns number, name, country, course and day of arrival of each.

    Args:
        name: Any part of the name that begins a word of it.
        course: A course's code: only those who are in it.
    """
    if not _parts(name) and not course:
        raise ToolError("Give a name or a course.")
    code = _course(course) if course else None
    found = [
        {"student": int(number), **{k: v for k, v in one.items() if k != "record"}}
        for number, one in OFFICE["students"].items()
        if _begins(name, one["name"]) and code in (None, one["course"])
    ]
    if not found:
        raise ToolError(f"Nobody of that name is a student{f' in {code}' if code else ''}. Teachers: teaching_staff.")
    return found


@tool(effect="read", integrity="trusted")
def student_record(student: int) -> Entry:
    """A student's record: host family, telephone, birthday, level test, emergency contact, diet, library books, day of
    departure, deposit for the key.

    Args:
        student: Four-digit number of the student.
    """
    one = _student(student)
    return {"student": student, "name": one["name"], **one["record"]}


@tool(effect="read", integrity="trusted")
def attendance_sheet(course: str, month: Literal["March", "April", "May"]) -> str:
    """Who came to the lessons of a course in a month: lessons held, present, of these late, absences that are excused,
    homework handed in. May is counted up to yesterday.

    Args:
        course: The course's code.
        month: Month of 2035.
    """
    code = _course(course)
    rows = OFFICE["attendance"].get(f"{code}/{month}")
    if rows is None:
        begins = OFFICE["courses"][code]["starts"]
        why = f"it begins on {begins}" if begins > TODAY else f"it began on {begins}"
        kept = begins <= TODAY and f"{code}/April" in OFFICE["attendance"]
        end = f": {why}." if kept or begins > TODAY else "; the teacher keeps it."
        raise ToolError(f"{code} has no sheet for {month}{end}")
    return _aligned(rows, ("student", "name", "lessons", "present", "late", "excused", "homework"))


@tool(effect="read", integrity="trusted")
def exam_calendar(language: Lang | None = None, from_day: str | None = None, to_day: str | None = None) -> str:
    """Exam sessions of the year with day, time, room, seats, seats booked, fee and the last day to register.

    Past ones are in it, too. How people did is told by exam_scores.

    Args:
        language: The language that is examined.
        from_day: On this day or later, as 2035-01-31.
        to_day: On this day or earlier.
    """
    for name, day in (("from_day", from_day), ("to_day", to_day)):
        if day is not None and not re.fullmatch(r"\d{4}-\d\d-\d\d", day):
            raise ToolError(f"{name}: write year, month and day with dashes.")
    rows = [
        r
        for r in OFFICE["exams"]
        if (language is None or r["exam"].startswith(language)) and (from_day or "") <= r["day"] <= (to_day or "9")
    ]
    if not rows:
        raise ToolError("No session fits; without from_day and to_day the whole year is shown.")
    return _piped(rows, tuple(rows[0]))


@tool(effect="read", integrity="trusted")
def exam_scores(session: str) -> list[Entry]:
    """How the candidates of an exam session did: points for reading, listening, writing and speaking (25 each), total,
    number of the certificate. Who failed has no certificate.

    Args:
        session: Number of the session with its slash.
    """
    found = _session(session)
    if found["session"] not in OFFICE["scores"]:
        later = "is still to come" if found["day"] > TODAY else "is being marked; its results are out on 2035-05-22"
        raise ToolError(f"{found['session']} ({found['exam']}, {found['day']}) {later}.")
    return OFFICE["scores"][found["session"]]


@tool(effect="read", integrity="trusted")
def host_list(
    who: str = "",
    district: Literal["Castle Rise", "Harbour End", "Mill Green", "Orchard Hill"] | None = None,
    only_free: bool = False,
) -> str:
    """Host families: minutes on foot to the school, beds that are free, price of a week, pets, telephone.

    Args:
        who: Name of the family or its code (hf99).
        district: Part of the town.
        only_free: true leaves out families without a free bed.
    """
    rows = [
        h
        for h in OFFICE["hosts"]
        if _begins(who, h["family"], h["host"])
        and district in (None, h["district"])
        and (h["beds_free"] or not only_free)
    ]
    if not rows:
        raise ToolError("No host family fits.")
    return _aligned(rows, tuple(rows[0]))


@tool(effect="read", integrity="trusted")
def billing(student: int | None = None, state: Literal["paid", "not due yet", "overdue"] | None = None) -> str:
    """Invoices | whom they went to | what for | amount | due | paid on (a dash: not paid).

    Args:
        student: Number of a student; leave out for everybody's.
        state: paid, or unpaid and not due yet, or unpaid and overdue. Leave out for all.
    """
    if student is not None:
        _student(student)

    def is_in(row: Entry) -> bool:
        now = "paid" if row["paid_on"] else "overdue" if row["due"] < TODAY else "not due yet"
        return student in (None, row["student"]) and state in (None, now)

    rows = [r for r in OFFICE["invoices"] if is_in(r)]
    if not rows:
        raise ToolError("No such invoice.")
    return _piped(rows, ("invoice", "student", "what", "amount_gbp", "due", "paid_on"))


@tool(effect="read", integrity="trusted")
def day_trips(month: Literal["May", "June", "July"] | None = None) -> str:
    """Excursions to come, with departure, return, price, seats and the leader's initials.

    Args:
        month: Only trips in this month.
    """
    numbers = {"May": "05", "June": "06", "July": "07"}
    rows = [r for r in OFFICE["trips"] if month is None or r["day"][5:7] == numbers[month]]
    return "\n".join(
        f"* {r['trip']} {r['where']}, {r['day']}, leaves {r['leaves']}, back {r['back']}, {r['price']} pounds, "
        f"{r['left']} of {r['seats']} seats left, leader {r['leader']}"
        for r in rows
    )


@tool(effect="write", integrity="trusted")
def sign_up(course: str, student: int, pays: Literal["at once", "in two parts", "employer"]) -> str:
    """Sign a student up for a course.

    Args:
        course: The course's code.
        student: The student's number.
        pays: How the tuition is paid: at once, in two parts, or by the employer.
    """
    code, one = _course(course), _student(student)
    entry = OFFICE["courses"][code]
    if not entry["left"]:
        raise ToolError(f"{code} is full, and {entry['sheet']['waiting list']} people are waiting.")
    if one["course"] == code:
        raise ToolError(f"{one['name']} is in {code} already.")
    total = entry["tuition_gbp"]
    now = {"at once": total, "in two parts": total / 2, "employer": 0}[pays]
    return (
        f"Signed up as {_number(code, student)}: {one['name']} ({student}) for {code}, {entry['title']}, "
        f"from {entry['starts']}. Due from the student now: {now:g} pounds."
    )


@tool(effect="write", integrity="trusted")
def copy_of_certificate(certificate: str, delivery: Literal["collect", "post", "courier"]) -> Entry:
    """Order a certified copy of an exam certificate.

    Args:
        certificate: Number of the certificate: digits, a dot and a letter.
        delivery: How it gets to its owner.
    """
    wanted = certificate.strip().upper()
    for session, rows in OFFICE["scores"].items():
        for row in rows:
            if row["certificate"] == wanted:
                fee = {"collect": 15, "post": 18.5, "courier": 33}[delivery]
                return {
                    "order": _number(wanted, delivery), "certificate": wanted, "owner": row["candidate"],
                    "session": session, "delivery": delivery, "fee_gbp": fee, "ready_on": "2035-05-21",
                }  # fmt: skip
    raise ToolError(f"No certificate has the number {certificate!r}. exam_scores has them by session.")
