"""Answers that have one of something in the singular. Figures stay as the tools write them."""

import re
from typing import Final

from training.data.conversation import Language

_ENGLISH: Final = {"entries": "entry", "cases": "case", "absences": "absence", "people": "person", "purchase orders":
    "purchase order", "business trips": "business trip", **{f"{one}s": one for one in ("order", "deal", "lead", "mail",
    "employee", "server", "invoice", "customer", "vendor", "alert", "position", "kill", "wipe", "attempt", "death",
    "fight", "time", "visit", "visitor", "slot", "line", "meeting", "day", "week", "minute", "player", "item",
    "mold", "trial", "location")}}  # fmt: skip
_GERMAN: Final = {"Bestellungen": "Bestellung", "Deals": "Deal", "Leads": "Lead", "Mails": "Mail", "Kunden": "Kunde",
    "Rechnungen": "Rechnung", "Kundenrechnungen": "Kundenrechnung", "Lieferantenrechnungen": "Lieferantenrechnung",
    "Lieferanten": "Lieferant", "Alarme": "Alarm", "Personen": "Person", "Besprechungen": "Besprechung",
    "Dienstreisen": "Dienstreise", "Urlaube": "Urlaub", "Termine": "Termin", "Fälle": "Fall", "Tode": "Tod",
    "Kämpfe": "Kampf", "Versuche": "Versuch", "Kills": "Kill", "Wipes": "Wipe", "Standorte": "Standort",
    "Filialen": "Filiale", "Tage": "Tag", "Minuten": "Minute", "Server": "Server"}  # fmt: skip
_MASCULINE: Final = frozenset(
    {"Deal", "Lead", "Kunde", "Lieferant", "Alarm", "Urlaub", "Termin", "Fall", "Tod", "Kampf", "Versuch", "Server"}
)
_EN_VERBS: Final = {"are": "is", "were": "was", "have": "has", "work": "works", "stand": "stands"}
_DE_VERBS: Final = {"sind": "ist", "waren": "war", "wurden": "wurde", "haben": "hat", "stehen": "steht", "gingen":
    "ging", "laufen": "läuft", "arbeiten": "arbeitet", "kamen": "kam"}  # fmt: skip


def _either(words: dict[str, str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_ONE_EN: Final = re.compile(
    rf"(?<![\w.,:/-])1 ((?:[a-z-]+ )??)({_either(_ENGLISH)})\b(?: ({_either(_EN_VERBS)})\b)?(?! of 1\b)"
)
_ONE_DE: Final = re.compile(
    rf"(?:\b({_either(_DE_VERBS)}) )?(?<![\w.,:/-])1 ((?:[a-zäöüß]+ )?)({_either(_GERMAN)})\b"
    rf"(?: ({_either(_DE_VERBS)})\b)?"
)


def worded(text: str, language: Language) -> str:
    """The answer with one of something in the singular."""
    if language == "en":
        return _ONE_EN.sub(_one_english, text)
    return _ONE_DE.sub(_one_german, text) if language == "de" else text


def _one_english(found: re.Match[str]) -> str:
    return f"1 {found[1]}{_ENGLISH[found[2]]}{f' {_EN_VERBS[found[3]]}' if found[3] else ''}"


def _one_german(found: re.Match[str]) -> str:
    before, adjective, noun, after = found.groups()
    one = _GERMAN[noun]
    if one in _MASCULINE and adjective.endswith("e "):
        adjective = f"{adjective[:-1]}r "
    first = f"{_DE_VERBS[before]} " if before else ""
    return f"{first}1 {adjective}{one}{f' {_DE_VERBS[after]}' if after else ''}"
