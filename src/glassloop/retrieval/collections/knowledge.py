"""The knowledge base: documents by domain, shared by an operator or a user's own, in one index of a library.

Owns what a domain is called, whose a document is and how much one user may keep. Search sees what is shared and what
is the asker's own, and nothing else has any influence on it: that is the index's to keep.
"""

import asyncio
import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.messages import DEFAULT_DOMAIN
from glassloop.core.ports import Passage, Progress
from glassloop.retrieval.documents.folder_sources import folder_sources
from glassloop.retrieval.index.index import Index
from glassloop.retrieval.index.library import Library
from glassloop.retrieval.index.sources import DocumentSource, IndexReport, SourceProblem, StoredDocument

INDEX = "knowledge"
GENERAL = DEFAULT_DOMAIN
"""The domain of what is filed under none."""

SHARED = ""
"""The owner of what everybody sees."""

SAMPLE = "\x1fsample"
"""The owner of invented documents of extensions, which are searched only where they are asked for."""

MAX_DOMAIN = 40
MAX_DOCUMENTS = 10_000
"""Of one user. An operator's shared documents are not counted."""

SHOWN_STEPS = 200
_DOMAIN = re.compile(r"\w[\w-]*")


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """A document of the knowledge base. `shared`: everybody finds it; else only its owner does. `sample`: it is
    invented, and found only where that is asked for."""

    id: str
    name: str
    domain: str
    title: str
    size: int
    passages: int
    shared: bool
    sample: bool = False


def partition_of(collection_id: str) -> str:
    """The owner of the documents of a collection. No user has such a name."""
    return f"\x1fcollection {collection_id}"


def clean_domain(given: str) -> str:
    """As it is kept: lower case, `general` where none is given. Raises `UsageError` for what cannot be one."""
    domain = given.strip().lower().replace(" ", "-") or GENERAL
    if len(domain) > MAX_DOMAIN or not _DOMAIN.fullmatch(domain):
        raise UsageError(
            f"{given[:100]!r} cannot name a domain: use letters, digits, - and _, {MAX_DOMAIN} at most, such as "
            "'finance'."
        )
    return domain


class KnowledgeBase:
    """Over a library, which whoever opened it closes. `user` '' is everybody: what is shared."""

    def __init__(self, library: Library, index: str = INDEX, quota: int | None = None) -> None:
        self.library = library
        self._name = index
        self._quota = quota

    async def add(
        self,
        sources: Sequence[DocumentSource],
        *,
        domain: str = "",
        user: str = SHARED,
        progress: Progress | None = None,
        beside: Sequence[str] = (),
    ) -> IndexReport:
        """Takes documents in; they are found by their words when this returns. `beside`: other owners whose documents
        count as this user's."""
        filed = clean_domain(domain)
        if user not in (SHARED, SAMPLE):
            await self._check_room(user, filed, sources, beside)
        counted = _counted(sources, progress)
        return await self._index(make=True).add(counted, owner=user, domain=filed)

    async def import_path(
        self,
        path: Path,
        *,
        domain: str = "",
        user: str = SHARED,
        progress: Progress | None = None,
        mirror: bool = False,
    ) -> IndexReport:
        """A file, or all readable files below a folder, under the folder's name. `mirror`: documents of that folder
        whose files are gone are removed."""
        problems: list[SourceProblem] = []
        sources = await asyncio.to_thread(_below, path, problems)
        report = await self.add(sources, domain=domain, user=user, progress=progress)
        for problem in problems:
            report.tell(problem.document, problem.reason)
        if mirror and await asyncio.to_thread(path.is_dir):
            prefix, kept = f"{_label(path)}/", {source.name for source in sources}
            filed = clean_domain(domain)
            known = await self._index().documents(owner=user, domain=filed)
            gone = [each.name for each in known if each.name.startswith(prefix) and each.name not in kept]
            report.removed += await self._index().remove(gone, owner=user, domain=filed) if gone else 0
        return report

    async def documents(self, user: str = SHARED, domain: str | None = None) -> list[Document]:
        """What this user's search sees: their own, then what is shared, then samples."""
        found: list[Document] = []
        for owner in dict.fromkeys((user, SHARED, SAMPLE)):
            found += await self.of_owner(owner, domain)
        return found

    async def of_owner(self, owner: str, domain: str | None = None) -> list[Document]:
        """Those of one owner alone."""
        try:
            listed = await self._index().documents(owner=owner, domain=None if domain is None else clean_domain(domain))
        except UnknownName:
            return []
        return [_document(owner, each) for each in listed]

    async def domains(self, user: str = SHARED) -> list[str]:
        """Those of this user's own documents and of what is shared."""
        try:
            index = self._index()
            return sorted({*await index.domains(owner=user), *await index.domains(owner=SHARED)})
        except UnknownName:
            return []

    async def find(self, document_id: str, user: str = SHARED) -> Document:
        """By its id, among this user's own and what is shared."""
        found = next((each for each in await self.documents(user) if each.id == document_id), None)
        if found is None:
            raise UnknownName(f"There is no document {document_id[:100]!r} in your knowledge base: list it to see.")
        return found

    async def remove(self, names: Sequence[str] | None, *, domain: str = "", user: str = SHARED) -> int:
        """These documents of one domain, or all of it; how many there were. They cannot be read any more after it."""
        try:
            return await self._index().remove(names, owner=user, domain=clean_domain(domain))
        except UnknownName:
            return 0

    async def forget(self, user: str) -> int:
        """All that is this user's own, in every domain; how many there were."""
        try:
            index = self._index()
            return sum([await index.remove(owner=user, domain=domain) for domain in await index.domains(owner=user)])
        except UnknownName:
            return 0

    async def search(
        self,
        query: str,
        *,
        user: str = SHARED,
        owners: Sequence[str] | None = None,
        domain: str = "",
        max_results: int = 5,
        min_relevance: float = 0.0,
        token_budget: int = 8_000,
    ) -> Sequence[Passage]:
        """Best first; without a domain in all of them, of the user's own and shared documents or those of `owners`.
        Nothing where nothing was ever imported."""
        try:
            return await self.library.search(
                query,
                index=self._name,
                user=user,
                owners=owners,
                domains=[clean_domain(domain)] if domain.strip() else None,
                max_results=max_results,
                min_relevance=min_relevance,
                token_budget=token_budget,
            )
        except UnknownName:
            return []

    async def embed_pending(self, progress: Progress | None = None) -> int:
        """Has passages found by their meaning too; how many got there."""
        try:
            return await self._index().embed_pending(progress)
        except UnknownName:
            return 0

    def _index(self, *, make: bool = False) -> Index:
        return self.library.index(self._name, make=make)

    async def _check_room(
        self, user: str, domain: str, sources: Sequence[DocumentSource], beside: Sequence[str]
    ) -> None:
        own = {(each.domain, each.name): each.size for each in await self.of_owner(user)}
        own |= await asyncio.to_thread(lambda: {(domain, source.name): _size(source) for source in sources})
        others = [each.size for owner in beside for each in await self.of_owner(owner)]
        count, size = len(own) + len(others), sum(own.values()) + sum(others)
        whose = "You" if beside else repr(user)
        if count > MAX_DOCUMENTS:
            raise UsageError(
                f"{whose} would have {count:,} documents, and {MAX_DOCUMENTS:,} are kept: remove some first."
            )
        if self._quota is not None and size > self._quota:
            raise UsageError(
                f"{whose} would have documents of {size:,} bytes, and {self._quota:,} are kept: remove some first."
            )


def _document(owner: str, listed: StoredDocument) -> Document:
    place = "\0".join((owner, listed.domain, listed.name))
    return Document(
        id=hashlib.blake2b(place.encode("utf-8", "replace"), digest_size=10).hexdigest(),
        name=listed.name,
        domain=listed.domain,
        title=listed.title,
        size=listed.size,
        passages=listed.chunks,
        shared=owner in (SHARED, SAMPLE),
        sample=owner == SAMPLE,
    )


def _label(path: Path) -> str:
    return path.resolve().name or "files"


def _below(path: Path, problems: list[SourceProblem]) -> list[DocumentSource]:
    """Documents by the name of the folder they came from, so that those of two folders do not replace one another."""

    def tell(name: str, reason: str) -> None:
        problems.append(SourceProblem(document=name, reason=f"{name} {reason}."))

    found = folder_sources(path, tell)
    if path.is_file():
        return list(found)
    return [msgspec.structs.replace(source, name=f"{_label(path)}/{source.name}") for source in found]


def _size(source: DocumentSource) -> int:
    if source.text is not None:
        return len(source.text.encode("utf-8", "replace"))
    try:
        return source.path.stat().st_size if source.path else 0
    except OSError:
        return 0


def _counted(sources: Sequence[DocumentSource], progress: Progress | None) -> Iterator[DocumentSource]:
    """The sources, told of as they are taken. Taken in a thread: what hears of it is called on the loop."""
    loop = asyncio.get_running_loop()
    step = max(1, len(sources) // SHOWN_STEPS)

    def take() -> Iterator[DocumentSource]:
        for done, source in enumerate(sources):
            if progress is not None and done % step == 0:
                loop.call_soon_threadsafe(progress, f"{done:,} of {len(sources):,} documents", done / len(sources))
            yield source

    return take()
