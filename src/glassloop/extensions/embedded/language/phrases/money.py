"""Currencies as people say them, and their codes."""

import re

from glassloop.core.text_terms import stem

_CODES = {
    "EUR": "euro euros eur € 欧元",
    "USD": "dollar dollars usd $ us$ buck bucks 美元 美金",
    "GBP": "pound pounds gbp £ sterling quid pfund 英镑",
    "JPY": "yen jpy 日元 日圆",
    "CNY": "yuan renminbi cny rmb ¥ 人民币",
    "CHF": "franc francs chf franken 瑞士法郎 法郎",
    "SEK": "krona kronor sek kronen 瑞典克朗",
    "NOK": "nok",
    "DKK": "dkk",
    "INR": "rupee rupees inr rupien 卢比",
    "KRW": "won krw 韩元",
    "AUD": "aud",
    "CAD": "cad",
    "PLN": "zloty pln",
    "CZK": "czk",
    "SGD": "sgd",
    "HKD": "hkd 港币 港元",
    "BRL": "real reais brl",
    "TRY": "lira try",
    "RUB": "ruble rubles rub 卢布",
}
_SAID = {stem(word): code for code, words in _CODES.items() for word in words.split()}
_CODE = re.compile(r"\b[A-Z]{3}\b")
_TOKEN = re.compile(r"[^\W\d_]+|[€$£¥]")
_CHINESE = sorted((word for word in _SAID if not word.isascii() and len(word) > 1), key=len, reverse=True)


def currency_code(said: str) -> str | None:
    """`euros`, `€` and `EUR` as `EUR`; None where it is no currency known here."""
    word = said.strip().lower()
    return _SAID.get(stem(word)) or _SAID.get(word)


def currencies_in(text: str) -> list[str]:
    """The codes of those named, in their order."""
    found = [(match.start(), code) for match in _TOKEN.finditer(text) if (code := currency_code(match.group()))]
    found += [(text.find(word), _SAID[word]) for word in _CHINESE if word in text]
    return list(dict.fromkeys(code for _, code in sorted(found)))


def wants_codes(description: str) -> bool:
    """Whether a parameter is described with codes: `such as EUR`."""
    return any(match.group() in _CODES or match.group() == "ISO" for match in _CODE.finditer(description))
