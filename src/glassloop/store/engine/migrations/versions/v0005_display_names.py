"""Table of what users want to be called."""

from alembic import op

revision = "v0005"
down_revision = "v0004"
branch_labels = None


def upgrade() -> None:
    # Not a column of `users`: those are only the users who may have keys.
    op.execute("CREATE TABLE display_names (user_id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL)")
