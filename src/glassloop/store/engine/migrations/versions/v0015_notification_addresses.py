"""Addresses at which users are notified, and when links to conversations end."""

from alembic import op

revision = "v0015"
down_revision = "v0014"
branch_labels = None

_STATEMENTS = (
    """CREATE TABLE notification_addresses (
    user_id TEXT NOT NULL PRIMARY KEY, url TEXT NOT NULL, format TEXT NOT NULL, details INTEGER NOT NULL,
    page TEXT NOT NULL, seen_at DOUBLE PRECISION NOT NULL, problem TEXT NOT NULL
)""",
    "ALTER TABLE shares ADD COLUMN expires_at DOUBLE PRECISION",
)


def upgrade() -> None:
    for statement in _STATEMENTS:
        op.execute(statement)
