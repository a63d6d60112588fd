"""From the `[router]` table of a profile to the router of an agent, for the model that routes."""

from collections.abc import Sequence

import msgspec

from glassloop.core.ports import Model
from glassloop.core.records import RouteDecision
from glassloop.core.router import FALLBACK, Advise, Domain, ModelRouter
from glassloop.tools.plugin import Plugin

FAREWELL = "This has nothing to do with what I am here for. Ask me about the business."


class RouterTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[router]` of a profile."""

    domains: tuple[Domain, ...] = ()
    farewell: str | tuple[str, ...] = FAREWELL
    always: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()

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


def make_router(table: RouterTable | None, plugins: Sequence[Plugin], routing: Model) -> ModelRouter | None:
    """None where there are no domains. Plugins add theirs after the profile's own."""
    domains = [*(table.domains if table else ()), *(domain for plugin in plugins for domain in plugin.domains)]
    if not domains:
        return None
    check_domains(domains)
    table = table or RouterTable()
    brief = routing.abilities.small
    return ModelRouter(
        domains,
        farewell=table.farewell,
        always=table.always,
        outside=table.outside,
        worded=not routing.abilities.reads_prompts,
        brief=brief,
        advise=_by_words(domains) if brief else None,
    )


def _by_words(domains: Sequence[Domain]) -> Advise:
    """For small models: a wrong route costs them most, and a call of theirs takes longest."""
    names = {domain.destination: domain.name for domain in domains}

    def advise(prompt: str, content: str) -> RouteDecision | None:
        # Only small models need it.
        from glassloop.models.reflex.routing import advice

        return advice(prompt, content, names)

    return advise
