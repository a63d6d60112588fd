"""Facts that extensions tell with a question: values that `Extension.turn_context` takes and gives."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

import msgspec

from glassloop.core.records import Json

NOTICES: Final = "notices"
"""The setting of a turn that holds what its user is told as it starts."""


class AskedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question before its turn starts. `retrieves`: passages of the session's index shall go with it.
    `previous_turn_id`: as in its `turn_started`; what came after that turn is not to be told."""

    text: str
    assistant: str
    user: str
    session_id: str
    retrieves: bool = False
    previous_turn_id: str | None = None


class TurnNotice(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence for the user as a turn starts, which the model is not told. An `error` does not end the turn."""

    kind: Literal["info", "error"] = "info"
    text: str


class TurnContext(msgspec.Struct, frozen=True, kw_only=True):
    """What goes with a question: `told` to the model, where it counts as a stranger's words, `notices` to the user."""

    told: Mapping[str, Json] = {}
    notices: Sequence[TurnNotice] = ()
