"""From `router` and `[routing]` of a profile to the router of an agent, for the models that decide and route."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from glassloop.core.planning.router import FALLBACK, FALLBACK_ABOUT, Domain, ModelRouter
from glassloop.core.ports import Model
from glassloop.tools.plugin import Plugin

FAREWELL = "This has nothing to do with what I am here for."


RouterMode = Literal["auto", "on", "off"]
"""`auto`: off for models that call tools natively, which choose among all of them as well without a route."""


class RoutingTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[routing]` of a profile."""

    domains: tuple[Domain, ...] = ()
    farewell: str | tuple[str, ...] = FAREWELL
    always: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    fallback: str = FALLBACK_ABOUT

    def __post_init__(self) -> None:
        check_domains(self.domains)
        if not self.farewell:
            raise ValueError("`farewell` is empty: write what to answer, or leave it out")


def check_domains(domains: Sequence[Domain]) -> None:
    """Refuses names that could not be told apart."""
    for kind in ("destination", "name"):
        given = [getattr(domain, kind) for domain in domains]
        for value in given:
            if not value.isidentifier() or value == FALLBACK:
                raise ValueError(
                    f"the {kind} {value!r} of a domain must be letters, digits and _, and not {FALLBACK!r}"
                )
            if given.count(value) > 1:
                raise ValueError(f"two domains have the {kind} {value!r}: give each its own")


def make_router(
    mode: RouterMode, table: RoutingTable | None, plugins: Sequence[Plugin], deciding: Model, routing: Model
) -> ModelRouter | None:
    """None where it is off or there are no domains. Plugins add theirs after the profile's own.

    A model that reads no prompts cannot be asked; for a small one a wrong route costs most and a call takes longest, so
    that words come first.
    """
    domains = [*(table.domains if table else ()), *(domain for plugin in plugins for domain in plugin.domains)]
    able = deciding.abilities
    native = able.native_tools and able.reads_prompts and not able.small
    if not domains or mode == "off" or (mode == "auto" and native):
        return None
    check_domains(domains)
    table, abilities = table or RoutingTable(), routing.abilities
    return ModelRouter(
        domains,
        farewell=table.farewell,
        always=table.always,
        outside=table.outside,
        fallback=table.fallback,
        brief=abilities.small,
        by_words="alone" if not abilities.reads_prompts else "first" if abilities.small else "never",
    )
