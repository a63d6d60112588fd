# ruff: noqa: E501
"""What invented projects are about."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Theme:
    """`thing`, `things`, `group`: words for names in code. `by`: what a thing is graded by, `labels` into what."""

    package: str
    title: str
    about: str
    thing: str
    things: str
    group: str
    by: str
    labels: tuple[str, str, str]
    prefix: str
    names: tuple[str, ...]
    modules: tuple[str, str, str]

    @property
    def error(self) -> str:
        return f"{self.thing.capitalize()}Error"

    @property
    def book(self) -> str:
        return f"{self.thing.capitalize()}Book"

    @property
    def env(self) -> str:
        return self.package.upper()


def _theme(line: str) -> Theme:
    package, title, about, things, by, labels, prefix, names, modules = (part.strip() for part in line.split("|"))
    thing, many, group = things.split()
    first, second, third = labels.split()
    one, two, three = modules.split()
    return Theme(
        package, title, about, thing, many, group, by, (first, second, third), prefix, tuple(names.split()),
        (one, two, three),
    )  # fmt: skip


THEMES: Final = [
    _theme(line)
    for line in """
tidetable|Tide Table|works out high water for small harbours|tide tides harbour|height|spring mean neap|TD|Skagen Brest Whitby|almanac waters fees
teastock|Tea Stock|keeps the stock of a tea shop|tin tins shelf|grams|plenty enough low|TE|Assam Sencha Oolong|stock pricing shelves
choirplan|Choir Plan|plans the rehearsals of a choir|rehearsal rehearsals voice|singers|full thin sparse|CH|Fauré Byrd Bruckner|rota seating dues
logturn|Log Turn|rotates and packs old log files|log logs archive|kilobytes|rotate warn keep|LG|access audit worker|rotation packing retention
busboard|Bus Board|shows the next buses of a village|bus buses stop|delay|late slow punctual|BB|Market Station Mill|timetable board fares
bookvan|Book Van|lends books from a van|loan loans round|days|overdue due fresh|BV|Dubliners Middlemarch Emma|lending rounds charges
kilnlog|Kiln Log|records the firings of a pottery kiln|firing firings shelf|degrees|glaze bisque drying|KL|Bowl Vase Tile|firing_plan heat costs
ferrydesk|Ferry Desk|sells crossings of a river ferry|crossing crossings pier|wind|storm choppy calm|FD|North South Island|crossings tickets weather
chessladder|Chess Ladder|keeps the ladder of a chess club|game games board|rating|master club novice|CL|Anna Boris Chen|ladder pairing dues
museumtour|Museum Tour|books guided tours of a museum|tour tours room|visitors|crowded busy quiet|MT|Egypt Rome Maya|booking rooms admission
bakeround|Bake Round|plans the rounds of a bakery|loaf loaves oven|minutes|dark golden pale|BR|Rye Spelt Baguette|ovens rounds orders
hamlog|Ham Log|logs radio contacts|contact contacts band|strength|strong fair weak|HL|Oslo Lima Perth|contacts bands cards
parcelhub|Parcel Hub|sorts parcels into lockers|parcel parcels locker|weight|heavy medium light|PH|Oslo Graz Turin|sorting lockers postage
trailbook|Trail Book|lists hikes between mountain huts|hike hikes hut|ascent|hard moderate easy|TB|Alm Ridge Lake|routes huts rates
coinalbum|Coin Album|catalogues a coin collection|coin coins album|age|rare scarce common|CA|Thaler Ducat Florin|catalogue albums valuation
skihire|Ski Hire|hires out skis by the day|pair pairs rack|length|long regular short|SH|Racer Tour Kids|hire racks rates
pubquiz|Pub Quiz|scores the rounds of a quiz evening|answer answers table|points|gold silver bronze|PQ|Foxes Owls Badgers|scoring tables prizes
lightplot|Light Plot|cues the lamps of a small theatre|cue cues lamp|level|blaze glow dim|LP|Dawn Storm Finale|cues lamps rehearsal
""".strip().splitlines()
]
SETTINGS: Final = [
    ("port", ["8080", "8071", "9000", "5055"], ("the port", "der Port", "端口")),
    ("timeout_s", ["5", "12", "20", "45"], ("the timeout in seconds", "die Zeitgrenze in Sekunden", "超时秒数")),
    ("language", ["en", "fr", "nl", "pt"], ("the language", "die Sprache", "语言")),
    (
        "cache_minutes",
        ["10", "15", "60", "90"],
        ("how long results are cached, in minutes", "wie viele Minuten zwischengespeichert wird", "缓存分钟数"),
    ),
    ("log_level", ["INFO", "WARNING", "DEBUG"], ("the log level", "die Protokollstufe", "日志级别")),
    ("data_dir", ["data", "var/data", "store"], ("the data folder", "der Datenordner", "数据文件夹")),
    (
        "max_upload_kb",
        ["256", "512", "2048"],
        ("the largest upload in kilobytes", "die Obergrenze fürs Hochladen in Kilobyte", "上传上限（KB）"),
    ),
    ("currency", ["EUR", "GBP", "SEK", "CHF"], ("the currency", "die Währung", "货币")),
    ("workers", ["2", "3", "6"], ("the number of workers", "die Zahl der Arbeitsprozesse", "工作进程数")),
]
PACKAGES: Final = [
    ("httpx", ["0.27", "0.28"]),
    ("rich", ["13.7", "14.0"]),
    ("click", ["8.1", "8.2"]),
    ("pydantic", ["2.7", "2.9"]),
    ("jinja2", ["3.1"]),
    ("attrs", ["23.2", "24.1"]),
    ("orjson", ["3.9", "3.10"]),
    ("tabulate", ["0.9"]),
    ("platformdirs", ["4.2"]),
    ("python-dateutil", ["2.9"]),
]
TODOS: Final = [
    "round half up, as the accountants do",
    "ask the user before old entries go",
    "cache this for a minute",
    "translate the messages",
    "accept negative numbers",
    "write a test for empty input",
    "sort by name as well",
    "warn when the file is older than a day",
    "use the settings instead of a constant",
    "handle leap years",
]
DOCS: Final = {
    "backup": (
        "Backups are made every night at {n}:15 and kept for {m} days.",
        (
            "kept for {m} days, made at {n}:15",
            "{m} Tage aufbewahrt, um {n}:15 angelegt",
            "保留 {m} 天，每晚 {n}:15 备份",
        ),
    ),
    "release": (
        "A release needs {n} approvals and is tagged on the {m}th of the month.",
        (
            "{n} approvals, tagged on the {m}th of the month",
            "{n} Freigaben, markiert am {m}. des Monats",
            "需要 {n} 人批准，每月 {m} 日打标签",
        ),
    ),
    "import": (
        "An import may have up to {m}00 lines; {n} bad lines are skipped before it stops.",
        (
            "up to {m}00 lines, {n} bad lines are skipped before it stops",
            "bis zu {m}00 Zeilen, {n} fehlerhafte werden übersprungen, dann bricht er ab",
            "最多 {m}00 行，跳过 {n} 行坏数据后停止",
        ),
    ),
    "roles": (
        "There are {n} roles; a guest sees the last {m} entries only.",
        (
            "{n} roles, a guest sees only the last {m} entries",
            "{n} Rollen, Gäste sehen nur die letzten {m} Einträge",
            "共 {n} 种角色，访客只能看到最近 {m} 条",
        ),
    ),
}
