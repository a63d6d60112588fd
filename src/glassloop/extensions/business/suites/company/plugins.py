"""The departments of the business assistant, over the sample company as it is on one fixed day, with papers of its own.

Kept in a folder of its own in the home: the user's company and knowledge base are not touched.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from glassloop.extensions.business import plugins
from glassloop.tools.tool import Tool

FOLDER = Path("evals") / "company-2026-11-15"


def at_noon() -> float:
    """The moment at which the company stands still."""
    return datetime(2026, 11, 15, 12, tzinfo=UTC).timestamp()


class _Fixed(plugins.Plugin):
    def tools(self, home: Path, offered: Mapping[str, Any]) -> Sequence[Tool]:  # noqa: ARG002
        return super().tools(home / FOLDER, {"clock": at_noon})


class FixedErp(_Fixed, plugins.Erp):
    """Of the fixed company, as those below."""


class FixedCrm(_Fixed, plugins.Crm): ...


class FixedItOps(_Fixed, plugins.ItOps): ...


class FixedOa(_Fixed, plugins.Oa): ...


class FixedMold(_Fixed, plugins.Mold): ...


class FixedGeneral(_Fixed, plugins.General): ...
