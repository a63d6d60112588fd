"""Categories and chains of a data set, found by code, by the beginning of a code, or by name."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from glassloop.core.errors import BadArguments
from glassloop.extensions.places.query.names import find_names, fold, list_names, nearest_names, quote_name


class Category(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    name: str
    parent_id: str | None = None
    words: tuple[str, ...] = ()


class Chain(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    name: str
    words: tuple[str, ...] = ()
    category_id: str | None = None


class CategoryChoice(msgspec.Struct, frozen=True, kw_only=True):
    """Every category that is meant, and what to call them together."""

    ids: tuple[str, ...]
    label: str


class Categories:
    """A code that places have and the table of categories has not is known too, without a name."""

    def __init__(self, categories: Iterable[Category], used: Iterable[str] = ()) -> None:
        self._by_id = {each.id: each for each in categories}
        for code in used:
            self._by_id.setdefault(code, Category(id=code, name=code))
        self._names: dict[str, list[str]] = {}
        self._below: dict[str, list[str]] = {}
        for each in self._by_id.values():
            for name in (each.name, *each.words):
                self._names.setdefault(name, []).append(each.id)
            if each.parent_id:
                self._below.setdefault(each.parent_id, []).append(each.id)

    def name_of(self, category_id: str | None) -> str:
        found = self._by_id.get(category_id or "")
        return found.name if found else category_id or ""

    def find(self, wanted: Sequence[str]) -> CategoryChoice:
        """All that are meant, with everything below them. Raises `BadArguments` with the nearest names."""
        ids: dict[str, None] = {}
        labels: list[str] = []
        for text in wanted:
            found = self._codes(text.strip()) or find_names(text, self._names)
            if not found:
                near = nearest_names(text, self._names)
                remedy = f"Nearest: {list_names(near)}." if near else f"There are: {list_names(sorted(self._names))}."
                raise BadArguments(f"There is no category {quote_name(text)}. {remedy}")
            ids |= dict.fromkeys(below for one in found for below in self._with_those_below(one))
            labels.append(self._label(text.strip(), found))
        return CategoryChoice(ids=tuple(ids), label=", ".join(dict.fromkeys(labels)))

    def _label(self, text: str, found: Sequence[str]) -> str:
        """As the user said it, with the name of the category where that is another."""
        if len(found) > 1:
            return text
        name = self.name_of(found[0])
        same = fold(text) == fold(name) or text == found[0] or text.removesuffix("*").isdecimal()
        return name if same else f"{text} ({name})"

    def siblings(self, category_id: str, digits: int) -> tuple[str, ...]:
        """Those whose codes begin alike; for codes without digits, those below the same parent."""
        if category_id.isdecimal():
            return tuple(code for code in self._by_id if code.startswith(category_id[:digits]))
        parent = self._by_id[category_id].parent_id if category_id in self._by_id else None
        return tuple(self._below.get(parent or "", ())) or (category_id,)

    def _codes(self, text: str) -> list[str]:
        if text in self._by_id:
            return [text]
        code = text.removesuffix("*").rstrip(".")
        return [each for each in self._by_id if each.startswith(code)] if code.isdecimal() else []

    def _with_those_below(self, category_id: str) -> list[str]:
        """Also by the beginning of its code: a table may lack the parents."""
        seen: dict[str, None] = {category_id: None}
        waiting = [category_id]
        while waiting:
            one = waiting.pop()
            below = list(self._below.get(one, ()))
            if one.isdecimal():
                below += [code for code in self._by_id if code.startswith(one)]
            new = [each for each in below if each not in seen]
            seen |= dict.fromkeys(new)
            waiting += new
        return list(seen)


class Chains:
    def __init__(self, chains: Iterable[Chain]) -> None:
        self._by_id = {each.id: each for each in chains}
        self._names: dict[str, list[str]] = {}
        for each in self._by_id.values():
            for name in (each.name, *each.words):
                self._names.setdefault(name, []).append(each.id)

    @property
    def names(self) -> Mapping[str, str]:
        return {each.id: each.name for each in self._by_id.values()}

    def name_of(self, chain_id: str | None) -> str:
        found = self._by_id.get(chain_id or "")
        return found.name if found else chain_id or ""

    def find(self, text: str) -> Chain:
        """The chain that is meant. Raises `BadArguments` with those that it could be."""
        if (found := self._by_id.get(text.strip())) is not None:
            return found
        ids = find_names(text, self._names)
        if len(ids) == 1:
            return self._by_id[ids[0]]
        if ids:
            which = list_names(f"{self.name_of(one)} ({one})" for one in ids)
            raise BadArguments(f"The chain {quote_name(text)} could be {which}: ask which, or give the id.")
        near = nearest_names(text, self._names)
        remedy = f"Nearest: {list_names(near)}." if near else "Search by `name` or by category instead."
        raise BadArguments(f"There is no chain {quote_name(text)} in the data. {remedy}")

    def find_all(self, wanted: Sequence[str]) -> list[Chain]:
        return list({chain.id: chain for chain in map(self.find, wanted)}.values())
