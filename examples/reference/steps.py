"""ReActStep, ChildTurn, Usage: what an agent and its sub-agents did, step by step, and the tokens it took."""

from glassloop import Agent, ChildTurn, ReActStep, ScriptedModel, Usage, call, tool


@tool(effect="read")
def read_policy(topic: str) -> str:
    """A paragraph of our policies."""
    return "Broken goods are refunded in full."


def show(step: ReActStep, indent: str = "") -> None:
    print(f"{indent}{step.step_number}. {step.thought} ({step.status})")
    for made in step.calls:
        print(f"{indent}   {made.action.tool} {made.action.args} → {made.observation and made.observation.text}")


def show_child(child: ChildTurn) -> None:
    print(f"{child.assistant}, {child.status}: {child.answer} ({child.input_tokens + child.output_tokens} tokens)")
    for step in child.steps:
        show(step, "   ")


reader = Agent(ScriptedModel([call("read_policy", topic="refunds"), "Yes, in full."]), [read_policy], name="policy")
expert = reader.as_tool("ask_policy", "Knows what our policies allow.")
clerk = Agent(ScriptedModel([call("ask_policy", task="May we refund a broken kettle?"), "We may."]), [expert])
result = clerk.run_sync("Can I have my money back?")
for step in result.steps:
    show(step)
for child in result.children:
    show_child(child)
usage: Usage = result.usage
print(usage.input_tokens, usage.output_tokens, usage.cost)
