"""The table of units `convert_units` knows: names, symbols and exact factors to the base unit of each dimension.

Owns the data and its reading into `MeasureUnit` values. How a name is looked up and a value converted is `conversion`.
"""

from collections.abc import Iterator
from fractions import Fraction

import msgspec

from glassloop.extensions.general.functions import PI


class MeasureUnit(msgspec.Struct, frozen=True, kw_only=True):
    """`value * factor + offset` is the value in the base unit; `factor / value` where `inverse`."""

    symbol: str
    name: str
    dimension: str
    factor: Fraction
    offset: Fraction = Fraction(0)
    inverse: bool = False
    aliases: tuple[str, ...] = ()


_PREFIXES = {
    "tera": ("T", 10**12),
    "giga": ("G", 10**9),
    "mega": ("M", 10**6),
    "kilo": ("k", 10**3),
    "hecto": ("h", 10**2),
    "deci": ("d", Fraction(1, 10)),
    "centi": ("c", Fraction(1, 100)),
    "milli": ("m", Fraction(1, 10**3)),
    "micro": ("µ", Fraction(1, 10**6)),
    "nano": ("n", Fraction(1, 10**9)),
    "kibi": ("Ki", 2**10),
    "mebi": ("Mi", 2**20),
    "gibi": ("Gi", 2**30),
    "tebi": ("Ti", 2**40),
}
_DATA_PREFIXES = "kilo mega giga tera kibi mebi gibi tebi"

# dimension: (symbol, names separated by commas (the first is shown), factor, prefixes)
_TABLE: dict[str, tuple[tuple[str, str, str | Fraction, str], ...]] = {
    "length": (
        ("m", "metre,meter,米", "1", "kilo deci centi milli micro nano"),
        ("in", 'inch,inches,",英寸,吋', "0.0254", ""),
        ("ft", "foot,feet,',英尺", "0.3048", ""),
        ("yd", "yard,码", "0.9144", ""),
        ("mi", "mile,英里", "1609.344", ""),
        ("nmi", "nautical mile,海里", "1852", ""),
        ("au", "astronomical unit,天文单位", "149597870700", ""),
        ("ly", "light year,光年", "9460730472580800", ""),
        ("里", "li,市里,华里", "500", ""),
    ),
    "mass": (
        ("g", "gram,gramme,克", "0.001", "kilo milli micro"),
        ("t", "tonne,metric ton,ton,吨,公吨", "1000", ""),
        ("lb", "pound,lbs,磅", "0.45359237", ""),
        ("oz", "ounce,盎司", "0.028349523125", ""),
        ("st", "stone,英石", "6.35029318", ""),
        ("short ton", "US ton,ton", "907.18474", ""),
        ("long ton", "imperial ton,UK ton,ton", "1016.0469088", ""),
        ("ct", "carat,克拉", "0.0002", ""),
        ("斤", "jin,市斤,catty", "0.5", ""),
    ),
    "area": (
        ("ha", "hectare,公顷", "10000", ""),
        ("ac", "acre,英亩", "4046.8564224", ""),
        ("a", "are", "100", ""),
        ("亩", "mu,市亩", Fraction(2000, 3), ""),
    ),
    "volume": (
        ("L", "litre,liter,升", "0.001", "hecto deci centi milli micro"),
        ("cc", "ccm", "0.000001", ""),
        ("US gal", "US gallon,gallon,gal,加仑", "0.003785411784", ""),
        ("US qt", "US quart,quart,qt", "0.000946352946", ""),
        ("US pt", "US pint,pint,pt", "0.000473176473", ""),
        ("US cup", "cup", "0.0002365882365", ""),
        ("US fl oz", "US fluid ounce,fluid ounce,fl oz,oz,ounce", "0.0000295735295625", ""),
        ("tbsp", "tablespoon", "0.00001478676478125", ""),
        ("tsp", "teaspoon", "0.00000492892159375", ""),
        ("imp gal", "imperial gallon,UK gallon", "0.00454609", ""),
        ("imp pt", "imperial pint,UK pint", "0.00056826125", ""),
        ("imp fl oz", "imperial fluid ounce,UK fluid ounce", "0.0000284130625", ""),
        ("bbl", "barrel,oil barrel,桶", "0.158987294928", ""),
    ),
    "time": (
        ("s", "second,sec,秒", "1", "milli micro nano"),
        ("min", "minute,分钟,分", "60", ""),
        ("h", "hour,hr,小时,时", "3600", ""),
        ("d", "day,天,日", "86400", ""),
        ("wk", "week,周,星期", "604800", ""),
        ("mo", "month,月,个月", "2629746", ""),
        ("yr", "year,年", "31556952", ""),
        ("decade", "decades", "315569520", ""),
        ("century", "centuries,世纪", "3155695200", ""),
    ),
    "speed": (
        ("km/h", "kmh,kph,kmph", Fraction(1000, 3600), ""),
        ("mph", "mi/h", "0.44704", ""),
        ("kn", "knot,kt,kts,节", Fraction(1852, 3600), ""),
        ("c", "speed of light,光速", "299792458", ""),
    ),
    "data": (
        ("b", "bit,比特", "1", _DATA_PREFIXES),
        ("B", "byte,字节", "8", _DATA_PREFIXES),
    ),
    "data rate": (
        ("bps", "bit/s", "1", "kilo mega giga tera"),
        ("Bps", "byte/s", "8", "kilo mega giga tera"),
    ),
    "energy": (
        ("J", "joule,焦耳,焦", "1", "kilo mega giga"),
        ("Wh", "watt hour,瓦时", "3600", "kilo mega giga tera"),
        ("cal", "calorie,卡路里,卡", "4.184", ""),
        ("kcal", "kilocalorie,food calorie,Cal,大卡,千卡", "4184", ""),
        ("BTU", "british thermal unit", "1055.05585262", ""),
        ("eV", "electronvolt,electron volt,电子伏特", "1.602176634e-19", "kilo mega giga"),
        ("ft·lbf", "foot pound,ft lb,ftlbf", "1.3558179483314004", ""),
        ("kWh", "度电", "3600000", ""),
    ),
    "power": (
        ("W", "watt,瓦特,瓦", "1", "milli kilo mega giga"),
        ("hp", "horsepower,马力", "745.69987158227022", ""),
        ("PS", "metric horsepower", "735.49875", ""),
    ),
    "pressure": (
        ("Pa", "pascal,帕斯卡,帕", "1", "hecto kilo mega giga"),
        ("bar", "巴", "100000", "milli"),
        ("mbar", "mb", "100", ""),
        ("atm", "atmosphere,大气压", "101325", ""),
        ("psi", "pound per square inch,lbf/in2", "6894.757293168", ""),
        ("Torr", "torr", Fraction(101325, 760), ""),
        ("mmHg", "millimetre of mercury,millimeter of mercury,毫米汞柱", "133.322387415", ""),
        ("inHg", "inch of mercury", "3386.389", ""),
    ),
    "angle": (
        ("°", "degree,deg,度", "1", ""),
        ("rad", "radian,弧度", 180 / Fraction(PI), "milli"),
        ("gon", "gradian,grad", "0.9", ""),
        ("arcmin", "arcminute,minute of arc,角分", Fraction(1, 60), ""),
        ("arcsec", "arcsecond,second of arc,角秒", Fraction(1, 3600), ""),
        ("turn", "revolution,rev", "360", ""),
    ),
    "fuel economy": (
        ("km/L", "kmpl", "1", ""),
        ("mpg", "US mpg,mile per gallon,miles per gallon", Fraction("1.609344") / Fraction("3.785411784"), ""),
        ("imp mpg", "UK mpg,imperial mpg", Fraction("1.609344") / Fraction("4.54609"), ""),
    ),
}
_SPECIAL = (
    MeasureUnit(
        symbol="K", name="kelvin", dimension="temperature", factor=Fraction(1), aliases=("°K", "°kelvin", "开尔文")
    ),
    MeasureUnit(
        symbol="°C",
        name="celsius",
        dimension="temperature",
        factor=Fraction(1),
        offset=Fraction("273.15"),
        aliases=("C", "℃", "°celsius", "centigrade", "摄氏度", "摄氏"),
    ),
    MeasureUnit(
        symbol="°F",
        name="fahrenheit",
        dimension="temperature",
        factor=Fraction(5, 9),
        offset=Fraction("459.67") * Fraction(5, 9),
        aliases=("F", "℉", "°fahrenheit", "华氏度", "华氏"),
    ),
    MeasureUnit(
        symbol="°R",
        name="rankine",
        dimension="temperature",
        factor=Fraction(5, 9),
        aliases=("°rankine",),
    ),
)
_CHINESE_PREFIXES = {
    "千": 10**3,
    "兆": 10**6,
    "厘": Fraction(1, 100),
    "毫": Fraction(1, 1000),
    "微": Fraction(1, 10**6),
}
_CHINESE_NAMES = {"km": ("公里",), "kg": ("公斤",)}


def units() -> Iterator[MeasureUnit]:
    """Every unit, with its prefixed forms."""
    yield from _SPECIAL
    for dimension, rows in _TABLE.items():
        for symbol, names, factor, prefixes in rows:
            unit = MeasureUnit(
                symbol=symbol,
                name=names.split(",", 1)[0],
                dimension=dimension,
                factor=Fraction(factor),
                aliases=tuple(names.split(",")),
            )
            yield unit
            yield from _prefixed(unit, prefixes.split())


def _prefixed(unit: MeasureUnit, prefixes: list[str]) -> Iterator[MeasureUnit]:
    for prefix in prefixes:
        sign, times = _PREFIXES[prefix]
        symbol = sign + unit.symbol
        aliases = {prefix + name for name in unit.aliases if name.isascii()} | set(_CHINESE_NAMES.get(symbol, ()))
        if sign == "µ":
            aliases |= {"u" + unit.symbol, "μ" + unit.symbol}
        for character, same in _CHINESE_PREFIXES.items():
            if same == times:
                aliases |= {character + name for name in unit.aliases if not name.isascii()}
        yield MeasureUnit(
            symbol=symbol,
            name=prefix + unit.name,
            dimension=unit.dimension,
            factor=unit.factor * times,
            aliases=tuple(sorted(aliases)),
        )
