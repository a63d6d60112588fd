"""A second identical read is served from the cache: within its time, its session and its bounds."""

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from glassloop.core.errors import ToolError
from glassloop.core.ports import CallContext
from glassloop.core.records import ToolCall, ToolResult
from glassloop.tools.execution.orchestrator import ToolOrchestrator
from glassloop.tools.execution.result_cache import ResultCache
from glassloop.tools.registry import ToolRegistry
from glassloop.tools.tool import tool


class World:
    """A shelf with tools around it that count how often they ran."""

    def __init__(self, **cache: Any) -> None:
        self.ran: list[Any] = []
        self.now = 0.0
        self.cache = ResultCache(**cache)

        @tool(effect="read", cache_ttl_s=300)
        async def look(key: Any = None, other: Any = None) -> dict[str, Any]:
            """Look."""
            self.ran.append(key)
            return {"key": key, "count": len(self.ran)}

        @tool(effect="read", volatile=True)
        async def clock(key: Any = None) -> int:
            """Tell the time."""
            self.ran.append(key)
            return len(self.ran)

        @tool(effect="read")
        async def broken(key: Any = None) -> int:
            """Fail."""
            self.ran.append(key)
            raise ToolError("no")

        @tool(effect="write")
        async def put(key: Any = None) -> str:
            """Put."""
            if key == "fail":
                raise ToolError("no")
            return "put"

        self.orchestrator = ToolOrchestrator(
            ToolRegistry([look, clock, broken, put]), cache=self.cache, clock=lambda: self.now
        )

    async def call(self, name: str, args: Any, user: str = "ada", session: str = "s1") -> ToolResult:
        context = CallContext(turn_id="t", session_id=session, user=user, call_id="c")
        return await self.orchestrator.execute_tool(ToolCall(id="c", tool=name, args=args), context)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def reordered(value: Any) -> Any:
    """The same value with the keys of its objects in another order: backwards by name."""
    if isinstance(value, dict):
        return {key: reordered(item) for key, item in sorted(value.items(), reverse=True)}
    return [reordered(item) for item in value] if isinstance(value, list) else value


@pytest.mark.property(20)
@given(json_values, json_values, st.floats(0, 299))
async def test_the_cache_prevents_the_second_execution_of_an_identical_read(key, other, later):
    world = World()
    args = {"key": key, "other": other}
    first = await world.call("look", args)
    world.now += later
    second = await world.call("look", reordered(args))
    assert len(world.ran) == 1
    assert (first.cached, second.cached) == (False, True)
    assert (second.output, second.data, second.success) == (first.output, first.data, True)


async def test_a_result_is_used_no_longer_than_its_time():
    world = World()
    await world.call("look", {})
    world.now = 299.9
    assert (await world.call("look", {})).cached
    world.now = 300.0
    assert not (await world.call("look", {})).cached
    assert len(world.ran) == 2


@given(json_values, json_values)
async def test_different_arguments_are_different_calls(one, other):
    world = World()
    await world.call("look", {"key": one})
    assert (await world.call("look", {"key": other})).cached == (repr(reordered(one)) == repr(reordered(other)))


@given(
    st.lists(
        st.tuples(st.sampled_from(["ada", "bo"]), st.sampled_from(["s1", "s2"]), st.sampled_from(["look", "put"])),
        max_size=12,
    )
)
async def test_no_one_is_served_what_another_user_or_session_read_and_effects_empty_only_their_own(calls):
    world = World()
    known: set[tuple[str, str]] = set()
    for user, session, name in calls:
        result = await world.call(name, {}, user, session)
        if name == "put":
            known.discard((user, session))
        else:
            assert result.cached == ((user, session) in known)
            known.add((user, session))


@pytest.mark.parametrize("args", [{}, {"key": "fail"}])
async def test_an_effect_empties_the_session_even_when_it_fails(args):
    world = World()
    await world.call("look", {})
    await world.call("put", args)
    assert not (await world.call("look", {})).cached


async def test_volatile_tools_and_failures_are_not_remembered():
    world = World()
    for name in ("clock", "broken"):
        world.ran.clear()
        results = [await world.call(name, {}) for _ in range(2)]
        assert (len(world.ran), [result.cached for result in results]) == (2, [False, False])
    assert len(world.cache) == 0


async def test_a_caller_cannot_change_what_the_next_one_gets():
    world = World()
    (await world.call("look", {})).data["key"] = "changed"
    (await world.call("look", {})).data["key"] = "changed"
    assert (await world.call("look", {})).data == {"key": None, "count": 1}


async def test_arguments_that_have_no_canonical_form_are_not_cached():
    world = World()
    assert (await world.call("look", {"key": "\ud800"})).success
    assert not (await world.call("look", {"key": "\ud800"})).cached


async def test_a_cache_of_no_entries_remembers_nothing():
    world = World(entries=0)
    await world.call("look", {})
    assert not (await world.call("look", {})).cached


async def test_the_least_recently_used_entry_goes_first():
    world = World(entries=2)
    for key in ("a", "b", "a", "c"):
        await world.call("look", {"key": key})
    assert (await world.call("look", {"key": "a"})).cached
    assert not (await world.call("look", {"key": "b"})).cached


async def test_bytes_are_bounded_and_what_is_too_large_is_not_kept():
    world = World(max_bytes=2_000)
    await world.call("look", {"key": "x" * 3_000})
    assert len(world.cache) == 0
    for number in range(50):
        await world.call("look", {"key": str(number)})
        assert 0 < world.cache.size <= 2_000


def gate() -> tuple[Any, asyncio.Event, asyncio.Event, list[int]]:
    """A read that says when it started and waits to be let go."""
    started, go, ran = asyncio.Event(), asyncio.Event(), []

    @tool(effect="read")
    async def slow() -> int:
        """Read slowly."""
        ran.append(1)
        started.set()
        await go.wait()
        return len(ran)

    return slow, started, go, ran


@tool
async def poke() -> str:
    """Change something."""
    return "changed"


async def test_a_read_that_an_effect_overtook_is_not_remembered(bench):
    slow, started, go, _ = gate()
    made = bench(slow, poke)
    reading = asyncio.create_task(made.call("slow", {}))
    await asyncio.wait_for(started.wait(), 60)
    await made.call("poke", {})
    go.set()
    assert not (await asyncio.wait_for(reading, 60)).cached
    assert not (await made.call("slow", {})).cached
    assert (await made.call("slow", {})).cached


async def test_cancelling_one_of_two_identical_calls_leaves_the_other_alone(bench):
    slow, started, go, _ = gate()
    made = bench(slow)
    one, two = (asyncio.create_task(made.call("slow", {})) for _ in range(2))
    await asyncio.wait_for(started.wait(), 60)
    one.cancel()
    with pytest.raises(asyncio.CancelledError):
        await one
    go.set()
    assert (await asyncio.wait_for(two, 60)).success
    assert (await made.call("slow", {})).cached


class Bookkeeping(RuleBasedStateMachine):
    """Whatever happens to a cache, its sums are right and nothing is left behind."""

    def __init__(self) -> None:
        super().__init__()
        self.cache = ResultCache(entries=3, max_bytes=400)
        self.open: list[Any] = []
        self.now = 0.0

    owners = st.tuples(st.sampled_from("ab"), st.sampled_from("xy"))
    keys = st.tuples(owners, st.just("tool"), st.sampled_from([b"1", b"22", b"333"]))

    @rule(owner=owners)
    def begin(self, owner):
        self.open.append((owner, self.cache.begin(owner)))

    @rule(key=keys, size=st.integers(0, 500), ttl=st.integers(0, 9), keep=st.booleans())
    def put(self, key, size, ttl, keep):
        reading = self.cache.begin(key[0])
        if keep:
            self.cache.put(key, ToolResult(success=True, output="x" * size), self.now + ttl, reading)
        self.cache.end(key[0], reading)

    @rule()
    def end(self):
        if self.open:
            self.cache.end(*self.open.pop())

    @rule(owner=owners)
    def forget(self, owner):
        self.cache.forget(owner)
        assert all(self.cache.get((owner, "tool", args), 0.0) is None for args in (b"1", b"22", b"333"))

    @rule(key=keys, wait=st.integers(0, 5))
    def get(self, key, wait):
        self.now += wait
        self.cache.get(key, self.now)

    @invariant()
    def sums_are_right(self):
        assert len(self.cache) <= 3
        assert self.cache.size <= 400
        assert (self.cache.size == 0) == (len(self.cache) == 0)
        assert self.cache.sessions <= len(self.cache) + len(self.open)


TestBookkeeping = Bookkeeping.TestCase
TestBookkeeping.settings = settings(stateful_step_count=20)
