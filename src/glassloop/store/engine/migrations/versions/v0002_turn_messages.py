"""Messages to turns that run or wait, until the turn is over; and how many were sent to each."""

from alembic import op

revision = "v0002"
down_revision = "v0001"
branch_labels = None


def upgrade() -> None:
    as_bytes = "BLOB" if op.get_bind().dialect.name == "sqlite" else "BYTEA"
    op.execute("ALTER TABLE turns ADD COLUMN messages_sent INTEGER DEFAULT 0 NOT NULL")
    op.execute(
        f"""CREATE TABLE turn_messages (
    turn_id TEXT NOT NULL, number INTEGER NOT NULL, at DOUBLE PRECISION NOT NULL, by_user TEXT NOT NULL,
    text TEXT NOT NULL, encrypted {as_bytes}, PRIMARY KEY (turn_id, number)
)"""
    )
