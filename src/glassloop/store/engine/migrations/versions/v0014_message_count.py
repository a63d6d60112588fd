"""A count of the messages that each turn has taken in: later ones can still be withdrawn."""

from alembic import op

revision = "v0014"
down_revision = "v0013"
branch_labels = None


def upgrade() -> None:
    op.execute("ALTER TABLE turns ADD COLUMN messages_taken INTEGER DEFAULT 0 NOT NULL")
