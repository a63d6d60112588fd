"""An undo in the terminal: what it will do, a person's yes, then that."""

from collections.abc import Sequence

import msgspec
from rich.console import RenderableType
from rich.text import Text

from glassloop.cli.ui.approval import MAX_SHOWN_CHARS
from glassloop.cli.ui.file_diff import diff_text, file_diffs
from glassloop.cli.ui.safe_text import exact
from glassloop.extensions.code.files.diff import DiffPreview
from glassloop.extensions.code.undo.undo import UndoPlan

CHANGING = frozenset(("restore", "merge", "remove", "move"))


def changes_anything(plan: UndoPlan) -> bool:
    return any(file.action in CHANGING for file in plan.files)


def plan_view(plan: UndoPlan) -> Sequence[RenderableType]:
    """Each file: a sentence, and its diff where it changes."""
    parts: list[RenderableType] = []
    for file in plan.files:
        style = "trouble" if file.action == "conflict" else "soft" if file.action == "none" else ""
        parts.append(Text(exact(file.why), style, overflow="fold"))
        if file.diff_preview is not None:
            parts += [diff_view(file.diff_preview), Text()]
    return parts


def done_sentence(plan: UndoPlan) -> str:
    """What an undo did, and how to take it back itself."""
    done = sum(file.action in CHANGING for file in plan.files)
    left = sum(file.action == "conflict" for file in plan.files)
    more = f", {left} left alone" if left else ""
    files = "1 file" if done == 1 else f"{done} files"
    return f"Took back {files}{more}. `glassloop undo {plan.undo_id}` undoes that."


def diff_view(preview: DiffPreview) -> RenderableType:
    """A change of one file, in colour."""
    found = file_diffs(msgspec.to_builtins(preview))
    return Text("\n").join(diff_text(diff, MAX_SHOWN_CHARS) for diff in found)
