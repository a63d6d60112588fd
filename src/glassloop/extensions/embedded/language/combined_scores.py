"""Combined score of each tool: lexical scores joined with similarity in meaning, on one scale."""

from collections.abc import Mapping, Sequence

from glassloop.core.messages import ToolSpec

FLOOR, WORTH = 0.3, 12.0
"""Texts about nothing in common are about this near; all above it counts so much."""


def combine_scores(near: Sequence[float], tools: Sequence[ToolSpec]) -> Mapping[str, float]:
    """Cosines on the scale of the lexical scores."""
    return {spec.name: round(max(0.0, each - FLOOR) * WORTH, 4) for spec, each in zip(tools, near, strict=True)}
