"""`search_code`: a tool for assistants that work on code, named in their file as `glassloop.runtime.tools.code_search`.

Owns the wording a model reads and the shape of the result. The indexes are offered by the runtime as `contexts`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Protocol

from pydantic import Field

from glassloop.core.errors import BadArguments, StoreAway, ToolError, ToolUnavailable, UsageError
from glassloop.core.ports import Passage
from glassloop.core.records import Json, ToolResult
from glassloop.retrieval.code.code_contexts import NothingIndexed
from glassloop.runtime.workspaces import Workspace, Workspaces
from glassloop.tools.tool import Tool, ToolContext, tool

MAX_QUERY_CHARS = 2_000
MAX_RESULTS = 50
TOKEN_BUDGET = 8_000
OFFER = (
    "This workspace has no index yet. Only the user can have one made: offer it to them. `/index` in the terminal, or "
    '"Index this folder" in the page, starts a job that does it. Until then use grep_files and glob.'
)
BUILDING = (
    "The index of this workspace is being made just now, so not all of its files are searched yet: use grep_files and "
    "glob as well, and do not wait for it."
)
NO_INDEX = f"No workspace is indexed, so search_code finds nothing in this session. {OFFER}"


class CodeSearch(Protocol):
    """The workspaces of all users, each found by their own only."""

    async def search(
        self,
        user: str,
        query: str,
        name: str | None = None,
        *,
        max_results: int,
        min_relevance: float,
        token_budget: int,
    ) -> Sequence[Passage]: ...

    async def is_building(self, user: str, name: str | None = None) -> bool: ...

    async def index_of(self, user: str, root: Path) -> str | None: ...


def make_tools(
    home: Path,  # noqa: ARG001
    contexts: CodeSearch | None = None,
    workspaces: Workspaces | None = None,
) -> Sequence[Tool]:
    """The one tool. Without `contexts` nothing is indexed, and it says so. A session's own index, which `workspaces`
    tells, is searched where no other is named, else that of its folder; without one the user is offered one."""

    @tool(effect="read", volatile=True, domain="code", timeout_s=120.0)
    async def search_code(
        query: str,
        context: ToolContext,
        context_name: str | None = None,
        max_results: Annotated[int, Field(ge=1, le=MAX_RESULTS)] = 10,
        min_relevance: Annotated[float, Field(ge=0.0, le=1.0)] = 0.7,
    ) -> ToolResult:
        """Find code in the indexed workspace by its words and its meaning.

        Args:
            query: What the code does, or names in it: "retry with backoff", "parse_invoice".
            context_name: The index to search; may be left out: then it is the session's, or the only one.
            max_results: How many passages at most.
            min_relevance: How well they must fit, 0 to 1; less finds more.
        """
        if not query.strip() or len(query) > MAX_QUERY_CHARS:
            raise BadArguments(f"The query has {len(query):,} characters: give 1 to {MAX_QUERY_CHARS:,}.")
        if contexts is None:
            raise ToolError(NO_INDEX)
        name, offer = context_name, ""
        if name is None and (workspace := await _workspace(workspaces, context)) is not None:
            name = workspace.context_name or await contexts.index_of(context.user, workspace.root)
            offer = "" if name else OFFER
        try:
            building = await contexts.is_building(context.user, name)
            found = await contexts.search(
                context.user,
                query,
                name,
                max_results=max_results,
                min_relevance=min_relevance,
                token_budget=TOKEN_BUDGET,
            )
        except NothingIndexed:
            raise ToolError(NO_INDEX) from None
        except UsageError as error:
            raise ToolError(f"{error} {offer}".rstrip()) from error
        except StoreAway as error:
            raise ToolUnavailable(str(error)) from error
        return _result(query, found, BUILDING if building else offer)

    return (search_code,)


async def _workspace(workspaces: Workspaces | None, context: ToolContext) -> Workspace | None:
    try:
        return None if workspaces is None else await workspaces.of(context.user, context.session_id)
    except UsageError:
        return None


def _result(query: str, found: Sequence[Passage], offer: str) -> ToolResult:
    shown = "\n\n".join(f"{_where(each)} ({each.why}, {each.relevance:.2f})\n{_numbered(each)}" for each in found)
    nothing = f"Nothing fits {query[:100]!r} well enough: try other words, or a lower min_relevance."
    data: dict[str, Json] = {
        "result_count": len(found),
        "tokens_used": sum(each.tokens for each in found),
        "top_scores": [each.relevance for each in found[:5]],
        "results": [
            {
                "path": each.document,
                "first_line": each.first_line,
                "last_line": each.last_line,
                "within": list(each.headings),
                "relevance": each.relevance,
                "why": each.why,
                "also": list(each.also),
            }
            for each in found
        ],
    }
    return ToolResult(success=True, output="\n\n".join(filter(None, (shown or nothing, offer))), data=data)


def _numbered(passage: Passage) -> str:
    """Its lines with their numbers. Prose may have its heading repeated, and then has none."""
    lines = passage.text.rstrip("\n").split("\n")
    if len(lines) != passage.last_line - passage.first_line + 1:
        return passage.text
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, passage.first_line))


def _where(passage: Passage) -> str:
    within = f" in {' > '.join(passage.headings)}" if passage.headings else ""
    return f"{passage.document}:{passage.first_line}-{passage.last_line}{within}"
