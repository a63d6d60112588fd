"""The decorator of all tools of places: they read, and what they read changes with an import."""

from glassloop.tools.tool import tool

place_tool = tool(effect="read", volatile=True, domain="places", timeout_s=60.0)
