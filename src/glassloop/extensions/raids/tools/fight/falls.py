"""Words for who fell first and how many did: a priest who becomes a Spirit of Redemption is no death of the log."""

from collections.abc import Callable, Sequence

from glassloop.core.records import Json
from glassloop.extensions.raids.analysis.totals.deaths import falls, spirits_alone
from glassloop.extensions.raids.records import Death
from glassloop.extensions.raids.tools.result import show_count, show_length


def fall_name(name: str, fall: Death) -> str:
    """Who fell: "Mirelle (Spirit of Redemption)"."""
    return f"{name} ({fall.feigned})" if fall.feigned else name


def fall_figures(deaths: Sequence[Death], name_of: Callable[[int], str]) -> dict[str, Json]:
    """How many fell beside the deaths, and who was first; empty where all who fell are deaths from then on."""
    fallen, alone = falls(deaths), spirits_alone(deaths)
    if not any(one.feigned for one in fallen):
        return {}
    real = sum(not one.feigned for one in deaths)
    first = fallen[0]
    told: dict[str, Json] = {"fell": deaths_and_spirits(real, len(alone))} if alone else {}
    return told | {"first_to_fall": f"{name_of(first.actor)} at {show_length(first.at)}{_how(first)}"}


def deaths_and_spirits(deaths: int, spirits: int) -> str:
    """ "9 deaths and 1 that became a Spirit of Redemption"."""
    told = show_count(deaths, "death")
    return f"{told} and {spirits} that became a Spirit of Redemption" if spirits else told


def spirit_notes(deaths: Sequence[Death], name_of: Callable[[int], str]) -> list[str]:
    """Priests who became a spirit before the first death: what a first death says is not the beginning then."""
    fallen = falls(deaths)
    before = list[str]()
    for one in fallen:
        if not one.feigned:
            break
        before.append(f"{name_of(one.actor)} at {show_length(one.at)}")
    if not before:
        return []
    return [
        f"Before the first death {', '.join(before)} fell and became a Spirit of Redemption, which the game does not "
        "log as a death: it was the first loss all the same."
    ]


def _how(fall: Death) -> str:
    return f" ({fall.feigned})" if fall.feigned else ""
