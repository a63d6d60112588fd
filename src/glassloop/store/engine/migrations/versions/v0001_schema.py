"""The event log and the tables around it; on PostgreSQL also those of the queue that several workers share."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "v0001"
down_revision = None
branch_labels = ("glassloop",)

LARGE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
FLOAT: sa.Double[float] = sa.Double()


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute(f"PRAGMA application_id={0x474C4F50}")
    _sessions()
    _messages()
    _turns()
    _events()
    _jobs()
    _users()
    _reviews()
    if op.get_bind().dialect.name == "postgresql":
        _queue()


def _sessions() -> None:
    op.create_table(
        "sessions",
        _text("id"),
        _text("user_id"),
        _text("channel"),
        sa.Column("started_at", FLOAT, nullable=False),
        sa.Column("ended_at", FLOAT),
        sa.Column("last_active", FLOAT, nullable=False),
        sa.Column("message_count", sa.Integer(), nullable=False),
        _text("status"),
        sa.Column("rating", sa.Text()),
        sa.Column("rating_note", sa.Text()),
        _text("metadata"),
        _text("title"),
        _text("assistant"),
        sa.Column("summary", sa.Text()),
        sa.Column("summary_turn_id", sa.Text()),
        sa.Column("forgotten_at", FLOAT),
        sa.PrimaryKeyConstraint("id"),
        sqlite_with_rowid=False,
    )
    op.create_index("sessions_by_start", "sessions", ["started_at", "id"])
    op.create_index("sessions_of_user", "sessions", ["user_id", "started_at", "id"])
    op.create_index("sessions_of_assistant", "sessions", ["assistant", "started_at", "id"])
    # An index of every status costs each new session a page; only those that wait for people are looked for.
    _index("sessions_waiting", "sessions", ["started_at", "id"], where="status = 'awaiting_approval'")
    _index("sessions_rated", "sessions", ["rating", "started_at", "id"], where="rating IS NOT NULL")


def _messages() -> None:
    op.create_table(
        "messages",
        sa.Column("id", LARGE, sa.Identity(), primary_key=True),
        _text("session_id"),
        sa.Column("turn_id", sa.Text()),
        _text("role"),
        sa.Column("content", sa.Text()),
        sa.Column("reasoning_trace", sa.Text()),
        sa.Column("tool_calls", sa.Text()),
        sa.Column("tokens_prompt", LARGE),
        sa.Column("tokens_completion", LARGE),
        sa.Column("latency_ms", FLOAT),
        sa.Column("created_at", FLOAT, nullable=False),
    )
    op.create_index("messages_of_session", "messages", ["session_id", "id"])


def _turns() -> None:
    op.create_table(
        "turns",
        _text("id"),
        _text("session_id"),
        _text("user_id"),
        _text("assistant"),
        _text("status"),
        sa.Column("epoch", sa.Integer(), nullable=False),
        _text("worker"),
        sa.Column("lease_until", FLOAT, nullable=False),
        sa.Column("claimed_seq", sa.Integer(), nullable=False),
        sa.Column("claims_without_progress", sa.Integer(), nullable=False),
        sa.Column("started_at", FLOAT, nullable=False),
        sa.Column("finished_at", FLOAT),
        _text("question"),
        sa.Column("answer", sa.Text()),
        sa.Column("error", sa.Text()),
        sa.Column("input_tokens", LARGE),
        sa.Column("output_tokens", LARGE),
        sa.Column("cost", FLOAT),
        sa.Column("latency_ms", FLOAT),
        _flag("cancel_requested"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("turns_of_session", "turns", ["session_id", "started_at"])
    op.create_index("turns_by_start", "turns", ["started_at"])
    _index("turns_alive", "turns", ["status", "lease_until"], where="status IN ('running', 'paused')")
    _index("turns_not_completed", "turns", ["status", "session_id"], where="status IN ('failed', 'cancelled')")


def _events() -> None:
    """A row of `events` holds all of one commit; `encrypted_events` those of unfinished turns before redaction."""
    op.create_table(
        "events",
        _text("turn_id"),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.Column("at", FLOAT, nullable=False),
        _text("kind"),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("turn_id", "seq"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "encrypted_events",
        _text("turn_id"),
        sa.Column("seq", LARGE, nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("turn_id", "seq"),
    )


def _jobs() -> None:
    op.create_table(
        "jobs",
        _text("id"),
        _text("kind"),
        _text("user_id"),
        _text("status"),
        _text("params"),
        _text("message"),
        sa.Column("fraction", FLOAT),
        sa.Column("result", sa.Text()),
        sa.Column("error", sa.Text()),
        _text("worker"),
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


def _users() -> None:
    """Users, their keys, signed-in browsers, and the secrets the server itself is known by."""
    op.create_table("users", _text("id"), sa.Column("created_at", FLOAT, nullable=False), sa.PrimaryKeyConstraint("id"))
    op.create_table(
        "api_keys",
        _text("id"),
        _text("user_id"),
        _text("name"),
        _text("digest"),
        sa.Column("created_at", FLOAT, nullable=False),
        sa.Column("last_used_at", FLOAT),
        sa.Column("expires_at", FLOAT),
        sa.Column("revoked_at", FLOAT),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("api_keys_by_start", "api_keys", ["created_at", "id"])
    op.create_index("api_keys_of_user", "api_keys", ["user_id", "created_at", "id"])
    op.create_table(
        "sign_ins",
        _text("digest"),
        _text("user_id"),
        sa.Column("key_id", sa.Text()),
        _text("proof"),
        sa.Column("created_at", FLOAT, nullable=False),
        sa.Column("seen_at", FLOAT, nullable=False),
        sa.Column("expires_at", FLOAT, nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_index("sign_ins_of_user", "sign_ins", ["user_id", "seen_at"])
    op.create_index("sign_ins_by_end", "sign_ins", ["expires_at"])
    op.create_table(
        "secrets",
        _text("name"),
        _text("digest"),
        sa.Column("created_at", FLOAT, nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )


def _reviews() -> None:
    """Ratings of single steps, tools allowed for the rest of a session, and the audit."""
    op.create_table(
        "step_ratings",
        _text("turn_id"),
        _text("target"),
        _text("session_id"),
        _text("rating"),
        sa.Column("note", sa.Text()),
        _text("by_user"),
        sa.Column("at", FLOAT, nullable=False),
        sa.PrimaryKeyConstraint("turn_id", "target"),
    )
    op.create_index("step_ratings_of_session", "step_ratings", ["session_id"])
    op.create_table(
        "grants",
        _text("session_id"),
        _text("tool"),
        _text("effect"),
        _text("digest"),
        _text("by_user"),
        _text("turn_id"),
        sa.Column("at", FLOAT, nullable=False),
        sa.Column("until", FLOAT, nullable=False),
        sa.PrimaryKeyConstraint("session_id", "tool"),
    )
    op.create_table(
        "audit",
        sa.Column("id", LARGE, sa.Identity(), primary_key=True),
        sa.Column("at", FLOAT, nullable=False),
        _text("by_user"),
        _text("action"),
        _text("subject"),
        sa.Column("session_id", sa.Text()),
        _text("detail"),
    )
    op.create_index("audit_by_time", "audit", ["at", "id"])
    op.create_index("audit_of_user", "audit", ["by_user", "at"])


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


def _text(name: str) -> "sa.Column[str]":
    return sa.Column(name, sa.Text(), nullable=False)


def _flag(name: str) -> "sa.Column[int]":
    return sa.Column(name, sa.Integer(), nullable=False, server_default="0")


def _index(name: str, table: str, columns: list[str], *, where: str) -> None:
    op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))
