"""What Merrowfield Evening College keeps about its courses and people (all invented). Writing returns a slip, and nothing is kept."""

from __future__ import annotations

import json
import re
import unicodedata
import zlib
from datetime import date, time
from pathlib import Path
from typing import Any, Literal

from glassloop import ToolError, tool

BOOKS: dict[str, Any] = json.loads((Path(__file__).parent / "records.json").read_text(encoding="utf-8"))
TUTORS: dict[str, Any] = BOOKS["tutors"]
LEARNERS: dict[str, Any] = BOOKS["learners"]
COURSES: dict[str, Any] = BOOKS["courses"]
ROOMS: dict[str, Any] = BOOKS["rooms"]
KIT: dict[str, Any] = BOOKS["kit"]
TODAY = "2033-10-12"

Language = Literal[
    "Chinese", "Danish", "English", "French", "German", "Hungarian", "Italian", "Japanese", "Norwegian", "Sign", "Spanish", "Turkish"
]


def bare(text: Any) -> str:
    """Small letters and digits only, accents away."""
    split = unicodedata.normalize("NFKD", str(text).casefold())
    return " ".join(re.findall(r"[a-z0-9]+", "".join(c for c in split if not unicodedata.combining(c)).replace("'", "").replace("’", "")))


def joined(text: Any) -> str:
    return bare(text).replace(" ", "")


def fits(like: str, name: str) -> bool:
    """Every word that was asked for begins a word of the name."""
    asked = [w for w in bare(like).split() if w not in {"the", "a", "of", "for", "and", "mr", "mrs", "ms"}]
    return bool(asked) and all(any(n.startswith(w) or w.rstrip("s") == n for n in bare(name).split()) for w in asked)


def pick(table: dict[str, Any], wanted: str) -> str | None:
    return next((k for k in table if joined(k) == joined(wanted)), None)


def course_of(code: str) -> str:
    key = pick(COURSES, code)
    if key is None:
        raise ToolError(
            f"No course has the code {code!r}. A code is three digits, a dash and three letters; browse_courses finds it by a word of the title, "
            "the language or the weekday."
        )
    return key


def tutor_of(ref: str) -> str:
    key = pick(TUTORS, ref)
    if key is None:
        raise ToolError(
            f"{ref!r} is no tutor's reference (two letters, a dot, three digits). lookup_tutors finds it by name or language."
        )
    return key


def learner_of(number: str) -> str:
    key = pick(LEARNERS, number)
    if key is None:
        raise ToolError(
            f"{number!r} is no learner's number (five digits, a slash, a letter: all of it is needed). lookup_learners finds it by name."
        )
    return key


def room_of(door: str) -> str:
    key = pick(ROOMS, door)
    if key is None:
        raise ToolError(f"There is no door {door!r}. Doors: {', '.join(ROOMS)}. open_course tells the door of a course.")
    return key


def iso(text: str, label: str) -> str:
    try:
        return date.fromisoformat(str(text).strip()).isoformat()
    except ValueError:
        raise ToolError(f"{label} has to be YYYY-MM-DD; {text!r} is not.") from None


def clock(text: str, label: str) -> str:
    try:
        return time.fromisoformat(str(text).strip().zfill(5)).strftime("%H:%M")
    except ValueError:
        raise ToolError(f"{label} has to be HH:MM; {text!r} is not.") from None


def slip(*parts: Any) -> int:
    return zlib.crc32("/".join(str(p) for p in parts).encode()) % 90000 + 10000


def at_most(rows: list[dict[str, Any]], most: int, hint: str) -> list[dict[str, Any]]:
    if len(rows) > most:
        raise ToolError(f"{len(rows)} rows are too many to show. {hint}")
    return rows


@tool
def lookup_tutors(like: str = "", teaches: Language | None = None) -> list[dict[str, Any]]:
    """Tutors by name or by the language they teach: reference, name, languages, wing, kind of contract. No telephone numbers or offices.

    Args:
        like: First name, surname or both, or the beginning of it.
        teaches: Only tutors of this language.
    """
    rows = [
        {"tutor": k, **{f: t[f] for f in ("name", "teaches", "wing", "contract")}}
        for k, t in TUTORS.items()
        if (not like.strip() or fits(like, t["name"])) and (teaches is None or teaches in t["teaches"])
    ]
    if not rows:
        raise ToolError(f"No tutor fits {like or teaches!r}. Those who take courses are not tutors: lookup_learners has them.")
    return rows


@tool
def open_tutor(tutor: str) -> dict[str, Any]:
    """A tutor's file: office, desk telephone, mobile, mail, hours by contract and hours taught, pay per hour, day off, stand-in.

    Args:
        tutor: The tutor's reference, not the name.
    """
    key = tutor_of(tutor)
    return {"tutor": key, "name": TUTORS[key]["name"], **TUTORS[key]["file"]}


@tool
def lookup_learners(like: str, town: str | None = None) -> list[dict[str, Any]]:
    """Learners by name: number, name, town, level at the entry test, how they pay.

    Args:
        like: First name, surname or both.
        town: Only from this town.
    """
    rows = [
        {"learner": k, **{f: p[f] for f in ("name", "town", "entry_level", "pays_by")}}
        for k, p in LEARNERS.items()
        if fits(like, p["name"]) and (town is None or bare(town) == bare(p["town"]))
    ]
    if not rows:
        raise ToolError(f"No learner is called {like!r}{f' in {town}' if town else ''}. Tutors have a register of their own: lookup_tutors.")
    return rows


@tool
def open_learner(learner: str) -> dict[str, Any]:
    """A learner's file: telephones, birthday, level now, what is owed and was paid, courses, waiting list, certificates, locker.

    Args:
        learner: The learner's number.
    """
    key = learner_of(learner)
    return {"learner": key, "name": LEARNERS[key]["name"], **LEARNERS[key]["file"]}


@tool
def browse_courses(
    words: str = "",
    language: Language | None = None,
    level: Literal["A1", "A2", "B1", "B2"] | None = None,
    weekday: Literal["Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] | None = None,
    slot: Literal["morning", "afternoon", "evening"] | None = None,
) -> list[dict[str, Any]]:
    """Courses of this term: code, title, level, weekday, part of the day, price band. Times, fees and free places are not in it.

    Args:
        words: A word or more of the title.
        language: Only this language.
        level: Only this level.
        weekday: Only courses on this weekday.
        slot: Only this part of the day.
    """
    rows = [
        {"course": k, **{f: c[f] for f in ("title", "level", "weekday", "slot", "band")}}
        for k, c in COURSES.items()
        if (not words.strip() or fits(words, c["title"]))
        and language in (None, c["language"])
        and level in (None, c["level"])
        and weekday in (None, c["weekday"])
        and slot in (None, c["slot"])
    ]
    if not rows:
        raise ToolError("No course fits. Leave something out; examinations are not courses, they are in browse_sittings.")
    return at_most(rows, 14, "Give a language, a level, a weekday or a word of the title.")


@tool
def open_course(course: str) -> dict[str, Any]:
    """One course in full: times, first and last lesson, fee, tutor, door, places, who waits, textbook.

    Args:
        course: The course's code, not the title.
    """
    key = course_of(course)
    return {"course": key, "title": COURSES[key]["title"], **COURSES[key]["page"]}


@tool
def open_room(door: str) -> dict[str, Any]:
    """A room: seats for lessons and for exams, floor, board, projector, step-free or not, hearing loop, key hook, extension, who looks after it.

    Args:
        door: The letters and digits on the door.
    """
    key = room_of(door)
    return {"door": key, **ROOMS[key]}


@tool
def browse_sittings(
    language: Language | None = None,
    state: Literal["open", "full", "closed"] | None = None,
    venue: Literal["Main House", "Castle Street", "Dunholt Library"] | None = None,
    since: str | None = None,
    until: str | None = None,
) -> list[dict[str, Any]]:
    """Exam sittings in the order of their days: exam, day, time, venue, state, places left, fee, last day to register, examiner (a tutor's reference).

    Args:
        language: Only exams in this language.
        state: Only sittings one can still register for (open), that have no place left (full), or whose registration is over (closed).
        venue: Only at this house.
        since: Only from this day on, YYYY-MM-DD.
        until: Only up to this day, YYYY-MM-DD.
    """
    first = iso(since, "since") if since else "0000"
    last = iso(until, "until") if until else "9999"
    rows = [
        {k: v for k, v in s.items() if k != "language"}
        for s in BOOKS["sittings"]
        if language in (None, s["language"])
        and state in (None, s["state"])
        and venue in (None, s["venue"])
        and first <= s["day"] <= last
    ]
    if not rows:
        raise ToolError("No sitting fits. Leave out state, venue or the days; lessons are in browse_courses.")
    return at_most(rows, 9, "Give a language, a state, a venue or a shorter time.")


@tool
def open_certificate(serial: str) -> dict[str, Any]:
    """One certificate: whose it is (number), exam, grade, points, days of exam and of issue, end of validity, who signed it, fetched or not.

    Args:
        serial: What is printed at the foot of the certificate.
    """
    key = pick(BOOKS["certificates"], serial)
    if key is None:
        hint = "lookup_learners and open_learner tell which ones somebody has."
        if pick(LEARNERS, serial):
            hint = f"{serial} is a learner's number: open_learner lists that learner's certificates."
        elif pick(COURSES, serial):
            hint = f"{serial} is a course's code: open_course shows it."
        raise ToolError(f"No certificate has the serial {serial!r} (a Z, four digits, a letter). {hint}")
    return {"serial": key, **BOOKS["certificates"][key]}


@tool
def lookup_kit(
    like: str = "",
    kind: Literal["sound", "picture", "computer", "furniture", "games"] | None = None,
    state: Literal["in", "out", "repair"] | None = None,
) -> list[dict[str, Any]]:
    """Equipment that can be signed out: tag, thing, kind, pieces in all and in house, home (a door), state, with whom (a tutor's reference), back on.

    Args:
        like: A word or two of its name.
        kind: Only this kind.
        state: Only what is in, out or being repaired.
    """
    rows = [
        {"tag": k, **i}
        for k, i in KIT.items()
        if (not like.strip() or fits(like, i["thing"])) and kind in (None, i["kind"]) and state in (None, i["state"])
    ]
    if not rows:
        raise ToolError(f"No equipment fits {like or kind or state!r}. What is built in is told by open_room; another word or only the kind may help.")
    return at_most(rows, 11, "Give a word, a kind or a state.")


@tool
def menu_for(day: str, diet: Literal["meat", "fish", "vegetarian", "vegan"] | None = None) -> list[dict[str, Any]]:
    """The cafeteria's dishes of one day: diet, counter, price for learners and for guests, served from and until, energy.

    Args:
        day: YYYY-MM-DD.
        diet: Only dishes of this diet.
    """
    when = iso(day, "day")
    if when not in BOOKS["menus"]:
        if date.fromisoformat(when).weekday() > 4:
            raise ToolError(f"{when} is at a weekend: the cafeteria is shut.")
        days = sorted(BOOKS["menus"])
        raise ToolError(f"There is no menu for {when}. Menus go from {days[0]} to {days[-1]}.")
    rows = [d for d in BOOKS["menus"][when] if diet in (None, d["diet"])]
    if not rows:
        raise ToolError(f"No {diet} dish on {when}. Without diet all dishes are listed.")
    return rows


@tool
def takings(term: str, language: Language | None = None) -> dict[str, Any]:
    """Report of a term by language: courses, enrolled, withdrawn, hours, fees paid, fees open, and the totals.

    Args:
        term: Year and season, written 2033-autumn, 2033-spring or 2032-autumn.
        language: Only this language.
    """
    key = pick(BOOKS["takings"], term)
    if key is None:
        raise ToolError(f"There is no report for {term!r}. Terms: {', '.join(BOOKS['takings'])}.")
    rows = [r for r in BOOKS["takings"][key] if language in (None, r["language"])]
    if not rows:
        raise ToolError(f"{language} was not taught in {key}. Without language all rows are listed.")
    fields = ("courses", "enrolled", "withdrawn", "hours", "paid_eur", "open_eur")
    return {"term": key, **{f"total_{f}": sum(r[f] for r in rows) for f in fields}, "rows": rows}


@tool(effect="write")
def enrol(course: str, learner: str, pays_by: Literal["invoice", "card", "employer", "instalments"]) -> dict[str, Any]:
    """Enrol a learner in a course.

    Args:
        course: The course's code.
        learner: The learner's number.
        pays_by: How the fee is paid.
    """
    code, number = course_of(course), learner_of(learner)
    page, person = COURSES[code]["page"], LEARNERS[number]
    if any(each.startswith(code) for each in person["file"]["courses"]):
        raise ToolError(f"{person['name']} is in {code} already.")
    if page["enrolled"] >= page["places"]:
        raise ToolError(f"{code} is full: {page['enrolled']} of {page['places']} places, {page['waiting']} waiting. browse_courses shows others.")
    if pays_by == "instalments" and page["fee_eur"] < 200:
        raise ToolError(f"The fee of {code} is {page['fee_eur']} euros: instalments are for 200 euros and more.")
    return {
        "enrolment": f"EN-{slip(code, number, pays_by)}",
        "course": code,
        "title": COURSES[code]["title"],
        "name": person["name"],
        "fee_eur": page["fee_eur"],
        "pays_by": pays_by,
        "first_lesson": page["first_lesson"],
    }


@tool(effect="write")
def hold_room(door: str, day: str, begins: str, ends: str, purpose: str) -> dict[str, Any]:
    """Hold a room for something that is not in the timetable.

    Args:
        door: The letters and digits on the door.
        day: YYYY-MM-DD.
        begins: HH:MM.
        ends: HH:MM.
        purpose: What for, in a few words.
    """
    key, when, first, last = room_of(door), iso(day, "day"), clock(begins, "begins"), clock(ends, "ends")
    if when < TODAY:
        raise ToolError(f"{when} is over.")
    if not "08:00" <= first < last <= "21:30":
        raise ToolError("A hold begins at 08:00 or later, ends after it began and at 21:30 at the latest.")
    if len(purpose.strip()) < 3:
        raise ToolError("purpose is missing: what is the room for?")
    if ROOMS[key]["blocked_until"] and when <= ROOMS[key]["blocked_until"]:
        raise ToolError(f"{key} is blocked until {ROOMS[key]['blocked_until']}. open_room shows another room's seats.")
    return {"hold": f"HR/{slip(key, when, first, last)}", "door": key, "day": when, "begins": first, "ends": last, "purpose": purpose}


@tool(effect="write")
def sign_out(tag: str, tutor: str, pieces: int, back_on: str) -> dict[str, Any]:
    """Sign equipment out to a tutor.

    Args:
        tag: What stands on the sticker, EQ and three digits.
        tutor: The tutor's reference.
        pieces: How many pieces.
        back_on: Day by which it comes back, YYYY-MM-DD.
    """
    key = pick(KIT, tag)
    if key is None:
        raise ToolError(f"No equipment has the tag {tag!r}. lookup_kit finds it by name.")
    who, due, item = tutor_of(tutor), iso(back_on, "back_on"), KIT[key]
    if due < TODAY:
        raise ToolError(f"{due} is over.")
    if not 1 <= int(pieces) <= item["in_house"]:
        raise ToolError(f"{key} {item['thing']}: {item['in_house']} pieces are in house, {pieces} cannot go out. lookup_kit shows others of its kind.")
    return {"slip": f"SO{slip(key, who, int(pieces), due)}", "tag": key, "thing": item["thing"], "pieces": int(pieces), "tutor": TUTORS[who]["name"], "back_on": due}
