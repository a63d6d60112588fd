"""Talks with the business assistant: `talks.TALKS` has all of them."""
