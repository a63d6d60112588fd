"""Talks over time: performance, progress, nights beside each other."""

from training.data.assistants.raids.parts import (
    DAMAGE,
    HEALERS,
    LAIRS,
    NAMES,
    TEN,
    Said,
    ask,
    boss,
    head,
    listed,
    missing_bosses,
    number,
    row,
    rows,
    value,
)
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng

LATEST: Said = {
    "en": ("what did {who} parse on {boss} last time?", "{who}'s latest parse at {boss}?",
        "how did {who} do on the newest {boss} kill", "last {boss} parse of {who}?"),
    "de": ("Welchen Parse hatte {who} zuletzt bei {boss}?", "Letzter Parse von {who} an {boss}?"),
    "zh": ("{who}最近一次{boss}的parse是多少？", "{who}上次打{boss}parse多少"),
}  # fmt: skip


RECORD: Said = {
    "en": ("what is {who}'s best {unit} on {boss}?", "{who}'s {boss} record?", "personal best of {who} at {boss}",
        "highest {unit} {who} ever did on {boss}?"),
    "de": ("Was ist die beste {unit} von {who} bei {boss}?", "Rekord von {who} an {boss}?"),
    "zh": ("{who}打{boss}的最高{unit}是多少？", "{who}在{boss}的最好成绩"),
}  # fmt: skip


def latest_parse(rng: Rng, language: Language) -> Talk:
    who = rng.some([each for each in DAMAGE if each in TEN])
    meant = boss(rng, language, [each for each in NAMES if each != "Magtheridon"])
    yield ask(rng, language, LATEST, who=who, boss=meant.said)
    seen = yield call(
        f"{who}'s newest fights at that boss.", "get_my_performance", encounter_name=meant.said, player_name=who
    )
    assert seen
    found = next((each for each in rows(seen.text, "Fights") if each["Result"] == "kill"), None)
    assert found
    parse, of, dps, day = found["Parse"], found["Parse of"], found["DPS"], found["When"].split()[0]
    told = {"en": f"A parse of {parse} (of {of} kills), with {dps} DPS on {meant.said}, {day}.",
        "de": f"Einen Parse von {parse} (von {of} Kills), mit {dps} DPS bei {meant.said}, {day}.",
            "zh": f"{who}最近一次{meant.said}（{day}）的parse为{parse}（共{of}次击杀），DPS {dps}。"}  # fmt: skip
    yield Answer(f"Newest kill, {day}: DPS {dps}, parse {parse} of {of}.", told[language])


def record(rng: Rng, language: Language) -> Talk:
    who = rng.some(TEN[1:])
    unit, meant = "HPS" if who in HEALERS else "DPS", boss(rng, language)
    yield ask(rng, language, RECORD, who=who, boss=meant.said, unit=unit)
    seen = yield call(
        f"Records of {who} at that boss: bests only.",
        "get_my_performance",
        encounter_name=meant.said,
        player_name=who,
        bests_only=True,
    )
    assert seen
    found = row(rows(seen.text, "Bests"), "Encounter", meant.name)
    assert found
    best, where = found[f"Best {unit}"], found[f"Best {unit} in"]
    told = {
        "en": f"{who}'s best on {meant.said} is {best} {unit} ({where}).",
        "de": f"Der Bestwert von {who} bei {meant.said} ist {best} {unit} ({where}).",
        "zh": f"{who}在{meant.said}的最高{unit}为{best}（{where}）。",
    }
    yield Answer(f"Row {meant.name}: best {unit} {best}, in {where}.", told[language])


GROW: Said = {
    "en": ("how is {who} improving on {boss} over time?", "how has {who} developed on {boss}?",
        "{who}'s progress at {boss} over the weeks?", "from the first to the latest {boss} kill, how did {who} change"),
    "de": ("Wie hat sich {who} bei {boss} entwickelt?", "Fortschritt von {who} an {boss} über die Wochen?"),
    "zh": ("{who}打{boss}的进步情况如何？", "{who}在{boss}上这几周的变化"),
}  # fmt: skip


def progression(rng: Rng, language: Language) -> Talk:
    who = rng.some([each for each in DAMAGE if each in TEN])
    meant = boss(rng, language)
    yield ask(rng, language, GROW, who=who, boss=meant.said)
    seen = yield call(f"{who} at one boss over time.", "get_progression", player_name=who, encounter_name=meant.said)
    assert seen
    first, last, week = (listed(seen.text, each, "DPS") for each in ("First", "Latest", "Change a week"))
    kills = value(seen.text, "Kill count")
    if not (first and last and week):
        return
    told = {"en": f"{who} went from {first} to {last} DPS on {meant.said} over {kills} kills, {week} DPS a week.",
        "de": f"{who} ging bei {meant.said} über {kills} Kills von {first} auf {last} DPS, {week} DPS pro Woche.",
            "zh": f"{who}在{meant.said}的{kills}次击杀中DPS从{first}变为{last}，每周{week}。"}  # fmt: skip
    yield Answer(f"First DPS {first}, latest {last}, change a week {week}, kills {kills}.", told[language])


WORSE: Said = {
    "en": ("on which boss did {who} get worse the most?", "where has {who} dropped off lately?",
        "did {who} get worse anywhere recently", "{who}'s biggest regression?"),
    "de": ("Bei welchem Boss ist {who} am meisten schlechter geworden?", "Wo hat {who} zuletzt nachgelassen?"),
    "zh": ("{who}最近在哪个首领退步最多？", "{who}最近哪里变差了"),
}  # fmt: skip


BETTER: Said = {
    "en": ("where did {who} improve the most lately?", "{who}'s biggest improvement?",
        "on which boss is {who} better than before", "what boss did {who} get better at recently?"),
    "de": ("Wo hat sich {who} zuletzt am meisten verbessert?", "Bei welchem Boss ist {who} besser geworden?"),
    "zh": ("{who}最近在哪个首领进步最大？", "{who}最近哪里变好了"),
}  # fmt: skip


RAID_WORSE: Said = {
    "en": ("who in the raid got worse lately?", "which raider is declining the most?",
        "who dropped on the most bosses recently", "biggest regression in the whole raid?"),
    "de": ("Wer im Raid ist zuletzt schlechter geworden?", "Wer hat sich auf den meisten Bossen verschlechtert?"),
    "zh": ("团里最近谁退步了？", "全团谁变差的首领最多"),
}  # fmt: skip


def regressions(rng: Rng, language: Language) -> Talk:
    who, worse = rng.some([each for each in TEN if each not in ("Aldren",)]), rng.chance(0.5)
    yield ask(rng, language, WORSE if worse else BETTER, who=who)
    seen = yield call(f"Bosses on which {who} got worse or better.", "get_regressions", player_name=who)
    assert seen
    table = rows(seen.text, "Regressions" if worse else "Improvements")
    unjudged = ", ".join(missing_bosses(seen.text))
    note = {
        "en": f" Not judged, for lack of kills with this spec: {unjudged}.",
        "de": f" Nicht beurteilt, weil Kills dieser Spezialisierung fehlen: {unjudged}.",
        "zh": f"因该专精击杀太少而未评估：{unjudged}。",
    }[language] if unjudged else ""  # fmt: skip
    lacking = f" Missing: {unjudged}." if unjudged else ""
    if not table:
        word = {
            "en": "got worse" if worse else "improved",
            "de": "schlechter" if worse else "besser",
            "zh": "退步" if worse else "进步",
        }[language]
        told = {
            "en": f"{who} {word} by 15 points or more on no boss.",
            "de": f"{who} ist an keinem Boss um 15 Punkte oder mehr {word} geworden.",
            "zh": f"{who}没有在任何首领上{word}15分以上。",
        }
        yield Answer(f"{'Regressions' if worse else 'Improvements'}: none.{lacking}"[:210], told[language] + note)
        return
    most = max(table, key=lambda each: abs(number(each["Change points"])))
    name, change, now, before = (
        most["Encounter"],
        most["Change points"],
        most["Parse last 2 kills"],
        most["Parse kills 3 to 7"],
    )
    told = {
        "en": f"{name}: {change} points (parse {now} in the last 2 kills, {before} before).",
        "de": f"{name}: {change} Punkte (Parse {now} in den letzten 2 Kills, davor {before}).",
        "zh": f"{name}：变化 {change} 分（最近2次击杀parse {now}，之前{before}）。",
    }
    thought = f"Row {name}: last 2 kills {now}, before {before}, change {change}.{lacking}"
    yield Answer(thought[:210], told[language] + note)


def raid_regressions(rng: Rng, language: Language) -> Talk:
    yield ask(rng, language, RAID_WORSE)
    seen = yield call("Everybody in one call: player 'raid'.", "get_regressions", player_name="raid")
    assert seen
    most = max(rows(seen.text, "By player"), key=lambda each: number(each["Worse"]))
    name, worse, compared, mean = most["Player"], most["Worse"], most["Bosses compared"], most["Mean change points"]
    told = {
        "en": f"{name}: worse on {worse} of {compared} bosses, {mean} points on average.",
        "de": f"{name}: schlechter bei {worse} von {compared} Bossen, im Schnitt {mean} Punkte.",
        "zh": f"{name}：{compared}个首领中{worse}个退步，平均{mean}分。",
    }
    yield Answer(f"Row {name}: bosses compared {compared}, worse {worse}, mean change {mean}.", told[language])


SLOWER: Said = {
    "en": ("how much slower than good raids were we on {boss} {night}?", "kill time gap to the top on {boss} {night}?",
        "our {boss} kill {night} beside the references?", "how does our {boss} {night} compare with top raids"),
    "de": ("Wie viel langsamer als gute Raids waren wir {night} bei {boss}?",
        "Abstand unserer Killzeit zur Spitze bei {boss} {night}?"),
    "zh": ("{night}打{boss}比优秀团队慢多少？", "{night}{boss}和顶尖团队的时间差"),
}  # fmt: skip


LOST: Said = {
    "en": ("where did we lose the most time {night} compared to top raids?",
        "biggest time loss {night} against the references?", "what cost us most time {night} beside good guilds",
            "compared with good raids, where did time go {night}?"),
    "de": ("Wo haben wir {night} im Vergleich zu guten Raids am meisten Zeit verloren?",
        "Größter Zeitverlust {night} gegenüber der Spitze?"),
    "zh": ("和优秀团队比，{night}时间主要浪费在哪里？", "{night}相比顶尖团队哪里损失时间最多"),
}  # fmt: skip


NIGHT: Said = {
    "en": ("last night", "in our last raid"),
    "de": ("letzte Nacht", "im letzten Raid"),
    "zh": ("昨晚", "上次团本"),
}


def night_to_top(rng: Rng, language: Language) -> Talk:
    night, lost, meant = rng.some(NIGHT[language]), rng.chance(0.4), boss(rng, language, LAIRS)
    yield ask(rng, language, LOST if lost else SLOWER, boss=meant.said, night=night)
    seen = yield call("The night beside the reference kills.", "compare_raid_to_top")
    assert seen
    if lost:
        most = rows(seen.text, "Where the time went")[0]
        what, seconds = most["What"], most["Lost (s)"]
        told = {
            "en": f"{what[0].upper()}{what[1:]}: {seconds} s lost.",
            "de": f"„{what}“: {seconds} s verloren.",
            "zh": f"{what}：损失{seconds}秒。",
        }
        yield Answer(f"Where the time went, first row: {what}, {seconds} s.", told[language])
        return
    found = row(rows(seen.text, "Bosses"), "Encounter", meant.name)
    assert found
    ours, theirs, gap = found["Kill time"], found["Reference kill time"], found["Kill time gap (s)"]
    told = {
        "en": f"{gap} s slower on {meant.said}: {ours} beside {theirs} of the references.",
        "de": f"{gap} s langsamer bei {meant.said}: {ours} gegenüber {theirs} der Referenzen.",
        "zh": f"{meant.said}慢{gap}秒：我们{ours}，参考{theirs}。",
    }
    yield Answer(f"Row {meant.name}: kill time {ours}, reference {theirs}, gap {gap} s.", told[language])


TWO: Said = {
    "en": ("compare our last two raids on {boss}", "were we faster on {boss} than the week before?",
        "{boss} kill time, last raid against the one before?", "did {boss} go better than in the previous raid"),
    "de": ("Vergleiche unsere letzten beiden Raids bei {boss}", "Waren wir bei {boss} schneller als im Raid davor?"),
    "zh": ("比较最近两次团本的{boss}", "{boss}比上一次团本快了吗"),
}  # fmt: skip


TWO_TOTAL: Said = {
    "en": ("how did {what} change between our last two raids?", "{what}: last raid vs the one before?",
        "compare {what} of the last two nights", "{what} in the newest raid and in the one before it?"),
    "de": ("Wie haben sich {what} zwischen den letzten beiden Raids verändert?",
        "{what}: letzter Raid gegen den davor?"),
    "zh": ("最近两次团本的{what}变化如何？", "对比最近两次团本的{what}"),
}  # fmt: skip


FIGURES = {
    "Deaths": ("deaths", "Tode", "死亡"),
    "Wipes": ("wipes", "Wipes", "灭团"),
    "Interrupts": ("interrupts", "Unterbrechungen", "打断"),
    "Raid DPS in kills": ("raid DPS", "Raid-DPS", "全团DPS"),
}


def two_nights(rng: Rng, language: Language) -> Talk:
    meant = boss(rng, language, LAIRS)
    total = rng.some(["", *FIGURES])
    what = FIGURES[total][{"en": 0, "de": 1, "zh": 2}[language]] if total else ""
    yield ask(rng, language, TWO_TOTAL if total else TWO, boss=meant.said, what=what)
    seen = yield call("The newest night and the one before it: no codes needed.", "compare_two_raids")
    assert seen
    first, second = (head(seen.text, label).split(" ")[0] for label in ("When a", "When b"))
    if total:
        found = row(rows(seen.text, "Totals"), "Figure", total)
        assert found
        old, new, change = found["A"], found["B"], found["Change"]
        told = {
            "en": f"{what[0].upper()}{what[1:]}: {old} in the raid of {first}, {new} in that of {second} ({change}).",
            "de": f"{what}: {old} im Raid vom {first}, {new} im Raid vom {second} ({change}).",
            "zh": f"{what}：{first}团本为{old}，{second}团本为{new}（{change}）。",
        }
        yield Answer(f"Totals, {total}: A {old}, B {new}, change {change}.", told[language])
        return
    found = row(rows(seen.text, "Bosses"), "Encounter", meant.name)
    assert found
    old, new, change = found["Kill time a"], found["Kill time b"], found["Kill time change (s)"]
    told = {
        "en": f"{meant.said} took {new} on {second}, in the raid of {first} {old} ({change} s).",
        "de": f"{meant.said} dauerte am {second} {new}, im Raid vom {first} {old} ({change} s).",
        "zh": f"{second}{meant.said}用时{new}，{first}为{old}（{change}秒）。",
    }
    yield Answer(f"Row {meant.name}: kill time a {old}, b {new}, change {change} s.", told[language])


TALKS: dict[MakeTalk, int] = {
    latest_parse: 3,
    record: 2,
    progression: 4,
    regressions: 4,
    raid_regressions: 1,
    night_to_top: 3,
    two_nights: 3,
}
