"""Other ids, names, years and tool names in a group of conversations, the same everywhere in it.

A set solved by hand has one and the same data, and is learned several times: without this the model knows by heart what
it should read. Only what can be told apart for sure is replaced; amounts, days of a year and times stay.
"""

import datetime
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from training.data.conversation import Call, Conversation, Exchange, Group
from training.data.forbidden import forbidden_tools
from training.data.values import Rng

FOLDER: Final = Path(__file__).parent
LETTERS: Final = "ABCDEFGHJKLMNPRSTUVWXYZ"
_ID: Final = re.compile(r"(?<![^\W_])([A-Z]{1,6})[-_]?(\d{2,6})(?!\d)", re.ASCII)
_COMPOUND: Final = re.compile(r"(?<![^\W_])([A-Z]{1,6})(-?\d{1,3})-(\d{2,6})(?!\d)", re.ASCII)
"""With a number of their own between: `EM71-0837`."""
_MAX_HEADS: Final = 2
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_NAME: Final = re.compile(r"(?<![^\W\d_])[A-ZÄÖÜÉ][a-zäöüßéèêëáàâåæøñçšžčćłńíìóòôúùýœ]{2,}(?![^\W\d_])")
_YEAR: Final = re.compile(r"(?<![\w.,/-])(?:19|20)\d\d(?!\d|[.,]\d)")
_SHORT_YEAR: Final = re.compile(r"['’]\d\d(?!\d)")
_LEAP_DAY: Final = re.compile(r"-02-29|\b29(?:th|\.)? (?i:of )?Feb|Feb\w{0,6} 29\b|2月29")
_IDENTIFIER: Final = re.compile(r"[a-z]+(?:_[a-z]+)+|[a-z]+(?:[A-Z][a-z]+)+", re.ASCII)
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_DATES: Final = frozenset({
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December", "Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Sept", "Oct", "Nov", "Dec", "Monday",
    "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "Mon", "Tue", "Tues", "Wed", "Thu", "Thur",
    "Fri", "Sat", "Sun", "Januar", "Februar", "März", "Mai", "Juni", "Juli", "Oktober", "Dezember", "Montag",
    "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag",
})  # fmt: skip
_VERBS: Final = {
    "find": ("search", "lookup", "find"),
    "search": ("find", "search", "lookup"),
    "get": ("show", "read", "fetch", "get"),
    "list": ("show", "list", "get"),
}
"""What a tool's name begins with, and words that say the same."""
_BEGINNINGS: Final = (
    "Al", "Ar", "Bal", "Bel", "Ber", "Bram", "Bran", "Cal", "Car", "Cor", "Dal", "Dar", "Del", "Dor", "Eld", "Em",
    "Fal", "Far", "Fen", "Gar", "Gil", "Gor", "Hal", "Har", "Hel", "Hol", "Ing", "Jas", "Jor", "Kal", "Kel", "Kes",
    "Lan", "Lar", "Lin", "Lor", "Mal", "Mar", "Mel", "Mor", "Nal", "Ner", "Nor", "Ol", "Or", "Pal", "Pel", "Quen",
    "Ral", "Ran", "Ros", "Sal", "San", "Sel", "Sor", "Tal", "Tar", "Tol", "Tor", "Ul", "Val", "Var", "Ver", "Wal",
    "Wel", "Win", "Yar", "Zan",
)  # fmt: skip
_ENDS: Final = (
    "ano", "are", "ath", "avi", "beck", "bert", "bourne", "brook", "bury", "by", "da", "dahl", "dane", "den",
    "dith", "don", "dorf", "ell", "ema", "ena", "enko", "ero", "ett", "ford", "gate", "ham", "hart", "hurst", "ia",
    "ida", "ika", "ina", "ington", "isk", "itz", "land", "ley", "lin", "lock", "low", "man", "mar", "mere", "more",
    "na", "nell", "ney", "nik", "nor", "oja", "ova", "ow", "ren", "ric", "rick", "sen", "shaw", "ska", "stad",
    "ston", "tan", "ter", "thorpe", "ton", "trup", "ula", "vale", "vik", "ville", "wald", "wen", "wick", "wood",
    "worth",
)  # fmt: skip
_NEAR: Final = 0.8
_MIN_KIND: Final = 3
_MIN_FILES: Final = 2
_ADDRESS: Final = re.compile(r"[\w.+-]{1,60}@[\w.-]{1,60}|\w{1,40}(?:\.\w{1,40}){1,4}")
_YEARS_AWAY: Final = 4
_NEAR_DAYS: Final = (-90, 0, 90)
_YEARS: Final = range(2012, 2056)


def renamed(
    rng: Rng, group: Group, kept: frozenset[str] = frozenset(), tools: Mapping[str, Sequence[str]] | None = None
) -> Group:
    """The group with other ids, names (those in `kept` stay), years and names of tools, some of them from `tools`."""
    texts = list(_texts(msgspec.to_builtins(group)))
    passes: list[Callable[[str], str]] = []
    day = datetime.datetime.fromtimestamp(group.day, datetime.UTC)
    year = _other_year(rng, day, texts) if rng.chance(0.5) else day.year
    shift = year - day.year
    if shift:
        passes.append(lambda text: _YEAR.sub(lambda match: str(int(match.group()) + shift), text))
    passes.append(_replacing(_other_names(rng, group, kept)))
    passes.append(_with_other_ids(rng, group, texts))
    passes.append(_replacing(_other_identifiers(rng, group, tools or {}), plural=False))

    def replaced(value: Any) -> Any:
        if isinstance(value, str):
            for each in passes:
                value = each(value)
            return value
        if isinstance(value, dict):
            return {replaced(key): replaced(item) for key, item in cast("dict[str, Any]", value).items()}
        if isinstance(value, list | tuple):
            return [replaced(item) for item in cast("Sequence[Any]", value)]
        is_year = type(value) is int and abs(value - day.year) <= _YEARS_AWAY
        return value + shift if is_year else value

    made = msgspec.convert(replaced(msgspec.to_builtins(group)), Group)
    kinds = tuple(
        msgspec.structs.replace(new, kind=old.kind)
        for new, old in zip(made.conversations, group.conversations, strict=True)
    )
    return msgspec.structs.replace(
        made, conversations=kinds, day=day.replace(year=year).timestamp(), source=group.source
    )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in cast("Sequence[Any]", value):
            yield from _texts(item)


def _replacing(others: Mapping[str, str], *, plural: bool = True) -> Callable[[str], str]:
    """Whole words in any case, also with the `s` of a genitive."""
    if not others:
        return lambda text: text
    words = "|".join(sorted(map(re.escape, others), key=len, reverse=True))
    if not plural:
        exact = re.compile(rf"(?<!\w)(?:{words})(?!\w)")
        return lambda text: exact.sub(lambda match: others[match.group()], text)
    pattern = re.compile(rf"(?<![^\W\d_])({words})(?=s?(?![^\W\d_\u3400-\u9fff]))", re.IGNORECASE)
    by_case = {name.casefold(): other for name, other in others.items()}

    def written(match: re.Match[str]) -> str:
        other = by_case.get(match.group().casefold(), match.group())
        return other.lower() if match.group().islower() else other.upper() if match.group().isupper() else other

    return lambda text: pattern.sub(written, text)


def _other_year(rng: Rng, today: datetime.datetime, texts: Iterable[str]) -> int:
    """A year in which the days before and after today have the same weekdays; the same one where far years, short
    forms of years (`'31`, `L31-02`, `30/0412`) or leap days are spoken of."""
    near = "|".join(f"{(today.year + apart) % 100:02d}" for apart in (-1, 0, 1))
    coded = re.compile(rf"(?<![\d.:-])[A-Za-z]{{0,4}}-?(?:{near})[-/]\d{{2,}}")
    for text in texts:
        if _SHORT_YEAR.search(text) or _LEAP_DAY.search(text) or coded.search(text):
            return today.year
        for match in _YEAR.finditer(text):
            if abs(int(match.group()) - today.year) > _YEARS_AWAY:
                return today.year
    wanted = _weekdays(today, today.year)
    return rng.some([year for year in _YEARS if _weekdays(today, year) == wanted] or [today.year])


def _weekdays(today: datetime.datetime, year: int) -> tuple[tuple[int, int, int], ...]:
    """Month, day and weekday of some days around today, as they are in a year."""
    there = datetime.date(year, today.month, min(today.day, 28))
    days = (there + datetime.timedelta(days=number) for number in _NEAR_DAYS)
    return tuple((day.month, day.day, day.weekday()) for day in days)


# --- Names


@cache
def common_words() -> frozenset[str]:
    """Words that stand in lower case in what sets say of themselves, or in the questions of several: with a capital
    they need be no name."""
    found: Counter[str] = Counter()
    for path in sorted((*FOLDER.glob("worked_sets/**/*.*"), *FOLDER.glob("world_files/**/*.toml"))):
        if path.suffix not in (".toml", ".jsonl", ".json", ".py"):
            continue
        text = _ADDRESS.sub(" ", path.read_text(encoding="utf-8"))
        is_data = path.suffix in (".json", ".py") or path.stem == "assistant"
        words = {word for word in _WORD.findall(text) if word.islower()}
        found.update(dict.fromkeys(words, _MIN_FILES if is_data else 1))
    return frozenset(word for word, count in found.items() if count >= _MIN_FILES)


def names_in(conversations: Iterable[Conversation]) -> dict[str, int]:
    """What looks like a name in what tools return, and how often it stands there."""
    results = (
        step.observation
        for each in conversations
        for exchange in each.exchanges
        for step in exchange.steps
        if isinstance(step, Call)
    )
    found = Counter(name for text in results for name in _NAME.findall(text))
    return {
        name: count for name, count in found.items() if name not in _DATES and name.casefold() not in common_words()
    }


def names_kept(conversations: Sequence[Conversation]) -> frozenset[str]:
    """Names that stay: spoken of without a call, said in part, mistyped or in another language somewhere."""
    names, kept = {name.casefold(): name for name in names_in(conversations)}, set[str]()
    spoken: set[str] = set()
    for each in conversations:
        known = ""
        for exchange in each.exchanges:
            spoken.update(_WORD.findall(exchange.question.casefold()))
            known += f"\n{exchange.question.casefold()}"
            kept.update(_unsaid(exchange, known, names))
            known += "".join(step.observation.casefold() for step in exchange.steps if isinstance(step, Call))
    strange = spoken - names.keys() - {f"{name}s" for name in names}
    for name, written in names.items():
        if any(_is_nearly(word, name) for word in strange):
            kept.add(written)
    return frozenset(kept)


def _unsaid(exchange: Exchange, known: str, names: Mapping[str, str]) -> Iterator[str]:
    """Names in a call that were neither said nor told, and all of them where nothing was called."""
    for step in exchange.steps:
        if isinstance(step, Call):
            said = " ".join(str(value) for value in step.args.values()).casefold()
            yield from (names[word] for word in _WORD.findall(said) if word in names and word not in known)
            known += step.observation.casefold()
        elif len(exchange.steps) == 1 and step.wants is None:
            words = _WORD.findall(f"{exchange.question} {step.thought} {step.text}".casefold())
            yield from (names[word] for word in words if word in names)


def _is_nearly(word: str, name: str) -> bool:
    if name.startswith(word) or (len(word) > 3 and word in name):
        return True
    if abs(len(word) - len(name)) > 2 or word[0] != name[0]:
        return False
    return SequenceMatcher(None, word, name).ratio() >= _NEAR


def _other_names(rng: Rng, group: Group, kept: frozenset[str]) -> dict[str, str]:
    """Names that a tool's own texts have (`like Devon`, a choice of languages) stay."""
    kept |= {name for text in _texts(msgspec.to_builtins(group.tools)) for name in _NAME.findall(text)}
    present = {word for text in _texts(msgspec.to_builtins(group)) for word in _WORD.findall(text.casefold())}
    made: dict[str, str] = {}
    for name in names_in(group.conversations):
        if name not in kept:
            other = _name(rng)
            while other.casefold() in present:
                other = _name(rng)
            present.add(other.casefold())
            made[name] = other
    return made


def _name(rng: Rng) -> str:
    """A made one, that may be a person's as well as a place's or a firm's."""
    return f"{rng.some(_BEGINNINGS)}{rng.some(_ENDS)}"


# --- Ids


def _with_other_ids(rng: Rng, group: Group, texts: Sequence[str]) -> Callable[[str], str]:
    """Ids that begin with letters: each kind with its figures moved by one number, now and then with other letters."""
    kinds = {head: found for head, found in _kinds(texts).items() if not _is_said_bare(group, found)}
    if not kinds:
        return lambda text: text
    letters = _other_letters(rng, dict.fromkeys(map(_letters, kinds)), texts)
    moves = {head: _moves(rng, found) for head, found in kinds.items()}
    heads = "|".join(sorted(map(re.escape, kinds), key=len, reverse=True))
    pattern = re.compile(rf"(?<![^\W_])({heads})([-_ ]?)(\d{{2,6}})(?!\d)", re.IGNORECASE | re.ASCII)
    alone = re.compile(rf"(?<![^\W_])({heads})-(?!\w)", re.ASCII)

    def other(head: str) -> str:
        own = _letters(head.upper())
        return f"{letters[own].lower() if head.islower() else letters[own]}{head[len(own) :]}"

    def written(match: re.Match[str]) -> str:
        head, joint, figures = match.groups()
        moved = moves[head.upper()].get(figures)
        is_word = joint == " " and head.islower() and len(head) > 1
        return match.group() if moved is None or is_word else f"{other(head)}{joint}{moved}"

    return lambda text: alone.sub(lambda match: f"{other(match[1])}-", pattern.sub(written, text))


def _kinds(texts: Iterable[str]) -> dict[str, set[str]]:
    """What ids begin with, and their figures: `EM71` and `0837` where all of them begin so, else `D` and `214`."""
    simple: dict[str, set[str]] = {}
    compound: dict[str, dict[str, set[str]]] = {}
    for text in texts:
        for letters, number, figures in _COMPOUND.findall(text):
            compound.setdefault(letters, {}).setdefault(f"{letters}{number}", set()).add(figures)
        for letters, figures in _ID.findall(text):
            simple.setdefault(letters, set()).add(figures)
    found: dict[str, set[str]] = {}
    for letters, figures in simple.items():
        heads = compound.get(letters, {})
        made = heads if 0 < len(heads) <= _MAX_HEADS else {letters: figures}
        if max(map(len, made.values())) >= _MIN_KIND:
            found |= made
    return found


def _letters(head: str) -> str:
    return head.rstrip("0123456789").rstrip("-")


def _is_said_bare(group: Group, figures: set[str]) -> bool:
    """Whether a question has the figures of an id without its letters, or an argument has."""
    bare = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(figures))})(?![\w-])")
    for each in group.conversations:
        whole = "\n".join(_texts(msgspec.to_builtins(each)))
        told = {found for _, found in _ID.findall(whole)} | {found for *_, found in _COMPOUND.findall(whole)}
        for exchange in each.exchanges:
            args = (str(value) for step in exchange.steps if isinstance(step, Call) for value in step.args.values())
            if any(match.group() in told for text in (exchange.question, *args) for match in bare.finditer(text)):
                return True
    return False


def _moves(rng: Rng, figures: Iterable[str]) -> dict[str, str]:
    """Figures of one length move by one number, so that order and distance stay."""
    found: dict[str, str] = {}
    for length in sorted({len(each) for each in figures}):
        alike = sorted(each for each in figures if len(each) == length)
        low, high = int(alike[0]), int(alike[-1])
        lowest = 0 if alike[0].startswith("0") else 10 ** (length - 1)
        move = rng.randint(lowest - low, 10**length - 1 - high)
        found |= {each: f"{int(each) + move:0{length}d}" for each in alike}
    return found


def _other_letters(rng: Rng, kinds: Iterable[str], texts: Sequence[str]) -> dict[str, str]:
    """Other letters for kinds of ids; the same for those that stand somewhere alone."""
    taken = {letters for text in texts for letters, _ in _ID.findall(text)}
    found: dict[str, str] = {}
    for letters in kinds:
        alone = re.compile(rf"(?<!\w){letters}(?![\w-])")
        made = "".join(rng.some(LETTERS) for _ in letters)
        stays = made in taken or rng.chance(0.5) or any(alone.search(text) for text in texts)
        found[letters] = letters if stays else made
        taken.add(found[letters])
    return found


# --- Names of tools and parameters


def _other_identifiers(rng: Rng, group: Group, others: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Other names of tools, or other verbs in them, and now and then all names in the other style. Names that are words
    of the texts, too, stay."""
    tools = {tool.name for tool in group.tools}
    parameters = (cast("dict[str, Any]", tool.parameters.get("properties", {})) for tool in group.tools)
    is_turned, made = rng.chance(0.35), dict[str, str]()
    for name in dict.fromkeys(
        (*(tool.name for tool in group.tools), *(each for names in parameters for each in names))
    ):
        if _IDENTIFIER.fullmatch(name) is None and name.casefold() in common_words():
            continue
        is_other = name in tools and name in others and rng.chance(0.6)
        given = rng.some(others[name]) if is_other else name
        words = [word.lower() for word in _HUMP.sub("_", given).split("_")]
        if name in tools and words[0] in _VERBS and not is_other:
            words[0] = rng.some(_VERBS[words[0]])
        if ("_" in given) is not is_turned:
            made[name] = "_".join(words)
        else:
            made[name] = "".join(word.capitalize() for word in words)
            made[name] = made[name] if given[:1].isupper() else words[0] + made[name][len(words[0]) :]
    taken, plain = Counter(made.values()), {*forbidden_tools(), *(tools - made.keys())}
    return {name: other for name, other in made.items() if taken[other] == 1 and other not in plain and other != name}
