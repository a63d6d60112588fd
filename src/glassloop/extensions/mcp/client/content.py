"""Results of an MCP server's tool calls as ours: text to read, and the value where it sent one.

Pictures, sounds and files are described, not carried: no model is shown them. A result marked as an error raises
`ToolError` with its text.
"""

from typing import Any, assert_never

import msgspec
from mcp_types import (
    AudioContent,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from glassloop.core.errors import ToolError
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.mcp.client.untrusted_text import line
from glassloop.tools.result import DONE


def read_result(answer: CallToolResult) -> ToolResult:
    """The answer as a result; what is too large for one is refused where results are checked."""
    text = "\n".join(_told(block) for block in answer.content)
    data: Json = answer.structured_content
    if answer.is_error:
        raise ToolError(text.strip() or "The server says that the call failed, and not why.")
    if not text and data is not None:
        text = msgspec.json.encode(data).decode()
    return ToolResult(success=True, output=text or DONE, data=data)


def _told(block: ContentBlock) -> str:
    match block:
        case TextContent():
            return block.text
        case ImageContent() | AudioContent():
            kind = "picture" if isinstance(block, ImageContent) else "sound"
            return f"[a {kind}, {line(block.mime_type, 60)}, {_size(block.data)}: not shown]"
        case ResourceLink():
            return f"[a link to {line(block.title or block.name, 100)}: {line(str(block.uri), 300)}]"
        case EmbeddedResource():
            return _resource(block.resource)
        case _:
            assert_never(block)


def _resource(resource: Any) -> str:
    where = line(str(resource.uri), 300)
    if isinstance(resource, TextResourceContents):
        return f"[{where}]\n{resource.text}"
    return f"[{where}, {line(resource.mime_type or 'of unknown type', 60)}, {_size(resource.blob)}: not shown]"


def _size(base64: str) -> str:
    return f"{len(base64) * 3 // 4:,} bytes"
