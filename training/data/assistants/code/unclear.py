# ruff: noqa: E501
"""Talks in which something is asked back, is not there, or no tool tells it."""

from training.data.assistants.code.workspace import (
    ask,
    changed,
    clip,
    find,
    fresh,
    lines_of,
    places,
    read,
    read_body,
)
from training.data.assistants.talk import Ask, MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng


def asked_then_changed(rng: Rng, language: Language) -> Talk:
    """What to change is asked for; the bare reply is enough to change it."""
    project = fresh()
    name = rng.some([name for name, value in project.consts.items() if value.isdigit()])
    value = project.consts[name]
    wanted = str(int(value) + rng.randrange(1, 9))
    yield ask(
        rng,
        language,
        ["Can you raise the limit a bit?", "the number is too small, change it", "Set the constant higher please."],
        ["Kannst du die Grenze etwas anheben?", "Die Zahl ist zu klein, ändere sie."],
        ["把上限调高一点。", "那个数太小了，改一下。"],
    )
    yield Answer(
        "Neither the constant nor the value is said: ask.",
        {
            "en": "Which constant, and to what value?",
            "de": "Welche Konstante, und auf welchen Wert?",
            "zh": "哪个常量？改成多少？",
        }[language],
    )
    yield Ask(rng.some([f"{name}, {wanted}", f"{name} {wanted}", f"{name} = {wanted}"]))
    seen = yield find(rng, name)
    path, line, text = places(seen)[0]
    yield read(rng, path)
    yield call(f"Line {line}: only the value.", "edit_file", path=path, old=text, new=f"{name} = {wanted}")
    seen = yield call("Check with the tests.", "run_command", command=project.runner)
    yield changed((name, value, wanted), (path, line), seen, language)


def no_docstring(rng: Rng, language: Language) -> Talk:
    """The function is there, and what is asked for may not be in it."""
    project = fresh()
    name, (caller, _) = rng.some(list(project.callers.items()))
    yield ask(
        rng,
        language,
        [
            f"What does the docstring of {caller} say?",
            f"docstring of {caller}?",
            f"quote the docstring of {caller}",
            f"how is {caller} documented?",
        ],
        [f"Was steht im Docstring von {caller}?", f"Wie ist {caller} dokumentiert?"],
        [f"{caller} 的 docstring 写了什么？", f"{caller} 的文档字符串是什么？"],
    )
    seen = yield find(rng, caller)
    path, line, _ = places(seen)[0]
    seen = yield read_body(rng, path, caller)
    below = next((text.strip() for number, text in lines_of(seen) if number == line + 1), "")
    if below.startswith('"""'):
        doc = below.strip('"')
        yield Answer(
            clip(f"Line {line + 1}: {below}"),
            {
                "en": f'It says "{doc}" (`{path}`, line {line + 1}).',
                "de": f'Dort steht "{doc}" (`{path}`, Zeile {line + 1}).',
                "zh": f'写的是 "{doc}"（`{path}` 第 {line + 1} 行）。',
            }[language],
        )
        return
    yield Answer(
        clip(f"Line {line + 1} is {below}: no docstring."),
        {
            "en": f"`{caller}` has no docstring (`{path}`, line {line}); its body only calls `{name}`.",
            "de": f"`{caller}` hat keinen Docstring (`{path}`, Zeile {line}); der Rumpf ruft nur `{name}` auf.",
            "zh": f"`{caller}` 没有 docstring（`{path}` 第 {line} 行）；函数体只调用 `{name}`。",
        }[language],
    )


_UNTOLD: list[tuple[dict[Language, list[str]], dict[Language, str]]] = [
    (
        {
            "en": [
                "How many people use {name} in production?",
                "how often was {name} called last month on the server?",
            ],
            "de": ["Wie viele Leute benutzen {name} im Betrieb?", "Wie oft wurde {name} letzten Monat aufgerufen?"],
            "zh": ["线上有多少人在用 {name}？", "上个月 {name} 在服务器上被调用了多少次？"],
        },
        {
            "en": "I cannot tell: I only see the files of this folder, not how the program is used. I can show where `{name}` is called in the code.",
            "de": "Das kann ich nicht sagen: ich sehe nur die Dateien dieses Ordners, nicht den Betrieb. Wo `{name}` im Code aufgerufen wird, kann ich zeigen.",
            "zh": "无法得知：我只能看到这个文件夹里的文件，看不到运行情况。可以查 `{name}` 在代码里的调用处。",
        },
    ),
    (
        {
            "en": ["Which customer asked for {name}?", "what did the client say about {name} in the meeting?"],
            "de": ["Welcher Kunde wollte {name} haben?", "Was hat der Kunde in der Sitzung zu {name} gesagt?"],
            "zh": ["{name} 是哪个客户提的需求？", "客户开会时对 {name} 说了什么？"],
        },
        {
            "en": "No tool of mine knows meetings or customers: I only work with this folder. I can tell what `{name}` does.",
            "de": "Sitzungen und Kunden kennt keines meiner Werkzeuge: ich arbeite nur mit diesem Ordner. Was `{name}` tut, kann ich sagen.",
            "zh": "我的工具不了解会议和客户，只能处理这个文件夹。可以说明 `{name}` 的作用。",
        },
    ),
]


def untold(rng: Rng, language: Language) -> Talk:
    """About the code, and yet no tool tells it."""
    project = fresh()
    questions, answers = rng.some(_UNTOLD)
    name = rng.some([piece.name for piece in project.pieces])
    yield ask(
        rng,
        language,
        *([one.format(name=name) for one in questions[each]] for each in ("en", "de", "zh")),
    )
    yield Answer("No tool tells this: say so, and what there is.", answers[language].format(name=name))


TALKS: dict[MakeTalk, int] = {
    asked_then_changed: 3,
    no_docstring: 3,
    untold: 2,
}
