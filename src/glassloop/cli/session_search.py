"""Searching past conversations, and making the index they are searched in anew."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from glassloop.cli.folder_settings import load_settings
from glassloop.cli.look import Look, count
from glassloop.cli.progress import progress_bar
from glassloop.cli.running import storing
from glassloop.cli.session_views import moment
from glassloop.cli.tell import tell
from glassloop.cli.untrusted import inert, one_line
from glassloop.core.errors import UsageError
from glassloop.runtime.build import open_past
from glassloop.runtime.finding import Finding
from glassloop.runtime.past import PastTurn, Tell
from glassloop.runtime.remembering import Remembering
from glassloop.runtime.settings import Settings
from glassloop.store.store import Store

QUESTION_CHARS = 120
PASSAGE_CHARS = 400


def search(text: str, *, user: str, limit: int, as_json: bool) -> None:
    """What the user's conversations have about it."""
    settings = load_settings()
    with storing(settings) as (runner, store):
        found = runner.run(_search(store, _past(settings, store), text, user, limit))
    tell(found, as_json, lambda look: _shown(found, look))


def index(*, as_json: bool) -> None:
    """Makes the index anew from what is stored."""
    settings = load_settings()
    with storing(settings) as (runner, store), progress_bar("Reading conversations") as bar:
        turns, embedded = runner.run(_index(_past(settings, store), bar.advance))
    done = {"turns": turns, "embedded": embedded}
    by = f", {count(embedded, 'passage')} by meaning too" if embedded else ""
    tell(done, as_json, lambda _: Text(f"{count(turns, 'turn')} can be searched{by}."))


def _past(settings: Settings, store: Store) -> Remembering:
    past = open_past(settings, store)
    if past is None:
        raise UsageError("Conversations in memory cannot be searched: set DATABASE_URL to a file, or leave it out.")
    return past


async def _search(store: Store, past: Remembering, text: str, user: str, limit: int) -> Sequence[PastTurn]:
    try:
        return await Finding(store, past).search(text, user=user, max_results=limit)
    finally:
        await past.aclose()


async def _index(past: Remembering, advance: Tell) -> tuple[int, int]:
    try:
        return await past.rebuild(advance), await past.embed_pending()
    finally:
        await past.aclose()


def _shown(found: Sequence[PastTurn], look: Look) -> RenderableType:
    if not found:
        return Text("Nothing was found. Try other words; glassloop sessions list shows all there is.", "soft")
    parts: list[RenderableType] = []
    for each in found:
        parts.append(
            Text.assemble(
                (inert(each.session_id), "act"),
                f"  {one_line(each.question or each.title, QUESTION_CHARS)}",
                overflow="fold",
            )
        )
        facts = look.join(moment(each.at), one_line(each.assistant, 60), ", ".join(map(inert, each.tools)))
        parts.append(Padding(Text(facts, "soft", overflow="fold"), (0, 0, 0, 4)))
        parts.append(Padding(Text(one_line(each.passage, PASSAGE_CHARS), overflow="fold"), (0, 0, 0, 4)))
    return Group(*parts)
