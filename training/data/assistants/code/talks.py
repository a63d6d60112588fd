"""Talks with the code assistant."""

from training.data.assistants.code.behaviour import TALKS_3
from training.data.assistants.code.changes import TALKS_5
from training.data.assistants.code.commands import TALKS_8
from training.data.assistants.code.connections import TALKS_9
from training.data.assistants.code.conversation import TALKS_7
from training.data.assistants.code.file_changes import TALKS_6
from training.data.assistants.code.folder import TALKS_4
from training.data.assistants.code.places_of_things import TALKS_2
from training.data.assistants.code.workspace import make_workspace
from training.data.assistants.talk import MakeTalk

__all__ = ["TALKS", "make_workspace"]

TALKS: dict[MakeTalk, int] = {**TALKS_2, **TALKS_3, **TALKS_4, **TALKS_5, **TALKS_6, **TALKS_7, **TALKS_8, **TALKS_9}
