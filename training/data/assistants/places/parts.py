"""What talks about places are made of: areas, chains, categories and periods as people say them, and how results are
read."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

import msgspec

from training.data.assistants.talk import Ask
from training.data.conversation import Answer, Language
from training.data.values import Rng

Words = Mapping[Language, Sequence[str]]
MAX_THOUGHT: Final = 210

METROS: Final = {"San Francisco": "旧金山", "Los Angeles": "洛杉矶", "Atlanta": "亚特兰大", "Chicago": "芝加哥",
    "Dallas": "达拉斯", "Denver": "丹佛"}  # fmt: skip
STATES: Final = {"Georgia": "佐治亚州", "Texas": "得克萨斯州", "Colorado": "科罗拉多州", "Illinois": "伊利诺伊州"}
CITIES: Final = ("Oakland", "Berkeley", "Pasadena", "Santa Monica", "Glendale", "Burbank", "Long Beach", "Marietta",
    "Alpharetta", "Evanston", "Naperville", "Schaumburg", "Plano", "Frisco", "Irving", "Fort Worth", "Boulder",
    "Aurora", "Littleton", "San Mateo", "Richardson", "Torrance")  # fmt: skip
HOODS: Final = ("Buckhead", "Midtown", "SoMa", "Mission District", "Hollywood", "Koreatown", "Wicker Park",
    "Lincoln Park", "River North", "Deep Ellum", "Oak Lawn", "Cherry Creek", "Capitol Hill", "RiNo", "Lakeview",
    "North Beach", "Westwood", "Las Colinas", "Sherman Oaks", "Logan Square")  # fmt: skip
ZIPS: Final = ("94103", "94110", "90028", "90401", "30309", "30326", "60614", "60654", "75201", "75219", "80202",
    "80206", "60657", "75034", "91101", "80205")  # fmt: skip
CHAINS: Final = {"Starbucks": "星巴克", "McDonald's": "麦当劳", "Chick-fil-A": "", "Subway": "赛百味",
    "Taco Bell": "塔可贝尔", "Target": "", "Walgreens": "", "CVS": "", "Chipotle": "", "Trader Joe's": "",
    "Whole Foods": "全食超市", "Home Depot": "家得宝", "Best Buy": "百思买", "Planet Fitness": "", "Costco": "开市客",
    "Walmart": "沃尔玛", "7-Eleven": "7-11", "Chase": "", "Burger King": "汉堡王", "T.J. Maxx": "", "Old Navy": "",
    "Ulta": "", "Shell": "", "Panda Express": "熊猫快餐", "Popeyes": "", "Wells Fargo": "", "PetSmart": "",
    "Panera": "", "Olive Garden": "", "Dollar Tree": ""}  # fmt: skip
BUSY_CHAINS: Final = ("Starbucks", "Chick-fil-A", "McDonald's", "Target", "Walgreens", "CVS", "Best Buy")
LOCAL_CHAINS: Final = {"Publix": ("Atlanta",), "Kroger": ("Atlanta", "Dallas"), "Safeway": ("San Francisco", "Denver"),
    "Ralphs": ("Los Angeles",), "Jewel-Osco": ("Chicago",), "King Soopers": ("Denver",), "H-E-B": ("Dallas",),
    "Portillo's": ("Chicago",), "Zaxby's": ("Atlanta",), "In-N-Out": ("San Francisco", "Los Angeles", "Dallas"),
    "Waffle House": ("Atlanta", "Dallas"), "Dunkin'": ("Atlanta", "Chicago", "Dallas", "Denver"), "Philz": (
    "San Francisco", "Los Angeles", "Chicago"), "QuikTrip": ("Atlanta", "Dallas", "Denver")}  # fmt: skip
CATEGORIES: Final = {"coffee shops": ("Cafés", "咖啡店"), "gyms": ("Fitnessstudios", "健身房"), "supermarkets": (
    "Supermärkte", "超市"), "pharmacies": ("Apotheken", "药店"), "bars": ("Bars", "酒吧"), "hotels": ("Hotels", "酒店"),
    "banks": ("Banken", "银行"), "gas stations": ("Tankstellen", "加油站"), "bookstores": ("Buchhandlungen", "书店"),
    "fast food": ("Schnellrestaurants", "快餐店"), "shoe stores": ("Schuhgeschäfte", "鞋店"), "department stores": (
    "Kaufhäuser", "百货商店"), "clothing stores": ("Modegeschäfte", "服装店"), "pet stores": ("Zoohandlungen",
    "宠物店"), "museums": ("Museen", "博物馆"), "cinemas": ("Kinos", "电影院"), "restaurants": ("Restaurants", "餐厅"),
    "convenience stores": ("Convenience-Stores", "便利店"), "furniture stores": ("Möbelhäuser", "家具店"),
    "hospitals": ("Krankenhäuser", "医院"), "bakeries": ("Bäckereien", "面包店"), "shopping malls": ("Einkaufszentren",
    "购物中心"), "electronics stores": ("Elektronikmärkte", "电子产品店"), "dentists": ("Zahnärzte",
    "牙医诊所")}  # fmt: skip
BUSY_KINDS: Final = ("coffee shops", "supermarkets", "fast food", "gyms", "pharmacies", "department stores",
    "restaurants", "clothing stores", "shopping malls", "gas stations")  # fmt: skip
MALLS: Final = {"The Grove": "Los Angeles", "Beverly Center": "Los Angeles", "Westfield Century City": "Los Angeles",
    "Glendale Galleria": "Glendale", "The Americana at Brand": "Glendale", "Del Amo Fashion Center": "Torrance",
    "Santa Monica Place": "Santa Monica", "Stonestown Galleria": "San Francisco", "Embarcadero Center": "San Francisco",
    "Serramonte Center": "Daly City", "Lenox Square": "Atlanta", "Phipps Plaza": "Atlanta",
    "Perimeter Mall": "Dunwoody", "Atlantic Station": "Atlanta", "Water Tower Place": "Chicago",
    "Woodfield Mall": "Schaumburg", "Oakbrook Center": "Oak Brook", "Orland Square": "Orland Park",
    "NorthPark Center": "Dallas", "Galleria Dallas": "Addison", "Stonebriar Centre": "Frisco",
    "Grapevine Mills": "Grapevine", "Cherry Creek Shopping Center": "Denver", "Park Meadows": "Lone Tree",
    "FlatIron Crossing": "Broomfield"}  # fmt: skip
_EN_MONTHS: Final = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December")  # fmt: skip
_DE_MONTHS: Final = ("Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
    "November", "Dezember")  # fmt: skip
DAYS: Final = {"Monday": ("Montag", "周一"), "Tuesday": ("Dienstag", "周二"), "Wednesday": ("Mittwoch", "周三"),
    "Thursday": ("Donnerstag", "周四"), "Friday": ("Freitag", "周五"), "Saturday": ("Samstag", "周六"), "Sunday": (
    "Sonntag", "周日")}  # fmt: skip


_COMMON: Final = frozenset(["How", "Which", "What", "Where", "When", "Who", "Is", "Are", "Did", "Does", "Do", "Compare",
    "Count", "List", "Find", "Show", "Number", "For", "Give", "On", "At", "By", "Visits", "Weekday", "Can", "Any", "In",
    "Tell"])  # fmt: skip
"""Words that a question may begin with and that are no names."""


class Said(msgspec.Struct, frozen=True):
    """A value as the tool takes it (`arg`) and as the question says it."""

    arg: Any
    said: str


def by(language: Language, en: str, de: str, zh: str) -> str:
    return {"en": en, "de": de, "zh": zh}[language]


def ask(rng: Rng, language: Language, words: Words, *, again: bool = False) -> Ask:
    """One of the wordings, as carelessly as people type; `again`: it follows another, so nobody greets."""
    text = rng.some(words[language])
    if language == "zh":
        return Ask(text if again else rng.some(["", "", "", "", "请问，", "帮我查一下：", "麻烦看下，"]) + text)
    openings = {"en": ("hey, ", "quick one: ", "Hi! ", "quick question - ", "pls tell me: ", "ok so, "), "de": (
        "Hallo, ", "kurze Frage: ", "Sag mal, ", "Moin, ")}  # fmt: skip
    if not again and rng.chance(0.14):
        opening = rng.some(openings[language])
        text = opening + (text if opening == "Hi! " or language == "de" else _lowered(text))
    elif rng.chance(0.3) and language == "en":
        text = _lowered(text)
    if rng.chance(0.25):
        text = text.removesuffix("?").removesuffix(".")
    return Ask(text)


def _lowered(text: str) -> str:
    """The first letter small, unless it is a name's."""
    return text[:1].lower() + text[1:] if text.partition(" ")[0].rstrip(",:") in _COMMON else text


def metro(rng: Rng, language: Language, name: str = "") -> Said:
    """A metro's name: without more words it is the city."""
    name = name or rng.some(list(METROS))
    return Said(name, METROS[name] if language == "zh" and rng.chance(0.6) else name)


def area(rng: Rng, language: Language) -> Said:
    """An area with its preposition, in Chinese without."""
    kind = rng.choices(["metro", "city", "hood", "zip", "state", "wide"], [52, 14, 12, 8, 6, 8])[0]
    if kind in ("metro", "wide"):
        found = metro(rng, language)
        if kind == "metro":
            return Said(found.arg, by(language, f"in {found.said}", f"in {found.said}", found.said))
        wide = by(language, rng.some([f"in the {found.said} metro area", f"in metro {found.said}"]),
            f"in der Metropolregion {found.said}", f"{found.said}都会区")  # fmt: skip
        return Said({"type": "metro", "name": found.arg}, wide)
    if kind == "state":
        name = rng.some(list(STATES))
        return Said(name, by(language, f"in {name}", f"in {name}", STATES[name]))
    if kind == "zip":
        code = rng.some(ZIPS)
        return Said(code, by(language, rng.some([f"in zip {code}", f"in {code}"]), f"im PLZ-Gebiet {code}",
            f"邮编{code}"))  # fmt: skip
    name = rng.some(CITIES if kind == "city" else HOODS)
    return Said(name, by(language, f"in {name}", f"in {name}", name))


def town(rng: Rng, language: Language) -> Said:
    """A city or metro with its preposition: places enough for a figure."""
    found = metro(rng, language)
    if rng.chance(0.25):
        wide = by(language, f"in greater {found.said}", f"im Großraum {found.said}", f"大{found.said}地区")
        return Said({"type": "metro", "name": found.arg}, wide)
    return Said(found.arg, by(language, f"in {found.said}", f"in {found.said}", found.said))


def chain(rng: Rng, language: Language, names: Sequence[str] = ()) -> Said:
    name = rng.some(list(names or CHAINS))
    chinese = CHAINS.get(name, "")
    return Said(name, chinese if language == "zh" and chinese and rng.chance(0.6) else name)


def kind_of(rng: Rng, language: Language, names: Sequence[str] = ()) -> Said:
    name = rng.some(list(names or CATEGORIES))
    return Said(name, by(language, name, *CATEGORIES[name]))


def data_days(rng: Rng) -> tuple[date, date]:
    """The first and last day of the data."""
    last = rng.today.replace(day=1) - timedelta(days=1)
    return date(rng.today.year - 2, rng.today.month, 1), last


def month_back(rng: Rng, back: int) -> date:
    """The first day of a month: 0 is the last one of the data."""
    last = data_days(rng)[1]
    number = last.year * 12 + last.month - 1 - back
    return date(number // 12, number % 12 + 1, 1)


def say_month(month: date, language: Language) -> str:
    return by(language, f"{_EN_MONTHS[month.month - 1]} {month.year}", f"{_DE_MONTHS[month.month - 1]} {month.year}",
        f"{month.year}年{month.month}月")  # fmt: skip


def period(rng: Rng, language: Language) -> Said:
    """A period as an argument and as said, with its preposition."""
    fixed = {"last_month": (["last month"], ["letzten Monat", "im letzten Monat"], "上个月"), "last_quarter": ([
        "last quarter"], ["im letzten Quartal"], "上个季度"), "last_90_days": (["in the last 90 days",
        "over the past 90 days"], ["in den letzten 90 Tagen"], "过去90天"), "last_30_days": (["in the last 30 days"], [
        "in den letzten 30 Tagen"], "过去30天"), "last_12_months": (["in the last 12 months",
        "over the past 12 months"], ["in den letzten 12 Monaten"], "过去12个月")}  # fmt: skip
    choice = rng.choices([*fixed, "month", "quarter"], [3, 2, 3, 1, 2, 5, 2])[0]
    if choice in fixed:
        en, de, zh = fixed[choice]
        return Said(choice, by(language, rng.some(en), rng.some(de), zh))
    month = month_back(rng, rng.randrange(1, 22))
    if choice == "month":
        said = say_month(month, language)
        return Said(f"{month:%Y-%m}", by(language, f"in {said}", f"im {said}", said))
    quarter = (month.month + 2) // 3
    en = rng.some([f"in Q{quarter} {month.year}", f"in the {('1st', '2nd', '3rd', '4th')[quarter - 1]} quarter of "
        f"{month.year}"])  # fmt: skip
    return Said(
        f"{month.year}-Q{quarter}",
        by(language, en, f"im {quarter}. Quartal {month.year}", f"{month.year}年第{'一二三四'[quarter - 1]}季度"),
    )


def when(text: str, language: Language) -> str:
    """The period of a result in words, with its preposition."""
    found = re.search(r"· period ([^·]+?) \(\d+ days?\)", text)
    label = found[1] if found else ""
    if re.fullmatch(r"\d{4}-\d\d", label):
        said = say_month(date(int(label[:4]), int(label[5:]), 1), language)
        return by(language, f"in {said}", f"im {said}", said)
    if " to " in label:
        first, last = label.split(" to ")
        return by(language, f"from {first} to {last}", f"vom {first} bis {last}", f"{first}至{last}期间")
    return by(language, f"in {label}", f"in {label}", label)


def cell(value: str, language: Language) -> str:
    """A figure with its range in the language."""
    if language == "de":
        return value.replace(" to ", " bis ")
    return value.replace(" (", "（").replace(")", "）").replace(" to ", "至") if language == "zh" else value


def told(rng: Rng, language: Language, thought: str, *, en: str, de: str, zh: str) -> Answer:
    """An answer that says that the data is a sample."""
    text = by(language, en, de, zh)
    notes = {"en": ("(sample data)", "This is sample data.", "Sample data."), "de": ("(Beispieldaten)",
        "Das sind Beispieldaten.", "Beispieldaten."), "zh": ("（样本数据）", "以上为样本数据。", "数据为样本。")}[
        language]  # fmt: skip
    note = rng.some(notes)
    if note[0] in "(（":
        space = "" if language == "zh" else " "
        return Answer(cut(thought), f"{text[:-1]}{space}{note}{text[-1]}")
    return Answer(cut(thought), f"{text}{note}" if language == "zh" else f"{text} {note}")


def plain(language: Language, thought: str, *, en: str, de: str, zh: str) -> Answer:
    """An answer without a figure."""
    return Answer(cut(thought), by(language, en, de, zh))


def counted(count: str, noun: str) -> str:
    """A number with what is counted, in English."""
    noun = f"{noun} places" if noun == "fast food" else noun
    if count == "1":
        noun = f"{noun[:-3]}y" if noun.endswith("ies") and noun != "movies" else noun.removesuffix("s")
    return f"{'no' if count == '0' else count} {noun}"


def cut(thought: str) -> str:
    """A thought of rows that may be too many."""
    while len(thought) > MAX_THOUGHT and "; " in thought:
        thought = thought.rpartition("; ")[0]
    return thought if len(thought) <= MAX_THOUGHT else thought[:MAX_THOUGHT].rpartition(" ")[0]


def line(text: str, start: str) -> str:
    """The line of a result that begins so, without its beginning."""
    for one in text.splitlines():
        if one.startswith(start):
            return one[len(start) :].strip()
    return ""


def pair(text: str, label: str) -> str:
    """A figure of a line such as `places 9, visits 74,529 (66,423 to 83,298)`."""
    found = re.search(rf"(?:^|, ){re.escape(label)} (−?[\d,.]*\d(?: \([^)]*\))?|yes|no|suppressed)(?=,|$)", text)
    return found[1] if found else ""


def table(text: str, title: str) -> list[dict[str, str]]:
    """The shown rows of the table under a title."""
    lines = text.splitlines()
    start = next((n for n, one in enumerate(lines) if re.match(rf"{title}(, newest first)?:$", one)), None)
    if start is None or start + 2 >= len(lines) or not lines[start + 1].startswith("|"):
        return []
    head = _cells(lines[start + 1])
    rows: list[dict[str, str]] = []
    for one in lines[start + 3 :]:
        if not one.startswith("|"):
            break
        rows.append(dict(zip(head, _cells(one), strict=False)))
    return rows


def places_of(text: str) -> list[dict[str, str]]:
    """The rows of places, also where few of them are shown on their sides."""
    rows = table(text, "Places")
    if not rows or "Name" in rows[0]:
        return rows
    lines = [_cells(one) for one in text.splitlines() if one.startswith("| ")]
    count = len(lines[0]) - 1
    return [{row[0]: row[number] for row in lines if len(row) == count + 1} for number in range(1, count + 1)]


def card(text: str) -> dict[str, str]:
    """The labels and values of one place that is shown on its side."""
    found = [_cells(one) for one in text.splitlines() if one.startswith("| ")]
    return {row[0]: row[1] for row in found if len(row) >= 2}


def _cells(row: str) -> list[str]:
    return [one.strip() for one in row.strip().strip("|").split(" | ")]


def street(address: str) -> str:
    return address.partition(",")[0]


def result_of(text: str) -> str:
    """The name under which the rest of a result is read."""
    found = re.search(r'read_result\(result="(r\d+)"', text)
    return found[1] if found else ""
