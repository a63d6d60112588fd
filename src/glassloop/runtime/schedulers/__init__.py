"""Schedulers of turns and jobs: tasks of this process, or workers over a queue in PostgreSQL.

Importing this is light: `queue` imports its libraries, and is imported only where a PostgreSQL is configured.
"""
