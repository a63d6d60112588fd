"""Tools of other people's MCP servers: everything between their files and our `Tool`. Believes nothing they say."""

# Here, so that whoever only looks for such files loads nothing more.

FILE = ".mcp.json"
"""Where servers are named."""

SEEN = "mcp_tools.json"
"""How tools looked when they were accepted, in the home folder."""
