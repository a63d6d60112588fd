# ruff: noqa: E501
"""Talks that change code: bugs, names, values."""

import re
from collections.abc import Generator
from typing import NamedTuple

from training.data.assistants.code.pieces import Bug, Piece
from training.data.assistants.code.workspace import (
    ask,
    changed,
    clip,
    failures,
    find,
    fresh,
    line_with,
    lines_of,
    outcome,
    places,
    ran,
    read_body,
    unseen,
    values_of,
)
from training.data.assistants.talk import MakeTalk, Seen, Step, Talk, call
from training.data.conversation import Answer, Call, Language
from training.data.values import Rng


def run_tests(rng: Rng, command: str) -> Call:
    thoughts = ["Check it with the tests.", "Run the tests.", "Do the tests pass now?"]
    return call(rng.some(thoughts), "run_command", command=command)


def _whole(seen: Seen, part: str) -> str:
    """The line with this part as the file has it."""
    return next(text for _, text in lines_of(seen) if part in text)


def _fixed(path: str, line: int, old: str, new: str, count: int, language: Language) -> str:
    one, two = old.strip(), new.strip()
    return {
        "en": f"Fixed in `{path}`, line {line}: `{one}` is now `{two}`. I ran the tests: all {count} pass.",
        "de": f"Behoben in `{path}`, Zeile {line}: aus `{one}` wurde `{two}`. Die Tests liefen: alle {count} bestanden.",
        "zh": f"已修复 `{path}` 第 {line} 行：`{one}` 改为 `{two}`。运行了测试，{count} 个全部通过。",
    }[language]


def _before_change(rng: Rng, path: str, line: int) -> Call:
    """The file that is to be changed."""
    thoughts = ["Read the file before I change it.", f"Read {path} first.", f"See line {line} as it is."]
    return call(rng.some(thoughts), "read_file", path=path)


class _Place(NamedTuple):
    """Where a bug is: the line as it is and as it should be."""

    path: str
    line: int
    old: str
    new: str


def _looking(rng: Rng, piece: Piece, bug: Bug) -> Generator[Step, Seen | None, _Place]:
    """Find and read a function that is said to be wrong, and the constants that decide whether it is."""
    seen = yield find(rng, piece.name)
    assert seen is not None
    path, line, _ = places(seen)[0]
    seen = yield read_body(rng, path, piece.name)
    assert seen is not None
    at = line_with(seen, bug.bad, line)
    old = _whole(seen, bug.bad)
    if piece.doubtful and (names := unseen(piece, seen, piece.doubtful)):
        yield values_of(rng, names)
    return _Place(path, at, old, old.replace(bug.bad, bug.good))


def fix_bug(rng: Rng, language: Language) -> Talk:
    project = fresh()
    piece = project.broken
    if piece is None or piece.bug is None:
        return
    said = piece.bug.complaint[language]
    yield ask(
        rng,
        language,
        [
            f"{said}. Please fix it.",
            f"there's a bug: {said}",
            f"Can you repair this? {said}.",
            f"{said}, pls fix",
            f"Bug report: {said}. Fix?",
        ],
        [f"{said}. Bitte beheben.", f"Da ist ein Fehler: {said}. Kannst du das richten?"],
        [f"{said}，请修复。", f"有个错误：{said}。帮我改一下。"],
    )
    path, at, old, new = yield from _looking(rng, piece, piece.bug)
    thought = clip(f"Line {at}: {piece.bug.why['en']}. It should be {new.strip()}", 190)
    yield call(thought, "edit_file", path=path, old=old, new=new)
    seen = yield run_tests(rng, project.runner)
    if failures(seen):
        return
    yield Answer(f"exit code 0, Ran {ran(seen)} tests, OK.", _fixed(path, at, old, new, ran(seen), language))


def explain_bug(rng: Rng, language: Language) -> Talk:
    """What is wrong, without a change."""
    project = fresh()
    piece = project.broken
    if piece is None or piece.bug is None:
        return
    said = piece.bug.complaint[language]
    yield ask(
        rng,
        language,
        [
            f"{said}. Why? Don't change anything.",
            f"just tell me what is wrong, do not edit: {said}",
            f"{said} - where's the mistake? no edits please",
            f"Only explain, leave the files alone: {said}.",
        ],
        [f"{said}. Woran liegt das? Bitte nichts ändern.", f"Nur erklären, nichts ändern: {said}."],
        [f"{said}，为什么？不要改任何东西。", f"只告诉我原因，不要修改：{said}。"],
    )
    path, at, old, new = yield from _looking(rng, piece, piece.bug)
    why = piece.bug.why
    yield Answer(
        clip(f"Line {at}: {why['en']}. It should be {new.strip()}. No edit wanted.", 200),
        {
            "en": f"`{path}`, line {at} has `{old.strip()}`: {why['en']}. It should be `{new.strip()}`. I have changed nothing.",
            "de": f"In `{path}`, Zeile {at} steht `{old.strip()}`: {why['de']}. Richtig wäre `{new.strip()}`. Geändert habe ich nichts.",
            "zh": f"`{path}` 第 {at} 行是 `{old.strip()}`：{why['zh']}。应该是 `{new.strip()}`。我没有做任何修改。",
        }[language],
    )


def do_tests_pass(rng: Rng, language: Language) -> Talk:
    project = fresh()
    yield ask(
        rng,
        language,
        [
            "Run the tests.",
            "do the tests pass?",
            "is everything green?",
            "Please run the test suite and tell me the result",
            "any failing tests?",
        ],
        ["Lass die Tests laufen.", "Laufen die Tests durch?"],
        ["运行一下测试。", "测试都通过吗？"],
    )
    seen = yield call(
        rng.some(["Run the tests below tests.", "Let the tests run."]), "run_command", command=project.runner
    )
    count, piece = ran(seen), project.broken
    if piece is None:
        yield Answer(
            f"exit code 0: Ran {count} tests, OK.",
            {
                "en": f"All {count} tests pass.",
                "de": f"Alle {count} Tests bestehen.",
                "zh": f"{count} 个测试全部通过。",
            }[language],
        )
        return
    found = re.search(r"(?:FAIL|ERROR): (\w+)", seen.text)
    why = re.search(r"^(\w*Error.*)$", seen.text, re.MULTILINE)
    if found is None or why is None:
        return
    yield Answer(
        clip(f"Ran {count} tests; FAIL: {found[1]}; {why[1]}"),
        {
            "en": f"Of {count} tests `{found[1]}` fails with `{why[1]}`.",
            "de": f"Von {count} Tests scheitert `{found[1]}` mit `{why[1]}`.",
            "zh": f"{count} 个测试中 `{found[1]}` 失败，`{why[1]}`。",
        }[language],
    )
    if rng.random() < 0.5:
        yield ask(
            rng,
            language,
            ["Then fix it.", "ok, repair the code", "Can you fix that?"],
            ["Dann behebe es.", "Bitte richten."],
            ["那就修好它。", "请修复。"],
        )
        yield from _repair(rng, language)


def _repair(rng: Rng, language: Language) -> Talk:
    project = fresh()
    piece = project.broken
    if piece is None or piece.bug is None:
        return
    path, at, old, new = yield from _looking(rng, piece, piece.bug)
    yield call(
        clip(f"The test wants {piece.bug.wanted}. Line {at}: {piece.bug.why['en']}.", 190),
        "edit_file",
        path=path,
        old=old,
        new=new,
    )
    seen = yield run_tests(rng, project.runner)
    if failures(seen):
        return
    yield Answer(f"Ran {ran(seen)} tests, OK.", _fixed(path, at, old, new, ran(seen), language))


def change_constant(rng: Rng, language: Language) -> Talk:
    project = fresh()
    name = rng.some([name for name, value in project.consts.items() if value.replace(".", "").isdigit()])
    value = project.consts[name]
    wanted = str(int(value) + rng.randrange(1, 9)) if value.isdigit() else f"{float(value) + 1:g}"
    yield ask(
        rng,
        language,
        [
            f"Set {name} to {wanted}.",
            f"change {name} to {wanted} please",
            f"{name} should be {wanted}",
            f"please make {name} {wanted} instead of {value}",
        ],
        [f"Setz {name} auf {wanted}.", f"Ändere {name} bitte auf {wanted}."],
        [f"把 {name} 改成 {wanted}。", f"请将 {name} 设为 {wanted}。"],
    )
    seen = yield find(rng, name)
    path, line, text = places(seen)[0]
    yield _before_change(rng, path, line)
    yield call(
        rng.some([f"Only line {line} changes.", "Replace the value, nothing else."]),
        "edit_file",
        path=path,
        old=text,
        new=f"{name} = {wanted}",
    )
    seen = yield run_tests(rng, project.runner)
    yield changed((name, value, wanted), (path, line), seen, language)


def rename_constant(rng: Rng, language: Language) -> Talk:
    project = fresh()
    name = rng.some(list(project.consts))
    new = rng.some([f"DEFAULT_{name}", f"{name}_VALUE", f"STANDARD_{name}", f"{project.theme.env}_{name}"])
    yield ask(
        rng,
        language,
        [
            f"Rename {name} to {new}.",
            f"please rename the constant {name} to {new} everywhere",
            f"{name} should be called {new}",
            f"rename {name} -> {new} in all files",
        ],
        [f"Benenne {name} in {new} um.", f"Nenn {name} überall {new}."],
        [f"把 {name} 重命名为 {new}。", f"将所有 {name} 改名为 {new}。"],
    )
    seen = yield call(
        rng.some([f"All lines with {name}, in every file: grep.", f"Where does {name} stand?"]),
        "grep_files",
        pattern=rf"\b{name}\b",
    )
    counts: dict[str, int] = {}
    for path, _, text in places(seen):
        counts[path] = counts.get(path, 0) + len(re.findall(rf"\b{name}\b", text))
    if any((project.files[path]).count(name) != count for path, count in counts.items()):
        return
    edits = [
        {"path": path, "old": name, "new": new, **({"count": count} if count > 1 else {})}
        for path, count in counts.items()
    ]
    total = sum(counts.values())
    if len(edits) == 1:
        yield call(f"One file, {total} places: edit_file.", "edit_file", **edits[0])
    else:
        yield call(f"{total} places in {len(edits)} files: multi_edit.", "multi_edit", edits=edits)
    thought, result = outcome((yield run_tests(rng, project.runner)), language)
    files = ", ".join(f"`{path}`" for path in counts)
    yield Answer(
        clip(f"{total} places were changed. {thought}"),
        {
            "en": f"Renamed `{name}` to `{new}` in {files}. ",
            "de": f"`{name}` heißt jetzt `{new}`, geändert in {files}. ",
            "zh": f"已在 {files} 中把 `{name}` 改名为 `{new}`。",
        }[language]
        + result,
    )


def change_default(rng: Rng, language: Language) -> Talk:
    project = fresh()
    setting = rng.some([each for each in project.settings if each.default.isdigit()] or project.settings)
    if not setting.default.isdigit():
        return
    wanted = str(int(setting.default) + rng.randrange(1, 30))
    name = f"{project.theme.env}_{setting.key.upper()}" if project.style == "env" else setting.key
    yield ask(
        rng,
        language,
        [
            f"Change the default of {name} to {wanted}.",
            f"the default for {name} should be {wanted}",
            f"make {wanted} the default of {name}",
            f"please use {wanted} as fallback for {name}",
        ],
        [f"Die Vorgabe von {name} soll {wanted} sein.", f"Setz den Standardwert von {name} auf {wanted}."],
        [f"把 {name} 的默认值改成 {wanted}。", f"{name} 默认用 {wanted}。"],
    )
    seen = yield call(
        rng.some([f"Find where {name} has its default.", f"Which line has {name}?"]),
        "grep_files",
        pattern=rf"\b{name}\b",
    )
    path, line, text = next(each for each in places(seen) if each[0] == project.where["settings"])
    if project.style == "env":
        old, new = f'"{name}", "{setting.default}"', f'"{name}", "{wanted}"'
    else:
        old, new = f'"{name}": {setting.default},', f'"{name}": {wanted},'
    yield _before_change(rng, path, line)
    yield call(f"The default is in {path}, line {line}; change only that.", "edit_file", path=path, old=old, new=new)
    yield call("Check the line.", "read_file", path=path)
    note = ""
    if setting.in_file:
        note = {
            "en": f" Note that `{project.settings_file}` sets {setting.in_file}.",
            "de": f" `{project.settings_file}` setzt aber {setting.in_file}.",
            "zh": f"注意 `{project.settings_file}` 里设为 {setting.in_file}。",
        }[language]
    yield Answer(
        clip(f"Line {line} now: {text.replace(old, new)}"),
        {
            "en": f"The default of `{name}` is now {wanted} (was {setting.default}) in `{path}`, line {line}; I read it again.",
            "de": f"Die Vorgabe von `{name}` ist jetzt {wanted} (vorher {setting.default}) in `{path}`, Zeile {line}; geprüft durch Lesen.",
            "zh": f"`{path}` 第 {line} 行中 `{name}` 的默认值已从 {setting.default} 改为 {wanted}；已重新读取确认。",
        }[language]
        + note,
    )


def change_parameter(rng: Rng, language: Language) -> Talk:
    project = fresh()
    pieces = [piece for piece in project.pieces if piece.params and piece.params[0][1].isdigit()]
    if not pieces:
        return
    piece = rng.some(pieces)
    name, (parameter, default) = piece.name, piece.params[0]
    wanted = str(int(default) + rng.some([1, 2, 3, 100]))
    yield ask(
        rng,
        language,
        [
            f"The default of {parameter} in {name} should be {wanted}.",
            f"change {parameter}'s default in {name} to {wanted}",
            f"in {name}, make {parameter} {wanted} by default",
            f"please set the default of {parameter} ({name}) to {wanted}",
        ],
        [
            f"In {name} soll {parameter} als Vorgabe {wanted} haben.",
            f"Ändere die Vorgabe von {parameter} in {name} auf {wanted}.",
        ],
        [f"把 {name} 中 {parameter} 的默认值改为 {wanted}。", f"{name} 的 {parameter} 默认用 {wanted}。"],
    )
    seen = yield find(rng, name)
    path, line, text = places(seen)[0]
    old, new = text, text.replace(f"= {default}", f"= {wanted}")
    yield _before_change(rng, path, line)
    yield call(f"Its signature is line {line}: only the default changes.", "edit_file", path=path, old=old, new=new)
    thought, result = outcome((yield run_tests(rng, project.runner)), language)
    yield Answer(
        clip(thought),
        {
            "en": f"`{parameter}` in `{name}` is now {wanted} by default (`{path}`, line {line}). ",
            "de": f"`{parameter}` in `{name}` hat jetzt die Vorgabe {wanted} (`{path}`, Zeile {line}). ",
            "zh": f"`{name}` 的 `{parameter}` 默认值现在是 {wanted}（`{path}` 第 {line} 行）。",
        }[language]
        + result,
    )


TALKS: dict[MakeTalk, int] = {
    fix_bug: 10,
    explain_bug: 5,
    do_tests_pass: 5,
    change_constant: 4,
    rename_constant: 4,
    change_default: 4,
    change_parameter: 3,
}
