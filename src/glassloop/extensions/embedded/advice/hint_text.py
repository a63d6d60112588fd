"""Text of hints: tools, what they need and what they are to be called with.

`turn_advice` decides what is advised.
"""

from collections.abc import Sequence
from typing import Final

from glassloop.extensions.embedded.advice.next_call import NextCall
from glassloop.extensions.embedded.language.parameters import ParameterHints

MAX_VALUE: Final = 80
MAX_VALUES: Final = 6


def hint(text: str) -> str:
    """A line that the model is told, marked as no word of the person's."""
    return f"Hint: {text}"


def either(tools: Sequence[str]) -> str:
    return " or ".join(f"`{name}`" for name in tools)


def needed(parameters: Sequence[ParameterHints]) -> str:
    """What is lacking, each with what it is."""

    def told(parameter: ParameterHints) -> str:
        about = parameter.description.split(",")[0].split(". ")[0].strip().rstrip(".")
        return f"`{parameter.name}` ({about})" if about and len(about) <= MAX_VALUE else f"`{parameter.name}`"

    return ", ".join(map(told, parameters))


def called_for(following: NextCall) -> str:
    """The tool with the arguments that are settled."""
    single = {name: str(allowed[0]) for name, allowed in following.values.items() if len(allowed) == 1}
    settled = [f"{name} {value[:MAX_VALUE]!r}" for name, value in single.items()][:MAX_VALUES]
    return f"`{following.tool}` with {', '.join(settled)}" if settled else f"`{following.tool}`"
