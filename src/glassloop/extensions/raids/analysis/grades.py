"""Grades and flags with their limits: the one table that every grade of the raid analyst is given by and told from."""

from typing import Final, Literal

from glassloop.extensions.raids.records import RaidRecord

Grade = Literal["excellent", "good", "fair", "needs work", "low", "issue", "flagged", "fine", "A", "B", "C", "D", "F"]
Bound = Literal["from", "over", "to", "under"]


class Threshold(RaidRecord, frozen=True):
    """A grade, and the values it is given for."""

    grade: Grade
    bound: Bound
    limit: float

    def holds(self, value: float) -> bool:
        match self.bound:
            case "from":
                return value >= self.limit
            case "over":
                return value > self.limit
            case "to":
                return value <= self.limit
            case "under":
                return value < self.limit


class Scale(RaidRecord, frozen=True, kw_only=True):
    """The first step that holds gives the grade. `shifted` where an encounter or a spec moves all limits."""

    name: str
    steps: tuple[Threshold, ...]
    otherwise: Grade
    unit: str = " %"
    shifted: bool = False

    def grade(self, value: float, shift: float = 0.0) -> Grade:
        """`shift` is added to every limit."""
        for step in self.steps:
            if step.holds(value - shift):
                return step.grade
        return self.otherwise

    def told(self, shift: float = 0.0) -> str:
        """In words: "excellent from 90 %, good from 85 %, fair from 75 %, else needs work"."""
        steps = [f"{step.grade} {step.bound} {step.limit + shift:.0f}{self.unit}" for step in self.steps]
        return f"{', '.join(steps)}, else {self.otherwise}"

    def note(self, shift: float = 0.0) -> str:
        """A sentence for the notes of a result."""
        return f"{self.name[0].upper()}{self.name[1:]}: {self.told(shift)}."


ACTIVITY: Final = Scale(
    name="GCD uptime (hunters: auto shots with a shot between)",
    steps=(Threshold("excellent", "from", 90), Threshold("good", "from", 85), Threshold("fair", "from", 75)),
    otherwise="needs work",
    shifted=True,
)
CANCELLED: Final = Scale(
    name="cancelled casts",
    steps=(Threshold("excellent", "to", 5), Threshold("good", "to", 10), Threshold("fair", "to", 20)),
    otherwise="needs work",
)
RENEWALS: Final = Scale(
    name="early renewals of DoTs",
    steps=(Threshold("good", "under", 10), Threshold("fair", "to", 25)),
    otherwise="needs work",
)
DOT_UPTIME: Final = Scale(name="uptime of a DoT", steps=(Threshold("low", "under", 70),), otherwise="fine")
MAJOR_BUFF: Final = Scale(
    name="uptime of a major buff",
    steps=(Threshold("good", "over", 90), Threshold("issue", "under", 50)),
    otherwise="low",
)
COVERAGE: Final = Scale(name="players with a raid buff", steps=(Threshold("issue", "under", 50),), otherwise="fine")
ROTATION: Final = Scale(
    name="rotation score",
    steps=(
        Threshold("A", "from", 90),
        Threshold("B", "from", 80),
        Threshold("C", "from", 70),
        Threshold("D", "from", 60),
    ),
    otherwise="F",
    unit="",
)
COOLDOWN_USE: Final = Scale(
    name="possible uses of a throughput cooldown", steps=(Threshold("flagged", "under", 70),), otherwise="fine"
)
OVERHEAL: Final = Scale(name="overheal", steps=(Threshold("flagged", "over", 30),), otherwise="fine")
OUT_OF_MANA: Final = Scale(
    name="time of a healer out of mana", steps=(Threshold("flagged", "over", 10),), otherwise="fine"
)
SCALES: Final = (
    ACTIVITY, CANCELLED, RENEWALS, DOT_UPTIME, MAJOR_BUFF, COVERAGE, ROTATION, COOLDOWN_USE, OVERHEAL, OUT_OF_MANA,
)  # fmt: skip
