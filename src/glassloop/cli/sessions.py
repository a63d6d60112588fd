"""`glassloop sessions`: conversations that are stored, to be listed, read, taken elsewhere and deleted.

Only the options are here; the work is imported when it is asked for.
"""

from typing import Annotated

import typer

from glassloop.cli.grouped_help import Helpful
from glassloop.cli.options import JsonOption, LimitOption, OwnerOption
from glassloop.core.errors import UsageError

app = typer.Typer(name="sessions", cls=Helpful, help="Conversations: list, show, search, export, import, delete.")

SessionArgument = Annotated[str, typer.Argument(metavar="ID", help="The session's id, or last.")]


@app.command("list")
def list_sessions(
    user: OwnerOption = None,
    status: Annotated[
        str | None, typer.Option("--status", metavar="STATUS", help="active, completed or awaiting_approval.")
    ] = None,
    limit: LimitOption = 50,
    offset: Annotated[int, typer.Option("--offset", metavar="N", min=0, help="Leave out the first so many.")] = 0,
    as_json: JsonOption = False,
) -> None:
    """List the conversations, newest first.

    Those of `glassloop eval` are left out: --user eval lists them.

    \b
    Examples:
      glassloop sessions list
      glassloop sessions list --status awaiting_approval --json
    """
    from glassloop.cli.folder_settings import load_settings
    from glassloop.cli.running import storing
    from glassloop.cli.session_views import show_sessions
    from glassloop.cli.tell import tell

    with storing(load_settings()) as (runner, store):
        found = runner.run(store.sessions.list(limit, offset, user, status, evals=False))
    following = offset + limit if len(found) == limit else None
    filtered = user is not None or status is not None or offset > 0
    tell(found, as_json, lambda look: show_sessions(found, look, following=following, filtered=filtered))


@app.command()
def show(session: SessionArgument, user: OwnerOption = None, as_json: JsonOption = False) -> None:
    """Show a conversation, and how each answer came about.

    \b
    Examples:
      glassloop sessions show 0199c0de-0000-7000-8000-000000000001
      glassloop sessions show 0199c0de-0000-7000-8000-000000000001 --json
    """
    from glassloop.cli.session_work import show_session

    show_session(session, user=user, as_json=as_json)


@app.command()
def search(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Words of it, or what it was about.")],
    user: Annotated[str, typer.Option("--user", metavar="NAME", help="Whose conversations.")] = "anonymous",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=100, help="At most so many.")] = 10,
    as_json: JsonOption = False,
) -> None:
    """Find what was said earlier, best first.

    \b
    Examples:
      glassloop sessions search "marathon in kilometers"
      glassloop sessions search 出差 --user ada --json
    """
    from glassloop.cli.session_search import search

    search(text, user=user, limit=limit, as_json=as_json)


@app.command()
def index(as_json: JsonOption = False) -> None:
    """Make the index for searching conversations anew.

    It follows by itself; this is for when it was lost or is broken.

    \b
    Example:
      glassloop sessions index
    """
    from glassloop.cli.session_search import index

    index(as_json=as_json)


@app.command()
def grants(
    session: SessionArgument,
    revoke: Annotated[
        str | None, typer.Option("--revoke", metavar="TOOL", help="Have this tool ask again from now on.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the tools that need not ask, or have one ask again.

    \b
    Examples:
      glassloop sessions grants 0199c0de-0000-7000-8000-000000000001
      glassloop sessions grants 0199c0de-0000-7000-8000-000000000001 --revoke write_file
    """
    from glassloop.cli.session_grants import revoke_grant, show_grants

    if revoke is not None:
        revoke_grant(session, revoke)
    show_grants(session, as_json=as_json)


@app.command()
def export(
    session: SessionArgument,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to; - or nothing is standard output.")] = "-",
    user: OwnerOption = None,
) -> None:
    """Write a conversation as JSON lines, to take it elsewhere.

    \b
    Examples:
      glassloop sessions export 0199c0de-0000-7000-8000-000000000001 talk.jsonl
      glassloop sessions export 0199c0de-0000-7000-8000-000000000001 | gzip > talk.jsonl.gz
    """
    from glassloop.cli.session_files import export_session

    export_session(session, file, user=user)
    if file != "-":
        from glassloop.cli.tell import say

        say(f"Session {session} is in {file} now.")


@app.command("import")
def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="What export wrote; - is standard input.")],
    user: Annotated[
        str | None, typer.Option("--user", metavar="NAME", help="Whose it is from now on. Else whose it was.")
    ] = None,
) -> None:
    """Store a conversation that was exported, all of it or nothing.

    \b
    Examples:
      glassloop sessions import talk.jsonl
      gunzip < talk.jsonl.gz | glassloop sessions import - --user ada
    """
    from glassloop.cli.session_files import import_session
    from glassloop.cli.tell import say

    say(f"Session {import_session(file, user=user)} is here now.")


@app.command()
def delete(
    sessions: Annotated[list[str] | None, typer.Argument(metavar="ID", help="The sessions' ids.")] = None,
    user: Annotated[
        str | None, typer.Option("--user", metavar="NAME", help="Everything that is stored of this user.")
    ] = None,
    older_than: Annotated[
        float | None, typer.Option("--older-than", metavar="DAYS", help="What was not used for so many days.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask whether you mean it.")] = False,
) -> None:
    """Delete conversations for good: some, all of a user's, or old ones.

    \b
    Examples:
      glassloop sessions delete 0199c0de-0000-7000-8000-000000000001
      glassloop sessions delete --user ada
      glassloop sessions delete --older-than 90 --yes
    """
    if (bool(sessions), user is not None, older_than is not None).count(True) != 1:
        raise UsageError("Say what to delete, in one way: the ids of sessions, --user NAME, or --older-than DAYS.")
    from glassloop.cli.session_work import delete_of_user, delete_old, delete_sessions

    if user is not None:
        told = delete_of_user(user, yes=yes)
    elif older_than is not None:
        told = delete_old(older_than, yes=yes)
    else:
        told = delete_sessions(sessions or [], yes=yes)
    from glassloop.cli.tell import say

    say(told)
