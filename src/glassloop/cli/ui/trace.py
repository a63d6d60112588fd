"""A turn as it happens: events in, rows out.

`TraceView` decides which rows there are and when they change; how a row looks is in `trace_rows`, when to redraw in
`trace_display`. It reads no clock unless given one, and skips kinds of events it does not know.
"""

from rich.console import Group, RenderableType
from rich.text import Text

from glassloop.cli.ui.output import TerminalStyle, duration
from glassloop.cli.ui.progress import ReadingPace
from glassloop.cli.ui.safe_text import one_line
from glassloop.cli.ui.trace_rows import (
    AgentRow,
    AnswerRow,
    CallRow,
    EndingRow,
    Kind,
    PlanRow,
    QuestionRow,
    RemarkRow,
    ThoughtRow,
    TimelineSegment,
    TraceRow,
    line,
)
from glassloop.core import events as e
from glassloop.core.planning.planner import UPDATE_PLAN
from glassloop.core.ports import Clock
from glassloop.core.records import Evidence, ToolCall

STREAM_CHARS = 200_000
"""How much of a block is kept for showing while it streams; the answer itself comes whole with its event."""

_ALLOWED: dict[e.ApprovalScope, str] = {
    "call": "approved",
    "session": "approved for this session",
    "granted": "allowed for this session",
}


def guardrail_text(event: e.GuardrailTriggered, tool: str) -> str:
    """Which guardrail did what, and why."""
    if event.failed:
        return event.reason
    done = {
        "input": "the question",
        "message": "the message",
        "call": "the arguments of",
        "result": "the result of",
        "output": "the answer",
    }
    verb = "changed" if event.action == "rewrite" else "stopped" if event.stage in ("input", "message") else "withheld"
    what = f"{event.name} {verb} {done[event.stage]} {tool}".rstrip()
    return f"{what}: {event.reason}" if event.reason else f"{what}."


class StreamedBlock:
    """The block that streams right now. Dropped as a whole when a new one opens."""

    def __init__(self, block: int = 0) -> None:
        self.block = block
        self.thought = ""
        self.text = ""
        self.tool = ""


class TraceView:
    """Feed it events in order. It renders what has not been taken yet, the open end included.

    `plain` is for where nothing can be redrawn: rows are then taken one by one as they settle, the plan as it was made.
    `nested` is a sub-agent's turn, under the call that it answers.
    """

    def __init__(
        self,
        *,
        terminal: TerminalStyle | None = None,
        question: bool = True,
        plain: bool = False,
        nested: bool = False,
        clock: Clock | None = None,
    ) -> None:
        self.terminal = terminal or TerminalStyle()
        self.rows: list[TraceRow] = []
        self.segments: list[TimelineSegment] = []
        self.finished: e.TurnFinished | None = None
        self.paused = False
        self._question = question
        self._plain = plain
        self._nested = nested
        self._assistant = ""
        self._clock = clock
        self._draft = StreamedBlock()
        self._plan: PlanRow | None = None
        self._calls: dict[str, CallRow] = {}
        self._planned: dict[str, int] = {}
        self._thought: ThoughtRow | None = None
        self._answer: AnswerRow | None = None
        self._evidence = Evidence()
        self._asked = ""
        self._command = False
        self._steps = 0
        self._acting: float | None = None
        self._failed = False
        self._retrying = ""
        self._since = 0.0
        self._doing, self._pace = "thinking", ReadingPace()

    def apply(self, event: e.Event) -> None:
        """One event further: `on_KIND` changes the rows, if there is one."""
        if (change := getattr(self, f"on_{event.__struct_config__.tag}", None)) is not None:
            change(event)
        if not self._since or type(event) not in e.TRANSIENT:
            self._since = event.at

    def __rich__(self) -> RenderableType:
        rows = [
            row.render(self.terminal)
            for row in self.rows
            if not (self.paused and isinstance(row, CallRow) and row.waiting)
        ]
        return Group(*rows, *self._open_end())

    def take(self) -> list[RenderableType]:
        """The rows that will not change any more, to be printed for good; they are not rendered again."""
        taken = [row for row in self.rows if row.settled or (self._plain and row is self._plan)]
        self.rows = [row for row in self.rows if row not in taken]
        return [row.render(self.terminal) for row in taken]

    def _open_end(self) -> list[RenderableType]:
        """What streams, and what is being waited for."""
        if self.finished is not None or self.paused or self._plain:
            return []
        parts: list[RenderableType] = []
        draft, number = self._draft, self._steps + 1
        if draft.thought:
            parts.append(ThoughtRow(number, draft.thought[-600:]).render(self.terminal))
        if draft.text:
            answer = AnswerRow(draft.text, number=number)
            answer.apart = bool(self._calls)
            parts.append(answer.render(self.terminal))
        if self._nested:
            return [*parts, line("", "", Text(f"{self._doing}…", "faint"))]
        if draft.tool:
            parts.append(line("", "act", Text(f"{one_line(draft.tool, 60)}(…)", "soft")))
        waited = duration(self._clock() - self._since) if self._clock is not None and self._since else ""
        parts.append(Text(f"   {self.terminal.join(f'{self._doing}…', waited, 'Ctrl-C stops')}", "faint"))
        return parts

    def on_turn_started(self, event: e.TurnStarted) -> None:
        self._asked, self._assistant = event.question, event.assistant
        asked = [QuestionRow(event.question, [each.label for each in event.attachments])] if self._question else []
        self.rows += [*asked, *RemarkRow.of_notices(event)]

    def on_command_read(self, event: e.CommandRead) -> None:
        self._command = True
        self._open_calls(event.decision.calls)

    def on_route_decided(self, event: e.RouteDecided) -> None:
        route = event.route
        self.rows.append(RemarkRow("route", f"{route.destination}: {route.reasoning}".rstrip(": ")))

    def on_tools_shortlisted(self, event: e.ToolsShortlisted) -> None:
        self.rows.append(RemarkRow("tools", f"{len(event.tools)} of {event.of} offered"))

    def on_plan_made(self, event: e.PlanMade | e.PlanAdjusted) -> None:
        if isinstance(event, e.PlanAdjusted) and event.reason:
            self.rows.append(RemarkRow("plan", f"changed: {event.reason}"))
        if not event.plan.steps:
            return
        made = PlanRow(event.plan)
        if self._plan is not None:
            made.take_over(self._plan)
        made.marks |= dict.fromkeys(event.done, "done")
        if self._plan in self.rows:
            self.rows[self.rows.index(self._plan)] = made
        else:
            self.rows.append(made)
        self._plan = made

    on_plan_adjusted = on_plan_made

    def on_model_responded(self, event: e.ModelResponded) -> None:
        self._draft, self._retrying = StreamedBlock(), ""
        seconds, decision = event.latency_ms / 1000, event.decision
        answering = decision is not None and not decision.calls and decision.complaint is None
        self._pass("answer" if answering else "observe" if event.purpose == "evaluate" else "think", seconds)
        if decision is None:
            return
        if decision.complaint is not None and decision.withheld:
            return
        if decision.complaint is not None:
            self.rows.append(RemarkRow.of_complaint(decision.complaint, reviewed=decision.refused is not None))
            return
        self._steps += event.purpose == "decide"
        self._thought = ThoughtRow(self._steps, decision.thought, seconds=seconds)
        self._thought.attempts = event.attempts
        if answering:
            self._answer = AnswerRow(decision.answer or "", number=self._steps)
            self._answer.seconds = seconds
            self._answer.apart = bool(self._calls)
            self._doing = "checking"
        self._open_calls(decision.calls)

    def _open_calls(self, calls: tuple[ToolCall, ...]) -> None:
        for call in calls:
            if call.tool == UPDATE_PLAN:
                continue
            self._calls[call.id] = CallRow(call)
            number = self._plan.step_for(call.tool) if self._plan is not None else None
            if self._plan is not None and number is not None:
                self._planned[call.id] = number
                self._plan.marks[number] = "running"
        self._acting = None
        self._failed = False

    def on_thought_recorded(self, event: e.ThoughtRecorded) -> None:
        row = self._thought or ThoughtRow(event.step, "")
        self._thought = None
        row.text, row.implied = event.text, event.implied
        opened = [call for call in self._calls.values() if not call.settled and call not in self.rows]
        if opened or not event.implied:
            if not opened:
                # The time of this reply is told with the answer it led to.
                row.seconds = None
            self.rows.append(row)
        self.rows += opened
        if self._answer is not None and self._answer not in self.rows:
            self.rows.append(self._answer)

    def on_tool_called(self, event: e.ToolCalled) -> None:
        row = self._call(event.call)
        row.call, row.waiting = event.call, ""
        self._acting = self._acting or event.at
        self._doing = f"running {one_line(event.call.tool, 40)}"

    def on_tool_progressed(self, event: e.ToolProgressed) -> None:
        if event.call_id in self._calls:
            share = f"{event.fraction:.0%} " if event.fraction is not None else ""
            self._calls[event.call_id].progress = share + event.message

    def on_tool_returned(self, event: e.ToolReturned) -> None:
        row = self._calls.get(event.call_id)
        if row is None:
            return
        row.result, row.waiting = event.result, ""
        if row not in self.rows:
            self.rows.append(row)
        number = self._planned.pop(event.call_id, None)
        if self._plan is not None and number is not None:
            self._plan.marks[number] = "done" if event.result.success else "failed"
        self._failed = self._failed or not event.result.success
        if all(call.settled for call in self._calls.values()):
            if self._acting is not None:
                self._pass("act", event.at - self._acting)
            self._pass("trouble" if self._failed else "observe", 0.0)
            self._doing = "thinking"

    def on_approval_requested(self, event: e.ApprovalRequested) -> None:
        row = self._call(event.call)
        row.call, row.waiting = event.call, "asks first"

    def on_approval_decided(self, event: e.ApprovalDecided) -> None:
        if event.call_id in self._calls:
            row = self._calls[event.call_id]
            row.waiting = ""
            allowed = "approved, edited" if event.args is not None else _ALLOWED[event.scope]
            row.decided = allowed if event.approved else "refused"

    def on_guardrail_triggered(self, event: e.GuardrailTriggered) -> None:
        tool = self._calls[event.call_id].call.tool if event.call_id in self._calls else ""
        # A call that was stopped says so itself.
        if event.stage != "call" or event.action != "stop":
            style = "trouble" if event.action == "stop" else "soft"
            self.rows.append(RemarkRow("guard", guardrail_text(event, tool), style))

    def on_question_asked(self, event: e.QuestionAsked) -> None:
        if event.call_id in self._calls:
            self._calls[event.call_id].waiting = "asks you"

    def on_question_answered(self, event: e.QuestionAnswered) -> None:
        if event.call_id in self._calls:
            self._calls[event.call_id].waiting = ""

    def on_message_received(self, event: e.MessageReceived) -> None:
        """What was drafted before it is not the answer."""
        if self._answer in self.rows:
            self.rows.remove(self._answer)
        self._answer = None
        self.rows.append(RemarkRow("you", event.text))
        self._doing = "thinking"

    def on_turn_paused(self, event: e.TurnWaiting) -> None:
        self.paused = True
        if event.reason == "dependencies":
            self.rows.append(RemarkRow("waits", "for dependencies of the program that started it: resume it there"))

    def on_turn_resumed(self, _event: e.TurnResumed) -> None:
        if self.paused:
            self.paused = False
            self._pass("wait", 0.0)

    def on_child_recorded(self, event: e.ChildRecorded | e.ChildStreamed) -> None:
        row = self._calls.get(event.call_id)
        if row is not None and row.child is None:
            row.child = TraceView(terminal=self.terminal, question=False, plain=self._plain, nested=True)
        if row is not None:
            row.child.apply(event.event)

    on_child_streamed = on_child_recorded

    def on_context_compacted(self, event: e.ContextCompacted) -> None:
        what = f"{event.left_out} messages became a summary" if event.left_out else "cleared old results"
        what += f": {event.tokens_before:,} to {event.tokens_after:,} tokens"
        self.rows.append(RemarkRow("context", what))

    def on_answer_evaluated(self, event: e.AnswerEvaluated) -> None:
        self._evidence = event.evidence
        if event.accepted:
            return
        if self._answer in self.rows:
            self.rows.remove(self._answer)
        self._answer = None
        found = event.evaluation
        lacks = f"Missing: {'; '.join(found.missing_info)}" if found and found.missing_info else "Needs more work."
        mend = "; ".join(found.suggestions) if found else ""
        self.rows.append(RemarkRow("again", f"{lacks} {mend}".rstrip(), "trouble"))
        self._doing = "thinking"

    def on_answer_given(self, event: e.AnswerGiven) -> None:
        if self._nested:
            self.rows = [row for row in self.rows if row is not self._answer]
            return
        row = self._answer or AnswerRow("", number=0 if self._command else self._steps)
        if row not in self.rows:
            self.rows.append(row)
        row.text, row.partial, row.verbatim, row.settled = event.text, event.partial, self._command, True
        row.apart = bool(self._calls)
        self._draft = StreamedBlock()

    def on_turn_finished(self, event: e.TurnFinished) -> None:
        self.finished = event
        if self._nested:
            self.rows = [*(row for row in self.rows if row is not self._answer), AgentRow(self._assistant, event)]
            return
        ending = EndingRow(event, tuple(self.segments), question=self._asked)
        # A command answers from what it knows: there is nothing to source.
        ending.tell(() if self._command else self._evidence.figures, self._calls.values())
        # Rules alone use no tokens: there is nothing to count.
        ending.counts = event.input_tokens + event.output_tokens > 0
        if self._plan is not None:
            self._plan.settled = True
            ending.plan = self._plan if self._plain else None
        # A draft that was never given is not an answer.
        self.rows = [row for row in self.rows if not (isinstance(row, AnswerRow) and not row.settled)]
        if not (self._command and event.status == "completed" and not self._calls):
            self.rows.append(ending)

    def on_text_delta(self, event: e.TextDelta | e.ThoughtDelta | e.ArgumentsDelta) -> None:
        draft = self._draft
        if event.block != draft.block:
            draft = self._draft = StreamedBlock(event.block)
        if isinstance(event, e.ArgumentsDelta):
            draft.tool = event.tool or draft.tool
        elif isinstance(event, e.ThoughtDelta):
            draft.thought = (draft.thought + event.text)[-STREAM_CHARS:]
        else:
            draft.text = (draft.text + event.text)[-STREAM_CHARS:]

    on_thought_delta = on_arguments_delta = on_text_delta

    def on_prompt_progressed(self, event: e.PromptProgressed) -> None:
        left = self._pace.seconds_left(event.read, event.total, event.at)
        about = f", about {duration(left)} left" if left else ""
        self._doing = f"reading {event.read} of {event.total} tokens{about}"

    def on_queue_progressed(self, event: e.QueueProgressed) -> None:
        self._doing = f"queued, position {event.position}"

    def on_model_retried(self, event: e.ModelRetried) -> None:
        self._draft = StreamedBlock()
        when = f"attempt {event.attempt} with {event.model} in {duration(event.wait_s)}"
        # A reason that was just told is not told again.
        what = when if event.reason == self._retrying else f"{event.reason.rstrip('.')}; {when}"
        self._retrying = event.reason
        self.rows.append(RemarkRow("retry", what, "trouble"))

    def _call(self, call: ToolCall) -> CallRow:
        """The row of a call, made where the step that asked for it was not seen."""
        row = self._calls.get(call.id)
        if row is None:
            row = self._calls[call.id] = CallRow(call)
        if row not in self.rows:
            self.rows.append(row)
        return row

    def _pass(self, kind: Kind, seconds: float) -> None:
        self.segments.append(TimelineSegment(kind=kind, seconds=seconds))
