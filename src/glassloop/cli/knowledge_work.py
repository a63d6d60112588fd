"""What `glassloop knowledge` does. Everything that documents say is untrusted."""

import asyncio
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from glassloop.cli.folder_settings import load_settings
from glassloop.cli.look import Look, count
from glassloop.cli.tell import tell
from glassloop.cli.untrusted import inert, one_line
from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.ports import Passage
from glassloop.retrieval.knowledge import SHARED, Document, KnowledgeBase
from glassloop.runtime.knowledge import Knowledge

NAME_CHARS = 200
TEXT_CHARS = 2_000
_BRINGS = "glassloop import knowledge PATH brings some in."
_EMPTY = (
    f"There are no documents yet. {_BRINGS} "
    "The handbook of the sample company comes in when `business` first looks something up."
)


def list_documents(*, domain: str | None, user: str | None, as_json: bool) -> None:
    """What a user's search sees."""
    with _opened() as (runner, knowledge):
        found = runner.run(knowledge.documents(user or SHARED, domain))
    empty = _EMPTY if domain is None and user is None else f"There are no such documents. {_BRINGS}"
    tell(found, as_json, lambda look: _shown_list(found, look) if found else Text(empty, "soft"))


def search_documents(
    query: str, *, domain: str | None, user: str | None, limit: int, min_relevance: float, as_json: bool
) -> None:
    """The passages that fit best."""
    if not query.strip():
        raise UsageError("There is nothing to look for: give some words.")
    with _opened() as (runner, knowledge):
        found = runner.run(
            knowledge.search(
                query,
                user=user or SHARED,
                domain=domain or "",
                max_results=limit,
                min_relevance=min_relevance,
            )
        )
        empty = "Nothing was found." if found or runner.run(knowledge.documents(user or SHARED, None)) else _EMPTY
    tell(found, as_json, lambda look: _shown_passages(found, look) if found else Text(empty, "soft"))


def remove_documents(names: Sequence[str], *, domain: str | None, user: str | None, every: bool, as_json: bool) -> None:
    """Removes documents, or says that there are none of that name."""
    if bool(names) == every:
        raise UsageError("Name the documents to remove, or --all of a domain: one of the two.")
    with _opened() as (runner, knowledge):
        if every and domain is None:
            gone = runner.run(knowledge.forget(user or SHARED))
        else:
            gone = runner.run(knowledge.remove(None if every else names, domain=domain or "", user=user or SHARED))
    if not gone:
        whose = f"of {user!r} " if user else ""
        where = "" if every and domain is None else f"in the domain {domain or 'general'!r}"
        raise UnknownName(f"There is no such document {whose}{where}: `glassloop knowledge list` shows what there is.")
    tell({"removed": gone}, as_json, lambda _look: Text(f"{count(gone, 'document')} removed."))


@contextmanager
def _opened() -> Generator[tuple[asyncio.Runner, KnowledgeBase]]:
    knowledge = Knowledge(load_settings())
    with asyncio.Runner() as runner:
        try:
            yield runner, knowledge.base()
        finally:
            runner.run(knowledge.aclose())


def _shown_list(documents: Sequence[Document], look: Look) -> RenderableType:
    parts: list[RenderableType] = []
    for each in documents:
        whose = "shared" if each.shared else "own"
        facts = look.join(inert(each.domain), whose, count(each.passages, "passage"), f"{each.size:,} bytes")
        parts.append(Text.assemble((one_line(each.name, NAME_CHARS), "act"), "  ", (facts, "soft"), overflow="fold"))
    return Group(*parts, Text(count(len(documents), "document"), "soft"))


def _shown_passages(passages: Sequence[Passage], look: Look) -> RenderableType:
    parts: list[RenderableType] = []
    for passage in passages:
        facts = look.join(passage.place, inert(passage.domain), f"relevance {passage.relevance:.2f}", passage.why)
        parts.append(
            Text.assemble((one_line(passage.document, NAME_CHARS), "act"), "  ", (facts, "soft"), overflow="fold")
        )
        text = inert(passage.text)
        shown = text if len(text) <= TEXT_CHARS else f"{text[:TEXT_CHARS]}…"
        parts.append(Padding(Text(shown, overflow="fold"), (0, 0, 1, 4)))
    return Group(*parts)
