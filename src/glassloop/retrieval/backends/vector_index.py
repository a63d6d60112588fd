"""Vectors of one partition in memory: read from the document database when first needed, then kept up to date.

Eight bits a number by faiss where that is installed and it pays; else numpy. Scans all of them: nothing is approximated
but the numbers.
"""

import threading
from array import array
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

COMPRESS_AT = 5_000
BATCH = 5_000
MAX_OPEN = 64
"""So many partitions are kept; of more, those used longest ago are read again when they are needed."""

MAX_DEAD_SHARE = 0.3
"""A larger share of removed vectors than this, and they are read anew."""


def to_blob(vector: Sequence[float]) -> bytes:
    """Of length one, half precision: as it is stored."""
    import numpy as np

    values = np.asarray(vector, np.float32)
    return (values / max(float(np.linalg.norm(values)), 1e-9)).astype(np.float16).tobytes()


class _Rows:
    """Vectors by their place."""

    def __init__(self, dimensions: int, compress_at: int = COMPRESS_AT) -> None:
        import numpy as np

        self._dimensions = dimensions
        self._compress_at = compress_at
        self._plain: Floats = np.zeros((0, dimensions), np.float32)
        self._packed: Any = None
        self._scale = 1.0
        self.count = 0

    def add(self, vectors: "Floats") -> None:
        import numpy as np

        if self._packed is not None:
            self._packed.add(self._scaled(vectors))
        else:
            if self.count + len(vectors) > len(self._plain):
                grown = np.zeros((max(64, 2 * (self.count + len(vectors))), self._dimensions), np.float32)
                grown[: self.count] = self._plain[: self.count]
                self._plain = grown
            self._plain[self.count : self.count + len(vectors)] = vectors
        self.count += len(vectors)
        if self._packed is None and self.count >= self._compress_at:
            self._pack()

    def _pack(self) -> None:
        import numpy as np

        try:
            import faiss
        except ImportError:
            return
        # Whole numbers that faiss takes as they are: four times as quick as ranges that it learns for each dimension.
        packed: Any = faiss.IndexScalarQuantizer(
            self._dimensions, faiss.ScalarQuantizer.QT_8bit_direct_signed, faiss.METRIC_INNER_PRODUCT
        )
        have = self._plain[: self.count]
        # Later vectors may lie a little further out than these.
        self._scale = float(127 / max(1e-6, 1.1 * np.abs(have).max()))
        packed.add(self._scaled(have))
        self._packed = packed
        self._plain = np.zeros((0, self._dimensions), np.float32)

    def _scaled(self, vectors: "Floats") -> "Floats":
        import numpy as np

        return np.clip(np.rint(vectors * self._scale), -127, 127)

    def best(self, vector: "Floats", limit: int, among: "NDArray[np.bool_] | None") -> list[tuple[int, float]]:
        """Places and cosines. `among`: only where this holds."""
        import numpy as np

        limit = min(limit, self.count)
        if limit == 0:
            return []
        if self._packed is not None:
            return self._best_packed(vector, limit, among)
        scores = self._plain[: self.count] @ vector
        if among is not None:
            scores = np.where(among, scores, -2.0)
        places = np.argpartition(-scores, limit - 1)[:limit]
        return [(int(place), float(scores[place])) for place in places if scores[place] > -1.5]

    def _best_packed(self, vector: "Floats", limit: int, among: "NDArray[np.bool_] | None") -> list[tuple[int, float]]:
        import faiss
        import numpy as np

        parameters: Any = None
        if among is not None:
            bits = np.packbits(among, bitorder="little")
            library: Any = faiss
            parameters = library.SearchParameters(sel=library.IDSelectorBitmap(bits))
        scores, places = self._packed.search(self._scaled(vector)[None, :], limit, params=parameters)
        scores = scores[0] / self._scale**2
        return [(int(place), float(score)) for place, score in zip(places[0], scores, strict=True) if place >= 0]

    def cosines(self, vector: "Floats", places: Sequence[int]) -> list[float]:
        if self._packed is None:
            return (self._plain[list(places)] @ vector).tolist()
        import numpy as np

        vectors = self._packed.reconstruct_batch(np.asarray(places, np.int64))
        return (vectors @ self._scaled(vector) / self._scale**2).tolist()


class VectorSource(Protocol):
    """The vectors of one partition where they are stored. Changes and vectors have numbers that only grow."""

    @property
    def epoch(self) -> int:
        """Another one: all vectors are others."""
        ...

    @property
    def change(self) -> int: ...

    @property
    def forgotten(self) -> int:
        """What was removed up to this change is not known any more."""
        ...

    def removed(self, after: int) -> Sequence[range]:
        """The chunks that went since that change."""
        ...

    def added(self, after: int, most: int) -> Sequence[tuple[int, int, bytes, str]]:
        """Number, chunk, vector and domain, in their order."""
        ...


class VectorIndex:
    """The vectors of one partition by chunk."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._clear(0, 0)

    def _clear(self, dimensions: int, epoch: int) -> None:
        self._rows = _Rows(dimensions)
        self._chunks: list[int] = []
        self._places: dict[int, int] = {}
        self._domains = array("I")
        self._codes: dict[str, int] = {}
        self._dead = 0
        self._alive = array("B")
        self._seen_vector = self._seen_change = 0
        self._epoch = epoch
        self._dimensions = dimensions

    @property
    def count(self) -> int:
        return len(self._places)

    def refresh(self, vectors: VectorSource, dimensions: int) -> None:
        """Up to what is committed now."""
        with self._lock:
            epoch = vectors.epoch
            behind = self._seen_change < vectors.forgotten and self._seen_vector
            if (
                epoch != self._epoch
                or dimensions != self._dimensions
                or behind
                or self._dead > MAX_DEAD_SHARE * self.count + 100
            ):
                self._clear(dimensions, epoch)
            self._follow_removed(vectors)
            self._follow_vectors(vectors)

    def _follow_removed(self, vectors: VectorSource) -> None:
        change = vectors.change
        for gone in vectors.removed(self._seen_change) if self._places else ():
            for chunk in gone:
                place = self._places.pop(chunk, None)
                if place is not None:
                    self._alive[place] = 0
                    self._dead += 1
        self._seen_change = change

    def _follow_vectors(self, vectors: VectorSource) -> None:
        import numpy as np

        while True:
            rows = vectors.added(self._seen_vector, BATCH)
            good = [row for row in rows if len(row[2]) == 2 * self._dimensions and row[1] not in self._places]
            if good:
                joined = b"".join(row[2] for row in good)
                numbers = np.frombuffer(joined, np.float16).reshape(len(good), self._dimensions).astype(np.float32)
                first = self._rows.count
                self._rows.add(numbers)
                self._places |= {row[1]: first + place for place, row in enumerate(good)}
                self._chunks += [row[1] for row in good]
                self._domains.extend(self._codes.setdefault(row[3], len(self._codes)) for row in good)
                self._alive.extend([1] * len(good))
            if rows:
                self._seen_vector = rows[-1][0]
            if len(rows) < BATCH:
                return

    def best(self, vector: "Floats", limit: int, domains: Sequence[str] | None) -> list[tuple[int, float]]:
        """Chunks and their cosines, in no order."""
        with self._lock:
            found = self._rows.best(vector, limit, self._mask(domains))
            return [(self._chunks[place], score) for place, score in found]

    def cosines(self, vector: "Floats", chunks: Iterable[int]) -> dict[int, float]:
        """Of those chunks that have a vector."""
        with self._lock:
            there = [chunk for chunk in chunks if chunk in self._places]
            if not there:
                return {}
            scores = self._rows.cosines(vector, [self._places[chunk] for chunk in there])
            return dict(zip(there, scores, strict=True))

    def _mask(self, domains: Sequence[str] | None) -> "NDArray[np.bool_] | None":
        if domains is None and not self._dead:
            return None
        import numpy as np

        alive = np.frombuffer(self._alive, np.bool_)
        if domains is None:
            return alive.copy()
        wanted = [self._codes[domain] for domain in domains if domain in self._codes]
        return alive & np.isin(np.frombuffer(self._domains, np.uint32), wanted)


class VectorIndexes:
    """The vectors of the partitions that were searched last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: OrderedDict[int, VectorIndex] = OrderedDict()

    def cosines(
        self,
        sources: Mapping[int, VectorSource],
        vector: "array[float]",
        chunks: Sequence[int],
        domains: Sequence[str] | None,
        limit: int,
    ) -> dict[int, float]:
        """Of these chunks, and of the nearest there are, in the partitions of these sources."""
        import numpy as np

        asked = np.frombuffer(vector, np.float32)
        best: list[tuple[int, float]] = []
        known: dict[int, float] = {}
        for partition, source in sources.items():
            vectors = self._of(partition)
            vectors.refresh(source, len(asked))
            best += vectors.best(asked, limit, domains)
            known |= vectors.cosines(asked, chunks)
        best.sort(key=lambda each: -each[1])
        return known | dict(best[:limit])

    def _of(self, partition: int) -> VectorIndex:
        with self._lock:
            found = self._open.setdefault(partition, VectorIndex())
            self._open.move_to_end(partition)
            if len(self._open) > MAX_OPEN:
                self._open.popitem(last=False)
            return found
