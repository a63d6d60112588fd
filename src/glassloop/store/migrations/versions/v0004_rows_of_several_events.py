"""A row of the log holds all events of one commit."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("events", sa.Column("last", sa.Integer(), nullable=False, server_default="0"))
    op.execute("UPDATE events SET last = seq")
    # Few turns are alive at a time, and these have an index already: another one costs each turn two pages.
    op.drop_index("turns_running_of_user", "turns")
