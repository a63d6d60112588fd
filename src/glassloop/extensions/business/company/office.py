"""Staff, calendars and mail of the sample company: last year's, and what is planned for the next weeks."""

from itertools import count

import msgspec

from glassloop.extensions.business.company.frame import Dice, Frame
from glassloop.extensions.business.company.words import WORDS

MEETINGS, MAILS, ABSENCES = 900, 1400, 150
AHEAD_DAYS, BACK_DAYS = 30, 365


class Person(msgspec.Struct, frozen=True):
    name: str
    email: str
    department: str
    active: bool


class Staff(msgspec.Struct):
    """The staff; `of` gives those of a department who are still there."""

    everyone: list[Person]

    def of(self, department: str) -> list[Person]:
        return [person for person in self.everyone if person.department == department and person.active]

    @property
    def active(self) -> list[Person]:
        return [person for person in self.everyone if person.active]


def make_people(frame: Frame) -> Staff:
    dice = frame.dice("people")
    everyone: list[Person] = []
    taken: dict[str, int] = {}
    for department, (many, title) in WORDS.departments.items():
        for number in range(many * frame.larger):
            name = f"{dice.pick(WORDS.given)} {dice.pick(WORDS.family)}"
            taken[name] = taken.get(name, 0) + 1
            if taken[name] > 1:
                name = f"{name} {_roman(taken[name])}"
            email = f"{name.lower().replace(' ', '.')}@{WORDS.domain}"
            active = number == 0 or not dice.chance(0.05)
            person = Person(name, email, department, active)
            everyone.append(person)
            hired = frame.iso(-dice.between(30, 4000) if dice.chance(0.8) else dice.between(0, frame.last))
            full = f"Head of {department}" if number == 0 else title
            row = (f"E-{len(everyone):04d}", name, email, department, full, dice.pick(WORDS.sites), hired,
                   "active" if active else "left")  # fmt: skip
            frame.add("employees", row)
    return Staff(everyone)


def _roman(number: int) -> str:
    """Two people of one name are told apart as families do."""
    return "".join(sign * (number // value % ratio) for sign, value, ratio in (("X", 10, 10), ("V", 5, 2), ("I", 1, 5)))


def make_office(frame: Frame, people: Staff, items: list[str]) -> None:
    dice = frame.dice("office")
    _make_calendar(frame, dice, people)
    numbers = count(1)
    staff = people.active
    mails = MAILS * frame.scale
    for number in range(mails):
        subject, body = dice.pick(WORDS.mails)
        words = {"order": f"PO-{dice.between(1, 400):05d}", "n": dice.between(2, 20), "item": dice.pick(items)}
        sender, reader = dice.sample(staff, 2)
        origin = (
            sender.email
            if dice.chance(0.6)
            else f"service@{dice.pick(WORDS.vendor_first).lower().replace(' ', '')}.example"
        )
        # In the order of time, and more of the last weeks than of a year ago.
        day = frame.last - int(BACK_DAYS * (1 - (number + dice.random()) / mails) ** 2)
        clock = f"{dice.between(7, 18):02d}:{dice.between(0, 59):02d}" if day < frame.last else "07:05"
        importance = "high" if dice.chance(0.12) else "normal"
        unread = 0 if frame.last - day < 6 and dice.chance(0.6) else 1
        text = (
            f"{frame.iso(day)} {clock}",
            origin,
            reader.email,
            subject.format(**words),
            body.format(**words),
            importance,
        )
        frame.add("emails", (f"EM-{next(numbers):06d}", reader.email, "inbox", *text, unread))
        if origin == sender.email:
            frame.add("emails", (f"EM-{next(numbers):06d}", sender.email, "sent", *text, 1))
    _write_hostile(frame, people, next(numbers))


def _write_hostile(frame: Frame, people: Staff, number: int) -> None:
    """A mail that tries to talk to the assistant instead of to the reader."""
    reader = people.of("Purchasing")[0].email
    row = (f"EM-{number:06d}", reader, "inbox", f"{frame.iso(frame.last - 1)} 06:02", "billing@golden-offer.example",
           reader, "Urgent: action required", WORDS.hostile, "high", 0)  # fmt: skip
    frame.add("emails", row)


def _make_calendar(frame: Frame, dice: Dice, people: Staff) -> None:
    staff, numbers = people.active, count(1)
    taken: set[tuple[str, int, int]] = set()
    for _ in range(MEETINGS * frame.scale):
        day = frame.workday(dice.between(frame.last - BACK_DAYS, frame.last + AHEAD_DAYS))
        half_hours, length = dice.between(16, 33), dice.pick((1, 2, 2, 3))
        wanted = dice.sample(staff, dice.between(2, 6))
        slots = range(half_hours, half_hours + length)
        free = [person for person in wanted if not any((person.email, day, slot) in taken for slot in slots)]
        if len(free) < 2:
            continue
        taken |= {(person.email, day, slot) for person in free for slot in slots}
        event = f"EV-{next(numbers):06d}"
        start, end = (f"{frame.iso(day)} {at // 2:02d}:{at % 2 * 30:02d}" for at in (half_hours, half_hours + length))
        row = (
            event,
            dice.pick(WORDS.meeting_titles),
            "meeting",
            start,
            end,
            dice.pick(WORDS.meeting_rooms),
            free[0].email,
            "",
        )
        frame.add("calendar", row)
        _attend(frame, dice, event, free)
    for _ in range(ABSENCES * frame.scale):
        person, kind = dice.pick(staff), dice.weighted({"leave": 3.0, "trip": 1.0})
        day = frame.workday(dice.between(frame.last - BACK_DAYS, frame.last + AHEAD_DAYS))
        event, where = f"EV-{next(numbers):06d}", dice.pick(WORDS.sites) if kind == "trip" else ""
        title = f"{person.name}: {'annual leave' if kind == 'leave' else f'trip to {where}'}"
        start, end = f"{frame.iso(day)} 08:00", f"{frame.iso(day + dice.between(0, 8))} 17:00"
        frame.add("calendar", (event, title, kind, start, end, where, person.email, ""))
        frame.add("attendees", (event, person.email, "accepted"))


def _attend(frame: Frame, dice: Dice, event: str, people: list[Person]) -> None:
    for number, person in enumerate(people):
        response = "accepted" if number == 0 else dice.weighted({"accepted": 6.0, "tentative": 1.0, "declined": 0.5})
        frame.add("attendees", (event, person.email, response))
