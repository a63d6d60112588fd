"""The event log and the tables around it."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

LARGE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
FLOAT: sa.Double[float] = sa.Double()


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute(f"PRAGMA application_id={0x474C4F50}")
    _sessions()
    _turns()
    op.create_table(
        "events",
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("at", FLOAT, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("turn_id", "seq"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "messages",
        sa.Column("id", LARGE, sa.Identity(), primary_key=True),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text()),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("content", sa.Text()),
        sa.Column("reasoning_trace", sa.Text()),
        sa.Column("tool_calls", sa.Text()),
        sa.Column("tokens_prompt", LARGE),
        sa.Column("tokens_completion", LARGE),
        sa.Column("latency_ms", FLOAT),
        sa.Column("created_at", FLOAT, nullable=False),
    )
    op.create_index("messages_of_session", "messages", ["session_id", "id"])


def _sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("started_at", FLOAT, nullable=False),
        sa.Column("ended_at", FLOAT),
        sa.Column("last_active", FLOAT, nullable=False),
        sa.Column("message_count", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("rating", sa.Text()),
        sa.Column("rating_note", sa.Text()),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("assistant", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text()),
        sa.Column("summary_turn_id", sa.Text()),
        sa.PrimaryKeyConstraint("id"),
        sqlite_with_rowid=False,
    )
    op.create_index("sessions_by_start", "sessions", ["started_at", "id"])
    op.create_index("sessions_of_user", "sessions", ["user_id", "started_at", "id"])
    op.create_index("sessions_by_status", "sessions", ["status", "started_at", "id"])


def _turns() -> None:
    op.create_table(
        "turns",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("assistant", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=False),
        sa.Column("lease_until", FLOAT, nullable=False),
        sa.Column("claimed_seq", sa.Integer(), nullable=False),
        sa.Column("claims_without_progress", sa.Integer(), nullable=False),
        sa.Column("started_at", FLOAT, nullable=False),
        sa.Column("finished_at", FLOAT),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text()),
        sa.Column("error", sa.Text()),
        sa.Column("input_tokens", LARGE),
        sa.Column("output_tokens", LARGE),
        sa.Column("cost", FLOAT),
        sa.Column("latency_ms", FLOAT),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("turns_of_session", "turns", ["session_id", "started_at"])
    live = sa.text("status IN ('running', 'paused')")
    op.create_index("turns_alive", "turns", ["status", "lease_until"], sqlite_where=live, postgresql_where=live)
