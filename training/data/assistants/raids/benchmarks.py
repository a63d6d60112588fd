"""Talks about benchmarks: specs, rankings, good raids, a player beside the best."""

from training.data.assistants.raids.parts import (
    DAMAGE,
    HEALERS,
    LAIRS,
    NAMES,
    TEN,
    Said,
    ask,
    boss,
    row,
    rows,
    value,
)
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng

SPECS = [("Mage", "Fire"), ("Mage", "Frost"), ("Mage", "Arcane"), ("Warlock", "Affliction"), ("Warlock",
    "Destruction"), ("Rogue", "Combat"),
         ("Hunter", "Beast Mastery"), ("Hunter", "Survival"), ("Warrior", "Fury"), ("Warrior", "Arms"), ("Priest",
             "Shadow"), ("Shaman", "Enhancement"),
         ("Shaman", "Elemental"), ("Druid", "Balance"), ("Paladin", "Retribution")]  # fmt: skip


HEAL_SPECS = [
    ("Priest", "Holy"),
    ("Paladin", "Holy"),
    ("Druid", "Restoration"),
    ("Shaman", "Restoration"),
    ("Priest", "Discipline"),
]


CHINESE = {
    "Fire Mage": "火法",
    "Frost Mage": "冰法",
    "Arcane Mage": "奥法",
    "Shadow Priest": "暗牧",
    "Fury Warrior": "狂暴战",
    "Affliction Warlock": "痛苦术",
}


def _spec(rng: Rng, language: Language, among: list[tuple[str, str]]) -> tuple[str, str, str]:
    class_name, spec = rng.some(among)
    full = f"{spec} {class_name}"
    said = CHINESE.get(full, full) if language == "zh" else rng.some([full, full.lower()]) if language == "en" else full
    return class_name, spec, said


TARGET: Said = {
    "en": ("what {unit} should a {spec} do on {boss}?", "{unit} target for {spec} at {boss}?",
        "how much {unit} is good for a {spec} on {boss}", "what's expected of a {spec} on {boss} in {unit}?"),
    "de": ("Wie viel {unit} sollte ein {spec} bei {boss} machen?", "{unit}-Ziel für {spec} bei {boss}?"),
    "zh": ("{spec}打{boss}应该有多少{unit}？", "{boss}上{spec}的{unit}目标是多少"),
}  # fmt: skip


SPEC_FIGURES: dict[str, tuple[Said, dict[Language, str]]] = {
    "GCD uptime (%)": (
        {"en": ("what GCD uptime do good {spec}s have on {boss}?", "gcd uptime benchmark for {spec} at {boss}?",
            "how active are good {spec} players on {boss}", "typical GCD uptime of a strong {spec} on {boss}?"),
         "de": ("Welche GCD-Auslastung haben gute {spec} bei {boss}?", "GCD-Richtwert für {spec} bei {boss}?"),
             "zh": ("好的{spec}打{boss}时GCD覆盖率是多少？", "{boss}上{spec}的GCD覆盖率标准")},
        {"en": "Good {spec} players have {value} % GCD uptime on {boss}.",
            "de": "Gute {spec} haben bei {boss} {value} % GCD-Auslastung.",
                "zh": "优秀的{spec}打{boss}时GCD覆盖率为{value} %。"},
    ),
    "Casts per minute": (
        {"en": ("how many casts a minute should a {spec} do on {boss}?", "cpm benchmark {spec} {boss}?",
            "casts per minute of good {spec}s at {boss}", "how fast does a good {spec} cast on {boss}, per minute?"),
         "de": ("Wie viele Casts pro Minute machen gute {spec} bei {boss}?",
             "Richtwert Casts pro Minute, {spec}, {boss}?"), "zh": ("{spec}打{boss}每分钟应施法多少次？",
                 "{boss}上{spec}的每分钟施法标准")},
        {"en": "Good {spec} players do {value} casts a minute on {boss}.",
            "de": "Gute {spec} machen bei {boss} {value} Casts pro Minute.",
                "zh": "优秀的{spec}打{boss}时每分钟施法{value}次。"},
    ),
}  # fmt: skip


def spec_target(rng: Rng, language: Language) -> Talk:
    unit = rng.some(["DPS", "DPS", "HPS"])
    class_name, spec, said = _spec(rng, language, SPECS if unit == "DPS" else HEAL_SPECS)
    meant = boss(rng, language)
    yield ask(rng, language, TARGET, unit=unit, spec=said, boss=meant.said)
    thought = rng.some(
        [f"Target of a spec at a boss: benchmark of {spec} {class_name}.", "What good players of the spec do there."]
    )
    seen = yield call(thought, "get_spec_benchmark", encounter_name=meant.said, class_name=class_name, spec_name=spec)
    assert seen
    aim, best, kills = value(seen.text, f"{unit} target"), value(seen.text, f"{unit} best"), value(seen.text, "Kills")
    if not aim:
        return
    told = {"en": f"The target is {aim} {unit} for a {spec} {class_name} on {meant.said} (best {best}, from {kills} "
    f"reference kills).",
            "de": f"Das Ziel ist {aim} {unit} für {spec} {class_name} bei {meant.said} (Bestwert {best}, aus {kills} "
            f"Referenzkills).",
            "zh": f"{said}打{meant.said}的目标是{aim} {unit}（最高{best}，参考击杀{kills}次）。"}  # fmt: skip
    yield Answer(f"{unit} target {aim}, {unit} best {best}, kills {kills}.", told[language])


def spec_figure(rng: Rng, language: Language) -> Talk:
    key, meant = rng.some(list(SPEC_FIGURES)), boss(rng, language)
    class_name, spec, said = _spec(rng, language, SPECS)
    yield ask(rng, language, SPEC_FIGURES[key][0], spec=said, boss=meant.said)
    seen = yield call(
        f"{key} of good players: spec benchmark.",
        "get_spec_benchmark",
        encounter_name=meant.said,
        class_name=class_name,
        spec_name=spec,
    )
    assert seen
    read = value(seen.text, key)
    if not read:
        return
    yield Answer(f"{key}: {read}.", SPEC_FIGURES[key][1][language].format(spec=said, boss=meant.said, value=read))


RANK: Said = {
    "en": ("who are the top {n} {spec}s on {boss}?", "best {n} {spec} players at {boss}",
        "top {n} {spec} rankings {boss}?", "list the {n} strongest {spec}s on {boss}"),
    "de": ("Wer sind die besten {n} {spec} bei {boss}?", "Top {n} der {spec} an {boss}?"),
    "zh": ("{boss}上最强的{n}个{spec}是谁？", "{boss}{spec}排名前{n}"),
}  # fmt: skip


BEST: Said = {
    "en": ("who is the best {spec} on {boss}?", "highest ranked {spec} at {boss}, and how much?",
        "number one {spec} on {boss}?", "best reference {spec} at {boss}"),
    "de": ("Wer ist der beste {spec} bei {boss}?", "Platz eins der {spec} an {boss}?"),
    "zh": ("{boss}上最强的{spec}是谁？", "{boss}{spec}第一名是谁"),
}  # fmt: skip


def rankings(rng: Rng, language: Language) -> Talk:
    count, meant = rng.some([1, 1, 2, 3]), boss(rng, language)
    class_name, spec, said = _spec(rng, language, [*SPECS, *HEAL_SPECS])
    yield ask(rng, language, BEST if count == 1 else RANK, n=str(count), spec=said, boss=meant.said)
    seen = yield call(
        f"Best {spec} {class_name} at that boss.",
        "get_top_rankings",
        encounter_name=meant.said,
        class_name=class_name,
        spec_name=spec,
        limit=count,
    )
    assert seen
    table = rows(seen.text, "Rankings")[:count]
    if not table:
        return
    unit = "HPS" if "HPS" in table[0] else "DPS"
    names = ", ".join(f"{each['Player']} {each[unit]} {unit}" for each in table)
    told = {
        "en": f"{names} ({spec} {class_name} on {meant.said}, reference kills).",
        "de": f"{names} ({spec} {class_name} bei {meant.said}, Referenzkills).",
        "zh": f"{names}（{meant.said}，{said}，参考击杀）。",
    }
    few = {
        "en": " There are no more in the references.",
        "de": " Mehr gibt es in den Referenzen nicht.",
        "zh": "参考中没有更多。",
    }
    yield Answer(f"Rankings: {names}.", told[language] + (few[language] if len(table) < count else ""))


LEADER: Said = {
    "en": ("what is the number one damage spec at {boss}?", "strongest dps spec at {boss}?",
        "what spec tops {boss} on average", "best spec for damage on {boss}?"),
    "de": ("Welche Spezialisierung macht bei {boss} am meisten Schaden?", "Stärkster DPS-Spec an {boss}?"),
    "zh": ("{boss}哪个专精伤害最高？", "打{boss}平均DPS最高的专精"),
}  # fmt: skip


LEADER_HEAL: Said = {
    "en": ("which healing spec is strongest on {boss}?", "best healer spec at {boss}?",
        "what healers do most HPS on {boss} on average", "top healing spec {boss}?"),
    "de": ("Welche Heilspezialisierung ist bei {boss} am stärksten?", "Bester Heiler-Spec an {boss}?"),
    "zh": ("{boss}哪个治疗专精最强？", "打{boss}平均HPS最高的治疗专精"),
}  # fmt: skip


LEADER_ONE: Said = {
    "en": ("what's the average dps of {spec} on {boss}?", "how do {spec}s do on average at {boss}",
        "average {spec} damage on {boss}, all kills?", "mean DPS of the {spec} spec at {boss}?"),
    "de": ("Wie hoch ist die mittlere DPS von {spec} bei {boss}?", "Durchschnittliche DPS der {spec} an {boss}?"),
    "zh": ("{boss}上{spec}的平均DPS是多少？", "打{boss}{spec}平均多少DPS"),
}  # fmt: skip


def leaderboard(rng: Rng, language: Language) -> Talk:
    kind, meant = rng.some(["damage", "healing", "one"]), boss(rng, language)
    class_name, spec, said = _spec(rng, language, SPECS)
    yield ask(
        rng, language, {"damage": LEADER, "healing": LEADER_HEAL, "one": LEADER_ONE}[kind], boss=meant.said, spec=said
    )
    seen = yield call("Specs at a boss by average: the leaderboard.", "get_spec_leaderboard", encounter_name=meant.said)
    assert seen
    table, unit = (
        (rows(seen.text, "Healers by HPS"), "HPS") if kind == "healing" else (rows(seen.text, "Specs by DPS"), "DPS")
    )
    found = row(table, "Spec", f"{spec} {class_name}") if kind == "one" else table[0] if table else None
    if found is None:
        return
    name, mean = found["Spec"], found[f"Average {unit}"]
    told = {
        "en": f"{name}: {mean} {unit} on average on {meant.said}.",
        "de": f"{name}: im Schnitt {mean} {unit} bei {meant.said}.",
        "zh": f"{name}：{meant.said}平均{mean} {unit}。",
    }
    yield Answer(f"Row {name}: average {unit} {mean}.", told[language])


GOOD: dict[str, tuple[Said, dict[Language, str]]] = {
    "Kill time median": (
        {"en": ("how long do good raids take for {boss}?", "typical kill time of {boss} in good raids?",
            "what's a good kill time on {boss}", "reference kill time {boss}?"),
         "de": ("Wie lange brauchen gute Raids für {boss}?", "Übliche Killzeit guter Gruppen bei {boss}?"),
             "zh": ("好的团队打{boss}要多久？", "{boss}的参考击杀时间")},
        {"en": "Good raids kill {boss} in {value} (median).", "de": "Gute Raids töten {boss} in {value} (Median).",
            "zh": "优秀团队击杀{boss}的中位时间为{value}。"},
    ),
    "Kill time fastest": (
        {"en": ("what's the fastest reference kill of {boss}?", "quickest {boss} kill of the good raids?",
            "how fast did the best raid kill {boss}", "record kill time among the references on {boss}?"),
         "de": ("Was ist der schnellste Referenzkill von {boss}?", "Wie schnell hat der beste Raid {boss} gelegt?"),
             "zh": ("{boss}最快的参考击杀是多少？", "最好的团队打{boss}用了多久")},
        {"en": "The fastest reference kill of {boss} took {value}.",
            "de": "Der schnellste Referenzkill von {boss} dauerte {value}.", "zh": "{boss}最快的参考击杀用时{value}。"},
    ),
    "Raid DPS": (
        {"en": ("what raid dps do good raids have on {boss}?", "benchmark raid DPS at {boss}?",
            "how much raid damage per second is good on {boss}", "reference raid dps {boss}?"),
         "de": ("Welche Raid-DPS haben gute Raids bei {boss}?", "Richtwert für Raid-DPS an {boss}?"),
             "zh": ("好的团队打{boss}全团DPS是多少？", "{boss}的参考全团DPS")},
        {"en": "Good raids do {value} raid DPS on {boss}.", "de": "Gute Raids machen bei {boss} {value} Raid-DPS.",
            "zh": "优秀团队打{boss}的全团DPS为{value}。"},
    ),
    "Deaths a kill": (
        {"en": ("how many deaths do good raids have on {boss}?", "deaths per kill of good groups at {boss}?",
            "do good raids lose people on {boss}", "average deaths on {boss} in reference kills?"),
         "de": ("Wie viele Tode haben gute Raids bei {boss}?", "Tode pro Kill guter Gruppen an {boss}?"),
             "zh": ("好的团队打{boss}平均死几个？", "{boss}参考击杀的死亡数")},
        {"en": "Deaths a kill in good raids on {boss}: {value}.",
            "de": "Tode pro Kill guter Raids bei {boss}: {value}.", "zh": "优秀团队每次击杀{boss}死亡{value}次。"},
    ),
}  # fmt: skip


def good_raids(rng: Rng, language: Language) -> Talk:
    key, meant = rng.some(list(GOOD)), boss(rng, language)
    yield ask(rng, language, GOOD[key][0], boss=meant.said)
    thought = rng.some(
        ["What good raids do on a boss: benchmarks.", "A boss, no player and no spec: encounter benchmarks."]
    )
    seen = yield call(thought, "get_encounter_benchmarks", encounter_name=meant.said)
    assert seen
    read = value(seen.text, key)
    yield Answer(f"{key}: {read}.", GOOD[key][1][language].format(boss=meant.said, value=read))


GAP: Said = {
    "en": ("how far is {who} behind the best on {boss}?", "compare {who} on {boss} with the top",
        "{who} vs top players at {boss}?", "where does {who} stand against the best on {boss}?"),
    "de": ("Wie weit liegt {who} bei {boss} hinter den Besten?", "Vergleiche {who} bei {boss} mit der Spitze"),
    "zh": ("{who}打{boss}和顶尖玩家差多少？", "比较{who}在{boss}和最强玩家"),
}  # fmt: skip


IMPROVE: Said = {
    "en": ("what should {who} do better on {boss} compared to the best?",
        "how can {who} close the gap to the top on {boss}?", "advice for {who} at {boss}, against the best please",
            "what is {who} missing on {boss} next to top players"),
    "de": ("Was sollte {who} bei {boss} im Vergleich zu den Besten besser machen?",
        "Wie kommt {who} bei {boss} näher an die Spitze?"),
    "zh": ("和最强的人比，{who}打{boss}该改进什么？", "{who}怎样缩小{boss}上和顶尖的差距"),
}  # fmt: skip


def to_top(rng: Rng, language: Language) -> Talk:
    who, advised = rng.some((*DAMAGE, "Hestia", "Ishara")), rng.chance(0.35)
    meant = boss(rng, language, tuple(NAMES) if who in TEN else LAIRS)
    yield ask(rng, language, IMPROVE if advised else GAP, who=who, boss=meant.said)
    seen = yield call(
        f"{who} beside the best of the spec at that boss.", "compare_to_top", encounter_name=meant.said, player_name=who
    )
    assert seen
    table = rows(seen.text, "Figures")
    if seen.failed or not table:
        return
    unit = "HPS" if who in HEALERS else "DPS"
    main = row(table, "Figure", unit)
    assert main
    yours, top, gap = main["Yours"], main["Top"], main["Gap (%)"]
    told = {"en": f"{who} does {yours} {unit} on {meant.said}, the top {top}: a gap of {gap} %.",
        "de": f"{who} macht bei {meant.said} {yours} {unit}, die Spitze {top}: Abstand {gap} %.",
            "zh": f"{who}打{meant.said}为{yours} {unit}，顶尖为{top}，差距{gap} %。"}[language]  # fmt: skip
    if not gap.startswith("-"):
        told = {"en": f"{who} is ahead: {yours} {unit} on {meant.said} beside {top} of the top ({gap} % more).",
            "de": f"{who} liegt vorn: {yours} {unit} bei {meant.said} gegenüber {top} der Spitze ({gap} % mehr).",
                "zh": f"{who}领先：{meant.said}为{yours} {unit}，顶尖为{top}（高{gap} %）。"}[language]  # fmt: skip
    others = [each for each in table if each["Priority"] == "yes" and each["Figure"] != unit][:2]
    note = f"{unit}: yours {yours}, top {top}, gap {gap} %."
    if advised and others:
        told += "".join(f"\n- [ ] {each['Figure']}: {each['Yours']} → {each['Top']}" for each in others)
        note += (
            " Priority: " + ", ".join(f"{each['Figure']} {each['Yours']} beside {each['Top']}" for each in others) + "."
        )
    yield Answer(note[:160], told)


TALKS: dict[MakeTalk, int] = {
    spec_target: 4,
    spec_figure: 2,
    rankings: 4,
    leaderboard: 5,
    good_raids: 4,
    to_top: 4,
}
