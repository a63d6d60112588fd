"""Moments, lengths of time and people out of an order, for a tool that no rule knows."""

import pytest

from glassloop.core.messages import ToolSpec
from glassloop.extensions.embedded.language.question import ParsedQuestion
from glassloop.extensions.embedded.language.tool_choice import choose


def visit(begins: str, length: str = "length_minutes") -> ToolSpec:
    return ToolSpec(
        name="plan_visit",
        description="Plan a visit to the harbour for guests.",
        effect="write",
        parameters={
            "type": "object",
            "properties": {
                "title": {"type": "string"},
                "begins": {"type": "string", "description": begins},
                "members": {"type": "array", "items": {"type": "string"}},
                length: {"type": "integer"},
                "place": {"type": "string", "description": "A pier."},
            },
            "required": ["title", "begins", "members"],
        },
    )


SPEAKS = visit("When it begins: 2026-03-31 14:30, or tomorrow 14:30.")
WRITES = visit("When it begins: 2026-03-31 14:30.")


def filled(question: str, spec: ToolSpec = SPEAKS) -> dict[str, object]:
    found = choose([spec], ParsedQuestion(question))
    assert found is not None
    return found.args


@pytest.mark.parametrize(
    ("question", "begins", "minutes"),
    [
        ("Plan a visit with Ada Moss tomorrow at 10:00", "tomorrow 10:00", None),
        ("Plan a visit with Ada Moss next Tuesday 14:30 for an hour", "next tuesday 14:30", 60),
        ("Plan a visit with Ada Moss on Tuesday next week at 2 pm", "on tuesday next week 14:00", None),
        ("Plan a visit with Ada Moss on 2026-11-20 from 9:15 to 10:45", "2026-11-20 09:15", None),
        ("Plan a 45 minute visit with Ada Moss today at 3 p.m.", "today 15:00", 45),
        ("Plan a visit with Ada Moss tomorrow at noon for an hour and a half", "tomorrow 12:00", 90),
        ("Plan a visit with Ada Moss on 20 November at 16:00 for 1.5 hours", "20 november 16:00", 90),
        ("Plan a visit with Ada Moss tomorrow at 8:05 for half an hour", "tomorrow 08:05", 30),
    ],
)
def test_a_moment_and_a_length_are_read_as_they_were_said(question, begins, minutes) -> None:
    args = filled(question)
    assert (args["begins"], args.get("length_minutes"), args["members"]) == (begins, minutes, ["Ada Moss"])


def test_a_tool_that_takes_only_dates_is_given_no_other_day() -> None:
    assert filled("Plan a visit with Ada Moss on 2026-11-20 at 10:00", WRITES)["begins"] == "2026-11-20 10:00"
    asked = choose([WRITES], ParsedQuestion("Plan a visit with Ada Moss tomorrow at 10:00"))
    assert asked is not None
    assert [parameter.name for parameter in asked.missing] == ["begins"]


@pytest.mark.parametrize("when", ["tomorrow", "at 10:00", "next week at 9:00", "last Friday at 9:00"])
def test_half_a_moment_is_asked_for(when) -> None:
    found = choose([SPEAKS], ParsedQuestion(f"Plan a visit with Ada Moss {when}"))
    assert found is not None
    assert [parameter.name for parameter in found.missing] == ["begins"]


@pytest.mark.parametrize(("unit", "length"), [("hours", 2), ("length_minutes", 120), ("wait_seconds", 7200)])
def test_a_length_comes_in_the_unit_of_its_parameter(unit, length) -> None:
    spec = visit("When it begins: 2026-03-31 14:30, or tomorrow 14:30.", unit)
    assert filled("Plan a visit with Ada Moss tomorrow at 10:00 for two hours", spec)[unit] == length
    assert unit not in filled("Plan a visit with Ada Moss tomorrow at 10:00", spec)


@pytest.mark.parametrize(
    ("question", "title", "members"),
    [
        ("Plan a visit with Ada Moss and Li Wei tomorrow at 10:00", "a visit with Ada Moss and Li Wei",
         ["Ada Moss", "Li Wei"]),
        ("Plan a visit about the crane with Ada Moss, Li Wei and Bo Ek tomorrow at 10:00",
         "a visit about the crane with Ada Moss, Li Wei and Bo Ek",
         ["Ada Moss", "Li Wei", "Bo Ek"]),
        ('Plan a visit with ada@harbour.example tomorrow at 10:00 called "Crane day"', "Crane day",
         ["ada@harbour.example"]),
    ],
)  # fmt: skip
def test_it_is_called_what_it_is_about_and_everybody_comes(question, title, members) -> None:
    args = filled(question)
    assert (args["title"], args["members"]) == (title, members)
    assert "place" not in args


def test_an_hour_that_there_is_none_of_is_no_time() -> None:
    assert ParsedQuestion("Plan it for 75:10 or 25 o'clock").times == []
