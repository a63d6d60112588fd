"""What a tool may know about the call it serves, and how it says how far it is.

A tool asks for it with a parameter annotated `ToolContext`. It holds no handle to the loop or the store.
"""

import math

import msgspec

from glassloop.core.ports import CallContext, Progress

PROGRESS_CHARS = 500


class ToolContext(msgspec.Struct, frozen=True, kw_only=True):
    """The call a tool serves. All defaults, so that a tool can be called by hand with `ToolContext()`."""

    turn_id: str = ""
    session_id: str = ""
    user: str = "anonymous"
    call_id: str = ""
    report: Progress | None = None

    @classmethod
    def of(cls, context: CallContext) -> "ToolContext":
        return cls(
            turn_id=context.turn_id,
            session_id=context.session_id,
            user=context.user,
            call_id=context.call_id,
            report=context.progress,
        )

    def reporting_to(self, report: Progress | None) -> "ToolContext":
        return msgspec.structs.replace(self, report=report)

    @property
    def idempotency_key(self) -> str:
        """Stable over retry, approval and resume: hand it to a service that can tell a repeated request by it."""
        return f"{self.turn_id}:{self.call_id}"

    def progress(self, message: str, fraction: float | None = None) -> None:
        """Says how far the work is; from any thread, at any rate, and without effect when nobody listens."""
        if self.report is None:
            return
        if fraction is not None:
            fraction = min(1.0, max(0.0, float(fraction))) if math.isfinite(fraction) else None
        self.report(str(message)[:PROGRESS_CHARS], fraction)
