"""What somebody allowed for the rest of a session: shown, and taken back."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from glassloop.cli.ask import USER
from glassloop.cli.folder_settings import load_settings
from glassloop.cli.latest import find_session
from glassloop.cli.look import Look
from glassloop.cli.running import storing
from glassloop.cli.session_views import moment
from glassloop.cli.tell import tell
from glassloop.cli.untrusted import one_line
from glassloop.core.errors import UnknownName
from glassloop.store.tables.grants import Grant


def show_grants(session_id: str, *, as_json: bool) -> None:
    """The tools that need not ask in this session."""
    with storing(load_settings()) as (runner, store):
        session = runner.run(find_session(store, session_id, None))
        found = runner.run(store.grants.of_session(session.id))
    tell(found, as_json, lambda look: _shown(found, look))


def revoke_grant(session_id: str, tool: str) -> None:
    """Has a tool ask again."""
    with storing(load_settings()) as (runner, store):
        session = runner.run(find_session(store, session_id, None))
        if not runner.run(store.grants.revoke(session.id, tool)):
            raise UnknownName(f"{tool!r} is not allowed in this session: it asks anyway.")
        runner.run(store.audit.record("revoked", tool, by=USER, session_id=session.id))


def _shown(grants: Sequence[Grant], look: Look) -> RenderableType:
    if not grants:
        return Text("No tool is allowed for this session: each asks.", "soft")
    return Group(
        *(
            Text.assemble(
                (one_line(grant.tool, 80), "act"),
                f"  {look.join(f'by {one_line(grant.by_user, 60)}', f'until {moment(grant.until)}')}",
                overflow="fold",
            )
            for grant in grants
        )
    )
