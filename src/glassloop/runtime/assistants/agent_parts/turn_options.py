"""Options of one turn at its ports: the preset and the mode that its first event names."""

from typing import Final

import msgspec

from glassloop.core import events as e
from glassloop.core.loop.approvals.modes import MODE, hidden_in_mode, mode_of
from glassloop.core.loop.turn_ports import TurnPorts
from glassloop.models.tiers import find_preset
from glassloop.runtime.governance.turn_bounds import PermittedTools

PRESET: Final = "preset"
"""The setting of a turn that names its preset, where that is not the assistant's."""
OWN_LIMITS: Final = "own_limits"
"""The setting of a turn that says that its limits are not the assistant's."""
TODAY: Final = "today"
"""The setting of a turn with the day that the model is told, where that is not the day it is."""


def with_options(ports: TurnPorts, started: e.TurnStarted) -> TurnPorts:
    """The ports of a turn with what it was asked for with."""
    settings = started.settings
    if PRESET in settings:
        ports = msgspec.structs.replace(ports, tier_for=find_preset(str(settings[PRESET])).tier_for)
    if MODE in settings:
        hidden = hidden_in_mode(mode_of(started), ports.tools.specs)
        if hidden:
            tools = PermittedTools(ports.tools, hidden, "this session only reads, and may not use")
            ports = msgspec.structs.replace(ports, tools=tools)
        # What was framed for other turns names the tools of those.
        ports = msgspec.structs.replace(ports, framings={})
    return ports
