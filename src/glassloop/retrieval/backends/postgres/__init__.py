"""Indexes in PostgreSQL: the same passages for the same questions, for any number of servers."""
