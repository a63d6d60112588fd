"""Days and times, and how people say them in English, German and Chinese."""

import datetime
import re
from typing import Final

from training.data.conversation import Language
from training.data.values import Rng

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
_DATE: Final = re.compile(r"(?:\b([Oo]n |[Aa]m ))?(?<!\d)(20\d\d-\d\d-\d\d)(?!\d)")


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
    in_week = name if is_next_week else f"{name} this week"
    return rng.some([name, in_week, which, which, f"this coming {name}", f"in {ahead} days"])


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


def with_spoken_days(rng: Rng, text: str, language: Language) -> str:
    """A text whose days are said as people say them: by the name of the weekday, in words, or as they were."""
    text = _DATE.sub(lambda found: _near(rng, found, language), text)
    return _DATE.sub(lambda found: _spoken(rng, found, language), text)


def _spoken(rng: Rng, found: re.Match[str], language: Language) -> str:
    return (found[1] or "") + (say_day(rng, found[2], language) if rng.chance(0.5) else found[2])


def _near(rng: Rng, found: re.Match[str], language: Language) -> str:
    """A day of this week or the next by its name, with the preposition that it takes; other days as they were."""
    day = datetime.date.fromisoformat(found[2])
    before, ahead = found[1] or "", (day - rng.today).days
    if not -7 < ahead <= 13 or rng.chance(0.3):
        return found[0]
    if ahead < -1:
        return _past(rng, day, language)
    if rng.today.weekday() + ahead >= 7 and (ahead > 6 or rng.chance(0.3)):
        if ahead > 13 - rng.today.weekday():
            return found[0]
        name, german = WEEKDAYS[day.weekday()], GERMAN_WEEKDAYS[day.weekday()]
        forms = {
            "en": [f"{before}{name} next week", f"{before}{name} of next week", f"{before}{name.lower()} next week"]
        }
        forms |= {"de": [f"{german} nächster Woche"], "zh": [f"下周{'一二三四五六日'[day.weekday()]}"]}
        return rng.some(forms[language])
    if ahead < 2:
        names = {"en": "yesterday today tomorrow", "de": "gestern heute morgen", "zh": "昨天 今天 明天"}
        return names[language].split()[ahead + 1]
    name = near_day(rng, day, language)
    return name if language == "zh" or name.startswith(("this ", "next ", "in ")) else before + name


def _past(rng: Rng, day: datetime.date, language: Language) -> str:
    """One of the six days before today by its name."""
    number, ago = day.weekday(), (rng.today - day).days
    if language == "zh":
        return f"{'上' if ago > rng.today.weekday() else '这'}周{'一二三四五六日'[number]}"
    if language == "de":
        return f"letzten {GERMAN_WEEKDAYS[number]}"
    return rng.some([f"last {WEEKDAYS[number]}", f"last {WEEKDAYS[number].lower()}", f"{ago} days ago"])
