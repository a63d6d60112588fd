"""ToolRegistry: tools by name, and choices among them."""

import asyncio

from glassloop import ToolRegistry, tool

registry = ToolRegistry()


@registry.register
@tool(effect="read")
def stock_of(sku: str) -> int:
    """Units on hand."""
    return 140


@registry.register
@tool(effect="write", confirm=True)
def take_out(sku: str, units: int) -> str:
    """Takes units out of the stock."""
    return "taken"


print(registry.names, registry.with_effect("read").names, registry.prefixed("store_").names)
print(asyncio.run(registry.execute("stock_of", {"sku": "BRG-6204"})).data)
print(asyncio.run(registry.execute("stock", {})).error)
