"""Small sums that need no tool: percentages, times, change, shares, totals; the thought computes them step by step."""

from collections.abc import Callable
from typing import Final

from training.data.conversation import Answer, Conversation, Exchange, Language
from training.data.phrases import typed
from training.data.values import Rng, tidy

Sum = tuple[dict[Language, tuple[str, ...]], str, str]
"""Questions by language, the thought, and the result with its unit."""


def _percent(rng: Rng) -> Sum:
    share, whole = rng.some([5, 10, 12, 15, 20, 25, 30, 40, 60, 75]), rng.randint(2, 90) * rng.some([10, 20, 50])
    result = tidy(whole * share / 100)
    asked: dict[Language, tuple[str, ...]] = {
        "en": (
            f"what is {share}% of {whole}?",
            f"{share} percent of {whole}",
            f"how much is {share} per cent of {whole}",
        ),
        "de": (f"Wie viel sind {share} % von {whole}?", f"{share} Prozent von {whole}?"),
        "zh": (f"{whole}的{share}%是多少？",),
    }
    return asked, f"{whole} × {share} = {whole * share}; divided by 100 that is {result}.", f"{result}"


def _less(rng: Rng) -> Sum:
    share, price = rng.some([5, 10, 15, 20, 25, 30, 50]), rng.randint(2, 40) * 10
    off = tidy(price * share / 100)
    asked: dict[Language, tuple[str, ...]] = {
        "en": (f"{price} euros less {share} percent, what's left to pay?", f"price with {share}% off {price}?"),
        "de": (f"{price} Euro minus {share} Prozent Rabatt, was bleibt?",),
        "zh": (f"{price}元打折，减{share}%，要付多少？",),
    }
    return asked, f"{share}% of {price} is {off}; {price} - {off} = {tidy(price - off)}.", f"{tidy(price - off)}"


def _minutes(rng: Rng) -> Sum:
    hours, rest, word = rng.randint(1, 9), *rng.some([(30, "a half"), (15, "a quarter"), (45, "three quarters")])
    result = hours * 60 + rest
    asked: dict[Language, tuple[str, ...]] = {
        "en": (f"how many minutes are {hours} and {word} hours?", f"{hours} hours {rest} minutes, in minutes?"),
        "de": (f"Wie viele Minuten sind {hours} Stunden und {rest} Minuten?",),
        "zh": (f"{hours}小时{rest}分钟一共是多少分钟？",),
    }
    return asked, f"{hours} × 60 = {hours * 60}, plus {rest} is {result}.", f"{result}"


def _change(rng: Rng) -> Sum:
    note = rng.some([10, 20, 50, 100])
    price = tidy(rng.randint(2, note * 10 - 5) / 10)
    result = tidy(note - price)
    asked: dict[Language, tuple[str, ...]] = {
        "en": (
            f"it costs {price} and I pay with a {note}, how much do I get back?",
            f"change from {note} for {price}?",
        ),
        "de": (f"Es kostet {price}, ich zahle mit {note}. Wie viel bekomme ich zurück?",),
        "zh": (f"价格{price}元，我付{note}元，找回多少？",),
    }
    return asked, f"{note} - {price} = {result}.", f"{result}"


def _times(rng: Rng) -> Sum:
    boxes, each = rng.randint(3, 24), rng.some([4, 6, 8, 10, 12, 15, 20, 25, 36])
    result = boxes * each
    asked: dict[Language, tuple[str, ...]] = {
        "en": (
            f"{boxes} boxes of {each}, how many is that?",
            f"{each} for each of {boxes} tables, how many?",
        ),
        "de": (f"{boxes} Kisten zu je {each} Stück, wie viele sind das?",),
        "zh": (f"每箱{each}个，{boxes}箱一共多少个？",),
    }
    return asked, f"{boxes} × {each} = {result}.", f"{result}"


def _shared(rng: Rng) -> Sum:
    people, each = rng.randint(2, 12), rng.randint(3, 60)
    asked: dict[Language, tuple[str, ...]] = {
        "en": (
            f"{people * each} euros shared by {people} people, what does each pay?",
            f"{people * each} in {people} parts",
        ),
        "de": (f"{people * each} Euro auf {people} Leute verteilt: wie viel zahlt jeder?",),
        "zh": (f"{people * each}元由{people}个人平分，每人多少？",),
    }
    return asked, f"{people * each} / {people} = {each}.", f"{each}"


def _added(rng: Rng) -> Sum:
    parts = [rng.randint(3, 250) for _ in range(rng.some([2, 3, 3, 4]))]
    steps, total = [str(parts[0])], parts[0]
    for part in parts[1:]:
        total += part
        steps.append(f"+ {part} = {total}")
    listed = ", ".join(map(str, parts[:-1]))
    asked: dict[Language, tuple[str, ...]] = {
        "en": (f"add {listed} and {parts[-1]} for me", f"what do {listed} and {parts[-1]} make together?"),
        "de": (f"Was ergeben {listed} und {parts[-1]} zusammen?",),
        "zh": (f"{listed.replace(', ', '、')}和{parts[-1]}加起来是多少？",),
    }
    return asked, f"{' '.join(steps)}.", f"{total}"


_SUMS: Final[tuple[Callable[[Rng], Sum], ...]] = (_percent, _less, _minutes, _change, _times, _shared, _added)
_SAID: Final[dict[Language, tuple[str, ...]]] = {
    "en": ("{}.", "That is {}.", "It comes to {}."),
    "de": ("Das sind {}.", "{}."),
    "zh": ("是{}。", "{}。"),
}


def sum_in_head(rng: Rng) -> Conversation:
    asked, thought, result = rng.some(_SUMS)(rng)
    language: Language = rng.some(["en", "en", "en", "de", "zh"])
    question = typed(rng, rng.some(asked[language]), language)
    said = rng.some(_SAID[language]).format(result)
    return Conversation("sum", (Exchange(question, (Answer(thought, said),)),), language)
