"""Orchestrator: runs calls for the loop, as its `ToolExecutor` port.

Owns what surrounds an attempt: looking the tool up, caching reads, retrying passing failures. The loop's
`tool_schedule` decides the order of calls, its policy who may run what. Only reads are cached, and only reads and what
is idempotent are repeated: any other effect happens at most once per call.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from time import perf_counter

import msgspec

from glassloop.core.call_terms import CallTerms
from glassloop.core.errors import BadArguments
from glassloop.core.labels import OWN
from glassloop.core.loop.tool_schedule import CallFinished, PendingCall, ScheduleHalted, Verdict, run_calls
from glassloop.core.messages import ToolSpec
from glassloop.core.planning.references import find_references, resolve_parameters
from glassloop.core.ports import CallContext, Clock, Progress
from glassloop.core.records import REDACTED, Json, PlanStep, ToolCall, ToolResult
from glassloop.tools.execution.attempt import attempt, describe, logger, show, terms_of
from glassloop.tools.execution.result_cache import ResultCache, canonical
from glassloop.tools.registry import ToolRegistry
from glassloop.tools.result import failure
from glassloop.tools.tool import Tool

BACKOFF_S = 0.1
BACKOFF_MAX_S = 2.0

Sleep = Callable[[float], Awaitable[object]]


class ToolOrchestrator:
    """`clock` measures durations and ages: any count of seconds that does not go back will do."""

    def __init__(
        self,
        registry: ToolRegistry,
        *,
        cache: ResultCache | None = None,
        clock: Clock = perf_counter,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._registry = registry
        self._tools = registry.tools
        self._cache = ResultCache() if cache is None else cache
        self._clock = clock
        self._sleep = sleep
        self.specs: Mapping[str, ToolSpec] = registry.specs

    @property
    def tools(self) -> Mapping[str, Tool]:
        return self._tools

    async def execute_tool(self, call: ToolCall, context: CallContext) -> ToolResult:
        """The call's result, whatever happens; only cancellation passes through."""
        try:
            tool = self._tools.get(call.tool)
            if tool is None:
                return failure(self._registry.unknown(call.tool), labels=OWN)
            if REDACTED in repr(call.args):
                return failure(_redacted(call.tool), cause="refused")
            if tool.cacheable:
                return await self._remember(tool, call, context)
            if tool.spec.effect == "read":
                return await self._persist(tool, call, context)
            try:
                if tool.spec.retries:
                    return await self._persist(tool, call, context)
                result, _ = await attempt(tool, call.args, context, self._clock)
            finally:
                # Also when it failed or was cut short: it may have changed something all the same.
                self._cache.forget((context.user, context.session_id))
        except Exception as error:
            logger.exception("call of %r failed outside the tool", call.tool)
            return failure(describe(error))
        return result

    def with_tools(self, more: Iterable[Tool]) -> "ToolOrchestrator":
        """One that has these tools too, with the same cache. A name that is taken stays what it is."""
        tools = dict(self._tools)
        for tool in more:
            tools.setdefault(tool.name, tool)
        return ToolOrchestrator(ToolRegistry(tools.values()), cache=self._cache, clock=self._clock, sleep=self._sleep)

    def forget_reads(self, user: str, session_id: str) -> None:
        """Has what this session reads from now on read anew."""
        self._cache.forget((user, session_id))

    async def preview(self, call: ToolCall, context: CallContext) -> Json:
        """What the call would do; None where the tool has no preview. A failure becomes `{"error": reason}`."""
        tool = self._tools.get(call.tool)
        return {"error": self._registry.unknown(call.tool)} if tool is None else await show(tool, call.args, context)

    async def terms(self, call: ToolCall, context: CallContext) -> CallTerms:
        tool = self._tools.get(call.tool)
        return CallTerms() if tool is None else await terms_of(tool, call.args, context)

    def check(self, call: ToolCall) -> str | None:
        tool = self._tools.get(call.tool)
        if tool is None:
            return self._registry.unknown(call.tool)
        return _redacted(call.tool) if REDACTED in repr(call.args) else tool.validate_params(call.args)

    def resolve_parameters(self, args: dict[str, Json], results: Mapping[int, Json]) -> dict[str, Json]:
        """The arguments with references such as `${step1.result}` replaced; see `core.references`."""
        return resolve_parameters(args, results)

    async def execute_chain(self, steps: Sequence[PlanStep], context: CallContext) -> list[ToolResult]:
        """Runs the steps of a plan, with references to one another, and gives the results of those that ran, in order.

        A required step that fails stops the rest; an optional one does not. Who may run what is not asked here: the
        loop does that for its turns.
        """
        results: dict[int, ToolResult] = {}
        links = self._links(steps)
        numbers = {link.call.id: step.step_number for link, step in zip(links, steps, strict=True)}

        async def admit(link: PendingCall) -> Verdict:
            try:
                args = resolve_parameters(link.call.args, results)
            except BadArguments as error:
                return failure(str(error))
            return msgspec.structs.replace(link.call, args=args)

        async def execute(call: ToolCall, progress: Progress | None) -> ToolResult | None:
            # Not when it is told to start: one beside it may fail before it has run at all.
            begun.add(call.id)
            return await self.execute_tool(call, msgspec.structs.replace(context, call_id=call.id, progress=progress))

        begun: set[str] = set()
        async with aclosing(run_calls(links, admit, execute)) as updates:
            async for update in updates:
                if isinstance(update, CallFinished):
                    results[numbers[update.call.id]] = update.result
                elif isinstance(update, ScheduleHalted):
                    why = f"Cancelled: the required step {numbers[update.call.id]} failed."
                    results = {numbers[call_id]: failure(why) for call_id in begun} | results
        return [results[step.step_number] for step in steps if step.step_number in results]

    def _links(self, steps: Sequence[PlanStep]) -> list[PendingCall]:
        """The steps as calls; each needs those before it that its arguments name, and the one it depends on."""
        links, earlier = list[PendingCall](), set[int]()
        for step in steps:
            spec = self.specs.get(step.tool_name)
            needed = {*find_references(step.parameters), step.depends_on} & earlier
            earlier.add(step.step_number)
            links.append(
                PendingCall(
                    call=ToolCall(id=f"step_{step.step_number}", tool=step.tool_name, args=step.parameters),
                    effect=spec.effect if spec else "read",
                    required=step.required,
                    needs=frozenset(f"step_{number}" for number in needed),
                )
            )
        return links

    async def _remember(self, tool: Tool, call: ToolCall, context: CallContext) -> ToolResult:
        """A read, served from the cache when the same call was answered before."""
        args = canonical(call.args)
        if args is None:
            return await self._persist(tool, call, context)
        started = self._clock()
        owner = (context.user, context.session_id)
        # What dependencies tell may be another's in another turn.
        key = (owner, call.tool, args if context.deps is None else context.turn_id.encode() + args)
        if (known := self._cache.get(key, started)) is not None:
            return msgspec.structs.replace(known, cached=True, duration_ms=self._since(started))
        reading = self._cache.begin(owner)
        try:
            result = await self._persist(tool, call, context)
            if result.success:
                self._cache.put(key, result, started + tool.spec.cache_ttl_s, reading)
        finally:
            self._cache.end(owner, reading)
        return result

    async def _persist(self, tool: Tool, call: ToolCall, context: CallContext) -> ToolResult:
        """The result of a call that is tried again while its failure may pass, within the time of one call."""
        started, attempts = self._clock(), 1
        result, passing = await attempt(tool, call.args, context, self._clock)
        while passing and attempts <= tool.spec.retries:
            wait = min(BACKOFF_MAX_S, BACKOFF_S * 2 ** (attempts - 1))
            left = tool.spec.timeout_s - (self._clock() - started) - wait
            if left <= 0:
                break
            attempts += 1
            logger.warning("tool %s failed, trying again: %s", tool.name, result.error)
            if context.progress is not None:
                context.progress(f"attempt {attempts} of {tool.spec.retries + 1} in {wait:g} s: {result.error}", None)
            await self._sleep(wait)
            result, passing = await attempt(tool, call.args, context, self._clock, left)
        if attempts == 1:
            return result
        metadata = {**result.metadata, "attempts": attempts}
        return msgspec.structs.replace(result, metadata=metadata, duration_ms=self._since(started))

    def _since(self, started: float) -> float:
        return max(0.0, (self._clock() - started) * 1000.0)


def _redacted(tool: str) -> str:
    return (
        f"Not run: the arguments for {tool!r} hold {REDACTED!r}, which stands where a secret was left out of the log. "
        "Ask the person for the value, or get it again with a tool."
    )
