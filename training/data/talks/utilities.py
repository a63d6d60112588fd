"""Everyday tools beside a company's own, each in several names and forms, and questions that lack something."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from training.data.catalogue import Param, Tool
from training.data.conversation import Answer, Conversation, Exchange, Language
from training.data.days import clock, day, say_day, say_time
from training.data.phrases import dressed
from training.data.talks.errands import appointment, handbook, message, note, remind
from training.data.talks.lookups import UNITS, arithmetic, days_between, exchange, journey, time_in, unit, weather
from training.data.talks.task import Task
from training.data.values import CITIES, CURRENCIES, SUBJECTS, Rng, person

Maker = Callable[[Rng, Tool, Language], Task]
Lack = Callable[[Rng], tuple[str, str, str]]
_CURRENCY: Final[dict[str, Any]] = {"description": "Code, such as EUR."}
_DAY: Final[dict[str, Any]] = {"description": "Date, such as 2026-01-31."}


class Utility(msgspec.Struct, frozen=True):
    """A tool, what makes questions for it, and questions that lack something: (question, what, question back)."""

    tool: Tool
    make: Maker
    lacks: tuple[Lack, ...] = ()


def _tool(rng: Rng, names: str, about: list[str], *params: list[Param]) -> Tool:
    made = [rng.some(choices) for choices in params]
    given = tuple(param.name for param in made)
    if rng.chance(0.4):
        rng.shuffle(made)
    return Tool(rng.some(names.split()), rng.some(about), tuple(made), given=given)


def _p(*names: str, kind: str = "string", **more: Any) -> list[Param]:
    return [Param(name, kind, **more) for name in names]


def _modes(rng: Rng) -> list[Param]:
    """How one travels: optional or not, with the choices in any order."""
    choices = tuple(rng.sample(["car", "train", "plane", "bike", "foot"], 5))
    return [
        Param("means", required=False, choices=choices),
        Param("mode", choices=choices),
        Param("by", choices=choices),
    ]


def _rates(rng: Rng) -> list[Utility]:
    return [
        Utility(
            _tool(
                rng,
                "weather_forecast forecast get_forecast weather_on",
                ["The weather of a place on a day.", "Forecast for a place and a date."],
                _p("place", "city", "location"),
                _p("date", "day", **_DAY),
            ),
            weather,
            (
                lambda r: (
                    f"What will the weather be on {say_day(r, day(r, 0, 1))}?",
                    "place",
                    "For which place?",
                ),
                lambda r: (f"How will the weather be in {r.some(CITIES)}?", "day", "For which day?"),
            ),
        ),
        Utility(
            _tool(
                rng,
                "money_exchange currency_converter change_currency fx_convert",
                ["Converts an amount of money to another currency.", "Money in another currency, at today's rate."],
                _p("amount", "sum", kind="number"),
                _p("source", "from_currency", **_CURRENCY),
                _p("target", "to_currency", **_CURRENCY),
            ),
            exchange,
            (
                lambda r: (
                    f"Convert {r.randrange(5, 5000)} {CURRENCIES[r.some(list(CURRENCIES))][0]} for me.",
                    "target currency",
                    "Into which currency should I convert it?",
                ),
                lambda r: (
                    f"How many {CURRENCIES[r.some(list(CURRENCIES))][0]} do I get?",
                    "amount and currency",
                    "What amount do you want to convert, and from which currency?",
                ),
            ),
        ),
    ]


def _measures(rng: Rng) -> list[Utility]:
    return [
        Utility(
            _tool(
                rng,
                "unit_converter change_unit measure_convert",
                ["Converts a measure to another unit.", "Lengths, weights and volumes in another unit."],
                _p("value", "amount", kind="number"),
                _p("unit", "source_unit"),
                _p("target_unit", "into"),
            ),
            unit,
            (
                lambda r: (
                    f"Convert {r.randrange(5, 500)} {r.some(list(UNITS))}, please.",
                    "target unit",
                    "Into which unit should I convert it?",
                ),
            ),
        ),
        Utility(
            _tool(
                rng,
                "calculator evaluate_expression do_sum math",
                ["Works out an arithmetic expression.", "Calculates."],
                _p("expression", "formula", "term"),
            ),
            arithmetic,
        ),
    ]


def _times(rng: Rng) -> list[Utility]:
    return [
        Utility(
            _tool(rng, "local_time clock_in time_at", ["The time in a place now."], _p("place", "city")),
            time_in,
            (lambda r: ("What time is it over there now?", "place", "In which place?"),),
        ),
        Utility(
            _tool(
                rng,
                "travel_time journey trip_planner route_time",
                ["How long a journey takes, and how far it is.", "Distance and duration between two places."],
                _p("start", "origin"),
                _p("destination", "end"),
                _modes(rng),
            ),
            journey,
            (
                lambda r: (f"How long does the trip to {r.some(CITIES)} take?", "start", "Where do you start?"),
                lambda r: (f"How far is it from {r.some(CITIES)}?", "destination", "Where do you want to go?"),
            ),
        ),
        Utility(
            _tool(
                rng,
                "span_of_days date_difference days_from_to",
                ["The days between two dates."],
                _p("start", "first", **_DAY),
                _p("end", "last", **_DAY),
            ),
            days_between,
            (
                lambda r: (
                    f"How many days is it until {say_day(r, day(r, 0, 1))}?",
                    "first date",
                    "From which date should I count?",
                ),
            ),
        ),
    ]


def _diary(rng: Rng) -> list[Utility]:
    return [
        Utility(
            _tool(
                rng,
                "new_reminder remind_user put_reminder",
                ["Sets a reminder."],
                _p("text", "what"),
                _p("date", "day", **_DAY),
                _p("time", "at", description="Time, such as 08:30."),
            ),
            remind,
            (
                lambda r: (
                    "Remind me to call the bank.",
                    "date and time",
                    "When should I remind you, on which day and at what time?",
                ),
                lambda r: (
                    f"Set a reminder for {say_day(r, day(r, 0, 1))} at {say_time(r, clock(r))}.",
                    "text",
                    "What should I remind you of?",
                ),
            ),
        ),
        Utility(
            _tool(
                rng,
                "add_appointment diary_entry plan_entry",
                ["Puts an appointment into the diary."],
                _p("title", "subject"),
                _p("date", "day", **_DAY),
                _p("time", "start", description="Time, such as 08:30."),
                _p("minutes", kind="integer", required=False),
            ),
            appointment,
            (
                lambda r: (
                    f"Plan a {r.some(SUBJECTS)} for {say_day(r, day(r, 0, 1))}.",
                    "time",
                    "At what time should it start?",
                ),
                lambda r: (f"Please arrange a {r.some(SUBJECTS)} at {say_time(r, clock(r))}.", "date", "On which day?"),
            ),
        ),
    ]


def _rest(rng: Rng) -> list[Utility]:
    return [
        Utility(
            _tool(
                rng,
                "write_message text_colleague post_message",
                ["Sends a message to a person."],
                _p("to", "recipient"),
                _p("text", "body"),
            ),
            message,
            (lambda r: (f"Send a message to {person(r)}.", "text", "What should the message say?"),),
        ),
        Utility(
            _tool(
                rng,
                "search_handbook house_rules find_in_documents",
                ["Searches the house's own documents: rules, handbooks, notices."],
                _p("query", "words", kind="string"),
            ),
            handbook,
        ),
        Utility(_tool(rng, "keep_note save_note jot_down", ["Keeps a note for later."], _p("text", "note")), note),
    ]


def utilities(rng: Rng) -> list[Utility]:
    """All of them, in one style."""
    return [*_rates(rng), *_measures(rng), *_times(rng), *_diary(rng), *_rest(rng)]


def ask_utility(rng: Rng, one: Utility, language: Language) -> Conversation:
    task = one.make(rng, one.tool, language)
    question = dressed(rng, task.question) if task.language == "en" and rng.chance(0.6) else task.question
    return Conversation("utility", (Exchange(question, (task.call, task.answer)),), task.language)


def ask_lacking(rng: Rng, one: Utility) -> Conversation | None:
    if not one.lacks:
        return None
    question, what, back = rng.some(one.lacks)(rng)
    return Conversation(
        "missing", (Exchange(question, (Answer(f"{one.tool.name}: {what} missing, and nobody said it.", back),)),)
    )
