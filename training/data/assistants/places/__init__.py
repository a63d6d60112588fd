"""Talks with the places assistant: `talks.TALKS` has all of them."""
