"""Marks of calls in the text of open models. Apart from `call_tags`, whose patterns take long to compile."""

from typing import Final

TAGS: Final = ("<tool_call>", "<tool_calls>", "<function_call>", "<function_calls>", "<tool>")
_DEEPSEEK: Final = tuple(
    f"<{bar}tool{blank}{name}{bar}>"
    for bar in "|｜"
    for blank in "_▁"
    for name in (f"calls{blank}begin", f"call{blank}begin")
)
MARKS: Final = (
    *TAGS,
    *("<function=", "<invoke name=", "<|tool_call|>", "<minimax:tool_call>", "[TOOL_CALLS]", "<|python_tag|>"),
    *(
        "<|python_start|>",
        "<|action_start|>",
        "<|tool_calls_section_begin|>",
        "<|channel|>commentary to=",
        "<｜DSML｜function_calls>",
    ),
    *_DEEPSEEK,
)
"""What begins a call beyond doubt, if a call follows."""
