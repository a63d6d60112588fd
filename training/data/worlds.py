"""Groups of conversations from hand-written worlds (`world_files`).

`python -m training.data.worlds FILE …` checks files, plays their conversations and prints some of them.
"""

import argparse
import datetime
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from glassloop.core.loop.observations import SMALL_OBSERVATION_CHARS
from glassloop.core.protocols.result_pages import rows_as_table
from training.data.conversation import Answer, Conversation, Group, Language, ToolText, tools_used
from training.data.filters import add_filters, use_filters, whole_names
from training.data.forbidden import is_too_near, may_be_learned
from training.data.mistakes import with_mistake
from training.data.periods import add_periods, period_question
from training.data.requests import examples_of
from training.data.table_questions import table_question
from training.data.talks.plain import plain
from training.data.talks.sums import sum_in_head
from training.data.unsaid import several, unsaid
from training.data.values import Rng
from training.data.world_expressions import WorldError
from training.data.world_stage import Ask, Stage, World, read_world, read_worlds

HELD_OUT: Final = frozenset({"a_vet", "d_choir", "e_wind"})
"""Worlds that no training data is made of."""
_COMPUTES: Final = re.compile(r"calc|comput|convert|arithmetic|work(s)? out", re.IGNORECASE)
MAX_TOOLS: Final = 26
MAX_THOUGHT: Final = 200
CONVERSATIONS: Final = 14
LONG_FIRST: Final = 0.3
"""Of the questions that take three calls or more: drawn before all others."""
PERIODS: Final = 5
UNSAID: Final = 8
"""Tried for a group; about two in five can be asked without a value."""
SEVERAL: Final = 16
"""Tried for a group: searches that find two rows by one name."""
TABLE_QUESTIONS: Final = 8
"""Tried for a group; about one in three finds rows."""
PROMPTS: Final = (
    "You are the assistant of {place}.",
    "You are the assistant of {place}. Look things up with the tools, never guess. What is missing you ask for.",
    "You help the people of {place}. Answer briefly, with the figures as the tools give them.",
    "Assistant of {place}. What needs no tool you answer yourself.",
    "You answer questions at {place}.\n- Use the tools for everything that they know.\n- Answer in the language of the "
    "user, in one or two sentences.",
    "You are a helpful assistant with tools.",
    "Answer the question with the tools. Ask for what is missing.",
    "",
)


def world_group(rng: Rng, *, held_out: bool = False) -> Group | None:
    """Conversations over one world, its tools or most of them, now and then beside tools of another one."""
    worlds = {name: world for name, world in read_worlds().items() if (name in HELD_OUT) == held_out}
    if not worlds:
        return None
    world = worlds[rng.some(sorted(worlds))]
    other = worlds[rng.some(sorted(worlds))] if rng.chance(0.3) else None
    return stage_group(rng, world, other)


def stage_group(rng: Rng, world: World, other: World | None = None) -> Group:
    stage = Stage(world, rng)
    add_filters(stage)
    add_periods(stage)
    conversations: list[Conversation] = []
    asks = rng.sample(world.asks, len(world.asks))
    asks.sort(key=lambda ask: not (len(ask.do) > 2 and rng.chance(LONG_FIRST)))
    for ask in asks:
        made = _talked(stage, ask, _language(rng, ask))
        if made is not None and may_be_learned(made, MAX_THOUGHT) and is_shown_whole(made):
            *before, last = made.exchanges
            conversations.append(msgspec.structs.replace(made, exchanges=(*before, with_mistake(stage, last))))
        if len(conversations) == CONVERSATIONS:
            break
    simple = [ask for ask in world.asks if len(ask.do) == 1 and not ask.then]
    played = [_talked(stage, rng.some(simple), "en") for _ in range(TABLE_QUESTIONS if simple else 0)]
    tables = [table_question(stage, each) for each in played if each is not None]
    periods = [period_question(stage) for _ in range(PERIODS)]
    left_out = [_asked_back(unsaid, stage, rng.some(world.asks)) for _ in range(UNSAID)]
    two = [_asked_back(several, stage, rng.some(world.asks)) for _ in range(SEVERAL)]
    more = [*tables, *periods, *left_out, *two, *(plain(rng) for _ in range(rng.some([0, 1, 1])))]
    conversations += [
        each for each in more if each is not None and may_be_learned(each, MAX_THOUGHT) and is_shown_whole(each)
    ]
    tools = _catalogue(rng, stage, conversations, other)
    if not any(_COMPUTES.search(tool.name + tool.description) for tool in tools):
        sums = [sum_in_head(rng) for _ in range(rng.some([0, 1, 1, 2]))]
        conversations += [each for each in sums if may_be_learned(each, MAX_THOUGHT)]
    prompt = rng.some([*PROMPTS, *world.prompts]).format(place=world.place)
    longest = max((len(exchange.steps) for each in conversations for exchange in each.exchanges), default=0)
    return Group(prompt, tools, tuple(conversations), max(rng.some([5, 6, 6, 8, 10, 15]), longest), source="worlds")


def is_shown_whole(made: Conversation) -> bool:
    """Whether the model sees all that its answers are made of."""
    steps = [step for exchange in made.exchanges for step in exchange.steps]
    seen = [rows_as_table(step.observation) for step in steps if not isinstance(step, Answer)]
    return all(len(text) <= SMALL_OBSERVATION_CHARS for text in seen)


def _talked(stage: Stage, ask: Ask, language: Language) -> Conversation | None:
    try:
        made = stage.talk(ask, language)
        exchanges = [use_filters(stage, whole_names(stage, each)) for each in made.exchanges] if made else []
        kept = tuple(each for each in exchanges if each is not None)
        return msgspec.structs.replace(made, exchanges=kept) if made and len(kept) == len(exchanges) else None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        # Checked when the file was written; a rare draw may still not suit its question.
        return None


def _asked_back(
    make: Callable[[Stage, Ask, Language], Conversation | None], stage: Stage, ask: Ask
) -> Conversation | None:
    try:
        return make(stage, ask, _language(stage.rng, ask))
    except (ArithmeticError, AttributeError, LookupError, SyntaxError, TypeError, ValueError):
        # A wording may have braces inside its braces.
        return None


def _language(rng: Rng, ask: Ask) -> Language:
    said: list[Language] = ["en", "en"]
    if ask.q_de and ask.say_de:
        said.append("de")
    if ask.q_zh and ask.say_zh:
        said += ["zh", "zh"]
    return rng.some(said)


def _catalogue(rng: Rng, stage: Stage, conversations: list[Conversation], other: World | None) -> tuple[ToolText, ...]:
    used = tools_used(conversations)
    kept = [first for first in stage.tools if stage.called[first] in used or rng.chance(0.85)]
    texts = [stage.text(first) for first in kept]
    if other is not None and other is not stage.world:
        beside = Stage(other, rng)
        names = {text.name for text in texts}
        more = [text for first in beside.tools if (text := beside.text(first)).name not in names]
        texts += rng.sample(more, min(rng.randint(2, 8), len(more), MAX_TOOLS - len(texts)))
    if rng.chance(0.5):
        rng.shuffle(texts)
    return tuple(texts)


def check(path: Path, shown: int) -> list[str]:
    """What is wrong with a file; prints some of its conversations."""
    world, problems = read_world(path), list[str]()
    rng = Rng(1)
    rng.today = datetime.date(2026, 5, 4)
    for number, ask in enumerate(world.asks):
        for language in ("en", "de", "zh"):
            if language != "en" and not {"de": ask.q_de, "zh": ask.q_zh}[language]:
                continue
            try:
                problems += _tried(rng, world, ask, language, shown=number < shown)
            except (WorldError, Exception) as error:
                problems.append(f"{ask.q[0]!r} ({language}): {type(error).__name__}: {error}")
    kinds = Counter("follow" if ask.then else f"{len(ask.do)} calls" for ask in world.asks)
    print(f"{path.name}: {len(world.tools)} tools, {len(world.asks)} asks ({dict(sorted(kinds.items()))})")
    return problems


def _tried(rng: Rng, world: World, ask: Ask, language: Language, *, shown: bool) -> list[str]:
    problems: list[str] = []
    for attempt in range(6):
        stage = Stage(world, rng, as_written=True)
        made = stage.talk(ask, language)
        if made is None:
            problems.append(f"{ask.q[0]!r}: nothing drawn meets `where`")
            continue
        group = Group("", tuple(stage.text(first) for first in stage.tools), (made,), 8)
        wanted = sum(len(exchange.steps) for exchange in made.exchanges)
        if len(examples_of(group)) != wanted:
            last = made.exchanges[-1]
            problems.append(
                f"{ask.q[0]!r}: the engine refuses a step (a figure or id that nobody gave or observed, the same call "
                f"twice, or a result too long): {[getattr(step, 'args', step) for step in last.steps]}"
            )
        if not is_shown_whole(made):
            problems.append(f"{ask.q[0]!r}: a result is longer than {SMALL_OBSERVATION_CHARS} characters, so it is cut")
        if any(is_too_near(exchange.question) for exchange in made.exchanges):
            problems.append(f"{ask.q[0]!r}: too near to a question of a suite: word it otherwise")
        if shown and not attempt:
            tell(made)
    return sorted(set(problems))[:1]


def tell(made: Conversation) -> None:
    for exchange in made.exchanges:
        print(f"\nQ  {exchange.question}")
        for step in exchange.steps:
            if isinstance(step, Answer):
                print(f"   ({step.thought})\nA  {step.text}")
            else:
                failed = " FAILED" if step.failed else ""
                print(f"   ({step.thought}) {step.tool} {step.args}\n     ={failed} {step.observation[:600]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--shown", type=int, default=60, help="print one conversation of so many asks")
    given = parser.parse_args()
    problems = [f"{path.name}: {each}" for path in given.files for each in check(path, given.shown)]
    print("\n".join(["", *problems]) if problems else "no problem found")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
