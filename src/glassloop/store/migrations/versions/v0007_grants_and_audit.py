"""What a person allowed for the rest of a session, and who did what that others may ask about."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

FLOAT: sa.Double[float] = sa.Double()
LARGE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "grants",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("effect", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("by_user", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("at", FLOAT, nullable=False),
        sa.Column("until", FLOAT, nullable=False),
        sa.PrimaryKeyConstraint("session_id", "tool"),
    )
    op.create_table(
        "audit",
        sa.Column("id", LARGE, sa.Identity(), primary_key=True),
        sa.Column("at", FLOAT, nullable=False),
        sa.Column("by_user", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text()),
        sa.Column("detail", sa.Text(), nullable=False),
    )
    op.create_index("audit_by_time", "audit", ["at", "id"])
    op.create_index("audit_of_user", "audit", ["by_user", "at"])
