"""Conversation memory: working memory of sessions, and the text of turns for search."""
