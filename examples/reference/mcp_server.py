"""McpServer: tools of an MCP server, beside functions."""

from glassloop import Agent, McpServer, ScriptedModel

files = McpServer("npx", "-y", "@modelcontextprotocol/server-filesystem", ".", effects={"list_directory": "read"})
tickets = McpServer(url="https://tickets.example.com/mcp", headers={"Authorization": "Bearer …"}, tools=["search"])
agent = Agent(ScriptedModel(["Hello."]), tools=[files, tickets])  # nothing is started before a question
print(files, tickets, agent)
