"""An MCP server with one tool, made with the `mcp` package."""

from mcp.server import MCPServer

server = MCPServer("stock")


@server.tool()
def stock_of(sku: str) -> int:
    """Units on hand of an item, such as BRG-6204."""
    return {"BRG-6204": 140, "INS-PA66": 820}.get(sku, 0)


if __name__ == "__main__":
    server.run()
