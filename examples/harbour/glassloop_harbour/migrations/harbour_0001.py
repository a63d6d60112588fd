"""The table of bookings."""

import sqlalchemy as sa
from alembic import op

revision = "harbour_0001"
down_revision = None
branch_labels = ("harbour",)


def upgrade():
    op.create_table(
        "harbour_bookings",
        sa.Column("berth", sa.Text(), primary_key=True),
        sa.Column("ship", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("booked_at", sa.Double(), nullable=False),
    )
