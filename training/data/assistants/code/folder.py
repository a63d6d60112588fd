# ruff: noqa: E501
"""Talks about settings, documents, packages and what is in the folder."""

from training.data.assistants.code.projects import Project
from training.data.assistants.code.workspace import ask, clip, fresh, line_with, lines_of, places, read
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng


def env_default(rng: Rng, language: Language) -> Talk:
    project = fresh()
    if project.style != "env":
        return
    setting = rng.some(project.settings)
    name = f"{project.theme.env}_{setting.key.upper()}"
    means = setting.means[language]
    yield ask(
        rng,
        language,
        [
            f"What is the default of {name}?",
            f"which file reads {name}",
            f"If {name} is not set, what do we get?",
            f"where's {name} read and what does it fall back to?",
            f"default for the environment variable {name}?",
        ],
        [f"Was gilt, wenn {name} nicht gesetzt ist?", f"Wo wird {name} gelesen, und mit welcher Vorgabe?"],
        [f"{name} 的默认值是什么？", f"哪个文件读取 {name}，默认是多少？"],
    )
    seen = yield call(
        rng.some(
            [
                f"The line that reads {name}: grep.",
                "An environment variable is a text: grep.",
                f"Find {name} in the files.",
            ]
        ),
        "grep_files",
        pattern=name,
    )
    path, line, text = places(seen)[0]
    yield Answer(
        clip(f"{path}:{line}: {text}"),
        {
            "en": f'`{name}` ({means}) is read in `{path}` (line {line}); its default is "{setting.default}".',
            "de": f'`{name}` ({means}) wird in `{path}` (Zeile {line}) gelesen; die Vorgabe ist "{setting.default}".',
            "zh": f'`{name}`（{means}）在 `{path}` 第 {line} 行读取，默认值是 "{setting.default}"。',
        }[language],
    )


def setting_default(rng: Rng, language: Language) -> Talk:
    project = fresh()
    if project.style == "env":
        return
    setting = rng.some(project.settings)
    key, code = setting.key, project.where["settings"]
    yield ask(
        rng,
        language,
        [
            f"What is the default of the setting {key}?",
            f"{key}: which default, and does the settings file change it?",
            f"where does {key} come from",
            f"What value has {key} without and with the settings file?",
        ],
        [f"Welche Vorgabe hat die Einstellung {key}?", f"Was steht für {key} im Code und in der Einstellungsdatei?"],
        [f"设置 {key} 的默认值是什么？", f"{key} 在代码里和设置文件里分别是多少？"],
    )
    seen = yield call(
        rng.some([f"Where {key} is given a value: grep.", f"{key} may be in code and in a file: grep."]),
        "grep_files",
        pattern=rf"\b{key}\b",
    )
    hits = places(seen)
    default = next(each for each in hits if each[0] == code)
    other = next((each for each in hits if each[0] == project.settings_file), None)
    thought = f"{default[0]}:{default[1]}: {default[2]}" + (f" and {other[0]}:{other[1]}: {other[2]}" if other else "")
    if other:
        text = {
            "en": f"The default of `{key}` is {setting.literal(setting.default)} (`{code}`, line {default[1]}); "
            f"`{other[0]}` sets it to {setting.literal(setting.in_file)}.",
            "de": f"Die Vorgabe von `{key}` ist {setting.literal(setting.default)} (`{code}`, Zeile {default[1]}); "
            f"`{other[0]}` setzt {setting.literal(setting.in_file)}.",
            "zh": f"`{key}` 的默认值是 {setting.literal(setting.default)}（`{code}` 第 {default[1]} 行），"
            f"`{other[0]}` 把它设为 {setting.literal(setting.in_file)}。",
        }[language]
    else:
        text = {
            "en": f"The default of `{key}` is {setting.literal(setting.default)} (`{code}`, line {default[1]}); "
            f"`{project.settings_file}` does not set it.",
            "de": f"Die Vorgabe von `{key}` ist {setting.literal(setting.default)} (`{code}`, Zeile {default[1]}); "
            f"`{project.settings_file}` setzt sie nicht.",
            "zh": f"`{key}` 的默认值是 {setting.literal(setting.default)}（`{code}` 第 {default[1]} 行），"
            f"`{project.settings_file}` 没有设置它。",
        }[language]
    yield Answer(clip(thought), text)


def settings_order(rng: Rng, language: Language) -> Talk:
    project = fresh()
    if project.style == "env":
        return
    yield ask(
        rng,
        language,
        [
            "If a setting is in the file and in the environment, which one wins?",
            "what order are settings applied in?",
            f"does {project.settings_file} beat the environment variables?",
            "Which has priority: settings file or env vars?",
            "who wins, defaults, file or environment",
        ],
        ["Was gewinnt: Einstellungsdatei oder Umgebungsvariable?", "In welcher Reihenfolge gelten die Einstellungen?"],
        ["设置文件和环境变量哪个优先？", "设置按什么顺序生效？"],
    )
    seen = yield call(
        rng.some(["Which code reads the environment? grep.", "Find where settings are read."]),
        "grep_files",
        pattern="os.environ",
    )
    path, _, _ = places(seen)[0]
    seen = yield read(rng, path)
    file_line, env_line = line_with(seen, "found.update("), line_with(seen, "os.environ.get")
    file, env = project.settings_file, "environment"
    first, last = (file, env) if project.style == "env-wins" else (env, file)
    thought = f"DEFAULTS first; file at line {file_line}, environment at line {env_line}; what is later wins: {last}."
    german = {env: "Umgebung", file: f"`{file}`"}
    chinese = {env: "环境变量", file: f"`{file}`"}
    english = {env: "the environment", file: f"`{file}`"}
    yield Answer(
        clip(thought),
        {
            "en": f"{english[last].capitalize() if last == env else english[last]} wins: `load_settings` in `{path}` takes the "
            f"defaults, then {english[first]}, then {english[last]}.",
            "de": f"{german[last]} gewinnt: `load_settings` in `{path}` nimmt die Vorgaben, dann {german[first]}, dann {german[last]}.",
            "zh": f"{chinese[last]}优先：`{path}` 的 `load_settings` 先用默认值，再用{chinese[first]}，最后用{chinese[last]}。",
        }[language],
    )


def which_settings(rng: Rng, language: Language) -> Talk:
    project = fresh()
    env = project.style == "env"
    yield ask(
        rng,
        language,
        [
            "Which environment variables does this read?" if env else "Which settings are there?",
            "list all settings with their defaults",
            "what can I configure here?",
            "Which options does this program have, and what are the defaults?",
        ],
        ["Welche Einstellungen gibt es?", "Was kann man hier einstellen, mit Vorgaben?"],
        ["有哪些可以设置的项？", "列出所有设置和默认值。"],
    )
    seen = yield call("Settings that come from the environment: grep.", "grep_files", pattern="os.environ")
    path, _, _ = places(seen)[0]
    if not env:
        yield read(rng, path)
    shown = [
        (f"{project.theme.env}_{each.key.upper()}" if env else each.key, each.default) for each in project.settings
    ]
    listed = ", ".join(f"`{name}` ({default})" for name, default in shown)
    yield Answer(
        clip("; ".join(f"{name}: {default}" for name, default in shown)),
        {
            "en": f"In `{path}`, with their defaults: {listed}.",
            "de": f"In `{path}`, mit Vorgaben: {listed}.",
            "zh": f"在 `{path}` 中，括号内为默认值：{listed}。",
        }[language],
    )


def _about_packages(name: str, wanted: str) -> tuple[list[str], list[str], list[str]]:
    """How it is asked in English, German and Chinese."""
    en = {
        "all": [
            "What does this project depend on, with versions?",
            "which packages in which versions are needed to run it?",
            "list the dependencies with their minimum versions",
        ],
        "names": ["What does this project depend on?", "which packages does it need, just the names"],
        "python": ["Which Python version is required?", "what python do I need", "does this need a certain python?"],
        "version": ["What version is this project?", "which release is this", "current version of the project?"],
        "dev": ["Which packages are only for development?", "what are the dev dependencies", "dev extras?"],
        "one": [f"Which version of {name} is needed?", f"min version of {name}?", f"do we need {name}, and which?"],
    }
    de = {
        "all": ["Welche Pakete braucht das Projekt, in welchen Versionen?", "Abhängigkeiten mit Versionen?"],
        "names": ["Wovon hängt das Projekt ab?", "Welche Pakete braucht es, nur die Namen?"],
        "python": ["Welche Python-Version wird verlangt?", "Welches Python brauche ich?"],
        "version": ["Welche Version hat das Projekt?", "Bei welcher Version sind wir?"],
        "dev": ["Welche Pakete sind nur für die Entwicklung?", "Was steht in den dev-Abhängigkeiten?"],
        "one": [f"Welche Version von {name} wird gebraucht?", f"Mindestversion von {name}?"],
    }
    zh = {
        "all": ["这个项目依赖哪些包，什么版本？", "运行它需要哪些依赖及其版本？"],
        "names": ["这个项目依赖哪些包？", "它需要哪些包，只要名字？"],
        "python": ["需要哪个 Python 版本？", "Python 至少要多少？"],
        "version": ["项目现在是什么版本？", "当前版本号是多少？"],
        "dev": ["哪些包只用于开发？", "开发依赖有哪些？"],
        "one": [f"{name} 需要什么版本？", f"{name} 最低版本是多少？"],
    }
    return en[wanted], de[wanted], zh[wanted]


def _told_already(project: Project, wanted: str, language: Language) -> Answer:
    """What the context given with the question says."""
    if wanted == "version":
        version = project.version
        return Answer(
            f"The context has it: {project.theme.package} {version}. No call.",
            {"en": f"Version {version}.", "de": f"Version {version}.", "zh": f"版本 {version}。"}[language],
        )
    names = ", ".join(f"`{name}`" for name, _ in project.dependencies)
    return Answer(
        clip(f"The context lists them: {names.replace('`', '')}. No call."),
        {"en": f"It depends on {names}.", "de": f"Es braucht {names}.", "zh": f"依赖 {names}。"}[language],
    )


def dependencies(rng: Rng, language: Language) -> Talk:
    project = fresh()
    wanted = rng.some(["all", "names", "python", "version", "dev", "one"])
    name, version = rng.some(project.dependencies)
    yield ask(rng, language, *_about_packages(name, wanted))
    if wanted in ("names", "version"):
        yield _told_already(project, wanted, language)
        return
    seen = yield call(
        rng.some(["pyproject.toml says it.", "Packages and versions are in pyproject.toml: read it."]),
        "read_file",
        path="pyproject.toml",
    )
    needs = ", ".join(f"`{each}>={number}`" for each, number in project.dependencies)
    extra = ", ".join(f"`{each}>={number}`" for each, number in project.dev)
    part = {
        "all": "dependencies =",
        "python": "requires-python",
        "dev": "dev =",
        "one": "dependencies =",
    }[wanted]
    text = next(text for _, text in lines_of(seen) if text.startswith(part))
    say = {
        "all": {"en": f"It needs {needs}.", "de": f"Es braucht {needs}.", "zh": f"需要 {needs}。"},
        "python": {
            "en": f"Python {project.python} or newer.",
            "de": f"Python {project.python} oder neuer.",
            "zh": f"Python {project.python} 或更新。",
        },
        "dev": {"en": f"For development: {extra}.", "de": f"Für die Entwicklung: {extra}.", "zh": f"开发用：{extra}。"},
        "one": {
            "en": f"`{name}` {version} or newer.",
            "de": f"`{name}` ab {version}.",
            "zh": f"`{name}` {version} 以上。",
        },
    }[wanted][language]
    source = {"en": " (`pyproject.toml`)", "de": " (`pyproject.toml`)", "zh": "（`pyproject.toml`）"}[language]
    mark = "。" if language == "zh" else "."
    yield Answer(clip(text), say.rstrip(mark) + source + mark)


def run_tests_how(rng: Rng, language: Language) -> Talk:
    project = fresh()
    yield ask(
        rng,
        language,
        [
            "How do I run the tests?",
            "what's the test command",
            "which command runs the tests here?",
            "how are tests started in this repo",
        ],
        ["Wie starte ich die Tests?", "Mit welchem Befehl laufen die Tests?"],
        ["怎么运行测试？", "测试用什么命令跑？"],
    )
    seen = yield call(
        rng.some(["The README should say it.", "How to run tests: README.md."]), "read_file", path="README.md"
    )
    line = line_with(seen, project.runner)
    yield Answer(
        f"Line {line}: Run `{project.runner}`.",
        {
            "en": f"Run `{project.runner}` in this folder (README.md, line {line}).",
            "de": f"Mit `{project.runner}` in diesem Ordner (README.md, Zeile {line}).",
            "zh": f"在这个文件夹里运行 `{project.runner}`（README.md 第 {line} 行）。",
        }[language],
    )


def todos(rng: Rng, language: Language) -> Talk:
    fresh()
    yield ask(
        rng,
        language,
        [
            "Are there any TODOs?",
            "what is still to do according to the code?",
            "list the TODO comments",
            "any todo left in the source",
        ],
        ["Gibt es noch TODOs im Code?", "Welche TODO-Kommentare gibt es?"],
        ["代码里有 TODO 吗？", "列出 TODO 注释。"],
    )
    seen = yield call(rng.some(["Comments are text: grep TODO.", "All lines with TODO."]), "grep_files", pattern="TODO")
    if seen.text.startswith("No line"):
        yield Answer(
            clip(seen.text.split("\n")[0]),
            {
                "en": "No, there is no TODO in this folder.",
                "de": "Nein, in diesem Ordner steht kein TODO.",
                "zh": "没有，这个文件夹里没有 TODO。",
            }[language],
        )
        return
    hits = [(path, line, text.partition("TODO: ")[2]) for path, line, text in places(seen)]
    listed = "; ".join(f'"{text}" (`{path}`, {_line(language, line)})' for path, line, text in hits)
    yield Answer(
        clip("; ".join(f"{path}:{line}: {text}" for path, line, text in hits)),
        {
            "en": f"{'One' if len(hits) == 1 else 'Two'}: {listed}.",
            "de": f"{'Eines' if len(hits) == 1 else 'Zwei'}: {listed}.",
            "zh": f"有 {len(hits)} 条：{listed}。",
        }[language],
    )


def _line(language: Language, line: int) -> str:
    return {"en": f"line {line}", "de": f"Zeile {line}", "zh": f"第 {line} 行"}[language]


def document(rng: Rng, language: Language) -> Talk:
    project = fresh()
    topic = rng.some(list(project.docs))
    path, says = project.docs[topic]
    en = {
        "backup": ["How long are backups kept?", "when are backups made and how long do we keep them", "backup rules?"],
        "release": ["How many approvals does a release need?", "what does a release need, and when is it tagged?"],
        "import": ["How many lines may an import have?", "what are the limits of an import", "import limits?"],
        "roles": ["How many roles are there?", "what can a guest see", "what do the docs say about roles?"],
    }
    de = {
        "backup": ["Wie lange werden Sicherungen aufbewahrt?", "Wann laufen die Backups?"],
        "release": ["Wie viele Freigaben braucht ein Release?", "Was braucht ein Release?"],
        "import": ["Wie viele Zeilen darf ein Import haben?", "Welche Grenzen hat der Import?"],
        "roles": ["Wie viele Rollen gibt es?", "Was dürfen Gäste sehen?"],
    }
    zh = {
        "backup": ["备份保留多久？", "什么时候备份？"],
        "release": ["发布需要几个人批准？", "发布有什么要求？"],
        "import": ["导入最多多少行？", "导入有什么限制？"],
        "roles": ["有几种角色？", "访客能看到什么？"],
    }
    yield ask(rng, language, en[topic], de[topic], zh[topic])
    if rng.random() < 0.5:
        seen = yield call("Documents should be in docs: which are there?", "list_directory", path="docs")
    else:
        seen = yield call(f"Rules are in texts: a document about {topic}?", "glob", pattern="*.md")
    seen = yield read(rng, path)
    sentence = lines_of(seen)[-1][1]
    end = "。" if language == "zh" else "."
    yield Answer(
        clip(sentence),
        {
            "en": f"By `{path}`: {says['en']}",
            "de": f"Laut `{path}`: {says['de']}",
            "zh": f"根据 `{path}`：{says['zh']}",
        }[language]
        + end,
    )


TALKS: dict[MakeTalk, int] = {
    env_default: 6,
    setting_default: 5,
    settings_order: 4,
    which_settings: 3,
    dependencies: 6,
    run_tests_how: 3,
    todos: 3,
    document: 5,
}
