"""Writing one owner's documents of one domain into PostgreSQL: each group in one transaction, and found with it."""

from collections import Counter
from collections.abc import Iterable, Sequence

from glassloop.retrieval.backends.postgres.schema import Connection, DatabaseLayout, run
from glassloop.retrieval.index.index_writer import Became
from glassloop.retrieval.index.sources import DocumentSource, SourceContent, StoredDocument, chunk_values, passage_key

MAX_POSITION = 16_000
_WEIGHTS = "DCBA"
_DOCUMENT = "id, domain, name, title, digest, size, modified, 0, 0, chunks"
_CHUNK_COLUMNS = (
    "id, document, partition, ordinal, headings, text, first_line, last_line, page, overlap, tokens, unspaced"
)


class PgDocumentWriter:
    """Only under the write lock."""

    def __init__(self, connection: Connection, layout: DatabaseLayout, index: int, owner: str, domain: str) -> None:
        self._connection = connection
        self._layout = layout
        self._domain = plain(domain)
        values = (index, plain(owner))
        connection.execute(
            "INSERT INTO retrieval_partitions (index_id, owner) VALUES (%s, %s) ON CONFLICT DO NOTHING", values
        )
        row = connection.execute("SELECT id FROM retrieval_partitions WHERE index_id = %s AND owner = %s", values)
        self._partition = int((row.fetchone() or (0,))[0])

    def find(self, name: str) -> StoredDocument | None:
        row = run(
            self._connection,
            f"SELECT {_DOCUMENT} FROM retrieval_documents WHERE partition = %s AND domain = %s AND name = %s",  # noqa: S608
            [self._partition, self._domain, plain(name)],
        ).fetchone()
        return None if row is None else StoredDocument(*row)

    def known(self) -> list[StoredDocument]:
        return documents(self._connection, self._partition, self._domain)

    def write(self, group: Sequence[tuple[DocumentSource, SourceContent]]) -> Sequence[tuple[str, Became, int]]:
        told: list[tuple[str, Became, int]] = []
        fresh: list[tuple[int, SourceContent]] = []
        kept: dict[tuple[int, str], str] = {}
        with self._connection.transaction():
            # A name that comes twice is written once, as it came last.
            for source, read in {plain(source.name): (source, read) for source, read in group}.values():
                known = self.find(source.name)
                if read.same and known is not None:
                    self._connection.execute(
                        "UPDATE retrieval_documents SET modified = %s WHERE id = %s", [read.modified, known.id]
                    )
                    told.append((source.name, "unchanged", 0))
                    continue
                if known is not None:
                    kept |= self._vectors_of(known)
                    self._forget([known.id])
                fresh.append((self._put_document(source, read), read))
                told.append((source.name, "added" if known is None else "changed", len(read.chunks)))
            self._put_chunks(fresh, kept)
        return told

    def remove(self, gone: Sequence[StoredDocument]) -> None:
        ids = [known.id for known in gone]
        with self._connection.transaction():
            self._forget(ids)
            self._connection.execute("DELETE FROM retrieval_documents WHERE id = ANY(%s)", [ids])

    def commit(self) -> None:
        """Each group is found as soon as it is written."""

    def _put_document(self, source: DocumentSource, read: SourceContent) -> int:
        row = self._connection.execute(
            "INSERT INTO retrieval_documents (partition, domain, name, title, digest, size, modified, chunks) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (partition, domain, name) DO UPDATE SET "
            "title = excluded.title, digest = excluded.digest, size = excluded.size, modified = excluded.modified, "
            "chunks = excluded.chunks RETURNING id",
            [self._partition, self._domain, plain(source.name), plain(source.title), read.digest, read.size,
             read.modified, len(read.chunks)],
        ).fetchone()  # fmt: skip
        return int((row or (0,))[0])

    def _put_chunks(self, fresh: Sequence[tuple[int, SourceContent]], kept: dict[tuple[int, str], str]) -> None:
        count = sum(len(read.chunks) for _, read in fresh)
        if not count:
            return
        numbered = iter(
            self._connection.execute(
                "SELECT nextval(pg_get_serial_sequence('retrieval_chunks', 'id')) FROM generate_series(1, %s)", [count]
            ).fetchall()
        )
        rows: list[tuple[object, ...]] = []
        words: list[tuple[object, ...]] = []
        vectors: list[tuple[int, str]] = []
        frequencies: Counter[str] = Counter()
        for document, read in fresh:
            for place, (chunk, text) in enumerate(zip(read.chunks, read.words, strict=True)):
                number = int(next(numbered)[0])
                counted = Counter(plain(text).split())
                frequencies.update(counted.keys())
                values = chunk_values(chunk, number, document, self._partition, place)
                rows.append(tuple(plain(each) if isinstance(each, str) else each for each in values))
                words.append((number, self._domain, counted.total(), as_tsvector(counted, self._partition)))
                if (vector := kept.get((document, plain(passage_key(chunk.headings, chunk.text))))) is not None:
                    vectors.append((number, vector))
        self._copy(f"COPY retrieval_chunks ({_CHUNK_COLUMNS}) FROM STDIN", rows)
        self._copy("COPY retrieval_words (chunk, domain, length, words) FROM STDIN", words)
        self._count(frequencies, count, sum(int(str(row[2])) for row in words))
        put_vectors(self._connection, self._layout, vectors)

    def _copy(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        with self._connection.cursor() as cursor, cursor.copy(statement) as copy:  # pyright: ignore[reportArgumentType, reportCallIssue]
            for row in rows:
                copy.write_row(row)

    def _count(self, frequencies: "Counter[str]", chunks: int, words: int) -> None:
        names = sorted(frequencies)
        self._connection.execute(
            "INSERT INTO retrieval_frequencies AS f SELECT %s, word, chunks FROM unnest(%s::text[], %s::bigint[]) "
            "AS new (word, chunks) ON CONFLICT (partition, word) DO UPDATE SET chunks = f.chunks + excluded.chunks",
            [self._partition, names, [frequencies[name] for name in names]],
        )
        self._connection.execute(
            "UPDATE retrieval_partitions SET chunks = chunks + %s, words = words + %s WHERE id = %s",
            [chunks, words, self._partition],
        )

    def _forget(self, ids: Sequence[int]) -> None:
        """The chunks of these documents, with what was counted of them."""
        gone = "SELECT id FROM retrieval_chunks WHERE document = ANY(%s)"
        left = run(
            self._connection,
            "UPDATE retrieval_frequencies f SET chunks = f.chunks - old.chunks FROM (SELECT u.lexeme AS word, "  # noqa: S608
            f"count(*) AS chunks FROM retrieval_words w, unnest(w.words) u WHERE w.chunk IN ({gone}) "
            "GROUP BY u.lexeme) old WHERE f.partition = %s AND f.word = old.word RETURNING f.word, f.chunks",
            [list(ids), self._partition],
        )
        # By name: an index of those that are gone would have every count written twice.
        self._connection.execute(
            "DELETE FROM retrieval_frequencies WHERE partition = %s AND word = ANY(%s)",
            [self._partition, [word for word, chunks in left if chunks <= 0]],
        )
        run(
            self._connection,
            "UPDATE retrieval_partitions s SET chunks = s.chunks - old.chunks, words = s.words - old.words, "  # noqa: S608
            "removals = removals + 1 FROM (SELECT count(*) AS chunks, coalesce(sum(length), 0) AS words "
            f"FROM retrieval_words WHERE chunk IN ({gone})) old WHERE s.id = %s",
            [list(ids), self._partition],
        )
        self._connection.execute("DELETE FROM retrieval_chunks WHERE document = ANY(%s)", [list(ids)])

    def _vectors_of(self, known: StoredDocument) -> dict[tuple[int, str], str]:
        """By the text they are of: passages that stay as they are keep their vectors."""
        shown = "encode(v.vector, 'hex')" if self._layout.vectors is None else "v.vector::text"
        rows = run(
            self._connection,
            f"SELECT c.headings, c.text, {shown} FROM retrieval_chunks c JOIN retrieval_vectors v ON v.chunk = c.id "  # noqa: S608
            "WHERE c.document = %s",
            [known.id],
        )
        return {
            (known.id, passage_key(headings.split("\n") if headings else (), text)): vector
            for headings, text, vector in rows
        }


def documents(connection: Connection, partition: int, domain: str | None) -> list[StoredDocument]:
    rows = run(
        connection,
        f"SELECT {_DOCUMENT} FROM retrieval_documents WHERE partition = %s AND (%s::text IS NULL OR domain = %s) "  # noqa: S608
        'ORDER BY domain COLLATE "C", name COLLATE "C"',
        [partition, domain, domain],
    )
    return [StoredDocument(*row) for row in rows]


def put_vectors(connection: Connection, layout: DatabaseLayout, vectors: Sequence[tuple[int, str]]) -> None:
    """Those of chunks that are still there; each as `vector_text` writes it."""
    if not vectors:
        return
    read = "decode(new.vector, 'hex')" if layout.vectors is None else f"new.vector::{layout.type}"
    run(
        connection,
        f"INSERT INTO retrieval_vectors (chunk, partition, domain, vector) SELECT c.id, c.partition, d.domain, {read} "  # noqa: S608
        "FROM unnest(%s::bigint[], %s::text[]) AS new (chunk, vector) JOIN retrieval_chunks c ON c.id = new.chunk "
        "JOIN retrieval_documents d ON d.id = c.document ON CONFLICT DO NOTHING",
        [[chunk for chunk, _ in vectors], [vector for _, vector in vectors]],
    )


def plain(text: str) -> str:
    """What PostgreSQL can keep: no zero characters, no halves of characters."""
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def as_tsvector(counted: "Counter[str]", partition: int) -> str:
    parts = [
        f"{quoted(word)}:{min(count, MAX_POSITION)}{_WEIGHTS[min(count, 4) - 1]}" for word, count in counted.items()
    ]
    return " ".join((f"'#{partition}'", *parts))


def quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"
