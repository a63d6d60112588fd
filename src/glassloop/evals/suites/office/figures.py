"""Conversions, loans and counts. Rates never change."""

from typing import Literal

from glassloop import ToolError, tool

Unit = Literal["m", "km", "mile", "foot", "inch", "kg", "pound", "ounce", "liter", "gallon", "celsius", "fahrenheit"]
Currency = Literal["EUR", "USD", "GBP", "CNY", "CHF", "JPY"]

_LENGTH, _MASS, _VOLUME = "length", "mass", "volume"
FACTORS: dict[str, tuple[str, float]] = {
    "m": (_LENGTH, 1.0),
    "km": (_LENGTH, 1000.0),
    "mile": (_LENGTH, 1609.344),
    "foot": (_LENGTH, 0.3048),
    "inch": (_LENGTH, 0.0254),
    "kg": (_MASS, 1.0),
    "pound": (_MASS, 0.45359237),
    "ounce": (_MASS, 0.028349523125),
    "liter": (_VOLUME, 1.0),
    "gallon": (_VOLUME, 3.785411784),
}
PER_EURO: dict[str, float] = {"EUR": 1.0, "USD": 1.10, "GBP": 0.85, "CNY": 7.80, "CHF": 0.95, "JPY": 160.0}


@tool(effect="read")
async def convert_units(value: float, from_unit: Unit, to_unit: Unit) -> dict[str, object]:
    """Convert a length, weight, volume or temperature into another unit.

    Args:
        value: How much.
        from_unit: The unit it is given in.
        to_unit: The unit wanted.
    """
    if {from_unit, to_unit} == {"celsius", "fahrenheit"}:
        made = value * 9 / 5 + 32 if from_unit == "celsius" else (value - 32) * 5 / 9
    elif from_unit == to_unit:
        made = value
    else:
        kind, factor = FACTORS.get(from_unit, ("temperature", 1.0))
        other, divisor = FACTORS.get(to_unit, ("temperature", 1.0))
        if kind != other:
            raise ToolError(f"A {kind} in {from_unit} cannot be told in {to_unit}: choose units of one kind.")
        made = value * factor / divisor
    return {"value": value, "from": from_unit, "result": round(made, 4), "to": to_unit}


@tool(effect="read")
async def convert_currency(amount: float, source: Currency, target: Currency) -> dict[str, object]:
    """Convert an amount of money at the office's fixed rates.

    Args:
        amount: How much money.
        source: The currency it is in.
        target: The currency wanted.
    """
    made = amount / PER_EURO[source] * PER_EURO[target]
    return {"amount": amount, "source": source, "result": round(made, 2), "target": target}


@tool(effect="read")
async def loan_payment(principal: float, yearly_rate_percent: float, years: int) -> dict[str, object]:
    """The monthly rate of a loan that is paid back in equal parts.

    Args:
        principal: The sum that is borrowed.
        yearly_rate_percent: Interest a year in percent.
        years: How long it runs.
    """
    if not (principal > 0 and 0 <= yearly_rate_percent <= 100 and 1 <= years <= 60):
        raise ToolError("A loan needs a positive sum, 0 to 100 percent and 1 to 60 years.")
    months, monthly = years * 12, yearly_rate_percent / 1200
    rate = principal / months if monthly == 0 else principal * monthly / (1 - (1 + monthly) ** -months)
    return {"monthly": round(rate, 2), "months": months, "paid_in_all": round(rate * months, 2)}


@tool(effect="read")
async def count_text(text: str) -> dict[str, int]:
    """Words, characters and sentences of a text.

    Args:
        text: The text itself.
    """
    return {
        "words": len(text.split()),
        "characters": len(text),
        "sentences": sum(text.count(mark) for mark in ".!?") or 1,
    }
