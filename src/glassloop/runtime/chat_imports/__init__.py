"""Imports of conversations from other chats: ChatGPT and Open WebUI."""
