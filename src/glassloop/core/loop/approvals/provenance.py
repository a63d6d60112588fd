"""Provenance: which labels the decision to make a call has, and whether a person must be asked before it runs.

Pure functions of the folded state, so that a resumed or replayed turn decides alike. Labels are those of everything the
model had been told when it decided, and of results that the call's arguments refer to: no taint is followed through a
model. Computed only where an effect is about to run.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple, cast

import msgspec

from glassloop.core.call_terms import CallTerms
from glassloop.core.egress import all_allowed, destinations_of
from glassloop.core.labels import OWN, UNKNOWN, ApprovalReason, LabelOrigin, Labels, lowest
from glassloop.core.loop.approvals.grants import is_file_edit
from glassloop.core.loop.approvals.modes import edits_freely
from glassloop.core.loop.policy import Profile
from glassloop.core.loop.state import TurnState
from glassloop.core.messages import AssistantMessage, Message, ToolMessage, ToolSpec, UserMessage
from glassloop.core.planning.references import find_references
from glassloop.core.records import Json, Refusal, ToolCall

PASSAGE_CHARS = 400
"""Of a text, as it is shown to the person who decides."""
MAX_DESTINATIONS = 20
_MIN_VALUE_CHARS = 4
"""Shorter values stand in any text."""
_MAX_VALUES = 50
_FOREIGN = ("file", "summary")
_SEARCHED_CHARS = 500_000
Reason = Literal["untrusted", "confidential"]
DECIDED_FROM = "decided_from"
"""The setting of a child turn that says what its question may follow from."""


class LabelledText(NamedTuple):
    """A text that the model was told, and where it came from."""

    labels: Labels
    text: str
    origin: LabelOrigin
    tool: str = ""
    call_id: str = ""


class DecidedFrom(msgspec.Struct, frozen=True, kw_only=True):
    """What a child turn is told of the turn that asked it: the labels of its question, and a passage to show."""

    labels: Labels = OWN
    tool: str = ""
    call_id: str = ""
    passage: str = ""


def labels_of_message(message: Message) -> Labels:
    """The labels of what a message adds to the transcript. An answer under way adds nothing to what it follows from."""
    if isinstance(message, ToolMessage):
        return message.labels or UNKNOWN
    if isinstance(message, AssistantMessage):
        return message.labels or OWN
    if message.note == "file" or message.attachments:
        return UNKNOWN
    if message.note == "summary":
        return message.labels or UNKNOWN
    return message.labels or OWN


def context_labels(state: TurnState) -> Labels:
    """The labels of everything the turn was told so far."""
    return lowest(each.labels for each in _told(state))


def decision_labels(state: TurnState, call_id: str) -> Labels:
    """The labels of the decision to make a call of the step under way, and of its arguments."""
    return lowest(each.labels for each in _followed(state, call_id))


def decided_from(state: TurnState, call_id: str) -> DecidedFrom | None:
    """What the child turn of a call is told; None where its question follows from the user's words alone."""
    told = list(_followed(state, call_id))
    labels = lowest(each.labels for each in told)
    if labels == OWN:
        return None
    found = _clearest([each for each in told if each.labels.integrity == labels.integrity])
    passage = _shortened(found.text, 0)
    return DecidedFrom(labels=labels, tool=found.tool, call_id=found.call_id, passage=passage)


def reason_to_ask(
    state: TurnState, call: ToolCall, spec: ToolSpec, profile: Profile, terms: CallTerms | None = None
) -> ApprovalReason | None:
    """Why a person is asked before this call runs; None where it may run.

    By provenance an effect asks if untrusted text came before the decision or stands in its arguments, and a call that
    reaches outside also if anything came before that is not public; and so does one that the review objects to. What
    the user typed as a command does not.
    """
    asks = spec.confirm if terms is None or terms.asks is None else terms.asks
    if (
        spec.grant is not None
        and edits_freely(state, spec)
        and profile.approvals != "effects"
        and not (terms is not None and terms.asks)
    ):
        return None
    always = "declared" if asks else "effects" if profile.approvals == "effects" and spec.is_effect else None
    found: ApprovalReason | None = None
    # A file's change asks for itself and can be undone: what it may follow from is no further reason.
    follows = not (always == "declared" and is_file_edit(spec))
    if spec.is_effect and follows and (always or profile.approvals == "provenance"):
        found = _reason_by_provenance(state, call, spec, profile)
    if found is None and state.doubted is not None and (always or profile.approvals == "provenance"):
        found = _reason_by_doubt(state.doubted, call)
    return found if found is not None or always is None else ApprovalReason(kind=always)


def _reason_by_provenance(state: TurnState, call: ToolCall, spec: ToolSpec, profile: Profile) -> ApprovalReason | None:
    if _is_clean(state, keeps_here=not spec.reaches_outside):
        return None
    outside = spec.reaches_outside
    allowed = outside and all_allowed(spec, call, profile.egress)
    if spec.effect == "read" and allowed:
        return None
    told = list(_followed(state, call.id))
    places = destinations_of(spec, call.args)[:MAX_DESTINATIONS] if outside else ()
    untrusted = [each for each in told if each.labels.integrity == "untrusted"]
    if untrusted:
        return _shown(untrusted, call, "untrusted", places)
    confidential = [each for each in told if each.labels.confidentiality != "public"]
    if confidential and outside and not allowed:
        return _shown(confidential, call, "confidential", places)
    return None


def _reason_by_doubt(doubted: Refusal, call: ToolCall) -> ApprovalReason | None:
    """Of a call that a small model insists on although the review objects."""
    if doubted.tool != call.tool:
        return None
    if doubted.parameter not in call.args:
        return ApprovalReason(kind="repeated", passage=_shortened(f"{call.tool} {_written(call.args)}", 0))
    value = _shortened(_written(call.args[doubted.parameter]), 0)
    return ApprovalReason(kind="unsourced", passage=value, argument=doubted.parameter)


def _written(value: Json) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _is_clean(state: TurnState, *, keeps_here: bool) -> bool:
    """Whether it is certain at a glance that nothing untrusted came before, nor anything confidential, unless the call
    `keeps_here` what it is told. Calls no function for each message: in long turns this is all that an effect costs."""
    started = state.started
    if len(state.calls) > 1 or started is None or DECIDED_FROM in started.settings:
        return False
    for messages in (state.messages, state.left_out):
        for message in messages:
            labels = message.labels
            if labels is not None:
                if labels.integrity == "untrusted" or not (keeps_here or labels.confidentiality == "public"):
                    return False
            elif message.__class__ is ToolMessage or (
                message.__class__ is UserMessage and (message.attachments or message.note in _FOREIGN)  # pyright: ignore
            ):
                return False
    return True


def _followed(state: TurnState, call_id: str) -> Iterator[LabelledText]:
    """What a decision may follow from, the newest first: results of its own step that it refers to, then all that was
    told before it. Nothing where the user typed the call."""
    if _is_command(state):
        return
    named = find_references(_as_decided(state, call_id))
    for entry in state.calls.values() if named else ():
        if entry.result is not None and entry.number in named:
            call, labels = entry.call, entry.result.told_labels or UNKNOWN
            yield LabelledText(labels, entry.result.text, "call", call.tool, call.id)
    yield from _told(state)


def _is_command(state: TurnState) -> bool:
    return state.command is not None and not state.iterations


def _told(state: TurnState) -> Iterator[LabelledText]:
    """The transcript with its labels, also what has left it for a summary, the newest first."""
    for message in (*reversed(state.messages), *reversed(state.left_out)):
        labels = labels_of_message(message)
        if labels == OWN:
            continue
        if isinstance(message, ToolMessage):
            origin = "call" if message.call_id in state.call_ids else "earlier"
            yield LabelledText(labels, message.content, origin, message.tool, message.call_id)
        elif isinstance(message, AssistantMessage):
            yield LabelledText(labels, message.text, "earlier")
        else:
            is_file = message.note == "file" or bool(message.attachments)
            text = "\n".join((message.content, *(each.label for each in message.attachments)))
            yield LabelledText(labels, text, "file" if is_file else "earlier")
    above = _decided_above(state)
    if above is not None:
        yield LabelledText(above.labels, above.passage, "parent", above.tool, above.call_id)


def _decided_above(state: TurnState) -> DecidedFrom | None:
    """What the question of a child turn may follow from. A setting that cannot be read is the worst it could be."""
    said = None if state.started is None else state.started.settings.get(DECIDED_FROM)
    if said is None:
        return None
    try:
        return msgspec.convert(said, DecidedFrom)
    except msgspec.ValidationError:
        return DecidedFrom(labels=Labels(confidentiality="operator"))


def _as_decided(state: TurnState, call_id: str) -> Json:
    """The arguments of a call as the model wrote them, with their references."""
    for message in reversed(state.messages):
        if isinstance(message, AssistantMessage) and message.calls:
            return next((call.args for call in message.calls if call.id == call_id), None)
    return None


def _shown(told: list[LabelledText], call: ToolCall, kind: Reason, places: tuple[str, ...]) -> ApprovalReason:
    """The passage that has most to do with the call: around the longest value of its arguments that stands in one of
    the texts, else the beginning of the newest."""
    source, argument, at = _clearest(told), "", 0
    texts = list(_searched(told))
    for name, value in _values(call.args):
        found = ((each, text.find(value)) for each, text in texts)
        hit = next(((each, place) for each, place in found if place >= 0), None)
        if hit is not None:
            source, argument, at = hit[0], name, max(hit[1] - (PASSAGE_CHARS - min(len(value), PASSAGE_CHARS)) // 2, 0)
            break
    return ApprovalReason(
        kind=kind,
        origin=source.origin,
        tool=source.tool,
        call_id=source.call_id,
        passage=_shortened(source.text, at),
        argument=argument,
        destinations=tuple(place[:PASSAGE_CHARS] for place in places),
    )


def _clearest(told: list[LabelledText]) -> LabelledText:
    """The newest result of a tool, else the newest text."""
    return next((each for each in told if each.tool), told[0])


def _searched(told: list[LabelledText]) -> Iterator[tuple[LabelledText, str]]:
    """The texts in lower case, the newest first, as many as are searched for a passage."""
    room = _SEARCHED_CHARS
    for each in told:
        if room <= 0:
            break
        yield each, each.text[:room].lower()
        room -= len(each.text)


def _values(args: dict[str, Json]) -> list[tuple[str, str]]:
    """The values of arguments by their names, in lower case, the longest first."""
    found: list[tuple[str, str]] = []
    open_values: list[tuple[str, Json]] = list(args.items())
    while open_values and len(found) < _MAX_VALUES:
        name, value = open_values.pop()
        if isinstance(value, dict):
            open_values += ((name, each) for each in cast("dict[str, Json]", value).values())
        elif isinstance(value, list):
            open_values += ((name, each) for each in cast("list[Json]", value))
        elif value is not None and not isinstance(value, bool) and len(text := str(value).strip()) >= _MIN_VALUE_CHARS:
            found.append((name, text.lower()))
    return sorted(found, key=lambda pair: -len(pair[1]))


def _shortened(text: str, at: int) -> str:
    """A part of a text from about there on, marked where something is left out."""
    part = text[at : at + PASSAGE_CHARS].strip()
    return f"{'…' if at else ''}{part}{'…' if len(text) > at + PASSAGE_CHARS else ''}"
