"""A question tried on one tool: which of its words the tool uses, for what, and which are left over.

Owns the law of `reflex`: a tool fits only where nothing of the question is left over and nothing that it needs is
missing. Which of several tools that fit is taken is `choice`'s business.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from glassloop.core.records import Json
from glassloop.core.words import has_cjk
from glassloop.extensions.reflex.question import Question, Token
from glassloop.extensions.reflex.tool import Parameter, ToolWords
from glassloop.extensions.reflex.values import conversion_in, converted, sum_in
from glassloop.extensions.reflex.words import (
    DAYS,
    HARD,
    HARD_CHINESE,
    NEUTRAL,
    NEUTRAL_CHINESE,
    NEUTRAL_PHRASES,
    NOW,
    NOW_CHINESE,
    PAST,
    STRICT,
    STRICT_CHINESE,
    norm,
)

_CUES: Final = frozenset(("for", "about", "called", "named", "regarding", "containing"))
_SAYS: Final = re.compile(r"\b(?:says?|said|about|regarding)\b|关于|怎么规定|如何规定|怎么说", re.IGNORECASE)
_SECOND: Final = re.compile(r"\b(?:and|or|but|then)\s+(?:what|which|who|when|where|how|why|is|are|do|does|did|show|list|tell)\b", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"\bbetween\s+(?P<first>[^?]{1,60}?)\s+and\s+(?P<second>[^?]{1,60}?)\s*(?:[?.]|$)", re.IGNORECASE)
_FROM_TO: Final = re.compile(
    r"\bfrom\s+(?P<first>[^?]{1,60}?)\s+(?:to|until|till)\s+(?P<second>[^?,]{1,60}?)\s*(?:[?.,]|\s(?:take|last|by|on)\b|$)|从\s*(?P<first_zh>[^到?？]{1,40}?)\s*到\s*(?P<second_zh>[^?？]{1,40}?)\s*(?:的|有|要|[?？]|$)",
    re.IGNORECASE,
)
_STATEMENT: Final = re.compile(r"^(?P<order>[^:：]{1,60}?)(?:\s+that\s+|\s*[:：]\s*|，)(?P<rest>.{1,900})$", re.IGNORECASE | re.DOTALL)
_LEAST: Final = re.compile(r"(?:at least|no less than|至少|不少于|不低于)\s*$", re.IGNORECASE)
_MOST: Final = re.compile(r"(?:at most|no more than|up to|至多|最多|不超过)\s*$", re.IGNORECASE)


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool makes of a question. `used` has each content word and what it was used for."""

    tool: str
    args: dict[str, Json]
    strong: int = 0
    """How many words speak for this tool by its name, its subject or an argument."""
    unused: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    used: tuple[tuple[str, str], ...] = ()
    is_near: bool = False
    """Whether any word speaks for it."""

    @property
    def is_whole(self) -> bool:
        return self.is_near and not self.unused and not self.missing


def fit(question: Question, tool: ToolWords) -> Fit:
    """The tool with the arguments that the question says."""
    if whole := _as_a_whole(question, tool):
        return whole
    return _Fitting(question, tool).result()


def content(question: Question) -> list[str]:
    """The words that an answer would have to use."""
    nothing = ToolWords(
        name="", effect="read", subject=frozenset(), clause=frozenset(), listing=frozenset(), subject_chinese=(),
        listing_chinese=(), description="", parameters=(),
    )  # fmt: skip
    return list(_Fitting(question, nothing).result().unused)


def _as_a_whole(question: Question, tool: ToolWords) -> Fit | None:
    """Questions that have one form from end to end: a sum, a conversion, a statement to keep."""
    needed = tool.required
    args: dict[str, Json] | None = None
    if len(needed) == 1 and needed[0].name == "expression" and (said := sum_in(question.text)):
        args = {"expression": said}
    elif (conversion := conversion_in(question.text)) is not None:
        args = converted(tool, conversion)
    elif tool.effect != "read":
        args = _statement(question, tool)
    if args is None:
        return None
    used = tuple((token.text, "an argument") for token in question.tokens)
    return Fit(tool=tool.name, args=args, strong=len(used), used=used, is_near=True)


def _statement(question: Question, tool: ToolWords) -> dict[str, Json] | None:
    """`Remember that …`, `Make a note: …`: an order in the tool's own words, and the text it is for."""
    found = _STATEMENT.match(question.text)
    texts = [parameter for parameter in tool.required if parameter.kind == "text"]
    if found is None or len(tool.required) != 1 or len(texts) != 1:
        return None
    order = Question(_POLITE.sub("", found["order"]))
    content = [token for token in order.tokens if token.text.lower() not in NEUTRAL and token.norm not in _MAKING]
    known = tool.subject | tool.clause
    first = order.tokens[0].norm if order.tokens else ""
    spoken = bool(content) and all(token.norm in known for token in content) and first in (known | _MAKING)
    return {texts[0].name: found["rest"].strip()} if spoken else None


_POLITE: Final = re.compile(r"^\s*(?:(?:please|kindly|can you|could you|would you|请|帮我)\s*)+", re.IGNORECASE)
_MAKING: Final = frozenset(map(norm, ("make", "add", "take", "write", "down", "new", "please", "open", "create", "save", "keep")))


class _Fitting:
    """One question on one tool, step by step; each step covers the words it used."""

    def __init__(self, question: Question, tool: ToolWords) -> None:
        self.question, self.tool = question, tool
        self.args: dict[str, Json] = {}
        self.taken: dict[int, str] = {}
        self.doubtful: set[int] = set()
        self.spoken: set[int] = set()
        self.strict = not STRICT.isdisjoint(word.text.lower() for word in question.words) or any(
            word in question.text for word in STRICT_CHINESE
        )

    def result(self) -> Fit:
        self._phrases()
        self._pairs()
        self._identifiers()
        self._dates()
        self._numbers()
        self._subject()
        self._neutral()
        self._quoted_and_files()
        self._names()
        self._rest()
        self._searched()
        return self._told()

    def _told(self) -> Fit:
        tokens = self.question.tokens
        left = [token for at, token in enumerate(tokens) if at not in self.taken or at in self.doubtful]
        missing = tuple(parameter.name for parameter in self.tool.required if parameter.name not in self.args)
        strong = sum(used in ("subject", "argument") for used in self.taken.values())
        acts = self.tool.effect != "read" and not self._is_ordered()
        return Fit(
            tool=self.tool.name,
            args=self.args,
            strong=strong,
            unused=tuple(_joined(left)) if not acts else tuple(_joined(left)) or (self.question.text,),
            missing=missing,
            used=tuple((tokens[at].text, used) for at, used in sorted(self.taken.items()) if used != "neutral"),
            is_near=bool(self.spoken) or self._is_told(),
        )

    def _is_told(self) -> bool:
        """Whether it is asked for something that the tool tells of what it was given."""
        given = any(parameter.name in self.args for parameter in self.tool.required)
        return given and "description" in self.taken.values()

    def _is_ordered(self) -> bool:
        """Whether it is an order to do what the tool does: it begins with a word of the tool's name."""
        first = next((t for t in self.question.tokens if t.text.lower() not in ("please", "kindly")), None)
        return first is not None and first.norm in {norm(part) for part in self.tool.name.split("_")}

    def _take(self, places: Iterable[int], used: str, *, speaks: bool = False) -> None:
        for at in places:
            self.taken[at] = used
            if speaks:
                self.spoken.add(at)

    def _free(self, places: Sequence[int]) -> bool:
        return all(at not in self.taken for at in places)

    def _find(self, phrase: str) -> list[list[int]]:
        """Where a phrase stands, as the places of its tokens."""
        if has_cjk(phrase):
            form = re.compile(r"\s*".join(map(re.escape, phrase.replace(" ", ""))))
            found = form.finditer(self.question.text)
            return [p for match in found if (p := self._within(match.start(), match.end()))]
        wanted = [token.norm for token in Question(phrase).tokens]
        norms = [token.norm for token in self.question.tokens]
        size = len(wanted)
        return [list(range(at, at + size)) for at in range(len(norms) - size + 1) if norms[at : at + size] == wanted] if size else []

    def _within(self, start: int, end: int) -> list[int]:
        return [at for at, token in enumerate(self.question.tokens) if start <= token.start and token.end <= end]

    def _phrases(self) -> None:
        """Values that parameters name: choices, flags and examples, the longest first. What two parameters could be
        for, or what gives one parameter two values, is not used."""
        said = [(phrase, p, value) for p in self.tool.parameters for phrase, value in p.phrases]
        found: list[tuple[list[int], Parameter, Json]] = []
        for phrase, parameter, value in said:
            for places in self._find(phrase):
                if not parameter.shapes:
                    found.append((places, parameter, value))
                elif shaped := self._shaped(places):
                    found.append((shaped, parameter, value))
        found.sort(key=lambda each: -len(each[0]))
        for places, parameter, value in found:
            rivals = {p.name for other, p, _ in found if set(places) <= set(other)}
            if not self._free(places):
                same = self.args.get(parameter.name) == value or any(set(places) < set(o) for o, _, _ in found)
                self.doubtful |= set() if same else set(places)
            elif len(rivals) > 1 or parameter.name in self.args:
                if not self._is_pair(rivals):
                    self._take(places, "argument")
                    self.doubtful |= set(places)
            else:
                self.args[parameter.name] = value
                self._take([*places, *self._named_beside(places[0], places[-1], parameter)], "argument")

    def _is_pair(self, names: set[str]) -> bool:
        return {p.role for p in self.tool.parameters if p.name in names} == {"source", "target"}

    def _shaped(self, places: list[int]) -> list[int]:
        """The value of a shaping parameter with the word before it that asks for it; nothing where there is none."""
        before = places[0] - 1
        tokens = self.question.tokens
        if before >= 0 and tokens[before].text.lower() in ("by", "per"):
            return [before, *places]
        text = self.question.text[: tokens[places[0]].start].rstrip()
        if text.endswith("按"):
            return [*self._within(len(text) - 1, len(text)), *places]
        return []

    def _pairs(self) -> None:
        """`from A to B` and `between A and B`, for two parameters that are such a pair."""
        found = _BETWEEN.search(self.question.text) or _FROM_TO.search(self.question.text)
        free = [p for p in self.tool.parameters if p.name not in self.args and p.kind in ("text", "date", "choice")]
        sources, targets = ([p for p in free if p.role == role] for role in ("source", "target"))
        if found is None or len(sources) != 1 or len(targets) != 1:
            return
        zh = found.re is _FROM_TO and found["first"] is None
        ends = [found.span(name) for name in (("first_zh", "second_zh") if zh else ("first", "second"))]
        values = [self._end(parameter, *span) for parameter, span in zip((sources[0], targets[0]), ends, strict=True)]
        if values[0] is None or values[1] is None:
            return
        self.args |= {sources[0].name: values[0], targets[0].name: values[1]}
        self._take(self._within(found.start(), ends[1][1]), "argument")

    def _end(self, parameter: Parameter, start: int, end: int) -> str | None:
        """One end of a pair: a date for a date, else a name."""
        places = self._within(start, end)
        tokens = [self.question.tokens[at] for at in places]
        if parameter.kind == "date":
            return tokens[0].text if len(tokens) == 1 and tokens[0].kind == "date" else None
        if parameter.kind == "text" and tokens and all(t.is_name or t.kind == "quoted" for t in tokens):
            return self.question.text[start:end].strip().strip("\"“”")
        return None

    def _identifiers(self) -> None:
        for at, token in enumerate(self.question.tokens):
            if token.kind != "identifier" or at in self.taken:
                continue
            prefix = re.split(r"-\d", token.norm)[0]
            takers = [p for p in self.tool.parameters if prefix in p.prefixes and p.kind == "text"]
            if len(takers) == 1 and takers[0].name not in self.args:
                self.args[takers[0].name] = token.text
                self._take([at], "argument", speaks=takers[0].required)
                self._take(self._named_beside(at, at, takers[0]), "argument")

    def _named_beside(self, first: int, last: int, parameter: Parameter) -> list[int]:
        """The word beside a value that says which parameter it is for."""
        tokens, found = self.question.tokens, list[int]()
        for at in (first - 1, first - 2, last + 1):
            if 0 <= at < len(tokens) and tokens[at].norm in parameter.words and at not in self.taken:
                if at == first - 2 and tokens[first - 1].text.lower() not in ("is", "number", "no", "id", "of"):
                    continue
                found.append(at)
        return found

    def _dates(self) -> None:
        """Days as they are written. `since` and `until` give one end; a single day is both."""
        dates = [p for p in self.tool.parameters if p.kind == "date" and p.name not in self.args]
        times = [p for p in self.tool.parameters if p.kind == "time" and p.name not in self.args]
        said = [at for at, token in enumerate(self.question.tokens) if token.kind == "date" and at not in self.taken]
        clock = [at for at, token in enumerate(self.question.tokens) if token.kind == "time" and at not in self.taken]
        if len(clock) == 1 and len(times) == 1:
            self.args[times[0].name] = self.question.tokens[clock[0]].text
            self._take(clock, "argument")
        if len(said) != 1 or not dates:
            return
        at, day = said[0], self.question.tokens[said[0]].text
        before = self.question.tokens[at - 1].text.lower() if at else ""
        ends = {"source" if p.role == "source" else "target" if p.role == "target" else "day": p for p in dates}
        wanted = {"since": ("source",), "until": ("target",), "till": ("target",)}.get(before)
        if wanted is None:
            wanted = ("day",) if "day" in ends else ("source", "target")
        if before in ("before", "after", "by", "from") or not all(end in ends for end in wanted):
            return
        self.args |= {ends[end].name: day for end in wanted}
        self._take([at - 1, at] if before in ("since", "until", "till") else [at], "argument")

    def _numbers(self) -> None:
        """Each number goes to the parameter that the word beside it names; one that is left, to the one that needs one."""
        open_ = [p for p in self.tool.parameters if p.kind == "number" and p.name not in self.args]
        tokens = self.question.tokens
        left: list[int] = []
        for at, token in enumerate(tokens):
            if token.kind != "number" or at in self.taken:
                continue
            after = tokens[at + 1] if at + 1 < len(tokens) else None
            unit = "percent" if after is not None and after.text == "%" else after.norm if after is not None else ""
            before = tokens[at - 1].norm if at else ""
            named = [p for p in open_ if p.name not in self.args and unit in p.words]
            limits = [p for p in open_ if p.name == "limit" and before == "top" and "top" in self.tool.subject]
            asked = self.question.text[: token.start]
            bound = "min" if _LEAST.search(asked) else "max" if _MOST.search(asked) else ""
            bounds = [p for p in open_ if bound and p.name.startswith(f"{bound}_")]
            if len(bounds) == 1:
                words = 1 if has_cjk(asked[-2:]) else 0
                match = (_LEAST if bound == "min" else _MOST).search(asked)
                assert match is not None
                self._set(bounds[0], token, [*self._within(match.start() + words * 0, token.start), at])
            elif bound:
                continue
            elif len(named) == 1:
                self._set(named[0], token, [at, at + 1])
            elif limits:
                self._set(limits[0], token, [at])
            elif before in {word for p in open_ if p.required for word in p.words}:
                self._set(next(p for p in open_ if p.required and before in p.words), token, [at - 1, at])
            else:
                left.append(at)
        needing = [p for p in open_ if p.required and p.name not in self.args]
        if len(left) == 1 and len(needing) == 1:
            self._set(needing[0], tokens[left[0]], left)

    def _set(self, parameter: Parameter, token: Token, places: list[int]) -> None:
        text = token.text.replace(",", "")
        if parameter.whole and "." in text:
            return
        self.args[parameter.name] = float(text) if "." in text else int(text)
        self._take(places, "argument")

    def _subject(self) -> None:
        """The tool's own words. In a question that picks some out of many, what it tells besides is no filter."""
        tool, tokens = self.tool, self.question.tokens
        named = {word for parameter in tool.parameters for word in parameter.words} - tool.subject
        for at, token in enumerate(tokens):
            if token.kind != "word" or at in self.taken:
                continue
            if token.norm in tool.subject:
                self._take([at], "subject", speaks=True)
            elif token.norm in named:
                continue
            elif token.norm in tool.clause or (token.norm in tool.listing and not self.strict):
                self._take([at], "description")
        for phrase in sorted(_parts(tool.subject_chinese), key=len, reverse=True):
            self._cover(phrase, "subject", speaks=True)
        for phrase in sorted(tool.listing_chinese, key=len, reverse=True):
            if not self.strict:
                self._cover(phrase, "description", speaks=len(phrase) > 2)
        self._said_by()
        self._conjoined()

    def _said_by(self) -> None:
        """`by stage`, where the description says `by stage`: the tool always gives it so."""
        tokens = self.question.tokens
        for at, token in enumerate(tokens[:-1]):
            phrase = f"by {tokens[at + 1].text.lower()}"
            if token.text.lower() == "by" and re.search(rf"\b{re.escape(phrase)}\b", self.tool.description):
                self._take([at, at + 1], "description")

    def _conjoined(self) -> None:
        """`profit and loss`, where the description has it so: no second question."""
        tokens = self.question.tokens
        for at in range(1, len(tokens) - 1):
            if tokens[at].text.lower() in ("and", "or") and at not in self.taken:
                phrase = " ".join(token.text.lower() for token in tokens[at - 1 : at + 2])
                if re.search(rf"\b{re.escape(phrase)}\b", self.tool.description):
                    self._take([at], "description")

    def _cover(self, phrase: str, used: str, *, speaks: bool = False) -> None:
        for places in self._find(phrase):
            if self._free(places):
                self._take(places, used, speaks=speaks)

    def _neutral(self) -> None:
        now = () if self.tool.has_days else (*NOW, *NOW_CHINESE)
        for phrase in sorted((*NEUTRAL_PHRASES, *now, *NEUTRAL_CHINESE), key=len, reverse=True):
            for places in self._find(phrase):
                if all(self.taken.get(at) != "argument" for at in places):
                    self._take([at for at in places if at not in self.taken], "neutral")
        dated = self.tool.has_days or any(parameter.name in self.args for parameter in self.tool.required)
        neutral = NEUTRAL | PAST if dated else NEUTRAL
        for at, token in enumerate(self.question.tokens):
            if token.kind == "word" and at not in self.taken and token.text.lower() in neutral:
                self._take([at], "neutral")

    def _texts(self) -> list[Parameter]:
        return [p for p in self.tool.parameters if p.kind == "text" and p.named and p.name not in self.args]

    def _quoted_and_files(self) -> None:
        for at, token in enumerate(self.question.tokens):
            if token.kind not in ("quoted", "file") or at in self.taken:
                continue
            texts = self._texts()
            wanted = [p for p in texts if p.required] or [p for p in texts if p.searches]
            if len(wanted) == 1:
                self.args[wanted[0].name] = token.value
                self._take([at], "argument")

    def _names(self) -> None:
        """A name goes to the parameter that the word beside it names, to the one text that is needed, or to the only
        one there is for names."""
        runs = self._name_runs()
        if len(runs) != 1:
            return
        first, last = runs[0][0], runs[0][-1]
        texts = [p for p in self._texts() if not p.searches]
        beside = [p for p in texts if self._named_beside(first, last, p)]
        needed = [p for p in texts if p.required]
        takers = beside or needed or texts
        if len(takers) != 1 or (not beside and any(p.required for p in self._texts() if p not in takers)):
            return
        tokens = self.question.tokens
        value = self.question.text[tokens[first].start : tokens[last].end]
        self.args[takers[0].name] = re.sub(r"['’]s?$", "", value)
        places = [*range(first, last + 1), *self._named_beside(first, last, takers[0])]
        self._take(places, "argument")

    def _name_runs(self) -> list[list[int]]:
        """Words in a row that are written as names and nobody used."""
        runs: list[list[int]] = []
        for at, token in enumerate(self.question.tokens):
            if at in self.taken or token.text.lower() in DAYS or not (token.is_name or (token.text == "&" and runs and runs[-1][-1] == at - 1)):
                continue
            if runs and runs[-1][-1] == at - 1:
                runs[-1].append(at)
            else:
                runs.append([at])
        return runs

    def _rest(self) -> None:
        """What is left after `for` or `about` is the one text that is needed, or what is searched for."""
        tokens = self.question.tokens
        left = [at for at in range(len(tokens)) if at not in self.taken]
        texts = self._texts()
        wanted = [p for p in texts if p.required] or [p for p in texts if p.searches]
        if not left or len(wanted) != 1 or self.doubtful:
            return
        first, last = left[0], left[-1]
        run = range(first, last + 1)
        before = first - 1
        while before >= 0 and tokens[before].text.lower() in ("a", "an", "the", "our"):
            before -= 1
        cued = before >= 0 and tokens[before].text.lower() in _CUES
        plain = all(tokens[at].kind in ("word", "chinese") for at in left)
        if cued and plain and all(at in left or self.taken[at] == "neutral" for at in run) and not self._is_hard(tokens[first : last + 1]):
            self.args[wanted[0].name] = self.question.text[tokens[first].start : tokens[last].end]
            self._take(run, "argument")

    def _searched(self) -> None:
        """A search of documents that the question names: what they say about something is searched for in its words."""
        wanted = [p for p in self.tool.required if p.name not in self.args]
        if len(wanted) != 1 or not wanted[0].searches or not self.tool.is_search:
            return
        named = [at for at, used in self.taken.items() if used in ("subject", "description")]
        text = self.question.text
        if not named or not _SAYS.search(text) or _SECOND.search(text) or self._is_hard(self.question.tokens):
            return
        self.args[wanted[0].name] = self._sought()
        self.spoken |= set(named)
        self._take([at for at in range(len(self.question.tokens)) if at not in self.taken], "search")

    def _sought(self) -> str:
        """The content words, but for those that only say where to look."""
        where = {norm(part) for part in self.tool.name.split("_")} | {"say", "said", "anything", "something"}
        kept = [
            token
            for at, token in enumerate(self.question.tokens)
            if self.taken.get(at) != "neutral" and token.norm not in where and token.text.lower() not in _CUES
        ]
        return " ".join(token.strip("\"“”") for token in _joined(kept))

    def _is_hard(self, tokens: Sequence[Token]) -> bool:
        words = {token.text.lower() for token in tokens}
        text = "".join(token.text for token in tokens if token.kind == "chinese")
        return not HARD.isdisjoint(words) or any(word in text for word in HARD_CHINESE)


def _parts(terms: Sequence[str]) -> set[str]:
    """Chinese terms with what they begin and end with: 服务器状态 speaks of 服务器 and of 状态."""
    return {part for term in terms for at in range(len(term) + 1) for part in (term[:at], term[at:]) if len(part) > 1}


def _joined(tokens: Sequence[Token]) -> list[str]:
    """Tokens as people read them: Chinese characters in a row are one piece."""
    found: list[str] = []
    end = -1
    for token in tokens:
        if found and token.kind == "chinese" and token.start == end:
            found[-1] += token.text
        else:
            found.append(token.text)
        end = token.end
    return found
