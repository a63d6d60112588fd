"""What stored conversations look like in a terminal. Every text in them is untrusted."""

from collections.abc import Sequence
from datetime import UTC, datetime

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from glassloop.cli.look import Look, count
from glassloop.cli.untrusted import inert, one_line
from glassloop.store.records import Session, SessionMessage, TurnRow

TITLE_CHARS = 80
_STATUS = {"awaiting_approval": "waits for an approval", "completed": "completed", "active": ""}


def show_sessions(
    sessions: Sequence[Session], look: Look, *, following: int | None, filtered: bool = False
) -> RenderableType:
    """Each session with its id and what it was about; `following` is where the list goes on."""
    if not sessions:
        if filtered:
            return Text("There is no such session: without options glassloop sessions list shows all.", "soft")
        return Text('There are no sessions yet. glassloop ask "QUESTION" starts one.', "soft")
    parts: list[RenderableType] = []
    for session in sessions:
        title = one_line(session.title, TITLE_CHARS) or "(nothing asked yet)"
        parts.append(Text.assemble((inert(session.id), "act"), f"  {title}", overflow="fold"))
        parts.append(Padding(Text(_facts(session, look), "soft", overflow="fold"), (0, 0, 0, 4)))
    shown = count(len(sessions), "session")
    parts.append(Text(f"{shown}; more: --offset {following}" if following is not None else shown, "soft"))
    return Group(*parts)


def show_head(session: Session, look: Look) -> RenderableType:
    """What a session is, above what was said in it."""
    rating = f"rated {session.rating}" if session.rating else ""
    return Group(
        Text.assemble((inert(session.id), "act"), f"  {one_line(session.title, TITLE_CHARS)}", overflow="fold"),
        Text(look.join(_facts(session, look), rating), "soft", overflow="fold"),
    )


def show_turn_head(turn: TurnRow, look: Look) -> RenderableType:
    """Which turn follows."""
    return Text(f"\n{look.join(f'turn {inert(turn.id)}', moment(turn.started_at))}", "faint", overflow="fold")


def show_turn_state(turn: TurnRow) -> RenderableType:
    """What a turn that is not over needs."""
    turn_id = inert(turn.id)
    if turn.status == "paused":
        return Text(f"It waits for an approval: glassloop approve {turn_id}", "think", overflow="fold")
    return Text(f"It is not over: glassloop watch {turn_id} follows it, resume takes it up.", "think", overflow="fold")


def show_message(message: SessionMessage) -> RenderableType:
    """Something said outside of any turn."""
    return Text.assemble("\n", (f"{message.role}: ", "soft"), inert(message.content), overflow="fold")


def moment(at: float | str) -> str:
    """A time as the clock on the wall shows it."""
    told = datetime.fromisoformat(at) if isinstance(at, str) else datetime.fromtimestamp(at, UTC)
    return told.astimezone().strftime("%Y-%m-%d %H:%M")


def _facts(session: Session, look: Look) -> str:
    return look.join(
        moment(session.last_active),
        one_line(session.user_id, 60),
        one_line(session.assistant, 60),
        session.channel,
        count(session.message_count, "message"),
        _STATUS[session.status],
    )
