"""Suites to run on real runtimes, with models that say what they are told to."""

import pytest

from evals.shop import TOOLS, WANTED, head_of
from glassloop import Agent, ScriptedModel
from glassloop.evals.run_file import RunFile
from glassloop.evals.suite_run import SuiteRun, remaining_cases
from glassloop.evals.target import defaults_of
from glassloop.memory.conversation import ConversationMemory
from glassloop.runtime.build import open_runtime
from glassloop.runtime.conversations.archive import StoreArchive
from glassloop.runtime.settings import Settings


@pytest.fixture
async def opens(tmp_path):
    """Opens runtimes on one store; each takes a script, a model, or a function that makes the agent."""
    opened = []
    settings = Settings(home=str(tmp_path / "home"), session_rate=0, user_turns=0)
    settings.home_path.mkdir()

    async def open_with(script, tools=TOOLS, make=None):
        model = script if hasattr(script, "stream") else ScriptedModel(script)
        memory = []

        def made(wanted):
            return Agent(model, tools, name=wanted.assistant, memory=memory[0])

        runtime = await open_runtime(settings, make=make or made, recovers_turns=False)
        memory.append(ConversationMemory(archive=StoreArchive(runtime.store)))
        opened.append(runtime)
        return runtime

    yield open_with
    for runtime in opened:
        await runtime.aclose(1.0)


@pytest.fixture
def asks(opens, tmp_path):
    """Runs a suite to its end; its results in the order of the cases."""

    async def ask(suite, script, *, repeat=1, concurrency=1, path=None, resume=False, tools=TOOLS):
        runtime = ask.runtime = await opens(script, tools)
        file = RunFile.open(path or tmp_path / "run.jsonl", head_of(suite), resume=resume)
        defaults = defaults_of({each.name: each.spec for each in tools})
        try:
            run = SuiteRun(runtime, suite, WANTED, file, defaults, lambda _result: None)
            await run.ask_all(remaining_cases(suite.cases, repeat, file), concurrency)
        finally:
            file.close()
        return [file.results[case.id, number] for number in range(1, repeat + 1) for case in suite.cases]

    return ask
