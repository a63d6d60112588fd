"""Kinds of companies, read from `companies.txt`: their things, what is known of each, how people ask for it."""

from functools import cache
from pathlib import Path
from typing import Final

import msgspec

FOLDER: Final = Path(__file__).parent
HELD_OUT: Final = frozenset({"garden", "satellite", "auction", "estate"})
"""Companies that no training data is made of."""


class Attribute(msgspec.Struct, frozen=True):
    """Something known of a thing. `kind` is c:a,b (choices), n:low:high:decimals:unit, m:currency, d(ay), t(ime),
    p(erson), l(ocation), e(mail), ph(one) or x:thing (another thing's number)."""

    key: str
    label: str
    chinese: str
    german: str
    kind: str
    questions: tuple[str, ...]
    answer: str

    @property
    def unit(self) -> str:
        return self.kind.split(":")[4] if self.kind.startswith("n:") else ""

    @property
    def is_number(self) -> bool:
        return self.kind[:2] in ("n:", "m:")

    @property
    def target(self) -> str | None:
        return self.kind[2:] if self.kind.startswith("x:") else None


class Thing(msgspec.Struct, frozen=True):
    """A kind of record. `names` is "Person" or the names there are; empty where they only have numbers."""

    name: str
    plural: str
    chinese: str
    german: str
    pattern: str
    names: str
    attributes: tuple[Attribute, ...]


class Action(msgspec.Struct, frozen=True):
    """Something that can be done. Parameters are (thing, ) or (name, kind, label)."""

    name: str
    description: str
    parameters: tuple[tuple[str, ...], ...]
    questions: tuple[str, ...]


class Company(msgspec.Struct, frozen=True):
    key: str
    place: str
    chinese: str
    things: tuple[Thing, ...]
    actions: tuple[Action, ...]

    def thing(self, name: str) -> Thing:
        return next(thing for thing in self.things if thing.name == name)


def _german() -> tuple[dict[str, str], dict[str, str]]:
    labels: dict[str, str] = {}
    things: dict[str, str] = {}
    for line in (FOLDER / "german.txt").read_text("utf-8").splitlines():
        found = things if line.startswith("#") else labels
        found.update(pair.split("=", 1) for pair in line.lstrip("#").split(";") if "=" in pair)  # pyright: ignore
    return labels, things


@cache
def read_companies() -> tuple[Company, ...]:
    labels, things = _german()
    found: list[dict[str, object]] = []
    for line in (FOLDER / "companies.txt").read_text("utf-8").splitlines():
        if not line.strip():
            continue
        fields = line.lstrip("@#!").split("|")
        if line[0] == "@":
            key, place, chinese = fields
            found.append({"key": key, "place": place, "chinese": chinese, "things": [], "actions": []})
        elif line[0] == "#":
            names = fields[4].removeprefix("name:") if len(fields) > 4 else ""
            thing = {"name": fields[0], "plural": fields[1], "chinese": fields[2], "german": things[fields[0]]}
            found[-1]["things"].append({**thing, "pattern": fields[3], "names": names, "attributes": []})  # pyright: ignore
        elif line[0] == "!":
            name, description, parameters, questions = fields
            split = [tuple(part.split(":")) for part in parameters.split(";")]
            action = {"name": name, "description": description, "parameters": split, "questions": questions.split(";")}
            found[-1]["actions"].append(action)  # pyright: ignore
        else:
            key, label, chinese, kind, questions, answer = fields[:6]
            one = {"key": key, "label": label, "chinese": chinese, "german": labels[label], "kind": kind}
            one |= {"questions": questions.split(";"), "answer": answer}
            found[-1]["things"][-1]["attributes"].append(one)  # pyright: ignore
    return tuple(msgspec.convert(found, list[Company], strict=False))
