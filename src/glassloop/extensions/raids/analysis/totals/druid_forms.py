"""Spells of druids, all ranks, that tell the form: what only a bear or only a cat does, and the forms themselves."""

from typing import Final

BEAR_SPELLS: Final = frozenset({
    5487, 9634, 6795, 33745, 33878, 33986, 33987, 769, 779, 780, 9754, 9908, 26997, 6807, 6808, 6809, 8972, 9745, 9880,
    9881, 26996, 5229, 22842, 22895, 22896, 26999,
})  # fmt: skip
CAT_SPELLS: Final = frozenset({
    768, 5221, 6800, 8992, 9829, 9830, 27001, 27002, 33876, 33982, 33983, 1079, 9492, 9493, 9752, 9894, 9896, 27008,
    1822, 1823, 1824, 9904, 27003, 22568, 22827, 22828, 22829, 31018, 24248, 5217, 6793, 9845, 9846,
})  # fmt: skip
