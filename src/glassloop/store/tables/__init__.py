"""The tables around the log, one class each: sessions, jobs, users, keys, grants, the audit, ratings, statistics."""
