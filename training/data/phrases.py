"""Sentences about one attribute of one thing in English, German and Chinese: questions, answers, thoughts."""

import re
from typing import Any, Final

from training.data.companies import Attribute, Thing
from training.data.conversation import Language
from training.data.days import with_spoken_days
from training.data.values import CURRENCIES, Rng

OPENINGS: Final = (
    *[""] * 12,
    *("Hi, ", "Hello! ", "Please tell me: ", "Quick question: ", "One more thing. ", "A customer is on the phone. "),
    *(
        "For my report: ",
        "Sorry to bother you. ",
        "My boss wants to know: ",
        "Could you help me? ",
        "I was just asked this: ",
    ),
)
CLOSINGS: Final = (*[""] * 9, " Thanks!", " Thank you.", " I need it for a call.", " Please be brief.")
FRAMES: Final = (
    "Can you check this: {q}",
    "Could you look that up? {q}",
    "Tell me, please: {q}",
    "{q} Can you find out?",
    "I'd like to know the following. {q}",
)
CHINESE_OPENINGS: Final = ("", "", "", "你好，", "请问", "麻烦查一下，", "帮我看看，", "请告诉我，")
_BRACES: Final = re.compile(r"\{(?:[^{}]|\{[^{}]*\})*\}")
_LONG_WORD: Final = re.compile(r"(?<![\w-])[a-z]{5,}(?![\w-])")
GERMAN_OPENINGS: Final = ("", "", "", "", "Hallo, ", "Guten Tag! ", "Kurze Frage: ", "Bitte sag mir: ")


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def dressed(rng: Rng, question: str) -> str:
    """An English question with what people say around it, now and then without care."""
    if rng.chance(0.1):
        return rng.some(FRAMES).format(q=question)
    opening = rng.some(OPENINGS)
    begins = re.match(
        r"(What|Who|Which|When|Where|How|Is|Are|Does|Do|Has|By|On|In|At|Until|Please|Tell|Show)\b", question
    )
    if opening.endswith(", ") and begins:
        question = question[:1].lower() + question[1:]
    question = opening + question + rng.some(CLOSINGS)
    if rng.chance(0.05) and not re.search(r"[A-Z]+[-_]?\d|[A-Z][a-z]+ [A-Z][a-z]+", question):
        return question.lower()
    if rng.chance(0.04):
        return question.rstrip("?")
    return question


def typed(rng: Rng, question: str, language: Language) -> str:
    """A written question as somebody types it: dates in many forms, now and then careless."""
    question = with_spoken_days(rng, question, language)
    if language != "en":
        return question
    chance = rng.random()
    if chance < 0.1:
        return dressed(rng, question)
    return question.lower().rstrip("?.") if chance < 0.22 else question


def mistyped(rng: Rng, text: str) -> str:
    """A text with two letters of one word exchanged, or one left out; never inside braces."""
    found = list(_LONG_WORD.finditer(_BRACES.sub(lambda part: " " * len(part[0]), text)))
    if not found:
        return text
    at = rng.some(found).start() + rng.randint(1, 3)
    pair = text[at + 1] + text[at] if rng.chance(0.6) else text[at + 1]
    return text[:at] + pair + text[at + 2 :]


def accusative(noun: str) -> str:
    """With its article, and the ending of an adjective: "der offene Betrag" is "den offenen Betrag"."""
    return re.sub(r"^der ((?:[a-zäöü]+e )*)", lambda found: f"den {found[1].replace('e ', 'en ')}", noun)


def unit_of(attribute: Attribute, language: Language) -> str:
    if attribute.kind.startswith("m:"):
        names = CURRENCIES[attribute.kind[2:]]
        return {"en": names[0], "de": names[1], "zh": names[2]}[language]
    return attribute.unit


def with_unit(value: Any, attribute: Attribute, language: Language = "en") -> str:
    unit = unit_of(attribute, language)
    return f"{value} {unit}" if unit else str(value)


def ask(rng: Rng, attribute: Attribute, ref: str, language: Language) -> str:
    """A question for the attribute of what `ref` names."""
    label = attribute.label
    if language == "zh":
        what = "多少" if attribute.is_number else "什么"
        forms = [
            f"{ref}的{attribute.chinese}是{what}？",
            f"我想知道{ref}的{attribute.chinese}。",
            f"{ref}，{attribute.chinese}？",
        ]
        return rng.some(CHINESE_OPENINGS) + rng.some(forms)
    if language == "de":
        noun = attribute.german
        forms = [
            f"Was ist {noun} von {ref}?",
            f"Nenn mir bitte {accusative(noun)} von {ref}.",
            f"Ich brauche {accusative(noun)} von {ref}.",
            f"{ref}: wie lautet {noun}?",
            f"Kannst du {accusative(noun)} von {ref} nachsehen?",
        ]
        return rng.some(GERMAN_OPENINGS) + rng.some(forms)
    forms = [
        *attribute.questions,
        *attribute.questions,
        f"What is the {label} of {{e}}?",
        f"I need the {label} of {{e}}.",
        f"Tell me the {label} of {{e}}.",
        f"{{e}}: what's the {label}?",
    ]
    return dressed(rng, capital(rng.some(forms).replace("{e}", ref)))


def tell(attribute: Attribute, ref: str, value: Any, language: Language) -> str:
    """The answer's sentence."""
    if language == "zh":
        return f"{ref}的{attribute.chinese}是{with_unit(value, attribute, language)}。"
    if language == "de":
        return f"{capital(attribute.german)} von {ref} ist {with_unit(value, attribute, language)}."
    return capital(attribute.answer.replace("{e}", ref).replace("{v}", str(value)))


def label_of(attribute: Attribute, language: Language) -> str:
    return {"en": f"the {attribute.label}", "de": accusative(attribute.german), "zh": attribute.chinese}[language]


def refer(rng: Rng, thing: Thing, ident: Any, name: str | None, language: Language) -> str:
    """How a person names a record: by its name where there is one, else by its number."""
    said = name or str(ident)
    if language == "zh":
        return said if name else f"{thing.chinese}{said}"
    if language == "de":
        return said if name and rng.chance(0.7) else f"{thing.german} {said}"
    if name:
        return rng.some([name, name, f"{thing.name} {name}", f"the {thing.name} {name}"])
    plain = str(ident).isdigit()
    forms = [f"{thing.name} {said}", f"{thing.name} {said}", f"{thing.name} number {said}"]
    return rng.some(forms if plain else [*forms, said])


def wants(attribute: Attribute, ref: Any, language: Language) -> str:
    label = label_of(attribute, language)
    return {
        "en": f"The user wants {label} of {ref}.",
        "de": f"Gefragt ist {attribute.german} von {ref}.",
        "zh": f"用户想知道{ref}的{label}。",
    }[language]


def first_id(name: str, language: Language) -> str:
    return {
        "en": f"First the number of {name}.",
        "de": f"Zuerst die Nummer von {name}.",
        "zh": f"先查{name}的编号。",
    }[language]


def now_for(attribute: Attribute, ref: Any, language: Language) -> str:
    label = label_of(attribute, language)
    return {"en": f"Now {label} of {ref}.", "de": f"Jetzt {label} von {ref}.", "zh": f"现在查{ref}的{label}。"}[
        language
    ]


def have(attribute: Attribute, language: Language) -> str:
    label = label_of(attribute, language)
    return {"en": f"I have {label}.", "de": f"Ich habe {label}.", "zh": f"已查到{label}。"}[language]


def nothing_thought(language: Language) -> str:
    return {"en": "Nothing was found.", "de": "Es wurde nichts gefunden.", "zh": "没有找到。"}[language]


def not_found(rng: Rng, ref: str, language: Language) -> str:
    """An honest answer where there is no such thing."""
    if language == "de":
        return rng.some([f"Zu {ref} habe ich nichts gefunden. Stimmt die Angabe?", f"{ref} wurde nicht gefunden."])
    if language == "zh":
        return rng.some([f"没有找到{ref}，请确认一下。", f"系统中没有{ref}。"])
    return rng.some(
        [
            f"I could not find {ref}. Please check it.",
            f"There is no {ref} here, so I cannot tell you that.",
            f"Nothing was found for {ref}. Could it be written differently?",
        ]
    )


def not_recorded(attribute: Attribute, ref: str, language: Language) -> str:
    label = label_of(attribute, language)
    return {
        "en": f"{capital(label)} of {ref} is not recorded, so I cannot tell you.",
        "de": f"{capital(attribute.german)} von {ref} ist nicht hinterlegt.",
        "zh": f"{ref}没有{label}的记录，我无法告诉您。",
    }[language]
