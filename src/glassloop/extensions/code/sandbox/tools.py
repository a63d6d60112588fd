"""`run_command`: a shell line in the session's workspace, held by a sandbox.

Owns the wording a model and a person read. Where no sandbox works the tool is not offered, unless the operator turned
it off: then each command asks, and says that nothing holds it.
"""

import asyncio
import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated, Self

import msgspec
from pydantic import Field

from glassloop.core.call_terms import CallTerms
from glassloop.core.errors import BadArguments, ToolError, ToolTimedOut, UsageError
from glassloop.core.records import CHANGED, UNDO, Json, ToolResult
from glassloop.extensions.code.audit import audited
from glassloop.extensions.code.extension import CodeSettings
from glassloop.extensions.code.sandbox.limits import SandboxLimits
from glassloop.extensions.code.sandbox.output import NOTE_CHARS, CommandOutput, without_middle
from glassloop.extensions.code.sandbox.prepared_command import Sandbox, SandboxCommand
from glassloop.extensions.code.sandbox.sandbox import choose
from glassloop.extensions.code.sandbox.snapshot import FileSnapshot, Snapshots
from glassloop.extensions.code.sandbox.visible import settings_files
from glassloop.extensions.code.sandbox.watch import CommandStopped
from glassloop.extensions.code.undo.command_cover import CommandChanges, CommandCover, CommandUndo
from glassloop.extensions.code.undo.kept_store import UNDO_COMMAND, ChangeOrigin, KeptStore
from glassloop.runtime.settings import Settings
from glassloop.runtime.workspaces import Workspace, Workspaces
from glassloop.store.store import Store
from glassloop.tools.process.program import run_process
from glassloop.tools.tool import Tool, ToolContext, tool

MAX_COMMAND_CHARS = 20_000
MAX_TIMEOUT_S = 600
MAX_LISTED = 200
MIN_OUTPUT_CHARS = 200
"""Of what it wrote, however much else there is to tell."""
BROKEN_PIPE = 141
"""What a shell makes of the signal."""
_SETTLING_S = 30.0
"""For what is done before and after a command."""
_GRACE_S = 0.3

NOT_HELD = "Nothing holds this command: it can do all that Glassloop's own user can, on the whole machine."
WITH_NETWORK = "It has the network, this machine's own services included."


class CommandRun(msgspec.Struct, kw_only=True):
    """How a command ended. `exit_code` is None where it was stopped, which `stopped` tells."""

    exit_code: int | None
    stopped: str | None
    duration_ms: float


class CommandRunner:
    """Runs commands in the workspaces of sessions."""

    def __init__(
        self,
        sandbox: Sandbox,
        workspaces: Workspaces,
        own: Sequence[Path],
        limits: SandboxLimits | None = None,
        undo: CommandUndo | None = None,
    ) -> None:
        self.sandbox = sandbox
        self._undo = undo
        self._workspaces = workspaces
        self._own = tuple(own)
        self._limits = limits or SandboxLimits()
        self._snapshots = Snapshots()

    async def workspace(self, context: ToolContext) -> Workspace:
        try:
            return await self._workspaces.of(context.user, context.session_id)
        except UsageError as error:
            raise ToolError(str(error)) from error

    async def undo_warning(self, context: ToolContext) -> str | None:
        """What a command may change that undo does not cover, as a sentence."""
        root, undo = (await self.workspace(context)).root, self._undo
        if undo is None:
            return None
        return await asyncio.to_thread(lambda: undo.warning(root, self._snapshots.take(root)))

    async def run(self, line: str, timeout_s: int, network: bool, context: ToolContext) -> ToolResult:
        workspace = await self.workspace(context)
        output = CommandOutput(workspace.root, context.progress)
        command = SandboxCommand(line=line, root=workspace.root, network=network, limits=self._limits)
        known = self._snapshots.last(workspace.root) if self.sandbox.has_gate else None
        running: asyncio.Task[CommandRun] | None = None
        noting = asyncio.ensure_future(asyncio.to_thread(self._note, workspace.root))
        with _Gate() as gate:
            try:
                if known is not None:
                    # The sandbox is set up while the files are noted; nothing runs in it before.
                    waiting = msgspec.structs.replace(self._placed(command, known), gate=gate.reader)
                    running = asyncio.ensure_future(self._started(waiting, timeout_s, output))
                before, cover = await asyncio.shield(noting)
                if known is not None and running is not None and before.same_places(known):
                    gate.open()
                else:
                    await _stopped(running)
                    running = asyncio.ensure_future(self._started(self._placed(command, before), timeout_s, output))
            except BaseException:
                await _stopped(running)
                raise
            settle = partial(self._settle, workspace, context, before, cover)
            try:
                ended = await running
            except asyncio.CancelledError:
                # What it did until then can be taken back as well.
                await asyncio.shield(asyncio.to_thread(settle))
                raise
        after, recorded = await asyncio.to_thread(settle)
        return self._result(ended, output, before, after, recorded, context.shown_chars)

    def _note(self, root: Path) -> tuple[FileSnapshot, CommandCover | None]:
        """The files before a command, and what covers them. Blocks."""
        before = self._snapshots.take(root)
        return before, None if self._undo is None else self._undo.cover(root, before)

    def _placed(self, command: SandboxCommand, files: FileSnapshot) -> SandboxCommand:
        """With what lies in the workspace and is to be protected, or not to be seen."""
        own = (*self._own, *(command.root / path for path in files.sockets))
        return msgspec.structs.replace(command, protected=files.repositories, own=own)

    def _settle(
        self, workspace: Workspace, context: ToolContext, before: FileSnapshot, cover: CommandCover | None
    ) -> tuple[FileSnapshot, CommandChanges]:
        """The files after a command, with what is recorded of its changes. Blocks."""
        after = self._snapshots.take(workspace.root)
        if self._undo is None or cover is None:
            return after, CommandChanges(not_undoable=before.changes(after))
        origin = ChangeOrigin(
            user=workspace.user,
            session_id=workspace.session_id,
            turn_id=context.turn_id,
            call_id=context.call_id,
            root=str(workspace.root),
        )
        return after, self._undo.record(origin, cover, after)

    async def _started(self, command: SandboxCommand, timeout_s: int, output: CommandOutput) -> CommandRun:
        stack = ExitStack()
        entering = asyncio.ensure_future(asyncio.to_thread(stack.enter_context, self.sandbox.prepared(command)))
        began, code, stopped = time.monotonic(), None, None
        try:
            ready = await asyncio.shield(entering)
            began = time.monotonic()
            ended = await run_process(
                ready.argv,
                cwd=ready.cwd,
                env=ready.env,
                pass_fds=ready.pass_fds,
                watch=ready.watch,
                merged=True,
                max_bytes=0,
                on_output=output.add,
                timeout_s=timeout_s,
                grace_s=_GRACE_S,
            )
            code = ended.returncode
        except ToolTimedOut:
            stopped = f"The command took longer than {timeout_s} s and was stopped. Give it more time, or less to do."
        except CommandStopped as error:
            stopped = str(error)
        finally:
            # Cancelled while it was made ready: what was opened is closed all the same.
            await asyncio.wait([entering])
            await asyncio.to_thread(stack.close)
        return CommandRun(exit_code=code, stopped=stopped, duration_ms=(time.monotonic() - began) * 1000)

    def _result(
        self,
        ended: CommandRun,
        output: CommandOutput,
        before: FileSnapshot,
        after: FileSnapshot,
        recorded: CommandChanges,
        shown_chars: int | None,
    ) -> ToolResult:
        changed = before.changes(after)
        created = [path for path in changed if path not in before.files]
        deleted = [path for path in changed if path not in after.files]
        modified = [path for path in changed if path in before.files and path in after.files]
        lists = {
            "New files": created,
            "Changed files": modified,
            "Deleted files": deleted,
            "Undo cannot take back": recorded.not_undoable,
            "It made version control of its own, whose hooks and settings are its own too": sorted(
                set(after.repositories) - set(before.repositories)
            ),
        }
        told = [_listed(title, paths) for title, paths in lists.items() if paths]
        said = output.text()
        room = len(said) if shown_chars is None else shown_chars - sum(len(line) + 1 for line in told) - NOTE_CHARS
        shown = without_middle(said, max(room, MIN_OUTPUT_CHARS))
        lines = [_ending(ended), shown or "(no output)", *told]
        data: dict[str, Json] = {
            "exit_code": ended.exit_code,
            "duration_ms": round(ended.duration_ms, 1),
            "truncated": output.truncated or shown != said,
            "sandbox": self.sandbox.name,
            "changed": list(changed[:MAX_LISTED]),
            "created": list(created[:MAX_LISTED]),
            "deleted": list(deleted[:MAX_LISTED]),
            "changed_count": len(changed),
            "changed_whole": before.whole and after.whole,
            "not_undoable": list(recorded.not_undoable[:MAX_LISTED]),
        }
        if shown != said:
            data["output"] = said
        return ToolResult(
            success=ended.stopped is None,
            output="\n".join(lines),
            error=ended.stopped,
            data=data,
            metadata={
                "exit_code": ended.exit_code,
                "sandbox": self.sandbox.name,
                **({CHANGED: list(changed[:MAX_LISTED]), UNDO: UNDO_COMMAND} if changed else {}),
            },
        )


class _Gate:
    """A pipe that a command waits at."""

    def __enter__(self) -> Self:
        self.reader, self._writer = os.pipe()
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.reader)
        os.close(self._writer)

    def open(self) -> None:
        os.write(self._writer, b"1")


async def _stopped(running: "asyncio.Task[CommandRun] | None") -> None:
    """Once nothing is left of a command that was to wait; how it ended tells nothing."""
    if running is not None:
        running.cancel()
        await asyncio.wait([running])


def make_tools(
    home: Path,
    workspaces: Workspaces | None = None,
    settings: Settings | None = None,
    limits: SandboxLimits | None = None,
    store: Store | None = None,
) -> Sequence[Tool]:
    """The one tool; none where there is nothing to hold commands, or no workspace."""
    chosen = CodeSettings() if settings is None else settings.of(CodeSettings)
    sandbox, _ = choose(chosen.sandbox)
    if sandbox is None or workspaces is None:
        return ()
    kept = KeptStore(home, days=chosen.keep_days, max_bytes=chosen.keep_bytes)
    undo = CommandUndo(home, kept)
    runner = CommandRunner(sandbox, workspaces, settings_files(home, Path.cwd()), limits, undo)
    return audited((command_tool(runner),), store)


def command_tool(runner: CommandRunner) -> Tool:
    """The tool of a runner."""

    async def preview(
        command: str, context: ToolContext, timeout_s: int = 120, network: bool = False
    ) -> dict[str, Json]:
        uncovered = await runner.undo_warning(context)
        shown: dict[str, Json] = {"command": command, "folder": ".", "timeout_s": timeout_s, "network": network}
        held = runner.sandbox.name != "off"
        warnings = [*([] if held else [NOT_HELD]), *([WITH_NETWORK] if network and held else [])]
        warnings += [uncovered] if uncovered else []
        return {**shown, "sandbox": runner.sandbox.name if held else None, "warnings": list(warnings)}

    async def terms(command: str, context: ToolContext, timeout_s: int = 120, network: bool = False) -> CallTerms:
        del command, context, timeout_s
        held = runner.sandbox.name != "off"
        return CallTerms(grant=None if held and not network else "never")

    @tool(
        effect="external",
        volatile=True,
        confirm=True,
        grant="command",
        asks=terms,
        domain="code",
        timeout_s=MAX_TIMEOUT_S + 2 * _SETTLING_S,
        preview=preview,
    )
    async def run_command(
        command: str,
        context: ToolContext,
        timeout_s: Annotated[int, Field(ge=1, le=MAX_TIMEOUT_S)] = 120,
        network: bool = False,
    ) -> ToolResult:
        """Run a shell command in the workspace, such as its tests. It cannot leave the folder, and has no network. The
        exit code of a pipe is that of the last command in it that failed.

        Args:
            command: The command line, as for bash; it runs at the top of the workspace.
            timeout_s: Seconds after which it is stopped.
            network: Ask for the network as well; the user must agree each time.
        """
        if not command.strip() or len(command) > MAX_COMMAND_CHARS or "\0" in command:
            raise BadArguments(f"Give a command line of 1 to {MAX_COMMAND_CHARS:,} characters as `command`.")
        return await runner.run(command, timeout_s, network, context)

    return run_command


def _ending(ended: CommandRun) -> str:
    if ended.stopped is not None:
        return "stopped"
    said = f"exit code {ended.exit_code}"
    if ended.exit_code == BROKEN_PIPE:
        return f"{said} (a command in a pipe went on writing after its reader had ended)"
    return said


def _listed(title: str, paths: Sequence[str]) -> str:
    more = f" and {len(paths) - 20} more" if len(paths) > 20 else ""
    return f"{title}: {', '.join(map(repr, paths[:20]))}{more}"
