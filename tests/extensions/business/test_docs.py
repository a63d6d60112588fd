"""docs/business.md names every view, column and tool, and nothing else; docs/prompts.md shows what is sent."""

import re
from pathlib import Path

import msgspec

from glassloop import Agent, ScriptedModel, ToolError, tool
from glassloop.core.messages import Abilities, AssistantMessage
from glassloop.extensions.business.database.tables import PREFIX, TABLES
from glassloop.models.scripted_model import call
from glassloop.runtime.assistants.assistant_files import find_assistant
from glassloop.runtime.settings import Settings

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE, PROMPTS = ((DOCS / name).read_text("utf-8") for name in ("business.md", "prompts.md"))
LAST_QUESTION = "And how does that compare with the same days of last month?"


def test_every_view_is_documented_with_all_of_its_columns() -> None:
    parts = re.split(r"^### (\w+)$", PAGE, flags=re.MULTILINE)
    written = {
        name: re.findall(r"^\| `(\w+)` \| (.+) \|$", text, flags=re.MULTILINE)
        for name, text in zip(parts[1::2], parts[2::2], strict=True)
    }
    assert set(written) == {PREFIX + table.name for table in TABLES}
    for table in TABLES:
        rows = written[PREFIX + table.name]
        assert [name for name, _ in rows] == list(table.names)
        for column, (_, holds) in zip(table.columns, rows, strict=True):
            assert all(f"`{choice}`" in holds for choice in column.choices), column.name
            assert ("may be empty" in holds) == column.optional, column.name
            assert f"`{PREFIX}{column.refers}`" in holds or not column.refers
    assert f"a database of {len(TABLES)} tables" in PAGE


def test_every_tool_is_documented(readers) -> None:
    assert set(re.findall(r"^\| \w* ?\| `(\w+)` \|", PAGE, flags=re.MULTILINE)) == set(readers["sqlite"].names)


@tool(effect="read")
def parts_register() -> str:
    """The register of parts."""
    rows = [f"| P-{number:05} | shelf {number} {'x' * 90} |" for number in range(1_600)]
    return "\n".join(["| part | shelf |", "| --- | --- |", *rows])


@tool(effect="read", retries=0)
def freight_rate() -> str:
    """The rate of freight."""
    raise ToolError("The service answered 503.")


def plain(text: str) -> str:
    """Without figures: those of the sample are of the day it is made."""
    return re.sub(r"\d[\d,.:]*", "0", re.sub(r"^<context>[^.]*", "<context>the day", text))


async def requests_of(readers, settings: Settings, protocol: str) -> str:
    """Everything that a model is sent in a conversation of two turns."""
    revenue, failing = call("get_financial_summary", section="revenue", period="this_month"), call("freight_rate")
    script = [revenue, "So much.", call("parts_register"), failing, failing, "No more."]
    model = ScriptedModel(script, abilities=Abilities(native_tools=protocol == "native", context_tokens=200_000))
    profile = msgspec.structs.replace(find_assistant("business", settings).profile(settings), protocol=protocol)
    tools = [*readers["sqlite"], parts_register, freight_rate]
    agent = Agent(model, tools, profile=profile)
    for question in ("How much revenue have we made this month so far?", LAST_QUESTION):
        await agent.run(question, session_id="one")
    sent: list[str] = []
    for request in model.requests:
        sent.append(request.system)
        sent += [each.text if isinstance(each, AssistantMessage) else each.content for each in request.messages]
    return "\n".join(sent)


async def test_requests_are_as_the_page_on_prompts_shows_them(readers, tmp_path: Path) -> None:
    settings = Settings(home=str(tmp_path))
    shown = "\n".join([await requests_of(readers, settings, protocol) for protocol in ("native", "json")])
    lines = {plain(line) for line in shown.splitlines()}
    blocks = re.findall(r"^```(?:text|json)\n(.*?)^```", PROMPTS, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 6
    for line in "".join(blocks).splitlines():
        assert line == "…" or any(each.startswith(plain(line)) for each in lines), line
