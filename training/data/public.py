"""Converters of public sets into groups like the made ones: BFCL (ShishirPatil/gorilla) and the seed tasks of
self-instruct (yizhongw/self-instruct), both Apache-2.0.

They read a clone of the repository and never copy it into this one (`python -m training.data.public bfcl CLONE
OUT.jsonl`). BFCL has no observations, so each question is learned up to its one call. The seed tasks were written by
people: they keep answers without tools as long as they should be.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from training.data.conversation import Answer, Call, Conversation, Exchange, Group, ToolText
from training.data.forbidden import forbidden_tools, is_too_near
from training.data.groups import encode, make_groups
from training.data.values import Rng, dumps

DATA: Final = "berkeley-function-call-leaderboard/bfcl_eval/data"
SETS: Final = ("live_multiple", "live_simple", "multiple", "simple_python")
IRRELEVANT: Final = ("live_irrelevance", "irrelevance")
PROMPTS: Final = ("", "You are a helpful assistant.", "You are a helpful assistant. Use the tools where they help.")
TYPES: Final = {
    "dict": "object",
    "float": "number",
    "tuple": "array",
    "any": "string",
    "str": "string",
    "int": "integer",
    "bool": "boolean",
    "list": "array",
    "double": "number",
    "long": "integer",
    "String": "string",
    "": "string",
}
MAX_QUESTION: Final = 1200
MAX_ARGS: Final = 600
MAX_ANSWER: Final = 1100
_ACTING: Final = re.compile(
    r"\b(my|book|current|latest|now|today|order|send|set|find me|play|schedule|open|turn)\b", re.I
)
_REFUSALS: Final = ("I'm sorry, none of my tools can do that.", "I have no tool for that, so I cannot do it.")


def _rows(clone: Path, name: str, folder: str = DATA) -> list[dict[str, Any]]:
    shown = subprocess.run(  # noqa: S603
        ["git", "-C", str(clone), "show", f"HEAD:{folder}/{name}"],  # noqa: S607
        capture_output=True,
        check=True,
    )
    return [json.loads(line) for line in shown.stdout.decode().splitlines() if line.strip()]


def _schema(value: Any) -> dict[str, Any]:
    """A schema with the names of types that JSON Schema has."""
    if not isinstance(value, dict):
        return {"type": "string"}
    value = cast("dict[str, Any]", value)
    made: dict[str, Any] = {key: value[key] for key in ("enum", "required", "description", "default") if key in value}
    kind = value.get("type", "string")
    made["type"] = TYPES.get(kind, kind) if isinstance(kind, str) else kind
    if isinstance(value.get("properties"), dict):
        made["properties"] = {name: _schema(each) for name, each in value["properties"].items()}
    if "items" in value:
        made["items"] = _schema(value["items"])
    return made


def _tool(function: dict[str, Any]) -> ToolText:
    shape: dict[str, Any] = {"properties": {}, "required": [], **_schema(function["parameters"]), "type": "object"}
    return ToolText(function["name"], function["description"], {**shape, "additionalProperties": False})


def _value(accepted: Any) -> Any:
    """The first accepted value; None where it may be left out."""
    if isinstance(accepted, list):
        every = cast("list[Any]", accepted)
        accepted = every[0] if every else None
    if isinstance(accepted, dict):
        members = {key: _value(each) for key, each in cast("dict[str, Any]", accepted).items()}
        return {key: each for key, each in members.items() if each not in (None, "")}
    return accepted


def _arguments(tool: ToolText, accepted: dict[str, list[Any]], question: str) -> dict[str, Any] | None:
    """What the call says; None where the question does not say all that is needed."""
    needed, made = tool.parameters["required"], dict[str, Any]()
    for name in tool.parameters["properties"]:
        value = _value(accepted.get(name))
        if value in (None, ""):
            if name in needed:
                return None
            continue
        if name not in needed and "" in accepted[name] and str(value).lower() not in question.lower():
            continue
        made[name] = value
    return made if len(dumps(made)) <= MAX_ARGS else None


def _question(row: dict[str, Any]) -> tuple[str, str] | None:
    """The prompt and the question of a row, where it may be learned."""
    turns = row["question"][0]
    text = turns[-1]["content"].strip()
    if turns[-1]["role"] != "user" or len(text) > MAX_QUESTION or is_too_near(text):
        return None
    return " ".join(each["content"] for each in turns if each["role"] == "system")[:600], text


def convert(clone: Path, seed: int = 5) -> Iterator[Group]:
    """Single calls and refusals, each over its own tools and some of other questions."""
    rng = Rng(seed)
    every = {name: _rows(clone, f"BFCL_v4_{name}.json") for name in SETS}
    pool = {tool.name: tool for rows in every.values() for row in rows for tool in map(_tool, row["function"])}
    others = [tool for tool in pool.values() if tool.name not in forbidden_tools()]
    for name, rows in every.items():
        answers = {row["id"]: row["ground_truth"] for row in _rows(clone, f"possible_answer/BFCL_v4_{name}.json")}
        for row in rows:
            truth: list[dict[str, Any]] = answers.get(row["id"]) or []
            said = _question(row)
            tools = [_tool(each) for each in row["function"]]
            if len(truth) != 1 or said is None or any(each.name in forbidden_tools() for each in tools):
                continue
            ((wanted, accepted),) = truth[0].items()
            tool = next((each for each in tools if each.name == wanted), None)
            args = None if tool is None else _arguments(tool, accepted, said[1])
            if tool is None or args is None:
                continue
            more = rng.some([0, 2, 4, 8, 12]) if len(tools) < 4 else rng.some([0, 0, 2, 4])
            about = " ".join(tool.description.split()).split(". ")[0].rstrip(".")
            thought = rng.some(
                [f"`{wanted}` fits what is asked.", f"The user wants this: {' '.join(about.split()[:9])}."]
            )[:150]
            step = Call(thought, wanted, args, "")
            yield _group(
                rng,
                said,
                [*tools, *rng.sample(others, more)],
                Conversation("bfcl", (Exchange(said[1], (step,)),)),
                name,
            )
    for name in IRRELEVANT:
        for row in _rows(clone, f"BFCL_v4_{name}.json"):
            said, tools = _question(row), [_tool(each) for each in row["function"]]
            if said is None or len(said[1]) > 300 or not _ACTING.search(said[1]) or rng.chance(0.55):
                continue
            if not any(each.name in forbidden_tools() for each in tools):
                answer = Answer("No tool does that.", rng.some(_REFUSALS))
                yield _group(rng, said, tools, Conversation("bfcl-none", (Exchange(said[1], (answer,)),)), name)


def _group(rng: Rng, said: tuple[str, str], tools: list[ToolText], made: Conversation, name: str) -> Group:
    named = list({tool.name: tool for tool in reversed(tools) if tool.name != "answer"}.values())
    rng.shuffle(named)
    day = 1_767_225_600.0 + 60 * rng.randrange(500_000)
    return Group(said[0] or rng.some(PROMPTS), tuple(named), (made,), rng.some([5, 6, 8, 10]), day, f"bfcl-{name}")


def convert_seeds(clone: Path, seed: int = 6, times: int = 3) -> Iterator[Group]:
    """Tasks that need no tool, each several times over made catalogues."""
    tasks: list[tuple[str, str]] = []
    for row in _rows(clone, "seed_tasks.jsonl", "data"):
        first = row["instances"][0]
        question = "\n\n".join(filter(None, (row["instruction"].strip(), first["input"].strip())))
        answer = first["output"].strip()
        if 40 <= len(answer) <= MAX_ANSWER and len(question) <= MAX_QUESTION and not is_too_near(question):
            tasks.append((question, answer))
    for number, group in enumerate(make_groups(seed, len(tasks) * times)):
        question, answer = tasks[number % len(tasks)]
        made = Conversation("general", (Exchange(question, (Answer("No tool is needed.", answer),)),))
        yield msgspec.structs.replace(group, conversations=(made,), source="self-instruct")


def main() -> None:
    kind, clone, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    with out.open("wb") as file:
        file.writelines(encode({"bfcl": convert, "seeds": convert_seeds}[kind](clone)))


if __name__ == "__main__":
    main()
