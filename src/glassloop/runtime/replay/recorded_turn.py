"""Recorded turn: a turn that runs on its own log. The loop is real, every port replays what it said before.

Nothing here reaches a real model, tool, memory or store. What the loop records is compared with the log; the state then
follows the log, so that one difference does not make everything after it differ.
"""

from collections.abc import Collection, Sequence
from itertools import takewhile
from typing import cast

from glassloop.core import events as e
from glassloop.core.errors import StoreAway, StoreError
from glassloop.core.loop.children.child_log import call_prefix
from glassloop.core.loop.inbox import IncomingMessage
from glassloop.core.loop.interruption import Interrupted
from glassloop.core.loop.policy import Profile
from glassloop.core.loop.state import TurnState
from glassloop.core.loop.turn import Recorded, Turn
from glassloop.core.loop.turn_ports import TurnPorts
from glassloop.runtime.replay.event_diff import EventDiff, ReplayHalted, is_redacted
from glassloop.runtime.replay.log_segments import LogSegment, unlogged


class Recording:
    """One segment of the log, read in order: `next` is what the loop must record now."""

    def __init__(self, segment: LogSegment, findings: EventDiff, *, redacted: bool) -> None:
        self.segment = segment
        self.findings = findings
        self.place = 0
        self.turn: Turn | None = None
        self._at = segment.inputs[-1].at
        self._redacted = redacted
        self._raised = False

    @property
    def next(self) -> e.Durable | None:
        outputs = self.segment.outputs
        return outputs[self.place] if self.place < len(outputs) else None

    def clock(self) -> float:
        """The moment of the last event. Rules that look at the clock saw a later one, but not a later event."""
        return self._at

    def play(self, made: e.Event) -> e.Durable:
        """The event that was recorded where the loop made this one."""
        recorded = self.next
        if recorded is None:
            self.findings.surplus(made)
        self.findings.compare(recorded, made, self._ignored(recorded))
        self.place += 1
        self._at = recorded.at
        return recorded

    def waits_for(self, call_id: str) -> bool:
        """Whether nothing more comes of a call here: its child turn waits for people."""
        left = self.segment.outputs[self.place :]
        return not any(isinstance(event, e.ToolReturned) and event.call_id == call_id for event in left)

    def skip(self, recorded: e.Durable) -> None:
        """Goes on after an event that is not the loop's."""
        self.place += 1
        self._at = recorded.at

    def messages(self) -> Sequence[IncomingMessage]:
        """The messages that were taken in here, one after the other."""
        coming = takewhile(lambda event: isinstance(event, e.MessageReceived), self.segment.outputs[self.place :])
        return [
            IncomingMessage(number=event.number, text=event.text, by=event.by)
            for event in coming
            if isinstance(event, e.MessageReceived)
        ]

    def raise_as_recorded(self) -> None:
        """Whatever kept the work under way from its end."""
        stop = self.segment.stop
        if stop is not None and self.place >= stop.index:
            raise Interrupted
        if isinstance(error := self._failure(), Exception) and not isinstance(error, StoreError):
            raise error

    def refuse_as_recorded(self, *, sync: bool) -> None:
        """What the store said to a commit. The log can only tell where that changed what came after."""
        if isinstance(error := self._failure(), StoreError) and not self._raised:
            # What is recorded of the failure is stored.
            self._raised = True
            raise error
        if sync and (why := unlogged(self.next)) is not None:
            raise StoreAway(why)

    def _failure(self) -> Exception | None:
        failure = self.segment.failure
        return failure.error if failure is not None and failure.index == self.place else None

    def _ignored(self, recorded: e.Durable) -> Collection[str]:
        """What is different each time, or cannot be known from the log."""
        match recorded:
            case e.ModelResponded():
                return ("latency_ms",)
            case e.TurnFinished():
                return ("seconds", "reference")
            case e.ApprovalRequested() if self._redacted and is_redacted(recorded):
                return ("digest",)
            case e.AnswerEvaluated() if self._redacted:
                return ("evidence", "evaluation")
            case e.ToolReturned() if self._is_cancelled():
                return ("result.error",)
            case _:
                return ()

    def _is_cancelled(self) -> bool:
        stop = self.segment.stop
        return stop is not None and stop.reason == "cancelled" and self.place >= stop.index


class RecordedTurn(Turn):
    """A turn whose events are those of the recording."""

    def __init__(self, *, profile: Profile, ports: TurnPorts, state: TurnState, recording: Recording) -> None:
        super().__init__(profile=profile, ports=ports, state=state)
        # A replay that is given up must not go on to end its turn as cancelled.
        self.survives_cancel = True
        self._recording = recording
        recording.turn = self
        self.call_prefix = call_prefix(state.started)
        self._follow_children()
        self._stop_as_recorded()
        self.has_messages = isinstance(recording.next, e.MessageReceived)

    def record(self, event: Recorded) -> Recorded:
        recording = self._recording
        # `play` refuses an event of another kind.
        recorded = super().record(cast("Recorded", recording.play(event)))
        self._follow_children()
        self._stop_as_recorded()
        self.has_messages = isinstance(recording.next, e.MessageReceived)
        return recorded

    def _follow_children(self) -> None:
        """What child turns did is taken as it is recorded: each of them is replayed by itself. Where the log breaks off
        nothing more can be compared."""
        while isinstance(told := self._recording.next, e.ChildRecorded):
            super().record(told)
            self._recording.skip(told)
        if self._recording.next is None and self._recording.segment.lost:
            raise ReplayHalted

    async def commit(self, *, sync: bool = False) -> Sequence[e.Durable]:
        if not self.is_stored:
            self._recording.refuse_as_recorded(sync=sync)
        return await super().commit(sync=sync)

    def interrupt(self, reason: e.EndReason) -> None:
        """The log says when the turn was interrupted; the timer of a replay has no say in it."""

    def _stop_as_recorded(self) -> None:
        stop = self._recording.segment.stop
        if stop is not None and stop.index == self._recording.place:
            self.interrupted = stop.reason
            self.partial = [stop.partial]
            self._start_as_recorded()

    def _start_as_recorded(self) -> None:
        """Whether a call had started when it was cut off, only the log knows."""
        for event in self._recording.segment.outputs[self._recording.place :]:
            if isinstance(event, e.ToolReturned):
                (self.unstarted.discard if event.result.effect_unknown else self.unstarted.add)(event.call_id)
