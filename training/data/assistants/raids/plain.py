"""Talks without a call, and those that ask back first."""

from training.data.assistants.raids.parts import (
    Said,
    boss,
    typed,
    value,
)
from training.data.assistants.talk import Ask, MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng

PLAIN: list[tuple[Said, str, dict[Language, str]]] = [
    ({"en": ("hi there", "hello!", "good evening", "hey analyst"), "de": ("Hallo!", "Guten Abend", "moin"),
        "zh": ("你好", "晚上好！", "嗨")},
     "A greeting: no call.",
     {"en": "Hello! Ask me about a raid night, a fight, a player or a boss.",
         "de": "Hallo! Frag mich nach einem Raidabend, einem Kampf, einem Spieler oder einem Boss.",
             "zh": "你好！可以问我团本、战斗、玩家或首领的情况。"}),
    ({"en": ("thanks!", "ty, that helps", "perfect, thank you", "great, thx"), "de": ("Danke!", "super, danke dir",
        "Vielen Dank"), "zh": ("谢谢！", "好的，多谢", "太好了，谢谢")},
     "Thanks: nothing to look up.",
     {"en": "You are welcome. Good luck in the next raid!", "de": "Gern geschehen. Viel Erfolg beim nächsten Raid!",
         "zh": "不客气，祝下次团本顺利！"}),
    ({"en": ("what can you do?", "what kind of questions can I ask you", "help me, what are you for?",
        "which things do you know about"), "de": ("Was kannst du?", "Wobei kannst du mir helfen?"),
            "zh": ("你能做什么？",
            "我可以问你哪些问题")},
     "What the tools cover: no call.",
     {"en": "I read your combat logs: nights, wipes, deaths, fights, consumables, gear, buffs, rotation, mana and "
     "overheal, progress over time, and comparisons with good raids.",
      "de": "Ich lese eure Kampflogs: Abende, Wipes, Tode, Kämpfe, Verbrauchsgüter, Ausrüstung, Buffs, Rotation, "
      "Mana und Überheilung, Fortschritt über die Zeit und Vergleiche mit guten Raids.",
      "zh": "我读取你们的战斗记录：团本、灭团、死亡、消耗品、装备、增益、循环、法力、进步，以及与优秀团队的比较。"}),
    ({"en": ("what does parse mean?", "explain parses to me", "what is a parse here", "parse = what exactly?"),
        "de": ("Was bedeutet Parse?", "Erklär mir, was ein Parse ist"), "zh": ("parse是什么意思？",
            "这里的parse怎么理解")},
     "General: what a parse is; no call.",
     {"en": "A parse is the percentile of a kill among the kills of the same boss and spec in this store; it is not "
     "Warcraft Logs' own number.",
      "de": "Ein Parse ist das Perzentil eines Kills unter den Kills desselben Bosses und derselben Spezialisierung "
      "in diesem Bestand; es ist nicht die Zahl von Warcraft Logs.",
      "zh": "parse是某次击杀在本库中同一首领、同一专精的击杀里的百分位，不是Warcraft Logs的数值。"}),
    ({"en": ("what's the GCD?", "what does gcd uptime mean", "explain global cooldown please", "gcd, what is that?"),
        "de": ("Was ist der GCD?", "Was heißt GCD-Auslastung?"), "zh": ("GCD是什么？", "GCD覆盖率是什么意思")},
     "General knowledge: no call.",
     {"en": "The global cooldown is the short pause after most abilities. GCD uptime is the share of the time in "
     "which a player kept it running.",
      "de": "Der GCD ist die kurze Pause nach den meisten Fähigkeiten. Die GCD-Auslastung ist der Anteil der Zeit, "
      "in der er lief.",
      "zh": "GCD是大多数技能之后的公共冷却。GCD覆盖率是玩家让它持续运转的时间比例。"}),
    ({"en": ("is there a pandemic window for dots in TBC?", "can i refresh dots early without loss here",
        "pandemic in burning crusade?", "does an early dot refresh keep the old time"),
            "de": ("Gibt es in TBC ein Pandemic-Fenster?", "Verliere ich etwas, wenn ich DoTs früh erneuere?"),
                "zh": ("TBC里DoT有提前刷新不亏的机制吗？", "早补DoT会亏吗")},
     "Said in the prompt: no pandemic window.",
     {"en": "No. There is no pandemic window: a DoT renewed early loses what was left of it. Renew it when the last "
     "tick has fallen.",
      "de": "Es gibt kein Pandemic-Fenster: Ein früh erneuerter DoT verliert seinen Rest. Erneuere ihn, wenn der "
      "letzte Tick gefallen ist.",
      "zh": "没有这种机制：提前刷新会损失剩余部分。应在最后一跳之后再补。"}),
    ({"en": ("can you import my new log file?", "please upload yesterday's combat log",
        "delete the last report for me", "rename our guild in the logs"),
            "de": ("Kannst du mein neues Log importieren?", "Lösch bitte den letzten Bericht"),
                "zh": ("能帮我导入新的战斗记录吗？",
                "请删除最后一份报告")},
     "No tool changes logs: say so.",
     {"en": "I cannot do that: I only read and analyse raids that are already imported.",
         "de": "Das kann ich nicht: Ich lese und analysiere nur Raids, die schon importiert sind.",
             "zh": "我做不到：我只能读取和分析已导入的团本。"}),
    ({"en": ("what's the weather tomorrow?", "who won the football yesterday", "book me a table for tonight",
        "how much gold is a flask on the auction house?"), "de": ("Wie wird das Wetter morgen?",
            "Was kostet eine Flask im Auktionshaus?"), "zh": ("明天天气怎么样？", "拍卖行合剂多少钱")},
     "Outside of raid logs: no tool tells it.",
     {"en": "I cannot tell: my tools only know your raid logs.",
         "de": "Das weiß ich nicht: Meine Werkzeuge kennen nur eure Raidlogs.",
             "zh": "我不知道：我的工具只包含你们的团本记录。"}),
    ({"en": ("who had the most threat on Gruul?", "show the threat meter of our tanks",
        "how much threat did Aldren have", "was our tank's threat high enough?"),
            "de": ("Wer hatte am meisten Bedrohung bei Gruul?", "Zeig mir die Bedrohung unserer Tanks"),
                "zh": ("格鲁尔谁的仇恨最高？", "我们坦克的仇恨够吗")},
     "No tool tells threat.",
     {"en": "The combat log does not tell threat, so I cannot answer that.",
         "de": "Bedrohung steht nicht im Kampflog, das kann ich nicht beantworten.",
             "zh": "战斗记录中没有仇恨数据，无法回答。"}),
]  # fmt: skip


BACK: list[tuple[Said, str, dict[Language, str]]] = [
    ({"en": ("how was his rotation?", "how active was that player", "check the rotation of our mage friend",
        "did he cancel a lot?"), "de": ("Wie war seine Rotation?", "Wie aktiv war der Spieler?"),
            "zh": ("他的循环怎么样？",
            "那个玩家活跃吗")},
     "No player is named: ask back.",
     {"en": "Which player do you mean?", "de": "Welchen Spieler meinst du?", "zh": "你指的是哪位玩家？"}),
    ({"en": ("what dps should I aim for?", "give me the dps benchmark", "what is a good dps?", "whats the target dps"),
        "de": ("Welche DPS sollte man haben?", "Nenn mir den DPS-Richtwert"), "zh": ("DPS应该达到多少？",
            "目标DPS是多少")},
     "Boss and spec are missing: ask back.",
     {"en": "For which boss, and for which class and spec?",
         "de": "Für welchen Boss und für welche Klasse und Spezialisierung?", "zh": "哪个首领？哪个职业和专精？"}),
    ({"en": ("how many wipes before the kill?", "show the wipe progression", "is there progress in our tries?",
        "how close was the best try"), "de": ("Werden unsere Versuche besser?", "Wie nah war der beste Versuch?"),
            "zh": ("我们的尝试有进步吗？", "最好的一次尝试剩多少血")},
     "Wipe progression needs a boss: ask back.",
     {"en": "At which boss?", "de": "Bei welchem Boss?", "zh": "哪个首领？"}),
    ({"en": ("who are the best mages on Gruul?", "whose mages lead on Gruul?", "best warlock on Magtheridon?",
        "show the top priests on Gruul"),
      "de": ("Wer sind die besten Magier bei Gruul?", "Bester Hexenmeister bei Magtheridon?"),
          "zh": ("格鲁尔最强的法师是谁？",
          "玛瑟里顿最强的术士是谁")},
     "A ranking is of a spec, and none is named: ask back.",
     {"en": "Which spec do you mean?", "de": "Welche Spezialisierung meinst du?", "zh": "你指的是哪个专精？"}),
]  # fmt: skip


def plain(rng: Rng, language: Language) -> Talk:
    said, thought, told = rng.some(PLAIN)
    yield Ask(typed(rng, language, rng.some(said[language])))
    yield Answer(thought, told[language])


def ask_back(rng: Rng, language: Language) -> Talk:
    said, thought, told = rng.some(BACK)
    yield Ask(typed(rng, language, rng.some(said[language])))
    yield Answer(thought, told[language])


def then_boss(rng: Rng, language: Language) -> Talk:
    """Asked back, told the boss, answered."""
    meant = boss(rng, language, ("Gruul the Dragonkiller", "Prince Malchezaar", "Magtheridon", "High King Maulgar"))
    _, thought, told = BACK[2]
    yield Ask(
        typed(
            rng,
            language,
            rng.some(
                {
                    "en": ("how close was the best try", "best wipe so far?"),
                    "de": ("Wie nah war der beste Versuch?",),
                    "zh": ("最好的一次灭团剩多少血？",),
                }[language]
            ),
        )
    )
    yield Answer(thought, told[language])
    yield Ask(
        rng.some(
            [meant.said, {"en": f"{meant.said}, sorry", "de": f"Bei {meant.said}", "zh": f"{meant.said}吧"}[language]]
        )
    )
    seen = yield call("The best wipe at that boss, all nights.", "get_wipe_progression", encounter_name=meant.said,
        report_code="all")  # fmt: skip
    assert seen
    best = value(seen.text, "Best wipe (%)")
    answers = {
        "en": f"The best wipe on {meant.said} left it at {best} %.",
        "de": f"Der beste Wipe an {meant.said} endete bei {best} %.",
        "zh": f"{meant.said}最好的一次灭团剩余{best} %。",
    }
    yield Answer(f"Best wipe (%): {best}.", answers[language])


TALKS: dict[MakeTalk, int] = {
    plain: 5,
    ask_back: 3,
    then_boss: 1,
}
