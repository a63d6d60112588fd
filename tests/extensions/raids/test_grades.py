"""The table of grades: what it gives, and that prompt and documentation tell the same limits."""

import re
import tomllib
from pathlib import Path

import pytest

from glassloop.extensions.raids.analysis.grades import (
    ACTIVITY,
    CANCELLED,
    COOLDOWN_USE,
    MAJOR_BUFF,
    OUT_OF_MANA,
    OVERHEAL,
    RENEWALS,
    ROTATION,
    SCALES,
    Scale,
)

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("scale", "grades"),
    [
        (ACTIVITY, {90: "excellent", 89.9: "good", 85: "good", 75: "fair", 74.9: "needs work"}),
        (CANCELLED, {5: "excellent", 10: "good", 20: "fair", 20.1: "needs work"}),
        (RENEWALS, {9.9: "good", 10: "fair", 25: "fair", 25.1: "needs work"}),
        (MAJOR_BUFF, {90.1: "good", 90: "low", 50: "low", 49.9: "issue"}),
        (ROTATION, {90: "A", 89.9: "B", 79.9: "C", 69.9: "D", 59.9: "F"}),
        (COOLDOWN_USE, {69.9: "flagged", 70: "fine"}),
        (OVERHEAL, {30: "fine", 30.1: "flagged"}),
        (OUT_OF_MANA, {10: "fine", 10.1: "flagged"}),
    ],
)
def test_a_value_at_a_limit_gets_the_grade_that_the_limit_names(scale: Scale, grades: dict[float, str]) -> None:
    assert {value: scale.grade(value) for value in grades} == grades


def test_a_shift_moves_every_limit_and_what_is_told_of_it() -> None:
    assert [ACTIVITY.grade(value, -20) for value in (70, 65, 55, 54)] == ["excellent", "good", "fair", "needs work"]
    assert ACTIVITY.told(-20) == "excellent from 70 %, good from 65 %, fair from 55 %, else needs work"


@pytest.mark.parametrize("scale", SCALES, ids=lambda scale: scale.name)
def test_the_documentation_tells_every_scale(scale: Scale) -> None:
    assert f"| {scale.name} | {scale.told()} |" in (ROOT / "docs" / "raids.md").read_text(encoding="utf-8")


def test_the_prompt_tells_the_limits_of_every_grade() -> None:
    profile = ROOT / "src" / "glassloop" / "extensions" / "raids" / "assistant.toml"
    prompt = tomllib.loads(profile.read_text(encoding="utf-8"))["prompt"]
    for scale, words in (
        (ACTIVITY, "GCD uptime of"), (CANCELLED, "Cancelled casts:"), (RENEWALS, "Early DoT renewals:"),
        (MAJOR_BUFF, "flask, Battle Shout"), (ROTATION, "Rotation score:"), (COOLDOWN_USE, "- Cooldowns:"),
    ):  # fmt: skip
        told = prompt[prompt.index(words) :][:200]
        limits = [int(step.limit) for step in scale.steps]
        assert [int(found) for found in re.findall(r"\d+", told)][: len(limits)] == limits, words
