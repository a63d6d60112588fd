"""A stage for talks with the product's own assistants: the real runtime, the real tools, and a model that says what a
talk has written. Every request is the engine's own.

`python -m training.data.assistants.stage business --seed 3 --talks 40` prints what was played, to be read.
"""

import argparse
import asyncio
import os
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Generator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from datetime import date, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TextIO

import msgspec

from glassloop.core import events as e
from glassloop.core.messages import ModelRequest
from glassloop.core.records import ToolResult
from glassloop.evals.suite_files import toml
from glassloop.extensions.embedded.engine import ChatMessage
from glassloop.extensions.embedded.model import chat
from glassloop.models.scripted_model import ScriptedModel
from glassloop.projections.pending_approvals import pending
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.assistants.result import Approval
from glassloop.runtime.build import open_runtime
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.durable.submission import TurnOptions
from glassloop.runtime.extensions import Extension
from glassloop.runtime.ids import new_id
from glassloop.runtime.providers import Provider
from glassloop.runtime.settings import load_settings
from glassloop.store.records import EVAL_USER
from training.data.assistants.data_sets import FOLDERS, Drawn, write_places
from training.data.assistants.talk import Ask, Dropped, MakeTalk, Seen, Step, Talk
from training.data.assistants.wording import worded
from training.data.conversation import Answer, Call, Language
from training.data.forbidden import is_too_near
from training.data.needs import Said, needs
from training.data.plans import MAX_THOUGHT
from training.data.requests import SMALL, Example, write_decision
from training.data.values import Rng

NAMES: Final = ("business", "code", "places", "raids")
LANGUAGES: Final[dict[Language, int]] = {"en": 64, "de": 16, "zh": 20}
KEPT: Final = frozenset({"schedule_meeting", "todo"})
"""Tools whose effects outlast a talk."""
CONVERSATIONS: Final = 9
"""In one workspace."""
_STEPS_LEFT: Final = re.compile(r"\n\n\d+ steps? left\.$")
NOTHING: Final = "nothing to talk about"


class _Said(Extension):
    """The provider `said`: the stage's model."""

    name = "said"

    def __init__(self, model: ScriptedModel) -> None:
        self._model = model

    def providers(self) -> dict[str, Provider]:
        made = Provider(
            make=lambda _name, _options: self._model, configured=lambda _: True, note="a talk", needs_model=False
        )
        return {"said": made}


class Stage:
    """One assistant, open. `play` runs a talk in a session of its own."""

    def __init__(self, assistant: str, rng: Rng, print_to: TextIO | None = None) -> None:
        self.assistant, self.rng, self._print = assistant, rng, print_to
        self.model = ScriptedModel(self._decide, name="embedded", abilities=SMALL, chunk=100_000)
        self.runtime: Runtime | None = None
        self._folder = ""
        self._talk: Talk = iter(())  # type: ignore[assignment]
        self._next: Step | None = None
        self._route = ""
        self._examples: list[Example] = []
        self._problem = ""
        self._last_call: Call | None = None
        self._result: ToolResult | None = None
        self._kind = ""
        self._question = ""
        self._plans: list[list[Call]] = []
        self._is_planned = self._is_first = self._is_lost = False
        self._turn_number = 0
        self._moment = Drawn.noon()
        self._language: Language = "en"
        self.dropped: Counter[str] = Counter()

    @asynccontextmanager
    async def opened(self, home: Path) -> AsyncGenerator["Stage"]:
        folder = home / "assistants" / self.assistant
        folder.mkdir(parents=True, exist_ok=True)
        lines = {"name": self.assistant, **FOLDERS[self.assistant]}
        (folder / "assistant.toml").write_text("".join(f"{key} = {toml(value)}\n" for key, value in lines.items()))
        self._folder = str(folder)
        if self.assistant == "places":
            await asyncio.to_thread(write_places, home)
        environ = {"GLASSLOOP_HOME": str(home), "GLASSLOOP_EMBEDDER": "none", "PATH": "/usr/bin:/bin"}
        settings = load_settings(environ, home, [_Said(self.model)])
        async with AsyncExitStack() as stack:
            self.runtime = await open_runtime(settings, clock=Drawn.noon, observers=[self])
            stack.push_async_callback(self.runtime.aclose)
            self._tell_time(self.runtime.agents)
            yield self

    def _tell_time(self, agents: Any) -> None:
        """Agents are made with the clock of the machine; here the same seed makes the same bytes."""
        make = agents._make

        def made(wanted: AgentKey) -> Any:
            agent = make(wanted)
            agent._ports = msgspec.structs.replace(agent._ports, clock=lambda: self._moment)
            agent._ports_alone = msgspec.structs.replace(agent._ports_alone, clock=lambda: self._moment)
            return agent

        agents._make = made

    def begin(self, events: Sequence[e.Durable], tools: Collection[str]) -> None:
        """A turn begins: as an observer of the runtime."""

    def see(self, event: e.AnyEvent) -> None:
        if isinstance(event, e.ToolReturned):
            self._result = event.result

    def end(self, turn_id: str) -> None:
        """It is over."""

    async def play(self, make: MakeTalk, workspace: Callable[[], Path | None] = lambda: None) -> list[Example]:
        """The requests of one talk with their decisions. Raises `Dropped`.

        It is played twice, the second time with the plans that the first has shown, unless it changes something.
        """
        state = self.rng.getstate()
        self._plans, print_to, self._print = [], self._print, None
        try:
            examples = await self._played(make, workspace())
            if any(call.tool in KEPT for plan in self._plans for call in plan):
                return examples
            self.rng.setstate(state)
            self._is_planned, self._print = True, print_to
            return await self._played(make, workspace())
        finally:
            self._is_planned, self._print = False, print_to

    async def _played(self, make: MakeTalk, workspace: Path | None) -> list[Example]:
        language = self.rng.choices(list(LANGUAGES), list(LANGUAGES.values()))[0]
        talk, self._language = make(self.rng, language), language
        session, self._talk, self._examples, self._problem = new_id(), talk, [], ""
        self._moment = Drawn.noon() + 60 * self.rng.randrange(-300, 360)
        self._kind, self._last_call, self._result = f"own {self.assistant}", None, None
        self._next = next(talk, None)
        self._turn_number = -1
        if self._next is None:
            raise Dropped(NOTHING)
        while isinstance(asked := self._next, Ask):
            if is_too_near(asked.question):
                raise Dropped(f"too near to a suite's question: {asked.question}")
            self._tell(f"\nQ  {asked.question}")
            self._route, self._question, self._next = asked.route, asked.question, next(talk, None)
            self._turn_number += 1
            self._is_first, self._is_lost = True, False
            if not self._is_planned:
                self._plans.append([])
            events = await self._turn(asked.question, session, workspace)
            self._check(events)
        if self._next is not None:
            raise Dropped(f"a step outside of a question: {self._next}")
        return [one for one in self._examples if one.learned]

    def _check(self, events: Sequence[e.Durable]) -> None:
        refused = [
            one.decision.complaint
            for one in events
            if isinstance(one, e.ModelResponded) and one.decision is not None and one.decision.complaint
        ]
        if self._problem or refused:
            raise Dropped(f"sent back: {refused[0]}" if refused else self._problem)
        ended = [one.status for one in events if isinstance(one, e.TurnFinished)]
        if ended != ["completed"]:
            raise Dropped(f"the turn ended as {ended}")

    def _decide(self, request: ModelRequest) -> str:
        if request.purpose != "decide":
            if not self._route:
                self._problem = self._problem or f"asked for {request.purpose!r}: say `route` in Ask"
                return '{"destination":"general_agent","secondary_domains":[]}'
            written = msgspec.json.encode({"destination": self._route, "secondary_domains": []}).decode()
            self._examples.append(Example(chat(request.system, list(request.messages)), written, "own route"))
            return written
        messages = chat(request.system, list(request.messages))
        step = self._next
        if self._last_call is not None:
            step = self._resumed(messages[-1]["content"])
        if not isinstance(step, Call | Answer):
            self._problem = self._problem or f"a decision is asked for, and the talk has {step}"
            return write_decision(Answer("", "…"))
        if isinstance(step, Call):
            step = self._with_plan(step, messages)
        elif self.assistant != "code":
            step = msgspec.structs.replace(step, text=worded(step.text, self._language))
        if len(step.thought) > MAX_THOUGHT:
            self._problem = self._problem or f"the thought is longer than {MAX_THOUGHT}: {step.thought}"
        written = write_decision(step)
        learned = isinstance(step, Answer) or step.learned
        self._examples.append(Example(messages, written, self._kind, learned=learned))
        self._tell(f"{'>>' if learned else '!!'} {written}")
        if isinstance(step, Call):
            self._last_call = step
        else:
            self._advance(None)
        return written

    def _with_plan(self, step: Call, messages: Sequence[ChatMessage]) -> Call:
        """The first call of a turn with the plan that the first time has shown, as `needs.with_needs` does it."""
        is_first, self._is_first = self._is_first, False
        if not self._is_planned:
            if (step.learned or is_first) and not self._is_lost:
                self._plans[-1].append(step)
                self._is_lost = not step.learned
            return step
        if not is_first:
            return step
        before = "\n".join(each["content"] for each in messages if each["role"] != "system")
        said = Said(self._question, before, Drawn.day)
        thought = needs(self._plans[self._turn_number], said, {})
        return msgspec.structs.replace(step, thought=thought) if len(thought) <= MAX_THOUGHT else step

    def _resumed(self, shown: str) -> Step | None:
        """The talk's next step, told what the last call returned."""
        last, self._last_call = self._last_call, None
        result, self._result = self._result, None
        if result is None:
            self._problem = self._problem or "a call has returned nothing"
            return None
        text = _STEPS_LEFT.sub("", shown.partition("): ")[2] if shown.startswith("Observation") else shown)
        if not self._is_planned and self._plans[-1] and self._plans[-1][-1] is last:
            self._plans[-1][-1] = msgspec.structs.replace(last, observation=text)
        self._is_lost = self._is_lost or not result.success
        self._tell(f"== {text}")
        self._advance(Seen(text, result.data if result.data is not None else result.output, not result.success))
        return self._next

    def _advance(self, seen: Seen | None) -> None:
        try:
            self._next = self._talk.send(seen)
        except StopIteration:
            self._next = None
        except Exception as error:
            self._problem, self._next = self._problem or f"the talk failed: {error!r}", None

    async def _turn(self, question: str, session: str, workspace: Path | None) -> list[e.Durable]:
        assert self.runtime is not None
        options = TurnOptions(workspace=None if workspace is None else str(workspace), today=Drawn.day)
        submitted = await self.runtime.submit(
            question, session_id=session, user=EVAL_USER, wanted=AgentKey(self._folder, "said"), channel="cli",
            ask_user=False, options=options,
        )  # fmt: skip
        events: list[e.Durable] = []
        for _ in range(20):
            watched = self.runtime.watch(submitted.turn_id, after=events[-1].seq if events else 0)
            events += [event async for event in watched if not isinstance(event, e.Transient)]
            waiting = pending(events)
            if not waiting:
                break
            approvals = [
                Approval(call_id=one.call.id, digest=one.digest, approved=True, by=EVAL_USER) for one in waiting
            ]
            await self.runtime.approve(submitted.turn_id, approvals)
        return events

    @contextmanager
    def workspace(self, module: Any) -> Generator[Callable[[], Path | None]]:
        """For an assistant that works in a folder: gives one for some talks, each time as it was made."""
        if self.assistant != "code" or self.runtime is None or self.runtime.workspaces is None:
            yield lambda: None
            return
        with tempfile.TemporaryDirectory(prefix="talks-", ignore_cleanup_errors=True) as above:
            folder: Path = module.make_workspace(self.rng, Path(os.path.realpath(above)))
            made = shutil.copytree(folder, Path(above) / "as made")

            def restored() -> Path:
                shutil.rmtree(folder)
                return shutil.copytree(made, folder)

            with self.runtime.workspaces.roots.allowing(folder):
                yield restored

    def drop(self, talk: str, why: str) -> None:
        if why != NOTHING:
            self.dropped[f"{talk}: {why}"[:300]] += 1
            self._tell(f"-- DROPPED {talk}: {why}")

    def _tell(self, text: str) -> None:
        if self._print is not None:
            print(text[:2_400], file=self._print)


def draw(seed: int) -> Rng:
    """The source of chance for a data set of that seed, whose day is set."""
    rng = Rng(seed)
    Drawn.seed = seed
    Drawn.day = date(2026, 1, 5) + timedelta(days=rng.randrange(1_400))
    rng.today = Drawn.day
    return rng


def talks_of(assistant: str) -> Any:
    """The module with `TALKS`, functions with their weights; for `code` also with `make_workspace(rng, above)`."""
    return import_module(f"training.data.assistants.{assistant}.talks")


async def play_assistant(
    assistant: str, seed: int, count: int, home: Path, print_to: TextIO | None = None
) -> AsyncIterator[list[Example]]:
    """The requests of so many talks, those of one after the other; of some that are dropped none."""
    rng, module = draw(seed), talks_of(assistant)
    makes, weights = list(module.TALKS), list(module.TALKS.values())
    own = home / f"{assistant}-{seed}"
    own.mkdir(parents=True, exist_ok=True, mode=0o700)
    async with Stage(assistant, rng, print_to).opened(own) as stage:
        for start in range(0, count, CONVERSATIONS):
            with stage.workspace(module) as workspace:
                for _ in range(min(CONVERSATIONS, count - start)):
                    make = rng.choices(makes, weights)[0]
                    try:
                        yield await stage.play(make, workspace)
                    except Dropped as why:
                        stage.drop(make.__name__, str(why))
        for why, times in stage.dropped.most_common(40):
            print(f"dropped {times}x {why}", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("assistant", choices=NAMES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--talks", type=int, default=30)
    parser.add_argument("--home", type=Path, help="where data sets are kept between runs")
    parser.add_argument("--quiet", action="store_true")
    given = parser.parse_args()

    async def run() -> None:
        began, played = time.monotonic(), 0
        home = given.home or Path(tempfile.mkdtemp(prefix="stage-"))
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        to = None if given.quiet else sys.stdout
        async for requests in play_assistant(given.assistant, given.seed, given.talks, home, to):
            played += len(requests)
        print(f"{played} requests in {time.monotonic() - began:.0f} s", file=sys.stderr)

    asyncio.run(run())


if __name__ == "__main__":
    main()
