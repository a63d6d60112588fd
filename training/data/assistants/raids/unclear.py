"""Talks in which something is asked back, is missing in what is found, or is told by one of two tools."""

from training.data.assistants.raids.parts import (
    CASTERS,
    DAMAGE,
    LAIRS,
    TEN,
    WIPED,
    Said,
    ask,
    boss,
    fight_of,
    head,
    rows,
    value,
)
from training.data.assistants.talk import Ask, MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng

HIS: Said = {
    "en": ("how active was he in the last fight?", "what gcd uptime did she have last fight?",
        "was that player busy enough in the last fight"),
    "de": ("Wie aktiv war er im letzten Kampf?", "Welche GCD-Auslastung hatte sie im letzten Kampf?"),
    "zh": ("他上一场战斗活跃度怎么样？", "那个人上一场的GCD覆盖率？"),
}  # fmt: skip


def then_player(rng: Rng, language: Language) -> Talk:
    """Asked back, told a bare name, answered."""
    who = rng.some(CASTERS)
    yield ask(rng, language, HIS)
    which = {"en": "Which player do you mean?", "de": "Welchen Spieler meinst du?", "zh": "你指的是哪位玩家？"}
    yield Answer("No player is named: ask back.", which[language])
    yield Ask(rng.some([who, who, who.lower()]))
    seen = yield call(f"{who} is meant: activity in the last fight.", "get_activity_report", player_name=who)
    assert seen
    up, fight = value(seen.text, "GCD uptime (%)"), fight_of(seen, language)
    told = {
        "en": f"{who}'s GCD uptime was {up} % {fight}.",
        "de": f"Die GCD-Auslastung von {who} war {up} % {fight}.",
        "zh": f"{fight}：{who}的GCD覆盖率为{up} %。",
    }
    yield Answer(f"{who}: GCD uptime {up} %.", told[language])


AIM: Said = {
    "en": ("what dps should we aim for with this spec?", "whats a good dps for it", "tell me the dps target please"),
    "de": ("Welche DPS sollte man damit schaffen?", "Nenn mir bitte das DPS-Ziel"),
    "zh": ("应该打到多少DPS？", "告诉我目标DPS"),
}  # fmt: skip
SPECS = (("Fire", "Mage"), ("Frost", "Mage"), ("Affliction", "Warlock"), ("Combat", "Rogue"), ("Shadow", "Priest"),
    ("Fury", "Warrior"), ("Beast Mastery", "Hunter"))  # fmt: skip


def then_spec(rng: Rng, language: Language) -> Talk:
    """Two things are missing; the reply is the two and nothing else."""
    (spec, kind), meant = rng.some(SPECS), boss(rng, language)
    yield ask(rng, language, AIM)
    which = {
        "en": "For which boss, and for which class and spec?",
        "de": "Für welchen Boss und für welche Klasse und Spezialisierung?",
        "zh": "哪个首领？哪个职业和专精？",
    }
    yield Answer("Boss and spec are missing: ask back.", which[language])
    yield Ask(rng.some([f"{spec} {kind}, {meant.said}", f"{meant.said}, {spec} {kind}"]))
    seen = yield call(f"The target of {spec} {kind} at that boss.", "get_spec_benchmark", encounter_name=meant.said,
        class_name=kind, spec_name=spec)  # fmt: skip
    assert seen
    aim = value(seen.text, "DPS target")
    if not aim:
        return
    told = {
        "en": f"The target of a {spec} {kind} on {meant.said} is {aim} DPS.",
        "de": f"Das Ziel für {spec} {kind} bei {meant.said} sind {aim} DPS.",
        "zh": f"{meant.said}上{spec} {kind}的目标是{aim} DPS。",
    }
    yield Answer(f"DPS target {aim}.", told[language])


NO_PARSE: Said = {
    "en": ("what percentile was {who}'s newest {boss} kill?", "parse of {who}, newest {boss} kill",
        "{who}'s percentile at {boss}, the latest kill?"),
    "de": ("Welches Perzentil hatte {who} beim neuesten {boss}-Kill?", "Parse von {who}, neuester {boss}-Kill?"),
    "zh": ("{who}最新一次击杀{boss}的百分位是多少？", "{who}最新{boss}击杀的parse"),
}  # fmt: skip


def no_parse(rng: Rng, language: Language) -> Talk:
    """The kill is there, and its parse may be missing."""
    who, meant = rng.some([each for each in DAMAGE if each in TEN]), boss(rng, language, ("Magtheridon", "Nightbane"))
    yield ask(rng, language, NO_PARSE, who=who, boss=meant.said)
    seen = yield call(f"{who}'s newest fights at that boss.", "get_my_performance", encounter_name=meant.said,
        player_name=who)  # fmt: skip
    assert seen
    kill = next((each for each in rows(seen.text, "Fights") if each["Result"] == "kill"), None)
    if kill is None:
        return
    parse, dps, spec, day = kill.get("Parse", "–"), kill["DPS"], kill["Spec"], kill["When"].split()[0]
    if parse == "–":
        told = {
            "en": f"The parse is missing: the store has fewer than 10 kills of {meant.said} by this spec ({spec}). "
            f"On {day} {who} did {dps} DPS.",
            "de": f"Der Parse fehlt: Vom {spec} sind weniger als 10 Kills an {meant.said} gespeichert. Am {day} hatte "
            f"{who} {dps} DPS.",
            "zh": f"没有parse：库中{spec}击杀{meant.said}的记录少于10次。{day}{who}的DPS为{dps}。",
        }
        yield Answer(f"Row {day}: DPS {dps}, no parse; fewer than 10 kills by {spec}.", told[language])
        return
    told = {
        "en": f"{who} parsed {parse} on {meant.said} on {day} ({dps} DPS).",
        "de": f"{who} hatte am {day} bei {meant.said} einen Parse von {parse} ({dps} DPS).",
        "zh": f"{day}{who}在{meant.said}的parse为{parse}（{dps} DPS）。",
    }
    yield Answer(f"Row {day}: parse {parse}, DPS {dps}.", told[language])


CAUSE: Said = {
    "en": ("what kills us most on {boss}, over all nights?", "main cause of our deaths at {boss}, all nights?",
        "which ability has killed most of us on {boss} over all nights"),
    "de": ("Woran sterben wir bei {boss} über alle Abende am meisten?", "Häufigste Todesursache bei {boss}, alle "
        "Abende?"),
    "zh": ("所有团本里我们在{boss}主要死于什么？", "{boss}上我们最常见的死因（所有团本）？"),
}  # fmt: skip
AND_WHO: Said = {
    "en": ("and how often did {who} die lately, on all bosses?", "how many deaths did {who} have over all nights, any "
        "boss?"),
    "de": ("Und wie oft ist {who} zuletzt gestorben, bei allen Bossen?",),
    "zh": ("那{who}最近在所有首领上一共死了几次？",),
}  # fmt: skip


def causes_then_player(rng: Rng, language: Language) -> Talk:
    """At one boss the mechanics tell; of one player over nights the death analysis."""
    meant = boss(rng, language, [each for each in WIPED if each not in LAIRS])
    who = rng.some([each for each in TEN if each != "Mirelle"])
    yield ask(rng, language, CAUSE, boss=meant.said)
    seen = yield call("Causes at one boss: deaths and mechanics.", "get_deaths_and_mechanics",
        encounter_name=meant.said, report_code="all")  # fmt: skip
    assert seen
    table, deaths = rows(seen.text, "Deaths by cause"), value(seen.text, "Deaths")
    if deaths == "0":
        none = {
            "en": f"Nothing: nobody has died on {meant.said}.",
            "de": f"An nichts: bei {meant.said} ist niemand gestorben.",
            "zh": f"没有：{meant.said}没有人死亡。",
        }
        yield Answer("Deaths 0.", none[language])
        return
    if not table:
        return
    cause, times = table[0]["Cause"], table[0]["Times"]
    told = {
        "en": f"{cause}: {times} of {deaths} deaths on {meant.said}.",
        "de": f"{cause}: {times} von {deaths} Toden bei {meant.said}.",
        "zh": f"{cause}：{meant.said}的{deaths}次死亡中占{times}次。",
    }
    yield Answer(f"Deaths {deaths}. By cause, first row: {cause}, {times}.", told[language])
    yield Ask(rng.some(AND_WHO[language]).format(who=who))
    seen = yield call(f"{who} over nights, no boss: death analysis.", "get_death_analysis", report_code="all",
        player_name=who)  # fmt: skip
    assert seen
    count, fights = value(seen.text, "Deaths"), head(seen.text, "Fights")
    told = {
        "en": f"{who} died {count} times in the newest {fights} fights.",
        "de": f"{who} ist in den neuesten {fights} Kämpfen {count} Mal gestorben.",
        "zh": f"{who}在最近{fights}场战斗中死亡{count}次。",
    }
    yield Answer(f"Fights {fights}: deaths {count}.", told[language])


UNTOLD: list[tuple[Said, dict[Language, str]]] = [
    ({"en": ("who got the loot from Prince?", "what items dropped from Gruul last time", "who won the trinket of Mag?"),
      "de": ("Wer hat den Loot vom Prinzen bekommen?", "Was ist bei Gruul zuletzt gedroppt?"),
      "zh": ("王子掉的装备给了谁？", "格鲁尔上次掉了什么")},
     {"en": "The logs do not tell loot. I can see what gear somebody wears and what changed between two raids.",
      "de": "Beute steht nicht in den Logs. Ich sehe, welche Ausrüstung jemand trägt und was sich zwischen zwei Raids "
      "geändert hat.",
      "zh": "记录里没有掉落信息。我能看到某人穿的装备以及两次团本之间的变化。"}),
    ({"en": ("who signed up for the next raid?", "is our raid full on thursday", "who will be missing next raid?"),
      "de": ("Wer hat sich für den nächsten Raid angemeldet?", "Wer fehlt beim nächsten Raid?"),
      "zh": ("下次团本谁报名了？", "下次谁会缺席")},
     {"en": "No tool tells sign-ups: I only know raids that were logged. I can say who was in a past fight.",
      "de": "Anmeldungen kennt keines meiner Werkzeuge, nur geloggte Raids. Wer in einem vergangenen Kampf dabei war, "
      "kann ich sagen.",
      "zh": "没有报名数据，我只知道已记录的团本。可以查某场战斗有谁参加。"}),
    ({"en": ("how much gold did we spend on repairs last night?", "what did our flasks cost us"),
      "de": ("Wie viel Gold haben wir letzte Nacht für Reparaturen ausgegeben?",), "zh": ("昨晚修装备花了多少金币？",)},
     {"en": "The logs do not tell gold. I can say how often people died and which consumables they used.",
      "de": "Gold steht nicht in den Logs. Wie oft jemand starb und was verbraucht wurde, kann ich sagen.",
      "zh": "记录里没有金币。可以查死亡次数和用了哪些消耗品。"}),
]  # fmt: skip


def untold(rng: Rng, language: Language) -> Talk:
    """About raids, and yet no tool tells it."""
    said, told = rng.some(UNTOLD)
    yield ask(rng, language, said)
    yield Answer("No tool tells this: say so, and what there is.", told[language])


TALKS: dict[MakeTalk, int] = {
    then_player: 2,
    then_spec: 2,
    no_parse: 2,
    causes_then_player: 2,
    untold: 2,
}
