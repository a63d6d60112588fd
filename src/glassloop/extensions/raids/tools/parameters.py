"""Parameters that many tools share, each with the words that a model reads about it."""

from typing import Annotated, Final

LAST: Final = "last"
"""The newest report, or the last fight of a report."""

NIGHT: Final = "all"
"""All fights of a report together."""

ALL_NIGHTS: Final = frozenset((
    "all", "all nights", "all reports", "all raids", "every night", "last nights", "the last nights", "last raids",
    "last weeks", "the last weeks", "nights", "alle", "alle raids", "alle abende", "letzten raids", "letzte raids",
    "letzten abende", "letzten wochen", "den letzten raids", "den letzten wochen", "den letzten abenden",
))  # fmt: skip
"""Reports together."""

ReportCode = Annotated[
    str,
    "The report's code (10 letters and digits), 'last' for the newest one, or the newest of a zone, size or boss: "
    "'last Karazhan', 'last 25'.",
]
ReportOrNights = Annotated[
    str,
    "The report's code (10 letters and digits), 'last' for the newest one, the newest of a zone or boss ('last "
    "Karazhan'), or 'all' for the newest nights together.",
]
FightId = Annotated[
    int | str, "The fight's number in the report, 'last' for its last fight, or a boss: 'Gruul', 'last Prince kill'."
]
FightOfNight = Annotated[
    int | str, "The fight's number in the report, 'last' or a boss; leave out, or 'all', for the whole night."
]
FightOrNight = Annotated[
    int | str, "The fight's number in the report, 'last' for its last fight, a boss, or 'all' for the whole night."
]
PlayerName = Annotated[str, "The player's name, in any case, with or without realm; 'me' for the user's own character."]
PlayerOrRaid = Annotated[
    str, "The player's name, in any case; 'me' for the user's own character; 'raid' for everybody in one table."
]
OptionalPlayerName = Annotated[str, "Only this player; leave out for everybody. 'me' is the user's own character."]
EncounterName = Annotated[
    str, "The boss: its name, a part of it or a nickname, in any language, such as 'prince' or 'mag'."
]
OptionalEncounterName = Annotated[str, "Only this boss (name, part or nickname, any language); leave out for all."]
ClassName = Annotated[str, "The class, such as 'Warlock'."]
SpecName = Annotated[str, "The spec, such as 'Destruction'; short names like 'destro' or 'resto' are fine."]
