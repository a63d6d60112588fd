"""Reading and deleting stored conversations, for the commands under `glassloop sessions`."""

import asyncio
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from glassloop.cli.folder_settings import load_settings
from glassloop.cli.latest import find_session
from glassloop.cli.look import count
from glassloop.cli.progress import progress_bar
from glassloop.cli.running import storing
from glassloop.cli.tell import tell
from glassloop.cli.terminal import ask_line, can_ask
from glassloop.cli.untrusted import inert
from glassloop.core.errors import GlassloopError, UnknownName, UsageError
from glassloop.runtime.build import open_past
from glassloop.store.engine.paging import MAX_LISTED
from glassloop.store.store import Store

if TYPE_CHECKING:
    from rich.console import Console


def show_session(session_id: str, *, user: str | None, as_json: bool) -> None:
    """The session with its messages; for people with the trace of every turn."""
    with storing(load_settings()) as (runner, store):
        session = runner.run(find_session(store, session_id, user))
        if as_json:
            whole = {"session": session, "messages": runner.run(store.sessions.messages(session.id))}
            tell(whole, True, lambda _look: "")
            return
        from glassloop.cli.console import make_console, write
        from glassloop.cli.display import look_of
        from glassloop.cli.session_views import show_head, show_message

        console = make_console()
        write(console, show_head(session, look_of(console)))
        told: set[str] = set()
        for message in runner.run(store.sessions.messages(session.id)):
            if message.turn_id is None:
                write(console, show_message(message))
            elif message.turn_id not in told:
                told.add(message.turn_id)
                _show_turn(runner, store, message.turn_id, console)


def _show_turn(runner: asyncio.Runner, store: Store, turn_id: str, console: "Console") -> None:
    from glassloop.cli.console import write
    from glassloop.cli.display import PlainTrace, look_of
    from glassloop.cli.session_views import show_turn_head, show_turn_state

    turn = runner.run(store.turns.get(turn_id))
    if turn is None:
        return
    write(console, show_turn_head(turn, look_of(console)))
    trace = PlainTrace(console)
    for event in runner.run(store.turns.read(turn_id, skip_unknown=True)):
        trace.show(event)
    if turn.status in ("running", "paused"):
        write(console, show_turn_state(turn))


def delete_sessions(session_ids: Sequence[str], *, yes: bool) -> str:
    """Deletes these, once all of them were found."""
    from glassloop.runtime.forgetting import forget_todos

    settings = load_settings()
    with storing(settings) as (runner, store):
        found = [runner.run(find_session(store, session_id, None)) for session_id in dict.fromkeys(session_ids)]
        messages = count(sum(session.message_count for session in found), "message")
        _confirm(f"{count(len(found), 'session')} with {messages}", yes=yes)
        with progress_bar("Deleting", len(found)) as bar:
            runner.run(forget_todos(settings.home_path, [session.id for session in found]))
            for session in found:
                runner.run(store.sessions.delete(session.id))
                bar.advance(1)
            runner.run(_unsearchable(store))
    return f"Deleted {count(len(found), 'session')}."


def delete_of_user(user: str, *, yes: bool) -> str:
    """Deletes every session, job, upload, note and document of a user."""
    from glassloop.packs.general.database import Database as Notes
    from glassloop.runtime.forgetting import forget_notes
    from glassloop.runtime.knowledge import count_own, forget_own
    from glassloop.server.uploads import Uploads

    settings = load_settings()
    uploads = Uploads(settings)
    with storing(settings) as (runner, store):
        sessions = len(runner.run(store.sessions.list(MAX_LISTED, user_id=user)))
        jobs = len(runner.run(store.jobs.list(MAX_LISTED, user_id=user)))
        files = len(runner.run(uploads.list(user)))
        kept = Notes(settings.home_path).count(user)
        papers = runner.run(count_own(settings, user))
        if not (sessions or jobs or files or kept or papers):
            raise UnknownName(f"Nothing of a user {user!r} is stored: `glassloop sessions list` shows whose there are.")
        more = " or more" if MAX_LISTED in (sessions, jobs) else ""
        others = ((files, "upload"), (kept, "note"), (papers, "document"))
        also = "".join(f", {count(number, what)}" for number, what in others if number)
        _confirm(f"everything of {user!r} ({count(sessions, 'session')}, {count(jobs, 'job')}{more}{also})", yes=yes)
        with progress_bar("Deleting"):
            runner.run(forget_notes(settings.home_path, store, user))
            gone = runner.run(store.maintenance.delete_user(user))
            runner.run(_unsearchable(store))
            runner.run(uploads.forget(user))
            runner.run(forget_own(settings, user))
    done = f"{count(gone, 'session')}, {count(jobs, 'job')}{more if jobs else ''}{also}"
    return f"Deleted everything of {user!r}: {done}."


def delete_old(days: float, *, yes: bool) -> str:
    """Deletes sessions without activity for so long, and jobs that were over before."""
    if not days > 0:
        raise UsageError(f"--older-than must be more than 0 days, not {days:g}.")
    from glassloop.runtime.forgetting import forget_old

    settings = load_settings()
    with storing(settings) as (runner, store):
        _confirm(f"every session that was not used for {days:g} days", yes=yes)
        with progress_bar("Deleting"):
            gone = runner.run(forget_old(settings.home_path, store, days))
            runner.run(_unsearchable(store))
    return f"Deleted {count(gone, 'session')}."


async def _unsearchable(store: Store) -> None:
    """What was deleted goes from the index of past conversations too."""
    past = open_past(load_settings(), store)
    if past is not None:
        try:
            await past.forget_gone()
        finally:
            await past.aclose()


def _confirm(what: str, *, yes: bool) -> None:
    """Goes on only when a person says so, or has said so by `--yes`."""
    if yes:
        return
    if not can_ask(sys.stdout):
        raise UsageError(f"This would delete {what}, and nobody can be asked here: add --yes if you mean it.")
    try:
        answer = ask_line(inert(f"Delete {what} for good? y(es), n(o): ")).strip().lower()
    except EOFError:
        answer = ""
    if answer not in ("y", "yes"):
        raise GlassloopError("Nothing was deleted.")
