"""Decision protocols: three ways to turn a model's output into a thought, calls or an answer, behind one interface."""

from functools import cache
from typing import Final

from glassloop.core.errors import UnknownName
from glassloop.core.events import ProtocolName, WrittenProtocol
from glassloop.core.messages import Abilities
from glassloop.core.ports import DecisionProtocol
from glassloop.core.protocols.native_protocol import NativeProtocol

_NATIVE: Final = NativeProtocol()


def get_protocol(name: str, abilities: Abilities | None = None) -> DecisionProtocol:
    """The protocol of that name, in short for models that are small; they hold no state, so there is one of each."""
    if name == "native":
        return _NATIVE
    small = abilities is not None and abilities.small
    return _get_written(name, brief=small, tuned=abilities is not None and abilities.tuned)


@cache
def _get_written(name: str, *, brief: bool, tuned: bool) -> DecisionProtocol:
    """Those for models without native tools, imported when one is used: compiling their patterns takes a while."""
    if name == "json" and brief:
        from glassloop.core.protocols.brief_json_protocol import BriefJsonProtocol

        return BriefJsonProtocol(tuned=tuned)
    if name == "json":
        from glassloop.core.protocols.json_protocol import JsonProtocol

        return JsonProtocol()
    if name == "text":
        from glassloop.core.protocols.text_protocol import TextProtocol

        return TextProtocol()
    raise UnknownName(f"There is no decision protocol {name!r}: choose one of native, json, text.")


def choose_protocol(preferred: ProtocolName, abilities: Abilities, written: WrittenProtocol = "json") -> ProtocolName:
    """What the assistant prefers, unless the model cannot: without native tools `native` becomes the `written` one, for
    a small model that a schema can hold `json`; a model that reads no prompts has nothing but those."""
    if not abilities.reads_prompts:
        return "native"
    if preferred != "native" or abilities.native_tools:
        return preferred
    return "json" if abilities.small and abilities.json_schema else written
