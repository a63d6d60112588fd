"""Models: names, tiers, prices, retries, probes, and the parts providers are made of."""
