"""The tools that change files: write, edit, patch, move and delete. Owns the wording a model reads."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from glassloop.core.call_terms import CallTerms, GrantKind
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.code.files.file_tools import FileTools, Plan
from glassloop.extensions.code.files.planning import MAX_EDITS, TextEdit
from glassloop.tools.tool import Tool, ToolContext

MAX_PATH_CHARS = 5_000
MAX_CONTENT_CHARS = 10_000_000

FilePath = Annotated[str, Field(max_length=MAX_PATH_CHARS, description='From the workspace, such as "src/app.py".')]
Content = Annotated[str, Field(max_length=MAX_CONTENT_CHARS)]


class WriteInput(BaseModel):
    model_config = ConfigDict(extra="forbid")

    path: FilePath
    content: Content = Field(description="All of its text.")
    create_dirs: bool = Field(default=True, description="Whether missing folders are made.")


class EditInput(BaseModel):
    model_config = ConfigDict(extra="forbid")

    path: FilePath
    old: Content = Field(description="The lines to be replaced as the file has them, without line numbers.")
    new: Content = Field(description="What comes in their place.")
    count: int = Field(default=1, description="How often `old` is in the file; all of them are replaced.")


class EditsInput(BaseModel):
    model_config = ConfigDict(extra="forbid")

    edits: list[EditInput] = Field(
        min_length=1, max_length=MAX_EDITS, description="Each as the arguments of edit_file, done in this order."
    )


class PatchInput(BaseModel):
    model_config = ConfigDict(extra="forbid")

    patch: Content = Field(description='A unified diff, or the form that begins with "*** Begin Patch".')


class MoveInput(BaseModel):
    model_config = ConfigDict(extra="forbid")

    source: FilePath
    target: FilePath = Field(description="Where it shall be, with its name.")


class DeleteInput(BaseModel):
    model_config = ConfigDict(extra="forbid")

    path: FilePath


class ChangeTool(Tool):
    """A tool whose calls are planned, shown and then done."""

    effect = "write"
    volatile = True
    confirm = True
    domain = "code"

    def __init__(
        self,
        shared: FileTools,
        name: str,
        description: str,
        arguments: type[BaseModel],
        plan: Callable[[Any], Plan],
        grant: GrantKind = "folder",
    ) -> None:
        self.name, self.description, self.Input, self.grant = name, description, arguments, grant
        self._shared = shared
        self._plan = plan
        _ = self.spec, self.validate

    async def terms(self, input: Any, context: ToolContext, /) -> CallTerms | None:  # noqa: A002
        return await self._shared.terms(context, self._plan(input)) if self.grant == "folder" else None

    async def preview(self, input: Any, context: ToolContext, /) -> Json:  # noqa: A002
        return await self._shared.preview(context, self._plan(input))

    async def execute(self, input: Any, context: ToolContext, /) -> ToolResult:  # noqa: A002
        return await self._shared.change(context, self._plan(input))


def change_tools(shared: FileTools) -> Sequence[Tool]:
    return (
        ChangeTool(
            shared,
            "write_file",
            "Write a whole file: a new one, or all of one that is there. To change a part of one use edit_file.",
            WriteInput,
            lambda given: lambda planner: planner.write(given.path, given.content, given.create_dirs),
        ),
        ChangeTool(
            shared,
            "edit_file",
            "Replace a piece of a file. Read the file first and give enough of it that the place is clear.",
            EditInput,
            lambda given: lambda planner: planner.edit(_edits([given])),
        ),
        ChangeTool(
            shared,
            "multi_edit",
            "Replace several pieces of one or more files at once, one after the other: all of them or none.",
            EditsInput,
            lambda given: lambda planner: planner.edit(_edits(given.edits)),
        ),
        ChangeTool(
            shared,
            "apply_patch",
            "Apply a patch to files of the workspace: all of it or nothing. It deletes no files.",
            PatchInput,
            lambda given: lambda planner: planner.patch(given.patch),
        ),
        ChangeTool(
            shared,
            "move_file",
            "Move or rename a file. Missing folders are made; a file that is there is never replaced.",
            MoveInput,
            lambda given: lambda planner: planner.move(given.source, given.target),
        ),
        ChangeTool(
            shared,
            "delete_file",
            "Delete a file, no folder. The user is asked each time.",
            DeleteInput,
            lambda given: lambda planner: planner.delete(given.path),
            grant="never",
        ),
    )


def _edits(given: Sequence[EditInput]) -> list[TextEdit]:
    return [TextEdit(path=each.path, old=each.old, new=each.new, count=each.count) for each in given]
