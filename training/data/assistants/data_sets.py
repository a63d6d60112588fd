"""The assistants over data of another day and another seed than the suites have: the questions' answers differ."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any, ClassVar

from glassloop.extensions.business import plugins
from glassloop.extensions.places.data_set.data_sets import DataSets
from glassloop.extensions.places.sample import write_sample
from glassloop.extensions.raids.suites.guild.plugin import SampleGuild
from glassloop.runtime.durable.jobs import JobContext
from glassloop.runtime.extensions import RuntimeContext
from glassloop.tools.tool import Tool


class Drawn:
    """What the data of this process is made from."""

    day: ClassVar[date] = date(2026, 3, 4)
    seed: ClassVar[int] = 7

    @classmethod
    def noon(cls) -> float:
        return datetime.combine(cls.day, time(12), UTC).timestamp()


class _Drawn(plugins.Plugin):
    def tools(self, home: Path, offered: Mapping[str, Any]) -> Sequence[Tool]:
        return super().tools(home / "drawn", {"clock": Drawn.noon})


class DrawnErp(_Drawn, plugins.Erp):
    """Of a company on the drawn day, as those below."""


class DrawnCrm(_Drawn, plugins.Crm): ...


class DrawnItOps(_Drawn, plugins.ItOps): ...


class DrawnOa(_Drawn, plugins.Oa): ...


class DrawnMold(_Drawn, plugins.Mold): ...


class DrawnGeneral(_Drawn, plugins.General): ...


def write_places(home: Path) -> None:
    """The sample of the drawn day, where the places assistant finds it."""
    data_sets = DataSets(home)
    if data_sets.shared() is None:
        with data_sets.staged() as staged:
            write_sample(staged, seed=Drawn.seed, today=Drawn.day)
            data_sets.put(staged, user=None)


async def _load_raids(context: RuntimeContext) -> None:
    from glassloop.extensions.raids.importing.job import RaidImporter
    from glassloop.extensions.raids.importing.sample import NOBODY, SampleLoader

    loader = SampleLoader(context, RaidImporter(context))
    await loader.run(JobContext("sample", NOBODY), {"day": Drawn.day.isoformat(), "seed": Drawn.seed})


class DrawnRaids(SampleGuild):
    def __init__(self) -> None:
        super().__init__(_load_raids)


_HERE = "training.data.assistants.data_sets"
FOLDERS: Mapping[str, Mapping[str, object]] = {
    "business": {
        "like": "business",
        "plugins": [f"{_HERE}:Drawn{each}" for each in ("Erp", "Crm", "ItOps", "Oa", "Mold", "General")],
    },
    "places": {"like": "places"},
    "raids": {"like": "raids", "tools": [], "plugins": [f"{_HERE}:DrawnRaids"]},
    "code": {"like": "code"},
}
"""What the `assistant.toml` of each one says."""
