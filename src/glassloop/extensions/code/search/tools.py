"""The search tools of the code assistant, named in its file as `glassloop.extensions.code.search.tools`."""

from collections.abc import Sequence
from pathlib import Path

from glassloop.extensions.code.access import Access, shared_rate
from glassloop.extensions.code.audit import audited
from glassloop.extensions.code.chat.memory import TouchedInLog
from glassloop.extensions.code.extension import CodeSettings
from glassloop.extensions.code.search.code_map import CodeMaps
from glassloop.extensions.code.search.file_tools import file_tools
from glassloop.extensions.code.search.listing import Listings
from glassloop.extensions.code.search.map_tools import TouchedFiles, map_tools
from glassloop.extensions.code.search.tag_reader import TagReader
from glassloop.runtime.settings.settings import Settings
from glassloop.runtime.workspaces import Workspaces
from glassloop.store.store import Store
from glassloop.tools.tool import Tool

_listings = Listings()
_reader = TagReader()
"""All sessions of this process share what is known of a folder, and the process that parses."""


def make_tools(
    home: Path,
    workspaces: Workspaces | None = None,
    touched: TouchedFiles | None = None,
    store: Store | None = None,
    settings: Settings | None = None,
) -> Sequence[Tool]:
    """Without `workspaces` no session has a folder, and each call says so."""
    told = CodeSettings() if settings is None else settings.of(CodeSettings)
    access = Access(workspaces, shared_rate(told.rate))
    if touched is None and store is not None:
        touched = TouchedInLog(store)
    maps = CodeMaps(home / "code" / "map", _reader)
    every = (*file_tools(access, _listings), *map_tools(access, _listings, maps, _reader, touched))
    return audited(every, store)
