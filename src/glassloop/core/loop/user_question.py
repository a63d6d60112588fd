"""Questions of the model to the person: the tool `ask_user`, how its arguments are read, and what an answer may be.

Pure. `own_tools` has the turn wait for the answer.
"""

from typing import Final, cast

import msgspec

from glassloop.core.errors import ApprovalMismatch, UsageError
from glassloop.core.loop.observations import CallState
from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json, ToolResult

ASK_USER: Final = "ask_user"
MAX_QUESTION_CHARS: Final = 2_000
MAX_OPTIONS: Final = 8
MAX_OPTION_CHARS: Final = 200
MAX_ANSWER_CHARS: Final = 10_000

ASK_SPEC: Final = ToolSpec(
    name=ASK_USER,
    description=(
        "Ask the user something that only they can tell, and wait for the answer: which of several readings they mean, "
        "a preference, a value that is missing. Not for what your tools can find, and not to have an action confirmed: "
        "tools that need that ask by themselves. One question at a time, short, in the user's language. It returns the "
        "user's own words, which count like the question itself."
    ),
    parameters={
        "type": "object",
        "properties": {
            "question": {"type": "string", "description": "One question, with what the user needs to decide it."},
            "options": {
                "type": "array",
                "items": {"type": "string"},
                "maxItems": MAX_OPTIONS,
                "description": "Likely answers to pick from, a few words each. The user may always say something else.",
            },
        },
        "required": ["question"],
        "additionalProperties": False,
    },
    effect="read",
)


class ReadQuestion(msgspec.Struct, frozen=True):
    """A question as the model wrote it."""

    text: str
    options: tuple[str, ...]


def read_question(args: dict[str, Json]) -> ReadQuestion | str:
    """The question in the arguments of `ask_user`, or what is wrong with it, for the model."""
    question, options = args.get("question"), cast("Json", args.get("options") or [])
    if not isinstance(question, str) or not question.strip():
        return "`question` is empty: say what the user should answer."
    if len(question) > MAX_QUESTION_CHARS:
        return f"`question` has {len(question):,} characters: ask in at most {MAX_QUESTION_CHARS:,}."
    if not isinstance(options, list) or not all(isinstance(each, str) for each in cast("list[Json]", options)):
        return "`options` is a list of texts: write them so, or leave it out."
    listed = tuple(dict.fromkeys(each.strip() for each in cast("list[str]", options) if each.strip()))
    if len(listed) > MAX_OPTIONS or any(len(each) > MAX_OPTION_CHARS for each in listed):
        return f"Give at most {MAX_OPTIONS} options of at most {MAX_OPTION_CHARS} characters each."
    return ReadQuestion(question.strip(), listed)


def read_answer(entry: CallState | None, call_id: str, text: str) -> str:
    """An answer as it is recorded; raises where no question waits for it, or it says nothing or too much."""
    if entry is None or entry.question is None or entry.answer is not None or entry.result is not None:
        raise ApprovalMismatch(f"No question is pending for call {call_id!r}: reload to see what is waiting.")
    text = text.encode("utf-8", "replace").decode().strip()
    if not text:
        raise UsageError("The answer is empty: say something, or cancel the turn.")
    if len(text) > MAX_ANSWER_CHARS:
        raise UsageError(f"The answer is longer than {MAX_ANSWER_CHARS:,} characters: shorten it.")
    return text


def answered(text: str) -> ToolResult:
    """The person's words as the result of the call, marked as theirs."""
    return ToolResult(success=True, output=f"The user answered: {text}", data=text, cause="answered")
