"""Conversations about records: one attribute, by name, from thing to thing, what is missing, unknown or empty."""

from typing import Any

from training.data import phrases as say
from training.data.catalogue import Record, Store, Tool, write_rows
from training.data.companies import Attribute, Thing
from training.data.conversation import Answer, Call, Conversation, Exchange, Language, Step
from training.data.values import Rng

Pair = tuple[Thing, Attribute]


class Talk:
    """What can be talked about: one store, and the tools of it that are on offer."""

    def __init__(self, rng: Rng, store: Store, offered: frozenset[Tool]) -> None:
        self.rng, self.store, self.offered = rng, store, offered

    def language(self) -> Language:
        return self.rng.choices(("en", "de", "zh"), (66, 20, 14))[0]

    def readable(self, thing: Thing) -> list[Attribute]:
        return [one for one in thing.attributes if self.store.get.get((thing.name, one.key)) in self.offered]

    def pick(self) -> Pair | None:
        pairs = [(thing, one) for thing in self.store.company.things for one in self.readable(thing)]
        return self.rng.some(pairs) if pairs else None

    def finders(self) -> list[Thing]:
        return [thing for thing in self.store.company.things if self.store.find.get(thing.name) in self.offered]

    def some_id(self, thing: Thing) -> Any:
        return self.rng.some(list(self.store.records[thing.name]))

    def record(self, thing: Thing, ident: Any) -> Record:
        return self.store.records[thing.name][ident]

    def name_of(self, thing: Thing, ident: Any) -> str | None:
        """The name that its tool wants; None where that is the number."""
        return self.record(thing, ident)["name"] if thing.name in self.store.named else None

    def read(self, thing: Thing, one: Attribute, ident: Any, thought: str) -> Call:
        tool = self.store.get[thing.name, one.key]
        given = self.record(thing, ident)["name"] if tool.by_name else ident
        return Call(thought, tool.name, {tool.params[0].name: given}, self.store.observe(tool, ident))

    def found(self, thing: Thing, text: str) -> list[Any]:
        rows = self.store.records[thing.name]
        return [ident for ident, row in rows.items() if text.casefold() in row["name"].casefold()]

    def search(self, thing: Thing, text: str, thought: str, idents: list[Any] | None = None) -> Call:
        tool = self.store.find[thing.name]
        idents = self.found(thing, text) if idents is None else idents
        rows = [self.store.row(thing, ident, tool.shown) for ident in idents]
        return Call(thought, tool.name, {tool.params[0].name: text}, write_rows(rows, tool.form))

    def said_name(self, thing: Thing, ident: Any) -> str:
        """A name as people say it: whole, in part or in small letters, as long as it means this record alone."""
        name = self.record(thing, ident)["name"]
        forms = [name, name, name]
        if " " in name:
            forms.append(self.rng.some(name.split()) if thing.names == "Person" else max(name.split(), key=len))
        if thing.names != "Person":
            forms.append(name.lower())
        said = self.rng.some(forms)
        return said if self.found(thing, said) == [ident] else name

    def spoken(self, thing: Thing, ident: Any) -> tuple[str, str]:
        """How a record is spoken of, and the words it is searched by: goods are spoken of in the plural, too."""
        said = self.said_name(thing, ident)
        if thing.name != "article":
            return said, said
        plain = self.record(thing, ident)["name"].lower()
        return self.rng.some([f"{plain}s", f"{plain}s", f"the {plain}", f"our {plain}s", plain]), plain

    def one(self, kind: str, question: str, steps: list[Step], language: Language = "en") -> Conversation:
        return Conversation(kind, (Exchange(question, tuple(steps)),), language)

    # One call

    def single(self) -> Conversation | None:
        if (pair := self.pick()) is None:
            return None
        thing, one = pair
        ident, language = self.some_id(thing), self.language()
        name = self.name_of(thing, ident)
        ref, value = say.refer(self.rng, thing, ident, name, language), self.record(thing, ident)[one.key]
        steps: list[Step] = [self.read(thing, one, ident, say.wants(one, name or ident, language))]
        steps.append(Answer(say.have(one, language), say.tell(one, ref, value, language)))
        return self.one("single", say.ask(self.rng, one, ref, language), steps, language)

    def pair(self) -> Conversation | None:
        """Two attributes of one record, by one call or two."""
        if (pair := self.pick()) is None:
            return None
        thing, one = pair
        others = [other for other in self.readable(thing) if other is not one]
        if not others:
            return None
        other, ident = self.rng.some(others), self.some_id(thing)
        name, record = self.name_of(thing, ident), self.record(thing, ident)
        ref = say.refer(self.rng, thing, ident, name, "en")
        question = self.rng.some(
            [
                f"What are the {one.label} and the {other.label} of {ref}?",
                f"I need the {one.label} of {ref}, and its {other.label} too.",
                say.capital(one.questions[0].replace("{e}", ref)).rstrip("?") + f", and what is the {other.label}?",
            ]
        )
        steps: list[Step] = [
            self.read(thing, one, ident, f"The user wants {one.label} and {other.label} of {name or ident}.")
        ]
        if self.store.get[thing.name, one.key] is not self.store.get[thing.name, other.key]:
            steps.append(self.read(thing, other, ident, say.now_for(other, name or ident, "en")))
        told = say.tell(one, ref, record[one.key], "en").rstrip(".")
        steps.append(
            Answer("I have both.", f"{told}, and the {other.label} is {say.with_unit(record[other.key], other)}.")
        )
        return self.one("pair", say.dressed(self.rng, question), steps)

    # Chains

    def by_name(self) -> Conversation | None:
        """A name where the tool wants a number: search first, then read what the search does not show."""
        things = [thing for thing in self.finders() if self.readable(thing)]
        if not things:
            return None
        rng, thing = self.rng, self.rng.some(things)
        ident, language = self.some_id(thing), self.language()
        ref, said = self.spoken(thing, ident)
        if self.found(thing, said) != [ident]:
            return None
        shown = self.store.find[thing.name].shown
        unseen = [one for one in self.readable(thing) if one not in shown]
        known = not unseen or rng.chance(0.3)
        every = [one for one in self.readable(thing) if one in shown] if known else unseen
        if not every:
            return None
        one = rng.some(every)
        name, value = self.record(thing, ident)["name"], self.record(thing, ident)[one.key]
        if language == "en" and ref == said:
            ref = rng.some([said, said, f"our {thing.name} {said}", f"the {thing.name} {said}"])
        ref = ref if language == "en" else said
        thought = say.wants(one, said, language) if known else say.first_id(said, language)
        steps: list[Step] = [self.search(thing, said, thought)]
        if not known:
            steps.append(self.read(thing, one, ident, say.now_for(one, ident, language)))
        steps.append(Answer(say.have(one, language), say.tell(one, name, value, language)))
        return self.one("found" if known else "chain-name", say.ask(rng, one, ref, language), steps, language)

    def link(self) -> Conversation | None:
        """From one record to another; by a name that is three calls in a row."""
        rng = self.rng
        pairs = [
            (thing, one, target)
            for thing in self.store.company.things
            for one in self.readable(thing)
            if one.target and (target := self.store.company.thing(one.target)).name not in self.store.named
            if self.readable(target)
        ]
        if not pairs:
            return None
        named = [each for each in pairs if each[0] in self.finders()]
        thing, one, target = rng.some(named if named and rng.chance(0.7) else pairs)
        other, ident, language = rng.some(self.readable(target)), self.some_id(thing), self.language()
        record = self.record(thing, ident)
        linked = record[one.key]
        value, name = self.record(target, linked)[other.key], self.name_of(thing, ident)
        steps: list[Step] = []
        searched = thing in self.finders() and rng.chance(0.75)
        if searched:
            said = self.said_name(thing, ident)
            if self.found(thing, said) != [ident]:
                return None
            steps.append(self.search(thing, said, say.first_id(said, language)))
            ref = said
        else:
            ref = say.refer(rng, thing, ident, name, language)
        steps.append(self.read(thing, one, ident, say.now_for(one, name or ident, language)))
        steps.append(self.read(target, other, linked, say.now_for(other, linked, language)))
        question, answer = self._link_words((thing, one), (target, other), ref, (linked, value), language)
        steps.append(Answer(say.have(other, language), answer))
        return self.one("chain-three" if searched else "chain-link", question, steps, language)

    def _link_words(
        self, start: Pair, end: Pair, ref: str, values: tuple[Any, Any], language: Language
    ) -> tuple[str, str]:
        rng, (_, one), (target, other) = self.rng, start, end
        linked, value = values
        if language == "zh":
            whole = f"{ref}的{one.chinese}的{other.chinese}"
            return rng.some(
                say.CHINESE_OPENINGS
            ) + f"{whole}是什么？", f"{ref}的{one.chinese}是{linked}，{other.chinese}是{value}。"
        if language == "de":
            question = f"Was ist {other.german} von {accusative_of(one.german)} von {ref}?"
            if rng.chance(0.5):
                question = (
                    f"Ich brauche zu {ref} {say.accusative(one.german)} und davon {say.accusative(other.german)}."
                )
            told = say.tell(one, ref, linked, language)
            return question, f"{told} {say.tell(other, str(linked), value, language)}"
        both = rng.chance(0.3)
        if both:
            asked = say.capital(rng.some(one.questions).replace("{e}", ref)).rstrip("?")
            question = f"{asked}, and what is the {other.label} of that {target.name}?"
        else:
            phrase = (
                f"the {target.name} of {ref}"
                if one.label == target.name or rng.chance(0.5)
                else f"the {one.label} of {ref}"
            )
            question = say.capital(
                rng.some([*other.questions, f"What is the {other.label} of {{e}}?"]).replace("{e}", phrase)
            )
        told = say.tell(one, ref, linked, "en") + " " if both or rng.chance(0.3) else ""
        return say.dressed(rng, question), told + say.tell(other, f"{target.name} {linked}", value, "en")

    def two(self) -> Conversation | None:
        """The same of two records; by their names that is four calls."""
        rng = self.rng
        if (pair := self.pick()) is None or not (pair[1].is_number or pair[1].kind == "d"):
            return None
        thing, one = pair
        idents = list(self.store.records[thing.name])
        if len(idents) < 2:
            return None
        ids = rng.sample(idents, 2)
        values = [self.record(thing, ident)[one.key] for ident in ids]
        if values[0] == values[1]:
            return None
        named = thing.name in self.store.named
        searched = not named and thing in self.finders() and rng.chance(0.5)
        if searched and any(self.found(thing, self.record(thing, ident)["name"]) != [ident] for ident in ids):
            return None
        refs = [self.record(thing, ident)["name"] if named or searched else str(ident) for ident in ids]
        steps: list[Step] = []
        for ident, ref in zip(ids, refs, strict=True):
            if searched:
                steps.append(self.search(thing, ref, say.first_id(ref, "en")))
            steps.append(self.read(thing, one, ident, f"Now the {one.label} of {ref}."))
        word = "later" if one.kind == "d" else "higher"
        best = refs[0] if values[0] > values[1] else refs[1]
        if rng.chance(0.6):
            question = rng.some(
                [
                    f"Which has the {word} {one.label}, {refs[0]} or {refs[1]}?",
                    f"{refs[0]} or {refs[1]}: whose {one.label} is {word}?",
                    f"Compare the {one.label} of {refs[0]} and {refs[1]}.",
                ]
            )
            text = f"{best} has the {word} {one.label}: {refs[0]} has {values[0]}, {refs[1]} has {values[1]}."
        else:
            question = f"What is the {one.label} of {refs[0]} and of {refs[1]}?"
            text = f"The {one.label} of {refs[0]} is {values[0]}, that of {refs[1]} is {values[1]}."
        return self.one(
            "chain-two" if searched else "two", say.dressed(rng, question), [*steps, Answer("I have both.", text)]
        )


def accusative_of(noun: str) -> str:
    """A German noun after "von"."""
    return (
        noun.replace("der ", "dem ", 1).replace("das ", "dem ", 1)
        if noun[:4] in ("der ", "das ")
        else noun.replace("die ", "der ", 1)
    )
