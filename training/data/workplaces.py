"""Kinds of work with tools of their own: a folder of code, runs of a game, sites in a city.

Their tools are like those of assistants with such work, under other names; results are invented.
"""

from typing import Any, Final, Protocol

from training.data.catalogue import Param, Tool
from training.data.conversation import Answer, Call, Conversation, Exchange, Step
from training.data.phrases import dressed
from training.data.values import CITIES, Rng, dumps, person, tidy


class Workplace(Protocol):
    """Tools, a prompt, and conversations over them."""

    tools: list[Tool]
    prompt: str

    def talk(self) -> Conversation: ...


def _one(kind: str, question: str, *steps: Step) -> Conversation:
    return Conversation(kind, (Exchange(question, steps),))


class CodeFolder:
    """A folder of code: search, read, replace, run."""

    PROMPTS: Final = (
        "You help with the code in one folder. Look before you answer, and change as little as you can.",
        "You are a programmer's assistant. Paths are relative to the folder. Read a file before you change it.",
    )

    def __init__(self, rng: Rng, prompt: str = "") -> None:
        self.rng = rng
        self.prompt = prompt or rng.some(self.PROMPTS)
        pick = rng.some
        self.search = Tool(pick(["search_text", "find_text", "grep_code"]), "Lines of files that match a pattern.", (Param("pattern"), Param(pick(["folder", "path"]), required=False)))
        self.open = Tool(pick(["open_file", "show_file", "view_source"]), "The text of a file with line numbers.", (Param("path", description="Such as src/app.py."), Param("first_line", "integer", required=False), Param("last_line", "integer", required=False)))
        self.replace = Tool(pick(["replace_text", "change_file", "patch_file"]), "Replaces a piece of a file.", (Param("path"), Param("old"), Param("new")))
        self.run = Tool(pick(["run_shell", "shell", "execute_command"]), "Runs a command in the folder and shows its output.", (Param("command"),))
        self.folder = Tool(pick(["list_folder", "show_folder", "files_in"]), "Files and folders in a folder.", (Param("path", required=False),))
        self.where = Tool(pick(["where_defined", "definition_of", "locate_symbol"]), "Where a function or class is defined.", (Param("name"),))
        self.create = Tool(pick(["new_file", "create_file", "save_file"]), "Writes a whole file.", (Param("path"), Param("content")))
        self.tools = [self.search, self.open, self.replace, self.run, self.folder, self.where, self.create]
        rng.shuffle(self.tools)

    def _place(self) -> tuple[str, int, str, str, Any]:
        rng = self.rng
        path = rng.some(["src", "app", "lib", "core", "server"]) + "/" + rng.some(["client", "config", "jobs", "mailer", "parser", "store", "report"]) + rng.some([".py", ".py", ".ts", ".go"])
        name = rng.some(["RETRY_LIMIT", "TIMEOUT_S", "PAGE_SIZE", "MAX_JOBS", "CACHE_DAYS", "POOL_SIZE"])
        value = rng.randrange(2, 900)
        return path, rng.randrange(4, 180), name, f"{name} = {value}", value

    def talk(self) -> Conversation:
        return self.rng.some([self._value, self._value, self._change, self._change, self._tests, self._defined, self._files, self._absent])()

    def _found(self, path: str, line: int, name: str, text: str) -> tuple[Call, Call]:
        found = Call(f"First find {name}.", self.search.name, {"pattern": name}, f"{path}:{line}: {text}")
        around = f"{line - 1}: # {self.rng.some(['limits', 'settings', 'defaults'])}\n{line}: {text}\n{line + 1}: "
        return found, Call(f"Now read {path}.", self.open.name, {"path": path}, around)

    def _value(self) -> Conversation:
        path, line, name, text, value = self._place()
        question = self.rng.some([f"What is {name} set to?", f"Which value does {name} have in this project?", f"Where is {name} set, and to what?"])
        call = Call(f"Find {name}.", self.search.name, {"pattern": name}, f"{path}:{line}: {text}")
        return _one("code", question, call, Answer("The line shows it.", f"{name} is {value}, in {path} line {line}."))

    def _change(self) -> Conversation:
        rng, (path, line, name, text, value) = self.rng, self._place()
        new = value + rng.randrange(1, 90)
        found, read = self._found(path, line, name, text)
        change = Call("Now change that line.", self.replace.name, {"path": path, "old": text, "new": f"{name} = {new}"}, rng.some([f"Replaced 1 place in {path}.", dumps({"changed": path, "places": 1})]))
        question = rng.some([f"Set {name} to {new}.", f"Please change {name} to {new}.", f"Raise {name} to {new} and check it."])
        steps: list[Step] = [found, read, change]
        if "check" in question or rng.chance(0.4):
            passed = rng.randrange(4, 90)
            steps.append(Call("Now check it.", self.run.name, {"command": "pytest -q"}, f"{passed} passed in 1.{rng.randrange(10, 99)}s"))
            steps.append(Answer("It is done and checked.", f"I set {name} to {new} in {path}; {passed} tests pass."))
        else:
            steps.append(Answer("It is done.", f"I set {name} from {value} to {new} in {path}, line {line}."))
        return _one("code-change", question, *steps)

    def _tests(self) -> Conversation:
        rng = self.rng
        passed, failed, test = rng.randrange(5, 200), rng.some([0, 0, 1, 2]), rng.some(["test_totals", "test_login", "test_retry"])
        output = f"{passed} passed in 3.4s" if not failed else f"FAILED tests/{test}.py::{test} - AssertionError\n{failed} failed, {passed} passed in 3.9s"
        call = Call("Run the tests.", self.run.name, {"command": "pytest -q"}, output)
        text = f"All {passed} tests pass." if not failed else f"{failed} failed and {passed} passed; the failing one is {test}."
        return _one("code", rng.some(["Do the tests pass?", "Run the tests.", "Are all tests green?"]), call, Answer("I have the result.", text))

    def _defined(self) -> Conversation:
        rng, (path, line, *_) = self.rng, self._place()
        name = rng.some(["load_config", "send_mail", "parse_row", "open_store", "make_report", "retry_call"])
        call = Call(f"Find where {name} is defined.", self.where.name, {"name": name}, rng.some([f"{path}:{line}", dumps({"path": path, "line": line})]))
        return _one("code", rng.some([f"Where is {name} defined?", f"In which file do I find {name}?"]), call, Answer("I have the place.", f"{name} is defined in {path}, line {line}."))

    def _files(self) -> Conversation:
        rng = self.rng
        files = rng.sample(["app.py", "jobs.py", "mailer.py", "store.py", "README.md", "setup.cfg", "tests"], rng.randrange(2, 6))
        folder = rng.some(["src", "app", "lib"])
        call = Call(f"List {folder}.", self.folder.name, {"path": folder}, "\n".join(files))
        return _one("code", rng.some([f"Which files are in {folder}?", f"What is in the folder {folder}?"]), call, Answer("I have the list.", f"In {folder}: {', '.join(files)}."))

    def _absent(self) -> Conversation:
        name = self.rng.some(["LEGACY_MODE", "parse_xml", "FooBar", "send_fax"])
        call = Call(f"Find {name}.", self.search.name, {"pattern": name}, "No matches.")
        return _one("code-absent", f"Where is {name} used?", call, Answer("Nothing was found.", f"{name} does not occur in this folder."))


class GameRuns:
    """Runs of a game with players and bosses: summaries, players, losses, comparisons; the last run by default."""

    BOSSES: Final = ("Stone Warden", "Queen Ysmir", "The Hollow King", "Twin Furnaces", "Captain Brack", "Old Mother Reed")
    ROLES: Final = ("tank", "healer", "archer", "mage")

    def __init__(self, rng: Rng) -> None:
        self.rng = rng
        pick, run = rng.some, rng.some(["run", "run_code", "session_code"])
        self.run_key = run
        last, boss, player = Param(run, required=False), Param("boss", required=False), Param("player")
        self.summary = Tool(pick(["run_summary", "evening_report"]), "A whole run: bosses, time, losses, attempts.", (last,))
        self.deaths = Tool(pick(["casualties", "death_list"]), "Who died, when and of what, at a boss or in a whole run.", (last, boss))
        self.player = Tool(pick(["player_report", "player_figures"]), "One player in a run: damage, healing, activity, errors.", (player, last, boss))
        self.gear = Tool(pick(["gear_audit", "supplies_check"]), "What players lacked: potions, food, upgrades.", (last,))
        self.mine = Tool(pick(["my_runs", "runs_of_user"]), "The newest runs of the user's own characters, with codes.", ())
        self.find = Tool(pick(["find_runs", "search_runs"]), "Runs by boss, player and outcome, with their codes.", (boss, Param("player", required=False), Param("outcome", required=False, choices=("win", "loss"))))
        self.compare = Tool(pick(["compare_evenings", "run_comparison"]), "Two runs side by side; the last two by default.", (Param("first", required=False), Param("second", required=False)))
        self.tools = [self.summary, self.deaths, self.player, self.gear, self.mine, self.find, self.compare]
        names = {"A run": self.summary, "Losses": self.deaths, "A player": self.player, "Preparation": self.gear, "My last run": self.mine, "Finding runs": self.find, "Two runs": self.compare}
        listed = " ".join(f"{what}: {tool.name}." for what, tool in names.items())
        self.prompt = f"You analyse runs of the game Skyhold from logs, with tools.\nNever guess a figure: call a tool, and give figures as it returns them. Say what is `missing`. {run} is the last run where left out.\n{listed}\nAnswer in the user's language."

    def talk(self) -> Conversation:
        return self.rng.some([self._deaths, self._summary, self._player, self._mine, self._mine, self._gear, self._compare, self._search, self._search])()

    def _code(self) -> str:
        return "".join(self.rng.some("abcdefghkmnpqrstvwx23456789") for _ in range(8))

    def _deaths(self) -> Conversation:
        rng = self.rng
        boss, count, who = rng.some(self.BOSSES), rng.randrange(1, 9), person(rng).split()[0]
        cause = rng.some(["Falling Rocks", "Poison Cloud", "Cleave", "Fire Wall"])
        observed = dumps({"boss": boss, "deaths": count, "first": {"player": who, "cause": cause, "at": f"{rng.randrange(0, 6)}:{rng.randrange(10, 59)}"}, "missing": []})
        question = rng.some([f"How many of us died at {boss}?", f"Who died first at {boss}, and of what?", f"Deaths at {boss} last time?"])
        return _one("game", question, Call(f"The user wants the deaths at {boss}.", self.deaths.name, {"boss": boss}, observed), Answer("I have the deaths.", f"At {boss} {count} died; the first was {who}, of {cause}."))

    def _summary(self) -> Conversation:
        rng = self.rng
        bosses, minutes, deaths, tries = rng.randrange(2, 7), rng.randrange(40, 200), rng.randrange(2, 40), rng.randrange(0, 9)
        observed = dumps({"bosses": bosses, "minutes": minutes, "deaths": deaths, "wipes": tries, "missing": ["gear"]})
        question = rng.some(["How did our last run go?", "Sum up the last evening.", "Wie lief unser letzter Abend?", "我们上一次表现怎么样？"])
        text = f"{bosses} bosses in {minutes} minutes, {deaths} deaths and {tries} wipes. The log says nothing about gear."
        if question[0] == "W":
            text = f"{bosses} Bosse in {minutes} Minuten, {deaths} Tode und {tries} Fehlversuche. Zur Ausrüstung sagt das Protokoll nichts."
        elif not question.isascii():
            text = f"{minutes}分钟打了{bosses}个首领，死亡{deaths}次，团灭{tries}次。日志没有装备信息。"
        return _one("game", question, Call("The last run is meant.", self.summary.name, {}, observed), Answer("I have the summary.", text))

    def _figures(self) -> tuple[int, float]:
        return self.rng.randrange(300, 2400), round(self.rng.uniform(55, 98), 1)

    def _player(self) -> Conversation:
        rng = self.rng
        who, boss, (damage, activity) = person(rng).split()[0], rng.some(self.BOSSES), self._figures()
        observed = dumps({"player": who, "boss": boss, "damage_per_second": damage, "activity_percent": activity})
        question = rng.some([f"How did {who} do at {boss}?", f"What was the activity of {who} at {boss}?", f"{who} at {boss}: damage?"])
        call = Call(f"The user wants {who} at {boss}.", self.player.name, {"player": who, "boss": boss}, observed)
        return _one("game", question, call, Answer("I have the figures.", f"{who} did {damage} damage per second at {boss} and was active {activity} % of the time."))

    def _mine(self) -> Conversation:
        rng = self.rng
        code, who, boss, (damage, activity) = self._code(), person(rng).split()[0], rng.some(self.BOSSES), self._figures()
        runs = dumps([{"code": code, "character": who, "boss": boss, "outcome": "win"}, {"code": self._code(), "character": who, "boss": rng.some(self.BOSSES), "outcome": "win"}])
        observed = dumps({"player": who, "damage_per_second": damage, "activity_percent": activity})
        steps = Call("First the user's own runs.", self.mine.name, {}, runs), Call(f"Now {who} in {code}.", self.player.name, {"player": who, self.run_key: code}, observed)
        return _one("chain-game", rng.some(["How was my last run?", "How did I do last time?", "What was my damage in my last run?"]), *steps, Answer("I have the figures.", f"In your last run ({boss}) {who} did {damage} damage per second, active {activity} % of the time."))

    def _gear(self) -> Conversation:
        rng = self.rng
        names = [person(rng).split()[0] for _ in range(rng.randrange(1, 4))]
        what = rng.some(["potion", "food", "upgrade"])
        observed = dumps({"without_" + what: names, "checked": rng.randrange(8, 25)})
        return _one("game", rng.some([f"Who had no {what} in the last run?", f"Was anybody without {what}?"]), Call("The preparation is meant.", self.gear.name, {}, observed), Answer("I have the names.", f"Without {what}: {', '.join(names)}."))

    def _compare(self) -> Conversation:
        a, b = sorted(self.rng.sample(range(40, 200), 2))
        observed = dumps({"first": {"minutes": b, "deaths": 9}, "second": {"minutes": a, "deaths": 4}})
        return _one("game", self.rng.some(["Did we get better since the time before?", "Compare our last two evenings."]), Call("The last two runs are meant.", self.compare.name, {}, observed), Answer("I have both.", f"Yes: {a} minutes and 4 deaths now, {b} minutes and 9 deaths before."))

    def _search(self) -> Conversation:
        rng = self.rng
        boss, code, minutes, deaths = rng.some(self.BOSSES), self._code(), rng.randrange(30, 180), rng.randrange(1, 30)
        won = rng.chance(0.5)
        args = {"boss": boss, "outcome": "win" if won else "loss"}
        found = dumps([{"code": code, "boss": boss, "date": f"2026-0{rng.randrange(1, 9)}-1{rng.randrange(0, 9)}", "outcome": args["outcome"]}])
        question = f"How long did the run take in which we {'beat' if won else 'lost to'} {boss}?"
        summary = Call(f"Now the run {code}.", self.summary.name, {self.run_key: code}, dumps({"minutes": minutes, "deaths": deaths}))
        return _one("chain-game", question, Call("First find the run.", self.find.name, args, found), summary, Answer("I have the time.", f"That run ({code}) took {minutes} minutes, with {deaths} deaths."))


class CitySites:
    """Sites in cities: find them, then read figures by their ids."""

    KINDS: Final = ("bakery", "bookshop", "cinema", "pharmacy", "gym", "hardware store", "ice cream parlour")

    def __init__(self, rng: Rng) -> None:
        self.rng = rng
        pick = rng.some
        many = {"type": "array"}
        self.ids_key = pick(["site_ids", "ids"])
        self.find = Tool(pick(["find_sites", "sites_in_area", "look_for_sites"]), "Sites by area, kind and name, with their ids.", (Param("area"), Param("kind", required=False), Param("name", required=False), Param("limit", "integer", required=False)))
        self.figures = Tool(pick(["site_figures", "site_numbers"]), "Visits, visitors and stay of a site.", (Param("site_id"), Param("period", required=False, choices=("last_week", "last_month", "last_quarter", "last_year"))))
        self.near = Tool(pick(["catchment", "visitor_origin"]), "From how far the visitors of a site come.", (Param("site_id"),))
        self.alike = Tool(pick(["alike_sites", "sites_like"]), "Sites that are like one.", (Param("site_id"), Param("limit", "integer", required=False)))
        self.effect = Tool(pick(["opening_effect", "effect_of_opening"]), "What a new site took from its neighbours.", (Param("site_id"), Param("weeks", "integer", required=False)))
        self.tools = [self.find, self.figures, self.near, self.alike, self.effect]
        del many
        self.prompt = f"You analyse sites in cities. Use the tools; never guess a figure or an id. Find ids with {self.find.name} first. Which sites, how many: {self.find.name}. How they do: {self.figures.name}. Where visitors come from: {self.near.name}. Alike: {self.alike.name}. A new site: {self.effect.name}.\nAnswer in the user's language, briefly."

    def talk(self) -> Conversation:
        return self.rng.some([self._figures, self._figures, self._figures, self._list, self._origin, self._two, self._none])()

    def _site(self) -> tuple[str, str, str, str]:
        rng = self.rng
        kind, city = rng.some(self.KINDS), rng.some(CITIES)
        return f"{person(rng).split()[1]} {kind.title()}", kind, city, f"s_{rng.randrange(1000, 9999)}{rng.some('abcdef')}"

    def _search(self, name: str, kind: str, city: str, ident: str, visits: int) -> Call:
        row = {"id": ident, "name": name, "kind": kind, "rank": self.rng.randrange(1, 9), "visits_total": visits}
        return Call(f"First the id of {name}.", self.find.name, {"area": city, "name": name}, dumps({"sites": [row]}))

    def _figures(self) -> Conversation:
        rng, (name, kind, city, ident) = self.rng, self._site()
        period, said = rng.some([("last_week", "last week"), ("last_month", "last month"), ("last_quarter", "last quarter"), ("last_year", "last year")])
        visits, stay = rng.randrange(400, 90000), rng.randrange(6, 70)
        observed = dumps({"site_id": ident, "period": period, "visits": visits, "stay_minutes": stay, "sample": True})
        key, text = rng.some([("visits", f"{name} had {visits} visits {said} (a sample)."), ("stay", f"Visitors stayed {stay} minutes at {name} {said} (a sample).")])
        question = f"How many visits did {name} in {city} have {said}?" if key == "visits" else f"How long did people stay at {name} in {city} {said}?"
        return _one("chain-sites", dressed(rng, question), self._search(name, kind, city, ident, visits * 3), Call(f"Now the figures of {ident}.", self.figures.name, {"site_id": ident, "period": period}, observed), Answer("I have the figures.", text))

    def _list(self) -> Conversation:
        rng, (_, kind, city, _) = self.rng, self._site()
        rows = [{"id": f"s_{rng.randrange(1000, 9999)}", "name": f"{person(rng).split()[1]} {kind.title()}"} for _ in range(rng.randrange(1, 5))]
        plural = kind[:-1] + "ies" if kind.endswith("y") else kind + "s"
        question = rng.some([f"Which {plural} are there in {city}?", f"How many {plural} do we know in {city}?"])
        call = Call(f"The user wants {plural} in {city}.", self.find.name, {"area": city, "kind": kind}, dumps({"sites": rows, "total": len(rows)}))
        return _one("sites", dressed(rng, question), call, Answer("I have the list.", f"{len(rows)} in {city}: {', '.join(row['name'] for row in rows)}."))

    def _origin(self) -> Conversation:
        rng, (name, kind, city, ident) = self.rng, self._site()
        km, share = tidy(rng.uniform(1, 30)), rng.randrange(40, 90)
        call = Call(f"Now where its visitors come from.", self.near.name, {"site_id": ident}, f"Half of the visitors of {ident} live within {km} km; {share} % come from the city itself.")
        question = rng.some([f"From how far do the visitors of {name} in {city} come?", f"Where do people who go to {name} in {city} live?"])
        return _one("chain-sites", dressed(rng, question), self._search(name, kind, city, ident, 900), call, Answer("I have it.", f"Half of them live within {km} km, and {share} % come from the city itself."))

    def _two(self) -> Conversation:
        rng, first, second = self.rng, self._site(), self._site()
        steps: list[Step] = []
        values = rng.sample(range(500, 9000), 2)
        for (name, kind, city, ident), value in zip((first, second), values, strict=True):
            steps.append(self._search(name, kind, city, ident, value * 5))
            steps.append(Call(f"Now the visits of {ident}.", self.figures.name, {"site_id": ident, "period": "last_month"}, dumps({"site_id": ident, "visits": value})))
        better = first[0] if values[0] > values[1] else second[0]
        text = f"{better} had more: {first[0]} {values[0]}, {second[0]} {values[1]}."
        return _one("chain-sites", f"Which had more visits last month, {first[0]} in {first[2]} or {second[0]} in {second[2]}?", *steps, Answer("I have both.", text))

    def _none(self) -> Conversation:
        name, _, city, _ = self._site()
        call = Call(f"First the id of {name}.", self.find.name, {"area": city, "name": name}, dumps({"sites": []}))
        return _one("unknown", f"How many visits did {name} in {city} have last month?", call, Answer("Nothing was found.", f"I found no {name} in {city}, so I cannot give you its visits."))
