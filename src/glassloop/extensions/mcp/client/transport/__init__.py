"""Transports to MCP servers: programs over stdio, addresses over HTTP, and the connection on top."""
