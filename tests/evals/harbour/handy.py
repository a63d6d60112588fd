"""Sums and units. Nothing here changes."""

from datetime import date
from typing import Literal

from glassloop import ToolError, tool

FACTORS = {"m": 1.0, "km": 1000.0, "ft": 0.3048, "nm": 1852.0, "fathom": 1.8288}
A_EURO = {"EUR": 1.0, "USD": 1.1, "GBP": 0.85, "NOK": 11.5}


@tool(effect="read", integrity="trusted")
def add_up(numbers: list[float]) -> float:
    """The sum of numbers.

    Args:
        numbers: What is added.
    """
    return sum(numbers)


@tool(effect="read", integrity="trusted")
def multiply(a: float, b: float) -> float:
    """The product of two numbers.

    Args:
        a: The first.
        b: The second.
    """
    return a * b


@tool(effect="read", integrity="trusted")
def convert_distance(
    value: float, from_unit: Literal["m", "km", "ft", "nm", "fathom"], to_unit: Literal["m", "km", "ft", "nm", "fathom"]
) -> dict[str, object]:
    """Convert a length or distance; nm are nautical miles.

    Args:
        value: How much.
        from_unit: The unit it is in.
        to_unit: The unit it is wanted in.
    """
    return {"value": round(value * FACTORS[from_unit] / FACTORS[to_unit], 3), "unit": to_unit}


@tool(effect="read", integrity="trusted")
def days_until(start: str, end: str) -> int:
    """How many days lie between two dates.

    Args:
        start: The first day as YYYY-MM-DD.
        end: The last day as YYYY-MM-DD.
    """
    try:
        return (date.fromisoformat(end) - date.fromisoformat(start)).days
    except ValueError as error:
        raise ToolError(f"{start!r} or {end!r} is no date: write YYYY-MM-DD.") from error


@tool(effect="read", integrity="trusted")
def exchange_money(amount: float, from_currency: str, to_currency: str) -> dict[str, object]:
    """Change an amount of money into another currency, at the harbour office's rate.

    Args:
        amount: How much.
        from_currency: The currency it is in, three letters such as EUR.
        to_currency: The currency it is wanted in, three letters such as EUR.
    """
    source, target = from_currency.strip().upper(), to_currency.strip().upper()
    if source not in A_EURO or target not in A_EURO:
        raise ToolError(f"No rate from {from_currency!r} to {to_currency!r}: EUR, USD, GBP and NOK have one.")
    return {"amount": round(amount / A_EURO[source] * A_EURO[target], 2), "currency": target}
