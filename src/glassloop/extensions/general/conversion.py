"""Converts a value from one unit to another: finds the units by name or symbol, checks dimensions, converts exactly.

Owns lookup (plurals, case, squares and cubes, ratios such as `km/h`); the units are in `data/units.toml`. Knows no
currencies: their rates change daily and nothing here may invent one.
"""

import re
import tomllib
from collections.abc import Iterator
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import prod

import msgspec
from msgspec.structs import replace

from glassloop.core.errors import BadArguments
from glassloop.extensions.general.functions import PI
from glassloop.extensions.general.number import ShownNumber, exact, show

MAX_NAME_CHARS = 60
CONVERTED_DIGITS = 10
MAX_WHOLE_DIGITS = 15
MAX_VALUE = 10**30

_CURRENCY = re.compile(
    r"usd|eur|gbp|jpy|cny|rmb|chf|aud|cad|inr|krw|hkd|sgd|nzd|sek|nok|dkk|brl|mxn|rub|try|btc|eth|[$€£¥]|sterling"
    r"|(?:us)?dollars?|euros?|yen|yuan|rupees?|francs?|won|bitcoins?|美元|欧元|人民币|日元|英镑|元"
)
_SEPARATORS = re.compile(r"[\s_.\-]+")
_PER = re.compile(r"(?<!\s)\s++per\s++|每", re.IGNORECASE)
_POWERS = (
    (re.compile(r"\A(?:(?:square|sq|平方)(.+)|(.+?)(?:squared|²|\^?2))\Z", re.IGNORECASE), 2, "area", "²"),
    (re.compile(r"\A(?:(?:cubic|cu|立方)(.+)|(.+?)(?:cubed|³|\^?3))\Z", re.IGNORECASE), 3, "volume", "³"),
)
_RATIOS = {
    ("length", "time"): "speed",
    ("data", "time"): "data rate",
    ("energy", "time"): "power",
    ("length", "volume"): "fuel economy",
    ("volume", "length"): "fuel economy",
}
_RATIO = re.compile(r"([^/]+)/(100)?([^/]+)")
_DEGREES = re.compile(r"^(?:degrees?|deg)(?=(?:[cfkr]|celsius|fahrenheit|kelvin|rankine)$)", re.IGNORECASE)
_FUEL_SCALE = 10**6
"""Metres per cubic metre in one kilometre per litre."""


class MeasureUnit(msgspec.Struct, frozen=True, kw_only=True):
    """`value * factor + offset` is the value in the base unit; `factor / value` where `inverse`."""

    symbol: str
    name: str
    dimension: str
    factor: Fraction
    offset: Fraction = Fraction(0)
    inverse: bool = False
    aliases: tuple[str, ...] = ()


class UnitRow(msgspec.Struct, frozen=True, array_like=True):
    """A unit as its file has it."""

    symbol: str
    names: str
    factor: str
    prefixes: str = ""
    before: str = "0"


class UnitTable(msgspec.Struct, frozen=True):
    """`units` are by dimension, `prefixes` by name."""

    prefixes: dict[str, tuple[str, ...]]
    prefixed_names: dict[str, str]
    units: dict[str, tuple[UnitRow, ...]]


class Converted(msgspec.Struct, frozen=True, kw_only=True):
    """A converted value with the units as they were understood."""

    value: ShownNumber
    given: ShownNumber
    source: MeasureUnit
    target: MeasureUnit


class _Index(msgspec.Struct, frozen=True):
    """Symbols by their exact spelling, and everything by its spelling in small letters."""

    exact: dict[str, list[MeasureUnit]]
    folded: dict[str, list[MeasureUnit]]


def convert(value: float | str, source: str, target: str) -> Converted:
    """The value in the other unit; raises `BadArguments` that names the nearest units or the two dimensions."""
    amount = exact(str(value))
    if abs(amount) > MAX_VALUE:
        raise BadArguments(f"The value {value} is too large to convert: at most {MAX_VALUE:.0e}.")
    pair = _pair(source, target)
    base = _to_base(amount, pair[0])
    if pair[0].dimension == "temperature" and base < 0:
        raise BadArguments(f"{value} {pair[0].symbol} is below absolute zero.")
    return Converted(
        value=show(_from_base(base, pair[1]), digits=CONVERTED_DIGITS, longest=MAX_WHOLE_DIGITS),
        given=show(amount),
        source=pair[0],
        target=pair[1],
    )


def _to_base(amount: Fraction, unit: MeasureUnit) -> Fraction:
    if not unit.inverse:
        return amount * unit.factor + unit.offset
    if not amount:
        raise BadArguments(f"0 {unit.symbol} cannot be converted: it would be without limit.")
    return unit.factor / amount


def _from_base(base: Fraction, unit: MeasureUnit) -> Fraction:
    if not unit.inverse:
        return (base - unit.offset) / unit.factor
    if not base:
        raise BadArguments(f"0 cannot be converted to {unit.symbol}: it would be without limit.")
    return unit.factor / base


def _pair(source: str, target: str) -> tuple[MeasureUnit, MeasureUnit]:
    """The two units meant; where a name has several meanings, the other's dimension decides."""
    for anycase in (False, True):
        sources, targets = _find(source, anycase), _find(target, anycase)
        pairs = [(one, other) for one in sources for other in targets if one.dimension == other.dimension]
        if pairs:
            _unambiguous(source, [pair[0] for pair in pairs])
            _unambiguous(target, [pair[1] for pair in pairs])
            return pairs[0]
    kinds = [" or ".join(dict.fromkeys(unit.dimension for unit in found)) for found in (sources, targets)]
    raise BadArguments(
        f"Cannot convert {source!r} ({kinds[0]}) to {target!r} ({kinds[1]}): both must measure the same thing."
    )


def _unambiguous(name: str, found: list[MeasureUnit]) -> None:
    meant = {unit.symbol: unit for unit in found}
    if len(meant) > 1:
        choices = " or ".join(f"{unit.symbol!r} ({unit.name})" for unit in meant.values())
        raise BadArguments(f"{name!r} has several meanings: say {choices}.")


def _find(name: str, anycase: bool) -> list[MeasureUnit]:
    """Every unit the name may stand for, at least one."""
    if len(name) > MAX_NAME_CHARS:
        raise BadArguments(f"{name[:MAX_NAME_CHARS]!r}… is too long for a unit: give its name or symbol, such as 'km'.")
    compact = _compact(name)
    found = _lookup(compact, anycase)
    if found:
        return found
    word = compact.lower()
    if _CURRENCY.fullmatch(word):
        raise BadArguments(f"{name!r} is a currency: exchange rates change daily and this tool has none.")
    near = get_close_matches(word, _index().folded, n=4, cutoff=0.7)
    known = dict.fromkeys(f"{unit.name} ({unit.symbol})" for key in near for unit in _index().folded[key])
    hint = f"did you mean {', '.join(list(known)[:4])}?" if known else "use a name or symbol such as 'km' or 'pound'."
    raise BadArguments(f"{name!r} is no unit known here: {hint}")


def _lookup(text: str, anycase: bool) -> list[MeasureUnit]:
    return _named(text, anycase) or _powers(text, anycase) or _ratios(text, anycase)


def _named(text: str, anycase: bool) -> list[MeasureUnit]:
    exactly, folded = _index().exact, _index().folded
    if not anycase and text in exactly:
        return exactly[text]
    for key in (text.lower(), _singular(text.lower())):
        if key in folded:
            return _by_case(text, folded[key])
    return []


def _powers(text: str, anycase: bool) -> list[MeasureUnit]:
    for pattern, times, dimension, sign in _POWERS:
        match = pattern.fullmatch(text)
        base = (match.group(1) or match.group(2)) if match else ""
        # By its name alone: no power of a power is a length, and trying all of them would double with each.
        lengths = [unit for unit in (_named(base, anycase) if base else []) if unit.dimension == "length"]
        if lengths:
            return [
                MeasureUnit(
                    symbol=unit.symbol + sign,
                    name=f"{'square' if times == 2 else 'cubic'} {unit.name}",
                    dimension=dimension,
                    factor=unit.factor**times,
                )
                for unit in lengths
            ]
    return []


def _ratios(text: str, anycase: bool) -> list[MeasureUnit]:
    match = _RATIO.fullmatch(text)
    if match is None:
        return []
    above, hundred, below = match.groups()
    return [
        _ratio(one, other, 100 if hundred else 1)
        for one in _lookup(above, anycase)
        for other in _lookup(below, anycase)
        if not (one.offset or other.offset or one.inverse or other.inverse)
    ]


def _ratio(above: MeasureUnit, below: MeasureUnit, times: int) -> MeasureUnit:
    kinds = (above.dimension, below.dimension)
    factor = above.factor / below.factor / times
    unit = MeasureUnit(
        symbol=f"{above.symbol}/{'' if times == 1 else times}{below.symbol}",
        name=f"{above.name} per {'' if times == 1 else f'{times} '}{below.name}",
        dimension=_RATIOS.get(kinds, " per ".join(kinds)),
        factor=factor,
    )
    if kinds == ("length", "volume"):
        return replace(unit, factor=factor / _FUEL_SCALE)
    if kinds == ("volume", "length"):
        return replace(unit, factor=1 / factor / _FUEL_SCALE, inverse=True)
    return unit


def _by_case(text: str, found: list[MeasureUnit]) -> list[MeasureUnit]:
    """A capital B is a byte, whatever the case of its prefix: `KB`, `GIB`."""
    if len(found) > 1 and "B" in text:
        return [unit for unit in found if "B" in unit.symbol] or found
    return found


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 2 and word.endswith("s") else word


def _compact(name: str) -> str:
    """Without spaces, dots and dashes, `per` as a slash and `degrees` as °."""
    text = _SEPARATORS.sub("", _PER.sub("/", name.strip())).replace("百公里", "100公里")
    return _DEGREES.sub("°", text)


def units() -> Iterator[MeasureUnit]:
    """Every unit, with its prefixed forms."""
    text = (files("glassloop.extensions.general") / "data" / "units.toml").read_text("utf-8")
    table = msgspec.convert(tomllib.loads(text), UnitTable)
    for dimension, rows in table.units.items():
        for row in rows:
            names, factor = row.names.split(","), _factor(row.factor)
            unit = MeasureUnit(
                symbol=row.symbol,
                name=names[0],
                dimension=dimension,
                factor=factor,
                offset=Fraction(row.before) * factor,
                aliases=tuple(names),
            )
            yield unit
            for prefix in row.prefixes.split():
                yield _prefixed(unit, prefix, table)


def _prefixed(unit: MeasureUnit, prefix: str, table: UnitTable) -> MeasureUnit:
    sign, times, *characters = table.prefixes[prefix]
    symbol = sign + unit.symbol
    aliases = {prefix + name for name in unit.aliases if name.isascii()}
    aliases |= {character + name for character in characters for name in unit.aliases if not name.isascii()}
    if symbol in table.prefixed_names:
        aliases.add(table.prefixed_names[symbol])
    if sign == "µ":
        aliases |= {"u" + unit.symbol, "μ" + unit.symbol}
    factor = unit.factor * Fraction(times)
    return replace(unit, symbol=symbol, name=prefix + unit.name, factor=factor, aliases=tuple(sorted(aliases)))


def _factor(text: str) -> Fraction:
    above, *below = (Fraction(PI if part == "pi" else part) for part in text.split("/"))
    return above / prod(below, start=Fraction(1))


@cache
def _index() -> _Index:
    index = _Index({}, {})
    for unit in units():
        for name in dict.fromkeys(_compact(name) for name in (unit.symbol, unit.name, *unit.aliases)):
            for table, key in ((index.exact, name), (index.folded, name.lower())):
                same = table.setdefault(key, [])
                if unit not in same:
                    same.append(unit)
    return index
