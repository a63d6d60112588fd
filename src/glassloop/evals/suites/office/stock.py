"""Products, prices and stock of the office. The data never changes."""

from typing import Literal

from glassloop import ToolError, tool

PRODUCTS: dict[str, tuple[str, float]] = {
    "SKU-310": ("desk lamp", 34.90),
    "SKU-422": ("office chair", 189.00),
    "SKU-518": ("standing desk", 449.00),
    "SKU-607": ("label printer", 129.50),
    "SKU-733": ("paper shredder", 78.00),
}
STOCK: dict[str, dict[str, int]] = {
    "SKU-310": {"Hamburg": 42, "Madrid": 0},
    "SKU-422": {"Hamburg": 7, "Madrid": 15},
    "SKU-518": {"Hamburg": 0, "Madrid": 3},
    "SKU-607": {"Hamburg": 26, "Madrid": 11},
    "SKU-733": {"Hamburg": 5, "Madrid": 0},
}


def _known(sku: str) -> str:
    number = sku.strip().upper()
    if number not in PRODUCTS:
        raise ToolError(f"There is no product {sku!r}: numbers look like SKU-100; find_product looks them up.")
    return number


@tool(effect="read")
async def find_product(description: str) -> list[dict[str, object]]:
    """Look up a product's number (SKU) in the catalogue by what it is called.

    Args:
        description: The product's name or part of it, in English.
    """
    words = description.casefold().split()
    return [{"sku": sku, "name": name} for sku, (name, _) in PRODUCTS.items() if any(word in name for word in words)]


@tool(effect="read")
async def check_stock(sku: str, warehouse: Literal["all", "Hamburg", "Madrid"] = "all") -> dict[str, object]:
    """How many pieces of a product are in the warehouses.

    Args:
        sku: The product's number, such as SKU-100.
        warehouse: Only this warehouse.
    """
    held = STOCK[_known(sku)]
    chosen = {place: pieces for place, pieces in held.items() if warehouse in ("all", place)}
    return {"sku": _known(sku), "pieces": sum(chosen.values()), "by_warehouse": chosen}


@tool(effect="read")
async def quote_price(sku: str, quantity: int = 1) -> dict[str, object]:
    """What a number of pieces of a product costs; 10 % off from 10 pieces on.

    Args:
        sku: The product's number, such as SKU-100.
        quantity: How many pieces.
    """
    name, each = PRODUCTS[_known(sku)]
    if not 1 <= quantity <= 100_000:
        raise ToolError(f"{quantity} pieces cannot be quoted: ask for 1 to 100,000.")
    total = each * quantity * (0.9 if quantity >= 10 else 1.0)
    return {"sku": _known(sku), "name": name, "quantity": quantity, "total_eur": round(total, 2)}
