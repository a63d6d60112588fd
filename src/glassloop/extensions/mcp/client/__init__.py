"""Tools of other people's MCP servers: everything between their files and our `Tool`. Believes nothing they say."""

# Here, so that whoever only looks for such files loads nothing more.

FILE = ".mcp.json"
"""Where servers are named."""

APPROVED = "mcp_approved.json"
"""What people approved of the files that are not their own, in the home folder."""

SEEN = "mcp_tools.json"
"""How tools looked when they were accepted, in the home folder."""
