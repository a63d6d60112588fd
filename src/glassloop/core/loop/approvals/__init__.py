"""Approvals: the calls a person is asked about, and what a person allowed."""
