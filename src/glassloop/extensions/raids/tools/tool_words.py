"""Words by which a question finds each tool without a language model: its subject, and whole sayings, in English and
German.

For `reflex` and for the shortlist of tools; no language model is shown them. A word stands in each form in which it is
said, as German endings are not taken off. Values of parameters are in `rule_words`.
"""

from collections.abc import Mapping
from typing import Final

_PAST: Final = "that was"
"""Fights are over: whoever asks, asks about the past."""

SUBJECTS: Final[Mapping[str, str]] = {
    "get_my_performance": "performance performances parse parses leistung leistungen performt",
    "get_progression": (
        "progression progress improve improved improving improvement trend over time development fortschritt "
        "fortschritte verbessert verbessern entwicklung entwickelt"
    ),
    "get_regressions": (
        "regression regressions worse better worsened declined deteriorated verschlechtert verschlechterung "
        "schlechter besser"
    ),
    "search_fights": "fights kills wipes attempts nights kämpfe kämpfen siege versuche abende",
    "resolve_my_fights": (
        "last latest newest recent fight fights kill kills letzte letzter letzten letztes neueste neuesten "
        "neuester neuestes kampf kämpfe kill kills"
    ),
    "get_top_rankings": "top rankings ranking ranked rangliste bestenliste",
    "get_spec_leaderboard": (
        "spec specs class classes leaderboard damage dps spezialisierung spezialisierungen klasse klassen schaden"
    ),
    "compare_to_top": (
        "compare compared comparison top good reference references vergleich vergleiche vergleichen verglichen "
        "spitze besten"
    ),
    "get_encounter_benchmarks": (
        "benchmark benchmarks good top raids groups guilds reference references gute guten gruppen gilden spitze"
    ),
    "get_spec_benchmark": (
        "benchmark benchmarks target goal aim good should expected dps damage gute guter guten ziel sollte "
        "sollten schaden"
    ),
    "get_raid_execution": (
        "raid night evening execution summary overview run raidabend raidnacht abend nacht zusammenfassung "
        "überblick verlauf gelaufen lief"
    ),
    "compare_raid_to_top": (
        "raid raids night compare compared comparison top good guilds references vergleich vergleiche "
        "vergleichen verglichen spitze gilden besten"
    ),
    "compare_two_raids": (
        "two raids nights reports compare compared comparison beide beiden zwei abende vergleich vergleiche "
        "vergleichen verglichen"
    ),
    "get_fight_details": (
        "details overview composition fight attempt pull kampf kampfs überblick einzelheiten zusammensetzung"
    ),
    "get_ability_breakdown": (
        "ability abilities breakdown damage healing spell spells cast review pet fähigkeiten fähigkeit zauber "
        "schaden heilung"
    ),
    "get_buff_analysis": "buff buffs debuff debuffs uptime uptimes proc procs aura auras",
    "get_death_analysis": (
        "death deaths die died dies dying dead tod tode todes gestorben starb starben sterben stirbt tot"
    ),
    "get_activity_report": (
        "activity active inactive idle downtime gcd uptime gaps gap aktiv aktivität untätig pausen lücken"
    ),
    "get_cancelled_casts": (
        "cancel cancels cancelled canceled interrupted casts abgebrochen abgebrochene abbrüche abbricht "
        "abgebrochenen zauber"
    ),
    "get_phase_analysis": "phase phases phasen",
    "get_wipe_progression": (
        "wipe wipes wiped wiping attempt attempts try tries pulls progress progression versuche versuch "
        "versuchen wipen gewiped fortschritt"
    ),
    "get_cooldown_efficiency": "cooldown cooldowns cds cd efficiency abklingzeit abklingzeiten",
    "get_dot_management": (
        "dot dots ticks clip clips clipped clipping renewed renew refreshed early management erneuert"
    ),
    "get_rotation_score": "rotation score grade rotationswertung wertung note bewertung",
    "get_overheal_analysis": (
        "overheal overhealing overhealed ranks rank efficiency wasted überheilung überheilt überheilen ränge"
    ),
    "get_resource_usage": "mana energy rage oom resource resources energie wut ressource ressourcen",
    "get_deaths_and_mechanics": (
        "deaths death died dies die dying mechanics mechanic avoidable interrupts dispels fire tode tod "
        "gestorben starb starben sterben vermeidbar vermeidbarer vermeidbare mechanik mechaniken "
        "unterbrechungen"
    ),
    "get_consumable_check": (
        "consumable consumables flask flasks elixir elixirs food potion potions oil prepared preparation "
        "fläschchen elixier elixiere essen tränke trank verbrauchsgüter öl vorbereitet vorbereitung"
    ),
    "get_enchant_gem_check": (
        "enchant enchants enchanted enchantment enchantments gem gems socket sockets missing verzauberung "
        "verzauberungen verzaubert edelstein edelsteine sockel fehlen fehlt fehlende fehlenden"
    ),
    "get_gear_changes": (
        "gear items item equipment change changes changed upgrade upgrades upgraded ausrüstung gegenstände "
        "änderungen geändert verändert neue"
    ),
}
"""What the tool is about. A word is written in each form in which it is said."""

SAYINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "get_my_performance": (
        "how did I do", "how am I doing", "how well did I do", "how good was I", "how well did", "how did", "do",
        "wie war ich", "wie gut war ich", "wie gut war", "wie schlug sich", "personal bests", "wie bin ich",
        "geparst",
    ),
    "get_progression": (
        "getting better", "got better", "over the weeks", "over time", "over the last", "besser geworden",
        "über die wochen", "über die zeit", "in den letzten wochen",
    ),
    "get_regressions": (
        "got worse", "getting worse", "got better", "lately", "recently", "schlechter geworden", "besser geworden",
        "in letzter zeit", "zuletzt",
    ),
    "search_fights": (
        "how often did we kill", "how often", "how many times", "take part", "took part", "wie oft", "dabei",
    ),
    "resolve_my_fights": (
        "how was my last fight", "how did my last fight go", "wie war mein letzter kampf",
        "wie lief mein letzter kampf", "how did my last raid go",
    ),
    "get_top_rankings": (
        "the best", "who are the best", "die besten", "wer sind die besten",
    ),
    "get_spec_leaderboard": (
        "the best", "the most damage", "most damage", "do the most damage", "highest dps", "on average", "best spec",
        "am meisten schaden", "den meisten schaden", "im schnitt", "im durchschnitt", "macht",
    ),
    "compare_to_top": (
        "compared to the best", "compared to the top", "to the best", "with the best", "with good players",
        "how far behind", "mit den besten", "zu den besten", "verglichen mit den besten",
    ),
    "get_encounter_benchmarks": (
        "what do good raids do", "how long should", "how long do", "how long", "how fast", "kill time", "need",
        "take", "was machen gute raids", "wie lange", "wie schnell", "brauchen", "was machen",
    ),
    "get_spec_benchmark": (
        "how much damage should", "what do good", "casts per minute", "casts a minute", "do", "make",
        "was machen gute", "wie viel schaden sollte", "machen",
    ),
    "get_raid_execution": (
        "what went wrong", "what went well", "how did it go", "how did we do", "how was our", "go", "went",
        "in total", "schief", "falsch", "what should we improve first", "what should we improve",
        "and what should we improve first", "was lief schief", "was ging schief", "was lief falsch", "was lief gut",
        "wie lief es", "wie waren wir", "was sollten wir verbessern",
    ),
    "compare_raid_to_top": (
        "where do we lose time", "where did we lose time", "where did the time go", "compared to the best",
        "to the best", "with the best", "wo verlieren wir zeit", "wo haben wir zeit verloren", "mit den besten",
        "with good raids",
    ),
    "compare_two_raids": (
        "what got better, what got worse", "and the one before", "to the one before", "with the one before",
        "was wurde besser", "was wurde schlechter", "mit dem davor", "our last two raids", "the last two raids",
        "the last two nights", "our last two nights", "last two", "letzten beiden", "letzten zwei", "side by side",
    ),
    "get_fight_details": (
        "who did what", "what went wrong", "how did we do", "how well did we do", "what happened", "was lief schief",
        "was ging schief", "was ist passiert", "wer hat was gemacht", "wie waren wir", "go", "lief",
    ),
    "get_ability_breakdown": (
        "come from", "came from", "made of", "consist of", "most damage", "the most damage", "do", "use", "used",
        "what should", "improve first", "kam", "woher kam", "benutzt", "gewirkt", "verwendet",
    ),
    "get_buff_analysis": (
        "have", "had", "for how long", "and for how long", "how long", "did everybody have", "everybody", "wie lange",
        "hatten alle",
    ),
    "get_death_analysis": (
        "why did", "why", "of what", "and of what", "what killed", "how did", "warum", "wieso", "weshalb", "woran",
        "ist", "sind", "bin",
    ),
    "get_activity_report": (
        "stand around", "standing around", "stood around", "doing nothing", "do nothing", "did nothing", "lose time",
        "lost time", "casts per minute", "casts a minute", "rumgestanden", "herumgestanden", "nichts getan",
        "nichts gemacht", "zeit verloren", "how active", "wie aktiv",
    ),
    "get_cancelled_casts": (
        "too many", "too often", "zu viele", "zu oft",
    ),
    "get_phase_analysis": (
        "in each phase", "by phase", "per phase", "in which phase", "in jeder phase", "pro phase", "nach phasen",
        "how much damage", "how long", "wie viel schaden", "wie lange",
    ),
    "get_wipe_progression": (
        "why did we wipe", "why do we wipe", "why are we wiping", "how close", "getting better", "get better",
        "warum sind wir gewiped", "warum wipen wir", "woran scheitern wir", "woran sind wir gescheitert",
        "how far did we get", "besser", "werden", "wie weit", "gekommen", "gescheitert", "get", "getting",
    ),
    "get_cooldown_efficiency": (
        "use", "used", "often enough", "too late", "hold", "held", "holding", "too long", "benutzt", "eingesetzt",
        "genutzt", "zu spät", "oft genug", "wie oft",
    ),
    "get_dot_management": (
        "too early", "too soon", "and what does it cost", "zu früh", "damage over time",
    ),
    "get_rotation_score": (
        "how good", "wie gut", "bekommt", "get",
    ),
    "get_overheal_analysis": (
        "how much", "too much", "wie viel", "zu viel", "how efficient", "how efficiently", "heal", "use", "used",
        "does", "geheilt",
    ),
    "get_resource_usage": (
        "run out of", "ran out of", "out of", "run dry", "ran dry", "go oom", "went oom", "have enough", "enough",
        "ausgegangen", "kein", "keine", "leer", "knapp", "genug", "ging", "aus", "ohne",
    ),
    "get_deaths_and_mechanics": (
        "stand in", "stands in", "stood in", "standing in", "stand in fire", "why do we die", "why did we die",
        "what kills", "what killed us", "what kills us", "of what", "and of what", "how much", "avoidable damage",
        "take", "took", "taken", "missed", "miss", "did we miss", "warum sterben wir", "woran sterben wir", "woran",
        "was tötet uns", "im feuer", "steht", "stand", "stehen", "verpasst", "unterbrochen", "vermeidbarer schaden",
        "schaden", "bekommen", "too much",
    ),
    "get_consumable_check": (
        "who had no", "had no", "no flask", "without flask", "without a flask", "without", "use", "used",
        "did everybody have", "everybody", "missing", "missed", "hatte kein", "hatte keine", "kein", "keine", "ohne",
        "fehlten", "fehlte", "benutzt", "hatten alle", "alle", "war",
    ),
    "get_enchant_gem_check": (
        "enchants and gems", "enchants or gems", "gems and enchants", "verzauberungen und edelsteine",
        "verzauberungen oder edelsteine", "missing", "miss", "have all", "ohne", "without",
    ),
    "get_gear_changes": (
        "what did", "between the last two raids", "between our last two raids", "between the last two reports",
        "between our last two reports", "between the last two nights", "between our last two nights",
        "since the last raid", "since last week", "seit dem letzten raid", "seit letzter woche", "last two",
        "letzten beiden",
    ),
}  # fmt: skip
"""Each uses up itself alone: what else a question says must be used, too. Those of one word name no tool."""


def described(name: str, description: str) -> str:
    """The tool as rules read it: subject and sayings, then what language models are told."""
    sayings = ", ".join(f'"{saying}"' for saying in SAYINGS.get(name, ()))
    return f"{SUBJECTS[name]} {_PAST}: {sayings}. {description}" if name in SUBJECTS else description
