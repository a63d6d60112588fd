"""Names as people write them: bosses, players, classes and specs, in any case, without accents, in part, by nickname or
in another language.

Owns the matching alone; which names there are, the knowledge and the store tell. One that fits is taken; of several
the caller is asked back with the names; a small slip of the pen is taken for the one name that it is nearest to.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from glassloop.core.errors import ToolError
from glassloop.extensions.raids.records import Role
from glassloop.extensions.raids.spec_names import BEAR_WORDS, NOISE_WORDS, SPEC_ALIASES

if TYPE_CHECKING:
    from glassloop.extensions.raids.knowledge.facts import Encounter, Spec
    from glassloop.extensions.raids.knowledge.loader import GameKnowledge

MAX_NAME_CHARS: Final = 80
MAX_CHOICES: Final = 20
_SLIP: Final = 0.8
_LEAD: Final = 0.08
_LETTERS: Final = str.maketrans(
    {
        "ø": "o",
        "æ": "ae",
        "œ": "oe",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ł": "l",
        "ı": "i",
        "’": "",
        "'": "",
        "`": "",
        "´": "",
    }
)
_ARTICLES: Final = frozenset(
    ("the", "of", "der", "die", "das", "den", "dem", "des", "von", "le", "la", "les", "du", "de", "el", "los", "las",
     "del", "boss", "encounter", "fight", "und", "and", "et", "y")
)  # fmt: skip


@lru_cache(maxsize=4096)
def fold_name(text: str) -> str:
    """The name for comparison: small letters without accents and apostrophes, words parted by one space."""
    plain = unicodedata.normalize("NFKD", text[:MAX_NAME_CHARS].casefold().translate(_LETTERS))
    kept = (letter if letter.isalnum() else " " for letter in plain if not unicodedata.combining(letter))
    return " ".join("".join(kept).split())


def clean_name(text: str) -> str:
    """A name as it may be looked up in a database: bounded, printable, and without a remark in brackets."""
    return "".join(sign for sign in text[:MAX_NAME_CHARS].partition("(")[0] if sign.isprintable()).strip()


class NameIndex:
    """Names of one kind of thing, each with other forms of it. `kind` is the word for one of them, in messages."""

    def __init__(self, kind: str, names: Mapping[str, Iterable[str]]) -> None:
        self.kind = kind
        self._forms = {name: _forms((name, *forms)) for name, forms in names.items()}

    def find(self, text: str) -> str:
        """The one that is meant. Raises `ToolError` with names to choose from."""
        found = self.matches(text)
        if len(found) == 1:
            return found[0]
        shown = text[:MAX_NAME_CHARS]
        if found:
            several = f"Several {_plural(self.kind)} fit {shown!r}: {name_list(found, MAX_CHOICES)}."
            raise ToolError(f"{several} Ask which one is meant, or give it in full.")
        if not self._forms:
            raise ToolError(f"There is no {self.kind} {shown!r}: none is known here.")
        near = self.nearest(text)
        raise ToolError(
            f"There is no {self.kind} {shown!r}. Nearest of {len(self._forms)}: {name_list(near, MAX_CHOICES)}."
        )

    def matches(self, text: str) -> list[str]:
        """Those that fit best: the same name, else the same words, else parts of it, else a slip of the pen."""
        wanted = fold_name(text)
        if not wanted:
            return []
        words = _significant(wanted)
        whole = [name for name, forms in self._forms.items() if wanted in forms]
        if whole:
            return whole
        for fits in (_has_words, _has_beginnings, _has_parts):
            found = [name for name, forms in self._forms.items() if any(fits(form, words) for form in forms)]
            if found:
                return found
        return self._slips(wanted)

    def nearest(self, text: str, most: int = 5) -> list[str]:
        """So many names, the likest first."""
        ranked = sorted(self._likeness(fold_name(text)), reverse=True)
        return [name for _, name in ranked[:most]]

    def _slips(self, wanted: str) -> list[str]:
        """The one name that nearly reads so, where no other comes close."""
        ranked = sorted(self._likeness(wanted), reverse=True)
        if not ranked or ranked[0][0] < _SLIP:
            return []
        best = ranked[0][0]
        return [name for likeness, name in ranked if likeness > best - _LEAD]

    def _likeness(self, wanted: str) -> list[tuple[float, str]]:
        # Imported late: only mistakes need it.
        from difflib import SequenceMatcher

        def alike(form: str) -> float:
            parts = (form, *(word for word in _significant(form) if len(word) > 3))
            return max(SequenceMatcher(None, wanted, part).ratio() for part in parts)

        return [(max(map(alike, forms), default=0.0), name) for name, forms in self._forms.items()]


def find_encounter(knowledge: "GameKnowledge", text: str) -> "Encounter":
    """The encounter that is meant: by id, name, part, nickname, creature, or its name in another language."""
    wanted = text.strip()
    if wanted.isascii() and wanted.isdigit() and (known := knowledge.encounters.get(int(wanted[:9]))) is not None:
        return known
    by_name = {encounter.name: encounter for encounter in knowledge.encounters.values()}
    zones = {fold_name(encounter.zone) for encounter in by_name.values()}
    if fold_name(wanted) in zones:
        of_zone = [name for name, encounter in by_name.items() if fold_name(encounter.zone) == fold_name(wanted)]
        if len(of_zone) > 1:
            raise ToolError(f"{wanted!r} is a zone: say which boss of it: {name_list(of_zone, MAX_CHOICES)}.")
        return by_name[of_zone[0]]
    return by_name[_encounter_index(knowledge).find(wanted)]


def find_class(knowledge: "GameKnowledge", text: str) -> str:
    """A class, in English."""
    return NameIndex("class", {name: facts.names.values() for name, facts in knowledge.classes.items()}).find(text)


def find_spec(knowledge: "GameKnowledge", class_name: str, spec_name: str) -> "Spec":
    """A spec, of the class where one is given; "fury warrior", "boomkin" and "resto" with a class are fine too."""
    classes = {name: tuple(facts.names.values()) for name, facts in knowledge.classes.items()}
    named = " ".join(f"{spec_name} {class_name}".split())
    wanted_class = find_class(knowledge, class_name) if class_name.strip() else ""
    words, rest = fold_name(spec_name).split(), list[str]()
    for word in words:
        of_class = [name for name, forms in classes.items() if word in {fold_name(form) for form in (name, *forms)}]
        if of_class and len(words) > 1:
            wanted_class = wanted_class or of_class[0]
        elif word not in NOISE_WORDS or len(words) == 1:
            rest.append(word)
    known = {
        f"{spec.name} {spec.class_name}": spec
        for spec in knowledge.specs.values()
        if wanted_class in ("", spec.class_name)
    }
    if not rest and len(known) > 1:
        raise ToolError(f"Say which spec of {wanted_class or named!r}: {name_list(list(known), MAX_CHOICES)}.")
    forms = {name: (spec.name, *SPEC_ALIASES.get((spec.class_name, spec.name), ())) for name, spec in known.items()}
    return known[NameIndex("spec", forms).find(" ".join(rest) or named)]


def role_of(spec: "Spec", text: str) -> Role:
    """The role that is meant: of the spec, but Feral druids are tanks where the text says so."""
    return "tank" if spec.name == "Feral" and not BEAR_WORDS.isdisjoint(fold_name(text).split()) else spec.role


def find_player(names: Iterable[str], text: str) -> str:
    """One of these players (`Name` or `Name-Realm`). The realm is compared only where the text has one."""
    known = sorted(set(names))
    wanted = clean_name(text)
    exact = [one for one in known if "-" in wanted and fold_name(one) == fold_name(wanted)]
    return exact[0] if exact else _player_index(known).find(_comparable(known, wanted))


def has_player(names: Iterable[str], text: str) -> bool:
    """Whether any of these players fits."""
    known = sorted(set(names))
    return bool(_player_index(known).matches(_comparable(known, clean_name(text))))


def _player_index(known: Sequence[str]) -> NameIndex:
    return NameIndex("player", {one: (without_realm(one),) for one in known})


def _comparable(known: Sequence[str], wanted: str) -> str:
    """Without the realm where nobody of that name has one: a log of one realm names nobody's realm."""
    name = without_realm(wanted)
    named = [one for one in known if fold_name(without_realm(one)) == fold_name(name)]
    return wanted if any("-" in one for one in named) else name


def split_realm(name: str) -> tuple[str, str]:
    """A player's name and realm. Of a name that begins with the hyphen, what follows is the name."""
    own, _, realm = name.strip().lstrip("-").partition("-")
    return own.strip(), realm.strip()


def without_realm(name: str) -> str:
    """The name of a player without its realm."""
    return split_realm(name)[0]


def _encounter_index(knowledge: "GameKnowledge") -> NameIndex:
    return NameIndex(
        "boss",
        {
            encounter.name: (
                *encounter.names.values(),
                *encounter.nicknames,
                *(creature.name for creature in encounter.creatures if creature.boss),
            )
            for encounter in knowledge.encounters.values()
        },
    )


def _forms(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(folded for name in names if (folded := fold_name(name))))


def _significant(folded: str) -> list[str]:
    words = folded.split()
    return [word for word in words if word not in _ARTICLES] or words


def _has_words(form: str, words: Sequence[str]) -> bool:
    return set(words) <= set(form.split())


def _has_beginnings(form: str, words: Sequence[str]) -> bool:
    return all(any(part.startswith(word) for part in form.split()) for word in words)


def _has_parts(form: str, words: Sequence[str]) -> bool:
    """All of it somewhere within, or the whole form within what was written ("prince malchezaar in karazhan")."""
    joined = "".join(words)
    if len(joined) >= 3 and joined in form.replace(" ", ""):
        return True
    own = _significant(form)
    return len("".join(own)) >= 4 and set(own) <= set(words)


def _plural(kind: str) -> str:
    return f"{kind}es" if kind.endswith("s") else f"{kind}s"


def name_list(names: Sequence[str], most: int) -> str:
    """The first of them and how many more there are; a single one more is named, which takes no more room."""
    shown = names if len(names) <= most + 1 else names[:most]
    more = f" and {len(names) - len(shown)} more" if len(shown) < len(names) else ""
    return f"{', '.join(shown)}{more}"
