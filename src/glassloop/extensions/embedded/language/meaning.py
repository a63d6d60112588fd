"""How near a question is to each tool in meaning, where there is an embedder; on the scale of the lexical scores."""

from collections.abc import Mapping, Sequence

from glassloop.core.messages import ToolSpec

FLOOR, WORTH = 0.3, 12.0
"""Texts about nothing in common are about this near; all above it counts so much."""


def weighed(near: Sequence[float], tools: Sequence[ToolSpec]) -> Mapping[str, float]:
    """Cosines on the scale of the lexical scores."""
    return {spec.name: round(max(0.0, each - FLOOR) * WORTH, 4) for spec, each in zip(tools, near, strict=True)}
