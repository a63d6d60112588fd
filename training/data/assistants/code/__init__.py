"""Talks with the code assistant: `talks.TALKS` has all of them."""
