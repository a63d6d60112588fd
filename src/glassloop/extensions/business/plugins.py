"""The departments of the business assistant, as plugins: what anybody may add, ours is added the same way.

All departments of an agent look at the same data. Which questions belong to which is in `assistant.toml`.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from glassloop.core.ports import Clock
from glassloop.extensions.business import BusinessSettings
from glassloop.extensions.business.documents import DocumentSync
from glassloop.extensions.business.snapshot import BusinessData
from glassloop.extensions.business.tools import domain_tools
from glassloop.retrieval.collections.knowledge import KnowledgeBase
from glassloop.retrieval.index.library import Library
from glassloop.runtime.settings import Settings
from glassloop.runtime.tools.knowledge import FOLDER, Open, make_tools
from glassloop.tools.plugin import Plugin
from glassloop.tools.tool import Tool

_in_use: "WeakValueDictionary[tuple[Path, str | None, Clock], BusinessData]" = WeakValueDictionary()


def business_of(home: Path, offered: Mapping[str, Any]) -> BusinessData:
    """The one that is in use for this home and database, else a new one."""
    settings, clock = offered.get("settings"), offered.get("clock", time.time)
    url = settings.of(BusinessSettings).database_url if isinstance(settings, Settings) else None
    key = (home, url, clock)
    found = _in_use.get(key)
    if found is None:
        found = _in_use[key] = BusinessData(home, clock, url)
    return found


class _Department(Plugin):
    """The tools of a domain, over the business data."""

    def tools(self, home: Path, offered: Mapping[str, Any]) -> Sequence[Tool]:
        return domain_tools(self.name, business_of(home, offered))


class Erp(_Department):
    name = "erp"


class Crm(_Department):
    name = "crm"


class ItOps(_Department):
    name = "itops"


class Oa(_Department):
    name = "oa"


class Mold(_Department):
    name = "mold"


class General(Plugin):
    """The knowledge base: the company's handbook, what operators imported and the user's own documents."""

    name = "general"

    def __init__(self) -> None:
        self._opened: Library | None = None

    def tools(self, home: Path, offered: Mapping[str, Any]) -> Sequence[Tool]:
        opened: Open | None = offered.get("knowledge")
        sync = DocumentSync(business_of(home, offered))
        return make_tools(home, opened or (lambda: self._open(home)), sync.ensure, offered.get("store"))

    def _open(self, home: Path) -> KnowledgeBase:
        self._opened = Library(home / FOLDER)
        return KnowledgeBase(self._opened)

    async def aclose(self) -> None:
        if self._opened is not None:
            await self._opened.aclose()
