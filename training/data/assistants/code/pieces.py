"""Functions of invented projects: their code, what they return for some inputs and why, and how they can be wrong."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from training.data.assistants.code.themes import Theme
from training.data.conversation import Language
from training.data.values import Rng

Words = dict[Language, str]


@dataclass
class Bug:
    """A line as it should be and as it is, what a user notices, the call that shows it, and why it goes wrong."""

    good: str
    bad: str
    complaint: Words
    args: str
    wanted: str
    why: Words


@dataclass
class Piece:
    """A function. `samples`: arguments, result, and how it comes about."""

    kind: str
    name: str
    code: str
    purpose: Words
    consts: list[tuple[str, str]] = field(default_factory=list)
    samples: list[tuple[str, str, str]] = field(default_factory=list)
    raises: tuple[str, str, Words] | None = None
    bug: Bug | None = None
    broken: bool = False
    params: list[tuple[str, str]] = field(default_factory=list)
    """Those with a default."""

    @property
    def doubtful(self) -> list[str]:
        """The constants that decide whether the wrong line is wrong."""
        given = [default for _, default in self.params]
        return [name for name, _ in self.consts if self.bug and (name in self.bug.bad or name in given)]

    @property
    def text(self) -> str:
        return self.code.replace(self.bug.good, self.bug.bad) if self.broken and self.bug else self.code


def grade(rng: Rng, theme: Theme) -> Piece:
    high, low = rng.randrange(12, 60) * 5, rng.randrange(3, 11) * 5
    top, under = rng.some([("HIGH_MARK", "LOW_MARK"), ("UPPER_LIMIT", "LOWER_LIMIT"), ("FULL_FROM", "SOME_FROM")])
    name, by = rng.some([f"grade_{theme.thing}", f"classify_{theme.thing}", f"{theme.thing}_level"]), theme.by
    first, second, third = theme.labels
    code = f'''def {name}({by}: int) -> str:
    """Name the level of a {theme.thing} by its {by}."""
    if {by} >= {top}:
        return "{first}"
    if {by} >= {under}:
        return "{second}"
    return "{third}"
'''
    more, middle, less = high + rng.randrange(1, 40), rng.randrange(low + 1, high), rng.randrange(1, low)
    samples = [
        (str(more), f'"{first}"', f'{more} >= {top} = {high}: return "{first}".'),
        (str(high), f'"{first}"', f'{high} >= {top} = {high}, equal counts: return "{first}".'),
        (str(middle), f'"{second}"', f'{middle} < {top} = {high}, but >= {under} = {low}: return "{second}".'),
        (str(less), f'"{third}"', f'{less} is under {under} = {low}: the last return, "{third}".'),
    ]
    complaint: Words = {
        "en": f'{name}({high}) gives "{second}", but exactly {high} should already be "{first}"',
        "de": f'{name}({high}) liefert "{second}", genau {high} soll aber schon "{first}" sein',
        "zh": f'{name}({high}) 返回 "{second}"，但正好 {high} 就应该是 "{first}"',
    }
    why: Words = {
        "en": f"{top} is {high}, and `>` leaves {high} itself out",
        "de": f"{top} ist {high}, und `>` lässt {high} selbst aus",
        "zh": f"{top} 是 {high}，`>` 不包括 {high} 本身",
    }
    bug = Bug(f"if {by} >= {top}:", f"if {by} > {top}:", complaint, str(high), f'"{first}"', why)
    purpose: Words = {
        "en": f'it names the level by {by}: "{first}", "{second}" or "{third}"',
        "de": f'sie benennt die Stufe nach {by}: "{first}", "{second}" oder "{third}"',
        "zh": f'它按 {by} 给出等级："{first}"、"{second}" 或 "{third}"',
    }
    return Piece("grade", name, code, purpose, [(top, str(high)), (under, str(low))], samples, bug=bug)


def price(rng: Rng, theme: Theme) -> Piece:
    each, bulk = rng.randrange(4, 30) * 100, rng.randrange(5, 15)
    less = each - rng.randrange(1, 4) * 50
    name = rng.some([f"price_of_{theme.things}", f"{theme.thing}_price", "total_price", "charge_for"])
    const, cheap = rng.some([("BULK_COUNT", "BULK_PRICE"), ("GROUP_SIZE", "GROUP_PRICE"), ("MANY_FROM", "MANY_PRICE")])
    code = f'''def {name}(count: int, each: int = {each}) -> int:
    """Price of some {theme.things} in cents, less for many."""
    if count >= {const}:
        each = {cheap}
    return count * each
'''
    few, many = rng.randrange(2, bulk), bulk + rng.randrange(0, 5)
    samples = [
        (str(few), str(few * each), f"{few} < {const} = {bulk}, each stays {each}: {few} × {each} = {few * each}."),
        (
            str(many),
            str(many * less),
            f"{many} >= {const} = {bulk}, so each is {cheap} = {less}: {many} × {less} = {many * less}.",
        ),
    ]
    complaint: Words = {
        "en": f"{name}({bulk}) still takes the full price, it should be cheaper from exactly {bulk} on",
        "de": f"{name}({bulk}) nimmt noch den vollen Preis, ab genau {bulk} soll es billiger sein",
        "zh": f"{name}({bulk}) 还是按原价算，数量正好 {bulk} 就应该便宜",
    }
    why: Words = {
        "en": f"{const} is {bulk}, and `>` leaves {bulk} itself out",
        "de": f"{const} ist {bulk}, und `>` lässt {bulk} selbst aus",
        "zh": f"{const} 是 {bulk}，`>` 不包括 {bulk} 本身",
    }
    bug = Bug(f"if count >= {const}:", f"if count > {const}:", complaint, str(bulk), str(bulk * less), why)
    purpose: Words = {
        "en": f"it multiplies count by each; from {const} on each is {cheap}",
        "de": f"sie rechnet count mal each; ab {const} Stück gilt {cheap}",
        "zh": f"它计算 count 乘 each；数量达到 {const} 时单价为 {cheap}",
    }
    consts = [(const, str(bulk)), (cheap, str(less))]
    return Piece("price", name, code, purpose, consts, samples, bug=bug, params=[("each", str(each))])


def parse(rng: Rng, theme: Theme) -> Piece:
    mark, error = rng.some([";", "|", ",", ":"]), theme.error
    name = rng.some([f"parse_{theme.thing}", "parse_line", f"read_{theme.thing}_line", "split_record"])
    message = rng.some(["expected two fields", "a line needs two parts", "bad record", f"not a {theme.thing}"])
    code = f'''def {name}(line: str) -> tuple[str, int]:
    """Read a line with a name and a number."""
    parts = line.split("{mark}")
    if len(parts) != 2:
        raise {error}("{message}: " + line)
    return parts[0].strip(), int(parts[1])
'''
    word, number = rng.some(theme.names), rng.randrange(2, 99)
    samples = [
        (
            f'" {word} {mark} {number}"',
            f'("{word}", {number})',
            f'split at "{mark}" into two parts; the first stripped: "{word}", int of the second: {number}.',
        )
    ]
    complaint: Words = {
        "en": f'{name} keeps the blanks around the name: " {word} {mark}{number}" gives " {word} "',
        "de": f'{name} lässt die Leerzeichen am Namen stehen: aus " {word} {mark}{number}" wird " {word} "',
        "zh": f'{name} 没有去掉名字两边的空格：" {word} {mark}{number}" 得到 " {word} "',
    }
    args = f'" {word} {mark}{number}"'
    why: Words = {
        "en": "the first part is returned as it was split, with its blanks",
        "de": "der erste Teil kommt so zurück, wie er abgeteilt wurde, mit seinen Leerzeichen",
        "zh": "第一部分拆分后直接返回，没有去掉空格",
    }
    bug = Bug("return parts[0].strip(), ", "return parts[0], ", complaint, args, f'("{word}", {number})', why)
    when: Words = {
        "en": f'a line does not have exactly two parts around "{mark}"',
        "de": f'eine Zeile nicht genau zwei Teile um "{mark}" hat',
        "zh": f'一行按 "{mark}" 拆分后不是正好两部分',
    }
    purpose: Words = {
        "en": f'it splits a line at "{mark}" into a name and a whole number',
        "de": f'sie teilt eine Zeile bei "{mark}" in einen Namen und eine ganze Zahl',
        "zh": f'它把一行按 "{mark}" 拆成名字和整数',
    }
    return Piece("parse", name, code, purpose, [], samples, (error, message, when), bug)


def label(rng: Rng, theme: Theme) -> Piece:
    width, prefix = rng.some([3, 4, 5]), theme.prefix
    name = rng.some([f"{theme.thing}_code", "make_code", "label_for", f"make_{theme.thing}_id"])
    const = rng.some(["CODE_PREFIX", "ID_PREFIX", "LABEL_START"])
    code = f'''def {name}(name: str, number: int) -> str:
    """A short code for a {theme.thing}."""
    return f"{{{const}}}-{{name[:2].upper()}}-{{number:0{width}d}}"
'''
    word, number = rng.some(theme.names), rng.randrange(3, 88)
    made = f"{prefix}-{word[:2].upper()}-{number:0{width}d}"
    working = (
        f'{const} = "{prefix}"; first two letters in capitals: {word[:2].upper()}; {number} to {width} digits: '
        f"{number:0{width}d}."
    )
    complaint: Words = {
        "en": f"the codes of {name} have one digit too few: {number} should be written {number:0{width}d}",
        "de": f"die Codes von {name} haben eine Ziffer zu wenig: {number} soll als {number:0{width}d} erscheinen",
        "zh": f"{name} 生成的编号少一位：{number} 应写成 {number:0{width}d}",
    }
    args = f'"{word}", {number}'
    why: Words = {
        "en": f"the number is filled up to {width - 1} digits, not to {width}",
        "de": f"die Nummer wird auf {width - 1} Stellen aufgefüllt statt auf {width}",
        "zh": f"编号只补到 {width - 1} 位，而不是 {width} 位",
    }
    bug = Bug(f":0{width}d}}", f":0{width - 1}d}}", complaint, args, f'"{made}"', why)
    purpose: Words = {
        "en": f"it builds a code from {const}, the first two letters of the name and the number with {width} digits",
        "de": f"sie baut einen Code aus {const}, den ersten zwei Buchstaben des Namens und der Nummer, {width}-stellig",
        "zh": f"它用 {const}、名字的前两个字母和 {width} 位编号组成代码",
    }
    return Piece("label", name, code, purpose, [(const, f'"{prefix}"')], [(args, f'"{made}"', working)], bug=bug)


def duration(rng: Rng, theme: Theme) -> Piece:
    name = rng.some(["format_duration", "show_minutes", f"{theme.thing}_time", "as_clock"])
    mark = rng.some(["h", ":", "."])
    code = f'''def {name}(minutes: int) -> str:
    """Minutes as hours and minutes."""
    hours, rest = divmod(minutes, 60)
    return f"{{hours}}{mark}{{rest:02d}}"
'''
    samples = []
    for _ in range(3):
        hours, rest = rng.randrange(0, 9), rng.randrange(0, 60)
        given = hours * 60 + rest
        working = f'divmod({given}, 60) is {hours} and {rest}: "{hours}{mark}{rest:02d}".'
        samples.append((str(given), f'"{hours}{mark}{rest:02d}"', working))
    five = rng.randrange(1, 4) * 60 + rng.randrange(1, 9)
    wanted = f"{five // 60}{mark}{five % 60:02d}"
    complaint: Words = {
        "en": f'{name}({five}) gives "{five // 60}{mark}{five % 60}", it should be "{wanted}"',
        "de": f'{name}({five}) ergibt "{five // 60}{mark}{five % 60}", richtig wäre "{wanted}"',
        "zh": f'{name}({five}) 得到 "{five // 60}{mark}{five % 60}"，应该是 "{wanted}"',
    }
    why: Words = {
        "en": f"the minutes are written without a zero in front: {five % 60} and not {five % 60:02d}",
        "de": f"die Minuten werden ohne führende Null geschrieben: {five % 60} statt {five % 60:02d}",
        "zh": f"分钟没有补零：写成 {five % 60}，而不是 {five % 60:02d}",
    }
    bug = Bug("{rest:02d}", "{rest}", complaint, str(five), f'"{wanted}"', why)
    purpose: Words = {
        "en": f'it writes minutes as hours and minutes with "{mark}" between',
        "de": f'sie schreibt Minuten als Stunden und Minuten mit "{mark}" dazwischen',
        "zh": f'它把分钟写成小时和分钟，中间用 "{mark}"',
    }
    return Piece("duration", name, code, purpose, [], samples, bug=bug)


def wrap(rng: Rng, theme: Theme) -> Piece:
    slots = rng.randrange(6, 31)
    name = rng.some(["next_slot", f"next_{theme.group}", "advance", "following_place"])
    const = rng.some(["SLOTS", f"{theme.group.upper()}_COUNT", "PLACES", "RING_SIZE"])
    code = f'''def {name}(current: int, step: int = 1) -> int:
    """The place after this one; after the last comes the first."""
    return (current + step) % {const}
'''
    last, step, near = slots - 1, rng.randrange(2, 5), rng.randrange(0, slots - 5)
    samples = [
        (str(last), "0", f"({last} + 1) % {const} = {slots} is 0."),
        (f"{near}, {step}", str(near + step), f"({near} + {step}) % {const} = {slots} is {near + step}."),
        (f"{last}, {step}", str(step - 1), f"{last} + {step} = {last + step}; modulo {const} = {slots}: {step - 1}."),
    ]
    complaint: Words = {
        "en": f"{name} never reaches the last place: {name}({slots - 2}) should be {slots - 1}",
        "de": f"{name} erreicht nie den letzten Platz: {name}({slots - 2}) soll {slots - 1} sein",
        "zh": f"{name} 永远到不了最后一个位置：{name}({slots - 2}) 应该是 {slots - 1}",
    }
    why: Words = {
        "en": f"it counts modulo {const} - 1, and {const} is {slots}: the ring ends one place too early",
        "de": f"gerechnet wird modulo {const} - 1, und {const} ist {slots}: der Ring endet einen Platz zu früh",
        "zh": f"它按 {const} - 1 取模，而 {const} 是 {slots}：环少了一个位置",
    }
    bug = Bug(f"% {const}", f"% ({const} - 1)", complaint, str(slots - 2), str(slots - 1), why)
    purpose: Words = {
        "en": f"it moves on by step places and begins again at 0 after {const}",
        "de": f"sie geht um step Plätze weiter und beginnt nach {const} wieder bei 0",
        "zh": f"它前进 step 个位置，到 {const} 后从 0 重新开始",
    }
    return Piece("wrap", name, code, purpose, [(const, str(slots))], samples, bug=bug, params=[("step", "1")])


def pages(rng: Rng, theme: Theme) -> Piece:
    size = rng.some([8, 10, 12, 15, 20, 24, 25])
    name = rng.some(["page_count", "pages_needed", f"{theme.group}s_needed", "batch_count"])
    const = rng.some(["PAGE_SIZE", "ROWS_PER_PAGE", "BATCH_SIZE", f"{theme.things.upper()}_PER_PAGE"])
    code = f'''def {name}(total: int, size: int = {const}) -> int:
    """How many pages so many {theme.things} take."""
    return -(-total // size)
'''
    times, rest = rng.randrange(2, 7), rng.randrange(1, size)
    total = times * size + rest
    samples = [
        (str(total), str(times + 1), f"{total} / {const} = {size} is {times} and a rest; rounded up: {times + 1}."),
        (str(times * size), str(times), f"{times * size} / {const} = {size} is {times} without a rest."),
    ]
    complaint: Words = {
        "en": f"{name} forgets the last page: {total} {theme.things} need {times + 1} pages",
        "de": f"{name} vergisst die letzte Seite: {total} Einträge brauchen {times + 1} Seiten",
        "zh": f"{name} 漏掉最后一页：{total} 条需要 {times + 1} 页",
    }
    why: Words = {
        "en": f"`//` rounds down, and {const} is {size}: the last page, which is not full, is not counted",
        "de": f"`//` rundet ab, und {const} ist {size}: die letzte, nicht volle Seite fehlt",
        "zh": f"`//` 向下取整，{const} 是 {size}：未满的最后一页没有算进去",
    }
    bug = Bug("return -(-total // size)", "return total // size", complaint, str(total), str(times + 1), why)
    purpose: Words = {
        "en": "it divides total by size and rounds up",
        "de": "sie teilt total durch size und rundet auf",
        "zh": "它用 total 除以 size 并向上取整",
    }
    return Piece("pages", name, code, purpose, [(const, str(size))], samples, bug=bug, params=[("size", const)])


def fee(rng: Rng, theme: Theme) -> Piece:
    grace, each, most = rng.randrange(2, 8), rng.randrange(2, 12) * 10, rng.randrange(12, 30) * 50
    name = rng.some(["late_fee", f"{theme.thing}_fee", "overdue_charge", "penalty"])
    free, cost, cap = rng.some([("GRACE_DAYS", "FEE_PER_DAY", "MAX_FEE"), ("FREE_DAYS", "DAILY_FEE", "FEE_CAP")])
    code = f'''def {name}(days: int) -> int:
    """What so many days cost in cents; the first ones are free, and there is a highest sum."""
    if days <= {free}:
        return 0
    return min(days * {cost}, {cap})
'''
    days = grace + rng.randrange(1, 6)
    sum_ = min(days * each, most)
    product = f"{days} × {cost} {each} = {days * each}"
    samples = [
        (str(grace), "0", f"{grace} <= {free} = {grace}: return 0."),
        (str(days), str(sum_), f"{days} > {free} = {grace}; {product}, {cap} = {most}: the smaller is {sum_}."),
        ("400", str(most), f"400 > {free} = {grace}; 400 × {cost} {each} is more than {cap} = {most}: {most}."),
    ]
    complaint: Words = {
        "en": f"{name}({grace}) costs something, but the first {grace} days should all be free",
        "de": f"{name}({grace}) kostet schon etwas, die ersten {grace} Tage sollen aber alle frei sein",
        "zh": f"{name}({grace}) 已经收费了，但前 {grace} 天都应该免费",
    }
    why: Words = {
        "en": f"{free} is {grace}, and `<` leaves day {grace} itself out",
        "de": f"{free} ist {grace}, und `<` lässt {grace} selbst aus",
        "zh": f"{free} 是 {grace}，`<` 不包括 {grace} 本身",
    }
    bug = Bug(f"if days <= {free}:", f"if days < {free}:", complaint, str(grace), "0", why)
    purpose: Words = {
        "en": f"up to {free} it is free, after that every day costs {cost}, at most {cap}",
        "de": f"bis {free} ist es frei, danach kostet jeder Tag {cost}, höchstens {cap}",
        "zh": f"{free} 以内免费，之后每天收 {cost}，最多 {cap}",
    }
    consts = [(free, str(grace)), (cost, str(each)), (cap, str(most))]
    return Piece("fee", name, code, purpose, consts, samples, bug=bug)


def retry(rng: Rng, theme: Theme) -> Piece:
    tries, first, factor = rng.randrange(3, 8), rng.some(["0.2", "0.5", "1.5", "2.0"]), rng.some(["2", "3"])
    name = rng.some([f"fetch_{theme.things}", "load_with_retry", f"pull_{theme.things}", "read_source"])
    most, delay, grow = rng.some([("MAX_TRIES", "FIRST_DELAY_S", "BACKOFF"), ("ATTEMPTS", "PAUSE_S", "PAUSE_FACTOR")])
    message = rng.some(["the source does not answer", "gave up", f"no {theme.things} could be read"])
    code = f'''def {name}(read: Callable[[], str]) -> str:
    """Read the source, again after a failure."""
    delay = {delay}
    for _ in range({most}):
        try:
            return read()
        except OSError:
            time.sleep(delay)
            delay *= {grow}
    raise {theme.error}("{message}")
'''
    when: Words = {
        "en": f"all {tries} tries ({most}) have failed with OSError",
        "de": f"alle {tries} Versuche ({most}) mit OSError gescheitert sind",
        "zh": f"全部 {tries} 次尝试（{most}）都因 OSError 失败",
    }
    purpose: Words = {
        "en": f"it calls read up to {most} times and waits after each OSError, longer each time",
        "de": f"sie ruft read bis zu {most}-mal auf und wartet nach jedem OSError, jedes Mal länger",
        "zh": f"它最多调用 read {most} 次，每次 OSError 后等待，时间越来越长",
    }
    consts = [(most, str(tries)), (delay, first), (grow, factor)]
    return Piece("retry", name, code, purpose, consts, [], (theme.error, message, when))


MAKERS: Final[list[Callable[[Rng, Theme], Piece]]] = [grade, price, parse, label, duration, wrap, pages, fee]
