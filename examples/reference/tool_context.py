"""ToolContext: what a tool knows of its call, with the dependencies that `run` was given."""

from dataclasses import dataclass

from glassloop import Agent, ScriptedModel, ToolContext, call, tool


@dataclass
class Shop:
    customer: str
    orders: dict[str, list[str]]


@tool(effect="read")
def my_orders(context: ToolContext[Shop]) -> list[str]:
    """The orders of the customer who asks."""
    context.progress("looking")
    return context.deps.orders[context.deps.customer]


agent = Agent[Shop, str](ScriptedModel([call("my_orders"), "You have one order, A-17."]), [my_orders])
print(agent.run_sync("What did I order?", deps=Shop("ann", {"ann": ["A-17"]})).text)
print(my_orders(ToolContext(deps=Shop("ann", {"ann": ["A-17"]}))))
