"""Talks about preparation: consumables, enchants, gear and buffs."""

from training.data.assistants.raids.parts import (
    DAMAGE,
    HEALERS,
    PLAYERS,
    Said,
    ask,
    fight_of,
    row,
    rows,
    value,
    where,
)
from training.data.assistants.talk import Ask, MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng

SHARES: dict[str, tuple[str, str, str]] = {
    "Flask or both elixirs (%)": ("a flask or elixirs", "Flask oder Elixiere", "合剂或药剂"),
    "Food (%)": ("food", "Essen", "食物"),
    "Weapon (%)": ("a weapon oil or stone", "Waffenöl oder Stein", "武器油或磨刀石"),
    "Potion (%)": ("a potion", "einen Trank", "药水"),
}


SHARE: Said = {
    "en": ("what share of the raid had {what} {where}?", "how many per cent used {what} {where}",
        "percentage of us with {what} {where}?", "how well covered were we with {what} {where}?"),
    "de": ("Wie viel Prozent des Raids hatten {where} {what}?", "Anteil mit {what} {where}?"),
    "zh": ("{where}全团有{what}的比例是多少？", "{where}百分之多少的人用了{what}"),
}  # fmt: skip


LACK: Said = {
    "en": ("who was missing {what} {night}?", "who came without {what} {night}", "players lacking {what} {night}?",
        "name everyone who had no {what} {night}"),
    "de": ("Wem fehlte {night} {what}?", "Wer war {night} ohne {what}?"),
    "zh": ("{night}谁没有{what}？", "{night}哪些人缺{what}"),
}  # fmt: skip


LACKS = {"flask or elixirs": ("flask or elixirs", "Flask oder Elixiere", "合剂"), "food": ("food", "Essen", "食物"),
         "mana potion": ("mana potion", "Manatrank", "法力药水"), "weapon oil": ("weapon oil", "Waffenöl",
             "武器油")}  # fmt: skip


NIGHT: Said = {
    "en": ("last night", "in our last raid"),
    "de": ("letzte Nacht", "im letzten Raid"),
    "zh": ("昨晚", "上次团本"),
}


PLACE = {"en": 0, "de": 1, "zh": 2}


def share_with(rng: Rng, language: Language) -> Talk:
    key, meant = rng.some(list(SHARES)), where(rng, language, night=True)
    what = SHARES[key][PLACE[language]]
    yield ask(rng, language, SHARE, what=what, where=meant.said)
    seen = yield call("Shares of the raid in one fight: the consumable check.", "get_consumable_check", **meant.args)
    assert seen
    read, fight = value(seen.text, key), fight_of(seen, language, meant.boss)
    told = {
        "en": f"{read} % of the raid had {what} {fight}.",
        "de": f"{read} % des Raids hatten {what} {fight}.",
        "zh": f"{fight}：全团{read} %的人有{what}。",
    }
    yield Answer(f"{key}: {read}.", told[language])


def who_lacks(rng: Rng, language: Language) -> Talk:
    """All rows that name it: the first page may not have them all."""
    key = rng.some(list(LACKS))
    what, night = LACKS[key][PLACE[language]], rng.some(NIGHT[language])
    yield ask(rng, language, LACK, what=what, night=night)
    seen = yield call("Consumables of everybody over the night.", "get_consumable_check")
    assert seen
    seen = yield call(f"Only the rows that say {key}.", "read_result", result="r1", find=key)
    assert seen
    names = [each["Player"] for each in rows(seen.text) if key in each["Missing"]]
    if not names:
        told = {
            "en": f"Nobody was missing {what} {night}.",
            "de": f"{night[0].upper()}{night[1:]} fehlte niemandem {what}.",
            "zh": f"{night}没有人缺{what}。",
        }
        yield Answer(f"No row misses {key}.", told[language])
        return
    joined = ("、" if language == "zh" else ", ").join(names)
    told = {
        "en": f"Missing {what} {night}: {joined}.",
        "de": f"Ohne {what} {night}: {joined}.",
        "zh": f"{night}缺{what}的有：{joined}。",
    }
    yield Answer(f"Rows with {key} missing: {', '.join(names)}."[:160], told[language])


PREPARED: Said = {
    "en": ("was {who} properly prepared {night}?", "did {who} have all consumables {night}?",
        "what was {who} missing {night}", "consumable check for {who} {night}"),
    "de": ("War {who} {night} gut vorbereitet?", "Was fehlte {who} {night} an Verbrauchsgütern?"),
    "zh": ("{night}{who}的消耗品齐全吗？", "{who}{night}缺了什么消耗品"),
}  # fmt: skip


POTIONS: Said = {
    "en": ("how many potions did {who} drink {where}?", "potions used by {who} {where}?",
        "did {who} use potions {where}, and how many", "number of {who}'s potions {where}?"),
    "de": ("Wie viele Tränke hat {who} {where} benutzt?", "Anzahl Tränke von {who} {where}?"),
    "zh": ("{where}{who}喝了几瓶药水？", "{who}{where}用了多少药水"),
}  # fmt: skip


def prepared(rng: Rng, language: Language) -> Talk:
    who, night = rng.some(list(PLAYERS)), rng.some(NIGHT[language])
    yield ask(rng, language, PREPARED, who=who, night=night)
    seen = yield call(f"Consumables of {who} over the night.", "get_consumable_check", player_name=who)
    assert seen
    found = rows(seen.text, "Players")[0]
    missing = found.get("Missing", "–")
    if missing in ("–", ""):
        told = {
            "en": f"{who} was missing nothing {night}.",
            "de": f"{who} fehlte {night} nichts.",
            "zh": f"{night}{who}什么都不缺。",
        }
        yield Answer(f"Row {who}: missing nothing.", told[language])
        return
    told = {
        "en": f"{who} was missing this {night}: {missing}.",
        "de": f"Bei {who} fehlte {night}: {missing}.",
        "zh": f"{night}{who}缺少：{missing}。",
    }
    yield Answer(f"Row {who}: missing {missing}."[:160], told[language])


def potions(rng: Rng, language: Language) -> Talk:
    who = rng.some([*DAMAGE, *HEALERS])
    meant = where(rng, language, who, night=True)
    yield ask(rng, language, POTIONS, who=who, where=meant.said)
    seen = yield call(f"Potions of {who} in one fight.", "get_consumable_check", player_name=who, **meant.args)
    assert seen
    found, fight = rows(seen.text, "Players")[0], fight_of(seen, language, meant.boss)
    used, most = found["Potions"], found["Potions possible"]
    told = {
        "en": f"Potions of {who} {fight}: {used} of {most} possible.",
        "de": f"Tränke von {who} {fight}: {used} von {most} möglichen.",
        "zh": f"{fight}：{who}用了{used}瓶药水（最多可用{most}瓶）。",
    }
    yield Answer(f"Row {who}: potions {used}, possible {most}.", told[language])


ENCHANTS: Said = {
    "en": ("which slots of {who} have no enchant?", "is {who}'s gear fully enchanted?", "missing enchants on {who}",
        "any unenchanted items on {who}?"),
    "de": ("Welche Slots von {who} sind nicht verzaubert?", "Ist die Ausrüstung von {who} komplett verzaubert?"),
    "zh": ("{who}有哪些部位没附魔？", "{who}的装备都附魔了吗"),
}  # fmt: skip


GEMS: Said = {
    "en": ("who has cheap gems or no enchants?", "gear check for the whole raid", "whose gear has faults?",
        "does anybody have missing enchants or bad gems"),
    "de": ("Wer hat schlechte Edelsteine oder keine Verzauberungen?", "Ausrüstungscheck für den ganzen Raid"),
    "zh": ("团里谁的附魔或宝石有问题？", "检查一下全团的附魔和宝石"),
}  # fmt: skip


def enchants(rng: Rng, language: Language) -> Talk:
    who = rng.some(["Drusilla", "Drusilla", *PLAYERS])
    yield ask(rng, language, ENCHANTS, who=who)
    seen = yield call(f"Enchants and gems of {who}.", "get_enchant_gem_check", player_name=who)
    assert seen
    done, most = value(seen.text, "Enchanted"), value(seen.text, "Enchantable")
    slots = [each["Slot"] for each in rows(seen.text, "Without enchant")]
    if not slots:
        told = {"en": f"{who}'s gear is fully enchanted: {done} of {most} slots.",
            "de": f"Die Ausrüstung von {who} ist komplett verzaubert: {done} von {most} Slots.",
                "zh": f"{who}的装备全部附魔：{most}个部位中{done}个。"}  # fmt: skip
        yield Answer(f"Enchanted {done}, enchantable {most}; without enchant none.", told[language])
        return
    joined = ", ".join(slots)
    told = {"en": f"{who} has no enchant on {joined}: {done} of {most} slots are enchanted.",
        "de": f"Bei {who} fehlt die Verzauberung auf {joined}: {done} von {most} Slots sind verzaubert.",
            "zh": f"{who}没有附魔的部位：{joined}；{most}个部位中{done}个已附魔。"}  # fmt: skip
    yield Answer(f"Enchanted {done} of {most}; without enchant: {joined}.", told[language])
    if low := [each["Slot"] for each in rows(seen.text, "Low gems")]:
        yield Ask({"en": "and the gems?", "de": "und die Edelsteine?", "zh": "那宝石呢？"}[language])
        joined = ", ".join(low)
        told = {
            "en": f"{who} has gems below rare quality on {joined}.",
            "de": f"{who} hat auf {joined} Edelsteine unter seltener Qualität.",
            "zh": f"{who}在{joined}上的宝石低于精良品质。",
        }
        yield Answer(f"Low gems: {joined}.", told[language])


def raid_gear(rng: Rng, language: Language) -> Talk:
    yield ask(rng, language, GEMS)
    seen = yield call("Gear of everybody in one table: player 'raid'.", "get_enchant_gem_check", player_name="raid")
    assert seen
    bad = [each for each in rows(seen.text, "Everybody") if each["Faults"] != "0"]
    fine, checked = value(seen.text, "Without fault"), value(seen.text, "Players checked")
    said = "; ".join(f"{each['Player']} {each['Faults']}" for each in bad)
    told = {"en": f"Gear with faults: {said} faults. {fine} of {checked} players have none.",
        "de": f"Mängel an der Ausrüstung: {said}. {fine} von {checked} Spielern haben keine.",
            "zh": f"装备有问题的：{said}处。{checked}名玩家中{fine}名没有问题。"}  # fmt: skip
    yield Answer(f"Players checked {checked}, without fault {fine}; faults: {said}.", told[language])


CHANGES: Said = {
    "en": ("how many slots did {who} change since the last raid?", "what's {who}'s item level now and before?",
        "did {who} get new gear?", "gear changes of {who}"),
    "de": ("Wie viele Slots hat {who} seit dem letzten Raid gewechselt?", "Hat {who} neue Ausrüstung?"),
    "zh": ("{who}自上次团本换了几件装备？", "{who}的装等提升了多少"),
}  # fmt: skip


def gear_changes(rng: Rng, language: Language) -> Talk:
    who = rng.some(list(PLAYERS))
    yield ask(rng, language, CHANGES, who=who)
    seen = yield call(f"Gear of {who} in the newest report and the one before.", "get_gear_changes", player_name=who)
    assert seen
    before, now = (value(seen.text, f"Average item level {each}") for each in ("old", "new"))
    slots, more = value(seen.text, "Slots changed"), value(seen.text, "Average difference")
    told = {"en": f"{who} changed {slots} slots; the average item level went from {before} to {now} ({more}).",
        "de": f"{who} hat {slots} Slots gewechselt; die mittlere Gegenstandsstufe ging von {before} auf {now} "
        f"({more}).",
            "zh": f"{who}更换了{slots}个部位，平均装等从{before}变为{now}（{more}）。"}  # fmt: skip
    yield Answer(
        f"Slots changed {slots}; average item level old {before}, new {now}, difference {more}.", told[language]
    )


COVER: Said = {
    "en": ("who was without {buff} {night}?", "did everybody have {buff} {night}?", "{buff} coverage {night}?",
        "how well was the raid covered with {buff} {night}"),
    "de": ("Wer hatte {night} kein {buff}?", "Wie gut war der Raid {night} mit {buff} abgedeckt?"),
    "zh": ("{night}谁没有{buff}？", "{night}{buff}覆盖了多少人"),
}  # fmt: skip


DEBUFF: Said = {
    "en": ("what was our {buff} uptime on bosses {night}?", "average {buff} uptime {night}?",
        "how long was {buff} up on the bosses {night}", "did we keep {buff} up {night}?"),
    "de": ("Wie hoch war die Uptime von {buff} auf den Bossen {night}?", "Mittlere {buff}-Uptime {night}?"),
    "zh": ("{night}首领身上{buff}的覆盖率是多少？", "{night}{buff}平均覆盖率"),
}  # fmt: skip


def raid_buff(rng: Rng, language: Language) -> Talk:
    buff, night = (
        rng.some(["Mark of the Wild", "Arcane Intellect", "Blessing of Kings", "Power Word: Fortitude"]),
        rng.some(NIGHT[language]),
    )
    yield ask(rng, language, COVER, buff=buff, night=night)
    seen = yield call("Raid buffs of everybody over the night: player 'raid'.", "get_buff_analysis", player_name="raid")
    assert seen
    found = row(rows(seen.text, "Raid buffs"), "Buff", buff)
    assert found
    covered, without = found["Covered (%)"], found["Without"]
    told = {
        "en": f"{buff} covered {covered} % {night}. Without it: {without}.",
        "de": f"{buff} deckte {night} {covered} % ab. Ohne: {without}.",
        "zh": f"{night}{buff}覆盖率{covered} %。没有的：{without}。",
    }
    yield Answer(f"Row {buff}: covered {covered} %, without {without}."[:160], told[language])


def boss_debuff(rng: Rng, language: Language) -> Talk:
    buff, night = (
        rng.some(
            [
                "Faerie Fire",
                "Improved Scorch",
                "Sunder Armor",
                "Curse of the Elements",
                "Misery",
                "Hunter's Mark",
                "Thunder Clap",
            ]
        ),
        rng.some(NIGHT[language]),
    )
    yield ask(rng, language, DEBUFF, buff=buff, night=night)
    seen = yield call(f"{buff} on bosses over the night: buffs of the raid.", "get_buff_analysis", player_name="raid")
    assert seen
    found = row(rows(seen.text, "Debuffs on bosses"), "Debuff", buff)
    if found is None and "read_result(" in seen.text:
        seen = yield call(f"{buff} is not among the rows shown: find it.", "read_result", result="r1", find=buff)
        assert seen
        found = row(rows(seen.text), "Debuff", buff)
    if found is None:
        told = {
            "en": f"The bosses had no {buff} {night}: it is not among the debuffs.",
            "de": f"Die Bosse hatten {night} kein {buff}: es ist nicht unter den Debuffs.",
            "zh": f"{night}首领身上没有{buff}：减益列表里没有它。",
        }
        yield Answer(f"No row {buff} among the debuffs on bosses.", told[language])
        return
    up = found["Average uptime (%)"]
    told = {
        "en": f"{buff} was up for {up} % on average {night}.",
        "de": f"{buff} war {night} im Schnitt zu {up} % aktiv.",
        "zh": f"{night}{buff}的平均覆盖率为{up} %。",
    }
    yield Answer(f"Row {buff}: average uptime {up} %.", told[language])


UPTIME: Said = {
    "en": ("what was the uptime of {buff} on {who} {where}?", "{who}'s {buff} uptime {where}?",
        "how long did {who} have {buff} {where}", "was {buff} on {who} all the time {where}?"),
    "de": ("Wie hoch war die Uptime von {buff} auf {who} {where}?", "Wie lange hatte {who} {where} {buff}?"),
    "zh": ("{where}{who}身上{buff}的覆盖率是多少？", "{who}{where}{buff}覆盖多少"),
}  # fmt: skip


def buff_uptime(rng: Rng, language: Language) -> Talk:
    who, buff = rng.some(
        [
            ("Wulfric", "Battle Shout"),
            ("Wulfric", "Rampage"),
            ("Wulfric", "Death Wish"),
            ("Zorrin", "Slice and Dice"),
            ("Branik", "Battle Shout"),
        ]
    )
    meant = where(rng, language, who, night=True)
    yield ask(rng, language, UPTIME, who=who, buff=buff, where=meant.said)
    seen = yield call(f"Buffs of {who} in one fight.", "get_buff_analysis", player_name=who, **meant.args)
    assert seen
    found, fight = row(rows(seen.text, "Buffs"), "Name", buff), fight_of(seen, language, meant.boss)
    if found is None:
        told = {
            "en": f"{buff} is not among the buffs of {who} {fight}.",
            "de": f"{buff} ist nicht unter den Buffs von {who} {fight}.",
            "zh": f"{fight}：{who}的增益中没有{buff}。",
        }
        yield Answer(f"No row {buff} among the buffs.", told[language])
        return
    up, seconds = found["Uptime (%)"], found["Uptime (s)"]
    told = {
        "en": f"{buff} was on {who} for {up} % ({seconds} s) {fight}.",
        "de": f"{buff} war zu {up} % ({seconds} s) auf {who}, {fight}.",
        "zh": f"{fight}：{who}的{buff}覆盖率为{up} %（{seconds}秒）。",
    }
    yield Answer(f"Row {buff}: uptime {up} %, {seconds} s.", told[language])


TALKS: dict[MakeTalk, int] = {
    share_with: 2,
    who_lacks: 3,
    prepared: 3,
    potions: 2,
    enchants: 3,
    raid_gear: 1,
    gear_changes: 2,
    raid_buff: 2,
    boss_debuff: 3,
    buff_uptime: 2,
}
