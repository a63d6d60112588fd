"""The databases that a process has open: one for each data set in use, shared by its users."""

import asyncio
from collections import OrderedDict
from functools import lru_cache, partial
from pathlib import Path

from glassloop.core.errors import ToolError
from glassloop.extensions.places.data_set.data_sets import DataSet, DataSets
from glassloop.extensions.places.data_set.database import QUERY_S, PlacesDatabase
from glassloop.extensions.places.data_set.month_columns import MAX_KEPT_PLACES

MAX_OPEN = 8
"""The one that was unused for the longest is closed."""
_ATTEMPTS = 3
NO_DATA = (
    "There is no data of places yet: have somebody import some with `glassloop import places FILE`, or make the sample "
    "with `glassloop places sample`."
)


class OpenDatabases:
    """Databases by user. One for each process and home folder."""

    def __init__(
        self,
        home: Path,
        size: int = MAX_OPEN,
        *,
        max_kept_places: int = MAX_KEPT_PLACES,
        query_s: float = QUERY_S,
    ) -> None:
        self.data_sets = DataSets(home)
        self._open_one = partial(PlacesDatabase, max_kept_places=max_kept_places, query_s=query_s)
        self._size = size
        self._open: OrderedDict[str, PlacesDatabase] = OrderedDict()
        self._opening = asyncio.Lock()

    async def of(self, user: str) -> PlacesDatabase:
        """The database of the user's current data set. Raises `ToolError` where there is none."""
        for _ in range(_ATTEMPTS):
            data_set = await asyncio.to_thread(self.data_sets.current, user)
            if data_set is None:
                raise ToolError(NO_DATA)
            try:
                return await self._opened(data_set)
            except FileNotFoundError:
                # Replaced by another one between the two steps.
                continue
        raise ToolError("The data of places is being replaced: try again.")

    async def _opened(self, data_set: DataSet) -> PlacesDatabase:
        async with self._opening:
            if data_set.id not in self._open:
                database = await asyncio.to_thread(self._open_one, data_set)
                named = await asyncio.to_thread(self.data_sets.named)
                # Those dropped here close when the last query that has them ends; then their files can be removed.
                self._open = OrderedDict((key, each) for key, each in self._open.items() if key in named)
                self._open[data_set.id] = database
            self._open.move_to_end(data_set.id)
            while len(self._open) > self._size:
                self._open.popitem(last=False)
            return self._open[data_set.id]


@lru_cache(maxsize=4)
def databases_in(home: Path) -> OpenDatabases:
    """Those of a home folder, the same for everything in this process: agents come and go."""
    return OpenDatabases(home)
