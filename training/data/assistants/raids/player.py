"""Talks about one player in one fight: activity, casts, rotation, overheal, abilities."""

from training.data.assistants.raids.parts import (
    CASTERS,
    DAMAGE,
    HEALERS,
    Figure,
    Said,
    ask,
    fight_of,
    figure_talk,
    number,
    rows,
    value,
    where,
)
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng

ACTIVITY = figure_talk(
    "activity", "get_activity_report",
    ("How active {who} was: the activity report.", "GCD uptime and gaps of {who} in that fight.",
        "Casts and idle time of {who}."),
    (
        Figure(
            "GCD uptime (%)",
            ("what gcd uptime did {who} have {where}?", "How active was {who} {where}?", "{who}'s GCD uptime {where}?",
             "how much of the time was {who} casting {where}"),
            ("Wie hoch war die GCD-Auslastung von {who} {where}?", "Wie aktiv war {who} {where}?"),
            ("{who}{where}的GCD覆盖率是多少？", "{where}{who}活跃度怎么样？"),
            {"en": "{who} had a GCD uptime of {value} % {fight}; the grade is {also0} ({also1} % are expected).",
             "de": "{who} hatte {fight} eine GCD-Auslastung von {value} %; Note: {also0} (erwartet: {also1} %).",
             "zh": "{fight}：{who}的GCD覆盖率为{value} %，评级 {also0}（预期{also1} %）。"},
            ("Grade", "Expected (%)"),
        ),
        Figure(
            "Casts per minute",
            ("how many casts a minute did {who} do {where}?", "{who} cpm {where}?", "casts per minute of {who} {where}",
             "How often did {who} cast per minute {where}?"),
            ("Wie viele Zauber pro Minute hat {who} {where} gewirkt?", "Casts pro Minute von {who} {where}?"),
            ("{where}{who}每分钟施法多少次？", "{who}{where}的每分钟施法数？"),
            {"en": "{who} did {value} casts a minute {fight}.", "de": "{who} kam {fight} auf {value} Casts pro Minute.",
             "zh": "{fight}：{who}每分钟施法{value}次。"},
        ),
        Figure(
            "Downtime (s)",
            ("how long was {who} idle {where}?", "How many seconds did {who} do nothing {where}?",
                "{who} downtime {where}?",
             "for how long did {who} stand around {where}"),
            ("Wie lange war {who} {where} untätig?", "Wie viele Sekunden hat {who} {where} nichts getan?"),
            ("{where}{who}空闲了多少秒？", "{who}{where}发呆了多久？"),
            {"en": "{who} was idle for {value} s {fight}, {also0} s of it in long gaps.",
             "de": "{who} war {fight} {value} s untätig, davon {also0} s in langen Lücken.",
             "zh": "{fight}：{who}空闲{value}秒，其中长间隔共{also0}秒。"},
            ("In long gaps (s)",),
        ),
        Figure(
            "Long gaps",
            ("how many long gaps did {who} have {where}?", "Number of pauses over 2.5 s of {who} {where}?",
             "how often did {who} stop casting for more than 2.5 seconds {where}", "{who}: long gaps {where}?"),
            ("Wie viele lange Lücken hatte {who} {where}?", "Wie oft hat {who} {where} länger als 2,5 s pausiert?"),
            ("{where}{who}有多少次长间隔？", "{who}{where}停手超过2.5秒有几次？"),
            {"en": "Long gaps of {who} {fight}: {value}.", "de": "Lange Lücken von {who} {fight}: {value}.",
             "zh": "{fight}：{who}有{value}次长间隔。"},
        ),
    ),
    [name for name in DAMAGE if name not in ("Drusilla", "Phaedra")],
)  # fmt: skip


CANCELLED = figure_talk(
    "cancelled", "get_cancelled_casts",
    ("Casts of {who} begun and not finished.", "How often {who} broke off casts: cancelled casts.",
        "Cancel rate of {who}."),
    (
        Figure(
            "Cancelled (%)",
            ("what share of casts did {who} cancel {where}?", "{who}'s cancel rate {where}?",
             "cancelled casts of {who} {where} in per cent?",
                 "How many per cent of the spells did {who} break off {where}?"),
            ("Wie viel Prozent der Zauber hat {who} {where} abgebrochen?",
                "Wie hoch ist die Abbruchrate von {who} {where}?"),
            ("{where}{who}取消施法的比例是多少？", "{who}{where}断条率多少？"),
            {"en": "{who} cancelled {value} % of the casts {fight} ({also1} of {also2}); the grade is {also0}.",
             "de": "{who} hat {fight} {value} % der Zauber abgebrochen ({also1} von {also2}); Note: {also0}.",
             "zh": "{fight}：{who}取消了{value} %的施法（{also2}次中{also1}次），评级 {also0}。"},
            ("Grade", "Cancelled", "Begun"),
        ),
        Figure(
            "Cancelled",
            ("count the casts that {who} broke off {where}", "number of cancelled casts, {who}, {where}",
             "How many spells did {who} start and not finish {where}?", "{who} cancelled how many casts {where}?"),
            ("Wie viele Zauber hat {who} {where} abgebrochen?", "Anzahl abgebrochener Casts von {who} {where}?"),
            ("{where}{who}取消了多少次施法？", "{who}{where}断了多少个读条？"),
            {"en": "{who} cancelled {value} of {also0} casts {fight}.",
             "de": "{who} hat {fight} {value} von {also0} Zaubern abgebrochen.",
             "zh": "{fight}：{who}开始的{also0}次施法中取消了{value}次。"},
            ("Begun",),
        ),
        Figure(
            "Lost (s)",
            ("how much time did {who} lose with cancelled casts {where}?",
                "seconds lost to cancelled casts by {who} {where}?",
             "time {who} wasted on broken off casts {where}", "What did cancelling cost {who} {where} in seconds?"),
            ("Wie viel Zeit hat {who} {where} durch abgebrochene Zauber verloren?",
             "Wie viele Sekunden kosteten {who} die Abbrüche {where}?"),
            ("{where}{who}因取消施法损失了多少时间？", "{who}{where}断条浪费了几秒？"),
            {"en": "Cancelled casts cost {who} {value} s {fight}.",
             "de": "Abgebrochene Zauber haben {who} {fight} {value} s gekostet.",
             "zh": "{fight}：{who}因取消施法损失{value}秒。"},
        ),
    ),
    (*CASTERS, "Hestia", "Hadrix"),
)  # fmt: skip


ROTATION = figure_talk(
    "rotation", "get_rotation_score",
    ("One score for the rotation of {who}.", "Rotation grade of {who}.", "The rotation score of {who} in that fight."),
    (
        Figure(
            "Score",
            ("what's {who}'s rotation score {where}?", "How good was the rotation of {who} {where}?",
             "rate {who}'s rotation {where}", "rotation points for {who} {where}?",
                 "grade {who}'s rotation {where} please"),
            ("Wie gut war die Rotation von {who} {where}?", "Welche Rotationswertung hat {who} {where}?"),
            ("{where}{who}的循环评分是多少？", "{who}{where}手法打得怎么样？"),
            {"en": "{who}'s rotation scored {value} of 100 {fight} (grade {also0}).",
             "de": "Die Rotation von {who} kam {fight} auf {value} von 100 Punkten (Note {also0}).",
             "zh": "{fight}：{who}的循环得分为{value}（满分100，评级 {also0}）。"},
            ("Grade",),
        ),
    ),
    DAMAGE,
)  # fmt: skip


OVERHEAL = figure_talk(
    "overheal", "get_overheal_analysis",
    ("Overheal of {who} beside the target.", "How much {who} overhealed.", "Overheal share of the healer {who}."),
    (
        Figure(
            "Overheal (%)",
            ("how much overheal did {who} have {where}?", "{who}'s overhealing {where} in per cent?",
             "{who} overheal {where}", "What share of {who}'s healing was wasted {where}?"),
            ("Wie hoch war die Überheilung von {who} {where}?", "Wie viel Prozent hat {who} {where} überheilt?"),
            ("{where}{who}的过量治疗是多少？", "{who}{where}过量治疗百分之几？"),
            {"en": "{who} overhealed {value} % {fight}; the target of the spec is {also0} %.",
             "de": "{who} hatte {fight} {value} % Überheilung; das Ziel der Spezialisierung ist {also0} %.",
             "zh": "{fight}：{who}的过量治疗为{value} %，该专精的目标是{also0} %。"},
            ("Target (%)",),
        ),
        Figure(
            "Effective healing",
            ("how much effective healing did {who} do {where}?", "{who}'s real healing without overheal {where}?",
             "effective heal of {who} {where}", "How much of {who}'s healing counted {where}?"),
            ("Wie viel effektive Heilung hat {who} {where} gemacht?", "Heilung von {who} {where} ohne Überheilung?"),
            ("{where}{who}的有效治疗量是多少？", "{who}{where}不算过量治疗奶了多少？"),
            {"en": "{who} did {value} effective healing {fight} ({also0} HPS); {also1} more was overheal.",
             "de": "{who} hat {fight} {value} effektiv geheilt ({also0} HPS); {also1} waren Überheilung.",
             "zh": "{fight}：{who}的有效治疗为{value}（{also0} HPS），另有{also1}为过量治疗。"},
            ("HPS", "Overheal"),
        ),
    ),
    HEALERS,
)  # fmt: skip


DONE = figure_talk(
    "damage_done", "get_ability_breakdown",
    ("Damage of {who} in that fight.", "What {who} did, with the abilities.", "DPS of {who}: the breakdown has it."),
    (
        Figure(
            "DPS",
            ("what dps did {who} pull {where}?", "How much DPS did {who} do {where}?", "{who} dps {where}",
             "tell me the damage per second of {who} {where}"),
            ("Wie viel DPS hat {who} {where} gemacht?", "Welche DPS hatte {who} {where}?"),
            ("{where}{who}的DPS是多少？", "{who}{where}秒伤多少？"),
            {"en": "{who} did {value} DPS {fight}, {also0} damage in all.",
             "de": "{who} hat {fight} {value} DPS gemacht, insgesamt {also0} Schaden.",
             "zh": "{fight}：{who}的DPS为{value}，总伤害{also0}。"},
            ("Damage",),
        ),
        Figure(
            "Damage",
            ("how much damage did {who} do in total {where}?", "total dmg of {who} {where}?",
                "{who}'s overall damage {where}",
             "What was {who}'s damage done {where}?"),
            ("Wie viel Schaden hat {who} {where} insgesamt gemacht?", "Gesamtschaden von {who} {where}?"),
            ("{where}{who}总共打了多少伤害？", "{who}{where}的总伤害？"),
            {"en": "{who} did {value} damage {fight}.", "de": "{who} hat {fight} {value} Schaden gemacht.",
             "zh": "{fight}：{who}造成了{value}点伤害。"},
        ),
        Figure(
            "Pet damage",
            ("how much did {who}'s pet do {where}?", "pet damage of {who} {where}?",
                "What did the pet of {who} deal {where}?",
             "did {who}'s pet do any damage {where}?"),
            ("Wie viel Schaden hat der Begleiter von {who} {where} gemacht?", "Pet-Schaden von {who} {where}?"),
            ("{where}{who}的宠物打了多少伤害？", "{who}{where}宠物伤害多少？"),
            {"en": "{who}'s pet did {value} damage {fight}; {also0} is the damage in all.",
             "de": "Der Begleiter von {who} hat {fight} {value} Schaden gemacht; insgesamt waren es {also0}.",
             "zh": "{fight}：{who}的宠物造成{value}伤害，总伤害{also0}。"},
            ("Damage",),
        ),
    ),
    ("Drusilla", "Phaedra"),
)  # fmt: skip


TOP: Said = {
    "en": ("what was {who}'s top ability {where}?", "Which spell did the most for {who} {where}?",
           "{who}: biggest ability {where}?", "what does {who} do most of the damage with {where}"),
    "de": ("Welche Fähigkeit brachte {who} {where} am meisten?", "Womit macht {who} {where} den meisten Schaden?"),
    "zh": ("{where}{who}伤害最高的技能是什么？", "{who}{where}主要靠哪个技能？"),
}  # fmt: skip


LONGEST: Said = {
    "en": ("when was {who}'s longest pause {where}?", "Longest gap of {who} {where}?",
           "how long was the longest break in {who}'s casting {where}?", "what was {who}'s worst gap {where}"),
    "de": ("Wann war die längste Pause von {who} {where}?", "Wie lang war die längste Lücke von {who} {where}?"),
    "zh": ("{where}{who}最长的停手是什么时候？", "{who}{where}最长空档有多长？"),
}  # fmt: skip


def top_ability(rng: Rng, language: Language) -> Talk:
    who = rng.some([name for name in DAMAGE if name not in ("Drusilla", "Phaedra")])
    meant = where(rng, language, who)
    yield ask(rng, language, TOP, who=who, where=meant.said)
    thought = rng.some([f"Abilities of {who} by share.", f"What {who}'s damage is made of: the breakdown."])
    seen = yield call(thought, "get_ability_breakdown", player_name=who, **meant.args)
    assert seen
    best = rows(seen.text, "Damage by ability")[0]
    name, total, share = best["Ability"], best["Total"], best["Share (%)"]
    fight = fight_of(seen, language, meant.boss)
    told = {
        "en": f"{name}: {total} damage, {share} % of {who}'s damage {fight}.",
        "de": f"{name}: {total} Schaden, {share} % des Schadens von {who} {fight}.",
        "zh": f"{fight}：{who}伤害最高的是{name}，{total}点，占{share} %。",
    }
    yield Answer(f"First row: {name}, total {total}, share {share} %.", told[language])


def longest_gap(rng: Rng, language: Language) -> Talk:
    who = rng.some([name for name in DAMAGE if name not in ("Drusilla", "Phaedra")])
    meant = where(rng, language, who)
    yield ask(rng, language, LONGEST, who=who, where=meant.said)
    seen = yield call(
        f"Gaps of {who}: the activity report lists them.", "get_activity_report", player_name=who, **meant.args
    )
    assert seen
    fight, gaps = fight_of(seen, language, meant.boss), rows(seen.text, "Gaps")
    if not gaps:
        told = {
            "en": f"{who} had no gap over 2.5 s {fight}.",
            "de": f"{who} hatte {fight} keine Lücke über 2.5 s.",
            "zh": f"{fight}：{who}没有超过2.5秒的间隔。",
        }
        yield Answer(f"Long gaps {value(seen.text, 'Long gaps')}, gaps none.", told[language])
        return
    began, length, why = gaps[0]["From"], gaps[0]["Length (s)"], gaps[0]["What happened"]
    told = {
        "en": f"{who}'s longest gap {fight} was {length} s, from {began} on.",
        "de": f"Die längste Lücke von {who} {fight} dauerte {length} s, ab {began}.",
        "zh": f"{fight}：{who}最长的间隔为{length}秒，从{began}开始。",
    }
    yield Answer(f"Longest gap: from {began}, length {length} s, {why}."[:160], told[language])


WORST_OVERHEAL: Said = {
    "en": ("which spell of {who} overhealed most {where}?", "What does {who} overheal with {where}?",
           "{who}: spell with the worst overheal {where}?", "on which spell is {who} wasting the most heal {where}"),
    "de": ("Mit welchem Zauber hat {who} {where} am meisten überheilt?",
        "Welcher Zauber von {who} überheilt {where} am stärksten?"),
    "zh": ("{where}{who}哪个法术过量治疗最多？", "{who}{where}主要是哪个技能过量了？"),
}  # fmt: skip


SCORE_WHY: Said = {
    "en": ("what cost {who} points in the rotation {where}?", "Why isn't {who}'s rotation perfect {where}?",
           "where does {who} lose rotation points {where}", "what should {who} improve in the rotation {where}?"),
    "de": ("Wo verliert {who} {where} Punkte in der Rotation?", "Was sollte {who} an der Rotation {where} verbessern?"),
    "zh": ("{where}{who}的循环在哪里丢分？", "{who}{where}手法哪里要改进？"),
}  # fmt: skip


def worst_overheal(rng: Rng, language: Language) -> Talk:
    who = rng.some(HEALERS)
    meant = where(rng, language, who)
    yield ask(rng, language, WORST_OVERHEAL, who=who, where=meant.said)
    seen = yield call(f"Overheal of {who} by spell.", "get_overheal_analysis", player_name=who, **meant.args)
    assert seen
    worst = max(rows(seen.text, "Spells"), key=lambda each: number(each["Overheal"]))
    name, amount, share = worst["Spell"], worst["Overheal"], worst["Overheal (%)"]
    fight = fight_of(seen, language, meant.boss)
    told = {
        "en": f"{name}: {amount} overheal, {share} % of what {who} healed with it {fight}.",
        "de": f"{name}: {amount} Überheilung, {share} % der Heilung damit, {who} {fight}.",
        "zh": f"{fight}：{who}过量最多的是{name}，{amount}点，占该法术的{share} %。",
    }
    yield Answer(f"Largest overheal: row {name}, overheal {amount}, {share} %.", told[language])


def rotation_why(rng: Rng, language: Language) -> Talk:
    who = rng.some(DAMAGE)
    meant = where(rng, language, who)
    yield ask(rng, language, SCORE_WHY, who=who, where=meant.said)
    seen = yield call(f"The parts of {who}'s rotation score.", "get_rotation_score", player_name=who, **meant.args)
    assert seen
    parts, score, fight = rows(seen.text, "Parts"), value(seen.text, "Score"), fight_of(seen, language, meant.boss)
    worst = max(parts, key=lambda each: number(each["Out of"]) - number(each["Points"]))
    name, got, most = worst["Part"], worst["Points"], worst["Out of"]
    if got == most:
        told = {
            "en": f"Nothing: {who} scored {score} of 100 {fight}, with full points in every part.",
            "de": f"Nirgends: {who} hat {fight} {score} von 100 Punkten, in jedem Teil die volle Zahl.",
            "zh": f"没有丢分：{fight}，{who}得分{score}，各项都是满分。",
        }
        yield Answer(f"Score {score}, every part has its full points.", told[language])
        return
    have, aim = worst["Value"], worst["Target"]
    told = {
        "en": f"{name} cost the most: {got} of {most} points ({have} beside a target of {aim}); the score is {score} "
        f"{fight}."
        f"\n- [ ] {name}: get from {have} to {aim}.",
        "de": f"Am meisten bei „{name}“: {got} von {most} Punkten ({have}, Ziel {aim}); insgesamt {score} {fight}."
        f"\n- [ ] {name}: von {have} auf {aim} kommen.",
        "zh": f"丢分最多的是{name}：{most}分中得{got}分（{have}，目标{aim}）；{fight}总分{score}。"
        f"\n- [ ] {name}：从{have}提高到{aim}。",
    }
    yield Answer(f"Score {score}. Row {name}: value {have}, target {aim}, points {got} of {most}.", told[language])


TALKS: dict[MakeTalk, int] = {
    ACTIVITY: 5,
    CANCELLED: 4,
    ROTATION: 3,
    OVERHEAL: 4,
    DONE: 3,
    top_ability: 3,
    longest_gap: 2,
    worst_overheal: 2,
    rotation_why: 2,
}
