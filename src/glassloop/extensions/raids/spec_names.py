"""Other names of the 27 specs: those players use in short, and those of German, French and Spanish clients."""

from collections.abc import Mapping
from typing import Final

NOISE_WORDS: Final = frozenset(("dps", "damage", "spec", "tree"))
"""Words beside a spec's name that tell nothing of which one it is."""

BEAR_WORDS: Final = frozenset(("tank", "tanks", "bear", "bears", "bar", "baer", "ours", "oso"))
"""Words for a Feral druid that is a tank."""

SPEC_ALIASES: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("Warrior", "Arms"): ("waffen", "armes", "armas", "ms warrior"),
    ("Warrior", "Fury"): ("furor", "fureur", "furia", "dw warrior"),
    ("Warrior", "Protection"): ("prot", "prot warrior", "schutz", "proteccion", "tank warrior", "tank"),
    ("Paladin", "Holy"): ("holy paladin", "holy pala", "hpal", "hpala", "holydin", "heilig", "sacre", "sagrado"),
    ("Paladin", "Protection"): ("prot", "prot paladin", "prot pala", "protadin", "schutz", "proteccion", "tankadin",
                              "tank"),
    ("Paladin", "Retribution"): ("ret", "retri", "ret paladin", "retadin", "vergeltung", "vindicte", "represion"),
    ("Hunter", "Beast Mastery"): ("bm", "beast", "beastmastery", "tierherrschaft", "maitrise des betes", "bestias"),
    ("Hunter", "Marksmanship"): ("mm", "marks", "treffsicherheit", "precision", "punteria"),
    ("Hunter", "Survival"): ("sv", "surv", "überleben", "ueberleben", "survie", "supervivencia"),
    ("Rogue", "Assassination"): ("mut", "mutilate", "meucheln", "assassinat", "asesinato"),
    ("Rogue", "Combat"): ("kampf", "combate", "combat swords"),
    ("Rogue", "Subtlety"): ("sub", "täuschung", "taeuschung", "finesse", "sutileza"),
    ("Priest", "Discipline"): ("disc", "disco", "disziplin", "disciplina"),
    ("Priest", "Holy"): ("holy priest", "hpriest", "heilig", "sacre", "sagrado"),
    ("Priest", "Shadow"): ("spriest", "sp", "schatten", "ombre", "sombra", "sombras", "shadowpriest"),
    ("Shaman", "Elemental"): ("ele", "elem", "elementar", "elementaire"),
    ("Shaman", "Enhancement"): ("enh", "enhance", "verstärkung", "verstaerkung", "amelioration", "mejora"),
    ("Shaman", "Restoration"): ("resto", "resto shaman", "rsham", "rshaman", "wiederherstellung", "restauration",
                                "restauracion"),
    ("Mage", "Arcane"): ("arkan", "arcanes", "arcano"),
    ("Mage", "Fire"): ("feuer", "feu", "fuego"),
    ("Mage", "Frost"): ("givre", "escarcha"),
    ("Warlock", "Affliction"): ("affli", "aff", "gebrechen", "afliccion"),
    ("Warlock", "Demonology"): ("demo", "dämonologie", "daemonologie", "demonologie", "demonologia"),
    ("Warlock", "Destruction"): ("destro", "dest", "zerstörung", "zerstoerung", "destruccion"),
    ("Druid", "Balance"): ("boomkin", "boomie", "moonkin", "oomkin", "eule", "gleichgewicht", "equilibre",
                           "equilibrio"),
    ("Druid", "Feral"): ("feral combat", "cat", "bear", "wilder kampf", "katze", "bar", "baer", "combat farouche",
                         "farouche", "feral dps", "feral tank", "tank"),
    ("Druid", "Restoration"): ("resto", "resto druid", "rdruid", "tree", "baum", "wiederherstellung", "restauration",
                               "restauracion"),
}  # fmt: skip
