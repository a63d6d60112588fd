"""Which turn each turn follows, whether it leads to the newest one of its session, and how often a session branched."""

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
