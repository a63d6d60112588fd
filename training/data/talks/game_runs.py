"""Runs of an invented game: summaries, players, losses, comparisons."""

from typing import Final

from training.data.catalogue import Param, Tool
from training.data.conversation import Answer, Call, Conversation
from training.data.talks.workplace import asked
from training.data.values import Rng, dumps, person


class GameRuns:
    """Runs of a game with players and bosses: summaries, players, losses, comparisons; the last run by default."""

    BOSSES: Final = (
        "Stone Warden",
        "Queen Ysmir",
        "The Hollow King",
        "Twin Furnaces",
        "Captain Brack",
        "Old Mother Reed",
    )
    ROLES: Final = ("tank", "healer", "archer", "mage")

    def __init__(self, rng: Rng) -> None:
        self.rng = rng
        pick, run = rng.some, rng.some(["run", "run_code", "session_code"])
        self.run_key = run
        last, boss, player = Param(run, required=False), Param("boss", required=False), Param("player")
        self.summary = Tool(
            pick(["run_summary", "evening_report"]), "A whole run: bosses, time, losses, attempts.", (last,)
        )
        self.deaths = Tool(
            pick(["casualties", "death_list"]), "Who died, when and of what, at a boss or in a whole run.", (last, boss)
        )
        self.player = Tool(
            pick(["player_report", "player_figures"]),
            "One player in a run: damage, healing, activity, errors.",
            (player, last, boss),
        )
        self.gear = Tool(
            pick(["gear_audit", "supplies_check"]), "What players lacked: potions, food, upgrades.", (last,)
        )
        self.mine = Tool(
            pick(["my_runs", "runs_of_user"]), "The newest runs of the user's own characters, with codes.", ()
        )
        self.find = Tool(
            pick(["find_runs", "search_runs"]),
            "Runs by boss, player and outcome, with their codes.",
            (boss, Param("player", required=False), Param("outcome", required=False, choices=("win", "loss"))),
        )
        self.compare = Tool(
            pick(["compare_evenings", "run_comparison"]),
            "Two runs side by side; the last two by default.",
            (Param("first", required=False), Param("second", required=False)),
        )
        self.tools = [self.summary, self.deaths, self.player, self.gear, self.mine, self.find, self.compare]
        names = {
            "A run": self.summary,
            "Losses": self.deaths,
            "A player": self.player,
            "Preparation": self.gear,
            "My last run": self.mine,
            "Finding runs": self.find,
            "Two runs": self.compare,
        }
        listed = " ".join(f"{what}: {tool.name}." for what, tool in names.items())
        self.prompt = (
            "You analyse runs of the game Skyhold from logs, with tools.\nNever guess a figure: call a tool, and give "
            f"figures as it returns them. Say what is `missing`. {run} is the last run where left out.\n{listed}\n"
            "Answer in the user's language."
        )

    def talk(self) -> Conversation:
        return self.rng.some(
            [
                self._deaths,
                self._summary,
                self._player,
                self._mine,
                self._mine,
                self._gear,
                self._compare,
                self._search,
                self._search,
            ]
        )()

    def _code(self) -> str:
        return "".join(self.rng.some("abcdefghkmnpqrstvwx23456789") for _ in range(8))

    def _deaths(self) -> Conversation:
        rng = self.rng
        boss, count, who = rng.some(self.BOSSES), rng.randrange(1, 9), person(rng).split()[0]
        cause = rng.some(["Falling Rocks", "Poison Cloud", "Cleave", "Fire Wall"])
        observed = dumps(
            {
                "boss": boss,
                "deaths": count,
                "first": {"player": who, "cause": cause, "at": f"{rng.randrange(0, 6)}:{rng.randrange(10, 59)}"},
                "missing": [],
            }
        )
        question = rng.some(
            [
                f"How many of us died at {boss}?",
                f"Who died first at {boss}, and of what?",
                f"Deaths at {boss} last time?",
            ]
        )
        return asked(
            "game",
            question,
            Call(f"The user wants the deaths at {boss}.", self.deaths.name, {"boss": boss}, observed),
            Answer("I have the deaths.", f"At {boss} {count} died; the first was {who}, of {cause}."),
        )

    def _summary(self) -> Conversation:
        rng = self.rng
        bosses, minutes, deaths, tries = (
            rng.randrange(2, 7),
            rng.randrange(40, 200),
            rng.randrange(2, 40),
            rng.randrange(0, 9),
        )
        observed = dumps({"bosses": bosses, "minutes": minutes, "deaths": deaths, "wipes": tries, "missing": ["gear"]})
        question = rng.some(
            [
                "How did our last run go?",
                "Sum up the last evening.",
                "Wie lief unser letzter Abend?",
                "我们上一次表现怎么样？",
            ]
        )
        text = (
            f"{bosses} bosses in {minutes} minutes, {deaths} deaths and {tries} wipes. The log says nothing about gear."
        )
        if question[0] == "W":
            text = (
                f"{bosses} Bosse in {minutes} Minuten, {deaths} Tode und {tries} Fehlversuche. "
                "Zur Ausrüstung sagt das Protokoll nichts."
            )
        elif not question.isascii():
            text = f"{minutes}分钟打了{bosses}个首领，死亡{deaths}次，团灭{tries}次。日志没有装备信息。"
        return asked(
            "game",
            question,
            Call("The last run is meant.", self.summary.name, {}, observed),
            Answer("I have the summary.", text),
        )

    def _figures(self) -> tuple[int, float]:
        return self.rng.randrange(300, 2400), round(self.rng.uniform(55, 98), 1)

    def _player(self) -> Conversation:
        rng = self.rng
        who, boss, (damage, activity) = person(rng).split()[0], rng.some(self.BOSSES), self._figures()
        observed = dumps({"player": who, "boss": boss, "damage_per_second": damage, "activity_percent": activity})
        question = rng.some(
            [f"How did {who} do at {boss}?", f"What was the activity of {who} at {boss}?", f"{who} at {boss}: damage?"]
        )
        call = Call(f"The user wants {who} at {boss}.", self.player.name, {"player": who, "boss": boss}, observed)
        return asked(
            "game",
            question,
            call,
            Answer(
                "I have the figures.",
                f"{who} did {damage} damage per second at {boss} and was active {activity} % of the time.",
            ),
        )

    def _mine(self) -> Conversation:
        rng = self.rng
        code, who, boss, (damage, activity) = (
            self._code(),
            person(rng).split()[0],
            rng.some(self.BOSSES),
            self._figures(),
        )
        runs = dumps(
            [
                {"code": code, "character": who, "boss": boss, "outcome": "win"},
                {"code": self._code(), "character": who, "boss": rng.some(self.BOSSES), "outcome": "win"},
            ]
        )
        observed = dumps({"player": who, "damage_per_second": damage, "activity_percent": activity})
        steps = (
            Call("First the user's own runs.", self.mine.name, {}, runs),
            Call(f"Now {who} in {code}.", self.player.name, {"player": who, self.run_key: code}, observed),
        )
        return asked(
            "chain-game",
            rng.some(["How was my last run?", "How did I do last time?", "What was my damage in my last run?"]),
            *steps,
            Answer(
                "I have the figures.",
                f"In your last run ({boss}) {who} did {damage} damage per second, active {activity} % of the time.",
            ),
        )

    def _gear(self) -> Conversation:
        rng = self.rng
        names = [person(rng).split()[0] for _ in range(rng.randrange(1, 4))]
        what = rng.some(["potion", "food", "upgrade"])
        observed = dumps({"without_" + what: names, "checked": rng.randrange(8, 25)})
        return asked(
            "game",
            rng.some([f"Who had no {what} in the last run?", f"Was anybody without {what}?"]),
            Call("The preparation is meant.", self.gear.name, {}, observed),
            Answer("I have the names.", f"Without {what}: {', '.join(names)}."),
        )

    def _compare(self) -> Conversation:
        a, b = sorted(self.rng.sample(range(40, 200), 2))
        observed = dumps({"first": {"minutes": b, "deaths": 9}, "second": {"minutes": a, "deaths": 4}})
        return asked(
            "game",
            self.rng.some(["Did we get better since the time before?", "Compare our last two evenings."]),
            Call("The last two runs are meant.", self.compare.name, {}, observed),
            Answer("I have both.", f"Yes: {a} minutes and 4 deaths now, {b} minutes and 9 deaths before."),
        )

    def _search(self) -> Conversation:
        rng = self.rng
        boss, code, minutes, deaths = rng.some(self.BOSSES), self._code(), rng.randrange(30, 180), rng.randrange(1, 30)
        won = rng.chance(0.5)
        args = {"boss": boss, "outcome": "win" if won else "loss"}
        found = dumps(
            [
                {
                    "code": code,
                    "boss": boss,
                    "date": f"{rng.today.year}-0{rng.randrange(1, 9)}-1{rng.randrange(0, 9)}",
                    "outcome": args["outcome"],
                }
            ]
        )
        question = f"How long did the run take in which we {'beat' if won else 'lost to'} {boss}?"
        summary = Call(
            f"Now the run {code}.",
            self.summary.name,
            {self.run_key: code},
            dumps({"minutes": minutes, "deaths": deaths}),
        )
        return asked(
            "chain-game",
            question,
            Call("First find the run.", self.find.name, args, found),
            summary,
            Answer("I have the time.", f"That run ({code}) took {minutes} minutes, with {deaths} deaths."),
        )
