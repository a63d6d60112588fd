"""Values of invented records and how people say them: names, places, dates, times, figures."""

import datetime
import json
import random
from collections.abc import Sequence
from typing import Any, Final, TypeVar

T = TypeVar("T")

FIRST: Final = [
    "Amara",
    "Björn",
    "Chiara",
    "Dmitri",
    "Elif",
    "Farid",
    "Greta",
    "Hiro",
    "Ines",
    "Jonas",
    "Kwame",
    "Leila",
    "Mateo",
    "Nadia",
    "Oskar",
    "Pilar",
    "Quentin",
    "Rosa",
    "Sven",
    "Tamar",
    "Umar",
    "Vera",
    "Wanda",
    "Xenia",
    "Yusuf",
    "Zofia",
    "Aiko",
    "Bastien",
    "Carmen",
    "Dario",
    "Esra",
    "Fiona",
    "Gustav",
    "Hanna",
    "Ivan",
    "Jelena",
    "Karim",
    "Lotte",
    "Milan",
    "Noor",
    "Otto",
    "Petra",
    "Rafael",
    "Signe",
    "Tomas",
    "Ursula",
    "Viktor",
    "Winnie",
    "Yara",
    "Zane",
    "Arjun",
    "Beatriz",
    "Callum",
    "Dorothea",
    "Emil",
    "Freya",
    "Goran",
    "Helga",
    "Ibrahim",
    "Joanna",
]
LAST: Final = [
    "Adeyemi",
    "Bergström",
    "Castellano",
    "Dvořák",
    "Eriksen",
    "Fontaine",
    "Grabowski",
    "Haddad",
    "Ivanova",
    "Jansen",
    "Kimura",
    "Laurent",
    "Moretti",
    "Novak",
    "Ortega",
    "Petrov",
    "Quist",
    "Romero",
    "Schneider",
    "Takahashi",
    "Ueda",
    "Vargas",
    "Weber",
    "Xu",
    "Yilmaz",
    "Zhou",
    "Abbott",
    "Brandt",
    "Coleman",
    "Diallo",
    "Ekström",
    "Farkas",
    "Gallo",
    "Hughes",
    "Ito",
    "Jovanović",
    "Keller",
    "Lindqvist",
    "Mensah",
    "Nguyen",
    "Oliveira",
    "Popescu",
    "Reyes",
    "Sato",
    "Tanaka",
    "Urban",
    "Vidal",
    "Wolff",
    "Youssef",
    "Zielinski",
    "Becker",
    "Costa",
    "Doyle",
    "Engel",
    "Fischer",
]
CITIES: Final = [
    "Oslo",
    "Porto",
    "Krakow",
    "Ghent",
    "Lyon",
    "Zagreb",
    "Tallinn",
    "Bergen",
    "Graz",
    "Valencia",
    "Antwerp",
    "Riga",
    "Nantes",
    "Bilbao",
    "Gothenburg",
    "Basel",
    "Split",
    "Utrecht",
    "Cardiff",
    "Aarhus",
    "Trieste",
    "Seville",
    "Brno",
    "Toulouse",
    "Leeds",
    "Cork",
    "Uppsala",
    "Bologna",
    "Linz",
    "Rotterdam",
    "Osaka",
    "Busan",
    "Quito",
    "Lima",
    "Nairobi",
    "Accra",
    "Dakar",
    "Rabat",
    "Tunis",
    "Amman",
    "Muscat",
    "Hanoi",
    "Cebu",
    "Perth",
    "Adelaide",
    "Calgary",
    "Halifax",
    "Denver",
    "Portland",
    "Boston",
    "Monterrey",
    "Rosario",
    "Montevideo",
    "Tbilisi",
    "Yerevan",
    "Almaty",
    "Pune",
    "Kochi",
    "Colombo",
    "Taipei",
    "Sapporo",
]
CHINESE_CITIES: Final = ["杭州", "成都", "青岛", "西安", "厦门", "南京", "大连", "昆明", "苏州", "长沙"]
REASONS: Final = [
    "the guest is ill",
    "double payment",
    "wrong address",
    "change of plans",
    "it was lost",
    "weather",
    "the customer called",
    "a duplicate entry",
    "missing papers",
    "stolen on a trip",
]
SUBJECTS: Final = [
    "budget talk",
    "fire drill",
    "site visit",
    "team lunch",
    "contract signing",
    "roof inspection",
    "press call",
    "safety training",
    "piano tuning",
    "design workshop",
    "yearly audit",
    "open day",
]
CURRENCIES: Final = {
    "EUR": ("euros", "Euro", "欧元"),
    "USD": ("US dollars", "US-Dollar", "美元"),
    "GBP": ("British pounds", "Pfund", "英镑"),
    "CHF": ("Swiss francs", "Franken", "瑞士法郎"),
    "JPY": ("Japanese yen", "Yen", "日元"),
    "CNY": ("Chinese yuan", "Yuan", "人民币"),
    "SEK": ("Swedish kronor", "schwedische Kronen", "瑞典克朗"),
    "PLN": ("Polish zloty", "Zloty", "兹罗提"),
    "CAD": ("Canadian dollars", "kanadische Dollar", "加元"),
    "AUD": ("Australian dollars", "australische Dollar", "澳元"),
    "INR": ("Indian rupees", "Rupien", "卢比"),
    "NOK": ("Norwegian kroner", "norwegische Kronen", "挪威克朗"),
}


class Rng(random.Random):
    """The one source of chance: the same seed makes the same data. `today` is the day of the conversation."""

    today = datetime.date(2026, 1, 1)

    def some(self, values: Sequence[T]) -> T:
        return values[self.randrange(len(values))]

    def chance(self, share: float) -> bool:
        return self.random() < share


def dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def person(rng: Rng) -> str:
    return f"{rng.some(FIRST)} {rng.some(LAST)}"


def money(rng: Rng) -> float:
    return round(
        rng.some([rng.uniform(5, 99), rng.uniform(100, 999), rng.uniform(1000, 25000)]), rng.some([0, 1, 2, 2])
    )


def tidy(number: float) -> float | int:
    """A figure as people write it: few decimals, none where there are none."""
    number = round(number, 2 if abs(number) >= 1 else 4)
    return int(number) if number == int(number) else number


def filled(rng: Rng, pattern: str) -> str:
    """A pattern with its `#` as digits, the first of each run not 0, and its `@` as letters."""
    made: list[str] = []
    for at, char in enumerate(pattern):
        if char == "#":
            made.append(str(rng.randrange(1 if at == 0 or pattern[at - 1] != "#" else 0, 10)))
        elif char == "@":
            made.append(rng.some("abcdefghjkmnpqrstuvwxyz"))
        else:
            made.append(char)
    return "".join(made)
