"""Talks about what code does: returns, errors, retries, defaults of parameters."""

from training.data.assistants.code.pieces import Piece
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
    unseen,
    values_of,
)
from training.data.assistants.talk import MakeTalk, Talk, call
from training.data.conversation import Answer, Language
from training.data.values import Rng


def _reading(rng: Rng, piece: Piece) -> Talk:
    """Find the function, read it, then all constants that it uses, whichever of them the answer needs."""
    seen = yield find(rng, piece.name)
    path, _, _ = places(seen)[0]
    seen = yield read_body(rng, path, piece.name)
    if names := unseen(piece, seen):
        yield values_of(rng, names)


def what_returns(rng: Rng, language: Language) -> Talk:
    project = fresh()
    pieces = [piece for piece in project.sound if piece.samples]
    if not pieces:
        return
    piece = rng.some(pieces)
    args, result, working = rng.some(piece.samples)
    said = f"{piece.name}({args})"
    yield ask(
        rng,
        language,
        [
            f"What does {said} return?",
            f"what do I get from {said}",
            f"Without running it: what is {said}?",
            f"{said} gives what?",
            f"which value comes out of {said}?",
            f"If I call {said}, what's the result?",
        ],
        [f"Was liefert {said}?", f"Was kommt bei {said} heraus?", f"Welchen Wert hat {said}?"],
        [f"{said} 返回什么？", f"调用 {said} 会得到什么？"],
    )
    yield from _reading(rng, piece)
    path = project.where[piece.name]
    yield Answer(
        clip(working),
        {
            "en": rng.some(
                [f"`{said}` returns `{result}` (see `{path}`).", f"It returns `{result}`, by the code in `{path}`."]
            ),
            "de": f"`{said}` liefert `{result}` (siehe `{path}`).",
            "zh": f"`{said}` 返回 `{result}`（见 `{path}`）。",
        }[language],
    )
    others = [each for each in piece.samples if each[0] != args]
    if others and rng.random() < 0.4:
        args, result, working = rng.some(others)
        yield ask(
            rng,
            language,
            [f"And for {args}?", f"and with ({args})?", f"what about {args}"],
            [f"Und bei {args}?", f"und mit ({args})?"],
            [f"那 {args} 呢？", f"如果是 ({args}) 呢？"],
        )
        yield Answer(
            clip(f"Same code: {working}"),
            {
                "en": f"`{piece.name}({args})` returns `{result}`.",
                "de": f"`{piece.name}({args})` liefert `{result}`.",
                "zh": f"`{piece.name}({args})` 返回 `{result}`。",
            }[language],
        )


def what_does(rng: Rng, language: Language) -> Talk:
    project = fresh()
    pieces = [*project.sound, *([project.retry] if project.retry else [])]
    piece = rng.some(pieces)
    name = piece.name
    yield ask(
        rng,
        language,
        [
            f"What does {name} do?",
            f"explain {name} to me",
            f"Can you tell me in a sentence what {name} is for?",
            f"how does {name} work?",
            f"summarise the function {name}",
        ],
        [f"Was macht {name}?", f"Erklär mir kurz {name}."],
        [f"{name} 是做什么的？", f"简单解释一下 {name}。"],
    )
    seen = yield find(rng, name)
    path, line, _ = places(seen)[0]
    seen = yield read_body(rng, path, name)
    doc = next(text.strip().strip('"') for number, text in lines_of(seen) if number > line and '"""' in text)
    purpose = piece.purpose[language]
    yield Answer(
        clip(f'Docstring: "{doc}" The body agrees.'),
        {
            "en": f"`{name}` in `{path}`: {purpose}.",
            "de": f"`{name}` in `{path}`: {purpose}.",
            "zh": f"`{path}` 中的 `{name}`：{purpose}。",
        }[language],
    )


def _tracing(rng: Rng, piece: Piece, message: str) -> Talk:
    """From a message to the code that says it."""
    seen = yield call(
        rng.some(["A message is a text: grep for it.", f'Look for "{message}" in the files.']),
        "grep_files",
        pattern=message,
    )
    path, _, _ = places(seen)[0]
    thoughts = ["What leads there? Read the file.", f"Read {path}: what is before it?"]
    seen = yield call(rng.some(thoughts), "read_file", path=path)
    if names := unseen(piece, seen):
        yield values_of(rng, names)


def which_error(rng: Rng, language: Language) -> Talk:
    project = fresh()
    pieces = [piece for piece in [*project.pieces, project.retry] if piece is not None and piece.raises]
    if not pieces:
        return
    piece = rng.some(pieces)
    assert piece.raises is not None
    error, message, when = piece.raises
    name = piece.name
    if rng.random() < 0.5:
        yield ask(
            rng,
            language,
            [
                f"Which exception does {name} raise, and when?",
                f"when does {name} fail?",
                f"what errors can come from {name}",
                f"Does {name} raise anything?",
            ],
            [f"Welche Ausnahme wirft {name} und wann?", f"Wann schlägt {name} fehl?"],
            [f"{name} 会抛出什么异常，什么时候？", f"{name} 什么情况下会出错？"],
        )
        yield from _reading(rng, piece)
    else:
        yield ask(
            rng,
            language,
            [
                f'I get the error "{message}". Where does it come from?',
                f'who raises "{message}"?',
                f'"{message}" - when does this happen?',
                f'which code says "{message}" and why?',
            ],
            [f'Woher kommt die Meldung "{message}"?', f'Wann erscheint der Fehler "{message}"?'],
            [f'报错 "{message}" 是哪里来的？', f'什么时候会出现 "{message}"？'],
        )
        yield from _tracing(rng, piece, message)
    path = project.where[name]
    yield Answer(
        clip(f'raise {error}("{message}…") in {name}.'),
        {
            "en": f'`{name}` in `{path}` raises `{error}` ("{message}") when {when["en"]}.',
            "de": f'`{name}` in `{path}` wirft `{error}` ("{message}"), wenn {when["de"]}.',
            "zh": f'当{when["zh"]}时，`{path}` 中的 `{name}` 抛出 `{error}`（"{message}"）。',
        }[language],
    )


def _about_tries(name: str, wanted: str) -> tuple[list[str], list[str], list[str]]:
    """How it is asked in English, German and Chinese."""
    en = {
        "tries": [
            f"How many times does {name} try?",
            f"max number of tries in {name}?",
            f"how often does {name} retry before giving up",
        ],
        "first": [f"How long does {name} wait after the first failure?", f"what's the first pause in {name}"],
        "second": [
            f"How long does {name} wait after the second failure?",
            f"second pause in {name}, how many seconds?",
        ],
        "end": [f"What happens if every try of {name} fails?", f"what if the source never answers in {name}"],
    }
    de = {
        "tries": [f"Wie oft versucht es {name}?", f"Wie viele Versuche macht {name}?"],
        "first": [f"Wie lange wartet {name} nach dem ersten Fehler?", f"erste Pause in {name}?"],
        "second": [f"Wie lange wartet {name} nach dem zweiten Fehler?", f"zweite Pause in {name}?"],
        "end": [f"Was passiert, wenn bei {name} alles scheitert?", f"Was tut {name} nach dem letzten Fehlversuch?"],
    }
    zh = {
        "tries": [f"{name} 最多尝试几次？", f"{name} 会试多少次？"],
        "first": [f"{name} 第一次失败后等多久？", f"{name} 的第一次停顿是多少秒？"],
        "second": [f"{name} 第二次失败后等多久？", f"{name} 的第二次停顿几秒？"],
        "end": [f"如果 {name} 每次都失败会怎样？", f"{name} 全部失败后会怎么样？"],
    }
    return en[wanted], de[wanted], zh[wanted]


def how_many_tries(rng: Rng, language: Language) -> Talk:
    project = fresh()
    piece = project.retry
    if piece is None:
        return
    (most, tries), (delay, first), (grow, factor) = piece.consts
    second = float(first) * int(factor)
    wanted = rng.some(["tries", "first", "second", "end"])
    name = piece.name
    yield ask(rng, language, *_about_tries(name, wanted))
    seen = yield find(rng, name)
    path, _, _ = places(seen)[0]
    yield read(rng, path)
    error, message = piece.raises[:2] if piece.raises else ("", "")
    thought = {
        "tries": f"for _ in range({most}), {most} = {tries}.",
        "first": f"delay = {delay}, {delay} = {first}.",
        "second": f"{delay} = {first}, then delay *= {grow} = {factor}: {first} × {factor} = {second:g}.",
        "end": f'After the loop: raise {error}("{message}").',
    }[wanted]
    answer = {
        "tries": {
            "en": f"`{name}` tries {tries} times (`{most}` in `{path}`).",
            "de": f"`{name}` versucht es {tries}-mal (`{most}` in `{path}`).",
            "zh": f"`{name}` 尝试 {tries} 次（`{path}` 中的 `{most}`）。",
        },
        "first": {
            "en": f"{first} seconds (`{delay}` in `{path}`).",
            "de": f"{first} Sekunden (`{delay}` in `{path}`).",
            "zh": f"{first} 秒（`{path}` 中的 `{delay}`）。",
        },
        "second": {
            "en": f"{second:g} seconds: {first} × {factor} (`{path}`).",
            "de": f"{second:g} Sekunden: {first} × {factor} (`{path}`).",
            "zh": f"{second:g} 秒：{first} × {factor}（`{path}`）。",
        },
        "end": {
            "en": f'After {tries} failed tries it raises `{error}` with "{message}" (`{path}`).',
            "de": f'Nach {tries} Fehlversuchen wirft sie `{error}` mit "{message}" (`{path}`).',
            "zh": f'失败 {tries} 次后抛出 `{error}`，信息为 "{message}"（`{path}`）。',
        },
    }[wanted]
    yield Answer(clip(thought), answer[language])


def _about_book(book: str, wanted: str) -> tuple[list[str], list[str], list[str]]:
    """How it is asked in English, German and Chinese."""
    en = {
        "twice": [f"What happens if I add the same name twice to {book}?", f"can {book} have one name two times"],
        "missing": [
            f"What does {book}.remove return for a name that isn't there?",
            f"{book}.remove on an unknown name?",
        ],
        "full": [f"How many can a {book} hold, and what happens after that?", f"what if a {book} is full"],
        "order": [f"In what order does {book}.names list them?", f"is {book}.names sorted?"],
    }
    de = {
        "twice": [
            f"Was passiert, wenn ich in {book} denselben Namen zweimal hinzufüge?",
            f"Darf in {book} ein Name doppelt sein?",
        ],
        "missing": [f"Was liefert {book}.remove bei unbekanntem Namen?", f"{book}.remove ohne Treffer: was kommt?"],
        "full": [f"Wie viele passen in {book} und was kommt danach?", f"Was, wenn {book} voll ist?"],
        "order": [f"Wie ist {book}.names sortiert?", f"In welcher Reihenfolge kommt {book}.names?"],
    }
    zh = {
        "twice": [f"往 {book} 里加两次同样的名字会怎样？", f"{book} 可以有重复的名字吗？"],
        "missing": [f"{book}.remove 遇到不存在的名字返回什么？", f"{book}.remove 找不到名字时得到什么？"],
        "full": [f"{book} 最多能放多少，满了会怎样？", f"{book} 满了会怎么样？"],
        "order": [f"{book}.names 是按什么顺序？", f"{book}.names 排序了吗？"],
    }
    return en[wanted], de[wanted], zh[wanted]


def book_behaviour(rng: Rng, language: Language) -> Talk:
    project = fresh()
    theme, path = project.theme, project.where[project.theme.book]
    wanted = rng.some(["twice", "missing", "full", "order"])
    book, error = theme.book, theme.error
    yield ask(rng, language, *_about_book(book, wanted))
    method = {"twice": "add", "missing": "remove", "full": "add", "order": "names"}[wanted]
    yield find(rng, book)
    seen = yield read_body(rng, path, book)
    at = line_with(
        seen, {"twice": "already there", "missing": "pop(name, 0)", "full": "no room left", "order": "sorted("}[wanted]
    )
    text = next(text.strip() for number, text in lines_of(seen) if number == at)
    room = project.capacity
    answer = {
        "twice": {
            "en": f'`{method}` raises `{error}` ("already there: …"): a name can be in a `{book}` once.',
            "de": f'`{method}` wirft `{error}` ("already there: …"): ein Name darf nur einmal vorkommen.',
            "zh": f'`{method}` 会抛出 `{error}`（"already there: …"）：同一个名字只能有一次。',
        },
        "missing": {
            "en": "It returns 0 then and raises nothing.",
            "de": "Dann liefert sie 0 und wirft nichts.",
            "zh": "返回 0，不会抛出异常。",
        },
        "full": {
            "en": f'It holds {room} (`CAPACITY`); after that `add` raises `{error}` ("no room left").',
            "de": f'Es passen {room} hinein (`CAPACITY`); danach wirft `add` `{error}` ("no room left").',
            "zh": f'最多 {room} 个（`CAPACITY`），之后 `add` 抛出 `{error}`（"no room left"）。',
        },
        "order": {
            "en": "In alphabetical order: it returns `sorted(self._kept)`.",
            "de": "Alphabetisch: sie liefert `sorted(self._kept)`.",
            "zh": "按字母顺序：返回 `sorted(self._kept)`。",
        },
    }[wanted]
    thought = f"Line {at}: {text}" + (f"; CAPACITY = {room}" if wanted == "full" else "")
    yield Answer(
        clip(thought),
        answer[language]
        + {
            "en": f" See `{path}`, line {at}.",
            "de": f" Siehe `{path}`, Zeile {at}.",
            "zh": f"见 `{path}` 第 {at} 行。",
        }[language],
    )


def parameter_default(rng: Rng, language: Language) -> Talk:
    project = fresh()
    pieces = [piece for piece in project.pieces if piece.params]
    if not pieces:
        return
    piece = rng.some(pieces)
    name, (parameter, default) = piece.name, piece.params[0]
    yield ask(
        rng,
        language,
        [
            f"What's the default of {parameter} in {name}?",
            f"default for the {parameter} argument of {name}?",
            f"if I leave out {parameter} when calling {name}, what is used?",
            f"which value does {parameter} have in {name} by default",
        ],
        [f"Was ist der Vorgabewert von {parameter} in {name}?", f"Welchen Standardwert hat {parameter} bei {name}?"],
        [f"{name} 的参数 {parameter} 默认是多少？", f"不传 {parameter} 时 {name} 用什么值？"],
    )
    seen = yield find(rng, name)
    path, line, text = places(seen)[0]
    thought, value = f"{path}:{line}: {text}", default
    if not default.isdigit():
        seen = yield find(rng, default)
        _, _, other = places(seen)[0]
        value = other.partition(" = ")[2]
        thought = f"{parameter}: int = {default}, and {other}."
    named = f"`{default}`, {value}" if value != default else default
    yield Answer(
        clip(thought),
        {
            "en": f"The default of `{parameter}` in `{name}` is {named} (`{path}`, line {line}).",
            "de": f"Der Vorgabewert von `{parameter}` in `{name}` ist {named} (`{path}`, Zeile {line}).",
            "zh": f"`{name}` 中 `{parameter}` 的默认值是 {named}（`{path}` 第 {line} 行）。",
        }[language],
    )


TALKS: dict[MakeTalk, int] = {
    what_returns: 8,
    what_does: 4,
    which_error: 5,
    how_many_tries: 4,
    book_behaviour: 4,
    parameter_default: 3,
}
