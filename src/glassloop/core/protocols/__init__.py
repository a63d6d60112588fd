"""Decision protocols: three ways to turn a model's output into a thought, calls or an answer, behind one interface."""

from typing import Final

from glassloop.core.errors import UnknownName
from glassloop.core.events import ProtocolName
from glassloop.core.messages import Abilities
from glassloop.core.ports import DecisionProtocol
from glassloop.core.protocols.brief_json_protocol import BriefJsonProtocol
from glassloop.core.protocols.json_protocol import JsonProtocol
from glassloop.core.protocols.native_protocol import NativeProtocol
from glassloop.core.protocols.text_protocol import TextProtocol

_PROTOCOLS: Final[dict[str, DecisionProtocol]] = {
    protocol.name: protocol for protocol in (NativeProtocol(), JsonProtocol(), TextProtocol())
}


_BRIEF: Final = BriefJsonProtocol()


def get_protocol(name: str, abilities: Abilities | None = None) -> DecisionProtocol:
    """The protocol of that name, in short for models that are small; they hold no state, so there is one of each."""
    if name == "json" and abilities is not None and abilities.small:
        return _BRIEF
    found = _PROTOCOLS.get(name)
    if found is None:
        raise UnknownName(f"There is no decision protocol {name!r}: choose one of {', '.join(_PROTOCOLS)}.")
    return found


def choose_protocol(preferred: ProtocolName, abilities: Abilities) -> ProtocolName:
    """What the assistant prefers, unless the model cannot: without native tools `native` becomes `json`, and one that
    reads no prompts has nothing but those."""
    if not abilities.reads_prompts:
        return "native"
    return "json" if preferred == "native" and not abilities.native_tools else preferred
