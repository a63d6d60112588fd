"""Sites in cities: found by area and name, then read by their ids."""

from typing import Final

from training.data.catalogue import Param, Tool
from training.data.conversation import Answer, Call, Conversation, Step
from training.data.phrases import dressed
from training.data.talks.workplace import asked
from training.data.values import CITIES, Rng, dumps, person, tidy


class CitySites:
    """Sites in cities: find them, then read figures by their ids."""

    KINDS: Final = ("bakery", "bookshop", "cinema", "pharmacy", "gym", "hardware store", "ice cream parlour")

    def __init__(self, rng: Rng) -> None:
        self.rng = rng
        pick = rng.some
        self.ids_key = pick(["site_ids", "ids"])
        self.find = Tool(
            pick(["find_sites", "sites_in_area", "look_for_sites"]),
            "Sites by area, kind and name, with their ids.",
            (
                Param("area"),
                Param("kind", required=False),
                Param("name", required=False),
                Param("limit", "integer", required=False),
            ),
        )
        self.figures = Tool(
            pick(["site_figures", "site_numbers"]),
            "Visits, visitors and stay of a site.",
            (
                Param("site_id"),
                Param("period", required=False, choices=("last_week", "last_month", "last_quarter", "last_year")),
            ),
        )
        self.near = Tool(
            pick(["catchment", "visitor_origin"]), "From how far the visitors of a site come.", (Param("site_id"),)
        )
        self.alike = Tool(
            pick(["alike_sites", "sites_like"]),
            "Sites that are like one.",
            (Param("site_id"), Param("limit", "integer", required=False)),
        )
        self.effect = Tool(
            pick(["opening_effect", "effect_of_opening"]),
            "What a new site took from its neighbours.",
            (Param("site_id"), Param("weeks", "integer", required=False)),
        )
        self.tools = [self.find, self.figures, self.near, self.alike, self.effect]
        self.prompt = (
            "You analyse sites in cities. Use the tools; never guess a figure or an id. "
            f"Find ids with {self.find.name} first. Which sites, how many: {self.find.name}. "
            f"How they do: {self.figures.name}. Where visitors come from: {self.near.name}. "
            f"Alike: {self.alike.name}. A new site: {self.effect.name}.\nAnswer in the user's language, briefly."
        )

    def talk(self) -> Conversation:
        return self.rng.some(
            [self._figures, self._figures, self._figures, self._list, self._origin, self._two, self._none]
        )()

    def _site(self) -> tuple[str, str, str, str]:
        rng = self.rng
        kind, city = rng.some(self.KINDS), rng.some(CITIES)
        return (
            f"{person(rng).split()[1]} {kind.title()}",
            kind,
            city,
            f"s_{rng.randrange(1000, 9999)}{rng.some('abcdef')}",
        )

    def _search(self, name: str, kind: str, city: str, ident: str, visits: int) -> Call:
        row = {"id": ident, "name": name, "kind": kind, "rank": self.rng.randrange(1, 9), "visits_total": visits}
        return Call(f"First the id of {name}.", self.find.name, {"area": city, "name": name}, dumps({"sites": [row]}))

    def _figures(self) -> Conversation:
        rng, (name, kind, city, ident) = self.rng, self._site()
        period, said = rng.some(
            [
                ("last_week", "last week"),
                ("last_month", "last month"),
                ("last_quarter", "last quarter"),
                ("last_year", "last year"),
            ]
        )
        visits, stay = rng.randrange(400, 90000), rng.randrange(6, 70)
        observed = dumps({"site_id": ident, "period": period, "visits": visits, "stay_minutes": stay, "sample": True})
        key, text = rng.some(
            [
                ("visits", f"{name} had {visits} visits {said} (a sample)."),
                ("stay", f"Visitors stayed {stay} minutes at {name} {said} (a sample)."),
            ]
        )
        question = (
            f"How many visits did {name} in {city} have {said}?"
            if key == "visits"
            else f"How long did people stay at {name} in {city} {said}?"
        )
        return asked(
            "chain-sites",
            dressed(rng, question),
            self._search(name, kind, city, ident, visits * 3),
            Call(f"Now the figures of {ident}.", self.figures.name, {"site_id": ident, "period": period}, observed),
            Answer("I have the figures.", text),
        )

    def _list(self) -> Conversation:
        rng, (_, kind, city, _) = self.rng, self._site()
        rows = [
            {"id": f"s_{rng.randrange(1000, 9999)}", "name": f"{person(rng).split()[1]} {kind.title()}"}
            for _ in range(rng.randrange(1, 5))
        ]
        plural = kind[:-1] + "ies" if kind.endswith("y") else kind + "s"
        question = rng.some([f"Which {plural} are there in {city}?", f"How many {plural} do we know in {city}?"])
        call = Call(
            f"The user wants {plural} in {city}.",
            self.find.name,
            {"area": city, "kind": kind},
            dumps({"sites": rows, "total": len(rows)}),
        )
        return asked(
            "sites",
            dressed(rng, question),
            call,
            Answer("I have the list.", f"{len(rows)} in {city}: {', '.join(row['name'] for row in rows)}."),
        )

    def _origin(self) -> Conversation:
        rng, (name, kind, city, ident) = self.rng, self._site()
        km, share = tidy(rng.uniform(1, 30)), rng.randrange(40, 90)
        call = Call(
            "Now where its visitors come from.",
            self.near.name,
            {"site_id": ident},
            f"Half of the visitors of {ident} live within {km} km; {share} % come from the city itself.",
        )
        question = rng.some(
            [
                f"From how far do the visitors of {name} in {city} come?",
                f"Where do people who go to {name} in {city} live?",
            ]
        )
        return asked(
            "chain-sites",
            dressed(rng, question),
            self._search(name, kind, city, ident, 900),
            call,
            Answer("I have it.", f"Half of them live within {km} km, and {share} % come from the city itself."),
        )

    def _two(self) -> Conversation:
        rng, first, second = self.rng, self._site(), self._site()
        steps: list[Step] = []
        values = rng.sample(range(500, 9000), 2)
        for (name, kind, city, ident), value in zip((first, second), values, strict=True):
            steps.append(self._search(name, kind, city, ident, value * 5))
            steps.append(
                Call(
                    f"Now the visits of {ident}.",
                    self.figures.name,
                    {"site_id": ident, "period": "last_month"},
                    dumps({"site_id": ident, "visits": value}),
                )
            )
        better = first[0] if values[0] > values[1] else second[0]
        text = f"{better} had more: {first[0]} {values[0]}, {second[0]} {values[1]}."
        return asked(
            "chain-sites",
            f"Which had more visits last month, {first[0]} in {first[2]} or {second[0]} in {second[2]}?",
            *steps,
            Answer("I have both.", text),
        )

    def _none(self) -> Conversation:
        name, _, city, _ = self._site()
        call = Call(f"First the id of {name}.", self.find.name, {"area": city, "name": name}, dumps({"sites": []}))
        return asked(
            "unknown",
            f"How many visits did {name} in {city} have last month?",
            call,
            Answer("Nothing was found.", f"I found no {name} in {city}, so I cannot give you its visits."),
        )
