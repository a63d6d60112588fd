"""`CodeChat`: a chat in one folder, with its files, its commands and its changes at hand."""

import asyncio
import os
import sys
from contextlib import suppress
from typing import ClassVar

import msgspec
from rich.text import Text

from glassloop.cli.commands.ask import OWN_COMMANDS, Chat
from glassloop.cli.resources import USER
from glassloop.cli.ui.console import style_of
from glassloop.cli.ui.prompt import ask_line, can_ask
from glassloop.cli.ui.safe_text import one_line, safe_text
from glassloop.core.errors import ToolError, UsageError
from glassloop.core.loop.approvals.modes import Mode, check_mode
from glassloop.extensions.code.extension import CodeSettings
from glassloop.extensions.code.terminal.file_words import FileWords
from glassloop.extensions.code.terminal.index_job import index_folder
from glassloop.extensions.code.terminal.undo_view import changes_anything, diff_view, done_sentence, plan_view
from glassloop.extensions.code.undo.kept_store import KeptStore
from glassloop.extensions.code.undo.net_changes import as_diff, net_changes
from glassloop.extensions.code.undo.undo import Undo
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.attachments.parts import File, Question
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.durable.submission import TurnOptions
from glassloop.runtime.ids import new_id
from glassloop.runtime.settings import Settings
from glassloop.runtime.workspaces import FixedWorkspace, Workspace
from glassloop.store.tables.workspaces import SessionWorkspace
from glassloop.tools.process.program import run_process

CODE_COMMANDS = """\
@PATH: give a file of the folder with the question; Tab completes it
!COMMAND: run a command yourself; the model is told with the next question
/undo TURN: take back what a turn changed; without a turn, the last one
/diff: what this session changed
/map PATH: the files that matter most, and what they define
/mode MODE: plan, read, ask or edits; how much may change without you
/index: have the folder indexed, so that code is found by its words and meaning
/context NAME: the index that this session searches"""
MAX_OUTPUT_BYTES = 100_000
"""Of a command, told to the model."""
MAX_NOTES = 10
"""Commands told with one question, the newest."""


class CodeChat(Chat):
    """`workspace` is the folder; `mode` is None where it is the session's own."""

    commands_help: ClassVar[str] = f"{CODE_COMMANDS}\n{OWN_COMMANDS}"

    def __init__(
        self,
        settings: Settings,
        runner: asyncio.Runner,
        runtime: Runtime,
        wanted: AgentKey,
        *,
        workspace: Workspace,
        mode: Mode | None,
    ) -> None:
        super().__init__(settings, runner, runtime, wanted)
        self._workspace = workspace
        self._mode: Mode | None = mode
        self._notes: list[str] = []
        self.file_words = FileWords(workspace)
        self._kept = kept_store(settings)
        self._undo = Undo(self._kept, FixedWorkspace(workspace.root))

    def greet(self) -> None:
        super().greet()
        self._say(Text(self._where(), "soft"))

    def prompt(self) -> str:
        mode = self._session_mode()
        return super().prompt() if mode == "ask" else f"{mode} {super().prompt()}"

    def turn_options(self) -> TurnOptions:
        return TurnOptions(workspace=str(self._workspace.root), mode=self._mode)

    def question(self, line: str) -> Question:
        """The line with the files it names, and with what was done since the last one."""
        parts = [*self.file_words.files(line), *self._attached]
        if self._notes:
            told = "\n\n".join(self._notes[-MAX_NOTES:])
            parts.append(File(told.encode(), name="since-the-last-question.txt"))
        self._notes = []
        return [line, *parts] if parts else line

    def run_command(self, command: str, rest: str) -> bool:
        if command.startswith("!"):
            self._run_shell(f"{command[1:]} {rest}".strip())
            return True
        match command:
            case "/undo":
                self._take_back(rest)
            case "/diff":
                self._show_diff()
            case "/map":
                path = f' {{"path": {_quoted(rest)}}}' if rest else ""
                self._turn(f"/tool code_map{path}", question=False)
            case "/mode":
                self._change_mode(rest)
            case "/index":
                self._index()
            case "/context":
                self._change_context(rest)
            case "/new":
                mode = self._session_mode()
                self.session, self._mode, self._notes = new_id(), mode, []
                self._say(Text("A new conversation.", "soft"))
            case _:
                return super().run_command(command, rest)
        return True

    def _run_shell(self, line: str) -> None:
        """A command of the person's own, with their rights and no sandbox, shown as it comes."""
        if not line:
            raise UsageError("Say what to run: !COMMAND.")

        def show(raw: bytes) -> None:
            sys.stdout.write(safe_text(raw.decode("utf-8", "replace")))
            sys.stdout.flush()

        run = run_process(
            [os.environ.get("SHELL") or "/bin/sh", "-c", line],
            cwd=self._workspace.root,
            env=dict(os.environ),
            merged=True,
            max_bytes=MAX_OUTPUT_BYTES,
            on_output=show,
        )
        try:
            ended = self._runner.run(run)
        except KeyboardInterrupt:
            self._say(Text("Stopped.", "trouble"))
            self._notes.append(f"The user ran this command in the workspace and stopped it:\n$ {line}")
            return
        except ToolError as error:
            raise UsageError(str(error)) from error
        if ended.returncode:
            self._say(Text(f"Exit code {ended.returncode}.", "trouble"))
        self._notes.append(
            f"The user ran this command in the workspace:\n$ {line}\n{ended.text.rstrip()}\n"
            f"(exit code {ended.returncode})"
        )
        self._say(Text("The model is told with your next question.", "faint"))

    def _take_back(self, turn: str) -> None:
        turn = turn or self._runner.run(self._undo.latest(USER, self.session))
        plan = self._runner.run(self._undo.plan(USER, turn))
        for part in plan_view(plan):
            self._say(part)
        if not changes_anything(plan):
            self._say(Text("There is nothing to take back.", "soft"))
            return
        if not can_ask(sys.stdout):
            raise UsageError(f"Nobody could be asked: `glassloop undo {turn} --yes` takes it back.")
        answer = ""
        with suppress(EOFError, KeyboardInterrupt):
            answer = ask_line("Take it back? y(es), n(o): ").strip().lower()
        if answer not in ("y", "yes"):
            self._say(Text("Nothing was changed.", "soft"))
            return
        done = self._runner.run(self._undo.apply(USER, turn, plan.digest))
        self._say(Text(done_sentence(done), "soft"))

    def _show_diff(self) -> None:
        changes = net_changes(self._kept.of_session(USER, self.session))
        for change in changes:
            preview = as_diff(change, self._kept)
            if preview is None:
                self._say(Text(f"{safe_text(change.path)} changed; it is no text, or not kept any more.", "soft"))
            else:
                self._say(diff_view(preview))
            self._console.print()
        if not changes:
            self._say(Text("This session has changed no files.", "soft"))

    def _change_mode(self, name: str) -> None:
        if name:
            self._mode = check_mode(name)
            self._runner.run(self._choose(mode=self._mode))
        self._say(Text(f"The mode is {self._session_mode()}. /mode plan, read, ask or edits changes that.", "soft"))

    def _change_context(self, name: str) -> None:
        if name:
            self._runner.run(self._choose(context_name=name))
        row = self._row()
        index = one_line(row.context_name, 100) if row is not None and row.context_name else ""
        self._say(Text(self._where(), "soft"))
        self._say(
            Text(
                f"It searches the index {index}."
                if index
                else "No index is chosen: /index makes one, /context NAME chooses one.",
                "soft",
            )
        )
        if self._attached or self._notes:
            files = [file.attachment.label for file in self._attached]
            notes = [f"{len(self._notes)} of your commands"] if self._notes else []
            self._say(Text(f"With the next question: {', '.join([*files, *notes])}", "soft"))

    def _index(self) -> None:
        shown = ""

        def show(message: str) -> None:
            nonlocal shown
            if message != shown:
                shown = message
                self._say(Text(one_line(message, 200), "faint"))

        try:
            name = self._runner.run(index_folder(self._runtime, USER, self._workspace.name, show))
        except KeyboardInterrupt:
            self._say(Text("Stopped: the folder is not indexed.", "trouble"))
            return
        self._runner.run(self._choose(context_name=name))
        self._say(Text(f"The folder is indexed as {one_line(name, 100)}, and this session searches it.", "soft"))

    async def _choose(self, mode: Mode | None = None, context_name: str | None = None) -> None:
        workspaces = self._runtime.workspaces
        if workspaces is not None:
            await workspaces.choose(USER, self.session, str(self._workspace.root), context_name, mode)

    def _row(self) -> SessionWorkspace | None:
        workspaces = self._runtime.workspaces
        return None if workspaces is None else self._runner.run(workspaces.find(USER, self.session))

    def _session_mode(self) -> Mode:
        if self._mode is not None:
            return self._mode
        row = self._row()
        return check_mode(row.mode) if row is not None and row.mode else "ask"

    def _where(self) -> str:
        return style_of(self._console).join(
            f"In {safe_text(str(self._workspace.root))}", f"mode {self._session_mode()}"
        )


def kept_store(settings: Settings) -> KeptStore:
    """What changes replaced, as the tools keep it."""
    told = settings.of(CodeSettings)
    return KeptStore(settings.home_path, days=told.keep_days, max_bytes=told.keep_bytes)


def _quoted(text: str) -> str:
    return msgspec.json.encode(text).decode()
