"""Players who became a Spirit of Redemption, counted beside the deaths."""

import sqlalchemy as sa
from alembic import op

revision = "raids_0002"
down_revision = "raids_0001"
branch_labels = None


def upgrade() -> None:
    for table in ("raids_fights", "raids_performances"):
        op.add_column(table, sa.Column("spirits", sa.BigInteger(), nullable=False, server_default="0"))
