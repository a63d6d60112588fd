"""Classes and specs that people name, as the store keeps them."""

from glassloop.core.errors import ToolError, UsageError
from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.names import find_class, find_spec


def find_class_and_spec(class_name: str, spec: str) -> tuple[str, str]:
    """Their English names. Raises `UsageError` for what is none."""
    knowledge = load_knowledge()
    try:
        if not spec.strip():
            return find_class(knowledge, class_name), ""
        found = find_spec(knowledge, class_name, spec)
    except ToolError as error:
        raise UsageError(str(error)) from None
    return found.class_name, found.name
