"""Text to search words: the same for what is stored and for what is asked, so that both meet.

Owns how text becomes words, how many tokens a model would count, and how much of a text is written without spaces.
Knows nothing of indexes.
"""

import re
import unicodedata
from collections.abc import Iterator

MAX_CHARS = 64
"""Of one word: what is longer is a hash or a picture, and is cut."""

MAX_REMEMBERED = 200_000

_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_CJK = re.compile(f"[{_UNSPACED}]")
_RUN = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_DECIMAL = r"(?<![0-9])[0-9]++(?:[.,][0-9]++)+"
_PIECE = re.compile(rf"{_DECIMAL}|\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_NUMBER = re.compile(_DECIMAL)
_POINTED = re.compile("[.,][0-9]")
"""Found far more quickly than numbers are, and in no text without one that has a point."""
_BETWEEN = {code: " " for code in range(128) if not (chr(code).isalnum() or chr(code) == "_")}
_VOWEL = re.compile("[aeiouy]")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")


def is_unspaced(text: str) -> bool:
    """Whether any of it is in a script without spaces between its words, such as Chinese."""
    return _CJK.search(text) is not None


def unspaced_share(text: str) -> float:
    """How much of what can be read in the text is Chinese, Japanese, Korean and the like: 0 to 1."""
    if text.isascii():
        return 0.0
    unspaced = len(_CJK.findall(text))
    # A word of a spaced script says about as much as two characters of the others.
    spaced = sum(1 for piece in _PIECE.findall(_CJK.sub(" ", text)) if not piece.isdigit())
    return unspaced / (unspaced + 2 * spaced) if unspaced else 0.0


def count_tokens(text: str) -> int:
    """About what a model counts: a token for four characters, one for each character of a script without spaces."""
    if text.isascii():
        return (len(text) + 3) // 4
    unspaced = len(_CJK.findall(text))
    return unspaced + (len(text) - unspaced + 3) // 4


class _Words(dict[str, str]):
    """What each piece of text comes down to, remembered: in code the same names come again and again."""

    def __missing__(self, piece: str) -> str:
        found = " ".join(_split(piece, both=True))
        if len(piece) <= MAX_CHARS:
            if len(self) >= MAX_REMEMBERED:
                self.clear()
            self[piece] = found
        return found


_words = _Words()


def indexed_words(text: str) -> str:
    """The words of a stored text, with spaces between them."""
    if text.isascii():
        # The same pieces, and those of numbers with points, in a tenth of the time.
        pieces = text.translate(_BETWEEN).split()
        if _POINTED.search(text):
            pieces += _NUMBER.findall(text)
    else:
        pieces = _PIECE.findall(_plain(text))
    return " ".join(map(_words.__getitem__, pieces))


def asked_words(text: str, most: int = 64) -> list[str]:
    """The words of a question, each once, in order. Pairs of characters, where there are pairs, say more than each."""
    found: dict[str, None] = {}
    for piece in _PIECE.findall(_plain(text)):
        found |= dict.fromkeys(_split(piece, both=False))
        if len(found) >= most:
            break
    return list(found)[:most]


def _plain(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _split(piece: str, *, both: bool) -> Iterator[str]:
    """`both`: single characters of unspaced scripts as well as their pairs."""
    if piece.isascii():
        yield from _spaced(piece)
        return
    for run in _RUN.findall(piece):
        if _CJK.match(run):
            yield from _pairs(run, both=both)
        else:
            yield from _spaced(_unmarked(run))


def _pairs(run: str, *, both: bool) -> Iterator[str]:
    if both or len(run) == 1:
        yield from run
    for place in range(len(run) - 1):
        yield run[place : place + 2]


def _spaced(piece: str) -> Iterator[str]:
    if _NUMBER.fullmatch(piece):
        whole = piece.replace(",", "") if _THOUSANDS.fullmatch(piece) else piece
        yield whole[:MAX_CHARS]
        if whole == piece:
            yield from re.split("[.,]", piece)
        return
    parts = _PART.findall(piece)
    for part in parts:
        yield _stem(part.lower()[:MAX_CHARS])
    if len(parts) > 1:
        yield _stem(piece.replace("_", "").lower()[:MAX_CHARS])


def _stem(word: str) -> str:
    """Without the endings of English nouns and verbs. Measured: 2 points of nDCG for prose, 1 for code."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    if word.endswith("ies"):
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("us", "ss")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if len(word) > 5 and stem != word and _VOWEL.search(stem):
            doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsz"
            return stem[:-1] if doubled else stem
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _unmarked(run: str) -> str:
    """Without accents: `café` and `cafe` are one word."""
    return "".join(mark for mark in unicodedata.normalize("NFKD", run) if not unicodedata.combining(mark))
