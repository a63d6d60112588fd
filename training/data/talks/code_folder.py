"""A folder of code: search, read, replace, run; its files are invented."""

from typing import Any, Final

from training.data.catalogue import Param, Tool
from training.data.conversation import Answer, Call, Conversation, Step
from training.data.talks.workplace import asked
from training.data.values import Rng, dumps
from training.data.world_expressions import join


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
        self.search = Tool(
            pick(["search_text", "find_text", "grep_code"]),
            "Lines of files that match a pattern.",
            (Param("pattern"), Param(pick(["folder", "path"]), required=False)),
        )
        self.open = Tool(
            pick(["open_file", "show_file", "view_source"]),
            "The text of a file with line numbers.",
            (
                Param("path", description="Such as src/app.py."),
                Param("first_line", "integer", required=False),
                Param("last_line", "integer", required=False),
            ),
        )
        self.replace = Tool(
            pick(["replace_text", "change_file", "patch_file"]),
            "Replaces a piece of a file.",
            (Param("path"), Param("old"), Param("new")),
        )
        self.run = Tool(
            pick(["run_shell", "shell", "execute_command"]),
            "Runs a command in the folder and shows its output.",
            (Param("command"),),
        )
        self.folder = Tool(
            pick(["list_folder", "show_folder", "files_in"]),
            "Files and folders in a folder.",
            (Param("path", required=False),),
        )
        self.where = Tool(
            pick(["where_defined", "definition_of", "locate_symbol"]),
            "Where a function or class is defined.",
            (Param("name"),),
        )
        self.create = Tool(
            pick(["new_file", "create_file", "save_file"]), "Writes a whole file.", (Param("path"), Param("content"))
        )
        self.tools = [self.search, self.open, self.replace, self.run, self.folder, self.where, self.create]
        rng.shuffle(self.tools)

    def _place(self) -> tuple[str, int, str, str, Any]:
        rng = self.rng
        path = (
            rng.some(["src", "app", "lib", "core", "server"])
            + "/"
            + rng.some(["client", "config", "jobs", "mailer", "parser", "store", "report"])
            + rng.some([".py", ".py", ".ts", ".go"])
        )
        name = rng.some(["RETRY_LIMIT", "TIMEOUT_S", "PAGE_SIZE", "MAX_JOBS", "CACHE_DAYS", "POOL_SIZE"])
        value = rng.randrange(2, 900)
        return path, rng.randrange(4, 180), name, f"{name} = {value}", value

    def talk(self) -> Conversation:
        return self.rng.some(
            [
                self._value,
                self._value,
                self._change,
                self._change,
                self._tests,
                self._defined,
                self._files,
                self._absent,
            ]
        )()

    def _found(self, path: str, line: int, name: str, text: str) -> tuple[Call, Call]:
        found = Call(f"First find {name}.", self.search.name, {"pattern": name}, f"{path}:{line}: {text}")
        around = f"{line - 1}: # {self.rng.some(['limits', 'settings', 'defaults'])}\n{line}: {text}\n{line + 1}: "
        return found, Call(f"Now read {path}.", self.open.name, {"path": path}, around)

    def _value(self) -> Conversation:
        path, line, name, text, value = self._place()
        question = self.rng.some(
            [
                f"What is {name} set to?",
                f"Which value does {name} have in this project?",
                f"Where is {name} set, and to what?",
            ]
        )
        call = Call(f"Find {name}.", self.search.name, {"pattern": name}, f"{path}:{line}: {text}")
        return asked("code", question, call, Answer("The line shows it.", f"{name} is {value}, in {path} line {line}."))

    def _change(self) -> Conversation:
        rng, (path, line, name, text, value) = self.rng, self._place()
        new = value + rng.randrange(1, 90)
        found, read = self._found(path, line, name, text)
        change = Call(
            "Now change that line.",
            self.replace.name,
            {"path": path, "old": text, "new": f"{name} = {new}"},
            rng.some([f"Replaced 1 place in {path}.", dumps({"changed": path, "places": 1})]),
        )
        question = rng.some(
            [f"Set {name} to {new}.", f"Please change {name} to {new}.", f"Raise {name} to {new} and check it."]
        )
        steps: list[Step] = [found, read, change]
        if "check" in question or rng.chance(0.4):
            passed = rng.randrange(4, 90)
            steps.append(
                Call(
                    "Now check it.",
                    self.run.name,
                    {"command": "pytest -q"},
                    f"{passed} passed in 1.{rng.randrange(10, 99)}s",
                )
            )
            steps.append(Answer("It is done and checked.", f"I set {name} to {new} in {path}; {passed} tests pass."))
        else:
            steps.append(Answer("It is done.", f"I set {name} from {value} to {new} in {path}, line {line}."))
        return asked("code-change", question, *steps)

    def _tests(self) -> Conversation:
        rng = self.rng
        passed = rng.randrange(5, 200)
        failed = rng.sample(["test_totals", "test_login", "test_retry"], rng.some([0, 0, 1, 2]))
        lines = "".join(f"FAILED tests/{test}.py::{test} - AssertionError\n" for test in failed)
        counted = f"{len(failed)} failed, " if failed else ""
        output = f"{lines}{counted}{passed} passed in 3.9s"
        call = Call("Run the tests.", self.run.name, {"command": "pytest -q"}, output)
        question = rng.some(["Do the tests pass?", "Run the tests.", "Are all tests green?"])
        text = f"All {passed} tests pass."
        if failed:
            denied = "" if question == "Run the tests." else "No: "
            text = f"{denied}{len(failed)} failed ({join(failed)}) and {passed} passed."
        return asked(
            "code",
            question,
            call,
            Answer("I have the result.", text),
        )

    def _defined(self) -> Conversation:
        rng, (path, line, *_) = self.rng, self._place()
        name = rng.some(["load_config", "send_mail", "parse_row", "open_store", "make_report", "retry_call"])
        call = Call(
            f"Find where {name} is defined.",
            self.where.name,
            {"name": name},
            rng.some([f"{path}:{line}", dumps({"path": path, "line": line})]),
        )
        return asked(
            "code",
            rng.some([f"Where is {name} defined?", f"In which file do I find {name}?"]),
            call,
            Answer("I have the place.", f"{name} is defined in {path}, line {line}."),
        )

    def _files(self) -> Conversation:
        rng = self.rng
        files = rng.sample(
            ["app.py", "jobs.py", "mailer.py", "store.py", "README.md", "setup.cfg", "tests"], rng.randrange(2, 6)
        )
        folder = rng.some(["src", "app", "lib"])
        call = Call(f"List {folder}.", self.folder.name, {"path": folder}, "\n".join(files))
        return asked(
            "code",
            rng.some([f"Which files are in {folder}?", f"What is in the folder {folder}?"]),
            call,
            Answer("I have the list.", f"In {folder}: {', '.join(files)}."),
        )

    def _absent(self) -> Conversation:
        name = self.rng.some(["LEGACY_MODE", "parse_xml", "FooBar", "send_fax"])
        call = Call(f"Find {name}.", self.search.name, {"pattern": name}, "No matches.")
        return asked(
            "code-absent",
            f"Where is {name} used?",
            call,
            Answer("Nothing was found.", f"{name} does not occur in this folder."),
        )
