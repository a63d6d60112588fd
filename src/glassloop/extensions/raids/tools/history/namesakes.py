"""Players of the same name and another realm: how they are told apart in answers."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from glassloop.extensions.raids.names import fold_name
from glassloop.extensions.raids.storage.rows import PerformanceRow, PlayerRow

NamedRow = PerformanceRow | PlayerRow


class NameLabels:
    """Names for tables: with the realm where another player of that name is around.

    Logs of one realm name none: of `rows`, which are of the same raids, one without a realm is the player of the one
    realm that is known of that name. `strangers` are others, even of the same name and no realm.
    """

    def __init__(self, rows: Sequence[NamedRow], strangers: Iterable[NamedRow] = ()) -> None:
        self._realms: defaultdict[str, set[str]] = defaultdict(set)
        for row in rows:
            if row.realm:
                self._realms[fold_name(row.name)].add(fold_name(row.realm))
        self._clashing = {name for name, realms in self._realms.items() if len(realms) > 1}
        names = {fold_name(row.name) for row in rows}
        for row in strangers:
            name, realm = fold_name(row.name), fold_name(row.realm)
            if name in names and realm not in self._realms.get(name, ()):
                self._clashing.add(name)

    def key(self, row: NamedRow) -> tuple[str, str]:
        """Who that is, among the rows."""
        name, realm = fold_name(row.name), fold_name(row.realm)
        known = self._realms.get(name, ())
        return name, realm or (next(iter(known)) if len(known) == 1 else "")

    def of(self, row: NamedRow) -> str:
        clashes = fold_name(row.name) in self._clashing
        return f"{row.name}-{row.realm or 'realm unknown'}" if clashes else row.name

    def notes(self, rows: Sequence[PerformanceRow]) -> list[str]:
        """Where one of these could be taken for somebody of the raids."""
        found = list(dict.fromkeys(self.of(row) for row in rows if fold_name(row.name) in self._clashing))
        if not found:
            return []
        who = ", ".join(found[:10])
        return [f"Players of another or unknown realm have the same name as these, and are others: {who}."]


def count_players(rows: Sequence[NamedRow]) -> int:
    """How many players: those of the same name and different realms are several."""
    names = NameLabels(rows)
    return len({names.key(row) for row in rows})
