"""Places of turns in their sessions: the turn that each follows, whether it leads to the newest, and branches."""

from alembic import op

revision = "v0010"
down_revision = "v0009"
branch_labels = None

_STATEMENTS = (
    "ALTER TABLE turns ADD COLUMN previous_turn_id TEXT",
    "ALTER TABLE turns ADD COLUMN on_path INTEGER DEFAULT 1 NOT NULL",
    "ALTER TABLE sessions ADD COLUMN branches INTEGER DEFAULT 0 NOT NULL",
)


def upgrade() -> None:
    for statement in _STATEMENTS:
        op.execute(statement)
