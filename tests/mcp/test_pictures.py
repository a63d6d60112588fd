"""Pictures of an MCP server: people see them, the model is told that there is one."""

from mcp.types import CallToolResult, ImageContent

from glassloop.extensions.mcp.client.transport.connection import MAX_PICTURE_CHARS, read_result


def picture(data: str, kind: str = "image/png") -> ImageContent:
    return ImageContent.model_validate({"type": "image", "data": data, "mimeType": kind})


def answer(*blocks: ImageContent) -> CallToolResult:
    return CallToolResult.model_validate({"content": [block.model_dump(by_alias=True) for block in blocks]})


def test_a_picture_is_kept_for_people_and_only_named_to_the_model() -> None:
    result = read_result(answer(picture("iVBORw0KGgo=")))
    assert result.data == {"images": [{"media_type": "image/png", "data": "iVBORw0KGgo="}]}
    assert "iVBOR" not in str(result.output)


def test_what_may_do_something_or_is_too_large_is_left_out() -> None:
    large = "A" * (MAX_PICTURE_CHARS + 4)
    assert read_result(answer(picture("PHN2Zz4=", "image/svg+xml"), picture(large))).data is None
