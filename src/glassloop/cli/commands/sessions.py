"""`glassloop sessions`: stored conversations, to be listed, read, searched, taken elsewhere and deleted."""

import asyncio
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console

from glassloop.cli.folder_settings import load_settings
from glassloop.cli.help import Helpful
from glassloop.cli.options import JsonOption, LimitOption, OwnerOption
from glassloop.cli.resources import USER, find_session, use_runtime, use_store
from glassloop.cli.session_files import export_session, import_session
from glassloop.cli.ui.console import make_console, style_of, write
from glassloop.cli.ui.output import Line, TerminalStyle, count, moment, say, show_result, write_json
from glassloop.cli.ui.progress import progress_bar
from glassloop.cli.ui.prompt import confirm
from glassloop.cli.ui.safe_text import one_line, safe_text
from glassloop.cli.ui.trace_display import PlainTrace
from glassloop.core.errors import UnknownName, UsageError
from glassloop.runtime.build import open_past
from glassloop.runtime.conversations.index import PastTurn
from glassloop.runtime.conversations.indexer import ConversationIndexer
from glassloop.runtime.conversations.search import ConversationSearch
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.settings import Settings
from glassloop.store.engine.paging import MAX_LISTED
from glassloop.store.records import Session, SessionMessage, TurnRow
from glassloop.store.store import Store
from glassloop.store.tables.grants import Grant

app = typer.Typer(name="sessions", cls=Helpful, help="List, show, search, export, import and delete conversations.")

SessionArgument = Annotated[str, typer.Argument(metavar="ID", help="Session id, or last.")]


@app.command("list")
def list_sessions(
    user: OwnerOption = None,
    status: Annotated[
        str | None, typer.Option("--status", metavar="STATUS", help="active, completed or awaiting_approval.")
    ] = None,
    limit: LimitOption = 50,
    offset: Annotated[int, typer.Option("--offset", metavar="N", min=0, help="Skip this many.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """List conversations, newest first.

    Sessions of `glassloop eval` are hidden: use --user eval to list them.

    \b
    Examples:
      glassloop sessions list
      glassloop sessions list --status awaiting_approval --json
    """
    with use_store() as (runner, store):
        found = runner.run(store.sessions.list(limit, offset, user, status, evals=False))
    following = offset + limit if len(found) == limit else None
    empty = 'No sessions yet. To start one: glassloop ask "QUESTION"'
    if user is not None or status is not None or offset > 0:
        empty = "No matching sessions: `glassloop sessions list` without options shows all."
    show_result(
        found, as_json, lambda terminal: session_lines(found, terminal, following) if found else Line((empty, "soft"))
    )


@app.command()
def show(session: SessionArgument, user: OwnerOption = None, as_json: JsonOption = False) -> None:
    """Show a conversation and the steps behind each answer.

    \b
    Examples:
      glassloop sessions show 0199c0de-0000-7000-8000-000000000001
      glassloop sessions show 0199c0de-0000-7000-8000-000000000001 --json
    """
    with use_store() as (runner, store):
        found = runner.run(find_session(store, session, user))
        messages = runner.run(store.sessions.messages(found.id))
        if as_json:
            write_json({"session": found, "messages": messages}, indent=2)
            return
        console = make_console()
        for line in head_lines(found, style_of(console)):
            write(console, line)
        shown: set[str] = set()
        for message in messages:
            if message.turn_id is None:
                write(console, message_line(message))
            elif message.turn_id not in shown:
                shown.add(message.turn_id)
                _show_turn(runner, store, message.turn_id, console)


@app.command()
def search(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Words or topic to search for.")],
    user: Annotated[str, typer.Option("--user", metavar="NAME", help="Only this user's conversations.")] = "anonymous",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=100, help="Maximum number to show.")] = 10,
    as_json: JsonOption = False,
) -> None:
    """Search conversations, best matches first.

    \b
    Examples:
      glassloop sessions search "marathon in kilometers"
      glassloop sessions search 出差 --user ada --json
    """
    settings = load_settings()
    with use_store(settings) as (runner, store):
        past = _past(settings, store)
        try:
            found = runner.run(ConversationSearch(store, past).search(text, user=user, max_results=limit))
        finally:
            runner.run(past.aclose())
    show_result(found, as_json, lambda terminal: hit_lines(found, terminal))


@app.command()
def index(as_json: JsonOption = False) -> None:
    """Rebuild the search index.

    The index is updated automatically. Rebuild it only if it is lost or damaged.

    \b
    Example:
      glassloop sessions index
    """
    settings = load_settings()
    with use_store(settings) as (runner, store), progress_bar("Reading conversations") as bar:
        past = _past(settings, store)
        try:
            turns, embedded = runner.run(past.rebuild(bar.advance)), runner.run(past.embed_pending())
        finally:
            runner.run(past.aclose())
    by = f", {count(embedded, 'passage')} by meaning too" if embedded else ""
    done = {"turns": turns, "embedded_passages": embedded}
    show_result(done, as_json, lambda _: f"{count(turns, 'turn')} can be searched{by}.")


@app.command()
def grants(
    session: SessionArgument,
    revoke: Annotated[
        str | None, typer.Option("--revoke", metavar="TOOL", help="Require approval for this tool again.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the tools approved for a session, or revoke one.

    \b
    Examples:
      glassloop sessions grants 0199c0de-0000-7000-8000-000000000001
      glassloop sessions grants 0199c0de-0000-7000-8000-000000000001 --revoke write_file
    """
    with use_store() as (runner, store):
        found = runner.run(find_session(store, session))
        if revoke is not None:
            if not runner.run(store.grants.revoke(found.id, revoke)):
                raise UnknownName(f"{revoke!r} has no session approval: it already asks every time.")
            runner.run(store.audit.record("revoked", revoke, by=USER, session_id=found.id))
        grants = runner.run(store.grants.of_session(found.id))
    show_result(grants, as_json, lambda terminal: grant_lines(grants, terminal))


@app.command()
def export(
    session: SessionArgument,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Output file. Omit it or use - for standard output.")
    ] = "-",
    user: OwnerOption = None,
) -> None:
    """Export a conversation as JSON lines.

    \b
    Examples:
      glassloop sessions export 0199c0de-0000-7000-8000-000000000001 talk.jsonl
      glassloop sessions export 0199c0de-0000-7000-8000-000000000001 | gzip > talk.jsonl.gz
    """
    export_session(session, file, user=user)
    if file != "-":
        say(f"Exported session {session} to {file}.")


@app.command("import")
def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file written by export; - reads standard input.")],
    user: Annotated[
        str | None, typer.Option("--user", metavar="NAME", help="New owner. Default: the original user.")
    ] = None,
) -> None:
    """Import an exported conversation, all or nothing.

    \b
    Examples:
      glassloop sessions import talk.jsonl
      gunzip < talk.jsonl.gz | glassloop sessions import - --user ada
    """
    say(f"Imported session {import_session(file, user=user)}.")


@app.command()
def delete(
    sessions: Annotated[list[str] | None, typer.Argument(metavar="ID", help="Session ids.")] = None,
    user: Annotated[
        str | None, typer.Option("--user", metavar="NAME", help="Delete everything stored for this user.")
    ] = None,
    older_than: Annotated[
        float | None, typer.Option("--older-than", metavar="DAYS", help="Delete sessions not used for this many days.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Skip the confirmation prompt.")] = False,
) -> None:
    """Permanently delete conversations by id, user or age.

    \b
    Examples:
      glassloop sessions delete 0199c0de-0000-7000-8000-000000000001
      glassloop sessions delete --user ada
      glassloop sessions delete --older-than 90 --yes
    """
    if (bool(sessions), user is not None, older_than is not None).count(True) != 1:
        raise UsageError("Choose one way to delete: session ids, --user NAME, or --older-than DAYS.")
    with use_runtime(needs_store=True) as (runner, runtime):
        if user is not None:
            say(_delete_user(runner, runtime, user, yes=yes))
            return
        if older_than is not None:
            if not older_than > 0:
                raise UsageError(f"--older-than must be more than 0 days, not {older_than:g}.")
            _confirm(f"every session not used for {older_than:g} days", yes=yes)
            work = runtime.erasure.erase_idle(older_than)
        else:
            found = [runner.run(find_session(runtime.store, each)) for each in dict.fromkeys(sessions or ())]
            messages = count(sum(session.message_count for session in found), "message")
            _confirm(f"{count(len(found), 'session')} with {messages}", yes=yes)
            work = runtime.erasure.erase_sessions([session.id for session in found], by=USER)
        with progress_bar("Deleting"):
            gone = runner.run(work)
    say(f"Deleted {count(gone, 'session')}.")


def _show_turn(runner: asyncio.Runner, store: Store, turn_id: str, console: Console) -> None:
    turn = runner.run(store.turns.get(turn_id))
    if turn is None:
        return
    write(console, turn_head(turn, style_of(console)))
    trace = PlainTrace(console)
    for event in runner.run(store.turns.read(turn_id, skip_unknown=True)):
        trace.show(event)
    if turn.status in ("running", "paused"):
        write(console, turn_state(turn))


def _past(settings: Settings, store: Store) -> ConversationIndexer:
    past = open_past(settings, store)
    if past is None:
        raise UsageError("Conversations in memory cannot be searched: set DATABASE_URL to a file, or unset it.")
    return past


def _delete_user(runner: asyncio.Runner, runtime: Runtime, user: str, *, yes: bool) -> str:
    """Deletes everything of a user."""
    there = runner.run(runtime.erasure.count(user))
    if not any(there.values()):
        raise UnknownName(f"Nothing is stored for user {user!r}: `glassloop sessions list` shows all sessions.")
    more = " or more" if MAX_LISTED in there.values() else ""
    kinds = [count(number, kind.removesuffix("s")) for kind, number in there.items() if number]
    _confirm(f"everything stored for {user!r} ({', '.join(kinds)}{more})", yes=yes)
    with progress_bar("Deleting"):
        runner.run(runtime.erasure.erase_user(user))
    return f"Deleted everything stored for {user!r}: {', '.join(kinds)}{more}."


def _confirm(what: str, *, yes: bool) -> None:
    unattended = f"This would delete {what}, and there is no terminal to confirm: add --yes to go ahead."
    confirm(f"Permanently delete {what}?", yes=yes, unattended=unattended, refused="Nothing was deleted.")


MAX_TITLE_CHARS = 80
MAX_QUESTION_CHARS = 120
MAX_PASSAGE_CHARS = 400
_STATUS = {"awaiting_approval": "waiting for approval", "completed": "completed", "active": ""}


def session_lines(sessions: Sequence[Session], terminal: TerminalStyle, following: int | None) -> list[Line]:
    """Each session with its id and what it was about; `following` is where the list goes on."""
    lines: list[Line] = []
    for session in sessions:
        title = one_line(session.title, MAX_TITLE_CHARS) or "(nothing asked yet)"
        lines.append(Line((safe_text(session.id), "act"), f"  {title}"))
        lines.append(Line((_facts(session, terminal), "soft"), indent=4))
    total = count(len(sessions), "session")
    return [*lines, Line((f"{total}; for more, add --offset {following}" if following is not None else total, "soft"))]


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
        return Line((f"Waiting for approval: glassloop approve {turn_id}", "think"))
    return Line((f"Not finished: glassloop watch {turn_id} follows it; glassloop resume restarts it.", "think"))


def message_line(message: SessionMessage) -> Line:
    """Something said outside of any turn."""
    return Line("\n", (f"{message.role}: ", "soft"), safe_text(message.content))


def hit_lines(found: Sequence[PastTurn], terminal: TerminalStyle) -> list[Line]:
    """Past turns that a search found, with the passage it found them by."""
    if not found:
        return [Line(("No matches. Try other words, or run glassloop sessions list to see all sessions.", "soft"))]
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
        return [Line(("No tool is approved for this session: each call asks.", "soft"))]
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
