"""Wrapper around a model that keeps the name, the abilities and the price of the one behind it."""

from glassloop.core.messages import Abilities
from glassloop.core.ports import Model


class ModelWrapper:
    """What it does with a request is for those that derive from it to say."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def abilities(self) -> Abilities:
        return self._model.abilities

    def quote(self, input_tokens: int, output_tokens: int) -> float | None:
        return self._model.quote(input_tokens, output_tokens)
