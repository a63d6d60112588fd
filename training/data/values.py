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
MONTHS: Final = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
GERMAN_MONTHS: Final = [
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
]
WEEKDAYS: Final = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
GERMAN_WEEKDAYS: Final = ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"]
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


def day(rng: Rng, first: int = -3, last: int = 1) -> str:
    """A day between two years, counted from that of the conversation."""
    start = datetime.date(rng.today.year + first, 1, 1)
    return (start + datetime.timedelta(days=rng.randrange((last - first + 1) * 365))).isoformat()


def coming_day(rng: Rng, language: str = "en") -> tuple[str, str]:
    """A day to come and how it is said: by its date, or from today on."""
    if rng.chance(0.55):
        iso = day(rng, 0, 1)
        said = say_day(rng, iso, language)
        return iso, said if language == "zh" else f"{'am' if language == 'de' else 'on'} {said}"
    ahead = rng.randrange(0, 7)
    found = rng.today + datetime.timedelta(days=ahead)
    place = {"en": 0, "de": 1, "zh": 2}[language]
    if ahead < 3:
        near = [
            ("today", "heute", "今天"),
            ("tomorrow", "morgen", "明天"),
            ("the day after tomorrow", "übermorgen", "后天"),
        ]
        return found.isoformat(), near[ahead][place]
    on = "" if (name := near_day(rng, found, language)).startswith(("this ", "next ", "in ")) else "on "
    return found.isoformat(), name if language == "zh" else f"am {name}" if language == "de" else f"{on}{name}"


def near_day(rng: Rng, found: datetime.date, language: str = "en") -> str:
    """A day at most six days ahead by its name. `next` only where it is in the next week, so that all mean the same."""
    number, ahead = found.weekday(), (found - rng.today).days
    is_next_week = number < rng.today.weekday()
    if language == "zh":
        week = "下" if is_next_week else rng.some(["这", "本"])
        return rng.some([f"{week}周{'一二三四五六日'[number]}", f"{ahead}天后"])
    if language == "de":
        return GERMAN_WEEKDAYS[number]
    name = rng.some([WEEKDAYS[number], WEEKDAYS[number], WEEKDAYS[number].lower()])
    which = f"next {name}" if is_next_week else f"this {name}"
    return rng.some([name, name, which, which, f"this coming {name}", f"in {ahead} days"])


def clock(rng: Rng) -> str:
    return f"{rng.randrange(6, 22):02d}:{rng.some([0, 0, 15, 30, 30, 45, 5, 20, 50]):02d}"


def ordinal(number: int) -> str:
    special = 10 <= number % 100 <= 20
    return f"{number}{'th' if special else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def say_day(rng: Rng, iso: str, language: str = "en") -> str:
    """In one of the usual forms; of this year often without the year."""
    year, month, number = map(int, iso.split("-"))
    if year == rng.today.year and rng.chance(0.6):
        return _of_this_year(rng, month, number, language)
    if language == "zh":
        return rng.some([iso, f"{year}年{month}月{number}日"])
    if language == "de":
        return rng.some([f"{number}.{month}.{year}", f"{number}. {GERMAN_MONTHS[month - 1]} {year}", iso])
    name = MONTHS[month - 1]
    return rng.some(
        [
            iso,
            f"{number} {name} {year}",
            f"{name} {number}, {year}",
            f"{number} {name[:3]} {year}",
            f"the {ordinal(number)} of {name} {year}",
            f"{number:02d}.{month:02d}.{year}",
            f"{name} {ordinal(number)}, {year}",
        ]
    )


def _of_this_year(rng: Rng, month: int, number: int, language: str) -> str:
    if language == "zh":
        return f"{month}月{number}{rng.some('日日号')}"
    if language == "de":
        return rng.some([f"{number}.{month}.", f"{number:02d}.{month:02d}.", f"{number}. {GERMAN_MONTHS[month - 1]}"])
    name = MONTHS[month - 1]
    said = rng.some([f"{number} {name}", f"{name} {number}", f"{number} {name[:3]}", f"{name} {ordinal(number)}"])
    return rng.some([said, said, f"the {ordinal(number)} of {name}", said.lower()])


def say_time(rng: Rng, time: str) -> str:
    hour, minute = map(int, time.split(":"))
    short, half = (hour - 1) % 12 + 1, "am" if hour < 12 else "pm"
    part = "in the morning" if hour < 12 else "in the afternoon" if hour < 18 else "in the evening"
    forms = [time, time, f"{short}:{minute:02d} {half}", f"{short}:{minute:02d} {part}"]
    forms += [f"{short} {half}", f"{short} o'clock {part}"] if minute == 0 else []
    forms += [f"half past {short} {part}"] if minute == 30 else []
    forms += [f"a quarter past {short} {part}"] if minute == 15 else []
    forms += ["noon"] if time == "12:00" else []
    return rng.some(forms)


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
