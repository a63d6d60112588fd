"""Coverage of a question by one tool: which words are used, and for what.

Only the bookkeeping. `arguments` fills arguments, `fit` decides whether the tool fits.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from glassloop.core.records import Json
from glassloop.extensions.reflex.question import PhraseIndex, QuestionToken, TokenizedQuestion
from glassloop.extensions.reflex.tool import MatchedParameter, ToolWords
from glassloop.extensions.reflex.words import HARD, HARD_CHINESE, HARD_GERMAN, STRICT, STRICT_CHINESE

Use = Literal["argument", "subject", "description", "search", "neutral"]


class Coverage:
    """`taken` says what each token was used for, `doubtful` are those that could be for several things, `spoken` those
    that name the tool, `guessed` counts names that no parameter names. `strict`: the question picks some out of
    many."""

    def __init__(self, question: TokenizedQuestion, tool: ToolWords) -> None:
        self.question, self.tool, self.tokens = question, tool, question.tokens
        self.find, self.within = question.find, question.within
        self.args: dict[str, Json] = {}
        self.taken: dict[int, Use] = {}
        self.doubtful: set[int] = set()
        self.spoken: set[int] = set()
        self.guessed = 0
        words = {word.text.lower() for word in question.words}
        self.strict = not STRICT.isdisjoint(words) or any(word in question.text for word in STRICT_CHINESE)

    def take(self, places: Iterable[int], used: Use, *, speaks: bool = False) -> None:
        for at in places:
            self.taken[at] = used
            if speaks:
                self.spoken.add(at)

    def fill(self, parameter: MatchedParameter, value: Json, places: Iterable[int]) -> None:
        """Gives the parameter the value that these tokens say."""
        self.args[parameter.name] = value
        self.take(places, "argument")

    def cover(self, phrase: str, used: Use, *, speaks: bool = False) -> None:
        for places in self.find(phrase):
            if self.is_free(places):
                self.take(places, used, speaks=speaks)

    def is_free(self, places: Iterable[int]) -> bool:
        return all(at not in self.taken for at in places)

    def left(self) -> list[int]:
        """The places that nothing used yet."""
        return [at for at in range(len(self.tokens)) if at not in self.taken]

    def find_all(self, index: PhraseIndex) -> Iterator[tuple[int, list[list[int]]]]:
        """The phrases that stand in the question by number, in their order, and where."""
        for number in index.possible(self.question):
            if found := self.find(index.phrases[number]):
                yield number, found

    def open(self, *kinds: str) -> list[MatchedParameter]:
        """Parameters of these kinds without a value."""
        return [p for p in self.tool.parameters if p.kind in kinds and p.name not in self.args]

    def texts(self) -> list[MatchedParameter]:
        """Parameters without a value that take any text."""
        return [parameter for parameter in self.open("text") if parameter.named]

    def named_beside(self, first: int, last: int, parameter: MatchedParameter) -> list[int]:
        """The words beside a value that say which parameter it is for."""
        found: list[int] = []
        for at in (first - 1, first - 2, last + 1):
            if not (0 <= at < len(self.tokens) and self.tokens[at].norm in parameter.words and at not in self.taken):
                continue
            if at != first - 2 or self.tokens[first - 1].text.lower() in ("is", "number", "no", "id", "of"):
                found.append(at)
        return found

    def before(self, at: int) -> str:
        """The word before a place."""
        return self.tokens[at - 1].text.lower() if at else ""


def is_hard(tokens: Sequence[QuestionToken]) -> bool:
    """Whether a word among them changes what is asked."""
    text = "".join(token.text for token in tokens if token.kind == "chinese")
    words = {token.text.lower() for token in tokens}
    return not (HARD | HARD_GERMAN).isdisjoint(words) or any(word in text for word in HARD_CHINESE)


def joined(tokens: Sequence[QuestionToken]) -> list[str]:
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
