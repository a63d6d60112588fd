"""Tiers of models, and the presets that say which tier does which work.

Default models of a tier are the providers' own; `resilient_model` retries.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import get_args

import msgspec

from glassloop.core.errors import UsageError
from glassloop.core.messages import Purpose
from glassloop.core.ports import Model
from glassloop.core.records import Tier
from glassloop.models.resilient_model import ResilientModel


class Preset(msgspec.Struct, frozen=True, kw_only=True):
    """Tiers by what a call is for. After a tool, `tools` decides by its name; `loop` is for everything else.

    `small` is for the short calls beside the loop: routing and summaries.
    """

    name: str
    planning: Tier
    loop: Tier
    small: Tier
    tools: Mapping[str, Tier] = {}

    def tier_for(self, purpose: Purpose, last_tool: str | None = None) -> Tier:
        """The tier for a call; `last_tool` is the tool whose result the model reads next."""
        if purpose == "plan":
            return self.planning
        if purpose in ("route", "summarize"):
            return self.small
        if purpose == "decide" and last_tool:
            return self.tools.get(last_tool, self.loop)
        return self.loop

    def with_tools(self, tools: Mapping[str, Tier]) -> "Preset":
        """The same with tiers for these tools, as a pack or an assistant knows them."""
        return msgspec.structs.replace(self, tools={**self.tools, **tools})


PRESETS: Mapping[str, Preset] = {
    "speed": Preset(name="speed", planning="fast", loop="fast", small="fast"),
    "balanced": Preset(name="balanced", planning="powerful", loop="balanced", small="fast"),
    "quality": Preset(name="quality", planning="powerful", loop="powerful", small="balanced"),
}


def find_preset(name: str | None) -> Preset:
    """The preset of that name; anything unknown is `balanced`."""
    return PRESETS.get(name or "", PRESETS["balanced"])


def make_tiers(
    names: Mapping[Tier, str],
    make: Callable[[str], Model],
    *,
    fallbacks: Mapping[Tier, str] | None = None,
    retries: int = 3,
    concurrency: asyncio.Semaphore | None = None,
) -> Mapping[Tier, Model]:
    """Models for `names`, each retried and, where its tier has one, with its fallback. A name is made only once, and a
    tier without one has the balanced model."""
    if not names.get("balanced"):
        raise UsageError(f"The tiers {dict(names)!r} have no 'balanced' model: name one.")
    made: dict[str, Model] = {}
    wrapped: dict[tuple[str, str | None], Model] = {}

    def find(name: str) -> Model:
        if name not in made:
            made[name] = make(name)
        return made[name]

    def build(tier: Tier) -> Model:
        name, spare = names.get(tier) or names["balanced"], (fallbacks or {}).get(tier)
        spare = None if spare == name else spare
        if (name, spare) not in wrapped:
            wrapped[name, spare] = ResilientModel(
                find(name), find(spare) if spare else None, retries=retries, concurrency=concurrency
            )
        return wrapped[name, spare]

    return {tier: build(tier) for tier in get_args(Tier)}
