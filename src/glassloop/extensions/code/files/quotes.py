"""Kinds of quotes: models write other ones than the file has, or write them escaped."""

from difflib import SequenceMatcher

_FOLDED = str.maketrans(dict.fromkeys("'\"`‘’‚‛“”„‟«»′″", '"'))
TYPOGRAPHIC = str.maketrans({**dict.fromkeys("‘’‚‛′", "'"), **dict.fromkeys("“”„‟″", '"')})


def fold_quotes(text: str) -> str:
    """The text with every quote the same, character for character."""
    return text.translate(_FOLDED)


def unescaped(text: str) -> str:
    """Without backslashes before quotes."""
    return text.replace('\\"', '"').replace("\\'", "'")


def requoted(old: str, new: str, there: str) -> str:
    """`new`, with the characters of the file wherever it repeats `old`; `there` is what the file has for `old`.

    A quote that is new is a plain one, unless the file has such itself.
    """
    old, new, there = (text.replace("\r\n", "\n") for text in (old, new, there))
    place = _places(old, there)
    folded_old, folded_new = fold_quotes(old), fold_quotes(new)
    written: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, folded_old, folded_new, autojunk=False).get_opcodes():
        if kind == "equal":
            written += (there[place[at]] if place[at] >= 0 else old[at] for at in range(a, b))
        else:
            written.append(new[c:d])
    text = "".join(written)
    return text if _has_typographic(there) else text.translate(TYPOGRAPHIC)


def _places(old: str, there: str) -> list[int]:
    """For each character of `old` that of the file: they differ in quotes, and in blanks at the ends of lines."""
    places: list[int] = []
    at = 0
    theirs = there.split("\n")
    for line, their in zip(old.split("\n"), theirs, strict=False):
        places += (at + column if column < len(their) else -1 for column in range(len(line)))
        at += len(their)
        places.append(at if at < len(there) else -1)
        at += 1
    return (places + [-1] * len(old))[: len(old)]


def _has_typographic(text: str) -> bool:
    return text != text.translate(TYPOGRAPHIC)
