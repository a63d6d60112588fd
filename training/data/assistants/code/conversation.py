# ruff: noqa: E501
"""Talks without a tool, with something missing, and follow-ups."""

from training.data.assistants.code.workspace import ask, clip, find, fresh, places
from training.data.assistants.talk import Ask, MakeTalk, Talk
from training.data.conversation import Answer, Language
from training.data.values import Rng

_GENERAL: list[tuple[dict[Language, list[str]], dict[Language, str]]] = [
    (
        {
            "en": ["What is a generator in Python?", "explain generators to me", "generator, what's that"],
            "de": ["Was ist ein Generator in Python?"],
            "zh": ["Python 的生成器是什么？"],
        },
        {
            "en": "A function with `yield`: it hands out values one at a time and goes on where it stopped, so no whole list is kept.",
            "de": "Eine Funktion mit `yield`: sie gibt Werte einzeln heraus und macht dort weiter, wo sie stand, ohne ganze Liste.",
            "zh": "带有 `yield` 的函数：逐个给出值，下次从停下的地方继续，不必保存整个列表。",
        },
    ),
    (
        {
            "en": ["Tuple or list, when do I use which?", "difference between tuple and list"],
            "de": ["Wann Tupel, wann Liste?"],
            "zh": ["元组和列表有什么区别？"],
        },
        {
            "en": "A list can change and suits many things of one kind; a tuple cannot change and suits a fixed record.",
            "de": "Eine Liste ist veränderlich und passt für viele gleichartige Dinge; ein Tupel ist fest und passt für einen Datensatz.",
            "zh": "列表可以修改，适合许多同类的东西；元组不能修改，适合固定的记录。",
        },
    ),
    (
        {
            "en": ["What does `is` do as opposed to `==`?", "is vs == in python?"],
            "de": ["Was ist der Unterschied zwischen is und ==?"],
            "zh": ["Python 里 is 和 == 有什么不同？"],
        },
        {
            "en": "`==` compares values, `is` asks whether both names mean the very same object; use `is` for `None`.",
            "de": "`==` vergleicht Werte, `is` prüft, ob es dasselbe Objekt ist; `is` nimmt man für `None`.",
            "zh": "`==` 比较值，`is` 判断是否同一个对象；判断 `None` 用 `is`。",
        },
    ),
    (
        {
            "en": ["What is a race condition?", "race condition in one sentence"],
            "de": ["Was ist eine Race Condition?"],
            "zh": ["什么是竞态条件？"],
        },
        {
            "en": "A fault where the result depends on which of several threads or processes happens to be first.",
            "de": "Ein Fehler, bei dem das Ergebnis davon abhängt, welcher von mehreren Threads oder Prozessen zuerst kommt.",
            "zh": "结果取决于多个线程或进程谁先执行的一种错误。",
        },
    ),
    (
        {
            "en": ["What does idempotent mean?", "idempotent?? please explain"],
            "de": ["Was heißt idempotent?"],
            "zh": ["幂等是什么意思？"],
        },
        {
            "en": "Doing it again changes nothing more: the second call leaves the same state as the first.",
            "de": "Wiederholen ändert nichts mehr: nach dem zweiten Aufruf ist der Zustand wie nach dem ersten.",
            "zh": "重复执行不会再改变什么：第二次之后的状态和第一次一样。",
        },
    ),
    (
        {
            "en": ["What is a decorator?", "how do decorators work, briefly"],
            "de": ["Was ist ein Dekorator in Python?"],
            "zh": ["装饰器是什么？"],
        },
        {
            "en": "A function that takes a function and gives back another in its place; written as `@name` above the `def`.",
            "de": "Eine Funktion, die eine Funktion nimmt und eine andere an ihrer Stelle liefert; geschrieben als `@name` über `def`.",
            "zh": "接收一个函数并返回另一个函数来代替它的函数；写成 `def` 上方的 `@name`。",
        },
    ),
    (
        {
            "en": ["Why shouldn't a default argument be a list?", "mutable default arguments, what's the problem"],
            "de": ["Warum soll eine Liste kein Vorgabewert sein?"],
            "zh": ["为什么默认参数不要用列表？"],
        },
        {
            "en": "It is made once, when the function is defined, so all calls share and change the same list; use `None` instead.",
            "de": "Sie entsteht einmal beim Definieren, alle Aufrufe teilen und ändern dieselbe Liste; besser `None`.",
            "zh": "它只在定义函数时创建一次，所有调用共用并修改同一个列表；应使用 `None`。",
        },
    ),
    (
        {
            "en": ["const or let in JavaScript?", "when do I use let instead of const"],
            "de": ["const oder let in JavaScript?"],
            "zh": ["JavaScript 里用 const 还是 let？"],
        },
        {
            "en": "Use `const` unless the name is assigned again; then `let`.",
            "de": "`const`, solange der Name nicht neu belegt wird, sonst `let`.",
            "zh": "不重新赋值就用 `const`，否则用 `let`。",
        },
    ),
    (
        {
            "en": ["What is semantic versioning?", "what do the three numbers of a version mean"],
            "de": ["Was bedeutet semantische Versionierung?"],
            "zh": ["语义化版本是什么？"],
        },
        {
            "en": "Major.minor.patch: major for breaking changes, minor for new features, patch for fixes.",
            "de": "Major.Minor.Patch: Major für Brüche, Minor für Neues, Patch für Korrekturen.",
            "zh": "主版本.次版本.修订号：不兼容的改动、新功能、修复。",
        },
    ),
]
_OUTSIDE: list[tuple[dict[Language, list[str]], dict[Language, str]]] = [
    (
        {
            "en": ["Send this to my boss by mail.", "email the team that we're done"],
            "de": ["Schick das meinem Chef per Mail."],
            "zh": ["把这个发邮件给我老板。"],
        },
        {
            "en": "I can't send mail: I only work with the files of this folder and run commands in it. I can write the text to a file.",
            "de": "Mails kann ich nicht schicken: ich arbeite nur mit diesem Ordner. Den Text kann ich in eine Datei schreiben.",
            "zh": "我不能发邮件：只能处理这个文件夹里的文件并运行命令。我可以把内容写进文件。",
        },
    ),
    (
        {"en": ["Commit and push it.", "please git push"], "de": ["Committe und pushe das."], "zh": ["提交并推送。"]},
        {
            "en": "I leave commits and pushes to you; I can tell you which files I changed.",
            "de": "Commits und Pushes überlasse ich dir; ich kann sagen, welche Dateien ich geändert habe.",
            "zh": "提交和推送由你来做；我可以告诉你改了哪些文件。",
        },
    ),
    (
        {
            "en": ["Book me a train to Graz.", "order a pizza please"],
            "de": ["Buch mir einen Zug nach Graz."],
            "zh": ["帮我订一张火车票。"],
        },
        {
            "en": "That is beyond my tools: I only work on the code in this folder.",
            "de": "Das können meine Werkzeuge nicht: ich arbeite nur am Code in diesem Ordner.",
            "zh": "这超出了我的工具范围：我只处理这个文件夹里的代码。",
        },
    ),
]
_THANKS: dict[Language, list[str]] = {
    "en": ["thanks!", "great, thank you", "perfect, cheers"],
    "de": ["Danke!", "super, danke dir"],
    "zh": ["谢谢！", "好的，谢谢"],
}
_WELCOME: dict[Language, list[str]] = {
    "en": ["You're welcome.", "Glad to help."],
    "de": ["Gern geschehen.", "Gerne."],
    "zh": ["不客气。", "很高兴能帮到你。"],
}


def _plain(
    rng: Rng, language: Language, some: list[tuple[dict[Language, list[str]], dict[Language, str]]], thought: str
) -> Talk:
    fresh()
    questions, answers = rng.some(some)
    yield ask(rng, language, questions["en"], questions["de"], questions["zh"])
    yield Answer(thought, answers[language])


def general(rng: Rng, language: Language) -> Talk:
    yield from _plain(
        rng,
        language,
        _GENERAL,
        rng.some(["General knowledge, nothing of this folder: no tool.", "No file is needed for this."]),
    )


def outside(rng: Rng, language: Language) -> Talk:
    yield from _plain(
        rng, language, _OUTSIDE, rng.some(["No tool of mine does this: say so.", "Outside of what I can do here."])
    )


def what_can_you(rng: Rng, language: Language) -> Talk:
    fresh()
    yield ask(
        rng,
        language,
        ["What can you do?", "how can you help me here", "what are you good for?", "hello, who are you?"],
        ["Was kannst du?", "Wobei kannst du helfen?"],
        ["你能做什么？", "你可以怎么帮我？"],
    )
    yield Answer(
        "About myself: no tool.",
        {
            "en": "I read, search and change the files of this folder and run commands such as its tests. Ask where something is, what it does, or for a change.",
            "de": "Ich lese, durchsuche und ändere die Dateien dieses Ordners und führe Befehle wie die Tests aus.",
            "zh": "我可以阅读、搜索和修改这个文件夹里的文件，并运行测试等命令。",
        }[language],
    )


def missing(rng: Rng, language: Language) -> Talk:
    """A change without saying of what."""
    fresh()
    kind = rng.some(["rename", "value", "bug", "delete"])
    en = {
        "rename": ["Rename the function.", "please give it a better name"],
        "value": ["Set the limit higher.", "make the number bigger"],
        "bug": ["There's a bug, fix it.", "it doesn't work, repair it please"],
        "delete": ["Delete the file.", "remove that file please"],
    }
    de = {
        "rename": ["Benenne die Funktion um.", "Gib ihr einen besseren Namen."],
        "value": ["Setz die Grenze höher.", "Mach den Wert größer."],
        "bug": ["Da ist ein Fehler, behebe ihn.", "Es geht nicht, bitte richten."],
        "delete": ["Lösch die Datei.", "Die Datei kann weg."],
    }
    zh = {
        "rename": ["把函数改个名字。", "给它换个更好的名字。"],
        "value": ["把上限调高。", "把那个数改大一点。"],
        "bug": ["有个错误，修一下。", "不好用，请修复。"],
        "delete": ["删除那个文件。", "把文件删掉。"],
    }
    back: dict[str, dict[Language, str]] = {
        "rename": {
            "en": "Which function, and what should it be called?",
            "de": "Welche Funktion, und wie soll sie heißen?",
            "zh": "哪个函数？要改成什么名字？",
        },
        "value": {
            "en": "Which constant or setting, and to what value?",
            "de": "Welche Konstante oder Einstellung, und auf welchen Wert?",
            "zh": "哪个常量或设置？改成多少？",
        },
        "bug": {
            "en": "What goes wrong: which function, with which input, and what should come out?",
            "de": "Was geht schief: welche Funktion, bei welcher Eingabe, und was sollte herauskommen?",
            "zh": "哪里出错了：哪个函数、什么输入、应该得到什么？",
        },
        "delete": {
            "en": "Which file shall I delete? Please give its path.",
            "de": "Welche Datei soll ich löschen? Bitte den Pfad.",
            "zh": "要删除哪个文件？请给出路径。",
        },
    }
    yield ask(rng, language, en[kind], de[kind], zh[kind])
    yield Answer(rng.some(["It is not said which: ask.", "Too little to act on: ask back."]), back[kind][language])


def missing_then_told(rng: Rng, language: Language) -> Talk:
    """The name comes in the second question."""
    project = fresh()
    name = rng.some(list(project.consts))
    yield ask(
        rng,
        language,
        ["What is that constant set to?", "which value does the constant have?"],
        ["Welchen Wert hat die Konstante?", "Auf was steht die Konstante?"],
        ["那个常量的值是多少？", "常量设成了多少？"],
    )
    yield Answer(
        "No name was given: ask.",
        {"en": "Which constant do you mean?", "de": "Welche Konstante meinst du?", "zh": "你指的是哪个常量？"}[
            language
        ],
    )
    yield Ask(
        rng.some(
            [name, f"{name}!", {"en": f"I mean {name}", "de": f"Ich meine {name}", "zh": f"我说的是 {name}"}[language]]
        )
    )
    seen = yield find(rng, name)
    path, line, text = places(seen)[0]
    value = text.partition(" = ")[2]
    yield Answer(
        clip(f"{path}:{line}: {text}"),
        {
            "en": f"`{name}` is {value} (`{path}`, line {line}).",
            "de": f"`{name}` ist {value} (`{path}`, Zeile {line}).",
            "zh": f"`{name}` 是 {value}（`{path}` 第 {line} 行）。",
        }[language],
    )


def two_constants(rng: Rng, language: Language) -> Talk:
    """One constant, then another, then thanks."""
    project = fresh()
    one, two = rng.sample(list(project.consts), 2)
    for place, name in enumerate((one, two)):
        if not place:
            yield ask(
                rng,
                language,
                [f"{name} is how much?", f"What number is behind {name}?", f"tell me {name}"],
                [f"Wie groß ist {name}?", f"Was steht hinter {name}?"],
                [f"{name} 等于多少？", f"告诉我 {name} 的值。"],
            )
        else:
            yield ask(
                rng,
                language,
                [f"and {name}?", f"what about {name}", f"same for {name} please"],
                [f"und {name}?", f"Und bei {name}?"],
                [f"那 {name} 呢？", f"{name} 呢？"],
            )
        seen = yield find(rng, name)
        path, line, text = places(seen)[0]
        yield Answer(
            clip(f"{path}:{line}: {text}"),
            {
                "en": f"`{name}` = {text.partition(' = ')[2]}, in `{path}`, line {line}.",
                "de": f"`{name}` = {text.partition(' = ')[2]}, in `{path}`, Zeile {line}.",
                "zh": f"`{name}` = {text.partition(' = ')[2]}，在 `{path}` 第 {line} 行。",
            }[language],
        )
    if rng.random() < 0.5:
        yield Ask(rng.some(_THANKS[language]))
        yield Answer("Thanks: no tool.", rng.some(_WELCOME[language]))


TALKS: dict[MakeTalk, int] = {
    general: 6,
    outside: 2,
    what_can_you: 1,
    missing: 4,
    missing_then_told: 2,
    two_constants: 3,
}
