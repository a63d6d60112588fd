"""Two tools, and short forms of replies, calls, observations and reasons, for the tests of the review."""

from glassloop import Agent, ScriptedModel, tool
from glassloop.core.messages import Abilities, AssistantMessage, ToolMessage, UserMessage
from glassloop.core.planning.decision_review import review
from glassloop.core.records import ToolCall


@tool(effect="read")
def weigh_crate(crate_id: str) -> dict[str, object]:
    """Weigh a crate.

    Args:
        crate_id: The crate's number, such as CR-100.
    """
    return {"crate_id": crate_id, "kg": 12}


@tool(effect="read")
def sunrise(city: str) -> str:
    """When the sun rises in a city.

    Args:
        city: The city.
    """
    return f"06:10 in {city}"


SMALL = Abilities(native_tools=False, json_schema=True, small=True)
TOOLS = {spec.name: spec for spec in Agent(ScriptedModel([]), [weigh_crate, sunrise]).tools.specs.values()}


def calling(name, **args):
    body = ", ".join(f'"{key}": "{value}"' for key, value in args.items())
    return f'{{"thought": "t", "action": "{name}", "args": {{{body}}}}}'


def answering(text):
    return f'{{"thought": "t", "action": "answer", "response": "{text}"}}'


def call(tool_name="weigh_crate", **args):
    return ToolCall(id="c", tool=tool_name, args=args)


def reason(decision, question, *messages):
    refused = review(decision, question, [UserMessage(question), *messages], TOOLS).refused
    return refused.reason if refused else ""


def observed(content, *calls):
    return AssistantMessage(calls=calls), ToolMessage(call_id="c", tool="x", content=content)
