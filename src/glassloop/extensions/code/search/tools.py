"""The search tools of the code assistant, named in its file as `glassloop.extensions.code.search.tools`."""

from collections.abc import Sequence
from pathlib import Path

from glassloop.extensions.code.access import Access
from glassloop.extensions.code.search.file_tools import file_tools
from glassloop.extensions.code.search.listing import Listings
from glassloop.runtime.workspaces import Workspaces
from glassloop.tools.tool import Tool

listings = Listings()
"""All sessions of this process share what is known of a folder."""


def make_tools(home: Path, workspaces: Workspaces | None = None) -> Sequence[Tool]:
    access = Access(workspaces)
    return file_tools(access, listings)
