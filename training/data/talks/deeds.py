"""Conversations in which something is worked out or done with records: offers, actions, what belongs to whom, and a
record's figure put into another tool."""

import datetime
from typing import Any, Final

from training.data import phrases as say
from training.data.catalogue import Tool, write_rows
from training.data.companies import Action, Attribute
from training.data.conversation import Answer, Call, Conversation, Exchange, Step, Wanted
from training.data.days import clock, coming_day, day, say_day, say_time
from training.data.talks.lists import MAX_SHOWN, ListTalk
from training.data.talks.task import args_of
from training.data.talks.utilities import Utility
from training.data.values import CURRENCIES, REASONS, dumps, person, tidy

_OFFERS: Final = (
    "Make me an offer for {n} {x}.",
    "I'd like a quote for {n} {x}.",
    "Please work out a price for {n} {x}.",
    "Can you price {n} {x} for me?",
)
"""The same words with a number and without: only without one something is missing."""
_TOTALS: Final = (
    "What would {n} x {x} cost us?",
    "How much are {n} x {x} in all?",
    "We need {x}, {n} of them. What does that cost?",
    "I'd take {n} of {x}. What is the price?",
    "Give me a total for {n} times {x}.",
)


class DeedTalk(ListTalk):
    """What can be done, on top of what can be read."""

    def total(self) -> Conversation | None:
        """A price for several: by number, after a search by name, or with something missing."""
        rng, things = self.rng, self.offered_of(self.store.totals)
        if not things:
            return None
        thing = rng.some(things)
        tool, ident, count = self.store.totals[thing.name], self.some_id(thing), rng.randrange(2, 60)
        one, (key, number) = tool.shown[0], (param.name for param in tool.params)
        sum_ = tidy(self.record(thing, ident)[one.key] * count * rng.some([1, 0.9, 0.95]))
        observed = rng.some(
            [
                dumps({key: ident, number: count, "total": sum_}),
                dumps({"total": sum_, "currency": one.kind[2:]}),
                f"Total for {count}: {sum_} {one.kind[2:]}",
            ]
        )
        steps: list[Step] = []
        if thing in self.finders() and rng.chance(0.6):
            ref, searched = self.spoken(thing, ident)
            if self.found(thing, searched) != [ident]:
                return None
            steps.append(self.search(thing, searched, say.first_id(searched, "en")))
        else:
            ref = (
                rng.some([f"{thing.name} {ident}", str(ident)]) if not str(ident).isdigit() else f"{thing.name} {ident}"
            )
            if rng.chance(0.08):
                wants = Wanted(tool.name, {key: ident}, (number,))
                answer = Answer("The quantity is missing.", "How many do you need?", wants)
                return self.one(
                    "missing", say.dressed(rng, rng.some(_OFFERS).format(n="", x=ref).replace("  ", " ")), [answer]
                )
        said = f"{count} {ref}" if ref.endswith("s") and "the " not in ref else f"{count} of {ref}"
        question = rng.some(
            [rng.some(_OFFERS).format(n=f"{count} of", x=ref), *(form.format(n=count, x=ref) for form in _TOTALS)]
        )
        question = question if rng.chance(0.8) else f"What do {said} cost?"
        steps.append(Call(f"Now the total for {count}.", tool.name, {key: ident, number: count}, observed))
        steps.append(Answer("I have the total.", f"{count} x {ref} cost {sum_} {say.unit_of(one, 'en')}."))
        kind = "chain-total" if len(steps) > 2 else "total"
        return self.one(kind, say.dressed(rng, question), steps)

    def action(self) -> Conversation | None:
        """Something is done: with numbers, with names that are searched first, or with something missing."""
        rng, tools = self.rng, [tool for tool in self.store.actions if tool in self.offered]
        if not tools:
            return None
        tool = rng.some(tools)
        action = tool.action
        assert action is not None
        args, said, steps = self._action_values(action, tool)
        if args is None:
            return None
        question = rng.some(action.questions)
        if rng.chance(0.2):
            return self._action_missing(action, question, said)
        try:
            question = question.format(**said)
        except (KeyError, IndexError):
            return None
        code = f"{rng.some(['N', 'OK', 'X', 'RF'])}-{rng.randrange(100, 9999)}"
        observed = rng.some(
            [
                dumps({"ok": True, "reference": code}),
                dumps({"done": True, "confirmation": code}),
                f"Done. Confirmation {code}.",
            ]
        )
        about = action.description[:1].lower() + action.description[1:].rstrip(".")
        steps.append(Call(f"The user asks for this: {about}.", tool.name, args, observed))
        steps.append(
            Answer("It is done.", rng.some([f"Done. The confirmation is {code}.", f"That is done (reference {code})."]))
        )
        return self.one("chain-action" if len(steps) > 2 else "action", question, steps)

    def _action_values(self, action: Action, tool: Tool) -> tuple[dict[str, Any] | None, dict[str, str], list[Step]]:
        rng, args, said, steps = self.rng, dict[str, Any](), dict[str, str](), list[Step]()
        for part, param in zip(action.parameters, tool.params, strict=False):
            if len(part) == 2:
                thing = self.store.company.thing(part[0])
                value = self.some_id(thing)
                said[part[0]] = f"{part[0]} {value}"
                if thing in self.finders() and rng.chance(0.6):
                    name = self.said_name(thing, value)
                    if self.found(thing, name) != [value]:
                        return None, said, steps
                    steps.append(self.search(thing, name, say.first_id(name, "en")))
                    said[part[0]] = name
            elif part[1] == "d":
                value = day(rng, 0, 1)
                said[part[0]] = say_day(rng, value)
            elif part[1] == "t":
                value = clock(rng)
                said[part[0]] = say_time(rng, value)
            elif part[1] == "i":
                value = rng.randrange(2, 40) if part[0] != "amount" else rng.randrange(50, 5000)
                said[part[0]] = str(value)
            else:
                value = person(rng) if part[1] == "p" else rng.some(REASONS)
                said[part[0]] = value
            args[param.name] = value
        return args, said, steps

    def _action_missing(self, action: Action, question: str, said: dict[str, str]) -> Conversation | None:
        things = [part for part in action.parameters if len(part) == 2]
        if not things:
            return None
        part = self.rng.some(things)
        said = {**said, part[0]: f"the {part[0]}"}
        try:
            question = question.format(**said)
        except (KeyError, IndexError):
            return None
        back = self.rng.some([f"Which {part[0]} do you mean?", f"Could you tell me which {part[0]} it is?"])
        return self.one("missing", question, [Answer(f"It was not said which {part[0]}.", back)])

    def theirs(self) -> Conversation | None:
        """What belongs to somebody: asked for by name, or in a question that goes on from one about them."""
        rng = self.rng
        choices = [
            (thing, tool, target)
            for thing in self.offered_of(self.store.lists)
            if (tool := self.store.lists[thing.name]).by is not None and tool.by.target
            if (target := self.store.company.thing(tool.by.target)).names
        ]
        if not choices:
            return None
        thing, tool, target = rng.some(choices)
        ident, by = self.some_id(target), tool.by
        assert by is not None
        name, found = self.record(target, ident)["name"], self.store.records[thing.name].items()
        rows = [self.store.row(thing, each, tool.shown) for each, row in found if row[by.key] == ident]
        observed = write_rows(rows, "json")
        if len(observed) > MAX_SHOWN:
            return None
        listed = ", ".join(self.labelled(thing, row) for row in rows)
        text = f"{name} has {len(rows)}: {listed}." if rows else f"{name} has no {thing.plural}."
        listing = Call(
            f"The user wants the {thing.plural} of {name}.",
            tool.name,
            {tool.params[0].name: name if tool.by_name else ident},
            observed,
        )
        answer = Answer("I have the list." if rows else "There are none.", text)
        steps: list[Step] = [listing, answer]
        known = target.name in self.store.named or target not in self.finders()
        if rng.chance(0.5) and self.readable(target) and not known:
            one = rng.some(self.readable(target))
            search = self.search(target, name, say.first_id(name, "en"))
            read = self.read(target, one, ident, say.now_for(one, ident, "en"))
            told = Answer(say.have(one, "en"), say.tell(one, name, self.record(target, ident)[one.key], "en"))
            asked = Exchange(say.ask(rng, one, name, "en"), (search, read, told))
            later = rng.some(
                [
                    f"And which {thing.plural} do they have?",
                    f"Which {thing.plural} are theirs?",
                    f"Show me their {thing.plural}.",
                ]
            )
            return Conversation("follow-theirs", (asked, Exchange(later, tuple(steps))))
        if not tool.by_name:
            if known:
                return None
            steps.insert(0, self.search(target, name, say.first_id(name, "en")))
        question = rng.some(
            [
                f"Which {thing.plural} does {name} have?",
                f"Show me the {thing.plural} of {name}.",
                f"How many {thing.plural} are there for {name}?",
            ]
        )
        return self.one("chain-theirs" if len(steps) > 2 else "list", say.dressed(rng, question), steps)

    def onward(self, usable: list[Utility]) -> Conversation | None:
        """A record's figure, place or day, then another tool with it."""
        return next(filter(None, (self._onward(usable) for _ in range(8))), None)

    def _onward(self, usable: list[Utility]) -> Conversation | None:
        made = (self.by_name if self.rng.chance(0.6) else self.single)()
        if made is None or made.language != "en" or len(made.exchanges) != 1:
            return None
        *calls, answer = made.exchanges[0].steps
        last = calls[-1]
        if not isinstance(last, Call) or not isinstance(answer, Answer):
            return None
        pair = self._read_by(last, answer)
        if pair is None:
            return None
        one, value = pair
        further = self._further(one, value, {each.make.__name__: each.tool for each in usable})
        if further is None:
            return None
        words, call, text = further
        question = made.exchanges[0].question.rstrip("?. !") + words
        steps = (*calls, call, Answer("I have both.", f"{answer.text} {text}"))
        return Conversation("chain-onward", (Exchange(question, steps),))

    def _read_by(self, last: Call, answer: Answer) -> tuple[Attribute, Any] | None:
        """The attribute that the last call was made for, and its value."""
        for thing in self.store.company.things:
            for one in self.readable(thing):
                if one.label in answer.thought and self.store.get[thing.name, one.key].name == last.tool:
                    key = next(iter(last.args.values()))
                    rows = self.store.records[thing.name]
                    ident = (
                        key
                        if key in rows
                        else next((each for each, row in rows.items() if row.get("name") == key), None)
                    )
                    return None if ident is None else (one, rows[ident][one.key])
        return None

    def _further(self, one: Attribute, value: Any, tools: dict[str, Tool]) -> tuple[str, Call, str] | None:
        rng = self.rng
        if one.kind.startswith("m:") and "exchange" in tools:
            target = rng.some([code for code in CURRENCIES if code != one.kind[2:]])
            result, name = tidy(value * rng.uniform(0.3, 9)), CURRENCIES[target][0]
            args = args_of(tools["exchange"], value, one.kind[2:], target)
            call = Call(
                f"Now {value} {one.kind[2:]} in {target}.",
                tools["exchange"].name,
                args,
                dumps({"result": result, "currency": target}),
            )
            return (
                rng.some([f", and how much is that in {name}?", f"? Please tell me in {name}, too."]),
                call,
                f"That is {result} {name}.",
            )
        if one.kind == "l" and "weather" in tools and rng.chance(0.5):
            when, said = coming_day(rng)
            high = rng.randrange(5, 33)
            call = Call(
                f"Now the weather in {value}.",
                tools["weather"].name,
                args_of(tools["weather"], value, when),
                dumps({"sky": "cloudy", "high_c": high}),
            )
            return (
                f", and how warm will it be there {said}?",
                call,
                f"It will be cloudy there on {when}, up to {high} °C.",
            )
        if one.kind == "l" and "time_in" in tools:
            time = clock(rng)
            call = Call(
                f"Now the time in {value}.",
                tools["time_in"].name,
                args_of(tools["time_in"], value),
                dumps({"time": time}),
            )
            return ", and what time is it there now?", call, f"It is {time} there."
        if one.kind == "d" and "days_between" in tools:
            today = rng.today.isoformat()
            count = abs((datetime.date.fromisoformat(value) - rng.today).days)
            args = args_of(tools["days_between"], *sorted([today, value]))
            call = Call(
                f"Now the days between {today} and {value}.", tools["days_between"].name, args, dumps({"days": count})
            )
            return ", and how many days is that from today?", call, f"That is {count} days from today."
        return None
