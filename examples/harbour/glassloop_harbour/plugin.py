"""A domain for the router, and a hook that counts bookings for `/metrics`."""

from prometheus_client import Counter

from glassloop import Plugin
from glassloop.core.planning.router import Domain

BOOKED = Counter("harbour_booked", "Berths booked.", registry=None)


class HarbourPlugin(Plugin):
    name = "harbour"
    assistants = ("harbour",)
    domains = (Domain(destination="harbour_agent", name="harbour", about="berths and ships", words=("berth", "ship")),)

    async def after_tool_call(self, turn, call, result):
        if call.tool == "book_berth" and result.success:
            BOOKED.inc()
