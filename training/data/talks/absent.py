"""Conversations about what is not there: unknown records, empty fields, several hits, missing subjects."""

from training.data import phrases as say
from training.data.catalogue import write_rows
from training.data.companies import Attribute, Thing
from training.data.conversation import Answer, Call, Conversation, Exchange, Language, Step, Wanted
from training.data.talks.records import Talk
from training.data.values import Rng, dumps, person


class AbsentTalk(Talk):
    """What cannot be told, on top of what can."""

    def unknown(self) -> Conversation | None:
        """No such record: by a name that finds nothing, or a number that does not exist."""
        rng, language = self.rng, self.language()
        things = [thing for thing in self.finders() if self.readable(thing)]
        if things and rng.chance(0.6):
            thing = rng.some(things)
            one = rng.some(self.readable(thing))
            name = (
                person(rng)
                if thing.names == "Person"
                else rng.some(["Silver Meadow", "North Star", "Old Bridge", "Blue Fox"])
            )
            if self.found(thing, name):
                return None
            call = self.search(thing, name, say.first_id(name, language))
            got = self.store.get[thing.name, one.key]
            wants = Wanted(got.name, {}, (got.params[0].name,))
            answer = Answer(say.nothing_thought(language), say.not_found(rng, name, language), wants)
            return self.one("unknown", say.ask(rng, one, name, language), [call, answer], language)
        if (pair := self.pick()) is None or pair[0].name in self.store.named:
            return None
        thing, one = pair
        ident = self.store.new_id(thing)
        if ident in self.store.records[thing.name]:
            return None
        tool = self.store.get[thing.name, one.key]
        told = rng.some(
            [f"There is no {thing.name} {ident}.", f"{thing.name} {ident} not found", f"Unknown {thing.name}: {ident}"]
        )
        thought = say.wants(one, ident, language)
        call = Call(thought, tool.name, {tool.params[0].name: ident}, told, failed=True)
        ref = say.refer(rng, thing, ident, None, language)
        answer = Answer(say.nothing_thought(language), say.not_found(rng, ref, language))
        return self.one("unknown", say.ask(rng, one, ref, language), [call, answer], language)

    def empty(self) -> Conversation | None:
        """The record is there, and what is asked for is not in it."""
        rng, language = self.rng, self.language()
        if (pair := self.pick()) is None:
            return None
        thing, one = pair
        ident = self.some_id(thing)
        name, tool = self.name_of(thing, ident), self.store.get[thing.name, one.key]
        row = self.store.row(thing, ident, tool.shown)
        row[one.key] = None
        if rng.chance(0.5):
            del row[one.key]
            if len(row) < 2:
                return None
        call = Call(
            say.wants(one, name or ident, language), tool.name, {tool.params[0].name: name or ident}, dumps(row)
        )
        ref = say.refer(rng, thing, ident, name, language)
        thought = {"en": "It is not recorded.", "de": "Das ist nicht hinterlegt.", "zh": "没有记录。"}[language]
        answer = Answer(thought, say.not_recorded(one, ref, language))
        return self.one("empty", say.ask(rng, one, ref, language), [call, answer], language)

    def several(self) -> Conversation | None:
        """A search with several hits: the question says which, or the person is asked."""
        rng, things = self.rng, [thing for thing in self.finders() if self.readable(thing)]
        if not things:
            return None
        thing = rng.some(things)
        idents = list(self.store.records[thing.name])
        if len(idents) < 3:
            return None
        some = rng.sample(idents, rng.some([2, 2, 3]))
        shared = (
            rng.some(["Lindqvist", "Weber", "Novak", "Costa"])
            if thing.names == "Person"
            else rng.some(["North", "Grand", "Red"])
        )
        tool, one = self.store.find[thing.name], rng.some(self.readable(thing))
        rows = [self.store.row(thing, ident, tool.shown) for ident in some]
        for row in rows:
            row["name"] = f"{row['name'].split()[0]} {shared}" if thing.names == "Person" else f"{shared} {row['name']}"
        if len({row["name"] for row in rows}) < len(rows):
            return None
        call = Call(say.first_id(shared, "en"), tool.name, {tool.params[0].name: shared}, write_rows(rows, tool.form))
        names = [row["name"] for row in rows]
        if rng.chance(0.6):
            listed = ", ".join(names[:-1]) + f" or {names[-1]}"
            got = self.store.get[thing.name, one.key]
            text = f"Several {thing.plural} fit. Which one do you mean: {listed}?"
            answer = Answer("Several fit; I must ask.", text, Wanted(got.name, {}, (got.params[0].name,)))
            return self.one("several", say.ask(rng, one, shared, "en"), [call, answer])
        unseen = [each for each in self.readable(thing) if each not in tool.shown]
        if not unseen:
            return None
        wanted, one = rng.randrange(len(rows)), rng.some(unseen)
        ident = some[wanted]
        if self.store.get[thing.name, one.key].form == "prose":
            return None
        observed = {**self.store.row(thing, ident, self.store.get[thing.name, one.key].shown), "name": names[wanted]}
        got = self.store.get[thing.name, one.key]
        read = Call(
            f"{names[wanted]} is meant; now the {one.label}.", got.name, {got.params[0].name: ident}, dumps(observed)
        )
        thought = say.first_id(names[wanted], "en")
        call = Call(thought, call.tool, {tool.params[0].name: names[wanted]}, call.observation)
        answer = Answer(say.have(one, "en"), say.tell(one, names[wanted], observed[one.key], "en"))
        return self.one("chain-several", say.ask(rng, one, names[wanted], "en"), [call, read, answer])

    def missing(self) -> Conversation | None:
        """What the tool needs was not said: a question back; now and then answered, and then the call."""
        rng, language = self.rng, self.language()
        if (pair := self.pick()) is None:
            return None
        thing, one = pair
        named = thing.name in self.store.named or thing in self.finders()
        question, thought, back = missing_words(rng, thing, one, named, language)
        ident = self.some_id(thing)
        read = self.read(thing, one, ident, thought)
        asked = Exchange(question, (Answer(thought, back, Wanted(read.tool, {}, tuple(read.args))),))
        if not rng.chance(0.4):
            return Conversation("missing", (asked,), language)
        name, steps = self.name_of(thing, ident), list[Step]()
        told = name or ident
        if not name and thing in self.finders():
            told = self.said_name(thing, ident)
            if self.found(thing, told) != [ident]:
                return None
            steps.append(self.search(thing, told, say.first_id(told, language)))
        steps.append(self.read(thing, one, ident, say.now_for(one, ident, language)))
        steps.append(
            Answer(say.have(one, language), say.tell(one, str(told), self.record(thing, ident)[one.key], language))
        )
        reply = {
            "en": [f"{told}", f"It's {told}.", f"{told}, please."],
            "de": [f"{told}", f"Ich meine {told}."],
            "zh": [f"{told}", f"是{told}。"],
        }
        return Conversation("missing-told", (asked, Exchange(rng.some(reply[language]), tuple(steps))), language)


def missing_words(rng: Rng, thing: Thing, one: Attribute, named: bool, language: Language) -> tuple[str, str, str]:
    """A question without its subject, the thought, and the question back."""
    if language == "zh":
        what = "名称" if named else "编号"
        question = rng.some(
            [f"我想知道一个{thing.chinese}的{one.chinese}。", f"帮我查一下{thing.chinese}的{one.chinese}。"]
        )
        return question, f"缺少{thing.chinese}的{what}。", f"请问是哪个{thing.chinese}？请告诉我{what}。"
    if language == "de":
        what = "den Namen" if named else "die Nummer"
        question = rng.some(
            [
                f"Ich brauche {say.accusative(one.german)} ({thing.german}).",
                f"Wie lautet {one.german} ({thing.german})?",
            ]
        )
        return (
            question,
            f"Es fehlt, worum es geht ({thing.german}).",
            f"Um welchen Eintrag ({thing.german}) geht es? Bitte nenn mir {what}.",
        )
    what = "name" if named else "number"
    question = rng.some(
        [
            f"I need the {one.label} of a {thing.name}.",
            f"What is the {one.label} of the {thing.name}?",
            f"Please check a {thing.name} for its {one.label}.",
            f"I have a question about one of the {thing.plural}: the {one.label}.",
            say.capital(one.questions[0].replace("{e}", f"the {thing.name}")),
            say.capital(one.questions[-1].replace("{e}", f"that {thing.name}")),
        ]
    )
    back = rng.some(
        [
            f"Which {thing.name} do you mean? Please tell me its {what}.",
            f"What is the {what} of the {thing.name}?",
            f"Of which {thing.name}, please? I need its {what}.",
        ]
    )
    return say.dressed(rng, question), f"The {thing.name}'s {what} is missing.", back
