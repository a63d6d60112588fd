"""Conversations about several records: lists, bounds, long tables, totals, actions, follow-ups."""

from typing import Any

from glassloop.core.loop.observations import SMALL_OBSERVATION_CHARS
from glassloop.core.protocols.result_pages import rows_as_table
from training.data import phrases as say
from training.data.catalogue import Record, Tool, write_rows
from training.data.companies import Thing
from training.data.conversation import Answer, Call, Conversation, Exchange, Step
from training.data.talks.absent import AbsentTalk
from training.data.values import person, tidy

MAX_SHOWN = 480
"""Results up to here are shown whole."""


class ListTalk(AbsentTalk):
    """Lists on top of single records."""

    def labelled(self, thing: Thing, row: Record) -> str:
        ident = row[self.store.id_key[thing.name]]
        return f"{row['name']} ({ident})" if "name" in row else str(ident)

    def offered_of(self, tools: dict[str, Tool]) -> list[Thing]:
        return [thing for thing in self.store.company.things if tools.get(thing.name) in self.offered]

    def listing(self) -> Conversation | None:
        rng, things = self.rng, self.offered_of(self.store.lists)
        if not things:
            return None
        thing = rng.some(things)
        tool, rows = self.store.lists[thing.name], self.store.records[thing.name]
        by = tool.by
        assert by is not None
        value = rng.some([row[by.key] for row in rows.values()])
        some = [self.store.row(thing, ident, tool.shown) for ident, row in rows.items() if row[by.key] == value]
        observed = write_rows(some, "json")
        if len(observed) > MAX_SHOWN:
            return None
        if tool.by_name and by.target:
            value = self.store.records[by.target][value]["name"]
        given = value if tool.params[0].kind == "integer" else str(value)
        call = Call(
            f"The user wants the {thing.plural} with {by.label} {value}.",
            tool.name,
            {tool.params[0].name: given},
            observed,
        )
        where = rng.some([f"with {by.label} {value}", f"whose {by.label} is {value}"])
        kind = rng.some(["which", "count", "best", "best", "then"])
        if kind in ("best", "then") and tool.shown and len(some) > 1:
            return self._best(thing, some, call, where, tool, then=kind == "then")
        names = ", ".join(self.labelled(thing, row) for row in some)
        if kind == "count":
            question = rng.some(
                [f"How many {thing.plural} are there {where}?", f"How many {thing.plural} do we have {where}?"]
            )
        else:
            question = rng.some(
                [
                    f"Which {thing.plural} are there {where}?",
                    f"List the {thing.plural} {where}.",
                    f"Show me all {thing.plural} {where}.",
                ]
            )
        text = f"There {'is' if len(some) == 1 else 'are'} {len(some)}: {names}."
        return self.one("list", say.dressed(rng, question), [call, Answer("I have the list.", text)])

    def _best(
        self, thing: Thing, rows: list[Record], call: Call, where: str, tool: Tool, *, then: bool
    ) -> Conversation | None:
        rng, one, high = self.rng, tool.shown[0], self.rng.chance(0.5)
        best = (max if high else min)(rows, key=lambda row: row[one.key])
        if sum(row[one.key] == best[one.key] for row in rows) > 1:
            return None
        word = "highest" if high else "lowest"
        question = rng.some(
            [
                f"Which {thing.name} {where} has the {word} {one.label}?",
                f"Of the {thing.plural} {where}, which one has the {word} {one.label}?",
            ]
        )
        ident, label = best[self.store.id_key[thing.name]], self.labelled(thing, best)
        others = [other for other in self.readable(thing) if other not in tool.shown and other is not tool.by]
        if not then or not others or thing.name in self.store.named:
            answer = Answer(f"{ident} has the {word} one.", f"{label} has the {word} {one.label}: {best[one.key]}.")
            return self.one("list-best", say.dressed(rng, question), [call, answer])
        other = rng.some(others)
        question = question.rstrip("?") + f", and what is its {other.label}?"
        read = self.read(thing, other, ident, f"{ident} has the {word} {one.label}; now its {other.label}.")
        told = say.with_unit(self.record(thing, ident)[other.key], other)
        text = f"{label} has the {word} {one.label}, {best[one.key]}. Its {other.label} is {told}."
        return self.one("chain-list", say.dressed(rng, question), [call, read, Answer(say.have(other, "en"), text)])

    def bounded(self) -> Conversation | None:
        rng, things = self.rng, self.offered_of(self.store.bounds)
        if not things:
            return None
        thing = rng.some(things)
        tool = self.store.bounds[thing.name]
        one, rows = tool.shown[0], self.store.records[thing.name]
        value = rng.some([row[one.key] for row in rows.values()]) * (0.97 if tool.upward else 1.03)
        value = int(value) if isinstance(next(iter(rows.values()))[one.key], int) else round(value, 1)
        some = [
            self.store.row(thing, ident, tool.shown)
            for ident, row in rows.items()
            if (row[one.key] >= value if tool.upward else row[one.key] <= value)
        ]
        observed = write_rows(some, "json")
        if len(observed) > MAX_SHOWN:
            return None
        word = rng.some(
            ["at least", "no less than", "more than or exactly"]
            if tool.upward
            else ["at most", "no more than", "up to"]
        )
        bound = f"{word} {say.with_unit(value, one)}"
        question = rng.some(
            [
                f"Which {thing.plural} have a {one.label} of {bound}?",
                f"Is there a {thing.name} with a {one.label} of {bound}?",
                f"Find me {thing.plural} with {bound} ({one.label}).",
            ]
        )
        call = Call(f"The user wants {thing.plural} with {bound}.", tool.name, {tool.params[0].name: value}, observed)
        listed = ", ".join(f"{self.labelled(thing, row)} with {row[one.key]}" for row in some)
        text = (
            f"There {'is' if len(some) == 1 else 'are'} {len(some)}: {listed}."
            if some
            else f"No {thing.name} has {bound}."
        )
        return self.one(
            "bound",
            say.dressed(rng, question),
            [call, Answer("I have the list." if some else "Nothing was found.", text)],
        )

    def table(self) -> Conversation | None:
        """A table of up to fifty rows: answered from what is shown, or from the rest, read on by the name."""
        rng, things = (
            self.rng,
            [thing for thing in self.offered_of(self.store.tables) if self.store.tables[thing.name].shown],
        )
        if not things:
            return None
        thing = rng.some(things)
        tool, key = self.store.tables[thing.name], self.store.id_key[thing.name]
        rows = [self.store.row(thing, ident, tool.shown) for ident in self.store.records[thing.name]]
        long = rng.chance(0.6)
        if long:
            rows += self._invented(thing, tool, rng.randrange(14, 50 - len(rows)))
        rng.shuffle(rows)
        observed, one = write_rows(rows, tool.form), rng.some(tool.shown)
        if not long:
            while len(observed) > MAX_SHOWN and len(rows) > 2:
                rows.pop()
                observed = write_rows(rows, tool.form)
            if len(observed) > MAX_SHOWN:
                return None
        row = rng.some(rows[len(rows) // 2 :]) if long else rng.some(rows)
        ref = str(row.get("name") or row[key])
        if observed.count(ref) > 1 or (long and rows_as_table(observed).find(ref) < SMALL_OBSERVATION_CHARS):
            return None
        call = Call(f"The table of {thing.plural} has it.", tool.name, {}, observed)
        steps: list[Step] = [call]
        if long:
            steps.append(Call(f"{ref} is further down.", "read_result", {"result": "r1", "find": ref}, ""))
        steps.append(
            Answer(
                say.have(one, "en"), say.tell(one, ref if "name" in row else f"{thing.name} {ref}", row[one.key], "en")
            )
        )
        question = rng.some(
            [
                f"What {one.label} does the table of {thing.plural} give for {ref}?",
                f"In the overview of all {thing.plural}, what is the {one.label} of {ref}?",
                f"Look at all {thing.plural}: which {one.label} does {ref} have?",
            ]
        )
        if not long and rng.chance(0.5):
            return self._table_best(thing, tool, rows, call)
        return self.one("table-long" if long else "table", question, steps)

    def _table_best(self, thing: Thing, tool: Tool, rows: list[Record], call: Call) -> Conversation | None:
        rng, one, high = self.rng, self.rng.some(tool.shown), self.rng.chance(0.5)
        best = (max if high else min)(rows, key=lambda row: row[one.key])
        if sum(row[one.key] == best[one.key] for row in rows) > 1:
            return None
        word, label = "highest" if high else "lowest", self.labelled(thing, best)
        question = rng.some(
            [
                f"Which {thing.name} has the {word} {one.label} of all?",
                f"Of all our {thing.plural}, which one has the {word} {one.label}?",
            ]
        )
        if rng.chance(0.3):
            question, text = f"How many {thing.plural} do we have in all?", f"There are {len(rows)} {thing.plural}."
            return self.one("table", say.dressed(rng, question), [call, Answer("I can count them.", text)])
        answer = Answer(
            f"{label} has the {word} one.", f"{label} has the {word} {one.label}: {say.with_unit(best[one.key], one)}."
        )
        return self.one("table", say.dressed(rng, question), [call, answer])

    def _invented(self, thing: Thing, tool: Tool, count: int) -> list[Record]:
        made: list[Record] = []
        key, taken = self.store.id_key[thing.name], {row.get("name") for row in self.store.records[thing.name].values()}
        known = set(self.store.records[thing.name])
        for _ in range(count):
            like = self.store.row(thing, self.some_id(thing), tool.shown)
            like[key] = self.store.new_id(thing)
            if like[key] in known:
                continue
            known.add(like[key])
            if "name" in like:
                like["name"] = (
                    person(self.rng) if thing.names == "Person" else f"{like['name']} {self.rng.randrange(2, 99)}"
                )
                if like["name"] in taken:
                    continue
                taken.add(like["name"])
            for one in tool.shown:
                if isinstance(value := like[one.key], int | float):
                    other = value * self.rng.uniform(0.6, 1.4)
                    like[one.key] = round(other) if isinstance(value, int) else tidy(other)
            made.append(like)
        return made

    def follow(self) -> Conversation | None:
        """Questions that go on from those before: another record, another attribute, twice to four times."""
        rng = self.rng
        if (pair := self.pick()) is None:
            return None
        thing, one = pair
        language, searched = self.language(), thing in self.finders() and rng.chance(0.5)
        idents = list(self.store.records[thing.name])
        rng.shuffle(idents)
        exchanges: list[Exchange] = []
        ident = idents[0]
        for number in range(rng.some([2, 2, 2, 3, 3, 4])):
            ref, steps = self._subject(thing, ident, searched)
            if ref is None:
                return None
            if number == 0:
                question = say.ask(rng, one, ref, language)
            elif rng.chance(0.5) and number < len(idents):
                ident = idents[number]
                ref, steps = self._subject(thing, ident, searched)
                if ref is None:
                    return None
                question = _and_for(self, ref, language)
            else:
                others = [other for other in self.readable(thing) if other is not one]
                if not others:
                    return None
                one = rng.some(others)
                if exchanges and searched:
                    # The number is known from before: no search again.
                    steps = []
                question = _and_what(self, one.label, one.german, one.chinese, language)
            steps.append(self.read(thing, one, ident, say.wants(one, ref if searched else ident, language)))
            value = self.record(thing, ident)[one.key]
            steps.append(Answer(say.have(one, language), say.tell(one, str(ref), value, language)))
            exchanges.append(Exchange(question, tuple(steps)))
        return Conversation("follow", tuple(exchanges), language)

    def _subject(self, thing: Thing, ident: Any, searched: bool) -> tuple[str | None, list[Step]]:
        if not searched:
            name = self.name_of(thing, ident)
            return name or f"{thing.name} {ident}", []
        name = self.record(thing, ident)["name"]
        if self.found(thing, name) != [ident]:
            return None, []
        return name, [self.search(thing, name, say.first_id(name, "en"))]


def _and_for(talk: ListTalk, ref: str, language: str) -> str:
    if language == "zh":
        return f"那{ref}呢？"
    if language == "de":
        return talk.rng.some([f"Und {ref}?", f"Und wie ist es bei {ref}?"])
    return talk.rng.some(
        [f"And {ref}?", f"And what about {ref}?", f"The same for {ref}, please.", f"What about {ref}?"]
    )


def _and_what(talk: ListTalk, label: str, german: str, chinese: str, language: str) -> str:
    if language == "zh":
        return talk.rng.some([f"{chinese}呢？", f"那{chinese}是多少？"])
    if language == "de":
        return talk.rng.some([f"Und {german}?", f"Und wie lautet {german}?"])
    return talk.rng.some([f"And the {label}?", f"And what is the {label}?", f"What about the {label}?"])
