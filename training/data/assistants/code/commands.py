# ruff: noqa: E501
"""More talks about what is in the folder, and about commands."""

from training.data.assistants.code.workspace import (
    ask,
    clip,
    find,
    fresh,
    line_with,
    places,
    read,
)
from training.data.assistants.talk import MakeTalk, Talk, call, mistake
from training.data.conversation import Answer, Language
from training.data.values import Rng


def changelog(rng: Rng, language: Language) -> Talk:
    project = fresh()
    if not project.changes:
        return
    version, day, note = rng.some(project.changes)
    yield ask(
        rng,
        language,
        [
            f"What changed in {version}?",
            f"when was {version} released?",
            f"release notes for {version}?",
            f"what's new in version {version}",
        ],
        [f"Was ist neu in {version}?", f"Wann kam {version} heraus?"],
        [f"{version} 版改了什么？", f"{version} 是什么时候发布的？"],
    )
    seen = yield read(rng, "CHANGELOG.md")
    line = line_with(seen, f"## {version}")
    yield Answer(
        f"Line {line}: {version} ({day}), below it: {note}",
        {
            "en": f'{version} of {day}: "{note}" (`CHANGELOG.md`)',
            "de": f'{version} vom {day}: "{note}" (`CHANGELOG.md`)',
            "zh": f'{version}（{day}）："{note}"（`CHANGELOG.md`）',
        }[language],
    )


def list_files(rng: Rng, language: Language) -> Talk:
    project = fresh()
    wanted = rng.some(["tests", "docs", "source"])
    folder = {"tests": "tests", "docs": "docs", "source": project.base}[wanted]
    yield ask(
        rng,
        language,
        [
            f"Which files are in {folder}?",
            f"list {folder}",
            f"what's in the folder {folder}?",
            f"how many files does {folder} have",
        ],
        [f"Welche Dateien liegen in {folder}?", f"Was ist im Ordner {folder}?"],
        [f"{folder} 里有哪些文件？", f"列出 {folder} 文件夹。"],
    )
    seen = yield call(
        rng.some([f"List the folder {folder}.", f"{folder} is a folder: list it."]), "list_directory", path=folder
    )
    names = [line.split("  ")[0].strip() for line in seen.text.split("\n") if "  " in line]
    listed = ", ".join(f"`{name}`" for name in names)
    yield Answer(
        clip(f"{len(names)} files: " + ", ".join(names)),
        {
            "en": f"`{folder}` has {len(names)} file{'s' * (len(names) > 1)}: {listed}.",
            "de": f"`{folder}` hat {len(names)} Datei{'en' * (len(names) > 1)}: {listed}.",
            "zh": f"`{folder}` 里有 {len(names)} 个文件：{listed}。",
        }[language],
    )


def overview(rng: Rng, language: Language) -> Talk:
    project = fresh()
    theme = project.theme
    yield ask(
        rng,
        language,
        [
            "What does this project do?",
            "what is this repo about?",
            "give me a short overview of the project",
            "what am I looking at here",
        ],
        ["Worum geht es in diesem Projekt?", "Was macht dieses Projekt?"],
        ["这个项目是做什么的？", "简单介绍一下这个项目。"],
    )
    yield read(rng, "README.md")
    sentence = f"{theme.title} {theme.about}."
    thought = f"README: {sentence}"
    if rng.random() < 0.5:
        yield call("Now what its code defines.", "code_map", about=theme.title, token_budget=600)
        thought = f"README: {sentence} Map: {theme.book}, {project.pieces[0].name}."
    first = project.pieces[0].name
    more = ""
    if "Map" in thought:
        more = {
            "en": f" The code in `{project.base}` has the class `{theme.book}` and functions such as `{first}`.",
            "de": f" Der Code in `{project.base}` hat die Klasse `{theme.book}` und Funktionen wie `{first}`.",
            "zh": f"`{project.base}` 的代码有类 `{theme.book}` 和 `{first}` 等函数。",
        }[language]
    yield Answer(
        clip(thought),
        {
            "en": f"{theme.title} {theme.about} (README.md).",
            "de": f'{theme.title}: laut README.md "{theme.about}".',
            "zh": f"{theme.title}：README.md 写道“{theme.about}”。",
        }[language]
        + more,
    )


def javascript(rng: Rng, language: Language) -> Talk:
    project = fresh()
    if not project.js:
        return
    yield ask(
        rng,
        language,
        ["How often does the web page refresh?", "what is REFRESH_MS?", "refresh interval of the page, please"],
        ["Wie oft lädt die Webseite neu?", "Auf was steht REFRESH_MS?"],
        ["网页多久刷新一次？", "REFRESH_MS 是多少？"],
    )
    seen = yield find(rng, "REFRESH_MS")
    path, line, text = places(seen)[0]
    yield Answer(
        clip(f"{path}:{line}: {text}"),
        {
            "en": f"Every {project.js_ms} milliseconds: `REFRESH_MS` in `{path}` (line {line}).",
            "de": f"Alle {project.js_ms} Millisekunden: `REFRESH_MS` in `{path}` (Zeile {line}).",
            "zh": f"每 {project.js_ms} 毫秒一次：`{path}` 第 {line} 行的 `REFRESH_MS`。",
        }[language],
    )


def too_short_old(rng: Rng, language: Language) -> Talk:
    """An `old` that is there more than once: the error shows the lines."""
    project = fresh()
    names = [
        name
        for name, value in project.consts.items()
        if value.isdigit() and project.files[project.where[name]].count(name) > 1
    ]
    if not names:
        return
    name = rng.some(names)
    value = project.consts[name]
    wanted = str(int(value) + 2)
    yield ask(
        rng,
        language,
        [
            f"raise {name} to {wanted}",
            f"Put {name} up to {wanted}.",
            f"{name}: {wanted} instead of {value} please",
            f"I want {wanted} for {name}",
        ],
        [f"Erhöhe {name} auf {wanted}.", f"{name} bitte auf {wanted} anheben."],
        [f"把 {name} 提高到 {wanted}。", f"{name} 调到 {wanted}。"],
    )
    seen = yield find(rng, name)
    path, line, text = places(seen)[0]
    yield mistake("Change it.", "edit_file", path=path, old=name, new=f"{name} = {wanted}")
    yield call(
        rng.some([f"It is there more than once: give all of line {line}.", "Give the whole line, which is unique."]),
        "edit_file",
        path=path,
        old=text,
        new=f"{name} = {wanted}",
    )
    yield Answer(
        f"The edit took: line {line}, {name} = {wanted}.",
        {
            "en": f"`{name}` is now {wanted} instead of {value} (`{path}`, line {line}). I did not run the tests.",
            "de": f"`{name}` ist jetzt {wanted} statt {value} (`{path}`, Zeile {line}). Die Tests habe ich nicht laufen lassen.",
            "zh": f"`{name}` 现在是 {wanted}，原来是 {value}（`{path}` 第 {line} 行）。没有运行测试。",
        }[language],
    )


def run_it(rng: Rng, language: Language) -> Talk:
    """A call of a function, really run."""
    project = fresh()
    piece = rng.some([piece for piece in project.sound if piece.samples and '"' not in piece.samples[0][0]] or [None])
    if piece is None:
        return
    args, _, _ = rng.some(piece.samples)
    said = f"{piece.name}({args})"
    yield ask(
        rng,
        language,
        [
            f"Run {said} and show me the output.",
            f"execute {said} please, what is printed?",
            f"try {said} for real",
            f"actually run {said}, don't guess",
        ],
        [f"Führ {said} aus und zeig das Ergebnis.", f"Probier {said} wirklich aus."],
        [f"运行 {said}，告诉我输出。", f"实际执行一下 {said}。"],
    )
    seen = yield find(rng, piece.name)
    path, _, _ = places(seen)[0]
    module = path.removeprefix("src/").removesuffix(".py").replace("/", ".")
    way = "PYTHONPATH=src " if path.startswith("src/") else ""
    seen = yield call(
        "Import it and print the result.",
        "run_command",
        command=f"{way}python3 -c 'from {module} import {piece.name}; print({said})'",
    )
    shown = seen.text.strip().split("\n")[-1]
    yield Answer(
        f"exit code 0, output: {shown}",
        {
            "en": f"I ran it: `{said}` prints `{shown}`.",
            "de": f"Ausgeführt: `{said}` gibt `{shown}` aus.",
            "zh": f"已运行：`{said}` 输出 `{shown}`。",
        }[language],
    )


def no_index(rng: Rng, language: Language) -> Talk:
    """`search_code` where nothing is indexed: the error says to grep."""
    project = fresh()
    name = rng.some(list(project.consts))
    yield ask(
        rng,
        language,
        [
            f"search the code for {name}",
            f"Find everything that mentions {name}.",
            f"where does {name} appear, comments too?",
            f"look for {name} everywhere",
        ],
        [f"Durchsuch den Code nach {name}.", f"Wo kommt {name} überall vor?"],
        [f"在代码里搜索 {name}。", f"{name} 在哪些地方出现？"],
    )
    yield mistake("Search the code.", "search_code", query=name)
    seen = yield call(
        rng.some(["Nothing is indexed: grep_files instead.", "No index. grep finds it as well."]),
        "grep_files",
        pattern=name,
    )
    hits = places(seen)
    listed = ", ".join(f"`{path}:{line}`" for path, line, _ in hits)
    yield Answer(
        clip(f"{len(hits)} lines: " + ", ".join(f"{path}:{line}" for path, line, _ in hits)),
        {
            "en": f"`{name}` is on {len(hits)} lines: {listed}.",
            "de": f"`{name}` steht in {len(hits)} Zeilen: {listed}.",
            "zh": f"`{name}` 出现在 {len(hits)} 行：{listed}。",
        }[language],
    )


TALKS: dict[MakeTalk, int] = {
    changelog: 3,
    list_files: 3,
    overview: 3,
    javascript: 2,
    too_short_old: 2,
    run_it: 2,
    no_index: 2,
}
