"""Messages, requests, chunks and replies exchanged with a model.

Neutral between providers: their adapters (in `extensions`) turn these into wire formats, decision protocols render
them.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, Protocol, cast, final

import msgspec

from glassloop.core.call_terms import GrantKind
from glassloop.core.labels import Labels
from glassloop.core.records import Attachment, Json, ToolCall

DEFAULT_DOMAIN: Final = "general"
"""Of tools and documents that belong to no other domain."""

Effect = Literal["read", "write", "external"]
Reach = Literal["here", "outside"]
Purpose = Literal["decide", "synthesize", "route", "plan", "evaluate", "summarize"]
StopReason = Literal["end_turn", "tool_use", "max_tokens", "filtered", "refusal", "other"]
"""Why a reply ended. `max_tokens` and `filtered` (the provider's filter) cut it short, `refusal` is a whole reply."""
READ_ATTACHMENT: Final = "read_attachment"
"""The tool that reads on in a file that is told by its beginning."""
CUT_SHORT: Final[frozenset[StopReason]] = frozenset({"max_tokens", "filtered"})


Author = Literal["person", "runtime"]
Note = Literal[
    "context",
    "complaint",
    "incomplete",
    "summary",
    "steps_left",
    "last_step",
    "observation",
    "aside",
    "route",
    "file",
]
"""What the runtime has to say: context of a question, why a reply could not be used, what an answer lacks, a
summary of what was said before, how many steps are left or that none is, an observation for a model that reads text
only, a question beside the loop, the tools recommended for a question, the text of a file given with it."""


class UserMessage(msgspec.Struct, frozen=True, gc=False, tag="user", tag_field="role"):
    """Said by the person or, with a `note` that says what it is, by the runtime."""

    content: str
    author: Author = "person"
    note: Note | None = None
    sourced: tuple[str, ...] = ()
    """Of a summary: the figures in it that stood in what it summarizes, with a source."""
    attachments: tuple[Attachment, ...] = ()
    """What the model is shown with it, if it sees such things."""
    labels: Labels | None = None
    """Of a summary: those of what it summarizes; None where nobody knows."""

    @property
    def is_pinned(self) -> bool:
        """What was told with the question never leaves the context for a summary."""
        return self.note == "context"


def note(kind: Note, text: str, sourced: tuple[str, ...] = (), labels: Labels | None = None) -> UserMessage:
    """A message of the runtime's own."""
    return UserMessage(text, "runtime", kind, sourced, (), labels)


def said_with(question: str, attachments: Sequence[Attachment]) -> list[UserMessage]:
    """A question with what was given with it: what was read of files comes before it, what is shown is part of it."""
    files = [note("file", f"{each.name}\n{each.text}{_rest_of(each)}") for each in attachments if each.text]
    return [*files, UserMessage(question, attachments=tuple(each for each in attachments if not each.text))]


def _rest_of(file: Attachment) -> str:
    """How the model reads on in a file that is told by its beginning."""
    if not file.chars:
        return ""
    name, following = msgspec.json.encode(file.name).decode(), file.text.count("\n") + 2
    return (
        f"\n[The beginning: {len(file.text):,} of {file.chars:,} characters. {READ_ATTACHMENT}(file={name}, "
        f'find="words") shows the places with these words, {READ_ATTACHMENT}(file={name}, from_line={following}) '
        "reads on.]"
    )


def without_attachments(message: UserMessage) -> UserMessage:
    """The message for a model that is not shown them: it is told what there was."""
    told = "\n".join(f"[{each.label}: not shown here]" for each in message.attachments)
    return UserMessage(
        f"{message.content}\n\n{told}", message.author, message.note, message.sourced, (), message.labels
    )


class AssistantMessage(msgspec.Struct, frozen=True, gc=False, kw_only=True, tag="assistant", tag_field="role"):
    """A complete reply. `opaque` holds provider parts (thinking signatures and the like) to send back untouched;
    they only mean something to the provider named in `provider`."""

    text: str = ""
    thought: str = ""
    calls: tuple[ToolCall, ...] = ()
    provider: str = ""
    opaque: Json = None
    sourced: tuple[str, ...] = ()
    """Of an earlier answer: the figures in it that had a source. It vouches for these and no others."""
    labels: Labels | None = None
    """Of an earlier answer: those of what it may follow from. None: of what stands before it."""


class ToolMessage(
    msgspec.Struct, frozen=True, gc=False, kw_only=True, tag="tool", tag_field="role", omit_defaults=True
):
    """The observation of one call. The model is shown `limit` characters of it, where that is not 0, and `ref` is what
    it calls the result by to read on."""

    call_id: str
    tool: str
    content: str
    is_error: bool = False
    limit: int = 0
    ref: str = ""
    sourced: tuple[str, ...] | None = None
    """As in `ToolResult`."""
    labels: Labels | None = None
    """As in `ToolResult`."""


Message = UserMessage | AssistantMessage | ToolMessage


def estimate_tokens(text: str) -> int:
    """A guess that errs on the high side for dense scripts: four ASCII characters, or three bytes of anything else."""
    return len(text) // 4 + 4 if text.isascii() else len(text.encode("utf-8", "replace")) // 3 + 4


def message_tokens(message: Message) -> int:
    if isinstance(message, AssistantMessage):
        size = estimate_tokens(message.text) if message.text else 4
        for call in message.calls:
            size += 8
            for value in call.args.values():
                size += 1 if type(value) is int else len(str(value)) // 3
        return size
    content = message.content
    if isinstance(message, ToolMessage):
        return estimate_tokens(content[: message.limit] if message.limit else content)
    size = estimate_tokens(content)
    return size + sum(each.tokens for each in message.attachments) if message.attachments else size


def shown_to(abilities: "Abilities", messages: Sequence[Message]) -> Sequence[Message]:
    """The messages for this model: one that sees no images is told which there were."""
    if abilities.images:
        return messages
    return [without_attachments(m) if isinstance(m, UserMessage) and m.attachments else m for m in messages]


class ToolSpec(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A tool as the loop and the models see it. One that says nothing about its effect is `external`."""

    name: str
    description: str
    parameters: dict[str, Json]
    effect: Effect = "external"
    idempotent: bool = False
    volatile: bool = False
    confirm: bool = False
    required: bool = False
    timeout_s: float = 30.0
    cache_ttl_s: float = 300.0
    retries: int = 0
    domain: str = DEFAULT_DOMAIN
    reports_progress: bool = False
    waits: bool = True
    """False: nothing in it ever waits, it returns as soon as it is begun."""
    words: dict[str, Json] = {}
    """What rules compare a question with, in the place of a description: of the tool under `""`, of parameters under
    their names; a list is examples of values, a table any of `description`, `examples` and `title`, other words for the
    parameter. No language model is shown them."""
    sentences: dict[str, Sequence[str]] = {}
    """How rules put a result into words, by language (`en`, `zh`): the first template whose `{fields}` are all in the
    result. `{remembered.text}` is a field inside, `{notes[].text}` makes a line of each item. Not for models."""
    labels: Labels = Labels()
    """Of its results."""
    reaches: Reach | None = None
    """Whether its arguments leave this machine; None: an external effect's do."""
    destinations: tuple[str, ...] = ()
    """The parameters that say where to: addresses, recipients."""
    grant: GrantKind | None = None
    """How a person may allow it for a session; None: a tool that writes here as it is, others never."""
    has_terms: bool = False
    """Whether the tool is asked before each call on which terms that one runs."""

    @property
    def reaches_outside(self) -> bool:
        return self.reaches == "outside" or (self.reaches is None and self.effect == "external")

    @property
    def asks(self) -> bool:
        """Whether it asks a person before its calls, or some of them."""
        return self.confirm or self.has_terms

    @property
    def is_effect(self) -> bool:
        """Whether a call changes something, or tells something outside."""
        return self.effect != "read" or self.reaches == "outside"

    @property
    def matched(self) -> "ToolSpec":
        """The tool as rules see it."""
        if not self.words:
            return self
        properties = dict(cast("dict[str, dict[str, Json]]", self.parameters.get("properties", {})))
        for name, said in self.words.items():
            if name in properties:
                key = "examples" if isinstance(said, list) else "description"
                given = cast("dict[str, Json]", said if isinstance(said, dict) else {key: said})
                properties[name] = {**properties[name], **given}
        parameters: dict[str, Json] = {**self.parameters, "properties": cast("Json", properties)}
        description = str(self.words.get("", self.description))
        return msgspec.structs.replace(self, description=description, parameters=parameters, words={})


class Usage(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Tokens and money of one model call; in a `Result` of all calls of the turn, with those of its sub-agents."""

    input_tokens: int = 0
    """Read by the model, all of the prompt."""
    output_tokens: int = 0
    """Written by it, with what it thought where the provider counts that."""
    cached_tokens: int = 0
    """Those of `input_tokens` that the provider had in its cache."""
    cost: float | None = None
    """In US dollars; None means no price is known, never free."""


class Abilities(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is known to do; the decision protocol is chosen by it."""

    native_tools: bool = True
    json_schema: bool = False
    small: bool = False
    """Reads and writes slowly, so that prompts and decisions are kept as short as they can be."""
    tuned: bool = False
    """Trained on the short prompts, so that it needs no rules in them."""
    context_tokens: int = 128_000
    reads_prompts: bool = True
    """False: it goes by the tools it is given alone, and needs them natively."""
    images: bool | None = None
    """Whether it sees images; None where nobody knows, and then it is shown none."""
    documents: bool | None = None
    """Whether it reads PDF files as they are; the same."""


class BlobReader(Protocol):
    """The bytes of attachments, wherever they are kept."""

    async def read(self, sha256: str) -> bytes | None:
        """None where they are gone."""
        ...


class ModelRequest(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One call to a model. `messages` is a live view of the transcript: read it, never keep it.

    `session` says whose call it is, for models that serve one at a time and must be fair.
    """

    system: str
    messages: Sequence[Message]
    tools: Sequence[ToolSpec] = ()
    schema: dict[str, Json] | None = None
    purpose: Purpose = "decide"
    temperature: float = 0.3
    max_tokens: int = 4096
    session: str = ""
    tool_choice: Literal["auto", "none"] = "auto"
    """`none`: the tools are told, so that calls in the transcript stay valid, and none may be called."""
    blobs: BlobReader | None = None
    """Where the bytes of attachments are read, by a model that is shown them."""
    loaded: Mapping[str, bytes] = {}
    """Those that were read, by digest."""
    answer_schema: bool = False
    """Whether `schema` is of the answer, and so a caller's: a provider that refuses it may take others."""


@final
class TextChunk(msgspec.Struct, frozen=True, gc=False):
    """A piece of the reply's text."""

    text: str


@final
class ThoughtChunk(msgspec.Struct, frozen=True, gc=False):
    """A piece of the model's own reasoning."""

    text: str


@final
class CallChunk(msgspec.Struct, frozen=True, gc=False):
    """A piece of a native tool call's arguments; `name` comes with its first chunk."""

    index: int
    name: str = ""
    arguments: str = ""


@final
class Retrying(msgspec.Struct, frozen=True, kw_only=True):
    """What came so far is void: the call is made again after `wait_s`, perhaps with another model."""

    attempt: int
    wait_s: float
    reason: str
    model: str


@final
class QueueWaiting(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The call waits for the model; `position` calls come before it."""

    position: int


@final
class PromptReading(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The model reads what it is asked: `read` of `total` tokens so far."""

    read: int
    total: int


class GarbledCall(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A native call whose arguments could not be read as a JSON object, even after repair."""

    id: str
    tool: str
    text: str


@final
class Reply(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The end of a stream: the complete message. Exactly one ends each stream that did not raise."""

    message: AssistantMessage
    usage: Usage = Usage()
    stop: StopReason = "end_turn"
    stop_detail: str = ""
    """The provider's own word for a reason to stop that is none of ours."""
    model: str = ""
    garbled: tuple[GarbledCall, ...] = ()


Chunk = TextChunk | ThoughtChunk | CallChunk | Retrying | QueueWaiting | PromptReading | Reply
