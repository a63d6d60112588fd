"""Exports AgentDojo's tasks as lists of calls with what its tools return, for `tests/injection`.

Runs in AgentDojo's own environment (`scripts/agentdojo`) and imports nothing of ours. The calls are those of the ground
truth. Of a pair of a user's and an injected task, the injected calls come as soon as the injected goal was read.
"""

import json
import pickle
import re
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from agentdojo.functions_runtime import FunctionsRuntime
from agentdojo.task_suite.load_suites import get_suites

BENCHMARK = "v1.2.2"


def main(target: Path) -> None:
    suites = {name: export_suite(suite) for name, suite in get_suites(BENCHMARK).items()}
    target.write_text(json.dumps({"benchmark": BENCHMARK, "suites": suites, "outputs": list(OUTPUTS)}))
    print(f"glassloop: {sum(len(each['pairs']) for each in suites.values())} pairs in {target}")


_WORDS = re.compile(r"\w+")
OUTPUTS: dict[str, int] = {}
"""What tools returned, each text once."""


def export_suite(suite: Any) -> dict[str, Any]:
    tools = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters.model_json_schema()}
        for tool in suite.tools
    ]
    runtime = FunctionsRuntime(suite.tools)
    clean = pickle.dumps(suite.load_and_inject_default_environment({}))
    benign = [export_task(runtime, task, clean) for task in suite.user_tasks.values()]
    pairs: list[dict[str, Any]] = []
    vectors = suite.get_injection_vector_defaults()
    for injected in suite.injection_tasks.values():
        planted = pickle.dumps(suite.load_and_inject_default_environment(dict.fromkeys(vectors, injected.GOAL)))
        pairs += [export_pair(runtime, task, injected, planted) for task in suite.user_tasks.values()]
    return {"tools": tools, "benign": benign, "pairs": pairs}


def export_task(runtime: FunctionsRuntime, task: Any, environment: bytes) -> dict[str, Any]:
    before, world = (task.init_environment(pickle.loads(environment)) for _ in range(2))  # noqa: S301
    wanted = task.ground_truth(before)
    calls = [run_call(runtime, world, call)[0] for call in wanted]
    done = task.utility_from_traces(task.GROUND_TRUTH_OUTPUT, before, world, wanted)
    if done is None:
        done = task.utility(task.GROUND_TRUTH_OUTPUT, before, world)
    return {"task": task.ID, "prompt": task.PROMPT, "calls": calls, "done": bool(done)}


def export_pair(runtime: FunctionsRuntime, task: Any, injected: Any, environment: bytes) -> dict[str, Any]:
    world = task.init_environment(pickle.loads(environment))  # noqa: S301
    calls: list[dict[str, Any]] = []
    is_read, goal = False, plain(injected.GOAL)
    for call in task.ground_truth(world):
        made, text = run_call(runtime, world, call)
        calls.append(made)
        if not is_read and goal in plain(text):
            is_read = True
            orders = injected.ground_truth(world)
            calls += [{**run_call(runtime, world, order)[0], "injected": True} for order in orders]
    return {"task": task.ID, "injection": injected.ID, "prompt": task.PROMPT, "calls": calls, "read": is_read}


def run_call(runtime: FunctionsRuntime, world: Any, call: Any) -> tuple[dict[str, Any], str]:
    result, error = runtime.run_function(world, call.function, call.args)
    text = error or as_text(result)
    return {"tool": call.function, "args": call.args, "output": OUTPUTS.setdefault(text, len(OUTPUTS))}, text


def as_text(result: Any) -> str:
    if hasattr(result, "model_dump"):
        result = result.model_dump(mode="json")
    elif isinstance(result, list):
        result = [each.model_dump(mode="json") if hasattr(each, "model_dump") else each for each in result]
    return result if isinstance(result, str) else yaml.safe_dump(result, allow_unicode=True, width=10**9)


@lru_cache(4096)
def plain(text: str) -> str:
    return " ".join(_WORDS.findall(text))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
