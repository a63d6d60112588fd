"""Outcome of one reply: a thought, calls, an answer or a complaint, and the texts of such complaints.

A complaint never quotes what the model wrote: poisoned text must not go back. Each protocol reads the text itself.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from glassloop.core.messages import CUT_SHORT, Reply, ToolSpec
from glassloop.core.protocols.tolerant.json_values import DEPTH, UNREADABLE, tidy
from glassloop.core.protocols.tolerant.repair import match_name, repair_call
from glassloop.core.records import Decision, ToolCall

Tools = Mapping[str, ToolSpec]

CALLS: Final = 32
"""Calls written in one reply's text beyond these are dropped: a model that loops would never stop."""

EMPTY: Final = "The reply was empty: call one of the tools or give the answer."
UNCLOSED: Final = "The reply ended inside a think tag: close the tag, then call a tool or give the answer."
DECLINED: Final = "The model declined to answer this request."


class ReplyOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What the text of a reply was read as: one of the three, or nothing at all.

    `thought` is what turned out to be thought only after it had been shown as text; `partial` the beginning of an
    answer, worth keeping where the reply hit its token limit: asked again, the model would hit it again.
    """

    thought: str = ""
    partial: str = ""
    calls: tuple[ToolCall, ...] = ()
    answer: str = ""
    complaint: str = ""


def bad_arguments(tool: str, tools: Tools) -> str:
    """Names the tool only where it is one of ours: any other name is the model's own text."""
    known = match_name(tool, tools)
    subject = f"the tool {known}" if known else "a tool that is not offered"
    return (
        f"The call of {subject} could not be read, because its arguments were not one JSON object: "
        f"send the call again with its arguments as one JSON object, at most {DEPTH} levels deep."
    )


def native_outcome(reply: Reply, text: str, tools: Tools) -> ReplyOutcome:
    """Calls the provider made out itself; `text`, which came with them, is thought.

    A call that cannot be read holds up the others: they may belong together.
    """
    unreadable = [call.tool for call in reply.garbled]
    unreadable += [call.tool for call in reply.message.calls if tidy(call.args) is UNREADABLE]
    if unreadable:
        return ReplyOutcome(thought=text, complaint=bad_arguments(unreadable[0], tools))
    return ReplyOutcome(thought=text, calls=tuple(repair_call(call, tools) for call in reply.message.calls))


def decide(reply: Reply, outcome: ReplyOutcome, thought: str, *, unclosed: bool) -> Decision:
    """The decision: exactly one of calls, answer and complaint."""
    parts = (reply.message.thought.strip(), thought.strip(), outcome.thought.strip())
    thought = "\n".join(part for part in parts if part)
    if outcome.calls:
        return Decision(thought=thought, calls=outcome.calls)
    answer = outcome.answer.strip() or (outcome.partial.strip() if reply.stop in CUT_SHORT else "")
    if answer:
        return Decision(thought=thought, answer=answer)
    if reply.stop == "refusal" or (reply.stop == "filtered" and not outcome.complaint):
        return Decision(thought=thought, answer=DECLINED)
    if outcome.complaint:
        return Decision(thought=thought, complaint=outcome.complaint)
    return Decision(thought=thought, complaint=UNCLOSED if unclosed else EMPTY)
