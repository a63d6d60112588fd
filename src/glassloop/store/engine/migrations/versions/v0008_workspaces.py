"""Folders and modes of sessions, and grants that count for a part of what a tool can do."""

from alembic import op

revision = "v0008"
down_revision = "v0007"
branch_labels = None

_STATEMENTS = (
    """CREATE TABLE session_workspaces (
    session_id TEXT NOT NULL PRIMARY KEY, user_id TEXT NOT NULL, path TEXT NOT NULL, context_name TEXT NOT NULL,
    mode TEXT NOT NULL, changed_at DOUBLE PRECISION NOT NULL
)""",
    "CREATE INDEX session_workspaces_of_user ON session_workspaces (user_id, changed_at)",
    """CREATE TABLE scoped_grants (
    session_id TEXT NOT NULL, tool TEXT NOT NULL, scope TEXT NOT NULL, effect TEXT NOT NULL, digest TEXT NOT NULL,
    by_user TEXT NOT NULL, turn_id TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, until DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (session_id, tool, scope)
)""",
    """INSERT INTO scoped_grants
 SELECT session_id, tool, '', effect, digest, by_user, turn_id, at, until FROM grants""",
    "DROP TABLE grants",
    "ALTER TABLE scoped_grants RENAME TO grants",
)


def upgrade() -> None:
    for statement in _STATEMENTS:
        op.execute(statement)
