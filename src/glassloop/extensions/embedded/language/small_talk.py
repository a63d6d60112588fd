"""Small talk and other questions that no tool is for: greetings, thanks, and what only a language model could write.

A tool that names such a thing (a poem, a translation) is asked all the same.
"""

import re

from glassloop.core.text_terms import stem
from glassloop.extensions.embedded.language.lexicon import fold
from glassloop.extensions.embedded.language.question import ParsedQuestion
from glassloop.extensions.embedded.language.words import words

_POLITE = words("polite")
_POLITE_CHINESE = re.compile(
    r"^(?:你好|您好|大家好|嗨|哈喽|早上好|早安|下午好|晚上好|晚安|谢谢|多谢|感谢|非常|好的|好|再见|拜拜|辛苦|你|您|了|啊|呀|吗|！|!|，|,|。|～|~|\s)++[?？]?$"
)
_ABOUT_ITSELF = re.compile(
    r"^(?:(?:so|and|hey|hi|hello)[,\s]+)?(?:who\s+(?:are|made)\s+you|what\s+(?:are\s+you|can\s+you\s+do|do\s+you\s+do|is\s+your\s+name)|how\s+are\s+you"
    r"|how\s+do\s+you\s+work|what(?:'|’)?s\s+your\s+name|are\s+you\s+(?:an?\s+)?(?:human|robot|ai|bot|real)\b"
    r"|wer\s+bist\s+du|was\s+(?:bist|kannst|machst)\s+du|wie\s+gehts?\b|wie\s+(?:geht\s+es|hei(?:ß|ss)t)\s+(?:dir|du|ihnen))"
    r"|^你(?:是谁|叫什么|能做什么|会什么|会做什么|可以做什么|是什么)",
    re.IGNORECASE,
)
_MADE_UP = words("made_up")
_MADE_UP_CHINESE = re.compile(r"首诗|写诗|笑话|故事|谜语|作文|首都|翻译|诗歌")
_WRITES = words("written")
_GENERAL = re.compile(
    r"^(?:why\b|explain\b|who\s+(?:wrote|invented|painted|discovered|composed|founded|won)\b|how\s+(?:old|tall|big|deep)\s+is\b"
    r"|what(?:\s+is|['’]s)\s+(?:an?\s|the\s+(?:meaning|difference|population|opposite|plural)\b)|in\s+which\s+(?:year|century|country)\b"
    r"|how\s+do\s+(?:i|you)\s+(?:say|spell|pronounce)\b|how\s+many\s+\w+\s+(?:are|is)\s+(?:there\s+)?in\s+(?:an?|one)\b|who\s+was\b"
    r"|was\s+ist\s+eine?\b|什么是|warum\b|wieso\b|erklär|wer\s+(?:hat|schrieb|erfand|malte)\b"
    r"|为什么|解释)",
    re.IGNORECASE,
)


def is_small_talk(question: ParsedQuestion) -> bool:
    """Whether all of it is politeness, or it is about the assistant itself."""
    text = question.text.strip()
    if _ABOUT_ITSELF.search(text) or _POLITE_CHINESE.match(text):
        return True
    words = [fold(word).split("'")[0] for word in re.findall(r"[^\W\d_]+", text)]
    return bool(words) and not any(character.isdigit() for character in text) and all(word in _POLITE for word in words)


def is_to_be_written(question: ParsedQuestion, known: frozenset[str]) -> bool:
    """Whether it asks for what has to be made up or known, and no tool has a word for that."""
    if _MADE_UP_CHINESE.search(question.text):
        return not any(word in known for word, _ in question.terms if _MADE_UP_CHINESE.search(word))
    words = {fold(word) for word in re.findall(r"[^\W\d_]+", question.text)} & _MADE_UP
    first = re.match(r"[^\W\d_]+", question.text)
    words |= {fold(first.group())} & _WRITES if first else set()
    return bool(words) and not any(stem(word) in known for word in words)


def is_general(question: ParsedQuestion) -> bool:
    """Whether it asks about the world at large: a tool must then share much more with it."""
    return _GENERAL.search(question.text.strip()) is not None
