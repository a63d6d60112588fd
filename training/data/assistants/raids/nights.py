"""Talks about nights, wipes, deaths and whole fights."""

from training.data.assistants.raids.parts import (
    HEALERS,
    KARAZHAN,
    LAIRS,
    PLAYERS,
    Said,
    ask,
    boss,
    fight_of,
    head,
    listed,
    number,
    row,
    rows,
    value,
    where,
)
from training.data.assistants.talk import Ask, MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng

NIGHTS = {
    "": {
        "en": ("last night", "in our last raid", "in the last raid"),
        "de": ("letzte Nacht", "in unserem letzten Raid"),
        "zh": ("上次团本", "昨晚的团本"),
    },
    "last Karazhan": {
        "en": ("in our last Karazhan run", "in the last kara", "last Karazhan night"),
        "de": ("in unserem letzten Karazhan", "am letzten Karazhan-Abend"),
        "zh": ("上次卡拉赞", "最近一次卡拉赞"),
    },
}
TOTALS: dict[str, tuple[Said, dict[Language, str]]] = {
    "Wipes": (
        {"en": ("how many wipes did we have {night}?", "how often did we wipe {night}", "wipes {night}, how many?",
            "number of wipes {night}"),
         "de": ("Wie viele Wipes hatten wir {night}?", "Wie oft sind wir {night} gewiped?"),
             "zh": ("{night}我们灭团几次？",
             "{night}灭了多少次")},
        {"en": "Wipes: {value}", "de": "Wipes: {value}", "zh": "灭团次数：{value}"},
    ),
    "Deaths": (
        {"en": ("how many deaths {night}?", "how many people died {night}", "death count {night}?",
            "total deaths {night}"),
         "de": ("Wie viele Tode gab es {night}?", "Wie oft ist {night} jemand gestorben?"),
             "zh": ("{night}一共死了多少人次？",
             "{night}死亡次数是多少")},
        {"en": "Deaths: {value}", "de": "Tode: {value}", "zh": "死亡次数：{value}"},
    ),
    "Bosses killed": (
        {"en": ("how many bosses did we kill {night}?", "bosses down {night}?", "how many kills {night}",
            "number of boss kills {night}"),
         "de": ("Wie viele Bosse haben wir {night} gelegt?", "Anzahl Bosskills {night}?"),
             "zh": ("{night}打掉了几个首领？",
             "{night}过了多少个boss")},
        {"en": "Bosses killed: {value}", "de": "Getötete Bosse: {value}", "zh": "击杀首领：{value}"},
    ),
    "Interrupts": (
        {"en": ("how many interrupts did we get {night}?", "kicks in total {night}?", "number of interrupts {night}",
            "interrupts {night}, all bosses together?"),
         "de": ("Wie viele Unterbrechungen hatten wir {night}?", "Zahl der Kicks {night}?"),
             "zh": ("{night}一共打断多少次？",
             "{night}打断总数")},
        {"en": "Interrupts: {value}", "de": "Unterbrechungen: {value}", "zh": "打断次数：{value}"},
    ),
    "Dispels": (
        {"en": ("how many dispels {night}?", "dispel count {night}", "how often did we dispel {night}?",
            "total number of dispels {night}?"),
         "de": ("Wie oft wurde {night} entzaubert?", "Anzahl Dispels {night}?"), "zh": ("{night}驱散了多少次？",
             "{night}驱散总数是多少")},
        {"en": "Dispels: {value}", "de": "Dispels: {value}", "zh": "驱散次数：{value}"},
    ),
    "Raid DPS in kills": (
        {"en": ("what raid dps did we do {night}?", "raid damage per second {night}?",
            "our raid DPS {night} over the kills", "how much raid dps {night}"),
         "de": ("Wie hoch war unsere Raid-DPS {night}?", "Raid-DPS {night}?"), "zh": ("{night}全团DPS是多少？",
             "{night}团队秒伤多少")},
        {"en": "Raid DPS in the kills: {value}", "de": "Raid-DPS in den Kills: {value}",
            "zh": "击杀中的全团DPS：{value}"},
    ),
    "Time between bosses (s)": (
        {"en": ("how much time did we spend between bosses {night}?", "time lost between bosses {night}?",
            "seconds between bosses {night}",
                "how long did we walk and wait between the bosses {night}?"),
         "de": ("Wie viel Zeit verging {night} zwischen den Bossen?",
             "Wie lange waren wir {night} zwischen den Bossen unterwegs?"),
         "zh": ("{night}首领之间花了多少时间？", "{night}跑路加清小怪用了多少秒")},
        {"en": "Time between bosses: {value} s", "de": "Zeit zwischen den Bossen: {value} s",
            "zh": "首领之间的时间：{value}秒"},
    ),
    "Median parse": (
        {"en": ("what was our median parse {night}?", "median parse {night}?", "typical parse of the raid {night}",
            "how were our parses {night} in the middle?"),
         "de": ("Wie hoch war der mittlere Parse {night}?", "Median-Parse {night}?"),
             "zh": ("{night}parse中位数是多少？",
             "{night}全团的中位parse")},
        {"en": "Median parse: {value}", "de": "Median der Parses: {value}", "zh": "parse中位数：{value}"},
    ),
}  # fmt: skip


def _night(rng: Rng, language: Language) -> tuple[str, dict[str, str]]:
    code = rng.some(["", "", "last Karazhan"])
    return rng.some(NIGHTS[code][language]), {"report_code": code} if code else {}


def night_total(rng: Rng, language: Language) -> Talk:
    said, args = _night(rng, language)
    key = rng.some(list(TOTALS))
    yield ask(rng, language, TOTALS[key][0], night=said)
    thought = rng.some(
        ["The totals of that night.", f"{key} of a night: its summary.", "A whole night: raid execution."]
    )
    seen = yield call(thought, "get_raid_execution", **args)
    assert seen
    read, title = listed(seen.text, "Totals", key), head(seen.text, "Title")
    end = "。" if language == "zh" else "."
    joined = TOTALS[key][1][language].format(value=read)
    told = f"{joined}（{title}）{end}" if language == "zh" else f"{joined} ({title}){end}"
    yield Answer(f"Totals: {key} {read}.", told)
    if rng.chance(0.35):
        other = rng.some([each for each in TOTALS if each != key])
        short = {
            "en": ("and {k}?", "what about {k}", "{k} too?"),
            "de": ("und {k}?", "Und wie sieht es mit {k} aus?"),
            "zh": ("那{k}呢？", "{k}呢"),
        }
        name = TOTALS[other][1][language].partition(":" if language != "zh" else "：")[0]
        yield Ask(rng.some(short[language]).format(k=name if language != "en" else name.lower()))
        read = listed(seen.text, "Totals", other)
        joined = TOTALS[other][1][language].format(value=read)
        yield Answer(f"Already shown. Totals: {other} {read}.", f"{joined}{end}")


SUMMARY: Said = {
    "en": ("sum up {night} for me", "so how did it go {night}?", "short summary of what we did {night} please",
        "give me the result {night} in one line"),
    "de": ("Fass kurz zusammen, wie es {night} lief", "Was kam {night} heraus?"),
    "zh": ("总结一下{night}的情况", "{night}打得怎么样？"),
}  # fmt: skip


def night_summary(rng: Rng, language: Language) -> Talk:
    said, args = _night(rng, language)
    yield ask(rng, language, SUMMARY, night=said)
    seen = yield call(
        rng.some(["A night in short: raid execution.", "The summary of that night."]), "get_raid_execution", **args
    )
    assert seen
    kills, wipes, deaths, dps = (
        listed(seen.text, "Totals", key) for key in ("Bosses killed", "Wipes", "Deaths", "Raid DPS in kills")
    )
    title = head(seen.text, "Title")
    told = {
        "en": f"{title}: bosses killed {kills}, wipes {wipes}, deaths {deaths}; raid DPS in the kills {dps}.",
        "de": f"{title}: {kills} Bosse getötet, {wipes} Wipes, {deaths} Tode; Raid-DPS in den Kills {dps}.",
        "zh": f"{title}：击杀首领{kills}个，灭团{wipes}次，死亡{deaths}次；击杀中的全团DPS为{dps}。",
    }
    yield Answer(f"Totals: bosses killed {kills}, wipes {wipes}, deaths {deaths}, raid DPS {dps}.", told[language])


BOSS_COLUMNS: dict[str, tuple[Said, dict[Language, str]]] = {
    "Kill time": (
        {"en": ("how long did {boss} take {night}?", "kill time of {boss} {night}?",
            "how fast did we kill {boss} {night}", "{boss} length {night}?"),
         "de": ("Wie lange hat {boss} {night} gedauert?", "Killzeit von {boss} {night}?"),
             "zh": ("{night}打{boss}用了多久？", "{night}{boss}的击杀时间？")},
        {"en": "{boss} took {value}", "de": "{boss} dauerte {value}", "zh": "{boss}用时{value}"},
    ),
    "Raid DPS": (
        {"en": ("raid dps on {boss} {night}?", "how much raid DPS on {boss} {night}",
            "what did the whole raid do per second on {boss} {night}?", "our dps as a raid at {boss} {night}?"),
         "de": ("Wie hoch war die Raid-DPS bei {boss} {night}?", "Raid-DPS an {boss} {night}?"),
             "zh": ("{night}{boss}的全团DPS是多少？", "{night}打{boss}团队秒伤多少")},
        {"en": "Raid DPS on {boss}: {value}", "de": "Raid-DPS bei {boss}: {value}", "zh": "{boss}全团DPS：{value}"},
    ),
    "Downtime before (s)": (
        {"en": ("how long was the break before {boss} {night}?", "downtime before {boss} {night}?",
            "how many seconds until we pulled {boss} {night}", "time wasted before {boss} {night}?"),
         "de": ("Wie lang war die Pause vor {boss} {night}?", "Wie viele Sekunden vergingen {night} vor {boss}?"),
             "zh": ("{night}{boss}之前等了多久？", "{night}打{boss}前的间隔是多少秒")},
        {"en": "Downtime before {boss}: {value} s", "de": "Pause vor {boss}: {value} s",
            "zh": "{boss}之前的间隔：{value}秒"},
    ),
    "Best parse": (
        {"en": ("best parse on {boss} {night}?", "what was the top parse at {boss} {night}",
            "highest parse on {boss} {night}?", "how high was the best parse on {boss} {night}?"),
         "de": ("Wie hoch war der beste Parse bei {boss} {night}?", "Bester Parse an {boss} {night}?"),
             "zh": ("{night}{boss}最高的parse是多少？", "{night}打{boss}最好的parse")},
        {"en": "Best parse on {boss}: {value}", "de": "Bester Parse bei {boss}: {value}",
            "zh": "{boss}最高parse：{value}"},
    ),
}  # fmt: skip


def night_boss(rng: Rng, language: Language) -> Talk:
    """A cell of the row of one boss."""
    code = rng.some(["", "last Karazhan"])
    key = rng.some(list(BOSS_COLUMNS))
    among = [each for each in (KARAZHAN[:8] if code else LAIRS) if each not in ("Prince Malchezaar", "Nightbane")]
    first = ("High King Maulgar", "Attumen the Huntsman") if key.startswith("Downtime") else ()
    among = [each for each in among if each not in first and (key != "Best parse" or each != "Magtheridon")]
    meant = boss(rng, language, among)
    yield ask(rng, language, BOSS_COLUMNS[key][0], night=rng.some(NIGHTS[code][language]), boss=meant.said)
    thought = rng.some(["A boss in a night: the row in the night's summary.", f"{key} of that boss: raid execution."])
    seen = yield call(thought, "get_raid_execution", **({"report_code": code} if code else {}))
    assert seen
    found = row(rows(seen.text, "Bosses"), "Encounter", meant.name)
    assert found
    told = BOSS_COLUMNS[key][1][language].format(boss=meant.said, value=found[key])
    title = head(seen.text, "Title")
    yield Answer(
        f"Row {meant.name}: {key} {found[key]}.", f"{told}（{title}）。" if language == "zh" else f"{told} ({title})."
    )


LONGEST: Said = {
    "en": ("which boss took us longest {night}?", "longest fight {night}?", "what boss needed the most time {night}",
        "which kill was the slowest {night}?"),
    "de": ("Welcher Boss hat {night} am längsten gedauert?", "Längster Kampf {night}?"),
    "zh": ("{night}哪个首领打得最久？", "{night}最慢的击杀是哪个"),
}  # fmt: skip
TOP_NIGHT: Said = {
    "en": ("who had the highest dps {night}?", "top damage dealer {night}?", "who topped the meters {night}",
        "best dps of the night, {night}?"),
    "de": ("Wer hatte {night} die höchste DPS?", "Wer war {night} oben im Schaden?"),
    "zh": ("{night}谁的DPS最高？", "{night}伤害第一是谁"),
}  # fmt: skip


def night_longest(rng: Rng, language: Language) -> Talk:
    yield ask(rng, language, LONGEST, night=rng.some(NIGHTS[""][language]))
    seen = yield call("Kill times of the night, boss by boss.", "get_raid_execution")
    assert seen
    table = rows(seen.text, "Bosses")
    most = max(table, key=lambda each: number(each["Kill time"]))
    name, time = most["Encounter"], most["Kill time"]
    told = {"en": f"{name} took longest: {time} ({head(seen.text, 'Title')}).",
        "de": f"{name}, mit {time} ({head(seen.text, 'Title')}).",
            "zh": f"最久的是{name}：{time}（{head(seen.text, 'Title')}）。"}  # fmt: skip
    times = ", ".join(f"{each['Encounter']} {each['Kill time']}" for each in table)
    yield Answer(f"Kill times: {times}.", told[language])


def night_top_player(rng: Rng, language: Language) -> Talk:
    yield ask(rng, language, TOP_NIGHT, night=rng.some(NIGHTS[""][language]))
    seen = yield call("Players of the night by DPS: raid execution.", "get_raid_execution")
    assert seen
    best = rows(seen.text, "Players")[0]
    name, dps, spec = best["Player"], best["DPS or HPS in kills"], best["Spec"]
    told = {"en": f"{name} ({spec}) with {dps} DPS in the kills.", "de": f"{name} ({spec}) mit {dps} DPS in den Kills.",
            "zh": f"{name}（{spec}），击杀中DPS为{dps}。"}  # fmt: skip
    yield Answer(f"Players, first row: {name}, {spec}, DPS in kills {dps}.", told[language])


DETAILS: dict[str, tuple[Said, dict[Language, str]]] = {
    "Raid DPS": (
        {"en": ("what was the raid dps {where}?", "raid DPS {where}?", "how much dps did the raid do {where}",
            "total raid damage per second {where}?"),
         "de": ("Wie hoch war die Raid-DPS {where}?", "Raid-DPS {where}?"), "zh": ("{where}全团DPS是多少？",
             "{where}团队秒伤多少")},
        {"en": "Raid DPS {fight}: {value}.", "de": "Raid-DPS {fight}: {value}.", "zh": "{fight}：全团DPS为{value}。"},
    ),
    "Raid HPS": (
        {"en": ("raid hps {where}?", "how much healing per second did we do {where}?",
            "what was the HPS of the raid {where}", "raid healing per second {where}?"),
         "de": ("Wie hoch war die Raid-HPS {where}?", "Heilung pro Sekunde im ganzen Raid {where}?"),
             "zh": ("{where}全团HPS是多少？", "{where}团队每秒治疗多少")},
        {"en": "Raid HPS {fight}: {value}.", "de": "Raid-HPS {fight}: {value}.", "zh": "{fight}：全团HPS为{value}。"},
    ),
    "Deaths": (
        {"en": ("how many died {where}?", "deaths {where}?", "number of deaths {where}",
            "how many deaths did we have {where}?"),
         "de": ("Wie viele sind {where} gestorben?", "Anzahl der Tode {where}?"), "zh": ("{where}死了几个人？",
             "{where}死亡人数")},
        {"en": "Deaths {fight}: {value}.", "de": "Tode {fight}: {value}.", "zh": "{fight}：死亡{value}次。"},
    ),
    "Players": (
        {"en": ("how many players were there {where}?", "how many of us {where}?", "raid size {where}",
            "number of players {where}?"),
         "de": ("Wie viele Spieler waren {where} dabei?", "Raidgröße {where}?"), "zh": ("{where}有多少人参加？",
             "{where}团里几个人")},
        {"en": "Players {fight}: {value}.", "de": "Spieler {fight}: {value}.", "zh": "{fight}：{value}名玩家。"},
    ),
    "Raid damage": (
        {"en": ("total raid damage {where}?", "how much damage did the whole raid do {where}",
            "all damage of the raid {where}, not dps?", "what was the overall raid damage {where}?"),
         "de": ("Wie viel Schaden hat der ganze Raid {where} gemacht?", "Gesamtschaden des Raids {where}?"),
             "zh": ("{where}全团总伤害是多少？", "{where}整个团一共打了多少伤害")},
        {"en": "Raid damage {fight}: {value}.", "de": "Schaden des Raids {fight}: {value}.",
            "zh": "{fight}：全团总伤害{value}。"},
    ),
}  # fmt: skip


def fight_total(rng: Rng, language: Language) -> Talk:
    key, meant = rng.some(list(DETAILS)), where(rng, language)
    yield ask(rng, language, DETAILS[key][0], where=meant.said)
    thought = rng.some(
        ["One fight as a whole: its details.", f"{key} of a fight.", "Figures of the raid in one fight."]
    )
    seen = yield call(thought, "get_fight_details", **meant.args)
    assert seen
    read = value(seen.text, key)
    told = DETAILS[key][1][language].format(fight=fight_of(seen, language, meant.boss), value=read)
    yield Answer(f"{head(seen.text, 'Encounter')}: {key} {read}.", told)


MOST: Said = {
    "en": ("who did the most damage {where}?", "top dps {where}?", "who was first on the meter {where}",
        "Best damage dealer {where}, and how much?"),
    "de": ("Wer hat {where} am meisten Schaden gemacht?", "Wer hatte {where} die meiste DPS?"),
    "zh": ("{where}谁伤害最高？", "{where}DPS第一是谁"),
}  # fmt: skip
HEAL: Said = {
    "en": ("who healed the most {where}?", "top healer {where}?", "which healer was first {where}",
        "best HPS {where}?"),
    "de": ("Wer hat {where} am meisten geheilt?", "Bester Heiler {where}?"),
    "zh": ("{where}谁治疗最高？", "{where}治疗量第一是谁"),
}  # fmt: skip
ONE: Said = {
    "en": ("how much damage did {who} take {where}?", "damage taken by {who} {where}?", "what did {who} take {where}",
        "{who}: damage taken {where}?"),
    "de": ("Wie viel Schaden hat {who} {where} bekommen?", "Erlittener Schaden von {who} {where}?"),
    "zh": ("{where}{who}承受了多少伤害？", "{who}{where}吃了多少伤害"),
}  # fmt: skip


def most_damage(rng: Rng, language: Language) -> Talk:
    meant = where(rng, language)
    yield ask(rng, language, MOST, where=meant.said)
    seen = yield call("Everybody in one fight, by damage.", "get_fight_details", **meant.args)
    assert seen
    best, fight = rows(seen.text, "Everybody")[0], fight_of(seen, language, meant.boss)
    name, damage, dps = best["Player"], best["Damage"], best["DPS"]
    told = {"en": f"{name}, with {damage} damage ({dps} DPS) {fight}.",
        "de": f"{name}, mit {damage} Schaden ({dps} DPS) {fight}.",
            "zh": f"{fight}：{name}最高，{damage}伤害（{dps} DPS）。"}  # fmt: skip
    yield Answer(f"First row: {name}, damage {damage}, DPS {dps}.", told[language])
    if rng.chance(0.3):
        second = rows(seen.text, "Everybody")[1]
        yield Ask({"en": "and second?", "de": "und wer auf Platz zwei?", "zh": "第二名呢？"}[language])
        told = {"en": f"{second['Player']}, with {second['Damage']} damage ({second['DPS']} DPS).",
                "de": f"{second['Player']}, mit {second['Damage']} Schaden ({second['DPS']} DPS).",
                "zh": f"{second['Player']}，{second['Damage']}伤害（{second['DPS']} DPS）。"}  # fmt: skip
        yield Answer(f"Second row: {second['Player']}, damage {second['Damage']}, DPS {second['DPS']}.", told[language])


def most_healing(rng: Rng, language: Language) -> Talk:
    """Healers come after damage dealers, out of sight: read on."""
    meant = where(rng, language)
    yield ask(rng, language, HEAL, where=meant.said)
    seen = yield call("Everybody in one fight; healers by healing.", "get_fight_details", **meant.args)
    assert seen
    fight = fight_of(seen, language, meant.boss)
    seen = yield call(
        "The shown rows are damage dealers: only those of healers.", "read_result", result="r1", find="healer"
    )
    assert seen
    best = rows(seen.text)[0]
    name, healing, hps = best["Player"], best["Healing"], best["HPS"]
    told = {"en": f"{name}, with {healing} healing ({hps} HPS) {fight}.",
        "de": f"{name}, mit {healing} Heilung ({hps} HPS) {fight}.",
            "zh": f"{fight}：{name}最高，治疗{healing}（{hps} HPS）。"}  # fmt: skip
    yield Answer(f"First healer: {name}, healing {healing}, HPS {hps}.", told[language])


def one_taken(rng: Rng, language: Language) -> Talk:
    who = rng.some([*HEALERS, *PLAYERS])
    meant = where(rng, language, who)
    yield ask(rng, language, ONE, who=who, where=meant.said)
    seen = yield call(f"Damage taken by {who}: everybody in the fight.", "get_fight_details", **meant.args)
    assert seen
    fight = fight_of(seen, language, meant.boss)
    found = row(rows(seen.text, "Everybody"), "Player", who)
    if found is None:
        seen = yield call(f"{who} is not among the rows shown.", "read_result", result="r1", find=who)
        assert seen
        found = row(rows(seen.text), "Player", who)
        assert found
    taken = found["Taken"]
    told = {"en": f"Taken by {who} {fight}: {taken}.", "de": f"{who} hat {fight} {taken} eingesteckt.",
            "zh": f"{fight}：{who}承受了{taken}。"}  # fmt: skip
    yield Answer(f"Row {who}: taken {taken}.", told[language])


TALKS: dict[MakeTalk, int] = {
    night_total: 6, night_summary: 2, night_boss: 4, night_longest: 1, night_top_player: 1, fight_total: 4,
        most_damage: 3,
    most_healing: 2, one_taken: 2,
}  # fmt: skip
