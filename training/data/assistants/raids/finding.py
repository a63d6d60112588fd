"""Talks about finding fights, and about older ones."""

import datetime

from training.data.assistants.raids.parts import (
    DAMAGE,
    TEN,
    Said,
    ask,
    boss,
    rows,
    value,
)
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.days import say_day
from training.data.values import Rng

HOW_OFTEN: Said = {
    "en": ("how often have we killed {boss}?", "number of {boss} kills so far?", "how many times is {boss} down",
        "{boss} kill count?"),
    "de": ("Wie oft haben wir {boss} schon gelegt?", "Anzahl unserer {boss}-Kills?"),
    "zh": ("我们击杀过{boss}几次？", "{boss}一共过了多少次"),
}  # fmt: skip


WHEN: Said = {
    "en": ("when did we last kill {boss}?", "date of the latest {boss} kill?", "how long ago did {boss} die",
        "newest kill of {boss}, when was it?"),
    "de": ("Wann haben wir {boss} zuletzt gelegt?", "Datum des letzten {boss}-Kills?"),
    "zh": ("我们上次击杀{boss}是什么时候？", "最近一次过{boss}是哪天"),
}  # fmt: skip


ON_DAY: Said = {
    "en": ("what did we fight on {day}?", "which bosses did we do on {day}?", "our fights of {day}?",
        "how many fights on {day}, and which"),
    "de": ("Welche Kämpfe hatten wir am {day}?", "Was haben wir am {day} gemacht?"),
    "zh": ("{day}我们打了哪些首领？", "{day}有几场战斗"),
}  # fmt: skip


def kills(rng: Rng, language: Language) -> Talk:
    meant, when = boss(rng, language), rng.chance(0.5)
    yield ask(rng, language, WHEN if when else HOW_OFTEN, boss=meant.said)
    args = {"limit": 1} if when else {}
    seen = yield call(
        "Kills of that boss, newest first.", "search_fights", encounter_name=meant.said, kill=True, **args
    )
    assert seen
    found, first = value(seen.text, "Found"), rows(seen.text, "Fights")[0]
    day, length = first["When"].split()[0], first["Length"]
    if when:
        told = {
            "en": f"{meant.said} last died on {day}, in {length}.",
            "de": f"{meant.said} lag zuletzt am {day}, in {length}.",
            "zh": f"最近一次击杀{meant.said}是{day}，用时{length}。",
        }
        yield Answer(f"Newest row: {first['When']}, kill, length {length}.", told[language])
        return
    told = {
        "en": f"Kills of {meant.said} so far: {found}; the newest on {day}.",
        "de": f"Kills von {meant.said} bisher: {found}; der letzte am {day}.",
        "zh": f"{meant.said}已击杀{found}次，最近一次是{day}。",
    }
    yield Answer(f"Found {found}; newest {day}.", told[language])


def on_day(rng: Rng, language: Language) -> Talk:
    weeks, kara = rng.randrange(0, 7), rng.chance(0.5)
    day = (rng.today - datetime.timedelta(weeks=weeks, days=5 if kara else 1)).isoformat()
    yield ask(rng, language, ON_DAY, day=say_day(rng, day, language))
    seen = yield call(f"All fights of one day: since and until {day}.", "search_fights", since=day, until=day)
    assert seen
    found, table = value(seen.text, "Found"), rows(seen.text, "Fights")
    names = ", ".join(dict.fromkeys(each["Encounter"] for each in table))
    won = sum(each["Result"] == "kill" for each in table)
    assert str(len(table)) == found
    told = {
        "en": f"{found} fights on {day}: {names}.",
        "de": f"{found} Kämpfe am {day}: {names}.",
        "zh": f"{day}共{found}场战斗：{names}。",
    }
    yield Answer(f"Found {found}, {won} kills: {names}."[:160], told[language])


BEFORE: Said = {
    "en": ("how did {who} do in the {boss} kill before the last one?", "{who}'s dps in the second newest {boss} kill?",
        "the {boss} kill before the latest: {who}'s damage per second?",
            "dps of {who} in the last but one {boss} kill"),
    "de": ("Wie viel DPS hatte {who} im vorletzten {boss}-Kill?", "{who} im {boss}-Kill vor dem letzten: DPS?"),
    "zh": ("{who}在倒数第二次击杀{boss}时DPS多少？", "前一次{boss}击杀{who}的DPS"),
}  # fmt: skip


def kill_before(rng: Rng, language: Language) -> Talk:
    """The newest fights of a player at a boss have the one before the last, too."""
    who = rng.some([each for each in DAMAGE if each in TEN])
    meant = boss(rng, language)
    yield ask(rng, language, BEFORE, who=who, boss=meant.said)
    seen = yield call(f"{who}'s newest fights at that boss: the second kill.", "get_my_performance",
        encounter_name=meant.said, player_name=who)  # fmt: skip
    assert seen
    won = [each for each in rows(seen.text, "Fights") if each["Result"] == "kill"]
    if len(won) < 2:
        return
    dps, day, length = won[1]["DPS"], won[1]["When"].split()[0], won[1]["Length"]
    told = {
        "en": f"{who} did {dps} DPS on {meant.said} on {day} (kill, {length}).",
        "de": f"{who} hatte am {day} bei {meant.said} {dps} DPS (Kill, {length}).",
        "zh": f"{day}打{meant.said}（击杀，{length}）：{who}的DPS为{dps}。",
    }
    yield Answer(f"Second kill row, {day}: DPS {dps}, length {length}.", told[language])


TALKS: dict[MakeTalk, int] = {
    kills: 4,
    on_day: 2,
    kill_before: 3,
}
