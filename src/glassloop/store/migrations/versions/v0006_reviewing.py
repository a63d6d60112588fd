"""What reviewing needs: ratings of single steps, and ways into lists of a hundred thousand sessions."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

FLOAT: sa.Double[float] = sa.Double()


def upgrade() -> None:
    op.create_table(
        "step_ratings",
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("rating", sa.Text(), nullable=False),
        sa.Column("note", sa.Text()),
        sa.Column("by_user", sa.Text(), nullable=False),
        sa.Column("at", FLOAT, nullable=False),
        sa.PrimaryKeyConstraint("turn_id", "target"),
    )
    op.create_index("step_ratings_of_session", "step_ratings", ["session_id"])
    op.create_index("sessions_of_assistant", "sessions", ["assistant", "started_at", "id"])
    op.create_index("turns_by_start", "turns", ["started_at"])
    _index("sessions_rated", "sessions", ["rating", "started_at", "id"], where="rating IS NOT NULL")
    _index("turns_not_completed", "turns", ["status", "session_id"], where="status IN ('failed', 'cancelled')")


def _index(name: str, table: str, columns: list[str], *, where: str) -> None:
    op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))
