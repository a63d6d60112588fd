"""Groups from sets of questions that were blind once and are solved by hand now (`worked_sets`).

A set is a suite with its assistant and `solved.jsonl`: the calls of each case, their thoughts, the answer, and the
question in other words. What the calls return is what the set's own tools return.
"""

import asyncio
import datetime
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from glassloop.core.messages import ToolSpec
from glassloop.core.ports import CallContext
from glassloop.core.records import ToolCall
from glassloop.evals.score import Mismatch, ObservedCall, ObservedTurn, judge
from glassloop.evals.suite import Suite
from glassloop.evals.suite_files import read_suite
from glassloop.evals.target import assistant_of, defaults_of
from glassloop.runtime.assistants.assistant_files import load_parts, read_assistant
from glassloop.runtime.settings import Settings
from glassloop.tools.execution.orchestrator import ToolOrchestrator
from training.data.conversation import (
    Answer,
    Call,
    Conversation,
    Exchange,
    Group,
    Json,
    Language,
    Step,
    ToolText,
    Wanted,
    tools_used,
)
from training.data.forbidden import forbidden_tools, may_be_learned
from training.data.plans import with_needs
from training.data.renaming import names_kept, renamed
from training.data.values import Rng
from training.data.worlds import MAX_TOOLS, PROMPTS, is_shown_whole

FOLDER: Final = Path(__file__).parent / "worked_sets"
CONVERSATIONS: Final = 14
MAX_THOUGHT: Final = 230
REWORDED: Final = 0.7
RENAMED: Final = 0.9
"""Of the groups: with other ids, names and years than the set has."""
_WORD: Final = re.compile(r"[^\W\d_]{5,}|\d{1,6}")
_CURRENCY: Final = re.compile(r"[€£$]|(?<![a-z])(?:euros?|eur|pounds?|gbp|dollars?|usd|crowns?)(?![a-z])|欧元|英镑|镑")
_MIN_WORDS: Final = 3
_MIN_VALUE: Final = 2
_NOWHERE: Final = Settings(home="nowhere")
_AWAY: Final = Path("nowhere")


class SolvedStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    thought: str
    tool: str
    args: Json


class SolvedTurn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`wants` where the answer asks for what a call needs."""

    steps: list[SolvedStep]
    thought: str
    answer: str
    wants: Wanted | None = None


class SolvedCase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A case's turns, and other wordings of its last question. `questions` only where it is no case of the suite."""

    id: str
    turns: list[SolvedTurn]
    questions: list[str] = []
    again: list[str] = []


class OtherWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tool of a set in other words that say the same: `other_words.jsonl`."""

    tool: str
    names: list[str]
    descriptions: list[str]
    parameters: dict[str, list[str]] = {}


class WorkedSet(msgspec.Struct, frozen=True):
    """A set as it is learned: each case in all its wordings."""

    title: str
    prompt: str
    day: datetime.date
    tools: tuple[ToolText, ...]
    cases: tuple[tuple[Conversation, ...], ...]
    kept: frozenset[str]
    """Names that are never replaced."""
    words: dict[str, OtherWords]


def names_of_sets() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


@cache
def read_set(name: str) -> WorkedSet:
    suite = read_suite(FOLDER / f"{name}.toml")
    tools = tools_of(name, suite)
    renamed = dict(zip(_specs(suite), (tool.name for tool in tools), strict=True))
    played = (_conversations(case, exchanges, renamed) for case, exchanges in play_set(suite, read_solved(name)))
    assistant = read_assistant(Path(assistant_of(suite, _AWAY)))
    prompt = assistant.prompt.strip()
    day = suite.today or datetime.date(2027, 5, 12)
    cases = tuple(filter(None, played))
    kept = names_kept([each for case in cases for each in case])
    return WorkedSet(suite.title, prompt, day, tools, cases, kept, read_words(name))


def tools_of(name: str, suite: Suite) -> tuple[ToolText, ...]:
    """The tools of a set; one that a suite in use has, too, gets another name."""
    return tuple(
        ToolText(
            f"{spec.name}_at_{name}" if spec.name in forbidden_tools() else spec.name,
            spec.description,
            spec.parameters,
            "write" if spec.effect == "write" else "read",
        )
        for spec in _specs(suite).values()
    )


def read_solved(name: str) -> dict[str, SolvedCase]:
    """The solved cases of the suite, then questions of the solvers' own (`more.jsonl`)."""
    paths = (FOLDER / name / file for file in ("solved.jsonl", "more.jsonl"))
    lines = [line for path in paths if path.is_file() for line in path.read_bytes().splitlines()]
    return {each.id: each for each in (msgspec.json.decode(line, type=SolvedCase) for line in lines if line.strip())}


def read_words(name: str) -> dict[str, OtherWords]:
    path = FOLDER / name / "other_words.jsonl"
    lines = path.read_bytes().splitlines() if path.is_file() else []
    return {each.tool: each for each in (msgspec.json.decode(line, type=OtherWords) for line in lines if line.strip())}


def _specs(suite: Suite) -> dict[str, ToolSpec]:
    return dict(_tools(suite).specs)


def _tools(suite: Suite) -> ToolOrchestrator:
    """New tools, with the data as it is in the beginning."""
    return ToolOrchestrator(load_parts(read_assistant(Path(assistant_of(suite, _AWAY))), _NOWHERE).tools)


def play_set(suite: Suite, solved: dict[str, SolvedCase]) -> Iterator[tuple[SolvedCase, list[Exchange]]]:
    """The solutions with what their calls return. Loading tools takes long, so they are kept until one changes data."""
    asked = {case.id: case.questions or (case.question,) for case in suite.cases}
    tools = _tools(suite)
    with asyncio.Runner() as runner:
        for name, each in solved.items():
            yield each, runner.run(_play(tools, each.questions or asked[name], each))
            if any(tools.specs[step.tool].effect != "read" for turn in each.turns for step in turn.steps):
                tools = _tools(suite)


async def _play(tools: ToolOrchestrator, questions: Sequence[str], solved: SolvedCase) -> list[Exchange]:
    context = CallContext(turn_id="t", session_id="s", user="u", call_id="c")
    exchanges: list[Exchange] = []
    for question, turn in zip(questions, solved.turns, strict=True):
        steps: list[Step] = []
        for step in turn.steps:
            result = await tools.execute_tool(ToolCall(id="c", tool=step.tool, args=step.args), context)
            told = str(result.output if result.success else result.error)
            steps.append(Call(step.thought, step.tool, step.args, told, failed=not result.success))
        exchanges.append(Exchange(question, (*steps, Answer(turn.thought, turn.answer, turn.wants))))
    return exchanges


def problems_of(suite: Suite, solved: SolvedCase, exchanges: Sequence[Exchange]) -> Sequence[Mismatch]:
    """What the suite's own judgement has against a solution of one of its cases."""
    case = next((each for each in suite.cases if each.id == solved.id), None)
    if case is None:
        return ()
    *calls, answer = exchanges[-1].steps
    seen = ObservedTurn(
        question=exchanges[-1].question,
        calls=tuple(ObservedCall(call.tool, call.args) for call in calls if isinstance(call, Call)),
        answer=answer.text if isinstance(answer, Answer) else "",
        status="completed",
    )
    return judge(case, seen, defaults_of(_specs(suite))).problems


def _conversations(
    solved: SolvedCase, exchanges: Sequence[Exchange], renamed: dict[str, str]
) -> tuple[Conversation, ...]:
    *before, last = (_renamed(each, renamed) for each in exchanges)
    kind = "worked-follow" if before else f"worked-{len(last.steps) - 1}"
    made = (
        Conversation(kind, (*before, msgspec.structs.replace(last, question=question)), _language(question))
        for question in (last.question, *solved.again)
    )
    return tuple(each for each in made if may_be_learned(each, MAX_THOUGHT) and is_shown_whole(each))


def _renamed(exchange: Exchange, renamed: dict[str, str]) -> Exchange:
    return msgspec.structs.replace(exchange, steps=tuple(_step_renamed(step, renamed) for step in exchange.steps))


def _step_renamed(step: Step, renamed: dict[str, str]) -> Step:
    if isinstance(step, Call):
        return msgspec.structs.replace(step, tool=renamed.get(step.tool, step.tool))
    wants = step.wants and msgspec.structs.replace(step.wants, tool=renamed.get(step.wants.tool, step.wants.tool))
    return msgspec.structs.replace(step, wants=wants)


def _language(question: str) -> Language:
    return "zh" if any("\u3400" <= char <= "\u9fff" for char in question) else "en"


def worked_groups(seed: int, rounds: int, names: Sequence[str] = ()) -> Iterator[Group]:
    """All sets, or those named, so many times, in other wordings, other catalogues and another order each time."""
    rng, names = Rng(seed), names or names_of_sets()
    for _ in range(rounds):
        groups: list[Group] = []
        for name in names:
            made = read_set(name)
            cases = [rng.some(each) for each in rng.sample(made.cases, len(made.cases))]
            for at in range(0, len(cases), CONVERSATIONS):
                other = read_set(rng.some(names)) if rng.chance(0.3) else None
                groups.append(_group(rng, made, cases[at : at + CONVERSATIONS], other))
        yield from rng.sample(groups, len(groups))


def _rests_on(prompt: str, made: Conversation) -> bool:
    """Whether an answer without a call, an argument or a currency is what only the set's own prompt tells."""
    own, known = prompt.casefold(), ""
    for exchange in made.exchanges:
        known += exchange.question.casefold()
        for step in exchange.steps:
            if isinstance(step, Call):
                values = (value.casefold() for value in step.args.values() if isinstance(value, str))
                if any(len(value) > _MIN_VALUE and value in own and value not in known for value in values):
                    return True
                known += step.observation.casefold()
            elif _CURRENCY.search(step.text.casefold()) and not _CURRENCY.search(known) and _CURRENCY.search(own):
                return True
            elif len(exchange.steps) == 1 and step.wants is None:
                words = set(_WORD.findall(f"{step.thought} {step.text}".casefold()))
                if len([word for word in words if word in own and word not in known]) >= _MIN_WORDS:
                    return True
    return False


def _group(rng: Rng, made: WorkedSet, cases: Sequence[Conversation], other: WorkedSet | None) -> Group:
    rng.today = made.day
    used = tools_used(cases)
    tools = [tool for tool in made.tools if tool.name in used or rng.chance(0.85)]
    names = {tool.name for tool in tools}
    if other is not None and other is not made:
        more = [tool for tool in other.tools if tool.name not in names]
        tools += rng.sample(more, min(rng.randint(2, 8), len(more), max(MAX_TOOLS - len(tools), 0)))
    words = (other.words if other is not None else {}) | made.words
    tools = [_reworded(rng, tool, words[tool.name]) if tool.name in words else tool for tool in tools]
    if rng.chance(0.5):
        rng.shuffle(tools)
    is_own = rng.chance(0.6) or any(_rests_on(made.prompt, each) for each in cases)
    prompt = made.prompt if is_own else rng.some(PROMPTS).format(place=made.title)
    conversations = tuple(with_needs(rng, each, prompt, tools) for each in cases)
    moment = datetime.datetime.combine(made.day, datetime.time(rng.randint(0, 7), rng.randint(0, 59)), datetime.UTC)
    longest = max(len(turn.steps) for each in cases for turn in each.exchanges)
    group = Group(
        prompt, tuple(tools), conversations, max(rng.some([6, 6, 8, 10]), longest), moment.timestamp(), source="worked"
    )
    names = {tool: each.names for tool, each in words.items()}
    return renamed(rng, group, made.kept, names) if rng.chance(RENAMED) else group


def _reworded(rng: Rng, tool: ToolText, words: OtherWords) -> ToolText:
    """Mostly in other words, each parameter by itself."""
    properties = {
        name: {**shape, "description": rng.some(words.parameters[name])}
        if name in words.parameters and rng.chance(REWORDED)
        else shape
        for name, shape in tool.parameters.get("properties", {}).items()
    }
    description = rng.some(words.descriptions) if rng.chance(REWORDED) else tool.description
    parameters = {**tool.parameters, "properties": properties}
    return msgspec.structs.replace(tool, description=description, parameters=parameters)
