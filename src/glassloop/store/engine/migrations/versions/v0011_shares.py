"""Links by which conversations are shared."""

from alembic import op

revision = "v0011"
down_revision = "v0010"
branch_labels = None

_STATEMENTS = (
    """CREATE TABLE shares (
    session_id TEXT NOT NULL PRIMARY KEY, user_id TEXT NOT NULL, digest TEXT NOT NULL UNIQUE, turn_id TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL
)""",
    "CREATE INDEX shares_of_user ON shares (user_id)",
)


def upgrade() -> None:
    for statement in _STATEMENTS:
        op.execute(statement)
