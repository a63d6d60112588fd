"""The business assistant's tools, over the sample company or a company's own database."""

import time
from collections.abc import Sequence
from pathlib import Path

from glassloop.core.ports import Clock
from glassloop.extensions.business.answers.meetings import meeting_tool
from glassloop.extensions.business.answers.molds import mold_tools
from glassloop.extensions.business.listing import load_listings
from glassloop.extensions.business.listing_tool import listing_tool
from glassloop.extensions.business.snapshot import BusinessData
from glassloop.tools.tool import Tool

CACHE_S = {"erp": 300.0, "crm": 300.0, "itops": 30.0, "oa": 30.0, "mold": 300.0}
"""How long a read is remembered, by domain; shorter where the data is live."""


def make_tools(home: Path, clock: Clock = time.time, database_url: str | None = None) -> Sequence[Tool]:
    """All of them. The sample company is made in the home folder when first needed, unless there is a URL."""
    data = BusinessData(home, clock, database_url)
    return [made for domain in CACHE_S for made in domain_tools(domain, data)]


def domain_tools(domain: str, data: BusinessData) -> Sequence[Tool]:
    listed = [listing_tool(data, listing, CACHE_S[domain]) for listing in load_listings(domain).values()]
    if domain == "oa":
        return [*listed, meeting_tool(data)]
    return [*listed, *mold_tools(data)] if domain == "mold" else listed
