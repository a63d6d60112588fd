"""Talks with the code assistant."""

from training.data.assistants.code import (
    behaviour,
    changes,
    commands,
    conversation,
    definitions,
    file_changes,
    folder,
    structure,
    unclear,
)
from training.data.assistants.code.workspace import make_workspace
from training.data.assistants.talk import MakeTalk

__all__ = ["TALKS", "make_workspace"]

TALKS: dict[MakeTalk, int] = {
    **definitions.TALKS,
    **behaviour.TALKS,
    **folder.TALKS,
    **changes.TALKS,
    **file_changes.TALKS,
    **conversation.TALKS,
    **commands.TALKS,
    **structure.TALKS,
    **unclear.TALKS,
}
