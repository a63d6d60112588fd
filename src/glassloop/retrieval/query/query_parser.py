"""Query parser: a question as words with their synonyms, and the lexical search over the partitions its asker may see.

Word frequencies are counted over those partitions together and over no others, so that other people's documents have no
influence.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from glassloop.retrieval.backends.disk.lexical_index import LexicalIndex, hits
from glassloop.retrieval.query.search_terms import asked_words, is_unspaced

COMMON = 0.4
MANY = 2_000
"""A word in more than this share of so many chunks is left out, where rarer ones are asked for as well."""

MAX_SYNONYMS = 12
SYNONYM_WEIGHT = 0.9

Alternative = tuple[str, ...]


class Synonyms:
    """Lists of words that mean the same: `{"披锋": ["飞边", "毛边", "flash"]}`. Each stands for all of its list."""

    def __init__(self, lists: Mapping[str, Iterable[str]] | None = None) -> None:
        self._others: dict[str, list[str]] = {}
        for word, others in (lists or {}).items():
            same = list(dict.fromkeys(map(_folded, (word, *others))))[: MAX_SYNONYMS + 1]
            for each in same:
                known = self._others.setdefault(each, [])
                known.extend(other for other in same if other != each and other not in known)
        # The longest first: 注塑模具 before 模具.
        names = sorted((name for name in self._others if name), key=len, reverse=True)
        parts = (re.escape(name) if is_unspaced(name) else rf"\b{re.escape(name)}\b" for name in names)
        self._pattern = re.compile("|".join(parts)) if names else None

    def split(self, question: str) -> tuple[str, list[list[str]]]:
        """The question without what has synonyms, and each such word with its synonyms."""
        if self._pattern is None:
            return question, []
        found = list(dict.fromkeys(self._pattern.findall(_folded(question))))
        rest = self._pattern.sub(" ", _folded(question)) if found else question
        return rest, [[word, *self._others[word][:MAX_SYNONYMS]] for word in found]


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower().strip()


class ParsedQuery(msgspec.Struct, frozen=True):
    """Groups of alternatives: of each group the best alternative counts."""

    groups: tuple[tuple[Alternative, ...], ...]

    @property
    def words(self) -> set[str]:
        return {word for group in self.groups for alternative in group for word in alternative}


def parse_query(question: str, synonyms: Synonyms) -> ParsedQuery:
    rest, expanded = synonyms.split(question)
    groups: list[tuple[Alternative, ...]] = [((word,),) for word in asked_words(rest)]
    for names in expanded:
        alternatives = dict.fromkeys(tuple(asked_words(name)) for name in names)
        groups.append(tuple(alternative for alternative in alternatives if alternative))
    return ParsedQuery(tuple(dict.fromkeys(group for group in groups if group)))


class LexicalHits(msgspec.Struct):
    """Scores by chunk, best first, and the most that a chunk which has every word once would score."""

    scores: dict[int, float]
    full: float


class TermCounts(msgspec.Struct):
    """How many chunks a partition has, and how many of them have each word of the question."""

    count: int
    frequencies: dict[str, int]


class WeighedQuery(msgspec.Struct, frozen=True):
    """The groups that tell something, how rare each word is, and what a chunk with all of them would score."""

    groups: Sequence[tuple[Alternative, ...]]
    rarity: Mapping[str, float]
    full: float


def weigh(asked: ParsedQuery, partitions: Sequence[TermCounts]) -> WeighedQuery:
    """Over all of these partitions together."""
    count = sum(partition.count for partition in partitions)
    frequency = {word: sum(partition.frequencies[word] for partition in partitions) for word in asked.words}
    rarity = {word: rarity_of(count, each) for word, each in frequency.items()}
    groups = _telling(asked.groups, frequency, count)
    return WeighedQuery(groups, rarity, sum(_worth(group, rarity, partitions) for group in groups))


class _Partition(TermCounts):
    """`rarity`: of each word, as tantivy takes it."""

    searcher: Any
    schema: Any
    rarity: dict[str, float]
    is_whole: bool


def search_words(
    asked: ParsedQuery, partitions: Sequence[LexicalIndex], domains: Sequence[str] | None, limit: int
) -> LexicalHits:
    """The best chunks by their words."""
    opened = [_open(lexical, asked.words) for lexical in partitions]
    readable = [partition for partition in opened if partition is not None and partition.count]
    weighed = weigh(asked, readable)
    scores: dict[int, float] = {}
    for partition in readable:
        # Scaled to what the word is worth over all partitions, and without what was replaced: alone, each would use its
        # own count of all that was ever written there.
        own = {word: weighed.rarity[word] / partition.rarity[word] for word in asked.words}
        scale = {} if len(readable) == 1 and partition.is_whole else own
        query = _query(partition, weighed.groups, scale, domains)
        if query is not None:
            scores |= dict(hits(partition.searcher, query, limit))
    return LexicalHits(best_of(scores, limit), weighed.full)


def _telling(
    groups: Sequence[tuple[Alternative, ...]], frequency: Mapping[str, int], count: int
) -> Sequence[tuple[Alternative, ...]]:
    """Without words that nearly every passage has: they cost most and say least. Not where there is nothing else."""
    if count < MANY:
        return groups
    left = [group for group in groups if any(frequency[word] <= COMMON * count for word in _all(group))]
    return left if any(frequency[word] for group in left for word in _all(group)) else groups


def _all(group: tuple[Alternative, ...]) -> set[str]:
    return {word for alternative in group for word in alternative}


def _open(lexical: LexicalIndex, words: set[str]) -> _Partition | None:
    searcher = lexical.searcher()
    if searcher is None:
        return None
    sizes, schema = lexical.sizes, lexical.schema
    written: dict[str, int] = {word: searcher.doc_freq("body", word) for word in words}
    rarity = {word: rarity_of(sizes.written, count) for word, count in written.items()}
    there = {word: _count(searcher, schema, word) for word in words} if sizes.hidden else written
    return _Partition(searcher.num_docs, there, searcher, schema, rarity, not sizes.hidden)


def _count(searcher: Any, schema: Any, word: str) -> int:
    """Without what is hidden."""
    from tantivy import Query

    return searcher.search(Query.term_query(schema, "body", word, "freq"), 1, count=True).count


def rarity_of(count: int, frequency: int) -> float:
    # What was counted a moment later may be more.
    return math.log(1 + (max(count, frequency) - frequency + 0.5) / (frequency + 0.5))


def _worth(group: tuple[Alternative, ...], rarity: Mapping[str, float], partitions: Sequence[TermCounts]) -> float:
    """Of its best alternative that occurs at all; a word that nobody wrote is worth most, and nothing can have it."""
    there = [
        each for each in group if any(all(partition.frequencies[word] for word in each) for partition in partitions)
    ]
    return max(sum(rarity[word] for word in alternative) for alternative in there or group[:1])


def best_of(scores: dict[int, float], limit: int) -> dict[int, float]:
    return dict(sorted(scores.items(), key=lambda each: (-each[1], each[0]))[:limit])


def _query(
    partition: _Partition,
    groups: Sequence[tuple[Alternative, ...]],
    scale: Mapping[str, float],
    domains: Sequence[str] | None,
) -> Any:
    """None where the partition has none of the words."""
    from tantivy import Occur, Query

    def term(word: str, weight: float = 1.0) -> Any:
        boost = weight * scale.get(word, 1.0)
        query = Query.term_query(partition.schema, "body", word, "freq")
        return query if boost == 1.0 else Query.boost_query(query, boost)

    wanted: list[Any] = []
    for group in groups:
        parts: list[Any] = []
        for place, alternative in enumerate(group):
            words = [
                term(word, SYNONYM_WEIGHT if place else 1.0) for word in alternative if partition.frequencies[word]
            ]
            if words:
                parts.append(
                    words[0] if len(words) == 1 else Query.boolean_query([(Occur.Should, each) for each in words])
                )
        if parts:
            wanted.append(parts[0] if len(parts) == 1 else Query.disjunction_max_query(parts))
    if not wanted:
        return None
    query = wanted[0] if len(wanted) == 1 else Query.boolean_query([(Occur.Should, each) for each in wanted])
    if domains is None:
        return query
    within = Query.term_set_query(partition.schema, "domain", [domain or "-" for domain in domains])
    return Query.boolean_query([(Occur.Must, Query.const_score_query(within, 0.0)), (Occur.Must, query)])
