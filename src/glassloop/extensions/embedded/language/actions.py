"""Actions: whether something is to be made, ended, changed, sent, or only looked at.

Told from a tool's name and from an order's verb. Separates near neighbours: `schedule_meeting`, `cancel_meeting` and
`list_meetings` share all words but one.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from glassloop.core.messages import ToolSpec
from glassloop.core.text_terms import stem, word_set
from glassloop.extensions.embedded.language.lexicon.terms import Term

Action = Literal["look", "make", "end", "change", "send", ""]

FITS, DIFFERS, ONLY_LOOKS = 1.2, -1.5, -0.8
_EARLY = 4
_WANTS = re.compile(
    r"\bi(?:['’]d|\s+would)?\s+(?:want|need|like)\s+to\b|\bich\s+(?:möchte|will|würde)\b|我(?:想|要)", re.IGNORECASE
)
_WORDS: Mapping[Action, str] = {
    "look": "list show find search get check look lookup track display see read recall compare query fetch",
    "make": "create make add schedule book reserve arrange submit file request order open register plan start new "
    "remember save put buy report organize enter log set_up write_down note",
    "end": "cancel delete remove drop forget stop revoke call_off close take_off",
    "change": "update change edit move reschedule postpone set adjust renew extend modify turn_on turn_off switch "
    "approve reject assign",
    "send": "send notify transfer pay refund reimburse share email tell give_back money_back",
}

_VERBS: Mapping[Action, frozenset[str]] = {
    action: frozenset(map(stem, word_set(words))) for action, words in _WORDS.items()
}


def action_of_tool(spec: ToolSpec, named: Sequence[str], described: Sequence[str]) -> Action:
    """By the first verb of its name, else of its description; what only reads is looked at."""
    if spec.effect == "read":
        return "look"
    return _first((*named, *described[:3]))


def action_of_question(text: str, terms: Iterable[tuple[str, Term]], *, asks: bool) -> Action:
    """By the verb an order begins with; a question only wants to see. A plural (`books`) is no verb."""
    if asks:
        return "look"
    for word, meant in list(terms)[:_EARLY]:
        if re.search(rf"\b{re.escape(word)}s\b", text, re.IGNORECASE):
            continue
        sure = [key for key in (word, *meant) if key == word or meant[key] > 0.9]
        if found := _first(sure) or _first([key for key, weight in meant.items() if weight > 0.6]):
            return found
    return "make" if _WANTS.search(text) else ""


def action_fit(wanted: Action, tool: Action) -> float:
    """What the two say about each other; nothing where one of them is not known."""
    if not wanted or not tool:
        return 0.0
    if wanted == tool:
        return 0.0 if wanted == "look" else FITS
    if wanted == "look":
        return 0.0  # Effects already count less for a question.
    return ONLY_LOOKS if tool == "look" else DIFFERS


def _first(words: Iterable[str]) -> Action:
    for word in words:
        for action, verbs in _VERBS.items():
            if word in verbs:
                return action
    return ""
