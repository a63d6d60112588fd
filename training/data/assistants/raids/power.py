"""Talks about cooldowns and mana."""

from training.data.assistants.raids.parts import (
    HEALERS,
    Said,
    ask,
    fight_of,
    row,
    rows,
    value,
    where,
)
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng

COOLDOWN: Said = {
    "en": ("which cooldowns did {who} waste {where}?", "did {who} use the cooldowns well {where}?",
        "{who}'s cooldown usage {where}?", "what share of the possible cooldowns did {who} use {where}"),
    "de": ("Hat {who} {where} die Cooldowns gut genutzt?", "Wie viel Prozent der Cooldowns hat {who} {where} genutzt?"),
    "zh": ("{where}{who}的爆发技能用得怎么样？", "{who}{where}技能冷却使用率是多少"),
}  # fmt: skip


FIRST_USE: Said = {
    "en": ("when did {who} first use {cd} {where}?", "how often did {who} use {cd} {where}?",
        "first {cd} of {who} {where}?", "{who}: {cd} uses {where}"),
    "de": ("Wann hat {who} {where} zuerst {cd} benutzt?", "Wie oft hat {who} {where} {cd} benutzt?"),
    "zh": ("{where}{who}第一次开{cd}是什么时候？", "{who}{where}用了几次{cd}"),
}  # fmt: skip


def cooldowns(rng: Rng, language: Language) -> Talk:
    who = rng.some(["Branik", "Branik", "Wulfric", "Kelwin", "Elmira", "Zorrin", "Drusilla", "Xandrel", "Raskell"])
    meant = where(rng, language, who)
    yield ask(rng, language, COOLDOWN, who=who, where=meant.said)
    seen = yield call(
        f"Cooldowns of {who}: used beside possible.", "get_cooldown_efficiency", player_name=who, **meant.args
    )
    assert seen
    used, flagged, fight = (
        value(seen.text, "Throughput used (%)"),
        value(seen.text, "Flagged"),
        fight_of(seen, language, meant.boss),
    )
    if flagged in ("", "none"):
        told = {"en": f"{who} used {used} % of the possible cooldowns {fight}; none is flagged.",
            "de": f"{who} hat {fight} {used} % der möglichen Cooldowns genutzt; keiner ist auffällig.",
                "zh": f"{fight}：{who}使用了{used} %的可用爆发技能，没有问题。"}  # fmt: skip
    else:
        told = {"en": f"{who} used {used} % of the possible cooldowns {fight}. Too little used: {flagged}.",
            "de": f"{who} hat {fight} {used} % der möglichen Cooldowns genutzt. Zu wenig genutzt: {flagged}.",
                "zh": f"{fight}：{who}使用了{used} %的可用爆发技能。使用不足：{flagged}。"}  # fmt: skip
    yield Answer(f"Throughput used {used} %; flagged {flagged or 'none'}.", told[language])


def first_use(rng: Rng, language: Language) -> Talk:
    who, cooldown = rng.some(
        [
            ("Branik", "Death Wish"),
            ("Wulfric", "Death Wish"),
            ("Kelwin", "Combustion"),
            ("Zorrin", "Blade Flurry"),
            ("Drusilla", "Bestial Wrath"),
        ]
    )
    meant = where(rng, language, who)
    yield ask(rng, language, FIRST_USE, who=who, cd=cooldown, where=meant.said)
    seen = yield call(f"{cooldown} of {who}: uses and times.", "get_cooldown_efficiency", player_name=who, **meant.args)
    assert seen
    found, fight = row(rows(seen.text, "Cooldowns"), "Cooldown", cooldown), fight_of(seen, language, meant.boss)
    if found is None:
        return
    used, most, at = found["Used"], found["Possible"], found["Used at"]
    told = {"en": f"{who} used {cooldown} {used} of {most} possible times {fight}, at: {at}.",
        "de": f"{who} hat {cooldown} {fight} {used} von {most} möglichen Malen benutzt, um: {at}.",
            "zh": f"{fight}：{who}使用{cooldown}的次数为{used}（可用{most}次），时间：{at}。"}  # fmt: skip
    yield Answer(f"Row {cooldown}: used {used}, possible {most}, used at {at}.", told[language])


OOM: Said = {
    "en": ("mana gone for {who} {where}?", "was {who} oom {where}?", "any trouble with {who}'s mana {where}",
        "{who} mana problems {where}?"),
    "de": ("Ging {who} {where} das Mana aus?", "War {who} {where} oom?"),
    "zh": ("{where}{who}空蓝了吗？", "{who}{where}蓝够用吗"),
}  # fmt: skip


ALL_OOM: Said = {
    "en": ("which healers ran dry {where}?", "who was out of mana {where}?", "any healer oom {where}",
        "healers without mana {where}?"),
    "de": ("Welchen Heilern ging {where} das Mana aus?", "Wer war {where} ohne Mana?"),
    "zh": ("{where}哪些治疗空蓝了？", "{where}有治疗没蓝了吗"),
}  # fmt: skip


def mana(rng: Rng, language: Language) -> Talk:
    who = rng.some(HEALERS)
    meant = where(rng, language, who)
    yield ask(rng, language, OOM, who=who, where=meant.said)
    seen = yield call(f"Mana of {who} over the fight.", "get_resource_usage", player_name=who, **meant.args)
    assert seen
    out = value(seen.text, "Verdict").startswith("Out of mana")
    found, fight = rows(seen.text, "Resources")[0], fight_of(seen, language, meant.boss)
    lowest, at = found["Lowest (%)"], found["Lowest at"]
    yes = {"en": "Yes", "de": "Ja", "zh": "是的"} if out else {"en": "No", "de": "Nein", "zh": "没有"}
    said = {
        "en": "was out of mana" if out else "was not out of mana",
        "de": "war ohne Mana" if out else "war nicht ohne Mana",
        "zh": "空蓝了" if out else "没有空蓝",
    }[language]
    told = {"en": f"{yes['en']}, {who} {said} {fight}; the lowest was {lowest} % at {at}.",
        "de": f"{yes['de']}, {who} {said} {fight}; der Tiefststand war {lowest} % um {at}.",
            "zh": f"{yes['zh']}，{fight}：{who}{said}，最低{lowest} %（{at}）。"}  # fmt: skip
    yield Answer(f"Verdict: {'out of mana' if out else 'not out of mana'}; lowest {lowest} % at {at}.", told[language])


def all_mana(rng: Rng, language: Language) -> Talk:
    meant = where(rng, language)
    yield ask(rng, language, ALL_OOM, where=meant.said)
    seen = yield call(
        "Mana of all healers in one fight: player 'raid'.", "get_resource_usage", player_name="raid", **meant.args
    )
    assert seen
    names, fight = value(seen.text, "Out of mana"), fight_of(seen, language, meant.boss)
    if names in ("", "none", "nobody"):
        told = {
            "en": f"No healer was out of mana {fight}.",
            "de": f"Keinem Heiler ging {fight} das Mana aus.",
            "zh": f"{fight}：没有治疗空蓝。",
        }
    else:
        told = {
            "en": f"Out of mana {fight}: {names}.",
            "de": f"Ohne Mana {fight}: {names}.",
            "zh": f"{fight}：空蓝的有{names}。",
        }
    yield Answer(f"Out of mana: {names or 'none'}.", told[language])


TALKS: dict[MakeTalk, int] = {
    cooldowns: 3,
    first_use: 2,
    mana: 5,
    all_mana: 3,
}
