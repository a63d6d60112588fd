# ruff: noqa: E501
"""More talks about how code hangs together."""

from training.data.assistants.code.workspace import (
    ask,
    clip,
    find,
    fresh,
    places,
    read_body,
    uses,
)
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng


def unused_function(rng: Rng, language: Language) -> Talk:
    """May a function go? Only if nothing but its tests uses it."""
    project = fresh()
    name = rng.some([project.unused, rng.some([piece.name for piece in project.pieces])])
    yield ask(
        rng,
        language,
        [
            f"Can I delete {name} safely?",
            f"is {name} dead code?",
            f"does anything besides the tests need {name}?",
            f"would something break without {name}",
        ],
        [f"Kann {name} weg?", f"Ist {name} toter Code?"],
        [f"{name} 可以删掉吗？", f"{name} 是没用的代码吗？"],
    )
    seen = yield uses(rng, name)
    hits = [] if "No use" in seen.text else places(seen)
    code = [each for each in hits if not each[0].startswith("tests/")]
    tests = [each for each in hits if each[0].startswith("tests/")]
    if code:
        path, line, _ = code[-1]
        yield Answer(
            clip(f"Used in code: {path}:{line}."),
            {
                "en": f"No: `{path}` uses `{name}` (line {line}), it would break.",
                "de": f"Nein: `{path}` benutzt `{name}` (Zeile {line}) und ginge kaputt.",
                "zh": f"不行：`{path}` 第 {line} 行用到 `{name}`，删掉会出错。",
            }[language],
        )
    elif tests:
        path, line, _ = tests[-1]
        yield Answer(
            clip(f"Only tests use it: {path}:{line}."),
            {
                "en": f"Only the test in `{path}` (line {line}) uses `{name}`; no other code here does. Take the test out with it.",
                "de": f"Nur der Test in `{path}` (Zeile {line}) benutzt `{name}`, sonst kein Code hier. Der Test müsste mit weg.",
                "zh": f"只有 `{path}` 第 {line} 行的测试用到 `{name}`，其他代码没有。要一起删掉测试。",
            }[language],
        )
    else:
        yield Answer(
            f"No use of '{name}' was found.",
            {
                "en": f"Nothing in this folder uses `{name}`, so nothing here would break.",
                "de": f"Nichts in diesem Ordner benutzt `{name}`, hier ginge also nichts kaputt.",
                "zh": f"这个文件夹里没有代码用到 `{name}`，删掉不会影响这里。",
            }[language],
        )


def which_file_longest(rng: Rng, language: Language) -> Talk:
    project = fresh()
    yield ask(
        rng,
        language,
        [
            "Which source file has the most lines?",
            "longest python file here?",
            "how many lines of code are there",
            "count the lines of the sources",
        ],
        ["Welche Quelldatei hat die meisten Zeilen?", "Wie viele Zeilen Code sind es?"],
        ["哪个源文件最长？", "源代码一共多少行？"],
    )
    seen = yield call("Counting is for a command: wc.", "run_command", command=f"wc -l {project.base}/*.py")
    rows = [line.split() for line in seen.text.split("\n") if line.strip().endswith((".py", "total"))]
    total = next(row[0] for row in rows if row[1] == "total")
    most, path = max((int(row[0]), row[1]) for row in rows if row[1] != "total")
    yield Answer(
        f"Most: {most} {path}; {total} total.",
        {
            "en": f"`{path}` is the longest with {most} lines; all sources in `{project.base}` have {total}.",
            "de": f"`{path}` ist mit {most} Zeilen am längsten; zusammen sind es {total} in `{project.base}`.",
            "zh": f"`{path}` 最长，有 {most} 行；`{project.base}` 里一共 {total} 行。",
        }[language],
    )


def readme_then_code(rng: Rng, language: Language) -> Talk:
    """What the version is in one file, and whether the other agrees."""
    project = fresh()
    yield ask(
        rng,
        language,
        [
            "Does __version__ agree with pyproject.toml?",
            "is the version the same everywhere?",
            "are both version numbers equal?",
            "check that the versions match",
        ],
        ["Stimmt __version__ mit pyproject.toml überein?", "Ist die Version überall gleich?"],
        ["__version__ 和 pyproject.toml 一致吗？", "各处的版本号一样吗？"],
    )
    seen = yield call(
        rng.some(["Both lines have the word version: grep.", "Where are versions written?"]),
        "grep_files",
        pattern="version",
    )
    shown = "; ".join(f"{path}:{line}: {text}" for path, line, text in places(seen))
    yield Answer(
        clip(shown),
        {
            "en": f"Yes, `pyproject.toml` and `{project.base}/__init__.py` both say {project.version}.",
            "de": f"Ja, `pyproject.toml` und `{project.base}/__init__.py` nennen beide {project.version}.",
            "zh": f"一致，`pyproject.toml` 和 `{project.base}/__init__.py` 都是 {project.version}。",
        }[language],
    )


def error_class(rng: Rng, language: Language) -> Talk:
    project = fresh()
    name = project.theme.error
    yield ask(
        rng,
        language,
        [
            f"What is {name} derived from?",
            f"base class of {name}?",
            f"would except ValueError catch a {name}?",
            f"which class does {name} extend",
        ],
        [f"Wovon erbt {name}?", f"Welche Basisklasse hat {name}?"],
        [f"{name} 继承自哪个类？", f"{name} 的父类是什么？"],
    )
    seen = yield find(rng, name)
    path, line, text = places(seen)[0]
    yield Answer(
        clip(f"{path}:{line}: {text}"),
        {
            "en": f"`{name}` extends `ValueError` (`{path}`, line {line}), so `except ValueError` catches it.",
            "de": f"`{name}` erbt von `ValueError` (`{path}`, Zeile {line}).",
            "zh": f"`{name}` 继承自 `ValueError`（`{path}` 第 {line} 行）。",
        }[language],
    )


def callee(rng: Rng, language: Language) -> Talk:
    """What a function of the report calls."""
    project = fresh()
    name, (caller, _) = rng.some(list(project.callers.items()))
    yield ask(
        rng,
        language,
        [
            f"Which function does {caller} call?",
            f"what is behind {caller}?",
            f"{caller} delegates to what",
            f"what does {caller} use to do its work?",
        ],
        [f"Welche Funktion ruft {caller} auf?", f"Was steckt hinter {caller}?"],
        [f"{caller} 调用了哪个函数？", f"{caller} 内部用了什么？"],
    )
    seen = yield find(rng, caller)
    path, line, _ = places(seen)[0]
    yield read_body(rng, path, caller)
    yield Answer(
        f"Its body: return str({name}(…)).",
        {
            "en": f"`{caller}` (`{path}`, line {line}) calls `{name}` and returns the result as text.",
            "de": f"`{caller}` (`{path}`, Zeile {line}) ruft `{name}` auf und liefert das Ergebnis als Text.",
            "zh": f"`{caller}`（`{path}` 第 {line} 行）调用 `{name}`，并把结果作为文本返回。",
        }[language],
    )


def which_tests(rng: Rng, language: Language) -> Talk:
    project = fresh()
    name = rng.some([piece.name for piece in project.pieces])
    yield ask(
        rng,
        language,
        [
            f"Is {name} tested?",
            f"which tests cover {name}?",
            f"Where's the test for {name}?",
            f"do we have a test of {name}",
        ],
        [f"Wird {name} getestet?", f"Welcher Test prüft {name}?"],
        [f"{name} 有测试吗？", f"哪个测试覆盖了 {name}？"],
    )
    seen = yield call(
        rng.some([f"Uses of {name} below tests.", f"Which tests use {name}?"]),
        "find_references",
        name=name,
        path="tests",
    )
    hits = [] if "No use" in seen.text else [each for each in places(seen) if f"{name}(" in each[2]]
    if not hits:
        yield Answer(
            f"No use of {name} in tests.",
            {
                "en": f"No, no test uses `{name}`.",
                "de": f"Nein, kein Test benutzt `{name}`.",
                "zh": f"没有，没有测试用到 `{name}`。",
            }[language],
        )
        return
    path, line, text = hits[0]
    test = text.rpartition("[")[2].rstrip("]")
    yield Answer(
        clip(f"{path}:{line} in {test}."),
        {
            "en": f"Yes, `{test}` in `{path}` (line {line}) tests `{name}`.",
            "de": f"Ja, `{test}` in `{path}` (Zeile {line}) prüft `{name}`.",
            "zh": f"有，`{path}` 第 {line} 行的 `{test}` 测试了 `{name}`。",
        }[language],
    )


TALKS: dict[MakeTalk, int] = {
    which_tests: 3,
    unused_function: 3,
    which_file_longest: 2,
    readme_then_code: 1,
    error_class: 2,
    callee: 3,
}
