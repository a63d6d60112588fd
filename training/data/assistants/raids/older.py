"""Talks about fights of another night, rows out of sight, sums and further questions with the same filters."""

import datetime

from training.data.assistants.raids.parts import (
    HEALERS,
    LAIRS,
    NAMES,
    PLAYERS,
    TEN,
    Said,
    ask,
    boss,
    fight_of,
    head,
    number,
    row,
    rows,
    value,
)
from training.data.assistants.talk import Ask, MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.days import say_day
from training.data.values import Rng

TOOLS: dict[str, tuple[str, str, str, str, str]] = {
    "get_activity_report": ("GCD uptime (%)", "GCD uptime", "GCD-Auslastung", "GCD覆盖率", " %"),
    "get_rotation_score": ("Score", "rotation score", "Rotationswertung", "循环评分", ""),
    "get_cancelled_casts": (
        "Cancelled",
        "number of cancelled casts",
        "Zahl der abgebrochenen Zauber",
        "取消施法次数",
        "",
    ),
    "get_cooldown_efficiency": ("Throughput used (%)", "cooldown usage", "Cooldown-Nutzung", "爆发技能使用率", " %"),
}
PLACE = {"en": 1, "de": 2, "zh": 3}
DATED: Said = {
    "en": ("what was {who}'s {what} on {boss} on {day}?", "{who}'s {what} in the {boss} kill of {day}?",
           "on {day} at {boss}: {what} of {who}?", "give me the {what} of {who}, {boss}, {day}"),
    "de": ("Wie war die {what} von {who} bei {boss} am {day}?", "{what} von {who} im {boss}-Kill vom {day}?"),
    "zh": ("{day}打{boss}时{who}的{what}是多少？", "{who}在{day}{boss}那场的{what}"),
}  # fmt: skip


def dated(rng: Rng, language: Language) -> Talk:
    """A fight of a day: its codes first, then the player in it."""
    tool = rng.some(list(TOOLS))
    label, unit = TOOLS[tool][0], TOOLS[tool][4]
    who = rng.some(("Kelwin", "Elmira", "Xandrel", "Rhosyn", "Vessara", "Ysolt", "Serapha"))
    what, meant = TOOLS[tool][PLACE[language]], boss(rng, language, LAIRS[:2])
    day = (rng.today - datetime.timedelta(days=1 + 7 * rng.randrange(1, 4))).isoformat()
    yield ask(rng, language, DATED, who=who, what=what, boss=meant.said, day=say_day(rng, day, language))
    thought = f"The fight of {day} at that boss, for its codes."
    seen = yield call(thought, "search_fights", encounter_name=meant.said, since=day, until=day)
    assert seen
    found = rows(seen.text, "Fights")[0]
    code, fight = found["Report code"], int(found["Fight ID"])
    seen = yield call(f"{who} in {code}, fight {fight}.", tool, player_name=who, report_code=code, fight_id=fight)
    assert seen
    read, of = value(seen.text, label), fight_of(seen, language, meant.said)
    if not read:
        return
    told = {
        "en": f"{who}'s {what} {of} on {day}: {read}{unit}.",
        "de": f"{what} von {who} {of} am {day}: {read}{unit}.",
        "zh": f"{day} {of}：{who}的{what}为{read}{unit}。",
    }
    yield Answer(f"{code} fight {fight}, {who}: {label} {read}.", told[language])


KILLED: Said = {
    "en": ("did {who} die in the Gruul kill of {day}?", "was {who} dead at the end of Gruul on {day}?",
           "{day}, Gruul: did {who} survive or die?", "what killed {who} on Gruul on {day}, if anything"),
    "de": ("Ist {who} im Gruul-Kill vom {day} gestorben?", "Hat {who} Gruul am {day} überlebt oder ist er gestorben?"),
    "zh": ("{day}打格鲁尔时{who}死了吗？", "{who}在{day}格鲁尔那场是死是活"),
}  # fmt: skip


def killed_then(rng: Rng, language: Language) -> Talk:
    who, said = rng.some(("Zorrin", "Zorrin", "Kelwin", "Hestia")), "格鲁尔" if language == "zh" else "Gruul"
    day = (rng.today - datetime.timedelta(days=1 + 7 * rng.randrange(1, 5))).isoformat()
    yield ask(rng, language, KILLED, who=who, day=say_day(rng, day, language))
    seen = yield call(f"The Gruul fight of {day}.", "search_fights", encounter_name=said, since=day, until=day)
    assert seen
    found = rows(seen.text, "Fights")[0]
    code, fight = found["Report code"], int(found["Fight ID"])
    thought = f"Deaths of {who} in {code}, fight {fight}."
    seen = yield call(thought, "get_death_analysis", report_code=code, fight_id=fight, player_name=who)
    assert seen
    of, each = fight_of(seen, language, said), rows(seen.text, "Each")
    if not each:
        told = {
            "en": f"{who} did not die {of} on {day}.",
            "de": f"{who} ist {of} am {day} nicht gestorben.",
            "zh": f"{day} {of}：{who}没有死。",
        }
        yield Answer(f"Deaths {value(seen.text, 'Deaths')}; {who} did not die.", told[language])
        return
    at, by, source = each[0]["At"], each[0]["Killed by"], each[0]["Source"]
    told = {
        "en": f"{who} died at {at} {of} on {day}, killed by {by} of {source}.",
        "de": f"{who} starb um {at} {of} am {day} durch {by} von {source}.",
        "zh": f"{day} {of}：{who}在{at}死于{source}的{by}。",
    }
    yield Answer(f"Each: {who} at {at}, killed by {by} of {source}.", told[language])


LATE: Said = {
    "en": ("how long did {boss} take in our last Karazhan run?", "kill time of {boss} in the last kara?",
           "raid time on {boss}, last Karazhan night?", "last Karazhan: how fast was {boss}"),
    "de": ("Wie lange dauerte {boss} in unserem letzten Karazhan?", "Killzeit von {boss} am letzten Karazhan-Abend?"),
    "zh": ("上次卡拉赞打{boss}用了多久？", "最近一次卡拉赞{boss}的击杀时间"),
}  # fmt: skip


def out_of_sight(rng: Rng, language: Language) -> Talk:
    """The rows of the last bosses are not shown: read on."""
    meant = boss(rng, language, ("Prince Malchezaar", "Nightbane"))
    yield ask(rng, language, LATE, boss=meant.said)
    seen = yield call("Bosses of that night.", "get_raid_execution", report_code="last Karazhan")
    assert seen
    title = head(seen.text, "Title")
    thought = f"{meant.name} is not among the rows shown: find it."
    seen = yield call(thought, "read_result", result="r1", find=meant.name)
    assert seen
    found = row(rows(seen.text), "Encounter", meant.name)
    assert found
    time = found["Kill time"]
    told = {
        "en": f"{meant.said} took {time} ({title}).",
        "de": f"{meant.said} dauerte {time} ({title}).",
        "zh": f"{meant.said}用时{time}（{title}）。",
    }
    yield Answer(f"Row {meant.name}: kill time {time}.", told[language])


BOTH: Said = {
    "en": ("how many kills do we have on {a} and {b} together?", "kills of {a} plus {b}, all nights?",
           "add up our kills of {a} and {b}", "total of {a} and {b} kills so far?"),
    "de": ("Wie viele Kills haben wir an {a} und {b} zusammen?", "Kills von {a} plus {b} insgesamt?"),
    "zh": ("我们一共击杀了几次{a}和{b}？", "{a}加{b}总共击杀多少次"),
}  # fmt: skip


def two_bosses(rng: Rng, language: Language) -> Talk:
    """Two counts and their sum."""
    first, second = (boss(rng, language, (name,)) for name in rng.sample(list(NAMES), 2))
    yield ask(rng, language, BOTH, a=first.said, b=second.said)
    counts: list[int] = []
    for meant in (first, second):
        thought = f"The number of kills of {meant.name}: one row is enough."
        seen = yield call(thought, "search_fights", encounter_name=meant.said, kill=True, limit=1)
        assert seen
        counts.append(int(value(seen.text, "Found")))
    one, other = counts
    told = {
        "en": f"{one + other} kills: {first.said} {one}, {second.said} {other}.",
        "de": f"{one + other} Kills: {first.said} {one}, {second.said} {other}.",
        "zh": f"共{one + other}次击杀：{first.said} {one}次，{second.said} {other}次。",
    }
    yield Answer(f"{first.name} {one}, {second.name} {other}: {one} + {other} = {one + other}.", told[language])


START: Said = {
    "en": ("{who} gcd uptime on {boss}?", "what GCD uptime had {who} at {boss}?", "how busy was {who} on {boss}, gcd?",
           "activity of {who} at {boss}"),
    "de": ("GCD-Auslastung von {who} bei {boss}?", "Wie aktiv war {who} an {boss}?"),
    "zh": ("{who}打{boss}的GCD覆盖率？", "{boss}上{who}活跃度多少"),
}  # fmt: skip
THEN: Said = {
    "en": ("and on {boss}?", "what about {boss}", "same on {boss}?"),
    "de": ("und bei {boss}?", "und an {boss}?"),
    "zh": ("{boss}呢？", "那{boss}呢"),
}


def another_boss(rng: Rng, language: Language) -> Talk:
    """The same player at another boss, then whether it got an answer already."""
    who = rng.some(("Kelwin", "Vessara"))
    first, second = (boss(rng, language, (name,)) for name in rng.sample(list(NAMES), 2))
    got: list[str] = []
    for at, meant in enumerate((first, second)):
        yield (
            ask(rng, language, START, who=who, boss=meant.said) if not at else ask(rng, language, THEN, boss=meant.said)
        )
        thought = f"The same of {who}, now at {meant.name}." if at else f"Activity of {who} at that boss."
        seen = yield call(thought, "get_activity_report", player_name=who, fight_id=meant.said)
        assert seen
        got.append(value(seen.text, "GCD uptime (%)"))
        of = fight_of(seen, language, meant.said)
        told = {
            "en": f"{who}'s GCD uptime was {got[at]} % {of}.",
            "de": f"Die GCD-Auslastung von {who} war {got[at]} % {of}.",
            "zh": f"{of}：{who}的GCD覆盖率为{got[at]} %。",
        }
        yield Answer(f"{who}, {meant.name}: GCD uptime {got[at]} %.", told[language])
    if float(got[0]) == float(got[1]) or rng.chance(0.4):
        return
    best = first if float(got[0]) > float(got[1]) else second
    yield Ask({"en": "which of the two was better?", "de": "wo war es besser?", "zh": "哪个更好？"}[language])
    top, low = sorted(got, key=float, reverse=True)
    told = {
        "en": f"{best.said}: {top} % beside {low} %.",
        "de": f"{best.said}: {top} % gegenüber {low} %.",
        "zh": f"{best.said}：{top} %，另一个{low} %。",
    }
    yield Answer(f"Already shown: {first.name} {got[0]} %, {second.name} {got[1]} %.", told[language])


TOO_MUCH: Said = {
    "en": ("is {who} overhealing too much on {boss}?", "was {who}'s overheal at {boss} above the target?",
           "too much overheal by {who} on {boss}?", "did {who} stay under the overheal target at {boss}"),
    "de": ("Hat {who} bei {boss} zu viel überheilt?", "Lag die Überheilung von {who} bei {boss} über dem Ziel?"),
    "zh": ("{who}打{boss}过量治疗是不是太多？", "{boss}上{who}的过量治疗超过目标了吗"),
}  # fmt: skip


def too_much(rng: Rng, language: Language) -> Talk:
    who = rng.some(HEALERS)
    meant = boss(rng, language, tuple(NAMES) if who in TEN else LAIRS)
    yield ask(rng, language, TOO_MUCH, who=who, boss=meant.said)
    thought = f"Overheal of {who} beside the target of the spec."
    seen = yield call(thought, "get_overheal_analysis", player_name=who, fight_id=meant.said)
    assert seen
    share, aim, of = (
        value(seen.text, "Overheal (%)"),
        value(seen.text, "Target (%)"),
        fight_of(seen, language, meant.said),
    )
    above = number(share) > number(aim)
    told = {
        "en": f"{who} was {'above' if above else 'not above'} the target: {share} % overheal {of}, target {aim} %.",
        "de": f"{who} lag {'über' if above else 'nicht über'} dem Ziel: {share} % Überheilung {of}, Ziel {aim} %.",
        "zh": f"{who}{'超过' if above else '没有超过'}目标：{of}过量治疗{share} %，目标{aim} %。",
    }
    sign = ">" if above else "≤"
    yield Answer(f"{who}: overheal {share} % {sign} target {aim} %.", told[language])


SLOT: Said = {
    "en": ("what was {who}'s biggest upgrade since the last raid?", "which slot improved most for {who}?",
           "best new item of {who}, by item level?", "biggest item level jump on {who}"),
    "de": ("Was war das größte Upgrade von {who} seit dem letzten Raid?",
        "Welcher Slot von {who} wurde am meisten besser?"),
    "zh": ("{who}自上次团本最大的装备提升是哪件？", "{who}哪个部位装等提升最多"),
}  # fmt: skip


def upgrade(rng: Rng, language: Language) -> Talk:
    who = rng.some(list(PLAYERS))
    yield ask(rng, language, SLOT, who=who)
    seen = yield call(f"Gear changes of {who}, slot by slot.", "get_gear_changes", player_name=who)
    assert seen
    table = rows(seen.text, "Changes")
    if not table:
        return
    most = max(table, key=lambda each: number(each["Level difference"]))
    slot, more, old, new = most["Slot"], most["Level difference"], most["Old item"], most["New item"]
    told = {
        "en": f"The {slot} slot: {more} item levels more ({old} → {new}).",
        "de": f"Slot {slot}: {more} Gegenstandsstufen mehr ({old} → {new}).",
        "zh": f"{slot}部位：装等提升{more}（{old} → {new}）。",
    }
    yield Answer(f"Largest difference: row {slot}, {more}, {old} to {new}.", told[language])


WEEKS: Said = {
    "en": ("how many wipes did we have since {day}?", "wipes since {day}?", "number of wipes from {day} on",
           "since {day}, how often did we wipe?"),
    "de": ("Wie viele Wipes hatten wir seit {day}?", "Wipes seit {day}?"),
    "zh": ("{day}以来我们灭了几次？", "从{day}起灭团多少次"),
}  # fmt: skip


def since_day(rng: Rng, language: Language) -> Talk:
    day = (rng.today - datetime.timedelta(days=rng.randrange(6, 40))).isoformat()
    yield ask(rng, language, WEEKS, day=say_day(rng, day, language))
    seen = yield call(f"Wipes from {day} on: kill false.", "search_fights", kill=False, since=day)
    assert seen
    found, table = value(seen.text, "Found"), rows(seen.text, "Fights")
    if not table:
        told = {"en": f"No wipes since {day}.", "de": f"Keine Wipes seit {day}.", "zh": f"{day}以来没有灭团。"}
        yield Answer(f"Found {found} since {day}.", told[language])
        return
    name, when = table[0]["Encounter"], table[0]["When"].split()[0]
    told = {
        "en": f"Wipes since {day}: {found}, the newest on {name} ({when}).",
        "de": f"Wipes seit {day}: {found}, der neueste an {name} ({when}).",
        "zh": f"{day}以来灭团{found}次，最近一次是{name}（{when}）。",
    }
    yield Answer(f"Found {found}; newest {name}, {when}.", told[language])


TALKS: dict[MakeTalk, int] = {
    dated: 4,
    killed_then: 2,
    out_of_sight: 2,
    two_bosses: 2,
    another_boss: 3,
    too_much: 2,
    upgrade: 2,
    since_day: 2,
}
