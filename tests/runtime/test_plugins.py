"""Plugins: found, ordered, called at every point, and never able to break a turn."""

import asyncio
import logging
import tomllib
from pathlib import Path
from typing import Any, ClassVar

import pytest

from glassloop import Agent, Plugin, ScriptedModel, UsageError, tool
from glassloop.core import events as e
from glassloop.core.planning.router import Domain, ModelRouter
from glassloop.models.scripted_model import call
from glassloop.runtime.assistants.assistant_files import load_parts, read_assistant
from glassloop.runtime.assistants.result import Approval
from glassloop.runtime.build import build_agent, open_runtime
from glassloop.runtime.extensions import installed_extensions
from glassloop.runtime.settings import Settings
from glassloop.tools.plugin import HOOK_POINTS

EXAMPLE = Path(__file__).parents[2] / "examples" / "shift_plan"


@tool(effect="read", domain="erp")
async def stock(item: str = "") -> dict[str, Any]:
    """Units in stock."""
    return {"units": [5]}


@tool(effect="write", confirm=True)
async def order() -> str:
    """Orders."""
    return "ordered"


class Watcher(Plugin):
    """Writes down what it is called with."""

    name: ClassVar[str] = "watcher"

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.closed = False

    async def before_route(self, turn, question):
        self.seen.append(f"before_route {question}")

    async def after_route(self, turn, route):
        self.seen.append(f"after_route {route.destination}")

    async def before_model_call(self, turn, request):
        self.seen.append(f"before_model_call {request.purpose}")
        assert isinstance(request.messages, tuple)

    async def after_model_call(self, turn, reply):
        self.seen.append("after_model_call")

    async def before_tool_call(self, turn, call):
        self.seen.append(f"before_tool_call {call.tool}")
        call.args["item"] = "changed"

    async def after_tool_call(self, turn, call, result):
        self.seen.append(f"after_tool_call {call.tool} {result.success}")
        result.data["units"].append(99)
        turn.data["calls"] = turn.data.get("calls", 0) + 1

    async def turn_end(self, turn, response):
        self.seen.append(f"turn_end {response.success} {turn.data.get('calls')}")

    async def aclose(self):
        self.closed = True


class Broken(Plugin):
    """Fails at every point, one way or another."""

    name: ClassVar[str] = "broken"

    async def before_route(self, turn, question):
        raise RuntimeError("before_route")

    async def after_route(self, turn, route):
        raise asyncio.CancelledError

    async def before_model_call(self, turn, request):
        raise KeyError("x")

    async def after_model_call(self, turn, reply):
        if not turn.data.setdefault("hung", False):
            turn.data["hung"] = True
            await asyncio.Event().wait()

    async def before_tool_call(self, turn, call):
        raise TimeoutError

    async def after_tool_call(self, turn, call, result):
        turn.plugin_context.tool_results.clear()
        raise ValueError

    async def turn_end(self, turn, response):
        raise ExceptionGroup("several", [ValueError()])


def router() -> ModelRouter:
    domains = [
        Domain(destination="erp_agent", name="erp", about="stock"),
        Domain(destination="general_agent", name="general", about="the rest"),
    ]
    return ModelRouter(domains, farewell="No.")


ROUTED = '{"destination": "erp_agent", "reasoning": "stock", "secondary_domains": []}'


async def test_every_hook_is_called_in_the_order_of_the_turn_and_changes_nothing():
    watcher = Watcher()
    model = ScriptedModel([ROUTED, call("stock", item="nuts"), "Five."])
    agent = Agent(model, [stock], router=router(), plugins=[watcher])
    stream = agent.stream("How many?")
    events = [event async for event in stream]
    assert watcher.seen == [
        "before_route How many?",
        "before_model_call route",
        "after_model_call",
        "after_route erp_agent",
        "before_model_call decide",
        "after_model_call",
        "before_tool_call stock",
        "after_tool_call stock True",
        "before_model_call decide",
        "after_model_call",
        "turn_end True 1",
    ]
    (called,) = [event.call for event in events if isinstance(event, e.ToolCalled)]
    (returned,) = [event.result for event in events if isinstance(event, e.ToolReturned)]
    assert (called.args, returned.data) == ({"item": "nuts"}, {"units": [5]})
    context = stream.plugin_context
    assert context.active_plugins == ("watcher",)
    assert list(context.tool_results) == [called.id]
    assert context.hook_data == {"watcher": {"calls": 1}}
    await agent.aclose()
    assert watcher.closed


async def test_the_state_of_a_turn_has_the_names_of_the_contract():
    agent = Agent(ScriptedModel([ROUTED, call("stock"), "Five."]), [stock], router=router(), plugins=[Watcher()])
    stream = agent.stream("How many?", session_id="s1")
    await stream.drain()
    state = stream.state()
    assert (state.session_id, state.current_agent, state.tool_calls, state.confidence) == ("s1", "erp_agent", 1, 1.0)
    assert state.context == {"primary_domain": "erp", "secondary_domains": [], "router_reasoning": "stock"}
    assert list(state.plugin_context["active_plugins"]) == ["watcher"]
    assert [step.type for step in state.reasoning_trace] == ["think", "think", "act", "observe", "think", "answer"]
    assert [message["content"] for message in state.messages] == ["How many?", "Five."]
    assert state.warning is None


async def test_hooks_that_fail_in_any_way_are_logged_and_the_turn_is_the_same(caplog):
    async def play(*plugins: Plugin):
        model = ScriptedModel([ROUTED, call("stock"), "Five."])
        agent = Agent(model, [stock], router=router(), plugins=plugins, ids=lambda: "t1", clock=lambda: 1.0)
        events = [event async for event in agent.stream("How many?") if isinstance(event, e.Event)]
        return [type(event) for event in events], events[-1].status

    alone = await play()
    watcher = Watcher()
    with caplog.at_level(logging.WARNING, "glassloop.plugins"):
        assert await play(Broken(), watcher) == alone
    assert alone[1] == "completed"
    assert {point for point in HOOK_POINTS if f"the hook {point} of plugin 'broken' was skipped" in caplog.text} == set(
        HOOK_POINTS
    )
    assert watcher.seen[-1] == "turn_end True 1"


async def test_a_turn_that_waits_has_not_ended_and_goes_on_with_the_results_of_its_log():
    watcher = Watcher()
    model = ScriptedModel([call("stock"), call("order"), "Done."])
    agent = Agent(model, [stock, order], plugins=[watcher])
    stream = agent.stream("Order some")
    asked = [event async for event in stream if isinstance(event, e.ApprovalRequested)]
    assert stream.paused
    assert not any(line.startswith("turn_end") for line in watcher.seen)
    assert "before_tool_call order" not in watcher.seen
    consent = Approval(call_id=asked[0].call.id, digest=asked[0].digest, approved=True)
    resumed = agent.resume(stream.events, [consent])
    assert len(resumed.plugin_context.tool_results) == 1
    await resumed.drain()
    assert watcher.seen[-1].startswith("turn_end True")
    assert len(resumed.plugin_context.tool_results) == 2


async def test_a_cancelled_turn_ends_for_plugins_too():
    watcher = Watcher()

    class Cancels(Plugin):
        name: ClassVar[str] = "cancels"

        async def before_tool_call(self, turn, call):
            stream.cancel()

    agent = Agent(ScriptedModel([call("stock"), "Five."]), [stock], plugins=[watcher, Cancels()])
    stream = agent.stream("How many?")
    events = [event async for event in stream]
    assert events[-1].status == "cancelled"
    assert watcher.seen[-1].startswith("turn_end False")


async def test_a_plugin_adds_a_domain_to_the_router_of_its_assistant(tmp_path, monkeypatch):
    (tmp_path / "moon_plugin.py").write_text(
        "from glassloop import Plugin\nfrom glassloop.core.planning.router import Domain\n"
        "class Moon(Plugin):\n    name = 'moon'\n"
        "    domains = (Domain(destination='moon_agent', name='moon', about='the moon', words=('crater',)),)\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    home = tmp_path / "home"
    clerk = home / "assistants" / "clerk"
    clerk.mkdir(parents=True)
    profile = 'name = "clerk"\nprompt = "You are a clerk."\nplugins = ["moon_plugin:Moon"]\n'
    domain = '[[routing.domains]]\ndestination = "general_agent"\nname = "general"\nabout = "the rest"\n'
    (clerk / "assistant.toml").write_text(profile + domain, "utf-8")
    agent = build_agent("clerk", Settings(home=str(home)), "reflex")
    events = [event async for event in agent.stream("How wide is that crater?")]
    (route,) = [event.route for event in events if isinstance(event, e.RouteDecided)]
    assert route.destination == "moon_agent"
    assert "crater" in route.reasoning


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("Odd = 5", "not a plugin"),
        ("class Odd(Plugin):\n    name = ''", "the name ''"),
        ("class Odd(Plugin):\n    name = 'odd'\n    def turn_end(self, turn, response): ...", "must be an `async def`"),
        ("class Odd(Plugin):\n    name = 'odd'\n    def tools(self, home, offered): raise OSError('gone')", "gone"),
        ("class Odd(Plugin):\n    name = 'odd'\n    def __init__(self): raise OSError('gone')", "gone"),
        ("raise OSError('gone')", "cannot be loaded"),
    ],
)
def test_a_profile_that_names_what_is_no_plugin_is_refused(tmp_path, monkeypatch, code, reason):
    module = f"odd_plugin_{abs(hash(code))}"
    (tmp_path / f"{module}.py").write_text(f"from glassloop import Plugin\n{code}\n", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "assistant.toml").write_text(f'name = "odd"\nprompt = "x"\nplugins = ["{module}:Odd"]\n', "utf-8")
    with pytest.raises(UsageError, match=reason):
        load_parts(read_assistant(tmp_path), Settings(home=str(tmp_path)))


def install(folder: Path, monkeypatch, entries: dict[str, str]) -> None:
    """As an installer leaves it: the code, and what says which entry points it has."""
    info = folder / "made_up_plugins-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: made-up-plugins\nVersion: 1.0\n", "utf-8")
    lines = "".join(f"{name} = {value}\n" for name, value in entries.items())
    (info / "entry_points.txt").write_text(f"[glassloop.extensions]\n{lines}", "utf-8")
    monkeypatch.syspath_prepend(str(folder))
    installed_extensions.cache_clear()


@pytest.fixture(autouse=True)
def installed_anew():
    yield
    installed_extensions.cache_clear()


async def test_the_example_is_found_by_its_entry_point_and_works(tmp_path, monkeypatch, caplog):
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text("utf-8"))["project"]
    install(tmp_path / "site", monkeypatch, project["entry-points"]["glassloop.extensions"])
    monkeypatch.syspath_prepend(str(EXAMPLE))
    agent = build_agent("business", Settings(home=str(tmp_path / "home")), "reflex")
    stream = agent.stream("Show the night shift plan on 2026-03-31")
    events = [event async for event in stream]
    (called,) = [event.call for event in events if isinstance(event, e.ToolCalled)]
    assert (called.tool, called.args) == ("get_shift_plan", {"day": "2026-03-31", "shift": "night"})
    (result,) = [event.result for event in events if isinstance(event, e.ToolReturned)]
    assert [row["shift"] for row in result.data["rows"]] == ["night"]
    assert stream.plugin_context.hook_data["shift_plan"]["calls"] == ["get_shift_plan: ok"]
    assert "shift_plan" in stream.plugin_context.active_plugins
    await agent.aclose()
    general = build_agent("general", Settings(home=str(tmp_path / "home")), "reflex")
    assert "get_shift_plan" not in general.tools.specs
    await general.aclose()


async def test_the_example_warns_of_a_turn_with_many_calls(monkeypatch, caplog):
    monkeypatch.syspath_prepend(str(EXAMPLE))
    from shift_plan import ShiftPlan, get_shift_plan

    script = [call("get_shift_plan", day=f"2026-03-{day:02d}") for day in range(1, 7)]
    agent = Agent(ScriptedModel([*script, "Done."]), [get_shift_plan], plugins=[ShiftPlan()], max_iterations=9)
    with caplog.at_level(logging.WARNING, "shift_plan"):
        await agent.run("All of the week?")
    assert "took 6 tool calls" in caplog.text


def test_a_package_that_cannot_be_used_is_left_out_with_a_warning(tmp_path, monkeypatch, caplog):
    site = tmp_path / "site"
    site.mkdir()
    (site / "good_plugin.py").write_text(
        "from glassloop import Extension, Plugin\n"
        "class Good(Plugin):\n    name = 'good'\n"
        "class GoodExtension(Extension):\n    name = 'good'\n    def plugins(self): return [Good]\n",
        "utf-8",
    )
    (site / "greedy_plugin.py").write_text(
        "from glassloop import Extension, Plugin, tool\n"
        "@tool(effect='read')\ndef fine() -> int:\n    'Fine.'\n    return 1\n"
        "@tool(effect='read')\ndef calculate() -> int:\n    'Taken.'\n    return 1\n"
        "class Greedy(Plugin):\n    name = 'greedy'\n    def tools(self, home, offered): return [fine, calculate]\n"
        "class GreedyExtension(Extension):\n    name = 'greedy'\n    def plugins(self): return [Greedy]\n"
        "class Ours(Extension):\n    name = 'business'\n",
        "utf-8",
    )
    entries = {
        "a": "greedy_plugin:GreedyExtension",
        "b": "nowhere:Nothing",
        "c": "good_plugin:GoodExtension",
        "d": "good_plugin:GoodExtension",
        "e": "good_plugin:Good",
        "f": "greedy_plugin:Ours",
    }
    install(site, monkeypatch, entries)
    from glassloop.runtime.assistants.assistant_files import find_assistant

    general = find_assistant("general", Settings(home=str(tmp_path / "home")), tmp_path)
    with caplog.at_level(logging.WARNING, "glassloop"):
        installed_extensions.cache_clear()
        parts = load_parts(general, Settings(home=str(tmp_path)))
    assert [plugin.name for plugin in parts.plugins] == ["good"]
    assert "fine" not in parts.tools
    assert [problem.name for problem in installed_extensions().problems] == ["b", "d", "e", "f"]
    assert all(str(problem) in caplog.text for problem in installed_extensions().problems)
    assert "a plugin of the extension 'greedy' was left out" in caplog.text


def test_the_docs_name_every_hook_and_part():
    text = (Path(__file__).parents[2] / "docs" / "plugins.md").read_text("utf-8")
    for name in (*HOOK_POINTS, "active_plugins", "tool_results", "hook_data", "glassloop.extensions"):
        assert f"`{name}" in text, name


class _OwnData(Plugin):
    name = "own_data"

    async def prompt_facts(self, user):
        if user == "eve":
            raise OSError("gone")
        return {"places.data": f"the data of {user}"}


async def test_a_plugin_tells_the_facts_of_its_own_data(tmp_path, put_store, caplog):
    put_store(tmp_path / "glassloop.db")
    model = ScriptedModel(["Yes."] * 2)

    def make(_wanted):
        return Agent(model, prompt="Look.\nThe data: {places.data}", name="general", plugins=[_OwnData()])

    async with await open_runtime(Settings(home=str(tmp_path)), make=make) as runtime:
        await runtime.ask("Where?", user="ann")
        assert "\nThe data: the data of ann" in model.requests[-1].system
        await runtime.ask("Where?", user="eve")
        assert "\nThe data: There is no data of places yet" in model.requests[-1].system
    assert "own_data could not tell its facts" in caplog.text
