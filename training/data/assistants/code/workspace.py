# ruff: noqa: E501
"""What the talks with the code assistant share: the project of the group, wordings, and reading of results."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from training.data.assistants.code.pieces import Piece
from training.data.assistants.code.projects import Project, draw_project
from training.data.assistants.talk import Ask, Seen, call
from training.data.conversation import Answer, Call, Language
from training.data.values import Rng

_OPENINGS: dict[Language, list[str]] = {
    "en": ["hey, ", "quick one: ", "hi! ", "ok so ", "sorry, ", "one question: "],
    "de": ["Kurze Frage: ", "Hallo, ", "Hi, ", "Sag mal, "],
    "zh": ["请问，", "你好，", "想问一下，", "帮我看看，"],
}


class Now:
    """The project that the talks are about."""

    project: ClassVar[Project]


def make_workspace(rng: Rng, above: Path) -> Path:
    """Draws a project and writes it."""
    project = draw_project(rng)
    project.folder = above / project.theme.package
    project.folder.mkdir()
    Now.project = project.restore()
    return project.folder


def fresh() -> Project:
    """The project as it was made: talks change files."""
    return Now.project.restore()


def ask(rng: Rng, language: Language, en: Sequence[str], de: Sequence[str], zh: Sequence[str]) -> Ask:
    """One of the wordings, as people type: with an opening, in lower case, without the mark at the end."""
    text = rng.some({"en": en, "de": de, "zh": zh}[language])
    if rng.random() < 0.2:
        opening = rng.some(_OPENINGS[language])
        text = opening + (_lower(text) if language == "en" else text)
    elif language == "en" and rng.random() < 0.35:
        text = _lower(text)
    if rng.random() < 0.15:
        text = text.rstrip("?？")
    return Ask(text)


def _lower(text: str) -> str:
    """With a small first letter, unless the first word is a name of the code."""
    first = text.split(" ", 1)[0]
    return text if not first.istitle() or "_" in first or first == "I" else text[0].lower() + text[1:]


def find(rng: Rng, name: str) -> Call:
    """Where it is defined."""
    thoughts = [
        f"Where is {name} defined? find_symbol tells file and line.",
        f"Find the definition of {name}.",
        f"I need the place of {name} first.",
        f"{name} is a name in the code: find_symbol.",
    ]
    return call(rng.some(thoughts), "find_symbol", name=name)


def uses(rng: Rng, name: str) -> Call:
    """Where it is used."""
    thoughts = [
        f"Who uses {name}? find_references shows calls and imports.",
        f"Uses of {name} in code: find_references.",
        f"All places where {name} is used.",
    ]
    return call(rng.some(thoughts), "find_references", name=name)


def read(rng: Rng, path: str) -> Call:
    """A file, all of it: those of the projects are short."""
    return call(rng.some([f"Read {path}.", f"See what {path} says.", f"Look into {path}."]), "read_file", path=path)


def read_body(rng: Rng, path: str, name: str) -> Call:
    """The file of a function or class, with the constants that it uses."""
    thoughts = [f"Read {path} with {name}.", f"Read what {name} does.", f"Read its code in {path}."]
    return call(rng.some(thoughts), "read_file", path=path)


def unseen(piece: Piece, seen: Seen, among: Sequence[str] = ()) -> list[str]:
    """Constants that a function uses and whose values were not shown; of these names only, if there are any."""
    return [
        name
        for name, value in piece.consts
        if name in seen.text and f"{name} = {value}" not in seen.text and (not among or name in among)
    ]


def values_of(rng: Rng, names: Sequence[str]) -> Call:
    """Where constants get their values: all in one call."""
    if len(names) == 1:
        return find(rng, names[0])
    both = f"{', '.join(names[:-1])} and {names[-1]}"
    thoughts = [f"It uses {both}: their values.", f"The values of {both}, all in one search."]
    return call(rng.some(thoughts), "grep_files", pattern=f"^({'|'.join(names)}) =")


def places(seen: Seen) -> list[tuple[str, int, str]]:
    """Path, line and text of each hit."""
    found = re.findall(r"^(\S+?):(\d+): ?(.*)$", seen.text, re.MULTILINE)
    return [(path, int(line), text.strip()) for path, line, text in found]


def lines_of(seen: Seen) -> list[tuple[int, str]]:
    """The numbered lines of a file that was read."""
    return [(int(number), text) for number, text in re.findall(r"^ *(\d+)\t(.*)$", seen.text, re.MULTILINE)]


def line_with(seen: Seen, part: str, after: int = 0) -> int:
    """The number of the first line that has this part, of those after a line."""
    return next(number for number, text in lines_of(seen) if part in text and number > after)


def clip(text: str, limit: int = 155) -> str:
    """Short enough for a thought."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def ran(seen: Seen) -> int:
    """How many tests ran."""
    found = re.search(r"Ran (\d+) test", seen.text)
    return int(found[1]) if found else 0


def failures(seen: Seen) -> list[str]:
    """The names of the tests that failed."""
    return re.findall(r"^(?:FAIL|ERROR): (\w+)", seen.text, re.MULTILINE)


def outcome(seen: Seen, language: Language) -> tuple[str, str]:
    """What a run of the tests says: for a thought, and as a sentence of an answer."""
    count, failed = ran(seen), failures(seen)
    if not failed:
        return f"Ran {count} tests, OK.", {
            "en": f"I ran the tests: all {count} pass.",
            "de": f"Ich habe die Tests laufen lassen: alle {count} bestehen.",
            "zh": f"运行了测试：{count} 个全部通过。",
        }[language]
    names = ", ".join(f"`{name}`" for name in failed)
    why = "; ".join(f"`{each}`" for each in re.findall(r"^(\w*Error.*)$", seen.text, re.MULTILINE)[:2])
    many = len(failed) > 1
    return f"Ran {count} tests; failed: {', '.join(failed)}. Not run before the change.", {
        "en": f"I ran the tests: of {count}, {names} {'fail' if many else 'fails'} with {why}. I did not run them before, so I cannot say whether this is new.",
        "de": f"Ich habe die Tests laufen lassen: von {count} {'scheitern' if many else 'scheitert'} {names} mit {why}. Vorher liefen sie nicht, ob das neu ist, weiß ich also nicht.",
        "zh": f"运行了测试：{count} 个中 {names} 失败（{why}）。改动前没有运行过，不能确定是否是这次造成的。",
    }[language]


def changed(constant: tuple[str, str, str], place: tuple[str, int], seen: Seen, language: Language) -> Answer:
    """That a constant has another value now (name, old, new), where it stands, and what the run of the tests says."""
    (name, value, wanted), (path, line), (thought, result) = constant, place, outcome(seen, language)
    text = {
        "en": f"`{name}` is now {wanted} (was {value}) in `{path}`, line {line}. ",
        "de": f"`{name}` ist jetzt {wanted} (vorher {value}) in `{path}`, Zeile {line}. ",
        "zh": f"`{path}` 第 {line} 行的 `{name}` 已从 {value} 改为 {wanted}。",
    }
    return Answer(clip(f"Line {line}: {name} = {wanted}. {thought}"), text[language] + result)
