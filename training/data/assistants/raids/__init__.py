"""Talks with the raids assistant: `talks.TALKS` has all of them."""
