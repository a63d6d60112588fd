"""Talks about the user's own character, and with errors to correct."""

import datetime

from training.data.assistants.raids.parts import (
    Said,
    ask,
    boss,
    fight_of,
    head,
    rows,
    value,
    where,
)
from training.data.assistants.talk import Ask, MakeTalk, Talk, call, mistake
from training.data.conversation import Answer, Language
from training.data.values import Rng

MINE: Said = {
    "en": ("what was my last kill and how did I do?", "my most recent kill, dps?", "what did I do in my newest kill",
        "show my latest kill with its dps"),
    "de": ("Was war mein letzter Kill und wie viel DPS hatte ich?", "Mein neuester Kill, welche DPS?"),
    "zh": ("我最近一次击杀是什么，DPS多少？", "我最新的击杀打了多少DPS"),
}  # fmt: skip


MY_BOSS: Said = {
    "en": ("how did I parse on my last {boss} kill?", "my newest {boss} kill: parse?", "my parse at {boss} last time",
        "what did i parse on {boss}, latest kill?"),
    "de": ("Welchen Parse hatte ich bei meinem letzten {boss}-Kill?", "Mein Parse bei {boss} zuletzt?"),
    "zh": ("我上次击杀{boss}的parse是多少？", "我最近一次{boss}parse多少"),
}  # fmt: skip


def my_last(rng: Rng, language: Language) -> Talk:
    yield ask(rng, language, MINE)
    seen = yield call("The user's own newest kill.", "resolve_my_fights", count=1)
    assert seen
    found = rows(seen.text, "Fights")[0]
    name, dps, who, length = found["Encounter"], found["DPS"], found["Player"], found["Length"]
    told = {
        "en": f"{name} ({length}): you did {dps} DPS with {who}.",
        "de": f"{name} ({length}): {dps} DPS mit {who}.",
        "zh": f"{name}（{length}）：你的角色{who}打了{dps} DPS。",
    }
    yield Answer(f"Newest row: {name}, {who}, DPS {dps}, length {length}.", told[language])
    if not rng.chance(0.5):
        return
    code, fight = found["Report code"], int(found["Fight ID"])
    yield Ask(
        rng.some(
            {
                "en": ("how active was I there?", "and my gcd uptime in it?"),
                "de": ("wie aktiv war ich da?", "und meine GCD-Auslastung dabei?"),
                "zh": ("我当时活跃度如何？", "那场我的GCD覆盖率呢"),
            }[language]
        )
    )
    seen = yield call(
        f"Activity of {who} in that same fight.",
        "get_activity_report",
        player_name=who,
        report_code=code,
        fight_id=fight,
    )
    assert seen
    up, grade, aim = value(seen.text, "GCD uptime (%)"), value(seen.text, "Grade"), value(seen.text, "Expected (%)")
    told = {
        "en": f"Your GCD uptime was {up} % on {name}, {aim} % are expected; grade: {grade}.",
        "de": f"Deine GCD-Auslastung war {up} % bei {name}, erwartet sind {aim} %; Note: {grade}.",
        "zh": f"{name}中你的GCD覆盖率为{up} %，预期{aim} %，评级 {grade}。",
    }
    yield Answer(f"{who}: GCD uptime {up} %, expected {aim} %, grade {grade}.", told[language])


def my_boss(rng: Rng, language: Language) -> Talk:
    meant = boss(rng, language)
    yield ask(rng, language, MY_BOSS, boss=meant.said)
    seen = yield call("Own newest kill of that boss.", "resolve_my_fights", encounter_name=meant.said, count=1)
    assert seen
    found = rows(seen.text, "Fights")[0]
    parse, dps = found.get("Parse", "–"), found["DPS"]
    day, of = found["When"].split()[0], found.get("Parse of", "–")
    if parse == "–":
        spec = found["Spec"]
        told = {"en": f"There is no parse: the store has fewer than 10 kills of {meant.said} by this spec ({spec}). "
            f"You did {dps} DPS on {day}.",
            "de": f"Es gibt keinen Parse: Vom {spec} sind weniger als 10 Kills an {meant.said} gespeichert. Du hattest "
            f"{dps} DPS am {day}.",
            "zh": f"没有parse：库中{spec}击杀{meant.said}的记录少于10次。{day}你的DPS为{dps}。"}  # fmt: skip
        yield Answer(f"Parse missing: fewer than 10 kills by {spec}; DPS {dps}, {day}.", told[language])
        return
    told = {
        "en": f"You parsed {parse} on {meant.said} ({dps} DPS, {day}).",
        "de": f"Dein Parse bei {meant.said} war {parse} ({dps} DPS, {day}).",
        "zh": f"你在{meant.said}的parse为{parse}（{dps} DPS，{day}）。",
    }
    yield Answer(f"Row {day}: DPS {dps}, parse {parse} of {of}.", told[language])


OWN_TOOLS: dict[str, tuple[str, str, Said, dict[Language, str]]] = {
    "rotation": (
        "get_rotation_score", "Score",
        {"en": ("what's my rotation score {where}?", "how was my rotation {where}?", "grade my rotation {where}",
            "my rotation points {where}?"),
         "de": ("Wie war meine Rotation {where}?", "Meine Rotationswertung {where}?"),
             "zh": ("{where}我的循环评分是多少？",
             "我{where}手法怎么样")},
        {"en": "Your rotation scored {value} of 100 {fight}.", "de": "Deine Rotation kam {fight} auf {value} von 100.",
            "zh": "{fight}：你的循环得分为{value}（满分100）。"},
    ),
    "dots": (
        "get_dot_management", "Early (%)",
        {"en": ("how often do I clip dots {where}?", "my early dot renewals {where} in per cent?",
            "share of dots I refreshed too early {where}", "am I renewing DoTs too early {where}, how many %?"),
         "de": ("Wie viel Prozent meiner DoTs habe ich {where} zu früh erneuert?",
             "Meine frühen DoT-Erneuerungen {where}?"), "zh": ("{where}我过早刷新DoT的比例是多少？",
                 "我{where}补DoT太早的占多少")},
        {"en": "You renewed {value} % of your DoTs early {fight}.",
            "de": "Du hast {fight} {value} % deiner DoTs zu früh erneuert.",
                "zh": "{fight}：你有{value} %的DoT过早刷新。"},
    ),
    "activity": (
        "get_activity_report", "GCD uptime (%)",
        {"en": ("was I active enough {where}, in per cent?", "my gcd uptime {where}?",
            "what GCD uptime did I have {where}",
            "was I busy enough {where}, gcd uptime?"),
         "de": ("Wie aktiv war ich {where}?", "Meine GCD-Auslastung {where}?"), "zh": ("{where}我的GCD覆盖率是多少？",
             "我{where}活跃度如何")},
        {"en": "Your GCD uptime was {value} % {fight}.", "de": "Deine GCD-Auslastung war {fight} {value} %.",
            "zh": "{fight}：你的GCD覆盖率为{value} %。"},
    ),
    "cancelled": (
        "get_cancelled_casts", "Cancelled (%)",
        {"en": ("how many per cent of my casts did I cancel {where}?", "my cancel rate {where}?",
            "do I cancel much {where}? in %", "share of my casts broken off {where}"),
         "de": ("Wie viel Prozent meiner Zauber habe ich {where} abgebrochen?", "Meine Abbruchrate {where}?"),
             "zh": ("{where}我取消施法的比例是多少？", "我{where}断条率")},
        {"en": "You cancelled {value} % of your casts {fight}.",
            "de": "Du hast {fight} {value} % deiner Zauber abgebrochen.", "zh": "{fight}：你取消了{value} %的施法。"},
    ),
}  # fmt: skip


def own_figure(rng: Rng, language: Language) -> Talk:
    """The user's own character, which tools know as 'me'."""
    tool, label, said, answers = OWN_TOOLS[rng.some(list(OWN_TOOLS))]
    meant = where(rng, language, "Ysolt")
    yield ask(rng, language, said, where=meant.said)
    seen = yield call(f"{label} of the user's own character: 'me'.", tool, player_name="me", **meant.args)
    assert seen
    read, who = value(seen.text, label), head(seen.text, "Player")
    told = answers[language].format(value=read, fight=fight_of(seen, language, meant.boss))
    yield Answer(f"{who}: {label} {read}.", told)


NOBODY = ("Thrallbert", "Gwyneira", "Mudkip", "Legolaz", "Bobrick")


UNKNOWN: Said = {
    "en": ("what dps did {who} do {where}?", "{who}'s damage {where}?", "how much did {who} do {where}",
        "check {who} {where}, dps please"),
    "de": ("Wie viel DPS hat {who} {where} gemacht?", "Schaden von {who} {where}?"),
    "zh": ("{where}{who}的DPS是多少？", "{who}{where}伤害多少"),
}  # fmt: skip


NO_BOSS: Said = {
    "en": ("how often did we kill {boss}?", "when did we last down {boss}", "our {boss} kills?",
        "did we kill {boss} yet?"),
    "de": ("Wie oft haben wir {boss} gelegt?", "Haben wir {boss} schon gelegt?"),
    "zh": ("我们打过{boss}吗？", "{boss}击杀了几次"),
}  # fmt: skip


def unknown_player(rng: Rng, language: Language) -> Talk:
    who = rng.some(NOBODY)
    meant = where(rng, language)
    yield ask(rng, language, UNKNOWN, who=who, where=meant.said)
    seen = yield call(f"Damage of {who} in that fight.", "get_ability_breakdown", player_name=who, **meant.args)
    assert seen
    if not seen.failed:
        return
    near = seen.text.partition(": ")[2].partition(": ")[2].split(".")[0].split(", ")[:3]
    names = ", ".join(near)
    told = {"en": f"There is no player {who} in that fight. The nearest names are {names}. Whom do you mean?",
        "de": f"In diesem Kampf gibt es keinen Spieler {who}. Am ähnlichsten sind {names}. Wen meinst du?",
            "zh": f"那场战斗没有玩家{who}。最接近的名字是{names}。你指的是谁？"}  # fmt: skip
    yield Answer(f"Error: no player {who}; nearest {names}.", told[language])


def unknown_boss(rng: Rng, language: Language) -> Talk:
    name = rng.some(["Illidan", "Kael'thas", "Lady Vashj", "Ragnaros", "Archimonde", "Kel'Thuzad"])
    yield ask(rng, language, NO_BOSS, boss=name)
    seen = yield call(f"Kills of {name}.", "search_fights", encounter_name=name, kill=True)
    assert seen
    if not seen.failed:
        return
    told = {"en": f"{name} is not a boss that I know: only Karazhan, Gruul's Lair and Magtheridon's Lair are covered.",
        "de": f"{name} kenne ich nicht: Es gibt hier nur Karazhan, Gruuls Unterschlupf und Magtheridons Kammer.",
            "zh": f"这里没有{name}：只包含卡拉赞、格鲁尔的巢穴和玛瑟里顿的巢穴。"}  # fmt: skip
    yield Answer(f"Error: there is no boss {name}.", told[language])


def no_chess(rng: Rng, language: Language) -> Talk:
    """Known, and never imported."""
    said = {"en": "Chess", "de": "Schach", "zh": "Chess"}[language]
    yield ask(rng, language, NO_BOSS, boss=said)
    seen = yield call("Kills of that event.", "search_fights", encounter_name=said, kill=True)
    assert seen
    told = {
        "en": "None: no fights of the Chess Event were imported.",
        "de": "Keine: Vom Schachspiel wurden keine Kämpfe importiert.",
        "zh": "没有：没有导入国际象棋事件的战斗。",
    }
    yield Answer("Found 0; missing: no such fights were imported.", told[language])


LENGTH: Said = {
    "en": ("how long was our last {boss} fight?", "length of the newest {boss} fight?",
        "how much time did the latest {boss} fight take", "{boss} fight, how long?"),
    "de": ("Wie lange dauerte unser letzter {boss}-Kampf?", "Länge des neuesten {boss}-Kampfs?"),
    "zh": ("我们最近一场{boss}打了多久？", "{boss}那场战斗多长"),
}  # fmt: skip


def wrong_argument(rng: Rng, language: Language) -> Talk:
    """A boss given to a tool of fights as `encounter_name`: the error tells which arguments there are."""
    meant = boss(rng, language)
    yield ask(rng, language, LENGTH, boss=meant.said)
    yield mistake("Details of that boss fight.", "get_fight_details", encounter_name=meant.said)
    seen = yield call(
        "There is no encounter_name here: the boss goes into fight_id.", "get_fight_details", fight_id=meant.said
    )
    assert seen
    length, result, day = head(seen.text, "Length"), head(seen.text, "Result"), head(seen.text, "When").split()[0]
    word = {"en": result, "de": result.replace("kill", "Kill"), "zh": result.replace("kill", "击杀")}[language]
    told = {
        "en": f"It took {length} ({meant.said}, {word}, {day}).",
        "de": f"Er dauerte {length} ({meant.said}, {word}, {day}).",
        "zh": f"用时{length}（{meant.said}，{word}，{day}）。",
    }
    yield Answer(f"Length {length}, result {result}, {day}.", told[language])


FIGHT_NUMBER: Said = {
    "en": ("raid dps of fight {n} last night?", "how much raid DPS in fight number {n} of the last raid?",
        "what happened in fight {n} last night",
           "fight {n} of our last raid: who was top?"),
    "de": ("Raid-DPS in Kampf {n} von letzter Nacht?", "Was war in Kampf {n} des letzten Raids?"),
    "zh": ("昨晚第{n}场的全团DPS？", "上次团本第{n}场是什么情况"),
}  # fmt: skip


def no_such_fight(rng: Rng, language: Language) -> Talk:
    """A fight number that the report does not have: the error lists those that there are."""
    wanted = rng.randrange(4, 12)
    yield ask(rng, language, FIGHT_NUMBER, n=str(wanted))
    seen = yield call(f"Fight {wanted} of the last report.", "get_fight_details", fight_id=wanted)
    assert seen
    assert seen.failed
    names = seen.text.partition("It has: ")[2].split(".")[0]
    told = {
        "en": f"The last report has no fight {wanted}. It has {names}. Which one do you mean?",
        "de": f"Der letzte Bericht hat keinen Kampf {wanted}. Er hat {names}. Welchen meinst du?",
        "zh": f"最近的记录没有第{wanted}场。只有{names}。你指哪一场？",
    }
    yield Answer(f"Error: no fight {wanted}; it has {names}."[:160], told[language])


SPEC: Said = {
    "en": ("dps target for {spec} mages on {boss}?", "what should a {spec} mage do on {boss}",
        "good {spec} mage dps at {boss}?", "benchmark for {spec} mage, {boss}"),
    "de": ("DPS-Ziel für {spec}-Magier bei {boss}?", "Was sollte ein {spec}-Magier bei {boss} schaffen?"),
    "zh": ("{boss}上{spec}法师的目标DPS？", "{spec}法师打{boss}该有多少DPS"),
}  # fmt: skip


def missing_class(rng: Rng, language: Language) -> Talk:
    spec, german, chinese = rng.some(
        [("Fire", "Feuer", "火焰"), ("Frost", "Frost", "冰霜"), ("Arcane", "Arkan", "奥术")]
    )
    meant = boss(rng, language)
    yield ask(rng, language, SPEC, spec={"en": spec.lower(), "de": german, "zh": chinese}[language], boss=meant.said)
    wrong = rng.chance(0.5)
    if wrong:
        yield mistake(
            "The target of the spec.", "get_spec_benchmark", encounter_name=meant.said, spec_name=f"{spec} Mage"
        )
    thought = (
        "class_name is missing: Mage, with the spec apart." if wrong else f"Benchmark of {spec} Mage at that boss."
    )
    seen = yield call(thought, "get_spec_benchmark", encounter_name=meant.said, class_name="Mage", spec_name=spec)
    assert seen
    aim, best = value(seen.text, "DPS target"), value(seen.text, "DPS best")
    if not aim:
        return
    told = {
        "en": f"The target is {aim} DPS on {meant.said}; the best reference did {best}.",
        "de": f"Das Ziel ist {aim} DPS bei {meant.said}; die beste Referenz hatte {best}.",
        "zh": f"{meant.said}的目标是{aim} DPS，最好的参考为{best}。",
    }
    yield Answer(f"DPS target {aim}, DPS best {best}.", told[language])


def wrong_day(rng: Rng, language: Language) -> Talk:
    """A day in words where a date is wanted."""
    day = (rng.today - datetime.timedelta(days=1)).isoformat()
    yield ask(rng, language, {"en": ("which bosses did we pull yesterday?", "what fights were there yesterday",
        "yesterday's fights?", "list what we fought yesterday"),
                              "de": ("Welche Bosse hatten wir gestern?", "Kämpfe von gestern?"),
                                  "zh": ("昨天打了哪些首领？",
                                  "昨天有哪些战斗")})  # fmt: skip
    if rng.chance(0.4):
        yield mistake("Fights of yesterday.", "search_fights", since="yesterday")
    seen = yield call(f"Yesterday is {day}: since and until that day.", "search_fights", since=day, until=day)
    assert seen
    table, found = rows(seen.text, "Fights"), value(seen.text, "Found")
    names = ", ".join(f"{each['Encounter']} ({each['Result']}, {each['Length']})" for each in reversed(table))
    told = {
        "en": f"{found} fights yesterday: {names}.",
        "de": f"{found} Kämpfe gestern: {names}.",
        "zh": f"昨天{found}场战斗：{names}。",
    }
    yield Answer(f"Found {found}: {', '.join(each['Encounter'] for each in reversed(table))}.", told[language])


TALKS: dict[MakeTalk, int] = {
    my_last: 3,
    my_boss: 3,
    own_figure: 4,
    unknown_player: 2,
    unknown_boss: 1,
    no_chess: 1,
    wrong_argument: 2,
    no_such_fight: 1,
    missing_class: 2,
    wrong_day: 2,
}
