"""Tools and questions that must not be learned: those of the repository's suites and assistants, read from it.

Whoever measures with these suites must be able to say that nothing of them was trained on.
"""

import ast
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

from training.data.conversation import Conversation

REPOSITORY: Final = Path(__file__).parents[2]
MAX_OVERLAP: Final = 0.6
_DECORATED: Final = re.compile(r"@[\w.]*tool")
_SOURCES: Final = ("src/glassloop", "tests/evals")


@cache
def forbidden_tools() -> frozenset[str]:
    """Names of functions that are tools anywhere in the repository, and those that its tables of tools name."""
    found: set[str] = set()
    for source in _SOURCES:
        for path in (REPOSITORY / source).rglob("*.py"):
            text = path.read_text("utf-8")
            if _DECORATED.search(text):
                found |= _decorated(ast.parse(text))
        for path in (REPOSITORY / source).rglob("*.toml"):
            if not path.name.startswith("assistant"):
                found |= set(re.findall(r'^\s*(?:name|tool) = "(\w+)"', path.read_text("utf-8"), re.MULTILINE))
        for path in (REPOSITORY / source).rglob("*.toml"):
            found |= set(_named(tomllib.loads(path.read_text("utf-8"))))
    return frozenset(found) - {"answer", "none"}


def _decorated(tree: ast.Module) -> set[str]:
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)
        and any("tool" in ast.unparse(each).partition("(")[0] for each in node.decorator_list)
    }


def _named(suite: dict[str, Any]) -> list[str]:
    """The tools that the cases of a suite expect."""
    names: list[str] = []
    for case in _cases(suite):
        wanted: Any = case.get("tools") or []
        for one in cast("list[Any]", wanted if isinstance(wanted, list) else [wanted]):
            names += cast("list[str]", one) if isinstance(one, list) else [str(one)]
    return names


def _cases(content: dict[str, Any]) -> list[dict[str, Any]]:
    cases = content.get("cases")
    every = cast("list[Any]", cases) if isinstance(cases, list) else []
    return [cast("dict[str, Any]", each) for each in every if isinstance(each, dict)]


@cache
def forbidden_questions() -> tuple[frozenset[str], ...]:
    """The words of every question of every suite, and of those that assistants suggest."""
    found: list[frozenset[str]] = []
    for source in _SOURCES:
        for path in (REPOSITORY / source).rglob("*.toml"):
            content = tomllib.loads(path.read_text("utf-8"))
            asked = [str(each) for each in cast("list[Any]", content.get("questions") or [])]
            for case in _cases(content):
                asked += [str(each) for each in case.get("questions") or [case.get("question", "")]]
            found += [words(each) for each in asked]
    return tuple(each for each in found if len(each) > 1)


def words(question: str) -> frozenset[str]:
    """Words as they are compared: a Chinese character is one."""
    return frozenset(re.findall(r"[\u3400-\u9fff]|[^\W_]+", question.lower()))


def is_too_near(question: str) -> bool:
    """Whether a question has more than `MAX_OVERLAP` of its words in common with one of a suite (Jaccard)."""
    own = words(question)
    low, high = MAX_OVERLAP * len(own), len(own) / MAX_OVERLAP
    near = (other for other in forbidden_questions() if low < len(other) < high)
    return any(len(own & other) > MAX_OVERLAP * len(own | other) for other in near)


def may_be_learned(made: Conversation, most_thought: int) -> bool:
    """Whether no thought is too long and no question too near to one of a suite."""
    steps = [step for exchange in made.exchanges for step in exchange.steps]
    return all(len(step.thought) <= most_thought for step in steps) and not any(
        is_too_near(exchange.question) for exchange in made.exchanges
    )
