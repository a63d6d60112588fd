"""H3 hexagons with types, which the package `h3` does not have."""

from typing import TYPE_CHECKING, Protocol, cast

import h3  # pyright: ignore[reportMissingTypeStubs]

RESOLUTION = 8

if TYPE_CHECKING:

    class _H3(Protocol):
        def latlng_to_cell(self, lat: float, lng: float, res: int) -> str: ...
        def cell_to_latlng(self, h: str) -> tuple[float, float]: ...
        def cell_to_boundary(self, h: str) -> tuple[tuple[float, float], ...]: ...
        def grid_disk(self, h: str, k: int) -> list[str]: ...


_h3 = cast("_H3", h3)


def cell_at(lat: float, lon: float) -> str:
    return _h3.latlng_to_cell(lat, lon, RESOLUTION)


def middle_of(cell: str) -> tuple[float, float]:
    """Latitude and longitude."""
    return _h3.cell_to_latlng(cell)


def outline_of(cell: str) -> list[list[float]]:
    """Corners as [longitude, latitude], the first again at the end."""
    corners = [[round(lon, 6), round(lat, 6)] for lat, lon in _h3.cell_to_boundary(cell)]
    return [*corners, corners[0]]


def cells_around(cell: str, rings: int) -> list[str]:
    """The cell and those around it, sorted."""
    return sorted(_h3.grid_disk(cell, rings))
