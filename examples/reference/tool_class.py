"""Tool: a tool as a class, for one that has state of its own."""

from typing import Any

from pydantic import BaseModel

from glassloop import Agent, ScriptedModel, Tool, ToolContext, call


class Item(BaseModel):
    sku: str


class StockOf(Tool):
    name = "stock_of"
    description = "Units on hand of an item."
    effect = "read"
    Input = Item

    def __init__(self, stock: dict[str, int]) -> None:
        self.stock = stock

    async def execute(self, input: Item, context: ToolContext, /) -> Any:  # noqa: A002
        return {"units": self.stock.get(input.sku, 0)}


model = ScriptedModel([call("stock_of", sku="BRG-6204"), "140."])
result = Agent(model, [StockOf({"BRG-6204": 140})]).run_sync("How many bearings?")
print([made.observation.text for step in result.steps for made in step.calls if made.observation])
