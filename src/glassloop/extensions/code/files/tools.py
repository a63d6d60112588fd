"""The tools of the code assistant that read and change files, for its `assistant.toml`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from glassloop.core.call_terms import CallTerms
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.code.access import Access, OperationRate, shared_rate
from glassloop.extensions.code.audit import audited
from glassloop.extensions.code.extension import CodeSettings
from glassloop.extensions.code.files.change_tools import MAX_PATH_CHARS, change_tools
from glassloop.extensions.code.files.file_tools import ChangeListener, FileTools
from glassloop.extensions.code.undo.kept_store import KeptStore
from glassloop.runtime.settings.settings import Settings
from glassloop.runtime.workspaces import Workspaces
from glassloop.store.log.redaction import Redactor
from glassloop.store.store import Store
from glassloop.tools.tool import Tool, ToolContext, tool

FilePath = Annotated[str, Field(max_length=MAX_PATH_CHARS)]


def make_tools(
    home: Path,
    workspaces: Workspaces | None = None,
    settings: Settings | None = None,
    redact: Callable[[str], str] | None = None,
    rate: OperationRate | None = None,
    contexts: ChangeListener | None = None,
    store: Store | None = None,
) -> Sequence[Tool]:
    """All of them. What changes replace is kept in `code/kept` of the home folder; `contexts` is told of each change,
    and `store` has the audit."""
    told = CodeSettings() if settings is None else settings.of(CodeSettings)
    kept = KeptStore(home, days=told.keep_days, max_bytes=told.keep_bytes)
    shared = FileTools(Access(workspaces, rate or shared_rate(told.rate)), kept, redact or Redactor().text, contexts)
    return audited((_read_tool(shared), *change_tools(shared)), store)


def _read_tool(shared: FileTools) -> Tool:
    async def preview_read(
        path: FilePath,
        context: ToolContext,
        first_line: Annotated[int, Field(ge=1)] = 1,
        last_line: Annotated[int, Field(ge=1)] | None = None,
        encoding: Annotated[str, Field(max_length=40)] = "utf-8",
    ) -> Json:
        del first_line, last_line, encoding
        return await shared.preview_read(context, path)

    async def terms(
        path: FilePath,
        context: ToolContext,
        first_line: Annotated[int, Field(ge=1)] = 1,
        last_line: Annotated[int, Field(ge=1)] | None = None,
        encoding: Annotated[str, Field(max_length=40)] = "utf-8",
    ) -> CallTerms:
        del first_line, last_line, encoding
        return await shared.read_terms(context, path)

    @tool(effect="read", volatile=True, domain="code", grant="never", asks=terms, preview=preview_read)
    async def read_file(
        path: FilePath,
        context: ToolContext,
        first_line: Annotated[int, Field(ge=1)] = 1,
        last_line: Annotated[int, Field(ge=1)] | None = None,
        encoding: Annotated[str, Field(max_length=40)] = "utf-8",
    ) -> ToolResult:
        """Read a text file of the workspace, with the numbers of its lines.

        Args:
            path: From the workspace, such as "src/app.py".
            first_line: Where to begin.
            last_line: Where to end; left out: as far as there is room, and it says how to go on.
            encoding: Only where it is not UTF-8 or UTF-16.
        """
        return await shared.read(context, path, first_line, last_line, encoding)

    return read_file
