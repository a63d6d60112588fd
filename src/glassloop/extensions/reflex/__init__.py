"""`reflex`: answers without a language model where one tool fits beyond doubt, and says so where none does."""

from glassloop.core.ports import Model
from glassloop.models.model_name import ModelName
from glassloop.runtime.extensions import Extension
from glassloop.runtime.providers import ModelOptions, Provider


class ReflexExtension(Extension):
    name = "reflex"

    def providers(self) -> dict[str, Provider]:
        provider = Provider(
            make=_make,
            configured=lambda _settings: True,
            note="no language model: matches words to tools",
            needs_model=False,
            rank=90,
            language_model=False,
        )
        return {self.name: provider}


def _make(_name: ModelName, _options: ModelOptions) -> Model:
    from glassloop.extensions.reflex.model import ReflexModel

    return ReflexModel()
