"""Marks of CPU-bound work on turns and jobs, how often their process ended in it, and what was set aside for that."""

from alembic import op

revision = "v0007"
down_revision = "v0006"
branch_labels = None

_STATEMENTS = (
    "ALTER TABLE turns ADD COLUMN cpu_work TEXT",
    "ALTER TABLE turns ADD COLUMN deaths INTEGER DEFAULT 0 NOT NULL",
    "ALTER TABLE turns ADD COLUMN died_in TEXT",
    "ALTER TABLE jobs ADD COLUMN cpu_work TEXT",
    "ALTER TABLE jobs ADD COLUMN died_in TEXT",
    "ALTER TABLE jobs ADD COLUMN deaths INTEGER DEFAULT 0 NOT NULL",
    "ALTER TABLE jobs ADD COLUMN died_fraction DOUBLE PRECISION",
    """CREATE TABLE dead_letters (
    kind TEXT NOT NULL, id TEXT NOT NULL, user_id TEXT NOT NULL, subject TEXT NOT NULL, cpu_work TEXT NOT NULL,
    deaths INTEGER NOT NULL, reason TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, PRIMARY KEY (kind, id)
)""",
    "CREATE INDEX dead_letters_by_time ON dead_letters (at, id)",
)


def upgrade() -> None:
    for statement in _STATEMENTS:
        op.execute(statement)
