"""`response_format` of OpenAI's API: the form of the answer that a client asks for, and the answer in it.

An answer is told once it has been checked, as nothing that was sent can be taken back. One that does not fit, after the
model was asked once more, is a refusal: clients then have no object, and read why.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from pydantic import ConfigDict, Field

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.records import Json
from glassloop.extensions.dialects.client_messages import LooseBody
from glassloop.runtime.assistants.json_output import ANY_OBJECT, JsonOutput

FinishReason = Literal["stop", "length", "content_filter"]


class NamedSchema(LooseBody):
    """`strict` or not, the answer is held to the schema."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    name: Annotated[str, Field(max_length=100)] = ""
    description: Annotated[str, Field(max_length=10_000)] | None = None
    json_schema: dict[str, Any] | None = Field(None, alias="schema")
    strict: bool | None = None


class ResponseFormat(LooseBody):
    """The form of the answer: text, some JSON object, or one of a schema."""

    type: Literal["text", "json_object", "json_schema"] = "text"
    json_schema: NamedSchema | None = None

    def output(self) -> JsonOutput | None:
        """What the answer is held to; None for text. Raises `UsageError` for a schema that cannot be used."""
        match self.type:
            case "text":
                return None
            case "json_object":
                return JsonOutput(ANY_OBJECT)
            case "json_schema":
                named = self.json_schema
                if named is None or named.json_schema is None:
                    raise UsageError("response_format has no schema: give it as 'json_schema': {'name', 'schema'}.")
                described: Mapping[str, Json] = {"description": named.description} if named.description else {}
                return JsonOutput({**described, **named.json_schema})


class ChatAnswer(NamedTuple):
    """An answer as OpenAI's clients read it: it has `content`, or a `refusal`."""

    content: str | None
    refusal: str | None = None
    finish: FinishReason = "stop"

    @property
    def message(self) -> dict[str, str | None]:
        refused: dict[str, str | None] = {} if self.refusal is None else {"refusal": self.refusal}
        return {"content": self.content, **refused}


def answer_in(output: JsonOutput, answer: e.AnswerGiven) -> ChatAnswer:
    """The JSON object, without any text around it; where there is none, what clients expect instead."""
    try:
        return ChatAnswer(msgspec.json.encode(output.read(answer.text)).decode())
    except ValueError as error:
        why = str(error)
    if answer.reason in ("filtered", "guardrail"):
        return ChatAnswer(answer.text, finish="content_filter")
    if answer.reason in ("answered", "unreadable"):
        return ChatAnswer(None, f"{answer.text}\n\n(This is no answer of the schema that was asked for: {why})")
    return ChatAnswer(answer.text, finish="length")
