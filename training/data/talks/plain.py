"""Questions that need no tool, read from `plain.txt`: small talk, general knowledge, wording; and what no tool does."""

from functools import cache
from pathlib import Path
from typing import Final

from training.data.conversation import Answer, Conversation, Exchange
from training.data.days import MONTHS
from training.data.phrases import dressed
from training.data.values import Rng, person

_THOUGHTS: Final = {
    "talk": "Small talk; no tool is needed.",
    "fact": "This is general knowledge.",
    "spelling": "This is a question of spelling.",
    "wording": "This is a matter of wording.",
    "idea": "No tool is needed.",
}
_CANNOT: Final = (
    ("Please book me a taxi to the airport.", "book taxis"),
    ("Order a pizza for lunch.", "order food"),
    ("Play some jazz.", "play music"),
    ("Turn off the lights in the corridor.", "switch lights"),
    ("Print the list twice.", "print"),
    ("Take a photo of the entrance.", "take photos"),
    ("Transfer 300 euros to my savings.", "transfer money"),
    ("Call the plumber and tell him to come.", "make phone calls"),
    ("Scan this receipt for me.", "scan papers"),
    ("Unlock the side door.", "open doors"),
    ("Water the plants in the lobby.", "water plants"),
    ("Buy ten shares for me.", "buy shares"),
    ("Bestell mir bitte ein Taxi.", ""),
    ("Dreh die Heizung im Flur auf.", ""),
    ("帮我订一份外卖。", ""),
    ("把走廊的灯关掉。", ""),
)
_UNKNOWN: Final = (
    ("How many people live in our town right now?", "how many people live in the town now"),
    ("What did we earn in {month}?", "what was earned in {month}"),
    ("How many calls did {person} take yesterday?", "how many calls {person} took"),
    ("What is the wifi password on the third floor?", "that password"),
    ("What will our turnover be next year?", "next year's turnover"),
    ("How many steps did I walk today?", "how many steps you walked"),
    ("What is the average age of our visitors?", "the average age of the visitors"),
    ("How much does {person} earn?", "what {person} earns"),
    ("What is the market share of our largest rival?", "a rival's market share"),
    ("How much electricity did the kitchen use in {month}?", "the kitchen's use of electricity"),
)


@cache
def _pairs() -> tuple[tuple[str, str, str], ...]:
    text = (Path(__file__).parent / "plain.txt").read_text("utf-8")
    return tuple((kind, question, answer) for kind, question, answer in (line.split("|") for line in text.splitlines()))


def plain(rng: Rng) -> Conversation:
    kind, question, answer = rng.some(_pairs())
    return Conversation("plain", (Exchange(question, (Answer(_THOUGHTS[kind], answer),)),))


def cannot(rng: Rng) -> Conversation:
    """Something to do that no tool does."""
    question, what = rng.some(_CANNOT)
    if what:
        text = rng.some(
            [f"I'm sorry, I cannot {what} with the tools I have.", f"I have no tool to {what}, so I cannot do that."]
        )
        return Conversation("cannot", (Exchange(dressed(rng, question), (Answer("No tool does that.", text),)),))
    if question.isascii() or "ö" in question or "ß" in question or question[0] in "BD":
        return Conversation(
            "cannot",
            (
                Exchange(
                    question,
                    (Answer("Dafür gibt es kein Werkzeug.", "Das kann ich mit meinen Werkzeugen leider nicht."),),
                ),
            ),
            "de",
        )
    return Conversation(
        "cannot", (Exchange(question, (Answer("没有这样的工具。", "抱歉，我的工具做不到这件事。"),)),), "zh"
    )


def unknown_figure(rng: Rng) -> Conversation:
    """A figure that no tool tells: said so, never made up."""
    question, what = rng.some(_UNKNOWN)
    said = {"month": rng.some(MONTHS), "person": person(rng)}
    what = what.format(**said)
    text = rng.some(
        [
            f"I don't know {what}, and no tool of mine tells it.",
            f"I have no tool that tells {what}, so I cannot give you a figure.",
        ]
    )
    return Conversation(
        "no-figure", (Exchange(dressed(rng, question.format(**said)), (Answer("No tool tells that.", text),)),)
    )
