"""A tool that knows everything but one thing."""

from glassloop import tool


@tool(effect="read")
async def stock_of(sku: str) -> str:
    """Units on hand."""
    if sku == "nothing":
        raise LookupError("no such item")
    return f"140 of {sku}"
