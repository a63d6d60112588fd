"""The map of a workspace: what its files define, parsed once and kept up, ranked for each question. Blocks.

A file is parsed again when its time or size changed. What is known is kept in memory for the workspaces used last, and
on the disk (`map_store`) for the next process.
"""

import heapq
import os
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from glassloop.extensions.code.access import is_secret
from glassloop.extensions.code.search.definition_rank import RankedFile, rank_names
from glassloop.extensions.code.search.engines import read_text
from glassloop.extensions.code.search.map_store import MapStore, StoredTags
from glassloop.extensions.code.search.tag_reader import TagReader
from glassloop.extensions.code.search.tags import MAX_BYTES, Definition, FileTags, is_source
from glassloop.extensions.code.search.word_match import WordIndex, path_score, question_words
from glassloop.retrieval.query.search_terms import count_tokens
from glassloop.root_folder import RootFolder
from glassloop.tools.context import ToolCancelled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ids = NDArray[np.int32]

MAX_FILES = 20_000
MAX_MAPS = 3
SAVED_AT_ONCE = 500
"""Files parsed until they are written down: a long first look is not lost when it is cut off."""
PARSED_AT_ONCE = 40
SETTLED_NS = 2_000_000_000
MAX_NAMES = 1_200
"""Of which a map is made, the best first: more do not fit into any."""
WORDS = 5.0
"""What a definition counts that has all words of the question in its name; one that is named there counts more."""
VARIABLE = 0.2
"""What a use of a constant counts beside one of a function or a class. Those of other variables, which are mostly
stand-ins for what could not be imported, do not count."""

_secret = lru_cache(maxsize=100_000)(is_secret)
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
_PARTS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


class RankedDefinition(NamedTuple):
    path: str
    definition: Definition


class MapText(NamedTuple):
    """`files` and `definitions`: how many are shown. `left`: files that were not parsed in time."""

    text: str
    files: Sequence[str]
    definitions: int
    known: int
    left: int


class CodeMap:
    """Of one root. For any thread, one at a time."""

    def __init__(self, store: MapStore | None, reader: TagReader) -> None:
        self._store = store
        self._reader = reader
        self._lock = threading.Lock()
        self._files: dict[str, StoredTags] | None = None
        self._ranked: dict[str, tuple[StoredTags, RankedFile]] = {}
        self._names: dict[str, int] = {}
        self._same: dict[str, list[int]] = {}
        """Names that differ only in their case."""
        self._words = WordIndex()
        """Of the names that are defined."""

    def draw(
        self,
        root: RootFolder,
        files: Sequence[str],
        *,
        below: str = "",
        about: str = "",
        touched: Sequence[str] = (),
        token_budget: int,
        seconds: float,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> MapText:
        """The definitions that matter most among `files`, those of `below` only, within the budget."""
        with self._lock:
            left = self._update(root, files, time.monotonic() + seconds, cancelled)
            ranked = self._rank(below, about, touched)
            known = len(self._files or {})
        return _fit(ranked, token_budget, known, left)

    def definitions(self) -> list[RankedDefinition]:
        """All that are known."""
        with self._lock:
            return [
                RankedDefinition(path, each)
                for path, file in (self._files or {}).items()
                for each in file.tags.definitions
            ]

    def _update(self, root: RootFolder, files: Sequence[str], until: float, cancelled: Callable[[], bool]) -> int:
        """Parses what changed; how many files are left for the next time."""
        if self._files is None:
            self._files = self._store.load() if self._store else {}
        wanted = [path for path in files if is_source(path) and not _secret(path)][:MAX_FILES]
        states = dict(_states(root, wanted))
        gone = [path for path in self._files if path not in states]
        for path in gone:
            del self._files[path]
        stale = [path for path, state in states.items() if not _is_same(self._files.get(path), state)]
        changed: dict[str, StoredTags] = {}
        done = 0
        try:
            for begin in range(0, len(stale), PARSED_AT_ONCE):
                if cancelled():
                    raise ToolCancelled
                if time.monotonic() > until:
                    break
                some = stale[begin : begin + PARSED_AT_ONCE]
                texts = [(path, text) for path in some if (text := _text(root, path)) is not None]
                tags = dict(zip((path for path, _ in texts), self._reader.tags_of(texts), strict=True))
                for path in some:
                    changed[path] = self._files[path] = StoredTags(*states[path], tags.get(path, FileTags()))
                done += len(some)
                if len(changed) >= SAVED_AT_ONCE:
                    self._save(changed, ())
                    changed = {}
        finally:
            self._save(changed, gone)
        return len(stale) - done

    def _save(self, changed: dict[str, StoredTags], gone: Sequence[str]) -> None:
        if self._store is not None and (changed or gone):
            self._store.save(changed, gone)

    def _rank(self, below: str, about: str, touched: Sequence[str]) -> list[RankedDefinition]:
        import numpy as np

        paths = list(self._files or {})
        ranked = [self._ranked_file(path) for path in paths]
        self._ranked = {path: self._ranked[path] for path in paths}
        places = {path: place for place, path in enumerate(paths)}
        factors = np.ones(len(self._names), np.float32)
        asked = self._asked(about)
        for number in asked:
            factors[number] = 20.0
        near = [places[path] for path in touched if path in places]
        scores = rank_names(ranked, len(self._names), factors, near)
        defines = np.concatenate([each.defines for each in ranked]) if ranked else np.zeros(0, np.int32)
        for number, weight in asked.items():
            # What was asked for by name is in the map, whoever uses it.
            scores[defines == number] += weight
        owners = np.repeat(np.arange(len(paths)), [len(each.defines) for each in ranked])
        for place, score in self._by_words(about, paths, defines, owners):
            scores[place] += score
        if below:
            inside = np.array([path == below or path.startswith(f"{below}/") for path in paths])
            scores[~inside[owners]] = -1.0
        best = np.argsort(-scores, kind="stable")[:MAX_NAMES]
        texts = list(self._names)
        found: list[RankedDefinition] = []
        for place in best[scores[best] >= 0.0].tolist():
            path, name = paths[owners[place]], texts[defines[place]]
            stored = self._ranked[path][0]
            found += [RankedDefinition(path, each) for each in stored.tags.definitions if each.name == name]
        return found

    def _by_words(
        self, about: str, paths: Sequence[str], defines: "Ids", owners: "NDArray[np.int64]"
    ) -> Iterator[tuple[int, float]]:
        """Definitions whose names hold words of a question, more so where the path of their file holds others."""
        import numpy as np

        words = question_words(about)
        if not words:
            return
        weights = self._words.weights(words)
        scores = self._words.scores(weights)
        for number in heapq.nlargest(MAX_NAMES, scores, key=scores.__getitem__):
            for place in np.flatnonzero(defines == number).tolist():
                yield place, WORDS * (scores[number] + path_score(paths[int(owners[place])], weights))

    def _ranked_file(self, path: str) -> RankedFile:
        import numpy as np

        stored = (self._files or {})[path]
        known = self._ranked.get(path)
        if known is not None and known[0] is stored:
            return known[1]
        tags, number = stored.tags, self._number
        defines = np.array(list(dict.fromkeys(number(each.name) for each in tags.definitions)), np.int32)
        uses = np.array([number(name) for name, _ in tags.references], np.int32)
        weights = np.sqrt(np.array([count * _factor(name) ** 2 for name, count in tags.references], np.float32))
        for each in tags.definitions:
            self._words.add(number(each.name), each.name)
        solid = {number(each.name) for each in tags.definitions if each.kind != "variable"}
        constant = {number(each.name) for each in tags.definitions if each.name.isupper()}
        weigh = {**dict.fromkeys(constant, VARIABLE), **dict.fromkeys(solid, 1.0)}
        kinds = np.array([weigh.get(each, 0.0) for each in defines.tolist()], np.float32)
        made = RankedFile(defines, kinds, uses, weights)
        self._ranked[path] = (stored, made)
        return made

    def _number(self, name: str) -> int:
        number = self._names.get(name)
        if number is None:
            number = self._names[name] = len(self._names)
            self._same.setdefault(name.lower(), []).append(number)
        return number

    def _asked(self, about: str) -> dict[int, float]:
        """The names that a question speaks of, as they are written or in another case."""
        found: dict[int, float] = {}
        words = set(_WORD.findall(about))
        prose = len(question_words(about)) > 2
        for word in words:
            found.update(dict.fromkeys(self._same.get(word.lower(), ()), 1.0 if prose else 10.0))
        for word in words & self._names.keys():
            # A word of prose may be a name as well: those that can only be names come first.
            found[self._names[word]] = (
                100.0 if _factor(word) else 3.0 if prose else 50.0 if question_words(word) else 20.0
            )
        return found


class CodeMaps:
    """The maps of the workspaces that were asked about last. `folder`: where they are written down."""

    def __init__(self, folder: Path | None, reader: TagReader, limit: int = MAX_MAPS) -> None:
        self._folder = folder
        self._reader = reader
        self._limit = limit
        self._lock = threading.Lock()
        self._maps: OrderedDict[Path, CodeMap] = OrderedDict()

    def of(self, root: Path) -> CodeMap:
        with self._lock:
            found = self._maps.get(root)
            if found is None:
                store = None if self._folder is None else MapStore(self._folder, root)
                found = self._maps[root] = CodeMap(store, self._reader)
            self._maps.move_to_end(root)
            while len(self._maps) > self._limit:
                self._maps.popitem(last=False)
            return found


def _text(root: RootFolder, path: str) -> bytes | None:
    with suppress(OSError, ValueError):
        return read_text(root, path)
    return None


def _states(root: RootFolder, paths: Sequence[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Time and size of each. Only compared: what is read is opened through the root."""
    folder = root.open_folder("").descriptor
    recent = time.time_ns() - SETTLED_NS
    try:
        for path in paths:
            with suppress(OSError):
                facts = os.stat(path, dir_fd=folder, follow_symlinks=False)
                if facts.st_size <= MAX_BYTES:
                    # What changed just now may change again without its time telling.
                    modified = facts.st_mtime_ns
                    yield path, (modified if modified < recent else -modified, facts.st_size)
    finally:
        os.close(folder)


def _is_same(stored: StoredTags | None, state: tuple[int, int]) -> bool:
    return stored is not None and state[0] > 0 and (stored.modified, stored.size) == state


@lru_cache(maxsize=500_000)
def _factor(name: str) -> float:
    """A name made of several words means one thing more likely than a word of prose."""
    if name.startswith("_"):
        return 0.3
    words = len(_PARTS.findall(name))
    if words > 1:
        return 2.0 if len(name) >= 8 else 1.0
    return 0.0 if name.islower() else 0.5


def _fit(ranked: Sequence[RankedDefinition], token_budget: int, known: int, left: int) -> MapText:
    """As many of the best as the budget holds, by file, the file with the best one first."""
    low, high = 0, len(ranked)
    text, files = "", list[str]()
    while low < high:
        middle = (low + high + 1) // 2
        drawn, names = _drawn(ranked[:middle])
        if count_tokens(drawn) <= token_budget:
            low, text, files = middle, drawn, names
        else:
            high = middle - 1
    return MapText(text, files, low, known, left)


def _drawn(ranked: Sequence[RankedDefinition]) -> tuple[str, list[str]]:
    files: dict[str, dict[Definition, None]] = {}
    for path, definition in ranked:
        files.setdefault(path, {})[definition] = None
    lines: list[str] = []
    for path, definitions in files.items():
        lines.append(f"{path}:")
        for each in sorted(definitions, key=lambda each: each.line):
            within = f"  [{each.within}]" if each.within else ""
            lines.append(f"  {each.line}: {each.signature}{within}")
    return "\n".join(lines), list(files)
