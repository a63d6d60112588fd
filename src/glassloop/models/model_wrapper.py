"""Wrapper around a model that keeps the name, the abilities and the price of the one behind it."""

from glassloop.core.messages import Abilities
from glassloop.core.ports import Model, ReadsAhead


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

    async def read_ahead(self, system: str) -> bool:
        """As the model does it, where it can; nothing is left to do with others."""
        return not isinstance(self._model, ReadsAhead) or await self._model.read_ahead(system)

    def quote(self, input_tokens: int, output_tokens: int) -> float | None:
        return self._model.quote(input_tokens, output_tokens)
