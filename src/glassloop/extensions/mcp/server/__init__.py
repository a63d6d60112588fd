"""Glassloop as an MCP server: its assistants and a user's sessions, offered to other programs over stdio."""
