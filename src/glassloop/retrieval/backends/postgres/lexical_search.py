"""Lexical search in PostgreSQL: BM25 over our own words, as the lexical index on the disk counts it.

Only passages that have one of the rarer words are looked at, so that a question with common words stays quick.
"""

from collections.abc import Sequence

import msgspec

from glassloop.retrieval.backends.postgres.document_writer import quoted
from glassloop.retrieval.backends.postgres.schema import Connection, run
from glassloop.retrieval.query.query_parser import (
    SYNONYM_WEIGHT,
    Alternative,
    LexicalHits,
    ParsedQuery,
    TermCounts,
    WeighedQuery,
    best_of,
    weigh,
)

K1, B = 1.2, 0.75
"""As tantivy has them."""

MAX_SCANNED = 4_000
"""Rarer words first, until so many passages have one of them."""

_OFTEN = 5
"""What four times and more counts as, until it is counted."""

# The weight of a word (D, C, B, A: once, twice, three times, more), as ts_rank gives it for one word, made a number.
_TIMES = f"{_OFTEN * 1.6449340668482264}"
_WEIGHTS = "{0.2, 0.4, 0.6, 1}"


class VisiblePartition(TermCounts):
    """A partition that may be seen."""

    id: int
    words: int


def open_partitions(
    connection: Connection, index: int, owners: Sequence[str], words: Sequence[str]
) -> list[VisiblePartition]:
    """Those that hold anything, with how many of their chunks have each word."""
    rows = connection.execute(
        "SELECT id, chunks, words FROM retrieval_partitions WHERE index_id = %s AND owner = ANY(%s) AND chunks > 0 "
        "ORDER BY id",
        [index, list(owners)],
    ).fetchall()
    partitions = [VisiblePartition(chunks, dict.fromkeys(words, 0), number, length) for number, chunks, length in rows]
    counted = connection.execute(
        "SELECT partition, word, chunks FROM retrieval_frequencies WHERE partition = ANY(%s) AND word = ANY(%s)",
        [[partition.id for partition in partitions], list(words)],
    )
    by_id = {partition.id: partition for partition in partitions}
    for partition, word, chunks in counted:
        by_id[partition].frequencies[word] = chunks
    return partitions


def search_words(
    connection: Connection,
    asked: ParsedQuery,
    partitions: Sequence[VisiblePartition],
    domains: Sequence[str] | None,
    limit: int,
) -> LexicalHits:
    """The best chunks by their words."""
    weighed = weigh(asked, partitions)
    scores: dict[int, float] = {}
    for partition in partitions:
        if query := _query(partition, weighed, domains, limit):
            scored = {int(chunk): float(score) for chunk, score in run(connection, query.text, query.values)}
            scores |= scored | _counted(connection, partition, weighed, list(scored))
    return LexicalHits(best_of(scores, limit), weighed.full)


def _counted(
    connection: Connection, partition: VisiblePartition, weighed: WeighedQuery, chunks: Sequence[int]
) -> dict[int, float]:
    """The exact scores of those that have a word four times or more."""
    there = [word for word in dict.fromkeys(_words(weighed.groups)) if partition.frequencies[word]]
    often = " | ".join(f"{quoted(word)}:A" for word in there)
    rows = connection.execute(
        "SELECT w.chunk, w.length, u.lexeme, u.positions[1] FROM retrieval_words w, unnest(w.words) u "
        "WHERE w.chunk = ANY(%s) AND w.words @@ %s::tsquery AND u.lexeme = ANY(%s)",
        [list(chunks), often, there],
    )
    times: dict[tuple[int, int], dict[str, int]] = {}
    for chunk, length, word, count in rows:
        times.setdefault((int(chunk), int(length)), {})[word] = int(count)
    average = max(1.0, partition.words / partition.count)
    return {
        chunk: sum(_worth(group, counts, weighed, K1 * (1 - B + B * length / average)) for group in weighed.groups)
        for (chunk, length), counts in times.items()
    }


def _worth(group: tuple[Alternative, ...], counts: dict[str, int], weighed: WeighedQuery, norm: float) -> float:
    """What `_group` says, of one chunk."""
    return max(
        (SYNONYM_WEIGHT if place else 1.0)
        * sum(weighed.rarity[word] * (K1 + 1) * counts[word] / (counts[word] + norm) for word in each if word in counts)
        for place, each in enumerate(group)
    )


class _Query(msgspec.Struct, frozen=True):
    text: str
    values: list[object]


def _query(
    partition: VisiblePartition, weighed: WeighedQuery, domains: Sequence[str] | None, limit: int
) -> _Query | None:
    """None where the partition has none of the words."""
    there = [word for word in dict.fromkeys(_words(weighed.groups)) if partition.frequencies[word]]
    if not there:
        return None
    names = {word: f"t{place}" for place, word in enumerate(there)}
    ranks = [f"ts_rank('{_WEIGHTS}', words, %s::tsquery) * {_TIMES} AS {name}" for name in names.values()]
    average = max(1.0, partition.words / partition.count)
    groups = [scored for group in weighed.groups if (scored := _group(group, names, weighed))]
    within = "" if domains is None else " AND domain = ANY(%s)"
    norm = f"{K1} * ({1 - B} + {B} * length / %s)"
    text = (
        f"SELECT chunk, {' + '.join(groups)} AS score FROM (SELECT chunk, {norm} AS norm, {', '.join(ranks)} "  # noqa: S608
        f"FROM retrieval_words WHERE words @@ %s::tsquery{within} OFFSET 0) found ORDER BY score DESC, chunk LIMIT %s"
    )
    some = " | ".join(map(quoted, _rarer(partition, there)))
    values: list[object] = [average, *map(quoted, there), f"'#{partition.id}' & ({some})"]
    return _Query(text, [*values, *([] if domains is None else [list(domains)]), limit])


def _words(groups: Sequence[tuple[Alternative, ...]]) -> list[str]:
    return [word for group in groups for alternative in group for word in alternative]


def _rarer(partition: VisiblePartition, there: Sequence[str]) -> list[str]:
    taken: list[str] = []
    scanned = 0
    for word in sorted(there, key=lambda each: partition.frequencies[each]):
        if taken and scanned + partition.frequencies[word] > MAX_SCANNED:
            break
        taken.append(word)
        scanned += partition.frequencies[word]
    return taken


def _group(group: tuple[Alternative, ...], names: dict[str, str], weighed: WeighedQuery) -> str:
    """Of its alternatives the best; synonyms count a little less than the word that was asked for."""
    parts: list[str] = []
    for place, alternative in enumerate(group):
        weight = (SYNONYM_WEIGHT if place else 1.0) * (K1 + 1)
        words = [
            f"{weighed.rarity[word] * weight!r} * {names[word]} / ({names[word]} + norm)"
            for word in alternative
            if word in names
        ]
        if words:
            parts.append(" + ".join(words))
    if len(parts) > 1:
        return f"greatest({', '.join(parts)})"
    return parts[0] if parts else ""
