"""Groups of conversations, each over a catalogue of its own: the same seed makes the same groups."""

import datetime
import tomllib
from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from training.data.by_name import by_name
from training.data.catalogue import Store, Tool
from training.data.companies import HELD_OUT, Company, read_companies
from training.data.conversation import NEVER, Answer, Call, Conversation, Exchange, Group, Step
from training.data.forbidden import REPOSITORY, forbidden_tools, may_be_learned
from training.data.phrases import capital
from training.data.plans import with_needs
from training.data.quotes import quoting
from training.data.talks.city_sites import CitySites
from training.data.talks.code_folder import CodeFolder
from training.data.talks.deeds import DeedTalk
from training.data.talks.game_runs import GameRuns
from training.data.talks.measures import MeasureReport, read_areas
from training.data.talks.plain import cannot, plain, unknown_figure
from training.data.talks.reports import SUBJECTS, Report, ask_report, make_report
from training.data.talks.services import SERVICES, Offer
from training.data.talks.utilities import Utility, ask_lacking, ask_utility, utilities
from training.data.values import Rng
from training.data.worlds import world_group

CONVERSATIONS: Final = 9
"""In a group."""
MAX_THOUGHT: Final = 150
YEARS: Final = (2012, 2045)
"""Of conversations; half are of the next years. A model that has seen three years writes no other: 2022 for 2032."""
EARLY: Final = 8 * 60
"""Minutes into a day: what is planned for it has not been yet."""
KINDS: Final = {
    "single": 22, "pair": 6, "by_name": 28, "link": 20, "two": 8, "unknown": 7, "empty": 4, "several": 6,
    "missing": 6, "listing": 10, "bounded": 5, "table": 9, "total": 12, "action": 12, "follow": 13, "theirs": 12,
    "utility": 18, "lacking": 8, "sum": 6, "onward": 16, "plain": 13, "cannot": 2, "no_figure": 4,
}  # fmt: skip
"""How often each kind is tried."""
ONWARD: Final = frozenset({"exchange", "weather", "time_in", "days_between"})
"""Tools that take a record's value further."""
PROMPTS: Final = (
    "You are the assistant of {place}.",
    "You are the assistant of {place}. Use the tools for everything about its {things}. Never make up an argument: "
    "where something needed is missing, ask for it.",
    "You help the staff of {place}. Answer briefly.",
    "Assistant of {place}. Look things up with the tools; what needs no tool you answer yourself.",
    "You work at the front desk of {place} and answer questions about {things}.",
    "Answer the question with the tools. Ask for what is missing.",
    "",
    "You are a helpful assistant.",
    "You are a helpful assistant with tools.\n- Use a tool for every calculation, date and time.\n- Give figures "
    "exactly as the tools return them.\n- If a tool fails, read its message, correct the arguments and try once more; "
    "then say what is missing.\n- Answer briefly, in the language of the user.",
    "You are the assistant of {place}. Be short and exact. If a value that a tool needs was not said, ask for it.",
    "You answer from the systems of {place}, with tools.\n- Never guess a figure: call the tool that knows it. Give "
    "figures as the tools return them, with unit or currency.\n- A question that goes on from the one before keeps its "
    "filters, unless it changes them.\n- Answer briefly, in the language of the user.",
    "你是{chinese}的助手。用用户的语言回答。",
)


def make_groups(seed: int, count: int, *, held_out: bool = False) -> Iterator[Group]:
    """So many groups. `held_out`: of companies that training data is never made of."""
    rng = Rng(seed)
    companies = [each for each in read_companies() if (each.key in HELD_OUT) == held_out]
    made = 0
    while made < count:
        year = rng.randint(2025, 2030) if rng.chance(0.5) else rng.randint(*YEARS)
        new_year = datetime.datetime(year, 1, 1, tzinfo=datetime.UTC)
        moment = new_year + datetime.timedelta(rng.randrange(365), minutes=rng.randrange(EARLY))
        rng.today, place = moment.date(), rng.random()
        if place < 0.68:
            group = world_group(rng, held_out=held_out)
        elif place < 0.84:
            group = _company_group(rng, companies)
        elif place < 0.88:
            group = _service_group(rng)
        elif place < 0.95:
            group = _report_group(rng)
        else:
            group = _work_group(rng)
        if group is not None and group.conversations:
            made += 1
            group = by_name(rng, group)
            quoted = (quoting(rng, each) for each in group.conversations)
            planned = tuple(with_needs(rng, each, group.prompt, group.tools) for each in quoted)
            yield msgspec.structs.replace(group, conversations=planned, day=moment.timestamp())


def _company_group(rng: Rng, companies: list[Company]) -> Group | None:
    company = rng.some(companies)
    stores = [Store(rng, company, rng.some([4, 6, 7, 8]))]
    if rng.chance(0.35):
        stores.append(Store(rng, rng.some([each for each in companies if each is not company]), 5))
    every = utilities(rng)
    extra = rng.sample(every, min(rng.some([0, 1, 2, 3, 4, 6, 8, 12]), len(every)))
    tools = [tool for store in stores for tool in store.tools] + [one.tool for one in extra]
    first = [*stores[0].find.values(), *stores[0].get.values(), *stores[0].actions] if rng.chance(0.65) else []
    tools = _offered(rng, tools, rng.some([6, 8, 10, 12, 16, 20, 24, 27, 30]), frozenset(first))
    if not tools:
        return None
    offered = frozenset(tools)
    talks = [DeedTalk(rng, store, offered) for store in stores]
    usable = [one for one in extra if one.tool in offered]
    kinds = _possible(talks, usable)
    conversations = _collect(rng, lambda: _company_talk(rng, talks, usable, kinds))
    things = ", ".join(thing.plural for thing in company.things)
    prompt = rng.some(PROMPTS).format(place=company.place, chinese=company.chinese, things=things)
    return _group(rng, prompt, tools, conversations)


def _possible(talks: list[DeedTalk], usable: list[Utility]) -> dict[str, int]:
    """The weights of kinds; those that few catalogues allow count double where one does."""
    rare = {
        "action": any(tool in talk.offered for talk in talks for tool in talk.store.actions),
        "total": any(talk.offered_of(talk.store.totals) for talk in talks),
        "sum": any(one.make.__name__ == "arithmetic" for one in usable),
        "onward": any(one.make.__name__ in ONWARD for one in usable),
        "theirs": any(talk.offered_of(talk.store.lists) for talk in talks),
    }
    return {kind: weight * (2 if rare.get(kind) else 1) for kind, weight in KINDS.items() if rare.get(kind, True)}


def _company_talk(rng: Rng, talks: list[DeedTalk], usable: list[Utility], kinds: dict[str, int]) -> Conversation | None:
    kind = rng.choices(list(kinds), list(kinds.values()))[0]
    talk = rng.some(talks) if rng.chance(0.4) else talks[0]
    if kind in ("plain", "cannot", "no_figure"):
        return {"plain": plain, "cannot": cannot, "no_figure": unknown_figure}[kind](rng)
    if kind in ("utility", "lacking"):
        if not usable:
            return None
        one = rng.some(usable)
        return ask_utility(rng, one, talk.language()) if kind == "utility" else ask_lacking(rng, one)
    if kind == "sum":
        return next(filter(None, (_with_sum(rng, talk, usable) for _ in range(5))), None)
    if kind == "onward":
        return talk.onward(usable)
    method: Callable[[], Conversation | None] = getattr(talk, kind)
    return method()


def _with_sum(rng: Rng, talk: DeedTalk, usable: list[Utility]) -> Conversation | None:
    """A record's figure, then arithmetic on it with a calculator."""
    calculator = next((one for one in usable if one.make.__name__ == "arithmetic"), None)
    made = (talk.by_name if rng.chance(0.5) else talk.single)()
    if calculator is None or made is None or made.language != "en":
        return None
    *calls, answer = made.exchanges[0].steps
    last = calls[-1]
    figure = _figure(answer.text) if isinstance(answer, Answer) else None
    if figure is None or not isinstance(last, Call):
        return None
    share = rng.some([5, 10, 12, 15, 20, 25, 30])
    number, key = figure, calculator.tool.params[0].name
    result = round(number * share / 100, 2)
    result = int(result) if result == int(result) else result
    number = int(number) if number == int(number) else number
    question = made.exchanges[0].question.rstrip("?. ") + rng.some(
        [f"? And how much is {share}% of that?", f"? Also tell me {share} percent of it."]
    )
    sum_ = Call(f"Now {share}% of {number}.", calculator.tool.name, {key: f"{number}*{share}/100"}, str(result))
    text = f"{answer.text} {share}% of it is {result}." if isinstance(answer, Answer) else ""
    return Conversation("chain-sum", (Exchange(question, (*calls, sum_, Answer("I have both.", text))),))


def _figure(text: str) -> float | None:
    parts = [part.rstrip(".,") for part in text.split()]
    numbers = [part for part in parts if part.replace(".", "", 1).isdigit()]
    return float(numbers[-1]) if len(numbers) == 1 and float(numbers[-1]) > 20 else None


def _service_group(rng: Rng) -> Group | None:
    offers = [Offer(rng, service) for service in rng.sample(SERVICES, rng.randrange(3, 9))]
    every = utilities(rng)
    extra = rng.sample(every, rng.some([1, 3, 5, 8]))
    tools = _offered(rng, [*(offer.tool for offer in offers), *(one.tool for one in extra)], 16)
    offers = [offer for offer in offers if offer.tool in tools]
    usable = [one for one in extra if one.tool in tools]
    if not offers:
        return None

    def talk() -> Conversation | None:
        kind = rng.random()
        if kind < 0.66:
            return rng.some(offers).talk()
        if kind < 0.86 and usable:
            one = rng.some(usable)
            return (
                ask_utility(rng, one, rng.choices(("en", "de", "zh"), (60, 20, 20))[0])
                if kind < 0.8
                else ask_lacking(rng, one)
            )
        return plain(rng) if kind < 0.96 else cannot(rng)

    prompt = rng.some([PROMPTS[1], PROMPTS[3], PROMPTS[5], PROMPTS[6], PROMPTS[7], PROMPTS[9]])
    return _group(
        rng, prompt.format(place="an information desk", chinese="服务台", things="services"), tools, _collect(rng, talk)
    )


def _report_group(rng: Rng) -> Group | None:
    reports = [make_report(rng, subject) for subject in rng.sample(SUBJECTS, rng.randrange(1, 4))]
    measures = [MeasureReport(rng, area) for area in rng.sample(read_areas(), rng.randrange(1, 6))]
    every = utilities(rng)
    extra = rng.sample(every, rng.some([0, 1, 2, 4]))
    told = [*(report.tool for report in reports), *(one.tool for one in measures), *(one.tool for one in extra)]
    offered = frozenset(tools := _offered(rng, told, 12))
    usable = [one for one in extra if one.tool in offered]
    reports = [report for report in reports if report.tool in offered]
    measures = [one for one in measures if one.tool in offered]
    if not reports or not measures:
        return None

    def talk() -> Conversation | None:
        return rng.some(measures).talk() if rng.chance(0.6) else _report_talk(rng, reports, usable)

    prompt = rng.some(
        [PROMPTS[10], PROMPTS[8], PROMPTS[5], "You answer questions about a company's figures, with tools."]
    )
    return _group(rng, prompt.format(place="a company", chinese="公司", things="figures"), tools, _collect(rng, talk))


def _report_talk(rng: Rng, reports: list[Report], usable: list[Utility]) -> Conversation | None:
    kind = rng.random()
    if kind < 0.82:
        return ask_report(rng, rng.some(reports))
    if kind < 0.9 and usable:
        return ask_utility(rng, rng.some(usable), "en")
    return plain(rng) if kind < 0.95 else unknown_figure(rng)


def _work_group(rng: Rng) -> Group | None:
    kind = rng.random()
    if kind < 0.36:
        work = CodeFolder(rng, _brief_code_prompt() if rng.chance(0.5) else "")
    else:
        work = GameRuns(rng) if kind < 0.64 else CitySites(rng)
    every = utilities(rng)
    extra = rng.sample(every, rng.some([0, 1, 2, 3]))
    tools = _offered(rng, [*work.tools, *(one.tool for one in extra)], 40)
    if not set(work.tools) <= set(tools):
        return None

    def talk() -> Conversation | None:
        chance = rng.random()
        if chance < 0.84:
            return work.talk()
        if extra and chance < 0.9:
            return ask_utility(rng, rng.some(extra), "en")
        return plain(rng) if chance < 0.96 else cannot(rng)

    return _group(rng, work.prompt, tools, _collect(rng, talk))


def _brief_code_prompt() -> str:
    """The brief prompt of the code assistant, as it is sent."""
    path = REPOSITORY / "src/glassloop/extensions/code/assistant.toml"
    return str(tomllib.loads(path.read_text("utf-8"))["prompt_brief"]).strip()


def _offered(rng: Rng, tools: list[Tool], most: int, first: frozenset[Tool] = frozenset()) -> list[Tool]:
    """At most so many tools, `first` before others, no name twice, none that a suite has."""
    named = {tool.name: tool for tool in reversed(tools) if tool.name not in forbidden_tools()}
    kept = [tool for tool in tools if named.get(tool.name) is tool]
    if len(kept) > most:
        wanted = sorted(rng.sample(kept, len(kept)), key=lambda tool: tool not in first)[:most]
        kept = [tool for tool in kept if tool in wanted]
    if rng.chance(0.4):
        rng.shuffle(kept)
    return kept


def _collect(rng: Rng, make: Callable[[], Conversation | None]) -> list[Conversation]:
    found: list[Conversation] = []
    for _ in range(CONVERSATIONS * 5):
        if len(found) == CONVERSATIONS:
            break
        made = make()
        if made is None or not may_be_learned(made, MAX_THOUGHT):
            continue
        found.append(_sent_back(rng, made) if rng.chance(0.07) else made)
    return found


def _sent_back(rng: Rng, made: Conversation) -> Conversation:
    """The last exchange with a decision that the review refuses: a made-up figure, or the same call again."""
    *before, last = made.exchanges
    calls = [number for number, step in enumerate(last.steps) if isinstance(step, Call)]
    if not calls:
        return made
    at = rng.some(calls)
    rejected: Step = Answer("I think I know it.", f"It is {rng.randrange(130, 9900)}.{rng.randrange(1, 99):02d}.")
    if at and rng.chance(0.4):
        previous = last.steps[at - 1]
        rejected = msgspec.structs.replace(previous, observation=NEVER) if isinstance(previous, Call) else rejected
    exchange = msgspec.structs.replace(last, rejected=rejected, rejected_at=at)
    return msgspec.structs.replace(made, kind=f"{made.kind}+back", exchanges=(*before, exchange))


def _group(rng: Rng, prompt: str, tools: list[Tool], conversations: list[Conversation]) -> Group:
    texts = tuple(tool.text for tool in tools)
    return Group(capital(prompt), texts, tuple(conversations), rng.some([5, 6, 6, 8, 10, 15]))


def encode(groups: Iterator[Group]) -> Iterator[bytes]:
    """One line of JSON a group."""
    for group in groups:
        yield msgspec.json.encode(group) + b"\n"


def decode(line: bytes) -> Group:
    return msgspec.json.decode(line, type=Group)
