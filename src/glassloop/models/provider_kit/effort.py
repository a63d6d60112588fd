"""Reasoning effort: how long a model that reasons may do so."""

from typing import Literal

Effort = Literal["low", "medium", "high"]

EFFORTS: tuple[Effort, ...] = ("low", "medium", "high")
