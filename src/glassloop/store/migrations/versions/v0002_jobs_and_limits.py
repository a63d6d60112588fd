"""Jobs, wishes to cancel, forgotten sessions; on PostgreSQL also the tables of the queue that many workers share."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

FLOAT: sa.Double[float] = sa.Double()


def upgrade() -> None:
    op.add_column("turns", _flag("cancel_requested"))
    op.add_column("sessions", sa.Column("forgotten_at", FLOAT))
    # An index of every status costs each new session a page; only those that wait for people are looked for.
    op.drop_index("sessions_by_status", "sessions")
    _index("sessions_waiting", "sessions", ["started_at", "id"], where="status = 'awaiting_approval'")
    _index("turns_running_of_user", "turns", ["user_id"], where="status = 'running'")
    _jobs()
    if op.get_bind().dialect.name == "postgresql":
        _queue()


def _jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("params", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("fraction", FLOAT),
        sa.Column("result", sa.Text()),
        sa.Column("error", sa.Text()),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("lease_until", FLOAT, nullable=False),
        sa.Column("claims", sa.Integer(), nullable=False),
        _flag("cancel_requested"),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", FLOAT, nullable=False),
        sa.Column("started_at", FLOAT),
        sa.Column("finished_at", FLOAT),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("jobs_by_start", "jobs", ["created_at", "id"])
    op.create_index("jobs_of_user", "jobs", ["user_id", "created_at", "id"])
    _index("jobs_alive", "jobs", ["lease_until"], where="status IN ('queued', 'running')")


def _queue() -> None:
    """In the schema our own tables are in. Tables of the queue that are there already are left as they are."""
    from procrastinate.schema import SchemaManager

    bind = op.get_bind()
    there = bind.exec_driver_sql(
        "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'procrastinate_jobs'"
    )
    if there.first() is None:
        # The driver takes several statements at once, and percent signs as they are, only without values.
        cursor: Any = bind.connection.cursor()
        cursor.execute(SchemaManager.get_schema())
        cursor.close()


def _flag(name: str) -> "sa.Column[int]":
    return sa.Column(name, sa.Integer(), nullable=False, server_default="0")


def _index(name: str, table: str, columns: list[str], *, where: str) -> None:
    op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))
