"""Stored conversations in a terminal. Every text in them is untrusted."""

from collections.abc import Sequence

from glassloop.cli.ui.output import Line
from glassloop.cli.ui.safe_text import one_line, safe_text
from glassloop.cli.ui.style import TerminalStyle, count, moment
from glassloop.runtime.conversations.index import PastTurn
from glassloop.store.records import Session, SessionMessage, TurnRow
from glassloop.store.tables.grants import Grant

MAX_TITLE_CHARS = 80
MAX_QUESTION_CHARS = 120
MAX_PASSAGE_CHARS = 400
_STATUS = {"awaiting_approval": "waits for an approval", "completed": "completed", "active": ""}


def session_lines(sessions: Sequence[Session], terminal: TerminalStyle, following: int | None) -> list[Line]:
    """Each session with its id and what it was about; `following` is where the list goes on."""
    lines: list[Line] = []
    for session in sessions:
        title = one_line(session.title, MAX_TITLE_CHARS) or "(nothing asked yet)"
        lines.append(Line((safe_text(session.id), "act"), f"  {title}"))
        lines.append(Line((_facts(session, terminal), "soft"), indent=4))
    total = count(len(sessions), "session")
    return [*lines, Line((f"{total}; more: --offset {following}" if following is not None else total, "soft"))]


def head_lines(session: Session, terminal: TerminalStyle) -> list[Line]:
    """A session, above what was said in it."""
    rating = f"rated {session.rating}" if session.rating else ""
    return [
        Line((safe_text(session.id), "act"), f"  {one_line(session.title, MAX_TITLE_CHARS)}"),
        Line((terminal.join(_facts(session, terminal), rating), "soft")),
    ]


def turn_head(turn: TurnRow, terminal: TerminalStyle) -> Line:
    """The heading of a turn."""
    return Line((f"\n{terminal.join(f'turn {safe_text(turn.id)}', moment(turn.started_at))}", "faint"))


def turn_state(turn: TurnRow) -> Line:
    """The command that a turn which is not over needs."""
    turn_id = safe_text(turn.id)
    if turn.status == "paused":
        return Line((f"It waits for an approval: glassloop approve {turn_id}", "think"))
    return Line((f"It is not over: glassloop watch {turn_id} follows it, resume takes it up.", "think"))


def message_line(message: SessionMessage) -> Line:
    """Something said outside of any turn."""
    return Line("\n", (f"{message.role}: ", "soft"), safe_text(message.content))


def hit_lines(found: Sequence[PastTurn], terminal: TerminalStyle) -> list[Line]:
    """Past turns that a search found, with the passage it found them by."""
    if not found:
        return [Line(("Nothing was found. Try other words; glassloop sessions list shows all there is.", "soft"))]
    lines: list[Line] = []
    for each in found:
        title = one_line(each.question or each.title, MAX_QUESTION_CHARS)
        lines.append(Line((safe_text(each.session_id), "act"), f"  {title}"))
        facts = terminal.join(moment(each.at), one_line(each.assistant, 60), ", ".join(map(safe_text, each.tools)))
        lines.append(Line((facts, "soft"), indent=4))
        lines.append(Line(one_line(each.passage, MAX_PASSAGE_CHARS), indent=4))
    return lines


def grant_lines(grants: Sequence[Grant], terminal: TerminalStyle) -> list[Line]:
    """Tools that need not ask in a session."""
    if not grants:
        return [Line(("No tool is allowed for this session: each asks.", "soft"))]
    return [
        Line(
            (one_line(grant.tool, 80), "act"),
            f"  {terminal.join(f'by {one_line(grant.by_user, 60)}', f'until {moment(grant.until)}')}",
        )
        for grant in grants
    ]


def _facts(session: Session, terminal: TerminalStyle) -> str:
    return terminal.join(
        moment(session.last_active),
        one_line(session.user_id, 60),
        one_line(session.assistant, 60),
        session.channel,
        count(session.message_count, "message"),
        _STATUS[session.status],
    )
