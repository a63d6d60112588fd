"""`glassloop knowledge`: documents for the assistants, listed, searched, removed. Their texts are untrusted."""

import asyncio
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Annotated

import typer

from glassloop.cli.folder_settings import load_settings
from glassloop.cli.help import Helpful
from glassloop.cli.options import JsonOption
from glassloop.cli.ui.output import Line, TerminalStyle, count, show_result
from glassloop.cli.ui.safe_text import one_line, safe_text
from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.messages import DEFAULT_DOMAIN
from glassloop.core.ports import Passage
from glassloop.retrieval.collections.knowledge import SHARED, Document, KnowledgeBase
from glassloop.runtime.knowledge import Knowledge

app = typer.Typer(name="knowledge", cls=Helpful, help="List, search and remove documents of assistants.")

MAX_NAME_CHARS = 200
MAX_TEXT_CHARS = 2_000
_BRINGS = "To add some: glassloop import knowledge PATH"
_EMPTY = (
    f"There are no documents yet. {_BRINGS} The sample company's handbook is added the first time `business` searches."
)

UserOption = Annotated[
    str | None,
    typer.Option("--user", metavar="NAME", help="Include this user's documents. Default: shared documents only."),
]
DomainOption = Annotated[str | None, typer.Option("--domain", metavar="DOMAIN", help="Only this domain, e.g. finance.")]


@app.command("list")
def list_documents(domain: DomainOption = None, user: UserOption = None, as_json: JsonOption = False) -> None:
    """List documents.

    \b
    Examples:
      glassloop knowledge list
      glassloop knowledge list --domain finance --user ada
    """
    with _opened(user) as (runner, knowledge, owner):
        found = runner.run(knowledge.documents(owner, domain))
    empty = _EMPTY if domain is None and user is None else f"No matching documents. {_BRINGS}"
    show_result(found, as_json, lambda terminal: _document_lines(found, terminal) if found else Line((empty, "soft")))


@app.command()
def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for.")],
    domain: DomainOption = None,
    user: UserOption = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=100, help="Maximum number of passages.")] = 5,
    min_relevance: Annotated[
        float,
        typer.Option("--min-relevance", metavar="R", min=0.0, max=1.0, help="Minimum relevance, from 0 to 1."),
    ] = 0.0,
    as_json: JsonOption = False,
) -> None:
    """Show the passages that best match a question.

    \b
    Examples:
      glassloop knowledge search "who signs large orders"
      glassloop knowledge search 披锋 --domain mold --json
    """
    if not query.strip():
        raise UsageError("The query is empty: give some words to search for.")
    with _opened(user) as (runner, knowledge, owner):
        found = runner.run(
            knowledge.search(query, user=owner, domain=domain or "", max_results=limit, min_relevance=min_relevance)
        )
        empty = "No matches." if found or runner.run(knowledge.documents(owner, None)) else _EMPTY
    show_result(found, as_json, lambda terminal: _passage_lines(found, terminal) if found else Line((empty, "soft")))


@app.command()
def remove(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Documents, named as in `glassloop knowledge list`.")
    ] = None,
    domain: Annotated[
        str | None, typer.Option("--domain", metavar="DOMAIN", help="Domain of the documents. Default: general.")
    ] = None,
    user: Annotated[
        str | None, typer.Option("--user", metavar="NAME", help="Remove this user's documents. Default: shared ones.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All documents of the domain, or of every domain.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Remove documents.

    Their content is removed from the index files too.

    \b
    Examples:
      glassloop knowledge remove handbook/old.md --domain finance
      glassloop knowledge remove --all --domain finance --user ada
    """
    if bool(names) == every:
        raise UsageError("Give either the documents to remove or --all.")
    whole = every and domain is None
    with _opened(user) as (runner, knowledge, owner):
        chosen = None if every else names
        work = knowledge.forget(owner) if whole else knowledge.remove(chosen, domain=domain or "", user=owner)
        gone = runner.run(work)
    if not gone:
        whose = f"of {user!r} " if user else ""
        where = "" if whole else f"in the domain {domain or DEFAULT_DOMAIN!r}"
        raise UnknownName(f"There is no such document {whose}{where}: `glassloop knowledge list` shows all documents.")
    show_result({"removed": gone}, as_json, lambda _: f"{count(gone, 'document')} removed.")


@contextmanager
def _opened(user: str | None) -> Generator[tuple[asyncio.Runner, KnowledgeBase, str]]:
    """An event loop, the knowledge base on it, and whose documents are meant."""
    knowledge = Knowledge(load_settings())
    with asyncio.Runner() as runner:
        try:
            yield runner, knowledge.base(), user or SHARED
        finally:
            runner.run(knowledge.aclose())


def _document_lines(documents: Sequence[Document], terminal: TerminalStyle) -> list[Line]:
    lines: list[Line] = []
    for each in documents:
        whose = "shared" if each.shared else "own"
        facts = terminal.join(safe_text(each.domain), whose, count(each.passages, "passage"), f"{each.size:,} bytes")
        lines.append(Line((one_line(each.name, MAX_NAME_CHARS), "act"), "  ", (facts, "soft")))
    return [*lines, Line((count(len(documents), "document"), "soft"))]


def _passage_lines(passages: Sequence[Passage], terminal: TerminalStyle) -> list[Line]:
    lines: list[Line] = []
    for passage in passages:
        facts = terminal.join(
            passage.place, safe_text(passage.domain), f"relevance {passage.relevance:.2f}", passage.why
        )
        lines.append(Line((one_line(passage.document, MAX_NAME_CHARS), "act"), "  ", (facts, "soft")))
        text = safe_text(passage.text)
        lines.append(Line(text if len(text) <= MAX_TEXT_CHARS else f"{text[:MAX_TEXT_CHARS]}…", indent=4, below=1))
    return lines
