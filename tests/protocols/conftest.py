"""What every protocol test reads with: a few tools, and one reply in any number of pieces."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import pytest

from glassloop.core.messages import AssistantMessage, GarbledCall, Reply, StopReason, ToolSpec
from glassloop.core.protocols import get_protocol
from glassloop.core.records import Decision, ToolCall


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a reply was read as, and what was shown of it, kind by kind."""

    decision: Decision
    shown: dict[str, str]
    argument_tools: frozenset[str]

    @property
    def text(self) -> str:
        return self.shown.get("text", "")

    @property
    def thought(self) -> str:
        return self.shown.get("thought", "")

    @property
    def arguments(self) -> str:
        return self.shown.get("arguments", "")


Read = Callable[..., Outcome]


def _spec(name: str, properties: dict[str, Any], required: Sequence[str] = (), description: str = "") -> ToolSpec:
    return ToolSpec(
        name=name,
        description=description or f"Does {name}.",
        parameters={"type": "object", "properties": properties, "required": list(required)},
    )


@pytest.fixture(scope="session")
def tools() -> Mapping[str, ToolSpec]:
    text, whole, flag = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
    specs = (
        _spec("read_file", {"path": text, "encoding": text}, ["path"], "Reads a file.\n  All of it."),
        _spec(
            "search_code",
            {
                "query": text,
                "max_results": whole,
                "exact": flag,
                "globs": {"type": "array", "items": text},
                "filters": {"type": "object"},
                "scope": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            },
            ["query"],
        ),
        _spec("get_leads", {"region": {"type": "string", "enum": ["north", "south"]}}),
        _spec("get_my_performance", {"encounter_name": text, "player_name": text}, ["encounter_name"]),
    )
    return {spec.name: spec for spec in specs}


@pytest.fixture(scope="session")
def read(tools: Mapping[str, ToolSpec]) -> Read:
    def read(
        protocol: str,
        text: str,
        *,
        pieces: Sequence[str] | None = None,
        thought: str = "",
        calls: tuple[ToolCall, ...] = (),
        garbled: tuple[GarbledCall, ...] = (),
        stop: StopReason = "end_turn",
        offered: Mapping[str, ToolSpec] | None = None,
    ) -> Outcome:
        reader = get_protocol(protocol).reader(tools if offered is None else offered)
        deltas = [delta for piece in ([text] if pieces is None else pieces) for delta in reader.feed(piece)]
        message = AssistantMessage(text=text, thought=thought, calls=calls)
        rest, decision = reader.finish(Reply(message=message, stop=stop, garbled=garbled))
        shown: dict[str, list[str]] = {}
        for delta in (*deltas, *rest):
            assert delta.kind in ("thought", "text", "arguments")
            assert delta.text
            shown.setdefault(delta.kind, []).append(delta.text)
        chosen = (bool(decision.calls), decision.answer is not None, decision.complaint is not None)
        assert sum(chosen) == 1, "a decision is exactly one of calls, answer and complaint"
        assert decision.answer != "" and decision.complaint != ""
        return Outcome(
            decision=decision,
            shown={kind: "".join(parts) for kind, parts in shown.items()},
            argument_tools=frozenset(d.tool for d in (*deltas, *rest) if d.kind == "arguments"),
        )

    return read
