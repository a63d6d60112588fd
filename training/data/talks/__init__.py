"""Conversations by what they are about: records, lists, reports, everyday tools, kinds of work, and plain talk."""
