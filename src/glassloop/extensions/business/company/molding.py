"""Molds of the sample company, their trial runs T0, T1, T2, and the defects found in them."""

from itertools import count

import msgspec

from glassloop.extensions.business.company.frame import Dice, Frame
from glassloop.extensions.business.company.goods import Goods
from glassloop.extensions.business.company.words import WORDS
from glassloop.extensions.business.defects import CATALOGUE, Defect, Remedy

MOLDS = 40
RESULTS = {"T0": {"failed": 5.0, "conditional": 5.0}, "T1": {"failed": 2.0, "conditional": 5.0, "passed": 3.0},
           "T2": {"conditional": 2.0, "passed": 8.0}}  # fmt: skip
WEIGHTS = {defect.code: 3.0 for defect in CATALOGUE[:6]}


class _Trial(msgspec.Struct):
    id: str
    mold: str
    trial: str
    day: int
    next_day: int | None


def make_molding(frame: Frame, goods: Goods) -> None:
    dice, cases = frame.dice("molding"), count(1)
    items = list(goods.finished.values())
    for number in range(1, MOLDS * frame.scale + 1):
        item, mold = dice.pick(items), f"MD-{number:03d}"
        ordered = frame.workday(dice.between(-20, frame.last - 30))
        part = goods.names[item.id][0]
        trials = _trials(frame, dice, mold, ordered)
        resin = goods.names[item.recipe[0][0]][0]
        released = bool(trials) and _write_trials(frame, dice, trials, resin, cases)
        status = "released" if released else "trial" if trials else "design"
        row = (mold, f"{part} mold", item.id, resin, dice.pick((1, 2, 4, 8, 16)), dice.pick((90, 120, 150, 200, 350)),
               dice.pick(WORDS.steels), dice.pick(WORDS.toolmakers), status, frame.iso(ordered))  # fmt: skip
        frame.add("molds", row)


def _trials(frame: Frame, dice: Dice, mold: str, ordered: int) -> list[_Trial]:
    days = [frame.workday(ordered + dice.between(28, 50))]
    for _ in range(2):
        days.append(frame.workday(days[-1] + dice.between(9, 24)))
    past = [day for day in days if day <= frame.last]
    following = [*past[1:], None][: len(past)]
    return [
        _Trial(f"TR-{mold[3:]}-T{number}", mold, f"T{number}", day, after)
        for number, (day, after) in enumerate(zip(past, following, strict=True))
    ]


def _write_trials(frame: Frame, dice: Dice, trials: list[_Trial], resin: str, cases: "count[int]") -> bool:
    """Writes trials until one passes; returns whether one did."""
    for trial in trials:
        result = dice.weighted(RESULTS[trial.trial])
        if result == "passed":
            trial.next_day = trial.day
        many = {"failed": dice.between(2, 4), "conditional": dice.between(1, 2), "passed": dice.between(0, 1)}[result]
        found = [_write_case(frame, dice, trial, next(cases)) for _ in range(many)]
        shots = dice.between(50, 400)
        rejects = shots * {"failed": 30, "conditional": 10, "passed": 2}[result] * dice.between(50, 150) // 10_000
        english = ", ".join(defect.en[0] for defect in found) or "none"
        chinese = "、".join(defect.zh[0] for defect in found) or "无"
        row = (trial.id, trial.mold, trial.trial, frame.iso(trial.day), dice.pick(WORDS.presses), result,
               dice.between(190, 300), dice.between(550, 1350), dice.between(140, 600), shots, rejects,
               f"{trial.trial} with {resin}. Defects: {english}.",
               f"{trial.trial} 试模，材料 {resin}。缺陷：{chinese}。")  # fmt: skip
        frame.add("trials", row)
        if result == "passed":
            return True
    return False


def _write_case(frame: Frame, dice: Dice, trial: _Trial, number: int) -> Defect:
    """A defect with its cause and remedy. It is resolved by the next trial, mostly."""
    by_code = {defect: WEIGHTS.get(defect.code, 1.0) for defect in CATALOGUE}
    defect = dice.weighted(by_code)
    remedy: Remedy = dice.pick(defect.remedies)
    place, place_zh = dice.pick(WORDS.positions)
    size = dice.between(5, 40) / 100
    resolved = trial.next_day if trial.next_day is not None and dice.chance(0.85) else None
    row = (
        f"DC-{number:04d}", trial.mold, trial.id, defect.code,
        dice.weighted({"minor": 4.0, "major": 4.0, "critical": 1.0}), "resolved" if resolved is not None else "open",
        frame.iso(trial.day), None if resolved is None else frame.iso(resolved), place,
        f"{defect.en[0].capitalize()} at the {place} in {trial.trial}", f"{trial.trial} {place_zh}{defect.zh[0]}",
        f"{defect.en[0].capitalize()} of about {size} mm at the {place}, seen in {dice.between(5, 90)} % of the shots.",
        f"{place_zh}出现{defect.zh[0]}，约 {size} mm，试模 {trial.trial} 发现。",
        remedy.cause_en, remedy.cause_zh, remedy.remedy_en, remedy.remedy_zh,
    )  # fmt: skip
    frame.add("defect_cases", row)
    return defect
