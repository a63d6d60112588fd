"""Work of `glassloop code` and `glassloop undo`."""

import asyncio
import os
from pathlib import Path

from glassloop.cli.commands.ask import ask_once, hold
from glassloop.cli.commands.models import offer_weights
from glassloop.cli.resources import USER, load_settings, prepare_agent, use_runtime, use_store
from glassloop.cli.ui.output import Line, say, show_result, show_view
from glassloop.cli.ui.prompt import confirm, read_question
from glassloop.cli.ui.safe_text import safe_text
from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.loop.approvals.modes import Mode, check_mode
from glassloop.extensions.code.acp.server import serve_acp
from glassloop.extensions.code.extension import CodeSettings
from glassloop.extensions.code.sandbox.sandbox import doctor as examine
from glassloop.extensions.code.terminal.code_chat import CodeChat, kept_store
from glassloop.extensions.code.terminal.file_words import FileWords
from glassloop.extensions.code.terminal.undo_view import changes_anything, done_sentence, plan_view
from glassloop.extensions.code.undo.kept_store import KeptStore
from glassloop.extensions.code.undo.undo import Undo, latest_turn
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.attachments.parts import Question
from glassloop.runtime.durable.submission import TurnOptions
from glassloop.runtime.settings import Settings
from glassloop.runtime.workspaces import AllowedRoots, FixedWorkspace, Workspace

ASSISTANT = "code"


def work_in(
    path: Path | None,
    model: str | None,
    mode: str | None,
    session: str | None,
    question: str | None,
    *,
    as_json: bool,
    doctor: bool,
    acp: bool,
) -> int:
    """A chat in the folder, one question, an editor's server, or what holds commands; the exit code."""
    if doctor:
        return _show_doctor(as_json)
    if as_json and question is None:
        raise UsageError("--json prints the events of one question: give it with -p.")
    if acp and (question is not None or session is not None):
        raise UsageError("--acp serves an editor, which asks and chooses the session: leave out -p and --session.")
    chosen = None if mode is None else check_mode(mode)
    _enter(path, session)
    settings = load_settings()
    wanted = AgentKey(ASSISTANT, model)
    if acp:
        return _serve_editor(settings, wanted, chosen)
    workspace = _workspace(settings, session)
    if question is not None:
        return _answer(settings, workspace, wanted, session, chosen, question, as_json=as_json)
    offer_weights(settings, model)
    with use_runtime(settings) as (runner, runtime):
        runner.run(prepare_agent(runtime, wanted))
        talk = CodeChat(settings, runner, runtime, wanted, workspace=workspace, mode=chosen)
        return hold(talk, settings, session, talk.file_words.complete)


def take_back(turn: str | None, *, yes: bool, as_json: bool) -> int:
    """Takes back the file changes of a turn; the exit code."""
    kept = kept_store(load_settings())
    wanted = turn or _last_here(kept, Path.cwd())
    changes = kept.of_turn(USER, wanted)
    if not changes:
        raise UnknownName(f"Turn {wanted[:100]!r} changed no files that can be taken back.")
    undoing = Undo(kept, FixedWorkspace(Path(changes[0].origin.root)))
    plan = asyncio.run(undoing.plan(USER, wanted))
    if not as_json:
        show_view(lambda _: plan_view(plan))
    if changes_anything(plan):
        unattended = "Nobody could be asked whether to take this back: add --yes."
        confirm("Take it back?", yes=yes, unattended=unattended, refused="Nothing was changed.")
        plan = asyncio.run(undoing.apply(USER, wanted, plan.digest))
    told = done_sentence(plan) if plan.undo_id else "There is nothing to take back."
    show_result(plan, as_json, lambda _: safe_text(told))
    return 1 if any(file.action == "conflict" for file in plan.files) else 0


def _show_doctor(as_json: bool) -> int:
    report = examine(load_settings().of(CodeSettings).sandbox)
    if as_json:
        show_result(report, True, lambda _: "")
    else:
        say(f"Commands are held by: {report.in_force or 'nothing, so none can be run'} (setting: {report.setting})")
        say(report.why)
        for note in report.notes:
            show_view(lambda _, note=note: Line((safe_text(note), "think")))
    return 0 if report.in_force else 1


def _serve_editor(settings: Settings, wanted: AgentKey, mode: Mode | None) -> int:
    with use_runtime(settings) as (runner, runtime):
        runner.run(prepare_agent(runtime, wanted))
        runner.run(serve_acp(runtime, wanted, mode=mode))
    return 0


def _enter(path: Path | None, session: str | None) -> None:
    """Makes the folder the working one, as `cd` would: a session's own where none is named."""
    if path is None and session is not None:
        settings = load_settings()
        if settings.session_store_enabled:
            with use_store(settings) as (runner, store):
                row = runner.run(store.workspaces.get(session))
            path = Path(row.path) if row is not None and row.user_id == USER and row.path else None
    if path is None:
        return
    try:
        os.chdir(path.expanduser())
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be worked in ({error.strerror}): give the path of a folder.") from None


def _workspace(settings: Settings, session: str | None) -> Workspace:
    name, root = AllowedRoots(settings).find(USER, str(Path.cwd()))
    return Workspace(root=root, name=name, user=USER, session_id=session or "")


def _answer(
    settings: Settings,
    workspace: Workspace,
    wanted: AgentKey,
    session: str | None,
    mode: Mode | None,
    question: str,
    *,
    as_json: bool,
) -> int:
    text = read_question(question)
    files = FileWords(workspace).files(text)
    asked: Question = [text, *files] if files else text
    options = TurnOptions(workspace=str(workspace.root), mode=mode)
    return ask_once(settings, asked, wanted, session, as_json=as_json, options=options)


def _last_here(kept: KeptStore, folder: Path) -> str:
    """The last turn that changed files of this folder's workspace, which may lie above it."""
    for root in (folder, *folder.parents):
        if found := latest_turn(kept.of_root(USER, str(root))):
            return found
    raise UnknownName("No turn changed files of this folder that can be taken back: name the turn.")
