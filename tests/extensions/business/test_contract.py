"""Names, defaults and limits of the business contract that no other test says outright."""

import inspect
from collections.abc import Mapping
from pathlib import Path

import pytest

from glassloop import Agent, ScriptedModel, tool
from glassloop.core.events import ToolReturned
from glassloop.core.loop.compaction import compress_if_needed
from glassloop.core.messages import Abilities, UserMessage
from glassloop.runtime.assistants.assistant_files import find_assistant
from glassloop.runtime.settings import Settings, load_settings
from glassloop.store.tables.sessions import SessionTable

SETTINGS = {
    "REACT_MAX_ITERATIONS": ("max_iterations", 5, "7", 7),
    "REACT_ENABLED": ("dialects.react_enabled", True, "false", False),
    "SESSION_STORE_ENABLED": ("session_store_enabled", True, "false", False),
    # Without a number of one's own: 6,000 for models with small windows, half the window for others.
    "CONTEXT_TOKEN_BUDGET": ("context_token_budget", 0, "7000", 7000),
    "CONTEXT_KEEP_RECENT": ("context_keep_recent", 4, "6", 6),
    "RAG_DENSE_WEIGHT": ("rag_dense_weight", 0.7, "0.5", 0.5),
    "RAG_SPARSE_WEIGHT": ("rag_sparse_weight", 0.3, "0.5", 0.5),
    "ADMIN_TOKEN": ("admin_token", None, "a-token-that-is-long-enough", "a-token-that-is-long-enough"),
}


@pytest.mark.parametrize("variable", SETTINGS)
def test_a_setting_has_the_name_and_default_of_the_contract(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, default, written, value = SETTINGS[variable]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GLASSLOOP_HOME", str(tmp_path))
    assert Settings().values[name] == default
    monkeypatch.setenv(variable, written)
    assert load_settings().values[name] == value


FUNCTIONS: Mapping[str, tuple[str, ...]] = {
    "create": ("user_id", "channel", "metadata"),
    "add_message": ("session_id", "role", "content", "reasoning_trace", "tool_calls", "metrics"),
    "get": ("session_id",),
    "list": ("limit", "offset", "user_id", "status"),
    "update_status": ("session_id", "status"),
    "add_rating": ("session_id", "rating", "note"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_sessions_takes_what_the_contract_says(name: str) -> None:
    taken = inspect.signature(getattr(SessionTable, name)).parameters.values()
    positional = [each.name for each in taken if each.kind is not each.KEYWORD_ONLY]
    assert tuple(positional[1:]) == FUNCTIONS[name]


def test_compression_has_the_defaults_of_the_contract() -> None:
    found = inspect.signature(compress_if_needed).parameters
    assert (found["token_budget"].default, found["keep_recent"].default) == (6000, 4)


@pytest.mark.parametrize(("small", "shown"), [(True, 2_000), (False, 16_000)])
async def test_the_model_sees_so_many_characters_of_a_step_and_the_store_has_all(
    tmp_path: Path, small: bool, shown: int
) -> None:
    book = "\n".join(f"{number}. aaaaaaaaaaaaaaaaaaaa" for number in range(1, 1001))

    @tool(effect="read", domain="erp")
    async def read_book() -> str:
        """A long book."""
        return book

    settings = Settings(home=str(tmp_path))
    profile = find_assistant("business", settings, tmp_path).profile(settings)
    decision = '{"reasoning": "Look.", "action": "tool", "tool": "read_book", "args": {}}'
    model = ScriptedModel([decision, "Long."], abilities=Abilities(native_tools=False, small=small))
    stream = Agent(model, [read_book], profile=profile).stream("What does it say?")
    returned = [event.result.output async for event in stream if isinstance(event, ToolReturned)]
    assert returned == [book]
    (observed,) = [m.content for m in model.requests[-1].messages if isinstance(m, UserMessage) and "aaa" in m.content]
    assert shown * 0.6 < len(observed) <= shown + len("Observation (read_book): ")
    assert "of 1,000; read_result(" in observed
