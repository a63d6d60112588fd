"""Labelled answers of conversations: hardly anything is called sourced that is not, and almost nothing is alarming
that has a source.

`conversations_develop.jsonl` was used to build the check, `conversations_check.jsonl` only to judge it. Those of
`units_develop` and `units_check` tell figures that agree with values of another unit, id, row or number style. A label
is the figure, where it came from (`|` between alternatives, `none` for nowhere) and, where it matters, its place.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from glassloop.core.evidence import check_answer, find_evidence, sourced_in
from glassloop.core.evidence.source_texts import source_texts
from glassloop.core.messages import AssistantMessage, Message, ToolMessage, UserMessage, note
from glassloop.core.protocols.result_pages import shown_page
from glassloop.core.records import Evidence, Figure, ToolCall

FALSE_SOURCES = {"develop": 0.0, "check": 0.0, "units_develop": 0.02, "units_check": 0.04}
"""The most that may be called sourced and is not, of all figures."""
FILES = {name: Path(__file__).with_name(f"conversations_{name}.jsonl") for name in FALSE_SOURCES}
WRITERS = frozenset({"add_note", "set_reminder", "book_flight", "delete_order"})
MAX_FALSE_ALARMS = 0.02


def cases(name: str) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in FILES[name].read_text("utf-8").splitlines()]


def called(number: int, call: list[Any]) -> Iterator[Message]:
    tool, args, result, *more = call
    options: Mapping[str, Any] = more[0] if more else {}
    text = result if isinstance(result, str) else msgspec.json.encode(result).decode()
    sourced = options.get("sourced")
    # Providers number their calls anew in every turn.
    yield AssistantMessage(calls=(ToolCall(id=f"call_{number}", tool=tool, args=args),))
    yield ToolMessage(
        call_id=f"call_{number}",
        tool=tool,
        content=shown_page(text, options.get("cut", 16_000)),
        is_error=bool(options.get("error")),
        sourced=None if sourced is None else tuple(sourced),
    )


def evidence_of(case: Mapping[str, Any]) -> Evidence:
    """That of the last answer; those before it were checked the same way."""
    messages: list[Message] = []
    evidence = Evidence()
    for turn in case["turns"]:
        if "context" in turn:
            messages.append(note("context", turn["context"]))
        messages.append(UserMessage(turn["user"]))
        for number, call in enumerate(turn["calls"], 1):
            messages += called(number, call)
        evidence = find_evidence(turn["answer"], source_texts(messages, turn["user"], writers=WRITERS))
        messages.append(AssistantMessage(text=turn["answer"], sourced=evidence.sourced_texts))
    return evidence


class Verdict(msgspec.Struct, kw_only=True):
    """What is wrong with the evidence of a set of answers."""

    figures: int = 0
    alarms: list[str] = []
    false_sources: list[str] = []
    missed: list[str] = []
    misplaced: list[str] = []

    def judge(self, case: Mapping[str, Any]) -> None:
        left, others = list(evidence_of(case).figures), list[Figure]()
        for text, where, *path in case["figures"]:
            self.figures += 1
            told = f"{case['id']}: {text}"
            at = next((at for at, one in enumerate(left) if one.text.startswith(text)), None)
            if at is None:
                self.missed.append(told)
                continue
            self._compare(told, left[at], where.split("|"), path)
            others, left = [*others, *left[:at]], left[at + 1 :]
        self.alarms += [f"{case['id']}: {one.text}, no label" for one in (*others, *left) if one.source is None]

    def _compare(self, told: str, figure: Figure, wanted: list[str], path: list[str]) -> None:
        got = figure.origin or "none"
        if got == "none" and "none" not in wanted:
            self.alarms.append(told)
        elif got not in ("none", "asked") and not set(wanted) - {"none", "asked"}:
            self.false_sources.append(f"{told}: {got} {figure.found}")
        elif got not in wanted or (path and ".".join(map(str, figure.path)) != path[0]):
            self.misplaced.append(f"{told}: {got} {figure.path}")


@pytest.mark.parametrize("name", FILES)
def test_labelled_answers_have_no_false_source_and_hardly_a_false_alarm(name: str) -> None:
    verdict = Verdict()
    for case in cases(name):
        verdict.judge(case)
    assert len(verdict.false_sources) <= FALSE_SOURCES[name] * verdict.figures, verdict.false_sources
    assert len(verdict.alarms) <= MAX_FALSE_ALARMS * verdict.figures, verdict.alarms
    assert len(verdict.missed) <= MAX_FALSE_ALARMS * verdict.figures, verdict.missed
    assert len(verdict.misplaced) <= MAX_FALSE_ALARMS * verdict.figures, verdict.misplaced


def test_a_summary_vouches_for_what_stood_in_what_it_summarizes_and_for_nothing_else() -> None:
    told: list[Message] = [
        UserMessage("My budget is 48,200 EUR."),
        AssistantMessage(text="Fine. Rents are 1,720 there."),
    ]
    summary = "The budget is 48,200 EUR, rents are 1,720, and 9,999 are left."
    assert sourced_in(summary, told) == ("48,200 EUR",)
    messages = [
        note("summary", summary, sourced_in(summary, told)),
        UserMessage("Go on"),
        *called(1, ["look", {}, "7"]),
    ]
    evidence = check_answer("48,200 EUR, 1,720 and 9,999", messages, "Go on")
    assert [one.origin for one in evidence.figures] == ["earlier_answer", None, None]


def test_a_clock_is_found_in_a_moment_that_a_search_of_past_turns_vouches_for() -> None:
    at = "2026-11-16T10:22:14.810068+00:00"
    found = {"conversations": [{"at": at, "passage": "It was 9,999."}]}
    messages = [UserMessage("When?"), *called(1, ["search", {}, found, {"sourced": [at]}])]
    evidence = check_answer("At 10:22, not at 10:23, it was 9,999.", messages, "When?")
    assert [one.origin for one in evidence.figures] == ["earlier_answer", None, None]
