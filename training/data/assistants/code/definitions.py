# ruff: noqa: E501
"""Talks about where things are and who uses them."""

from training.data.assistants.code.workspace import (
    ask,
    clip,
    find,
    fresh,
    line_with,
    lines_of,
    places,
    read,
    read_body,
    uses,
)
from training.data.assistants.talk import MakeTalk, Talk, call, mistake
from training.data.conversation import Answer, Language
from training.data.values import Rng

_ABSENT = [
    "send_mail",
    "export_pdf",
    "login_user",
    "backup_all",
    "upload_photo",
    "to_xml",
    "sync_calendar",
    "reset_password",
    "RateLimiter",
    "EmailClient",
    "PdfWriter",
    "UserSession",
    "draw_chart",
    "import_csv",
    "print_barcode",
]
_TOPICS = [
    ("bluetooth", "Bluetooth"),
    ("kubernetes", "Kubernetes"),
    ("redis", "Redis"),
    ("graphql", "GraphQL"),
    ("oauth", "OAuth"),
    ("websocket", "WebSocket"),
    ("docker", "Docker"),
    ("sqlite", "SQLite"),
    ("kafka", "Kafka"),
]


def where_function(rng: Rng, language: Language) -> Talk:
    project = fresh()
    name = rng.some([piece.name for piece in project.pieces] + list(project.callers.values())[0:0])
    yield ask(
        rng,
        language,
        [
            f"Where is {name} defined?",
            f"In which file and line is {name}?",
            f"find {name} for me",
            f"which file has {name}, and what line?",
            f"where does the function {name} live?",
            f"Please point me to the definition of {name}.",
        ],
        [f"Wo ist {name} definiert?", f"In welcher Datei und Zeile steht {name}?", f"wo finde ich {name}?"],
        [f"{name} 在哪里定义？", f"{name} 在哪个文件第几行？"],
    )
    seen = yield find(rng, name)
    path, line, text = places(seen)[0]
    yield Answer(
        clip(f"{path}:{line}: {text}"),
        {
            "en": rng.some([f"`{name}` is defined in `{path}`, line {line}.", f"It is in `{path}` at line {line}."]),
            "de": f"`{name}` ist in `{path}` definiert, Zeile {line}.",
            "zh": f"`{name}` 定义在 `{path}` 第 {line} 行。",
        }[language],
    )
    if rng.random() < 0.35:
        yield ask(
            rng,
            language,
            ["And who calls it?", "what uses it?", "is it called anywhere?"],
            ["Und wer ruft sie auf?", "wo wird sie benutzt?"],
            ["谁调用它？", "它在哪里被用到？"],
        )
        seen = yield uses(rng, name)
        yield _callers_answer(name, places(seen) if "No use" not in seen.text else [], language)


def _callers_answer(name: str, hits: list[tuple[str, int, str]], language: Language) -> Answer:
    calls = [(path, line, text) for path, line, text in hits if f"{name}(" in text]
    if not calls:
        thought = f"No use of {name} was found." if not hits else "Only imports, no call."
        return Answer(
            thought,
            {
                "en": f"Nothing calls `{name}`: no use of it was found in the project.",
                "de": f"Niemand ruft `{name}` auf: im Projekt wurde keine Verwendung gefunden.",
                "zh": f"没有地方调用 `{name}`：项目中没有找到它的使用。",
            }[language],
        )
    shown = []
    for path, line, text in calls:
        caller = text.rpartition("[")[2].rstrip("]") if text.endswith("]") else ""
        shown.append(
            f"`{caller}` (`{path}`, line {line})"
            if language == "en" and caller
            else f"`{caller}` (`{path}`, Zeile {line})"
            if language == "de" and caller
            else f"`{caller}`（`{path}` 第 {line} 行）"
            if caller
            else f"`{path}:{line}`"
        )
    thought = clip("Calls, not imports: " + "; ".join(f"{path}:{line}" for path, line, _ in calls) + ".")
    joined = {"en": " and ", "de": " und ", "zh": "和"}[language].join(shown)
    return Answer(
        thought,
        {
            "en": f"`{name}` is called by {joined}.",
            "de": f"`{name}` wird aufgerufen von {joined}.",
            "zh": f"调用 `{name}` 的是{joined}。",
        }[language],
    )


def who_calls(rng: Rng, language: Language) -> Talk:
    project = fresh()
    name = rng.some([piece.name for piece in project.pieces])
    yield ask(
        rng,
        language,
        [
            f"Who calls {name}?",
            f"what calls {name}?",
            f"Where is {name} used?",
            f"show me the callers of {name}",
            f"I want to change {name}, which places call it?",
            f"which code depends on {name}?",
        ],
        [f"Wer ruft {name} auf?", f"Wo wird {name} verwendet?", f"Welche Stellen benutzen {name}?"],
        [f"谁调用了 {name}？", f"{name} 在哪些地方被使用？"],
    )
    seen = yield uses(rng, name)
    hits = [] if "No use" in seen.text else places(seen)
    yield _callers_answer(name, hits, language)


def how_often(rng: Rng, language: Language) -> Talk:
    project = fresh()
    name = rng.some([*project.consts, project.theme.error])
    yield ask(
        rng,
        language,
        [
            f"How often is {name} used?",
            f"how many places use {name}",
            f"count the uses of {name}, imports included",
            f"In how many files is {name} used?",
        ],
        [f"Wie oft wird {name} benutzt?", f"An wie vielen Stellen kommt {name} im Code vor, Importe mitgezählt?"],
        [f"{name} 被使用了多少次？", f"有多少处代码用到 {name}（包括导入）？"],
    )
    seen = yield uses(rng, name)
    if "No use" in seen.text:
        yield Answer(
            f"No use of {name} was found: 0.",
            {
                "en": f"`{name}` is not used anywhere, only defined.",
                "de": f"`{name}` wird nirgends benutzt, nur definiert.",
                "zh": f"`{name}` 没有被使用，只有定义。",
            }[language],
        )
        return
    hits = places(seen)
    files = list(dict.fromkeys(path for path, _, _ in hits))
    count, inside = len(hits), ", ".join(f"`{path}`" for path in files)
    imports = sum("import" in text for _, _, text in hits)
    thought = clip(f"{count} lines ({imports} of them imports) in {len(files)} files: " + ", ".join(files) + ".")
    lines = ", ".join(f"{path}:{line}" for path, line, _ in hits)
    yield Answer(
        thought,
        {
            "en": f"`{name}` is used on {count} line{'s' * (count > 1)}, in {len(files)} file{'s' * (len(files) > 1)}: {lines}.",
            "de": f"`{name}` wird in {count} Zeile{'n' * (count > 1)} benutzt, in {inside}: {lines}.",
            "zh": f"`{name}` 在 {count} 行中被使用，涉及 {len(files)} 个文件：{lines}。",
        }[language],
    )


def where_constant(rng: Rng, language: Language) -> Talk:
    project = fresh()
    name = rng.some(list(project.consts))
    yield ask(
        rng,
        language,
        [
            f"What is {name} set to?",
            f"value of {name}?",
            f"What's {name} and where is it set",
            f"which number does {name} have?",
            f"Please look up the constant {name}.",
        ],
        [f"Welchen Wert hat {name}?", f"Auf was steht {name}, und wo?"],
        [f"{name} 的值是多少？", f"{name} 设成了什么，在哪里？"],
    )
    seen = yield find(rng, name)
    path, line, text = places(seen)[0]
    value = text.partition(" = ")[2]
    yield Answer(
        clip(f"{path}:{line}: {text}"),
        {
            "en": f"`{name}` is {value}, set in `{path}` (line {line}).",
            "de": f"`{name}` ist {value}, gesetzt in `{path}` (Zeile {line}).",
            "zh": f"`{name}` 是 {value}，在 `{path}` 第 {line} 行设置。",
        }[language],
    )


def does_it_exist(rng: Rng, language: Language) -> Talk:
    fresh()
    name = rng.some(_ABSENT)
    yield ask(
        rng,
        language,
        [
            f"Is there a {name} in this project?",
            f"where is {name}?",
            f"Do we have {name} already?",
            f"does {name} exist here",
            f"I can't find {name}, is it there?",
        ],
        [f"Gibt es hier {name}?", f"Wo ist {name}?", f"Haben wir schon ein {name}?"],
        [f"这个项目里有 {name} 吗？", f"{name} 在哪里？"],
    )
    yield find(rng, name)
    seen = yield call(
        rng.some(
            [
                "No definition. Perhaps the name is in a text, a comment or a setting: grep.",
                "That are only definitions: does any line have it?",
            ]
        ),
        "grep_files",
        pattern=name,
        case_sensitive=False,
    )
    if not seen.text.startswith("No line"):
        return
    yield Answer(
        clip(f"No definition, and: {seen.text.splitlines()[0]}"),
        {
            "en": rng.some(
                [
                    f"No: there is no definition of `{name}` here, and no line of the files has the name.",
                    f"I looked for a definition and in all lines: `{name}` is not in this project.",
                ]
            ),
            "de": f"Nein, `{name}` gibt es hier nicht: weder eine Definition noch eine Zeile damit.",
            "zh": f"没有：既没有 `{name}` 的定义，也没有任何一行提到它。",
        }[language],
    )


def is_it_used(rng: Rng, language: Language) -> Talk:
    fresh()
    pattern, name = rng.some(_TOPICS)
    yield ask(
        rng,
        language,
        [
            f"Does this project use {name}?",
            f"anything about {name} in here?",
            f"is {name} mentioned anywhere",
            f"Do we depend on {name}?",
        ],
        [f"Benutzt das Projekt {name}?", f"Kommt {name} hier irgendwo vor?"],
        [f"这个项目用到 {name} 吗？", f"代码里有提到 {name} 吗？"],
    )
    seen = yield call(
        rng.some([f"Any line about {name}: grep, any case.", f"Look for {name} in all files."]),
        "grep_files",
        pattern=pattern,
        case_sensitive=False,
    )
    if not seen.text.startswith("No line"):
        return
    yield Answer(
        clip(seen.text.split("\n")[0]),
        {
            "en": f"No, nothing in this folder mentions {name}.",
            "de": f"Nein, {name} kommt in diesem Ordner nirgends vor.",
            "zh": f"没有，这个文件夹里没有提到 {name}。",
        }[language],
    )


def where_class(rng: Rng, language: Language) -> Talk:
    project = fresh()
    book = project.theme.book
    yield ask(
        rng,
        language,
        [
            f"What does the class {book} do?",
            f"explain {book} briefly",
            f"what methods does {book} have?",
            f"Which methods are in {book}?",
        ],
        [f"Was macht die Klasse {book}?", f"Welche Methoden hat {book}?"],
        [f"{book} 这个类是做什么的？", f"{book} 有哪些方法？"],
    )
    seen = yield find(rng, book)
    path, line, _ = places(seen)[0]
    seen = yield read_body(rng, path, book)
    things = project.theme.things
    doc = line_with(seen, '"""', line)
    methods = [text.strip()[4:].partition("(")[0] for _, text in lines_of(seen) if text.startswith("    def ")]
    named = [name for name in methods if name != "__init__"]
    shown = ", ".join(f"`{name}`" for name in named)
    yield Answer(
        clip(f'Line {doc}: "Keeps {things} by name, up to CAPACITY of them." Methods: {", ".join(named)}.'),
        {
            "en": f"`{book}` (`{path}`, line {line}) keeps {things} by name, up to `CAPACITY` of them. Its methods: {shown}.",
            "de": f"`{book}` (`{path}`, Zeile {line}) verwahrt {things} nach Namen, höchstens `CAPACITY`. Methoden: {shown}.",
            "zh": f"`{book}`（`{path}` 第 {line} 行）按名字保存 {things}，最多 `CAPACITY` 个。方法：{shown}。",
        }[language],
    )


def wrong_path(rng: Rng, language: Language) -> Talk:
    """A file read by its bare name: the error says to look for it."""
    project = fresh()
    path = rng.some([each for each in project.files if each.startswith(project.base) and "__init__" not in each])
    name = path.rpartition("/")[2]
    yield ask(
        rng,
        language,
        [
            f"What is in {name}?",
            f"give me a summary of {name}",
            f"what's defined in {name}?",
            f"which functions does {name} have",
        ],
        [f"Was steht in {name}?", f"Welche Namen definiert {name}?"],
        [f"{name} 里有什么？", f"{name} 定义了哪些东西？"],
    )
    yield mistake(f"Read {name}.", "read_file", path=name)
    seen = yield call(
        rng.some([f"Not at the top: find {name} by its name.", "No such path. glob finds it anywhere."]),
        "glob",
        pattern=name,
    )
    seen = yield read(rng, seen.text.split("\n")[0].strip())
    names = [
        text.split("(")[0].split(":")[0].split()[1] for _, text in lines_of(seen) if text.startswith(("def ", "class "))
    ]
    consts = [text.split(" = ")[0] for _, text in lines_of(seen) if " = " in text and text.split(" = ")[0].isupper()]
    both = ", ".join(f"`{each}`" for each in [*consts, *names])
    title = next(text for _, text in lines_of(seen)).strip('"')
    yield Answer(
        clip(f"Line 1: {title} Defined: {', '.join([*consts, *names])}."),
        {
            "en": f"`{path}` ({title.rstrip('.')}) defines {both}.",
            "de": f"`{path}` ({title.rstrip('.')}) definiert {both}.",
            "zh": f"`{path}`（{title.rstrip('.')}）定义了 {both}。",
        }[language],
    )


TALKS: dict[MakeTalk, int] = {
    where_function: 5,
    who_calls: 5,
    how_often: 3,
    where_constant: 4,
    does_it_exist: 3,
    is_it_used: 2,
    where_class: 3,
    wrong_path: 2,
}
