"""Prices of model calls in US dollars: a user's own price, nothing for local models, else the `genai-prices` tables.

A model without a price costs None, never 0. The tables are part of the package and are never fetched.
"""

from functools import lru_cache
from types import ModuleType

import msgspec

_MILLION = 1_000_000


class PriceTag(msgspec.Struct, frozen=True, kw_only=True):
    """Where the price of one model is found. `per_million` is the user's own: dollars for input, for output.

    `base_url` where the endpoint is not the provider's own: the tables know some of them by their address. `local`:
    it runs on the person's own machine, and costs nothing.
    """

    provider: str
    model: str
    base_url: str = ""
    per_million: tuple[float, float] | None = None
    local: bool = False

    def prepare(self) -> None:
        """Reads what `cost` will need; for a thread, before the first call."""
        self.cost(0, 0)

    def cost(
        self, input_tokens: int, output_tokens: int, *, cached_tokens: int = 0, written_tokens: int = 0
    ) -> float | None:
        """`input_tokens` counts all of the prompt; `cached_tokens` and `written_tokens` are those of it read from and
        written to the provider's cache."""
        if self.per_million is not None:
            into, out = self.per_million
            return (input_tokens * into + output_tokens * out) / _MILLION
        if self.local:
            return 0.0
        tables = load_prices()
        cached = min(cached_tokens, input_tokens)
        try:
            usage = tables.Usage(
                input_tokens=input_tokens,
                output_tokens=output_tokens,
                cache_read_tokens=cached,
                cache_write_tokens=min(written_tokens, input_tokens - cached),
            )
            where = {"provider_api_url": self.base_url} if self.base_url else {"provider_id": self.provider}
            return float(tables.calc_price(usage, self.model, **where).total_price)
        except (LookupError, ValueError):
            return None


@lru_cache(maxsize=1)
def load_prices() -> ModuleType:
    """The tables. Reading them takes most of a second once: a server does it in a thread before its first turn."""
    import genai_prices

    return genai_prices
