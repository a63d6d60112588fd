"""tool: a function that a model may call. It can still be called by hand."""

import asyncio
from typing import Literal

from glassloop import tool


@tool(effect="read", cache_ttl_s=60)
def rate(base: str, quote: Literal["EUR", "USD"] = "EUR") -> float:
    """The exchange rate of two currencies.

    Args:
        base: Three letters, such as CHF.
        quote: Three letters.
    """
    return {"CHFEUR": 1.07}.get(base + quote, 1.0)


print(rate("CHF"))
print(rate.spec.description, rate.spec.parameters["required"])
print(asyncio.run(rate.execute(base="CHF")).data)
