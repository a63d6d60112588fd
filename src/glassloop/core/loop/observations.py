"""The calls of a step, and what is said and shown of their results. Pure."""

from collections.abc import Collection, Iterable, Mapping

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import StoreAway, UsageError
from glassloop.core.labels import OWN
from glassloop.core.messages import Effect, ToolMessage
from glassloop.core.protocols.result_pages import rows_as_table
from glassloop.core.records import Json, ToolCall, ToolResult

OBSERVATION_CHARS, SMALL_OBSERVATION_CHARS = 16_000, 2_000
"""How much a model sees of one result, and a small one of all results of a step; the log always has all of them."""
MAX_STEP_CHARS = 64_000
"""Of all results of a step, for models with the largest windows."""
MIN_SHOWN_CHARS = 300
"""Of each result, however many a step has. Shorter ones are not cleared."""
FAILED_AGAIN = "The same call failed in the same way before. If its arguments are wrong, correct them; else do without."
CLEARED_TOKENS = 20
"""Of the line that stands in place of a cleared result."""


class ObservationRoom(msgspec.Struct, frozen=True):
    """How many characters are shown of all results of a step, and of one of them; None: all. `tables`: lists of records
    are shown as tables, which are shorter."""

    step: int | None = None
    result: int | None = None
    tables: bool = False

    def of_one(self, count: int) -> int:
        """The share of one of so many results, where all are long."""
        share = (self.step or OBSERVATION_CHARS) // max(count, 1)
        return max(min(share, self.result or share), MIN_SHOWN_CHARS)


def shown_room(settings: Mapping[str, Json]) -> ObservationRoom:
    """As the first event of a turn has it."""
    step, result = settings.get("observation_chars"), settings.get("result_chars")
    return ObservationRoom(
        step if isinstance(step, int) else None,
        result if isinstance(result, int) else None,
        settings.get("result_tables") is True,
    )


def step_chars(window: int) -> int:
    """Of all results of a step, for a model with so many tokens of context: about an eighth of them."""
    return min(max(window * 3 // 8, OBSERVATION_CHARS), MAX_STEP_CHARS)


class CallState(msgspec.Struct, kw_only=True):
    """One call of the step under way. `number` is what `${stepN…}` calls it; a plan that the model writes has none."""

    call: ToolCall
    number: int
    called: bool = False
    effect: Effect = "read"
    edited: dict[str, Json] | None = None
    result: ToolResult | None = None
    request: e.ApprovalRequested | None = None
    decision: e.ApprovalDecided | None = None
    approved: e.ApprovalRequested | None = None
    """The request that its last run was allowed by."""
    guarded: e.GuardrailTriggered | None = None
    """What guardrails made of it, where they did not let it pass as it was."""
    question: e.QuestionAsked | None = None
    answer: e.QuestionAnswered | None = None
    child: list[e.Durable] | None = None
    """The events of the child turn that answers it, so far."""

    @property
    def approved_preview(self) -> Json:
        """What people were shown of its last run; None where nobody was asked, or it ran with other arguments."""
        approved = self.approved
        return approved.preview if approved is not None and approved.call.args == self.call.args else None


def observed_messages(
    calls: Collection[CallState], room: ObservationRoom, failures: set[str], cut_results: dict[str, str]
) -> Iterable[ToolMessage]:
    """The results of a step, in the order of its calls, within the characters that may be shown."""
    texts: list[str] = []
    sizes: list[int] = []
    for entry in calls:
        text = observed_text(entry.call, entry.result, entry.edited, failures)
        if room.tables:
            text = rows_as_table(text)
        if entry.guarded is not None and entry.guarded.action == "rewrite":
            text = f"({changed_by_guardrail(entry.guarded)})\n{text}"
        texts.append(text)
        shown = entry.result.shown_chars if entry.result is not None else None
        sizes.append(len(text) if shown is None else min(len(text), shown))
    limits = shares(sizes, room)
    messages: list[ToolMessage] = []
    for place, entry in enumerate(calls):
        call, result, text, limit, ref = entry.call, entry.result, texts[place], limits[place], ""
        if not limit and sizes[place] < len(text):
            limit = sizes[place]
        if limit:
            ref = f"r{len(cut_results) + 1}"
            cut_results[ref] = text
        failed, sourced, labels = False, None, OWN
        if result is not None:
            failed, sourced = not result.success, result.sourced
            labels = result.labels if result.cause == "ran" else result.told_labels
        messages.append(
            ToolMessage(
                call_id=call.id,
                tool=call.tool,
                content=text,
                is_error=failed,
                limit=limit,
                ref=ref,
                sourced=sourced,
                labels=labels,
            )
        )
    return messages


def shares(sizes: list[int], room: ObservationRoom) -> list[int]:
    """How many characters are shown of each: short ones whole, which is 0 here, and long ones share what these
    leave."""
    limits, left, step = [0] * len(sizes), len(sizes), room.step
    if step is None:
        return limits
    for place in sorted(range(left), key=sizes.__getitem__):
        share, size = max(min(step // left, room.result or step), MIN_SHOWN_CHARS), sizes[place]
        limits[place] = share if size > share else 0
        step, left = step - min(size, share), left - 1
    return limits


def observed_text(call: ToolCall, result: ToolResult | None, edited: dict[str, Json] | None, failures: set[str]) -> str:
    """What the model is told of a call. `failures` are those of the turn so far, and this one is added to them."""
    if result is None:
        raise UsageError(f"Call {call.id!r} has no result: the log is damaged.")
    text = result.output
    if not result.success:
        text = result.text
        failure = f"{call.tool} {msgspec.json.encode(call.args).decode()} {result.error}"
        if failure in failures:
            text += f"\n({FAILED_AGAIN})"
        failures.add(failure)
    return text if edited is None else f"(The person changed the arguments to {edited}.)\n{text}"


def changed_by_guardrail(event: e.GuardrailTriggered) -> str:
    reason = f": {event.reason}" if event.reason else "."
    return f"The guardrail {event.name!r} changed the arguments to {event.value}{reason}"


def cleared_text(ref: str) -> str:
    """What stands in place of a cleared result."""
    return f'[cleared to save room; read_result(result="{ref}") shows it as it was]'


def unlogged_result(error: StoreAway) -> ToolResult:
    """Of an effect that did not start, as its intent could not be stored."""
    text = f"Not run: what cannot be logged is not done, and the log cannot be written now. {error}"
    return ToolResult(success=False, error=text, cause="unlogged", metadata={"reason": str(error)})


def refusal(why: str, *, requires_confirmation: bool = False) -> ToolResult:
    """Of a call that a rule, a limit or a person did not let start."""
    return ToolResult(success=False, error=why, requires_confirmation=requires_confirmation, cause="refused")
