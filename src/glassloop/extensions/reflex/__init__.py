"""`reflex`: answers without a language model where one tool fits beyond doubt, and says so where none does."""

from glassloop.extensions.reflex.model import ReflexModel

__all__ = ["ReflexModel"]
