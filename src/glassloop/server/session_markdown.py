"""A conversation as Markdown for people: questions, answers, and the calls each answer rests on."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

import msgspec

from glassloop.store.records import Session, SessionMessage

MAX_ARGUMENT_CHARS = 200


def markdown_head(session: Session) -> str:
    """The beginning of the file: its title, and when and with whom it was held."""
    title = " ".join(session.title.split()) or "Untitled"
    with_whom = f" with {session.assistant}" if session.assistant else ""
    return f"# {title}\n\nConversation{with_whom}, begun {session.started_at[:10]}.\n"


def markdown_messages(messages: Sequence[SessionMessage]) -> Iterator[str]:
    """Each message under its speaker."""
    for message in messages:
        speaker = "You" if message.role == "user" else "Assistant"
        yield f"\n## {speaker}\n\n{message.content.strip()}\n"
        if calls := _calls(message.tool_calls):
            yield "\nSources:\n\n" + "".join(f"- {line}\n" for line in calls)


def _calls(given: object) -> list[str]:
    calls = cast("list[Any]", given) if isinstance(given, list) else []
    return [_call(cast("dict[str, Any]", call)) for call in calls if isinstance(call, dict)]


def _call(call: dict[str, Any]) -> str:
    args = cast("dict[str, Any]", call.get("args") or {}) if isinstance(call.get("args"), dict) else {}
    told = ", ".join(f"{name}={msgspec.json.encode(value).decode()}" for name, value in args.items())
    short = told if len(told) <= MAX_ARGUMENT_CHARS else f"{told[: MAX_ARGUMENT_CHARS - 1]}…"
    # A code span may hold backticks only between longer rows of them.
    return f"``{call.get('tool', '')}({short})``".replace("\n", " ")
