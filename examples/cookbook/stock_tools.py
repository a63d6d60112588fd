"""Tools of the suite in evaluation.toml."""

from glassloop import tool


@tool(effect="read")
def stock_of(sku: str) -> int:
    """Units on hand of an item, such as BRG-6204."""
    return {"BRG-6204": 140, "INS-PA66": 820}.get(sku, 0)


@tool(effect="read")
def price_of(sku: str) -> float:
    """The price of an item in euros."""
    return {"BRG-6204": 4.5, "INS-PA66": 0.12}.get(sku, 0.0)
