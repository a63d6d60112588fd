"""The tools of the assistant `harbour`."""

from glassloop import ToolContext, ToolError, tool
from glassloop_harbour.berths import read_berths
from glassloop_harbour.bookings import Bookings


def make_tools(home, store=None):
    bookings = Bookings(store)

    @tool(effect="read", volatile=True, domain="harbour")
    async def free_berths() -> list[dict[str, str]]:
        """Berths that are free, and how long they are."""
        taken = {row["berth"] for row in await bookings.list()}
        return [berth for berth in read_berths(home) if berth["berth"] not in taken]

    @tool(effect="write", confirm=True, domain="harbour")
    async def book_berth(berth: str, ship: str, context: ToolContext) -> str:
        """Books a berth (such as B2) for a ship."""
        if berth not in {each["berth"] for each in read_berths(home)}:
            raise ToolError(f"There is no berth {berth!r}.")
        if not await bookings.add(berth, ship, context.user):
            raise ToolError(f"Berth {berth!r} is taken.")
        return f"{berth} is booked for {ship}."

    return [free_berths, book_berth]
