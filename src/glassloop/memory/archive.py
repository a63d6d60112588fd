"""Archive port: the log as working memory reads it. A Protocol only; the runtime implements it with the store.

Unavailable data raises `StoreError`; working memory then goes on with what it has.
"""

from collections.abc import Container, Sequence
from typing import Protocol

import msgspec

from glassloop.core.records import ConversationTurn


class SessionPosition(msgspec.Struct, frozen=True, kw_only=True):
    """Where a session stands in the log: one cheap look tells whether anything has changed since the last.

    `began` and `cut_off` (None while nothing was forgotten) differ from what they were when the conversation was
    forgotten or the session deleted. `version` differs when a turn has finished. `summary` is a text and the id of
    the last turn it tells, which is after the cut-off.
    """

    began: str
    cut_off: str | None = None
    version: int = 0
    summary: tuple[str, str] | None = None


class Archive(Protocol):
    """The conversations as the log has them. A session of another user is no session."""

    async def standing(self, session_id: str, user: str) -> SessionPosition | None:
        """None where the user has no such session."""
        ...

    async def turns(
        self,
        session_id: str,
        user: str,
        after: str | None,
        *,
        cut_off: str | None = None,
        known: Container[str] = (),
    ) -> Sequence[ConversationTurn]:
        """The finished turns that have an answer and are no commands, oldest first, at most the newest `MAX_TURNS`.

        Those that started after the turn `after`, or all where that is None or unknown; in any case after `cut_off`.
        Those in `known` come in their place with question and answer only: the caller has them.
        """
        ...

    async def save_summary(self, session_id: str, user: str, text: str, turn_id: str) -> None:
        """Keeps what the turns up to that one come down to."""
        ...

    async def forget(self, session_id: str, user: str) -> None:
        """The turns so far are not told any more, by any process."""
        ...
