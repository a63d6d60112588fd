"""An agent with the tools of an MCP server."""

from glassloop import Agent, McpServer

stock = McpServer("python", "stock_server.py", name="stock", effects={"stock_of": "read"})
with Agent("openai:gpt-5.2", tools=[stock]) as agent:
    print(agent.run_sync("How many BRG-6204 are in stock?").text)
