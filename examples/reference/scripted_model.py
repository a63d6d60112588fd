"""ScriptedModel, call: a model for tests, which says what it is told to."""

from glassloop import Agent, ScriptedModel, ToolCall, call, messages, tool

model = ScriptedModel([call("unknown_tool"), "I have no such tool."])
print(Agent(model).run_sync("Do it.").text)
print(len(model.requests), "requests, the first of them:", model.requests[0].messages[0])
print("left of the script:", model.unplayed)


@tool(effect="read")
def stock_of(sku: str) -> int:
    """Units on hand of an item."""
    return 140


def answer(request: messages.ModelRequest) -> str | ToolCall:
    asked = isinstance(request.messages[-1], messages.UserMessage)
    return call("stock_of", sku="BRG-6204") if asked else "There are 140."


clerk = Agent(ScriptedModel(answer), [stock_of])
print(clerk.run_sync("How many?").text, clerk.run_sync("And today?").text)
