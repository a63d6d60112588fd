"""Standard output and error that never fail to write, whatever their encoding.

Light on purpose: a mistake is reported without loading anything that draws.
"""

import codecs
import sys
from typing import TextIO

from glassloop.cli.ui.safe_text import safe_text

_ASCII = str.maketrans(
    {
        "…": "...",
        "·": "-",
        "•": "*",
        "–": "-",
        "—": "-",
        "−": "-",
        "‘": "'",
        "’": "'",
        "“": '"',
        "”": '"',
        "▌": "|",
        "→": "->",
        "×": "x",
        "≈": "~",
        "≤": "<=",
        "≥": ">=",
        "\u00a0": " ",
        "\u202f": " ",
    }
)


def complain(message: str) -> None:
    """One sentence on standard error."""
    print(safe_text(message), file=forgiving(sys.stderr), flush=True)


def forgiving(stream: TextIO) -> TextIO:
    """The stream, which from now on spells out what its encoding does not have."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors=_ERRORS)
    return stream


def _spell(error: UnicodeError) -> tuple[str, int]:
    """What to write instead of characters the stream's encoding does not have."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    spelt = missing.translate(_ASCII).encode(error.encoding, "replace").decode(error.encoding)
    return spelt, error.end


_ERRORS = "glassloop.spell"
codecs.register_error(_ERRORS, _spell)
