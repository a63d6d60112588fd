"""The places of the sample: where they are, what they are called, when they opened and closed."""

import math
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np
import shapely

from glassloop.extensions.places.sample.hexagons import cell_at
from glassloop.extensions.places.sample.people import KM_A_DEGREE, Floats, Ints, People
from glassloop.extensions.places.sample.tables import Metro, Neighborhood, SampleTables

INDEPENDENTS = 8.0
"""Independent places in a metro for each share of a category."""
CENTERS = 4
"""Streets with shops in each neighborhood, the first in its middle."""
SPREAD_KM = 0.28
TENANTS = 22
"""Of a mall."""
TENANT_KINDS = ("458110", "458210", "458310", "456120", "456130", "449210", "459120", "722513", "722515", "455110")
MALL, STARBUCKS = "531120", "Starbucks"
OPENINGS, CLOSURES = 0.045, 0.04
MIN_DAYS = 100
"""In a shorter period nothing opens or closes."""
NEW_STORE = ("San Francisco", "Mission District", 300)
"""Where a second Starbucks opened near another, so many days before the end."""
NO = -1
_ID_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_STREETS = [
    "Main St",
    "Oak Ave",
    "Maple St",
    "Cedar Blvd",
    "Park Ave",
    "Lake St",
    "Hill Rd",
    "Washington St",
    "Pine St",
    "Elm St",
    "Center St",
    "Broadway",
    "Church St",
    "Market St",
    "Union Ave",
    "Spring St",
    "River Rd",
    "Grand Ave",
    "Jefferson St",
    "Franklin Ave",
    "Sunset Blvd",
    "Highland Ave",
    "College Ave",
    "Railroad Ave",
    "Mission St",
    "Valley Blvd",
    "Chestnut St",
    "Walnut St",
    "Lincoln Way",
    "Madison Ave",
]
_FIRST_NAMES = [
    "Golden",
    "Blue Door",
    "Corner",
    "Sunrise",
    "Old Town",
    "Harbor",
    "Redwood",
    "Silver",
    "Copper",
    "Juniper",
    "Magnolia",
    "Willow",
    "Lucky",
    "Royal",
    "North Star",
    "Green Leaf",
    "Bluebird",
    "Cedar",
    "Hilltop",
    "Riverside",
    "Garden",
    "Stone",
    "Maple",
    "Sparrow",
    "Anchor",
    "Bright",
    "Urban",
    "Heritage",
    "Summit",
    "Lantern",
    "Mariposa",
    "Fox",
    "Ivy",
    "Crescent",
    "Pioneer",
    "Orchid",
    "Linden",
    "Violet",
    "Atlas",
    "Coral",
    "Ember",
    "Meadow",
    "Poppy",
    "Saffron",
    "Tandem",
    "Union",
    "Wren",
    "Zephyr",
]


class Draft(msgspec.Struct, kw_only=True):
    """A place before it has a position."""

    name: str
    metro: int
    kind: int
    hood: int
    chain: int = NO
    factor: float = 1.0
    story: str = ""
    parent: int = NO
    opened: int = NO
    closed: int = NO
    at: tuple[float, float] | None = None


class Sites(msgspec.Struct, frozen=True, kw_only=True):
    """Places by number, in the order of their ids: by metro, category and chain. Days count from the first of the
    sample."""

    ids: tuple[str, ...]
    names: tuple[str, ...]
    addresses: tuple[str, ...]
    stories: tuple[str, ...]
    metro: Ints
    kind: Ints
    chain: Ints
    area: Ints
    """The hexagon that each lies in."""
    lat: Floats
    lon: Floats
    size: Floats
    """Visits beside others of the kind."""
    area_m2: Floats
    parent: Ints
    opened: Ints
    closed: Ints
    """The last day."""

    @property
    def count(self) -> int:
        return len(self.ids)


def make_sites(tables: SampleTables, people: People, days: int, seed: int, scale: float = 1.0) -> Sites:
    """All of them, or a part of what there is of each kind (`scale`)."""
    rng = np.random.default_rng([seed, 3])
    drafts = [draft for number in range(len(tables.metros)) for draft in _metro_drafts(tables, number, rng, scale)]
    _open_and_close(drafts, days, rng)
    _place_new_store(drafts, tables, days)
    positions = _positions(drafts, tables.metros, people, rng)
    _move_tenants(drafts, tables, people, positions, rng)
    return _finished(drafts, tables, people, positions, rng)


def chain_list(tables: SampleTables) -> list[tuple[str, str]]:
    """The chains by number: name and category."""
    return [(chain.name, category) for category, chains in tables.chains.items() for chain in chains]


def _metro_drafts(tables: SampleTables, number: int, rng: np.random.Generator, scale: float) -> Iterator[Draft]:
    metro = tables.metros[number]
    kinds = {kind.id: at for at, kind in enumerate(tables.kinds)}
    hoods = [hood.name for hood in metro.neighborhoods]
    trade = np.array([hood.trade * (1 + 3 * hood.rings) for hood in metro.neighborhoods])
    odds = trade / trade.sum()

    def some_hoods(count: int) -> list[int]:
        return [int(each) for each in rng.choice(len(hoods), count, p=odds)]

    for mark in tables.landmarks:
        if mark.metro == metro.name:
            hood = hoods.index(mark.neighborhood)
            yield Draft(
                name=mark.name,
                metro=number,
                kind=kinds[mark.category_id],
                hood=hood,
                factor=mark.factor,
                story=mark.story,
            )
    chain_number = 0
    for category, chains in tables.chains.items():
        for chain in chains:
            stores = _rounded(chain.stores * scale, rng) if not chain.metros or metro.name in chain.metros else 0
            for hood in some_hoods(stores):
                yield Draft(
                    name=chain.name,
                    metro=number,
                    kind=kinds[category],
                    hood=hood,
                    chain=chain_number,
                    factor=chain.factor,
                )
            chain_number += 1
    for at, kind in enumerate(tables.kinds):
        if kind.id == "711211":
            continue
        for hood in some_hoods(_rounded(kind.share * INDEPENDENTS * scale, rng)):
            first = _FIRST_NAMES[int(rng.integers(len(_FIRST_NAMES)))]
            if rng.random() < 0.3:
                first = metro.neighborhoods[hood].name
            name = f"{first} {kind.called[int(rng.integers(len(kind.called)))]}"
            yield Draft(name=name, metro=number, kind=at, hood=hood)


def _rounded(value: float, rng: np.random.Generator) -> int:
    """A whole number that is this on average."""
    return math.floor(value + rng.random())


def _open_and_close(drafts: Sequence[Draft], days: int, rng: np.random.Generator) -> None:
    if days < MIN_DAYS:
        return
    for draft in drafts:
        if draft.story or draft.factor > 10:
            continue
        at = rng.random()
        if at < OPENINGS:
            draft.opened = int(rng.integers(40, days - 50))
        elif at < OPENINGS + CLOSURES:
            draft.closed = int(rng.integers(60, days - 20))


def _place_new_store(drafts: Sequence[Draft], tables: SampleTables, days: int) -> None:
    """Two stores of a chain in one neighborhood, of which one opened within the period, 450 m from the other."""
    metro, hood_name, before_end = NEW_STORE
    number = next((at for at, each in enumerate(tables.metros) if each.name == metro), NO)
    stores = [each for each in drafts if each.metro == number and each.name == STARBUCKS]
    if len(stores) < 2:
        return
    hood = next(at for at, each in enumerate(tables.metros[number].neighborhoods) if each.name == hood_name)
    middle = tables.metros[number].neighborhoods[hood]
    for store, north, opened in ((stores[0], 0.0, NO), (stores[1], 0.00405, max(days // 2, days - before_end))):
        store.hood, store.opened, store.closed = hood, opened, NO
        store.at = (middle.lat + north, middle.lon)


def _positions(
    drafts: Sequence[Draft], metros: Sequence[Metro], people: People, rng: np.random.Generator
) -> list[tuple[float, float]]:
    """On land, inside the hexagons of the metro, close to one of the streets with shops of the neighborhood."""
    cells = set(people.cells)
    water = shapely.union_all(
        [shapely.Polygon([(lon, lat) for lat, lon in outline]) for metro in metros for outline in metro.water]
    )
    shapely.prepare(water)
    centers = [[_centers(hood, rng) for hood in metro.neighborhoods] for metro in metros]
    found = [draft.at for draft in drafts]
    while missing := [number for number, at in enumerate(found) if at is None]:
        streets: list[int] = np.minimum(rng.exponential(1.3, len(missing)), CENTERS - 1).astype(int).tolist()
        middles = np.array(
            [centers[drafts[at].metro][drafts[at].hood][street] for at, street in zip(missing, streets, strict=True)]
        )
        moved = rng.normal(0, SPREAD_KM / KM_A_DEGREE, middles.shape)
        moved[:, 1] /= np.cos(np.radians(middles[:, 0]))
        tried = np.round(middles + moved, 6)
        wet = shapely.contains_xy(water, tried[:, 1], tried[:, 0]).tolist()
        for number, (lat, lon), in_water in zip(missing, tried.tolist(), wet, strict=True):
            if not in_water and cell_at(lat, lon) in cells:
                found[number] = (lat, lon)
    return [at for at in found if at is not None]


def _centers(hood: Neighborhood, rng: np.random.Generator) -> list[tuple[float, float]]:
    """The middle is on land, as the table says; others may be thrown away with what would lie there."""
    reach = 0.7 * hood.rings / KM_A_DEGREE
    others = rng.uniform(-reach, reach, (CENTERS - 1, 2))
    stretch = math.cos(math.radians(hood.lat))
    return [(hood.lat, hood.lon), *((hood.lat + north, hood.lon + east / stretch) for north, east in others)]


def _move_tenants(
    drafts: Sequence[Draft],
    tables: SampleTables,
    people: People,
    positions: list[tuple[float, float]],
    rng: np.random.Generator,
) -> None:
    """Puts stores into the malls of their metro: of each chain at most one."""
    cells = set(people.cells)
    kinds = {at for at, kind in enumerate(tables.kinds) if kind.id in TENANT_KINDS}
    mall_kind = next(at for at, kind in enumerate(tables.kinds) if kind.id == MALL)
    for metro in range(len(tables.metros)):
        here = [at for at, draft in enumerate(drafts) if draft.metro == metro]
        free = [at for at in here if drafts[at].kind in kinds and drafts[at].at is None]
        mixed: list[int] = rng.permutation(len(free)).tolist()
        order = [free[each] for each in mixed]
        for mall in (at for at in here if drafts[at].kind == mall_kind and drafts[at].factor > 1):
            names: set[str] = set()
            for at in [each for each in order if drafts[each].parent == NO]:
                if len(names) < TENANTS and drafts[at].name not in names:
                    names.add(drafts[at].name)
                    drafts[at].parent = mall
                    lat, lon = positions[mall]
                    north, east = rng.uniform(-0.0004, 0.0004, 2)
                    near = (round(lat + north, 6), round(lon + east, 6))
                    positions[at] = near if cell_at(*near) in cells else (lat, lon)


def _finished(
    drafts: Sequence[Draft],
    tables: SampleTables,
    people: People,
    positions: Sequence[tuple[float, float]],
    rng: np.random.Generator,
) -> Sites:
    """The places in the order of their ids: by metro, category and chain, which questions ask for together."""
    ids = _make_ids(len(drafts), rng)
    mixed: list[int] = rng.permutation(len(drafts)).tolist()
    order = sorted(range(len(drafts)), key=lambda at: (drafts[at].metro, drafts[at].kind, drafts[at].chain, mixed[at]))
    place_of = np.empty(len(drafts), np.int64)
    place_of[order] = np.arange(len(drafts))
    area_at = {cell: at for at, cell in enumerate(people.cells)}
    rows = [drafts[each] for each in order]
    at = [positions[each] for each in order]
    sizes = rng.lognormal(-0.08, 0.4, len(drafts))
    spaces = rng.lognormal(0, 0.25, len(drafts))
    streets = rng.integers(len(_STREETS), size=len(drafts))
    numbers = rng.integers(10, 9_900, size=len(drafts))
    factors = np.array([row.factor for row in rows])
    return Sites(
        ids=ids,
        names=tuple(row.name for row in rows),
        addresses=tuple(f"{number} {_STREETS[street]}" for number, street in zip(numbers, streets, strict=True)),
        stories=tuple(row.story for row in rows),
        metro=np.array([row.metro for row in rows]),
        kind=np.array([row.kind for row in rows]),
        chain=np.array([row.chain for row in rows]),
        area=np.array([area_at[cell_at(*each)] for each in at]),
        lat=np.array([each[0] for each in at]),
        lon=np.array([each[1] for each in at]),
        size=factors * np.where([bool(row.story) for row in rows], 1.0, sizes),
        area_m2=np.round(np.array([tables.kinds[row.kind].area_m2 for row in rows]) * np.sqrt(factors) * spaces),
        parent=np.array([NO if row.parent == NO else place_of[row.parent] for row in rows]),
        opened=np.array([row.opened for row in rows]),
        closed=np.array([row.closed for row in rows]),
    )


def _make_ids(count: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Different ones that cannot be guessed, sorted: `p` and seven letters or digits."""
    numbers = np.unique(rng.integers(32**7, size=count + 1_000))
    chosen = np.sort(rng.choice(numbers, count, replace=False))
    digits = np.array(list(_ID_DIGITS))[(chosen[:, None] >> np.arange(30, -1, -5)) & 31]
    return tuple("p" + "".join(row) for row in digits)
