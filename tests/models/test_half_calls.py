"""Calls whose arguments a server cut or garbled, over each provider's wire: no effect is ever run on a guess."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from glassloop import Agent, Profile, tool
from glassloop.core import events as e
from glassloop.core.ports import Model

OpenModel = Callable[..., Model]
WHOLE = '{"folder": "/srv/data/tmp", "only": ["*.bak", "x"], "limits": {"age": 30, "dry": true}}'
STOPS = {
    "openai": ["tool_calls", "stop", "length", "content_filter", "odd"],
    "anthropic": ["tool_use", "end_turn", "max_tokens", "stop_sequence", "pause_turn"],
    "google": ["STOP", "MAX_TOKENS", "OTHER"],
}
GUESSED = [
    'Sure: {"folder": "/srv/data/tmp"}',
    '{"folder": "/srv/data/tmp"}}',
    '{"folder": "/srv/data/tmp"};',
    '{"folder": "/srv", "folder": "/srv/data/tmp"}',
    '{"limits": {"age": 1, "age": 30}}',
    '{"folder": "/srv/data/tmp"}{"folder": "/srv"}',
    '{"folder": "/srv/data/tmp" "only": []}',
    '{"only": ["*.bak",, "x"]}',
    '{"folder": , "/srv"}',
    '{"folder": /srv}',
    '{"folder": "C:\\data"}',
    '{"folder": "\\u12"}',
    '{"folder": "\\ud83d"}',
    '{"folder": undefined}',
]


class Disk:
    """Tools that note how they were called: an effect, one that only reads, and one without parameters."""

    def __init__(self) -> None:
        self.deleted: list[Any] = []
        self.listed: list[Any] = []
        self.restarts = 0

        @tool
        async def delete_files(
            folder: str = "/srv/data", only: list[str] | None = None, limits: dict[str, Any] | None = None
        ) -> str:
            """Deletes files for good."""
            self.deleted.append((folder, only, limits))
            return "gone"

        @tool(effect="read")
        async def list_files(folder: str = "/srv/data") -> str:
            """Lists files."""
            self.listed.append(folder)
            return "a.bak"

        @tool
        async def restart() -> str:
            """Restarts the machine."""
            self.restarts += 1
            return "restarted"

        self.tools = [delete_files, list_files, restart]


@pytest.fixture
def disk() -> Disk:
    return Disk()


def results(events: list[e.Event]) -> list[Any]:
    return [event.result for event in events if isinstance(event, e.ToolReturned)]


async def play(model: Model, disk: Disk, **options: Any) -> list[e.Event]:
    return [event async for event in Agent(model, disk.tools, **options).stream("Clean up.")]


@pytest.mark.parametrize("name", ["openai", "anthropic"])
async def test_no_beginning_of_a_calls_arguments_ever_runs_an_effect(
    name: str, voices: Any, wire: Any, open_model: OpenModel, disk: Disk
) -> None:
    voice = next(kind() for kind in voices if kind.name == name)
    model = open_model(voice, wire.url)
    for cut in range(len(WHOLE)):
        stop = STOPS[name][cut % len(STOPS[name])]
        wire.plays(voice.call(WHOLE[:cut], tool="delete_files", stop=stop))
        wire.plays(voice.text("I will look again."))
        events = await play(model, disk)
        assert disk.deleted == [], (WHOLE[:cut], stop)
        told = json.dumps(wire.bodies[-1]["messages"][-1])
        assert "again" in told, (WHOLE[:cut], stop)
        assert isinstance(events[-1], e.TurnFinished)
    wire.plays(voice.call(WHOLE, tool="delete_files"))
    wire.plays(voice.text("Done."))
    await play(model, disk)
    assert disk.deleted == [("/srv/data/tmp", ["*.bak", "x"], {"age": 30, "dry": True})]


@pytest.mark.parametrize("name", ["openai", "anthropic"])
async def test_a_call_cut_in_a_string_runs_no_effect_under_any_finish_reason(
    name: str, voices: Any, wire: Any, open_model: OpenModel, disk: Disk
) -> None:
    voice = next(kind() for kind in voices if kind.name == name)
    for stop in STOPS[name]:
        wire.plays(voice.call('{"folder": "/srv/data', tool="delete_files", stop=stop))
        wire.plays(voice.text("I will look again."))
        await play(open_model(voice, wire.url), disk)
        assert disk.deleted == []


@pytest.mark.parametrize("arguments", GUESSED)
async def test_arguments_that_can_be_read_in_two_ways_run_no_effect(
    arguments: str, voices: Any, wire: Any, open_model: OpenModel, disk: Disk
) -> None:
    voice = next(kind() for kind in voices if kind.name == "openai")
    wire.plays(voice.call(arguments, tool="delete_files"))
    wire.plays(voice.text("I will look again."))
    await play(open_model(voice, wire.url), disk)
    assert disk.deleted == []
    assert "again" in json.dumps(wire.bodies[-1]["messages"][-1])


@pytest.mark.parametrize(
    "arguments",
    [
        "{'folder': '/srv/data/tmp'}",
        '```json\n{"folder": "/srv/data/tmp"}\n```',
        '{"folder": "/srv/data/tmp",}',
        '{folder: "/srv/data/tmp"}',
        '"{\\"folder\\": \\"/srv/data/tmp\\"}"',
    ],
)
async def test_a_spelling_that_means_one_thing_only_still_runs(
    arguments: str, voices: Any, wire: Any, open_model: OpenModel, disk: Disk
) -> None:
    voice = next(kind() for kind in voices if kind.name == "openai")
    wire.plays(voice.call(arguments, tool="delete_files"))
    wire.plays(voice.text("Done."))
    await play(open_model(voice, wire.url), disk)
    assert disk.deleted == [("/srv/data/tmp", None, None)]


async def test_a_cut_call_that_only_reads_is_mended_and_its_event_says_so(
    voices: Any, wire: Any, open_model: OpenModel, disk: Disk
) -> None:
    voice = next(kind() for kind in voices if kind.name == "openai")
    wire.plays(voice.call('{"folder": "/srv', tool="list_files"))
    wire.plays(voice.text("There is one."))
    events = await play(open_model(voice, wire.url), disk)
    assert disk.listed == ["/srv"]
    assert [event.call.mended for event in events if isinstance(event, e.ToolCalled)] == ["closed"]


async def test_a_refused_call_is_told_back_and_the_next_one_runs_whole(
    voices: Any, wire: Any, open_model: OpenModel, disk: Disk
) -> None:
    voice = next(kind() for kind in voices if kind.name == "openai")
    wire.plays(voice.call('{"folder": "/srv/data', tool="delete_files"))
    wire.plays(voice.call('{"folder": "/srv/data/tmp"}', call_id="call_2", tool="delete_files"))
    wire.plays(voice.text("Done."))
    events = await play(open_model(voice, wire.url), disk)
    assert disk.deleted == [("/srv/data/tmp", None, None)]
    refused, done = results(events)
    assert refused.cause == "refused"
    assert "cut off" in refused.error
    assert done.success
    reply = next(event for event in events if isinstance(event, e.ModelResponded))
    assert reply.decision is not None
    assert [call.mended for call in reply.decision.calls] == ["closed"]


async def test_half_a_call_is_never_shown_for_approval(
    voices: Any, wire: Any, open_model: OpenModel, disk: Disk
) -> None:
    voice = next(kind() for kind in voices if kind.name == "openai")
    wire.plays(voice.call('{"folder": "/srv/data', tool="delete_files"))
    wire.plays(voice.text("I will look again."))
    events = await play(open_model(voice, wire.url), disk, profile=Profile(approvals="effects"))
    assert not any(isinstance(event, e.ApprovalRequested | e.TurnWaiting) for event in events)
    assert disk.deleted == []


async def test_one_half_of_several_calls_is_refused_alone(
    voices: Any, wire: Any, open_model: OpenModel, disk: Disk
) -> None:
    voice = next(kind() for kind in voices if kind.name == "openai")
    asked = [("a", '{"folder": "/srv/data'), ("b", '{"folder": "/tmp"}')]
    pieces = [
        {"index": at, "id": name, "type": "function", "function": {"name": "delete_files", "arguments": text}}
        for at, (name, text) in enumerate(asked)
    ]
    wire.plays(voice.frame([{"tool_calls": [piece]} for piece in pieces], "tool_calls"))
    wire.plays(voice.text("Done."))
    events = await play(open_model(voice, wire.url), disk)
    assert disk.deleted == [("/tmp", None, None)]
    assert sorted(result.success for result in results(events)) == [False, True]


async def test_a_tool_without_parameters_runs_without_arguments(
    voices: Any, wire: Any, open_model: OpenModel, disk: Disk
) -> None:
    voice = next(kind() for kind in voices if kind.name == "openai")
    for arguments in ("", "{}", "null"):
        wire.plays(voice.call(arguments, tool="restart"))
        wire.plays(voice.text("Done."))
        await play(open_model(voice, wire.url), disk)
    assert disk.restarts == 3


async def test_a_call_at_the_token_limit_without_a_character_of_arguments_runs_nothing(
    voices: Any, wire: Any, open_model: OpenModel, disk: Disk
) -> None:
    for voice in (kind() for kind in voices if kind.name != "google"):
        for name in ("restart", "delete_files"):
            wire.plays(voice.call("", tool=name, stop=voice.cut_short))
            wire.plays(voice.text("I will look again."))
            await play(open_model(voice, wire.url), disk)
    assert (disk.restarts, disk.deleted) == (0, [])


def blocks(voice: Any, *parts: dict[str, Any], stop: str = "tool_use", closed: bool = True) -> list[bytes]:
    """An Anthropic stream of one call; `closed` ends its block, as the real API does."""
    pieces = voice.frame(list(parts), stop)
    end = b'event: content_block_stop\ndata: {"type": "content_block_stop", "index": 0}\n\n'
    return [*pieces[:-2], *([end] if closed else []), *pieces[-2:]]


@pytest.fixture
def anthropic(voices: Any) -> Any:
    return next(kind() for kind in voices if kind.name == "anthropic")


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("given", [{"folder": "/srv/data/tmp"}, '{"folder": "/srv/data/tmp"}'])
async def test_anthropic_input_given_whole_at_the_start_is_used(
    anthropic: Any, wire: Any, open_model: OpenModel, disk: Disk, given: Any, closed: bool
) -> None:
    start = {"type": "tool_use", "id": "c", "name": "delete_files", "input": given}
    wire.plays(blocks(anthropic, start, {"type": "input_json_delta", "partial_json": ""}, closed=closed))
    wire.plays(anthropic.text("Done."))
    events = await play(open_model(anthropic, wire.url), disk)
    assert disk.deleted == [("/srv/data/tmp", None, None)]
    shown = "".join(event.text for event in events if isinstance(event, e.ArgumentsDelta))
    assert json.loads(shown or "null") == ({"folder": "/srv/data/tmp"} if closed else None)


async def test_anthropic_deltas_count_before_the_input_of_the_start(
    anthropic: Any, wire: Any, open_model: OpenModel, disk: Disk
) -> None:
    start = {"type": "tool_use", "id": "c", "name": "delete_files", "input": {"folder": "/srv"}}
    delta = {"type": "input_json_delta", "partial_json": '{"folder": "/srv/data/tmp"}'}
    wire.plays(blocks(anthropic, start, delta))
    wire.plays(anthropic.text("Done."))
    await play(open_model(anthropic, wire.url), disk)
    assert disk.deleted == [("/srv/data/tmp", None, None)]


async def test_an_anthropic_call_that_ended_without_input_has_none_unless_the_limit_cut_it(
    anthropic: Any, wire: Any, open_model: OpenModel, disk: Disk
) -> None:
    start = {"type": "tool_use", "id": "c", "name": "delete_files", "input": {}}
    for stop, closed, runs in (("max_tokens", True, 0), ("tool_use", False, 0), ("tool_use", True, 1)):
        wire.plays(blocks(anthropic, start, stop=stop, closed=closed))
        wire.plays(anthropic.text("Done."))
        await play(open_model(anthropic, wire.url), disk)
        assert len(disk.deleted) == runs


async def test_a_gemini_call_runs_whole_and_never_while_more_of_it_is_to_come(
    voices: Any, wire: Any, open_model: OpenModel, disk: Disk
) -> None:
    voice = next(kind() for kind in voices if kind.name == "google")
    half = {"id": "c", "name": "delete_files", "args": {"folder": "/srv"}, "willContinue": True}
    partial = {"id": "c", "name": "delete_files", "partialArgs": [{"jsonPath": "$.folder", "stringValue": "/srv"}]}
    whole = {"id": "c", "name": "delete_files", "args": {"folder": "/srv/data/tmp"}}
    bare = {"id": "c", "name": "delete_files"}
    for part, stop, runs in (
        *((half, stop, 0) for stop in STOPS["google"]),
        *((partial, stop, 0) for stop in STOPS["google"]),
        (bare, "MAX_TOKENS", 0),
        (whole, "STOP", 1),
        (bare, "STOP", 2),
    ):
        wire.plays(voice.frame([{"functionCall": part}], stop))
        wire.plays(voice.text("Done."))
        await play(open_model(voice, wire.url), disk)
        assert len(disk.deleted) == runs, (part, stop)
    assert disk.deleted == [("/srv/data/tmp", None, None), ("/srv/data", None, None)]


@pytest.mark.parametrize(
    "pieces",
    [
        ['{"folder": "/srv/data/tmp"}'],
        [{"folder": "/srv/data/tmp"}],
        ["", '{"folder": ', '"/srv/data/tmp"}'],
    ],
    ids=["in the first chunk", "as an object", "in pieces"],
)
async def test_openai_arguments_are_read_however_they_are_handed_over(
    pieces: list[Any], voices: Any, wire: Any, open_model: OpenModel, disk: Disk
) -> None:
    voice = next(kind() for kind in voices if kind.name == "openai")
    deltas = [
        {
            "tool_calls": [
                {
                    "index": 0,
                    **({"id": "c"} if at == 0 else {}),
                    "function": {**({"name": "delete_files"} if at == 0 else {}), "arguments": piece},
                }
            ]
        }
        for at, piece in enumerate(pieces)
    ]
    for label in ("openai", "ollama"):
        wire.plays(voice.frame(deltas, "tool_calls"))
        wire.plays(voice.text("Done."))
        await play(open_model(voice, wire.url, label=label), disk)
    assert disk.deleted == [("/srv/data/tmp", None, None)] * 2
