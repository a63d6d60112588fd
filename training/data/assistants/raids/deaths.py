"""Talks about deaths, wipes, phases and how everybody was prepared."""

from training.data.assistants.raids.parts import (
    DAMAGE,
    KARAZHAN,
    PLAYERS,
    TEN,
    WIPED,
    Said,
    ask,
    boss,
    fight_of,
    head,
    number,
    rows,
    value,
    where,
)
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng

ATTEMPTS: dict[str, tuple[Said, dict[Language, str]]] = {
    "Wipes": (
        {"en": ("how many wipes do we have on {boss} so far?", "how often have we wiped on {boss}?",
            "total wipes at {boss}, all nights", "wipe count {boss}?"),
         "de": ("Wie oft sind wir insgesamt an {boss} gewiped?", "Wie viele Wipes hatten wir bisher bei {boss}?"),
         "zh": ("我们在{boss}一共灭了几次？", "{boss}总共灭团多少次")},
        {"en": "{wipes} wipes on {boss} over all nights, and {kills} kills.",
            "de": "{wipes} Wipes bei {boss} über alle Abende, dazu {kills} Kills.",
         "zh": "所有团本中{boss}共灭团{wipes}次，击杀{kills}次。"},
    ),
    "Attempts": (
        {"en": ("how many attempts at {boss} in all?", "number of pulls on {boss} over all nights?",
            "how many tries did {boss} take us altogether", "all attempts on {boss}: how many?"),
         "de": ("Wie viele Versuche hatten wir insgesamt an {boss}?", "Anzahl der Pulls bei {boss} über alle Abende?"),
         "zh": ("{boss}我们一共打了多少次？", "{boss}总共开了几次")},
        {"en": "{attempts} attempts at {boss}: {kills} kills and {wipes} wipes.",
            "de": "{attempts} Versuche an {boss}: {kills} Kills und {wipes} Wipes.",
         "zh": "{boss}共{attempts}次尝试：击杀{kills}次，灭团{wipes}次。"},
    ),
    "Best wipe (%)": (
        {"en": ("what was our best wipe on {boss}?", "how low did we get {boss} without killing it?",
            "closest wipe at {boss}?", "best try on {boss} that still wiped"),
         "de": ("Was war unser bester Wipe an {boss}?", "Wie weit hatten wir {boss} im besten Wipe?"),
         "zh": ("{boss}最好的一次灭团剩多少血？", "{boss}灭团时最低打到百分之几")},
        {"en": "The best wipe on {boss} left it at {best} % health.",
            "de": "Der beste Wipe an {boss} endete bei {best} % Leben.",
         "zh": "{boss}最好的一次灭团剩余{best} %血量。"},
    ),
    "Trend": (
        {"en": ("do our wipes on {boss} get closer?", "did we improve on {boss} from wipe to wipe?",
            "trend of our wipes at {boss}?", "is there progress in the {boss} tries"),
         "de": ("Werden unsere Versuche an {boss} besser?", "Wie ist der Trend der Wipes bei {boss}?"),
         "zh": ("我们打{boss}的进度在变好吗？", "{boss}的灭团有进步吗")},
        {"en": "Wipes on {boss}: {trend}.", "de": "Wipes an {boss}: {slope} Prozentpunkte Bossleben je Versuch.",
            "zh": "{boss}的灭团趋势：每次尝试首领血量变化{slope}个百分点。"},
    ),
}  # fmt: skip


def attempts(rng: Rng, language: Language) -> Talk:
    key, meant = rng.some(list(ATTEMPTS)), boss(rng, language, WIPED)
    yield ask(rng, language, ATTEMPTS[key][0], boss=meant.said)
    thought = rng.some(
        ["Attempts at one boss over all nights.", "Wipes at a boss: wipe progression.", f"{key} at that boss."]
    )
    seen = yield call(thought, "get_wipe_progression", encounter_name=meant.said, report_code="all")
    assert seen
    slope, best = value(seen.text, "Trend % per attempt"), value(seen.text, "Best wipe (%)")
    if key == "Trend" and not slope:
        told = {"en": f"There are too few wipes on {meant.said} to tell a trend.",
            "de": f"Für einen Trend gibt es zu wenige Wipes an {meant.said}.",
                "zh": f"{meant.said}的灭团次数太少，看不出趋势。"}  # fmt: skip
        yield Answer(f"Trend: {value(seen.text, 'Trend')}.", told[language])
        return
    told = ATTEMPTS[key][1][language].format(
        boss=meant.said, wipes=value(seen.text, "Wipes"), kills=value(seen.text, "Kills"), attempts=value(seen.text,
            "Attempts"),
        best=best, trend=value(seen.text, "Trend"), slope=slope,
    )  # fmt: skip
    yield Answer(f"{key}: {value(seen.text, key)}.", told)


FIRST_KILL: Said = {
    "en": ("when did we first kill {boss}?", "date of our first {boss} kill?",
        "on which night did {boss} go down for the first time", "first time {boss} died to us?"),
    "de": ("Wann haben wir {boss} zum ersten Mal gelegt?", "Datum unseres ersten {boss}-Kills?"),
    "zh": ("我们第一次击杀{boss}是哪天？", "{boss}首杀是什么时候"),
}  # fmt: skip


def first_kill(rng: Rng, language: Language) -> Talk:
    meant = boss(rng, language, WIPED)
    yield ask(rng, language, FIRST_KILL, boss=meant.said)
    seen = yield call("Attempts by night, all of them: the first with a kill.", "get_wipe_progression",
        encounter_name=meant.said, report_code="all")  # fmt: skip
    assert seen
    first = next((each for each in rows(seen.text, "By night") if not each["Result"].startswith("0 kills")), None)
    assert first
    when, time = first["When"], first["Kill time"]
    told = {"en": f"{meant.said} first died on {when}, in {time}.",
        "de": f"{meant.said} lag zum ersten Mal am {when}, in {time}.",
            "zh": f"{meant.said}首杀是{when}，用时{time}。"}  # fmt: skip
    yield Answer(f"By night, first kill: {when}, {first['Result']}, kill time {time}.", told[language])


NO_WIPES: Said = {
    "en": ("how many wipes on {boss}?", "have we ever wiped on {boss}?", "any wipes at {boss} so far",
        "what was our worst wipe on {boss}?"),
    "de": ("Sind wir je an {boss} gewiped?", "Gab es schon Wipes bei {boss}?"),
    "zh": ("我们在{boss}灭过吗？", "{boss}有灭团记录吗"),
}  # fmt: skip


def no_wipes(rng: Rng, language: Language) -> Talk:
    meant = boss(rng, language, [each for each in KARAZHAN if each not in WIPED])
    yield ask(rng, language, NO_WIPES, boss=meant.said)
    seen = yield call("Wipes at that boss over all nights.", "get_wipe_progression", encounter_name=meant.said,
        report_code="all")  # fmt: skip
    assert seen
    kills = value(seen.text, "Kills")
    told = {"en": f"No wipes: all {kills} attempts at {meant.said} were kills.",
        "de": f"Keine Wipes: Alle {kills} Versuche an {meant.said} waren Kills.",
            "zh": f"没有：{meant.said}的{kills}次尝试全部击杀。"}  # fmt: skip
    yield Answer(f"Attempts {value(seen.text, 'Attempts')}, wipes 0, kills {kills}.", told[language])


WIPE_FIRST: Said = {
    "en": ("who died first in our last wipe on {boss}?", "first death in the latest {boss} wipe?",
        "who fell first when we last wiped at {boss}", "in the last {boss} wipe, who went down first and when?"),
    "de": ("Wer starb zuerst bei unserem letzten Wipe an {boss}?", "Erster Tod im letzten {boss}-Wipe?"),
    "zh": ("最近一次{boss}灭团谁先死的？", "上次{boss}灭团第一个倒下的是谁"),
}  # fmt: skip


def wipe_first(rng: Rng, language: Language) -> Talk:
    """The wipe is looked for first, then its deaths."""
    meant = boss(rng, language, WIPED)
    yield ask(rng, language, WIPE_FIRST, boss=meant.said)
    seen = yield call(
        "The newest wipe at that boss, for its codes.", "search_fights", encounter_name=meant.said, kill=False, limit=1
    )
    assert seen
    found = rows(seen.text, "Fights")[0]
    code, fight = found["Report code"], int(found["Fight ID"])
    seen = yield call(f"Deaths of {code}, fight {fight}.", "get_death_analysis", report_code=code, fight_id=fight)
    assert seen
    first = rows(seen.text, "Each")[0]
    name, at, by, source = first["Player"], first["At"], first["Killed by"], first["Source"]
    place = fight_of(seen, language, meant.said)
    told = {"en": f"{name} died first, at {at}, killed by {by} of {source}, {place}.",
        "de": f"Zuerst starb {name} um {at} durch {by} von {source}, {place}.",
            "zh": f"{place}：最先死的是{name}，{at}，死于{source}的{by}。"}  # fmt: skip
    yield Answer(f"Each, number 1: {name} at {at}, {by} of {source}.", told[language])


MECHANIC: Said = {
    "en": ("how many deaths do we have on {boss} over all nights?", "deaths at {boss} so far, and how many per fight?",
        "how deadly is {boss} for us", "what do our deaths at {boss} add up to?"),
    "de": ("Wie viele Tode hatten wir insgesamt bei {boss}?", "Wie tödlich ist {boss} für uns?"),
    "zh": ("我们在{boss}一共死了多少人次？", "{boss}平均每场死几个"),
}  # fmt: skip
ADVICE: Said = {
    "en": ("what should we watch out for on {boss}?", "what are we doing wrong mechanically at {boss}?",
        "any tips for {boss} mechanics", "how do we take less avoidable damage on {boss}?"),
    "de": ("Worauf müssen wir bei {boss} achten?", "Tipps zur Mechanik von {boss}?"),
    "zh": ("打{boss}要注意什么机制？", "{boss}的机制我们该怎么改进"),
}  # fmt: skip
AVOIDABLE: Said = {
    "en": ("who took the most avoidable damage on {boss} {night}?", "who stood in bad stuff at {boss} {night}",
        "most avoidable damage at {boss} {night}?", "name the worst fire-stander on {boss} {night}"),
    "de": ("Wer hat {night} bei {boss} am meisten vermeidbaren Schaden bekommen?",
        "Wer stand {night} bei {boss} im Feuer?"),
    "zh": ("{night}{boss}谁吃的可避免伤害最多？", "{night}打{boss}谁站火最多"),
}  # fmt: skip


def mechanics(rng: Rng, language: Language) -> Talk:
    meant = boss(rng, language, WIPED)
    yield ask(rng, language, MECHANIC, boss=meant.said)
    thought = rng.some(["Deaths at one boss over its attempts.", "A boss, not a fight: deaths and mechanics."])
    seen = yield call(thought, "get_deaths_and_mechanics", encounter_name=meant.said, report_code="all")
    assert seen
    deaths, each, fights = value(seen.text, "Deaths"), value(seen.text, "Deaths per fight"), head(seen.text, "Fights")
    told = {"en": f"{deaths} deaths on {meant.said} in {fights} fights, {each} per fight.",
        "de": f"{deaths} Tode bei {meant.said} in {fights} Kämpfen, {each} pro Kampf.",
            "zh": f"{meant.said}在{fights}场战斗中共死亡{deaths}次，平均每场{each}次。"}  # fmt: skip
    yield Answer(f"Fights {fights}, deaths {deaths}, deaths per fight {each}.", told[language])


def advice(rng: Rng, language: Language) -> Talk:
    meant = boss(rng, language, ("Gruul the Dragonkiller", "Magtheridon", "Prince Malchezaar", "Shade of Aran"))
    yield ask(rng, language, ADVICE, boss=meant.said)
    seen = yield call("Mechanics that hurt us at that boss.", "get_deaths_and_mechanics", encounter_name=meant.said)
    assert seen
    lines = [each.strip() for each in value(seen.text, "Advice").split(".;")][:2]
    if not lines[0]:
        return
    deaths = value(seen.text, "Deaths of avoidable spells")
    opening = {"en": f"Deaths of avoidable spells on {meant.said}: {deaths}.",
        "de": f"Tode durch vermeidbare Zauber bei {meant.said}: {deaths}.",
               "zh": f"{meant.said}中死于可避免技能：{deaths}次。"}  # fmt: skip
    names = " and ".join(each.partition(":")[0] for each in lines)
    told = opening[language] + "".join(f"\n- [ ] {each.rstrip('.')}." for each in lines)
    yield Answer(f"Deaths of avoidable spells {deaths}; advice on {names}.", told)


def avoidable(rng: Rng, language: Language) -> Talk:
    meant = boss(rng, language, ("Gruul the Dragonkiller", "Magtheridon", "High King Maulgar"))
    night = rng.some(
        {
            "en": ("last night", "in our last raid"),
            "de": ("letzte Nacht", "im letzten Raid"),
            "zh": ("昨晚", "上次团本"),
        }[language]
    )
    yield ask(rng, language, AVOIDABLE, boss=meant.said, night=night)
    seen = yield call(
        "Avoidable damage at a boss, of the last report only.",
        "get_deaths_and_mechanics",
        encounter_name=meant.said,
        report_code="last",
    )
    assert seen
    table = rows(seen.text, "Avoidable damage:")
    if not table:
        told = {"en": f"The last report lists no avoidable damage by player at {meant.said}.",
            "de": f"Der letzte Bericht nennt bei {meant.said} keinen vermeidbaren Schaden nach Spieler.",
                "zh": f"上次记录中{meant.said}没有按玩家列出的可避免伤害。"}  # fmt: skip
        yield Answer("No table of avoidable damage by player.", told[language])
        return
    most = max(table, key=lambda each: number(each["Damage"]))
    name, damage, what, hits = most["Player"], most["Damage"], most["Mechanic"], most["Hits"]
    told = {"en": f"{name}: {damage} damage from {what} (hits: {hits}) on {meant.said}.",
        "de": f"{name}: {damage} Schaden durch {what} (Treffer: {hits}) bei {meant.said}.",
            "zh": f"{name}：在{meant.said}被{what}打中{hits}次，共{damage}伤害。"}  # fmt: skip
    yield Answer(f"Largest row: {what}, {name}, damage {damage}, hits {hits}.", told[language])


DIED: Said = {
    "en": ("did {who} die {where}?", "has {who} died {where}?", "{who} dead {where}?", "was {who} killed {where}"),
    "de": ("Ist {who} {where} gestorben?", "Starb {who} {where}?"),
    "zh": ("{where}{who}死了吗？", "{who}{where}阵亡了吗"),
}  # fmt: skip
SURVIVED: Said = {
    "en": ("was {who} alive till the end {where}?", "did {who} survive {where}?", "{who} made it through {where}?",
        "did {who} live {where}"),
    "de": ("Hat {who} {where} überlebt?", "War {who} {where} bis zum Schluss am Leben?"),
    "zh": ("{who}{where}活到最后了吗", "{where}{who}活下来了吗？"),
}  # fmt: skip
LOWEST: Said = {
    "en": ("how low did {who} get {where}?", "lowest health of {who} {where}?", "what was {who}'s minimum hp {where}",
        "how close was {who} to dying {where}?"),
    "de": ("Wie niedrig war das Leben von {who} {where}?", "Niedrigstes Leben von {who} {where}?"),
    "zh": ("{where}{who}最低血量是多少？", "{who}{where}最危险时剩多少血"),
}  # fmt: skip
LATELY: Said = {
    "en": ("how often has {who} died lately?", "deaths of {who} over the last nights?",
        "how many times did {who} die in our recent raids",
            "{who}'s death count over all nights, and how many avoidable?"),
    "de": ("Wie oft ist {who} in letzter Zeit gestorben?", "Tode von {who} über die letzten Raids?"),
    "zh": ("{who}最近死了多少次？", "{who}最近几次团本的死亡次数"),
}  # fmt: skip


def died(rng: Rng, language: Language) -> Talk:
    """Whether somebody died, survived, or how low the health was."""
    who, kind = rng.some(list(PLAYERS)), rng.some(["died", "survived", "lowest"])
    meant = where(rng, language, who, night=True)
    yield ask(rng, language, {"died": DIED, "survived": SURVIVED, "lowest": LOWEST}[kind], who=who, where=meant.said)
    seen = yield call(
        f"Deaths and lowest health of {who} in that fight.", "get_death_analysis", player_name=who, **meant.args
    )
    assert seen
    low, fight = value(seen.text, "Lowest health"), fight_of(seen, language, meant.boss)
    assert value(seen.text, "Deaths") == "0"
    lowest, at = low.partition("Lowest (%) ")[2].partition(",")[0], low.partition(", At ")[2].partition(",")[0]
    told = {
        "died": {"en": f"No, {who} did not die {fight}.", "de": f"Nein, {who} ist {fight} nicht gestorben.",
            "zh": f"没有，{fight}：{who}没有死。"},
        "survived": {"en": f"Yes, {who} survived {fight}.", "de": f"Ja, {who} hat {fight} überlebt.",
            "zh": f"是的，{fight}：{who}活到了最后。"},
        "lowest": {"en": f"{who}'s lowest health {fight} was {lowest} % at {at}.",
            "de": f"Das niedrigste Leben von {who} {fight} war {lowest} % um {at}.",
                   "zh": f"{fight}：{who}的最低血量为{lowest} %（{at}）。"},
    }  # fmt: skip
    yield Answer(f"Deaths 0; lowest health {lowest} % at {at}.", told[kind][language])


def died_lately(rng: Rng, language: Language) -> Talk:
    who = rng.some([each for each in TEN if each != "Mirelle"])
    yield ask(rng, language, LATELY, who=who)
    seen = yield call(
        f"Deaths of {who} over the newest nights: report 'all'.",
        "get_death_analysis",
        report_code="all",
        player_name=who,
    )
    assert seen
    deaths, avoid, fights = value(seen.text, "Deaths"), value(seen.text, "Avoidable"), head(seen.text, "Fights")
    told = {"en": f"{who} died {deaths} times in the newest {fights} fights; avoidable: {avoid}.",
        "de": f"{who} ist in den neuesten {fights} Kämpfen {deaths} Mal gestorben; vermeidbar: {avoid}.",
            "zh": f"{who}在最近{fights}场战斗中死亡{deaths}次，其中可避免{avoid}次。"}  # fmt: skip
    yield Answer(f"Fights {fights}: deaths {deaths}, avoidable {avoid}.", told[language])


EARLY: Said = {
    "en": ("who dies early most often lately?", "whose early deaths pile up in our raids these weeks?",
        "most early deaths over the recent nights?", "which player has the most early deaths recently"),
    "de": ("Wer stirbt in letzter Zeit am häufigsten früh?",
        "Wer hatte über die letzten Raids die meisten frühen Tode?"),
    "zh": ("最近谁最常早死？", "最近几次团本早死次数最多的是谁"),
}  # fmt: skip


def early_deaths(rng: Rng, language: Language) -> Talk:
    yield ask(rng, language, EARLY)
    seen = yield call("Deaths over the newest nights together.", "get_death_analysis", report_code="all")
    assert seen
    first = rows(seen.text, "By player")[0]
    name, early, deaths = first["Player"], first["Early deaths"], first["Deaths"]
    told = {"en": f"{name}, with {early} early deaths of {deaths} in all over the newest nights.",
        "de": f"{name}, mit {early} frühen Toden von insgesamt {deaths} in den neuesten Abenden.",
            "zh": f"{name}：最近的团本中早死{early}次，总共死亡{deaths}次。"}  # fmt: skip
    yield Answer(f"By player, first row: {name}, deaths {deaths}, early deaths {early}.", told[language])


PHASE: Said = {
    "en": ("which phase was the longest {where}?", "how long did the phases last {where}, which one most?",
        "longest phase {where}?", "what phase took most of the time {where}"),
    "de": ("Welche Phase war {where} die längste?", "Längste Phase {where}?"),
    "zh": ("{where}哪个阶段最长？", "{where}时间最久的是哪个阶段"),
}  # fmt: skip
PHASE_DPS: Said = {
    "en": ("in which phase did {who} do the least dps {where}?", "{who}'s weakest phase {where}?",
        "where does {who}'s dps drop by phase {where}", "which phase was {who}'s worst {where}?"),
    "de": ("In welcher Phase hatte {who} {where} die wenigste DPS?", "Schwächste Phase von {who} {where}?"),
    "zh": ("{where}{who}哪个阶段DPS最低？", "{who}{where}哪个阶段打得最差"),
}  # fmt: skip


def longest_phase(rng: Rng, language: Language) -> Talk:
    meant = where(rng, language)
    yield ask(rng, language, PHASE, where=meant.said)
    seen = yield call("Phases of one fight with their lengths.", "get_phase_analysis", **meant.args)
    assert seen
    table = rows(seen.text, "Phases")
    most, fight = max(table, key=lambda each: number(each["Length (s)"])), fight_of(seen, language, meant.boss)
    name, length, begin, end = most["Phase"], most["Length (s)"], most["From"], most["To"]
    told = {"en": f"The phase {name}: {length} s, from {begin} to {end}, {fight}.",
        "de": f"Die Phase {name}: {length} s, von {begin} bis {end}, {fight}.",
            "zh": f"{fight}：最长的是{name}，{length}秒（{begin}到{end}）。"}  # fmt: skip
    yield Answer(f"Longest row: {name}, {begin} to {end}, length {length} s.", told[language])


def weakest_phase(rng: Rng, language: Language) -> Talk:
    who = rng.some([each for each in DAMAGE if each in TEN])
    meant = boss(
        rng, language, ("Prince Malchezaar", "Magtheridon", "The Curator", "Shade of Aran", "Attumen the Huntsman")
    )
    place = {"en": f"on {meant.said}", "de": f"bei {meant.said}", "zh": f"打{meant.said}时"}[language]
    yield ask(rng, language, PHASE_DPS, who=who, where=place)
    seen = yield call(f"DPS of {who} by phase.", "get_phase_analysis", fight_id=meant.said, player_name=who)
    assert seen
    least, fight = (
        min(rows(seen.text, "Phases"), key=lambda each: number(each["DPS"])),
        fight_of(seen, language, meant.said),
    )
    name, dps = least["Phase"], least["DPS"]
    told = {
        "en": f"{name}, with {dps} DPS {fight}.",
        "de": f"{name}, mit {dps} DPS {fight}.",
        "zh": f"{fight}：{who}在{name}阶段最低，DPS {dps}。",
    }
    yield Answer(f"Lowest DPS: row {name}, {dps}.", told[language])


TALKS: dict[MakeTalk, int] = {
    attempts: 5, first_kill: 2, no_wipes: 1, wipe_first: 3, mechanics: 2, advice: 1, avoidable: 2, died: 3,
        died_lately: 2,
    early_deaths: 1, longest_phase: 3, weakest_phase: 3,
}  # fmt: skip
