"""Defects of molded parts: their names in English and Chinese, what causes them, what helps.

Owns the words: every name people use for a defect leads to one entry. What happened in which trial is data.
"""

# A cause and its remedy in both languages are read side by side.
# ruff: noqa: E501

import re
import unicodedata
from functools import cache

import msgspec


class Remedy(msgspec.Struct, frozen=True):
    """A cause and what helps against it, in both languages. `area` is where to look."""

    area: str
    cause_en: str
    cause_zh: str
    remedy_en: str
    remedy_zh: str


class Defect(msgspec.Struct, frozen=True):
    """One kind of defect. The first of each list of names is the usual one."""

    code: str
    en: tuple[str, ...]
    zh: tuple[str, ...]
    remedies: tuple[Remedy, ...]


def _defect(code: str, en: str, zh: str, *remedies: tuple[str, str, str, str, str]) -> Defect:
    return Defect(code, tuple(en.split(", ")), tuple(zh.split()), tuple(Remedy(*remedy) for remedy in remedies))


CATALOGUE: tuple[Defect, ...] = (
    _defect(
        "flash", "flash, flashing, burr, burrs", "披锋 飞边 毛边 披峰 溢料",
        ("machine", "Clamping force too low for the projected area", "锁模力不足", "Raise the clamping force or move to a larger press", "提高锁模力或换用更大吨位的注塑机"),
        ("mold", "Worn or damaged parting surface", "分型面磨损或碰伤", "Refit and polish the parting surface", "修配并研磨分型面"),
        ("process", "Injection or holding pressure too high", "注射或保压压力过高", "Lower the pressure and switch to holding earlier", "降低压力并提前切换保压"),
    ),
    _defect(
        "short_shot", "short shot, short shots, incomplete fill, non-fill, underfill", "缺胶 欠注 短射 走胶不齐 不饱模",
        ("process", "Melt or mold too cold", "料温或模温过低", "Raise melt and mold temperature", "提高料温和模温"),
        ("mold", "Venting is not enough at the end of fill", "充填末端排气不良", "Add vents of 0.02 mm at the end of fill", "在充填末端增开 0.02 mm 排气槽"),
        ("mold", "Gate too small", "浇口偏小", "Enlarge the gate", "加大浇口"),
    ),
    _defect(
        "sink_mark", "sink mark, sink marks, sink, shrink mark", "缩水 缩痕 缩印 凹痕 缩坑",
        ("process", "Holding pressure too low or too short", "保压不足或时间过短", "Raise holding pressure and time", "提高保压压力并延长保压时间"),
        ("mold", "Rib or boss too thick", "骨位或柱位过厚", "Core out the rib to 60 % of the wall", "骨位减胶至壁厚的 60 %"),
        ("mold", "Cooling is not even", "冷却不均", "Add cooling near the thick section", "在厚胶位附近加强冷却"),
    ),
    _defect(
        "whitening", "whitening, stress whitening, ejector whitening, stress mark", "拉白 顶白 发白 应力发白",
        ("mold", "Draft angle too small", "脱模斜度不足", "Increase the draft to at least 1 degree and polish", "脱模斜度加大到 1 度以上并抛光"),
        ("process", "Ejected too fast or too hot", "顶出过快或过热", "Slow down ejection and cool longer", "降低顶出速度并延长冷却时间"),
        ("mold", "Ejectors are not balanced", "顶针布置不平衡", "Add ejectors near the boss", "在柱位附近增加顶针"),
    ),
    _defect(
        "spark_marks", "spark mark, spark marks, EDM mark, EDM marks, EDM texture", "火花纹 火花印 电火花纹 放电纹",
        ("mold", "EDM texture was not polished out", "电火花加工纹未抛光", "Polish the cavity to the specified finish", "按要求的光洁度抛光型腔"),
        ("mold", "Electrode was worn when the cavity was finished", "精加工电极损耗过大", "Spark again with a fresh electrode and fine settings", "更换电极并用精规准重新放电"),
    ),
    _defect(
        "contamination", "contamination, surface contamination, dirt, black specks, black spots, foreign matter", "表面污染 污染 黑点 杂质 脏污 油污",
        ("material", "Foreign matter in the regrind", "回料中混入杂质", "Use virgin material and clean the hopper", "使用新料并清洁料斗"),
        ("machine", "Degraded material in the barrel", "料筒内有碳化料", "Purge the barrel and check the check ring", "清洗料筒并检查过胶圈"),
        ("mold", "Grease on ejectors or slides", "顶针或滑块油污", "Clean the mold and grease sparingly", "清洁模具并减少润滑脂"),
    ),
    _defect(
        "weld_line", "weld line, weld lines, knit line, meld line", "熔接线 夹水纹 夹线 熔接痕 合胶线",
        ("process", "Flow fronts meet too cold", "料流前锋汇合温度过低", "Raise mold temperature and injection speed", "提高模温和注射速度"),
        ("mold", "Gate position makes the fronts meet on a visible face", "浇口位置使熔接线出现在外观面", "Move the gate or add an overflow", "移动浇口或增加溢料槽"),
    ),
    _defect(
        "warpage", "warpage, warp, warping, deformation", "变形 翘曲 弯曲",
        ("process", "Cooling time too short", "冷却时间过短", "Cool longer before ejection", "延长冷却时间"),
        ("mold", "Temperature of the halves differs", "前后模温差过大", "Balance the cooling of both halves", "平衡前后模冷却"),
    ),
    _defect(
        "burn_mark", "burn mark, burn marks, burning, diesel effect, trapped gas", "烧焦 困气 焦痕 烧胶",
        ("mold", "Trapped air at the end of fill", "充填末端困气", "Add vents or a vented ejector", "增加排气槽或排气顶针"),
        ("process", "Injection speed too high", "注射速度过快", "Slow down the last stage of injection", "降低末段注射速度"),
    ),
    _defect(
        "flow_mark", "flow mark, flow marks, flow line, flow lines, ripple", "流纹 流痕 水波纹",
        ("process", "Melt cools while it fills", "充填时料流冷却", "Raise melt temperature and speed", "提高料温和注射速度"),
        ("mold", "Cold slug well too small", "冷料井过小", "Enlarge the cold slug well", "加大冷料井"),
    ),
    _defect(
        "drag_mark", "drag mark, drag marks, scratch, scratches, scuffing", "拖花 拉伤 拖伤 刮花",
        ("mold", "Undercut or rough texture on the side wall", "侧壁倒扣或咬花过粗", "Polish along the draw and add draft", "沿脱模方向抛光并加大斜度"),
        ("process", "Packed too hard", "过保压", "Lower the holding pressure", "降低保压压力"),
    ),
    _defect(
        "silver_streaks", "silver streak, silver streaks, splay", "银纹 料花 银丝 水花",
        ("material", "Material not dry", "原料干燥不足", "Dry at the given temperature for four hours", "按规定温度烘料四小时"),
        ("process", "Melt decomposes by shear", "剪切过热分解", "Lower screw speed and back pressure", "降低螺杆转速和背压"),
    ),
    _defect(
        "bubbles", "bubble, bubbles, void, voids, air bubble", "气泡 气孔 真空泡",
        ("process", "Thick wall shrinks inside", "厚壁内部收缩", "Raise holding pressure and mold temperature", "提高保压和模温"),
        ("material", "Moisture in the material", "原料含水", "Dry the material longer", "延长烘料时间"),
    ),
    _defect(
        "color_difference", "color difference, colour difference, color deviation, discoloration", "色差 混色 偏色",
        ("material", "Masterbatch not mixed well", "色母混合不均", "Raise back pressure and mix longer", "提高背压并延长混料时间"),
        ("process", "Residence time too long", "停留时间过长", "Use a smaller barrel", "换用较小料筒的机台"),
    ),
    _defect(
        "dimension", "dimension, dimensions, out of tolerance, oversize, undersize, dimensional deviation", "尺寸超差 尺寸不良 尺寸偏差",
        ("mold", "Shrinkage was assumed wrongly", "缩水率取值不准", "Correct the steel dimension", "修正模具钢件尺寸"),
        ("process", "Holding pressure varies", "保压波动", "Fix the process window and monitor cushion", "固定工艺窗口并监控料垫"),
    ),
)  # fmt: skip

BY_CODE = {defect.code: defect for defect in CATALOGUE}


def find_defects(text: str) -> list[Defect]:
    """The defects a text speaks of, in either language, those named first first."""
    plain = _plain(text)
    found: dict[str, int] = {}
    for name, code in _names():
        at = plain.find(name) if not name.isascii() else _find_word(plain, name)
        if at >= 0 and at < found.get(code, len(plain)):
            found[code] = at
    return [BY_CODE[code] for code, _ in sorted(found.items(), key=lambda pair: pair[1])]


def without_defects(text: str) -> str:
    """What a text says beside the names of defects."""
    plain = _plain(text)
    for name, _ in _names():
        plain = plain.replace(name, " ") if not name.isascii() else re.sub(_word(name), " ", plain)
    return " ".join(plain.split())


@cache
def _names() -> list[tuple[str, str]]:
    """Every name with its defect; longer ones first, so that 表面污染 is not read as 污染 alone."""
    every = [
        (_plain(name), defect.code)
        for defect in CATALOGUE
        for name in (*defect.en, *defect.zh, defect.code.replace("_", " "))
    ]
    return sorted(dict(every).items(), key=lambda pair: -len(pair[0]))


def _find_word(text: str, name: str) -> int:
    match = re.search(_word(name), text)
    return match.start() if match else -1


def _word(name: str) -> str:
    # Beside Chinese characters there are no spaces, so only letters of our own kind bound a word.
    return rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])"


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text[:2000]).lower()
    return " ".join(folded.replace("_", " ").replace("-", " ").split())
