"""`reflex`: a model without a language model. `glassloop.models.reflex.ReflexModel` is all that others need."""

from glassloop.models.reflex.model import ReflexModel

__all__ = ["ReflexModel"]
