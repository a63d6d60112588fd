# ruff: noqa: E501
"""Talks that change texts and files: documents, versions, packages, new and moved files, commands."""

import re

from training.data.assistants.code.workspace import ask, clip, find, fresh, line_with, lines_of, outcome, places, read
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng, person

_NEW_FILES = [
    ("docs/faq.md", "# FAQ\n\nQuestions go to {who}.\n"),
    ("docs/contact.md", "# Contact\n\nAsk {who}.\n"),
    ("NOTES.md", "# Notes\n\nWritten by {who}.\n"),
    ("AUTHORS.md", "# Authors\n\n{who}\n"),
]
_ITEMS = [
    "write more tests",
    "update the README",
    "check the rounding",
    "ask about the price list",
    "clean up the docs",
]


def new_file(rng: Rng, language: Language) -> Talk:
    fresh()
    path, content = rng.some(_NEW_FILES)
    content = content.format(who=person(rng))
    title, sentence = content.split("\n")[0].lstrip("# "), content.split("\n")[2]
    yield ask(
        rng,
        language,
        [
            f'Create {path} with the heading "{title}" and the line "{sentence}"',
            f'new file {path}: title {title}, then "{sentence}"',
            f'please add a file {path}, heading {title}, text: "{sentence}"',
            f'make me a {path} that says "{sentence}" under the heading "{title}"',
        ],
        [
            f'Leg {path} an, Überschrift "{title}", darunter "{sentence}"',
            f'Neue Datei {path}: Titel {title}, Text "{sentence}"',
        ],
        [f'新建 {path}，标题 "{title}"，内容 "{sentence}"', f'创建文件 {path}：标题 {title}，下面写 "{sentence}"'],
    )
    seen = yield call(
        rng.some([f"A new file: write_file {path}.", "It is small: write it whole."]),
        "write_file",
        path=path,
        content=content,
    )
    yield Answer(
        clip(seen.text.split("\n")[0]),
        {
            "en": f'I created `{path}` with the heading "{title}" and that line.',
            "de": f'`{path}` ist angelegt, mit der Überschrift "{title}" und dieser Zeile.',
            "zh": f"已创建 `{path}`，标题为 “{title}”，并写入了这一行。",
        }[language],
    )


def move_document(rng: Rng, language: Language) -> Talk:
    project = fresh()
    topic = rng.some(list(project.docs))
    source = project.docs[topic][0]
    target = rng.some(
        [f"docs/{topic}-rules.md", f"docs/old/{topic}.md", f"docs/guide/{topic}.md", f"docs/about_{topic}.md"]
    )
    yield ask(
        rng,
        language,
        [
            f"Move {source} to {target}.",
            f"rename {source} to {target}",
            f"{source} should be at {target}",
            f"can you put {source} under {target}?",
        ],
        [f"Verschieb {source} nach {target}.", f"Benenne {source} in {target} um."],
        [f"把 {source} 移到 {target}。", f"将 {source} 改名为 {target}。"],
    )
    seen = yield call(
        rng.some(["Both paths are given: move_file.", f"Move it to {target}."]),
        "move_file",
        source=source,
        target=target,
    )
    yield Answer(
        clip(seen.text.split("\n")[0]),
        {
            "en": f"`{source}` is now `{target}`.",
            "de": f"`{source}` liegt jetzt unter `{target}`.",
            "zh": f"`{source}` 已移到 `{target}`。",
        }[language],
    )


def delete_document(rng: Rng, language: Language) -> Talk:
    project = fresh()
    path = rng.some([each for each in project.files if each.endswith(".md") and each != "README.md"])
    yield ask(
        rng,
        language,
        [
            f"Delete {path}.",
            f"please remove the file {path}",
            f"we don't need {path} any more, delete it",
            f"get rid of {path}",
        ],
        [f"Lösch {path}.", f"{path} brauchen wir nicht mehr, bitte löschen."],
        [f"删除 {path}。", f"{path} 不需要了，请删掉。"],
    )
    seen = yield call(
        rng.some([f"The user wants {path} gone.", "One file, named exactly: delete_file."]), "delete_file", path=path
    )
    yield Answer(
        clip(seen.text.split("\n")[0]),
        {"en": f"`{path}` is deleted.", "de": f"`{path}` ist gelöscht.", "zh": f"已删除 `{path}`。"}[language],
    )


def bump_version(rng: Rng, language: Language) -> Talk:
    project = fresh()
    old = project.version
    major, minor, patch = (int(part) for part in old.split("."))
    new = rng.some([f"{major}.{minor}.{patch + 1}", f"{major}.{minor + 1}.0", f"{major + 1}.0.0"])
    yield ask(
        rng,
        language,
        [
            f"Bump the version to {new}.",
            f"set the project version to {new}",
            f"we release {new}, update the version",
            f"version -> {new} please",
        ],
        [f"Setz die Version auf {new}.", f"Wir veröffentlichen {new}, pass die Version an."],
        [f"把版本号改成 {new}。", f"版本升级到 {new}。"],
    )
    seen = yield call(
        rng.some(["Where is the version written?", "The version may be in several files: grep."]),
        "grep_files",
        pattern="version",
    )
    init = f"{project.base}/__init__.py"
    edits = [
        {"path": init, "old": f'__version__ = "{old}"', "new": f'__version__ = "{new}"'},
        {"path": "pyproject.toml", "old": f'version = "{old}"', "new": f'version = "{new}"'},
    ]
    yield call("Two files have it: multi_edit both.", "multi_edit", edits=edits)
    seen = yield call("Check both lines.", "grep_files", pattern=re.escape(new))
    yield Answer(
        clip("; ".join(f"{path}:{line}: {text}" for path, line, text in places(seen))),
        {
            "en": f"The version is now {new} (was {old}) in `{init}` and `pyproject.toml`; I checked both lines.",
            "de": f"Die Version ist jetzt {new} (vorher {old}) in `{init}` und `pyproject.toml`; beide Zeilen sind geprüft.",
            "zh": f"`{init}` 和 `pyproject.toml` 中的版本已从 {old} 改为 {new}；两行都已检查。",
        }[language],
    )


def add_dependency(rng: Rng, language: Language) -> Talk:
    fresh()
    name, version = rng.some(
        [("requests", "2.32"), ("numpy", "2.1"), ("typer", "0.12"), ("loguru", "0.7"), ("pillow", "10.4")]
    )
    yield ask(
        rng,
        language,
        [
            f"Add {name}>={version} to the dependencies.",
            f"we need {name} {version} or newer, add it",
            f"put {name}>={version} in pyproject",
            f"please make {name}>={version} a dependency",
        ],
        [f"Nimm {name}>={version} in die Abhängigkeiten auf.", f"Wir brauchen {name} ab {version}, trag es ein."],
        [f"把 {name}>={version} 加到依赖里。", f"需要 {name} {version} 以上，请加上依赖。"],
    )
    seen = yield call(
        rng.some(["Dependencies are in pyproject.toml: read it first.", "Read pyproject.toml."]),
        "read_file",
        path="pyproject.toml",
    )
    line = line_with(seen, "dependencies = [")
    old = next(text for number, text in lines_of(seen) if number == line)
    new = old[:-1] + f', "{name}>={version}"]'
    yield call(
        f"Line {line} has the list: add {name} at its end.", "edit_file", path="pyproject.toml", old=old, new=new
    )
    yield call("Check it.", "read_file", path="pyproject.toml")
    yield Answer(
        clip(f"Line {line}: …{new[-40:]}"),
        {
            "en": f"`{name}>={version}` is in the dependencies of `pyproject.toml` now (line {line}); I read the line again, nothing was installed.",
            "de": f"`{name}>={version}` steht jetzt in den Abhängigkeiten von `pyproject.toml` (Zeile {line}); geprüft durch Lesen, installiert ist nichts.",
            "zh": f"`{name}>={version}` 已加入 `pyproject.toml` 的依赖（第 {line} 行）；已重新读取确认，没有安装。",
        }[language],
    )


def add_change(rng: Rng, language: Language) -> Talk:
    project = fresh()
    if not project.changes:
        return
    version, day, _ = project.changes[0]
    note = rng.some(
        ["Clearer error messages.", "Fixed the page count.", "New setting for the port.", "Removed unused code."]
    )
    yield ask(
        rng,
        language,
        [
            f'Add "{note}" to the changelog under {version}.',
            f'changelog: "{note}" for {version} please',
            f'note "{note}" in the changes of {version}',
            f'put the line "{note}" below {version} in CHANGELOG.md',
        ],
        [f'Trag "{note}" im Changelog unter {version} ein.', f'Ergänze im Changelog bei {version}: "{note}"'],
        [f'在更新日志的 {version} 下加上 "{note}"', f'CHANGELOG 的 {version} 里补一条 "{note}"'],
    )
    yield read(rng, "CHANGELOG.md")
    old = f"## {version} ({day})\n\n"
    yield call(
        f"Insert it as the first entry of {version}.", "edit_file", path="CHANGELOG.md", old=old, new=f"{old}- {note}\n"
    )
    seen = yield read(rng, "CHANGELOG.md")
    line = line_with(seen, note)
    yield Answer(
        f"Line {line}: - {note}",
        {
            "en": f'"{note}" is now in `CHANGELOG.md` under {version} (line {line}); I read it again.',
            "de": f'"{note}" steht jetzt in `CHANGELOG.md` unter {version} (Zeile {line}); geprüft durch Lesen.',
            "zh": f'"{note}" 已写入 `CHANGELOG.md` 的 {version}（第 {line} 行）；已重新读取确认。',
        }[language],
    )


def remove_todo(rng: Rng, language: Language) -> Talk:
    project = fresh()
    if not project.todos:
        return
    todo, path = rng.some(project.todos)
    yield ask(
        rng,
        language,
        [
            f'The TODO "{todo}" is done, remove the comment.',
            f'please delete the todo "{todo}" from the code',
            f"remove this TODO: {todo}",
            f'"{todo}" is settled, take the TODO out',
        ],
        [f'Das TODO "{todo}" ist erledigt, nimm den Kommentar raus.', f'Lösch bitte das TODO "{todo}".'],
        [f'TODO "{todo}" 已完成，请删掉这条注释。', f'把代码里的 TODO "{todo}" 去掉。'],
    )
    seen = yield call(
        rng.some(["Find the comment.", "A comment is text: grep."]), "grep_files", pattern=f"TODO: {todo}"
    )
    path, line, _ = places(seen)[0]
    seen = yield call("Read the file before I change it.", "read_file", path=path)
    old = next(text for number, text in lines_of(seen) if number == line) + "\n"
    yield call(f"Take line {line} out, with its newline.", "edit_file", path=path, old=old, new="")
    thought, result = outcome((yield call("Check with the tests.", "run_command", command=project.runner)), language)
    yield Answer(
        clip(thought),
        {
            "en": f"The TODO is gone from `{path}` (it was line {line}). ",
            "de": f"Das TODO in `{path}` (Zeile {line}) ist weg. ",
            "zh": f"已从 `{path}` 删除该 TODO（原第 {line} 行）。",
        }[language]
        + result,
    )


def change_message(rng: Rng, language: Language) -> Talk:
    project = fresh()
    piece = rng.some([piece for piece in [*project.pieces, project.retry] if piece and piece.raises] or [None])
    if piece is None or piece.raises is None:
        return
    old = piece.raises[1]
    new = rng.some(
        ["please check the input", "cannot read this", "something is wrong with the data", "the input is not valid"]
    )
    yield ask(
        rng,
        language,
        [
            f'The error "{old}" should say "{new}".',
            f'change the message "{old}" to "{new}"',
            f'replace the text "{old}" by "{new}"',
            f'instead of "{old}" the user should see "{new}"',
        ],
        [f'Die Meldung "{old}" soll "{new}" heißen.', f'Ersetze den Text "{old}" durch "{new}".'],
        [f'把错误信息 "{old}" 改成 "{new}"', f'"{old}" 这条提示换成 "{new}"'],
    )
    seen = yield call(rng.some(["Find the message.", f'Where is "{old}"?']), "grep_files", pattern=old)
    hits = places(seen)
    if len(hits) != 1:
        return
    path, line, _ = hits[0]
    yield call("Read the file first.", "read_file", path=path)
    yield call("One place: replace the text only.", "edit_file", path=path, old=f'"{old}', new=f'"{new}')
    thought, result = outcome((yield call("Do the tests still run?", "run_command", command=project.runner)), language)
    yield Answer(
        clip(thought),
        {
            "en": f'The message in `{path}`, line {line} is now "{new}". ',
            "de": f'Die Meldung in `{path}`, Zeile {line} heißt jetzt "{new}". ',
            "zh": f'`{path}` 第 {line} 行的信息现在是 "{new}"。',
        }[language]
        + result,
    )


def add_docstring(rng: Rng, language: Language) -> Talk:
    project = fresh()
    if not project.undocumented:
        return
    name = rng.some(project.undocumented)
    doc = rng.some(["The value as text.", "Text for one row.", "What is shown to the user."])
    yield ask(
        rng,
        language,
        [
            f'{name} has no docstring, add "{doc}"',
            f'Give {name} the docstring "{doc}"',
            f'please document {name}: "{doc}"',
            f'add a docstring to {name} saying "{doc}"',
        ],
        [f'{name} hat keinen Docstring, ergänze "{doc}"', f'Gib {name} den Docstring "{doc}"'],
        [f'{name} 没有文档字符串，加上 "{doc}"', f'给 {name} 加 docstring："{doc}"'],
    )
    seen = yield find(rng, name)
    path, line, _ = places(seen)[0]
    seen = yield call("Read it before I change it.", "read_file", path=path)
    head = next(text for number, text in lines_of(seen) if number == line)
    yield call(
        f"Below line {line}, indented as the body.", "edit_file", path=path, old=head, new=f'{head}\n    """{doc}"""'
    )
    thought, result = outcome((yield call("Check with the tests.", "run_command", command=project.runner)), language)
    yield Answer(
        clip(thought),
        {
            "en": f'`{name}` in `{path}` has the docstring "{doc}" now. ',
            "de": f'`{name}` in `{path}` hat jetzt den Docstring "{doc}" ',
            "zh": f'`{path}` 中的 `{name}` 现在有 docstring "{doc}"。',
        }[language]
        + result,
    )


def keep_todo(rng: Rng, language: Language) -> Talk:
    fresh()
    item = rng.some(_ITEMS)
    yield ask(
        rng,
        language,
        [
            f'Put "{item}" on the todo list.',
            f"remember as a task: {item}",
            f'add a todo: "{item}"',
            f"note to do later: {item}",
        ],
        [f'Setz "{item}" auf die Aufgabenliste.', f"Merk dir als Aufgabe: {item}"],
        [f'把 "{item}" 加到待办。', f"记一个待办：{item}"],
    )
    seen = yield call(
        rng.some(["A task for the list: todo add.", "Keep it with todo."]), "todo", action="add", text=item
    )
    yield Answer(
        clip(seen.text.split("\n")[0]),
        {
            "en": f'"{item}" is on the todo list.',
            "de": f'"{item}" steht auf der Aufgabenliste.',
            "zh": f'"{item}" 已加入待办。',
        }[language],
    )


TALKS: dict[MakeTalk, int] = {
    new_file: 3,
    move_document: 2,
    delete_document: 1,
    bump_version: 3,
    add_dependency: 3,
    add_change: 2,
    remove_todo: 2,
    change_message: 3,
    add_docstring: 3,
    keep_todo: 1,
}
