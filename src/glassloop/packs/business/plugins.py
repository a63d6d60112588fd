"""The departments of the business assistant, as plugins: what anybody may add, ours is added the same way.

All departments of an agent look at the same data. Which questions belong to which is in `assistant.toml`.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from glassloop.core.ports import Clock
from glassloop.packs.business.desk import Business
from glassloop.packs.business.handbook import Handbook
from glassloop.packs.business.tools import BY_DOMAIN
from glassloop.packs.knowledge import FOLDER, Open, make_tools
from glassloop.retrieval.knowledge import KnowledgeBase
from glassloop.retrieval.library import Library
from glassloop.tools.plugin import Plugin
from glassloop.tools.tool import Tool

_in_use: "WeakValueDictionary[tuple[Path, str | None, Clock], Business]" = WeakValueDictionary()


def business_of(home: Path, offered: Mapping[str, Any]) -> Business:
    """The one that is in use for this home and database, else a new one."""
    url, clock = offered.get("business_database_url"), offered.get("clock", time.time)
    key = (home, url, clock)
    found = _in_use.get(key)
    if found is None:
        found = _in_use[key] = Business(home, clock, url)
    return found


class _Department(Plugin):
    """The tools of a domain, over the business data."""

    def tools(self, home: Path, offered: Mapping[str, Any]) -> Sequence[Tool]:
        return BY_DOMAIN[self.name](business_of(home, offered))


class Erp(_Department):
    name: ClassVar[str] = "erp"


class Crm(_Department):
    name: ClassVar[str] = "crm"


class ItOps(_Department):
    name: ClassVar[str] = "itops"


class Oa(_Department):
    name: ClassVar[str] = "oa"


class Mold(_Department):
    name: ClassVar[str] = "mold"


class General(Plugin):
    """The knowledge base: the company's handbook, what operators imported and the user's own documents."""

    name: ClassVar[str] = "general"

    def __init__(self) -> None:
        self._opened: Library | None = None

    def tools(self, home: Path, offered: Mapping[str, Any]) -> Sequence[Tool]:
        opened: Open | None = offered.get("knowledge")
        return make_tools(home, opened or (lambda: self._open(home)), Handbook(business_of(home, offered)).ensure)

    def _open(self, home: Path) -> KnowledgeBase:
        self._opened = Library(home / FOLDER)
        return KnowledgeBase(self._opened)

    async def aclose(self) -> None:
        if self._opened is not None:
            await self._opened.aclose()
