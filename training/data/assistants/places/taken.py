"""Answers that say which of two areas of one name was taken, where a result says it."""

import re
from functools import wraps
from typing import Final

import msgspec

from training.data.assistants.talk import Ask, MakeTalk, Talk
from training.data.conversation import Answer, Call, Language
from training.data.values import Rng

_TAKEN: Final = re.compile(r"taken as the (\w+); there is also (.+?) \((\w+)\)")
_KINDS: Final = {
    "city": ("city", "die Stadt", "城市"),
    "metro": ("metro area", "die Metropolregion", "都会区"),
    "state": ("state", "der Bundesstaat", "州"),
    "neighborhood": ("neighborhood", "das Viertel", "街区"),
}


def telling_which(make: MakeTalk) -> MakeTalk:
    """The talk, with a sentence about the area after each answer from results that took one of two."""

    @wraps(make)
    def talk(rng: Rng, language: Language) -> Talk:
        inner = make(rng, language)
        taken: dict[str, tuple[str, str]] = {}
        step = next(inner, None)
        while step is not None:
            if isinstance(step, Ask) or (isinstance(step, Call) and isinstance(step.args.get("geo_filter"), dict)):
                taken = {}
            if isinstance(step, Answer) and taken:
                step = msgspec.structs.replace(step, text=step.text + _note(rng, language, taken))
            seen = yield step
            if seen is not None and not seen.failed:
                taken |= {name: (kind, other) for kind, name, other in _TAKEN.findall(seen.text)}
            try:
                step = inner.send(seen)
            except StopIteration:
                return

    return talk


def _note(rng: Rng, language: Language, taken: dict[str, tuple[str, str]]) -> str:
    (kind, other), *_ = taken.values()
    names = list(taken)
    at = {"en": 0, "de": 1, "zh": 2}[language]
    one, two = (_KINDS.get(each, (each,) * 3)[at] for each in (kind, other))
    if language == "zh":
        return rng.some(
            [f"（{'和'.join(names)}按{one}计算，不是{two}。）", f"这里{'和'.join(names)}指{one}，不是{two}。"]
        )
    if language == "de":
        return f" Mit {' und '.join(names)} ist hier {one} gemeint, nicht {two}."
    are = "are" if len(names) > 1 else "is"
    return rng.some(
        [
            f" {' and '.join(names)} {are} taken as the {one}, not the {two}.",
            f" Here {' and '.join(names)} {'mean' if len(names) > 1 else 'means'} the {one}, not the {two}.",
        ]
    )
