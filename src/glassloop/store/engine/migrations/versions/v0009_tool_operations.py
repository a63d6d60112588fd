"""Operations of tools on files and commands, kept beside the audit."""

from alembic import op

revision = "v0009"
down_revision = "v0008"
branch_labels = None

_STATEMENTS = (
    """CREATE TABLE tool_operations (
    id TEXT NOT NULL PRIMARY KEY, at DOUBLE PRECISION NOT NULL, kind TEXT NOT NULL, user_id TEXT NOT NULL,
    session_id TEXT NOT NULL, turn_id TEXT NOT NULL, call_id TEXT NOT NULL, tool TEXT NOT NULL, path TEXT NOT NULL,
    operation TEXT NOT NULL, bytes BIGINT NOT NULL, outcome TEXT NOT NULL, why TEXT NOT NULL
)""",
    "CREATE INDEX tool_operations_of_kind ON tool_operations (kind, at)",
    "CREATE INDEX tool_operations_of_user ON tool_operations (user_id, at)",
)


def upgrade() -> None:
    for statement in _STATEMENTS:
        op.execute(statement)
