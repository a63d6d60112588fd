"""Schedules, what became of their due times, and turns whose results wait for their user."""

from alembic import op

revision = "v0004"
down_revision = "v0003"
branch_labels = None

_STATEMENTS = (
    """CREATE TABLE schedules (
    id TEXT NOT NULL PRIMARY KEY, user_id TEXT NOT NULL, session_id TEXT NOT NULL, question TEXT NOT NULL,
    wanted TEXT NOT NULL, at DOUBLE PRECISION, every TEXT, until TEXT, timezone TEXT NOT NULL, max_runs INTEGER,
    ends_at DOUBLE PRECISION, created_at DOUBLE PRECISION NOT NULL, status TEXT NOT NULL, reason TEXT,
    note TEXT NOT NULL, next_at DOUBLE PRECISION, wake_at DOUBLE PRECISION, due_at DOUBLE PRECISION,
    attempt INTEGER NOT NULL, runs INTEGER NOT NULL, failures INTEGER NOT NULL, turn_id TEXT, is_open INTEGER NOT NULL,
    unseen INTEGER NOT NULL, version INTEGER NOT NULL
)""",
    "CREATE INDEX schedules_of_user ON schedules (user_id, created_at, id)",
    "CREATE INDEX schedules_due ON schedules (wake_at) WHERE status = 'active'",
    "CREATE INDEX schedules_ahead ON schedules (due_at) WHERE status = 'active'",
    "CREATE INDEX schedules_open ON schedules (turn_id) WHERE is_open = 1",
    """CREATE TABLE schedule_runs (
    schedule_id TEXT NOT NULL, due_at DOUBLE PRECISION NOT NULL, attempt INTEGER NOT NULL, outcome TEXT NOT NULL,
    turn_id TEXT, missed INTEGER NOT NULL, note TEXT NOT NULL, at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (schedule_id, due_at, attempt)
)""",
    "ALTER TABLE turns ADD COLUMN unseen INTEGER DEFAULT 0 NOT NULL",
    "CREATE INDEX turns_unseen ON turns (user_id, started_at) WHERE unseen = 1",
)


def upgrade() -> None:
    for statement in _STATEMENTS:
        op.execute(statement)
