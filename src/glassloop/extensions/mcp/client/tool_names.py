"""Names of tools from servers: `server__tool`, of characters that all providers take, each standing for one tool only.

A name that had to be changed ends in a digest of the original. So it depends on nothing but the original, and a server
cannot take the name of another's tool by choosing its own well. An alias never holds `__`: what comes before the first
one is the server.
"""

import hashlib
import re

MAX_CHARS = 64
_ALIAS_CHARS = 24
_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")
_RUNS = re.compile(r"_{2,}")


def alias_of(server: str) -> str:
    """A server's part of its tools' names."""
    fit = _RUNS.sub("_", _UNFIT.sub("_", server)).strip("_")
    if not fit[:1].isalpha():
        fit = f"mcp_{fit}"
    return server if fit == server and len(fit) <= _ALIAS_CHARS else _marked(fit, server, _ALIAS_CHARS)


def tool_name(alias: str, tool: str) -> str:
    """The name a tool of that server is offered by."""
    fit, room = _UNFIT.sub("_", tool), MAX_CHARS - len(alias) - 2
    return f"{alias}__{tool if fit == tool and 0 < len(tool) <= room else _marked(fit, tool, room)}"


def _marked(fit: str, original: str, most: int) -> str:
    digest = hashlib.sha256(original.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{fit[: most - 9].rstrip('_-')}_{digest}"
