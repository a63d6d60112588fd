"""What a command found, for a program or for a person. Light: what draws is loaded when something is drawn."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from glassloop.cli.streams import forgiving
from glassloop.cli.untrusted import inert, plain_json

if TYPE_CHECKING:
    from rich.console import RenderableType

    from glassloop.cli.look import Look


def say(sentence: str) -> None:
    """What was done, in a sentence."""
    print(inert(sentence), file=forgiving(sys.stdout), flush=True)


def tell(value: object, as_json: bool, show: "Callable[[Look], RenderableType]") -> None:
    """A listing: the value as JSON, or what `show` makes of it."""
    if as_json:
        import msgspec

        sys.stdout.buffer.write(plain_json(msgspec.json.format(msgspec.json.encode(value), indent=2)) + b"\n")
        sys.stdout.buffer.flush()
        return
    from glassloop.cli.console import make_console, write
    from glassloop.cli.display import look_of

    console = make_console()
    write(console, show(look_of(console)))
