"""Terms of a call: whether it asks a person, and how far a person may allow calls like it for a session. Values only:
`core/loop/approvals/grants.py` decides by them.
"""

from typing import Literal

import msgspec

GrantKind = Literal["never", "tool", "folder", "command"]
"""How a person may allow a tool for the rest of a session: not at all, as it is, for what lies below a folder, or for
commands that begin with the same words. One that is allowed by folder changes files of a workspace, and can be undone.
"""


class CallTerms(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a tool says of one call, before it runs. None is what the tool declares for all of them."""

    asks: bool | None = None
    """Whether a person is asked."""
    grant: GrantKind | None = None
    scopes: tuple[str, ...] | None = None
    """What the call is about: the paths of the files it changes, from the workspace and with all links resolved, or its
    command line. None: as its arguments tell."""


class GrantOffer(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a person may allow for the session when they approve a call: exactly this, as it is shown."""

    kind: Literal["folder", "command"]
    scope: str
    """A folder, as `src/` (`./` is the whole workspace), or the first words of a command."""
