"""Execution of tool calls: attempts, retries, cached results, threads."""
