"""Facts that go with each question to the code assistant: its folder, the project, what was touched, taken back or
stopped, the folder's own guidance, and passages of its index.

All of it may be a stranger's words, and counts as that.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import cast

import msgspec

from glassloop.core.errors import GlassloopError, UsageError
from glassloop.core.ports import Passage
from glassloop.core.records import Json
from glassloop.extensions.code.access import is_secret
from glassloop.extensions.code.chat.events import PASSAGES
from glassloop.extensions.code.chat.memory import ConversationMemory, MemoryManager
from glassloop.extensions.code.chat.stopped_turns import tell_stopped
from glassloop.extensions.code.extension import CodeSettings
from glassloop.extensions.code.project.guidance import FolderGuidance, read_guidance
from glassloop.extensions.code.project.project_info import ProjectInfo, read_project
from glassloop.extensions.code.project.top_level import top_level
from glassloop.extensions.code.undo.kept_store import KeptChange, KeptStore, UndoConflict
from glassloop.runtime.durable.turn_context import AskedQuestion, TurnContext, TurnNotice
from glassloop.runtime.extensions import RuntimeContext
from glassloop.runtime.workspaces import Workspace
from glassloop.store.log.turn_tree import turns_up_to
from glassloop.store.records import TurnRow

GUIDANCE = "guidance_of_the_folder"
TOLD_UNDONE = 50
"""Files that were taken back, at most."""
RETRIEVED = 5
RETRIEVAL_TOKENS = 4_000
RETRIEVAL_S = 30.0
_log = logging.getLogger("glassloop.code")


async def context_for(context: RuntimeContext, asked: AskedQuestion) -> TurnContext:
    """The context of a question; empty where the session has no folder and nothing is retrieved."""
    told: dict[str, Json] = {}
    notices: list[TurnNotice] = []
    if context.workspaces is None:
        return TurnContext()
    try:
        workspace = await context.workspaces.of(asked.user, asked.session_id)
    except UsageError:
        workspace = None
    if workspace is not None:
        manager = MemoryManager(context.store, context.workspaces, asked.user)
        memory = await manager.get(asked.session_id, project=False, previous_turn_id=asked.previous_turn_id)
        await _tell_folder(context, asked, workspace, memory, told, notices)
    if asked.retrieves:
        row = await context.workspaces.find(asked.user, asked.session_id)
        name = (row.context_name if row else "") or await _index_of(context, asked.user, workspace)
        await _retrieve(context, asked, name, told, notices)
    return TurnContext(told=told, notices=notices)


async def _tell_folder(
    context: RuntimeContext,
    asked: AskedQuestion,
    workspace: Workspace,
    memory: ConversationMemory | None,
    told: dict[str, Json],
    notices: list[TurnNotice],
) -> None:
    told["workspace"] = workspace.name
    files = () if memory is None else tuple(each for each in memory.files if not is_secret(each.path))
    at_hand = files[-1].path if files else ""
    try:
        project, names, guidance = await asyncio.to_thread(_look, workspace, at_hand)
    except OSError:
        # The tools say what is wrong with the folder.
        return
    if project.summary:
        told["project"] = project.summary
    if names:
        told["top_level"] = names
    turns = turns_up_to(await context.store.turns.of_session(asked.session_id), asked.previous_turn_id)
    since = turns[-1].started_at if turns else 0.0
    changes, conflicts = await asyncio.to_thread(_changes, context, asked)
    undone = _undone(changes, since)
    if touched := [each for each in files if each.path not in undone]:
        told["recently_touched_files"] = msgspec.to_builtins(touched)
    if undone:
        note = "The user took back changes of yours: read these files again before you use them."
        told["taken_back_by_the_user"] = {"note": note, "files": undone}
    if left := {each.path: each.why for each in conflicts[-TOLD_UNDONE:] if each.at > since}:
        note = "The user took your turn back, but not in these files: your changes and the user's still stand."
        told["left_in_conflict"] = {"note": note, "files": left}
    if (stopped := await tell_stopped(context.store, turns, changes, undone)) is not None:
        told["stopped_before_its_end"] = stopped
    if guidance.text:
        told[GUIDANCE] = {
            "files": list(guidance.paths),
            "text": guidance.text,
            "digest": guidance.digest,
        }
        if guidance.digest != await _told_before(context, turns):
            notices.append(TurnNotice(text=f"The model is told the guidance of this folder:\n{guidance.text}"))


def _look(workspace: Workspace, at_hand: str) -> tuple[ProjectInfo, str, FolderGuidance]:
    with workspace.open() as root:
        return read_project(root), top_level(root), read_guidance(root, at_hand)


def _changes(context: RuntimeContext, asked: AskedQuestion) -> tuple[Sequence[KeptChange], Sequence[UndoConflict]]:
    """Those of the session that are kept, and the files that undos left alone."""
    settings = context.settings.of(CodeSettings)
    kept = KeptStore(context.settings.home_path, days=settings.keep_days, max_bytes=settings.keep_bytes)
    return kept.of_session(asked.user, asked.session_id), kept.conflicts(asked.user, asked.session_id)


def _undone(changes: Sequence[KeptChange], since: float) -> list[Json]:
    """Files that an undo changed after the last question."""
    names = (each.change.path for each in changes if each.origin.undoes and each.at > since)
    return list(dict.fromkeys(names))[-TOLD_UNDONE:]


async def _told_before(context: RuntimeContext, turns: Sequence[TurnRow]) -> str:
    """The digest of the guidance that the last question of the session came with."""
    started = await context.store.turns.first(turns[-1].id) if turns else None
    before = None if started is None else started.settings.get("context")
    guidance = cast("dict[str, Json]", before).get(GUIDANCE) if isinstance(before, dict) else None
    return str(cast("dict[str, Json]", guidance).get("digest")) if isinstance(guidance, dict) else ""


async def _index_of(context: RuntimeContext, user: str, workspace: Workspace | None) -> str | None:
    if workspace is None or context.code_indexes is None:
        return None
    return await context.code_indexes.index_of(user, workspace.root)


async def _retrieve(
    context: RuntimeContext,
    asked: AskedQuestion,
    name: str | None,
    told: dict[str, Json],
    notices: list[TurnNotice],
) -> None:
    """The passages that fit a question best; why there are none is a notice, and the turn goes on."""
    if context.code_indexes is None:
        return
    try:
        async with asyncio.timeout(RETRIEVAL_S):
            found = await context.code_indexes.search(
                asked.user,
                asked.text,
                name,
                max_results=RETRIEVED,
                min_relevance=0.0,
                token_budget=RETRIEVAL_TOKENS,
            )
    except TimeoutError:
        why = f"The index was not ready within {RETRIEVAL_S:.0f} s: the question goes on without it."
        notices.append(TurnNotice(kind="error", text=why))
    except GlassloopError as error:
        notices.append(TurnNotice(kind="error", text=str(error)))
    except Exception:
        _log.exception("passages could not be retrieved for a question")
        notices.append(TurnNotice(kind="error", text="The index cannot be searched: the question goes on without it."))
    else:
        told[PASSAGES] = [_passage(each) for each in found]


def _passage(passage: Passage) -> Json:
    return {
        "path": passage.document,
        "first_line": passage.first_line,
        "last_line": passage.last_line,
        "relevance": passage.relevance,
        "text": passage.text,
    }
