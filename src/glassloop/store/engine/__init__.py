"""Databases: connections to SQLite and PostgreSQL, the threads that use them, the schema, encryption of secrets."""
