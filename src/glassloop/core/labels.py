"""Labels of texts, after Microsoft's FIDES: whose words they may hold, and whom they belong to; and what is said of
them where a person is asked. Values only: `core/loop/approvals/provenance.py` decides by them.
"""

from collections.abc import Iterable
from typing import Final, Literal

import msgspec

Integrity = Literal["trusted", "untrusted"]
Confidentiality = Literal["public", "user", "operator"]
LabelOrigin = Literal["call", "earlier", "file", "parent"]
"""Where a text came from: a call of this turn, an earlier turn, a file or image given with a question, or the turn that
asked this one."""

_RANKS: Final = ("public", "user", "operator")


class Labels(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Whose words a text may hold, and whom it belongs to. The defaults are those of a tool that declares nothing."""

    integrity: Integrity = "untrusted"
    """`trusted`: the user's words, the operator's data, the system's own. `untrusted`: a stranger's may be in it."""
    confidentiality: Confidentiality = "user"
    """Whom it belongs to: everybody (`public`), the user or the operator."""


OWN: Final = Labels(integrity="trusted", confidentiality="public")
"""Of the system's own words, and of the user's: they may go where the user sends them."""
UNKNOWN: Final = Labels()
"""Of what nobody declared."""
FOREIGN_CONTEXT: Final = "foreign_context"
"""The setting of a turn that says that the `context` given with its question has words of strangers in it."""


def lowest(several: Iterable[Labels]) -> Labels:
    """The labels of a text made of several: trusted if all are, and confidential as the most confidential."""
    integrity, rank = OWN.integrity, 0
    for labels in several:
        if labels.integrity == "untrusted":
            integrity = labels.integrity
        rank = max(rank, _RANKS.index(labels.confidentiality))
    return Labels(integrity=integrity, confidentiality=_RANKS[rank])


class ApprovalReason(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Why a person is asked: the tool or the policy wants it always, the call may follow from untrusted text, it may
    take what is confidential outside, or a small model insists on it although the review objects: to the value of
    `argument` (`unsourced`), or to making the same call again (`repeated`)."""

    kind: Literal["declared", "effects", "untrusted", "confidential", "unsourced", "repeated"]
    origin: LabelOrigin = "call"
    """Where the text stands that the call may follow from, or that may leave with it."""
    tool: str = ""
    """Whose result it is, where it is one."""
    call_id: str = ""
    """The call that it is the result of; of an earlier turn, as the transcript of this one names it."""
    passage: str = ""
    """The part of it that has most to do with the call, as it stands there; of what the review objects to, the value or
    the call."""
    argument: str = ""
    """The argument whose value stands in the passage; empty where none does."""
    destinations: tuple[str, ...] = ()
    """Where the call would reach outside, as far as its arguments tell."""


_ORIGINS: Final[dict[LabelOrigin, str]] = {
    "call": "what {tool} returned",
    "earlier": "what was read earlier in this conversation",
    "file": "a file or image that was given",
    "parent": "what was read before this was asked for",
}


def why_asked(reason: ApprovalReason) -> str:
    """The reason in a sentence, which the passage follows."""
    if reason.kind == "unsourced":
        return f"No source was found for its {reason.argument!r}:"
    if reason.kind == "repeated":
        return "The same call was made before for this question:"
    source = _ORIGINS[reason.origin].format(tool=reason.tool or "a tool")
    if reason.kind == "confidential":
        to = f" to {', '.join(reason.destinations)}" if reason.destinations else ""
        return f"This may send{to} what is confidential, from {source}:"
    said = f"its {reason.argument!r} stands in" if reason.argument else "it may follow from"
    return f"You did not ask for exactly this yourself: {said} {source}, which strangers may have written:"
