"""Talks that go on, and those about two players or everybody."""

from training.data.assistants.raids.parts import (
    DAMAGE,
    HEALERS,
    LAIRS,
    NAMES,
    TEN,
    Said,
    ask,
    boss,
    fight_of,
    row,
    rows,
    value,
    where,
)
from training.data.assistants.talk import Ask, MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng

FIRST: Said = {
    "en": ("what's {who}'s overheal {where}?", "overhealing of {who} {where} in %?", "{who}: overheal {where}",
        "per cent overheal of {who} {where}?"),
    "de": ("Wie viel Prozent Überheilung hatte {who} {where}?", "Überheilung von {who} {where}?"),
    "zh": ("{where}{who}过量治疗多少？", "{who}{where}的过量治疗百分比"),
}  # fmt: skip


NEXT: Said = {
    "en": ("and {who}?", "what about {who}", "same for {who}"),
    "de": ("und {who}?", "und bei {who}?"),
    "zh": ("{who}呢？", "那{who}呢"),
}


def another_player(rng: Rng, language: Language) -> Talk:
    """The same question of another player: the fight stays."""
    first, second = rng.sample(HEALERS, 2)
    meant = boss(rng, language, LAIRS)
    place = {"en": f"on {meant.said}", "de": f"bei {meant.said}", "zh": f"打{meant.said}时"}[language]
    yield ask(rng, language, FIRST, who=first, where=place)
    for at, who in enumerate((first, second)):
        if at:
            yield Ask(rng.some(NEXT[language]).format(who=who))
        thought = f"The same of {who}, at the same boss." if at else f"Overheal of {who}."
        seen = yield call(thought, "get_overheal_analysis", player_name=who, fight_id=meant.said)
        assert seen
        share, aim = value(seen.text, "Overheal (%)"), value(seen.text, "Target (%)")
        fight = fight_of(seen, language, meant.said)
        told = {
            "en": f"{who} overhealed {share} % {fight}; the target is {aim} %.",
            "de": f"{who} hatte {share} % Überheilung {fight}; das Ziel ist {aim} %.",
            "zh": f"{fight}：{who}过量治疗{share} %，目标{aim} %。",
        }
        yield Answer(f"{who}: overheal {share} %, target {aim} %.", told[language])


COMPARE: Said = {
    "en": ("who did more dps {where}, {a} or {b}?", "{a} or {b}: higher dps {where}?",
        "compare the dps of {a} and {b} {where}", "was {a} ahead of {b} in dps {where}?"),
    "de": ("Wer hatte {where} mehr DPS, {a} oder {b}?", "{a} gegen {b}: DPS {where}?"),
    "zh": ("{where}{a}和{b}谁的DPS高？", "比较{a}和{b}{where}的DPS"),
}  # fmt: skip


def two_players(rng: Rng, language: Language) -> Talk:
    one, other = rng.sample([each for each in DAMAGE if each in TEN], 2)
    meant = boss(rng, language, [each for each in NAMES if each != "Opera Hall"])
    place = {"en": f"on {meant.said}", "de": f"bei {meant.said}", "zh": f"打{meant.said}时"}[language]
    yield ask(rng, language, COMPARE, a=one, b=other, where=place)
    got: dict[str, str] = {}
    for who in (one, other):
        seen = yield call(f"DPS of {who} at that boss.", "get_ability_breakdown", player_name=who, fight_id=meant.said)
        assert seen
        got[who] = value(seen.text, "DPS")
    best, least = sorted(got, key=lambda who: -float(got[who].replace(",", "")))
    told = {
        "en": f"{best} did more {place}: {got[best]} DPS, {least} {got[least]}.",
        "de": f"{best} hatte {place} mehr: {got[best]} DPS, {least} {got[least]}.",
        "zh": f"{place}{best}更高：{got[best]} DPS，{least}为{got[least]}。",
    }
    yield Answer(f"{one} {got[one]} DPS, {other} {got[other]} DPS.", told[language])


WHO_IDLE: Said = {
    "en": ("who lost the most time by idling {where}?", "who was least active {where}?",
        "which dps slacked most {where}", "worst activity in the raid {where}?"),
    "de": ("Wer hat {where} am meisten Zeit durch Untätigkeit verloren?", "Wer war {where} am wenigsten aktiv?"),
    "zh": ("{where}谁发呆损失的时间最多？", "{where}谁最不活跃"),
}  # fmt: skip


def least_active(rng: Rng, language: Language) -> Talk:
    meant = where(rng, language)
    yield ask(rng, language, WHO_IDLE, where=meant.said)
    seen = yield call(
        "Activity of everybody in one table: player 'raid'.", "get_activity_report", player_name="raid", **meant.args
    )
    assert seen
    first, fight = rows(seen.text, "Everybody")[0], fight_of(seen, language, meant.boss)
    name, lost, grade = first["Player"], first["Lost (s)"], first["Grade"]
    told = {
        "en": f"{name}: {lost} s lost {fight}, grade {grade}.",
        "de": f"{name}: {lost} s verloren {fight}, Note {grade}.",
        "zh": f"{fight}：{name}损失{lost}秒，评级 {grade}。",
    }
    yield Answer(f"First row: {name}, lost {lost} s, grade {grade}.", told[language])


ZORRIN: Said = {
    "en": ("what killed Zorrin in the Gruul kills?", "why does Zorrin keep dying on Gruul",
        "Zorrin's deaths at Gruul over all nights, of what?", "cause of Zorrin's deaths on Gruul kills?"),
    "de": ("Woran stirbt Zorrin bei Gruul?", "Todesursache von Zorrin an Gruul über alle Abende?"),
    "zh": ("Zorrin在格鲁尔是怎么死的？", "Zorrin打格鲁尔的死因"),
}  # fmt: skip


def cause_of(rng: Rng, language: Language) -> Talk:
    yield ask(rng, language, ZORRIN)
    said = "格鲁尔" if language == "zh" else "Gruul"
    seen = yield call(
        "Deaths of one player at one boss over all nights.",
        "get_death_analysis",
        report_code="all",
        fight_id=said,
        player_name="Zorrin",
    )
    assert seen
    found = row(rows(seen.text, "By cause"), "On kills", "2") or rows(seen.text, "By cause")[0]
    cause, deaths, avoid = found["Cause"], found["Deaths"], found["Avoidable"]
    told = {"en": f"{cause}: {deaths} deaths of Zorrin on Gruul, avoidable: {avoid}.\n- [ ] Step out of the falling "
    f"stones at once.",
            "de": f"{cause}: {deaths} Tode von Zorrin bei Gruul, vermeidbar: {avoid}.\n- [ ] Sofort aus den "
            f"fallenden Steinen gehen.",
            "zh": f"{cause}：Zorrin在格鲁尔死了{deaths}次，可避免{avoid}次。\n- [ ] 立刻离开落石区域。"}  # fmt: skip
    yield Answer(
        f"By cause: {cause}, deaths {deaths}, on kills {found['On kills']}, avoidable {avoid}.", told[language]
    )


TALKS: dict[MakeTalk, int] = {
    another_player: 3,
    two_players: 3,
    least_active: 2,
    cause_of: 1,
}
