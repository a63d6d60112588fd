"""Tools of other people's MCP servers: everything between their files and our `Tool`. Believes nothing they say."""
