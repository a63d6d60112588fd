"""Talks about damage over time."""

from training.data.assistants.raids.parts import (
    DAMAGE,
    DOTTERS,
    LAIRS,
    Figure,
    Said,
    ask,
    boss,
    fight_of,
    figure_talk,
    head,
    rows,
    where,
)
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng

DOTS = figure_talk(
    "dots", "get_dot_management",
    ("DoTs of {who}: early renewals.", "How {who} kept DoTs up and renewed them.", "Clipped DoTs of {who}."),
    (
        Figure(
            "Early (%)",
            ("how often did {who} clip dots {where}?", "share of early DoT renewals of {who} {where}?",
             "how many dots did {who} refresh too early {where}?", "{who} dot clipping {where}, per cent?"),
            ("Wie oft hat {who} {where} DoTs zu früh erneuert?", "Anteil früher DoT-Erneuerungen von {who} {where}?"),
            ("{where}{who}过早刷新DoT的比例是多少？", "{who}{where}有没有太早补DoT？"),
            {"en": "{who} renewed {value} % of the DoTs early {fight} ({also0} of {also1}); grade {also2}.",
             "de": "{who} hat {fight} {value} % der DoTs zu früh erneuert ({also0} von {also1}); Note {also2}.",
             "zh": "{fight}：{who}有{value} %的DoT过早刷新（{also1}次中{also0}次），评级 {also2}。"},
            ("Early renewals", "Applications", "Grade"),
        ),
        Figure(
            "Lost damage",
            ("how much damage did {who} lose by clipping dots {where}?",
                "What did early dot refreshes cost {who} {where}?",
             "damage lost to clipped DoTs, {who}, {where}",
                 "{who}: how much dmg is gone because of early renewals {where}?"),
            ("Wie viel Schaden hat {who} {where} durch zu frühe DoTs verloren?",
             "Was haben frühe DoT-Erneuerungen {who} {where} gekostet?"),
            ("{where}{who}因过早刷新DoT损失了多少伤害？", "{who}{where}断DoT亏了多少伤害？"),
            {"en": "{who} lost about {value} damage to early renewals {fight} ({also0} ticks, {also1} DPS).",
             "de": "{who} hat {fight} etwa {value} Schaden durch frühe Erneuerungen verloren ({also0} Ticks, {also1} "
             "DPS).",
             "zh": "{fight}：{who}因过早刷新损失约{value}伤害（{also0}跳，{also1} DPS）。"},
            ("Lost ticks", "Lost DPS"),
        ),
    ),
    ("Vessara",),
)  # fmt: skip


NO_DOTS: Said = {
    "en": ("did {who} clip any dots {where}?", "how well did {who} manage DoTs {where}?", "{who}'s dot uptime {where}?",
           "check {who}'s dots {where}"),
    "de": ("Wie gut hat {who} {where} die DoTs gehalten?", "Hat {who} {where} DoTs zu früh erneuert?"),
    "zh": ("{where}{who}的DoT管理得怎么样？", "{who}{where}DoT断了吗？"),
}  # fmt: skip


def dots_of_others(rng: Rng, language: Language) -> Talk:
    """Of a class that is not judged on them."""
    who = rng.some([name for name in DAMAGE if name not in DOTTERS])
    meant = where(rng, language, who)
    yield ask(rng, language, NO_DOTS, who=who, where=meant.said)
    seen = yield call(f"DoTs of {who}.", "get_dot_management", player_name=who, **meant.args)
    assert seen
    spec = f"{head(seen.text, 'Spec')} {head(seen.text, 'Class')}"
    told = {
        "en": f"That does not apply: {who} is {spec}, and DoTs are judged for Warlocks, Shadow Priests and Balance "
        f"Druids only.",
        "de": f"Das gilt hier nicht: {who} ist {spec}, und DoTs werden nur bei Warlocks, Shadow Priests und Balance "
        f"Druids bewertet.",
        "zh": f"这里不适用：{who}是{spec}，只有术士、暗影牧师和平衡德鲁伊才评估DoT。",
    }
    yield Answer(f"Applies: no; {who} is {spec}.", told[language])


DOT_UPTIME: Said = {
    "en": ("what was the uptime of {who}'s {dot} {where}?", "{dot} uptime, {who}, {where}?",
           "how long did {who} keep {dot} up {where}", "How well did {who} hold {dot} {where}?"),
    "de": ("Wie hoch war die Uptime von {dot} bei {who} {where}?", "Wie lange hielt {who} {where} {dot} oben?"),
    "zh": ("{where}{who}的{dot}覆盖率是多少？", "{who}{where}{dot}保持得怎么样？"),
}  # fmt: skip


def dot_uptime(rng: Rng, language: Language) -> Talk:
    who, dots = rng.some([("Vessara", ("Corruption", "Unstable Affliction", "Siphon Life")),
                          ("Ysolt", ("Shadow Word: Pain", "Vampiric Touch"))])  # fmt: skip
    dot, meant = rng.some(dots), boss(rng, language, LAIRS)
    place = {"en": f"on {meant.said}", "de": f"bei {meant.said}", "zh": f"打{meant.said}时"}[language]
    yield ask(rng, language, DOT_UPTIME, who=who, where=place, dot=dot)
    thought = f"Uptime of {dot}: DoT management of {who}."
    seen = yield call(thought, "get_dot_management", player_name=who, fight_id=meant.said)
    assert seen
    found = next(each for each in rows(seen.text, "Dots") if each["Dot"] == dot)
    up, main = found["Uptime (%)"], found["Main target uptime (%)"]
    fight = fight_of(seen, language, meant.said)
    told = {
        "en": f"{who} had {dot} up for {up} % {fight}, on the main target {main} %.",
        "de": f"{who} hielt {dot} {fight} zu {up} % oben, am Hauptziel {main} %.",
        "zh": f"{fight}：{who}的{dot}覆盖率为{up} %，主要目标上为{main} %。",
    }
    yield Answer(f"Row {dot}: uptime {up} %, main target uptime {main} %.", told[language])


TALKS: dict[MakeTalk, int] = {
    DOTS: 3,
    dots_of_others: 1,
    dot_uptime: 2,
}
