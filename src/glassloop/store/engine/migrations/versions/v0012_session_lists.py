"""Places of sessions in lists: pinned, in a folder, archived, or in none, as they are temporary."""

from alembic import op

revision = "v0012"
down_revision = "v0011"
branch_labels = None

_STATEMENTS = (
    "ALTER TABLE sessions ADD COLUMN pinned INTEGER DEFAULT 0 NOT NULL",
    "ALTER TABLE sessions ADD COLUMN archived INTEGER DEFAULT 0 NOT NULL",
    "ALTER TABLE sessions ADD COLUMN folder TEXT DEFAULT '' NOT NULL",
    "ALTER TABLE sessions ADD COLUMN temporary INTEGER DEFAULT 0 NOT NULL",
    "CREATE INDEX sessions_in_folders ON sessions (user_id, folder) WHERE folder <> ''",
    "CREATE INDEX sessions_temporary ON sessions (last_active) WHERE temporary = 1",
)


def upgrade() -> None:
    for statement in _STATEMENTS:
        op.execute(statement)
