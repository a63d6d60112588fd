"""The staff of the sample company."""

import msgspec

from glassloop.extensions.business.company.frame import Frame
from glassloop.extensions.business.company.words import WORDS


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
