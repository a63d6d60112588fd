"""Services with several arguments: what they cost, whether they are free. Arguments are said in any order, left out, or
changed by the next question."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from training.data.catalogue import Param, Tool
from training.data.conversation import Answer, Call, Conversation, Exchange, Wanted
from training.data.days import clock, coming_day, say_time
from training.data.phrases import capital, dressed
from training.data.values import CITIES, Rng, dumps, person, tidy

Said = tuple[Any, str]


class Input(msgspec.Struct, frozen=True):
    """A kind of argument: its names, its schema, how a value is said, and the question back where it is missing."""

    names: tuple[str, ...]
    say: Callable[[Rng], Said]
    back: str
    kind: str = "string"
    about: str = ""
    choices: tuple[str, ...] = ()


def _day(rng: Rng) -> Said:
    return coming_day(rng)


def _time(rng: Rng) -> Said:
    time = clock(rng)
    return time, f"at {say_time(rng, time)}"


def _count(unit: str, low: int, high: int, word: str = "for") -> Callable[[Rng], Said]:
    def say(rng: Rng) -> Said:
        number = rng.randrange(low, high)
        return number, f"{word} {number} {unit}"

    return say


def _choice(**said: str) -> Callable[[Rng], Said]:
    def say(rng: Rng) -> Said:
        value = rng.some(list(said))
        return value, rng.some(said[value].split(";"))

    return say


def _text(word: str, values: str) -> Callable[[Rng], Said]:
    def say(rng: Rng) -> Said:
        value = rng.some(values.split(","))
        return value, f"{word} {value}"

    return say


def _name(rng: Rng) -> Said:
    name = person(rng)
    return name, f"for {name}"


def _city(word: str) -> Callable[[Rng], Said]:
    def say(rng: Rng) -> Said:
        city = rng.some(CITIES)
        return city, f"{word} {city}"

    return say


DAY: Final = Input(("date", "day", "when"), _day, "For which day?", about="Date, such as 2026-01-31.")
TIME: Final = Input(("time", "at", "hour"), _time, "At what time?", about="Time, such as 08:30.")
PEOPLE: Final = Input(
    ("people", "guests", "party_size", "persons"), _count("people", 2, 30), "For how many people?", "integer"
)
NIGHTS: Final = Input(("nights", "length_of_stay"), _count("nights", 1, 15), "For how many nights?", "integer")
HOURS: Final = Input(("hours", "duration_hours"), _count("hours", 1, 12), "For how many hours?", "integer")
MONTHS: Final = Input(("months", "term"), _count("months", 1, 25), "For how many months?", "integer")
WEIGHT: Final = Input(("weight_kg", "kilograms"), _count("kg", 1, 40, "weighing"), "How heavy is it?", "number")
PAGES: Final = Input(("pages", "sheets"), _count("pages", 2, 300, "with"), "How many pages?", "integer")
WORDS: Final = Input(("words", "word_count"), _count("words", 100, 9000, "of"), "How many words are there?", "integer")
AREA: Final = Input(
    ("square_metres", "area_m2"), _count("square metres", 3, 60, "of"), "How large should it be?", "number"
)
PLACE: Final = Input(("city", "place", "town", "location"), _city("in"), "In which city?")
START: Final = Input(("start", "origin", "departure"), _city("from"), "From where?")
TARGET: Final = Input(("destination", "target", "to_city"), _city("to"), "Where to?")
CLASS: Final = Input(
    ("class", "category"),
    _choice(economy="in the cheapest class;in economy", comfort="in comfort class", first="in first class"),
    "In which class?",
    choices=("economy", "comfort", "first"),
)
SPEED: Final = Input(
    ("speed", "service"),
    _choice(express="as fast as possible;by express", standard="without any hurry;by standard delivery"),
    "Express or standard?",
    choices=("standard", "express"),
)
COLOUR: Final = Input(
    ("colour", "ink"),
    _choice(colour="in colour", grey="in black and white;without colour"),
    "In colour or not?",
    choices=("colour", "grey"),
)
SIZE: Final = Input(
    ("size", "format"),
    _choice(small="for a small one", medium="for a medium one", large="for a large one;for a big one"),
    "Which size?",
    choices=("small", "medium", "large"),
)
FILM: Final = Input(
    ("film", "title"), _text("for", "The Glass Harbour,Nine Winters,Silent Moon,Paper Kings"), "For which film?"
)
TOPIC: Final = Input(("subject", "topic"), _text("in", "algebra,chemistry,Latin,piano,history"), "In which subject?")
WHO: Final = Input(("name", "customer", "under_name"), _name, "Under which name?")


class Service(msgspec.Struct, frozen=True):
    """A tool with its arguments; those in `optional` may stay unsaid. `{v}` in the answer is the result."""

    names: tuple[str, ...]
    about: tuple[str, ...]
    stems: tuple[str, ...]
    needed: tuple[Input, ...]
    optional: tuple[Input, ...]
    result: str
    answer: str
    low: float = 5
    high: float = 900


SERVICES: Final = (
    Service(
        ("tour_price", "guided_tour_cost"),
        ("What a guided tour costs.",),
        ("What does a guided tour cost", "How much is a guided tour"),
        (PLACE, PEOPLE),
        (DAY,),
        "price_eur",
        "The guided tour costs {v} euros.",
    ),
    Service(
        ("free_tables", "table_search"),
        ("Free tables in restaurants.",),
        ("How many tables are free", "Is there a table free"),
        (PLACE, DAY, PEOPLE),
        (TIME,),
        "free_tables",
        "{v} tables are free.",
        1,
        40,
    ),
    Service(
        ("room_rate", "hotel_price", "stay_cost"),
        ("The price of a hotel room for a stay.", "What a stay costs."),
        ("What does a room cost", "How much is a hotel room"),
        (PLACE, DAY, NIGHTS),
        (SIZE,),
        "total_eur",
        "The stay costs {v} euros.",
    ),
    Service(
        ("crossing_fare", "boat_ticket_price"),
        ("Fare of a crossing by boat.",),
        ("What is the boat fare", "How much is a boat ticket"),
        (START, TARGET),
        (PEOPLE, CLASS),
        "fare_eur",
        "The fare is {v} euros.",
    ),
    Service(
        ("parcel_rate", "postage", "shipping_cost"),
        ("Postage of a parcel.", "What it costs to send a parcel."),
        ("What does it cost to send a parcel", "How much is the postage for a parcel"),
        (TARGET, WEIGHT),
        (SPEED,),
        "postage_eur",
        "The postage is {v} euros.",
    ),
    Service(
        ("parking_fee", "park_cost"),
        ("Parking fees.",),
        ("What does parking cost", "How much do I pay for parking"),
        (PLACE, HOURS),
        (DAY,),
        "fee_eur",
        "Parking costs {v} euros.",
    ),
    Service(
        ("seats_left", "cinema_seats"),
        ("Seats that are left for a film.",),
        ("How many seats are left", "Are there seats left"),
        (FILM, DAY),
        (TIME,),
        "seats",
        "{v} seats are left.",
        1,
        200,
    ),
    Service(
        ("hire_price", "van_rental_cost"),
        ("What it costs to hire a van.",),
        ("What does it cost to hire a van", "How much is a van"),
        (PLACE, DAY, HOURS),
        (SIZE,),
        "price_eur",
        "The van costs {v} euros.",
    ),
    Service(
        ("lesson_fee", "tutor_cost"),
        ("Fees of private lessons.",),
        ("What do private lessons cost", "How much is a private teacher"),
        (TOPIC, HOURS),
        (PLACE,),
        "fee_eur",
        "The lessons cost {v} euros.",
    ),
    Service(
        ("print_cost", "copy_price"),
        ("Price of printing a document.",),
        ("What does it cost to print a document", "How much is printing a booklet"),
        (PAGES,),
        (COLOUR, SIZE),
        "price_eur",
        "Printing costs {v} euros.",
    ),
    Service(
        ("storage_rent", "unit_rent"),
        ("Rent of a storage unit.",),
        ("What does a storage unit cost", "How much is storage"),
        (AREA, MONTHS),
        (PLACE,),
        "rent_eur",
        "The unit costs {v} euros.",
    ),
    Service(
        ("text_quote", "translation_cost"),
        ("What a translation costs.",),
        ("What would a translation cost", "How much is the translation of a text"),
        (WORDS, TARGET),
        (SPEED,),
        "quote_eur",
        "The translation costs {v} euros.",
    ),
    Service(
        ("train_departures", "next_trains"),
        ("Trains between two stations on a day.",),
        ("How many trains run", "How many train connections are there"),
        (START, TARGET, DAY),
        (CLASS,),
        "trains",
        "There are {v} trains.",
        1,
        40,
    ),
    Service(
        ("reserve_court", "court_booking"),
        ("Books a tennis court.",),
        ("Book a tennis court", "Reserve a tennis court"),
        (DAY, TIME),
        (HOURS, WHO),
        "booking_no",
        "The court is booked, number {v}.",
        1000,
        9999,
    ),
    Service(
        ("air_quality", "pollen_level"),
        ("The air of a place on a day, as an index.",),
        ("How good is the air", "What is the air quality index"),
        (PLACE,),
        (DAY,),
        "index",
        "The index is {v}.",
        5,
        160,
    ),
)


class Offer:
    """One service in one catalogue: a tool with names of its own."""

    def __init__(self, rng: Rng, service: Service) -> None:
        self.rng, self.service = rng, service
        self.named = {rng.some(each.names): each for each in (*service.needed, *service.optional)}
        params = [
            Param(
                name,
                each.kind,
                each.about if rng.chance(0.7) else "",
                each in service.needed,
                each.choices,
                rng.chance(0.5),
            )
            for name, each in self.named.items()
        ]
        if rng.chance(0.5):
            rng.shuffle(params)
        self.tool = Tool(rng.some(service.names), rng.some(service.about), tuple(params))

    def talk(self) -> Conversation:
        """One question, one that goes on from it, or one that lacks something."""
        rng, service = self.rng, self.service
        said = {name: each.say(rng) for name, each in self.named.items() if each in service.needed or rng.chance(0.45)}
        needed = [name for name, each in self.named.items() if each in service.needed]
        if rng.chance(0.22):
            lacking = rng.some(needed)
            rest = {name: value for name, value in said.items() if name != lacking}
            wants = Wanted(self.tool.name, {name: value for name, (value, _) in rest.items()}, (lacking,))
            asked = Exchange(self._question(rest), (Answer("Something is missing.", self.named[lacking].back, wants),))
            if rng.chance(0.6):
                return Conversation("missing", (asked,))
            told = Exchange(capital(said[lacking][1]).rstrip(".") + rng.some(["", "."]), self._steps(said))
            return Conversation("missing-told", (asked, told))
        exchanges = [Exchange(self._question(said), self._steps(said))]
        if rng.chance(0.3):
            name = rng.some(list(said))
            said = {**said, name: self.named[name].say(rng)}
            exchanges.append(
                Exchange(rng.some([f"And {said[name][1]}?", f"What about {said[name][1]}?"]), self._steps(said))
            )
        return Conversation("service" if len(exchanges) == 1 else "service-follow", tuple(exchanges))

    def _question(self, said: dict[str, Said]) -> str:
        phrases = [phrase for _, phrase in said.values()]
        self.rng.shuffle(phrases)
        stem = self.rng.some(self.service.stems)
        text = " ".join([stem, *phrases])
        return dressed(self.rng, text + ("." if stem.startswith(("Book", "Reserve")) else "?"))

    def _steps(self, said: dict[str, Said]) -> tuple[Call, Answer]:
        rng, service = self.rng, self.service
        whole = service.result.split("_")[-1] not in ("eur",)
        value = (
            rng.randrange(int(service.low), int(service.high))
            if whole
            else tidy(rng.uniform(service.low, service.high))
        )
        args = {param.name: said[param.name][0] for param in self.tool.params if param.name in said}
        observed = rng.some(
            [dumps({service.result: value}), dumps({**args, service.result: value}), service.answer.format(v=value)]
        )
        about = service.about[0][:1].lower() + service.about[0][1:].rstrip(".")
        return Call(f"The user wants this: {about}.", self.tool.name, args, observed), Answer(
            "I have the result.", service.answer.format(v=value)
        )
