"""Models on offer: what providers list, and what an administrator connected."""
