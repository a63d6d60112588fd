"""A shop with three tools, and suites for it."""

from pathlib import Path

from glassloop import tool
from glassloop.evals.run_file import RunHeader
from glassloop.evals.suite_files import parse_suite
from glassloop.runtime.assistants.agents import AgentKey


@tool(effect="read")
async def price(item: str, pieces: int = 1) -> dict[str, object]:
    """What an item costs."""
    return {"item": item, "total": 12.5 * pieces}


@tool(effect="read")
async def stock(item: str) -> int:
    """How many there are."""
    return 7


@tool(effect="write", confirm=True)
async def order(item: str) -> str:
    """Order an item."""
    ORDERED.append(item)
    return f"ordered {item}"


ORDERED: list[str] = []
TOOLS = [price, stock, order]
WANTED = AgentKey("shop")


def suite_of(cases, **keys):
    """A suite for the tools above, from the text of its cases."""
    head = "".join(f"{key} = {str(value).lower()}\n" for key, value in keys.items())
    return parse_suite(f'name = "shop"\nassistant = "shop"\n{head}\n{cases}', Path("shop.toml"))


def head_of(suite, model="scripted"):
    return RunHeader(
        suite=suite.name,
        digest=suite.digest,
        assistant="shop",
        model=model,
        protocol="native",
        offered=len(TOOLS),
        started_at=0.0,
    )
