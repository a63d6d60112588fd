"""How advice is worded: tools, what they need and what they are to be called with.

Owns the words. What is advised is `advised`'s business.
"""

from collections.abc import Sequence
from typing import Final

from glassloop.extensions.embedded.advice.follow import Next
from glassloop.extensions.embedded.language.parameters import Parameter

LONGEST_VALUE: Final = 80
MOST_VALUES: Final = 6


def hint(text: str) -> str:
    """A line that the model is told, marked as no word of the person's."""
    return f"Hint: {text}"


def either(tools: Sequence[str]) -> str:
    return " or ".join(f"`{name}`" for name in tools)


def needed(parameters: Sequence[Parameter]) -> str:
    """What is lacking, each with what it is."""

    def told(parameter: Parameter) -> str:
        about = parameter.description.split(",")[0].split(". ")[0].strip().rstrip(".")
        return f"`{parameter.name}` ({about})" if about and len(about) <= LONGEST_VALUE else f"`{parameter.name}`"

    return ", ".join(map(told, parameters))


def called_for(following: Next) -> str:
    """The tool with the arguments that are settled."""
    single = {name: str(allowed[0]) for name, allowed in following.values.items() if len(allowed) == 1}
    settled = [f"{name} {value[:LONGEST_VALUE]!r}" for name, value in single.items()][:MOST_VALUES]
    return f"`{following.tool}` with {', '.join(settled)}" if settled else f"`{following.tool}`"
